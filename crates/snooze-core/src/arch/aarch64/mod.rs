//! The tier of aarch64.

pub(super) mod neon;
