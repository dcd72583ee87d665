//! `dumps`: `walk` is the loop, `borrowed` writes trees in which no Python code can run, `sorted` orders
//! the members of dicts there, `dataclass` writes instances.

pub(crate) mod borrowed;
pub(crate) mod dataclass;
pub(crate) mod sorted;
pub(crate) mod walk;

pub(crate) use self::walk::{Scratch, dumps};
