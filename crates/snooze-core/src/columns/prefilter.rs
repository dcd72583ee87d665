//! Texts that a wanted record contains: which lines need not be read at all.
//!
//! Separate from `filter`, which decides about values: this looks at bytes only, and may let a line
//! pass that the filter then rejects. Rule: a text that is compared with `==`, or begins with a
//! prefix, stands in the line as it is, between quotes, unless the line has an escape `\u`. Texts
//! that could be written with other escapes are never searched for. Called by `batch`, where text
//! that is not wanted need not be checked.

use memchr::memmem::Finder;

use super::filter::{Comparison, Constant, Filter, Step};
use super::memory::{NoMemory, append, push, reserve};
use super::schema::{Field, Type};

/// The most texts that are searched for.
const MOST: usize = 8;
/// The escape that can stand for any character.
const ESCAPE: &[u8] = b"\\u";

/// Texts of which each wanted record has at least one, or the escape.
#[derive(Debug)]
pub(super) struct Prefilter(Vec<Vec<u8>>);

impl Prefilter {
    /// The texts for a filter; `None` if it does not need any.
    pub(super) fn of(filter: &Filter) -> Result<Option<Self>, NoMemory> {
        // For each result on the stack of the filter, the texts that it needs to be true.
        let mut stack: Vec<Option<Vec<Vec<u8>>>> = Vec::new();
        for step in filter.steps() {
            let needed = match step {
                Step::Compare(path, Comparison::Equal, Constant::Text(text))
                    if is_text(filter.fields(), path) =>
                {
                    needle(text, true)?
                }
                Step::StartsWith(path, text) if is_text(filter.fields(), path) => {
                    needle(text, false)?
                }
                Step::Compare(..) | Step::IsNull(_) | Step::StartsWith(..) => None,
                Step::And => match (stack.pop().flatten(), stack.pop().flatten()) {
                    (Some(one), Some(other)) if weight(&one) <= weight(&other) => Some(one),
                    (Some(one), None) => Some(one),
                    (_, other) => other,
                },
                Step::Or => match (stack.pop().flatten(), stack.pop().flatten()) {
                    (Some(mut one), Some(other)) if one.len() + other.len() <= MOST => {
                        reserve(&mut one, other.len())?;
                        one.extend(other);
                        Some(one)
                    }
                    _ => None,
                },
                Step::Not => {
                    stack.pop();
                    None
                }
            };
            push(&mut stack, needed)?;
        }
        Ok(stack.pop().flatten().map(Self))
    }

    /// The places of these texts in a window.
    pub(super) fn places<'n>(&'n self, text: &'n [u8]) -> Places<'n> {
        let mut needles = self.0.iter().map(|needle| &needle[..]).chain([ESCAPE]);
        Places {
            text,
            next: core::array::from_fn(|_| {
                let finder = Finder::new(needles.next()?);
                let at = finder.find(text)?;
                Some((finder, at))
            }),
        }
    }
}

/// How many lines the texts let pass: fewer and longer ones let fewer pass.
fn weight(needles: &[Vec<u8>]) -> (usize, usize) {
    (needles.len(), usize::MAX - needles.iter().map(Vec::len).min().unwrap_or(0))
}

/// Whether the column at a path is one of strings.
fn is_text(mut fields: &[Field], path: &[usize]) -> bool {
    let mut found = None;
    for &index in path {
        let Some(field) = fields.get(index) else { return false };
        fields = match &field.data {
            Type::Struct(fields) => fields,
            _ => &[],
        };
        found = Some(&field.data);
    }
    matches!(found, Some(Type::Utf8 | Type::LargeUtf8))
}

/// The JSON of a text, or of its beginning, if there is only one without `\u`.
fn needle(text: &[u8], is_whole: bool) -> Result<Option<Vec<Vec<u8>>>, NoMemory> {
    let has_escape = |&byte: &u8| matches!(byte, 0..0x20 | b'"' | b'\\' | b'/');
    if text.iter().any(has_escape) || (text.is_empty() && !is_whole) {
        return Ok(None);
    }
    let mut needle = Vec::new();
    push(&mut needle, b'"')?;
    append(&mut needle, text)?;
    if is_whole {
        push(&mut needle, b'"')?;
    }
    let mut needles = Vec::new();
    push(&mut needles, needle)?;
    Ok(Some(needles))
}

