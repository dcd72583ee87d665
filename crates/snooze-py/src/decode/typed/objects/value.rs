//! One object: what is made of a scalar by the rule of its node, which instances are kept, and
//! which container opens.
//!
//! Separate from `walk`, which only calls this. Invariant: an object of an exact built-in type is
//! read as the JSON value that it is; an instance of another class is kept if the type is that
//! class, and read as its base only if not. Called by `walk` and `member`.

use snooze_core::read::Text;

use crate::decode::typed::context::Context;
use crate::decode::typed::convert::{ConvertError, Converted};
use crate::decode::typed::error::DecodeFailure;
use crate::decode::typed::frame::{Frame, Opened};
use crate::decode::typed::objects::source::{SUBJECT, Sources, base_kind};
use crate::decode::typed::plan::{Node, Rule};
use crate::py::message::Message;
use crate::py::types::{Exact, Kind};
use crate::py::unicode::{Chars, OwnedStr, Str};
use crate::py::{Owned, Raised, call, error, singletons, types, unicode};

/// What an object is.
pub(super) enum Read<'p> {
    Value(Owned),
    /// A container to read, whose source is open.
    Container(Frame<'p>),
}

/// What is done with an object that is no scalar.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Container {
    Items,
    Members,
    Attributes,
}

impl<'p> Context<'p, '_> {
    /// The sources: this walk has them.
    #[inline(always)]
    pub(super) fn sources(&mut self) -> Result<&mut Sources<'p>, Raised> {
        match &mut self.sources {
            Some(sources) => Ok(sources),
            None => Err(error::system_error(c"a document has no sources")),
        }
    }

    /// Converts an object, or opens it; `frame` is the container around it.
    pub(super) fn read_value(
        &mut self,
        node: &'p Node,
        object: Owned,
        frame: &Frame<'p>,
    ) -> Result<Read<'p>, DecodeFailure> {
        // PERF: what is frequent needs neither a subject nor a conversion.
        let is_kept = match types::kind(object.get()) {
            Kind::Str(_) => matches!(node.string, Rule::Str | Rule::Any),
            Kind::Int(_) => matches!(node.int, Rule::Int | Rule::Any),
            Kind::Float(_) => matches!(node.float, Rule::Float | Rule::Any),
            Kind::Bool => matches!(node.boolean, Rule::Bool | Rule::Any),
            Kind::None => matches!(node.null, Rule::Null | Rule::Any),
            _ => false,
        };
        if is_kept {
            return Ok(Read::Value(object));
        }
        self.sources()?.subject = object.clone();
        let converted = match self.scalar(node, &object) {
            Some(converted) => converted,
            None => match self.container_of(node, &object) {
                Ok(Some(container)) => return self.open(node, &object, container, frame),
                Ok(None) => Err(ConvertError::WrongKind),
                Err(Raised) => return Err(DecodeFailure::Raised),
            },
        };
        Ok(Read::Value(self.value_or_problem(converted, node, SUBJECT, frame)?))
    }

    /// Converts an object unless it has to be opened.
    pub(super) fn scalar(&mut self, node: &'p Node, object: &Owned) -> Option<Converted> {
        let mut kind = types::kind(object.get());
        let is_exact = !matches!(kind, Kind::Other);
        if !is_exact {
            match self.kept_instance(node, object, false) {
                Ok(None) => kind = base_kind(object.get()),
                Ok(Some(kept)) => return Some(Ok(kept)),
                Err(error) => return Some(Err(error)),
            }
        }
        let rule = match kind {
            Kind::Str(_) => node.string,
            Kind::Int(_) => node.int,
            Kind::Float(_) => node.float,
            Kind::Bool => node.boolean,
            Kind::None => node.null,
            Kind::List(_) | Kind::Tuple(_) => node.array,
            Kind::Dict(_) => node.object,
            Kind::Other => return self.other_scalar(node, object),
        };
        if rule == Rule::Unexpected {
            match self.kept_instance(node, object, true) {
                Ok(None) => {}
                Ok(Some(kept)) => return Some(Ok(kept)),
                Err(error) => return Some(Err(error)),
            }
        }
        match self.plan.without_calls(rule) {
            Rule::Any => return Some(self.called(rule, Ok(object.clone()))),
            Rule::Raw(_) => return Some(Err(ConvertError::WrongKind)),
            _ => {}
        }
        let converted = match kind {
            Kind::Str(text) => return Some(self.str_by_rule(node, rule, object, text)),
            Kind::Int(number) => self.int_by_rule(node, rule, object, number),
            Kind::Float(number) => self.float_by_rule(node, rule, object, number),
            Kind::Bool => self.bool_by_rule(rule, singletons::is_true(object.get())),
            Kind::None => match self.plan.without_calls(rule) {
                Rule::Null => Ok(object.clone()),
                _ => Err(ConvertError::WrongKind),
            },
            _ => return None,
        };
        Some(self.called(rule, converted))
    }

    /// Applies the calls of a rule to a converted value.
    fn called(&mut self, rule: Rule, converted: Converted) -> Converted {
        match (rule, converted) {
            (Rule::Via(_), Ok(value)) => Ok(self.apply_calls(rule, value)?),
            (_, converted) => converted,
        }
    }

    /// Converts an object of no built-in class: a `Decimal` is a number, and a type may take any
    /// object.
    fn other_scalar(&mut self, node: &'p Node, object: &Owned) -> Option<Converted> {
        if let Rule::Any = self.plan.without_calls(node.other) {
            return match self.is_of_other_rule(node, object) {
                Ok(true) => None,
                Ok(false) => Some(self.called(node.other, Ok(object.clone()))),
                Err(Raised) => Some(Err(ConvertError::Raised)),
            };
        }
        let is_decimal = match self.sources() {
            Ok(sources) => types::inherits(object.get(), sources.readable.decimal.get()),
            Err(Raised) => return Some(Err(ConvertError::Raised)),
        };
        is_decimal.then(|| self.decimal_by_rule(node, object))
    }

    /// Whether an object is an array or an object for another alternative than the one that takes
    /// any object.
    fn is_of_other_rule(&mut self, node: &'p Node, object: &Owned) -> Result<bool, Raised> {
        if node.array == node.other && node.object == node.other {
            return Ok(false);
        }
        let rule = match self.container_of(node, object)? {
            None => return Ok(false),
            Some(Container::Items) => node.array,
            Some(Container::Members) => node.object,
            Some(Container::Attributes) if node.object == Rule::Unexpected => node.array,
            Some(Container::Attributes) => node.object,
        };
        Ok(rule != node.other)
    }

    /// The object itself, or what a function makes of it, if it is an instance of a class of the
    /// type. `builtin` says whether of one that has a form in JSON, or of another one.
    pub(super) fn kept_instance(
        &mut self,
        node: &'p Node,
        object: &Owned,
        builtin: bool,
    ) -> Result<Option<Owned>, ConvertError> {
        let Rule::Instances(index) = node.kept else { return Ok(None) };
        let plan = self.plan;
        for instance in plan.tables.instances.get(index as usize).into_iter().flatten() {
            if instance.is_builtin != builtin {
                continue;
            }
            let is_exact = Exact::of(object.get()) == Exact::class(instance.class.get());
            if !is_exact {
                if !call::is_instance(self.py, object, &instance.class)? {
                    continue;
                }
                if let Some(excluded) = &instance.excluded
                    && call::is_instance(self.py, object, excluded)?
                {
                    continue;
                }
            }
            return match &instance.function {
                Some(function) => Ok(Some(call::call_one(self.py, function, object)?)),
                None => Ok(Some(object.clone())),
            };
        }
        Ok(None)
    }

    /// Converts a `str`.
    fn str_by_rule(
        &mut self,
        node: &'p Node,
        rule: Rule,
        object: &Owned,
        text: Str<'_>,
    ) -> Converted {
        if let Rule::Str = self.plan.without_calls(rule) {
            return self.called(rule, Ok(object.clone()));
        }
        if let Rule::StrWithin(bounds) = self.plan.without_calls(rule) {
            // An exact `str` of the same characters.
            let exact = unicode::start(self.py, text, unicode::length(text))?;
            let exact = OwnedStr::exact(exact).ok_or(ConvertError::WrongKind)?;
            self.check_str_bounds(&exact, bounds)?;
            return self.called(rule, Ok(object.clone()));
        }
        if let Rule::Unexpected = rule
            && self.plan.options.strict
        {
            return Err(ConvertError::WrongKind);
        }
        self.with_utf8(text, |walk, text| walk.string_by_rule(node, rule, text, 0))
    }

    /// Calls a function with the UTF-8 of a `str`; a lone surrogate is a wrong value.
    pub(super) fn with_utf8(
        &mut self,
        text: Str<'_>,
        convert: impl FnOnce(&mut Self, Text<'_>) -> Converted,
    ) -> Converted {
        if let Chars::Ascii(bytes) = unicode::chars::<false>(text)? {
            return convert(self, Text { bytes, ascii: true });
        }
        match unicode::encode_utf8(self.py, text) {
            Ok(bytes) => {
                let bytes = crate::py::bytes::contents(bytes.get());
                convert(self, Text { bytes, ascii: false })
            }
            Err(Raised) if error::is_unicode_error(self.py) => {
                error::clear();
                Err(ConvertError::WrongValue)
            }
            Err(Raised) => Err(ConvertError::Raised),
        }
    }

    /// Converts a `bool`, before the calls of its rule.
    fn bool_by_rule(&mut self, rule: Rule, value: bool) -> Converted {
        match self.plan.without_calls(rule) {
            Rule::Bool => Ok(singletons::boolean(self.py, value)),
            Rule::BoolIs(only) if only == value => Ok(singletons::boolean(self.py, value)),
            Rule::BoolIs(_) => Err(ConvertError::WrongValue),
            _ => Err(ConvertError::WrongKind),
        }
    }

    /// How an object that is no scalar is read by a node, if it can be.
    fn container_of(
        &mut self,
        node: &'p Node,
        object: &Owned,
    ) -> Result<Option<Container>, Raised> {
        let (takes_array, takes_object) =
            (node.array != Rule::Unexpected, node.object != Rule::Unexpected);
        let is_other = match types::kind(object.get()) {
            Kind::Other => match base_kind(object.get()) {
                Kind::Dict(_) => return Ok(takes_object.then_some(Container::Members)),
                // The items of a named tuple are fields, and none of them is a tag.
                Kind::Tuple(_) if self.takes_tag(node.array) => return Ok(None),
                Kind::List(_) | Kind::Tuple(_) if takes_array => {
                    return Ok(Some(Container::Items));
                }
                _ => true,
            },
            Kind::Dict(_) => return Ok(takes_object.then_some(Container::Members)),
            Kind::List(_) | Kind::Tuple(_) => return Ok(takes_array.then_some(Container::Items)),
            _ => false,
        };
        if !is_other {
            return Ok(None);
        }
        let readable = self.sources()?.readable;
        if takes_object && call::is_instance(self.py, object, &readable.mappings)? {
            return Ok(Some(Container::Members));
        }
        if takes_array
            && call::is_instance(self.py, object, &readable.arrays)?
            && !call::is_instance(self.py, object, &readable.no_arrays)?
        {
            let is_wrong = self.takes_positions(node.array)
                && call::is_instance(self.py, object, &readable.sets)?;
            return Ok((!is_wrong).then_some(Container::Items));
        }
        if types::is_type(object.get()) {
            return Ok(None);
        }
        if !takes_object {
            let is_read = self.array_record(node).is_some() && self.has_members(object)?;
            return Ok(is_read.then_some(Container::Attributes));
        }
        // A row of a database, for instance: `dict` reads it by its keys.
        let class = types::type_of(object.get()).into_owned();
        if call::optional_attribute(self.py, &class, &readable.keys)?.is_some()
            && call::optional_attribute(self.py, &class, &readable.item)?.is_some()
        {
            return Ok(Some(Container::Members));
        }
        let takes_fields =
            matches!(self.plan.without_calls(node.object), Rule::Record(_) | Rule::Union(_));
        Ok((takes_fields && self.has_members(object)?).then_some(Container::Attributes))
    }

    /// Whether the attributes of an object are read as members.
    fn has_members(&mut self, object: &Owned) -> Result<bool, Raised> {
        match &self.sources()?.readable.no_attributes {
            Some(others) => Ok(!call::is_instance(self.py, object, others)?),
            None => Ok(false),
        }
    }

    /// Whether the position of an item decides what it is: sets have no positions.
    fn takes_positions(&self, rule: Rule) -> bool {
        matches!(
            self.plan.without_calls(rule),
            Rule::FixedTuple(_) | Rule::ArrayRecord(_) | Rule::ArrayUnion(_)
        )
    }

    /// Opens an object whose attributes are the fields of a class that is an array in JSON.
    fn open_attributes(&mut self, node: &'p Node, at: usize) -> Result<Opened<'p>, DecodeFailure> {
        let Some(index) = self.array_record(node) else {
            return Err(error::system_error(c"a node has no record for attributes").into());
        };
        let record = self.plan.record(index);
        self.reserve_fields(record.fields.len())?;
        let inner = self.record_frame(record, node, at);
        Ok(Opened::Container(Frame { rule: node.array, ..inner }))
    }

    /// The record that a node makes of an array of its fields.
    fn array_record(&self, node: &Node) -> Option<u32> {
        match self.plan.without_calls(node.array) {
            Rule::ArrayRecord(index) => Some(index),
            _ => None,
        }
    }

    /// Whether a rule for arrays takes only those that begin with a tag.
    fn takes_tag(&self, rule: Rule) -> bool {
        match self.plan.without_calls(rule) {
            Rule::ArrayUnion(_) => true,
            Rule::ArrayRecord(index) => self.plan.record(index).tag_item.is_some(),
            _ => false,
        }
    }

    /// Opens a container.
    fn open(
        &mut self,
        node: &'p Node,
        object: &Owned,
        container: Container,
        frame: &Frame<'p>,
    ) -> Result<Read<'p>, DecodeFailure> {
        let Some(sources) = &mut self.sources else {
            return Err(error::system_error(c"a document has no sources").into());
        };
        let at = sources.depth();
        match container {
            Container::Items => sources.open_items(self.py, object)?,
            Container::Members => sources.open_members(self.py, object)?,
            Container::Attributes => sources.open_attributes(object)?,
        }
        let opened = match container {
            Container::Items => self.open_array(node, node.array, at, frame),
            Container::Attributes if node.object == Rule::Unexpected => {
                self.open_attributes(node, at)
            }
            _ => self.open_object(node, node.object, at, frame),
        };
        match opened {
            // Nobody knows which attributes are the unknown members.
            Ok(Opened::Container(inner))
                if matches!(container, Container::Attributes)
                    && inner.record.collects_into_field =>
            {
                self.discard_values(&inner);
                self.sources()?.close();
                let expected = "mapping, because of the field with rest=True";
                let expected = unicode::decode_utf8(expected.as_bytes())?;
                let found = Message::new().type_name(object.get())?.to_str()?;
                self.add_problem(frame, expected, found, SUBJECT, None)?;
                Err(DecodeFailure::Problem)
            }
            Ok(Opened::Container(inner)) => Ok(Read::Container(inner)),
            Ok(Opened::Value(..)) => {
                Err(error::system_error(c"a container was read as a whole").into())
            }
            Err(failure) => {
                self.sources()?.close();
                Err(failure)
            }
        }
    }
}
