//! Items of arrays that are numbers: a tight loop for lists, sets and tuples of them.
//!
//! Separate because numbers come in long runs, and the walk asks for much more at each value than
//! such an item needs. Invariant: an item is read only if the walk would make the same of it; the
//! walk continues at any other, so every problem is found there. Called by `walk`.

use snooze_core::arch::{Task, Vector};
use snooze_core::read::Reader;

use crate::decode::typed::context::Context;
use crate::decode::typed::error::DecodeFailure;
use crate::decode::typed::plan::{Node, Rule};
use crate::py::float;

/// Reading numbers from an offset on, where one begins. Returns the offset where the walk
/// continues, and whether the array ends there; otherwise an item begins there.
pub(super) struct NumberItems<'w, 'p, 'c, const DIRECT: bool> {
    pub(super) walk: &'w mut Context<'p, 'c>,
    pub(super) start: usize,
    /// The node of the items.
    pub(super) node: &'p Node,
}

impl<const DIRECT: bool> Task for NumberItems<'_, '_, '_, DIRECT> {
    type Output = Result<(usize, bool), DecodeFailure>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let Self { walk, start, node } = self;
        let mut reader = Reader::<V>::resume(walk.bytes, start);
        let takes_decimals = V::DECIMALS && !matches!(node.float, Rule::Unexpected);
        let few = walk.values.len() + float::FEW;
        loop {
            let start = reader.offset();
            let decimal = if takes_decimals { reader.short_decimal_item() } else { None };
            let (value, has_comma) = match decimal {
                Some((value, has_comma)) if walk.float_fits(node.float, value) => {
                    let float = match walk.values.len() < few {
                        true => float::new(walk.py, value)?,
                        false => float::new_of_many::<DIRECT>(walk.py, value)?,
                    };
                    (float, has_comma)
                }
                Some(_) => return Ok((start, false)),
                None => match reader.short_integer() {
                    Some(value)
                        if matches!(node.int, Rule::Int | Rule::Any)
                            || walk.int_fits(node.int, value) =>
                    {
                        (walk.new_int::<DIRECT>(value)?, false)
                    }
                    // The integer zero may have a minus sign, which a float keeps.
                    Some(value) if matches!(node.int, Rule::Float) && value != 0 => {
                        (float::new(walk.py, value as f64)?, false)
                    }
                    _ => return Ok((start, false)),
                },
            };
            walk.push_value(value)?;
            if !has_comma {
                if matches!(node.int, Rule::Int | Rule::Any)
                    && let Some(separator) = reader.separator()
                {
                    while let Some(value) = reader.next_integer(separator) {
                        walk.push_value(walk.new_int::<DIRECT>(value)?)?;
                    }
                }
                match reader.token() {
                    b',' => reader.consume(),
                    b']' => return Ok((reader.offset(), true)),
                    _ => return Err(reader.no_array_end().into()),
                }
            }
            if !matches!(reader.token(), b'-' | b'0'..=b'9') {
                return Ok((reader.offset(), false));
            }
        }
    }
}
