//! The diagnosis, on reports: of jobs that are known on paper, and written by hand.

mod model;
mod oracle;
