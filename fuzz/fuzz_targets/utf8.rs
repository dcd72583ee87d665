//! Property: measuring and decoding bytes agrees with the standard library, in every tier, into
//! buffers of exactly the measured size.
#![no_main]

use libfuzzer_sys::fuzz_target;
use snooze_core::arch::generic::utf8::{Target, Width, measure};
use snooze_core::arch::{Task, Vector};
use snooze_fuzz::every_tier;

#[derive(Clone, Copy)]
struct Decode<'a>(&'a [u8]);

type Decoded = (usize, Width, [Option<Vec<u32>>; 3]);

impl Task for Decode<'_> {
    type Output = Decoded;
    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Decoded {
        let measured = measure::<V>(self.0);
        let units = [self.units::<V, u8>(), self.units::<V, u16>(), self.units::<V, u32>()];
        (measured.chars(), measured.width(), units)
    }
}

impl Decode<'_> {
    fn units<V: Vector, T: Target + Into<u32>>(self) -> Option<Vec<u32>> {
        let measured = measure::<V>(self.0);
        let mut target = Box::new_uninit_slice(measured.chars());
        let valid = measured.decode::<V, T>(&mut target);
        // SAFETY: all units are initialised, because `decode` returned true.
        valid.then(|| unsafe { target.assume_init() }.iter().map(|&unit: &T| unit.into()).collect())
    }
}

fuzz_target!(|bytes: &[u8]| {
    let (chars, width, units) = every_tier(Decode(bytes));
    let text = std::str::from_utf8(bytes).ok();
    let codes = text.map(|text| text.chars().map(u32::from).collect::<Vec<_>>());
    let fits = |max| codes.clone().filter(|codes| codes.iter().all(|&code| code <= max));
    assert_eq!(units, [fits(0xff), fits(0xffff), fits(0x10_ffff)]);
    if let Some(codes) = &codes {
        let narrowest = if fits(0xff).is_some() {
            Width::Latin1
        } else if fits(0xffff).is_some() {
            Width::Ucs2
        } else {
            Width::Ucs4
        };
        assert_eq!((chars, width), (codes.len(), narrowest));
    }
});
