//! What a walk through one record knows, and the memory that it reuses.
//!
//! Separate because `container` and `value` both have it, and `records` reads the result.
//! Invariant: after a fault, `steps` lead to it.
//!
//! A strict walk stops at the first value that does not fit. A lenient one, of the same record,
//! makes such a value null, and keeps its text if `keeps_rest`; it is slower and only wrong records
//! see it.

use super::memory::{NoMemory, append, push};
use super::problem::{Fault, FaultKind, Step, write_pointer};
use super::read_mode::ReadMode;
use super::repeated::Repeated;
use crate::error::{Error, ErrorKind};

/// No JSON text has this byte.
pub(super) const DEAD: u8 = 0;

/// Memory that is reused from record to record.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// The text of a string with escapes.
    pub(super) text: Vec<u8>,
    /// The way to a fault, innermost first; in a lenient walk, the way to here, outermost first.
    pub(super) steps: Vec<Step>,
    /// In a lenient walk, the members of the object of what has no place: `,"pointer":value`, and
    /// [`DEAD`] bytes.
    pub(super) rest: Vec<u8>,
    /// What is passed over in the innermost open map.
    pub(super) repeated: Repeated,
    /// How many maps are open.
    pub(super) maps: usize,
}

/// A walk through one record.
pub(super) struct State<'a> {
    pub(super) text: &'a [u8],
    pub(super) at: usize,
    pub(super) depth: usize,
    pub(super) mode: ReadMode,
    pub(super) scratch: &'a mut Scratch,
}

impl From<Error> for Fault {
    #[cold]
    fn from(error: Error) -> Self {
        Self { kind: FaultKind::Json(error.kind), at: error.offset }
    }
}

impl From<NoMemory> for Fault {
    #[cold]
    fn from(NoMemory: NoMemory) -> Self {
        Self { kind: FaultKind::Json(ErrorKind::NoMemory), at: 0 }
    }
}

impl State<'_> {
    /// Notes the way to a fault.
    #[cold]
    #[inline(never)]
    pub(super) fn on_the_way(&mut self, fault: Fault, step: Step) -> Fault {
        if !self.mode.lenient && push(&mut self.scratch.steps, step).is_err() {
            return NoMemory.into();
        }
        fault
    }

    /// Keeps a value that has no place, if this walk does.
    pub(super) fn keep(&mut self, value: &[u8]) -> Result<(), NoMemory> {
        if !self.mode.keeps_rest {
            return Ok(());
        }
        let Scratch { steps, rest, .. } = &mut *self.scratch;
        let mut pointer = Vec::new();
        write_pointer(self.text, steps.iter(), &mut pointer)?;
        append(rest, b",\"")?;
        for &byte in &pointer {
            match byte {
                b'"' | b'\\' => append(rest, &[b'\\', byte])?,
                0..0x20 => {
                    let digit = |value: u8| b"0123456789abcdef"[usize::from(value)];
                    append(rest, &[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte & 15)])?;
                }
                _ => push(rest, byte)?,
            }
        }
        append(rest, b"\":")?;
        append(rest, value)
    }
}

impl Scratch {
    /// Marks a part of the rest as dead: an equal member follows the one that it is of.
    #[cold]
    pub(super) fn forget(&mut self, (start, end): (usize, usize)) {
        self.rest.get_mut(start..end).unwrap_or_default().fill(DEAD);
    }
}
