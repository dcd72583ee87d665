//! Typed decoding: from a document to instances of classes, in one pass, without a tree between.
//!
//! `compile` reads a plan, `walk` follows it, with a `frame` for each open container and `member`
//! for the names in objects; `record` makes instances, `scalar` all that is no container, `ndarrays`
//! numpy's arrays, `union` chooses among classes, `pass` goes over what is not wanted, `problem`
//! collects what is wrong. Invariants: nothing is made of a value that does not fit, and nobody
//! sees a part of a result; a document that is no JSON is refused as `loads` refuses it, one that
//! does not fit its type by the plan's `fail`.

pub(crate) mod compile;
pub(crate) mod compile_node;
pub(crate) mod compile_record;
pub(crate) mod context;
pub(crate) mod element;
pub(crate) mod entry;
pub(crate) mod error;
pub(crate) mod frame;
pub(crate) mod json_kinds;
pub(crate) mod member;
pub(crate) mod ndarray;
pub(crate) mod open;
pub(crate) mod plan;
pub(crate) mod pointer;
pub(crate) mod problem;
pub(crate) mod record;
pub(crate) mod scalar;
pub(crate) mod skip;
pub(crate) mod union;
pub(crate) mod walk;

pub(crate) use self::entry::{Scratch, compile, decode};
pub(crate) use self::plan::DecodePlan;
