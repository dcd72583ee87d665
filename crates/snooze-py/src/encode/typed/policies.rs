//! The options of an encoder that concern single values: infinities and NaN, surrogates, fractions
//! of seconds, keys of any type, classes that have their own function.
//!
//! Separate from `options`, because the plan keeps them, and from `forms`, which obeys them.
//! Invariant: every value is one that `forms` knows. Read by `options`, used by `compile_node`,
//! `plan`, `plans` and `forms`.

use crate::description;
use crate::description::Row;
use crate::encode::depth::ENCODER_LIMIT;
use crate::encode::policy::SCALARS;
use crate::options::EncodeFlags;
use crate::py::unicode::Str;
use crate::py::{Attached, Obj, Owned, Raised};

/// What is written for infinities and NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotFinite {
    Null,
    Error,
    /// `NaN`, `Infinity` and `-Infinity`, as in JavaScript.
    Literal,
    /// The same as strings.
    Text,
}

/// What is written for surrogates in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Surrogates {
    Error,
    /// U+FFFD.
    Replace,
    /// `\ud800`.
    Escape,
}

/// Exact types that are not written as what they are, one bit each; scalars as in `policy`.
pub(super) const OVERRIDES_LIST: u16 = 64;
pub(super) const OVERRIDES_TUPLE: u16 = 128;
pub(super) const OVERRIDES_DICT: u16 = 256;

/// The digits of the fraction of a second that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fraction {
    /// Six, if it is not zero.
    Auto,
    Digits(usize),
}

/// The options of an encoder that concern single values.
#[derive(Debug)]
pub(super) struct Policies {
    pub(super) not_finite: NotFinite,
    pub(super) surrogates: Surrogates,
    /// The most containers inside each other.
    pub(super) max_depth: usize,
    /// Called with a key that has no text, returns another.
    pub(super) key_hook: Option<Owned>,
    /// The exact types that the plan of each class decides about.
    pub(super) overrides: u16,
    pub(super) fraction: Fraction,
    /// Options that `dumps` has as well, as a mask of [`EncodeFlags`].
    pub(super) flags: u32,
    /// Returns the floats of a numpy array in lists; needed if these may not be finite.
    pub(super) floats: Option<Owned>,
}

/// The options that `Policies` may set.
const FLAGS: u32 = EncodeFlags::NAIVE_UTC
    | EncodeFlags::OMIT_MICROSECONDS
    | EncodeFlags::UTC_Z
    | EncodeFlags::OMIT_NONE;

impl Policies {
    /// Reads `(nan, surrogates, max_depth, key_hook, overrides, digits, flags, floats)`, or only
    /// the name of what is written for NaN.
    pub(super) fn read(py: &Attached, object: Obj<'_>) -> Result<Self, Raised> {
        if Str::exact(object).is_some() {
            let not_finite = match description::name(object)? {
                b"null" => NotFinite::Null,
                b"error" => NotFinite::Error,
                _ => return Err(description::unexpected(c"an option", object)),
            };
            return Ok(Self {
                not_finite,
                surrogates: Surrogates::Error,
                max_depth: ENCODER_LIMIT,
                key_hook: None,
                overrides: 0,
                fraction: Fraction::Auto,
                flags: 0,
                floats: None,
            });
        }
        let [nan, surrogates, max_depth, key_hook, overrides, digits, flags, floats] =
            Row::exact(py, object)?;
        let not_finite = match description::name(nan)? {
            b"null" => NotFinite::Null,
            b"error" => NotFinite::Error,
            b"literal" => NotFinite::Literal,
            b"string" => NotFinite::Text,
            _ => return Err(description::unexpected(c"an option", nan)),
        };
        let surrogates = match description::name(surrogates)? {
            b"error" => Surrogates::Error,
            b"replace" => Surrogates::Replace,
            b"escape" => Surrogates::Escape,
            _ => return Err(description::unexpected(c"an option", surrogates)),
        };
        let fraction = match description::optional(digits) {
            None => Fraction::Auto,
            Some(digits) => Fraction::Digits(description::size(digits)?.min(6)),
        };
        let all = u16::from(SCALARS) | OVERRIDES_LIST | OVERRIDES_TUPLE | OVERRIDES_DICT;
        let overrides = match u16::try_from(description::integer(overrides)?) {
            Ok(overrides) if overrides & !all == 0 => overrides,
            _ => return Err(description::unexpected(c"a mask of types", overrides)),
        };
        let flags = match u32::try_from(description::integer(flags)?) {
            Ok(flags) if flags & !FLAGS == 0 => flags,
            _ => return Err(description::unexpected(c"a mask of options", flags)),
        };
        Ok(Self {
            not_finite,
            surrogates,
            max_depth: description::size(max_depth)?,
            key_hook: description::optional(key_hook).map(Obj::to_owned),
            overrides,
            fraction,
            flags,
            floats: Some(floats.to_owned()),
        })
    }

    /// Whether the borrowed walk must leave times to `classify`.
    pub(super) fn changes_times(&self) -> bool {
        matches!(self.fraction, Fraction::Digits(1..))
    }
}

/// The first byte of a name that is JSON text already; no UTF-8 begins with it.
pub(super) const RAW_MARK: u8 = 0xfe;
