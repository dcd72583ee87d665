//! CPython, wrapped: the room where every C-API call of the walks lives.
//!
//! Separate because it is an unsafe room. Outside it (and `module` and `state`) no code touches a
//! raw `PyObject`. Invariants:
//!
//! * A call that can fail returns `Result<_, Raised>`, and `Raised` means that a Python exception
//!   is set. A NULL cannot be forgotten.
//! * [`Owned`] holds one reference and gives it back when dropped. [`Obj`] borrows.
//! * **No borrowed reference survives user code.** [`Attached`] is the witness that this thread
//!   may use the interpreter. Functions that can run Python code take it by `&mut`; an `Obj`
//!   taken from a container keeps it (and the container) borrowed. So the compiler refuses to
//!   hold a borrowed item across a call that might free it: it has to be made an `Owned` first.
//!   Dropping an `Owned` may run a finaliser as well, which the compiler does not see: nothing
//!   is dropped while an `Obj` that was taken from another container is used again.
//! * On free-threaded builds lists and dicts are copied before they are walked, because another
//!   thread may change them at any moment; see `list::freeze` and `dict::entries`.
#![allow(unsafe_code)]

pub(crate) mod bytearray;
pub(crate) mod bytes;
pub(crate) mod call;
pub(crate) mod codec;
pub(crate) mod compat;
pub(crate) mod datetime;
pub(crate) mod dict;
pub(crate) mod error;
pub(crate) mod float;
pub(crate) mod fragment;
pub(crate) mod gil_cell;
pub(crate) mod input;
pub(crate) mod instance;
pub(crate) mod int;
pub(crate) mod layout;
pub(crate) mod list;
pub(crate) mod message;
pub(crate) mod numpy;
pub(crate) mod object;
pub(crate) mod output;
pub(crate) mod rc;
pub(crate) mod set;
pub(crate) mod singletons;
pub(crate) mod tuple;
pub(crate) mod types;
pub(crate) mod unicode;
pub(crate) mod verify;

pub(crate) use self::object::{Attached, Obj, Owned, Raised};
