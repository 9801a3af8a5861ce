//! One-sided communication (MPI 5.0, chapter 12).
//!
//! All processes are on one machine, so an origin accesses a target's memory itself, and every
//! operation is complete when its function returns. A window only has to track which process may
//! access what, and when.
//!
//! - [`object`]: the window; [`creation`]: how it is made and freed; [`queries`]: what a program
//!   stores with it. [`dynamic`]: memory that is attached later; [`hints`]: what the program says
//!   about its use.
//! - [`memory`]: memory that all processes map; [`control`]: what they share there, with
//!   [`latch`]es.
//! - [`epochs`]: what a process may do at a moment; [`active`] and [`passive`]: how it gets there;
//!   [`notices`]: what the processes tell each other.
//! - [`operations`]: put and get; [`mod@accumulate`]: operations that combine. Both work between an
//!   [`origin`]'s buffer and a [`place`] at the target. [`quick`]: their short way.

mod accumulate;
mod active;
mod control;
mod creation;
mod dynamic;
mod epochs;
mod hints;
mod latch;
mod memory;
mod notices;
mod object;
mod observed;
mod operations;
mod origin;
mod passive;
mod place;
mod queries;
mod quick;
mod variables;

pub(crate) use accumulate::*;
pub(crate) use active::*;
pub(crate) use creation::*;
pub(crate) use dynamic::{attach, detach};
pub(crate) use object::{Window, from_int, resolve};
pub(crate) use operations::{get, put, rget, rput};
pub(crate) use passive::*;
pub(crate) use queries::*;
