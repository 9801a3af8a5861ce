//! Reports as text. Each renderer is a pure function of a report; only the command line knows about
//! files and terminals.

mod check;
mod csv;
mod fold;
mod human;
mod json;
mod look;
#[cfg(feature = "parquet")]
pub mod parquet;
mod stacks;

pub use self::check::{check, check_each_step};
pub use self::csv::csv;
pub use self::human::{HumanOptions, human};
pub use self::json::json;
pub use self::look::look;
pub use self::stacks::stacks;
#[cfg(feature = "graph")]
pub(crate) use self::stacks::{place_text, tree};
