//! The worker's side.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;

use crate::decode;
use rustix::process::{
    Resource, Rlimit, Signal, getrlimit, set_parent_process_death_signal, setrlimit,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What a worker answers to: the process that started it.
pub(crate) struct Client {
    socket: UnixStream,
}

impl Client {
    /// Sends a part of the answer.
    ///
    /// # Errors
    /// Nobody takes it.
    pub(crate) fn tell(&mut self, part: &impl Serialize) -> io::Result<()> {
        self.socket.write_all(&rmp_serde::to_vec_named(part).map_err(io::Error::other)?)
    }

    /// Ends the answer.
    ///
    /// # Errors
    /// Nobody takes it.
    pub(crate) fn end(self) -> io::Result<()> {
        self.socket.shutdown(Shutdown::Write)
    }
}

/// Makes this process a worker. The result is the task that comes on standard input, a socket.
///
/// # Errors
/// There is no task: the process that started this one has ended, or it did not mean to start a
/// worker.
pub(crate) fn begin<T: DeserializeOwned>() -> io::Result<(T, Client)> {
    // Interrupted or killed, mqd takes its worker with it, and the kernel sets the target free.
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // The core file of a crash could replace one that is being read.
    setrlimit(
        Resource::Core,
        Rlimit { current: Some(0), maximum: getrlimit(Resource::Core).maximum },
    )?;

    // The socket is moved, so that the DLL finds an empty standard input.
    let mut socket = UnixStream::from(rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?);
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;

    let mut task = Vec::new();
    socket.read_to_end(&mut task)?;
    Ok((decode::from_slice(&task).map_err(io::Error::other)?, Client { socket }))
}
