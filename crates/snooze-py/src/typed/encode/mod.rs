//! Typed encoding: JSON text of objects whose types are known ahead.
//!
//! Two walks, as in `dumps`: [`tree`] writes what needs no Python code, borrowing everything; what
//! it cannot write ends it, its open containers become frames that own them, and [`walk`] does the
//! next step, in which anything may run. Then the tree goes on. Invariants: as in `encode`: an
//! object is borrowed only while no Python code runs; depth costs no C stack and is limited;
//! whatever fails, the frames are released. The path in a message is what the frames say.
//!
//! ```text
//! methods ─► walk ─► tree ─► nested ─► fields, leaf ─► snooze_core::out
//!              ├─► value (what to do with an object) ─► keys
//!              ├─► frame, path
//! compile ─► plan (arena that all of them read)
//! ```

mod compile;
mod fields;
mod frame;
mod keys;
mod leaf;
pub(crate) mod methods;
mod nested;
mod options;
mod path;
pub(crate) mod plan;
mod resume;
mod tree;
mod value;
mod walk;

use self::frame::Stack;
use self::methods::Encoder;
use self::plan::EncodePlan;
use crate::encode::cache::TypeCache;
use crate::py::types::TypeKey;
use crate::py::{Obj, Owned, Raised, error};

/// Containers that may be open at once, and what conversions lead to.
const MAX_DEPTH: usize = 1024;

/// What a call needs beside its output, kept for the next call of the same encoder.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    stack: Stack,
    types: TypeCache,
    known: Known,
}

impl Scratch {
    /// Shows every object that is kept.
    pub(crate) fn visit(&self, see: &mut dyn FnMut(&Owned)) {
        self.known.encoders.iter().for_each(|encoder| see(encoder.object()));
    }
}

/// Types that a cache knows.
const TYPES: usize = 128;

/// Encoders that are kept from call to call.
const ENCODERS: usize = 256;

/// How the values are written whose types the plan does not name.
///
/// Invariant: within a call encoders are only added, so that their numbers stay.
#[derive(Debug, Default)]
struct Known {
    types: Vec<Option<(TypeKey, u32)>>,
    encoders: Vec<Encoder>,
}

/// The number of the plan that was called; encoder `i` has number `i + 1`.
const ROOT: u32 = 0;
/// No plan: what the hook gives.
const HOOK: u32 = u32::MAX;

impl Known {
    /// The number of the plan for instances of the object's type.
    #[inline(always)]
    fn get(&self, object: Obj<'_>) -> Option<u32> {
        let key = TypeKey::of(object)?;
        let first = key.slot(TYPES);
        for place in [first, first ^ 1] {
            if let Some(&Some((known, home))) = self.types.get(place)
                && known == key
            {
                return Some(home);
            }
        }
        None
    }

    /// Keeps the number of the plan for a type.
    fn set(&mut self, key: Option<TypeKey>, home: u32) -> Result<(), Raised> {
        if self.types.is_empty() {
            self.types.try_reserve_exact(TYPES).map_err(|_| error::no_memory())?;
            self.types.resize(TYPES, None);
        }
        // Each type has two places: what comes goes to the first one, what was there to the second.
        if let Some(key) = key {
            let first = key.slot(TYPES);
            if self.types.get(first).is_some_and(Option::is_some) {
                self.types.swap(first, first ^ 1);
            }
            if let Some(place) = self.types.get_mut(first) {
                *place = Some((key, home));
            }
        }
        Ok(())
    }

    /// The number of an encoder, which is kept.
    fn add(&mut self, encoder: Encoder) -> Result<u32, Raised> {
        let known =
            self.encoders.iter().position(|one| one.object().get() == encoder.object().get());
        if let Some(at) = known {
            return Ok(at as u32 + 1);
        }
        self.encoders.try_reserve(1).map_err(|_| error::no_memory())?;
        self.encoders.push(encoder);
        Ok(self.encoders.len() as u32)
    }

    /// Forgets everything if it has become too much.
    fn trim(&mut self) {
        if self.encoders.len() > ENCODERS {
            self.types.clear();
            self.encoders.clear();
        }
    }
}

/// The plans of a call by their numbers.
struct Homes<'p> {
    root: &'p EncodePlan,
    known: &'p mut Known,
}

impl Homes<'_> {
    #[inline(always)]
    fn plan(&self, home: u32) -> &EncodePlan {
        match self.known.encoders.get((home as usize).wrapping_sub(1)) {
            Some(encoder) => encoder.plan(),
            None => self.root,
        }
    }

    /// A plan that stays when others are added.
    fn hold(&self, home: u32) -> Option<Encoder> {
        self.known.encoders.get((home as usize).wrapping_sub(1)).cloned()
    }
}

/// Which node of which plan.
#[derive(Clone, Copy, Debug)]
struct Spot {
    home: u32,
    node: u32,
}
