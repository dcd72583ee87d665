//! Property: however a document is cut into blocks (the first byte of the input decides), its fault is the
//! one of the whole document, and so is its text in another style; so are the items of arrays, and its
//! parts make a document again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use snooze_core::arch::{Dispatch, Task, Vector};
use snooze_core::blocks::{Checker, Fault, Found, Items, Kind, Parts, Place, Restyler};
use snooze_core::error::ErrorKind;
use snooze_core::out::{Out, Piece, Style, VecBuffer};
use snooze_core::rewrite::{checked, restyle};
use snooze_fuzz::every_tier_of;

#[derive(Clone, Copy)]
struct Cut<'a> {
    dispatch: Dispatch,
    document: &'a [u8],
    /// The lengths of the blocks, which are used in turns.
    sizes: [usize; 2],
    style: Style,
}

impl Task for Cut<'_> {
    type Output = Result<Vec<u8>, Fault>;
    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let (mut checker, mut restyler) = (Checker::new(true), Restyler::new(self.style));
        let (mut rest, mut text) = (self.document, Vec::new());
        for size in self.sizes.into_iter().cycle() {
            let (block, after) = rest.split_at(size.min(rest.len()));
            checker.feed(self.dispatch, block);
            let mut at = 0;
            while at < block.len() {
                let mut buffer = VecBuffer::new();
                let mut out = Out::new(&mut buffer).unwrap();
                at = restyler.feed::<V, _>(block, at, &mut out, 100).unwrap();
                let len = out.len();
                text.extend(buffer.into_vec(len));
            }
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
        let found = checker.finish();
        match (found, checked::<V>(self.document)) {
            (Ok(()), whole) => {
                whole.unwrap();
                assert_eq!(text, styled::<V>(self.document, &self.style));
            }
            // Where the whole text is only checked, a decimal of any size is right, and text that is
            // not UTF-8 is found last.
            (Err(fault), whole) => match fault.kind {
                ErrorKind::InvalidUtf8 => {
                    assert!(core::str::from_utf8(self.document).is_err());
                    assert_eq!(fault.place, Place::START);
                }
                ErrorKind::Infinity => {
                    let is_later = |offset| offset as u64 > fault.place.offset;
                    assert!(whole.map_or_else(|error| is_later(error.offset), |()| true));
                }
                kind => {
                    let error = whole.unwrap_err();
                    assert_eq!((kind, fault.place.offset), (error.kind, error.offset as u64));
                    let place = Place::START.after(&self.document[..error.offset]);
                    assert_eq!(fault.place, place);
                }
            },
        }
        found.map(|()| text)
    }
}

/// The items of an array in blocks, how far it was found, and whether the document is right.
fn items(document: &[u8], sizes: [usize; 2], pointer: &[&[u8]]) -> (Vec<Vec<u8>>, Found, bool) {
    let dispatch = Dispatch::detect(None);
    let mut items = Items::new(pointer).unwrap();
    let (mut rest, mut read) = (document, Vec::new());
    for size in sizes.into_iter().cycle() {
        let (block, after) = rest.split_at(size.min(rest.len()));
        items.feed(dispatch, block).unwrap();
        let mut start = 0;
        for item in items.items() {
            read.push(items.text()[start..item.end].to_vec());
            start = item.end;
        }
        rest = after;
        if rest.is_empty() || items.fault().is_some() {
            break;
        }
    }
    (read, items.found(), items.finish().is_ok())
}

/// The text of the parts of a document in blocks, without white space between them.
fn joined(document: &[u8], sizes: [usize; 2]) -> Option<Vec<u8>> {
    let dispatch = Dispatch::detect(None);
    let (mut parts, mut rest, mut text) = (Parts::new(true), document, Vec::new());
    for size in sizes.into_iter().cycle() {
        let (block, after) = rest.split_at(size.min(rest.len()));
        parts.feed(dispatch, block).unwrap();
        let mut before = parts.before();
        for part in parts.parts() {
            let own = [before, &block[part.range.clone()]].concat();
            before = &[];
            if text.last() != Some(&b':') && !text.is_empty() && part.kind != Kind::Close {
                let opened = matches!(text.last(), Some(b'[' | b'{'));
                text.extend_from_slice(if opened { b"" } else { b"," });
            }
            match part.kind {
                Kind::Name => text.extend([b"\"", &own[..], b"\":"].concat()),
                Kind::Value | Kind::Items | Kind::Members | Kind::Open | Kind::Close => {
                    text.extend(own.trim_ascii());
                }
            }
        }
        rest = after;
        if rest.is_empty() {
            break;
        }
    }
    parts.finish().ok()?;
    text.extend(parts.cut_value().unwrap_or(&[]));
    Some(text)
}

fn styled<V: Vector>(text: &[u8], style: &Style) -> Vec<u8> {
    let mut buffer = VecBuffer::new();
    let mut out = Out::new(&mut buffer).unwrap();
    restyle::<V, _>(text, style, &mut out).unwrap();
    let len = out.len();
    buffer.into_vec(len)
}

/// A document in a style.
fn rewritten(text: &[u8], style: &Style) -> Vec<u8> {
    struct Styled<'a>(&'a [u8], &'a Style);
    impl Task for Styled<'_> {
        type Output = Vec<u8>;
        #[inline(always)]
        fn with_vectors<V: Vector>(self) -> Vec<u8> {
            styled::<V>(self.0, self.1)
        }
    }
    Dispatch::detect(None).run(Styled(text, style))
}

fuzz_target!(|input: &[u8]| {
    let Some((&options, document)) = input.split_first() else { return };
    let piece = |text: &[u8]| Piece::new(text).unwrap();
    let style = Style {
        item: piece(b", "),
        key: piece(b" :"),
        indent: (options & 1 != 0).then(|| piece(b"  ")),
        ascii: options & 2 != 0,
    };
    let sizes = [1 + usize::from(options >> 2 & 7) * 9, 1 + usize::from(options >> 5)];
    let cut = |sizes| move |dispatch| Cut { dispatch, document, sizes, style };
    let found = every_tier_of(cut(sizes));
    let whole = every_tier_of(cut([usize::MAX; 2]));
    assert_eq!(found, whole);
    let pointers: [&[&[u8]]; 3] = [&[], &[b"a"], &[b"0", b"a"]];
    for pointer in pointers {
        assert_eq!(items(document, sizes, pointer), items(document, [usize::MAX; 2], pointer));
    }
    if let (Some(text), Ok(_)) = (joined(document, sizes), &whole) {
        let compact = Style { item: piece(b","), key: piece(b":"), indent: None, ascii: false };
        assert_eq!(rewritten(&text, &compact), rewritten(document, &compact));
    }
});
