//! Writes leaves: actions that need neither the original object nor a frame.
//!
//! Separate from the walks because both use it; `#[inline(never)]` keeps it out of their loops.
//! Called by `untyped::walk` and `typed::walk`.

use snooze_core::arch::Vector;
use snooze_core::out::{Buffer, Out};

use crate::encode::action::Action;
use crate::encode::context::Context;
use crate::encode::format::Format;
use crate::encode::numpy;
use crate::py::Raised;
use crate::py::bytes::contents;

/// Writes a leaf; the walks handle all other actions themselves.
#[inline(never)]
pub(crate) fn write_leaf<'b, V: Vector, F: Format, B: Buffer>(
    mut out: Out<'b, B>,
    cx: &Context<'_>,
    action: Action,
    depth: usize,
) -> Result<Out<'b, B>, Raised> {
    if let Action::Array(array) = &action {
        return numpy::write::<V, F, B>(out, array, cx.datetime64_scale, cx.flags, depth);
    }
    write_small(&mut out, cx, action)?;
    Ok(out)
}

/// Writes a leaf that is no array: the same code in all tiers and formats.
#[inline(never)]
fn write_small<B: Buffer>(
    out: &mut Out<'_, B>,
    cx: &Context<'_>,
    action: Action,
) -> Result<(), Raised> {
    match action {
        Action::Uuid(text) => out.plain_string(&text, b',')?,
        Action::RawJson(bytes) => {
            cx.copies_json.set(true);
            out.raw(contents(bytes.get()))?;
            out.byte(b',')?;
        }
        Action::Null => out.null(b',')?,
        Action::Bool(value) => out.boolean(value, b',')?,
        Action::Signed(value) => out.int(value, b',')?,
        Action::Unsigned(value) => out.uint(value, b',')?,
        Action::Float(value) => out.float(value, b',')?,
        Action::Float32(value) => out.float32(value, b',')?,
        Action::Array(_)
        | Action::Str(_)
        | Action::Stamp(_)
        | Action::Int(_)
        | Action::EmptyContainer(_)
        | Action::OpenContainer(_)
        | Action::OpenDataclass(..)
        | Action::Replace { .. } => {}
    }
    Ok(())
}
