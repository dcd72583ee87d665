//! Reading: from a document to Python objects, with and without a type.
//!
//! `untyped` is `loads`, `typed` is `Decoder`; the files beside them serve both: the input and its errors
//! (`input`, `error`), scalars and member names (`value`), the caches of texts (`key_cache`,
//! `string_cache`, `text_match`) and the memory of a call (`scratch`).

pub(crate) mod error;
pub(crate) mod input;
pub(crate) mod key_cache;
pub(crate) mod scratch;
pub(crate) mod string_cache;
pub(crate) mod text_match;
pub(crate) mod typed;
pub(crate) mod untyped;
pub(crate) mod value;
