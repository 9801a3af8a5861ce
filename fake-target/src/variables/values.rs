//! The control variables themselves: generated from the descriptions in the source.

use super::control::{Boolean, Double, Int, Range, Text};

include!(concat!(env!("OUT_DIR"), "/control_variables.rs"));
