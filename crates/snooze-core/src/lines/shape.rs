//! [`Shape`]: what columns there are, and what they are called.
//!
//! Separate from `column` because a stream has one shape and many batches. Invariant: a shape says
//! how many children its columns have. Made by snooze-py from Arrow's schemas.

use crate::columns::NoMemory;
use crate::out::{Out, VecBuffer};

/// A unit of time.
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
    /// How many of it are a second.
    pub(super) fn per_second(self) -> i64 {
        match self {
            Unit::Second => 1,
            Unit::Milli => 1_000,
            Unit::Micro => 1_000_000,
            Unit::Nano => 1_000_000_000,
        }
    }
}

/// How an instant is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zone {
    /// Without an offset: nobody knows the instant.
    Naive,
    /// With this offset from UTC, in minutes: -1439 to 1439. Places are written with offset 0.
    Offset(i16),
}

/// The bytes of a decimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decimals {
    /// Four.
    Bits32,
    /// Eight.
    Bits64,
    /// Sixteen.
    Bits128,
    /// Thirty-two.
    Bits256,
}

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are Arrow's")]
pub enum Kind {
    Null,
    Bool,
    Int8,
    Int16,
    Int32,
    Int64,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    Float16,
    Float32,
    Float64,
    /// An integer to be divided by a power of ten.
    Decimal(Decimals, i32),
    Date32,
    Date64,
    Time32(Unit),
    Time64(Unit),
    Timestamp(Unit, Zone),
    Duration(Unit),
    Utf8,
    LargeUtf8,
    Utf8View,
    Binary,
    LargeBinary,
    BinaryView,
    FixedBinary(usize),
    /// Sixteen bytes each.
    Uuid,
    List,
    LargeList,
    ListView,
    LargeListView,
    FixedList(usize),
    Struct,
    /// The child has two children: keys and values.
    Map,
    /// The values are the child; this has indices of some width.
    Dictionary(Index),
    /// The children are the ends of the runs, and the values.
    RunEnds,
    /// Values of one of the children; dense, with offsets, or sparse.
    Union {
        /// Whether there are offsets.
        dense: bool,
    },
}

/// What the indices of a dictionary are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are Arrow's")]
pub enum Index {
    Int8,
    Int16,
    Int32,
    Int64,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
}

/// The most bytes of a name that is stored in place.
pub(super) const SHORT: usize = 32;

/// A name as the start of a member: `"name":`.
#[derive(Debug)]
pub(super) struct Key {
    pub(super) short: [u8; SHORT],
    /// The whole text; its length counts also where it is short.
    pub(super) text: Vec<u8>,
}

/// One column, with those inside it.
#[derive(Debug)]
pub struct Shape {
    /// What it is called in messages, with the columns around it: `payload.issues[].id`.
    pub path: String,
    /// What its values are.
    pub kind: Kind,
    /// Whether strings hold the text of JSON documents.
    pub is_json: bool,
    /// The columns inside.
    pub children: Vec<Shape>,
    /// Of a union: for each type code, the child.
    pub codes: Vec<u8>,
    pub(super) key: Key,
}

impl Shape {
    /// A column with this name.
    ///
    /// # Errors
    /// If no memory is left.
    pub fn new(name: &str, path: String, kind: Kind) -> Result<Self, NoMemory> {
        let mut buffer = VecBuffer::new();
        let len = {
            let mut out = Out::new(&mut buffer)?;
            out.ascii::<crate::arch::Scalar>(name.as_bytes(), b':')?;
            out.len()
        };
        let text = buffer.into_vec(len);
        let mut short = [0; SHORT];
        if let Some(target) = short.get_mut(..text.len()) {
            target.copy_from_slice(&text);
        }
        let key = Key { short, text };
        Ok(Self { path, kind, is_json: false, children: Vec::new(), codes: Vec::new(), key })
    }

    /// Whether the values are strings, in any layout.
    pub fn is_text(&self) -> bool {
        matches!(self.kind, Kind::Utf8 | Kind::LargeUtf8 | Kind::Utf8View)
    }

    /// Whether the keys of this map are strings, so that it becomes an object.
    pub fn has_text_keys(&self) -> bool {
        let Some(entries) = self.children.first() else { return false };
        entries.children.first().is_some_and(|key| match key.kind {
            Kind::Dictionary(_) => key.children.first().is_some_and(Shape::is_text),
            Kind::RunEnds => key.children.get(1).is_some_and(Shape::is_text),
            _ => key.is_text(),
        })
    }
}
