//! Writing: from Python objects to JSON text, with and without a type.
//!
//! `untyped` is `dumps`, `typed` is `Encoder`; the files beside them serve both.
//!
//! ```text
//! classify (what an object is) ─► action (what to do with it) ─► leaf (writes it)
//!    ├─► type_cache ─► dataclass        ├─► frame, text_members
//!    └─► keys, datetime, uuid, numpy, fragment
//! scalar (strings, numbers, names), format, depth, context
//! ```

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
pub(crate) mod numpy;
pub(crate) mod numpy_datetime;
pub(crate) mod rendered;
pub(crate) mod scalar;
pub(crate) mod stack;
pub(crate) mod text_members;
pub(crate) mod type_cache;
pub(crate) mod typed;
pub(crate) mod untyped;
pub(crate) mod utc_offset;
pub(crate) mod utf8;
pub(crate) mod uuid;
