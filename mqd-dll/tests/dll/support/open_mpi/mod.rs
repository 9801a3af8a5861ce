//! A synthetic process of Open MPI: a model, and the memory that a library of that state has.
//!
//! Only the names and types of fields of Open MPI's structures are here, as its headers have them.
//! Their offsets are invented for each test. Tests without debug information take them from the
//! shipped layout tables, with a reader of their own.

mod model;
mod structures;
mod writer;

pub use model::*;
pub use structures::{Series, invented, of_table};
pub use writer::Writer;
