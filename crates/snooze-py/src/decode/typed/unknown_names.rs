//! The names of members without a field, predicted: documents repeat them in the same order.
//!
//! Without this, the name of each unknown member is hashed and compared with that of a field. After
//! the first instance all names are known, so one comparison with the text ahead is enough.
//! Separate from `member`, which reads names, because this only remembers them. Invariants: a name
//! is predicted only at the place of the plan where it was looked up and found to be no field's;
//! the memory is bounded by [`MAX_PLACES`] and [`MAX_NAMES`], and its loss costs only time. Kept in
//! the scratch memory of calls, for one plan at a time. Used by `member`.

use snooze_core::names::{AHEAD, QuotedName};

use crate::decode::typed::plan::Record;

/// Plans with more places than this get no predictions.
const MAX_PLACES: usize = 4096;
/// The most names that are remembered.
const MAX_NAMES: usize = 256;
/// While names rarely repeat, one in this many replaces another.
const SAMPLE_INTERVAL: u8 = 32;
/// The bound of the score in both directions.
const MAX_SCORE: i8 = 32;

/// The names that were found at each place of a plan.
#[derive(Debug, Default)]
pub(super) struct UnknownNames {
    /// The identity of the plan.
    plan: u64,
    /// The number of places of the plan.
    places: usize,
    /// What follows each field of each record, and the start of each record.
    after_field: Vec<Link>,
    names: Vec<Name>,
    /// Raised by names that are predicted, lowered by names that are replaced before that: below
    /// zero, names rarely repeat.
    score: i8,
    /// Counts replacements modulo [`SAMPLE_INTERVAL`] while names rarely repeat.
    sample_turn: u8,
}

/// A position among the members of a record: after a field, or after an unknown name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Link(u16);

impl Link {
    /// After a field, or at the start of the record.
    pub(super) const FIELD: Self = Self(0);

    fn index(self) -> Option<usize> {
        usize::from(self.0).checked_sub(1)
    }
}

#[derive(Debug)]
struct Name {
    quoted: QuotedName,
    len: u8,
    /// The name that follows it.
    next: Link,
    was_predicted: bool,
}

impl UnknownNames {
    /// Starts a call with a plan, which has so many places.
    #[inline(always)]
    pub(super) fn start(&mut self, plan: u64, places: usize) {
        if self.plan != plan {
            self.after_field.clear();
            self.names.clear();
            (self.plan, self.places, self.score) = (plan, places, 0);
        }
    }

    /// The predicted name after a position, if `ahead` begins with it: its length and the position
    /// after it. `next_field` is the index of the field that is expected next.
    #[inline(always)]
    pub(super) fn predict(
        &mut self,
        record: &Record,
        next_field: usize,
        after: Link,
        ahead: &[u8; AHEAD],
    ) -> Option<(usize, Link)> {
        let link = match after.index() {
            None => *self.after_field.get(record.first_place + next_field)?,
            Some(index) => self.names.get(index)?.next,
        };
        let name = self.names.get_mut(link.index()?)?;
        if !name.quoted.is_next(ahead) {
            return None;
        }
        if !name.was_predicted {
            name.was_predicted = true;
            self.score = (self.score + 2).min(MAX_SCORE);
        }
        Some((usize::from(name.len), link))
    }

    /// Remembers a name that was read after a position; returns the position after it.
    #[inline(always)]
    pub(super) fn learn(
        &mut self,
        record: &Record,
        next_field: usize,
        after: Link,
        name: &[u8],
    ) -> Link {
        if self.score < 0 {
            self.sample_turn = (self.sample_turn + 1) % SAMPLE_INTERVAL;
            if self.sample_turn != 0 {
                return Link::FIELD;
            }
        }
        self.insert(record, next_field, after, name)
    }

    #[inline(never)]
    fn insert(&mut self, record: &Record, next_field: usize, after: Link, name: &[u8]) -> Link {
        let Some(quoted) = QuotedName::new(name) else {
            return Link::FIELD;
        };
        if self.after_field.is_empty() && !self.allocate() {
            return Link::FIELD;
        }
        let len = name.len() as u8;
        let free = self.names.len();
        let place = match after.index() {
            None => self.after_field.get_mut(record.first_place + next_field),
            Some(index) => self.names.get_mut(index).map(|name| &mut name.next),
        };
        let Some(link) = place else {
            return Link::FIELD;
        };
        if let Some(index) = link.index() {
            // Another name stood here before. What followed that one may follow this one, too.
            let link = *link;
            if let Some(old) = self.names.get_mut(index) {
                let change = if old.was_predicted { 1 } else { -1 };
                self.score = (self.score + change).clamp(-MAX_SCORE, MAX_SCORE);
                (old.quoted, old.len, old.was_predicted) = (quoted, len, false);
            }
            return link;
        }
        if free == MAX_NAMES {
            return Link::FIELD;
        }
        *link = Link(free as u16 + 1);
        let link = *link;
        self.names.push(Name { quoted, len, next: Link::FIELD, was_predicted: false });
        link
    }

    /// Makes room for everything that can be remembered; false if there is no memory, or if the
    /// plan has too many places.
    #[cold]
    fn allocate(&mut self) -> bool {
        if self.places > MAX_PLACES
            || self.after_field.try_reserve_exact(self.places).is_err()
            || self.names.try_reserve_exact(MAX_NAMES).is_err()
        {
            return false;
        }
        self.after_field.resize(self.places, Link::default());
        true
    }
}
