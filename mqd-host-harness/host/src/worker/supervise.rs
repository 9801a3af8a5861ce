//! The side that starts workers and survives what they do.

use std::io::{self, PipeReader, Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use serde::Serialize;

use super::{Answer, SUBCOMMAND, Task, What};
use crate::decode;
use crate::dll::Candidate;
use crate::outcome::Outcome;
use crate::request::{Options, Workers};

/// How many bytes of a DLL's output are kept: enough to understand it.
const MOST_PRINTED: usize = 8 * 1024;

/// Why a worker has given no outcome.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The system refused a process.
    #[error("cannot be run in a process of its own: {0}")]
    Start(io::Error),
    /// The system refused to wait for it.
    #[error("cannot be waited for: {0}")]
    Wait(#[from] io::Error),
    /// It took too long.
    #[error(
        "did not come to an end within {} seconds and was killed: it may be in an endless loop, or \
         need more time (--dll-timeout)",
        .0.as_secs_f64()
    )]
    Timeout(Duration),
    /// It was killed by a signal.
    #[error("crashed while it read the process ({})", signal_name(*.0))]
    Signal(i32),
    /// It ended by itself.
    #[error("ended the program that ran it (exit code {0}) instead of giving an answer")]
    Exit(i32),
    /// It ended in a way that the system does not tell.
    #[error("ended the program that ran it")]
    Ended,
}

/// The result of a worker.
#[derive(Debug)]
pub(crate) struct Supervised {
    /// The outcome of the process, or what happened to the worker.
    pub(crate) result: Result<Outcome, Failure>,
    /// The lines that the DLL has printed.
    pub(crate) printed: Vec<String>,
}

/// Reads a process in a worker.
pub(crate) fn supervise(
    workers: &Workers,
    what: What,
    options: &Options,
    dll: &Candidate,
) -> Supervised {
    let options = Options { dll: None, workers: None, ..options.clone() };
    let task = Task { what, options, dll: dll.clone() };
    let mut printed = Vec::new();
    let mut answer = Vec::new();
    let complete = |answer: &[u8]| decode::from_slice::<Answer>(answer).ok().map(Outcome::from);
    let result = run(workers, SUBCOMMAND, &task, &mut answer, &mut printed, complete);
    Supervised { result, printed: lines(&printed) }
}

/// Runs a worker with this subcommand of `mqd`. Its answer and what it prints are kept even if it
/// fails. `complete` makes the result of a complete answer.
pub(crate) fn run<T>(
    workers: &Workers,
    subcommand: &str,
    task: &impl Serialize,
    answer: &mut Vec<u8>,
    printed: &mut Vec<u8>,
    complete: impl Fn(&[u8]) -> Option<T>,
) -> Result<T, Failure> {
    let worker = start(workers, subcommand, task).map_err(Failure::Start)?;
    worker.wait(workers, answer, printed, complete)
}

/// What was printed, as lines.
pub(crate) fn lines(printed: &[u8]) -> Vec<String> {
    let printed = String::from_utf8_lossy(printed);
    let lines = printed.lines().map(str::trim_end).filter(|line| !line.is_empty());
    lines.map(str::to_owned).collect()
}

/// A process that runs a DLL.
struct Worker {
    child: Child,
    /// Becomes readable when the process ends. The socket and the pipe may stay open longer, since
    /// the DLL may have started processes.
    ended: OwnedFd,
    /// What comes from it; `None` after its end.
    answer: Option<UnixStream>,
    prints: Option<PipeReader>,
}

