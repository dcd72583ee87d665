//! Types to Arrow's format strings, and back.
//!
//! Separate because both directions belong together. Invariant: what [`format_of`] writes,
//! [`type_of`] reads. A type that no JSON value is read into is an error, never another type.

use snooze_core::columns::{Field, NoMemory, Type, Unit, write_text};

/// Why a format string means no type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FormatError {
    /// There is no such type here.
    Unknown,
    /// No memory is left.
    NoMemory,
}

impl From<NoMemory> for FormatError {
    fn from(NoMemory: NoMemory) -> Self {
        Self::NoMemory
    }
}

/// The extension type of JSON text.
pub(super) const JSON: &str = "arrow.json";
/// The extension type of UUIDs.
pub(super) const UUID: &str = "arrow.uuid";

/// The name of the extension type, if it is one.
pub(crate) fn extension_of(data: &Type) -> Option<&'static str> {
    match data {
        Type::Json => Some(JSON),
        Type::Uuid => Some(UUID),
        _ => None,
    }
}

/// Writes the format string of a type.
pub(crate) fn format_of(data: &Type) -> Result<String, NoMemory> {
    let mut text = String::new();
    let plain = match data {
        Type::Null => "n",
        Type::Bool => "b",
        Type::Int8 => "c",
        Type::Int16 => "s",
        Type::Int32 => "i",
        Type::Int64 => "l",
        Type::UInt8 => "C",
        Type::UInt16 => "S",
        Type::UInt32 => "I",
        Type::UInt64 => "L",
        Type::Float32 => "f",
        Type::Float64 => "g",
        Type::Utf8 | Type::Json => "u",
        Type::LargeUtf8 => "U",
        Type::Binary => "z",
        Type::Uuid => "w:16",
        Type::Date32 => "tdD",
        Type::List(_) => "+l",
        Type::Struct(_) => "+s",
        Type::Map(_) => "+m",
        Type::Timestamp(unit, zone) => {
            let unit = match unit {
                Unit::Second => 's',
                Unit::Milli => 'm',
                Unit::Micro => 'u',
                Unit::Nano => 'n',
            };
            let zone = zone.as_deref().unwrap_or("");
            write_text(&mut text, format_args!("ts{unit}:{zone}"))?;
            ""
        }
        Type::Decimal { precision, scale } => {
            write_text(&mut text, format_args!("d:{precision},{scale}"))?;
            ""
        }
    };
    write_text(&mut text, format_args!("{plain}"))?;
    Ok(text)
}

/// The type of a format string with these fields inside it. The name of an extension type that this
/// does not know is ignored: its storage type counts.
pub(crate) fn type_of(
    format: &str,
    extension: Option<&str>,
    mut children: Vec<Field>,
) -> Result<Type, FormatError> {
    let one = |mut children: Vec<Field>| -> Result<Box<[Field; 1]>, FormatError> {
        Ok(children.pop().ok_or(FormatError::Unknown)?.boxed()?)
    };
    Ok(match format {
        "n" => Type::Null,
        "b" => Type::Bool,
        "c" => Type::Int8,
        "s" => Type::Int16,
        "i" => Type::Int32,
        "l" => Type::Int64,
        "C" => Type::UInt8,
        "S" => Type::UInt16,
        "I" => Type::UInt32,
        "L" => Type::UInt64,
        "f" => Type::Float32,
        "g" => Type::Float64,
        // Batches are short enough for the offsets of the shorter type.
        "u" | "U" if extension == Some(JSON) => Type::Json,
        "u" => Type::Utf8,
        "U" => Type::LargeUtf8,
        "z" => Type::Binary,
        "w:16" if extension == Some(UUID) => Type::Uuid,
        "tdD" => Type::Date32,
        "+l" if children.len() == 1 => Type::List(one(children)?),
        "+s" => Type::Struct(children),
        // A map is a list of structs of key and value.
        "+m" if children.len() == 1 => match children.remove(0).data {
            Type::Struct(entries) if entries.len() == 2 && entries[0].data == Type::Utf8 => {
                Type::Map(one(entries)?)
            }
            _ => return Err(FormatError::Unknown),
        },
        _ => return parametrised(format).ok_or(FormatError::Unknown)?,
    })
}

/// The type of a format string with parameters; `None` if it is none.
fn parametrised(format: &str) -> Option<Result<Type, FormatError>> {
    if let Some(rest) = format.strip_prefix("ts") {
        let (unit, zone) = rest.split_once(':')?;
        let unit = match unit {
            "s" => Unit::Second,
            "m" => Unit::Milli,
            "u" => Unit::Micro,
            "n" => Unit::Nano,
            _ => return None,
        };
        let mut copy = String::new();
        if let Err(error) = write_text(&mut copy, format_args!("{zone}")) {
            return Some(Err(error.into()));
        }
        return Some(Ok(Type::Timestamp(unit, (!zone.is_empty()).then_some(copy))));
    }
    let (precision, scale) = format.strip_prefix("d:")?.split_once(',')?;
    // The number of bits may follow; 128 is the default.
    let scale = scale.strip_suffix(",128").unwrap_or(scale);
    let (precision, scale) = (precision.parse().ok()?, scale.parse().ok()?);
    let is_held = (1..=38).contains(&precision) && scale <= precision;
    is_held.then_some(Ok(Type::Decimal { precision, scale }))
}
