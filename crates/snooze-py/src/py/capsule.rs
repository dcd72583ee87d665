//! Capsules: values of Rust that Python code passes on by name.
//!
//! Separate because several files of `module` use it. A capsule of the Arrow interface owns a C
//! struct, until a consumer moves it out and marks it as released. Invariant: the name of a capsule
//! says what is in it. Called by `module`: `scan`, `lines`, `document`.

use core::ffi::CStr;

use pyo3_ffi::*;

use crate::boxed;
use crate::py::detached::detached;
use crate::py::message::Message;
use crate::py::{Attached, Obj, Owned, Raised, error};

/// A type that capsules hold.
///
/// # Safety
/// A capsule with this name has a value of this type in it, whoever made it.
pub(crate) unsafe trait InCapsule: Send {
    /// The name of the capsules.
    const NAME: &'static CStr;

    /// Whether dropping this may take long: threads are joined, a producer is called. It is then
    /// dropped while other threads may use the interpreter.
    fn is_slow_to_drop(&self) -> bool {
        false
    }
}

/// Puts a value into a new capsule, which drops it in the end.
pub(crate) fn new<T: InCapsule>(_py: &Attached, value: T) -> Result<Owned, Raised> {
    let pointer = boxed::put(value).map_err(|_| error::no_memory())?.as_ptr();
    // SAFETY: attached, because there is a witness; the name is static; the result is checked. If
    // there is no capsule, nobody else has the pointer.
    unsafe {
        let capsule = PyCapsule_New(pointer.cast(), T::NAME.as_ptr(), Some(destroy::<T>));
        Owned::take(capsule).inspect_err(|_| drop(boxed::take(pointer)))
    }
}

/// The value in a capsule of this name; a `TypeError` for anything else.
pub(crate) fn get<'a, T: InCapsule>(object: Obj<'a>) -> Result<*mut T, Raised> {
    // SAFETY: a live object, because an `Obj` borrows it; the pointer is to a `T`, because of the
    // name.
    unsafe {
        if PyCapsule_IsValid(object.as_ptr(), T::NAME.as_ptr()) == 0 {
            return Err(Message::raise_type_error(|message| {
                let message = message.text("expected a PyCapsule named \"")?;
                let message = message.utf8(T::NAME.to_bytes())?.text("\", found ")?;
                match PyCapsule_CheckExact(object.as_ptr()) {
                    0 => message.type_name(object),
                    _ => message.text("one with another name"),
                }
            }));
        }
        Ok(PyCapsule_GetPointer(object.as_ptr(), T::NAME.as_ptr()).cast())
    }
}

/// Drops the value of a capsule that `new` made.
unsafe extern "C" fn destroy<T: InCapsule>(capsule: *mut PyObject) {
    // SAFETY: CPython calls this once, for the capsule that `new` gave it, so the pointer is the
    // one that `put` made. A value that was moved out says so itself. Attached, because objects are
    // only released so.
    unsafe {
        let pointer = PyCapsule_GetPointer(capsule, T::NAME.as_ptr()).cast::<T>();
        if pointer.is_null() {
            return;
        }
        let value = boxed::take(pointer);
        if value.iter().any(T::is_slow_to_drop) {
            detached(&mut Attached::assume(), || drop(value));
        }
    }
}
