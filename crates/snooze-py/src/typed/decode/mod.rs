//! Typed decoding: from a document to instances of classes, in one pass, without a tree between.
//!
//! `compile` reads a plan, `walk` follows it, with a `frame` for each open container and `member`
//! for the names in objects; `record` makes instances, `scalar` all that is no container, `numbers`
//! numpy's arrays, `union` chooses among classes, `pass` goes over what is not wanted, `problem`
//! collects what is wrong. Invariants: nothing is made of a value that does not fit, and nobody
//! sees a part of a result; a document that is no JSON is refused as `loads` refuses it, one that
//! does not fit its type by the plan's `fail`.

mod compile;
mod frame;
mod kinds;
mod member;
mod numbers;
mod pass;
mod plan;
mod problem;
mod record;
mod scalar;
mod union;
mod walk;

use snooze_core::arch::{Task, Vector};
use snooze_core::error::{Error, ErrorKind};

pub(crate) use plan::Plan;

use super::object;
use crate::decode;
use crate::py::bytes::{Input, of_subclass};
use crate::py::compat::PausedCollector;
use crate::py::text::TextFault;
use crate::py::{Attached, Obj, Owned, Raised};
use crate::state::State;
use frame::Frame;
use walk::Walk;

/// Why there is no result.
#[derive(Clone, Copy, Debug)]
enum Fault {
    Json(Error),
    Raised,
    /// A problem has been noted.
    Wrong,
}

impl From<Error> for Fault {
    #[inline(always)]
    fn from(error: Error) -> Self {
        Self::Json(error)
    }
}

impl From<Raised> for Fault {
    #[inline(always)]
    fn from(Raised: Raised) -> Self {
        Self::Raised
    }
}

impl From<decode::Fault> for Fault {
    #[inline(always)]
    fn from(fault: decode::Fault) -> Self {
        match fault {
            decode::Fault::Json(error) => Self::Json(error),
            decode::Fault::Raised => Self::Raised,
        }
    }
}

impl From<TextFault> for Fault {
    #[inline(always)]
    fn from(fault: TextFault) -> Self {
        match fault {
            TextFault::NotUtf8 => Self::Json(Error::new(ErrorKind::InvalidUtf8, 0)),
            TextFault::Raised => Self::Raised,
        }
    }
}

/// What one call of `decode` needs beside its result, kept for the next call.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    shared: decode::Scratch<Frame<'static>>,
    fields: Vec<Option<Owned>>,
}

impl Scratch {
    /// Empties it, and gives back what only a large document needed.
    fn tidy(&mut self) {
        self.shared.tidy();
        decode::empty(&mut self.fields, decode::KEPT_VALUES);
    }
}

impl object::Plan for Plan {
    fn compile(py: &mut Attached, state: &State, description: &Owned) -> Result<Self, Raised> {
        compile::plan(py, state.sees_attributes, description)
    }

    fn visit(&self, see: &mut dyn FnMut(&Owned)) {
        self.visit_objects(see);
    }
}

/// The object that a document means by a plan, or an exception.
#[inline(always)]
pub(crate) fn decode(
    state: &State,
    py: &mut Attached,
    plan: &Plan,
    object: Obj<'_>,
) -> Result<Owned, Raised> {
    // `Raw`, which a decoder has made, can be decoded later.
    let raw = of_subclass(py, object)?;
    let object = raw.as_ref().map_or(object, Owned::get);
    let input = decode::input(state, py, object)?;
    let mut scratch = state.typed_pool.take()?;
    let (result, problems) = {
        // User code that a plan calls may need the collector.
        let _paused = (!plan.runs_code).then(PausedCollector::new);
        let bytes = input.bytes();
        state.dispatch.run(Decode { state, py: &mut *py, plan, bytes, scratch: &mut scratch })
    };
    scratch.tidy();
    state.typed_pool.put(scratch);
    match result {
        Ok(value) => Ok(value),
        Err(fault) => Err(raise(state, py, plan, object, &input, fault, problems)),
    }
}

#[cold]
#[inline(never)]
fn raise(
    state: &State,
    py: &mut Attached,
    plan: &Plan,
    object: Obj<'_>,
    input: &Input<'_>,
    fault: Fault,
    problems: Vec<Owned>,
) -> Raised {
    match fault {
        Fault::Raised => Raised,
        Fault::Json(error) => decode::raise_error(state, object, input, error),
        Fault::Wrong => {
            // Texts are validated as they are made: see `decode::raise_error`.
            if !input.is_text && core::str::from_utf8(input.bytes()).is_err() {
                let error = Error::new(ErrorKind::InvalidUtf8, 0);
                return decode::raise_error(state, object, input, error);
            }
            problem::raise(py, plan, object, input, problems)
        }
    }
}

struct Decode<'a, 'i> {
    state: &'a State,
    py: &'a mut Attached,
    plan: &'a Plan,
    bytes: &'i [u8],
    scratch: &'a mut Scratch,
}

impl Task for Decode<'_, '_> {
    type Output = (Result<Owned, Fault>, Vec<Owned>);

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        let Self { state, py, plan, bytes, scratch } = self;
        let Scratch { shared, fields } = scratch;
        let decode::Scratch { values, frames, text, keys, strings } = shared;
        let mut walk = Walk {
            state,
            py,
            plan,
            bytes,
            values,
            fields,
            frames: core::mem::take(frames),
            keys,
            strings,
            problems: Vec::new(),
            way: Vec::new(),
            steps: 0,
        };
        // Only the scalar tier has a copy without private layouts: see `State::new`.
        let result = if V::LANES == 8 && !state.direct {
            walk.run::<V, false>(text)
        } else {
            walk.run::<V, true>(text)
        };
        let Walk { frames: mut used, problems, .. } = walk;
        used.clear();
        // The same memory, for frames of any lifetime.
        *frames = used.into_iter().map_while(|_| None).collect();
        (result, problems)
    }
}
