//! Property: `Reader` accepts the documents that serde_json accepts and reads the same values,
//! floats bit for bit.
//!
//! Differences: `Reader` refuses containers nested deeper than `MAX_DEPTH`, reads `-0` as an
//! integer (see `snooze_fuzz`), and leaves validating UTF-8 to its caller. In both, integers beyond
//! 64 bits become floats, and 1e400 and lone surrogates are refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::{Deserializer, Value};
use snooze_core::arch::{Task, Vector};
use snooze_core::error::{Error, ErrorKind};
use snooze_core::read::MAX_DEPTH;
use snooze_fuzz::{document, every_tier};

#[derive(Clone, Copy)]
struct Read<'a>(&'a [u8]);

impl Task for Read<'_> {
    type Output = Result<(Value, bool), Error>;
    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        document::<V>(self.0)
    }
}

fuzz_target!(|bytes: &[u8]| {
    let ours = every_tier(Read(bytes));
    if ours.as_ref().is_err_and(|error| error.kind == ErrorKind::Depth) {
        assert!(bytes.iter().filter(|byte| b"[{".contains(byte)).count() > MAX_DEPTH);
        return;
    }
    let mut deserializer = Deserializer::from_slice(bytes);
    deserializer.disable_recursion_limit();
    let mut values = deserializer.into_iter::<Value>();
    let theirs = values.next().filter(|_| values.next().is_none());
    match (ours, theirs) {
        // As values, -0.0 equals 0.0; as texts, they differ.
        (Ok((ours, true)), Some(Ok(theirs))) => {
            assert_eq!((&ours, ours.to_string()), (&theirs, theirs.to_string()))
        }
        (Ok((_, false)) | Err(_), None | Some(Err(_))) => {}
        (ours, theirs) => panic!("snooze-core: {ours:?}, serde_json: {theirs:?}"),
    }
});
