//! The check for a tier, and the entry into it.
//!
//! Separate from the kernels because this is where a tier becomes a type: `processor` is the folder
//! of the architecture that this build is for. Invariant: a [`Dispatch`] exists only for a tier
//! that this processor has. Called once by each `loads` and `dumps`.

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
        unsafe { processor::run(self.0, task) }
    }
}

/// The newest feature that this build assumes and the processor lacks, if there is one: nothing else
/// of this crate may be called then.
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

    #[test]
    fn detection_stays_at_or_below_the_limit() {
        for tier in Tier::ALL {
            assert!(Dispatch::detect(Some(tier)).tier() <= tier);
        }
        assert_eq!(Dispatch::detect(Some(Tier::Scalar)).tier(), Tier::Scalar);
    }
}
