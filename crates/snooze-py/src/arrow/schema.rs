//! `ArrowSchema` of fields.
//!
//! Separate from `array`, because a schema is exported without data, too. Invariant: as for the
//! room; the strings and the children of a struct are in its private data.

use core::ffi::c_char;
use core::ptr::{null, null_mut};

use snooze_core::columns::{Field, NoMemory, Type};

use super::ffi::{ArrowSchema, NULLABLE};
use super::format::{extension_of, format_of};
use crate::boxed;

/// What an exported schema owns.
struct Private {
    format: Vec<u8>,
    name: Vec<u8>,
    metadata: Vec<u8>,
    children: Vec<ArrowSchema>,
    pointers: Vec<*mut ArrowSchema>,
}

/// A string with a zero at its end.
fn terminated(text: &str) -> Result<Vec<u8>, NoMemory> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(text.len() + 1).map_err(|_| NoMemory)?;
    // A name with a zero byte never becomes a field: see `Inference` and `scan::fields`.
    bytes.extend(text.bytes().take_while(|&byte| byte != 0));
    bytes.push(0);
    Ok(bytes)
}

/// The metadata of an extension type: pairs of key and value, each with its length before it.
fn metadata_of(extension: &str) -> Result<Vec<u8>, NoMemory> {
    let mut bytes = Vec::new();
    let pairs = [("ARROW:extension:name", extension), ("ARROW:extension:metadata", "")];
    bytes.try_reserve_exact(128).map_err(|_| NoMemory)?;
    bytes.extend((pairs.len() as i32).to_ne_bytes());
    for text in pairs.iter().flat_map(|(key, value)| [key, value]) {
        bytes.extend((text.len() as i32).to_ne_bytes());
        bytes.extend(text.bytes());
    }
    Ok(bytes)
}

/// Exports a struct of these fields: the schema of a table.
pub(crate) fn export_schema(fields: &[Field]) -> Result<ArrowSchema, NoMemory> {
    export("+s", "", false, None, children_of(fields)?)
}

fn children_of(fields: &[Field]) -> Result<Vec<ArrowSchema>, NoMemory> {
    let mut children = Vec::new();
    children.try_reserve_exact(fields.len()).map_err(|_| NoMemory)?;
    for field in fields {
        children.push(export_field(field)?);
    }
    Ok(children)
}

fn export_field(field: &Field) -> Result<ArrowSchema, NoMemory> {
    let children = match &field.data {
        Type::List(item) => children_of(&item[..])?,
        Type::Struct(fields) => children_of(fields)?,
        Type::Map(item) => {
            let mut pair = Vec::new();
            pair.try_reserve_exact(2).map_err(|_| NoMemory)?;
            pair.push(export("u", "key", false, None, Vec::new())?);
            pair.push(export_field(&item[0])?);
            let mut entries = Vec::new();
            entries.try_reserve_exact(1).map_err(|_| NoMemory)?;
            entries.push(export("+s", "entries", false, None, pair)?);
            entries
        }
        _ => Vec::new(),
    };
    let format = format_of(&field.data)?;
    export(&format, &field.name, field.nullable, extension_of(&field.data), children)
}

fn export(
    format: &str,
    name: &str,
    nullable: bool,
    extension: Option<&str>,
    mut children: Vec<ArrowSchema>,
) -> Result<ArrowSchema, NoMemory> {
    let mut pointers = Vec::new();
    pointers.try_reserve_exact(children.len()).map_err(|_| NoMemory)?;
    pointers.extend(children.iter_mut().map(|child| &raw mut *child));
    let metadata = match extension {
        Some(extension) => metadata_of(extension)?,
        None => Vec::new(),
    };
    let private = Private {
        format: terminated(format)?,
        name: terminated(name)?,
        metadata,
        children,
        pointers,
    };
    let text = |bytes: &[u8]| -> *const c_char {
        if bytes.is_empty() { null() } else { bytes.as_ptr().cast() }
    };
    let (format, name, metadata) =
        (text(&private.format), text(&private.name), text(&private.metadata));
    let (count, children) = (private.children.len(), private.pointers.as_ptr().cast_mut());
    // The vectors keep their memory when the struct around them moves.
    Ok(ArrowSchema {
        format,
        name,
        metadata,
        flags: if nullable { NULLABLE } else { 0 },
        n_children: count as i64,
        children: if count == 0 { null_mut() } else { children },
        dictionary: null_mut(),
        private_data: boxed::put(private).map_err(|_| NoMemory)?.as_ptr().cast(),
        release: Some(release),
    })
}

/// Releases a schema and the children that were not moved out.
unsafe extern "C" fn release(schema: *mut ArrowSchema) {
    // SAFETY: a live struct that `export` made and that was not released, because the
    // specification says so of every call; so its private data is a `Private` that only it owns.
    unsafe {
        (*schema).release = None;
        drop(boxed::take((*schema).private_data.cast::<Private>()));
    }
}
