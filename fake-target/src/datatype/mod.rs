//! Datatypes (MPI 5.0, chapter 5).
//!
//! - [`object`]: a datatype is a [`layout`] (where its bytes lie), bounds (how elements follow each
//!   other), the sequence of predefined datatypes it is made of, and the call that made it. Its
//!   `pack` and `unpack` move any part of the data stream, so a message can travel in pieces.
//! - [`predefined`]: the datatypes of the standard, [`element`]: what reductions make of them.
//! - [`lookup`]: the datatypes of handles.
//! - [`making`]: what the calls that make datatypes make of their arguments.
//! - [`constructors`], [`mod@darray`], [`fortran`], [`contents`], [`queries`], [`attributes`]: the
//!   functions of MPI.
//! - [`external`]: the representation that does not depend on the machine.

pub(crate) mod attributes;
mod constructors;
mod contents;
mod darray;
mod element;
mod external;
mod fortran;
mod layout;
mod lookup;
mod making;
mod object;
mod predefined;
mod queries;

pub(crate) use constructors::*;
pub(crate) use contents::{get_contents, get_contents_c, get_envelope, get_envelope_c, new_handle};
pub(crate) use darray::darray;
pub(crate) use element::{Element, Pair};
pub(crate) use fortran::{create_f90_complex, create_f90_integer, create_f90_real};
pub(crate) use layout::times;
pub(crate) use lookup::{Named, find, resolve};
pub(crate) use object::{Datatype, DatatypeRef};
pub(crate) use predefined::dense_size;
pub(crate) use queries::*;
