//! Members whose keys are text: of sorted dicts, and of dicts with keys that are not `str`.
//!
//! Separate because `keys` makes them and the walks of both directions write them. Invariant: all
//! keys are text before the first member is written; the values are strong references. Made by
//! `keys`, `dataclass_instance`, `typed::action`, and both borrowed walks.

use crate::encode::key_text;
use crate::py::dict::StrEntry;
use crate::py::{Owned, Raised, error};

/// Members whose keys are text, and how many of them have been written.
#[derive(Debug, Default)]
pub(crate) struct TextMembers {
    /// The texts of all keys, concatenated.
    text: Vec<u8>,
    members: Vec<Member>,
    next: usize,
    /// The object already has members before these in the output.
    pub(crate) follows_members: bool,
    /// A key that is not a `str` follows; the members are written before it is reported.
    pub(crate) bad_key: Option<Owned>,
}

#[derive(Debug)]
struct Member {
    start: usize,
    end: usize,
    value: Owned,
    node: Option<u32>,
}

impl TextMembers {
    /// New references to the members that remain of an object whose first ones are in the output.
    /// The first `before` of these members are there as well; the last of them says where the walk
    /// is.
    pub(super) fn of_rest<'e, 'o: 'e>(
        entries: impl IntoIterator<Item = &'e StrEntry<'o>>,
        before: usize,
    ) -> Result<Self, Raised> {
        let mut members = Self { follows_members: true, ..Self::default() };
        for &[key, value] in entries {
            let (Some(key), Some(value)) = (key, value) else { continue };
            members.push(value.to_owned(), |text| key_text::append_scalar(key, text))?;
        }
        members.skip(before);
        Ok(members)
    }

    /// Adds a member; `write` appends the text of its key.
    pub(crate) fn push(
        &mut self,
        value: Owned,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), Raised>,
    ) -> Result<(), Raised> {
        let start = self.text.len();
        write(&mut self.text)?;
        self.members.try_reserve(1).map_err(|_| error::no_memory())?;
        self.members.push(Member { start, end: self.text.len(), value, node: None });
        Ok(())
    }

    /// Gives the last member that was added the node of an `Encoder` by which it is written.
    pub(crate) fn set_last_node(&mut self, node: u32) {
        if let Some(member) = self.members.last_mut() {
            member.node = Some(node);
        }
    }

    /// The first of these names (in the order of their bytes) that a member has.
    pub(crate) fn first_of<'n>(&self, names: &'n [Vec<u8>]) -> Option<&'n [u8]> {
        self.members.iter().find_map(|member| {
            let key = self.text.get(member.start..member.end)?;
            let found = names.binary_search_by(|name| name.as_slice().cmp(key)).ok()?;
            names.get(found).map(Vec::as_slice)
        })
    }

    /// The node of the member being written, if it has its own.
    pub(crate) fn current_node(&self) -> Option<u32> {
        self.members.get(self.next.checked_sub(1)?)?.node
    }

    /// Sorts the members by the UTF-8 of their keys, which is code point order.
    pub(crate) fn sort(&mut self) {
        let text = &self.text;
        self.members.sort_unstable_by(|left, right| {
            text[left.start..left.end].cmp(&text[right.start..right.end])
        });
    }

    /// Whether there is nothing to write and no key to report.
    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty() && self.bad_key.is_none()
    }

    /// Whether the object has at least one member in the output.
    #[inline(always)]
    pub(crate) fn has_written(&self) -> bool {
        self.follows_members || self.next > 0
    }

    /// Returns the key of the member being written.
    pub(crate) fn current_key(&self) -> Option<&[u8]> {
        let member = self.members.get(self.next.checked_sub(1)?)?;
        self.text.get(member.start..member.end)
    }

    /// Goes past the first members, which are in the output.
    pub(crate) fn skip(&mut self, count: usize) {
        self.next = count;
    }

    /// Whether a member is being written whose key is not here.
    pub(crate) fn is_at_unknown(&self) -> bool {
        self.next == 0 && self.follows_members
    }

    /// Returns the key that is not a `str`, if the walk is there.
    pub(crate) fn current_bad_key(&self) -> Option<&Owned> {
        self.bad_key.as_ref().filter(|_| self.next > self.members.len())
    }

    /// Goes past the last member, to the key that is not a `str`: no member is being written.
    #[cold]
    pub(crate) fn go_to_bad_key(&mut self) {
        self.next = self.members.len() + 1;
    }

    /// Returns the next key and value.
    #[inline(always)]
    pub(crate) fn advance(&mut self) -> Option<(&[u8], &Owned)> {
        let member = self.members.get(self.next)?;
        self.next += 1;
        Some((&self.text[member.start..member.end], &member.value))
    }
}
