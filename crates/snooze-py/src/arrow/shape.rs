//! Somebody else's schema as a [`Shape`]: every type that becomes JSON.
//!
//! Separate from `import`, which takes the types that JSON is read into. Invariants: pointers and
//! counts are checked before they are used, as far as the specification lets a consumer check them;
//! strings are copied. Called by `producer`.

use core::ffi::{CStr, c_char};

use snooze_core::columns::{NoMemory, write_text};
use snooze_core::lines::{Decimals, Index, Kind, MAX_SCALE, Shape, Unit, Zone};

use super::ffi::ArrowSchema;
use super::format::{JSON, UUID};
use super::import::extension_of;
use super::limits::{MAX_CHILDREN, MAX_COLUMNS, MAX_DEPTH, TOO_MANY_COLUMNS};

/// Why a schema is none of a table that can be written.
#[derive(Debug)]
pub(crate) enum ShapeError {
    /// Its root is no struct.
    NoTable,
    /// The column at this path has this type, which is not written as JSON.
    Unsupported(String, String),
    /// The column at this path breaks the specification like this.
    Damaged(String, &'static str),
    /// Two columns of one struct have this name.
    Twice(String),
    NoMemory,
}

impl From<NoMemory> for ShapeError {
    fn from(NoMemory: NoMemory) -> Self {
        Self::NoMemory
    }
}

fn copied(text: &str) -> Result<String, NoMemory> {
    let mut copy = String::new();
    write_text(&mut copy, format_args!("{text}"))?;
    Ok(copy)
}

fn damaged(path: &str, what: &'static str) -> ShapeError {
    copied(path).map_or(ShapeError::NoMemory, |path| ShapeError::Damaged(path, what))
}

fn unsupported(path: &str, format: &str) -> ShapeError {
    match (copied(path), copied(format)) {
        (Ok(path), Ok(format)) => ShapeError::Unsupported(path, format),
        _ => ShapeError::NoMemory,
    }
}

/// The shape of the table that a schema describes.
///
/// # Safety
/// A struct that a producer filled: released, or with strings that end with a zero and pointers to
/// such structs.
pub(super) unsafe fn table_of(schema: &ArrowSchema) -> Result<Shape, ShapeError> {
    // SAFETY: the caller says what the struct is.
    unsafe {
        if schema.release.is_none() {
            return Err(damaged("", "a schema that was released"));
        }
        if string(schema.format, "")? != "+s" || !schema.dictionary.is_null() {
            return Err(ShapeError::NoTable);
        }
        let mut left = MAX_COLUMNS;
        shape_of(schema, String::new(), 0, &mut left, None)
    }
}

/// A C string in UTF-8; the empty one for null.
///
/// # Safety
/// Null, or a string that ends with a zero and lives for `'a`.
unsafe fn string<'a>(start: *const c_char, path: &str) -> Result<&'a str, ShapeError> {
    if start.is_null() {
        return Ok("");
    }
    // SAFETY: it ends with a zero, because the caller says so.
    let bytes = unsafe { CStr::from_ptr(start) }.to_bytes();
    core::str::from_utf8(bytes).map_err(|_| damaged(path, "a name or format that is not UTF-8"))
}

/// The shape of a column at `path`; `outer` is the extension type of the column whose values these
/// are: the type of a column with a dictionary or runs is that of its values.
///
/// # Safety
/// As for [`table_of`], and not released.
unsafe fn shape_of(
    schema: &ArrowSchema,
    path: String,
    depth: usize,
    left: &mut usize,
    outer: Option<&str>,
) -> Result<Shape, ShapeError> {
    let Some(fewer) = left.checked_sub(1) else {
        return Err(unsupported(&path, TOO_MANY_COLUMNS));
    };
    *left = fewer;
    if depth > MAX_DEPTH {
        return Err(unsupported(&path, "nested deeper than 64 levels"));
    }
    // SAFETY: the strings and children follow the specification, because the caller says so; each
    // pointer is checked for null before it is used.
    unsafe {
        let (name, format) = (string(schema.name, &path)?, string(schema.format, &path)?);
        let count = schema.n_children;
        if !(0..=MAX_CHILDREN).contains(&count) {
            return Err(damaged(&path, "an impossible number of children"));
        }
        if count > 0 && schema.children.is_null() {
            return Err(damaged(&path, "children that are missing"));
        }
        let own = extension_of(schema.metadata)?;
        let extension = own.as_deref().or(outer);
        let mut child = |pointer: *const ArrowSchema, path: String, outer: Option<&str>| {
            let schema = pointer.as_ref().filter(|schema| schema.release.is_some());
            let Some(schema) = schema else {
                return Err(damaged(&path, "a child that is missing or was released"));
            };
            shape_of(schema, path, depth + 1, left, outer)
        };
        if !schema.dictionary.is_null() {
            let Some(index) = index_of(format) else {
                return Err(unsupported(&path, format));
            };
            let values = child(schema.dictionary, copied(&path)?, extension)?;
            let mut shape = Shape::new(name, path, Kind::Dictionary(index))?;
            push(&mut shape.children, values)?;
            return Ok(shape);
        }
        let Some((kind, codes)) = kind_of(format, extension)? else {
            return Err(unsupported(&path, format));
        };
        let mut children = Vec::new();
        children.try_reserve_exact(count as usize).map_err(|_| NoMemory)?;
        for index in 0..count as usize {
            let pointer = *schema.children.add(index);
            let path = path_of(&path, kind, pointer, index)?;
            let is_values = kind == Kind::RunEnds && index == 1;
            children.push(child(pointer, path, if is_values { extension } else { None })?);
        }
        let mut shape = Shape::new(name, path, kind)?;
        shape.is_json = extension == Some(JSON);
        (shape.children, shape.codes) = (children, codes);
        checked(shape)
    }
}

/// The path of a child.
///
/// # Safety
/// As for [`table_of`].
unsafe fn path_of(
    path: &str,
    kind: Kind,
    child: *const ArrowSchema,
    index: usize,
) -> Result<String, ShapeError> {
    let mut inner = String::new();
    // SAFETY: null, or a struct that the specification describes, because the caller says so.
    let name = unsafe {
        match child.as_ref() {
            Some(child) if child.release.is_some() => string(child.name, path)?,
            _ => "",
        }
    };
    match kind {
        Kind::Struct if path.is_empty() => write_text(&mut inner, format_args!("{name}"))?,
        Kind::Struct => write_text(&mut inner, format_args!("{path}.{name}"))?,
        Kind::RunEnds => write_text(&mut inner, format_args!("{path}"))?,
        Kind::Union { .. } => write_text(&mut inner, format_args!("{path}<{index}>"))?,
        _ => write_text(&mut inner, format_args!("{path}[]"))?,
    }
    Ok(inner)
}

fn push<T>(values: &mut Vec<T>, value: T) -> Result<(), NoMemory> {
    values.try_reserve(1).map_err(|_| NoMemory)?;
    values.push(value);
    Ok(())
}

/// The shape, if it has the children that its type demands.
fn checked(shape: Shape) -> Result<Shape, ShapeError> {
    let is_right = match shape.kind {
        Kind::Struct | Kind::Union { .. } => true,
        Kind::List
        | Kind::LargeList
        | Kind::ListView
        | Kind::LargeListView
        | Kind::FixedList(_) => shape.children.len() == 1,
        Kind::Map => matches!(&shape.children[..], [entries]
            if entries.kind == Kind::Struct && entries.children.len() == 2),
        Kind::RunEnds => matches!(&shape.children[..], [ends, _]
            if matches!(ends.kind, Kind::Int16 | Kind::Int32 | Kind::Int64)),
        _ => shape.children.is_empty(),
    };
    if !is_right {
        return Err(damaged(&shape.path, "other children than its type has"));
    }
    if matches!(shape.kind, Kind::Union { .. })
        && shape.codes.iter().filter(|&&child| child != u8::MAX).count() != shape.children.len()
    {
        return Err(damaged(&shape.path, "another number of children than type codes"));
    }
    if shape.kind == Kind::Struct {
        // Objects with two members of one name lose one of them where they are read.
        let mut paths = Vec::new();
        paths.try_reserve_exact(shape.children.len()).map_err(|_| NoMemory)?;
        paths.extend(shape.children.iter().map(|child| child.path.as_str()));
        paths.sort_unstable();
        if let Some(pair) = paths.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(ShapeError::Twice(copied(pair[0])?));
        }
    }
    Ok(shape)
}

