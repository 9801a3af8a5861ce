//! The launcher that this process asks to start others: the `mpiexec` that has started it, or, if
//! there is none, one that it starts itself.

use std::env;
use std::ffi::{CStr, OsStr};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::request::{self, Answer, SpawnRequest, is_of_same_user};
use crate::abi::{MPI_ERR_OTHER, MPI_ERR_SPAWN};
use crate::engine::wait;
use crate::error::{Error, Result};
use crate::process;

/// The connection to the launcher that this process has started.
static STARTED: Mutex<Option<UnixStream>> = Mutex::new(None);

/// Held while a process without a launcher spawns others: all its threads share one connection.
static TURN: Mutex<()> = Mutex::new(());

/// Waits until it is this thread's turn to spawn processes. The turn ends with the result.
pub(super) fn turn() -> Option<MutexGuard<'static, ()>> {
    let shares = env::var_os("MQDRT_LAUNCHER").is_none();
    shares.then(|| TURN.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Processes that the launcher has started.
pub(super) struct SpawnedJob {
    pub(super) connection: UnixStream,
    number: usize,
}

/// Has the launcher start processes: `MPI_ERR_SPAWN` if it cannot.
pub(super) fn start(request: &SpawnRequest) -> Result<SpawnedJob> {
    let trouble =
        |error: io::Error| Error::new(MPI_ERR_OTHER, format!("the launcher has failed: {error}"));
    let mut connection = connect()?;
    request::write(&mut connection, &request.to_texts()).map_err(trouble)?;
    loop {
        match next(&mut connection).map_err(trouble)? {
            Answer::Started(number) => return Ok(SpawnedJob { connection, number }),
            Answer::Refused(why) => return Err(Error::new(MPI_ERR_SPAWN, why)),
            // About processes that were started before.
            Answer::Ended(_) => {}
        }
    }
}

impl SpawnedJob {
    /// Fails if the launcher says that one of the processes has ended.
    pub(super) fn look(&mut self) -> Result {
        while wait::is_ready(&self.connection) {
            match next(&mut self.connection) {
                Ok(Answer::Ended(number)) if number == self.number => {
                    let message = "a process has ended before it called MPI_Init";
                    return Err(Error::new(MPI_ERR_SPAWN, message));
                }
                Ok(_) => {}
                Err(error) => {
                    let message = format!("the launcher has gone: {error}");
                    return Err(Error::new(MPI_ERR_SPAWN, message));
                }
            }
        }
        Ok(())
    }
}

/// The next answer; meanwhile communication goes on.
fn next(connection: &mut UnixStream) -> io::Result<Answer> {
    use std::os::fd::AsRawFd;
    wait::wait_for_files(&[(connection.as_raw_fd(), false)]);
    let texts = request::read(connection)?;
    Answer::of_texts(&texts).ok_or_else(|| io::Error::other("its answer makes no sense"))
}

fn connect() -> Result<UnixStream> {
    if let Some(name) = env::var_os("MQDRT_LAUNCHER") {
        let stream = SocketAddr::from_abstract_name(name.as_bytes())
            .and_then(|address| UnixStream::connect_addr(&address))
            .map_err(|error| {
                Error::new(MPI_ERR_SPAWN, format!("the launcher cannot be reached: {error}"))
            })?;
        return match is_of_same_user(stream.as_fd()) {
            true => Ok(stream),
            false => Err(Error::new(MPI_ERR_SPAWN, "the launcher is another user's")),
        };
    }
    let mut started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    if started.is_none() {
        *started = Some(start_launcher()?);
    }
    let stream = started.as_ref().expect("just started").try_clone();
    stream.map_err(|error| Error::new(MPI_ERR_SPAWN, format!("no descriptor can be had: {error}")))
}

/// Starts a launcher that serves this process until the process ends.
fn start_launcher() -> Result<UnixStream> {
    let program = mpiexec().ok_or_else(|| {
        let message = "no launcher is beside the MPI library (bin/mpiexec); start the program with \
                       this library's mpiexec";
        Error::new(MPI_ERR_SPAWN, message)
    })?;
    let trouble = |error: io::Error| {
        let message = format!("the launcher {} cannot be started: {error}", program.display());
        Error::new(MPI_ERR_SPAWN, message)
    };
    let (ours, theirs) = UnixStream::pair().map_err(trouble)?;
    let child = Command::new(&program)
        .arg("-serve")
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .spawn()
        .map_err(trouble)?;
    process::set_launcher(child.id() as i32);
    Ok(ours)
}

/// The `mpiexec` that belongs to this library.
fn mpiexec() -> Option<PathBuf> {
    let library = own_file()?;
    let directory = library.parent()?;
    let installed = directory.parent().map(|prefix| prefix.join("bin/mpiexec"));
    let found = installed.into_iter().chain([directory.join("mpiexec")]);
    found.filter(|file| file.is_file()).map(|file| file.to_owned()).next()
}

/// The file that this code is in.
fn own_file() -> Option<PathBuf> {
    // SAFETY: the structure is plain data, for which zeros are valid; the call fills it, and the
    // name stays as long as the library.
    let name = unsafe {
        let mut found: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr((&raw const STARTED).cast(), &mut found) == 0 || found.dli_fname.is_null() {
            return None;
        }
        CStr::from_ptr(found.dli_fname)
    };
    Path::new(OsStr::from_bytes(name.to_bytes())).canonicalize().ok()
}
