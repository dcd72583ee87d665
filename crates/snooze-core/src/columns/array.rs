//! Finished columns: the buffers of Arrow's columnar format, in its order.
//!
//! Separate because the bindings export them and know nothing of how they were built. Invariant:
//! the buffers are complete: a column of n rows has the lengths that the format demands, and
//! `nulls` is exact.

/// The memory of one buffer; every kind is aligned for its elements.
#[derive(Debug, PartialEq)]
pub enum Buffer {
    /// No buffer: the validity of a column without nulls.
    None,
    /// Bytes: bitmaps, texts and integers of 8 bits.
    Bytes(Vec<u8>),
    /// Integers of 8 bits.
    I8(Vec<i8>),
    /// Integers of 16 bits.
    I16(Vec<i16>),
    /// Integers of 32 bits, dates and offsets.
    I32(Vec<i32>),
    /// Integers of 64 bits, timestamps and offsets.
    I64(Vec<i64>),
    /// Unsigned integers of 16 bits.
    U16(Vec<u16>),
    /// Unsigned integers of 32 bits.
    U32(Vec<u32>),
    /// Unsigned integers of 64 bits.
    U64(Vec<u64>),
    /// Floats of 32 bits.
    F32(Vec<f32>),
    /// Doubles.
    F64(Vec<f64>),
    /// Decimals.
    I128(Vec<i128>),
    /// UUIDs.
    Sixteen(Vec<[u8; 16]>),
}

impl Buffer {
    /// Whether the buffer has no memory.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::None => true,
            Self::Bytes(values) => values.is_empty(),
            Self::I8(values) => values.is_empty(),
            Self::I16(values) => values.is_empty(),
            Self::I32(values) => values.is_empty(),
            Self::I64(values) => values.is_empty(),
            Self::U16(values) => values.is_empty(),
            Self::U32(values) => values.is_empty(),
            Self::U64(values) => values.is_empty(),
            Self::F32(values) => values.is_empty(),
            Self::F64(values) => values.is_empty(),
            Self::I128(values) => values.is_empty(),
            Self::Sixteen(values) => values.is_empty(),
        }
    }

    /// The bytes that the buffer has.
    fn size(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Bytes(values) => size_of_val(&values[..]),
            Self::I8(values) => size_of_val(&values[..]),
            Self::I16(values) => size_of_val(&values[..]),
            Self::I32(values) => size_of_val(&values[..]),
            Self::I64(values) => size_of_val(&values[..]),
            Self::U16(values) => size_of_val(&values[..]),
            Self::U32(values) => size_of_val(&values[..]),
            Self::U64(values) => size_of_val(&values[..]),
            Self::F32(values) => size_of_val(&values[..]),
            Self::F64(values) => size_of_val(&values[..]),
            Self::I128(values) => size_of_val(&values[..]),
            Self::Sixteen(values) => size_of_val(&values[..]),
        }
    }

    /// Where the buffer begins; null if there is none.
    pub fn start(&self) -> *const u8 {
        match self {
            Self::None => core::ptr::null(),
            Self::Bytes(values) => values.as_ptr(),
            Self::I8(values) => values.as_ptr().cast(),
            Self::I16(values) => values.as_ptr().cast(),
            Self::I32(values) => values.as_ptr().cast(),
            Self::I64(values) => values.as_ptr().cast(),
            Self::U16(values) => values.as_ptr().cast(),
            Self::U32(values) => values.as_ptr().cast(),
            Self::U64(values) => values.as_ptr().cast(),
            Self::F32(values) => values.as_ptr().cast(),
            Self::F64(values) => values.as_ptr().cast(),
            Self::I128(values) => values.as_ptr().cast(),
            Self::Sixteen(values) => values.as_ptr().cast(),
        }
    }
}

/// A finished column.
#[derive(Debug, PartialEq)]
pub struct Array {
    /// The number of rows.
    pub rows: usize,
    /// How many of them are null.
    pub nulls: usize,
    /// The buffers, in the order of the format.
    pub buffers: Vec<Buffer>,
    /// The columns inside: the fields of a struct, the elements of a list, the entries of a map.
    pub children: Vec<Array>,
}

impl Array {
    /// About how many bytes of memory the column and those inside it use, with what is used for
    /// each piece: small columns are mostly that. Capacity that was never written is not in memory.
    pub fn memory(&self) -> usize {
        const PIECE: usize = 96;
        let buffers = self.buffers.iter().map(|buffer| PIECE + buffer.size()).sum::<usize>();
        let children = self.children.iter().map(Self::memory).sum::<usize>();
        size_of::<Self>() + PIECE + buffers + children
    }

    /// Keeps the first rows only, of a table or a struct. Buffers stay longer than they need be,
    /// which the format allows.
    pub fn truncate(&mut self, rows: usize) {
        if rows >= self.rows {
            return;
        }
        self.rows = rows;
        match &self.buffers[..] {
            // A column of nulls.
            [] => self.nulls = rows,
            [Buffer::Bytes(bits), ..] if self.nulls > 0 => {
                let valid = |&row: &usize| bits[row / 8] >> (row % 8) & 1 == 1;
                self.nulls = rows - (0..rows).filter(valid).count();
            }
            _ => {}
        }
        // Only a struct has a single buffer; its fields have as many rows.
        if self.buffers.len() == 1 {
            for child in &mut self.children {
                child.truncate(rows);
            }
        }
    }
}
