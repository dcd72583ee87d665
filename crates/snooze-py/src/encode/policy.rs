//! Which scalars are written, and what happens to the others.
//!
//! Separate from `scalar`, which writes them, because a format names its policy. Invariant: a
//! policy is a type, so that the walks never test which one it is. Used by `format`, `scalar` and
//! the walks.

use crate::encode::utf8::surrogate;
use crate::py::int::IntValue;
use crate::py::{Raised, error};

/// Kinds of scalars, one bit each.
pub(crate) const STR: u8 = 1;
pub(crate) const INT: u8 = 2;
pub(crate) const FLOAT: u8 = 4;
pub(crate) const BOOL: u8 = 8;
pub(crate) const NONE: u8 = 16;
/// All kinds of scalars.
pub(crate) const SCALARS: u8 = STR | INT | FLOAT | BOOL | NONE;
/// Only finite floats are allowed.
pub(crate) const FINITE: u8 = 32;

/// Which scalars are written, and what happens to the others.
pub(crate) trait Policy: Copy {
    /// Whether scalars of a kind are allowed.
    fn allows(self, kind: u8) -> bool;

    /// Whether a float is allowed.
    fn allows_float(self, value: f64) -> bool;

    /// Whether an integer is allowed, or the error that refuses it.
    fn check_int(self, value: IntValue) -> Result<bool, Raised>;

    /// What to do with a string that contains surrogates: `false` leaves it unwritten, an error
    /// refuses it.
    fn on_surrogate() -> Result<bool, Raised>;

    /// Whether the output has a style, in which texts may be escaped and floats are Python's.
    const STYLED: bool = false;
}

/// The policy of `dumps`: every scalar is allowed; the errors are orjson's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DumpsPolicy {
    /// Whether integers beyond 53 bits are refused.
    pub(crate) strict: bool,
}

impl Policy for DumpsPolicy {
    #[inline(always)]
    fn allows(self, _: u8) -> bool {
        true
    }

    #[inline(always)]
    fn allows_float(self, _: f64) -> bool {
        true
    }

    #[inline(always)]
    fn check_int(self, value: IntValue) -> Result<bool, Raised> {
        /// The largest integer of the range in which every integer has an exact double.
        const STRICT: i64 = (1 << 53) - 1;
        match value {
            IntValue::Big => Err(error::type_error(c"Integer exceeds 64-bit range")),
            _ if !self.strict => Ok(true),
            IntValue::Signed(value) if (-STRICT..=STRICT).contains(&value) => Ok(true),
            _ => Err(error::type_error(c"Integer exceeds 53-bit range")),
        }
    }

    #[inline(always)]
    fn on_surrogate() -> Result<bool, Raised> {
        Err(surrogate())
    }
}

/// The policy of `snooze.json`: the scalars that the module `json` writes in the same way as this.
/// Anything else ends the walk, and Python's own code writes the document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JsonPolicy;

impl Policy for JsonPolicy {
    #[inline(always)]
    fn allows(self, _: u8) -> bool {
        true
    }

    #[inline(always)]
    fn allows_float(self, value: f64) -> bool {
        value.is_finite()
    }

    #[inline(always)]
    fn check_int(self, value: IntValue) -> Result<bool, Raised> {
        DumpsPolicy { strict: false }.check_int(value)
    }

    #[inline(always)]
    fn on_surrogate() -> Result<bool, Raised> {
        Err(surrogate())
    }

    const STYLED: bool = true;
}

/// The policy of a node in an encoder's plan: its bits are the kinds that are allowed. Everything
/// else is left to `typed::classify`, which writes it or raises.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodePolicy(pub(crate) u8);

impl Policy for NodePolicy {
    #[inline(always)]
    fn allows(self, kind: u8) -> bool {
        self.0 & kind != 0
    }

    #[inline(always)]
    fn allows_float(self, value: f64) -> bool {
        self.0 & FINITE == 0 || value.is_finite()
    }

    #[inline(always)]
    fn check_int(self, value: IntValue) -> Result<bool, Raised> {
        Ok(!matches!(value, IntValue::Big))
    }

    #[inline(always)]
    fn on_surrogate() -> Result<bool, Raised> {
        Ok(false)
    }
}
