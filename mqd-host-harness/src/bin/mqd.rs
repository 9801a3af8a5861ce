//! The command `mqd`.
fn main() {}
