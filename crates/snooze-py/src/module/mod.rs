//! The entry points from CPython: the module, its functions and its types. The top of the crate.
//!
//! Separate because it is an unsafe boundary module: CPython calls in here with raw pointers.
//! Invariant: no other module of the crate uses this one.
//!
//! ```text
//! CPython ─► init ─┬─► functions ────────────┬─► cell ─► state
//!                  │   dumps, loads,         │           Runtime, scratch pools
//!                  │   cpu_tiers             │
//!                  └─► decoder, encoder, ──► codec
//!                      converter             construction, traversal and
//!                      methods of            deallocation of their types
//!                      DecoderBase,
//!                      EncoderBase,
//!                      ConverterBase
//! ```
//!
//! `dialect`, `scan`, `lines`, `blocks`, `items` and `parts` have more functions. `entry` has what all
//! of them share; `document` has what `blocks`, `items` and `parts` share.
#![allow(unsafe_code)]

mod blocks;
mod cell;
mod codec;
mod converter;
mod decoder;
mod dialect;
mod document;
mod encoder;
mod entry;
mod functions;
mod init;
mod items;
mod lines;
mod parts;
mod scan;
mod state;

pub use self::init::PyInit__snooze;
