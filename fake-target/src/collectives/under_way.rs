//! A collective operation while a thread is in it, as debuggers and tools see it.

use crate::clock;
use crate::communicator::Communicator;
use crate::debug::queues::publish;
use crate::engine;
use crate::engine::context::Context;
use crate::engine::observe::{self, Event, Subject, report};
use crate::variables::counters::*;
use crate::variables::watch;

/// The operations; their numbers are those by which debuggers ask for them
/// (`mqs_get_comm_coll_state`).
#[derive(Clone, Copy)]
pub(crate) enum Collective {
    Barrier = 0,
    Bcast = 1,
    Allgather = 2,
    Allgatherv = 3,
    Allreduce = 4,
    Alltoall = 5,
    Alltoallv = 6,
    ReduceScatter = 7,
    Reduce = 8,
    Gather = 9,
    Gatherv = 10,
    Scan = 11,
    Scatter = 12,
    Scatterv = 13,
    Alltoallw = 14,
    Exscan = 15,
    ReduceScatterBlock = 16,
    NeighborAllgather = 17,
    NeighborAllgatherv = 18,
    NeighborAlltoall = 19,
    NeighborAlltoallv = 20,
    NeighborAlltoallw = 21,
    WinCreate = 22,
    WinAllocate = 23,
    WinAllocateShared = 24,
    WinCreateDynamic = 25,
    WinFree = 26,
    WinFence = 27,
    FileOpen = 28,
    FileClose = 29,
    FileSetSize = 30,
    FilePreallocate = 31,
    FileSetInfo = 32,
    FileSetView = 33,
    FileSetAtomicity = 34,
    FileSync = 35,
    FileSeekShared = 36,
    FileReadAll = 37,
    FileReadAtAll = 38,
    FileReadOrdered = 39,
    FileWriteAll = 40,
    FileWriteAtAll = 41,
    FileWriteOrdered = 42,
    FileReadAllBegin = 43,
    FileReadAtAllBegin = 44,
    FileReadOrderedBegin = 45,
    FileWriteAllBegin = 46,
    FileWriteAtAllBegin = 47,
    FileWriteOrderedBegin = 48,
}

/// Those that can be nonblocking, by their numbers.
const OPERATIONS: [Collective; 22] = {
    use Collective::*;
    [
        Barrier,
        Bcast,
        Allgather,
        Allgatherv,
        Allreduce,
        Alltoall,
        Alltoallv,
        ReduceScatter,
        Reduce,
        Gather,
        Gatherv,
        Scan,
        Scatter,
        Scatterv,
        Alltoallw,
        Exscan,
        ReduceScatterBlock,
        NeighborAllgather,
        NeighborAllgatherv,
        NeighborAlltoall,
        NeighborAlltoallv,
        NeighborAlltoallw,
    ]
};

/// The family of an operation, for the tool information interface. The numbers are those in events.
#[derive(Clone, Copy)]
enum Family {
    Barrier = 0,
    Broadcast = 1,
    Reduction = 2,
    Gather = 3,
    Alltoall = 4,
    Window = 5,
    File = 6,
}

impl Collective {
    fn family(self) -> Family {
        use Collective::*;
        match self {
            Barrier => Family::Barrier,
            Bcast => Family::Broadcast,
            Reduce | Allreduce | ReduceScatter | ReduceScatterBlock | Scan | Exscan => {
                Family::Reduction
            }
            Gather | Gatherv | Scatter | Scatterv | Allgather | Allgatherv | NeighborAllgather
            | NeighborAllgatherv => Family::Gather,
            Alltoall | Alltoallv | Alltoallw | NeighborAlltoall | NeighborAlltoallv
            | NeighborAlltoallw => Family::Alltoall,
            WinCreate | WinAllocate | WinAllocateShared | WinCreateDynamic | WinFree | WinFence => {
                Family::Window
            }
            _ => Family::File,
        }
    }
}

/// An operation that this thread is in, until it is dropped.
pub(crate) struct UnderWay {
    communicator: &'static Communicator,
    operation: Collective,
    /// The time of the beginning, if a tool measures it.
    begin: u64,
}

/// A thread enters an operation. Inlined, since the operation is known there.
#[inline(always)]
pub(crate) fn enter(operation: Collective, communicator: &'static Communicator) -> UnderWay {
    count(operation);
    COLLECTIVES_UNDER_WAY.change_by(1);
    {
        let _engine = engine::enter();
        show_begin(&communicator.program, operation as usize);
    }
    let mut under_way = UnderWay { communicator, operation, begin: 0 };
    report(Event::CollectiveEntered, || under_way.subject(0));
    if watch::is(watch::COLLECTIVES) || observe::wants(Event::CollectiveLeft.bit()) {
        under_way.begin = clock::nanoseconds();
    }
    under_way
}

#[inline(always)]
fn count(operation: Collective) {
    let calls = match operation.family() {
        Family::Barrier => &BARRIERS,
        Family::Broadcast => &BROADCASTS,
        Family::Reduction => &REDUCTIONS,
        Family::Gather => &GATHERS,
        Family::Alltoall => &ALLTOALLS,
        Family::Window => &WINDOW_COLLECTIVES,
        Family::File => &FILE_COLLECTIVES,
    };
    calls.add_shared(1);
}

/// Shows debuggers one more operation of a number on a communicator.
fn show_begin(context: &Context, number: usize) {
    if let Some(seen) = context.collective(number) {
        seen.calls.set(seen.calls.get() + 1);
        publish();
        seen.active.set(seen.active.get() + 1);
    }
}

/// Shows them that it is over.
fn show_end(context: &Context, number: usize) {
    if let Some(seen) = context.collective(number) {
        seen.active.set(seen.active.get() - 1);
    }
}

/// A nonblocking operation with that number begins or ends; the engine is entered.
pub(super) fn watch(context: &'static Context, number: usize, begins: bool) {
    if begins {
        count(OPERATIONS[number]);
        show_begin(context, number);
    } else {
        show_end(context, number);
    }
}

/// A persistent operation with that number begins or ends. Each rank may start its operations in
/// an order of its own (MPI 5.0, section 6.13). So debuggers, which compare the ranks' calls, do
/// not see these.
pub(super) fn watch_persistent(_: &'static Context, number: usize, begins: bool) {
    if begins {
        count(OPERATIONS[number]);
    }
}

impl UnderWay {
    fn subject(&self, nanoseconds: u64) -> Subject<'static> {
        let (context, family) = (&self.communicator.program, self.operation.family() as i64);
        Subject::Collective { context, family, nanoseconds }
    }
}

impl Drop for UnderWay {
    #[inline]
    fn drop(&mut self) {
        {
            let _engine = engine::enter();
            show_end(&self.communicator.program, self.operation as usize);
        }
        COLLECTIVES_UNDER_WAY.change_by(-1);
        if self.begin != 0 {
            let time = clock::nanoseconds() - self.begin;
            COLLECTIVE_TIME.add_watched(time);
            report(Event::CollectiveLeft, || self.subject(time));
        }
    }
}
