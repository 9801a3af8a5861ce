//! What a program asks about communicators (MPI 5.0, sections 7.4.1, 7.6.2 and 7.8).

use std::ffi::{CStr, c_char, c_int};

use super::object::{from_integer, resolve};
use crate::abi::*;
use crate::arguments::Out;
use crate::engine;
use crate::error::{Error, Result};
use crate::group::calls::{register, relation};
use crate::info;

/// `MPI_Comm_size`
pub(crate) fn comm_size(comm: MPI_Comm, size: Out<c_int>) -> Result {
    size.set(resolve(comm)?.size());
    Ok(())
}

/// `MPI_Comm_rank`
pub(crate) fn comm_rank(comm: MPI_Comm, rank: Out<c_int>) -> Result {
    rank.set(resolve(comm)?.rank());
    Ok(())
}

/// `MPI_Comm_test_inter`
pub(crate) fn test_inter(comm: MPI_Comm, flag: Out<c_int>) -> Result {
    flag.set(resolve(comm)?.remote().is_some().into());
    Ok(())
}

fn no_intercommunicator() -> Error {
    Error::new(MPI_ERR_COMM, "the communicator is no intercommunicator")
}

/// `MPI_Comm_remote_size`
pub(crate) fn remote_size(comm: MPI_Comm, size: Out<c_int>) -> Result {
    size.set(resolve(comm)?.remote().ok_or_else(no_intercommunicator)?.size());
    Ok(())
}

/// `MPI_Comm_group`
pub(crate) fn comm_group(comm: MPI_Comm, group: Out<MPI_Group>) -> Result {
    group.set(register(resolve(comm)?.local().clone()));
    Ok(())
}

/// `MPI_Comm_remote_group`
pub(crate) fn remote_group(comm: MPI_Comm, group: Out<MPI_Group>) -> Result {
    group.set(register(resolve(comm)?.remote().ok_or_else(no_intercommunicator)?.clone()));
    Ok(())
}

/// `MPI_Comm_compare`
pub(crate) fn compare(comm1: MPI_Comm, comm2: MPI_Comm, result: Out<c_int>) -> Result {
    let (first, second) = (resolve(comm1)?, resolve(comm2)?);
    let remote = match (first.remote(), second.remote()) {
        (None, None) => MPI_IDENT,
        (Some(first), Some(second)) => relation(first, second),
        _ => MPI_UNEQUAL,
    };
    let local = relation(first.local(), second.local());
    result.set(match (local, remote) {
        _ if std::ptr::eq(first, second) => MPI_IDENT,
        (MPI_UNEQUAL, _) | (_, MPI_UNEQUAL) => MPI_UNEQUAL,
        (MPI_IDENT, MPI_IDENT) => MPI_CONGRUENT,
        _ => MPI_SIMILAR,
    });
    Ok(())
}

/// `MPI_Comm_get_name`; the null handle has a name too.
pub(crate) fn get_name(comm: MPI_Comm, comm_name: *mut c_char, resultlen: Out<c_int>) -> Result {
    let name = if comm == MPI_COMM_NULL {
        b"MPI_COMM_NULL".to_vec()
    } else {
        let communicator = resolve(comm)?;
        let _engine = engine::enter();
        communicator.bytes_of_name()
    };
    resultlen.set(crate::text::copy_out(&name, comm_name, MPI_MAX_OBJECT_NAME as usize)?);
    Ok(())
}

/// `MPI_Comm_set_name`
pub(crate) fn set_name(comm: MPI_Comm, comm_name: &CStr) -> Result {
    resolve(comm)?.set_name(comm_name.to_bytes());
    Ok(())
}

/// `MPI_Comm_set_info`: this MPI has no hints to follow.
pub(crate) fn set_info(comm: MPI_Comm, info: MPI_Info) -> Result {
    resolve(comm)?;
    crate::info::check_hints(info)
}

/// `MPI_Comm_get_info`: the hints that this MPI follows, which are none.
pub(crate) fn get_info(comm: MPI_Comm, info_used: Out<MPI_Info>) -> Result {
    resolve(comm)?;
    info::create_with(info_used, [info::MEMORY_KINDS])
}

/// `MPI_Comm_fromint`
pub(crate) fn from_int(integer: c_int) -> MPI_Comm {
    from_integer(integer)
}
