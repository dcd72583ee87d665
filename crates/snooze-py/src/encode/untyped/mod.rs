//! Untyped encoding: `dumps`.
//!
//! `walk` is the entry and the owning walk; it starts `borrowed`, the borrowed walk, whose open
//! containers are in `borrowed_frame`. `sorted` orders members for `borrowed`; `dataclass` writes
//! the fields of instances for both. Everything else is beside this folder, shared with `typed`.
//! Called by `module::functions`.

pub(crate) mod borrowed;
mod borrowed_frame;
pub(crate) mod dataclass;
pub(crate) mod sorted;
pub(crate) mod walk;

pub(crate) use self::walk::{Scratch, dumps};
