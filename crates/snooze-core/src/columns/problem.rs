//! What is wrong with a record, and where: texts that are made only once something is wrong.
//!
//! Separate so that the walk in `container` carries one small value. Invariants: a fault is `Copy`
//! and allocates nothing; a problem names the byte, the path and what was found there. Called by
//! `container`, `value` and `records`.

use super::memory::{NoMemory, push, write_text};
use crate::arch::Scalar;
use crate::error::ErrorKind;
use crate::read::Reader;

/// Why a record does not fit, at an offset of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) kind: FaultKind,
    pub(super) at: usize,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FaultKind {
    /// The text is not JSON.
    Json(ErrorKind),
    /// A value is not of its column's type, which has this name.
    Misfit(&'static str),
    /// No column has the member's name.
    Unexpected,
    /// A column that cannot be null has no value; its name is in the walk's scratch text.
    Missing,
    /// The texts of a batch need more than 32 bits of offset.
    TooLarge,
}

/// A step from a container to a value in it. Steps are noted innermost first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The member whose opening quote is at this offset of the record.
    Member(usize),
    /// The element with this index.
    Item(usize),
}

/// One record, or value, that does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line of the piece, from 0.
    pub line: u64,
    /// The byte of the source, from 0.
    pub offset: u64,
    /// The place in the record as a JSON Pointer (RFC 6901).
    pub path: String,
    /// What was expected there.
    pub expected: String,
    /// What is there.
    pub found: String,
    /// The line, if wrong records are kept.
    pub text: Option<Vec<u8>>,
}

impl Problem {
    /// The most bytes that the problems of a scan need if wrong records are kept.
    pub const MAX_KEPT: usize = 64 << 20;

    /// The bytes that it needs, about.
    pub fn size(&self) -> usize {
        let texts = self.path.len() + self.expected.len() + self.found.len();
        size_of::<Self>() + texts + self.text.as_ref().map_or(0, Vec::len)
    }
}

/// Appends a JSON Pointer, from the outermost of the steps.
pub(super) fn write_pointer<'s>(
    text: &[u8],
    steps: impl Iterator<Item = &'s Step>,
    pointer: &mut Vec<u8>,
) -> Result<(), NoMemory> {
    let mut scratch = Vec::new();
    for step in steps {
        push(pointer, b'/')?;
        match *step {
            Step::Item(index) => {
                let mut digits = String::new();
                write_text(&mut digits, format_args!("{index}"))?;
                super::memory::append(pointer, digits.as_bytes())?;
            }
            Step::Member(at) => {
                let mut reader = Reader::<Scalar>::resume(text, at);
                let name = reader.string(&mut scratch).map_or(&b"?"[..], |name| name.bytes);
                for &byte in name {
                    match byte {
                        b'~' => super::memory::append(pointer, b"~0")?,
                        b'/' => super::memory::append(pointer, b"~1")?,
                        _ => push(pointer, byte)?,
                    }
                }
            }
        }
    }
    Ok(())
}

/// The most bytes of a value that a problem shows.
const EXCERPT: usize = 40;

/// Text for people: what `bytes` say, with replacements for what is not UTF-8.
fn lossy(bytes: &[u8]) -> Result<String, NoMemory> {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        write_text(&mut text, format_args!("{}", chunk.valid()))?;
        if !chunk.invalid().is_empty() {
            write_text(&mut text, format_args!("{}", char::REPLACEMENT_CHARACTER))?;
        }
    }
    Ok(text)
}

/// What is found at `at`: the kind of value, and the value if it is short.
fn found_at(text: &[u8], at: usize, is_name: bool) -> Result<String, NoMemory> {
    let mut reader = Reader::<Scalar>::resume(text, at);
    let kind = match reader.token() {
        b'"' if is_name => "member ",
        b'"' => "string ",
        b'[' => return lossy(b"array"),
        b'{' => return lossy(b"object"),
        b'-' | b'0'..=b'9' => "number ",
        _ => "",
    };
    let start = reader.offset();
    let end = match reader.skip(0) {
        Ok(_) => reader.offset(),
        Err(_) => text.len(),
    };
    let value = text.get(start..end).unwrap_or(&[]);
    let mut shown = String::new();
    if value.len() <= EXCERPT {
        write_text(&mut shown, format_args!("{kind}{}", lossy(value)?))?;
    } else {
        write_text(&mut shown, format_args!("{kind}{}…", lossy(&value[..EXCERPT])?))?;
    }
    Ok(shown)
}

impl Fault {
    /// What was expected at the fault, and what is there. `missing` is the name of the member that
    /// [`FaultKind::Missing`] means.
    pub(super) fn texts(&self, text: &[u8], missing: &[u8]) -> Result<(String, String), NoMemory> {
        let (mut expected, mut found) = (String::new(), String::new());
        match self.kind {
            FaultKind::Json(kind) => {
                write_text(&mut expected, format_args!("a JSON object on one line"))?;
                let what = match kind {
                    // The message of `loads` is orjson's, which speaks of a `str`.
                    ErrorKind::InvalidUtf8 => "text that is not UTF-8",
                    kind => kind.message(),
                };
                write_text(&mut found, format_args!("{what}"))?;
            }
            FaultKind::Misfit(name) => {
                write_text(&mut expected, format_args!("{name}"))?;
                found = found_at(text, self.at, false)?;
            }
            FaultKind::Unexpected => {
                write_text(&mut expected, format_args!("only members of the schema"))?;
                found = found_at(text, self.at, true)?;
            }
            FaultKind::Missing => {
                write_text(&mut expected, format_args!("member \"{}\"", lossy(missing)?))?;
                write_text(&mut found, format_args!("no such member"))?;
            }
            FaultKind::TooLarge => {
                let most =
                    "less than 2 GiB of text in one batch (use large_utf8, or smaller batches)";
                write_text(&mut expected, format_args!("{most}"))?;
                write_text(&mut found, format_args!("more"))?;
            }
        }
        Ok((expected, found))
    }
}
