//! Where in the document something is wrong: `$.users[3].age`.

use std::io::Write;

use crate::encode::typed::frame::{Form, Stack};
use crate::encode::typed::plans::Plans;
use crate::encode::{key_text, utf8};
use crate::py::{Owned, Raised, error, types};

/// Appends bytes, or raises MemoryError.
pub(super) fn append(target: &mut Vec<u8>, bytes: &[u8]) -> Result<(), Raised> {
    utf8::append(target, bytes)
}

/// Appends a number.
pub(super) fn append_number(target: &mut Vec<u8>, number: usize) -> Result<(), Raised> {
    target.try_reserve(20).map_err(|_| error::no_memory())?;
    write!(target, "{number}").map_err(|_| error::no_memory())
}

/// Raises the error of a message with the path of the element that the walk is at.
#[cold]
pub(super) fn fail(message: Vec<u8>, stack: &Stack, plans: &Plans<'_>) -> Raised {
    let mut text = message;
    match path(&mut text, stack, plans) {
        Ok(()) => error::type_error_of(&text),
        Err(Raised) => Raised,
    }
}

fn path(text: &mut Vec<u8>, stack: &Stack, plans: &Plans<'_>) -> Result<(), Raised> {
    append(text, b" at $")?;
    let (mut entries, mut keys) = (stack.members.iter(), stack.extras.iter());
    for frame in &stack.positions {
        match frame.form {
            Form::List | Form::Tuple | Form::Fixed => index(text, frame.index)?,
            Form::Dict => match keys.next() {
                Some(Some(key)) => key_name(text, key)?,
                _ => append(text, b".?")?,
            },
            Form::TextMembers => {
                if let Some(entries) = entries.next()
                    && let Some(key) = entries.current()
                {
                    name(text, key)?;
                }
            }
            Form::Fields => {
                let record = plans.plan(frame.plan_id).records.get(frame.at as usize);
                let Some(record) = record else { continue };
                if record.is_array {
                    index(text, frame.index)?;
                } else if let Some(field) = record.fields.get(frame.index.wrapping_sub(1)) {
                    // Those inside of it say where they are.
                    if frame.index <= record.fields.len() {
                        name(text, &field.name)?;
                    }
                }
            }
            Form::Hold => {}
        }
    }
    Ok(())
}

fn index(text: &mut Vec<u8>, next: usize) -> Result<(), Raised> {
    append(text, b"[")?;
    append_number(text, next.saturating_sub(1))?;
    append(text, b"]")
}

fn key_name(text: &mut Vec<u8>, key: &Owned) -> Result<(), Raised> {
    let mut bytes = Vec::new();
    if types::is_scalar(key.get()) && key_text::append_scalar(key.get(), &mut bytes).is_ok() {
        return name(text, &bytes);
    }
    error::clear();
    append(text, b"[")?;
    append(text, &error::type_name(key.get()))?;
    append(text, b"]")
}

/// Appends a name: with a point if it looks like one, or in brackets.
fn name(text: &mut Vec<u8>, name: &[u8]) -> Result<(), Raised> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    if name.iter().all(is_word) && name.first().is_some_and(|first| !first.is_ascii_digit()) {
        append(text, b".")?;
        return append(text, name);
    }
    append(text, b"[\"")?;
    for &byte in name {
        if matches!(byte, b'"' | b'\\') {
            append(text, b"\\")?;
        }
        append(text, &[byte])?;
    }
    append(text, b"\"]")
}
