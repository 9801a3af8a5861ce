//! The debugger as the library sees it: a safe view of its three callback tables.
//!
//! Everything here tolerates NULL callbacks, and errors name the callback that failed. Nothing else
//! in the library calls the debugger.

pub(crate) mod basic;
mod image;
mod process;

pub(crate) use image::Image;
pub(crate) use process::{Process, Target};
