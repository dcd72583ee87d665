//! What CPython sees: the module, its functions and its types. The top of the crate.
//!
//! An unsafe room: CPython calls in here. Invariant: nothing below names this module.
//!
//! ```text
//! init ─► functions (dumps, loads, cpu_tiers)
//!   ├───► decoder, encoder (DecoderBase, EncoderBase) ─► codec
//!   └───► state (what a module instance owns), found through cell
//! ```
#![allow(unsafe_code)]

mod cell;
mod codec;
mod decoder;
mod encoder;
mod functions;
mod init;
mod state;

pub use self::init::PyInit__snooze;
