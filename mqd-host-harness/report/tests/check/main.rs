//! The diagnosis, on reports: of jobs that are known on paper, and written by hand.

mod by_hand;
#[path = "../support/golden.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with other tests")]
mod golden;
mod model;
mod oracle;
