//! The check for a tier, and the entry into it.
//!
//! Separate from the kernels because this is where a tier becomes a type: `processor` is the folder
//! of the architecture that this build is for. Invariant: a [`Dispatch`] exists only for a tier
//! that this processor has. Called once by each `loads` and `dumps`, and where other work enters a
//! tier.

use super::{Task, Tier, processor};

impl Tier {
    /// Whether this build has kernels for the tier.
    pub fn is_compiled(self) -> bool {
        processor::is_compiled(self)
    }

    /// Whether this build and this processor can run the tier.
    pub fn is_runnable(self) -> bool {
        self.is_compiled() && processor::is_available(self)
    }
}

/// The proof that this processor has a tier, and the entry into that tier.
#[derive(Clone, Copy, Debug)]
pub struct Dispatch(Tier);

impl Dispatch {
    /// The entry into `tier`, if this processor has it.
    pub fn new(tier: Tier) -> Option<Dispatch> {
        tier.is_runnable().then_some(Dispatch(tier))
    }

    /// The entry into the fastest tier of this processor that is not above `limit`.
    pub fn detect(limit: Option<Tier>) -> Dispatch {
        let limit = limit.unwrap_or(Tier::Avx512);
        let best = Tier::ALL.into_iter().rev().find(|&t| t <= limit && t.is_runnable());
        Dispatch(best.unwrap_or(Tier::Scalar))
    }

    /// The tier that this enters.
    pub fn tier(self) -> Tier {
        self.0
    }

    /// Runs `task` with the vectors of this tier.
    #[inline(always)]
    pub fn run<T: Task>(self, task: T) -> T::Output {
        // SAFETY: the processor has the tier, because `new` and `detect` checked it.
        unsafe { processor::run::<{ usize::MAX }, T>(self.0, task) }
    }

    /// Runs `task` with the vectors of this tier, or with 256 bits if it has wider ones.
    ///
    /// For tasks that gain little from wider ones: each copy of a walk is tens of kilobytes.
    #[inline(always)]
    pub fn run_medium<T: Task>(self, task: T) -> T::Output {
        // SAFETY: the processor has the tier, because `new` and `detect` checked it.
        unsafe { processor::run::<256, T>(self.0, task) }
    }

    /// Runs `task` with the vectors of this tier, or with 128 bits if it has wider ones.
    ///
    /// For rare tasks.
    #[inline(always)]
    pub fn run_narrow<T: Task>(self, task: T) -> T::Output {
        // SAFETY: the processor has the tier, because `new` and `detect` checked it.
        unsafe { processor::run::<128, T>(self.0, task) }
    }
}

/// Whether each processor of this build has vectors, so that the scalar tier runs only on request.
pub const HAS_VECTORS: bool = processor::HAS_VECTORS;

/// The newest feature that this build assumes and the processor lacks, if there is one: nothing
/// else of this crate may be called then.
pub fn lacking() -> Option<&'static str> {
    processor::lacking()
}

/// Asks the processor to load the cache line at `address`, which may be any address.
#[inline(always)]
pub fn prefetch<T>(address: *const T) {
    processor::prefetch(address);
}

/// Whether [`thread_pointer`] knows the address on this system.
pub const HAS_THREAD_POINTER: bool = processor::HAS_THREAD_POINTER;

/// The address of this thread's local storage, which differs from that of any other thread that
/// lives; zero unless [`HAS_THREAD_POINTER`].
#[inline(always)]
pub fn thread_pointer() -> usize {
    processor::thread_pointer()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_have_different_pointers() {
        let here = thread_pointer();
        assert_eq!(thread_pointer(), here);
        let there = std::thread::spawn(thread_pointer).join();
        assert_eq!(there.is_ok_and(|there| there != here), HAS_THREAD_POINTER);
    }

    struct Lanes;

    impl Task for Lanes {
        type Output = usize;

        fn with_vectors<V: crate::arch::Vector>(self) -> usize {
            V::LANES
        }
    }

    #[test]
    fn tasks_have_at_most_the_lanes_that_they_ask_for() {
        for dispatch in Tier::ALL.into_iter().filter_map(Dispatch::new) {
            assert_eq!(dispatch.run_medium(Lanes), dispatch.run(Lanes).min(32));
            assert_eq!(dispatch.run_narrow(Lanes), dispatch.run(Lanes).min(16));
        }
        assert!(!HAS_VECTORS || Dispatch::detect(None).run(Lanes) > 8);
    }

    #[test]
    fn detection_stays_at_or_below_the_limit() {
        for tier in Tier::ALL {
            assert!(Dispatch::detect(Some(tier)).tier() <= tier);
        }
        assert_eq!(Dispatch::detect(Some(Tier::Scalar)).tier(), Tier::Scalar);
    }
}
