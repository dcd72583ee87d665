//! The tiers of aarch64.

mod neon;
mod tiers;

pub(super) use tiers::{is_available, is_compiled, lacking, prefetch, run};
