//! What moves between looks at a job, and how long each operation has been seen. Both follow from
//! the reports and their times alone.
//!
//! The operations of a report have no names. Two operations of successive looks count as the same
//! if they have the same process, communicator, queue, buffer, peer, tag and length. If there are
//! several, the oldest are taken to be gone, because MPI matches in order. An operation may have
//! been replaced by another one that looks the same. If the debug DLL counts messages, this is
//! noticed: the age is then an upper bound, or not known.

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use crate::escape::printable;
use crate::model::{
    Activity, Address, Communicator, Operation, Process, Queue, Report, Status, Text,
};
use crate::words::{count, describe, doing, duration_text};

/// A report, and when it was made.
#[derive(Clone, Debug)]
pub struct Look {
    /// When; `None` if that is not known.
    pub at: Option<SystemTime>,
    /// What was seen.
    pub report: Report,
}

/// Compares each look at a job with the one before.
#[derive(Debug, Default)]
pub struct Tracker {
    /// Was there a look before?
    has_looked: bool,
    /// When the last look was, if that is known.
    last: Option<SystemTime>,
    processes: HashMap<ProcessKey, Known>,
}

/// What has moved since the previous look, and the ages of what is there.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Is it the first look? Then nothing can have moved.
    pub first: bool,
    /// The time since the previous look, if both times are known.
    pub since: Option<Duration>,
    /// The processes where something has moved, in the order of the report.
    pub processes: Vec<ProcessChanges>,
    /// For each operation of the report, in its order (processes, communicators, queues), how long
    /// it has been seen.
    pub ages: Vec<Age>,
}

/// What has moved in a process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessChanges {
    /// The process: an index in the report.
    pub process: usize,
    /// Operations that were not there at the previous look.
    pub new: Vec<String>,
    /// Operations that are no longer there. The program has completed them, or a receive has
    /// matched the unexpected message.
    pub gone: Vec<String>,
    /// Operations that have been matched, or have been completed and are still there.
    pub advanced: Vec<String>,
    /// What the process was doing, and what it is doing now.
    pub activity: Option<(String, String)>,
    /// Messages sent and received since, if the debug DLL counts them and there were any.
    pub messages: Option<(i64, i64)>,
    /// Collective operations called since, if the debug DLL counts them: function and how often.
    pub collectives: Vec<(Text, i64)>,
    /// Was the process missing or unreadable at the previous look?
    pub appeared: bool,
}

/// How long an operation has been seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Age {
    /// It was there at the first look, so it is at least this old.
    AtLeast(Duration),
    /// It appeared this long ago.
    Since(Duration),
    /// Messages were exchanged between the two ranks: it may have replaced an equal operation.
    AtMost(Duration),
    /// It may have replaced an equal operation that was there at the first look, or the times of
    /// the looks are not known.
    NotKnown,
}

/// What identifies a process from look to look.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum ProcessKey {
    Rank(i64),
    Pid(Option<u32>, Option<String>),
}

/// What is known of a process since the last look.
#[derive(Debug, Default)]
struct Known {
    activity: Option<Activity>,
    operations: HashMap<Identity, Vec<Seen>>,
    /// Messages sent and received: communicator, peer.
    traffic: HashMap<(Address, i64), (i64, i64)>,
    /// The same of all peers together, under `MPI_ANY_SOURCE`.
    by_any: HashMap<(Address, i64), (i64, i64)>,
    collectives: HashMap<(Address, Text), i64>,
}

/// What identifies an operation from look to look.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Identity {
    communicator: Address,
    queue: Queue,
    buffer: Address,
    peer: i64,
    tag: Option<i64>,
    length: i64,
}

/// An operation that was there at the last look.
#[derive(Clone, Debug)]
struct Seen {
    since: Option<SystemTime>,
    from_the_first: bool,
    doubtful: bool,
    status: Status,
    text: String,
}

