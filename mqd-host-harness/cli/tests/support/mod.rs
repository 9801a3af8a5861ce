//! What the tests share.
#![allow(dead_code, unreachable_pub, reason = "each test is a crate of its own and uses a part")]

#[path = "../../../report/tests/support/golden.rs"]
pub mod golden;
pub mod mqd;
#[path = "../../../host/tests/support/toy.rs"]
pub mod toy;
pub mod toy_run;
