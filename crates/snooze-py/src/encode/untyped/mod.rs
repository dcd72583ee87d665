//! Untyped encoding: `dumps`, and the fast path of `snooze.json`.
//!
//! `walk` is the entry and the owning walk; it starts `borrowed`, the borrowed walk, whose open
//! containers are in `borrowed_frame`; `runs_python` knows what that need not try. `texts` writes
//! runs of texts in lists and dicts, `other` what is neither an exact scalar nor an exact
//! container, and `dataclass` the fields of instances for both walks. `prefetch` asks the processor
//! for what is written next. `path` finds the place of what cannot be written; `one_token` writes
//! `None`, booleans and single digits without a walk. `json_module` starts the same walk in another
//! format, in which `json_default` calls `default`. Everything else is beside this folder, shared
//! with `typed`. Called by `module::functions`.

pub(crate) mod borrowed;
mod borrowed_frame;
pub(crate) mod dataclass;
mod json_default;
mod json_module;
mod one_token;
mod other;
mod path;
mod prefetch;
mod runs_python;
mod texts;
pub(crate) mod walk;

pub(crate) use self::json_module::json_dumps;
pub(crate) use self::walk::{Scratch, dumps};
