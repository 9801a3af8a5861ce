//! The worker's side.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;

use rustix::process::{
    Resource, Rlimit, Signal, getrlimit, set_parent_process_death_signal, setrlimit,
};

use super::{Task, What};
use crate::dll::Candidate;
use crate::outcome::Outcome;
use crate::request::Options;

/// Does the task that comes on standard input, a socket, and writes the outcome to it.
///
/// # Errors
/// There is no task, or nobody takes the outcome. Then the process that started this one has ended,
/// or it did not mean to start a worker.
pub(crate) fn run(read: impl FnOnce(What, Options, Candidate) -> Outcome) -> io::Result<()> {
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
    let Task { what, options, dll } = rmp_serde::from_slice(&task).map_err(io::Error::other)?;
    let outcome = read(what, options, dll);
    socket.write_all(&rmp_serde::to_vec_named(&outcome).map_err(io::Error::other)?)?;
    socket.shutdown(Shutdown::Write)
}
