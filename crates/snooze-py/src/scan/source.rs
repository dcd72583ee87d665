//! Where lines come from: files by path and the memory of Python objects, read at an offset.
//!
//! Separate so that the reading of pieces knows neither. Invariant: reading needs no interpreter
//! and no shared position, so any thread may read any part at any time.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use crate::py::held::Held;

/// A source of lines.
#[derive(Debug)]
pub(crate) struct Source {
    /// The name in messages.
    pub(crate) name: String,
    place: Place,
}

#[derive(Debug)]
enum Place {
    File(PathBuf),
    Memory(Held),
}

/// A source that one thread reads. It keeps at most one file open.
#[derive(Debug, Default)]
pub(crate) struct Opened(Option<(usize, File)>);

/// Why reading failed: an `errno` value, if the system gave one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SourceError(pub(crate) Option<i32>);

impl From<io::Error> for SourceError {
    fn from(error: io::Error) -> Self {
        Self(error.raw_os_error())
    }
}

impl Source {
    /// A file.
    pub(crate) fn file(name: String, path: PathBuf) -> Self {
        Self { name, place: Place::File(path) }
    }

    /// The memory of an object.
    pub(crate) fn memory(name: String, held: Held) -> Self {
        Self { name, place: Place::Memory(held) }
    }
}

impl Opened {
    /// Reads at most one buffer of the source with this index, from byte `at` on; zero bytes mean
    /// the end.
    pub(crate) fn read_at(
        &mut self,
        index: usize,
        source: &Source,
        at: u64,
        target: &mut [u8],
    ) -> Result<usize, SourceError> {
        let path = match &source.place {
            Place::Memory(held) => return Ok(held.read_at(at, target)),
            Place::File(path) => path,
        };
        let file = match &self.0 {
            Some((opened, file)) if *opened == index => file,
            _ => &self.0.insert((index, File::open(path)?)).1,
        };
        loop {
            match read_file_at(file, at, target) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => return Ok(other?),
            }
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
