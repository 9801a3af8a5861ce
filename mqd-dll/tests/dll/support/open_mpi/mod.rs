//! A synthetic process of Open MPI: a model, and the memory that a library of that state has.
//!
//! What is here of Open MPI's structures are names and types of fields, as its headers have them.
//! Where the fields are is invented for each test, or, for tests without debug information, read
//! from the shipped layout tables by a reader of its own.

mod model;
mod structures;
mod writer;

pub use model::*;
pub use structures::{Series, invented, of_table};
pub use writer::Writer;
