//! `Converter.convert`: from Python objects to a type, by the same rules as from JSON.
//!
//! ```text
//! convert ─► entry ─► walk ─┬─► source    what is left of the containers that are being read
//!                           ├─► value     scalars, instances, and which container opens
//!                           │     └─► number
//!                           ├─► member    the members of records and the keys of dicts
//!                           └─► union     which class an object belongs to
//! ```
//!
//! `plan` is what a converter needs beside the plan of a decoder. Separate from the walk over a
//! document, which reads text; frames, the end of containers, conversions and problems are shared.
//! Invariants: a container is copied to the stack of sources before anything in it is converted, so
//! code that runs meanwhile may change it; an object that fits its type is kept, not copied, unless
//! it is a container. Called by `module::converter`.

pub(crate) mod entry;
pub(crate) mod member;
pub(crate) mod number;
pub(crate) mod plan;
pub(crate) mod source;
pub(crate) mod union;
pub(crate) mod value;
pub(crate) mod walk;

pub(crate) use self::entry::{compile, convert};
pub(crate) use self::plan::ConvertPlan;
