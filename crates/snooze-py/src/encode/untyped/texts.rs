//! Writes the texts of a list or a dict from the first one on that is not ASCII, and instances of
//! subclasses of `str`, outside the borrowed walk.
//!
//! Separate from `borrowed`, whose loop has no registers to spare, and from `other`, which needs
//! more of them. Invariant of the module, as of the walk: no Python code runs. Called by `borrowed`
//! and `other`.
//!
//! PERF: such texts come in runs, and inside a run kept UTF-8 is copied inline: stopwords-iso takes
//! 0.72 of the time of a call for each text, a list of words in Latin-1 0.55, and the names of
//! countries in Bengali, which are members, 0.70 (Zen 4, 2026-11-28).

use core::marker::PhantomData;

use snooze_core::arch::{Task, Vector};
use snooze_core::out::{Buffer, Out};

use crate::encode::format::Format;
use crate::encode::scalar::{write_any_str, write_member_name, write_run_str};
use crate::encode::untyped::prefetch::prefetch_item;
use crate::py::dict::StrEntry;
use crate::py::unicode::Str;
use crate::py::{Obj, Raised};

/// Writes a text of a list and the items that follow while they are texts, too.
pub(super) struct TextItemsTask<'a, 'b, F, B: Buffer> {
    pub(super) text: Str<'a>,
    /// The items after it.
    pub(super) items: &'a [Option<Obj<'a>>],
    pub(super) out: Out<'b, B>,
    /// Open containers.
    pub(super) depth: usize,
    pub(super) format: PhantomData<F>,
}

impl<'a, 'b, F: Format, B: Buffer> Task for TextItemsTask<'a, 'b, F, B> {
    /// The items that are left.
    type Output = Result<(Out<'b, B>, &'a [Option<Obj<'a>>]), Raised>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self { mut text, mut items, mut out, depth, .. } = self;
        loop {
            write_run_str::<V, F, B>(&mut out, text)?;
            let Some((&Some(item), rest)) = items.split_first() else { break };
            let Some(next) = Str::exact(item) else { break };
            (text, items) = (next, rest);
            prefetch_item(items);
            F::start_element(&mut out, depth)?;
        }
        Ok((out, items))
    }
}

/// Writes a text that is the value of a member, and the members that follow while their values are
/// texts, too.
pub(super) struct TextValuesTask<'m, 'a, 'b, F, B: Buffer> {
    pub(super) text: Str<'a>,
    /// The members after it.
    pub(super) members: &'m [StrEntry<'a>],
    pub(super) out: Out<'b, B>,
    /// Open containers.
    pub(super) depth: usize,
    pub(super) format: PhantomData<F>,
}

impl<'m, 'a, 'b, F: Format, B: Buffer> Task for TextValuesTask<'m, 'a, 'b, F, B> {
    /// The members that are left.
    type Output = Result<(Out<'b, B>, &'m [StrEntry<'a>]), Raised>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self { mut text, mut members, mut out, depth, .. } = self;
        loop {
            write_run_str::<V, F, B>(&mut out, text)?;
            // Holes, and keys that are no text, are left to the walk.
            let Some((&[Some(key), Some(value)], rest)) = members.split_first() else { break };
            let (Some(name), Some(next)) = (Str::exact(key), Str::exact(value)) else { break };
            (text, members) = (next, rest);
            F::start_element(&mut out, depth)?;
            write_member_name::<V, F::Scalars, F, B, true>(&mut out, name)?;
        }
        Ok((out, members))
    }
}

/// Writes an instance of a subclass of `str` and, if it is an item of a list, those of its type
/// that follow.
pub(super) struct SubclassTextsTask<'a, 'b, F, B: Buffer> {
    pub(super) text: Str<'a>,
    /// The items after it; empty if it is no item.
    pub(super) items: &'a [Option<Obj<'a>>],
    pub(super) out: Out<'b, B>,
    /// Open containers.
    pub(super) depth: usize,
    pub(super) format: PhantomData<F>,
}

impl<'a, 'b, F: Format, B: Buffer> Task for SubclassTextsTask<'a, 'b, F, B> {
    /// The items that are left.
    type Output = Result<(Out<'b, B>, &'a [Option<Obj<'a>>]), Raised>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self { mut text, mut items, mut out, depth, .. } = self;
        loop {
            let is_written = write_any_str::<V, F::Scalars, B, true>(&mut out, text, b',')?;
            debug_assert!(is_written, "the policy of a format left a text unwritten");
            let Some((&Some(item), rest)) = items.split_first() else { break };
            if item.type_obj() != text.obj().type_obj() {
                break;
            }
            let Some(next) = Str::any(item) else { break };
            (text, items) = (next, rest);
            prefetch_item(items);
            F::start_element(&mut out, depth)?;
        }
        Ok((out, items))
    }
}
