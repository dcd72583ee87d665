//! What the tests of columns make: options and fields.
//!
//! Separate because several programs of tests need them. Used by `columns`, `filter` and `unwanted`.

use snooze_core::columns::{Field, OnError, Options, Type};

pub(crate) const STRICT: Options = Options {
    on_error: OnError::Raise,
    checks_all: true,
    refuses_others: false,
    selects: false,
    has_rest: false,
};

pub(crate) fn field(name: &str, data: Type) -> Field {
    Field { name: name.to_owned(), data, nullable: true }
}
