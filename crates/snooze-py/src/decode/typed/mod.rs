//! Typed decoding: `Decoder.decode`, from JSON to instances of classes in one pass.
//!
//! ```text
//! _compile ─► entry ─► compile ─► compile_node, compile_record ─► plan
//!                                   │ json_kinds, element
//! decode ───► entry ─► walk ─┬─► open          a bracket: which container it opens
//!                │           ├─► member        the name of an object's member
//!                │           ├─► field         aliases, items of arrays, tags, unknown members
//!                │           ├─► scalar        a string, number, true, false or null
//!                │           ├─► choices       enums and Literal
//!                │           ├─► convert       bounds, Decimal, base64, Raw, calls
//!                │           ├─► record        the end of a container; instances
//!                │           ├─► union         which class an object belongs to
//!                │           ├─► plain         containers of any values, by the walk of `loads`
//!                │           ├─► number_items  items of arrays that are numbers
//!                │           ├─► ndarray       nested arrays of numbers, for numpy
//!                │           └─► pointer       `at`: the part of the document to decode
//!                └─► problem                   what does not fit, and where
//! ```
//!
//! `objects` is the same walk over Python objects in place of a document.
//! `context` and `frame` are the state of the walk, which all of these share; `skip` reads ahead;
//! `error` is the reason why there is no result. Separate from `decode::untyped`, which makes no
//! classes. Invariants: nothing is made of a value that does not fit its type, and no part of a
//! result is visible before the whole document has been read; a document that is not JSON raises
//! the same error as in `loads`; one that does not fit the type is reported by the plan's `fail`
//! function. Called by `module::decoder`.

pub(crate) mod choices;
pub(crate) mod compile;
pub(crate) mod compile_node;
pub(crate) mod compile_record;
pub(crate) mod context;
pub(crate) mod convert;
pub(crate) mod element;
pub(crate) mod entry;
pub(crate) mod error;
pub(crate) mod field;
pub(crate) mod frame;
pub(crate) mod json_kinds;
pub(crate) mod member;
pub(crate) mod ndarray;
mod number_items;
pub(crate) mod objects;
pub(crate) mod open;
mod plain;
pub(crate) mod plan;
pub(crate) mod pointer;
pub(crate) mod problem;
mod problems;
pub(crate) mod record;
pub(crate) mod scalar;
pub(crate) mod skip;
pub(crate) mod union;
pub(crate) mod unknown_names;
pub(crate) mod walk;

pub(crate) use self::entry::{Scratch, compile, decode, decode_lines};
pub(crate) use self::plan::DecodePlan;