impl Tracker {
    /// Adds the next look; returns what has changed.
    pub fn look(&mut self, at: Option<SystemTime>, report: &Report) -> Changes {
        let before = std::mem::replace(&mut self.last, at);
        let first = !std::mem::replace(&mut self.has_looked, true);
        let mut changes = Changes { first, ..Changes::default() };
        changes.since = before.zip(at).and_then(|(before, at)| at.duration_since(before).ok());
        let mut processes = HashMap::new();
        for (index, process) in report.processes.iter().enumerate() {
            let key = key(process);
            let known = self.processes.remove(&key);
            // A process that could not be read is not gone: its queues are not known.
            if process.communicators.is_empty() && !process.errors.is_empty() {
                processes.extend(known.map(|known| (key, known)));
                continue;
            }
            let mut moved = ProcessChanges {
                process: index,
                appeared: !first && known.is_none(),
                ..ProcessChanges::default()
            };
            let appeared = moved.appeared;
            let now =
                moved.take_in(process, known.unwrap_or_default(), (at, first), &mut changes.ages);
            if appeared {
                // These are counted from the beginning, not since the previous look.
                (moved.messages, moved.collectives) = (None, Vec::new());
            }
            processes.insert(key, now);
            if !first && moved != (ProcessChanges { process: index, ..ProcessChanges::default() }) {
                changes.processes.push(moved);
            }
        }
        self.processes = processes;
        changes
    }
}

impl ProcessChanges {
    /// The changes as lines of text, with at most `most` operations of each kind.
    pub fn lines(&self, most: usize) -> Vec<String> {
        let mut lines = Vec::new();
        if self.appeared {
            lines.push("was missing, or could not be read, at the previous look".to_owned());
        }
        lines
            .extend(self.activity.as_ref().map(|(before, after)| format!("{after}, was {before}")));
        lines.extend(self.messages.map(|(sent, received)| {
            let sent = format!(
                "{} sent",
                count(usize::try_from(sent).unwrap_or(0), "message", "messages")
            );
            format!("{sent}, {received} received")
        }));
        lines.extend(self.collectives.iter().map(|(function, calls)| match calls {
            1 => format!("called {}", printable(function)),
            calls => format!("called {} {calls} times", printable(function)),
        }));
        for (what, operations) in
            [("new", &self.new), ("gone", &self.gone), ("matched or complete", &self.advanced)]
        {
            lines.extend(
                operations.iter().take(most).map(|operation| format!("{what}: {operation}")),
            );
            if operations.len() > most {
                lines.push(format!("{what}: {} more", operations.len() - most));
            }
        }
        lines
    }

    /// Compares a process with what was known of it; the result is what is known now.
    fn take_in(
        &mut self,
        process: &Process,
        mut known: Known,
        (at, first): (Option<SystemTime>, bool),
        ages: &mut Vec<Age>,
    ) -> Known {
        let mut now = Known { activity: process.activity.clone(), ..Known::default() };
        if let (Some(before), Some(after)) = (&known.activity, &now.activity)
            && before.function != after.function
        {
            self.activity = Some((doing(before), doing(after)));
        }
        for communicator in &process.communicators {
            self.count(communicator, &known, &mut now);
            // How many there are of each: fewer than before means that some are gone.
            let mut counts: HashMap<Identity, usize> = HashMap::new();
            for queue in Queue::ALL {
                for operation in communicator.queue(queue) {
                    *counts.entry(identity(communicator, queue, operation)).or_default() += 1;
                }
            }
            for queue in Queue::ALL {
                for operation in communicator.queue(queue) {
                    let identity = identity(communicator, queue, operation);
                    let text = describe(communicator, queue, operation);
                    let old = known.operations.get_mut(&identity).filter(|old| !old.is_empty());
                    let mut seen = match old {
                        Some(old) => {
                            // The oldest ones are gone.
                            let gone = old.len().saturating_sub(counts[&identity]);
                            self.gone.extend(old.drain(..gone).map(|seen| seen.text));
                            old.remove(0)
                        }
                        None => {
                            if !first {
                                self.new.push(text.clone());
                            }
                            Seen {
                                since: at,
                                from_the_first: first,
                                doubtful: false,
                                status: operation.status,
                                text: text.clone(),
                            }
                        }
                    };
                    counts.entry(identity.clone()).and_modify(|count| *count -= 1);
                    if seen.status != operation.status {
                        self.advanced
                            .push(format!("{text}: {}, was {}", operation.status, seen.status));
                    }
                    seen.doubtful |= has_moved(communicator, queue, operation, &known, &now);
                    (seen.status, seen.text) = (operation.status, text);
                    ages.push(age(&seen, at));
                    now.operations.entry(identity).or_default().push(seen);
                }
            }
        }
        // In the order of their texts: operations that are gone have no order in the report.
        let mut gone: Vec<String> =
            known.operations.into_values().flatten().map(|seen| seen.text).collect();
        gone.sort_unstable();
        self.gone.extend(gone);
        now
    }

