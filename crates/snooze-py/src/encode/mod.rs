//! Encoding: from Python objects to JSON text, without types (`untyped`, for `dumps`) and with
//! types (`typed`, for `Encoder`).
//!
//! The files beside the two folders serve both. `typed` and `untyped` never use each other;
//! `module` calls only their entries.
//!
//! Both directions encode in the same way. A *borrowed walk* writes everything that needs no Python
//! code and holds only borrowed references. At the first object that may run Python code it saves
//! its open containers as frames on the stack, which hold strong references. The *owning walk* then
//! classifies that object and does one step, and a borrowed walk resumes with the innermost frame.
//!
//! ```text
//! untyped::dumps, typed::encode
//!   └─► entry                 selects tier, format and private layouts
//!         └─► {untyped,typed}::walk ◄──► {untyped,typed}::borrowed
//!               │                               │
//!               │ both write with: scalar, rendered, format, out of snooze_core
//!               │ both keep:       stack (frame, typed::frame), context, depth, sorted
//!               ▼                               ▼
//!             classify::classify              classify::write_borrowed
//!               ├─► type_cache ─► dataclass
//!               ├─► keys ─► key_text, text_members
//!               ├─► datetime ─► utc_offset
//!               └─► dataclass_instance, fragment, uuid, numpy ─► numpy_datetime
//!                     └─► action: carried out by the owning walk, leaves by leaf
//! ```
//!
//! Lists of floats and of coordinates are written in blocks, by `numbers`, for both borrowed walks.
//!
//! `place` says where the value is that cannot be written, as `typed::path` and `untyped::path`
//! find it. Below them: `utf8` appends text to vectors, `error` turns errors of `snooze_core::out`
//! into exceptions.

pub(crate) mod action;
pub(crate) mod classify;
pub(crate) mod context;
pub(crate) mod dataclass;
pub(crate) mod dataclass_instance;
pub(crate) mod datetime;
pub(crate) mod depth;
pub(crate) mod entry;
pub(crate) mod error;
pub(crate) mod format;
pub(crate) mod fragment;
pub(crate) mod frame;
pub(crate) mod key_text;
pub(crate) mod keys;
pub(crate) mod leaf;
pub(crate) mod numbers;
pub(crate) mod numpy;
pub(crate) mod numpy_datetime;
pub(crate) mod outlined;
pub(crate) mod place;
pub(crate) mod policy;
pub(crate) mod rendered;
pub(crate) mod scalar;
pub(crate) mod sorted;
pub(crate) mod stack;
pub(crate) mod text_members;
pub(crate) mod type_cache;
pub(crate) mod typed;
pub(crate) mod untyped;
pub(crate) mod utc_offset;
pub(crate) mod utf8;
pub(crate) mod uuid;
