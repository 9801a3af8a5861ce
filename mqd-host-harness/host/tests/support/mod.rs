//! What the tests share.
#![allow(dead_code, unreachable_pub, reason = "each test is a crate of its own and uses a part")]

pub mod toy;
