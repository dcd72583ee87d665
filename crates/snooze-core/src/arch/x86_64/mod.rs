//! The tiers of x86-64. Each file has the same names in the same order, so that they can be
//! read side by side.

pub(super) mod avx2;
pub(super) mod avx512;
mod decimals;
mod decode_512;
mod digits;
mod encode_128;
mod encode_512;
pub(super) mod sse42;
