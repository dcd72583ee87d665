//! Arrow's C data interface and C stream interface, written and read by hand.
//!
//! Separate because it is an unsafe boundary module: structs with raw pointers, and functions that
//! a consumer of another library calls. It knows neither Python nor JSON. Specification: the pages
//! "The Arrow C data interface" and "The Arrow C stream interface" of the Arrow documentation.
//!
//! | file | contents |
//! |---|---|
//! | `ffi` | the three structs |
//! | `shared` | values with several owners, allocated without aborting |
//! | `format` | types to format strings and back |
//! | `schema` | [`ArrowSchema`] of fields |
//! | `array` | [`ArrowArray`] of a finished column |
//! | `stream` | [`ArrowArrayStream`] of anything that makes batches |
//! | `limits` | how much a foreign schema may have |
//! | `import` | fields of a foreign [`ArrowSchema`]; the next batch of a stream |
//! | `shape` | the same for all types that are written as JSON |
//! | `view` | rows of a foreign [`ArrowArray`] as slices |
//! | `producer` | [`Producer`]: the batches of a foreign producer, without `unsafe` for its users |
//!
//! Invariants: a struct that this module makes may be moved by a consumer at any time, and so may
//! the children of a struct, because each owns its memory alone. A release function calls nothing
//! but Rust's allocator (and, for a stream, joins its threads): it may run on any thread, without
//! the GIL and after the interpreter has ended. Buffers are aligned for their type, as the
//! specification demands; it recommends 64 bytes, which no consumer needs.
#![allow(unsafe_code)]

mod array;
mod ffi;
mod format;
mod import;
mod limits;
mod producer;
mod schema;
mod shape;
mod shared;
mod stream;
mod view;

pub(crate) use self::ffi::{ArrowArray, ArrowArrayStream, ArrowSchema};
pub(crate) use self::format::{FormatError, extension_of, format_of, type_of};
pub(crate) use self::import::{Imported, NextError, next_batch};
pub(crate) use self::producer::{OpenError, Producer};
pub(crate) use self::schema::export_schema;
pub(crate) use self::shape::ShapeError;
pub(crate) use self::shared::Shared;
pub(crate) use self::stream::{Batches, EINVAL, EIO, ENOMEM, StreamError, export_stream};
pub(crate) use self::view::ViewError;
