//! The performance variables of the process that are stored here; those of communicators are in
//! their contexts.

use super::performance::{Level, Sum, Timer};
use super::watch;

macro_rules! declare {
    ($($kind:ident { $($(#[$doc:meta])* $name:ident)* })*) => {
        $($($(#[$doc])* pub(crate) static $name: $kind = $kind::new();)*)*
    };
}

declare! {
    Sum {
        /// Messages of the program's sends.
        MESSAGES_SENT
        /// Their bytes.
        BYTES_SENT
        /// Of them: the data travelled with the envelope.
        EAGER_SENDS
        /// Of them: the data travelled after the match.
        RENDEZVOUS_SENDS
        /// Of them: from the process to itself.
        SELF_SENDS
        /// Of them: gone at once, without a request.
        IMMEDIATE_SENDS
        /// Messages that the program has received.
        MESSAGES_RECEIVED
        /// Their bytes.
        BYTES_RECEIVED
        /// Messages of the runtime itself.
        INTERNAL_MESSAGES
        /// Their bytes.
        INTERNAL_BYTES
        /// Messages that met a posted receive.
        EXPECTED
        /// Messages that met none.
        UNEXPECTED
        /// Their bytes.
        UNEXPECTED_BYTES_ARRIVED
        /// Receives that met a message that was there already.
        LATE_RECEIVES
        /// Searches of a queue.
        SEARCHES
        /// Envelopes compared in searches.
        MATCH_ATTEMPTS
        /// Looks at the rings.
        PROGRESS_CALLS
        /// Looks at the rings that found nothing.
        IDLE_PROGRESS_CALLS
        /// Records taken out of rings.
        RECORDS
        /// Records that found no room in a ring.
        RING_FULL
        /// Uses of bounce buffers.
        BOUNCES
        /// Messages fetched from the sender's memory.
        SINGLE_COPIES
        /// Their bytes.
        SINGLE_COPY_BYTES
        /// Pieces copied for receivers.
        PIECES
        /// Their bytes.
        PIECE_BYTES
        /// Times that the processor was given away.
        YIELDS
        /// Times that a thread slept.
        SLEEPS
        /// Calls that had to wait.
        WAITS
        /// Other ranks woken.
        WAKE_UPS
        /// Events given to callbacks.
        EVENTS_RAISED
        /// Events that no callback got.
        EVENTS_DROPPED
        /// Barriers.
        BARRIERS
        /// Broadcasts.
        BROADCASTS
        /// Reductions of all kinds, scans included.
        REDUCTIONS
        /// Gathers, scatters and allgathers.
        GATHERS
        /// All-to-all exchanges.
        ALLTOALLS
        /// Collective operations on windows: creation, fences, freeing.
        WINDOW_COLLECTIVES
        /// Puts, also those with a request.
        PUTS
        /// Their bytes.
        PUT_BYTES
        /// Gets, also those with a request.
        GETS
        /// Their bytes.
        GET_BYTES
        /// Operations of windows that combine, swap or fetch.
        ACCUMULATES
        /// Bytes of the elements that they were done to.
        ACCUMULATE_BYTES
        /// Locks of windows that this process had to wait for.
        LOCK_WAITS
        /// Collective operations on files.
        FILE_COLLECTIVES
        /// Reads of files.
        FILE_READS
        /// Their bytes.
        FILE_BYTES_READ
        /// Writes to files.
        FILE_WRITES
        /// Their bytes.
        FILE_BYTES_WRITTEN
        /// Partitions of partitioned sends that are ready.
        PARTITIONS_READY
        /// Processes that this one has had started.
        PROCESSES_SPAWNED
        /// Groups that this process's groups have met.
        GROUPS_MET
    }
    Level {
        /// Posted receives of the program.
        POSTED
        /// Matched receives of the program.
        MATCHED
        /// Unexpected messages for the program.
        UNEXPECTED_MESSAGES
        /// Their bytes.
        UNEXPECTED_BYTES
        /// Active sends of the program.
        SENDS
        /// Blocking probes that wait.
        PROBES
        /// Posted receives of the runtime itself.
        INTERNAL_POSTED
        /// Matched receives of the runtime itself.
        INTERNAL_MATCHED
        /// Unexpected messages for the runtime itself.
        INTERNAL_UNEXPECTED
        /// Their bytes.
        INTERNAL_UNEXPECTED_BYTES
        /// Requests.
        REQUESTS
        /// Communicators of the program.
        COMMUNICATORS
        /// Sends that wait for room in a ring.
        WAITING_FOR_ROOM
        /// Windows.
        WINDOWS
        /// Collective operations under way.
        COLLECTIVES_UNDER_WAY
        /// Messages in attached buffers.
        BUFFERED_MESSAGES
        /// Their bytes, with the overhead.
        BUFFERED_BYTES
        /// Bytes of the program's attached buffers.
        BUFFER_BYTES
        /// Threads that look for messages in a waiting call.
        THREADS_WAITING
        /// Threads asleep.
        THREADS_SLEEPING
    }
}

/// Time spent on searching the queues.
pub(crate) static MATCHING_TIME: Timer = Timer::new(watch::MATCHING);
/// Time spent in calls that wait.
pub(crate) static WAITING_TIME: Timer = Timer::new(watch::WAITING);
/// Time spent asleep.
pub(crate) static SLEEPING_TIME: Timer = Timer::new(watch::SLEEPING);
/// Time spent in collective operations.
pub(crate) static COLLECTIVE_TIME: Timer = Timer::new(watch::COLLECTIVES);
/// Time spent on looking at the rings.
pub(crate) static PROGRESS_TIME: Timer = Timer::new(watch::PROGRESS);
