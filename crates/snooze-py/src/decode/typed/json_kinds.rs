//! Which kinds of JSON values a rule of a node takes.
//!
//! Separate from `compile_node`, which fills nodes with rules, because this is a table. Invariant:
//! a rule that takes a kind only if it is free gives way to one that always takes it. Used by
//! `compile_node`.

/// Whether a rule takes each kind of value: null, bool, int, float, string, array, object; where
/// objects are converted, any other object, and instances that are kept.
#[derive(Clone, Copy)]
pub(super) struct JsonKinds(pub(super) [Takes; 9]);

/// Whether a rule takes one kind of value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    Never,
    Always,
    /// Unless another rule of the node takes it.
    IfFree,
}

impl JsonKinds {
    pub(super) const ALL: Self = Self([Takes::Always; 9]).except_kept();
    pub(super) const NULL: Self = Self::only(0);
    pub(super) const BOOL: Self = Self::only(1);
    pub(super) const INT: Self = Self::only(2);
    /// A JSON integer is a float too, unless another rule takes integers.
    pub(super) const FLOAT: Self = Self::only(3).and_if_free(2);
    pub(super) const FLOAT_ONLY: Self = Self::only(3);
    pub(super) const STRING: Self = Self::only(4);
    pub(super) const ARRAY: Self = Self::only(5);
    pub(super) const OBJECT: Self = Self::only(6);
    pub(super) const KEPT: Self = Self::only(8);
    pub(super) const DECIMAL: Self =
        Self([Takes::Never; 9]).and_if_free(2).and_if_free(3).and_if_free(4);

    /// The kinds whose bits are set, null first; `None` for a bit that means none.
    pub(super) fn of_mask(mask: usize) -> Option<Self> {
        let takes = |kind| if mask >> kind & 1 == 1 { Takes::Always } else { Takes::Never };
        (mask < 1 << 8).then(|| Self(core::array::from_fn(takes)))
    }

    const fn only(kind: usize) -> Self {
        let mut kinds = [Takes::Never; 9];
        kinds[kind] = Takes::Always;
        Self(kinds)
    }

    const fn except_kept(mut self) -> Self {
        self.0[8] = Takes::Never;
        self
    }

    pub(super) const fn and_if_free(mut self, kind: usize) -> Self {
        self.0[kind] = Takes::IfFree;
        self
    }
}
