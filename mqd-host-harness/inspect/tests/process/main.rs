//! Opens real processes and real core files, and compares everything with what the programs say of
//! themselves.

mod common;
mod core;
mod foreign;
mod lines;
mod live;
mod python;
mod stack;
mod types;
