//! The input of an agent: questions, and a sign of life between them.

use std::io::{self, Write};
use std::os::fd::AsFd;
use std::process::ChildStdin;
use std::sync::{Arc, Mutex, PoisonError, TryLockError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::protocol::{ALIVE, ALIVE_EACH};

/// The standard input of a client. Dropping it closes it, and the agent ends.
#[derive(Debug)]
pub(super) struct Input(Arc<Mutex<ChildStdin>>);

/// Why something cannot be written.
#[derive(Debug)]
pub(super) enum InputError {
    /// The client takes nothing more.
    Closed,
    /// It did not take everything in time.
    Late,
    /// The pipe cannot be used.
    Pipe(io::Error),
}

impl Input {
    /// # Errors
    /// The pipe cannot be set to not block.
    pub(super) fn new(stdin: ChildStdin) -> io::Result<Input> {
        rustix::io::ioctl_fionbio(stdin.as_fd(), true)?;
        Ok(Input(Arc::new(Mutex::new(stdin))))
    }

    /// From now on, tells the agent now and then that its client is there.
    pub(super) fn stay_alive(&self) -> io::Result<()> {
        let stdin = Arc::downgrade(&self.0);
        let tell = move || {
            while tell_alive(&stdin) {
                thread::sleep(ALIVE_EACH);
            }
        };
        thread::Builder::new().name("alive".to_owned()).spawn(tell).map(drop)
    }

    /// Writes a question. This does not block if the agent reads nothing.
    pub(super) fn write(
        &self,
        mut bytes: &[u8],
        begun: Instant,
        limit: Duration,
    ) -> Result<(), InputError> {
        let mut stdin = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while !bytes.is_empty() {
            let left = limit.checked_sub(begun.elapsed()).ok_or(InputError::Late)?;
            let timeout = Timespec::try_from(left).ok();
            match poll(&mut [PollFd::new(&*stdin, PollFlags::OUT)], timeout.as_ref()) {
                Ok(0) | Err(rustix::io::Errno::INTR) => continue,
                Ok(_) => {}
                Err(error) => return Err(InputError::Pipe(error.into())),
            }
            match stdin.write(bytes) {
                Ok(length) => bytes = &bytes[length..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                    return Err(InputError::Closed);
                }
                Err(error) => return Err(InputError::Pipe(error)),
            }
        }
        Ok(())
    }
}

/// Writes a sign of life if no question is being written. The result tells whether there is still
/// somebody to tell. A pipe that is full is no reason to end: the agent may be slow.
fn tell_alive(stdin: &Weak<Mutex<ChildStdin>>) -> bool {
    let Some(stdin) = stdin.upgrade() else { return false };
    let mut stdin = match stdin.try_lock() {
        Ok(stdin) => stdin,
        Err(TryLockError::WouldBlock) => return true,
        Err(TryLockError::Poisoned(stdin)) => stdin.into_inner(),
    };
    match stdin.write_all(&[ALIVE]) {
        Ok(()) => true,
        Err(error) => error.kind() == io::ErrorKind::WouldBlock,
    }
}
