//! Whether processes had a turn on a processor between two looks. On a busy machine a process may
//! wait for one, and look the same twice although what it waits for has come.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::time::{Duration, Instant};

use mqd_host::job::is_this_host;
use mqd_report::{Process, Report};

/// What the kernel counts of a thread (`/proc/PID/task/TID/schedstat`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Turns {
    /// How long it ran.
    ran: Duration,
    /// How long it was able to run, and waited for a processor.
    waited: Duration,
    /// How often it began to run.
    number: u64,
}

/// Turns that a look costs a thread: it begins to stand still, and goes on.
const OF_A_LOOK: u64 = 3;
/// A thread that ran for so long has looked whether something has come.
const ENOUGH: Duration = Duration::from_millis(1);

impl Turns {
    fn parse(text: &str) -> Option<Turns> {
        let mut numbers = text.split_whitespace().map(|number| number.parse().ok());
        let mut next = || numbers.next().flatten();
        let (ran, waited) = (Duration::from_nanos(next()?), Duration::from_nanos(next()?));
        Some(Turns { ran, waited, number: next()? })
    }

    /// Did it wait for a processor most of the time since, and do hardly anything else?
    fn lacked(self, before: Turns, time: Duration) -> bool {
        self.ran.saturating_sub(before.ran) < ENOUGH
            && self.number.saturating_sub(before.number) <= OF_A_LOOK
            && self.waited.saturating_sub(before.waited) * 2 > time
    }
}

/// The turns of the threads of all processes at one moment.
pub(super) struct AllTurns {
    at: Instant,
    /// By process and thread.
    threads: HashMap<(u32, u32), Turns>,
}

impl AllTurns {
    /// Those of the live processes of this host.
    pub(super) fn now(report: &Report) -> AllTurns {
        let pids = report.processes.iter().filter_map(live);
        AllTurns { at: Instant::now(), threads: pids.flat_map(threads).collect() }
    }

    /// Marks the processes of a second look some thread of which hardly had a turn since.
    pub(super) fn note(&self, second: &mut Report) {
        let now = AllTurns::now(second);
        let time = now.at.duration_since(self.at);
        let lacked = |(id, turns): (&(u32, u32), &Turns)| {
            self.threads.get(id).is_some_and(|old| turns.lacked(*old, time)).then_some(id.0)
        };
        let starved: HashSet<u32> = now.threads.iter().filter_map(lacked).collect();
        for process in &mut second.processes {
            process.starved = live(process).is_some_and(|pid| starved.contains(&pid));
        }
    }
}

fn live(process: &Process) -> Option<u32> {
    let is_here = process.host.as_deref().is_none_or(is_this_host);
    process.pid.filter(|_| is_here && process.core.is_none())
}

fn threads(pid: u32) -> Vec<((u32, u32), Turns)> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let turns = tasks.filter_map(|task| {
        let thread = task.file_name().to_str()?.parse().ok()?;
        let text = fs::read_to_string(task.path().join("schedstat")).ok()?;
        Some(((pid, thread), Turns::parse(&text)?))
    });
    turns.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(ran: u64, waited: u64, number: u64) -> Turns {
        let text = format!("{} {} {number}\n", ran * 1_000_000, waited * 1_000_000);
        Turns::parse(&text).unwrap()
    }

    #[test]
    fn who_waits_for_a_processor_has_no_turn() {
        let second = Duration::from_secs(1);
        let before = turns(100, 200, 300);
        // It only began and ended to stand still.
        assert!(turns(100, 1100, 302).lacked(before, second));
        // It sleeps most of the time, or runs often, or long.
        assert!(!turns(100, 210, 302).lacked(before, second));
        assert!(!turns(100, 1100, 310).lacked(before, second));
        assert!(!turns(150, 1100, 302).lacked(before, second));
        // What the kernel does not count is not known.
        assert_eq!(Turns::parse("1 2"), None);
    }
}
