//! Processor tiers and the SIMD kernels: the only place with vector instructions.
//!
//! Separate because it is an unsafe room: everything here that touches raw memory or a
//! processor feature is hidden behind safe functions generic over [`Vector`].
//!
//! **Dispatch.** A whole walk (one `loads`, one `dumps`) is a [`Task`]. [`Dispatch::run`] enters
//! it once per call through a function compiled for the tier, and everything the task calls is
//! inlined into that function. So short strings pay no indirect call, and there is one copy of
//! each algorithm, written over `V: Vector`.
//!
//! **Soundness.** The vector types of a tier cannot be named outside this module; a task only
//! ever receives one from [`Dispatch::run`], and a [`Dispatch`] exists only for a tier that this
//! processor has ([`Dispatch::new`] checks). That is the fact every `unsafe` block of a vector
//! type relies on.
//!
//! Code that must not be inlined into the walk but still wants vectors is a task of its own and
//! re-enters with [`Vector::enter`].
#![allow(unsafe_code)]

pub mod generic;
mod scalar;
pub mod vector;

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86_64;

pub(crate) use scalar::Scalar;
pub use vector::Vector;

/// A piece of work that is generic over the vector type.
///
/// `run` must be `#[inline(always)]`, or its body is compiled without the tier's features.
pub trait Task {
    /// What the task returns.
    type Output;
    /// Does the work with the vectors of one tier.
    fn run<V: Vector>(self) -> Self::Output;
}

/// A set of processor features that kernels are compiled for, slowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// Eight bytes at a time in an integer register; every processor.
    Scalar,
    /// 128 bits: SSE4.2 (x86-64-v2) or NEON.
    V128,
    /// 256 bits: AVX2 and BMI (x86-64-v3).
    Avx2,
    /// 512 bits with byte masks: AVX-512 F, BW, VL, DQ, VBMI, VBMI2 and IFMA (Ice Lake, Zen 4
    /// and later).
    Avx512,
}

impl Tier {
    /// Every tier there is, slowest first.
    pub const ALL: [Tier; 4] = [Tier::Scalar, Tier::V128, Tier::Avx2, Tier::Avx512];

