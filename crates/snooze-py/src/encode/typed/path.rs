//! The path of the value that cannot be encoded: `$.users[3].age`.
//!
//! Separate because nothing is recorded for it during the walk: it is read back from the frames on
//! the stack. Called by `walk` when it ends with a message, and by `entry` for the exceptions of
//! limits, whose text has no path.

use crate::encode::place::Place;
use crate::encode::typed::error::EncodeFailure;
use crate::encode::typed::frame::{FrameKind, Stack};
use crate::encode::typed::plans::Plans;
use crate::kept;
use crate::py::{Attached, Raised, error};

/// Raises `TypeError` with the message and the path of the element that the walk is at, or of a key
/// in it. The exception has the attributes `path` and `pointer`.
#[cold]
pub(super) fn raise(
    py: &mut Attached,
    failure: EncodeFailure,
    stack: &Stack,
    plans: &Plans<'_>,
) -> Raised {
    let (mut message, key, exception, cause) = match failure {
        EncodeFailure::Raised => return Raised,
        EncodeFailure::Refusal(message, cause) => (message, None, None, Some(cause)),
        EncodeFailure::Message(message) => (message, None, None, None),
        EncodeFailure::Key(message, key) => (message, Some(key), None, None),
        EncodeFailure::Exception(message, exception) => (message, None, Some(exception), None),
    };
    let Ok(mut place) = place(py, stack, plans) else { return Raised };
    if let Some(key) = key
        && place.key(py, key.get()).is_err()
    {
        return Raised;
    }
    let text = message
        .text(" at ")
        .and_then(|message| message.append(place.path(), usize::MAX))
        .and_then(|message| message.to_str());
    let Ok(text) = text else { return Raised };
    if let Some(cause) = cause {
        error::restore(py, cause);
        error::chain(py, || error::type_error_of(text));
    } else if let Some(exception) = exception {
        error::raise_again(py, exception, text);
    } else {
        error::type_error_of(text);
    }
    if let Some(exception) = error::take_type_error(py, false) {
        place.add_to(py, exception, false);
    }
    Raised
}

/// Adds the place to a `TypeError` of this library that has none, such as that of a limit.
#[cold]
pub(super) fn add_place(py: &mut Attached, stack: &Stack, plans: &Plans<'_>) {
    let Some(exception) = error::take_type_error(py, true) else { return };
    if error::has_place(&exception) {
        return error::restore(py, exception);
    }
    if let Ok(place) = place(py, stack, plans) {
        place.add_to(py, exception, true);
    }
}

/// The place of the element that the walk is at.
fn place(py: &mut Attached, stack: &Stack, plans: &Plans<'_>) -> Result<Place, Raised> {
    let mut place = Place::root()?;
    let (mut members, mut keys) = (stack.members.iter(), stack.payloads.iter());
    for position in &stack.positions {
        match position.kind {
            FrameKind::List | FrameKind::Tuple | FrameKind::FixedTuple => {
                place.index(position.index.saturating_sub(1))?
            }
            FrameKind::Dict => match keys.next() {
                Some(Some(key)) => place.key(py, key.get())?,
                _ => place.unknown()?,
            },
            FrameKind::TextMembers => {
                if let Some(members) = members.next()
                    && let Some(key) = members.current_key()
                {
                    match kept::index(key).and_then(|index| plans.kept.get(index)) {
                        Some(key) => place.key(py, key.get())?,
                        None => place.name(key)?,
                    }
                }
            }
            FrameKind::Fields => {
                let record = plans.plan(position.plan_id).records.get(position.plan_index as usize);
                let Some(record) = record else { continue };
                if record.is_array {
                    let tags = usize::from(record.tag.is_some());
                    place.index(position.index.saturating_sub(1) + tags)?;
                } else if let Some(field) = record.fields.get(position.index.wrapping_sub(1)) {
                    // After the last field, the frame of the extra members says where the walk is.
                    if position.index <= record.fields.len() {
                        place.name(&field.name)?;
                    }
                }
            }
            FrameKind::Converted => {}
        }
    }
    Ok(place)
}
