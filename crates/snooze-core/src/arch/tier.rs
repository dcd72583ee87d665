//! The tiers: their order and their names.
//!
//! Separate from `dispatch` because the files of each processor name tiers too. Invariant: tiers
//! are ordered from slowest to fastest.

/// A set of processor features that the kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// Eight bytes at a time in an integer register; runs on every processor.
    Scalar,
    /// 128 bits: SSE4.2 (x86-64-v2) or NEON.
    V128,
    /// 256 bits: AVX2 and BMI (x86-64-v3).
    Avx2,
    /// 512 bits with byte masks: AVX-512 F, BW, VL, DQ, VBMI, VBMI2 and IFMA (Ice Lake, Zen 4 and
    /// later).
    Avx512,
}

impl Tier {
    /// All tiers, slowest first.
    pub const ALL: [Tier; 4] = [Tier::Scalar, Tier::V128, Tier::Avx2, Tier::Avx512];

    /// The name that `SNOOZE_CPU` and `snooze.cpu_tiers()` use.
    pub fn name(self) -> &'static str {
        match self {
            Tier::Scalar => "scalar",
            Tier::V128 => "v128",
            Tier::Avx2 => "avx2",
            Tier::Avx512 => "avx512",
        }
    }

    /// The tier with this name.
    pub fn from_name(name: &str) -> Option<Tier> {
        Self::ALL.into_iter().find(|tier| tier.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for tier in Tier::ALL {
            assert_eq!(Tier::from_name(tier.name()), Some(tier));
        }
        assert_eq!(Tier::from_name("mmx"), None);
    }
}
