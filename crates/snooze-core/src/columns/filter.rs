//! Which records are wanted: comparisons of columns with constants.
//!
//! Separate from reading: it sees one row of finished values. The logic has three values, as in
//! SQL: a comparison with null is neither true nor false, and only records for which the whole is
//! true pass. Invariant: numbers are compared by their exact values, whatever their types, and
//! texts by their code points. Called by `record_filter`.

use core::cmp::Ordering;

use super::column::{Column, Values};
use super::memory::{NoMemory, append, copied, push};
use super::schema::Field;

/// A condition of records, as steps of a stack machine: a test pushes its result.
#[derive(Debug)]
pub struct Filter {
    fields: Vec<Field>,
    steps: Vec<Step>,
}

/// One step. A path has the index of a column, and then that of a field in each struct.
#[derive(Debug)]
pub enum Step {
    /// Compares a value with a constant.
    Compare(Vec<usize>, Comparison, Constant),
    /// Whether a value is null or missing.
    IsNull(Vec<usize>),
    /// Whether a text begins with another one.
    StartsWith(Vec<usize>, Vec<u8>),
    /// Whether the last two results are both true.
    And,
    /// Whether one of the last two results is true.
    Or,
    /// The opposite of the last result.
    Not,
}

/// How a value is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Equal.
    Equal,
    /// Not equal.
    Unequal,
    /// Smaller.
    Less,
    /// Smaller or equal.
    AtMost,
    /// Greater.
    Greater,
    /// Greater or equal.
    AtLeast,
}

/// What a value is compared with.
#[derive(Debug)]
pub enum Constant {
    /// For columns of booleans.
    Bool(bool),
    /// For columns of numbers; days, units of a timestamp, and units of the last digit of a
    /// decimal.
    Integer(i128),
    /// For columns of numbers; it is finite.
    Float(f64),
    /// For columns of strings, in UTF-8, and of UUIDs, as sixteen bytes.
    Text(Vec<u8>),
}

/// The deepest stack that a filter may need.
const MAX_STACK: usize = 64;

/// True, false, or unknown.
type Truth = Option<bool>;

/// The value of a row, as far as it can be compared.
enum Cell<'c> {
    Null,
    Bool(bool),
    Integer(i128),
    Float(f64),
    Text(&'c [u8]),
    /// A list, a map, a struct, binary or JSON text: only null or not.
    Other,
}

impl Filter {
    /// A filter of these steps, whose paths are of these fields. `None` if the steps do not leave
    /// exactly one result, or need too deep a stack.
    pub fn new(fields: Vec<Field>, steps: Vec<Step>) -> Option<Self> {
        let mut depth = 0_usize;
        for step in &steps {
            depth = match step {
                Step::And | Step::Or if depth >= 2 => depth - 1,
                Step::Not if depth >= 1 => depth,
                Step::And | Step::Or | Step::Not => return None,
                _ => depth + 1,
            };
            if depth > MAX_STACK {
                return None;
            }
        }
        (depth == 1).then_some(Self { fields, steps })
    }

    /// The columns that are tested.
    pub(super) fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// What is tested.
    pub(super) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Whether the only row of a table passes.
    pub(super) fn passes(&self, table: &Column) -> bool {
        let mut stack = [None; MAX_STACK];
        let mut depth = 0;
        for step in &self.steps {
            let result = match step {
                Step::Compare(path, comparison, constant) => {
                    compare(&cell(table, path), *comparison, constant)
                }
                Step::IsNull(path) => Some(matches!(cell(table, path), Cell::Null)),
                Step::StartsWith(path, prefix) => match cell(table, path) {
                    Cell::Text(text) => Some(text.starts_with(prefix)),
                    _ => None,
                },
                Step::And => {
                    depth -= 2;
                    and(stack[depth], stack[depth + 1])
                }
                Step::Or => {
                    depth -= 2;
                    not(and(not(stack[depth]), not(stack[depth + 1])))
                }
                Step::Not => {
                    depth -= 1;
                    not(stack[depth])
                }
            };
            stack[depth] = result;
            depth += 1;
        }
        stack[0] == Some(true)
    }

    /// Another filter of the same steps, for another thread.
    pub(super) fn copied(&self) -> Result<Self, NoMemory> {
        let mut steps = Vec::new();
        for step in &self.steps {
            push(&mut steps, step.copied()?)?;
        }
        Ok(Self { fields: Vec::new(), steps })
    }
}

impl Step {
    fn copied(&self) -> Result<Self, NoMemory> {
        let path_of = |path: &[usize]| {
            let mut copy = Vec::new();
            append(&mut copy, path)?;
            Ok::<_, NoMemory>(copy)
        };
        Ok(match self {
            Self::Compare(path, comparison, constant) => {
                let constant = match constant {
                    Constant::Bool(value) => Constant::Bool(*value),
                    Constant::Integer(value) => Constant::Integer(*value),
                    Constant::Float(value) => Constant::Float(*value),
                    Constant::Text(text) => Constant::Text(copied(text)?),
                };
                Self::Compare(path_of(path)?, *comparison, constant)
            }
            Self::IsNull(path) => Self::IsNull(path_of(path)?),
            Self::StartsWith(path, prefix) => Self::StartsWith(path_of(path)?, copied(prefix)?),
            Self::And => Self::And,
            Self::Or => Self::Or,
            Self::Not => Self::Not,
        })
    }
}

