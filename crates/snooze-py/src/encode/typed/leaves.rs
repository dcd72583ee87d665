//! Bytes and durations in the borrowed walk of an `Encoder`.
//!
//! Separate from `records`, whose functions are inlined into the loop of each container. Called by
//! `records`.

use snooze_core::arch::{Task, Vector};
use snooze_core::out::{Buffer, NoMemory, Out};

use crate::encode::typed::plan::Encoding;
use crate::encode::typed::text::duration;
use crate::py::bytes::Bytes;
use crate::py::datetime::Times;
use crate::py::{Obj, bytes};

/// Writes bytes as base64, or a `timedelta` as a duration, with a comma.
pub(super) struct LeafTask<'a, 'b, B: Buffer> {
    pub(super) out: Out<'b, B>,
    pub(super) value: Obj<'a>,
    pub(super) encoding: Encoding,
    pub(super) times: &'a Times,
}

impl<'b, B: Buffer> Task for LeafTask<'_, 'b, B> {
    /// Whether it was written.
    type Output = Result<(Out<'b, B>, bool), NoMemory>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self { mut out, value, encoding, times } = self;
        match encoding {
            Encoding::Base64(_) => {
                let Some(value) = Bytes::exact(value) else { return Ok((out, false)) };
                out.base64(bytes::contents(value), b',')?;
            }
            Encoding::Duration(_) => {
                let Some(delta) = times.delta_of(value) else { return Ok((out, false)) };
                let stamp = duration(delta);
                out.plain_words(stamp.words(), stamp.len(), b',')?;
            }
            _ => return Ok((out, false)),
        }
        Ok((out, true))
    }
}
