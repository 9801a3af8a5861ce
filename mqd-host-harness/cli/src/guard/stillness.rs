//! For how long nothing has moved in a job.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use mqd_report::changes::{ProcessChanges, Tracker};
use mqd_report::check::awaited_call;
use mqd_report::{Address, Process, Report, Text};

/// Nothing has moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Still {
    /// For how long.
    pub(super) time: Duration,
    /// How many looks have shown the same.
    pub(super) looks: usize,
}

/// Compares each look with the one before.
#[derive(Default)]
pub(super) struct Stillness {
    tracker: Tracker,
    /// The looks that have shown the same: when the first one was, and how many there are.
    since: Option<(Instant, usize)>,
    /// What each process was doing at the last look.
    doing: HashMap<(Option<i64>, Option<u32>), Doing>,
}

/// What a process is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Doing {
    /// The MPI function that it is in. A function that only tests counts as none: a rank that polls
    /// for ever does not move.
    function: Option<Text>,
    /// Where it is. None if its messages are counted, which tells more.
    frames: Option<Vec<Address>>,
}

impl Stillness {
    /// Adds a look at the job. `None`: something has moved since the last one, or there was none.
    pub(super) fn look(&mut self, at: Instant, report: &Report) -> Option<Still> {
        let changes = self.tracker.look(None, report);
        let doing: HashMap<_, _> = report
            .processes
            .iter()
            .map(|process| ((process.rank, process.pid), doing(process)))
            .collect();
        // Ranks that a signal has stopped are still for another reason.
        let moved = changes.first
            || report.processes.iter().any(|process| process.stopped)
            || changes.processes.iter().any(has_moved)
            || std::mem::replace(&mut self.doing, doing) != self.doing;
        let (since, looks) = self.since.filter(|_| !moved).unwrap_or((at, 0));
        self.since = Some((since, looks + 1));
        (!moved).then(|| Still { time: at.saturating_duration_since(since), looks: looks + 1 })
    }
}

/// Has something moved besides the call that a process is in?
fn has_moved(changes: &ProcessChanges) -> bool {
    let ProcessChanges {
        process: _,
        new,
        gone,
        advanced,
        activity: _,
        messages,
        collectives,
        appeared,
    } = changes;
    let operations = [new, gone, advanced];
    *appeared
        || messages.is_some()
        || !collectives.is_empty()
        || operations.iter().any(|operations| !operations.is_empty())
}

fn doing(process: &Process) -> Doing {
    let counts = process.communicators.iter().any(|communicator| communicator.traffic.is_some());
    let frames = process.stack().filter(|_| !counts);
    Doing {
        function: awaited_call(process).map(Text::from),
        frames: frames.map(|stack| stack.program().iter().map(|frame| frame.address).collect()),
    }
}
