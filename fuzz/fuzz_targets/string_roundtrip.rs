//! Property: text of one, two or four bytes a character (the first byte of the input decides) reads
//! back as it was written; text that is not Unicode is refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use snooze_core::arch::generic::escape::Unit;
use snooze_core::arch::{Task, Vector};
use snooze_core::out::TextError;
use snooze_core::read::Reader;
use snooze_fuzz::{every_tier, written};

#[derive(Clone, Copy)]
struct RoundTrip<'a, U>(&'a [U]);

impl<U: Unit> Task for RoundTrip<'_, U> {
    type Output = Vec<u8>;
    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Vec<u8> {
        let text: Option<String> = self.0.iter().map(|unit| char::from_u32(unit.code())).collect();
        let expected = if text.is_some() { Ok(()) } else { Err(TextError::Surrogate) };
        let json = written(|out| assert_eq!(out.text::<V>(self.0, b','), expected));
        let Some(text) = text else { return json };
        if text.is_ascii() {
            assert_eq!(json, written(|out| out.ascii::<V>(text.as_bytes(), b',').unwrap()));
        }
        let (mut reader, mut scratch) = (Reader::<V>::new(&json).unwrap(), Vec::new());
        let read = reader.string(&mut scratch).unwrap();
        assert_eq!((read.bytes, read.ascii), (text.as_bytes(), text.is_ascii()));
        assert_eq!(json[reader.offset()..], *b",");
        json
    }
}

fuzz_target!(|input: &[u8]| {
    let Some((&width, bytes)) = input.split_first() else { return };
    let (pairs, fours) = (bytes.as_chunks().0, bytes.as_chunks().0);
    match width % 3 {
        0 => every_tier(RoundTrip(bytes)),
        1 => {
            every_tier(RoundTrip(&pairs.iter().map(|&b| u16::from_le_bytes(b)).collect::<Vec<_>>()))
        }
        _ => {
            every_tier(RoundTrip(&fours.iter().map(|&b| u32::from_le_bytes(b)).collect::<Vec<_>>()))
        }
    };
});
