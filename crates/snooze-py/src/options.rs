//! The options of `dumps`: orjson's bit mask, checked.
//!
//! Separate from `arguments`, which parses calls, because the encoders read options too. Invariant:
//! a [`EncodeFlags`] has known bits only. Made by `arguments`, read by `encode`; `module::init`
//! publishes the constants.

use crate::py::Obj;

/// What an encoder was asked for; the bits have the public values of the `OPT_*` constants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EncodeFlags(u32);

macro_rules! options {
    ($($(#[$doc:meta])* $name:ident, $public:literal, $value:literal;)*) => {
        impl EncodeFlags {
            $($(#[$doc])* pub(crate) const $name: u32 = $value;)*

            /// The public name and value of every option.
            pub(crate) const PUBLIC: &[(&core::ffi::CStr, u16)] =
                &[$(($public, $value)),*, (c"OPT_SERIALIZE_DATACLASS", 0), (c"OPT_SERIALIZE_UUID", 0)];
        }
    };
}

options! {
    /// Indents nested containers by two spaces.
    INDENT_2, c"OPT_INDENT_2", 1;
    /// Writes a datetime without a time zone as UTC.
    NAIVE_UTC, c"OPT_NAIVE_UTC", 2;
    /// Accepts dict keys that are not `str`.
    NON_STR_KEYS, c"OPT_NON_STR_KEYS", 4;
    /// Omits microseconds of dates and times.
    OMIT_MICROSECONDS, c"OPT_OMIT_MICROSECONDS", 8;
    /// Serializes numpy arrays and scalars.
    SERIALIZE_NUMPY, c"OPT_SERIALIZE_NUMPY", 16;
    /// Sorts the members of objects by name.
    SORT_KEYS, c"OPT_SORT_KEYS", 32;
    /// Rejects integers beyond 53 bits.
    STRICT_INTEGER, c"OPT_STRICT_INTEGER", 64;
    /// Writes the offset `+00:00` as `Z`.
    UTC_Z, c"OPT_UTC_Z", 128;
    /// Passes instances of subclasses of built-in types to `default`.
    PASSTHROUGH_SUBCLASS, c"OPT_PASSTHROUGH_SUBCLASS", 256;
    /// Passes dates and times to `default`.
    PASSTHROUGH_DATETIME, c"OPT_PASSTHROUGH_DATETIME", 512;
    /// Appends a line feed to the output.
    APPEND_NEWLINE, c"OPT_APPEND_NEWLINE", 1024;
    /// Passes dataclass instances to `default`.
    PASSTHROUGH_DATACLASS, c"OPT_PASSTHROUGH_DATACLASS", 2048;
}

/// The bits of all options.
const MASK: u32 = 4095;

impl EncodeFlags {
    /// Refuses offsets with seconds instead of rounding them to minutes; set by `Encoder` only.
    pub(crate) const EXACT_OFFSETS: u32 = 4096;

    /// Omits members of dicts that are None; set by `Encoder` only.
    pub(crate) const OMIT_NONE: u32 = 8192;

    /// The same options and this one.
    pub(crate) fn with(self, option: u32) -> Self {
        Self(self.0 | option)
    }

    /// The options of a mask, or `None` if the mask has an unknown bit.
    pub(crate) fn from_mask(mask: i64) -> Option<Self> {
        u32::try_from(mask).ok().filter(|mask| mask & !MASK == 0).map(Self)
    }

    /// Whether no option is set.
    #[inline(always)]
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether at least one of `options` is set.
    #[inline(always)]
    pub(crate) fn has(self, options: u32) -> bool {
        self.0 & options != 0
    }
}

/// The arguments of one call of `dumps`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call<'a> {
    /// The object to serialize.
    pub(crate) object: Obj<'a>,
    /// The function for objects of unsupported types, if given.
    pub(crate) default: Option<Obj<'a>>,
    /// The options.
    pub(crate) flags: EncodeFlags,
}
