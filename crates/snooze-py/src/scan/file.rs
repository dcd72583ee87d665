//! Files, read at an offset.
//!
//! Separate because plain and compressed sources read them alike. Invariant: the position of a file
//! is not used, so threads and forks do not disturb each other.

use std::fs::File;
use std::io;

/// Why reading failed: an `errno` value, if the system gave one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SourceError(pub(crate) Option<i32>);

impl From<io::Error> for SourceError {
    fn from(error: io::Error) -> Self {
        Self(error.raw_os_error())
    }
}

/// Reads at most one buffer of a file, from byte `at` on; zero bytes mean the end.
pub(crate) fn read_file(file: &File, at: u64, target: &mut [u8]) -> Result<usize, SourceError> {
    loop {
        match read_file_at(file, at, target) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return Ok(other?),
        }
    }
}

#[cfg(unix)]
fn read_file_at(file: &File, at: u64, target: &mut [u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, target, at)
}

#[cfg(windows)]
fn read_file_at(file: &File, at: u64, target: &mut [u8]) -> io::Result<usize> {
    // This moves the position of the file, which nothing here uses.
    std::os::windows::fs::FileExt::seek_read(file, target, at)
}
