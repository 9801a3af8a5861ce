//! The hints of a window (MPI 5.0, section 12.2): those of the program, and the defaults.

use std::ffi::{CStr, CString};

use crate::abi::*;
use crate::arguments::Out;
use crate::error::Result;
use crate::info;

/// The hints that this MPI knows, with their default values.
const KNOWN: [(&CStr, &str); 6] = [
    (c"no_locks", "false"),
    (c"accumulate_ordering", "rar,raw,war,waw"),
    (c"accumulate_ops", "same_op_no_op"),
    (c"same_size", "false"),
    (c"same_disp_unit", "false"),
    (c"alloc_shared_noncontig", "false"),
];

const NONCONTIGUOUS: usize = 5;

/// The values of the hints, in the order of [`KNOWN`].
#[derive(Clone)]
pub(super) struct Hints([String; KNOWN.len()]);

impl Hints {
    /// What an info object says. `MPI_ERR_INFO` if there is none.
    pub(super) fn new(from: MPI_Info) -> Result<Hints> {
        let mut hints = Hints(KNOWN.map(|(_, value)| value.to_owned()));
        hints.update(from)?;
        Ok(hints)
    }

    /// Takes over what an info object says.
    pub(super) fn update(&mut self, from: MPI_Info) -> Result {
        info::check_hints(from)?;
        for ((key, _), value) in KNOWN.iter().zip(&mut self.0) {
            if let Some(said) = info::hint(from, key)? {
                *value = said;
            }
        }
        Ok(())
    }

    /// Whether the parts of a shared window need not follow each other.
    pub(super) fn noncontiguous(&self) -> bool {
        self.0[NONCONTIGUOUS] == "true"
    }

    /// Makes an info object of them.
    pub(super) fn give(&self, to: Out<MPI_Info>) -> Result {
        info::create_with(to, [info::MEMORY_KINDS])?;
        for ((key, _), value) in KNOWN.iter().zip(&self.0) {
            let value = CString::new(value.as_str()).unwrap_or_default();
            info::set(to.get(), key, &value)?;
        }
        Ok(())
    }
}
