//! Property: whatever the bytes, every dialect reads them or reports a fault inside them; what a dialect
//! reads as JSON is JSON, with the same value where the document is JSON; offsets lead back into the
//! document, and the way to a value is the way by which a reader reaches it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use snooze_core::arch::{Task, Vector};
use snooze_core::dialect::{Origins, Rules, Step, Surrogates, Syntax, path_to, to_plain};
use snooze_core::error::{Error, ErrorKind};
use snooze_core::read::Reader;
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

/// The most values of a document whose ways are compared: each takes a scan up to it.
const WAYS: usize = 100;

/// The values of a JSON document, and the way to each.
#[derive(Clone, Copy)]
struct Ways<'a>(&'a [u8]);

impl Task for Ways<'_> {
    type Output = Vec<(usize, Vec<Step>)>;
    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let mut found = Vec::new();
        if document::<V>(self.0).is_ok() {
            let mut reader = Reader::<V>::new(self.0).unwrap();
            ways(&mut reader, &mut Vec::new(), &mut found);
        }
        found
    }
}

/// Adds the value at the cursor, and those inside, of a valid document.
fn ways<V: Vector>(
    reader: &mut Reader<'_, V>,
    way: &mut Vec<Step>,
    found: &mut Vec<(usize, Vec<Step>)>,
) {
    let open = reader.token();
    found.push((reader.offset(), way.clone()));
    if open != b'[' && open != b'{' {
        reader.skip(way.len()).unwrap();
        return;
    }
    reader.consume();
    for index in 0.. {
        if reader.token() == open + 2 || found.len() >= WAYS {
            break;
        }
        if open == b'{' {
            let mut scratch = Vec::new();
            let name = reader.string(&mut scratch).unwrap().bytes.to_vec();
            reader.colon().unwrap();
            way.push(Step::Name(name));
        } else {
            way.push(Step::Index(index));
        }
        ways(reader, way, found);
        way.pop();
        if reader.token() != b',' {
            break;
        }
        reader.consume();
    }
    if reader.token() == open + 2 {
        reader.consume();
    }
}

fuzz_target!(|bytes: &[u8]| {
    for syntax in [Syntax::Json, Syntax::Jsonc, Syntax::Json5] {
        for surrogates in [Surrogates::Error, Surrogates::Replace, Surrogates::Keep] {
            for constants in [false, true] {
                let rules = Rules { syntax, surrogates, constants };
                if let Err(error) = every_tier(Read(bytes, rules)) {
                    assert!(error.offset <= bytes.len());
                    path_to(bytes, error.offset).unwrap();
                }
            }
        }
    }
    for (offset, way) in every_tier(Ways(bytes)) {
        assert_eq!(path_to(bytes, offset), Ok(way));
    }
});
