//! Problems: what was expected, what was found, and where.
//!
//! Nothing is kept for messages while all goes well: the path is read back from the frames and
//! from the document.

use snooze_core::error::{Error, ErrorKind};
use snooze_core::number::number_end;

use crate::decode::typed::context::Context;
use crate::decode::typed::error::DecodeFailure;
use crate::decode::typed::frame::{Frame, Kind};
use crate::decode::typed::plan::DecodePlan;
use crate::decode::typed::skip;
use crate::py::input::Input;
use crate::py::message::Message;
use crate::py::{Attached, Obj, Owned, Raised, call, error, int, list, singletons, tuple, unicode};

/// Bytes of the document that a message shows.
const SHOWN: usize = 40;

/// Steps of all paths together from which on problems are no longer noted: a document of hostile
/// make has one for every other byte, each as deep as documents may be.
const MOST_STEPS: usize = 1 << 18;

/// Raises what `fail` makes of the problems.
#[cold]
pub(super) fn raise(
    py: &mut Attached,
    plan: &DecodePlan,
    object: Obj<'_>,
    input: &Input<'_>,
    mut problems: Vec<Owned>,
) -> Raised {
    let document =
        if input.is_text { Ok(object.to_owned()) } else { unicode::decode_utf8(input.bytes()) };
    let Ok(document) = document else { return Raised };
    let Ok(problems) = list::from_values::<false>(py, &mut problems, 0) else { return Raised };
    match call::call_two(py, &plan.fail, &document, &problems) {
        Ok(_) => error::runtime_error(c"the function that should raise a problem has returned"),
        Err(Raised) => Raised,
    }
}

impl<'p> Context<'p, '_> {
    /// Whether so many problems have been noted that no more are.
    pub(super) fn has_enough(&self) -> bool {
        self.path_steps >= MOST_STEPS
    }

    /// Notes a problem of the value that is read now.
    #[cold]
    pub(super) fn note(
        &mut self,
        frame: &Frame<'p>,
        expected: Owned,
        found: Owned,
        at: usize,
        cause: Option<Owned>,
    ) -> Result<(), DecodeFailure> {
        if self.has_enough() {
            return Ok(());
        }
        let path = self.path(frame, true, Vec::new())?;
        self.keep(path, expected, found, at, cause)
    }

    /// Notes a problem inside the value that is read now, so many steps deeper.
    #[cold]
    pub(super) fn note_inside(
        &mut self,
        frame: &Frame<'p>,
        deeper: Vec<Owned>,
        expected: Owned,
        found: Owned,
        at: usize,
    ) -> Result<(), DecodeFailure> {
        if self.has_enough() {
            return Ok(());
        }
        let path = self.path(frame, true, deeper)?;
        self.keep(path, expected, found, at, None)
    }

    /// Notes a problem of the innermost open container.
    #[cold]
    pub(super) fn note_open(
        &mut self,
        frame: &Frame<'p>,
        expected: Owned,
        found: Owned,
        at: usize,
        cause: Option<Owned>,
    ) -> Result<(), DecodeFailure> {
        if self.has_enough() {
            return Ok(());
        }
        let path = self.path(frame, false, Vec::new())?;
        self.keep(path, expected, found, at, cause)
    }

    fn keep(
        &mut self,
        path: Owned,
        expected: Owned,
        found: Owned,
        at: usize,
        cause: Option<Owned>,
    ) -> Result<(), DecodeFailure> {
        let at = int::new(self.py, at as i64)?;
        let cause = cause.unwrap_or_else(|| singletons::none(self.py));
        let mut parts = Vec::new();
        parts.try_reserve_exact(5).map_err(|_| error::no_memory())?;
        parts.extend([path, expected, found, at, cause]);
        let problem = tuple::new(self.py, &mut parts, 0)?;
        self.problems.try_reserve(1).map_err(|_| error::no_memory())?;
        self.problems.push(problem);
        Ok(())
    }

    /// The way to the innermost container, or to the value that is read in it, as a tuple.
    fn path(
        &mut self,
        frame: &Frame<'p>,
        inside: bool,
        deeper: Vec<Owned>,
    ) -> Result<Owned, DecodeFailure> {
        let mut path = Vec::new();
        let most = self.pointer.len() + self.frames.len() + 1 + deeper.len();
        path.try_reserve(most).map_err(|_| error::no_memory())?;
        path.extend(self.pointer.iter().cloned());
        let mut outer = self.frames.iter().chain(inside.then_some(frame)).peekable();
        while let Some(one) = outer.next() {
            let next = match outer.peek() {
                Some(inner) => inner.values,
                None if inside => self.values.len(),
                None => frame.values,
            };
            match one.kind {
                Kind::Top => {}
                Kind::Record | Kind::Dict => {
                    let mut scratch = Vec::new();
                    path.push(skip::name(self.runtime, self.bytes, one.member, &mut scratch)?);
                }
                Kind::ArrayRecord => path.push(int::new(self.py, one.current as i64)?),
                _ => path.push(int::new(self.py, (next - one.values) as i64)?),
            }
        }
        path.extend(deeper);
        self.path_steps += 1 + path.len();
        Ok(tuple::new(self.py, &mut path, 0)?)
    }

    /// The offset behind a value that has been refused: of a number that is too large, too.
    #[cold]
    pub(super) fn behind(&self, at: usize) -> Result<usize, DecodeFailure> {
        match skip::over(self.runtime, self.bytes, at, self.frames.len(), false) {
            Err(DecodeFailure::Json(Error { kind: ErrorKind::Infinity, .. }))
                if !matches!(self.bytes.get(at), Some(b'{' | b'[')) =>
            {
                Ok(number_end(self.bytes, at))
            }
            end => end,
        }
    }

    /// What messages call the kind of the value at an offset.
    pub(super) fn kind_name(&self, at: usize) -> Result<Owned, Raised> {
        let rest = self.bytes.get(at..).unwrap_or(&[]);
        let name: &[u8] = match rest.first() {
            Some(b'"') => b"str",
            Some(b'{') => b"object",
            Some(b'[') => b"array",
            Some(b't' | b'f') => b"bool",
            Some(b'n') => b"null",
            _ => {
                let digits = rest.split(|byte| !b"+-.eE0123456789".contains(byte)).next();
                let is_float = digits.unwrap_or(&[]).iter().any(|byte| b".eE".contains(byte));
                if is_float { b"float" } else { b"int" }
            }
        };
        unicode::decode_utf8(name)
    }

    /// The beginning of the value at an offset as the document has it; containers by their kind.
    pub(super) fn excerpt(&self, at: usize) -> Result<Owned, Raised> {
        let rest = self.bytes.get(at..).unwrap_or(&[]);
        if let Some(b'{' | b'[') = rest.first() {
            return self.kind_name(at);
        }
        let end = skip::over(self.runtime, self.bytes, at, self.frames.len(), false).unwrap_or(at);
        // What cannot be passed is a number that is too large, or ends with the document.
        let end = end.max(number_end(self.bytes, at));
        let mut shown = end.saturating_sub(at).min(rest.len());
        let is_cut = shown > SHOWN;
        if is_cut {
            shown = SHOWN;
            // Not inside a character.
            while rest.get(shown).is_some_and(|byte| byte & 0xc0 == 0x80) {
                shown -= 1;
            }
        }
        let mut excerpt = Message::new();
        excerpt.utf8(rest.get(..shown).unwrap_or(&[]))?;
        if is_cut {
            excerpt.text("...")?;
        }
        excerpt.to_str()
    }
}
