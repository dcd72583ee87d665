//! Property: a document in another style is the same document, whatever its first style; the canonical
//! form of a canonical form is itself, and the short way to it gives the same. Text that is no document is written without a fault.
#![no_main]

use libfuzzer_sys::fuzz_target;
use snooze_core::arch::{Task, Vector};
use snooze_core::out::{Out, Piece, Style, VecBuffer};
use snooze_core::rewrite::{NearlyCanonical, canonical, canonical_if_near, checked, restyle};
use snooze_fuzz::every_tier;

#[derive(Clone, Copy)]
struct Rewrite<'a>(&'a [u8]);

impl Task for Rewrite<'_> {
    type Output = (Vec<u8>, Option<Vec<u8>>);
    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let compact = styled::<V>(self.0, Style::COMPACT);
        let lines = styled::<V>(self.0, wide(false));
        let ascii = styled::<V>(self.0, wide(true));
        let form = canonical::<V>(self.0).ok();
        if checked::<V>(self.0).is_ok() {
            checked::<V>(&compact).unwrap();
            checked::<V>(&ascii).unwrap();
            assert_eq!(styled::<V>(&lines, Style::COMPACT), compact);
            assert!(ascii.is_ascii());
        }
        if let Some(form) = &form {
            assert_eq!(canonical::<V>(form).as_ref(), Ok(form));
            assert_eq!(canonical::<V>(&ascii).as_ref(), Ok(form));
        }
        let text = core::str::from_utf8(self.0).map(str::as_bytes);
        if let Some(found) = text.ok().and_then(if_near::<V>) {
            assert!(form.is_some());
            assert_eq!(canonical::<V>(&found).ok(), form);
        }
        (compact, form)
    }
}

fn if_near<V: Vector>(text: &[u8]) -> Option<Vec<u8>> {
    match canonical_if_near::<V>(text, false) {
        NearlyCanonical::Unchanged => Some(text.to_vec()),
        NearlyCanonical::Rewritten(other) => Some(other),
        NearlyCanonical::Undecided => None,
    }
}

fn wide(ascii: bool) -> Style {
    let piece = |text: &[u8]| Piece::new(text).unwrap();
    Style { item: piece(b" , "), key: piece(b" : "), indent: Some(piece(b"\t")), ascii }
}

fn styled<V: Vector>(text: &[u8], style: Style) -> Vec<u8> {
    let mut buffer = VecBuffer::new();
    let mut out = Out::new(&mut buffer).unwrap();
    restyle::<V, _>(text, &style, &mut out).unwrap();
    let len = out.len();
    buffer.into_vec(len)
}

fuzz_target!(|bytes: &[u8]| {
    every_tier(Rewrite(bytes));
});
