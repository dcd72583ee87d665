//! The problems of one call, up to the limits; beyond them only their number.
//!
//! Separate from `problem`, which makes them of a walk, because the walk's state holds them. Used
//! by `context`, `problem` and the entry points.

use crate::py::{Owned, Raised, error};

/// The total size of all paths from which on no more problems are added. Without it a hostile
/// document could have a problem in every other byte, each as deep as documents may be or below a
/// name of any length.
const MAX_PATH_BYTES: usize = 16 << 20;

/// What a step of a path counts for, beside the characters of a member name.
const STEP_BYTES: usize = 64;

/// The problems of one call.
#[derive(Default)]
pub(super) struct Problems {
    /// The problems that are reported, each a tuple for the plan's `fail` function.
    pub(super) reported: Vec<Owned>,
    /// How many more were found.
    pub(super) omitted: usize,
    /// The total size of the paths.
    path_bytes: usize,
}

impl Problems {
    /// Whether there are so many problems that one more is only counted; counts it then.
    pub(super) fn leaves_one_off(&mut self, max_errors: usize) -> bool {
        let is_full = self.reported.len() >= max_errors || self.path_bytes >= MAX_PATH_BYTES;
        self.omitted += usize::from(is_full);
        is_full
    }

    /// Adds the size of a path. A name is kept once and copied into the JSON Pointer.
    pub(super) fn add_path(&mut self, steps: usize, characters: usize) {
        let added = (STEP_BYTES * (1 + steps)).saturating_add(characters.saturating_mul(2));
        self.path_bytes = self.path_bytes.saturating_add(added);
    }

    /// Adds a problem.
    pub(super) fn push(&mut self, problem: Owned) -> Result<(), Raised> {
        self.reported.try_reserve(1).map_err(|_| error::no_memory())?;
        self.reported.push(problem);
        Ok(())
    }
}
