//! The place of the value that `dumps` cannot write.
//!
//! Separate because nothing is recorded for it while a walk succeeds: the place is read back from
//! the frames on the stack. An error inside a borrowed walk leaves no frames of what that walk has
//! opened. [`find`] makes them, by a second walk over the same objects: no Python code has run
//! since the first began, so it finds them as they were. Invariant: the text of the error stays as
//! it is. Called by `walk`.

use crate::encode::action::Action;
use crate::encode::context::Context;
use crate::encode::depth::{self, DUMPS_LIMIT};
use crate::encode::frame::{DataclassFrame, FrameKind, NewFrame, Position, Stack};
use crate::encode::place::Place;
use crate::encode::policy::{DumpsPolicy, Policy};
use crate::encode::untyped::dataclass::Instance;
use crate::encode::{keys, utf8};
use crate::options::EncodeFlags;
use crate::py::dict::Dict;
use crate::py::instance::Attributes;
use crate::py::int::{self, Int};
use crate::py::list::{self, List};
use crate::py::tuple::{self, Tuple};
use crate::py::types::Kind;
use crate::py::unicode::Str;
use crate::py::{Attached, Obj, Owned, Raised, error, types};

/// Adds the place to the error of a walk: as attributes and as a note.
#[cold]
#[inline(never)]
pub(super) fn add_place(cx: &mut Context<'_>, py: &mut Attached, stack: &Stack) {
    // Errors of user code, of memory and of a changed dict have no place.
    let Some(exception) = error::take_type_error(py, true) else { return };
    if let Ok(mut place) = place(py, stack) {
        if let Some(key) = cx.bad_key.take() {
            place.in_key(key);
        }
        place.add_to(py, exception, true);
    }
}

/// Reads the place from the frames.
fn place(py: &mut Attached, stack: &Stack) -> Result<Place, Raised> {
    let mut place = Place::root()?;
    let (mut members, mut payloads) = (stack.members.iter(), stack.payloads.iter());
    for (position, container) in stack.positions.iter().zip(&stack.containers) {
        match position.kind {
            FrameKind::List | FrameKind::Tuple => place.index(position.index.saturating_sub(1))?,
            FrameKind::Dict | FrameKind::PublicAttributes => {
                // Owned, because on CPython 3.11 the exception of a key that cannot be written may
                // start the collector, and its callbacks may remove the key.
                let key = Dict::any(container.get())
                    .and_then(|dict| position.cursor.last_key_of_any(dict, py))
                    .map(Obj::to_owned);
                match key {
                    Some(key) if is_writable_name(py, key.get())? => place.key(py, key.get())?,
                    Some(key) => place.in_key(key),
                    None => place.unknown()?,
                }
            }
            FrameKind::TextMembers => {
                let Some(members) = members.next() else { continue };
                if let Some(key) = members.current_key() {
                    place.name(key)?;
                } else if members.is_at_unknown() {
                    place.unknown()?;
                } else if let Some(key) = members.current_bad_key() {
                    place.in_key(key.clone());
                }
            }
            FrameKind::Dataclass => {
                if let Some(frame) = payloads.next()
                    && let Some(field) = frame.dataclass.fields.get(position.index.wrapping_sub(1))
                {
                    place.name(&field.utf8_name)?;
                }
            }
            FrameKind::EnumValue | FrameKind::DefaultResult => {}
        }
    }
    Ok(place)
}

/// Whether a key can be written as it is. Dicts with other keys have frames of `TextMembers`.
fn is_writable_name(py: &Attached, key: Obj<'_>) -> Result<bool, Raised> {
    Str::exact(key).map_or(Ok(false), |name| is_utf8(py, name))
}

/// Whether a text has no surrogates.
fn is_utf8(py: &Attached, text: Str<'_>) -> Result<bool, Raised> {
    succeeds(py, utf8::append_text(text, &mut Vec::new()))
}

