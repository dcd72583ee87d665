//! The CPython extension `snooze._snooze`.
//!
//! ```text
//! interpreter ─► module (entry points) ─► args ─► config
//!                   │
//!                   ├─► encode (dumps): walks objects ──► snooze_core::out
//!                   │      leaf · special · record · keys · time · numpy · cache
//!                   └─► decode (loads): builds objects ◄── snooze_core::read
//!                          keys (cache of names)
//!                 state: what a module instance owns
//!                 py: every C-API call (unsafe room)
//! ```
//!
//! Arrows never point up: `py` knows nothing of JSON, `state` nothing of walks but their scratch.

mod args;
mod config;
mod decode;
mod encode;
mod keys;
mod module;
mod py;
mod state;
mod strings;
mod typed;

pub use module::PyInit__snooze;
