//! Safe wrappers around the CPython C-API: every C-API call of the walks is in this folder.
//!
//! Separate because this folder may contain unsafe code. Apart from `module`, no other code touches
//! a raw `PyObject`. Called by everything above it: `module`, `runtime`, `encode` and `decode`.
//! Invariants:
//!
//! * A call that can fail returns `Result<_, Raised>`. `Raised` means that a Python exception is
//!   set, so a null result cannot be overlooked.
//! * [`Owned`] holds one strong reference and releases it when dropped. [`Obj`] borrows one.
//! * **No borrowed reference survives user code.** [`Attached`] proves that this thread may use the
//!   interpreter. Functions that can run Python code take it by `&mut`. An `Obj` that was read from
//!   a container borrows the witness and the container, so the compiler rejects code that holds a
//!   borrowed item across a call that might free it: such an item becomes an `Owned` first.
//!   Dropping an `Owned` may also run a finaliser, and making an exception may run a `repr`, import
//!   the module of `JSONDecodeError` or, on CPython 3.11, run the collector, none of which the
//!   compiler sees. Therefore no `Owned` is dropped, and no
//!   exception raised, while an `Obj` that was read from another container is still needed.
//! * On free-threaded builds another thread may change a list or a dict at any moment. Both are
//!   walked under their lock (see `lock`), or copied before they are walked: see `list::freeze` and
//!   `dict::entries`.
//!
//! In SAFETY comments, *attached* means that this thread may use the interpreter, *live* that a
//! strong reference keeps the object alive during the call, and *checked* that null or -1 becomes
//! `Raised`.
#![allow(unsafe_code)]

pub(crate) mod bytearray;
pub(crate) mod bytes;
pub(crate) mod call;
pub(crate) mod capsule;
pub(crate) mod codec;
pub(crate) mod compat;
pub(crate) mod datetime;
pub(crate) mod decode_error;
pub(crate) mod detached;
pub(crate) mod dict;
pub(crate) mod error;
pub(crate) mod float;
pub(crate) mod fragment;
pub(crate) mod gil_cell;
pub(crate) mod handle;
pub(crate) mod held;
pub(crate) mod input;
pub(crate) mod instance;
pub(crate) mod int;
pub(crate) mod layout;
pub(crate) mod list;
pub(crate) mod lock;
pub(crate) mod message;
pub(crate) mod numpy;
pub(crate) mod object;
pub(crate) mod output;
pub(crate) mod rc;
mod refcount;
pub(crate) mod set;
pub(crate) mod singletons;
pub(crate) mod str_build;
pub(crate) mod thread_stack;
pub(crate) mod tuple;
pub(crate) mod types;
pub(crate) mod unicode;
pub(crate) mod verify;

pub(crate) use self::object::{Attached, Obj, Owned, Raised};
