//! The walk of a converter: one loop over the objects that follows the plan.
//!
//! The same loop as over a document, with the same frames and stacks; where that reads a token,
//! this takes an object from the innermost source. Invariants: each open frame but the outermost
//! has one source; after any failure the caller releases what is on the stacks. Called by `entry`.

use snooze_core::read::MAX_DEPTH;

use crate::decode::typed::context::Context;
use crate::decode::typed::error::DecodeFailure;
use crate::decode::typed::frame::{Frame, FrameKind};
use crate::decode::typed::objects::source::SUBJECT;
use crate::decode::typed::objects::value::Read;
use crate::py::{Owned, singletons, unicode};

impl<'p> Context<'p, '_> {
    /// Converts an object.
    pub(super) fn read_object(&mut self, mut object: Owned) -> Result<Owned, DecodeFailure> {
        let plan = self.plan;
        let mut node = plan.node(plan.root as u32);
        let mut frame = Frame::document(plan);
        'value: loop {
            let mut value = match self.read_value(node, object, &frame) {
                Ok(Read::Value(value)) => Some(value),
                Ok(Read::Container(inner)) => {
                    // Containers may contain themselves, so nothing is read after this problem.
                    if self.frames.len() >= MAX_DEPTH {
                        let expected = unicode::decode_utf8(b"at most 1024 levels")?;
                        let found = unicode::decode_utf8(b"more")?;
                        self.add_problem(&frame, expected, found, SUBJECT, None)?;
                        return Err(DecodeFailure::Problem);
                    }
                    self.push_frame(&frame)?;
                    frame = inner;
                    None
                }
                Err(DecodeFailure::Problem) if plan.options.all_errors => {
                    frame.failed = true;
                    Some(singletons::none(self.py))
                }
                Err(failure) => return Err(failure),
            };
            loop {
                let next = match frame.kind {
                    FrameKind::Document => {
                        return match value {
                            Some(value) if !frame.failed => Ok(value),
                            _ => Err(DecodeFailure::Problem),
                        };
                    }
                    FrameKind::Record => {
                        if let Some(value) = value.take() {
                            self.store_member(&mut frame, value)?;
                        }
                        self.next_wanted_member(&mut frame)?
                    }
                    FrameKind::Dict => {
                        if let Some(value) = value.take() {
                            self.push_value(value)?;
                        }
                        self.next_entry(&mut frame)?.map(|value| (frame.item_node, value))
                    }
                    kind => {
                        if let Some(value) = value.take() {
                            if kind == FrameKind::ArrayRecord {
                                self.store_array_item(&mut frame, value)?;
                            } else {
                                self.push_value(value)?;
                            }
                        }
                        match self.sources()?.next_item() {
                            Some(item) => {
                                let node = match kind {
                                    FrameKind::FixedTuple | FrameKind::ArrayRecord => {
                                        self.array_item_node(&mut frame)
                                    }
                                    _ => Some(frame.item_node),
                                };
                                if node.is_none() {
                                    // Items too many are only counted.
                                    while self.sources()?.next_item().is_some() {
                                        frame.advance();
                                    }
                                }
                                node.map(|node| (node, item))
                            }
                            None => None,
                        }
                    }
                };
                if let Some(next) = next {
                    (node, object) = next;
                    continue 'value;
                }
                let (made, failed) = if frame.kind == FrameKind::Record && !frame.failed {
                    self.close_record(&frame)?
                } else {
                    self.close_container::<false>(&frame)?
                };
                self.sources()?.close();
                value = Some(made);
                if let Some(outer) = self.frames.pop() {
                    frame = Frame { has_containers: true, failed: outer.failed | failed, ..outer };
                }
            }
        }
    }
}
