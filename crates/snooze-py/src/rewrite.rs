//! JSON text in, other JSON text out: another style, or the canonical form.
//!
//! Separate from `encode` and `decode`, because no Python object is built or read in between.
//! Called by `module`: for `reformat` and `canonicalize`, and for encoders with a style.

use core::mem::MaybeUninit;

use snooze_core::arch::{Task, Vector};
use snooze_core::error::Error;
use snooze_core::out::{NoMemory, Out};
use snooze_core::rewrite::{
    NearlyCanonical, ascii_run, canonical, canonical_if_near, checked, restyle, write_ascii,
};

use crate::decode::error::raise_json_error;
use crate::decode::input::read_input;
use crate::py::input::Holder;
use crate::py::output::{INLINE, Output, Written};
use crate::py::{Attached, Obj, Owned, Raised, bytes, error};
use crate::runtime::Runtime;
use crate::text_layout::TextLayout;

/// The text of `object` in a layout, as `bytes`; raises `JSONDecodeError` if it is no document.
pub(crate) fn reformat(
    runtime: &Runtime,
    py: &mut Attached,
    object: Obj<'_>,
    layout: TextLayout,
) -> Result<Owned, Raised> {
    let mut holder = Holder::default();
    let input = read_input(runtime, py, object, &mut holder)?;
    if let Err(fault) = runtime.dispatch.run(Check(input.bytes())) {
        return Err(raise_json_error(runtime, object, input, fault));
    }
    let mut inline = [const { MaybeUninit::uninit() }; INLINE];
    let mut output = Output::new(&mut inline, runtime.output_past.here());
    let len = lay_out(runtime, input.bytes(), layout, &mut output)?;
    output.finish(len)
}

/// The canonical form of the document in `object`, as `bytes`; raises `JSONDecodeError` if it is no
/// document or has no canonical form.
pub(crate) fn canonicalize(
    runtime: &Runtime,
    py: &Attached,
    object: Obj<'_>,
) -> Result<Owned, Raised> {
    let mut holder = Holder::default();
    let input = read_input(runtime, py, object, &mut holder)?;
    match runtime.dispatch.run_narrow(Canonical(input.bytes())) {
        Ok(text) => Ok(bytes::new(py, &text)?.into_owned()),
        Err(fault) => Err(raise_json_error(runtime, object, input, fault)),
    }
}

/// The canonical form of a text that an encoder wrote with sorted members, as `bytes`; raises
/// `JSONDecodeError` if it has none.
pub(crate) fn canonical_of_written(
    runtime: &Runtime,
    py: &Attached,
    output: Output<'_>,
    written: Written,
) -> Result<Owned, Raised> {
    let text = output.written(written.len);
    // Foreign numbers may have digits that no encoder writes.
    let found = match written.copies_json || written.has_number_texts {
        true => NearlyCanonical::Undecided,
        false => runtime.dispatch.run(CanonicalIfNear { text, is_ordered: written.is_ordered }),
    };
    match found {
        NearlyCanonical::Unchanged => output.finish(written.len),
        NearlyCanonical::Rewritten(text) => Ok(bytes::new(py, &text)?.into_owned()),
        NearlyCanonical::Undecided => {
            let text = output.finish(written.len)?;
            canonicalize(runtime, py, text.get())
        }
    }
}

/// Writes the text of an encoder in a layout, and passes the output and its length on.
///
/// PERF: a text that has its white space and only must be ASCII needs no look at its tokens, and
/// mostly is ASCII. White space of foreign JSON is dropped, so that such text takes the long way.
#[inline(never)]
pub(crate) fn in_layout(
    runtime: &Runtime,
    py: &mut Attached,
    mut output: Output<'_>,
    written: Written,
    layout: TextLayout,
    make_result: impl FnOnce(&mut Attached, Output<'_>, usize) -> Result<Owned, Raised>,
) -> Result<Owned, Raised> {
    let Written { mut len, copies_json, .. } = written;
    let mut inline = [const { MaybeUninit::uninit() }; INLINE];
    if copies_json || !layout.is_spaced {
        let mut other = output.like(&mut inline);
        len = lay_out(runtime, output.written(len), layout, &mut other)?;
        drop(output);
        return make_result(py, other, len);
    }
    let plain = runtime.dispatch.run(AsciiRun(output.written(len)));
    if plain == len {
        if layout.newline {
            let mut out = Out::resume(&mut output, len)?;
            out.byte(b'\n')?;
            len = out.len();
        }
        return make_result(py, output, len);
    }
    let mut escaped = output.like(&mut inline);
    let task = Escape { text: output.written(len), plain, layout, output: &mut escaped };
    len = runtime.dispatch.run(task).map_err(|NoMemory| error::no_memory())?;
    drop(output);
    make_result(py, escaped, len)
}

/// Writes a document in a layout; returns the number of bytes.
#[inline(never)]
fn lay_out(
    runtime: &Runtime,
    text: &[u8],
    layout: TextLayout,
    output: &mut Output<'_>,
) -> Result<usize, Raised> {
    let task = LayOut { text, layout, output };
    runtime.dispatch.run(task).map_err(|NoMemory| error::no_memory())
}

struct Check<'a>(&'a [u8]);

impl Task for Check<'_> {
    type Output = Result<(), Error>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        checked::<V>(self.0)
    }
}

struct Canonical<'a>(&'a [u8]);

impl Task for Canonical<'_> {
    type Output = Result<Vec<u8>, Error>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        canonical::<V>(self.0)
    }
}

struct CanonicalIfNear<'a> {
    text: &'a [u8],
    is_ordered: bool,
}

impl Task for CanonicalIfNear<'_> {
    type Output = NearlyCanonical;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        canonical_if_near::<V>(self.text, self.is_ordered)
    }
}

struct AsciiRun<'a>(&'a [u8]);

impl Task for AsciiRun<'_> {
    type Output = usize;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        ascii_run::<V>(self.0)
    }
}

struct Escape<'a, 'o> {
    text: &'a [u8],
    /// The bytes that begin the text and need no escapes.
    plain: usize,
    layout: TextLayout,
    output: &'a mut Output<'o>,
}

impl Task for Escape<'_, '_> {
    type Output = Result<usize, NoMemory>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let mut out = Out::new(self.output)?;
        out.raw(self.text.get(..self.plain).unwrap_or(&[]))?;
        write_ascii::<V, _>(self.text, self.plain, self.text.len(), &mut out)?;
        if self.layout.newline {
            out.byte(b'\n')?;
        }
        Ok(out.len())
    }
}

struct LayOut<'a, 'o> {
    text: &'a [u8],
    layout: TextLayout,
    output: &'a mut Output<'o>,
}

impl Task for LayOut<'_, '_> {
    type Output = Result<usize, NoMemory>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let mut out = Out::new(self.output)?;
        restyle::<V, _>(self.text, &self.layout.style, &mut out)?;
        if self.layout.newline {
            out.byte(b'\n')?;
        }
        Ok(out.len())
    }
}