    /// Counts messages and collective operations.
    fn count(&mut self, communicator: &Communicator, known: &Known, now: &mut Known) {
        let id = communicator.unique_id;
        for traffic in communicator.traffic.iter().flatten() {
            let peer = (id, traffic.local_rank);
            now.traffic.insert(peer, (traffic.sent, traffic.received));
            let all = now.by_any.entry((id, -1)).or_default();
            *all = (all.0 + traffic.sent, all.1 + traffic.received);
            let (sent, received) = known.traffic.get(&peer).copied().unwrap_or_default();
            let (sent, received) = (traffic.sent - sent, traffic.received - received);
            if (sent, received) != (0, 0) {
                let (all_sent, all_received) = self.messages.unwrap_or_default();
                self.messages = Some((all_sent + sent, all_received + received));
            }
        }
        for collective in communicator.collectives.iter().flatten() {
            let Some(calls) = collective.calls else { continue };
            let key = (id, collective.function.clone());
            let more = calls - known.collectives.get(&key).copied().unwrap_or(0);
            if more > 0 {
                self.collectives.push((collective.function.clone(), more));
            }
            now.collectives.insert(key, calls);
        }
    }
}

/// Were there messages since the last look that may have completed such an operation?
fn has_moved(
    communicator: &Communicator,
    queue: Queue,
    operation: &Operation,
    known: &Known,
    now: &Known,
) -> bool {
    let counts = |known: &Known| -> (i64, i64) {
        let (id, peer) = (communicator.unique_id, operation.desired_local_rank);
        let table = if peer == -1 { &known.by_any } else { &known.traffic };
        table.get(&(id, peer)).copied().unwrap_or_default()
    };
    let (before, after) = (counts(known), counts(now));
    if known.traffic.is_empty() {
        return false;
    }
    if queue == Queue::Sends { before.0 != after.0 } else { before.1 != after.1 }
}

fn age(seen: &Seen, at: Option<SystemTime>) -> Age {
    let Some(age) = seen.since.zip(at).and_then(|(since, at)| at.duration_since(since).ok()) else {
        return Age::NotKnown;
    };
    match (seen.from_the_first, seen.doubtful) {
        (true, true) => Age::NotKnown,
        (true, false) => Age::AtLeast(age),
        (false, true) => Age::AtMost(age),
        (false, false) => Age::Since(age),
    }
}

fn key(process: &Process) -> ProcessKey {
    process
        .rank
        .map_or_else(|| ProcessKey::Pid(process.pid, process.core.clone()), ProcessKey::Rank)
}

fn identity(communicator: &Communicator, queue: Queue, operation: &Operation) -> Identity {
    Identity {
        communicator: communicator.unique_id,
        queue,
        buffer: operation.buffer,
        peer: operation.desired_local_rank,
        tag: operation.desired_tag,
        length: operation.desired_length,
    }
}

/// How long an operation has been seen.
pub(crate) fn age_text(age: &Age) -> String {
    match age {
        Age::AtLeast(age) => format!("at least {}", duration_text(*age)),
        Age::Since(age) => duration_text(*age),
        Age::AtMost(age) => format!("at most {}", duration_text(*age)),
        Age::NotKnown => "not known".to_owned(),
    }
}
