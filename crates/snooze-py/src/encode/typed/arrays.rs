//! How an `Encoder` writes numpy arrays and scalars.
//!
//! Separate from `action` because an array is checked as a whole: its element type by the rule of
//! its node, its floats by `nan="error"`. Arrays that cannot be written from their memory become
//! other objects in Python code, `_typed/arrays.py`. Called by `classify`.

use crate::encode::action::Action;
use crate::encode::numpy;
use crate::encode::place::name_of;
use crate::encode::policy::{BOOL, FLOAT, INT};
use crate::encode::typed::action::TypedAction;
use crate::encode::typed::error::EncodeFailure;
use crate::encode::typed::plan::Node;
use crate::encode::typed::policies::{Fraction, NotFinite};
use crate::encode::typed::stepper::Stepper;
use crate::py::numpy::{Array, ArrayError, NumpyKind};
use crate::py::tuple::Tuple;
use crate::py::{Owned, call, error, float, singletons, tuple};

impl Stepper<'_, '_> {
    /// Handles a numpy array or scalar where every type is allowed; `None` leaves it to the hook.
    pub(super) fn any_array(
        &mut self,
        object: &Owned,
    ) -> Result<Option<TypedAction>, EncodeFailure> {
        let numpy = self.cx.runtime.numpy(self.py)?;
        match numpy.and_then(|numpy| numpy.kind(object.get())) {
            Some(NumpyKind::Array) => self.whole_array(object),
            Some(NumpyKind::Scalar(scalar)) => {
                self.finite_scalar(numpy::scalar(self.cx, scalar)?).map(Some)
            }
            None => Ok(None),
        }
    }

    /// Handles an array that a rule accepts, if `check` finds nothing wrong with its elements.
    pub(super) fn array(
        &mut self,
        node: &Node,
        check: Option<&Owned>,
        object: &Owned,
    ) -> Result<Option<TypedAction>, EncodeFailure> {
        if let Some(check) = check {
            let found = call::call_one(self.py, check, object)?;
            if !singletons::is_none(found.get()) {
                return Err(EncodeFailure::new(|message| {
                    message.text("expected ")?.str(node.expected.get())?;
                    message.text(", found ")?.str(found.get())
                }));
            }
        }
        self.whole_array(object)
    }

    /// Handles a numpy scalar where the node allows the numbers of its kind.
    pub(super) fn number(
        &mut self,
        node: &Node,
        object: &Owned,
    ) -> Result<Option<TypedAction>, EncodeFailure> {
        let numpy = self.cx.runtime.numpy(self.py)?;
        let Some(NumpyKind::Scalar(scalar)) = numpy.and_then(|numpy| numpy.kind(object.get()))
        else {
            return Ok(None);
        };
        let action = numpy::scalar(self.cx, scalar)?;
        let kind = match action {
            Action::Bool(_) => BOOL,
            Action::Signed(_) | Action::Unsigned(_) => INT,
            Action::Float(_) | Action::Float32(_) => FLOAT,
            _ => 0,
        };
        if node.mask & kind == 0 {
            return Ok(None);
        }
        self.finite_scalar(action).map(Some)
    }

    fn finite_scalar(&mut self, action: Action) -> Result<TypedAction, EncodeFailure> {
        let value = match action {
            Action::Float(value) => value,
            Action::Float32(value) => value.into(),
            _ => 0.0,
        };
        match value.is_finite() || !self.plans.root.finite {
            true => Ok(self.with_fraction(TypedAction::Untyped(action))?),
            false if self.keeps() => {
                let value = float::new(self.py, value)?;
                self.keep(&value)
            }
            false => self.not_finite(value),
        }
    }

    /// Writes an array from its memory, or asks `plain_array` for an object to write instead.
    fn whole_array(&mut self, object: &Owned) -> Result<Option<TypedAction>, EncodeFailure> {
        match numpy::open(self.cx, self.py, object)? {
            Ok(array) => {
                if let Fraction::Digits(digits) = self.plans.root.policies.fraction {
                    self.cx.datetime64_scale = self.cx.datetime64_scale.with_digits(digits);
                }
                if self.plans.root.finite
                    && let Some((index, value)) = numpy::first_not_finite(&array)
                {
                    if let Some(keep) = &self.plans.root.keep {
                        let items = call::call_one(self.py, &keep.floats, object)?;
                        return Ok(Some(TypedAction::Replace(items, self.plans.any_node())));
                    }
                    if let Some(floats) = &self.plans.root.policies.floats
                        && self.plans.root.policies.not_finite != NotFinite::Error
                    {
                        let items = call::call_one(self.py, floats, object)?;
                        return Ok(Some(TypedAction::Replace(items, self.plans.any_node())));
                    }
                    return Err(not_finite_element(&array, index, value));
                }
                Ok(Some(TypedAction::Untyped(Action::Array(array))))
            }
            Err(ArrayError::Raised) => Err(EncodeFailure::Raised),
            Err(_) => {
                let Some(plain_array) = &self.plans.root.plain_array else { return Ok(None) };
                let found = call::call_one(self.py, plain_array, object)?;
                let Some(found) = Tuple::exact(found.get()) else { return Ok(None) };
                let &[Some(value)] = tuple::items(found, self.py) else {
                    return Err(
                        error::type_error(c"plain_array must return (object,) or None").into()
                    );
                };
                Ok(Some(TypedAction::Replace(value.to_owned(), self.plans.any_node())))
            }
        }
    }
}

/// The failure for an element of an array, with its index in each dimension.
#[cold]
fn not_finite_element(array: &Array, index: usize, value: f64) -> EncodeFailure {
    EncodeFailure::new(|message| {
        message.text("expected a finite number, found ")?.text(name_of(value))?;
        message.text(" in element ")?;
        let (mut rest, mut size) = (index, array.len());
        for &length in array.shape() {
            size /= (length.max(1)) as usize;
            message.text("[")?.count(rest / size.max(1))?.text("]")?;
            rest %= size.max(1);
        }
        message.text(" of the array")
    })
}
