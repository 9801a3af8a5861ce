//! The debugger side of the message queue dumping interface.

pub mod image;
pub mod target;
pub mod types;