    /// The name used by `SNOOZE_CPU` and by `snooze.cpu_tiers()`.
    pub fn name(self) -> &'static str {
        match self {
            Tier::Scalar => "scalar",
            Tier::V128 => "v128",
            Tier::Avx2 => "avx2",
            Tier::Avx512 => "avx512",
        }
    }

    /// The tier of that name.
    pub fn from_name(name: &str) -> Option<Tier> {
        Self::ALL.into_iter().find(|tier| tier.name() == name)
    }

    /// Whether this build has kernels for the tier.
    pub fn is_compiled(self) -> bool {
        match self {
            Tier::Scalar => true,
            Tier::V128 => cfg!(any(target_arch = "x86_64", target_arch = "aarch64")),
            Tier::Avx2 | Tier::Avx512 => cfg!(target_arch = "x86_64"),
        }
    }

    /// Whether this build and this processor can run the tier.
    pub fn is_runnable(self) -> bool {
        self.is_compiled() && self.processor_has()
    }

    #[cfg(target_arch = "x86_64")]
    fn processor_has(self) -> bool {
        match self {
            Tier::Scalar => true,
            Tier::V128 => x86_64::sse42::is_available(),
            Tier::Avx2 => x86_64::avx2::is_available(),
            Tier::Avx512 => x86_64::avx512::is_available(),
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn processor_has(self) -> bool {
        // NEON is part of the aarch64 baseline.
        true
    }
}

/// The proof that a tier can run here, and the door into it.
#[derive(Clone, Copy, Debug)]
pub struct Dispatch(Tier);

impl Dispatch {
    /// The door into `tier`, if this processor has it.
    pub fn new(tier: Tier) -> Option<Dispatch> {
        tier.is_runnable().then_some(Dispatch(tier))
    }

    /// The best tier of this processor, or the best one not above `limit`.
    pub fn detect(limit: Option<Tier>) -> Dispatch {
        let limit = limit.unwrap_or(Tier::Avx512);
        let best = Tier::ALL.into_iter().rev().find(|&t| t <= limit && t.is_runnable());
        Dispatch(best.unwrap_or(Tier::Scalar))
    }

    /// The tier behind the door.
    pub fn tier(self) -> Tier {
        self.0
    }

    /// Runs `task` with the vectors of this tier.
    #[inline(always)]
    pub fn run<T: Task>(self, task: T) -> T::Output {
        // PERF: no `match`, which becomes a jump by a table: 1.5 ns of each call (2026-11-21).
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the processor has the tier, because `Dispatch::new`/`detect` checked it.
        unsafe {
            if self.0 >= Tier::Avx512 {
                return x86_64::avx512::Avx512::call(task);
            }
            if self.0 >= Tier::Avx2 {
                return x86_64::avx2::Avx2::call(task);
            }
            if self.0 >= Tier::V128 {
                return x86_64::sse42::Sse42::call(task);
            }
        }
        #[cfg(target_arch = "aarch64")]
        if self.0 >= Tier::V128 {
            // SAFETY: NEON is part of the aarch64 baseline.
            return unsafe { aarch64::neon::Neon::call(task) };
        }
        // SAFETY: needs no feature.
        unsafe { scalar::Scalar::call(task) }
    }
}

/// Has the line at an address brought into the cache. Any address will do.
#[inline(always)]
pub fn prefetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint, which faults at no address; part of the baseline.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

#[cfg(test)]
pub(crate) mod testing {
    //! Runs a closure-like test once for every tier of this machine.
    use super::{Dispatch, Task, Tier, Vector};

    /// A test body generic over the vector type.
    pub(crate) trait TierTest {
        fn check<V: Vector>(&self);
    }

    struct Run<'a, T>(&'a T);

    impl<T: TierTest> Task for Run<'_, T> {
        type Output = ();
        #[inline(always)]
        fn run<V: Vector>(self) {
            self.0.check::<V>();
        }
    }

    /// Runs the test in every tier that this processor has.
    pub(crate) fn for_each_tier(test: &impl TierTest) {
        for tier in Tier::ALL {
            if let Some(dispatch) = Dispatch::new(tier) {
                dispatch.run(Run(test));
            }
        }
    }

    /// Units at the end of an allocation of exactly `offset` more, so that a read or write beyond
    /// them is one beyond the allocation, which address sanitizer and valgrind see.
    pub(crate) struct Placed<T>(Box<[T]>, usize);

    impl<T: Copy + Default> Placed<T> {
        pub(crate) fn new(offset: usize, units: &[T]) -> Self {
            Self([&vec![T::default(); offset], units].concat().into_boxed_slice(), offset)
        }

        pub(crate) fn units(&self) -> &[T] {
            &self.0[self.1..]
        }

        pub(crate) fn as_mut_ptr(&mut self) -> *mut T {
            self.0[self.1..].as_mut_ptr()
        }
    }

    /// Every length up to 200 at every alignment of a vector, and a place inside that length.
    pub(crate) fn every_place() -> impl Iterator<Item = (usize, usize, usize)> {
        (0..64).flat_map(|offset| {
            (0..=200).map(move |len| (offset, len, (37 * offset + 11 * len) % len.max(1)))
        })
    }

    #[test]
    fn names_round_trip_and_the_limit_holds() {
        for tier in Tier::ALL {
            assert_eq!(Tier::from_name(tier.name()), Some(tier));
            assert!(Dispatch::detect(Some(tier)).tier() <= tier);
        }
        assert_eq!(Tier::from_name("mmx"), None);
        assert_eq!(Dispatch::detect(Some(Tier::Scalar)).tier(), Tier::Scalar);
    }
}
