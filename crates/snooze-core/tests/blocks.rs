//! A document in blocks has the faults and the text of the whole document, however it is cut.

use proptest::prelude::*;
use snooze_core::arch::{Dispatch, Task, Tier, Vector};
use snooze_core::blocks::{Checker, Fault, Place, Restyler};
use snooze_core::error::{Error, ErrorKind};
use snooze_core::number::number_end;
use snooze_core::out::{Out, Piece, Style, VecBuffer};
use snooze_core::read::{MAX_DEPTH, Reader};
use snooze_core::rewrite::restyle;

/// The fault that a caller who builds the value finds.
fn oracle<V: Vector>(text: &[u8]) -> Result<(), Error> {
    fn value<V: Vector>(reader: &mut Reader<'_, V>, depth: usize) -> Result<(), Error> {
        let scratch = &mut Vec::new();
        match reader.token() {
            b'"' => reader.string(scratch).map(drop),
            b'-' | b'+' | b'.' | b'0'..=b'9' => {
                let start = reader.offset();
                match reader.number() {
                    // Readers keep integers of any size.
                    Err(Error { kind: ErrorKind::Infinity, .. }) if is_integer(reader, start) => {
                        let end = number_end(reader.text(), start);
                        *reader = Reader::resume(reader.text(), end);
                        Ok(())
                    }
                    other => other.map(drop),
                }
            }
            b't' => reader.literal_true(),
            b'f' => reader.literal_false(),
            b'n' => reader.literal_null(),
            open @ (b'[' | b'{') => {
                reader.consume();
                if depth == MAX_DEPTH {
                    return Err(reader.too_deep());
                }
                let mut is_first = true;
                while reader.token() != open + 2 || !is_first {
                    if open == b'{' {
                        if reader.token() != b'"' {
                            return Err(reader.no_key());
                        }
                        reader.string(scratch)?;
                        reader.colon()?;
                    }
                    value(reader, depth + 1)?;
                    is_first = false;
                    match reader.token() {
                        b',' => reader.consume(),
                        byte if byte == open + 2 => break,
                        _ if open == b'{' => return Err(reader.no_object_end()),
                        _ => return Err(reader.no_array_end()),
                    }
                }
                reader.consume();
                Ok(())
            }
            _ => Err(reader.no_value()),
        }
    }
    fn is_integer<V: Vector>(reader: &Reader<'_, V>, start: usize) -> bool {
        let end = number_end(reader.text(), start);
        !reader.text()[start..end].iter().any(|byte| b".eE".contains(byte))
    }
    let read = || {
        let mut reader = Reader::<V>::new(text)?;
        value(&mut reader, 0)?;
        reader.finish()
    };
    let read: Result<(), Error> = read();
    if core::str::from_utf8(text).is_err() {
        return Err(Error::new(ErrorKind::InvalidUtf8, 0));
    }
    read
}

fn styles() -> [Style; 4] {
    let piece = |text: &[u8]| Piece::new(text).unwrap();
    let wide = |indent: &[u8], ascii| Style {
        item: piece(b" ,"),
        key: piece(b": "),
        indent: Some(piece(indent)),
        ascii,
    };
    let ascii = Style { ascii: true, ..Style::COMPACT };
    [Style::COMPACT, ascii, wide(b"  ", false), wide(b"\t ", true)]
}

fn written(write: impl FnOnce(&mut Out<'_, VecBuffer>)) -> Vec<u8> {
    let mut buffer = VecBuffer::new();
    let mut out = Out::new(&mut buffer).unwrap();
    write(&mut out);
    let len = out.len();
    buffer.into_vec(len)
}

/// The text of blocks in a style, in pieces of a size.
fn restyled<V: Vector>(blocks: &[&[u8]], style: Style, limit: usize) -> Vec<u8> {
    let mut restyler = Restyler::new(style);
    let mut found = Vec::new();
    for block in blocks {
        let mut at = 0;
        while at < block.len() {
            let before = at + found.len();
            found.extend(written(|out| {
                at = restyler.feed::<V, _>(block, at, out, limit).unwrap();
            }));
            assert!(at + found.len() > before, "no progress");
        }
    }
    found
}

/// A document, cut at some offsets.
#[derive(Clone, Copy)]
struct Cut<'a>(Dispatch, &'a [u8], &'a [&'a [u8]]);

