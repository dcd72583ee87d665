//! Which column is the next member? Names that were seen before, in the order of their last use.
//!
//! Separate because reading and inference both follow objects whose members usually come in the
//! same order. Each name remembers its successor, so the usual member costs one comparison with the
//! text ahead. Names that no column has are learned too, so passing over them costs no more.
//! Invariant: a name is recognised only if all its bytes are equal. Called by `container`, `value`
//! and `infer`.

use std::collections::HashMap;

use super::memory::{NoMemory, copied, push};
use super::opened::WIDE;
use super::schema::Field;
use crate::names::{AHEAD, Names, NamesError, QuotedName};

/// The most names that are learned beside those of the columns. Objects whose names are data would
/// otherwise grow this without end.
const MAX_LEARNED: usize = 256;

/// The names of one kind of object.
#[derive(Debug, Default)]
pub(super) struct Members {
    entries: Vec<Entry>,
    /// The names of columns that were known at first: the same numbers as their entries.
    names: Option<Names>,
    /// The entries of the other names.
    places: HashMap<Vec<u8>, u32>,
    /// The entries before this one are columns.
    columns: u32,
    /// The entry that usually comes first.
    first: u32,
}

#[derive(Debug)]
struct Entry {
    /// None if the name is long or has escapes in JSON: such a name is always looked up.
    quoted: Option<QuotedName>,
    /// The same with both quotes and a colon. Of a wide struct's columns none is predicted, because
    /// `container` notes them.
    member: QuotedName,
    len: u32,
    /// The entry that came after this one last time.
    next: u32,
}

impl Entry {
    fn new(name: &[u8], next: u32) -> Self {
        let (quoted, member) = (QuotedName::new(name), QuotedName::member(name));
        Self { quoted, member, len: name.len() as u32, next }
    }
}

/// What a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Member {
    /// The name of this column.
    Column(usize),
    /// Another name.
    Other,
}

impl Members {
    /// The names of these fields, which are the first entries, and must differ.
    pub(super) fn new(fields: &[Field]) -> Result<Self, NoMemory> {
        let mut members = Self::default();
        let mut texts: Vec<&[u8]> = Vec::new();
        for (at, field) in (0..).zip(fields) {
            // The order of the schema is the first guess.
            let next = if at as usize + 1 < fields.len() { at + 1 } else { at };
            let mut entry = Entry::new(field.name.as_bytes(), next);
            if fields.len() >= WIDE {
                entry.member = QuotedName::NEVER;
            }
            push(&mut members.entries, entry)?;
            push(&mut texts, field.name.as_bytes())?;
        }
        match Names::new(&texts) {
            Ok(names) => members.names = Some(names),
            Err(NamesError::NoMemory) => return Err(NoMemory),
            // More than the set can have: the table of other names has them, too.
            Err(_) => {
                for (at, text) in (0..).zip(&texts) {
                    members.places.try_reserve(1).map_err(|_| NoMemory)?;
                    members.places.entry(copied(text)?).or_insert(at);
                }
            }
        }
        members.columns = fields.len() as u32;
        Ok(members)
    }

    /// Where the members of an object begin.
    #[inline(always)]
    pub(super) fn first(&self) -> usize {
        self.first as usize
    }

    /// What comes after the entry `at`.
    #[inline(always)]
    pub(super) fn next(&self, at: usize) -> usize {
        self.entries.get(at).map_or(0, |entry| entry.next as usize)
    }

    /// The length of the name of the entry `at`, if `ahead`, the text after an opening quote,
    /// begins with it and a closing quote.
    #[inline(always)]
    pub(super) fn expected(&self, at: usize, ahead: &[u8; AHEAD]) -> Option<usize> {
        let entry = self.entries.get(at)?;
        entry.quoted.as_ref()?.is_next(ahead).then_some(entry.len as usize)
    }

    /// The length of the name of the entry `at` with its quotes and colon, if `ahead` begins with
    /// them.
    #[inline(always)]
    pub(super) fn predicted(&self, at: usize, ahead: &[u8; AHEAD]) -> Option<usize> {
        let entry = self.entries.get(at)?;
        entry.member.is_next(ahead).then_some(entry.len as usize + 3)
    }

    /// What the entry `at` is.
    #[inline(always)]
    pub(super) fn member(&self, at: usize) -> Member {
        if at < self.columns as usize { Member::Column(at) } else { Member::Other }
    }

    /// The name of the entry `at`.
    #[cold]
    pub(super) fn name(&self, at: usize) -> &[u8] {
        if let Some(name) = self.names.as_ref().and_then(|names| names.name(at)) {
            return name;
        }
        let found = self.places.iter().find(|(_, place)| **place as usize == at);
        found.map_or(&[], |(name, _)| name)
    }

    /// Finds the entry of a name that came after the entry `before`, or first if that is `None`;
    /// `None` if it is a new name and no more are learned.
    #[cold]
    #[inline(never)]
    pub(super) fn find(
        &mut self,
        name: &[u8],
        before: Option<usize>,
    ) -> Result<Option<usize>, NoMemory> {
        let known = self.names.as_ref().and_then(|names| names.find(name)).map(u32::from);
        let place = match known.or_else(|| self.places.get(name).copied()) {
            Some(place) => place,
            None if self.entries.len() - (self.columns as usize) < MAX_LEARNED => self.add(name)?,
            None => return Ok(None),
        };
        match before.and_then(|at| self.entries.get_mut(at)) {
            Some(entry) => entry.next = place,
            None => self.first = place,
        }
        Ok(Some(place as usize))
    }

    /// As [`Members::find`], but every new name becomes a column while there are fewer than
    /// `limit`.
    pub(super) fn find_or_add_column(
        &mut self,
        name: &[u8],
        before: Option<usize>,
        limit: impl FnOnce() -> usize,
    ) -> Result<Option<usize>, NoMemory> {
        if !self.places.contains_key(name) {
            if self.entries.len() >= limit() {
                return Ok(None);
            }
            self.add(name)?;
            self.columns += 1;
        }
        self.find(name, before)
    }

    /// Adds a name; returns its entry, or that of an equal one.
    fn add(&mut self, name: &[u8]) -> Result<u32, NoMemory> {
        let place = self.entries.len() as u32;
        push(&mut self.entries, Entry::new(name, place))?;
        self.places.try_reserve(1).map_err(|_| NoMemory)?;
        Ok(*self.places.entry(copied(name)?).or_insert(place))
    }
}
