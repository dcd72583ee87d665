//! Problems: what a value should have been, what it was, and where in the document it is.
//!
//! Separate from the files that find problems, because a problem is rare and its path takes work.
//! Invariant: nothing is kept for messages while values fit; the path is found again from the
//! frames and the document. A problem is a tuple `(path, expected, found, offset, cause)`. Beyond
//! the limits problems are only counted. Called by all files of this folder; `entry` raises them.

use snooze_core::error::{Error, ErrorKind};
use snooze_core::number::number_end;

use crate::decode::typed::context::Context;
use crate::decode::typed::error::DecodeFailure;
use crate::decode::typed::frame::{Frame, FrameKind};
use crate::decode::typed::plan::DecodePlan;
use crate::decode::typed::problems::Problems;
use crate::decode::typed::skip;
use crate::py::message::Message;
use crate::py::unicode::Str;
use crate::py::{Attached, Owned, Raised, call, error, int, list, singletons, tuple, unicode};

/// The most bytes of the document that a message shows.
const MAX_EXCERPT: usize = 40;

/// Calls the plan's `fail` function, which raises the problems of a document, or of objects if it
/// is `None`.
#[cold]
pub(super) fn raise_problems(
    py: &mut Attached,
    plan: &DecodePlan,
    document: &Owned,
    mut problems: Problems,
) -> Raised {
    let Ok(omitted) = int::new(py, problems.omitted as i64) else { return Raised };
    let Ok(reported) = list::from_values::<false>(py, &mut problems.reported, 0) else {
        return Raised;
    };
    match call::call_three(py, &plan.fail, document, &reported, &omitted) {
        Ok(_) => error::runtime_error(c"the function that raises problems has returned"),
        Err(Raised) => Raised,
    }
}

