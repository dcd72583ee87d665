//! The CPython extension `snooze._snooze`.
//!
//! ```text
//! CPython ─► module         entry points, types, state of a module instance (unsafe)
//!              ├─► docstrings    what `help()` shows
//!              ├─► starvation    allocations that fail on demand: only in test builds (unsafe)
//!              ├─► arguments ─► options
//!              ├─► rewrite   text into text ──► snooze_core::rewrite
//!              ├─► blocks    a document in blocks ──► snooze_core::blocks
//!              ├─► decode    untyped (loads), typed (Decoder) ──► snooze_core::read
//!              ├─► encode    untyped (dumps), typed (Encoder) ──► snooze_core::out
//!              ├─► scan      lines into record batches ──► snooze_core::columns
//!              └─► lines     record batches into lines ──► snooze_core::lines
//!                    │
//!                    ├─► description   reads the plan descriptions that `snooze._typed` makes
//!                    ├─► text_layout   separators and indentation of a text
//!                    ├─► kept          tokens of objects in the text of `to_builtins`
//!                    ├─► arrow     Arrow's C data and stream interface (unsafe)
//!                    ├─► runtime       SIMD tier, interned names, types of other modules
//!                    │     └─► calls   calls in progress, and whether the C stack holds one more
//!                    ├─► pool ─► per_thread   scratch memory, reused between calls (unsafe)
//!                    └─► py            every call of the C-API below `module` (unsafe)
//!                          └─► boxed   values on the heap by pointer (unsafe)
//! ```
//!
//! Invariant, checked by the layer test: a module uses only modules below it in this drawing, and
//! `docstrings`, which uses none. `py` knows nothing about JSON, and the walks know nothing about
//! `module`.

mod arguments;
mod arrow;
mod blocks;
mod boxed;
mod calls;
mod decode;
mod description;
mod docstrings;
mod encode;
mod kept;
mod lines;
mod module;
mod options;
mod per_thread;
mod pool;
mod py;
mod rewrite;
mod runtime;
mod scan;
#[cfg(feature = "checked")]
mod starvation;
mod text_layout;

pub use module::PyInit__snooze;
