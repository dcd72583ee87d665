//! A set of names: lookup by a perfect hash, and comparison with the text after a quote.
//!
//! Separate from `table`, the hash, because this owns the bytes of the names. Invariant: a name is
//! found only if all its bytes are equal.

use super::equal::bytes_equal;
use super::error::NamesError;
use super::quoted::{AHEAD, QuotedName};
use super::table::Table;

/// The most names in a set.
pub const MAX_NAMES: usize = u16::MAX as usize;

/// A set of names, each with its index.
#[derive(Debug)]
pub struct Names {
    entries: Vec<Entry>,
    /// All names, concatenated.
    text: Vec<u8>,
    table: Table,
}

/// One name.
#[derive(Debug)]
struct Entry {
    quoted: QuotedName,
    start: u32,
    len: u32,
}

impl Names {
    /// The set of these names, which keep their order as indices.
    pub fn new(names: &[&[u8]]) -> Result<Names, NamesError> {
        if names.len() > MAX_NAMES {
            return Err(NamesError::TooMany);
        }
        let (mut entries, mut text) = (Vec::new(), Vec::new());
        entries.try_reserve_exact(names.len()).map_err(|_| NamesError::NoMemory)?;
        for name in names {
            text.try_reserve(name.len()).map_err(|_| NamesError::NoMemory)?;
            let part = u32::try_from(text.len()).ok().zip(u32::try_from(name.len()).ok());
            let (start, len) = part.ok_or(NamesError::TooMany)?;
            text.extend_from_slice(name);
            let quoted = QuotedName::new(name).unwrap_or(QuotedName::NEVER);
            entries.push(Entry { quoted, start, len });
        }
        Ok(Names { entries, text, table: Table::new(names)? })
    }

    /// The number of names.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The name with this index.
    pub fn name(&self, index: usize) -> Option<&[u8]> {
        self.entries.get(index).map(|entry| self.name_of(entry))
    }

    /// The bytes of a name.
    #[inline(always)]
    fn name_of(&self, entry: &Entry) -> &[u8] {
        let start = entry.start as usize;
        self.text.get(start..start + entry.len as usize).unwrap_or(&[])
    }

    /// The index of the name with these bytes, whose escapes are replaced.
    #[inline(always)]
    pub fn find(&self, name: &[u8]) -> Option<u16> {
        let index = match self.table.candidate(name) {
            Some(index) => index,
            None => self.table.search(name, |index| self.name(index.into()).unwrap_or(&[])),
        };
        // A free slot has an index that no entry has.
        let entry = self.entries.get(usize::from(index))?;
        bytes_equal(self.name_of(entry), name).then_some(index)
    }

    /// The length of the name with this index, if `ahead`, the text after an opening quote, begins
    /// with that name and a closing quote. Always `None` for names of more than 31 bytes and for
    /// names that JSON writes with escapes; [`Names::find`] finds those.
    #[inline(always)]
    pub fn expected(&self, index: usize, ahead: &[u8; AHEAD]) -> Option<usize> {
        let entry = self.entries.get(index)?;
        entry.quoted.is_next(ahead).then_some(entry.len as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ahead_of(text: &[u8], rest: u8) -> [u8; AHEAD] {
        core::array::from_fn(|at| text.get(at).copied().unwrap_or(rest))
    }

    /// Checks a set of distinct names, and other names that may not be in it.
    fn check(names: &[&[u8]], others: &[&[u8]]) {
        let set = Names::new(names).unwrap();
        assert_eq!(set.len(), names.len());
        for (index, name) in names.iter().enumerate() {
            assert_eq!(set.name(index), Some(*name));
            assert_eq!(set.find(name), Some(index as u16), "{name:?}");
            let plain = name.iter().all(|&byte| byte >= 0x20 && byte != b'"' && byte != b'\\');
            let expected = (plain && name.len() <= 31).then_some(name.len());
            let quoted = [name, &b"\""[..]].concat();
            for rest in [0, b':', b'"', 0xff] {
                assert_eq!(set.expected(index, &ahead_of(&quoted, rest)), expected);
            }
            // Names that differ in one byte, and ones without the last byte.
            for at in 0..quoted.len().min(AHEAD) {
                let mut other = quoted.clone();
                other[at] ^= 1 << (at % 8);
                assert_eq!(set.expected(index, &ahead_of(&other, b'x')), None);
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
            let index = names.iter().position(|name| name == other);
            assert_eq!(set.find(other), index.map(|index| index as u16));
        }
        assert_eq!(set.expected(names.len(), &[b'"'; AHEAD]), None);
    }

    fn check_texts(names: &[String]) {
        let names: Vec<&[u8]> = names.iter().map(|name| name.as_bytes()).collect();
        check(&names, &[b"", b"a", b"no such name", "né".as_bytes(), &[b'x'; 200]]);
    }

    #[test]
    fn empty_and_single_sets() {
        check(&[], &[b"", b"a"]);
        check(&[b""], &[b"", b"a"]);
        check(&[b"a"], &[b"", b"b", b"aa"]);
        assert!(Names::new(&[]).unwrap().is_empty());
    }

    #[test]
    fn invalid_sets() {
        assert_eq!(Names::new(&[b"a", b"b", b"a"]).unwrap_err(), NamesError::Duplicate(2));
        assert_eq!(Names::new(&[b"", b""]).unwrap_err(), NamesError::Duplicate(1));
        assert_eq!(Names::new(&vec![&b""[..]; MAX_NAMES + 1]).unwrap_err(), NamesError::TooMany);
    }

    #[test]
    fn realistic_names() {
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
    fn sets_that_need_an_expensive_hash() {
        // The same length, head and tail; the difference is in the middle.
        let middles = |count: usize, pad: usize| {
            let pad = "p".repeat(pad);
            (0..count).map(|at| format!("{pad}{at:05}{pad}")).collect::<Vec<_>>()
        };
        for count in [2, 17, 100, 300] {
            for pad in [8, 40, 100] {
                check_texts(&middles(count, pad));
            }
        }
        // Differences in bits that a multiplication shifts out of the word.
        let tops: Vec<[u8; 24]> = (0..=255u8)
            .map(|top| {
                let mut name = [b'a'; 24];
                (name[7], name[15], name[23]) = (top, top.rotate_left(3), !top);
                name
            })
            .collect();
        check(&tops.iter().map(|name| &name[..]).collect::<Vec<_>>(), &[&[b'a'; 24]]);
        // Names of zero bytes only.
        let zeros = vec![0; 300];
        check(&(0..300).map(|len| &zeros[..len]).collect::<Vec<_>>(), &[b"\0\0\x01"]);
    }

    #[test]
    fn up_to_the_largest_set() {
        for count in [1000, 5000, MAX_NAMES] {
            let names: Vec<_> = (0..count).map(|at| format!("name_{at}")).collect();
            let names: Vec<_> = names.iter().map(|name| name.as_bytes()).collect();
            let set = Names::new(&names).unwrap();
            for (index, name) in names.iter().enumerate() {
                assert_eq!(set.find(name), Some(index as u16));
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
