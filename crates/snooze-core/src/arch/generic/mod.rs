//! The algorithms, each written once over `V: Vector`.

pub mod escape;
pub mod scan;
pub mod utf8;
