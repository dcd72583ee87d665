//! Converts the errors of `snooze_core::out` to Python exceptions.
//!
//! Separate because every file that writes relies on these conversions through `?`.

use snooze_core::out::{NoMemory, TextError};

use crate::encode::utf8;
use crate::py::{Raised, error};

impl From<TextError> for Raised {
    #[cold]
    fn from(fault: TextError) -> Self {
        match fault {
            TextError::NoMemory => error::no_memory(),
            TextError::Surrogate => utf8::surrogate(),
        }
    }
}

impl From<NoMemory> for Raised {
    #[cold]
    fn from(NoMemory: NoMemory) -> Self {
        error::no_memory()
    }
}
