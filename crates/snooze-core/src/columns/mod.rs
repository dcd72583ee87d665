//! Lines of JSON into Arrow's columns.
//!
//! Separate from `read`, which knows no schema. Nothing here allocates without checking, knows
//! Python or does input: the caller hands over text in windows of whole lines and takes finished
//! columns. Called by the scans of snooze-py.
//!
//! | file | contents |
//! |---|---|
//! | `schema` | [`Field`], [`Type`]: what columns there are |
//! | `array` | [`Array`], [`Buffer`]: finished columns |
//! | `memory` | growing without aborting |
//! | `bits` | bitmaps |
//! | `column` | growing columns |
//! | `members` | which column is the next member? |
//! | `opened` | which columns have a part of the last rows? |
//! | `scalar` | dates, instants and decimals from text |
//! | `store` | values into columns that can hold them exactly |
//! | `read_mode` | how strictly and how far a record is read |
//! | `problem` | [`Problem`]: what is wrong with a record, and where |
//! | `state` | what a walk through one record knows |
//! | `container` | one record into columns |
//! | `value` | its names, and the values of less common types |
//! | `predicted` | the members of it that are as in the record before |
//! | `repeated` | maps, whose members may come again |
//! | `records` | one line into the columns of one schema; what happens to wrong records |
//! | `filter` | [`Filter`]: which records are wanted |
//! | `prefilter` | texts that a wanted record contains |
//! | `record_filter` | the part of a record that a filter tests |
//! | `batch` | [`Builder`]: lines into a record batch |
//! | `infer` | [`Inference`]: what values the members have |
//! | `merge` | what several inferences saw |
//! | `lattice` | the type that holds them all |
//! | `piece` | [`Windows`]: the lines that belong to a range of bytes |

mod array;
mod batch;
mod bits;
mod column;
mod container;
mod filter;
mod infer;
mod lattice;
mod members;
mod memory;
mod merge;
mod opened;
mod piece;
mod predicted;
mod prefilter;
mod problem;
mod read_mode;
mod record_filter;
mod records;
mod repeated;
mod scalar;
mod schema;
mod state;
mod store;
mod value;

pub use array::{Array, Buffer};
pub use batch::Builder;
pub use filter::{Comparison, Constant, Filter, Step};
pub use infer::{Checking, Inference};
pub use lattice::Drifting;
pub use memory::{NoMemory, write_text};
pub use piece::{MAX_LINE, WindowError, Windows};
pub use problem::Problem;
pub use records::{Failure, OnError, Options};
pub use schema::{Field, Type, Unit};
