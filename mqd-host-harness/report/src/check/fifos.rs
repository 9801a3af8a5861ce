//! The queues in shared memory that carry messages, and whether any message is in them.
//!
//! A sender sees how many elements were put into the queue of a receiver up to the moment when it
//! was read. If the receiver has taken out as many when it was read itself, then nothing that the
//! sender had sent is in the queue. Elements of other senders only make this harder to see.
//!
//! Other libraries do not count, but tell how many parts of messages are on their way at the
//! moment. That says something only if all processes stood still at one moment, and were read then.

use rustc_hash::FxHashMap;

use super::ids::{Rank, Slot};
use super::job::Job;
use crate::model::{Address, Fifo, Process, Queue, Status};

/// What the processes say of their queues in shared memory.
pub(super) struct Fifos {
    /// How many elements the reader of a queue has taken out.
    taken: FxHashMap<(Slot, Address), i64>,
    /// From one rank to another: the queues, and how many elements were put in.
    put: FxHashMap<(Slot, Slot), Vec<(Address, i64)>>,
    /// The queues of the host that each process sees, and how many elements were put in.
    put_in_host: FxHashMap<Slot, Vec<(Address, i64)>>,
    /// Processes that stood still together, and how many parts of messages from and to them were on
    /// their way.
    on_the_way: FxHashMap<Slot, i64>,
    /// Processes whose sockets have been empty since an earlier look.
    quiet: FxHashMap<Slot, OtherWay>,
}

/// Messages within a host that may be missed.
struct OtherWay {
    /// The process may have sent some through shared memory that nobody has watched.
    from: bool,
    /// Some may be in shared memory that the process has not taken out.
    to: bool,
}

/// The rank that stands for the process of the same host that takes elements out of a queue.
const OF_HOST: i64 = -2;
/// No rank and no queue: `elements` is what is on its way within the host.
const IN_HOST: i64 = -3;
/// The id that stands for no queue.
const NONE: Address = Address(0);

impl Fifos {
    pub(super) fn new(job: &Job<'_>) -> Fifos {
        let mut fifos = Fifos {
            taken: FxHashMap::default(),
            put: FxHashMap::default(),
            put_in_host: FxHashMap::default(),
            on_the_way: FxHashMap::default(),
            quiet: FxHashMap::default(),
        };
        let mut ranks: FxHashMap<&str, u64> = FxHashMap::default();
        for (_, member) in job.members.numbered() {
            if let Some(host) = member.process.host.as_deref() {
                *ranks.entry(host).or_default() += 1;
            }
        }
        for (slot, member) in job.members.numbered() {
            let sends_to_all_known = !sends_to_unknown(job, slot);
            if member.process.quiet && sends_to_all_known {
                let process = member.process;
                // If the elements of queues are counted, the counts decide.
                let still = process.memory_stands_still && process.fifos.is_none();
                let way = OtherWay {
                    from: process.shares_memory && !still,
                    to: process.shares_memory && !(still && process.took_turns),
                };
                fifos.quiet.insert(slot, way);
            }
            for fifo in member.process.fifos.iter().flatten() {
                if tells_of_moment(fifo) {
                    let among = member.process.host.as_deref().and_then(|host| ranks.get(host));
                    let is_whole = fifo.rank.is_none() || Some(&fifo.id.0) == among;
                    if member.process.held && sends_to_all_known && is_whole {
                        let number = fifos.on_the_way.entry(slot).or_default();
                        *number = number.saturating_add(fifo.elements);
                    }
                    continue;
                }
                let Some(reader) = fifo.rank else {
                    fifos.taken.insert((slot, fifo.id), fifo.elements);
                    continue;
                };
                if !sends_to_all_known {
                    continue;
                }
                if reader == OF_HOST {
                    let put = fifos.put_in_host.entry(slot).or_default();
                    put.push((fifo.id, fifo.elements));
                } else if let Some(reader) = job.slot(Rank::from(reader)) {
                    let put = fifos.put.entry((slot, reader)).or_default();
                    put.push((fifo.id, fifo.elements));
                }
            }
        }
        fifos
    }

    /// Was nothing on its way from or to either rank while both stood still?
    pub(super) fn are_at_rest(&self, job: &Job<'_>, from: Slot, to: Slot) -> bool {
        are_on_one_host(job, from, to) != Some(false)
            && [from, to].iter().all(|slot| self.on_the_way.get(slot) == Some(&0))
    }

    /// Has nothing gone through the sockets of both since an earlier look, and have the messages
    /// between them gone no other way? Processes of different hosts share no memory. If nobody has
    /// written to the memory that ranks share, a rank that waits for messages and had a turn has
    /// taken all of them.
    pub(super) fn are_quiet(&self, job: &Job<'_>, from: Slot, to: Slot) -> bool {
        let apart = are_on_one_host(job, from, to) == Some(false);
        let ways = self.quiet.get(&from).zip(self.quiet.get(&to));
        ways.is_some_and(|(sender, receiver)| apart || !sender.from && !receiver.to)
    }

    /// Is nothing that one rank has sent in the queue of their host that another takes it from?
    fn is_empty_in_host(&self, job: &Job<'_>, from: Slot, to: Slot) -> bool {
        let put = self.put_in_host.get(&from).into_iter().flatten();
        // A process takes elements out of one queue of its host.
        let mut own =
            put.filter_map(|(id, put)| Some((self.taken.get(&(to, *id))?, put))).peekable();
        are_on_one_host(job, from, to) == Some(true)
            && own.peek().is_some()
            && own.all(|(taken, put)| taken >= put)
    }

    /// Is nothing that one rank has sent to another in a queue?
    pub(super) fn are_empty(&self, job: &Job<'_>, from: Slot, to: Slot) -> bool {
        if self.are_at_rest(job, from, to) || self.is_empty_in_host(job, from, to) {
            return true;
        }
        self.put.get(&(from, to)).is_some_and(|put| {
            put.iter().all(|(id, put)| {
                let taken = self.taken.get(&(to, *id));
                *id == NONE || taken.is_some_and(|taken| taken >= put)
            })
        })
    }
}

/// Are the queues of a process those of its host, as with Intel MPI?
pub(super) fn has_fifos_of_host(process: &Process) -> bool {
    process.fifos.iter().flatten().any(|fifo| fifo.rank == Some(OF_HOST))
}

/// Does a process tell what is on its way at the moment? That says something only if all processes
/// of its host stand still.
pub(super) fn tell_of_moment(process: &Process) -> bool {
    process.fifos.iter().flatten().any(tells_of_moment)
}

fn tells_of_moment(fifo: &Fifo) -> bool {
    fifo.id == NONE && fifo.rank.is_none() || fifo.rank == Some(IN_HOST)
}

/// Are two processes on the same host? None: it is not known.
pub(super) fn are_on_one_host(job: &Job<'_>, one: Slot, other: Slot) -> Option<bool> {
    let host = |slot: Slot| job.members[slot].process.host.as_deref();
    host(one).zip(host(other)).map(|(one, other)| one == other)
}

/// Does a rank have a send to a process that is not known? Its message may be about to leave.
fn sends_to_unknown(job: &Job<'_>, slot: Slot) -> bool {
    job.parts(slot).any(|(id, part)| {
        let mut pending =
            part.queue(Queue::Sends).iter().filter(|send| send.status == Status::Pending);
        pending.any(|send| job.peer(id, send).and_then(|peer| peer.rank()).is_none())
    })
}
