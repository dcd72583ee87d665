//! The code that a derive macro over snooze-core would generate.
//!
//! Separate because snooze-core has no derive macro, only an output window and writers of scalars.
//! This is all that such a macro would add: it renders each name at compile time, with its quotes,
//! its colon and the brace before the first one, and writes each member directly after its name.
//! `record!` in [`crate::structures`] implements [`Json`] for every structure.

use std::collections::BTreeMap;

use snooze_core::arch::{Dispatch, Task, Vector};
use snooze_core::out::{NoMemory, Out, VecBuffer};

/// The output.
pub type Window<'b> = Out<'b, VecBuffer>;

/// A value that can be written. Each value ends with a comma; the container around it replaces the
/// last one with its bracket.
pub trait Json {
    /// Writes the value and a comma.
    fn write<V: Vector>(&self, out: &mut Window<'_>) -> Result<(), NoMemory>;
}

impl Json for u64 {
    #[inline(always)]
    fn write<V: Vector>(&self, out: &mut Window<'_>) -> Result<(), NoMemory> {
        out.uint(*self, b',')
    }
}

impl Json for bool {
    #[inline(always)]
    fn write<V: Vector>(&self, out: &mut Window<'_>) -> Result<(), NoMemory> {
        out.boolean(*self, b',')
    }
}

impl Json for String {
    #[inline(always)]
    fn write<V: Vector>(&self, out: &mut Window<'_>) -> Result<(), NoMemory> {
        out.utf8::<V>(self.as_bytes(), b',')
    }
}

impl<T: Json> Json for Option<T> {
    #[inline(always)]
    fn write<V: Vector>(&self, out: &mut Window<'_>) -> Result<(), NoMemory> {
        match self {
            Some(value) => value.write::<V>(out),
            None => out.null(b','),
        }
    }
}

impl<T: Json> Json for Vec<T> {
    #[inline(always)]
    fn write<V: Vector>(&self, out: &mut Window<'_>) -> Result<(), NoMemory> {
        if self.is_empty() {
            return out.empty(b'[', b',');
        }
        out.byte(b'[')?;
        for value in self {
            value.write::<V>(out)?;
        }
        out.close(b']', b',')
    }
}

impl<T: Json> Json for BTreeMap<String, T> {
    #[inline(always)]
    fn write<V: Vector>(&self, out: &mut Window<'_>) -> Result<(), NoMemory> {
        if self.is_empty() {
            return out.empty(b'{', b',');
        }
        out.byte(b'{')?;
        for (name, value) in self {
            out.utf8::<V>(name.as_bytes(), b':')?;
            value.write::<V>(out)?;
        }
        out.close(b'}', b',')
    }
}

/// Writes one value as a whole document.
struct Document<'a, 'b, T> {
    value: &'a T,
    buffer: &'b mut VecBuffer,
}

impl<T: Json> Task for Document<'_, '_, T> {
    type Output = Result<usize, NoMemory>;

    #[inline(always)]
    fn with_vectors<V: Vector>(self) -> Self::Output {
        let mut out = Out::new(self.buffer)?;
        self.value.write::<V>(&mut out)?;
        out.drop_last();
        Ok(out.len())
    }
}

/// Writes a value at the start of a buffer and returns the number of bytes.
///
/// # Errors
/// If no memory is left.
pub fn encode<T: Json>(
    dispatch: Dispatch,
    value: &T,
    buffer: &mut VecBuffer,
) -> Result<usize, NoMemory> {
    dispatch.run(Document { value, buffer })
}
