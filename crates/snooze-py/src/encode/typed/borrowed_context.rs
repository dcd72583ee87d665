//! What all levels of the nested calls of a borrowed walk share, and what they return.
//!
//! Separate because `borrowed`, `records` and `resume` use it. Invariant: below the
//! depth of a context's first value there are at most [`MAX_NESTED`] levels of calls.

use snooze_core::out::Out;

use crate::encode::context::Context;
use crate::encode::typed::plan::EncodePlan;
use crate::encode::typed::suspended::MAX_NESTED;
use crate::py::{Attached, Raised};

/// What all levels of nested calls share.
pub(super) struct BorrowedContext<'a, 'c> {
    pub(super) plan: &'a EncodePlan,
    pub(super) plan_id: u32,
    pub(super) cx: &'a Context<'c>,
    pub(super) py: &'a Attached,
    /// The depth at which values are left to the borrowed walk.
    pub(super) depth_limit: usize,
    /// Whether an encoder of `to_builtins` writes.
    pub(super) keeps: bool,
}

impl<'a, 'c> BorrowedContext<'a, 'c> {
    /// The context for values at this depth, in this plan; with the most that is allowed.
    pub(super) fn new(
        plan: &'a EncodePlan,
        plan_id: u32,
        cx: &'a Context<'c>,
        py: &'a Attached,
        (depth, max_depth): (usize, usize),
        keeps: bool,
    ) -> Self {
        let depth_limit = (depth + MAX_NESTED).min(max_depth);
        Self { plan, plan_id, cx, py, depth_limit, keeps }
    }
}

/// The output, and whether everything was written.
pub(super) type WriteResult<'b, B> = Result<(Out<'b, B>, bool), Raised>;
