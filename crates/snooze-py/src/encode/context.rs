//! What one call of an encoder carries along, beside its output and its open containers.
//!
//! Separate from the walks, because both kinds of encoding have it. Called by everything in `encode`
//! that decides how an object is written.

use crate::encode::numpy_datetime::Scale;
use crate::encode::type_cache::{Class, TypeCache, ZoneMethods};
use crate::encode::utc_offset::FixedZone;
use crate::options::Config;
use crate::py::{Attached, Owned, Raised};
use crate::runtime::Runtime;

/// What one call carries along.
pub(crate) struct Context<'a> {
    pub(crate) runtime: &'a Runtime,
    pub(crate) config: Config,
    /// What is called for an object that cannot be written.
    pub(crate) default: Option<Owned>,
    /// Open results of `default`.
    pub(crate) open_defaults: usize,
    pub(crate) types: &'a mut TypeCache,
    /// The scale of the array of datetime64 that is written next.
    pub(crate) datetime64_scale: Scale,
    pub(crate) fixed_zone: FixedZone,
    /// The last `datetime` had a zone that has to be asked for each.
    pub(crate) zone_needs_python: bool,
}

impl<'a> Context<'a> {
    /// The context of a new call; an `Encoder` has no `default`.
    #[inline(always)]
    pub(crate) fn new(
        runtime: &'a Runtime,
        config: Config,
        default: Option<Owned>,
        types: &'a mut TypeCache,
    ) -> Self {
        Self {
            runtime,
            config,
            default,
            open_defaults: 0,
            types,
            datetime64_scale: Scale::default(),
            fixed_zone: FixedZone::default(),
            zone_needs_python: false,
        }
    }
}

impl Context<'_> {
    /// What the object's type is.
    pub(crate) fn class(&mut self, py: &mut Attached, object: &Owned) -> Result<Class, Raised> {
        self.types.class(self.runtime, py, object)
    }

    /// How the object, a tzinfo, is asked.
    pub(crate) fn zone(
        &mut self,
        py: &mut Attached,
        object: &Owned,
    ) -> Result<ZoneMethods, Raised> {
        self.types.zone(self.runtime, py, object)
    }
}
