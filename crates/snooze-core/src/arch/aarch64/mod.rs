//! The tiers of aarch64.

mod neon;
mod tiers;

pub(super) use tiers::{
    HAS_THREAD_POINTER, HAS_VECTORS, is_available, is_compiled, lacking, prefetch, run,
    thread_pointer,
};
