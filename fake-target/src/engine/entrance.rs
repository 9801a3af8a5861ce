//! How threads get into the engine, one at a time.

use super::observe::{self, Event, Subject};
use super::state::{Engine, Settings};
use crate::debug::queues::{mqdrt_root, phase};
use crate::process;
use crate::transport::bootstrap::Job;
use std::ffi::c_int;
use std::io;
use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};

struct Shared(Engine);
// SAFETY: the engine is reached only by `enter`, which lets one thread in at a time; a program that
// asked for MPI_THREAD_SINGLE promises (MPI 5.0, section 11.6.2) to have one thread.
unsafe impl Sync for Shared {}
// SAFETY: nothing in it belongs to the thread that made it.
unsafe impl Send for Shared {}

static ENGINE: OnceLock<Shared> = OnceLock::new();
static LOCK: Mutex<()> = Mutex::new(());
/// Threads that wait to enter while another is inside.
static QUEUED: AtomicUsize = AtomicUsize::new(0);

/// The engine, while nobody else is in it.
pub(crate) struct Guard {
    engine: &'static Engine,
    _lock: Option<MutexGuard<'static, ()>>,
}

impl Deref for Guard {
    type Target = &'static Engine;

    fn deref(&self) -> &&'static Engine {
        &self.engine
    }
}

/// Enters the engine, which must have been started. A thread that is inside must not enter again.
#[inline]
pub(crate) fn enter() -> Guard {
    let lock = process::is_locked().then(lock);
    Guard {
        engine: &ENGINE.get().expect("MPI is running: the entry points have checked").0,
        _lock: lock,
    }
}

fn lock() -> MutexGuard<'static, ()> {
    match LOCK.try_lock() {
        Ok(guard) => guard,
        Err(TryLockError::Poisoned(guard)) => guard.into_inner(),
        Err(TryLockError::WouldBlock) => {
            observe::blocked(true);
            QUEUED.fetch_add(1, Ordering::Relaxed);
            let guard = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
            QUEUED.fetch_sub(1, Ordering::Relaxed);
            observe::blocked(false);
            guard
        }
    }
}

/// Whether another thread waits to enter. A thread that polls for messages has to let it in, since
/// the lock does not guarantee that.
pub(super) fn is_wanted() -> bool {
    QUEUED.load(Ordering::Relaxed) > 0
}

/// The engine, if this thread has entered it already.
pub(crate) fn entered() -> &'static Engine {
    &ENGINE.get().expect("it has been entered").0
}

/// Reports an event of a chapter that is outside the engine.
#[inline(always)]
pub(crate) fn report_outside<'a>(event: Event, subject: impl FnOnce() -> Subject<'a>) {
    if observe::wants(event.bit()) {
        let _engine = enter();
        observe::report(event, subject);
    }
}

/// Starts the engine; `threads` if several threads will use it at a time.
///
/// # Errors
/// The job's shared memory is not available.
pub(crate) fn start(job: &Job, settings: Settings, threads: bool) -> io::Result<()> {
    process::set_threads(threads);
    let engine = Engine::new(job, settings, &mqdrt_root)?;
    if ENGINE.set(Shared(engine)).is_err() {
        return Err(io::Error::other("MPI has been started before"));
    }
    process::set_place(job.rank, job.size, job.first as c_int);
    mqdrt_root.phase.set(phase::RUNNING);
    Ok(())
}

/// From here on several threads may use the engine at a time.
pub(crate) fn allow_threads() {
    process::set_locked();
    let _engine = enter();
    process::set_threads(true);
    mqdrt_root.threads.set(1);
}

/// Whether the engine has been started.
pub(crate) fn is_running() -> bool {
    ENGINE.get().is_some()
}

/// Bytes of the ring between two ranks; 0 before the engine has been started.
pub(crate) fn ring_bytes() -> u64 {
    ENGINE.get().map_or(0, |shared| shared.0.segment.ring_bytes() as u64)
}

/// Bytes of the job's shared memory; 0 before the engine has been started.
pub(crate) fn segment_bytes() -> u64 {
    ENGINE.get().map_or(0, |shared| shared.0.segment.bytes() as u64)
}

/// How full the ring towards a rank is, from 0 to 1.
pub(crate) fn ring_use(rank: usize) -> f64 {
    let peer = ENGINE.get().and_then(|shared| shared.0.peers.get(rank));
    peer.map_or(0.0, |peer| peer.writer.fill())
}
