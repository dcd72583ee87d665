//! Containers of any values, read by the walk of `loads`.
//!
//! Separate because the walk of a typed decoder asks a node for each value, and must not for values
//! of any kind. Invariants: what is made is what the typed walk would make; what may differ, or is
//! wrong, is left to the typed walk, which finds it again. Called by `walk`.
//!
//! PERF: `dict[str, Any]` took 1.5 to 2.6 times as long as `loads` of the same document.

use snooze_core::error::ErrorKind;

use crate::decode::error::ReadFailure;
use crate::decode::scratch::ScratchRefs;
use crate::decode::typed::context::Context;
use crate::decode::typed::error::DecodeFailure;
use crate::decode::untyped::walk::{Part, ReadValue};
use crate::py::compat::PausedCollector;
use crate::py::{Owned, error};

impl Context<'_, '_> {
    /// The container whose bracket is at `start`, and the offset after it. `None` if it is wrong, or
    /// may have an integer beyond 64 bits: then the typed walk reads the rest of the document, so
    /// that no part of it is read a third time.
    #[inline(never)]
    pub(super) fn read_plain(
        &mut self,
        text: &mut Vec<u8>,
        start: usize,
    ) -> Result<Option<(Owned, usize)>, DecodeFailure> {
        let (runtime, py, bytes) = (self.runtime, &*self.py, self.bytes);
        let (len, depth) = (self.values.len(), self.frames.len());
        let (keys, strings) = (&mut *self.keys, &mut *self.strings);
        let (values, frames) = (&mut *self.values, &mut *self.plain_frames);
        let scratch = ScratchRefs { values, frames, text, keys, strings };
        let part = Some(Part { start, depth });
        let read = {
            let _paused = PausedCollector::new();
            runtime.dispatch.run(ReadValue::<true> { runtime, py, bytes, part, scratch })
        };
        match read {
            Ok((value, end)) => Ok(Some((value, end))),
            Err(ReadFailure::Raised) => Err(DecodeFailure::Raised),
            Err(ReadFailure::Json(found)) if found.kind == ErrorKind::NoMemory => {
                Err(error::no_memory().into())
            }
            Err(ReadFailure::Json(_)) => {
                self.values.truncate(len);
                // What is left on the stack of frames is not used again.
                self.reads_plain = false;
                Ok(None)
            }
        }
    }
}
