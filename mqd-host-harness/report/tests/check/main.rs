//! The diagnosis of reports: of simulated jobs, whose outcome is known, and of reports written by
//! hand.

mod awaited;
mod by_hand;
mod ended;
#[path = "../support/golden.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with other tests")]
mod golden;
mod in_transit;
mod model;
mod oracle;
mod reports;
mod two_looks;
