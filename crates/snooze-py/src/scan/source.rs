//! Where lines come from: files by path and the memory of Python objects, read at an offset; files
//! in gzip, read once.
//!
//! Separate so that the reading of pieces knows neither. Invariant: reading needs no interpreter
//! and no shared position of a file, so any thread may read any part at any time.

use std::fs::File;
use std::path::PathBuf;

use crate::py::held::Held;
use crate::scan::compressed::Compressed;
use crate::scan::file::{SourceError, read_file};

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
    Memory(Held, u64),
    Compressed(Compressed),
}

/// A source that one thread reads. It keeps at most one file open.
#[derive(Debug, Default)]
pub(crate) struct Opened(Option<(usize, File)>);

impl Source {
    /// A file.
    pub(crate) fn file(name: String, path: PathBuf) -> Self {
        Self { name, place: Place::File(path) }
    }

    /// A file in gzip.
    pub(crate) fn compressed(name: String, path: PathBuf) -> Self {
        Self { name, place: Place::Compressed(Compressed::new(path)) }
    }

    /// The text of a file in gzip, if the source is one.
    pub(crate) fn as_compressed(&self) -> Option<&Compressed> {
        match &self.place {
            Place::Compressed(compressed) => Some(compressed),
            Place::File(_) | Place::Memory(..) => None,
        }
    }

    /// The memory of an object, which begins at byte `base` of the source.
    pub(crate) fn memory(name: String, held: Held, base: u64) -> Self {
        Self { name, place: Place::Memory(held, base) }
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
            Place::Memory(held, base) => {
                // Ranges begin after the base, and are read from the byte before.
                return Ok(at.checked_sub(*base).map_or(0, |at| held.read_at(at, target)));
            }
            Place::File(path) => path,
            // Its text is taken in chunks.
            Place::Compressed(_) => return Ok(0),
        };
        let file = match &self.0 {
            Some((opened, file)) if *opened == index => file,
            _ => &self.0.insert((index, File::open(path)?)).1,
        };
        read_file(file, at, target)
    }
}
