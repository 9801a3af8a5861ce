//! How many files a process may have open. The launcher has several for each rank, and the usual
//! limit of 1024 would be reached with some hundred ranks.

use nix::sys::resource::{Resource, getrlimit, rlim_t, setrlimit};

/// The limit that the user has set.
#[derive(Clone, Copy)]
pub(crate) struct Limit {
    soft: rlim_t,
    hard: rlim_t,
}

impl Limit {
    /// Raises the limit of this process as far as the system allows. The result is the one before;
    /// none if it stays.
    pub(crate) fn raise() -> Option<Limit> {
        let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).ok()?;
        setrlimit(Resource::RLIMIT_NOFILE, hard, hard).ok()?;
        Some(Limit { soft, hard })
    }

    /// Sets the limit again, for a program: some use `select`, which cannot have more files. It is
    /// one system call.
    pub(crate) fn restore(self) -> nix::Result<()> {
        setrlimit(Resource::RLIMIT_NOFILE, self.soft, self.hard)
    }
}
