//! The names of a record's members: which one is it?
//!
//! A typed decoder asks this for each member of an object. Separate from the grammar because a set
//! of names is made once for a class and then used by every call. Two questions: [`Names::expected`]
//! compares what stands behind a quote with one name, which is nearly always the right one, because
//! objects are written in the order of their class; [`Names::find`] finds any name by a perfect hash
//! (see `table`). Invariant: a name is only ever found if all its bytes are equal.

mod table;

use table::Table;

/// Bytes that [`Names::expected`] compares.
pub const AHEAD: usize = 32;

/// Names that a set may have.
pub const MOST: usize = u16::MAX as usize;

/// Why a set of names cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamesError {
    /// The name with this number was there before.
    Duplicate(u16),
    /// More than [`MOST`] names, or more than four gigabytes of them.
    TooMany,
    /// The memory could not be had.
    NoMemory,
}

/// A set of names, each with its number.
#[derive(Debug)]
pub struct Names {
    entries: Vec<Entry>,
    /// All names, one after the other.
    text: Vec<u8>,
    table: Table,
}

/// One name.
#[derive(Debug)]
struct Entry {
    /// The name with a closing quote, as a document has it, and zeros.
    written: [u8; AHEAD],
    /// Which of these bytes count.
    mask: [u8; AHEAD],
    start: u32,
    len: u32,
}

impl Entry {
    fn new(name: &[u8], start: u32, len: u32) -> Self {
        let (mut written, mut mask) = ([0; AHEAD], [0; AHEAD]);
        let is_plain = |&byte: &u8| byte >= b' ' && byte != b'"' && byte != b'\\';
        if name.len() < AHEAD && name.iter().all(is_plain) {
            written[..name.len()].copy_from_slice(name);
            written[name.len()] = b'"';
            mask[..=name.len()].fill(0xff);
        } else {
            // Equal to no byte that the mask has left.
            written[0] = 1;
        }
        Self { written, mask, start, len }
    }
}

impl Names {
    /// The set of these names, numbered in their order.
    pub fn new(names: &[&[u8]]) -> Result<Names, NamesError> {
        if names.len() > MOST {
            return Err(NamesError::TooMany);
        }
        let (mut entries, mut text) = (Vec::new(), Vec::new());
        entries.try_reserve_exact(names.len()).map_err(|_| NamesError::NoMemory)?;
        for name in names {
            text.try_reserve(name.len()).map_err(|_| NamesError::NoMemory)?;
            let part = u32::try_from(text.len()).ok().zip(u32::try_from(name.len()).ok());
            let (start, len) = part.ok_or(NamesError::TooMany)?;
            text.extend_from_slice(name);
            entries.push(Entry::new(name, start, len));
        }
        Ok(Names { entries, text, table: Table::new(names)? })
    }

    /// How many names there are.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The name with this number.
    pub fn name(&self, place: usize) -> Option<&[u8]> {
        self.entries.get(place).map(|entry| self.name_of(entry))
    }

    #[inline(always)]
    fn name_of(&self, entry: &Entry) -> &[u8] {
        let start = entry.start as usize;
        self.text.get(start..start + entry.len as usize).unwrap_or(&[])
    }

    /// The number of the name with these bytes, which are without escapes.
    #[inline(always)]
    pub fn find(&self, name: &[u8]) -> Option<u16> {
        let place = match self.table.place(name) {
            Some(place) => place,
            None => self.table.search(name, |place| self.name(place.into()).unwrap_or(&[])),
        };
        // What is no number of a name is none of an entry either.
        let entry = self.entries.get(usize::from(place))?;
        is_equal(self.name_of(entry), name).then_some(place)
    }

    /// The length of the name with number `place`, if that and a closing quote is what is `ahead`,
    /// behind an opening quote. Names of more than 31 bytes, and those that JSON writes with
    /// escapes, are left to [`Names::find`].
    #[inline(always)]
    pub fn expected(&self, place: usize, ahead: &[u8; AHEAD]) -> Option<usize> {
        let entry = self.entries.get(place)?;
        // PERF: the same work for every length, so that nothing is left to predict but the result.
        let masked: [u8; AHEAD] = core::array::from_fn(|at| ahead[at] & entry.mask[at]);
        (masked == entry.written).then_some(entry.len as usize)
    }
}

