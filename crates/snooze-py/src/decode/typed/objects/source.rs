//! Sources: the containers that are being read, and what is left to read of them.
//!
//! Separate from `walk`, because this is its stack. Invariant: the items, or the names and values,
//! that are left of a source are on the stack `pending` from its `start` on, the next one last; all
//! of them are strong references, so that nothing here depends on the container any more. Used by
//! `walk`, `value`, `member` and `union`, and by `problem` for the path.

use crate::decode::typed::objects::plan::Readable;
use crate::py::dict::{Dict, OrderedDict};
use crate::py::int::{Int, IntValue};
use crate::py::list::List;
use crate::py::message::Message;
use crate::py::tuple::Tuple;
use crate::py::types::{Base, Exact, Kind};
use crate::py::{
    Attached, Obj, Owned, Raised, call, dict, error, int, list, singletons, tuple, types, unicode,
};

/// In place of an offset in the document: the object that is being converted.
pub(in crate::decode::typed) const SUBJECT: usize = usize::MAX;

/// The most characters of a `str` that a message shows.
const MAX_EXCERPT: usize = 40;

/// A container that is being read.
#[derive(Debug)]
pub(crate) struct Source {
    /// The container.
    pub(super) object: Owned,
    /// The name of the current member.
    pub(super) name: Option<Owned>,
    /// The number of values on the stack `pending` below those of this container.
    start: usize,
    /// Whether the members are the attributes of the object.
    pub(super) has_attributes: bool,
}

/// The stacks of sources, kept for the next call.
#[derive(Debug, Default)]
pub(crate) struct Stacks {
    sources: Vec<Source>,
    pending: Vec<Owned>,
}

/// The sources of one call of `convert`.
#[derive(Debug)]
pub(in crate::decode::typed) struct Sources<'p> {
    pub(super) readable: &'p Readable,
    pub(super) stacks: Stacks,
    /// The object that is being converted.
    pub(in crate::decode::typed) subject: Owned,
}

impl Stacks {
    /// Empties the stacks, and frees the memory that only large containers needed.
    pub(crate) fn reset(&mut self, max_kept: usize) {
        self.sources.clear();
        crate::decode::scratch::clear_and_shrink(&mut self.pending, max_kept);
    }
}