impl Task for Cut<'_> {
    type Output = ();

    #[inline(always)]
    fn with_vectors<V: Vector>(self) {
        let Self(dispatch, text, blocks) = self;
        let mut checker = Checker::new(true);
        let mut end = 0;
        for block in blocks {
            let noted = checker.noted_offset();
            checker.feed(dispatch, block);
            if let Some(now) = checker.noted_offset() {
                // A leading zero is after the sign at which its number begins.
                let is_known = noted.is_some_and(|noted| now - noted <= 1) || now >= end;
                assert!(is_known, "{now} was not noted before: {blocks:?}");
            }
            end += block.len() as u64;
        }
        let found = checker.finish();
        let expected = oracle::<V>(text).map_err(|fault| Fault {
            kind: fault.kind,
            place: Place::START.after(&text[..fault.offset]),
        });
        assert_eq!(found, expected, "{blocks:?}");
        if let Err(fault) = found
            && !matches!(
                fault.kind,
                ErrorKind::UnexpectedEnd | ErrorKind::InvalidUtf8 | ErrorKind::OnlySpace
            )
            && fault.place.offset < end
        {
            assert_eq!(checker.noted_offset(), Some(fault.place.offset));
        }
        for style in styles() {
            let whole = written(|out| restyle::<V, _>(text, &style, out).unwrap());
            if core::str::from_utf8(text).is_ok() {
                let pieces = restyled::<V>(blocks, style, 1 << 20);
                assert_eq!(pieces, restyled::<V>(blocks, style, 1), "{blocks:?}");
                // What follows an opening bracket at the end is not known.
                let is_begun = found.is_err() && whole.starts_with(&pieces);
                assert!(is_begun || pieces == whole, "{blocks:?}: {pieces:?}, {whole:?}");
            }
        }
    }
}

/// A document in blocks, in every tier.
fn every_tier(text: &[u8], blocks: &[&[u8]]) {
    for dispatch in Tier::ALL.into_iter().filter_map(Dispatch::new) {
        dispatch.run(Cut(dispatch, text, blocks));
    }
}

/// Every cut into two blocks, and blocks of every size.
fn every_cut(text: &[u8]) {
    every_tier(text, &[text]);
    for at in 0..=text.len() {
        let (first, second) = text.split_at(at);
        every_tier(text, &[first, second]);
    }
    for size in 1..text.len() {
        every_tier(text, &text.chunks(size).collect::<Vec<_>>());
    }
}

#[test]
fn documents_of_every_kind() {
    for text in [
        "",
        " ",
        " \n",
        "\u{feff}1",
        "\u{feff}",
        "\u{feb0}",
        "\u{e9}",
        "0",
        "-0",
        "-",
        "-01",
        "01",
        "00.5",
        "+1",
        ".5",
        "1.",
        "1.e5",
        "1e",
        "1e+",
        "1e+x",
        "1e400",
        "[1e400]",
        "[1e-400,12.50E+3]",
        "tru",
        "true",
        "truex",
        "trxe",
        "nul,",
        "fals e",
        "[true,false,null]",
        "[1,",
        "[1, \n ]",
        "{\"a\":1 ,\n\n}",
        "{\"a\":1,]",
        "[1,}",
        "{\"a\" 1}",
        "{\"a\":}",
        "{,}",
        "[1 2]",
        "[] []",
        "{\"a\":1]",
        "\"\\ud83d\\ude00 \\n\\\"\\u00e9\"",
        "[\"\\ud83d\\u\"]",
        "[\"\\ud83d\"]",
        "[\"\\ud83dx",
        "[\"\\ud83d\\u0041\", 1]",
        "[\"\\udc00\"]",
        "[\"\\u12\"]",
        "[\"\\u12",
        "[\"\\x\"]",
        "[\"\\",
        "[\"a\nb\"]",
        "[\"a\u{e9}\u{20ac}\u{1f600}\u{7f}\"]",
        "{\"a\":{\"b\":[[],{},[{}]],\"c\":\"\u{e9}\"},\"d\":[1,2.5,-3e-7]} ",
        "[[1,2],[\"x\",\"y\",{\"k\":null}],\n 12345678901234567890123]",
    ] {
        every_cut(text.as_bytes());
    }
    for text in [&b"[\"\xff\",]"[..], b"[1,]\xe2\x82", b"\xef\xbb", b"\xef", b"[\0]", b"\0"] {
        every_cut(text);
    }
}

