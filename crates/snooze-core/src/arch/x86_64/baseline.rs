//! Whether the processor has what this build assumes everywhere: x86-64-v2.
//!
//! Separate from the tiers, which `is_x86_feature_detected!` decides: it answers yes without
//! looking for a feature that the whole build is compiled with. Invariant: nothing here needs more
//! than the processor's own report. Called once for each import, before anything else.

use core::arch::x86_64::__cpuid;

/// Features of the build: their bit in ECX of leaf 1 of CPUID (Intel's manual, volume 2, CPUID),
/// and the name of the feature.
const NEEDED: [(bool, u32, &str); 5] = [
    (cfg!(target_feature = "sse3"), 0, "SSE3"),
    (cfg!(target_feature = "ssse3"), 9, "SSSE3"),
    (cfg!(target_feature = "sse4.1"), 19, "SSE4.1"),
    (cfg!(target_feature = "sse4.2"), 20, "SSE4.2"),
    (cfg!(target_feature = "popcnt"), 23, "POPCNT"),
];

/// The newest feature that this build needs and the processor lacks.
pub(in super::super) fn lacking() -> Option<&'static str> {
    // SAFETY: the instruction exists, because every x86-64 processor has it, and so has leaf 1.
    #[allow(unused_unsafe, reason = "a safe function in newer compilers")]
    let reported = unsafe { __cpuid(1) }.ecx;
    lacking_in(reported)
}

/// The newest feature that the build needs and that is missing in ECX of leaf 1.
fn lacking_in(reported: u32) -> Option<&'static str> {
    let mut newest = None;
    for (is_needed, bit, name) in NEEDED {
        if is_needed && reported >> bit & 1 == 0 {
            newest = Some(name);
        }
    }
    newest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_processor_has_what_the_build_needs() {
        assert_eq!(lacking(), None);
    }

    #[test]
    fn old_processors_are_told_apart() {
        let core_2 = 1 | 1 << 9; // SSE3 and SSSE3, no SSE4
        let nehalem = core_2 | 1 << 19 | 1 << 20 | 1 << 23;
        assert_eq!(lacking_in(nehalem), None);
        let is_v2 = cfg!(target_feature = "sse4.2") && cfg!(target_feature = "popcnt");
        assert_eq!(lacking_in(core_2), is_v2.then_some("POPCNT"));
        assert_eq!(lacking_in(core_2 | 1 << 23), is_v2.then_some("SSE4.2"));
    }
}
