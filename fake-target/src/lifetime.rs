//! The life of the library in this process. It begins with `MPI_Init` or the first session, and
//! ends when the world model and all sessions have ended (MPI 5.0, sections 11.2 and 11.3).

use std::ffi::c_int;
use std::sync::{Mutex, PoisonError};

use crate::abi::*;
use crate::communicator;
use crate::debug::dll_name;
use crate::debug::queues::{self, mqdrt_root, types_are_linked};
use crate::engine::{self, Settings, wait};
use crate::error::{Error, Result};
use crate::launcher;
use crate::mpi_t::cvar::environment as environment_of_variables;
use crate::peruse;
use crate::phase::{self, Phase};
use crate::process;
use crate::transport::bootstrap::Job;

/// The number of users of the library: the world model counts as one, and each session as one.
static USERS: Mutex<usize> = Mutex::new(0);

/// Adds a user with this level of thread support. The first one starts the library. `begin` is
/// called before others see that MPI runs.
pub(crate) fn begin(level: c_int, begin: impl FnOnce()) -> Result {
    let mut users = USERS.lock().unwrap_or_else(PoisonError::into_inner);
    let first = !engine::is_running();
    if level != MPI_THREAD_SINGLE {
        process::set_locked();
    }
    if first {
        start(level)?;
    } else if has_threads(level) {
        engine::allow_threads();
    }
    begin();
    *users += 1;
    if *users == 1 {
        phase::set_phase(Phase::Running);
        launcher::note_life(true);
        let _engine = engine::enter();
        mqdrt_root.phase.set(queues::phase::RUNNING);
    }
    if first {
        launcher::watch_exit();
        launcher::wait_at_gate();
    }
    Ok(())
}

/// Removes a user. The last one waits until all pending messages and answers of this process have
/// left.
pub(crate) fn end() {
    let mut users = USERS.lock().unwrap_or_else(PoisonError::into_inner);
    if *users == 1 {
        drain();
    }
    *users -= 1;
    if *users == 0 {
        phase::set_phase(Phase::Finalized);
        launcher::note_life(false);
        let _engine = engine::enter();
        mqdrt_root.phase.set(queues::phase::FINALIZED);
    }
}

/// Waits until all pending messages of this process have left: buffered sends, sends that it does
/// not wait for, and answers.
pub(crate) fn drain() {
    wait::wait_for(wait::Awaited::Other, |engine: &'static engine::Engine| {
        engine.is_drained().then_some(())
    });
}

/// Whether there are users of the library other than one that is about to end.
pub(crate) fn has_others() -> bool {
    *USERS.lock().unwrap_or_else(PoisonError::into_inner) > 1
}

/// Whether several threads may be in MPI at a time.
fn has_threads(level: c_int) -> bool {
    level == MPI_THREAD_MULTIPLE
}

fn start(level: c_int) -> Result {
    // Also in release builds: this reference keeps the types in the library.
    assert!(types_are_linked());
    dll_name::set();
    environment_of_variables::read();
    peruse::note_environment();
    let job =
        Job::from_environment().map_err(|error| Error::new(MPI_ERR_OTHER, error.to_string()))?;
    engine::start(&job, Settings::of_process(), has_threads(level)).map_err(|error| {
        Error::new(MPI_ERR_OTHER, format!("the job's shared memory cannot be had: {error}"))
    })?;
    communicator::open_universe();
    Ok(())
}
