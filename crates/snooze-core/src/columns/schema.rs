//! The types of columns: the subset of Arrow's types that JSON values are read into.
//!
//! Separate because inference makes schemas, builders follow them and the bindings translate them
//! to and from Arrow's format strings. Invariant: a schema says everything about the layout of a
//! column; nothing else about a column is configured elsewhere.

use super::memory::NoMemory;

/// The unit of a timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Seconds.
    Second,
    /// Milliseconds.
    Milli,
    /// Microseconds.
    Micro,
    /// Nanoseconds.
    Nano,
}

impl Unit {
    /// How many of the unit are a second.
    pub fn per_second(self) -> i64 {
        match self {
            Self::Second => 1,
            Self::Milli => 1_000,
            Self::Micro => 1_000_000,
            Self::Nano => 1_000_000_000,
        }
    }
}

/// The type of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// Only `null`.
    Null,
    /// `true` and `false`.
    Bool,
    /// Integers of 8 bits, and so on.
    Int8,
    /// Integers of 16 bits.
    Int16,
    /// Integers of 32 bits.
    Int32,
    /// Integers of 64 bits.
    Int64,
    /// Unsigned integers of 8 bits.
    UInt8,
    /// Unsigned integers of 16 bits.
    UInt16,
    /// Unsigned integers of 32 bits.
    UInt32,
    /// Unsigned integers of 64 bits.
    UInt64,
    /// Numbers, rounded to 32 bits.
    Float32,
    /// Numbers, as doubles.
    Float64,
    /// Strings, with offsets of 32 bits.
    Utf8,
    /// Strings, with offsets of 64 bits.
    LargeUtf8,
    /// Any value as its JSON text: the extension type `arrow.json` over [`Type::Utf8`].
    Json,
    /// Strings that hold base64 (RFC 4648, section 4).
    Binary,
    /// Strings that hold a UUID: the extension type `arrow.uuid` over sixteen bytes.
    Uuid,
    /// Strings that hold a date: days since 1970-01-01.
    Date32,
    /// Strings that hold a date and a time (RFC 3339). With a time zone the text must have an
    /// offset, and the instant is kept; without one it must have none.
    Timestamp(Unit, Option<String>),
    /// Numbers, or strings that hold one, with exactly so many digits after the point.
    Decimal {
        /// The most digits, 1 to 38.
        precision: u8,
        /// The digits after the point, 0 to `precision`.
        scale: u8,
    },
    /// Arrays of such elements.
    List(Box<[Field; 1]>),
    /// Objects with known members.
    Struct(Vec<Field>),
    /// Objects with any members, all of one type.
    Map(Box<[Field; 1]>),
}

impl Type {
    /// What a value of the type is, in messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "bool",
            Self::Int8 => "int8",
            Self::Int16 => "int16",
            Self::Int32 => "int32",
            Self::Int64 => "int64",
            Self::UInt8 => "uint8",
            Self::UInt16 => "uint16",
            Self::UInt32 => "uint32",
            Self::UInt64 => "uint64",
            Self::Float32 => "number that float32 holds",
            Self::Float64 => "number that float64 holds",
            Self::Utf8 | Self::LargeUtf8 => "string",
            Self::Json => "JSON",
            Self::Binary => "base64 string",
            Self::Uuid => "UUID string",
            Self::Date32 => "date string",
            Self::Timestamp(unit, None) => match unit {
                Unit::Second => "date-time string without an offset that timestamp[s] holds",
                Unit::Milli => "date-time string without an offset that timestamp[ms] holds",
                Unit::Micro => "date-time string without an offset that timestamp[us] holds",
                Unit::Nano => "date-time string without an offset that timestamp[ns] holds",
            },
            Self::Timestamp(unit, Some(_)) => match unit {
                Unit::Second => "date-time string with an offset that timestamp[s] holds",
                Unit::Milli => "date-time string with an offset that timestamp[ms] holds",
                Unit::Micro => "date-time string with an offset that timestamp[us] holds",
                Unit::Nano => "date-time string with an offset that timestamp[ns] holds",
            },
            Self::Decimal { .. } => "decimal within the precision and scale of its column",
            Self::List(_) => "array",
            Self::Struct(_) | Self::Map(_) => "object",
        }
    }

    /// The number of containers that the type nests.
    pub fn depth(&self) -> usize {
        match self {
            Self::List(item) | Self::Map(item) => 1 + item[0].data.depth(),
            Self::Struct(fields) => {
                1 + fields.iter().map(|field| field.data.depth()).max().unwrap_or(0)
            }
            _ => 0,
        }
    }
}

/// A column of a table or of a struct, or the elements of a list or map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name of the member.
    pub name: String,
    /// The type of its values.
    pub data: Type,
    /// Whether a value may be null or missing.
    pub nullable: bool,
}

impl Field {
    /// The field as the only one inside a list or map, allocated without aborting.
    pub fn boxed(self) -> Result<Box<[Field; 1]>, NoMemory> {
        let mut one = Vec::new();
        // Exactly one: making the vector a box must not allocate again.
        one.try_reserve_exact(1).map_err(|_| NoMemory)?;
        one.push(self);
        one.into_boxed_slice().try_into().map_err(|_| NoMemory)
    }
}
