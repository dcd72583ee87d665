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

pub(crate) mod array;
pub(crate) mod attr;
pub(crate) mod bytes;
pub(crate) mod call;
pub(crate) mod compat;
pub(crate) mod dict;
pub(crate) mod error;
pub(crate) mod fill;
pub(crate) mod instance;
pub(crate) mod int;
pub(crate) mod layout;
pub(crate) mod list;
pub(crate) mod make;
pub(crate) mod new_dict;
pub(crate) mod new_time;
pub(crate) mod obj;
pub(crate) mod seat;
pub(crate) mod shared;
pub(crate) mod swap;
pub(crate) mod text;
pub(crate) mod time;
pub(crate) mod types;

pub(crate) use obj::{Attached, Obj, Owned, Raised};
