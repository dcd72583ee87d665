//! The options of an encoder, as a description has them.

use crate::description;
use crate::description::Row;
use crate::options::Config;
use crate::py::{Attached, Obj, Owned, Raised};

/// What holds for the whole plan.
pub(super) struct Options {
    pub(super) resolve: Option<Owned>,
    pub(super) hook: Option<Owned>,
    pub(super) finite: bool,
    pub(super) decimal_number: bool,
    pub(super) config: Config,
}

impl Options {
    /// Reads `(resolve, hook, nan, decimal, sort_keys, indent, ...)`.
    pub(super) fn read(py: &Attached, options: &Owned) -> Result<Self, Raised> {
        let row = Row::new(py, options.get())?;
        let one_of = |place, first: &[u8], second: &[u8]| {
            let object = row.get(place)?;
            match description::name(object)? {
                name if name == first => Ok(false),
                name if name == second => Ok(true),
                _ => Err(description::unexpected(c"an option", object)),
            }
        };
        let mut config: u32 = Config::SERIALIZE_NUMPY;
        if description::boolean(row.get(4)?)? {
            config |= Config::SORT_KEYS;
        }
        // Written by those that know of it.
        let indents = match row.len() {
            5 => false,
            _ => match row.optional(5)?.map(description::integer).transpose()? {
                None | Some(0) => false,
                Some(2) => true,
                Some(_) => {
                    return Err(description::unexpected(c"an indentation of 2", row.get(5)?));
                }
            },
        };
        if indents {
            config |= Config::INDENT_2;
        }
        Ok(Self {
            resolve: row.optional(0)?.map(Obj::to_owned),
            hook: row.optional(1)?.map(Obj::to_owned),
            finite: one_of(2, b"null", b"error")?,
            decimal_number: one_of(3, b"str", b"number")?,
            config: Config::from_mask(config.into()).unwrap_or_default(),
        })
    }
}
