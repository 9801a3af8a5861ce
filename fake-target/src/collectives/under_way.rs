//! A collective operation while a thread is in it, as the tool information interface sees it.

use crate::communicator::Communicator;
use crate::environment::nanoseconds;
use crate::mpi_t::event::{self, types};
use crate::mpi_t::pvar::counters::*;
use crate::mpi_t::watch;

/// The kinds of operations; their numbers are those of the events.
#[derive(Clone, Copy)]
pub(super) enum Operation {
    Barrier = 0,
    Broadcast = 1,
    Reduction = 2,
    Gather = 3,
    Alltoall = 4,
}

/// An operation that this thread is in, until it is dropped.
pub(super) struct UnderWay {
    communicator: &'static Communicator,
    operation: Operation,
    /// The time of the beginning, where somebody wants to know.
    begin: u64,
}

/// A thread enters an operation.
pub(super) fn enter(operation: Operation, communicator: &'static Communicator) -> UnderWay {
    let calls = match operation {
        Operation::Barrier => &BARRIERS,
        Operation::Broadcast => &BROADCASTS,
        Operation::Reduction => &REDUCTIONS,
        Operation::Gather => &GATHERS,
        Operation::Alltoall => &ALLTOALLS,
    };
    calls.add_shared(1);
    COLLECTIVES_UNDER_WAY.change_by(1);
    event::in_call(types::COLLECTIVE_ENTERED, Some(communicator), &[operation as i64]);
    let begin = if watch::is(watch::COLLECTIVES | watch::EVENTS) { nanoseconds() } else { 0 };
    UnderWay { communicator, operation, begin }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        COLLECTIVES_UNDER_WAY.change_by(-1);
        if self.begin != 0 {
            let time = nanoseconds() - self.begin;
            COLLECTIVE_TIME.add_watched(time);
            event::in_call(types::COLLECTIVE_LEFT, Some(self.communicator), &[self.operation as i64, time as i64]);
        }
    }
}
