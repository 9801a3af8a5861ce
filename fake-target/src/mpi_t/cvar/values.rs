//! The control variables themselves: generated from the descriptions in the source.

use super::storage::{Boolean, Double, Int, Range, Text, Value};
use super::{Cvar, Writable};
use crate::abi::*;
use crate::mpi_t::category::Category;
use crate::mpi_t::enumerations::Enumeration;

include!(concat!(env!("OUT_DIR"), "/cvars.rs"));
