//! Typed encoding: JSON text of objects whose types are known ahead.
//!
//! Two walks, as in `dumps`: [`tree`] writes what needs no Python code, borrowing everything; what
//! it cannot write ends it, its open containers become frames that own them, and [`walk`] does the
//! next step, in which anything may run. Then the tree goes on. Invariants: as in `encode`: an
//! object is borrowed only while no Python code runs; depth costs no C stack and is limited;
//! whatever fails, the frames are released. The path in a message is what the frames say.
//!
//! ```text
//! methods ─► walk ─► tree ─► nested ─► fields, leaf ─► snooze_core::out
//!              ├─► value (what to do with an object) ─► keys
//!              ├─► frame, path
//! compile ─► plan (arena that all of them read)
//! ```

pub(crate) mod borrowed;
pub(crate) mod classify;
pub(crate) mod compile;
pub(crate) mod compile_node;
pub(crate) mod compile_record;
pub(crate) mod entry;
pub(crate) mod error;
pub(crate) mod fields;
pub(crate) mod frame;
pub(crate) mod keys;
pub(crate) mod options;
pub(crate) mod path;
pub(crate) mod plan;
pub(crate) mod plans;
pub(crate) mod records;
pub(crate) mod resume;
pub(crate) mod stepper;
pub(crate) mod text;
pub(crate) mod walk;

pub(crate) use self::entry::{compile, encode};
pub(crate) use self::plans::Compiled;