fn start(workers: &Workers, subcommand: &str, task: &impl Serialize) -> io::Result<Worker> {
    let task = rmp_serde::to_vec_named(task).map_err(io::Error::other)?;
    let (mut socket, theirs) = UnixStream::pair()?;
    let (prints, print) = io::pipe()?;
    let mut command = Command::new(&workers.program);
    command.arg(subcommand).stdin(OwnedFd::from(theirs)).stdout(print.try_clone()?).stderr(print);
    let mut child = command.spawn()?;
    // It holds the other ends of socket and pipe, which are to close with their process.
    drop(command);
    let prepared = (|| {
        let pid = Pid::from_child(&child);
        let ended = pidfd_open(pid, PidfdFlags::empty())?;
        socket.write_all(&task)?;
        socket.shutdown(Shutdown::Write)?;
        socket.set_nonblocking(true)?;
        rustix::io::ioctl_fionbio(&prints, true)?;
        Ok(ended)
    })();
    match prepared {
        Ok(ended) => Ok(Worker { child, ended, answer: Some(socket), prints: Some(prints) }),
        Err(error) => {
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
            Err(error)
        }
    }
}

impl Worker {
    /// Waits for the answer. Each part of it may take as long as the whole of another.
    fn wait<T>(
        mut self,
        workers: &Workers,
        answer: &mut Vec<u8>,
        printed: &mut Vec<u8>,
        complete: impl Fn(&[u8]) -> Option<T>,
    ) -> Result<T, Failure> {
        let mut deadline = Instant::now() + workers.timeout;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let ended = self.wait_for_news(left)?;
            drain(&mut self.prints, printed, MOST_PRINTED);
            let before = answer.len();
            drain(&mut self.answer, answer, usize::MAX);
            if answer.len() > before {
                deadline = Instant::now() + workers.timeout;
            }
            if (ended || self.answer.is_none())
                && let Some(result) = complete(answer)
            {
                return Ok(result);
            }
            if ended {
                return Err(ending(self.child.wait()?));
            }
            if left.is_zero() {
                return Err(Failure::Timeout(workers.timeout));
            }
        }
    }

    /// Waits until there is something to read, or the process has ended: then the result is true.
    fn wait_for_news(&self, timeout: Duration) -> io::Result<bool> {
        let streams =
            [self.answer.as_ref().map(AsFd::as_fd), self.prints.as_ref().map(AsFd::as_fd)];
        let mut fds: Vec<_> = [self.ended.as_fd()]
            .into_iter()
            .chain(streams.into_iter().flatten())
            .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN))
            .collect();
        // A timeout that is too long for the kernel is no timeout.
        match poll(&mut fds, Timespec::try_from(timeout).ok().as_ref()) {
            Ok(_) => Ok(fds.first().is_some_and(|ended| !ended.revents().is_empty())),
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// Reads what there is, and keeps the first `most` bytes in all. A stream that has come to its end
/// is closed.
fn drain(stream: &mut Option<impl Read>, kept: &mut Vec<u8>, most: usize) {
    let mut chunk = [0; 16 * 1024];
    while let Some(open) = stream {
        match open.read(&mut chunk) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => *stream = None,
            Ok(count) => kept.extend(&chunk[..count.min(most.saturating_sub(kept.len()))]),
        }
    }
}

/// What a worker did that ended without an outcome.
fn ending(status: ExitStatus) -> Failure {
    match (status.signal(), status.code()) {
        (Some(signal), _) => Failure::Signal(signal),
        (None, Some(code)) => Failure::Exit(code),
        (None, None) => Failure::Ended,
    }
}

fn signal_name(signal: i32) -> String {
    let name = match signal {
        libc::SIGSEGV => "SIGSEGV, bad memory access",
        libc::SIGBUS => "SIGBUS, bad memory access",
        libc::SIGABRT => "SIGABRT, it gave up",
        libc::SIGILL => "SIGILL, bad instruction",
        libc::SIGFPE => "SIGFPE, bad arithmetic",
        libc::SIGKILL => "SIGKILL, somebody killed it, or memory ran out",
        _ => return format!("signal {signal}"),
    };
    format!("signal {signal}, {name}")
}

impl Drop for Worker {
    fn drop(&mut self) {
        // After it has ended both do nothing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
