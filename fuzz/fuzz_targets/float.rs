//! Property: a written float reads back bit for bit, and a decimal of any shape becomes the same
//! double as with the standard library.
#![no_main]

use libfuzzer_sys::fuzz_target;
use snooze_core::error::ErrorKind;
use snooze_core::number::{Number, read};
use snooze_fuzz::{number_end, written};

/// Checks that `text` is read to its end, with the same bits as the standard library.
fn check(text: &str) {
    let (ours, expected) = (read(text.as_bytes(), 0), text.parse::<f64>().unwrap());
    match ours {
        Ok((Number::Float(value), end)) => {
            assert_eq!((value.to_bits(), end), (expected.to_bits(), text.len()), "{text}");
        }
        Ok(_) => assert!(!text.contains(['.', 'e', 'E']), "{text} became an integer"),
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
    // Sixteen characters, most of them digits, so that most inputs are numbers.
    let character = |byte: &u8| char::from(b"0123456789.eE+-0"[usize::from(byte & 15)]);
    let text: String = input.iter().map(character).collect();
    match number_end(text.as_bytes()) {
        Ok(end) => check(&text[..end]),
        Err(fault) => assert_eq!(read(text.as_bytes(), 0), Err(fault), "{text}"),
    }
});
