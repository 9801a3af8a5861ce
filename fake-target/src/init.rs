//! The world model: `MPI_Init` and `MPI_Finalize` (MPI 5.0, section 11.2).

use crate::abi::*;
use crate::arguments::Out;
use crate::communicator;
use crate::dynamic::spawn;
use crate::error::{Error, Result};
use crate::launcher;
use crate::lifetime;
use crate::phase::{self, Phase};
use crate::process;
use std::ffi::{c_char, c_int};
use std::sync::OnceLock;
use std::thread::{self, ThreadId};

/// The level of thread support, and the thread that has called `MPI_Init`.
static STARTED: OnceLock<(c_int, ThreadId)> = OnceLock::new();

/// Tag of the barrier at the end; no collective operation uses it.
const FINALIZE_TAG: c_int = -1000;

/// `MPI_Init`
pub(crate) fn init(_argc: *mut c_int, _argv: *mut *mut *mut c_char) -> Result {
    start(MPI_THREAD_SINGLE)
}

/// `MPI_Init_thread`
pub(crate) fn init_thread(
    _argc: *mut c_int,
    _argv: *mut *mut *mut c_char,
    required: c_int,
    provided: *mut c_int,
) -> Result {
    if ![MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE]
        .contains(&required)
    {
        return Err(Error::new(MPI_ERR_ARG, format!("{required} is no level of thread support")));
    }
    if provided.is_null() {
        return Err(Error::new(MPI_ERR_ARG, "provided is a null pointer"));
    }
    start(required)?;
    // SAFETY: not null; MPI's caller passes the address of an int.
    unsafe { provided.write(required) };
    Ok(())
}

fn start(level: c_int) -> Result {
    let started = (level, thread::current().id());
    if phase::world() != Phase::NotInitialized || STARTED.set(started).is_err() {
        return Err(Error::new(MPI_ERR_OTHER, "MPI can be started once only, and it has been"));
    }
    lifetime::begin(level, || {
        communicator::make_predefined(launcher::initial_errhandler());
        phase::set_world(Phase::Running);
    })?;
    spawn::join_parents()
}

/// `MPI_Finalize`
pub(crate) fn finalize() -> Result {
    if !phase::has_world() {
        let message = "MPI_Init has not been called, or MPI_Finalize has";
        return Err(Error::new(MPI_ERR_OTHER, message));
    }
    // The program's last chance to act while MPI still runs (MPI 5.0, section 11.2.4).
    communicator::resolve(MPI_COMM_SELF)?.annex.attributes.delete_all(MPI_COMM_SELF.0)?;
    // Pending messages and answers leave before this process reports its end, and no process ends
    // while another may still need an answer.
    lifetime::drain();
    barrier()?;
    phase::set_world(Phase::Finalized);
    communicator::end_predefined(lifetime::has_others());
    lifetime::end();
    Ok(())
}

/// All ranks of the job meet. Each round doubles the number of ranks that know of each other.
fn barrier() -> Result {
    let world = communicator::resolve(MPI_COMM_WORLD)?;
    world.begin_other();
    let (rank, size) = (world.rank(), world.size());
    let mut distance = 1;
    while distance < size {
        let sent = world.partner((rank + distance) % size).isend(FINALIZE_TAG, &[]);
        world.partner((rank + size - distance) % size).recv(FINALIZE_TAG, &mut [])?;
        sent.wait()?;
        distance *= 2;
    }
    Ok(())
}

/// `MPI_Initialized`
pub(crate) fn initialized(flag: Out<c_int>) -> Result {
    flag.set((phase::world() != Phase::NotInitialized).into());
    Ok(())
}

/// `MPI_Finalized`
pub(crate) fn finalized(flag: Out<c_int>) -> Result {
    flag.set((phase::world() == Phase::Finalized).into());
    Ok(())
}

/// `MPI_Query_thread`
pub(crate) fn query_thread(provided: Out<c_int>) -> Result {
    provided.set(STARTED.get().map_or(MPI_THREAD_SINGLE, |(level, _)| *level));
    Ok(())
}

/// `MPI_Is_thread_main`
pub(crate) fn is_thread_main(flag: Out<c_int>) -> Result {
    let is_main = STARTED.get().is_some_and(|(_, main)| *main == thread::current().id());
    flag.set(is_main.into());
    Ok(())
}

/// `MPI_Abort`: ends the whole job, whatever communicator is given.
pub(crate) fn abort(_comm: MPI_Comm, errorcode: c_int) -> Result {
    eprintln!("{}MPI_Abort with code {errorcode}. The job ends here.", process::prefix());
    process::end_job(errorcode)
}
