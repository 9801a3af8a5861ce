//! The process sets of a session.

use std::ffi::{CStr, c_char, c_int};

use super::object::resolve;
use crate::abi::*;
use crate::arguments::Out;
use crate::error::{Error, Result};
use crate::group::Group;
use crate::group::calls::register;
use crate::group::psets::{PSETS, Pset};
use crate::{info, text};

/// The set with that name; `MPI_ERR_ARG` if there is none.
fn named(name: &CStr) -> Result<Pset> {
    Pset::named(name.to_bytes())
        .ok_or_else(|| Error::new(MPI_ERR_ARG, format!("there is no process set named {name:?}")))
}

/// `MPI_Session_get_num_psets`
pub(crate) fn get_num_psets(
    session: MPI_Session,
    hints: MPI_Info,
    npset_names: Out<c_int>,
) -> Result {
    resolve(session)?;
    info::check_hints(hints)?;
    npset_names.set(PSETS.len() as c_int);
    Ok(())
}

/// `MPI_Session_get_nth_pset`: `pset_len` includes the terminating zero. If it is 0, only the
/// length is asked for.
pub(crate) fn get_nth_pset(
    session: MPI_Session,
    hints: MPI_Info,
    n: c_int,
    pset_len: Out<c_int>,
    pset_name: *mut c_char,
) -> Result {
    resolve(session)?;
    info::check_hints(hints)?;
    let pset = usize::try_from(n).ok().and_then(|n| PSETS.get(n));
    let (name, _) = pset.ok_or_else(|| {
        let count = PSETS.len();
        Error::new(MPI_ERR_ARG, format!("there is no process set number {n} among {count}"))
    })?;
    let room = usize::try_from(pset_len.get()).map_err(|_| {
        Error::new(MPI_ERR_ARG, format!("the length {} is negative", pset_len.get()))
    })?;
    if room > 0 {
        text::copy_out(name, pset_name, room)?;
    }
    pset_len.set(name.len() as c_int + 1);
    Ok(())
}

/// `MPI_Session_get_pset_info`
pub(crate) fn get_pset_info(
    session: MPI_Session,
    pset_name: &CStr,
    info_used: Out<MPI_Info>,
) -> Result {
    resolve(session)?;
    let pset = named(pset_name)?;
    let size = pset.ranks().len().to_string();
    info::create_with(info_used, [("mpi_size", size.as_str())])
}

/// `MPI_Group_from_session_pset`: `MPI_GROUP_NULL` and `MPI_ERR_ARG` if there is no set of this
/// name.
pub(crate) fn group_from_pset(
    session: MPI_Session,
    pset_name: &CStr,
    newgroup: Out<MPI_Group>,
) -> Result {
    resolve(session)?;
    newgroup.set(MPI_GROUP_NULL);
    let pset = named(pset_name)?;
    newgroup.set(register(Group::of_session(pset.ranks(), session.0)));
    Ok(())
}