/// Equality without a call for the lengths that names have.
#[inline(always)]
fn is_equal(left: &[u8], right: &[u8]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    match left.len() {
        17..=32 => {
            left.first_chunk::<16>() == right.first_chunk()
                && left.last_chunk::<16>() == right.last_chunk()
        }
        8..=16 => {
            left.first_chunk::<8>() == right.first_chunk()
                && left.last_chunk::<8>() == right.last_chunk()
        }
        4..8 => {
            left.first_chunk::<4>() == right.first_chunk()
                && left.last_chunk::<4>() == right.last_chunk()
        }
        0..4 => left.iter().eq(right),
        _ => left == right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ahead_of(text: &[u8], rest: u8) -> [u8; AHEAD] {
        core::array::from_fn(|at| text.get(at).copied().unwrap_or(rest))
    }

    /// Everything that must hold for a set of distinct names, and for others that are not in it.
    fn check(names: &[&[u8]], others: &[&[u8]]) {
        let set = Names::new(names).unwrap();
        assert_eq!(set.len(), names.len());
        for (place, name) in names.iter().enumerate() {
            assert_eq!(set.name(place), Some(*name));
            assert_eq!(set.find(name), Some(place as u16), "{name:?}");
            let plain = name.iter().all(|&byte| byte >= 0x20 && byte != b'"' && byte != b'\\');
            let expected = (plain && name.len() <= 31).then_some(name.len());
            let quoted = [name, &b"\""[..]].concat();
            for rest in [0, b':', b'"', 0xff] {
                assert_eq!(set.expected(place, &ahead_of(&quoted, rest)), expected);
            }
            // A name that goes on, and ones that differ in one byte.
            for at in 0..quoted.len().min(AHEAD) {
                let mut other = quoted.clone();
                other[at] ^= 1 << (at % 8);
                assert_eq!(set.expected(place, &ahead_of(&other, b'x')), None);
                other.pop();
                if !names.contains(&&other[..]) {
                    assert_eq!(set.find(&other), None);
                }
            }
            for other in [&name[..name.len() / 2], &[name, &b"x"[..]].concat()] {
                if !names.contains(&other) {
                    assert_eq!(set.find(other), None);
                }
            }
        }
        for other in others {
            let place = names.iter().position(|name| name == other);
            assert_eq!(set.find(other), place.map(|place| place as u16));
        }
        assert_eq!(set.expected(names.len(), &[b'"'; AHEAD]), None);
    }

    fn check_texts(names: &[String]) {
        let names: Vec<&[u8]> = names.iter().map(|name| name.as_bytes()).collect();
        check(&names, &[b"", b"a", b"no such name", "né".as_bytes(), &[b'x'; 200]]);
    }

    #[test]
    fn no_names_and_one() {
        check(&[], &[b"", b"a"]);
        check(&[b""], &[b"", b"a"]);
        check(&[b"a"], &[b"", b"b", b"aa"]);
        assert!(Names::new(&[]).unwrap().is_empty());
    }

    #[test]
    fn what_cannot_be_a_set() {
        assert_eq!(Names::new(&[b"a", b"b", b"a"]).unwrap_err(), NamesError::Duplicate(2));
        assert_eq!(Names::new(&[b"", b""]).unwrap_err(), NamesError::Duplicate(1));
        assert_eq!(Names::new(&vec![&b""[..]; MOST + 1]).unwrap_err(), NamesError::TooMany);
    }

    #[test]
    fn names_of_classes() {
        let user = "id id_str name screen_name location description url entities protected \
                    followers_count friends_count listed_count created_at favourites_count \
                    utc_offset time_zone geo_enabled verified statuses_count lang \
                    contributors_enabled is_translator is_translation_enabled \
                    profile_background_color profile_background_image_url \
                    profile_background_image_url_https profile_background_tile profile_image_url \
                    profile_image_url_https profile_banner_url profile_link_color \
                    profile_sidebar_border_color profile_sidebar_fill_color profile_text_color \
                    profile_use_background_image default_profile default_profile_image following \
                    follow_request_sent notifications";
        check_texts(&user.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        check_texts(&["größe", "名前", "имя", "a\"b", "c\\d", "e\nf", "\u{7f}"].map(str::to_owned));
    }

    #[test]
    fn sets_that_cheap_hashes_cannot_tell_apart() {
        // The same length, the same head and tail, and what differs far inside.
        let middles = |count: usize, pad: usize| {
            let pad = "p".repeat(pad);
            (0..count).map(|at| format!("{pad}{at:05}{pad}")).collect::<Vec<_>>()
        };
        for count in [2, 17, 100, 300] {
            for pad in [8, 40, 100] {
                check_texts(&middles(count, pad));
            }
        }
        // Bits that a multiplication moves out of the word.
        let tops: Vec<[u8; 24]> = (0..=255u8)
            .map(|top| {
                let mut name = [b'a'; 24];
                (name[7], name[15], name[23]) = (top, top.rotate_left(3), !top);
                name
            })
            .collect();
        check(&tops.iter().map(|name| &name[..]).collect::<Vec<_>>(), &[&[b'a'; 24]]);
        // Nothing but zeros.
        let zeros = vec![0; 300];
        check(&(0..300).map(|len| &zeros[..len]).collect::<Vec<_>>(), &[b"\0\0\x01"]);
    }

    #[test]
    fn as_many_as_there_may_be() {
        for count in [1000, 5000, MOST] {
            let names: Vec<_> = (0..count).map(|at| format!("name_{at}")).collect();
            let names: Vec<_> = names.iter().map(|name| name.as_bytes()).collect();
            let set = Names::new(&names).unwrap();
            for (place, name) in names.iter().enumerate() {
                assert_eq!(set.find(name), Some(place as u16));
            }
            for at in count..count + 70_000 {
                assert_eq!(set.find(format!("name_{at}").as_bytes()), None);
            }
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]

        #[test]
        fn random_sets(
            names in proptest::collection::hash_set("[a-d_é語\"]{0,6}|[a-z]{1,12}|[xy]{60,90}", 0..300),
            others in proptest::collection::vec("[a-d_é語\"]{0,6}|[xy]{60,90}", 0..50),
        ) {
            let names: Vec<_> = names.iter().map(|name| name.as_bytes()).collect();
            let others: Vec<_> = others.iter().map(|name| name.as_bytes()).collect();
            check(&names, &others);
        }

        #[test]
        fn random_bytes(names: std::collections::HashSet<Vec<u8>>, others: Vec<Vec<u8>>) {
            let names: Vec<_> = names.iter().map(|name| &name[..]).collect();
            let others: Vec<_> = others.iter().map(|name| &name[..]).collect();
            check(&names, &others);
        }
    }
}
