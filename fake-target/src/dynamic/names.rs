//! Published names (MPI 5.0, section 11.9.4). A published name is a socket without traffic. Its own
//! name, which every process of this machine can see, contains the service and the port. It ends
//! with the process that has published it, and leaves nothing behind.

use std::ffi::{CStr, c_char};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::{Mutex, PoisonError};

use crate::abi::*;
use crate::error::{Error, Result};
use crate::{info, text};

/// What this process has published: the service, the port, and the socket.
static PUBLISHED: Mutex<Vec<(String, String, UnixDatagram)>> = Mutex::new(Vec::new());

/// The beginning of the names of a service's sockets. Each user has separate names.
fn beginning(service: &str) -> String {
    let mut hasher = DefaultHasher::new();
    service.hash(&mut hasher);
    // SAFETY: only answers.
    let user = unsafe { libc::geteuid() };
    format!("mqdrt-name-{user}-{:016x}-", hasher.finish())
}

/// The port of a service that any process has published.
fn find(service: &str) -> Option<String> {
    let beginning = format!("@{}", beginning(service));
    let sockets = std::fs::read_to_string("/proc/net/unix").unwrap_or_default();
    let mut names = sockets.lines().filter_map(|line| line.split_whitespace().last());
    names.find_map(|name| name.strip_prefix(&beginning)).map(str::to_owned)
}

/// `MPI_Publish_name`: `MPI_ERR_SERVICE` if the name is taken.
pub(crate) fn publish(service_name: &CStr, hints: MPI_Info, port_name: &CStr) -> Result {
    info::check_hints(hints)?;
    let (service, port) = (service_name.to_string_lossy(), port_name.to_string_lossy());
    let refused = |why: String| {
        Error::new(MPI_ERR_SERVICE, format!("{service:?} cannot be published: {why}"))
    };
    if port.is_empty() || port.contains(char::is_whitespace) {
        return Err(Error::new(MPI_ERR_PORT, format!("{port:?} is no port")));
    }
    if find(&service).is_some() {
        return Err(refused("it is published already".into()));
    }
    let socket = SocketAddr::from_abstract_name(beginning(&service) + &port)
        .and_then(|address| UnixDatagram::bind_addr(&address))
        .map_err(|error| refused(error.to_string()))?;
    let mut published = PUBLISHED.lock().unwrap_or_else(PoisonError::into_inner);
    published.push((service.into_owned(), port.into_owned(), socket));
    Ok(())
}

/// `MPI_Unpublish_name`: `MPI_ERR_SERVICE` if this process has not published it.
pub(crate) fn unpublish(service_name: &CStr, hints: MPI_Info, port_name: &CStr) -> Result {
    info::check_hints(hints)?;
    let (service, port) = (service_name.to_string_lossy(), port_name.to_string_lossy());
    let mut published = PUBLISHED.lock().unwrap_or_else(PoisonError::into_inner);
    let place = published.iter().position(|(own, at, _)| *own == service && *at == port);
    let place = place.ok_or_else(|| {
        let message = format!("this process has not published {service:?} for that port");
        Error::new(MPI_ERR_SERVICE, message)
    })?;
    published.remove(place);
    Ok(())
}

/// `MPI_Lookup_name`: `MPI_ERR_NAME` if nobody has published it.
pub(crate) fn look_up(service_name: &CStr, hints: MPI_Info, port_name: *mut c_char) -> Result {
    info::check_hints(hints)?;
    let service = service_name.to_string_lossy();
    let port = find(&service).ok_or_else(|| {
        Error::new(MPI_ERR_NAME, format!("nobody has published the name {service:?}"))
    })?;
    text::copy_out(&port, port_name, MPI_MAX_PORT_NAME as usize).map(drop)
}
