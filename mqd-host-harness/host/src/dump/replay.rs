//! Reads the processes of snapshots again.

use std::sync::atomic::AtomicU64;

use mqd_inspect::process::{Recording, Target};
use mqd_report::{Extent, Problem, Queue};

use super::Dumper;
use super::open::Opened;
use crate::outcome::Outcome;
use crate::part;
use crate::request::Request;
use crate::snapshot::Entry;

impl Dumper {
    /// Reads the process of this entry of a snapshot.
    pub fn replay(&mut self, request: &Request, entry: Entry, progress: &AtomicU64) -> Outcome {
        self.replay_by(request, entry, None, progress)
    }

    /// Reads the process of an entry that is in no file. An entry without a recording has only its
    /// report.
    pub fn replay_alone(&mut self, mut entry: Entry) -> Outcome {
        let Some(recording) = &mut entry.recording else { return as_asked(entry.into_outcome()) };
        let request = Request::recorded(recording);
        let nothing = Recording::empty(recording.arch.clone());
        let target = Target::recorded(std::mem::replace(&mut **recording, nothing), false);
        let opened = Opened { target, seconds: 0.0 };
        self.replay_by(&request, entry, Some(opened), &AtomicU64::new(0))
    }

    pub(super) fn replay_by(
        &mut self,
        request: &Request,
        entry: Entry,
        opened: Option<Opened>,
        progress: &AtomicU64,
    ) -> Outcome {
        if !entry.can_be_read() {
            let mut outcome = as_asked(entry.into_outcome());
            if (self.given.is_some() || demands_internal()) && outcome.extent != Extent::Unreadable
            {
                let only = "shown as it was captured: the snapshot has only that, nothing that \
                            --dll or --internal could change";
                outcome.warnings.push(only.to_owned());
            }
            return outcome;
        }
        let mut outcome = self.read_target(request, opened, progress);
        // The library's own operations were not asked for when it was captured.
        let lacks_internal = wants_internal()
            && entry.extent == Extent::Complete
            && outcome.extent == Extent::Partial;
        if lacks_internal && self.given.is_none() {
            return entry.into_outcome();
        }
        let failed = matches!(outcome.extent, Extent::Unreadable | Extent::NoQueues);
        if failed
            && self.given.is_none()
            && matches!(entry.extent, Extent::Complete | Extent::Partial)
        {
            let why = Problem::one_line(&outcome.process.errors);
            outcome = as_asked(entry.into_outcome());
            outcome.warnings.push(format!(
                "shown as it was captured, since it cannot be read again here: {why}"
            ));
            return outcome;
        }
        outcome.captured = entry.captured;
        let Outcome { process, .. } = &mut outcome;
        let known = entry.process;
        // The ranks of a spawned job were numbered on.
        if let Some(first) = part::first_rank(&known) {
            part::number_from(process, first);
        }
        (process.rank, process.pid, process.core) =
            (known.rank.or(process.rank), known.pid, known.core);
        (process.executable, process.library) = (known.executable, known.library);
        // A snapshot has nothing from which they could be read again.
        process.stacks = known.stacks;
        (process.host, process.job) = (known.host, known.job);
        match (&mut process.activity, known.activity) {
            (Some(activity), Some(known)) if activity.function == known.function => {
                (activity.concurrent, activity.others) = (known.concurrent, known.others);
            }
            // MPI may have called a function of the program. Only call stacks tell.
            (Some(activity), None) if activity.function.is_some() => process.activity = None,
            _ => {}
        }
        outcome
    }
}

/// The outcome of a snapshot, without the library's own operations unless they are asked for.
fn as_asked(mut outcome: Outcome) -> Outcome {
    if !wants_internal() {
        for communicator in &mut outcome.process.communicators {
            for queue in Queue::ALL {
                communicator.queue_mut(queue).retain(|operation| !operation.is_internal());
            }
        }
    }
    outcome
}

/// The value of `MQD_INTERNAL` for commands that use the MPI library's own traffic where a snapshot
/// has it. Any value other than `0` and this one is a request of the user.
pub const INTERNAL_WHERE_KEPT: &str = "where-kept";

/// Is the MPI library's own traffic asked for? The debug DLL reads this variable.
fn wants_internal() -> bool {
    std::env::var_os("MQD_INTERNAL").is_some_and(|value| !value.is_empty() && value != "0")
}

/// Has the user demanded it?
fn demands_internal() -> bool {
    wants_internal() && std::env::var_os("MQD_INTERNAL").is_none_or(|v| v != INTERNAL_WHERE_KEPT)
}
