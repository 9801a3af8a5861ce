//! The datatypes of handles.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::object::{Datatype, DatatypeRef};
use super::predefined;
use crate::abi::*;
use crate::error::{Error, Result};
use crate::handles::{HandleKind, Table};

/// The datatypes that the program has made.
pub(super) static DATATYPES: Table<Datatype> = Table::new(HandleKind::Datatype);

/// The datatype of a handle, for communication: it must be committed. `MPI_ERR_TYPE` otherwise.
#[inline]
pub(crate) fn resolve(handle: MPI_Datatype) -> Result<DatatypeRef> {
    // Most messages have predefined datatypes.
    match predefined::find(handle) {
        Some(datatype) => Ok(DatatypeRef::Predefined(datatype)),
        None => resolve_derived(handle),
    }
}

fn resolve_derived(handle: MPI_Datatype) -> Result<DatatypeRef> {
    let datatype = find(handle)?;
    if let DatatypeRef::Derived(derived) = &datatype
        && !derived.committed.load(Ordering::Acquire)
    {
        return Err(Error::new(
            MPI_ERR_TYPE,
            format!("the datatype {} is not committed", described(derived)),
        ));
    }
    Ok(datatype)
}

/// The datatype of a handle, committed or not. `MPI_ERR_TYPE` if there is none.
pub(crate) fn find(handle: MPI_Datatype) -> Result<DatatypeRef> {
    if let Some(datatype) = predefined::find(handle) {
        return Ok(DatatypeRef::Predefined(datatype));
    }
    if let Some(datatype) = DATATYPES.get(handle.0) {
        return Ok(DatatypeRef::Derived(datatype));
    }
    Err(Error::new(
        MPI_ERR_TYPE,
        if handle == MPI_DATATYPE_NULL {
            "the datatype is MPI_DATATYPE_NULL"
        } else {
            "the handle is not that of a datatype"
        },
    ))
}

/// A valid handle of a datatype that the program may have freed: the program's own, since programs
/// compare handles, or else one that is valid as long as this lives.
pub(crate) struct Named {
    handle: MPI_Datatype,
    is_own: bool,
}

impl Named {
    /// `handle` is the one that the datatype has or had.
    pub(crate) fn new(datatype: &DatatypeRef, handle: MPI_Datatype) -> Named {
        match datatype {
            DatatypeRef::Derived(derived)
                if !DATATYPES.get(handle.0).is_some_and(|found| Arc::ptr_eq(&found, derived)) =>
            {
                Named { handle: MPI_Datatype(DATATYPES.insert(derived.clone())), is_own: true }
            }
            _ => Named { handle, is_own: false },
        }
    }

    /// The handle.
    pub(crate) fn handle(&self) -> MPI_Datatype {
        self.handle
    }
}

impl Drop for Named {
    fn drop(&mut self) {
        if self.is_own {
            // MPI_Type_free has run the functions of the attributes.
            DATATYPES.remove(self.handle.0);
        }
    }
}

fn described(datatype: &Datatype) -> String {
    let name = datatype.name();
    if name.is_empty() { "without a name".into() } else { name }
}

/// Takes in a new datatype.
pub(super) fn register(datatype: Datatype) -> MPI_Datatype {
    MPI_Datatype(DATATYPES.insert(datatype))
}
