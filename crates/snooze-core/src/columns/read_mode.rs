//! How strictly and how far a record is read.
//!
//! Separate because both loops that read members ask. Called by `records`, `container`, `value` and
//! `predicted`.

/// How a record is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadMode {
    /// Whether the text is known to be UTF-8.
    pub(super) is_utf8: bool,
    /// Whether members that no column has are checked; otherwise only their ends are found.
    pub(super) checks_all: bool,
    /// Whether reading stops when every column has its value: what follows is not wanted.
    pub(super) stops_early: bool,
    /// Whether a member that no column has is a fault.
    pub(super) refuses_others: bool,
    /// Whether other members of the record itself, not of objects in it, are unwanted and no fault.
    pub(super) selects: bool,
    /// Whether values that do not fit become null.
    pub(super) lenient: bool,
    /// Whether a lenient walk keeps what has no place.
    pub(super) keeps_rest: bool,
}
