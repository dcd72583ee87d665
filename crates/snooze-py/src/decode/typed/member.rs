//! Members of objects: which field a name is, or which key.
//!
//! Part of the walk's hot path, so both are inlined into it, and may take its reader.

use snooze_core::arch::Vector;
use snooze_core::read::Reader;

use crate::decode::typed::context::Context;
use crate::decode::typed::error::DecodeFailure;
use crate::decode::typed::frame::Frame;
use crate::decode::typed::plan::Node;
use crate::decode::typed::skip;
use crate::py::singletons;

impl<'p, 'c> Context<'p, 'c> {
    /// Reads the name of a record's member, up to the value of one that is wanted; `None` if the
    /// record ends before.
    #[inline(always)]
    pub(super) fn member<V: Vector>(
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
            frame.member = reader.offset();
            let ahead = reader.string_ahead();
            let found = match ahead.and_then(|ahead| record.names.expected(frame.next, ahead)) {
                Some(len) => {
                    reader.pass_string(len);
                    Some(frame.next)
                }
                None => {
                    let name = reader.string(text)?;
                    let found = record.names.find(name.bytes).map(usize::from);
                    // Used or not, it must be a text: what fields without a name have is none.
                    if !name.ascii {
                        skip::check_utf8::<V>(name.bytes)?;
                    }
                    found
                }
            };
            reader.colon()?;
            let place = found.unwrap_or(usize::MAX);
            if let Some(field) = record.fields.get(place) {
                (frame.current, frame.next) = (place, place + 1);
                return Ok(Some(&field.node));
            }
            if found.is_none() && record.passes_unknown {
                let depth = self.frames.len();
                skip::value(reader, self.bytes, depth, self.plan.options.fast_skip)?;
            } else {
                let (next, at) = self.other_member(frame, found, reader.offset(), text)?;
                if next.is_some() {
                    return Ok(next);
                }
                *reader = Reader::resume(self.bytes, at);
            }
            match reader.token() {
                b',' => reader.pass(),
                b'}' => {
                    reader.pass();
                    return Ok(None);
                }
                _ => return Err(reader.no_object_end().into()),
            }
        }
    }

    /// Reads the name of a dict's member and puts the key on the stack.
    #[inline(always)]
    pub(super) fn key<V: Vector, const DIRECT: bool>(
        &mut self,
        reader: &mut Reader<'c, V>,
        frame: &mut Frame<'p>,
        text: &mut Vec<u8>,
    ) -> Result<(), DecodeFailure> {
        frame.member = {
            reader.token();
            reader.offset()
        };
        if frame.plain_keys {
            crate::decode::value::key::<V, DIRECT>(self.py, reader, self.values, text, self.keys)?;
            return Ok(());
        }
        if reader.token() != b'"' {
            return Err(reader.no_key().into());
        }
        let name = reader.string(text)?;
        let made = self.key_value(frame, name);
        let key = match made {
            Ok(key) => key,
            Err(DecodeFailure::Noted) if self.plan.options.all_errors => {
                frame.failed = true;
                singletons::none(self.py)
            }
            Err(fault) => return Err(fault),
        };
        self.push_value(key)?;
        reader.colon()?;
        Ok(())
    }
}
