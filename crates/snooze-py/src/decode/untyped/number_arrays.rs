//! Arrays of numbers, nested to any depth: a second walk that the walk of `loads` hands over to.
//!
//! Separate because numbers come in long runs, and the general walk has too few registers left to
//! read them fast. Invariants: those of `walk`; the general walk continues at the offset and with
//! the stacks that it would have reached itself, because every byte but numbers, commas and
//! brackets is left to it. Called by `walk`.
//!
//! PERF: canada.json 1.09x the speed of decimals in the general walk (3.11, 2026-11-21).

use snooze_core::arch::{Task, Vector};
use snooze_core::read::Reader;

use crate::decode::error::ReadFailure;
use crate::decode::scratch::push;
use crate::decode::untyped::frame::Frame;
use crate::decode::value::{is_inexact, new_integer, new_number};
use crate::py::{Attached, Owned, float};
use crate::runtime::Runtime;

/// The walk from a number in an array on.
pub(super) struct NumberArrays<'a, const DIRECT: bool, const EXACT: bool> {
    pub(super) py: &'a Attached,
    pub(super) runtime: &'a Runtime,
    pub(super) bytes: &'a [u8],
    /// The offset after the number; on return, where the general walk continues.
    pub(super) offset: &'a mut usize,
    /// The number, which is not on the stack yet.
    pub(super) value: Owned,
    pub(super) values: &'a mut Vec<Owned>,
    pub(super) frames: &'a mut Vec<Frame>,
    /// The innermost open array; on return, the innermost open container.
    pub(super) frame: &'a mut Frame,
    /// How many containers may be open.
    pub(super) max_frames: usize,
    /// Whether integers are expected, otherwise decimals.
    pub(super) expects_integers: bool,
    /// On return, how many integers were read together with the separator before them.
    pub(super) run_len: &'a mut usize,
}

impl<const DIRECT: bool, const EXACT: bool> Task for NumberArrays<'_, DIRECT, EXACT> {
    type Output = Result<bool, ReadFailure>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        // Without the vector reader of decimals, the general walk reads them.
        if self.expects_integers || !V::DECIMALS {
            self.read_arrays::<V, true>()
        } else {
            self.read_arrays::<V, false>()
        }
    }
}

impl<const DIRECT: bool, const EXACT: bool> NumberArrays<'_, DIRECT, EXACT> {
    /// Reads until the outermost array ends, which is then on the stack, or until the general walk
    /// must read a value: then `false`.
    #[inline(always)]
    fn read_arrays<V: Vector, const INTEGERS: bool>(self) -> Result<bool, ReadFailure> {
        let Self { py, runtime, bytes, value, values, frames, max_frames, .. } = self;
        let mut reader = Reader::<V>::resume(bytes, *self.offset);
        let mut frame = *self.frame;
        // How many numbers in succession were not of the expected kind. After too many of them the
        // general walk continues. An integer also counts where the separator changes and at the
        // start of an array, so three are allowed.
        let mut misses = 0;
        let mut separator = reader.separator();
        let mut run_len = 0;
        push(values, value)?;
        let (is_closed, end) = 'walk: loop {
            if INTEGERS && let Some(separator) = separator {
                let len_before = values.len();
                while let Some(integer) = reader.next_integer(separator) {
                    push(values, new_integer::<DIRECT>(py, runtime, integer)?)?;
                }
                if values.len() > len_before {
                    run_len += values.len() - len_before;
                    misses = 0;
                }
            }
            match reader.token() {
                b',' => {
                    reader.consume();
                    if INTEGERS {
                        reader.skip_indent(frame.indent as usize);
                    }
                    let mut byte = reader.token();
                    while byte == b'[' && frames.len() < max_frames {
                        let bracket = reader.offset();
                        reader.consume();
                        let start = reader.offset();
                        byte = reader.token();
                        let indent = reader.offset() - start;
                        if !is_number(byte) && byte != b'[' {
                            break 'walk (false, bracket);
                        }
                        frame.open::<DIRECT>(py, values, frames, false, indent)?;
                    }
                    if !INTEGERS && is_number(byte) {
                        let few = frame.values_start + float::FEW;
                        while let Some((decimal, has_comma)) = reader.short_decimal_item() {
                            let float = match values.len() < few {
                                true => float::new(py, decimal)?,
                                false => float::new_of_many::<DIRECT>(py, decimal)?,
                            };
                            push(values, float)?;
                            misses = 0;
                            if !has_comma {
                                continue 'walk;
                            }
                            byte = reader.token();
                        }
                    }
                    if is_number(byte) && misses < const { if INTEGERS { 3 } else { 1 } } {
                        let start = if EXACT { reader.offset() } else { 0 };
                        let found = reader.any_number()?;
                        if EXACT && is_inexact(found, bytes.get(start..reader.offset())) {
                            return Err(reader.no_value().into());
                        }
                        push(values, new_number::<DIRECT>(py, runtime, found)?)?;
                        misses += 1;
                        if INTEGERS {
                            separator = reader.separator();
                        }
                    } else {
                        break (false, reader.offset());
                    }
                }
                b']' => {
                    reader.consume();
                    frame.close_array::<DIRECT>(py, values)?;
                    if let Some(outer) = frames.pop() {
                        frame = outer;
                    }
                    if frame.is_object || frames.is_empty() {
                        break (true, reader.offset());
                    }
                }
                _ => return Err(reader.no_array_end().into()),
            }
        };
        (*self.offset, *self.frame, *self.run_len) = (end, frame, run_len);
        Ok(is_closed)
    }
}

/// Whether a number begins with this byte.
#[inline(always)]
fn is_number(byte: u8) -> bool {
    matches!(byte, b'-' | b'0'..=b'9')
}
