//! Somebody else's structs: the fields of a schema, the next batch of a stream.
//!
//! Separate from the exports because this trusts a producer. Invariant: nothing is read from a
//! struct that was released, and every length is taken from the struct that owns the memory.
//! Strings are copied.

use core::ffi::{CStr, c_char};

use snooze_core::columns::{Field, NoMemory, write_text};

use super::ffi::{ArrowArray, ArrowArrayStream, ArrowSchema, NULLABLE};
use super::format::{FormatError, type_of};
use super::limits::{MAX_CHILDREN, MAX_COLUMNS, MAX_DEPTH, TOO_MANY_COLUMNS};

/// What a schema says.
#[derive(Debug)]
pub(crate) enum Imported {
    /// The columns of a table.
    Fields(Vec<Field>),
    /// It is not the schema of a table: its root is no struct.
    NoTable,
    /// The column at this path has a type with this format string, which JSON is not read into.
    Unsupported(String, String),
    /// No memory is left.
    NoMemory,
}

impl From<NoMemory> for Imported {
    fn from(NoMemory: NoMemory) -> Self {
        Self::NoMemory
    }
}

impl ArrowSchema {
    /// The columns of the table that this schema describes.
    ///
    /// # Safety
    /// The struct follows the specification.
    pub(crate) unsafe fn table_fields(&self) -> Imported {
        // SAFETY: a struct that follows the specification, because the caller says so.
        unsafe {
            // What was released has no strings any more.
            let is_table = self.release.is_some()
                && match text(self.format) {
                    Ok(format) => format == "+s",
                    Err(NoMemory) => return Imported::NoMemory,
                };
            if !is_table {
                return Imported::NoTable;
            }
            let mut left = MAX_COLUMNS;
            match fields_of(self, "", 0, &mut left) {
                Ok(fields) => Imported::Fields(fields),
                Err(imported) => imported,
            }
        }
    }
}

/// A copy of a C string; U+FFFD takes the place of what is not UTF-8.
///
/// # Safety
/// Null, or a string that ends with a zero.
unsafe fn text(start: *const c_char) -> Result<String, NoMemory> {
    let mut copy = String::new();
    if !start.is_null() {
        // SAFETY: it ends with a zero, because the caller says so.
        let bytes = unsafe { CStr::from_ptr(start) }.to_bytes();
        for chunk in bytes.utf8_chunks() {
            let replacement = if chunk.invalid().is_empty() { "" } else { "\u{fffd}" };
            write_text(&mut copy, format_args!("{}{replacement}", chunk.valid()))?;
        }
    }
    Ok(copy)
}

/// The fields inside a schema at `path`.
///
/// # Safety
/// The struct follows the specification and is not released.
unsafe fn fields_of(
    schema: &ArrowSchema,
    path: &str,
    depth: usize,
    left: &mut usize,
) -> Result<Vec<Field>, Imported> {
    let mut fields = Vec::new();
    if !(0..=MAX_CHILDREN).contains(&schema.n_children) {
        return Err(unsupported(path, "an impossible number of children"));
    }
    for index in 0..schema.n_children as usize {
        // SAFETY: there are as many children, each a live struct, because the specification says
        // so; its strings end with a zero, because it says that, too.
        unsafe {
            let child = match schema.children.is_null() {
                true => None,
                false => (*schema.children.add(index)).as_ref(),
            };
            let Some(child) = child.filter(|child| child.release.is_some()) else {
                let mut inner = String::new();
                write_text(&mut inner, format_args!("{path}/"))?;
                return Err(unsupported(&inner, "a child that is missing or was released"));
            };
            let name = text(child.name)?;
            let mut inner = String::new();
            write_text(&mut inner, format_args!("{path}/{name}"))?;
            let format = text(child.format)?;
            if depth >= MAX_DEPTH {
                return Err(unsupported(&inner, "too deep nesting"));
            }
            if !child.dictionary.is_null() {
                return Err(unsupported(&inner, "a dictionary"));
            }
            let Some(fewer) = left.checked_sub(1) else {
                return Err(unsupported(&inner, TOO_MANY_COLUMNS));
            };
            *left = fewer;
            let children = fields_of(child, &inner, depth + 1, left)?;
            let extension = extension_of(child.metadata)?;
            let data = match type_of(&format, extension.as_deref(), children) {
                Ok(data) => data,
                Err(FormatError::Unknown) => return Err(Imported::Unsupported(inner, format)),
                Err(FormatError::NoMemory) => return Err(Imported::NoMemory),
            };
            fields.try_reserve(1).map_err(|_| Imported::NoMemory)?;
            fields.push(Field { name, data, nullable: child.flags & NULLABLE != 0 });
        }
    }
    Ok(fields)
}

