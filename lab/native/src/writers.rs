//! Every contender: its name, its version, what its time contains, its calls.
//!
//! Separate from the timing. `fresh` returns a vector that the caller owns and drops; `reused`
//! writes into one that the caller keeps. Invariant: each library is called in the shortest way
//! that its documentation shows.

use serde::Serialize;
use snooze_core::arch::Dispatch;
use snooze_core::out::VecBuffer;

use crate::ours::{Json, encode};
use crate::stopwatch::Sink;

/// The lifetime of the output buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// A new buffer for each call.
    Fresh,
    /// One buffer for all calls.
    Reused,
}

impl Buffer {
    /// Both.
    pub const ALL: [Buffer; 2] = [Buffer::Fresh, Buffer::Reused];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Buffer::Fresh => "fresh",
            Buffer::Reused => "reused",
        }
    }
}

/// A JSON writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    /// The primitives of snooze-core, called as a derive macro would call them.
    Ours,
    /// serde_json with serde's derive macro.
    SerdeJson,
    /// sonic-rs with serde's derive macro.
    SonicRs,
    /// simd-json with serde's derive macro.
    SimdJson,
}

impl Writer {
    /// All writers.
    pub const ALL: [Writer; 4] =
        [Writer::Ours, Writer::SerdeJson, Writer::SonicRs, Writer::SimdJson];

    /// The contender's name.
    pub fn name(self) -> &'static str {
        match self {
            Writer::Ours => "snooze-core (Rust)",
            Writer::SerdeJson => "serde_json (Rust)",
            Writer::SonicRs => "sonic-rs (Rust)",
            Writer::SimdJson => "simd-json (Rust)",
        }
    }

    /// What its time contains.
    pub fn note(self) -> String {
        match self {
            Writer::Ours => format!(
                "no derive exists: code as one would make it, names rendered before, over the \
                 core's writers of scalars; vectors chosen at run time (here {})",
                Dispatch::detect(None).tier().name()
            ),
            Writer::SerdeJson => "serde's derive; to_vec, to_writer into a Vec".into(),
            Writer::SonicRs => "serde's derive; to_vec, to_writer into a Vec; vectors chosen when \
                                it is compiled (here x86-64-v2 or the processor's baseline)"
                .into(),
            Writer::SimdJson => "serde's derive; to_vec, to_writer into a Vec".into(),
        }
    }

    /// The version that was compiled in.
    pub fn version(self) -> String {
        let package = match self {
            Writer::Ours => "snooze-core",
            Writer::SerdeJson => "serde_json",
            Writer::SonicRs => "sonic-rs",
            Writer::SimdJson => "simd-json",
        };
        locked(package).unwrap_or("unknown").into()
    }

    /// The call that writes `value`.
    pub fn call<'a, T: Json + Serialize>(
        self,
        buffer: Buffer,
        value: &'a T,
    ) -> Box<dyn FnMut(&mut Sink) + 'a> {
        const FAILED: &str = "a structure that was read can be written";
        let dispatch = Dispatch::detect(None);
        let mut kept = Vec::new();
        match (self, buffer) {
            (Writer::Ours, Buffer::Fresh) => Box::new(move |sink| {
                let mut buffer = VecBuffer::new();
                let len = encode(dispatch, value, &mut buffer).expect("memory");
                sink.take(&buffer.into_vec(len));
            }),
            (Writer::Ours, Buffer::Reused) => {
                let mut buffer = VecBuffer::new();
                Box::new(move |sink| {
                    let len = encode(dispatch, value, &mut buffer).expect("memory");
                    if sink.text.is_none() {
                        std::hint::black_box(&mut buffer);
                        sink.bytes = len;
                    } else {
                        sink.take(&std::mem::take(&mut buffer).into_vec(len));
                    }
                })
            }
            (Writer::SerdeJson, Buffer::Fresh) => {
                Box::new(move |sink| sink.take(&serde_json::to_vec(value).expect(FAILED)))
            }
            (Writer::SerdeJson, Buffer::Reused) => Box::new(move |sink| {
                kept.clear();
                serde_json::to_writer(&mut kept, value).expect(FAILED);
                sink.take(&kept);
            }),
            (Writer::SonicRs, Buffer::Fresh) => {
                Box::new(move |sink| sink.take(&sonic_rs::to_vec(value).expect(FAILED)))
            }
            (Writer::SonicRs, Buffer::Reused) => Box::new(move |sink| {
                kept.clear();
                sonic_rs::to_writer(&mut kept, value).expect(FAILED);
                sink.take(&kept);
            }),
            (Writer::SimdJson, Buffer::Fresh) => {
                Box::new(move |sink| sink.take(&simd_json::to_vec(value).expect(FAILED)))
            }
            (Writer::SimdJson, Buffer::Reused) => Box::new(move |sink| {
                kept.clear();
                simd_json::to_writer(&mut kept, value).expect(FAILED);
                sink.take(&kept);
            }),
        }
    }
}

/// The version of a package in the lock file of this crate.
fn locked(package: &str) -> Option<&'static str> {
    let lock = include_str!("../Cargo.lock");
    let entry = lock.split("[[package]]").find(|entry| {
        entry.trim_start().lines().next() == Some(&format!("name = \"{package}\""))
    })?;
    entry
        .lines()
        .find_map(|line| line.strip_prefix("version = "))
        .map(|text| text.trim_matches('"'))
}
