//! The terminal's input for rank 0. Ranks are process groups of their own and could not read the
//! terminal themselves; other kinds of standard input are inherited and need none of this.

use std::io::{IsTerminal, Stdin};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::ChildStdin;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::unistd::{getpgrp, read, tcgetpgrp, write};

/// Whether our standard input is a terminal, and so has to be passed on.
pub(crate) fn is_terminal() -> bool {
    std::io::stdin().is_terminal()
}

/// What the user types, on its way to rank 0.
pub(crate) struct Input {
    terminal: Stdin,
    rank: Option<ChildStdin>,
    waiting: Vec<u8>,
}

impl Input {
    /// Input that is passed on to `rank`, if there is such a rank.
    pub(crate) fn new(rank: Option<ChildStdin>) -> Input {
        // A rank that does not read must not block us. If this call fails, it may block us; that is
        // no reason to end the job.
        if let Some(pipe) = &rank {
            let _ = fcntl(pipe, FcntlArg::F_SETFL(OFlag::O_NONBLOCK));
        }
        Input { terminal: std::io::stdin(), rank, waiting: Vec::new() }
    }

    /// The terminal, to be polled for reading while rank 0 can take more and we are in the
    /// foreground.
    pub(crate) fn readable(&self) -> Option<BorrowedFd<'_>> {
        (self.rank.is_some() && self.waiting.is_empty() && self.in_foreground())
            .then(|| self.terminal.as_fd())
    }

    /// Rank 0's pipe, to be polled for writing while something waits.
    pub(crate) fn writable(&self) -> Option<BorrowedFd<'_>> {
        self.rank.as_ref().filter(|_| !self.waiting.is_empty()).map(AsFd::as_fd)
    }

    /// Whether we are in the background. The terminal is read again when the user brings us to the
    /// foreground, but no event tells that.
    pub(crate) fn in_background(&self) -> bool {
        self.rank.is_some() && !self.in_foreground()
    }

    /// Takes what was typed. SIGTTIN is blocked, so that reading in the background is an error
    /// (EIO), not a stop.
    pub(crate) fn read(&mut self) {
        let mut buffer = [0; 4096];
        match read(&self.terminal, &mut buffer) {
            Ok(0) => self.rank = None,
            Ok(length) => {
                self.waiting.extend(&buffer[..length]);
                self.write();
            }
            Err(Errno::EINTR | Errno::EAGAIN) => {}
            Err(Errno::EIO) if !self.in_foreground() => {}
            Err(_) => self.rank = None,
        }
    }

    /// Passes on what waits.
    pub(crate) fn write(&mut self) {
        let Some(pipe) = &self.rank else { return };
        match write(pipe, &self.waiting) {
            Ok(written) => drop(self.waiting.drain(..written)),
            Err(Errno::EINTR | Errno::EAGAIN) => {}
            Err(_) => self.rank = None,
        }
    }

    fn in_foreground(&self) -> bool {
        tcgetpgrp(&self.terminal).is_ok_and(|group| group == getpgrp())
    }
}
