//! Why a value cannot be written as its node says, and the texts that say so.

use core::ffi::CStr;

use crate::encode::typed::path;
use crate::encode::typed::plan::Node;
use crate::encode::utf8;
use crate::py::types::Kind;
use crate::py::{Obj, Owned, Raised, error, types};

/// Why there is nothing to do.
#[derive(Debug)]
pub(super) enum EncodeFailure {
    Raised,
    /// A message without its path.
    Message(Vec<u8>),
}

impl From<Raised> for EncodeFailure {
    fn from(Raised: Raised) -> Self {
        Self::Raised
    }
}

/// `expected int, found str`.
pub(super) fn mismatch(node: &Node, object: &Owned) -> EncodeFailure {
    let make = || {
        let mut text = Vec::new();
        path::append(&mut text, b"expected ")?;
        utf8::append_text(node.label.get(), &mut text)?;
        path::append(&mut text, b", found ")?;
        path::append(&mut text, &kind_name(object.get()))?;
        Ok::<_, Raised>(text)
    };
    make().map_or(EncodeFailure::Raised, EncodeFailure::Message)
}

pub(super) fn message(start: &[u8], rest: Obj<'_>) -> EncodeFailure {
    let make = || {
        let mut text = Vec::new();
        path::append(&mut text, start)?;
        utf8::append_text(rest, &mut text)?;
        Ok::<_, Raised>(text)
    };
    make().map_or(EncodeFailure::Raised, EncodeFailure::Message)
}

pub(super) fn unknown(object: Obj<'_>) -> Result<Vec<u8>, Raised> {
    let mut text = Vec::new();
    path::append(&mut text, b"Type is not JSON serializable: ")?;
    path::append(&mut text, &error::type_name(object))?;
    Ok(text)
}

/// What a value is, in the words of messages.
pub(super) fn kind_name(object: Obj<'_>) -> Vec<u8> {
    let name: &CStr = match types::kind(object) {
        Kind::Str => c"str",
        Kind::Int => c"int",
        Kind::Bool => c"bool",
        Kind::None => c"null",
        Kind::Float => c"float",
        Kind::List | Kind::Tuple => c"array",
        Kind::Dict => c"object",
        Kind::Other => return error::type_name(object),
    };
    name.to_bytes().to_vec()
}