/// Whether something succeeded; forgets why not, except where memory is missing.
fn succeeds<T>(py: &Attached, result: Result<T, Raised>) -> Result<bool, Raised> {
    match result {
        Ok(_) => Ok(true),
        Err(Raised) if error::must_propagate(py) => Err(Raised),
        Err(Raised) => {
            error::clear();
            Ok(false)
        }
    }
}

/// Pushes the frames that lead to what a borrowed walk could not write. It began at `root`, or,
/// with `resumes_frame`, in the innermost frame; `depth` containers were open. The error stays set.
#[cold]
#[inline(never)]
pub(super) fn find(
    cx: &mut Context<'_>,
    py: &mut Attached,
    stack: &mut Stack,
    root: &Owned,
    resumes_frame: bool,
    depth: usize,
) -> Raised {
    let Some(exception) = error::take_type_error(py, true) else { return Raised };
    let outer = stack.len() - usize::from(resumes_frame);
    let mut search = Search { cx, py, stack, depth };
    if search.run(root, resumes_frame, outer).is_ok() {
        error::restore(py, exception);
    }
    Raised
}

/// What was found.
enum Found {
    /// The value, or the key before it, is the one.
    Fault,
    /// A value that is written, or that opens a frame.
    Passed,
}

struct Search<'s, 'c> {
    cx: &'s mut Context<'c>,
    py: &'s mut Attached,
    stack: &'s mut Stack,
    /// Open containers.
    depth: usize,
}

impl Search<'_, '_> {
    /// Walks until the fault is found; `outer` frames are not its own.
    fn run(&mut self, root: &Owned, resumes_frame: bool, outer: usize) -> Result<(), Raised> {
        let mut next = (!resumes_frame).then(|| root.clone());
        loop {
            if let Some(value) = next.take()
                && matches!(self.look(&value)?, Found::Fault)
            {
                return Ok(());
            }
            if self.stack.len() <= outer {
                return Ok(());
            }
            match self.advance()? {
                Step::Fault => return Ok(()),
                Step::Value(value) => next = Some(value),
                Step::End => {
                    self.stack.pop();
                    self.depth = self.depth.saturating_sub(1);
                }
            }
        }
    }

    /// Looks at a value as the borrowed walk does.
    fn look(&mut self, value: &Owned) -> Result<Found, Raised> {
        let object = value.get();
        let is_subclass = !self.cx.flags.has(EncodeFlags::PASSTHROUGH_SUBCLASS);
        match types::kind(object) {
            Kind::Str(text) => return self.passes(|py| is_utf8(py, text)),
            Kind::Int(number) => return self.int(number),
            Kind::Float(_) | Kind::Bool | Kind::None => return Ok(Found::Passed),
            Kind::List(_) | Kind::Tuple(_) | Kind::Dict(_) => return self.container(value),
            Kind::Other => {}
        }
        if let Some(text) = Str::any(object).filter(|_| is_subclass) {
            return self.passes(|py| is_utf8(py, text));
        }
        if let Some(number) = Int::any(object).filter(|_| is_subclass) {
            return self.int(number);
        }
        let Some(class) = self.cx.types.known(object) else { return Ok(Found::Passed) };
        if class.has_readable_value {
            let own_value = self.cx.runtime.names.own_value.get();
            let number = Attributes::of(object, self.py)
                .and_then(|attributes| attributes.named(own_value))
                .map(Obj::to_owned);
            return match number {
                Some(value) if types::is_scalar(value.get()) => self.look(&value),
                _ => Ok(Found::Passed),
            };
        }
        let Some(dataclass) = class.dataclass.clone().filter(|_| !class.is_enum) else {
            return Ok(Found::Passed);
        };
        if !self.is_allowed_depth()? {
            return Ok(Found::Fault);
        }
        let source = dataclass.source();
        let frame = DataclassFrame::new(dataclass, source);
        self.stack.push_with_payload(Position::at_field(0), value.clone(), frame)?;
        self.depth += 1;
        Ok(Found::Passed)
    }

