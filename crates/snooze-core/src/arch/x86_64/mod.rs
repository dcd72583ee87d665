//! The tiers of x86-64. The file of each tier has the same methods in the same order, so that they
//! can be read side by side.

mod avx2;
mod avx512;
mod baseline;
mod decimals;
mod decode_128;
mod decode_512;
mod digits;
mod encode_128;
mod encode_256;
mod encode_512;
mod narrow_512;
mod partial;
mod shortest_256;
mod shortest_512;
mod sse42;
mod tiers;

pub(super) use baseline::lacking;
pub(super) use tiers::{
    HAS_THREAD_POINTER, HAS_VECTORS, is_available, is_compiled, prefetch, run, thread_pointer,
};
