//! Scalars and texts in functions outside the walks.
//!
//! Separate from `scalar`, whose functions are inlined into the loops that count. The owning walks
//! meet what Python code gave, which took far longer than a call; inlined there, these took a third
//! of the code of each walk. Called by `untyped::walk` and `typed::walk`.

use core::marker::PhantomData;

use snooze_core::arch::{Task, Vector};
use snooze_core::out::{Buffer, NoMemory, Out};

use crate::encode::format::Format;
use crate::encode::policy::Policy;
use crate::encode::scalar::{write_scalar, write_str, write_text_name};
use crate::py::unicode::Str;
use crate::py::{Obj, Raised};

/// [`write_scalar`] in a separate function.
pub(crate) struct ScalarTask<'a, 'b, P, B: Buffer, const DIRECT: bool> {
    pub(crate) out: Out<'b, B>,
    pub(crate) object: Obj<'a>,
    pub(crate) policy: P,
}

impl<'b, P: Policy, B: Buffer, const DIRECT: bool> Task for ScalarTask<'_, 'b, P, B, DIRECT> {
    /// Whether it was written.
    type Output = Result<(Out<'b, B>, bool), Raised>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self { mut out, object, policy } = self;
        let is_written = write_scalar::<V, P, B, DIRECT>(&mut out, object, policy)?;
        Ok((out, is_written))
    }
}

/// [`write_str`] in a separate function.
pub(crate) struct TextTask<'a, 'b, P, B: Buffer, const DIRECT: bool> {
    pub(crate) out: Out<'b, B>,
    pub(crate) text: Str<'a>,
    /// The byte after the text.
    pub(crate) after: u8,
    pub(crate) policy: PhantomData<P>,
}

impl<'b, P: Policy, B: Buffer, const DIRECT: bool> Task for TextTask<'_, 'b, P, B, DIRECT> {
    /// Whether it was written.
    type Output = Result<(Out<'b, B>, bool), Raised>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self { mut out, text, after, .. } = self;
        let is_written = write_str::<V, P, B, DIRECT>(&mut out, text, after)?;
        Ok((out, is_written))
    }
}

/// [`write_text_name`] in a separate function.
pub(crate) struct TextNameTask<'a, 'b, F, B: Buffer> {
    pub(crate) out: Out<'b, B>,
    pub(crate) name: &'a [u8],
    pub(crate) format: PhantomData<F>,
}

impl<'b, F: Format, B: Buffer> Task for TextNameTask<'_, 'b, F, B> {
    type Output = Result<Out<'b, B>, NoMemory>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self { mut out, name, .. } = self;
        write_text_name::<V, F, B>(&mut out, name)?;
        Ok(out)
    }
}
