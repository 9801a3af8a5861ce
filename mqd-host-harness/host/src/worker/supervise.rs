//! The side that starts workers and bears with them.

use std::io::{self, PipeReader, Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use mqd_report::{Problem, ProblemKind};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::{SUBCOMMAND, Task, What};
use crate::dll::Candidate;
use crate::outcome::{Outcome, Verdict};
use crate::request::{Options, Workers};

/// What is kept of a DLL's prints: enough to see what it is about.
const MOST_PRINTED: usize = 8 * 1024;

/// Reads a process in a worker. Whatever happens to the worker is told in the outcome.
pub(crate) fn supervise(
    workers: &Workers,
    what: What,
    options: &Options,
    dll: &Candidate,
) -> Outcome {
    let options = Options { dll: None, workers: None, ..options.clone() };
    let task = Task { what, options, dll: dll.clone() };
    let path = &dll.path;
    let mut printed = Vec::new();
    let done = start(workers, &task)
        .map_err(|error| {
            format!("cannot start a process for the debug DLL {}: {error}", path.display())
        })
        .and_then(|worker| {
            let end = worker.wait(workers, &mut printed);
            end.map_err(|why| format!("the debug DLL {} {why}", path.display()))
        });
    let mut outcome = done.unwrap_or_else(|error| {
        let mut outcome = task.what.request().outcome();
        outcome.verdict = Verdict::NoQueues;
        let problem = Problem::new(ProblemKind::DllFailed, error);
        outcome.process.errors.push(problem.about(path.display().to_string()));
        outcome.cost.dll = Some(path.clone());
        outcome
    });
    let lines = String::from_utf8_lossy(&printed);
    outcome.messages.extend(
        lines.lines().map(str::trim_end).filter(|line| !line.is_empty()).map(str::to_owned),
    );
    outcome
}

/// A process that runs a DLL.
struct Worker {
    child: Child,
    /// Becomes readable when the process ends. Socket and pipe need not end with it: the DLL may
    /// have started processes, too.
    ended: OwnedFd,
    /// What comes from it; `None` after its end.
    answer: Option<UnixStream>,
    prints: Option<PipeReader>,
}

fn start(workers: &Workers, task: &Task) -> io::Result<Worker> {
    let task = rmp_serde::to_vec_named(task).map_err(io::Error::other)?;
    let (mut socket, theirs) = UnixStream::pair()?;
    let (prints, print) = io::pipe()?;
    let mut command = Command::new(&workers.program);
    command.arg(SUBCOMMAND).stdin(OwnedFd::from(theirs)).stdout(print.try_clone()?).stderr(print);
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
    /// Waits for the outcome. An error is what the DLL has done instead, without its name.
    fn wait(mut self, workers: &Workers, printed: &mut Vec<u8>) -> Result<Outcome, String> {
        let deadline = Instant::now() + workers.timeout;
        let mut answer = Vec::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let ended = self
                .wait_for_news(left)
                .map_err(|error| format!("cannot be waited for: {error}"))?;
            drain(&mut self.prints, printed, MOST_PRINTED);
            drain(&mut self.answer, &mut answer, usize::MAX);
            if (ended || self.answer.is_none())
                && let Ok(outcome) = rmp_serde::from_slice(&answer)
            {
                return Ok(outcome);
            }
            if ended {
                let status =
                    self.child.wait().map_err(|error| format!("cannot be waited for: {error}"))?;
                return Err(ending(status));
            }
            if left.is_zero() {
                return Err(format!(
                    "did not come to an end within {} seconds and was stopped: it may go round in \
                     a circle, or need more time (--dll-timeout)",
                    workers.timeout.as_secs_f64()
                ));
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
        // A timeout too long for the kernel is none.
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
fn ending(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => {
            format!("crashed while it read the process ({})", signal_name(signal))
        }
        (_, Some(code)) => {
            format!("ended the program that ran it (exit code {code}) instead of giving an answer")
        }
        (None, None) => "ended the program that ran it".to_owned(),
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
