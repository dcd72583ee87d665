//! Filters from tuples: `(fields, steps)`.
//!
//! Separate from `fields`, because only a scan that is opened has one. Invariant: a step that
//! Python states wrongly is a `SystemError`; `snooze._scan.conditions` has checked what users
//! wrote.
//!
//! | step | |
//! |---|---|
//! | `("compare", path, comparison, kind, constant)` | the index of a comparison; the constant as text |
//! | `("null", path)` | |
//! | `("starts", path, prefix)` | |
//! | `("and",)`, `("or",)`, `("not",)` | |

use snooze_core::columns::{Comparison, Constant, Filter, Step};

use crate::description::{self, Row};
use crate::py::{Attached, Obj, Raised, error};
use crate::scan::fields::{fields_from, text_from};

const COMPARISONS: [Comparison; 6] = [
    Comparison::Equal,
    Comparison::Unequal,
    Comparison::Less,
    Comparison::AtMost,
    Comparison::Greater,
    Comparison::AtLeast,
];

/// The filter that a tuple describes.
pub(crate) fn filter_from(py: &Attached, object: Obj<'_>) -> Result<Filter, Raised> {
    let [fields, described] = Row::exact(py, object)?;
    let fields = fields_from(py, fields)?;
    let row = Row::new(py, described)?;
    let mut steps = description::with_room(row.len())?;
    for item in row.items() {
        steps.push(step_from(py, item)?);
    }
    Filter::new(fields, steps).ok_or_else(|| error::system_error(c"a filter without one result"))
}

fn step_from(py: &Attached, object: Obj<'_>) -> Result<Step, Raised> {
    let (tag, row) = Row::tagged(py, object)?;
    Ok(match tag {
        b"compare" => {
            let [_, path, comparison, kind, constant] = row.exactly()?;
            let comparison = COMPARISONS.get(description::size(comparison)?);
            let comparison =
                comparison.ok_or_else(|| description::unexpected(c"a comparison", object))?;
            let constant = constant_from(py, kind, constant)?;
            Step::Compare(path_from(py, path)?, *comparison, constant)
        }
        b"null" => {
            let [_, path] = row.exactly()?;
            Step::IsNull(path_from(py, path)?)
        }
        b"starts" => {
            let [_, path, prefix] = row.exactly()?;
            Step::StartsWith(path_from(py, path)?, text_from(py, prefix)?.into_bytes())
        }
        b"and" => Step::And,
        b"or" => Step::Or,
        b"not" => Step::Not,
        _ => return Err(description::unexpected(c"a step of a filter", object)),
    })
}

fn path_from(py: &Attached, object: Obj<'_>) -> Result<Vec<usize>, Raised> {
    let row = Row::new(py, object)?;
    let mut path = description::with_room(row.len())?;
    for item in row.items() {
        path.push(description::size(item)?);
    }
    Ok(path)
}

fn constant_from(py: &Attached, kind: Obj<'_>, object: Obj<'_>) -> Result<Constant, Raised> {
    Ok(match description::name(kind)? {
        b"bool" => Constant::Bool(description::boolean(object)?),
        b"float" => Constant::Float(description::float(object)?),
        b"int" => {
            let text = text_from(py, object)?;
            // Only columns of floats hold what 128 bits do not, and those are compared with floats
            // then. Elsewhere the nearest integer has the same order.
            let limit = if text.starts_with('-') { i128::MIN } else { i128::MAX };
            Constant::Integer(text.parse().unwrap_or(limit))
        }
        b"str" => Constant::Text(text_from(py, object)?.into_bytes()),
        b"bytes" => {
            let bytes = crate::py::bytes::Bytes::exact(object)
                .ok_or_else(|| description::unexpected(c"bytes", object))?;
            Constant::Text(description::copied(crate::py::bytes::contents(bytes))?)
        }
        _ => return Err(description::unexpected(c"a kind of constant", kind)),
    })
}
