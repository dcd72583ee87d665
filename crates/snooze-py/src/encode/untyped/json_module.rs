//! The text that `json.dumps` would give, for objects that need no Python code.
//!
//! Separate because it returns a `str`, in a style, and gives up where `dumps` has a rule of its
//! own: at subclasses, integers beyond 64 bits, NaN, keys that are not `str`, deep nesting.
//! Invariant: no Python code runs but `default`, whose calls are recorded, so that the caller can
//! begin again with Python's own code; any exception but `MemoryError` means that. Called by
//! `module::functions` for `snooze.json`.

use core::mem::MaybeUninit;

use snooze_core::out::Style;

use crate::encode::context::Context;
use crate::encode::entry;
use crate::encode::untyped::walk::{DumpsWalk, Scratch};
use crate::options::Config;
use crate::pool::Pool;
use crate::py::output::{INLINE, Output, StyledOutput};
use crate::py::{Attached, Obj, Owned, Raised, error};
use crate::runtime::Runtime;

/// DEL, which `json.dumps` escapes in ASCII output and nothing here does.
const DELETE: u8 = 0x7f;

/// Returns the text of an object; `sorts`: by the names of members. `default` is None or a tuple, see
/// `json_default`.
pub(crate) fn json_dumps(
    runtime: &Runtime,
    pool: &Pool<Scratch>,
    py: &mut Attached,
    object: Obj<'_>,
    style: Style,
    sorts: bool,
    default: Option<Obj<'_>>,
) -> Result<Owned, Raised> {
    let mut config = Config::default().with(Config::PASSTHROUGH_SUBCLASS);
    if sorts {
        config = config.with(Config::SORT_KEYS);
    }
    let mut inline = [const { MaybeUninit::uninit() }; INLINE];
    let mut scratch = pool.take()?;
    let output = Output::of_text(&mut inline, runtime.output_past.here(), runtime.direct);
    let mut output = StyledOutput::new(output, style);
    let Scratch { stack, types } = &mut *scratch;
    let mut cx = Context::new(runtime, config, default.map(Obj::to_owned), types);
    let walk = DumpsWalk { cx: &mut cx, py, object, output: &mut output, stack };
    let written = entry::write_styled(runtime, walk);
    drop(cx);
    scratch.stack.clear();
    pool.put(scratch);
    let len = written?;
    if style.ascii && output.written(len).contains(&DELETE) {
        return Err(error::type_error(c"not for the fast writer"));
    }
    output.finish_as_text(py, len)
}
