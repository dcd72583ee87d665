//! The path of the value that cannot be encoded: `$.users[3].age`.
//!
//! Separate because nothing is recorded for it during the walk: it is read back from the frames on
//! the stack. Called by `walk` when it ends with a message.

use crate::encode::key_text;
use crate::encode::typed::error::{EncodeFailure, name_of};
use crate::encode::typed::frame::{FrameKind, Stack};
use crate::encode::typed::plans::Plans;
use crate::kept;
use crate::py::float::Float;
use crate::py::message::Message;
use crate::py::{Attached, Owned, Raised, error, float, types};

/// Raises `TypeError` with the message and the path of the element that the walk is at, or of a key
/// in it.
#[cold]
pub(super) fn raise(
    py: &mut Attached,
    failure: EncodeFailure,
    stack: &Stack,
    plans: &Plans<'_>,
) -> Raised {
    let (mut message, key, exception) = match failure {
        EncodeFailure::Raised => return Raised,
        EncodeFailure::Refusal(mut message, cause) => {
            return match append(py, &mut message, stack, plans) {
                Ok(()) => {
                    error::restore(py, cause);
                    error::chain(py, || message.type_error())
                }
                Err(Raised) => Raised,
            };
        }
        EncodeFailure::Message(message) => (message, None, None),
        EncodeFailure::Key(message, key) => (message, Some(key), None),
        EncodeFailure::Exception(message, exception) => (message, None, Some(exception)),
    };
    let appended = append(py, &mut message, stack, plans)
        .and_then(|()| key.map_or(Ok(()), |key| key_name(py, &mut message, &key)));
    match (appended, exception) {
        (Err(Raised), _) => Raised,
        (Ok(()), None) => message.type_error(),
        (Ok(()), Some(exception)) => match message.to_str() {
            Ok(text) => error::raise_again(py, exception, text),
            Err(Raised) => Raised,
        },
    }
}

/// Appends ` at ` and the path.
fn append(
    py: &Attached,
    message: &mut Message,
    stack: &Stack,
    plans: &Plans<'_>,
) -> Result<(), Raised> {
    message.text(" at $")?;
    let (mut members, mut keys) = (stack.members.iter(), stack.payloads.iter());
    for position in &stack.positions {
        match position.kind {
            FrameKind::List | FrameKind::Tuple | FrameKind::FixedTuple => {
                index(message, position.index)?
            }
            FrameKind::Dict => match keys.next() {
                Some(Some(key)) => key_name(py, message, key)?,
                _ => _ = message.text(".?")?,
            },
            FrameKind::TextMembers => {
                if let Some(members) = members.next()
                    && let Some(key) = members.current_key()
                {
                    match kept::index(key).and_then(|index| plans.kept.get(index)) {
                        Some(key) => key_name(py, message, key)?,
                        None => name(message, key)?,
                    }
                }
            }
            FrameKind::Fields => {
                let record = plans.plan(position.plan_id).records.get(position.plan_index as usize);
                let Some(record) = record else { continue };
                if record.is_array {
                    index(message, position.index)?;
                } else if let Some(field) = record.fields.get(position.index.wrapping_sub(1)) {
                    // After the last field, the frame of the extra members says where the walk is.
                    if position.index <= record.fields.len() {
                        name(message, &field.name)?;
                    }
                }
            }
            FrameKind::Converted => {}
        }
    }
    Ok(())
}

/// Appends the index before `next`.
fn index(message: &mut Message, next: usize) -> Result<(), Raised> {
    message.text("[")?.count(next.saturating_sub(1))?.text("]")?;
    Ok(())
}

/// Appends the name of a key, or its type if it has no text.
fn key_name(py: &Attached, message: &mut Message, key: &Owned) -> Result<(), Raised> {
    let mut bytes = Vec::new();
    let number = Float::exact(key.get()).map(float::value);
    if let Some(value) = number.filter(|value| !value.is_finite()) {
        message.text("[")?.text(name_of(value))?.text("]")?;
        return Ok(());
    }
    if types::is_scalar(key.get()) {
        match key_text::append_scalar(key.get(), &mut bytes) {
            Ok(()) => return name(message, &bytes),
            Err(Raised) if error::must_propagate(py) => return Err(Raised),
            // A string with surrogates has no UTF-8.
            Err(Raised) => error::clear(),
        }
    }
    message.text("[")?.type_name(key.get())?.text("]")?;
    Ok(())
}

/// The most characters of a name that a message shows.
const LONGEST_NAME: usize = 60;

/// Appends a name: after a dot if it is a word, otherwise quoted in brackets. As in
/// `_typed/errors.py`, a long name is cut, and characters that a terminal or a log would not show
/// as they are become escapes.
fn name(message: &mut Message, name: &[u8]) -> Result<(), Raised> {
    let name = core::str::from_utf8(name).unwrap_or("\u{fffd}");
    let mut characters = name.chars();
    let is_word = characters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && characters.all(|other| other.is_alphanumeric() || other == '_');
    let end = name.char_indices().nth(LONGEST_NAME).map_or(name.len(), |(index, _)| index);
    let (shown, hidden) = name.split_at(end);
    if is_word && hidden.is_empty() {
        message.text(".")?.utf8(shown.as_bytes())?;
        return Ok(());
    }
    message.text("[\"")?;
    for character in shown.chars() {
        match character {
            '"' | '\\' => _ = message.text("\\")?,
            _ if is_printable(character) => {}
            _ => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    message.text("\\u")?;
                    for shift in [12, 8, 4, 0] {
                        let digit = b"0123456789abcdef".get(usize::from(*unit >> shift & 15));
                        message.utf8(digit.map_or(&[][..], core::slice::from_ref))?;
                    }
                }
                continue;
            }
        }
        message.utf8(character.encode_utf8(&mut [0; 4]).as_bytes())?;
    }
    message.text(if hidden.is_empty() { "\"]" } else { "...\"]" })?;
    Ok(())
}

/// Whether a character is shown as it is: no control, no line or paragraph separator, no mark that
/// changes the direction of text, no character without width.
fn is_printable(character: char) -> bool {
    !(character.is_control()
        || matches!(character, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{feff}')
        || matches!(character, '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'))
}
