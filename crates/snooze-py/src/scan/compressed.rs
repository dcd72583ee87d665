//! Files in gzip, in chunks of whole lines.
//!
//! Separate from `source`, whose bytes can be read at any place: this text has one order. One
//! thread decompresses at a time, the others read the chunks that they took. Invariants: the
//! chunks, one after the other in the order of their numbers, are the text; memory is one chunk for
//! each thread. Called by `reading` and `inferring`.
//!
//! ```text
//! history | part of a line | text ... ⏎ | part of a line      the memory of a chunk
//!         └──────── the chunk ────────┘
//! ```

use std::fs::File;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use snooze_core::columns::{MAX_LINE, NoMemory};
use snooze_core::gzip::{Gzip, GzipError, HISTORY};

use crate::scan::file::{SourceError, read_file};

/// How much text a chunk is made for at first.
const FIRST_STEP: usize = 64 << 10;
/// How much text is added at most to a chunk that has no end of a line.
const MAX_STEP: usize = 64 << 20;

/// A file whose text is taken in chunks, once.
#[derive(Debug)]
pub(crate) struct Compressed {
    path: PathBuf,
    state: Mutex<State>,
    /// The turn of the next chunk has come.
    is_next: Condvar,
    is_at_end: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    /// The number of the next chunk.
    number: u64,
    /// The file and its decompression, while they are in progress.
    open: Vec<(File, Gzip)>,
    /// The end of the text so far, at least what compressed text refers to; its last `part` bytes
    /// are a part of a line.
    before: Vec<u8>,
    part: usize,
    /// Where the part of a line begins in the text.
    offset: u64,
    /// The compressed bytes that were read, and those that were used.
    position: u64,
    used: u64,
}

/// Whole lines, and the memory for them.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    memory: Vec<u8>,
    start: usize,
    end: usize,
    /// Where the lines begin in the text.
    pub(crate) offset: u64,
    /// The compressed bytes that they took.
    pub(crate) used: u64,
}

/// Why there is no next chunk.
#[derive(Debug)]
pub(crate) enum ChunkError {
    /// The file cannot be read.
    Source(SourceError),
    /// What is wrong with the file.
    Damaged(&'static str),
    /// The line that begins at this byte is too long.
    LongLine(u64),
    NoMemory,
}

impl From<NoMemory> for ChunkError {
    fn from(NoMemory: NoMemory) -> Self {
        Self::NoMemory
    }
}

impl Chunk {
    /// The lines.
    pub(crate) fn text(&self) -> &[u8] {
        &self.memory[self.start..self.end]
    }

    /// The offset of the end in the text.
    pub(crate) fn end(&self) -> u64 {
        self.offset + (self.end - self.start) as u64
    }

    /// Reads the text of the source at an offset into a buffer. The byte before the chunk is the
    /// line feed of the line before.
    pub(crate) fn read_at(&self, at: u64, target: &mut [u8]) -> usize {
        let Some(skipped) = at.checked_sub(self.offset) else {
            target[0] = b'\n';
            return 1;
        };
        let rest = self.text().get(skipped as usize..).unwrap_or(&[]);
        let count = rest.len().min(target.len());
        target[..count].copy_from_slice(&rest[..count]);
        count
    }
}

impl Compressed {
    /// A file.
    pub(crate) fn new(path: PathBuf) -> Self {
        let (state, is_next) = (Mutex::default(), Condvar::new());
        Self { path, state, is_next, is_at_end: AtomicBool::new(false) }
    }

    /// Whether all text was taken, or decompression has failed.
    pub(crate) fn is_at_end(&self) -> bool {
        self.is_at_end.load(Ordering::Acquire)
    }

    /// Takes no further chunk and closes the file: enough text was read, or a thread does not take
    /// the chunk whose number it has. Wakes the threads that wait for their turn.
    pub(crate) fn finish(&self) {
        let mut state = self.lock();
        *state = State::default();
        self.is_at_end.store(true, Ordering::Release);
        drop(state);
        self.is_next.notify_all();
    }