impl<'p> Context<'p, '_> {
    /// Whether there are so many problems that one more is only counted; counts it then.
    pub(super) fn leaves_problem_off(&mut self) -> bool {
        self.problems.leaves_one_off(self.plan.options.max_errors)
    }

    /// Adds a problem of the value that is being read in the innermost open container.
    #[cold]
    pub(super) fn add_problem(
        &mut self,
        frame: &Frame<'p>,
        expected: Owned,
        found: Owned,
        at: usize,
        cause: Option<Owned>,
    ) -> Result<(), DecodeFailure> {
        if self.leaves_problem_off() {
            return Ok(());
        }
        let path = self.path(frame, true, Vec::new())?;
        self.push_problem(path, expected, found, at, cause)
    }

    /// Adds a problem inside the value that is being read: `deeper` is the path from that value on.
    #[cold]
    pub(super) fn add_problem_inside(
        &mut self,
        frame: &Frame<'p>,
        deeper: Vec<Owned>,
        expected: Owned,
        found: Owned,
        at: usize,
    ) -> Result<(), DecodeFailure> {
        if self.leaves_problem_off() {
            return Ok(());
        }
        let path = self.path(frame, true, deeper)?;
        self.push_problem(path, expected, found, at, None)
    }

    /// Adds a problem of the innermost open container itself.
    #[cold]
    pub(super) fn add_container_problem(
        &mut self,
        frame: &Frame<'p>,
        expected: Owned,
        found: Owned,
        at: usize,
        cause: Option<Owned>,
    ) -> Result<(), DecodeFailure> {
        if self.leaves_problem_off() {
            return Ok(());
        }
        let path = self.path(frame, false, Vec::new())?;
        self.push_problem(path, expected, found, at, cause)
    }

    /// Pushes a problem.
    fn push_problem(
        &mut self,
        path: Owned,
        expected: Owned,
        found: Owned,
        at: usize,
        cause: Option<Owned>,
    ) -> Result<(), DecodeFailure> {
        let at = if self.sources.is_some() { 0 } else { at };
        let at = int::new(self.py, at as i64)?;
        let cause = cause.unwrap_or_else(|| singletons::none(self.py));
        let mut parts = Vec::new();
        parts.try_reserve_exact(5).map_err(|_| error::no_memory())?;
        parts.extend([path, expected, found, at, cause]);
        let problem = tuple::new(self.py, &mut parts, 0)?;
        Ok(self.problems.push(problem)?)
    }

    /// The path to the innermost open container, or with `inside` to the value that is being read
    /// in it, followed by `deeper`: a new tuple.
    fn path(
        &mut self,
        frame: &Frame<'p>,
        inside: bool,
        deeper: Vec<Owned>,
    ) -> Result<Owned, DecodeFailure> {
        let mut path = Vec::new();
        let max_len = self.pointer_path.len() + self.frames.len() + 1 + deeper.len();
        path.try_reserve_exact(max_len).map_err(|_| error::no_memory())?;
        path.extend(self.pointer_path.iter().cloned());
        let mut containers = self.frames.iter().chain(inside.then_some(frame)).peekable();
        while let Some(container) = containers.next() {
            let values_end = match containers.peek() {
                Some(inner) => inner.values_start,
                None if inside => self.values.len(),
                None => frame.values_start,
            };
            match container.kind {
                FrameKind::Document => {}
                FrameKind::Record | FrameKind::Dict => path.push(match &self.sources {
                    Some(sources) => sources.step(self.py, container.name_offset)?,
                    None => {
                        let (runtime, at) = (self.runtime, container.name_offset);
                        skip::string_at(runtime, self.bytes, at, &mut Vec::new())?
                    }
                }),
                FrameKind::ArrayRecord => path.push(int::new(self.py, container.current as i64)?),
                _ => path.push(int::new(self.py, (values_end - container.values_start) as i64)?),
            }
        }
        path.extend(deeper);
        let names = path.iter().filter_map(|step| Str::any(step.get()));
        let characters = names.map(unicode::length).fold(0, usize::saturating_add);
        self.problems.add_path(path.len(), characters);
        Ok(tuple::new(self.py, &mut path, 0)?)
    }

    /// The offset after the value at an offset that was a problem, which may be a number beyond the
    /// range of a double.
    #[cold]
    pub(super) fn problem_value_end(&self, at: usize) -> Result<usize, DecodeFailure> {
        match skip::value_end(self.runtime, self.bytes, at, self.frames.len(), false) {
            Err(DecodeFailure::Json(Error { kind: ErrorKind::Infinity, .. }))
                if !matches!(self.bytes.get(at), Some(b'{' | b'[')) =>
            {
                Ok(number_end(self.bytes, at))
            }
            end => end,
        }
    }

    /// The name in messages for the kind of the value at an offset.
    pub(super) fn kind_name(&self, at: usize) -> Result<Owned, Raised> {
        if let Some(sources) = &self.sources {
            return sources.kind_name(at);
        }
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

    /// The start of the value at an offset, as the document has it; for a container the name of its
    /// kind.
    pub(super) fn excerpt(&mut self, at: usize) -> Result<Owned, Raised> {
        if let Some(sources) = &self.sources {
            return sources.excerpt(self.py, at);
        }
        let rest = self.bytes.get(at..).unwrap_or(&[]);
        if let Some(b'{' | b'[') = rest.first() {
            return self.kind_name(at);
        }
        let end =
            skip::value_end(self.runtime, self.bytes, at, self.frames.len(), false).unwrap_or(at);
        // A value that cannot be skipped is a number beyond the range of a double, or is cut off.
        let end = end.max(number_end(self.bytes, at));
        let mut len = end.saturating_sub(at).min(rest.len());
        let is_cut = len > MAX_EXCERPT;
        if is_cut {
            len = MAX_EXCERPT;
            // Do not cut inside a character.
            while rest.get(len).is_some_and(|byte| byte & 0xc0 == 0x80) {
                len -= 1;
            }
        }
        let mut excerpt = Message::new();
        excerpt.utf8(rest.get(..len).unwrap_or(&[]))?;
        if is_cut {
            excerpt.text("...")?;
        }
        excerpt.to_str()
    }
}
