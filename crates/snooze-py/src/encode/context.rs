//! The state of one call, apart from its output and its stack.
//!
//! Separate from the walks because untyped and typed encoding share it, and so do all functions
//! that decide how an object is written.

use core::cell::Cell;

use crate::encode::numpy_datetime::Scale;
use crate::encode::type_cache::{Class, TypeCache, ZoneMethods};
use crate::encode::utc_offset::FixedZone;
use crate::options::EncodeFlags;
use crate::py::{Attached, Owned, Raised};
use crate::runtime::Runtime;

/// The state of one call.
pub(crate) struct Context<'a> {
    pub(crate) runtime: &'a Runtime,
    pub(crate) flags: EncodeFlags,
    /// The `default` argument: called for objects of unsupported types.
    pub(crate) default: Option<Owned>,
    /// Results of `default` that are being written.
    pub(crate) open_defaults: usize,
    pub(crate) types: &'a mut TypeCache,
    /// Set if objects for `default` are written as null: whether there is one.
    pub(crate) probed: Option<Cell<bool>>,
    /// The unit of the datetime64 array that is written next.
    pub(crate) datetime64_scale: Scale,
    pub(crate) fixed_zone: FixedZone,
    /// Whether the last `datetime` had a zone whose offset only Python code can give.
    pub(crate) zone_needs_python: bool,
    /// Whether the last `datetime` had an offset that only `isoformat` writes exactly.
    pub(crate) offset_has_seconds: bool,
    /// Whether the members of a dict are copied when it is opened, so that changes do not show:
    /// what `json` does without indentation. Borrowed walks copy them before code is called.
    pub(crate) copies_members: bool,
    /// Whether JSON that this library did not make may be in the output.
    pub(crate) copies_json: Cell<bool>,
    /// Whether numbers were written as the text of other code.
    pub(crate) has_number_texts: Cell<bool>,
    /// Whether names of members were made text or sorted as text.
    pub(crate) lists_text: Cell<bool>,
    /// The key that ends the call with an error, if no frame has it.
    pub(crate) bad_key: Option<Owned>,
}

impl<'a> Context<'a> {
    /// The context of a new call; an `Encoder` has no `default`.
    #[inline(always)]
    pub(crate) fn new(
        runtime: &'a Runtime,
        flags: EncodeFlags,
        default: Option<Owned>,
        types: &'a mut TypeCache,
    ) -> Self {
        Self {
            runtime,
            flags,
            default,
            open_defaults: 0,
            probed: None,
            types,
            datetime64_scale: Scale::default(),
            fixed_zone: FixedZone::default(),
            zone_needs_python: false,
            offset_has_seconds: false,
            copies_members: false,
            copies_json: Cell::new(false),
            has_number_texts: Cell::new(false),
            lists_text: Cell::new(false),
            bad_key: None,
        }
    }
}

impl Context<'_> {
    /// Returns what is known of the object's type.
    pub(crate) fn class(&mut self, py: &mut Attached, object: &Owned) -> Result<Class, Raised> {
        self.types.class(self.runtime, py, object)
    }

    /// Keeps the key for which an exception is set, for the note of the error.
    #[cold]
    pub(crate) fn blame(&mut self, key: Owned) -> Raised {
        self.bad_key = Some(key);
        Raised
    }

    /// Returns how to get offsets from the object, a tzinfo.
    pub(crate) fn zone(
        &mut self,
        py: &mut Attached,
        object: &Owned,
    ) -> Result<ZoneMethods, Raised> {
        self.types.zone(self.runtime, py, object)
    }
}
