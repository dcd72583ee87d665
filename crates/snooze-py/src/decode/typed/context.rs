//! What a decoder has at hand while it reads a document: the plan, the stacks, the problems.
//!
//! Separate from `walk`, because everything in this folder is a method of it.

use crate::decode::key_cache::KeyCache;
use crate::decode::string_cache::StringCache;
use crate::decode::typed::frame::Frame;
use crate::decode::typed::plan::DecodePlan;
use crate::py::{Attached, Owned};
use crate::runtime::Runtime;

/// What a decoder has at hand while it reads a document.
pub(super) struct Context<'p, 'c> {
    pub(super) runtime: &'p Runtime,
    pub(super) py: &'c mut Attached,
    pub(super) plan: &'p DecodePlan,
    pub(super) bytes: &'c [u8],
    pub(super) values: &'c mut Vec<Owned>,
    pub(super) fields: &'c mut Vec<Option<Owned>>,
    pub(super) frames: Vec<Frame<'p>>,
    pub(super) keys: &'c mut KeyCache,
    pub(super) strings: &'c mut StringCache,
    pub(super) problems: Vec<Owned>,
    /// What their paths have taken in all: see `problem`.
    pub(super) path_steps: usize,
    /// The way from the document to the value that is wanted.
    pub(super) pointer: Vec<Owned>,
}
