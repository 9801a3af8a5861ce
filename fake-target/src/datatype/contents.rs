//! How a datatype was made: `MPI_Type_get_envelope` and `MPI_Type_get_contents` (MPI 5.0, section
//! 5.1.13).

use std::ffi::c_int;

use super::fortran;
use super::lookup::{find, register};
use super::object::DatatypeRef;
use crate::abi::*;
use crate::arguments::{Out, array_mut};
use crate::error::{Error, Result};

/// A handle for the program, which has to free it. It names a new datatype: what the program does
/// with it has no effect on the other one. Predefined datatypes have only one handle.
pub(crate) fn new_handle(datatype: &DatatypeRef) -> MPI_Datatype {
    match datatype {
        DatatypeRef::Predefined(datatype) => datatype.recipe.handle,
        DatatypeRef::Derived(datatype) => {
            fortran::handle_of(datatype).unwrap_or_else(|| register(datatype.copy()))
        }
    }
}

/// `MPI_Type_get_envelope`
pub(crate) fn get_envelope(
    datatype: MPI_Datatype,
    num_integers: Out<c_int>,
    num_addresses: Out<c_int>,
    num_datatypes: Out<c_int>,
    combiner: Out<c_int>,
) -> Result {
    let datatype = find(datatype)?;
    let recipe = &datatype.recipe;
    if recipe.is_large() {
        return Err(large("MPI_Type_get_envelope_c"));
    }
    num_integers.set(recipe.integers.len() as c_int);
    num_addresses.set(recipe.addresses.len() as c_int);
    num_datatypes.set(recipe.datatypes.len() as c_int);
    combiner.set(recipe.combiner);
    Ok(())
}

/// `MPI_Type_get_envelope_c`
pub(crate) fn get_envelope_c(
    datatype: MPI_Datatype,
    num_integers: Out<MPI_Count>,
    num_addresses: Out<MPI_Count>,
    num_large_counts: Out<MPI_Count>,
    num_datatypes: Out<MPI_Count>,
    combiner: Out<c_int>,
) -> Result {
    let datatype = find(datatype)?;
    let recipe = &datatype.recipe;
    num_integers.set(recipe.integers.len() as MPI_Count);
    num_addresses.set(recipe.addresses.len() as MPI_Count);
    num_large_counts.set(recipe.large_counts.len() as MPI_Count);
    num_datatypes.set(recipe.datatypes.len() as MPI_Count);
    combiner.set(recipe.combiner);
    Ok(())
}

/// `MPI_Type_get_contents`
pub(crate) fn get_contents(
    datatype: MPI_Datatype,
    max_integers: c_int,
    max_addresses: c_int,
    max_datatypes: c_int,
    integers: *mut c_int,
    addresses: *mut MPI_Aint,
    datatypes: *mut MPI_Datatype,
) -> Result {
    if find(datatype)?.recipe.is_large() {
        return Err(large("MPI_Type_get_contents_c"));
    }
    let room = (max_integers.into(), max_addresses.into(), 0, max_datatypes.into());
    contents(datatype, room, integers, addresses, std::ptr::null_mut(), datatypes)
}

/// `MPI_Type_get_contents_c`
#[allow(clippy::too_many_arguments, reason = "the parameters of the C function")]
pub(crate) fn get_contents_c(
    datatype: MPI_Datatype,
    max_integers: MPI_Count,
    max_addresses: MPI_Count,
    max_large_counts: MPI_Count,
    max_datatypes: MPI_Count,
    integers: *mut c_int,
    addresses: *mut MPI_Aint,
    large_counts: *mut MPI_Count,
    datatypes: *mut MPI_Datatype,
) -> Result {
    let room = (max_integers, max_addresses, max_large_counts, max_datatypes);
    contents(datatype, room, integers, addresses, large_counts, datatypes)
}

fn large(instead: &str) -> Error {
    Error::new(MPI_ERR_TYPE, format!("a large-count function made the datatype: use {instead}"))
}

fn contents(
    datatype: MPI_Datatype,
    room: (MPI_Count, MPI_Count, MPI_Count, MPI_Count),
    integers: *mut c_int,
    addresses: *mut MPI_Aint,
    large_counts: *mut MPI_Count,
    datatypes: *mut MPI_Datatype,
) -> Result {
    let datatype = find(datatype)?;
    let recipe = &datatype.recipe;
    if recipe.combiner == MPI_COMBINER_NAMED {
        return Err(Error::new(
            MPI_ERR_TYPE,
            format!("{} is predefined: it has no contents", datatype.name()),
        ));
    }
    let fits = |room: MPI_Count, items: usize, what: &str| match items as MPI_Count <= room {
        true => Ok(()),
        false => Err(Error::new(
            MPI_ERR_ARG,
            format!("there is room for {room} {what}, the datatype has {items}"),
        )),
    };
    let (small, large) = (&recipe.integers, &recipe.large_counts);
    fits(room.0, small.len(), "integers")?;
    fits(room.1, recipe.addresses.len(), "addresses")?;
    fits(room.2, large.len(), "large counts")?;
    fits(room.3, recipe.datatypes.len(), "datatypes")?;
    for (to, &from) in array_mut(integers, small.len(), "array_of_integers")?.iter_mut().zip(small)
    {
        *to = from as c_int;
    }
    array_mut(large_counts, large.len(), "array_of_large_counts")?.copy_from_slice(large);
    let own = &recipe.addresses;
    for (to, &from) in array_mut(addresses, own.len(), "array_of_addresses")?.iter_mut().zip(own) {
        *to = from as MPI_Aint;
    }
    let own = &recipe.datatypes;
    for (to, from) in array_mut(datatypes, own.len(), "array_of_datatypes")?.iter_mut().zip(own) {
        *to = new_handle(from);
    }
    Ok(())
}
