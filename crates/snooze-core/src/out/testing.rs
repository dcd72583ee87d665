//! Test helpers: what a closure writes, as a string.
//!
//! Separate because the tests of every file of `out` use them.

use super::{Out, VecBuffer};

/// Everything that `write` writes.
pub(super) fn written_whole(write: impl FnOnce(&mut Out<'_, VecBuffer>)) -> String {
    let mut buffer = VecBuffer::new();
    let mut out = Out::new(&mut buffer).unwrap();
    write(&mut out);
    let len = out.len();
    String::from_utf8(buffer.into_vec(len)).unwrap()
}

/// What `write` writes, without its last separator.
pub(super) fn written(write: impl FnOnce(&mut Out<'_, VecBuffer>)) -> String {
    written_whole(|out| {
        write(out);
        out.drop_last();
    })
}
