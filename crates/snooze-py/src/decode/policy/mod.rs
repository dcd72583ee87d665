//! Untyped decoding by the policies of a Decoder: numbers, duplicates, surrogates, dialects, hooks.
//!
//! ```text
//! _compile ─► policies
//! decode ───► walk ─┬─► number    ints, floats, Decimals, texts
//!                   └─► object    the end of an object: duplicates, hooks
//! functions ► text                documents of a dialect as JSON; places in documents
//! ```
//!
//! Separate from `untyped`, so that `loads` pays for none of it. Invariants: nesting is bounded by
//! the stack of frames, never by the C stack; Python code runs only where a policy has a hook or a
//! class of numbers. Called by `module::decoder` and `module::dialect`.

pub(crate) mod frame;
pub(crate) mod number;
pub(crate) mod object;
pub(crate) mod policies;
pub(crate) mod text;
pub(crate) mod walk;

pub(crate) use self::policies::{Policies, rules};
pub(crate) use self::walk::{Scratch, decode};
