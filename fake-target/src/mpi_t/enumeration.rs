//! Names for the values of variables, and for the elements of events (MPI 3.1, section 14.3.5).

use crate::abi::MPI_T_enum;
use std::ffi::c_int;

/// Names for values.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Enumeration {
    /// Its name, unique among enumerations.
    pub(crate) name: &'static str,
    /// Its values and their names, unique within it.
    pub(crate) items: &'static [(c_int, &'static str)],
}

/// Whether a boolean is set.
pub(crate) static BOOLEAN: Enumeration =
    Enumeration { name: "boolean", items: &[(0, "false"), (1, "true")] };

impl Enumeration {
    /// Its handle: an address that is compared with those of all enumerations, never followed.
    pub(crate) fn handle(&'static self) -> MPI_T_enum {
        MPI_T_enum(std::ptr::from_ref(self).addr())
    }
}
