//! A hidden context of all processes of the job, for processes that have no communicator in common.
//! Ranks in it are those in the job. It exists as long as the engine.

use std::ffi::c_int;
use std::sync::OnceLock;

use super::object::UNIVERSE_CONTEXT;
use crate::engine;
use crate::engine::context::{Context, Purpose};
use crate::engine::internal::Partner;
use crate::process;

static UNIVERSE: OnceLock<&'static Context> = OnceLock::new();

/// Makes the context, once the engine runs.
pub(crate) fn open_universe() {
    UNIVERSE.get_or_init(|| {
        let context =
            Box::leak(Box::new(Context::new(UNIVERSE_CONTEXT, Purpose::Hidden, process::rank())));
        engine::enter().open(context);
        context
    });
}

/// The process with that rank in the job.
pub(super) fn partner(world_rank: c_int) -> Partner {
    let context = UNIVERSE.get().expect("MPI is running: the entry points have checked");
    Partner { context, rank: world_rank, world: world_rank as usize }
}
