//! The policies of a Decoder, read from the description that `snooze._typed.reading` makes.
//!
//! Separate from the walk, which obeys them. Invariant: a description that is not fully understood
//! raises `SystemError`.

use snooze_core::dialect::{Rules, Surrogates, Syntax};

use crate::description::{self, Row};
use crate::py::{Attached, Obj, Owned, Raised};

/// What a number becomes.
#[derive(Debug)]
pub(crate) enum Numbers {
    /// `int` and `float`.
    Float,
    /// `int`, and the class `Decimal` for numbers with a point or an exponent.
    Decimal(Owned),
    /// The class `Raw`, which keeps the text.
    Raw(Owned),
}

/// Which of several members of one name is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Duplicates {
    Last,
    First,
    /// None: they are an error.
    Error,
}

/// What is called with each object.
#[derive(Debug)]
pub(crate) enum Hook {
    None,
    /// A function of a dict.
    Dict(Owned),
    /// A function of a list of pairs.
    Pairs(Owned),
}

/// The policies of one Decoder.
#[derive(Debug)]
pub(crate) struct Policies {
    pub(super) rules: Rules,
    pub(super) numbers: Numbers,
    pub(super) duplicates: Duplicates,
    pub(super) max_depth: usize,
    pub(super) hook: Hook,
}

impl Policies {
    /// Reads `("policies", syntax, surrogates, constants, numbers, class, duplicates, max_depth,
    /// hook, is_pairs_hook)`.
    pub(crate) fn new(py: &Attached, row: Row<'_>) -> Result<Self, Raised> {
        let [_, syntax, surrogates, constants, numbers, class, duplicates, depth, hook, pairs] =
            row.exactly::<10>()?;
        let rules =
            Rules { constants: description::boolean(constants)?, ..rules(py, syntax, surrogates)? };
        let numbers = match description::name(numbers)? {
            b"float" => Numbers::Float,
            b"decimal" => Numbers::Decimal(class.to_owned()),
            b"raw" => Numbers::Raw(class.to_owned()),
            _ => return Err(description::unexpected(c"a kind of numbers", numbers)),
        };
        let duplicates = match description::name(duplicates)? {
            b"last" => Duplicates::Last,
            b"first" => Duplicates::First,
            b"error" => Duplicates::Error,
            _ => return Err(description::unexpected(c"a policy of duplicates", duplicates)),
        };
        let hook = match (description::optional(hook), description::boolean(pairs)?) {
            (None, _) => Hook::None,
            (Some(hook), false) => Hook::Dict(hook.to_owned()),
            (Some(hook), true) => Hook::Pairs(hook.to_owned()),
        };
        Ok(Self { rules, numbers, duplicates, max_depth: description::size(depth)?, hook })
    }

    /// Whether decoding runs Python code of the user.
    pub(super) fn runs_python(&self) -> bool {
        !matches!(self.hook, Hook::None)
    }

    /// Calls `see` for each object that the policies own.
    pub(crate) fn visit(&self, see: &mut dyn FnMut(&Owned)) {
        if let Numbers::Decimal(class) | Numbers::Raw(class) = &self.numbers {
            see(class);
        }
        if let Hook::Dict(hook) | Hook::Pairs(hook) = &self.hook {
            see(hook);
        }
    }
}

/// The rules of names: "json", "jsonc" or "json5"; "error", "replace" or "keep".
pub(crate) fn rules(_py: &Attached, syntax: Obj<'_>, surrogates: Obj<'_>) -> Result<Rules, Raised> {
    let syntax = match description::name(syntax)? {
        b"json" => Syntax::Json,
        b"jsonc" => Syntax::Jsonc,
        b"json5" => Syntax::Json5,
        _ => return Err(description::unexpected(c"a syntax", syntax)),
    };
    let surrogates = match description::name(surrogates)? {
        b"error" => Surrogates::Error,
        b"replace" => Surrogates::Replace,
        b"keep" => Surrogates::Keep,
        _ => return Err(description::unexpected(c"a policy of surrogates", surrogates)),
    };
    Ok(Rules { syntax, surrogates, constants: false })
}
