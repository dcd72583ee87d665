//! Floats are read back bit for bit as they were written, and decimals of any shape become the
//! double that the standard library makes of them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use snooze_core::error::ErrorKind;
use snooze_core::number::{Number, read};
use snooze_fuzz::{number_end, written};

/// Reads `text` to its end, as the standard library does and bit for bit.
fn check(text: &str) {
    let (ours, expected) = (read(text.as_bytes(), 0), text.parse::<f64>().unwrap());
    match ours {
        Ok((Number::Float(value), end)) => {
            assert_eq!((value.to_bits(), end), (expected.to_bits(), text.len()), "{text}");
        }
        Ok(_) => assert!(!text.contains(['.', 'e', 'E']), "an integer of {text}"),
        Err(fault) => {
            assert!(fault == (ErrorKind::Infinity, 0) && expected.is_infinite(), "{text}")
        }
    }
}

fuzz_target!(|input: &[u8]| {
    if let Some(&bytes) = input.first_chunk() {
        let (wide, narrow) = (f64::from_le_bytes(bytes), f64::from_le_bytes(bytes) as f32);
        let text = String::from_utf8(written(|out| out.float(wide, b',').unwrap())).unwrap();
        let text32 = String::from_utf8(written(|out| out.float32(narrow, b',').unwrap())).unwrap();
        let (text, text32) = (text.trim_end_matches(','), text32.trim_end_matches(','));
        assert!(if wide.is_finite() { text.parse() == Ok(wide) } else { text == "null" }, "{text}");
        let back = text32.parse::<f32>();
        assert!(if narrow.is_finite() { back == Ok(narrow) } else { text32 == "null" }, "{text32}");
        [text, text32].into_iter().filter(|&text| text != "null").for_each(check);
    }
    // Sixteen letters, most of them digits, so that most inputs are numbers.
    let letter = |byte: &u8| char::from(b"0123456789.eE+-0"[usize::from(byte & 15)]);
    let text: String = input.iter().map(letter).collect();
    match number_end(text.as_bytes()) {
        Ok(end) => check(&text[..end]),
        Err(fault) => assert_eq!(read(text.as_bytes(), 0), Err(fault), "{text}"),
    }
});
