//! Maps whose members have equal names: the last one counts.
//!
//! Separate from `container`, which reads the members, because such maps are rare. A map with equal
//! names is read twice; the second pass skips all but the last of them. Inside another map that
//! would double the time with each level, so there the names are scanned first. Invariant: whatever
//! the text is, the time is that of sorting, times the depth of maps in the schema. Called by
//! `container`.

use super::column::{Column, Texts, Values};
use super::memory::{NoMemory, push, reserve};
use crate::arch::Vector;
use crate::read::Reader;

/// The members of one map that are passed over, because equal ones follow.
#[derive(Debug, Default)]
pub(super) struct Repeated {
    /// Where the map begins.
    pub(super) opened_at: Option<usize>,
    pub(super) members: Vec<bool>,
}

impl Repeated {
    /// Whether a member of the map is passed over.
    #[inline(always)]
    pub(super) fn has(&self, place: usize) -> bool {
        matches!(self.members.get(place), Some(true))
    }
}

/// What is repeated in a map that has just been read as row `row`.
pub(super) fn names_after(column: &Column, row: usize) -> Result<Vec<bool>, NoMemory> {
    let Values::Map { ends, keys, .. } = &column.values else { return Ok(Vec::new()) };
    let before = row.checked_sub(1).and_then(|row| ends.get(row));
    repeated(keys, before.map_or(0, |&end| end as usize))
}

/// What is repeated in the map at the cursor; nothing if it is not JSON, which reading it will
/// find.
#[inline(always)]
pub(super) fn names_before<V: Vector>(
    mut reader: Reader<'_, V>,
    depth: usize,
    scratch: &mut Vec<u8>,
) -> Result<Vec<bool>, NoMemory> {
    let mut names = Texts::default();
    reader.consume();
    while reader.token() == b'"' {
        let Ok(name) = reader.string(scratch) else { break };
        if !names.push(name.bytes)? || reader.colon().is_err() {
            break;
        }
        reader.token();
        if reader.skip(depth + 1).is_err() || reader.token() != b',' {
            break;
        }
        reader.consume();
    }
    repeated(&names, 0)
}

/// With so many members each name is compared with each other one.
const FEW: usize = 8;

/// For each of the names from `first` on, whether an equal one follows; nothing if none does.
#[inline(always)]
pub(super) fn repeated(names: &Texts<i32>, first: usize) -> Result<Vec<bool>, NoMemory> {
    let count = names.ends.len() - first;
    if count > FEW {
        return among_many(names, first);
    }
    for earlier in first..names.ends.len() {
        for later in earlier + 1..names.ends.len() {
            if names.text(earlier) == names.text(later) {
                return among_many(names, first);
            }
        }
    }
    Ok(Vec::new())
}

/// [`repeated`], by sorting.
#[inline(never)]
fn among_many(names: &Texts<i32>, first: usize) -> Result<Vec<bool>, NoMemory> {
    let count = names.ends.len() - first;
    let mut order: Vec<(u64, usize)> = Vec::new();
    reserve(&mut order, count)?;
    order.extend((first..names.ends.len()).map(|index| (first_bytes(names.text(index)), index)));
    order.sort_unstable_by(|one, other| {
        one.0
            .cmp(&other.0)
            .then_with(|| names.text(one.1).cmp(names.text(other.1)))
            .then(one.1.cmp(&other.1))
    });
    let mut found = Vec::new();
    for pair in order.windows(2) {
        let &[(_, earlier), (_, later)] = pair else { continue };
        if names.text(earlier) == names.text(later) {
            while found.len() < count {
                push(&mut found, false)?;
            }
            found[earlier - first] = true;
        }
    }
    Ok(found)
}

/// The first bytes of a name as a number, which mostly decides the order.
fn first_bytes(name: &[u8]) -> u64 {
    name.iter().take(8).fold(0, |bytes, &byte| bytes << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(names: &[&str]) -> Vec<bool> {
        let mut texts = Texts::default();
        for name in ["outside", "outside"].iter().chain(names) {
            assert_eq!(texts.push(name.as_bytes()), Ok(true));
        }
        repeated(&texts, 2).unwrap()
    }

    #[test]
    fn all_but_the_last_are_found() {
        assert!(of(&[]).is_empty());
        assert!(of(&["a", "b", "ab", "", "outside"]).is_empty());
        assert_eq!(of(&["a", "b", "a"]), [true, false, false]);
        assert_eq!(of(&["", "", ""]), [true, true, false]);
    }

    #[test]
    fn few_and_many_agree() {
        for count in 0..40 {
            let names: Vec<String> = (0..count).map(|at| format!("name{}", at * at % 13)).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let follows = |at: usize| names[at + 1..].contains(&names[at]);
            let expected: Vec<bool> = (0..names.len()).map(follows).collect();
            let found = of(&names);
            assert!(found == expected || found.is_empty() && !expected.contains(&true));
        }
    }
}