    /// Takes the chunk of this number, of about `size` bytes; false if there is none. Waits until
    /// the chunks before are taken.
    pub(crate) fn take(
        &self,
        number: u64,
        size: u64,
        chunk: &mut Chunk,
    ) -> Result<bool, ChunkError> {
        chunk.used = 0;
        let mut state = self.lock();
        while state.number < number && !self.is_at_end() {
            state = self.is_next.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if self.is_at_end() {
            return Ok(false);
        }
        let taken = state.read(self, usize::try_from(size).unwrap_or(usize::MAX), chunk);
        state.number += 1;
        if !matches!(taken, Ok(true)) {
            self.is_at_end.store(true, Ordering::Release);
            *state = State::default();
        }
        drop(state);
        self.is_next.notify_all();
        taken
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn read(
        &mut self,
        of: &Compressed,
        size: usize,
        chunk: &mut Chunk,
    ) -> Result<bool, ChunkError> {
        if self.number == 0 {
            self.open.try_reserve_exact(1).map_err(|_| NoMemory)?;
            let file = File::open(&of.path).map_err(|error| ChunkError::Source(error.into()))?;
            self.open.push((file, Gzip::default()));
        }
        let Some((file, gzip)) = self.open.first_mut() else { return Ok(false) };
        let memory = &mut chunk.memory;
        let mut end = self.before.len();
        grow(memory, end)?;
        memory[..end].copy_from_slice(&self.before);
        (chunk.start, chunk.offset) = (end - self.part, self.offset);
        let mut line_end = None;
        let mut is_whole = false;
        while !is_whole {
            if end - chunk.start > MAX_LINE {
                return Err(ChunkError::LongLine(self.offset));
            }
            let length = end - chunk.start;
            // At first little, because the text may be short; then as much as there is. Where the
            // chunk is large enough, some more, until a line ends.
            let most = if length < size { size - length } else { MAX_STEP };
            let more = length.max(FIRST_STEP).min(most);
            let room = end + more;
            grow(memory, room)?;
            let mut at = self.position;
            let count = gzip.read(&mut memory[..room], end, |input| {
                let count = read_file(file, at, input)?;
                at += count as u64;
                Ok(count)
            });
            self.position = at;
            let count = count.map_err(|error| match error {
                GzipError::Source(error) => ChunkError::Source(error),
                error => ChunkError::Damaged(error.text().unwrap_or("")),
            })?;
            let ends_at = memchr::memrchr(b'\n', &memory[end..end + count]);
            line_end = ends_at.map_or(line_end, |at| Some(end + at + 1));
            end += count;
            is_whole = end - chunk.start >= size && line_end.is_some();
            if count == 0 {
                // The last line needs no line feed.
                (is_whole, line_end) = (true, Some(end));
            }
        }
        chunk.end = line_end.unwrap_or(end);
        chunk.used = gzip.used() - self.used;
        self.used += chunk.used;
        self.part = end - chunk.end;
        self.offset = chunk.end();
        let kept = chunk.end.min(end.saturating_sub(HISTORY));
        self.before.clear();
        self.before.try_reserve(end - kept).map_err(|_| NoMemory)?;
        self.before.extend_from_slice(&chunk.memory[kept..end]);
        if chunk.offset == 0
            && let Some(mark) = chunk.memory[chunk.start..].first_chunk_mut()
            && mark == b"\xef\xbb\xbf"
        {
            // Only here, because compressed text may refer to the byte order mark.
            *mark = *b"   ";
        }
        Ok(chunk.end > chunk.start)
    }
}

/// Makes memory at least so long.
fn grow(memory: &mut Vec<u8>, length: usize) -> Result<(), NoMemory> {
    if memory.len() < length {
        memory.try_reserve_exact(length - memory.len()).map_err(|_| NoMemory)?;
        memory.resize(length, 0);
    }
    Ok(())
}
