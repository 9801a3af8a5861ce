//! Ports (MPI 5.0, section 11.9.2): sockets in the system's namespace of abstract names. They end
//! with the process that has opened them, and leave nothing behind.

use std::ffi::{CStr, c_char};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::request::is_of_same_user;
use crate::abi::*;
use crate::engine::wait;
use crate::error::{Error, Result};
use crate::transport::system;
use crate::{info, text};

/// How names of ports begin.
const BEGINNING: &str = "mqdrt-port-";

/// The ports that this process has opened, by their names.
static OPEN: Mutex<Vec<(String, Arc<UnixListener>)>> = Mutex::new(Vec::new());

fn no_port(name: &str) -> Error {
    Error::new(MPI_ERR_PORT, format!("there is no port {name:?}"))
}

/// Opens a port; its name.
pub(super) fn open_new() -> Result<(String, Arc<UnixListener>)> {
    let name = format!("{BEGINNING}{}-{:016x}", std::process::id(), system::random());
    let opened = SocketAddr::from_abstract_name(&name)
        .and_then(|address| UnixListener::bind_addr(&address))
        .and_then(|socket| socket.set_nonblocking(true).map(|()| Arc::new(socket)));
    match opened {
        Ok(socket) => Ok((name, socket)),
        Err(error) => Err(Error::new(MPI_ERR_OTHER, format!("no port can be had: {error}"))),
    }
}

/// `MPI_Open_port`
pub(crate) fn open(hints: MPI_Info, port_name: *mut c_char) -> Result {
    info::check_hints(hints)?;
    let (name, socket) = open_new()?;
    text::copy_out(&name, port_name, MPI_MAX_PORT_NAME as usize)?;
    OPEN.lock().unwrap_or_else(PoisonError::into_inner).push((name, socket));
    Ok(())
}

/// `MPI_Close_port`
pub(crate) fn close(port_name: &CStr) -> Result {
    let name = port_name.to_string_lossy();
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let place = open.iter().position(|(own, _)| *own == name).ok_or_else(|| no_port(&name))?;
    open.remove(place);
    Ok(())
}

/// The socket of a port of this process.
pub(super) fn listener(name: &str) -> Result<Arc<UnixListener>> {
    let open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let found = open.iter().find(|(own, _)| own == name).map(|(_, socket)| socket.clone());
    found.ok_or_else(|| no_port(name))
}

/// Waits for a connection to a port; meanwhile communication goes on. `others` are files to watch
/// as well. If `look` reports an error from one of them, there is no connection.
pub(super) fn accept(
    port: &UnixListener,
    other: Option<&dyn AsFd>,
    mut look: impl FnMut() -> Result,
) -> Result<File> {
    loop {
        match port.accept() {
            // Connections of other users are ignored.
            Ok((stream, _)) if !is_of_same_user(stream.as_fd()) => continue,
            // The other side has waited too long and has gone.
            Ok((stream, _)) if wait::has_ended(&stream) => continue,
            Ok((stream, _)) => return Ok(File::from(OwnedFd::from(stream))),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                return Err(Error::new(MPI_ERR_PORT, format!("the port has failed: {error}")));
            }
        }
        let other = other.map(|other| (other.as_fd().as_raw_fd(), false));
        let files: Vec<_> = [(port.as_raw_fd(), false)].into_iter().chain(other).collect();
        wait::wait_for_files(&files);
        look()?;
    }
}

/// How long a process waits for `MPI_Comm_accept`: what the hint `timeout` says, in seconds, as
/// with MPICH, or three minutes. The standard wants some limit (MPI 5.0, section 11.9.4).
pub(super) fn patience(hints: MPI_Info) -> Result<Duration> {
    let hint = info::hint(hints, c"timeout")?;
    let seconds = hint.and_then(|text| text.trim().parse().ok());
    Ok(Duration::from_secs(seconds.unwrap_or(180)))
}

/// A connection to a port, once its owner accepts it. `MPI_ERR_PORT` if there is none of that name,
/// or if it is not accepted in time.
pub(super) fn connect_within(name: &str, patience: Duration) -> Result<File> {
    let connection = connect(name)?;
    let end = Instant::now().checked_add(patience);
    if !wait::wait_for_files_until(&[(connection.as_raw_fd(), false)], end) {
        let message = format!("nobody has accepted at the port {name:?} within {patience:?}");
        return Err(Error::new(MPI_ERR_PORT, message));
    }
    Ok(connection)
}

/// A connection to a port; `MPI_ERR_PORT` if there is none of that name.
pub(super) fn connect(name: &str) -> Result<File> {
    if !name.starts_with(BEGINNING) {
        return Err(no_port(name));
    }
    let stream = SocketAddr::from_abstract_name(name)
        .and_then(|address| UnixStream::connect_addr(&address))
        .map_err(|_| no_port(name))?;
    if !is_of_same_user(stream.as_fd()) {
        return Err(Error::new(MPI_ERR_PORT, format!("the port {name:?} is another user's")));
    }
    Ok(File::from(OwnedFd::from(stream)))
}