    /// Opens a list, a tuple or a dict.
    fn container(&mut self, value: &Owned) -> Result<Found, Raised> {
        if !self.is_allowed_depth()? {
            return Ok(Found::Fault);
        }
        let frame = if let Some(list) = List::exact(value.get()) {
            NewFrame::new(FrameKind::List, list::freeze(list)?.into_owned())
        } else if Tuple::exact(value.get()).is_some() {
            NewFrame::new(FrameKind::Tuple, value.clone())
        } else {
            match keys::dict_action(self.cx, self.py, value) {
                Ok(Action::OpenContainer(frame)) => frame,
                Ok(_) => return Ok(Found::Passed),
                Err(Raised) if error::must_propagate(self.py) => return Err(Raised),
                Err(Raised) => {
                    error::clear();
                    return Ok(Found::Fault);
                }
            }
        };
        self.stack.push_frame(frame)?;
        self.depth += 1;
        Ok(Found::Passed)
    }

    fn is_allowed_depth(&self) -> Result<bool, Raised> {
        succeeds(self.py, depth::check(self.depth, DUMPS_LIMIT))
    }

    fn int(&self, number: Int<'_>) -> Result<Found, Raised> {
        let strict = self.cx.flags.has(EncodeFlags::STRICT_INTEGER);
        let checked =
            int::value::<false>(number).and_then(|number| DumpsPolicy { strict }.check_int(number));
        self.passes(|py| succeeds(py, checked))
    }

    fn passes(
        &self,
        check: impl FnOnce(&Attached) -> Result<bool, Raised>,
    ) -> Result<Found, Raised> {
        Ok(if check(self.py)? { Found::Passed } else { Found::Fault })
    }

    /// Goes to the next value of the innermost frame.
    fn advance(&mut self) -> Result<Step, Raised> {
        let (Some(position), Some(container)) =
            (self.stack.positions.last_mut(), self.stack.containers.last())
        else {
            return Ok(Step::End);
        };
        match position.kind {
            FrameKind::List | FrameKind::Tuple => {
                let items = match position.kind {
                    FrameKind::List => list::items_of(container.get(), self.py),
                    _ => tuple::items_of(container.get(), self.py),
                };
                let Some(&Some(item)) = items.get(position.index) else { return Ok(Step::End) };
                position.index += 1;
                Ok(Step::Value(item.to_owned()))
            }
            FrameKind::Dict => {
                let Some(dict) = Dict::any(container.get()) else { return Ok(Step::End) };
                match position.cursor.next::<false>(dict, self.py)? {
                    None => Ok(Step::End),
                    Some((key, _)) if !is_writable_name(self.py, key)? => Ok(Step::Fault),
                    Some((_, value)) => Ok(Step::Value(value.to_owned())),
                }
            }
            FrameKind::TextMembers => {
                let Some(members) = self.stack.members.last_mut() else { return Ok(Step::End) };
                if let Some((_, value)) = members.advance() {
                    return Ok(Step::Value(value.clone()));
                }
                if members.bad_key.is_some() {
                    members.go_to_bad_key();
                    return Ok(Step::Fault);
                }
                Ok(Step::End)
            }
            FrameKind::Dataclass => {
                let Some(frame) = self.stack.payloads.last() else { return Ok(Step::End) };
                let instance = Instance::new(container.get(), frame.source, self.py);
                while let Some(field) = frame.dataclass.fields.get(position.index) {
                    let index = position.index;
                    position.index += 1;
                    if !field.is_private() {
                        let attributes = instance.attributes();
                        let value = frame.dataclass.value::<true>(instance, attributes, index);
                        return Ok(value.map_or(Step::End, |value| Step::Value(value.to_owned())));
                    }
                }
                Ok(Step::End)
            }
            FrameKind::PublicAttributes | FrameKind::EnumValue | FrameKind::DefaultResult => {
                Ok(Step::End)
            }
        }
    }
}

/// What comes next in a frame.
enum Step {
    Value(Owned),
    /// A key that cannot be written.
    Fault,
    End,
}
