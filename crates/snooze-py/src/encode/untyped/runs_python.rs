//! The type of the last object that needed Python code: such objects come in runs.
//!
//! Separate from `walk`, which asks before it tries the borrowed walk. Invariant: what is known of
//! a type is what it was when it was found; a type that has changed since is examined again.

use crate::encode::classify;
use crate::encode::context::Context;
use crate::options::EncodeFlags;
use crate::py::types::TypeKey;
use crate::py::{Obj, Owned};

/// A type whose instances skip the borrowed walk, because the last one needed Python code.
#[derive(Default)]
pub(super) struct RunsPython {
    /// A strong reference: otherwise another type could get the same address.
    class: Option<Owned>,
    /// The type as it was when it was found to be none but `default`'s.
    unknown: Option<TypeKey>,
    /// Whether it is a type of times.
    is_time: bool,
}

impl RunsPython {
    /// Whether it is the object's type.
    #[inline(always)]
    pub(super) fn has(&self, object: Obj<'_>) -> bool {
        self.class.as_ref().is_some_and(|known| known.get() == object.type_obj())
    }

    /// Whether `default` is called for the object: it is of that type, which has not changed since.
    #[inline(always)]
    pub(super) fn is_for_default(&self, object: Obj<'_>) -> bool {
        self.unknown.is_some() && TypeKey::of(object) == self.unknown
    }

    /// Makes it the object's type.
    fn set(&mut self, object: Obj<'_>) {
        if !self.has(object) {
            *self = Self { class: Some(object.type_obj().to_owned()), ..Self::default() };
        }
    }

    /// Makes it the type of a time.
    pub(super) fn set_time(&mut self, object: Obj<'_>) {
        self.set(object);
        self.is_time = true;
    }

    /// Forgets the type unless its last object needed Python code.
    pub(super) fn keep_if(&mut self, needs_python: bool) {
        if !needs_python {
            *self = Self::default();
        }
    }

    /// Whether the object is a time of that type.
    #[inline(always)]
    pub(super) fn is_of_time(&self, object: &Owned) -> bool {
        self.is_time && self.has(object.get())
    }

    /// Makes it the type of an object for which `default` was called.
    pub(super) fn set_for_default(&mut self, cx: &Context<'_>, object: Obj<'_>) {
        if self.is_for_default(object) {
            return;
        }
        self.set(object);
        // The call may have changed the type; then it is not known as it is now. Of numpy's types,
        // some arrays are for `default` and others not.
        if !cx.flags.has(EncodeFlags::SERIALIZE_NUMPY) && classify::is_known_as_unknown(cx, object)
        {
            self.unknown = TypeKey::of(object);
        }
    }
}
