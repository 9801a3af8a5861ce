//! Groups of processes (MPI 5.0, section 7.2).

pub(crate) mod calls;
pub(crate) mod psets;

use crate::abi::MPI_UNDEFINED;
use crate::debug::queues::mqdrt_group;
use crate::process;
use std::cell::Cell;
use std::ffi::c_int;
use std::sync::Arc;

/// An ordered set of processes. Its head is what debuggers see.
#[repr(C)]
pub(crate) struct Group {
    head: mqdrt_group,
    world_ranks: Box<[c_int]>,
    /// The same for debuggers, if it differs: see [`process::number_of`].
    numbers: Option<Box<[c_int]>>,
    session: usize,
}

// SAFETY: the cells of the head are written before the group is shared and never again.
unsafe impl Sync for Group {}
// SAFETY: nothing in it belongs to a thread; the head's pointer is to the group's own memory.
unsafe impl Send for Group {}

impl Group {
    /// The group of these processes in this order. Processes of this job are given by their ranks
    /// in `MPI_COMM_WORLD`, those of other jobs by numbers after these.
    pub(crate) fn new(world_ranks: Vec<c_int>) -> Arc<Group> {
        Group::of_session(world_ranks, 0)
    }

    /// The same, derived from a session (see [`Group::session`]).
    pub(crate) fn of_session(world_ranks: Vec<c_int>, session: usize) -> Arc<Group> {
        let own = process::rank();
        let rank = world_ranks
            .iter()
            .position(|&rank| rank == own)
            .map_or(MPI_UNDEFINED, |rank| rank as c_int);
        let world_ranks = world_ranks.into_boxed_slice();
        let numbers: Option<Box<[c_int]>> = process::has_other_numbers()
            .then(|| world_ranks.iter().map(|&process| process::number_of(process)).collect());
        let head = mqdrt_group {
            size: Cell::new(world_ranks.len() as c_int),
            rank: Cell::new(rank),
            world_ranks: Cell::new(numbers.as_ref().unwrap_or(&world_ranks).as_ptr()),
        };
        Arc::new(Group { head, world_ranks, numbers, session })
    }

    /// The head for debuggers; it is at the group's own address.
    pub(crate) fn head(&self) -> &mqdrt_group {
        &self.head
    }

    /// The number of processes.
    #[inline]
    pub(crate) fn size(&self) -> c_int {
        self.world_ranks.len() as c_int
    }

    /// The session that it comes from, by its handle; 0: from none.
    pub(crate) fn session(&self) -> usize {
        self.session
    }

    /// The rank of this process, or `MPI_UNDEFINED`.
    #[inline]
    pub(crate) fn rank(&self) -> c_int {
        self.head.rank.get()
    }

    /// The world ranks in the order of the group, or numbers of processes of other jobs.
    #[inline]
    pub(crate) fn world_ranks(&self) -> &[c_int] {
        &self.world_ranks
    }
}
