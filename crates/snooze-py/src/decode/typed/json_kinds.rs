//! The kinds of JSON values that a rule is for.
//!
//! Separate because both a rule that must have a kind and one that takes what is left are told
//! apart here, and nowhere else. Called by `compile`.

/// Whether a rule needs, or takes if it is free, each kind of value: null, bool, int, float,
/// string, array, object.
#[derive(Clone, Copy)]
pub(super) struct JsonKinds(pub(super) [Claim; 7]);

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Claim {
    No,
    Must,
    May,
}

impl JsonKinds {
    pub(super) const ALL: Self = Self([Claim::Must; 7]);
    pub(super) const NULL: Self = Self::only(0);
    pub(super) const BOOL: Self = Self::only(1);
    pub(super) const INT: Self = Self::only(2);
    /// An integer is a float as well, if nothing else wants it.
    pub(super) const FLOAT: Self = Self::only(3).and_may(2);
    pub(super) const FLOAT_ONLY: Self = Self::only(3);
    pub(super) const STRING: Self = Self::only(4);
    pub(super) const ARRAY: Self = Self::only(5);
    pub(super) const OBJECT: Self = Self::only(6);
    pub(super) const DECIMAL: Self = Self([Claim::No; 7]).and_may(2).and_may(3).and_may(4);

    const fn only(place: usize) -> Self {
        let mut kinds = [Claim::No; 7];
        kinds[place] = Claim::Must;
        Self(kinds)
    }

    const fn and_may(mut self, place: usize) -> Self {
        self.0[place] = Claim::May;
        self
    }
}
