//! The contents of a `Fragment`: JSON that is copied unchanged.
//!
//! Separate because `untyped::borrowed` copies the bytes in place and `classify` needs a strong
//! reference.

use crate::encode::action::Action;
use crate::encode::utf8;
use crate::py::bytes::Bytes;
use crate::py::fragment::Fragment;
use crate::py::unicode::{Chars, Str};
use crate::py::{Attached, Raised, bytes, error, fragment, unicode};

/// Returns the contents if they are `bytes` or an ASCII `str`.
#[inline(always)]
pub(super) fn borrowed_bytes<'a>(py: &'a Attached, fragment: Fragment<'a>) -> Option<&'a [u8]> {
    let contents = fragment::contents(py, fragment);
    if let Some(text) = Str::exact(contents) {
        return match unicode::chars::<false>(text) {
            Ok(Chars::Ascii(bytes)) => Some(bytes),
            _ => None,
        };
    }
    Bytes::exact(contents).map(bytes::contents)
}

/// Returns the action that copies the contents; a `str` is encoded as UTF-8.
pub(super) fn action(py: &mut Attached, fragment: Fragment<'_>) -> Result<Action, Raised> {
    let contents = fragment::contents(py, fragment).to_owned();
    if let Some(bytes) = Bytes::exact(contents.get()) {
        return Ok(Action::RawJson(bytes.to_owned()));
    }
    let Some(text) = Str::exact(contents.get()) else {
        return Err(error::type_error(c"snooze.Fragment's content is not of type bytes or str"));
    };
    if unicode::chars::<false>(text)?.has_surrogates() {
        return Err(utf8::surrogate());
    }
    Ok(Action::RawJson(unicode::encode_utf8(py, text)?))
}