/// What is wrong with a document in pieces of a size, without a limit for numbers.
fn unbounded(dispatch: Dispatch, text: &[u8], size: usize) -> Result<(), Fault> {
    let mut checker = Checker::new(false);
    for block in text.chunks(size) {
        checker.feed(dispatch, block);
    }
    checker.finish()
}

#[test]
fn numbers_beyond_a_double_are_json() {
    let every = |text: &str| {
        for tier in Tier::ALL {
            let Some(dispatch) = Dispatch::new(tier) else { continue };
            for size in 1..=text.len() {
                let found = unbounded(dispatch, text.as_bytes(), size);
                assert_eq!(found.map_err(|fault| fault.place.offset), expected(text), "{text}");
            }
        }
    };
    fn expected(text: &str) -> Result<(), u64> {
        text.find('?').map_or(Ok(()), |at| Err(at as u64))
    }
    let long = format!("{}.5", "9".repeat(400));
    for number in ["1e400", "-1e400", "1E+99999", long.as_str()] {
        every(number);
        every(&format!("[{number}]"));
        every(&format!("{{\"a\":[1,{number} ],\"b\":{number}}}"));
        every(&format!("[{number},?]"));
    }
}

#[test]
fn depth_and_long_tokens() {
    let deep = "[".repeat(MAX_DEPTH) + "1" + &"]".repeat(MAX_DEPTH);
    let deeper = format!("{}{deep}", "{\"a\":");
    let long = format!(
        "[\"{}\\n{}\",{}e-{}]",
        "x".repeat(900),
        "\u{e9}".repeat(300),
        "9".repeat(700),
        "0".repeat(600)
    );
    let integer = format!("[{},1e{}]", "9".repeat(700), "9".repeat(700));
    let spaces = format!("[1,{}]", " \n".repeat(700));
    for text in [deep, deeper, long, integer, spaces] {
        let text = text.as_bytes();
        for size in [1, 7, 64, 1000, 4096] {
            every_tier(text, &text.chunks(size).collect::<Vec<_>>());
        }
    }
}

/// Texts of tokens, most of which are almost documents.
fn tokens() -> impl Strategy<Value = String> {
    let token = prop_oneof![
        "[\\[\\]{}:,]",
        "[ \n]",
        Just("\"a\":".to_owned()),
        Just("[{\"a\":".to_owned()),
        "\"([a-zé€😀]|\\\\[nu\"\\\\/]|\\\\u[0-9a-f]{4}|\\\\ud83d\\\\ude00){0,4}\"?",
        "true|false|null|nul|[-+.0-9eE]{1,6}|-?[0-9]{1,3}(\\.[0-9]{1,3})?(e[0-9]{1,3})?",
    ];
    proptest::collection::vec(token, 0..14).prop_map(|tokens| tokens.concat())
}

fn values() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        "[ -~é語\\\\\"\n\u{1f600}]{0,10}".prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 20, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Into::into),
            proptest::collection::vec(("[a-z\\\\\"é]{0,6}", inner), 0..5)
                .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_tokens(text in tokens()) {
        every_cut(text.as_bytes());
    }

    #[test]
    fn any_document(value in values(), position: usize, byte in 0usize..12) {
        for text in [value.to_string(), format!("{value:#}")] {
            let mut text = text.into_bytes();
            for size in [1, 2, 3, 5, 13, 64, 71] {
                every_tier(&text, &text.chunks(size).collect::<Vec<_>>());
            }
            let position = position % text.len();
            every_tier(&text, &[&text[..position], &text[position..]]);
            text[position] = b"\"\\[]{},:0-\xe9\n"[byte];
            for size in [1, 3, 64] {
                every_tier(&text, &text.chunks(size).collect::<Vec<_>>());
            }
        }
    }
}
