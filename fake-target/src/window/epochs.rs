//! The epochs that a process is in (MPI 5.0, section 12.5): which memory it may access, and to
//! which processes its own memory is exposed.

use crate::abi::*;
use crate::engine::request::Request;
use crate::error::{Error, Result};

/// How this process may access the memory of others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AccessEpoch {
    /// Not at all.
    None,
    /// That of all ranks: after a fence. It becomes an epoch once it is used.
    Fence { used: bool },
    /// That of these ranks: between `MPI_Win_start` and `MPI_Win_complete`.
    Started(Vec<usize>),
    /// That of the ranks that it has locked.
    Locked,
    /// That of all ranks: after `MPI_Win_lock_all`.
    LockedAll,
}

/// A lock that this process has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lock {
    /// Together with others.
    Shared,
    /// Alone.
    Exclusive,
    /// The program has asserted that there are no conflicting locks (`MPI_MODE_NOCHECK`).
    Unchecked,
}

/// The state of this process at a window.
pub(super) struct Epochs {
    pub(super) access: AccessEpoch,
    /// By rank, of the lock that this process has.
    pub(super) locks: Box<[Option<Lock>]>,
    /// The exposure that `MPI_Win_post` has opened: the notices of its end, one from each origin.
    pub(super) exposed: Option<Vec<&'static Request>>,
}

fn error(message: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::new(MPI_ERR_RMA_SYNC, message)
}

impl Epochs {
    /// The state at a new window with this number of processes.
    pub(super) fn new(ranks: usize) -> Epochs {
        Epochs { access: AccessEpoch::None, locks: vec![None; ranks].into(), exposed: None }
    }

    /// The epoch that excludes another kind of access, in words.
    fn access_name(&self) -> Option<&'static str> {
        match self.access {
            AccessEpoch::None | AccessEpoch::Fence { used: false } => None,
            AccessEpoch::Fence { used: true } => Some("an epoch of MPI_Win_fence"),
            AccessEpoch::Started(_) => Some("an epoch of MPI_Win_start"),
            AccessEpoch::Locked => Some("an epoch of MPI_Win_lock"),
            AccessEpoch::LockedAll => Some("an epoch of MPI_Win_lock_all"),
        }
    }

    /// `MPI_ERR_RMA_SYNC` if this process is in an access epoch.
    pub(super) fn check_no_access(&self) -> Result {
        match self.access_name() {
            None => Ok(()),
            Some(name) => Err(error(format!("the process is in {name}"))),
        }
    }

    /// `MPI_ERR_RMA_SYNC` if this process exposes its memory by `MPI_Win_post`.
    pub(super) fn check_no_exposure(&self) -> Result {
        match self.exposed {
            None => Ok(()),
            Some(_) => Err(error("the process exposes its memory by MPI_Win_post")),
        }
    }

    /// `MPI_ERR_RMA_SYNC` if an epoch keeps the window from being freed.
    pub(super) fn check_free(&self) -> Result {
        self.check_fence()
    }

    /// `MPI_ERR_RMA_SYNC` if a fence is not allowed now.
    pub(super) fn check_fence(&self) -> Result {
        if let AccessEpoch::Fence { .. } = self.access {
            return self.check_no_exposure();
        }
        self.check_no_access()?;
        self.check_no_exposure()
    }

    /// Begins an operation on the memory of a rank; `MPI_ERR_RMA_SYNC` if no epoch allows it. Only
    /// locks allow one that is `passive`.
    #[inline]
    pub(super) fn operate(&mut self, target: usize, passive: bool) -> Result {
        match &mut self.access {
            AccessEpoch::LockedAll => return Ok(()),
            AccessEpoch::Locked if self.locks[target].is_some() => return Ok(()),
            AccessEpoch::Fence { used } if !passive => {
                *used = true;
                return Ok(());
            }
            AccessEpoch::Started(ranks) if !passive && ranks.contains(&target) => return Ok(()),
            _ => {}
        }
        Err(self.no_epoch(target, passive))
    }

    #[cold]
    fn no_epoch(&self, target: usize, passive: bool) -> Error {
        match &self.access {
            AccessEpoch::None => error(
                "no epoch is open: an operation needs MPI_Win_fence, MPI_Win_start or a lock \
                 before it",
            ),
            AccessEpoch::Started(_) if !passive => {
                error(format!("the rank {target} is not in the group of MPI_Win_start"))
            }
            AccessEpoch::Locked => error(format!("the rank {target} is not locked")),
            _ => error("an operation with a request needs a lock"),
        }
    }

    /// A rank is about to be locked; `MPI_ERR_RMA_SYNC` if that is not allowed.
    pub(super) fn check_lock(&self, target: usize) -> Result {
        match self.access {
            AccessEpoch::Locked if self.locks[target].is_none() => Ok(()),
            AccessEpoch::Locked => Err(error(format!("the rank {target} is locked already"))),
            _ => self.check_no_access(),
        }
    }

    /// A rank is locked.
    pub(super) fn lock(&mut self, target: usize, lock: Lock) {
        self.access = AccessEpoch::Locked;
        self.locks[target] = Some(lock);
    }

    /// Ends the lock of a rank; `MPI_ERR_RMA_SYNC` if there is none.
    pub(super) fn unlock(&mut self, target: usize) -> Result<Lock> {
        let lock = match self.access {
            AccessEpoch::Locked => self.locks[target].take(),
            _ => None,
        };
        let lock = lock.ok_or_else(|| error(format!("the rank {target} is not locked")))?;
        if self.locks.iter().all(Option::is_none) {
            self.access = AccessEpoch::None;
        }
        Ok(lock)
    }

    /// Ends the locks of all ranks; `MPI_ERR_RMA_SYNC` if `MPI_Win_lock_all` has not made them.
    pub(super) fn unlock_all(&mut self) -> Result<Lock> {
        if self.access != AccessEpoch::LockedAll {
            return Err(error("MPI_Win_lock_all has not been called"));
        }
        self.access = AccessEpoch::None;
        let first = self.locks[0].unwrap_or(Lock::Unchecked);
        self.locks.fill(None);
        Ok(first)
    }

    /// `MPI_ERR_RMA_SYNC` unless this rank is locked, or, with none, any rank.
    pub(super) fn check_locked(&self, target: Option<usize>) -> Result {
        let locked = match (&self.access, target) {
            (AccessEpoch::LockedAll, _) | (AccessEpoch::Locked, None) => true,
            (AccessEpoch::Locked, Some(target)) => self.locks[target].is_some(),
            _ => false,
        };
        if locked { Ok(()) } else { Err(error("the target is not locked")) }
    }

    /// Ends the access of `MPI_Win_start`: the ranks of its group.
    pub(super) fn complete(&mut self) -> Result<Vec<usize>> {
        match std::mem::replace(&mut self.access, AccessEpoch::None) {
            AccessEpoch::Started(ranks) => Ok(ranks),
            other => {
                self.access = other;
                Err(error("MPI_Win_start has not been called"))
            }
        }
    }

    /// The notices that end the exposure of `MPI_Win_post`.
    pub(super) fn exposed(&self) -> Result<&[&'static Request]> {
        self.exposed.as_deref().ok_or_else(|| error("MPI_Win_post has not been called"))
    }
}