/// The column at a path has a type, or a fault, that is not read.
fn unsupported(path: &str, what: &str) -> Imported {
    let (mut inner, mut found) = (String::new(), String::new());
    match write_text(&mut inner, format_args!("{path}"))
        .and_then(|()| write_text(&mut found, format_args!("{what}")))
    {
        Ok(()) => Imported::Unsupported(inner, found),
        Err(NoMemory) => Imported::NoMemory,
    }
}

/// The name of the extension type in metadata.
///
/// # Safety
/// Null, or pairs as the specification lays them out.
pub(super) unsafe fn extension_of(metadata: *const c_char) -> Result<Option<String>, NoMemory> {
    if metadata.is_null() {
        return Ok(None);
    }
    // SAFETY: a count, then so many pairs of strings with their lengths, because the caller says
    // so.
    unsafe {
        let length_at = |at: *const u8| usize::try_from(at.cast::<i32>().read_unaligned()).ok();
        let mut at = metadata.cast::<u8>();
        let Some(count) = length_at(at) else { return Ok(None) };
        at = at.add(4);
        for _ in 0..count {
            let mut strings = [&[][..]; 2];
            for string in &mut strings {
                // What follows a negative length cannot be found.
                let Some(len) = length_at(at) else { return Ok(None) };
                *string = core::slice::from_raw_parts(at.add(4), len);
                at = at.add(4 + string.len());
            }
            if strings[0] == b"ARROW:extension:name" {
                let mut name = String::new();
                let value = core::str::from_utf8(strings[1]).unwrap_or("");
                write_text(&mut name, format_args!("{value}"))?;
                return Ok(Some(name));
            }
        }
    }
    Ok(None)
}

/// Why a stream gave no batch.
#[derive(Debug)]
pub(crate) enum NextError {
    /// The stream failed, with this `errno` and text.
    Failed(i32, String),
    /// It was released, or moved to a consumer.
    Released,
    /// No memory is left.
    NoMemory,
}

/// The next batch of a stream; `None` at the end.
///
/// # Safety
/// The struct follows the specification, and no other call of it runs.
pub(crate) unsafe fn next_batch(
    stream: *mut ArrowArrayStream,
) -> Result<Option<ArrowArray>, NextError> {
    let mut array = ArrowArray::released();
    // SAFETY: a live stream whose functions follow the specification, because the caller says so;
    // not released, because that is checked; the text of an error lives until the next call.
    unsafe {
        let (Some(get_next), Some(_)) = ((*stream).get_next, (*stream).release) else {
            return Err(NextError::Released);
        };
        let code = get_next(stream, &raw mut array);
        if code != 0 {
            return Err(failure(stream, code)?);
        }
    }
    Ok(array.release.is_some().then_some(array))
}

/// The error that a call of a stream returned with this code.
///
/// # Safety
/// As for [`next_batch`]; the stream is not released.
pub(super) unsafe fn failure(
    stream: *mut ArrowArrayStream,
    code: i32,
) -> Result<NextError, NextError> {
    // SAFETY: a live stream whose functions follow the specification, because the caller says so;
    // the text of an error lives until the next call.
    unsafe {
        let message = (*stream).get_last_error.map_or(core::ptr::null(), |get| get(stream));
        let message = text(message).map_err(|NoMemory| NextError::NoMemory)?;
        Ok(NextError::Failed(code, message))
    }
}