fn index_of(format: &str) -> Option<Index> {
    Some(match format {
        "c" => Index::Int8,
        "s" => Index::Int16,
        "i" => Index::Int32,
        "l" => Index::Int64,
        "C" => Index::UInt8,
        "S" => Index::UInt16,
        "I" => Index::UInt32,
        "L" => Index::UInt64,
        _ => return None,
    })
}

/// The kind of a format string, and the type codes of a union; `None` if it is not written.
fn kind_of(format: &str, extension: Option<&str>) -> Result<Option<(Kind, Vec<u8>)>, NoMemory> {
    if let Some((dense, codes)) = format
        .strip_prefix("+ud:")
        .map(|codes| (true, codes))
        .or_else(|| format.strip_prefix("+us:").map(|codes| (false, codes)))
    {
        let codes = codes_of(codes)?;
        return Ok(codes.map(|codes| (Kind::Union { dense }, codes)));
    }
    Ok(plain_kind(format, extension).map(|kind| (kind, Vec::new())))
}

/// For each code of a union, which child it means; 255 for none.
fn codes_of(text: &str) -> Result<Option<Vec<u8>>, NoMemory> {
    let mut children = Vec::new();
    children.try_reserve_exact(128).map_err(|_| NoMemory)?;
    children.resize(128, u8::MAX);
    for (index, code) in text.split(',').filter(|code| !code.is_empty()).enumerate() {
        let place = code.parse::<usize>().ok().and_then(|code| children.get_mut(code));
        match (place, u8::try_from(index)) {
            (Some(place), Ok(index)) if *place == u8::MAX => *place = index,
            _ => return Ok(None),
        }
    }
    Ok(Some(children))
}

