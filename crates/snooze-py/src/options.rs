//! The options of one call of `dumps`, resolved from orjson's bit mask.

use crate::py::Obj;

/// Options as bits, with the values that programs pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Config(u32);

macro_rules! options {
    ($($(#[$doc:meta])* $name:ident, $public:literal, $value:literal;)*) => {
        impl Config {
            $($(#[$doc])* pub(crate) const $name: u32 = $value;)*

            /// Every option with the name and value it has in the module.
            pub(crate) const PUBLIC: &[(&core::ffi::CStr, u32)] =
                &[$(($public, $value)),*, (c"OPT_SERIALIZE_DATACLASS", 0), (c"OPT_SERIALIZE_UUID", 0)];
        }
    };
}

options! {
    /// Indents by two spaces.
    INDENT_2, c"OPT_INDENT_2", 1;
    /// Writes a datetime without a time zone as UTC.
    NAIVE_UTC, c"OPT_NAIVE_UTC", 2;
    /// Allows keys that are no strings.
    NON_STR_KEYS, c"OPT_NON_STR_KEYS", 4;
    /// Leaves microseconds out.
    OMIT_MICROSECONDS, c"OPT_OMIT_MICROSECONDS", 8;
    /// Writes numpy's arrays and scalars.
    SERIALIZE_NUMPY, c"OPT_SERIALIZE_NUMPY", 16;
    /// Sorts the members of a dict.
    SORT_KEYS, c"OPT_SORT_KEYS", 32;
    /// Refuses integers beyond 53 bits.
    STRICT_INTEGER, c"OPT_STRICT_INTEGER", 64;
    /// Writes `Z` for `+00:00`.
    UTC_Z, c"OPT_UTC_Z", 128;
    /// Leaves instances of subclasses to `default`.
    PASSTHROUGH_SUBCLASS, c"OPT_PASSTHROUGH_SUBCLASS", 256;
    /// Leaves dates and times to `default`.
    PASSTHROUGH_DATETIME, c"OPT_PASSTHROUGH_DATETIME", 512;
    /// Ends the output with a line feed.
    APPEND_NEWLINE, c"OPT_APPEND_NEWLINE", 1024;
    /// Leaves dataclasses to `default`.
    PASSTHROUGH_DATACLASS, c"OPT_PASSTHROUGH_DATACLASS", 2048;
}

/// All bits that mean something.
const MASK: u32 = 4095;

impl Config {
    /// The options of a mask, or `None` if it has a bit that means nothing.
    pub(crate) fn from_mask(mask: i64) -> Option<Self> {
        u32::try_from(mask).ok().filter(|mask| mask & !MASK == 0).map(Self)
    }

    /// Whether any of the options is set.
    #[inline(always)]
    pub(crate) fn has(self, options: u32) -> bool {
        self.0 & options != 0
    }
}

/// The arguments of one call of `dumps`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call<'a> {
    /// What is to be written.
    pub(crate) object: Obj<'a>,
    /// The function for what cannot be written, if there is one.
    pub(crate) default: Option<Obj<'a>>,
    /// How to write it.
    pub(crate) config: Config,
}
