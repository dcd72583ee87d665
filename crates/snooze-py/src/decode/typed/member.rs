//! Reading the names of members: of a record, up to the next wanted value; of a dict, as a key. And
//! skipping the items that an array has too many.
//!
//! Separate from `walk` only to keep the files short. Names are on the hot path, so their functions
//! are inlined into the walk and may take its reader. Invariant: the reader ends after the colon
//! of the name that was read, or after the closing bracket. Called by `walk`.

use snooze_core::arch::Vector;
use snooze_core::read::Reader;

use crate::decode::typed::context::Context;
use crate::decode::typed::error::DecodeFailure;
use crate::decode::typed::frame::Frame;
use crate::decode::typed::plan::Node;
use crate::decode::typed::skip;
use crate::decode::typed::unknown_names::{Link, UnknownNames};
use crate::decode::value;
use crate::py::singletons;

impl<'p, 'c> Context<'p, 'c> {
    /// Reads names of a record's members until the value of one is wanted, and returns its node;
    /// `None` if the record ends before.
    #[inline(always)]
    pub(super) fn read_member_name<V: Vector>(
        &mut self,
        reader: &mut Reader<'c, V>,
        frame: &mut Frame<'p>,
        text: &mut Vec<u8>,
    ) -> Result<Option<&'p Node>, DecodeFailure> {
        let record = frame.record;
        loop {
            if reader.token() != b'"' {
                return Err(reader.no_key().into());
            }
            frame.name_offset = reader.offset();
            let ahead = reader.string_ahead();
            let next_field = || ahead.and_then(|ahead| record.names.expected(frame.next, ahead));
            let next_unknown =
                |names: &mut UnknownNames| names.predict(record, frame.next, frame.unknown, ahead?);
            // PERF: after an unknown member another one is more likely than the next field.
            // Returning at once for an expected field would be 2 % fewer instructions and 3 to 7 %
            // more time.
            let (field, unknown) = match frame.unknown {
                Link::FIELD => match next_field() {
                    None => (None, next_unknown(self.unknown_names)),
                    field => (field, None),
                },
                _ => match next_unknown(self.unknown_names) {
                    None => (next_field(), None),
                    unknown => (None, unknown),
                },
            };
            let (found, is_skipped) = if let Some(len) = field {
                reader.consume_string(len);
                (Some(frame.next), false)
            } else if let Some((len, link)) = unknown {
                reader.consume_string(len);
                frame.unknown = link;
                (None, true)
            } else {
                let start = reader.offset();
                let name = reader.string(text)?;
                let found = record.names.find(name.bytes).map(usize::from);
                // Known or not, a name must be UTF-8. The placeholders for fields without a JSON
                // name are not.
                if !name.ascii {
                    skip::check_utf8::<V>(name.bytes)?;
                }
                let is_skipped = found.is_none() && record.skips(name.bytes);
                // A name with escapes is not the text ahead.
                if is_skipped && reader.offset() - start == name.bytes.len() + 2 {
                    let names = &mut *self.unknown_names;
                    frame.unknown = names.learn(record, frame.next, frame.unknown, name.bytes);
                }
                (found, is_skipped)
            };
            reader.colon()?;
            let index = found.unwrap_or(usize::MAX);
            if let Some(field) = record.fields.get(index) {
                (frame.current, frame.next) = (index, index + 1);
                frame.unknown = Link::FIELD;
                return Ok(Some(&field.node));
            }
            if is_skipped {
                let depth = self.frames.len();
                skip::skip_value(reader, self.bytes, depth, self.plan.options.fast_skip)?;
            } else {
                let (node, end) =
                    self.aliased_or_unknown_member(frame, found, reader.offset(), text)?;
                if node.is_some() {
                    return Ok(node);
                }
                *reader = Reader::resume(self.bytes, end);
            }
            match reader.token() {
                b',' => reader.consume(),
                b'}' => {
                    reader.consume();
                    return Ok(None);
                }
                _ => return Err(reader.no_object_end().into()),
            }
        }
    }

    /// Reads the name and the colon of a dict's member and pushes the key.
    #[inline(always)]
    pub(super) fn read_key<V: Vector, const DIRECT: bool>(
        &mut self,
        reader: &mut Reader<'c, V>,
        frame: &mut Frame<'p>,
        text: &mut Vec<u8>,
    ) -> Result<(), DecodeFailure> {
        frame.name_offset = {
            reader.token();
            reader.offset()
        };
        if frame.plain_keys {
            match value::push_key::<V, DIRECT>(self.py, reader, self.values, text, self.keys) {
                Ok(()) => return Ok(()),
                // The name is a kept object: not every key of this dict is a `str`. Asked only here,
                // because `push_key` raises nothing before it has found a quote.
                Err(_) if self.is_kept(frame.name_offset) => frame.plain_keys = false,
                Err(failure) => return Err(failure.into()),
            }
        }
        if self.is_kept(frame.name_offset) {
            let (key, end) = self.kept_object(frame.name_offset)?;
            self.push_value(key)?;
            *reader = Reader::resume(self.bytes, end);
            reader.colon()?;
            return Ok(());
        }
        if reader.token() != b'"' {
            return Err(reader.no_key().into());
        }
        let name = reader.string(text)?;
        let made = self.key_value(frame, name);
        let key = match made {
            Ok(key) => key,
            Err(DecodeFailure::Problem) if self.plan.options.all_errors => {
                frame.failed = true;
                singletons::none(self.py)
            }
            Err(failure) => return Err(failure),
        };
        self.push_value(key)?;
        reader.colon()?;
        Ok(())
    }

    /// Skips and counts the items of an array from the next one, which has no node, up to the
    /// closing bracket.
    #[cold]
    #[inline(never)]
    pub(super) fn skip_items<V: Vector>(
        &self,
        reader: &mut Reader<'c, V>,
        frame: &mut Frame<'p>,
    ) -> Result<(), DecodeFailure> {
        let (depth, fast) = (self.frames.len(), self.plan.options.fast_skip);
        loop {
            reader.token();
            let end = skip::value_end(self.runtime, self.bytes, reader.offset(), depth, fast)?;
            *reader = Reader::resume(self.bytes, end);
            match reader.token() {
                b',' => reader.consume(),
                b']' => return Ok(()),
                _ => return Err(reader.no_array_end().into()),
            }
            frame.advance();
        }
    }
}