/// Where the texts are in a window, from front to back.
pub(super) struct Places<'n> {
    text: &'n [u8],
    /// Each text that occurs again, and where.
    next: [Option<(Finder<'n>, usize)>; MOST + 1],
}

impl Places<'_> {
    /// The first place at `from` or after it. `from` never decreases.
    pub(super) fn next(&mut self, from: usize) -> Option<usize> {
        let mut nearest = None;
        for slot in &mut self.next {
            let Some((finder, at)) = slot else { continue };
            if *at < from {
                match finder.find(&self.text[from..]) {
                    Some(found) => *at = from + found,
                    None => {
                        *slot = None;
                        continue;
                    }
                }
            }
            nearest = Some(nearest.map_or(*at, |nearest: usize| nearest.min(*at)));
        }
        nearest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(steps: Vec<Step>) -> Option<Vec<String>> {
        let field = |name: &str, data| Field { name: name.into(), data, nullable: true };
        let inner = Type::Struct(vec![field("c", Type::LargeUtf8)]);
        let fields = vec![field("a", Type::Utf8), field("b", inner), field("d", Type::Uuid)];
        let needles = Prefilter::of(&Filter::new(fields, steps).unwrap()).unwrap()?;
        Some(needles.0.into_iter().map(|text| String::from_utf8(text).unwrap()).collect())
    }

    fn equal(path: &[usize], text: &str) -> Step {
        Step::Compare(path.to_vec(), Comparison::Equal, Constant::Text(text.into()))
    }

    #[test]
    fn only_texts_with_one_spelling() {
        let some = |texts: &[&str]| Some(texts.iter().map(|&text| text.to_owned()).collect());
        let starts = |text: &str| Step::StartsWith(vec![0], text.into());
        assert_eq!(of(vec![equal(&[0], "x")]), some(&["\"x\""]));
        assert_eq!(of(vec![equal(&[0], "")]), some(&["\"\""]));
        assert_eq!(of(vec![equal(&[1, 0], "é")]), some(&["\"é\""]));
        assert_eq!(of(vec![starts("x")]), some(&["\"x"]));
        for step in [
            starts(""),
            equal(&[0], "a/b"),
            equal(&[0], "a\"b"),
            equal(&[0], "a\\b"),
            equal(&[0], "a\nb"),
            equal(&[2], "0123456789abcdef"),
            Step::IsNull(vec![0]),
            Step::Compare(vec![0], Comparison::Unequal, Constant::Text(b"x".to_vec())),
        ] {
            assert_eq!(of(vec![step]), None);
        }
    }

    #[test]
    fn logic() {
        let (x, long) = (|| equal(&[0], "x"), || equal(&[0], "long"));
        let null = || Step::IsNull(vec![0]);
        let found = |steps| of(steps).map(|texts| texts.join(" "));
        assert_eq!(found(vec![x(), long(), Step::And]).unwrap(), "\"long\"");
        assert_eq!(found(vec![long(), x(), Step::And]).unwrap(), "\"long\"");
        assert_eq!(found(vec![x(), null(), Step::And]).unwrap(), "\"x\"");
        assert_eq!(found(vec![null(), x(), Step::And]).unwrap(), "\"x\"");
        assert_eq!(found(vec![x(), long(), Step::Or]).unwrap(), "\"long\" \"x\"");
        assert_eq!(found(vec![x(), null(), Step::Or]), None);
        assert_eq!(found(vec![x(), Step::Not]), None);
        let mut many = vec![x()];
        many.extend((0..MOST).flat_map(|_| [x(), Step::Or]));
        assert_eq!(found(many), None);
    }

    #[test]
    fn places_in_order() {
        let needles = Prefilter(vec![b"ab".to_vec(), b"c".to_vec()]);
        let mut places = needles.places(b"xabxcx\\u0061abc");
        let mut from = 0;
        let mut found = Vec::new();
        while let Some(at) = places.next(from) {
            found.push(at);
            from = at + 1;
        }
        assert_eq!(found, [1, 4, 6, 12, 14]);
        assert_eq!(needles.places(b"").next(0), None);
    }
}
