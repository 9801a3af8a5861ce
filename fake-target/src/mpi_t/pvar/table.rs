//! The metadata of performance variables: what programs are told about them, and where each finds
//! its value.

use crate::abi::*;
use crate::engine::{self, context::Context};
use crate::mpi_t::categories::number::*;
use crate::mpi_t::enumeration::Enumeration;
use crate::process;
use crate::variables::counters::*;
use crate::variables::performance::{Level, Sum, Timer, Traffic};
use std::ffi::{c_int, c_void};

/// A performance variable.
pub(crate) struct Pvar {
    /// Its name, unique with its class.
    pub(crate) name: &'static str,
    /// One of `MPI_T_PVAR_CLASS_…`.
    pub(crate) class: c_int,
    /// One of `MPI_T_VERBOSITY_…`.
    pub(crate) verbosity: c_int,
    /// Its category's index.
    pub(crate) category: usize,
    /// The names of its values.
    pub(crate) enumeration: Option<&'static Enumeration>,
    /// Where its value is.
    pub(crate) source: ValueSource,
    /// A sum or a watermark that is always started.
    pub(crate) always: bool,
    /// What it measures, with its unit.
    pub(crate) description: &'static str,
}

/// Where the value of a variable is.
#[derive(Clone, Copy)]
pub(crate) enum ValueSource {
    /// COUNTER, AGGREGATE.
    Sum(&'static Sum),
    /// TIMER.
    Time(&'static Timer),
    /// LEVEL; also the watermarks of the level, depending on the class.
    Level(&'static Level),
    /// The same of a communicator.
    LevelOf(fn(&Context) -> &Level),
    /// COUNTER, AGGREGATE with an element for each rank of a communicator.
    Traffic(fn(&Traffic) -> &Sum),
    /// STATE.
    State(fn() -> c_int),
    /// SIZE.
    Number(fn() -> u64),
    /// SIZE, of a communicator.
    NumberOf(fn(&Context) -> u64),
    /// PERCENTAGE, GENERIC.
    Share(fn() -> f64),
    /// PERCENTAGE with an element for each rank of the job.
    ShareOfRing(fn(usize) -> f64),
}

impl Pvar {
    /// The datatype of its elements.
    pub(crate) fn datatype(&self) -> MPI_Datatype {
        match self.source {
            ValueSource::State(_) => MPI_INT,
            ValueSource::Time(_) | ValueSource::Share(_) | ValueSource::ShareOfRing(_) => {
                MPI_DOUBLE
            }
            _ => MPI_UNSIGNED_LONG,
        }
    }

    /// The kind of object it is bound to.
    pub(crate) fn bind(&self) -> c_int {
        match self.source {
            ValueSource::LevelOf(_) | ValueSource::Traffic(_) | ValueSource::NumberOf(_) => {
                MPI_T_BIND_MPI_COMM
            }
            _ => MPI_T_BIND_NO_OBJECT,
        }
    }

    /// The number of elements, for a communicator if it is bound to one.
    pub(super) fn count(&self, context: Option<&Context>) -> usize {
        match self.source {
            ValueSource::Traffic(_) => context.map_or(0, |context| context.traffic.len()),
            ValueSource::ShareOfRing(_) => process::ranks(),
            _ => 1,
        }
    }

    /// Whether it adds up.
    pub(super) fn is_sum(&self) -> bool {
        matches!(self.source, ValueSource::Sum(_) | ValueSource::Time(_) | ValueSource::Traffic(_))
    }

    /// Whether it is the mark of a level.
    pub(super) fn is_watermark(&self) -> bool {
        [MPI_T_PVAR_CLASS_HIGHWATERMARK, MPI_T_PVAR_CLASS_LOWWATERMARK].contains(&self.class)
    }

    /// Whether the mark is the highest.
    pub(super) fn is_high(&self) -> bool {
        self.class == MPI_T_PVAR_CLASS_HIGHWATERMARK
    }

    /// Whether its value is computed when it is read, and it is not bound to an object.
    pub(super) fn is_computed(&self) -> bool {
        matches!(
            self.source,
            ValueSource::State(_)
                | ValueSource::Number(_)
                | ValueSource::Share(_)
                | ValueSource::ShareOfRing(_)
        )
    }

    /// Computes `count` elements into a caller's buffer, which has room for them. Does nothing for
    /// a stored variable.
    pub(super) fn compute(&self, count: usize, context: Option<&Context>, buf: *mut c_void) {
        // SAFETY: not null (the callers have looked); MPI's caller passes a buffer for `count`
        // elements of the variable's datatype.
        unsafe {
            match self.source {
                ValueSource::State(state) => buf.cast::<c_int>().write(state()),
                ValueSource::Number(number) => buf.cast::<u64>().write(number()),
                ValueSource::NumberOf(number) => buf.cast::<u64>().write(context.map_or(0, number)),
                ValueSource::Share(share) => buf.cast::<f64>().write(share()),
                ValueSource::ShareOfRing(share) => {
                    (0..count)
                        .for_each(|element| buf.cast::<f64>().add(element).write(share(element)));
                }
                ValueSource::Sum(_)
                | ValueSource::Time(_)
                | ValueSource::Level(_)
                | ValueSource::LevelOf(_)
                | ValueSource::Traffic(_) => {}
            }
        }
    }

    /// Whether handles cannot change its value, because a handle has no state of its own for it.
    pub(crate) fn readonly(&self) -> bool {
        !self.is_sum() && !self.is_watermark()
    }

    /// Whether it cannot be started and stopped.
    pub(crate) fn continuous(&self) -> bool {
        self.readonly() || self.always
    }

    /// Whether it can be read and reset at once.
    pub(crate) fn atomic(&self) -> bool {
        !self.readonly()
    }
}

const USER: c_int = MPI_T_VERBOSITY_USER_BASIC;
const DETAIL: c_int = MPI_T_VERBOSITY_USER_DETAIL;
const TUNER: c_int = MPI_T_VERBOSITY_TUNER_BASIC;
const TUNER_DETAIL: c_int = MPI_T_VERBOSITY_TUNER_DETAIL;
const DEVELOPER: c_int = MPI_T_VERBOSITY_MPIDEV_BASIC;

/// How far the process is in its use of MPI.
static PHASE: Enumeration = Enumeration {
    name: "phase",
    items: &[(0, "not_initialized"), (1, "running"), (2, "finalized")],
};

/// What the process does in MPI.
static ACTIVITY: Enumeration =
    Enumeration { name: "activity", items: &[(0, "not_waiting"), (1, "waiting"), (2, "sleeping")] };

fn phase() -> c_int {
    crate::phase::phase() as c_int
}

fn activity() -> c_int {
    match (THREADS_WAITING.get(), THREADS_SLEEPING.get()) {
        (0, 0) => 0,
        (_, 0) => 1,
        _ => 2,
    }
}

/// Comparisons in a search of a queue; 0 before the first search.
fn mean_search() -> f64 {
    MATCH_ATTEMPTS.get() as f64 / SEARCHES.get().max(1) as f64
}

fn communicator_size(context: &Context) -> u64 {
    context.traffic.len() as u64
}

/// The rows: class, name, where the value is, verbosity, category, description; `continuous` in
/// front of sums and watermarks that always run.
macro_rules! table {
    ($($class:ident $name:literal $source:expr, $verbosity:ident $category:ident
        $($enumeration:ident)? $(($always:ident))? $description:literal;)*) => {
        &[$(Pvar {
            name: $name,
            class: table!(@ $class),
            verbosity: $verbosity,
            category: $category,
            enumeration: table!(@enumeration $($enumeration)?),
            source: { use ValueSource::*; $source },
            always: table!(@always $($always)?),
            description: $description,
        }),*]
    };
    (@enumeration $enumeration:ident) => { Some(&$enumeration) };
    (@enumeration) => { None };
    (@always continuous) => { true };
    (@always) => { false };
    (@ STATE) => { MPI_T_PVAR_CLASS_STATE };
    (@ LEVEL) => { MPI_T_PVAR_CLASS_LEVEL };
    (@ SIZE) => { MPI_T_PVAR_CLASS_SIZE };
    (@ PERCENTAGE) => { MPI_T_PVAR_CLASS_PERCENTAGE };
    (@ HIGHWATERMARK) => { MPI_T_PVAR_CLASS_HIGHWATERMARK };
    (@ LOWWATERMARK) => { MPI_T_PVAR_CLASS_LOWWATERMARK };
    (@ COUNTER) => { MPI_T_PVAR_CLASS_COUNTER };
    (@ AGGREGATE) => { MPI_T_PVAR_CLASS_AGGREGATE };
    (@ TIMER) => { MPI_T_PVAR_CLASS_TIMER };
    (@ GENERIC) => { MPI_T_PVAR_CLASS_GENERIC };
}

/// The variables that are there from the beginning.
#[rustfmt::skip]
pub(crate) static TABLE: &[Pvar] = table! {
    STATE "phase" State(phase), USER JOB PHASE "The phase of MPI in this process.";
    STATE "activity" State(activity), USER WAITING ACTIVITY
        "Whether threads of this process wait in MPI calls, and whether one of them sleeps.";
    SIZE "job_size" Number(|| process::ranks() as u64), USER JOB
        "The number of processes of the job.";
    SIZE "ring_size" Number(engine::ring_bytes), TUNER RINGS
        "The size, in bytes, of the ring between two processes; 0 before MPI_Init.";
    SIZE "segment_size" Number(engine::segment_bytes), TUNER RINGS
        "The size, in bytes, of the job's shared memory; 0 before MPI_Init. Only the parts that \
         were touched are in use.";
    SIZE "comm_size" NumberOf(communicator_size), USER JOB
        "The number of ranks that messages of the communicator can go to. In an intercommunicator \
         these are the ranks of the remote group.";
    PERCENTAGE "ring_use" ShareOfRing(engine::ring_use), TUNER RINGS
        "How full the ring to each rank of the job is: one element for each rank.";

    LEVEL "posted_receives" Level(&POSTED), USER QUEUES
        "Receives of the program that wait for a message.";
    HIGHWATERMARK "posted_receives" Level(&POSTED), USER QUEUES
        "The most receives of the program that have waited for a message at the same time.";
    LOWWATERMARK "posted_receives" Level(&POSTED), DETAIL QUEUES
        "The fewest receives of the program that have waited for a message at the same time.";
    LEVEL "matched_receives" Level(&MATCHED), DETAIL QUEUES
        "Receives of the program that have matched a message and that the program has not \
         completed.";
    LEVEL "unexpected_messages" Level(&UNEXPECTED_MESSAGES), USER QUEUES
        "Messages that have arrived and match no receive.";
    HIGHWATERMARK "unexpected_messages" Level(&UNEXPECTED_MESSAGES), USER QUEUES
        "The most unexpected messages at the same time.";
    LOWWATERMARK "unexpected_messages" Level(&UNEXPECTED_MESSAGES), DETAIL QUEUES
        "The fewest unexpected messages at the same time.";
    LEVEL "unexpected_bytes" Level(&UNEXPECTED_BYTES), USER QUEUES
        "Bytes of the unexpected messages, including messages whose data are still at the sender.";
    HIGHWATERMARK "unexpected_bytes" Level(&UNEXPECTED_BYTES), USER QUEUES
        "The most bytes of unexpected messages at the same time.";
    LOWWATERMARK "unexpected_bytes" Level(&UNEXPECTED_BYTES), DETAIL QUEUES
        "The fewest bytes of unexpected messages at the same time.";
    LEVEL "pending_sends" Level(&SENDS), USER QUEUES
        "Sends of the program that the program has not completed, or whose data have not left.";
    HIGHWATERMARK "pending_sends" Level(&SENDS), USER QUEUES
        "The most pending sends at the same time.";
    LOWWATERMARK "pending_sends" Level(&SENDS), DETAIL QUEUES
        "The fewest pending sends at the same time.";
    LEVEL "waiting_probes" Level(&PROBES), DETAIL QUEUES "Blocking probes that wait for a message.";
    LEVEL "sends_without_room" Level(&WAITING_FOR_ROOM), TUNER QUEUES
        "Sends whose envelope waits for room in a ring, including the runtime's own sends.";
    HIGHWATERMARK "sends_without_room" Level(&WAITING_FOR_ROOM), TUNER QUEUES
        "The most sends that have waited for room in a ring at the same time.";
    LEVEL "requests" Level(&REQUESTS), USER RESOURCES
        "Requests that exist, including the runtime's own.";
    HIGHWATERMARK "requests" Level(&REQUESTS), USER RESOURCES (continuous)
        "The most requests at the same time; always counting.";
    LEVEL "communicators" Level(&COMMUNICATORS), USER RESOURCES
        "Communicators of the program, including freed ones with pending operations.";
    HIGHWATERMARK "communicators" Level(&COMMUNICATORS), DETAIL RESOURCES
        "The most communicators at the same time.";
    LEVEL "internal_posted_receives" Level(&INTERNAL_POSTED), DEVELOPER QUEUES
        "Receives of the runtime itself that wait for a message. It uses them for collective \
         operations and to create communicators.";
    LEVEL "internal_unexpected_messages" Level(&INTERNAL_UNEXPECTED), DEVELOPER QUEUES
        "Messages for the runtime itself that match none of its receives.";

    LEVEL "comm_posted_receives" LevelOf(|context| &context.receives_posted), USER QUEUES
        "Receives of the communicator that wait for a message.";
    HIGHWATERMARK "comm_posted_receives" LevelOf(|context| &context.receives_posted), DETAIL QUEUES
        "The most receives of the communicator that have waited for a message at the same time.";
    LOWWATERMARK "comm_posted_receives" LevelOf(|context| &context.receives_posted), DETAIL QUEUES
        "The fewest receives of the communicator that have waited for a message at the same time.";
    LEVEL "comm_matched_receives" LevelOf(|context| &context.receives_matched), DETAIL QUEUES
        "Receives of the communicator that have matched a message and that the program has not \
         completed.";
    LEVEL "comm_unexpected_messages" LevelOf(|context| &context.messages_unexpected), USER QUEUES
        "Messages of the communicator that have arrived and match no receive.";
    HIGHWATERMARK "comm_unexpected_messages" LevelOf(|context| &context.messages_unexpected), DETAIL
        QUEUES
        "The most unexpected messages of the communicator at the same time.";
    LOWWATERMARK "comm_unexpected_messages" LevelOf(|context| &context.messages_unexpected), DETAIL
        QUEUES
        "The fewest unexpected messages of the communicator at the same time.";
    LEVEL "comm_unexpected_bytes" LevelOf(|context| &context.bytes_unexpected), USER QUEUES
        "Bytes of the unexpected messages of the communicator.";
    HIGHWATERMARK "comm_unexpected_bytes" LevelOf(|context| &context.bytes_unexpected), DETAIL
        QUEUES
        "The most bytes of unexpected messages of the communicator at the same time.";

    COUNTER "messages_sent" Sum(&MESSAGES_SENT), USER TRAFFIC
        "Sends of the program that were started.";
    AGGREGATE "bytes_sent" Sum(&BYTES_SENT), USER TRAFFIC
        "Bytes of the sends of the program that were started.";
    COUNTER "messages_received" Sum(&MESSAGES_RECEIVED), USER TRAFFIC
        "Messages that the program has received.";
    AGGREGATE "bytes_received" Sum(&BYTES_RECEIVED), USER TRAFFIC
        "Bytes of the messages that the program has received.";
    COUNTER "comm_messages_sent" Traffic(|traffic| &traffic.messages_sent), USER TRAFFIC
        "Started sends to each rank of the communicator: one element for each rank.";
    AGGREGATE "comm_bytes_sent" Traffic(|traffic| &traffic.bytes_sent), USER TRAFFIC
        "Bytes of the sends to each rank of the communicator: one element for each rank.";
    COUNTER "comm_messages_received" Traffic(|traffic| &traffic.messages_received), USER TRAFFIC
        "Messages received from each rank of the communicator: one element for each rank.";
    AGGREGATE "comm_bytes_received" Traffic(|traffic| &traffic.bytes_received), USER TRAFFIC
        "Bytes received from each rank of the communicator: one element for each rank.";
    COUNTER "internal_messages_sent" Sum(&INTERNAL_MESSAGES), DEVELOPER TRAFFIC
        "Sends of the runtime itself, for collective operations and to create communicators.";
    AGGREGATE "internal_bytes_sent" Sum(&INTERNAL_BYTES), DEVELOPER TRAFFIC
        "Bytes of the sends of the runtime itself.";

    COUNTER "eager_sends" Sum(&EAGER_SENDS), TUNER PROTOCOL
        "Sends of the program whose data travel with the envelope.";
    COUNTER "rendezvous_sends" Sum(&RENDEZVOUS_SENDS), TUNER PROTOCOL
        "Sends of the program whose data travel after the envelope has matched a receive.";
    COUNTER "self_sends" Sum(&SELF_SENDS), TUNER PROTOCOL
        "Sends of the program from this process to itself.";
    COUNTER "immediate_sends" Sum(&IMMEDIATE_SENDS), TUNER PROTOCOL
        "Sends of the program that left at once, without a request.";
    COUNTER "bounces" Sum(&BOUNCES), TUNER PROTOCOL
        "Data of collective operations that this process has copied to a buffer in shared memory, \
         for one receiver or several.";
    COUNTER "single_copies" Sum(&SINGLE_COPIES), TUNER PROTOCOL
        "Messages that this process has fetched from the senders' memory.";
    AGGREGATE "single_copy_bytes" Sum(&SINGLE_COPY_BYTES), TUNER PROTOCOL
        "Bytes of messages to this process that were copied from memory to memory, by this process \
         or by the senders.";
    COUNTER "pieces_helped" Sum(&PIECES), TUNER_DETAIL PROTOCOL
        "Pieces of its own messages that this process has copied to the receivers' memory.";
    AGGREGATE "piece_bytes_helped" Sum(&PIECE_BYTES), TUNER_DETAIL PROTOCOL
        "Bytes of the pieces of its own messages that this process has copied to the receivers' \
         memory.";

    COUNTER "expected_messages" Sum(&EXPECTED), USER MATCHING
        "Messages that matched a posted receive when they arrived.";
    COUNTER "unexpected_arrivals" Sum(&UNEXPECTED), USER MATCHING
        "Messages that matched no posted receive when they arrived.";
    AGGREGATE "unexpected_bytes_arrived" Sum(&UNEXPECTED_BYTES_ARRIVED), DETAIL MATCHING
        "Bytes of the messages that matched no posted receive when they arrived.";
    COUNTER "late_receives" Sum(&LATE_RECEIVES), USER MATCHING
        "Receives that matched a message that had arrived before.";
    COUNTER "queue_searches" Sum(&SEARCHES), TUNER MATCHING (continuous)
        "Searches of a queue for a match, including the runtime's own; always counting.";
    COUNTER "match_attempts" Sum(&MATCH_ATTEMPTS), TUNER MATCHING (continuous)
        "Envelopes compared in the searches; always counting.";
    GENERIC "mean_search_length" Share(mean_search), TUNER MATCHING
        "Envelopes compared in one search: the mean since the program began; 0 before the first \
         search.";
    TIMER "matching_time" Time(&MATCHING_TIME), TUNER MATCHING
        "Seconds spent searching the queues for matches.";

    COUNTER "progress_calls" Sum(&PROGRESS_CALLS), TUNER WAITING
        "Times that the rings were checked for records of other processes.";
    COUNTER "idle_progress_calls" Sum(&IDLE_PROGRESS_CALLS), TUNER WAITING
        "Checks of the rings that found nothing.";
    COUNTER "records" Sum(&RECORDS), TUNER RINGS
        "Records that were taken from rings: messages, pieces and answers.";
    COUNTER "ring_full" Sum(&RING_FULL), TUNER RINGS
        "Attempts to write a record that found no room in the ring.";
    COUNTER "waits" Sum(&WAITS), USER WAITING
        "Calls that had to wait for a message or an answer, including the runtime's own calls.";
    COUNTER "yields" Sum(&YIELDS), TUNER WAITING
        "Times that a waiting thread has given its processor away.";
    COUNTER "sleeps" Sum(&SLEEPS), TUNER WAITING "Times that a waiting thread has slept.";
    COUNTER "wake_ups" Sum(&WAKE_UPS), TUNER WAITING
        "Times that this process has woken a sleeping process, or another of its own threads.";
    LEVEL "threads_waiting" Level(&THREADS_WAITING), DETAIL WAITING "Threads that wait in a call.";
    TIMER "waiting_time" Time(&WAITING_TIME), USER WAITING
        "Seconds that threads have spent in calls after they began to wait.";
    TIMER "sleeping_time" Time(&SLEEPING_TIME), TUNER WAITING
        "Seconds that threads have slept in calls.";
    TIMER "progress_time" Time(&PROGRESS_TIME), TUNER WAITING
        "Seconds spent checking the rings and handling the records found there.";

    COUNTER "barriers" Sum(&BARRIERS), USER COLLECTIVES "Calls of MPI_Barrier.";
    COUNTER "broadcasts" Sum(&BROADCASTS), USER COLLECTIVES "Calls of MPI_Bcast.";
    COUNTER "reductions" Sum(&REDUCTIONS), USER COLLECTIVES
        "Calls of MPI_Reduce, MPI_Allreduce, MPI_Reduce_scatter, MPI_Scan and similar functions.";
    COUNTER "gathers" Sum(&GATHERS), USER COLLECTIVES
        "Calls of MPI_Gather, MPI_Scatter, MPI_Allgather and similar functions.";
    COUNTER "alltoalls" Sum(&ALLTOALLS), USER COLLECTIVES
        "Calls of MPI_Alltoall and similar functions.";
    COUNTER "window_collectives" Sum(&WINDOW_COLLECTIVES), USER COLLECTIVES
        "Calls of MPI_Win_fence, and of functions that create and free windows.";
    COUNTER "file_collectives" Sum(&FILE_COLLECTIVES), USER FILES
        "Calls of collective functions on files.";
    COUNTER "file_reads" Sum(&FILE_READS), USER FILES "Reads of files by this process.";
    AGGREGATE "file_bytes_read" Sum(&FILE_BYTES_READ), USER FILES
        "Bytes that reads of files have brought into memory.";
    COUNTER "file_writes" Sum(&FILE_WRITES), USER FILES "Writes to files by this process.";
    AGGREGATE "file_bytes_written" Sum(&FILE_BYTES_WRITTEN), USER FILES
        "Bytes of memory that were written to files.";
    LEVEL "collectives_under_way" Level(&COLLECTIVES_UNDER_WAY), DETAIL COLLECTIVES
        "Collective operations that threads of this process are in.";
    TIMER "collective_time" Time(&COLLECTIVE_TIME), USER COLLECTIVES
        "Seconds that threads have spent in collective operations.";

    LEVEL "windows" Level(&WINDOWS), USER ONE_SIDED "Windows that have not been freed.";
    COUNTER "puts" Sum(&PUTS), USER ONE_SIDED "Calls of MPI_Put and MPI_Rput that have moved data.";
    AGGREGATE "put_bytes" Sum(&PUT_BYTES), USER ONE_SIDED "Bytes moved by MPI_Put and MPI_Rput.";
    COUNTER "gets" Sum(&GETS), USER ONE_SIDED "Calls of MPI_Get and MPI_Rget that have moved data.";
    AGGREGATE "get_bytes" Sum(&GET_BYTES), USER ONE_SIDED "Bytes moved by MPI_Get and MPI_Rget.";
    COUNTER "accumulates" Sum(&ACCUMULATES), USER ONE_SIDED
        "Calls of MPI_Accumulate, MPI_Get_accumulate, MPI_Fetch_and_op, MPI_Compare_and_swap and \
         similar functions.";
    AGGREGATE "accumulate_bytes" Sum(&ACCUMULATE_BYTES), USER ONE_SIDED
        "Bytes of the elements at the targets of MPI_Accumulate and similar functions.";
    COUNTER "lock_waits" Sum(&LOCK_WAITS), USER ONE_SIDED
        "Locks of windows that this process had to wait for.";

    COUNTER "partitions_ready" Sum(&PARTITIONS_READY), USER TRAFFIC
        "Partitions of partitioned sends that the program has made ready.";
    COUNTER "processes_spawned" Sum(&PROCESSES_SPAWNED), USER JOB
        "Processes that this one has had started, as the root of MPI_Comm_spawn or \
         MPI_Comm_spawn_multiple.";
    COUNTER "groups_met" Sum(&GROUPS_MET), USER JOB
        "Intercommunicators that MPI_Comm_spawn, MPI_Comm_accept, MPI_Comm_connect and \
         MPI_Comm_join have made here, the one with the parents included.";

    COUNTER "events_raised" Sum(&EVENTS_RAISED), DETAIL TOOLS "Calls of callbacks for events.";
    COUNTER "events_dropped" Sum(&EVENTS_DROPPED), DETAIL TOOLS
        "Events that were lost because no callback could be called and the queue of kept events \
         was full.";
};

/// How full the attached buffers are.
fn buffer_use() -> f64 {
    match BUFFER_BYTES.get() {
        0 => 0.0,
        bytes => (BUFFERED_BYTES.get() as f64 / bytes as f64).min(1.0),
    }
}

/// The variables of the attached buffers for buffered sends, added when the program attaches the
/// first one.
#[rustfmt::skip]
pub(crate) static BUFFERS: &[Pvar] = table! {
    LEVEL "attached_buffer_size" Level(&BUFFER_BYTES), USER BUFFERED
        "Bytes of the buffers that the program has attached. An automatic buffer counts as 0 \
         bytes.";
    LEVEL "buffered_messages" Level(&BUFFERED_MESSAGES), USER BUFFERED
        "Messages whose data wait in an attached or automatic buffer.";
    LEVEL "buffered_bytes" Level(&BUFFERED_BYTES), USER BUFFERED
        "Bytes in use in attached buffers, including the overhead of each message.";
    HIGHWATERMARK "buffered_bytes" Level(&BUFFERED_BYTES), USER BUFFERED
        "The most bytes in use in attached buffers at the same time.";
    PERCENTAGE "attached_buffer_use" Share(buffer_use), USER BUFFERED
        "How full the attached buffers are.";
};
