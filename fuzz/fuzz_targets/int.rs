//! Property: integers are written as the standard library writes them, and read back unchanged; any
//! number of digits becomes the same value as with `i128` and `f64` of the standard library.
#![no_main]

use libfuzzer_sys::fuzz_target;
use snooze_core::error::ErrorKind;
use snooze_core::number::{Number, read};
use snooze_fuzz::{number_end, written};

/// The number that the standard library reads, with orjson's choice of the type.
fn expected(text: &str) -> Result<Number, ErrorKind> {
    let exact: Option<i128> = text.parse().ok();
    if let Some(value) = exact.and_then(|value| i64::try_from(value).ok()) {
        return Ok(Number::Int(value));
    }
    if let Some(value) = exact.and_then(|value| u64::try_from(value).ok()) {
        return Ok(Number::UInt(value));
    }
    let float: f64 = text.parse().unwrap();
    if float.is_infinite() { Err(ErrorKind::Infinity) } else { Ok(Number::Float(float)) }
}

fuzz_target!(|input: &[u8]| {
    if let Some(&bytes) = input.first_chunk() {
        let (signed, unsigned) = (i64::from_le_bytes(bytes), u64::from_le_bytes(bytes));
        assert_eq!(written(|out| out.int(signed, b',').unwrap()), format!("{signed},").as_bytes());
        let text = written(|out| out.uint(unsigned, b',').unwrap());
        assert_eq!(text, format!("{unsigned},").as_bytes());
        for text in [signed.to_string(), unsigned.to_string()] {
            assert_eq!(read(text.as_bytes(), 0), Ok((expected(&text).unwrap(), text.len())));
        }
    }
    let digit = |byte: &u8| if *byte == b'-' { '-' } else { char::from(b'0' + byte % 10) };
    let text: String = input.iter().map(digit).collect();
    match number_end(text.as_bytes()) {
        Ok(end) => match expected(&text[..end]) {
            Ok(number) => assert_eq!(read(text.as_bytes(), 0), Ok((number, end)), "{text}"),
            Err(kind) => assert_eq!(read(text.as_bytes(), 0), Err((kind, 0)), "{text}"),
        },
        Err(fault) => assert_eq!(read(text.as_bytes(), 0), Err(fault), "{text}"),
    }
});
