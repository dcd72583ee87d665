//! Property: whatever the bytes, every dialect reads them or reports a fault inside them; what a dialect
//! reads as JSON is JSON, with the same value where the document is JSON; offsets lead back into the
//! document.
#![no_main]

use libfuzzer_sys::fuzz_target;
use snooze_core::arch::{Task, Vector};
use snooze_core::dialect::{Origins, Rules, Surrogates, Syntax, path_to, to_plain};
use snooze_core::error::{Error, ErrorKind};
use snooze_fuzz::{document, every_tier};

#[derive(Clone, Copy)]
struct Read<'a>(&'a [u8], Rules);

impl Task for Read<'_> {
    type Output = Result<Vec<u8>, Error>;
    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self(bytes, rules) = self;
        let mut plain = Vec::new();
        to_plain::<V>(bytes, rules, &mut plain, &mut Origins::default())?;
        let wanted: Vec<usize> = (0..=plain.len()).collect();
        let mut origins = Origins::of(&wanted);
        to_plain::<V>(bytes, rules, &mut Vec::new(), &mut origins)?;
        let found = origins.found;
        assert_eq!(found.len(), wanted.len());
        assert!(found.is_sorted());
        assert!(found.iter().all(|&offset| offset <= bytes.len()));
        match document::<V>(&plain) {
            Ok((value, is_utf8)) => {
                if let Ok((same, _)) = document::<V>(bytes)
                    && is_utf8
                {
                    assert_eq!(value, same);
                }
            }
            // A dialect leaves the range of doubles to whoever reads the JSON.
            Err(error) => assert_eq!(error.kind, ErrorKind::Infinity),
        }
        Ok(plain)
    }
}

fuzz_target!(|bytes: &[u8]| {
    for syntax in [Syntax::Json, Syntax::Jsonc, Syntax::Json5] {
        for surrogates in [Surrogates::Error, Surrogates::Replace] {
            let rules = Rules { syntax, surrogates, constants: false };
            if let Err(error) = every_tier(Read(bytes, rules)) {
                assert!(error.offset <= bytes.len());
                path_to(bytes, error.offset).unwrap();
            }
        }
    }
});
