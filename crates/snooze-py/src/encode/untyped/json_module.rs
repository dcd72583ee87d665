//! The text that `json.dumps` would give, for objects that need no Python code.
//!
//! Separate because it returns a `str`, in a style, and gives up where `dumps` has a rule of its
//! own: at subclasses, integers beyond 64 bits, NaN, keys that are not `str`, deep nesting.
//! Invariant: no Python code runs but `default`, whose calls are recorded, so that the caller can
//! begin again with Python's own code; `TypeError` and `ValueError` mean that. The caller
//! escapes DEL, too. Called by `module::functions` for `snooze.json`.

use core::cell::Cell;
use core::mem::MaybeUninit;

use snooze_core::out::Style;

use crate::encode::context::Context;
use crate::encode::entry;
use crate::encode::untyped::walk::{DumpsWalk, Scratch};
use crate::options::EncodeFlags;
use crate::pool::Pool;
use crate::py::output::{INLINE, Output, StyledOutput};
use crate::py::{Attached, Obj, Owned, Raised, singletons};
use crate::runtime::Runtime;

/// Returns the text of an object; `sorts`: by the names of members. `default` is None, a tuple, see
/// `json_default`, or True: then the result is None if there is an object for `default`, and
/// everything else could be written.
pub(crate) fn json_dumps(
    runtime: &Runtime,
    pool: &Pool<Scratch>,
    py: &mut Attached,
    object: Obj<'_>,
    style: Style,
    sorts: bool,
    default: Option<Obj<'_>>,
) -> Result<Owned, Raised> {
    let mut flags = EncodeFlags::default().with(EncodeFlags::PASSTHROUGH_SUBCLASS);
    if sorts {
        flags = flags.with(EncodeFlags::SORT_KEYS);
    }
    let mut inline = [const { MaybeUninit::uninit() }; INLINE];
    let _in_progress = runtime.calls.enter()?;
    let mut scratch = pool.take()?;
    let output = Output::of_text(&mut inline, runtime.output_past.here(), runtime.direct);
    let mut output = StyledOutput::new(output, style);
    let Scratch { stack, types } = &mut *scratch;
    let mut cx = Context::new(runtime, flags, default.map(Obj::to_owned), types);
    cx.probed = default.filter(|&default| singletons::is_true(default)).map(|_| Cell::new(false));
    let walk = DumpsWalk { cx: &mut cx, py, object, output: &mut output, stack };
    let written = entry::write_styled(runtime, walk);
    let is_probe = cx.probed.as_ref().is_some_and(Cell::get);
    drop(cx);
    scratch.stack.clear();
    pool.put(scratch);
    let len = written?;
    if is_probe {
        return Ok(singletons::none(py));
    }
    output.finish_as_text(py, len)
}
