//! The algorithms, each written once over `V: Vector`.

pub mod decimal;
pub mod digits;
pub mod escape;
mod quotes;
pub mod scan;
pub mod structure;
pub mod tokens;
pub mod unescape;
pub mod utf8;
pub mod valid;
