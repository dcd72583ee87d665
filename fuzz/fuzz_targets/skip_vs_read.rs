//! Property: `Reader::skip` accepts the documents that a reader which builds values accepts, and
//! otherwise reports the same fault at the same offset, except that a number beyond the range of a
//! double is no fault; `Reader::skip_fast` ends at the same offset as a successful `skip`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use snooze_core::arch::{Task, Vector};
use snooze_core::error::Error;
use snooze_core::read::Reader;
use snooze_fuzz::{document_with_any_number, every_tier};

#[derive(Clone, Copy)]
struct SkipVsRead<'a>(&'a [u8]);

impl Task for SkipVsRead<'_> {
    type Output = Result<(), Error>;
    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let built = document_with_any_number::<V>(self.0).map(|_| ());
        assert_eq!(skipped::<V>(self.0), built);
        built
    }
}

/// Skips the document in both ways; returns the result of the checking one.
fn skipped<V: Vector>(bytes: &[u8]) -> Result<(), Error> {
    let mut reader = Reader::<V>::new(bytes)?;
    let mut fast = Reader::<V>::resume(bytes, reader.offset());
    let (checked, found) = (reader.skip(0), fast.skip_fast(0));
    assert!(fast.offset() <= bytes.len());
    if let Ok(ascii) = checked {
        assert_eq!(ascii, reader.span_from(0).is_ascii());
        assert_eq!((found, fast.offset()), (checked, reader.offset()));
    }
    checked?;
    reader.finish()
}

fuzz_target!(|bytes: &[u8]| {
    let result = every_tier(SkipVsRead(bytes));
    assert!(
        result.is_ok_and(|()| !bytes.is_empty()) || result.is_err_and(|e| e.offset <= bytes.len())
    );
});
