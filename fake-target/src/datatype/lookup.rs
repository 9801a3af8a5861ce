//! The datatypes of handles.

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

fn described(datatype: &Datatype) -> String {
    let name = datatype.name();
    if name.is_empty() { "without a name".into() } else { name }
}

/// Takes in a new datatype.
pub(super) fn register(datatype: Datatype) -> MPI_Datatype {
    MPI_Datatype(DATATYPES.insert(datatype))
}
