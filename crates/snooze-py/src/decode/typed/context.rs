//! The state of one call of `decode` or `convert`: the plan, the input, the stacks and the
//! problems.
//!
//! Separate from `walk`, because the files of this folder add methods to it, each for its own task.
//! Invariant: the frames say which parts of `values` and `fields` belong to which open container.
//! Made by `entry` for each call.

use crate::decode::key_cache::KeyCache;
use crate::decode::string_cache::StringCache;
use crate::decode::typed::frame::Frame;
use crate::decode::typed::objects::source::Sources;
use crate::decode::typed::plan::DecodePlan;
use crate::decode::typed::problems::Problems;
use crate::decode::typed::unknown_names::UnknownNames;
use crate::decode::untyped::frame::Frame as PlainFrame;
use crate::py::{Attached, Owned};
use crate::runtime::Runtime;

/// The state of one call of `decode` or `convert`.
pub(super) struct Context<'p, 'c> {
    pub(super) runtime: &'p Runtime,
    pub(super) py: &'c mut Attached,
    pub(super) plan: &'p DecodePlan,
    /// The document; empty where objects are converted.
    pub(super) bytes: &'c [u8],
    /// The items of open arrays, and keys and values of open dicts.
    pub(super) values: &'c mut Vec<Owned>,
    /// The fields of open records, each at its index in the record.
    pub(super) fields: &'c mut Vec<Option<Owned>>,
    /// The open containers around the innermost one.
    pub(super) frames: Vec<Frame<'p>>,
    /// The open containers in a container of any values.
    pub(super) plain_frames: &'c mut Vec<PlainFrame>,
    /// Whether containers of any values may be read by the walk of `loads`.
    pub(super) reads_plain: bool,
    pub(super) keys: &'c mut KeyCache,
    pub(super) strings: &'c mut StringCache,
    pub(super) unknown_names: &'c mut UnknownNames,
    /// The problems found so far.
    pub(super) problems: Problems,
    /// The path from the document to the value that is decoded, if the plan has a pointer.
    pub(super) pointer_path: Vec<Owned>,
    /// The objects that are converted. Offsets in the document are then indices of sources.
    pub(super) sources: Option<Sources<'p>>,
    /// Whether the result is not wanted: containers without further checks are not made.
    pub(super) discards: bool,
    /// A tuple of the objects that have tokens in the document, for `to_builtins`.
    pub(super) kept: Option<Owned>,
}
