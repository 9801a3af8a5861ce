//! The table of control variables: generated from the descriptions in the source.

use super::value::Value;
use super::variable::{Cvar, Writable};
use crate::abi::*;
use crate::mpi_t::enumeration::Enumeration;
use crate::variables::values::*;

include!(concat!(env!("OUT_DIR"), "/cvars.rs"));
