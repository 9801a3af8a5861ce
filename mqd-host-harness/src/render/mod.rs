//! Reports as text. Each renderer is a pure function of a report; only the command line knows about files and terminals.

mod csv;
mod human;
mod json;

pub use self::csv::csv;
pub use self::human::{HumanOptions, human};
pub use self::json::json;