fn not(truth: Truth) -> Truth {
    truth.map(|truth| !truth)
}

fn and(one: Truth, other: Truth) -> Truth {
    match (one, other) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// The value at a path in the first row of a table.
fn cell<'c>(table: &'c Column, path: &[usize]) -> Cell<'c> {
    let mut column = table;
    for &index in path {
        let Values::Struct { fields, .. } = &column.values else { return Cell::Other };
        let Some(field) = fields.get(index) else { return Cell::Null };
        // A field that the record does not have has no row yet.
        if field.is_null(0) {
            return Cell::Null;
        }
        column = field;
    }
    fn integer<T: Copy + Into<i128>>(values: &[T]) -> Cell<'_> {
        values.first().map_or(Cell::Null, |&value| Cell::Integer(value.into()))
    }
    match &column.values {
        Values::Null => Cell::Null,
        Values::Bool(bits) => bits.first().map_or(Cell::Null, Cell::Bool),
        Values::Int8(values) => integer(values),
        Values::Int16(values) => integer(values),
        Values::Int32(values) | Values::Date(values) => integer(values),
        Values::Int64(values) | Values::Timestamp { values, .. } => integer(values),
        Values::UInt8(values) => integer(values),
        Values::UInt16(values) => integer(values),
        Values::UInt32(values) => integer(values),
        Values::UInt64(values) => integer(values),
        Values::Decimal { values, .. } => integer(values),
        Values::Float32(values) => {
            values.first().map_or(Cell::Null, |&value| Cell::Float(value.into()))
        }
        Values::Float64(values) => values.first().map_or(Cell::Null, |&value| Cell::Float(value)),
        Values::Uuid(values) => values.first().map_or(Cell::Null, |value| Cell::Text(value)),
        Values::Text(texts) => Cell::Text(&texts.bytes),
        Values::LargeText(texts) => Cell::Text(&texts.bytes),
        _ => Cell::Other,
    }
}

fn compare(cell: &Cell<'_>, comparison: Comparison, constant: &Constant) -> Truth {
    let ordering = match (cell, constant) {
        (Cell::Bool(value), Constant::Bool(constant)) => value.cmp(constant),
        (Cell::Integer(value), Constant::Integer(constant)) => value.cmp(constant),
        (Cell::Integer(value), Constant::Float(constant)) => order(*value, *constant),
        (Cell::Float(value), Constant::Integer(constant)) => order(*constant, *value).reverse(),
        (Cell::Float(value), Constant::Float(constant)) => value.partial_cmp(constant)?,
        (Cell::Text(value), Constant::Text(constant)) => (**value).cmp(constant),
        // Null; or values of other kinds, for which no filter is made.
        _ => return None,
    };
    Some(match comparison {
        Comparison::Equal => ordering.is_eq(),
        Comparison::Unequal => ordering.is_ne(),
        Comparison::Less => ordering.is_lt(),
        Comparison::AtMost => ordering.is_le(),
        Comparison::Greater => ordering.is_gt(),
        Comparison::AtLeast => ordering.is_ge(),
    })
}

/// The exact order of an integer and a finite float.
fn order(integer: i128, float: f64) -> Ordering {
    // Beyond these powers of two every float is beyond all integers.
    let limit = (1_u128 << 127) as f64;
    if float >= limit {
        return Ordering::Less;
    }
    if float < -limit {
        return Ordering::Greater;
    }
    let whole = float.trunc();
    let fraction = float - whole;
    integer.cmp(&(whole as i128)).then(if fraction > 0.0 {
        Ordering::Less
    } else if fraction < 0.0 {
        Ordering::Greater
    } else {
        Ordering::Equal
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_and_floats_have_one_order() {
        for (integer, float, expected) in [
            (1, 1.0, Ordering::Equal),
            (1, 1.5, Ordering::Less),
            (-1, -1.5, Ordering::Greater),
            (-2, -1.5, Ordering::Less),
            (0, -0.0, Ordering::Equal),
            ((1 << 53) + 1, 9_007_199_254_740_992.0, Ordering::Greater),
            (i128::MAX, 1.8e38, Ordering::Less),
            (i128::MIN, -1.8e38, Ordering::Greater),
            (i128::MIN, -1.701_411_834_604_692_3e38, Ordering::Equal),
            (0, 5e-324, Ordering::Less),
        ] {
            assert_eq!(order(integer, float), expected, "{integer} {float}");
        }
    }

    #[test]
    fn unknown_is_neither() {
        assert_eq!(and(None, Some(false)), Some(false));
        assert_eq!(and(None, Some(true)), None);
        assert_eq!(not(None), None);
    }

    #[test]
    fn a_program_leaves_one_result() {
        let test = || Step::IsNull(vec![0]);
        assert!(Filter::new(Vec::new(), vec![]).is_none());
        assert!(Filter::new(Vec::new(), vec![Step::Not]).is_none());
        assert!(Filter::new(Vec::new(), vec![test(), Step::And]).is_none());
        assert!(Filter::new(Vec::new(), vec![test(), test()]).is_none());
        assert!(Filter::new(Vec::new(), vec![test(), test(), Step::Or, Step::Not]).is_some());
        let deep = (0..=MAX_STACK).map(|_| test());
        let deep = deep.chain((0..MAX_STACK).map(|_| Step::And)).collect();
        assert!(Filter::new(Vec::new(), deep).is_none());
    }
}
