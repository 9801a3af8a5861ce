//! Meeting a group of another job or of the same one: at a port (MPI 5.0, section 11.9.3), or over
//! a socket that connects two programs (section 11.10.5).

use std::ffi::{c_char, c_int};
use std::fs::File;
use std::mem::ManuallyDrop;
use std::os::fd::{FromRawFd, RawFd};
use std::time::Duration;

use super::{meeting, port};
use crate::abi::*;
use crate::arguments::{Out, out, text};
use crate::communicator::agreement::together;
use crate::communicator::{self, Communicator};
use crate::error::{Error, Result};
use crate::info;

/// Begins a call with a root: the communicator, which must not be an intercommunicator, and the
/// place for the new one. If the arguments are wrong at one process, all fail.
pub(super) fn with_root(
    comm: MPI_Comm,
    root: c_int,
    newcomm: *mut MPI_Comm,
    name: &'static str,
) -> Result<(&'static Communicator, Out<MPI_Comm>)> {
    let communicator = communicator::resolve(comm)?;
    if communicator.remote().is_some() {
        return Err(Error::new(MPI_ERR_COMM, "the communicator is an intercommunicator"));
    }
    communicator.begin_other();
    let size = communicator.size();
    let checked = empty(newcomm, name).and_then(|newcomm| match (0..size).contains(&root) {
        true => Ok(newcomm),
        false => Err(Error::outside(MPI_ERR_ROOT, "root", root, size as usize)),
    });
    Ok((communicator, together(communicator, checked, root)?))
}

/// The output argument of a call for a communicator. It is set to the null handle first.
fn empty(comm: *mut MPI_Comm, name: &'static str) -> Result<Out<MPI_Comm>> {
    let comm = out(comm, name)?;
    comm.set(MPI_COMM_NULL);
    Ok(comm)
}

/// `MPI_Comm_accept`: the port and the hints matter at the root only.
pub(crate) fn accept(
    port_name: *const c_char,
    hints: MPI_Info,
    root: c_int,
    comm: MPI_Comm,
    newcomm: *mut MPI_Comm,
) -> Result {
    let meet = |port: &str, _| port::accept(&*port::listener(port)?, None, || Ok(()));
    at_port(port_name, hints, root, comm, newcomm, meet)
}

/// `MPI_Comm_connect`: the port and the hints matter at the root only.
pub(crate) fn connect(
    port_name: *const c_char,
    hints: MPI_Info,
    root: c_int,
    comm: MPI_Comm,
    newcomm: *mut MPI_Comm,
) -> Result {
    at_port(port_name, hints, root, comm, newcomm, port::connect_within)
}

/// Meets another group at a port. The root makes the connection.
fn at_port(
    port_name: *const c_char,
    hints: MPI_Info,
    root: c_int,
    comm: MPI_Comm,
    newcomm: *mut MPI_Comm,
    connection: impl FnOnce(&str, Duration) -> Result<File>,
) -> Result {
    let (communicator, newcomm) = with_root(comm, root, newcomm, "newcomm")?;
    let met = meeting::meet(communicator, root, "", || {
        info::check_hints(hints)?;
        connection(&text(port_name, "port_name")?.to_string_lossy(), port::patience(hints)?)
    })?;
    newcomm.set(met.handle());
    Ok(())
}

/// `MPI_Comm_join`: each of two processes has one end of a connection, which stays open.
pub(crate) fn join(fd: c_int, intercomm: Out<MPI_Comm>) -> Result {
    intercomm.set(MPI_COMM_NULL);
    let own = communicator::resolve(MPI_COMM_SELF)?;
    let met = meeting::meet(own, 0, "", || borrowed(fd))?;
    intercomm.set(met.handle());
    Ok(())
}

/// A copy of a descriptor that stays the program's.
fn borrowed(fd: RawFd) -> Result<File> {
    // SAFETY: the program says that the descriptor is open; it is copied, and never closed here.
    let file = unsafe { ManuallyDrop::new(File::from_raw_fd(fd)) };
    file.try_clone().map_err(|error| {
        Error::new(MPI_ERR_ARG, format!("the descriptor {fd} is no socket to use: {error}"))
    })
}
