//! The place of a value in the object that is being written: its path and its JSON Pointer.
//!
//! Separate because `dumps` and `Encoder` read it from different frames and show it in the same
//! way: `$.users[3].pet`, `/users/3/pet`. Nothing is recorded for it while a walk succeeds. Called
//! by `typed::path` and `untyped::path`.

use crate::encode::key_text;
use crate::py::float::Float;
use crate::py::message::Message;
use crate::py::types::Kind;
use crate::py::{Attached, Obj, Owned, Raised, bytes, call, error, float, types, unicode};

/// The most characters of a name that a path shows.
const LONGEST_NAME: usize = 60;

/// The most characters of a path that a note shows.
const LONGEST_NOTE: usize = 120;

/// A place, from the root of the object on.
#[derive(Debug)]
pub(crate) struct Place {
    path: Message,
    pointer: Message,
    /// A step has no name in JSON, such as a key of an unsupported type.
    is_unnamed: bool,
    /// The type of the key that is the fault, if it is not the value.
    key: Option<Owned>,
}

impl Place {
    /// The root.
    pub(crate) fn root() -> Result<Self, Raised> {
        let mut path = Message::new();
        path.text("$")?;
        Ok(Self { path, pointer: Message::new(), is_unnamed: false, key: None })
    }

    /// The path.
    pub(crate) fn path(&self) -> &Message {
        &self.path
    }

    /// Goes to an item of an array.
    pub(crate) fn index(&mut self, index: usize) -> Result<(), Raised> {
        self.path.text("[")?.count(index)?.text("]")?;
        self.pointer.text("/")?.count(index)?;
        Ok(())
    }

    /// Goes to a member whose name is not known any more.
    pub(crate) fn unknown(&mut self) -> Result<(), Raised> {
        self.path.text(".?")?;
        self.is_unnamed = true;
        Ok(())
    }

    /// Says that a key of the object is the fault, and not a value.
    pub(crate) fn in_key(&mut self, key: Owned) {
        self.key = Some(key);
    }

    /// Goes to the value of a key of any type. In a path, a key without text is shown as its type.
    pub(crate) fn key(&mut self, py: &mut Attached, key: Obj<'_>) -> Result<(), Raised> {
        let number = Float::exact(key).map(float::value);
        if let Some(value) = number.filter(|value| !value.is_finite()) {
            self.path.text("[")?.text(name_of(value))?.text("]")?;
            self.is_unnamed = true;
            return Ok(());
        }
        if types::is_scalar(key) {
            let mut bytes = Vec::new();
            match key_text::append_scalar(key, &mut bytes) {
                Ok(()) => return self.name(&bytes),
                Err(Raised) if error::must_propagate(py) => return Err(Raised),
                // A string with surrogates has no UTF-8; an integer may be beyond 64 bits.
                Err(Raised) => error::clear(),
            }
            if let Kind::Int(number) = types::kind(key) {
                let digits = call::digits_of(py, number);
                match digits.and_then(|digits| unicode::encode_utf8(py, digits.get())) {
                    Ok(digits) => return self.name(bytes::contents(digits.get())),
                    Err(Raised) if error::must_propagate(py) => return Err(Raised),
                    // More digits than the interpreter converts.
                    Err(Raised) => error::clear(),
                }
            }
        }
        self.path.text("[")?.type_name(key)?.text("]")?;
        self.is_unnamed = true;
        Ok(())
    }

    /// Goes to a member: in the path after a dot if its name is a word in ASCII, otherwise quoted
    /// in brackets. As in `_typed/places.py`, a long name is cut there, and characters that a
    /// terminal or a log would not show as they are become escapes.
    pub(crate) fn name(&mut self, name: &[u8]) -> Result<(), Raised> {
        let name = core::str::from_utf8(name).unwrap_or("\u{fffd}");
        self.pointer.text("/")?;
        for part in name.split_inclusive(['~', '/']) {
            match part.as_bytes() {
                [before @ .., b'~'] => self.pointer.utf8(before)?.text("~0")?,
                [before @ .., b'/'] => self.pointer.utf8(before)?.text("~1")?,
                _ => self.pointer.text(part)?,
            };
        }
        let mut characters = name.bytes();
        let is_word =
            characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
                && characters.all(|other| other.is_ascii_alphanumeric() || other == b'_');
        let end = name.char_indices().nth(LONGEST_NAME).map_or(name.len(), |(index, _)| index);
        let (shown, hidden) = name.split_at(end);
        let path = &mut self.path;
        if is_word && hidden.is_empty() {
            path.text(".")?.text(shown)?;
            return Ok(());
        }
        path.text("[\"")?;
        for character in shown.chars() {
            match character {
                '"' | '\\' => _ = path.text("\\")?,
                _ if is_printable(character) => {}
                _ => {
                    for unit in character.encode_utf16(&mut [0; 2]) {
                        path.text("\\u")?;
                        for shift in [12, 8, 4, 0] {
                            let digit = b"0123456789abcdef".get(usize::from(*unit >> shift & 15));
                            path.utf8(digit.map_or(&[][..], core::slice::from_ref))?;
                        }
                    }
                    continue;
                }
            }
            path.text(character.encode_utf8(&mut [0; 4]))?;
        }
        path.text(if hidden.is_empty() { "\"]" } else { "...\"]" })?;
        Ok(())
    }

    /// Adds the place to the exception, which becomes the current one: the attributes `path` and
    /// `pointer`; with `notes` also a note, unless the place is the root.
    #[cold]
    pub(crate) fn add_to(&self, py: &mut Attached, exception: Owned, notes: bool) {
        let added = self.attributes_and_note(notes).and_then(|(path, pointer, note)| {
            error::add_place(py, &exception, &path, pointer.as_ref(), note.as_ref())
        });
        if added.is_ok() {
            error::restore(py, exception);
        }
    }

    /// The text of the path, of the pointer and of the note.
    fn attributes_and_note(
        &self,
        notes: bool,
    ) -> Result<(Owned, Option<Owned>, Option<Owned>), Raised> {
        let pointer = if self.is_unnamed { None } else { Some(self.pointer.to_str()?) };
        let note = match notes && self.path.len() > 1 {
            true => {
                let mut note = Message::new();
                if let Some(key) = &self.key {
                    note.text("in a key of type ")?.type_name(key.get())?.text(" ")?;
                }
                note.text("at ")?.append(&self.path, LONGEST_NOTE)?;
                Some(note.to_str()?)
            }
            false => None,
        };
        Ok((self.path.to_str()?, pointer, note))
    }
}

/// The name of a float that is not finite.
pub(crate) fn name_of(value: f64) -> &'static str {
    match value {
        f64::INFINITY => "Infinity",
        f64::NEG_INFINITY => "-Infinity",
        _ => "NaN",
    }
}

/// Whether a character is shown as it is: no control, no line or paragraph separator, no mark that
/// changes the direction of text, no character without width.
fn is_printable(character: char) -> bool {
    !(character.is_control()
        || matches!(character, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{feff}')
        || matches!(character, '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'))
}
