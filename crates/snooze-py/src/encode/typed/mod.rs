//! Typed encoding: JSON text of objects whose types are known in advance.
//!
//! Two walks, as in `dumps`: [`borrowed`] writes everything that needs no Python code, holding only
//! borrowed references. What it cannot write ends it; its open containers are saved as frames, and
//! [`walk`] does the next step, in which Python code may run. Then a new borrowed walk resumes.
//! Invariants: an object is borrowed only while no Python code runs; depth costs no C stack beyond
//! a fixed number of calls and is limited; whatever fails, all frames are released. The path in a
//! message is read from the frames.
//!
//! ```text
//! entry ─► compile ─► compile_node, compile_record ─► plan (read by all below)
//!   │         └─► options
//!   └─► walk ◄──► borrowed ─► resume ─► records ─► fields, int_keys, leaves, sorted_members
//!         │            └─────────┴─────────┴─► borrowed_context ─► suspended
//!         ├─► classify ─► action ─► keys (numpy_keys), text, kept, forms   (what to do with one value)
//!         ├─► error, path                                 (messages)
//!         └─► frame, plans, stepper                       (stack, plans of the call, token)
//! ```

mod action;
mod arrays;
pub(crate) mod borrowed;
mod borrowed_context;
pub(crate) mod classify;
pub(crate) mod compile;
pub(crate) mod compile_node;
pub(crate) mod compile_record;
pub(crate) mod entry;
pub(crate) mod error;
pub(crate) mod fields;
mod forms;
pub(crate) mod frame;
mod int_keys;
pub(crate) mod kept;
pub(crate) mod keys;
mod leaves;
mod numpy_keys;
pub(crate) mod options;
pub(crate) mod path;
pub(crate) mod plan;
pub(crate) mod plans;
pub(crate) mod policies;
pub(crate) mod records;
pub(crate) mod resume;
mod same_json;
mod sorted_members;
pub(crate) mod stepper;
pub(crate) mod suspended;
pub(crate) mod text;
pub(crate) mod walk;

pub(crate) use self::entry::{compile, encode, encode_kept};
pub(crate) use self::plans::Compiled;
