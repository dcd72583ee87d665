//! Members whose keys have been turned into text: sorted dicts, and dicts with keys of other types.
//!
//! All keys are text before the first member is written, so that a key that cannot be written is found
//! first, whatever the values are.

use crate::py::{Owned, Raised, error};

/// Members whose keys are text.
#[derive(Debug, Default)]
pub(crate) struct TextMembers {
    /// The keys' texts, one after the other.
    text: Vec<u8>,
    members: Vec<Member>,
    next: usize,
    /// Members have been written before these.
    pub(crate) follows_members: bool,
    /// A key that is no string follows the members, which are written first all the same.
    pub(crate) ends_with_bad_key: bool,
}

#[derive(Debug)]
struct Member {
    start: usize,
    end: usize,
    value: Owned,
}

impl TextMembers {
    /// Adds a member; `write` appends its key's text.
    pub(crate) fn push(
        &mut self,
        value: Owned,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), Raised>,
    ) -> Result<(), Raised> {
        let start = self.text.len();
        write(&mut self.text)?;
        self.members.try_reserve(1).map_err(|_| error::no_memory())?;
        self.members.push(Member { start, end: self.text.len(), value });
        Ok(())
    }

    /// Sorts the members by their keys' UTF-8, which is the order of code points.
    pub(crate) fn sort(&mut self) {
        let text = &self.text;
        self.members.sort_unstable_by(|left, right| {
            text[left.start..left.end].cmp(&text[right.start..right.end])
        });
    }

    /// Whether there is nothing to write, and nothing to refuse.
    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty() && !self.ends_with_bad_key
    }

    /// Whether a member has been taken to be written.
    #[inline(always)]
    pub(crate) fn has_written(&self) -> bool {
        self.follows_members || self.next > 0
    }

    /// The key that was taken last.
    pub(crate) fn current_key(&self) -> Option<&[u8]> {
        let member = self.members.get(self.next.checked_sub(1)?)?;
        self.text.get(member.start..member.end)
    }

    /// The next key and value.
    #[inline(always)]
    pub(crate) fn advance(&mut self) -> Option<(&[u8], &Owned)> {
        let member = self.members.get(self.next)?;
        self.next += 1;
        Some((&self.text[member.start..member.end], &member.value))
    }
}