fn plain_kind(format: &str, extension: Option<&str>) -> Option<Kind> {
    Some(match format {
        "n" => Kind::Null,
        "b" => Kind::Bool,
        "c" => Kind::Int8,
        "s" => Kind::Int16,
        "i" => Kind::Int32,
        "l" => Kind::Int64,
        "C" => Kind::UInt8,
        "S" => Kind::UInt16,
        "I" => Kind::UInt32,
        "L" => Kind::UInt64,
        "e" => Kind::Float16,
        "f" => Kind::Float32,
        "g" => Kind::Float64,
        "u" => Kind::Utf8,
        "U" => Kind::LargeUtf8,
        "vu" => Kind::Utf8View,
        "z" => Kind::Binary,
        "Z" => Kind::LargeBinary,
        "vz" => Kind::BinaryView,
        "tdD" => Kind::Date32,
        "tdm" => Kind::Date64,
        "tts" => Kind::Time32(Unit::Second),
        "ttm" => Kind::Time32(Unit::Milli),
        "ttu" => Kind::Time64(Unit::Micro),
        "ttn" => Kind::Time64(Unit::Nano),
        "tDs" => Kind::Duration(Unit::Second),
        "tDm" => Kind::Duration(Unit::Milli),
        "tDu" => Kind::Duration(Unit::Micro),
        "tDn" => Kind::Duration(Unit::Nano),
        "+l" => Kind::List,
        "+L" => Kind::LargeList,
        "+vl" => Kind::ListView,
        "+vL" => Kind::LargeListView,
        "+s" => Kind::Struct,
        "+m" => Kind::Map,
        "+r" => Kind::RunEnds,
        "w:16" if extension == Some(UUID) => Kind::Uuid,
        _ => return parametrised(format),
    })
}

fn parametrised(format: &str) -> Option<Kind> {
    let size = |text: &str| {
        let size = text.parse::<i32>().ok()?;
        usize::try_from(size).ok()
    };
    if let Some(text) = format.strip_prefix("w:") {
        return Some(Kind::FixedBinary(size(text)?));
    }
    if let Some(text) = format.strip_prefix("+w:") {
        return Some(Kind::FixedList(size(text)?));
    }
    if let Some(text) = format.strip_prefix("d:") {
        let mut parts = text.split(',');
        let (_, scale) = (parts.next()?, parts.next()?.parse::<i32>().ok()?);
        let width = match parts.next().unwrap_or("128") {
            "32" => Decimals::Bits32,
            "64" => Decimals::Bits64,
            "128" => Decimals::Bits128,
            "256" => Decimals::Bits256,
            _ => return None,
        };
        return (-MAX_SCALE..=MAX_SCALE).contains(&scale).then_some(Kind::Decimal(width, scale));
    }
    let (unit, zone) = format.strip_prefix("ts")?.split_once(':')?;
    let unit = match unit {
        "s" => Unit::Second,
        "m" => Unit::Milli,
        "u" => Unit::Micro,
        "n" => Unit::Nano,
        _ => return None,
    };
    Some(Kind::Timestamp(unit, zone_of(zone)))
}

/// The zone of a text: a fixed offset such as `+01:00` is kept, a place such as `Europe/Paris`
/// becomes UTC, which states the same instant.
fn zone_of(zone: &str) -> Zone {
    let minutes = || {
        let bytes = zone.as_bytes();
        let sign = match bytes.first()? {
            b'+' => 1,
            b'-' => -1,
            _ => return None,
        };
        let digits = match bytes.get(1..)? {
            [a, b, b':', c, d] | [a, b, c, d] => [a, b, c, d],
            _ => return None,
        };
        if !digits.iter().all(|digit| digit.is_ascii_digit()) {
            return None;
        }
        let [a, b, c, d] = digits.map(|digit| i16::from(digit - b'0'));
        let (hours, minutes) = (a * 10 + b, c * 10 + d);
        (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes))
    };
    match zone {
        "" => Zone::Naive,
        _ => Zone::Offset(minutes().unwrap_or(0)),
    }
}