impl Sources<'_> {
    /// Pushes a source without members or items.
    fn open(&mut self, object: &Owned, has_attributes: bool) -> Result<(), Raised> {
        let Stacks { sources, pending } = &mut self.stacks;
        sources.try_reserve(1).map_err(|_| error::no_memory())?;
        let (object, start) = (object.clone(), pending.len());
        sources.push(Source { object, name: None, start, has_attributes });
        Ok(())
    }

    /// Opens an object with its attributes as members.
    pub(super) fn open_attributes(&mut self, object: &Owned) -> Result<(), Raised> {
        self.open(object, true)
    }

    /// Opens an array: a list, tuple, set, or any iterable object.
    pub(super) fn open_items(&mut self, py: &mut Attached, object: &Owned) -> Result<(), Raised> {
        self.open(object, false)?;
        if let Some(tuple) = Tuple::any(object.get()) {
            return self.push_items(tuple::items(tuple, py));
        }
        let list = match List::any(object.get()) {
            Some(list) => list::freeze(list)?,
            None => list::freeze(call::to_list(py, object)?.get())?,
        };
        self.push_items(list::items(list.get(), py))
    }

    fn push_items(&mut self, items: &[Option<Obj<'_>>]) -> Result<(), Raised> {
        let pending = &mut self.stacks.pending;
        pending.try_reserve(items.len()).map_err(|_| error::no_memory())?;
        // A list that other code still builds has null in place of items.
        pending.extend(items.iter().rev().flatten().map(|&item| item.to_owned()));
        Ok(())
    }

    /// Opens an object: a dict, or what `dict` makes of a mapping.
    pub(super) fn open_members(&mut self, py: &mut Attached, object: &Owned) -> Result<(), Raised> {
        self.open(object, false)?;
        let entries = match (OrderedDict::any(object.get()), Dict::any(object.get())) {
            (Some(ordered), _) => dict::ordered_entries(py, ordered)?,
            (_, Some(dict)) => dict::entries(py, dict)?,
            _ => {
                let class = types::builtin_class(Exact::dict())
                    .ok_or_else(|| error::system_error(c"there is no dict"))?;
                let made = call::call_one(py, &class, object)?;
                dict::entries(py, dict::checked(made.get())?)?
            }
        };
        let pending = &mut self.stacks.pending;
        pending.try_reserve(2 * entries.len()).map_err(|_| error::no_memory())?;
        for (name, value) in entries.into_iter().rev() {
            pending.push(value);
            pending.push(name);
        }
        Ok(())
    }

    /// Closes the innermost source.
    pub(super) fn close(&mut self) {
        if let Some(source) = self.stacks.sources.pop() {
            self.stacks.pending.truncate(source.start);
        }
    }

    /// The number of open sources.
    pub(super) fn depth(&self) -> usize {
        self.stacks.sources.len()
    }

    /// The innermost source.
    pub(super) fn innermost(&self) -> Option<&Source> {
        self.stacks.sources.last()
    }

    /// Whether the innermost source is an object whose attributes are read.
    pub(in crate::decode::typed) fn reads_attributes(&self) -> bool {
        self.innermost().is_some_and(|source| source.has_attributes)
    }

    /// The first item that is left of the innermost source.
    pub(in crate::decode::typed) fn first_item(&self) -> Option<&Owned> {
        let start = self.innermost()?.start;
        self.stacks.pending.get(start..)?.last()
    }

    /// The next item of the innermost source.
    pub(super) fn next_item(&mut self) -> Option<Owned> {
        let start = self.innermost()?.start;
        if self.stacks.pending.len() <= start {
            return None;
        }
        self.stacks.pending.pop()
    }

    /// The name and value of the next member of the innermost source; the name becomes its current
    /// one.
    pub(super) fn next_member(&mut self) -> Option<(Owned, Owned)> {
        let name = self.next_item()?;
        let value = self.next_item()?;
        self.set_name(name.clone());
        Some((name, value))
    }

    /// Sets the name of the current member of the innermost source.
    pub(super) fn set_name(&mut self, name: Owned) {
        if let Some(source) = self.stacks.sources.last_mut() {
            source.name = Some(name);
        }
    }

    /// The names and values of the members that are left of the innermost source, in order.
    pub(super) fn members_left(&self) -> impl Iterator<Item = (&Owned, &Owned)> {
        let start = self.innermost().map_or(usize::MAX, |source| source.start);
        let left = self.stacks.pending.get(start..).unwrap_or(&[]);
        left.rchunks_exact(2).filter_map(|pair| match pair {
            [value, name] => Some((name, value)),
            _ => None,
        })
    }

    /// The step of a path for the current member of a source: a `str` or an `int`.
    pub(in crate::decode::typed) fn step(
        &self,
        py: &mut Attached,
        index: usize,
    ) -> Result<Owned, Raised> {
        let name = self.stacks.sources.get(index).and_then(|source| source.name.as_ref());
        match name {
            None => Ok(singletons::none(py)),
            Some(name) => match Int::exact(name.get()).map(int::value::<false>).transpose()? {
                Some(IntValue::Signed(_) | IntValue::Unsigned(_)) => Ok(name.clone()),
                _ => name_text(py, name),
            },
        }
    }

    /// The container of a source, or the object that is being converted.
    fn object_at(&self, at: usize) -> &Owned {
        match self.stacks.sources.get(at) {
            Some(source) => &source.object,
            None => &self.subject,
        }
    }

    /// The name of an object's class in messages.
    pub(in crate::decode::typed) fn kind_name(&self, at: usize) -> Result<Owned, Raised> {
        let object = self.object_at(at).get();
        if singletons::is_none(object) {
            return unicode::decode_utf8(b"None");
        }
        Message::new().type_name(object)?.to_str()
    }

    /// The object in messages: a scalar as Python writes it, cut if that is long; of anything else
    /// the name of its class.
    pub(in crate::decode::typed) fn excerpt(
        &self,
        py: &mut Attached,
        at: usize,
    ) -> Result<Owned, Raised> {
        let object = self.object_at(at).get();
        let shown = match types::kind(object) {
            Kind::Str(text) => {
                let start = unicode::start(py, text, MAX_EXCERPT)?;
                error::representation(start.get())
            }
            Kind::Int(_) | Kind::Float(_) | Kind::Bool => error::representation(object),
            _ => return self.kind_name(at),
        };
        match shown {
            Ok(shown) => self.cut(py, shown),
            // An `int` of more digits than the interpreter converts.
            Err(Raised) if !error::must_propagate(py) => {
                error::clear();
                self.kind_name(at)
            }
            Err(Raised) => Err(Raised),
        }
    }

    /// A text, cut if it is long.
    fn cut(&self, py: &mut Attached, text: Owned) -> Result<Owned, Raised> {
        match unicode::Str::exact(text.get()) {
            Some(long) if unicode::length(long) > MAX_EXCERPT => {
                let start = unicode::start(py, long, MAX_EXCERPT)?;
                Message::new().str(start.get())?.text("...")?.to_str()
            }
            _ => Ok(text),
        }
    }
}

/// The text of a member's name in messages: of an object without text the name of its class.
pub(super) fn name_text(py: &mut Attached, name: &Owned) -> Result<Owned, Raised> {
    if let Some(text) = unicode::Str::any(name.get()) {
        return unicode::start(py, text, unicode::length(text));
    }
    match call::text_of(py, name) {
        Ok(text) => Ok(text.into_owned()),
        Err(Raised) if !error::must_propagate(py) => {
            error::clear();
            Message::new().type_name(name.get())?.to_str()
        }
        Err(Raised) => Err(Raised),
    }
}

/// Which built-in type an object is read as, if it is an instance of a subclass.
pub(super) fn base_kind(object: Obj<'_>) -> Kind<'_> {
    match types::base(object) {
        Some(Base::Str) => unicode::Str::any(object).map_or(Kind::Other, Kind::Str),
        Some(Base::Int) => Int::any(object).map_or(Kind::Other, Kind::Int),
        Some(Base::List) => List::any(object).map_or(Kind::Other, Kind::List),
        Some(Base::Dict) => Dict::any(object).map_or(Kind::Other, Kind::Dict),
        None => match (Tuple::any(object), crate::py::float::Float::any(object)) {
            (Some(tuple), _) => Kind::Tuple(tuple),
            (_, Some(number)) => Kind::Float(number),
            _ => Kind::Other,
        },
    }
}
