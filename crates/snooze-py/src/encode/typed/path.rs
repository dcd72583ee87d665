//! The path of the value that cannot be encoded: `$.users[3].age`.
//!
//! Separate because nothing is recorded for it during the walk: it is read back from the frames on
//! the stack. Called by `walk` when it ends with a message.

use crate::encode::key_text;
use crate::encode::typed::frame::{FrameKind, Stack};
use crate::encode::typed::plans::Plans;
use crate::py::message::Message;
use crate::py::{Attached, Owned, Raised, error, types};

/// Raises `TypeError` with the message and the path of the element that the walk is at.
#[cold]
pub(super) fn raise(
    py: &Attached,
    mut message: Message,
    stack: &Stack,
    plans: &Plans<'_>,
) -> Raised {
    match append(py, &mut message, stack, plans) {
        Ok(()) => message.type_error(),
        Err(Raised) => Raised,
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
                    name(message, key)?;
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

/// Appends a name: after a dot if it is a word, otherwise quoted in brackets.
fn name(message: &mut Message, name: &[u8]) -> Result<(), Raised> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    if name.iter().all(is_word) && name.first().is_some_and(|first| !first.is_ascii_digit()) {
        message.text(".")?.utf8(name)?;
        return Ok(());
    }
    message.text("[\"")?;
    for part in name.split_inclusive(|byte| matches!(byte, b'"' | b'\\')) {
        if let [plain @ .., escaped @ (b'"' | b'\\')] = part {
            message.utf8(plain)?.text("\\")?.utf8(&[*escaped])?;
        } else {
            message.utf8(part)?;
        }
    }
    message.text("\"]")?;
    Ok(())
}
