//! The element types of numpy arrays, and how a JSON number is stored as an element.
//!
//! Separate from `ndarray`, which reads the arrays, because it knows nothing about JSON. Invariant:
//! a number is stored only if the element type can represent it. Used by `compile_node` and
//! `ndarray`.

use half::f16;
use snooze_core::number::Number;

/// An element type; integers with their size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    Bool,
    Int(u8),
    Unsigned(u8),
    Float16,
    Float32,
    Float64,
}

impl Element {
    /// The element type of a numpy type code: a letter and the size in bytes.
    pub(super) fn from_code(code: &[u8]) -> Option<Self> {
        Some(match code {
            b"b1" => Self::Bool,
            b"i1" | b"i2" | b"i4" | b"i8" => Self::Int(code[1] - b'0'),
            b"u1" | b"u2" | b"u4" | b"u8" => Self::Unsigned(code[1] - b'0'),
            b"f2" => Self::Float16,
            b"f4" => Self::Float32,
            b"f8" => Self::Float64,
            _ => return None,
        })
    }

    /// Whether the elements are floats.
    pub(super) fn is_float(self) -> bool {
        matches!(self, Self::Float16 | Self::Float32 | Self::Float64)
    }

    /// The name in messages.
    pub(super) fn name(self) -> &'static [u8] {
        match self {
            Self::Bool => b"bool",
            Self::Int(1) => b"int8",
            Self::Int(2) => b"int16",
            Self::Int(4) => b"int32",
            Self::Int(_) => b"int64",
            Self::Unsigned(1) => b"uint8",
            Self::Unsigned(2) => b"uint16",
            Self::Unsigned(4) => b"uint32",
            Self::Unsigned(_) => b"uint64",
            Self::Float16 => b"float16",
            Self::Float32 => b"float32",
            Self::Float64 => b"float64",
        }
    }

    /// Appends a number to the memory of an array, which has room for 8 bytes; false if the type
    /// cannot represent it.
    #[inline(always)]
    pub(super) fn push_number(self, number: Number, memory: &mut Vec<u8>) -> bool {
        match (self, number) {
            (Self::Float16, number) => {
                let value = half_of(match number {
                    Number::Float(value) => value,
                    Number::Int(value) => value as f64,
                    Number::UInt(value) => value as f64,
                });
                if value.is_infinite() {
                    return false;
                }
                memory.extend(value.to_ne_bytes());
            }
            (Self::Float64, Number::Float(value)) => memory.extend(value.to_ne_bytes()),
            (Self::Float64, Number::Int(value)) => memory.extend((value as f64).to_ne_bytes()),
            (Self::Float64, Number::UInt(value)) => memory.extend((value as f64).to_ne_bytes()),
            (Self::Float32, number) => {
                let value = match number {
                    Number::Float(value) => value as f32,
                    Number::Int(value) => value as f32,
                    Number::UInt(value) => value as f32,
                };
                if value.is_infinite() {
                    return false;
                }
                memory.extend(value.to_ne_bytes());
            }
            (Self::Int(size), Number::Int(value)) => {
                let unused = 64 - 8 * u32::from(size);
                if value << unused >> unused != value {
                    return false;
                }
                push_low_bytes(memory, value.to_le_bytes(), size);
            }
            (Self::Unsigned(size), Number::Int(_) | Number::UInt(_)) => {
                let value = match number {
                    Number::UInt(value) => value,
                    Number::Int(value) if value >= 0 => value as u64,
                    _ => return false,
                };
                let unused = 64 - 8 * u32::from(size);
                if value << unused >> unused != value {
                    return false;
                }
                push_low_bytes(memory, value.to_le_bytes(), size);
            }
            _ => return false,
        }
        true
    }
}

/// The nearest half-precision number, ties to even.
///
/// By way of single precision, rounded to odd: the last bit then says whether bits were lost, so
/// the second rounding is exact (Boldo and Melquiond, 2008). `f16::from_f64` ignores the low bits.
fn half_of(value: f64) -> f16 {
    let nearest = value as f32;
    let mut bits = nearest.to_bits();
    if f64::from(nearest) != value && nearest.is_finite() {
        if f64::from(nearest).abs() > value.abs() {
            bits -= 1;
        }
        bits |= 1;
    }
    f16::from_f32(f32::from_bits(bits))
}

/// Appends the low bytes of a number in the byte order of this machine.
#[inline(always)]
fn push_low_bytes(memory: &mut Vec<u8>, mut bytes: [u8; 8], size: u8) {
    let low = &mut bytes[..usize::from(size)];
    if cfg!(target_endian = "big") {
        low.reverse();
    }
    memory.extend_from_slice(low);
}
