//! A document in blocks: checked, and written in another style.
//!
//! Separate from `rewrite`, whose input is a whole document. Called by `module::blocks`.

use core::mem::MaybeUninit;

use snooze_core::arch::{Task, Vector};
use snooze_core::blocks::{Checker, Restyler};
use snooze_core::out::{NoMemory, Out, Style};

use crate::py::output::{INLINE, Output};
use crate::py::{Owned, Raised, error};
use crate::runtime::Runtime;

/// The output of one call, in bytes: more only for the last line, or for one string.
const PIECE: usize = 1 << 20;

/// A document as far as it has come.
pub(crate) struct Blocks {
    pub(crate) checker: Checker,
    restyler: Restyler,
}

impl Blocks {
    /// Nothing has come. `bounded`: numbers beyond a double are faults.
    pub(crate) fn new(style: Style, bounded: bool) -> Self {
        Self { checker: Checker::new(bounded), restyler: Restyler::new(style) }
    }

    /// Checks a block.
    pub(crate) fn check(&mut self, runtime: &Runtime, block: &[u8]) {
        self.checker.feed(runtime.dispatch, block);
    }

    /// The text of a block from an offset on, as `bytes`, and the offset where it goes on.
    pub(crate) fn restyle(
        &mut self,
        runtime: &Runtime,
        block: &[u8],
        at: usize,
    ) -> Result<(Owned, usize), Raised> {
        let mut inline = [const { MaybeUninit::uninit() }; INLINE];
        let mut output = Output::new(&mut inline, runtime.output_past.here());
        let task = Restyle { restyler: &mut self.restyler, block, at, output: &mut output };
        let written = runtime.dispatch.run(task);
        let (len, next) = written.map_err(|NoMemory| error::no_memory())?;
        Ok((output.finish(len)?, next))
    }
}

struct Restyle<'a, 'o> {
    restyler: &'a mut Restyler,
    block: &'a [u8],
    at: usize,
    output: &'a mut Output<'o>,
}

impl Task for Restyle<'_, '_> {
    type Output = Result<(usize, usize), NoMemory>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let mut out = Out::new(self.output)?;
        let next = self.restyler.feed::<V, _>(self.block, self.at, &mut out, PIECE)?;
        Ok((out.len(), next))
    }
}
