//! Choices: the values of an enum or a `Literal`, by their JSON.
//!
//! Separate from `convert`, because texts and short integers, which most of them are, are found
//! without making an object to look them up. Invariant: what is found this way is what the dict
//! has for that value. Made by `compile_node`, used by `convert`.

use snooze_core::names::{MAX_NAMES, Names, NamesError};

use crate::py::dict::{Dict, OwnedDict};
use crate::py::int::Int;
use crate::py::unicode::{Chars, Str, chars};
use crate::py::{Attached, Owned, Raised, dict, error, int};

/// The Python values by their JSON.
#[derive(Debug)]
pub(crate) struct Choices {
    /// All of them.
    by_value: OwnedDict,
    /// The texts in ASCII.
    texts: Names,
    /// Their values.
    of_texts: Vec<Owned>,
    /// The integers of 64 bits, ascending, with their values.
    integers: Vec<(i64, Owned)>,
}

impl Choices {
    /// The choices of a dict from JSON value to Python value.
    pub(super) fn new(py: &Attached, values: Dict<'_>) -> Result<Self, Raised> {
        let entries = dict::entries(py, values)?;
        let (mut texts, mut of_texts, mut integers) = (Vec::new(), Vec::new(), Vec::new());
        texts.try_reserve_exact(entries.len()).map_err(|_| error::no_memory())?;
        of_texts.try_reserve_exact(entries.len()).map_err(|_| error::no_memory())?;
        integers.try_reserve_exact(entries.len()).map_err(|_| error::no_memory())?;
        for (key, value) in &entries {
            if let Some(text) = Str::exact(key.get()) {
                if let Chars::Ascii(text) = chars::<false>(text)?
                    && texts.len() < MAX_NAMES
                {
                    texts.push(text);
                    of_texts.push(value.clone());
                }
            } else if let Some(number) = Int::exact(key.get())
                && let int::IntValue::Signed(number) = int::value::<false>(number)?
            {
                integers.push((number, value.clone()));
            }
        }
        let names = match Names::new(&texts) {
            Ok(names) => names,
            Err(NamesError::NoMemory) => return Err(error::no_memory()),
            Err(_) => Names::new(&[]).map_err(|_| error::no_memory())?,
        };
        integers.sort_unstable_by_key(|&(number, _)| number);
        Ok(Self { by_value: values.to_owned(), texts: names, of_texts, integers })
    }

    /// The choice with a text, if it is one of them in ASCII.
    #[inline(always)]
    pub(super) fn of_text(&self, text: &[u8]) -> Option<Owned> {
        let index = self.texts.find(text)?;
        self.of_texts.get(usize::from(index)).cloned()
    }

    /// The choice with an integer, if it is one of them.
    #[inline(always)]
    pub(super) fn of_integer(&self, number: i64) -> Option<Owned> {
        let index = self.integers.binary_search_by_key(&number, |&(number, _)| number).ok()?;
        self.integers.get(index).map(|(_, value)| value.clone())
    }

    /// The choice with any value.
    pub(super) fn of_value(
        &self,
        py: &mut Attached,
        value: &Owned,
    ) -> Result<Option<Owned>, Raised> {
        dict::get(py, self.by_value.get(), value)
    }

    /// Calls `see` for each object that they own.
    pub(super) fn visit_objects(&self, see: &mut dyn FnMut(&Owned)) {
        see(self.by_value.as_owned());
        self.of_texts.iter().for_each(&mut *see);
        self.integers.iter().for_each(|(_, value)| see(value));
    }
}
