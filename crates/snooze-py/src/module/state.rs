//! The state of a module instance; no object of the extension is global to the process.
//!
//! Each interpreter that imports the extension has its own [`State`], in the memory that CPython
//! allocates for the module. Separate from `runtime`, because only `module` sees the state: the
//! walks receive the [`Runtime`] and the scratch memory that they need. Invariant: complete before
//! any function of the module can be called. Made by `init`, found through `cell`.

use std::sync::Mutex;

use crate::encode::typed::Compiled;
use crate::pool::Pool;
use crate::py::Owned;
use crate::py::codec::CodecType;
use crate::py::held::Releases;
use crate::runtime::Runtime;
use crate::{decode, encode};

/// The state of one module instance.
#[derive(Debug)]
pub(super) struct State {
    pub(super) runtime: Runtime,
    /// `EncoderBase`: an encoder that a plan's `resolve` function returns must be an instance of
    /// it.
    pub(super) encoder_type: CodecType<Compiled>,
    pub(super) loads_pool: Pool<decode::untyped::Scratch>,
    pub(super) decode_pool: Pool<decode::typed::Scratch>,
    pub(super) policy_pool: Pool<decode::policy::Scratch>,
    pub(super) dumps_pool: Pool<encode::untyped::Scratch>,
    /// Memory of objects that scans have read.
    pub(super) releases: Releases,
    /// Held while structs are taken out of capsules: without a GIL, two threads may have one
    /// capsule.
    pub(super) taking: Mutex<()>,
}

impl State {
    /// The state of a new module instance.
    pub(super) fn new(runtime: Runtime, encoder_type: CodecType<Compiled>) -> Self {
        Self {
            runtime,
            encoder_type,
            loads_pool: Pool::default(),
            decode_pool: Pool::default(),
            policy_pool: Pool::default(),
            dumps_pool: Pool::default(),
            releases: Releases::default(),
            taking: Mutex::new(()),
        }
    }

    /// All objects that the cyclic garbage collector must traverse.
    pub(super) fn objects(&self) -> impl Iterator<Item = &Owned> {
        self.runtime.objects().chain([self.encoder_type.object()])
    }
}
