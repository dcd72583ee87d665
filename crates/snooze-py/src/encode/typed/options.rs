//! The options of an encoder, read from the description.
//!
//! Separate from `compile` because they concern the whole plan. Called by `compile`.

use snooze_core::out::WhiteSpace;

use crate::description;
use crate::description::Row;
use crate::encode::depth::ENCODER_LIMIT;
use crate::encode::typed::plan::Keep;
use crate::encode::typed::policies::{NotFinite, Policies};
use crate::options::EncodeFlags;
use crate::py::{Attached, Obj, Owned, Raised, types};
use crate::text_layout::TextLayout;

/// The options of a plan.
pub(super) struct Options {
    pub(super) resolve: Option<Owned>,
    pub(super) hook: Option<Owned>,
    pub(super) finite: bool,
    pub(super) policies: Policies,
    pub(super) decimal_number: bool,
    pub(super) flags: EncodeFlags,
    /// What is done to the text after it is written: it is laid out, or only made ASCII.
    pub(super) layout: Option<TextLayout>,
    /// Whether a line feed follows what is not laid out.
    pub(super) newline: bool,
    /// The white space that the walk writes, if it is not compact.
    pub(super) white_space: WhiteSpace,
    /// Returns `(object,)` to write in place of a numpy array, or None.
    pub(super) plain_array: Option<Owned>,
    pub(super) keep: Option<Keep>,
}

impl Options {
    /// Reads `(resolve, hook, policies, decimal, sort_keys, layout, plain_array)`, and for
    /// `to_builtins` also `(classes, keys, floats)`.
    pub(super) fn read(py: &Attached, options: &Owned) -> Result<Self, Raised> {
        let row = Row::new(py, options.get())?;
        let keep = match row.len() {
            8 => Some(Self::read_keep(py, row.get(7)?)?),
            _ => None,
        };
        let [resolve, hook, policies, decimal, sort_keys, found_layout, plain_array] = match keep {
            Some(_) => row.exactly().map(|[a, b, c, d, e, f, g, _]| [a, b, c, d, e, f, g])?,
            None => row.exactly()?,
        };
        let one_of = |object, first: &[u8], second: &[u8]| match description::name(object)? {
            name if name == first => Ok(false),
            name if name == second => Ok(true),
            _ => Err(description::unexpected(c"an option", object)),
        };
        let policies = Policies::read(py, policies)?;
        if !(1..=ENCODER_LIMIT).contains(&policies.max_depth) {
            return Err(description::unexpected(c"a depth from 1 to 1024", options.get()));
        }
        let mut flags: u32 = EncodeFlags::SERIALIZE_NUMPY;
        if description::boolean(sort_keys)? {
            flags |= EncodeFlags::SORT_KEYS;
        }
        let (mut layout, mut newline, mut white_space) = (None, false, None);
        if let Some(found) = description::optional(found_layout) {
            let row = Row::new(py, found)?;
            if row.len() == 3 {
                let [kind, each, follows] = row.exactly()?;
                white_space = read_white_space(kind, each)?;
                newline = description::boolean(follows)?;
            } else {
                let [item, key, indent, ascii, follows, spaced] = row.exactly()?;
                let mut found = TextLayout::read([item, key, indent, ascii, follows])?;
                if let Some(spaced) = description::optional(spaced) {
                    let [kind, each] = Row::exact(py, spaced)?;
                    white_space = read_white_space(kind, each)?;
                    found.is_spaced = true;
                }
                layout = Some(found);
            }
        }
        if white_space.is_some() {
            flags |= EncodeFlags::INDENT_2;
        }
        Ok(Self {
            resolve: description::optional(resolve).map(Obj::to_owned),
            hook: description::optional(hook).map(Obj::to_owned),
            finite: policies.not_finite != NotFinite::Null,
            decimal_number: one_of(decimal, b"str", b"number")?,
            layout,
            newline,
            white_space: white_space.unwrap_or(WhiteSpace::spaces(2)),
            flags: EncodeFlags::from_mask(flags.into())
                .unwrap_or_default()
                .with(EncodeFlags::EXACT_OFFSETS | policies.flags),
            policies,
            plain_array: description::optional(plain_array).map(Obj::to_owned),
            keep,
        })
    }

    fn read_keep(py: &Attached, object: Obj<'_>) -> Result<Keep, Raised> {
        let [classes, keys, floats] = Row::exact(py, object)?;
        if Row::new(py, classes)?.items().any(|class| !types::is_type(class)) {
            return Err(description::unexpected(c"a tuple of classes", classes));
        }
        let (classes, floats) = (classes.to_owned(), floats.to_owned());
        Ok(Keep { classes, keys: description::boolean(keys)?, floats })
    }
}

/// Reads the kind of white space that a walk writes, and how much of it for each level.
fn read_white_space(kind: Obj<'_>, each: Obj<'_>) -> Result<Option<WhiteSpace>, Raised> {
    let count = u8::try_from(description::integer(each)?);
    Ok(match (description::name(kind)?, count) {
        (b"compact", _) => None,
        (b"line", _) => Some(WhiteSpace::ONE_LINE),
        (b"spaces", Ok(each)) => Some(WhiteSpace::spaces(each)),
        (b"tabs", Ok(each)) => Some(WhiteSpace::tabs(each)),
        _ => return Err(description::unexpected(c"a kind of white space", kind)),
    })
}
