//! Reports as text. Each renderer is a pure function of a report; only the command line knows about files and terminals.

mod csv;
mod human;
mod json;
mod look;

pub use self::csv::csv;
pub use self::human::{HumanOptions, human};
pub(crate) use self::human::{bytes, count, counted, name, operations, peer_text, printable, short_title, tag_text};
pub use self::json::json;
pub use self::look::look;
