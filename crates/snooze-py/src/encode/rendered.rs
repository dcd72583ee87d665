//! Text that is rendered once and copied into every document: member names and enum members.
//!
//! Separate from `scalar`, which renders each string when it is written. Invariant: a short text is
//! padded with zeros, so it can be copied without a loop. Made by `dataclass`,
//! `typed::compile_record` and `typed::compile_node`; written by the walks.

use snooze_core::arch::{Dispatch, Task, Vector};
use snooze_core::out::{Buffer, NoMemory, Out, VecBuffer};

use crate::py::{Raised, error};

/// Texts of up to this many bytes are copied without a loop.
const SHORT: usize = 32;

/// A text exactly as it appears in the output.
#[derive(Debug)]
pub(crate) struct Rendered {
    /// A text of up to [`SHORT`] bytes, padded with zeros.
    short: [u8; SHORT],
    len: usize,
    /// A text of more than [`SHORT`] bytes; otherwise empty.
    long: Vec<u8>,
}

impl Rendered {
    /// Copies a text.
    pub(crate) fn new(text: &[u8]) -> Result<Self, Raised> {
        let (mut short, mut long) = ([0; SHORT], Vec::new());
        match short.get_mut(..text.len()) {
            Some(target) => target.copy_from_slice(text),
            None => {
                long.try_reserve_exact(text.len()).map_err(|_| error::no_memory())?;
                long.extend_from_slice(text);
            }
        }
        Ok(Self { short, len: text.len(), long })
    }

    /// Returns the text.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.short.get(..self.len).unwrap_or(&self.long)
    }

    /// Returns the padded array and the length of a short text.
    pub(crate) fn short(&self) -> Option<([u8; SHORT], usize)> {
        (self.len <= SHORT).then_some((self.short, self.len))
    }

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Writes the text.
    #[inline(always)]
    pub(crate) fn write<B: Buffer>(&self, out: &mut Out<'_, B>) -> Result<(), NoMemory> {
        if self.len <= SHORT {
            return out.padded(&self.short, self.len);
        }
        out.raw(&self.long)
    }
}

/// Renders a UTF-8 member name: quoted, escaped, followed by the colon.
pub(crate) fn render_member_name(dispatch: Dispatch, name: &[u8]) -> Result<Vec<u8>, NoMemory> {
    dispatch.run(MemberName(name))
}

struct MemberName<'a>(&'a [u8]);

impl Task for MemberName<'_> {
    type Output = Result<Vec<u8>, NoMemory>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let mut buffer = VecBuffer::new();
        let mut out = Out::new(&mut buffer)?;
        out.ascii::<V>(self.0, b':')?;
        let len = out.len();
        Ok(buffer.into_vec(len))
    }
}
