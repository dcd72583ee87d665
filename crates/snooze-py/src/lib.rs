//! The CPython extension `snooze._snooze`.
//!
//! ```text
//! CPython ─► module (entry points, types, state)
//!              ├─► arguments ─► options
//!              ├─► encode: untyped (dumps), typed (Encoder) ──► snooze_core::out
//!              └─► decode: untyped (loads), typed (Decoder) ◄── snooze_core::read
//!                    description (reads what `snooze._typed` made of a type)
//!                    runtime (what every walk uses)   pool (scratch memory)
//!                    py (every C-API call; unsafe room)
//! ```
//!
//! Arrows never point up: `py` knows nothing of JSON, walks know nothing of `module`.

mod arguments;
mod decode;
mod description;
mod docstrings;
mod encode;
mod module;
mod options;
mod pool;
mod py;
mod runtime;
#[cfg(feature = "checked")]
mod starvation;

pub use module::PyInit__snooze;
