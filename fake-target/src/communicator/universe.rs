//! A hidden context of all processes of the job, for processes that have no communicator in common.
//! Ranks in it are those in the job. It exists as long as the engine. Debuggers see it, too.

use std::ffi::c_int;
use std::ptr;
use std::sync::{Arc, OnceLock};

use super::object::UNIVERSE_CONTEXT;
use crate::debug::queues::name_field;
use crate::engine;
use crate::engine::context::{Context, Purpose};
use crate::engine::internal::Partner;
use crate::group::Group;
use crate::process;

static UNIVERSE: OnceLock<&'static Context> = OnceLock::new();

/// Makes the context, once the engine runs.
pub(crate) fn open_universe() {
    UNIVERSE.get_or_init(|| {
        let mut context = Context::new(UNIVERSE_CONTEXT, Purpose::Hidden, process::rank());
        context.count(process::ranks());
        // It stays as long as the context.
        let all: &'static Arc<Group> =
            Box::leak(Box::new(Group::new((0..process::ranks() as c_int).collect())));
        context.head.local_group.set(ptr::from_ref(all.head()));
        context.head.name.set(name_field("all processes of the job"));
        let context = Box::leak(Box::new(context));
        engine::enter().open(context);
        context
    });
}

/// The process with that rank in the job.
pub(super) fn partner(world_rank: c_int) -> Partner {
    let context = UNIVERSE.get().expect("MPI is running: the entry points have checked");
    Partner { context, rank: world_rank, world: world_rank as usize }
}
