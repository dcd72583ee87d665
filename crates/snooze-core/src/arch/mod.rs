//! Processor tiers and the SIMD kernels: the only place with vector instructions.
//!
//! Separate because it is an unsafe boundary module: it touches raw memory and processor features,
//! and offers safe functions that are generic over [`Vector`].
//!
//! **Dispatch.** A whole walk (one `loads`, one `dumps`) is a [`Task`]. [`Dispatch::run`] enters it
//! once per call, through a function compiled for the tier, and everything the task calls is
//! inlined into that function. So short strings pay no indirect call, and each algorithm exists
//! once in the source, written over `V: Vector`.
//!
//! **Soundness.** Code outside this module cannot name the vector type of a tier. A task receives
//! one only from [`Dispatch::run`], and a [`Dispatch`] exists only for a tier that this processor
//! has ([`Dispatch::new`] checks). Every `unsafe` block of a vector type relies on that fact.
//!
//! Code that needs vectors but must not be inlined into the walk is a [`Task`] itself, called with
//! [`Vector::run_outlined`].
//!
//! From bottom to top:
//!
//! | file | contents |
//! |---|---|
//! | `lanes` | [`Lanes`]: the operations on the bytes of one vector |
//! | [`generic`] | the kernels, each written once over [`Lanes`] |
//! | `vector` | [`Vector`]: [`Lanes`] and the kernels that a tier may replace; [`Task`] |
//! | `scalar`, `x86_64`, `aarch64` | the vector types of the tiers, and how to enter each tier |
//! | `portable` | the entry on all other processors |
//! | `tier` | [`Tier`]: the names and order of the tiers |
//! | `dispatch` | [`Dispatch`]: the check for a tier, and the entry into it |
#![allow(unsafe_code)]

mod dispatch;
pub mod generic;
mod lanes;
mod scalar;
#[cfg(test)]
pub(crate) mod testing;
mod tier;
mod vector;

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
use aarch64 as processor;
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
use portable as processor;
#[cfg(target_arch = "x86_64")]
use x86_64 as processor;

pub use dispatch::{Dispatch, HAS_THREAD_POINTER, HAS_VECTORS, lacking, prefetch, thread_pointer};
pub use lanes::Lanes;
pub(crate) use scalar::Scalar;
pub use tier::Tier;
pub use vector::{Task, Vector};
