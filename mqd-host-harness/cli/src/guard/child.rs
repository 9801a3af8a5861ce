//! The command that starts the job: a child in the same process group, so that the terminal and its
//! job control treat it as if it had been started alone.

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::os::unix::process::ExitStatusExt;
use std::process::{self, Command, ExitCode, ExitStatus};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, kill_process, pidfd_open, setrlimit,
};
use signal_hook::consts::{SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::exfiltrator::origin::WithOrigin;
use signal_hook::iterator::{Handle, SignalsInfo};
use signal_hook::low_level::emulate_default_handler;
use signal_hook::low_level::siginfo::Cause;

use super::super::exit::Exit;
use mqd_host::job::birth;

/// The signals that are handed on.
const HANDED_ON: [i32; 7] = [SIGHUP, SIGINT, SIGQUIT, SIGALRM, SIGTERM, SIGUSR1, SIGUSR2];

/// How long a launcher may take to end its job.
const GRACE: Duration = Duration::from_secs(15);

/// The time between two checks whether the child has ended, on kernels without pidfd (before 5.3).
const TICK: Duration = Duration::from_millis(100);

/// The command was not started.
#[derive(Debug, thiserror::Error)]
pub(super) enum StartError {
    /// The command itself.
    #[error("cannot run {command}: {error}")]
    Command {
        /// Its name.
        command: String,
        /// Why.
        error: io::Error,
    },
    /// Signals cannot be handed on.
    #[error("signals cannot be handed on: {0}")]
    Signals(io::Error),
}

impl StartError {
    /// The exit code that shells and `env` have for it.
    pub(super) fn exit(&self) -> Exit {
        match self {
            StartError::Command { error, .. } if error.kind() == ErrorKind::NotFound => {
                Exit::NoCommand
            }
            _ => Exit::NotRun,
        }
    }
}

/// The child.
pub(super) struct Child {
    process: process::Child,
    /// Readable once the child has ended. `wait` cannot tell this: it also reports a child that was
    /// stopped in order to be read.
    ended: Option<OwnedFd>,
    signals: Handle,
    thread: JoinHandle<()>,
}

impl Child {
    /// Starts it.
    ///
    /// # Errors
    /// It cannot be started.
    pub(super) fn start(command: &[OsString]) -> Result<Child, StartError> {
        let (program, arguments) = command.split_first().unwrap_or_else(|| unreachable!());
        // Before the child starts, so that a signal that comes meanwhile is not lost.
        let ignored = ignored();
        let heard = HANDED_ON.iter().filter(|signal| ignored & (1 << (**signal - 1)) == 0);
        let signals = SignalsInfo::<WithOrigin>::new(heard);
        let mut signals = signals.map_err(StartError::Signals)?;
        let process = Command::new(program).args(arguments).spawn().map_err(|error| {
            StartError::Command { command: program.display().to_string(), error }
        })?;
        let handle = signals.handle();
        let pid = process.id();
        let thread = thread::spawn(move || {
            for origin in &mut signals {
                // The kernel sends those of the terminal to the whole process group.
                if origin.cause != Cause::Kernel {
                    send(pid, origin.signal);
                }
            }
        });
        let ended = id(pid).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        Ok(Child { process, ended, signals: handle, thread })
    }

    /// Its process id.
    pub(super) fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Waits until it has ended, but not longer than the time, if there is one. Returns whether it
    /// has.
    pub(super) fn ends_within(&self, time: Option<Duration>) -> bool {
        let until = time.map(|time| Instant::now() + time);
        loop {
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            // Until it is waited for, no other process gets its id.
            if birth(self.pid()).is_none() {
                return true;
            }
            if left.is_some_and(|left| left.is_zero()) {
                return false;
            }
            match &self.ended {
                Some(ended) => {
                    let timeout = left.and_then(|left| Timespec::try_from(left).ok());
                    // An error means that a signal came. The time is not over then.
                    let _ = poll(&mut [PollFd::new(ended, PollFlags::IN)], timeout.as_ref());
                }
                None => thread::sleep(left.unwrap_or(TICK).min(TICK)),
            }
        }
    }

    /// Ends the launcher, which then ends its ranks. If ranks are left, ends them too; each is
    /// given by its id and start time.
    pub(super) fn end(mut self, ranks: &[(u32, u64)]) {
        send(self.pid(), SIGTERM);
        if !self.ends_within(Some(GRACE)) {
            // It has not been waited for, so the id is still its own.
            let _ = self.process.kill();
        }
        for (pid, begun) in ranks {
            if birth(*pid) == Some(*begun) {
                send(*pid, Signal::KILL.as_raw());
            }
        }
        self.wait();
    }

    /// Its exit code. If a signal has ended it, the same one ends this process.
    pub(super) fn pass_on(mut self) -> ExitCode {
        let Some(status) = self.wait() else { return Exit::NotRun.into() };
        if let Some(signal) = status.signal() {
            // A core file of this process would be of no use.
            let none = Rlimit { current: Some(0), maximum: Some(0) };
            let _ = setrlimit(Resource::Core, none);
            let _ = emulate_default_handler(signal);
            return ExitCode::from(u8::try_from(128 + signal).unwrap_or(u8::MAX));
        }
        ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
    }

    /// From here on no signal is sent to it: its id may soon be that of another process.
    fn wait(&mut self) -> Option<ExitStatus> {
        self.signals.close();
        while !self.thread.is_finished() {
            thread::yield_now();
        }
        self.process.wait().ok()
    }
}

fn id(pid: u32) -> Option<Pid> {
    Pid::from_raw(pid.cast_signed())
}

/// Sends a signal to a process. It may have ended.
fn send(pid: u32, signal: i32) {
    if let Some((pid, signal)) = id(pid).zip(Signal::from_named_raw(signal)) {
        let _ = kill_process(pid, signal);
    }
}

/// The signals that this process ignores, for example because of `nohup`; one bit for each. The
/// child ignores them too, unless they are handled here.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
