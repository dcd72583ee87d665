//! What a module instance owns. There is nothing process-wide.
//!
//! Each interpreter that imports the extension has its own [`State`], in the memory that CPython keeps
//! for the module. Only `module` sees it: walks are given the [`Runtime`] and the scratch memory that
//! they need. Invariant: complete before any function can be called.

use crate::encode::typed::Compiled;
use crate::pool::Pool;
use crate::py::Owned;
use crate::py::codec::CodecType;
use crate::runtime::Runtime;
use crate::{decode, encode};

/// The state of one module instance.
#[derive(Debug)]
pub(super) struct State {
    pub(super) runtime: Runtime,
    /// `EncoderBase`, which encoders that a plan resolves to are checked against.
    pub(super) encoder_type: CodecType<Compiled>,
    pub(super) loads_pool: Pool<decode::untyped::Scratch>,
    pub(super) decode_pool: Pool<decode::typed::Scratch>,
    pub(super) dumps_pool: Pool<encode::untyped::Scratch>,
}

impl State {
    /// The state of a new module instance.
    pub(super) fn new(runtime: Runtime, encoder_type: CodecType<Compiled>) -> Self {
        Self {
            runtime,
            encoder_type,
            loads_pool: Pool::default(),
            decode_pool: Pool::default(),
            dumps_pool: Pool::default(),
        }
    }

    /// Every object that the cyclic collector must know of.
    pub(super) fn objects(&self) -> impl Iterator<Item = &Owned> {
        self.runtime.objects().chain([self.encoder_type.object()])
    }
}
