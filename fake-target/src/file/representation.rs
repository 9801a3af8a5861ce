//! Data representations (MPI 5.0, section 14.5): how data lie in a file.

use std::ffi::CStr;

use super::memory::Memory;
use crate::abi::*;
use crate::datatype::{self, DatatypeRef};
use crate::error::{Error, Result};

/// How data lie in a file.
#[derive(Clone)]
pub(super) enum Representation {
    /// As in memory.
    Native,
    /// As in memory: one machine needs nothing else.
    Internal,
}

impl Representation {
    /// The representation with that name; `MPI_ERR_UNSUPPORTED_DATAREP` if there is none.
    pub(super) fn named(name: &CStr) -> Result<Representation> {
        match name.to_bytes() {
            b"native" => Ok(Representation::Native),
            b"internal" => Ok(Representation::Internal),
            _ => Err(Error::new(
                MPI_ERR_UNSUPPORTED_DATAREP,
                format!("there is no data representation {name:?}"),
            )),
        }
    }

    /// Its name.
    pub(super) fn name(&self) -> String {
        match self {
            Representation::Native => "native".to_owned(),
            Representation::Internal => "internal".to_owned(),
        }
    }

    /// A number that says whether two processes have chosen the same.
    pub(super) fn number(&self) -> i64 {
        match self {
            Representation::Native => 0,
            Representation::Internal => 1,
        }
    }

    /// Bytes that the data of a buffer are in the file.
    pub(super) fn bytes_of(&self, memory: &Memory) -> Result<MPI_Count> {
        datatype::times(memory.count(), self.in_file(memory.datatype())?.size())
    }

    /// A datatype as it lies in a file.
    pub(super) fn in_file(&self, datatype: &DatatypeRef) -> Result<DatatypeRef> {
        match self {
            Representation::Native | Representation::Internal => Ok(datatype.clone()),
        }
    }
}
