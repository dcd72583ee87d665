//! Finds where a long array can be cut between its items, in blocks of 64 bytes on every tier.
//!
//! Separate from `structure`, whose loop over a container this repeats with a stop at some commas:
//! a block without a wanted cut costs as little there. Like that, it follows only brackets and
//! strings, so the caller validates the parts. Invariant: reads nothing outside the slice. Called
//! by the typed decoder, for several threads.

use super::super::{Lanes, Task, Vector};
use super::quotes::{BLOCK, StringMasks, StringState};
use super::scan::load_up_to;
use super::structure::Block;

/// Finds the commas between the items of the array whose opening bracket is at `start`: the first
/// one that is `size` bytes or more after the bracket or the last one found, and so on. Calls `cut`
/// with the offset of each, and returns that of the closing bracket, of either kind, or `None` if
/// there is none.
#[derive(Debug)]
pub struct ArrayCuts<'a, F> {
    /// The document.
    pub bytes: &'a [u8],
    /// The offset of the opening bracket.
    pub start: usize,
    /// The least distance of two cuts.
    pub size: usize,
    /// Called with each offset; an error ends the search.
    pub cut: F,
}

impl<E, F: FnMut(usize) -> Result<(), E>> Task for ArrayCuts<'_, F> {
    type Output = Result<Option<usize>, E>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self { bytes, start, size, mut cut } = self;
        let (mut at, mut depth, mut wanted) = (start, 0usize, start.saturating_add(size));
        let mut strings = StringState::default();
        while at < bytes.len() {
            let block = Block::load::<V>(bytes, at);
            let StringMasks { inside, .. } = strings.next_block(block.quotes, block.backslashes);
            let (opening, closing) = (block.opening & !inside, block.closing & !inside);
            let (opened, closed) = (opening.count_ones() as usize, closing.count_ones() as usize);
            let is_cut = wanted < at + BLOCK;
            if closed < depth && !is_cut {
                depth = depth + opened - closed;
            } else {
                let commas = if is_cut { commas::<V>(bytes, at) & !inside } else { 0 };
                let mut marks = opening | closing | commas;
                while marks != 0 {
                    let lane = marks.trailing_zeros();
                    let offset = at + lane as usize;
                    if opening >> lane & 1 == 1 {
                        depth += 1;
                    } else if commas >> lane & 1 == 1 {
                        if depth == 1 && offset >= wanted {
                            cut(offset)?;
                            wanted = offset.saturating_add(size);
                        }
                    } else if depth <= 1 {
                        return Ok(Some(offset));
                    } else {
                        depth -= 1;
                    }
                    marks &= marks - 1;
                }
            }
            at += BLOCK;
        }
        Ok(None)
    }
}

/// The commas of a block.
#[inline(always)]
fn commas<V: Lanes>(bytes: &[u8], start: usize) -> u64 {
    let mut commas = 0;
    for part in 0..BLOCK / V::LANES {
        let at = start + part * V::LANES;
        if at >= bytes.len() {
            break;
        }
        commas |= load_up_to::<V>(bytes, at, bytes.len() - at).equal(b',') << (part * V::LANES);
    }
    commas
}

#[cfg(test)]
mod tests {
    use core::convert::Infallible;

    use super::super::super::Dispatch;
    use super::super::super::testing::{EndOfAllocation, TierTest, for_each_tier};
    use super::*;

    /// The cuts and the end, one byte at a time.
    fn naive(bytes: &[u8], size: usize) -> (Vec<usize>, Option<usize>) {
        let (mut cuts, mut string, mut depth, mut at, mut last) = (Vec::new(), false, 0, 0, 0);
        while at < bytes.len() {
            match bytes[at] {
                // Outside strings too, where a backslash only matters before a quote.
                b'\\' if matches!(bytes.get(at + 1), Some(b'"' | b'\\')) => at += 1,
                b'"' => string = !string,
                b'{' | b'[' if !string => depth += 1,
                b'}' | b']' if !string && depth <= 1 => return (cuts, Some(at)),
                b'}' | b']' if !string => depth -= 1,
                b',' if !string && depth == 1 && at >= last + size => {
                    cuts.push(at);
                    last = at;
                }
                _ => {}
            }
            at += 1;
        }
        (cuts, None)
    }

    struct AsNaive<'a>(&'a [u8], usize);

    impl TierTest for AsNaive<'_> {
        fn check<V: Vector>(&self) {
            let &Self(bytes, size) = self;
            let mut cuts = Vec::new();
            let cut = |at| {
                cuts.push(at);
                Ok::<(), Infallible>(())
            };
            let Ok(end) = ArrayCuts { bytes, start: 0, size, cut }.with_vectors::<V>();
            assert_eq!((cuts, end), naive(bytes, size), "{bytes:?} by {size}");
        }
    }

    #[test]
    fn every_size_and_alignment() {
        let item = r#"{"a,\\":["]\"}",{},[[1,2]],"\\\\"],"b":"{","c":[1,"\\\"[,"]}, "," ,7"#;
        let text = format!("[{}] ", [item; 9].join(","));
        for size in (0..200).chain([400, 1000, usize::MAX]) {
            let text = EndOfAllocation::new(size % 64, text.as_bytes());
            for_each_tier(&AsNaive(text.units(), size));
        }
    }

    #[test]
    fn every_truncation() {
        let text = "[[1,2],[\"\\\",\",3],{},".repeat(9);
        for end in 1..=text.len() {
            let text = EndOfAllocation::new(end % 64, &text.as_bytes()[..end]);
            for_each_tier(&AsNaive(text.units(), 9));
        }
    }

    #[test]
    fn an_error_ends_the_search() {
        let cut = |at| if at > 2 { Err(at) } else { Ok(()) };
        let search = ArrayCuts { bytes: b"[1,2,3,4]", start: 0, size: 1, cut };
        assert_eq!(Dispatch::detect(None).run(search), Err(4));
    }

    proptest::proptest! {
        #[test]
        fn random_texts(
            text in "\\[(,|[\\[\\]{}]|\"([^\"\\\\]|\\\\.){0,20}\"|[a-z:,]{0,30}){0,60}",
            size in 0usize..300,
        ) {
            for_each_tier(&AsNaive(text.as_bytes(), size));
        }

        #[test]
        fn arbitrary_bytes(bytes: Vec<u8>, size in 0usize..300) {
            let bytes = [b"[", &bytes[..]].concat();
            for_each_tier(&AsNaive(&bytes, size));
        }
    }
}
