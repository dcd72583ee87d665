//! Columns from and to tuples: `(name, format, nullable, extension, children)`.
//!
//! Separate because Python and Rust exchange schemas in this form only: Arrow's format strings and
//! extension names, so there is one list of types, in `arrow::format`. Invariant: a format that
//! Python states wrongly is a `SystemError`; its modules and the extension are released together.

use snooze_core::columns::{Field, Type};

use crate::arrow::{FormatError, extension_of, format_of, type_of};
use crate::description::{self, Row};
use crate::py::bytes::contents;
use crate::py::{Attached, Obj, Owned, Raised, error, singletons, tuple, unicode};

/// A `str` as a text of our own.
pub(crate) fn text_from(py: &Attached, object: Obj<'_>) -> Result<String, Raised> {
    let bytes = description::utf8(py, object)?;
    let mut text = String::new();
    text.try_reserve_exact(contents(bytes.get()).len()).map_err(|_| error::no_memory())?;
    text.push_str(core::str::from_utf8(contents(bytes.get())).unwrap_or(""));
    Ok(text)
}

/// The most levels of columns. Python describes at most 100, and Arrow's schemas have at most 64.
const MOST_LEVELS: usize = 128;

/// The fields that a tuple of tuples describes.
pub(crate) fn fields_from(py: &Attached, object: Obj<'_>) -> Result<Vec<Field>, Raised> {
    fields_at(py, object, MOST_LEVELS)
}

/// The same, with at most so many levels below.
fn fields_at(py: &Attached, object: Obj<'_>, levels: usize) -> Result<Vec<Field>, Raised> {
    let row = Row::new(py, object)?;
    let mut fields = Vec::new();
    fields.try_reserve_exact(row.len()).map_err(|_| error::no_memory())?;
    for item in row.items() {
        let [name, format, nullable, extension, children] = Row::exact(py, item)?;
        let Some(below) = levels.checked_sub(1) else {
            return Err(error::system_error(c"too many levels of columns"));
        };
        let children = fields_at(py, children, below)?;
        let format = text_from(py, format)?;
        let extension = match description::optional(extension) {
            Some(extension) => Some(text_from(py, extension)?),
            None => None,
        };
        let data = match type_of(&format, extension.as_deref(), children) {
            Ok(data) => data,
            Err(FormatError::NoMemory) => return Err(error::no_memory()),
            Err(FormatError::Unknown) => {
                return Err(error::system_error(c"an unknown format of a column"));
            }
        };
        let nullable = singletons::is_true(nullable);
        fields.push(Field { name: text_from(py, name)?, data, nullable });
    }
    Ok(fields)
}

/// The tuple of tuples that describes fields.
pub(crate) fn tuple_of(py: &Attached, fields: &[Field]) -> Result<Owned, Raised> {
    let mut rows = Vec::new();
    rows.try_reserve_exact(fields.len()).map_err(|_| error::no_memory())?;
    for field in fields {
        rows.push(row_of(py, field)?);
    }
    tuple::new(py, &mut rows, 0)
}

fn row_of(py: &Attached, field: &Field) -> Result<Owned, Raised> {
    let children = match &field.data {
        Type::List(item) => tuple_of(py, &item[..])?,
        Type::Struct(fields) => tuple_of(py, fields)?,
        Type::Map(item) => {
            let key = row(py, "key", "u", false, None, tuple_of(py, &[])?)?;
            let pair = pair_of(py, key, row_of(py, &item[0])?)?;
            let entries = row(py, "entries", "+s", false, None, pair)?;
            let mut one = Vec::new();
            one.try_reserve_exact(1).map_err(|_| error::no_memory())?;
            one.push(entries);
            tuple::new(py, &mut one, 0)?
        }
        _ => tuple_of(py, &[])?,
    };
    let format = format_of(&field.data).map_err(|_| error::no_memory())?;
    row(py, &field.name, &format, field.nullable, extension_of(&field.data), children)
}

fn pair_of(py: &Attached, first: Owned, second: Owned) -> Result<Owned, Raised> {
    let mut pair = Vec::new();
    pair.try_reserve_exact(2).map_err(|_| error::no_memory())?;
    pair.extend([first, second]);
    tuple::new(py, &mut pair, 0)
}

fn row(
    py: &Attached,
    name: &str,
    format: &str,
    nullable: bool,
    extension: Option<&str>,
    children: Owned,
) -> Result<Owned, Raised> {
    let extension = match extension {
        Some(extension) => unicode::decode_utf8(extension.as_bytes())?,
        None => singletons::none(py),
    };
    let mut items = Vec::new();
    items.try_reserve_exact(5).map_err(|_| error::no_memory())?;
    items.push(unicode::decode_utf8(name.as_bytes())?);
    items.push(unicode::decode_utf8(format.as_bytes())?);
    items.push(singletons::boolean(py, nullable));
    items.extend([extension, children]);
    tuple::new(py, &mut items, 0)
}
