//! The algorithms, each written once over `V: Vector`.

pub mod decimal;
pub mod digits;
pub mod escape;
pub mod scan;
pub mod structure;
pub mod unescape;
pub mod utf8;
