//! Whether processes had a turn on a processor between two looks. On a busy machine a process may
//! wait for one, and look the same twice although what it waits for has come.

use std::fs;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

use crate::dump::LOOKS;

/// What the kernel counts of a thread (`/proc/PID/task/TID/schedstat`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Turns {
    /// How long it ran.
    ran: Duration,
    /// How long it was able to run, and waited for a processor.
    waited: Duration,
    /// How often it began to run.
    number: u64,
}

/// Turns that a look costs a thread: it may be stopped several times. Each time it begins to stand
/// still, and goes on.
const OF_A_LOOK: u64 = 3 * LOOKS as u64;
/// A thread that ran for so long has looked whether something has come.
const ENOUGH: Duration = Duration::from_millis(1);

impl Turns {
    fn parse(text: &str) -> Option<Turns> {
        let mut numbers = text.split_whitespace().map(|number| number.parse().ok());
        let mut next = || numbers.next().flatten();
        let (ran, waited) = (Duration::from_nanos(next()?), Duration::from_nanos(next()?));
        Some(Turns { ran, waited, number: next()? })
    }

    /// Did it run since, more than for the looks?
    fn taken(self, before: Turns) -> bool {
        self.ran.saturating_sub(before.ran) >= ENOUGH
            || self.number.saturating_sub(before.number) > OF_A_LOOK
    }

    /// Did it wait for a processor most of the time since, and do hardly anything else?
    fn lacked(self, before: Turns, time: Duration) -> bool {
        !self.taken(before) && self.waited.saturating_sub(before.waited) * 2 > time
    }
}

/// The turns of the threads of a process at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProcessTurns {
    /// By the clock of its host.
    at: Duration,
    /// By the number of the thread.
    threads: Vec<(u32, Turns)>,
}

impl ProcessTurns {
    /// Those of a process of this host. There are none if the kernel does not count them.
    pub(crate) fn now(pid: u32) -> ProcessTurns {
        let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        let turns = tasks.filter_map(|task| {
            let thread = task.file_name().to_str()?.parse().ok()?;
            let text = fs::read_to_string(task.path().join("schedstat")).ok()?;
            Some((thread, Turns::parse(&text)?))
        });
        let now = clock_gettime(ClockId::Monotonic);
        let at = Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec as u32);
        ProcessTurns { at, threads: turns.collect() }
    }

    /// Has some thread hardly had a turn since, and waited for a processor?
    pub(crate) fn lacked_since(&self, before: &ProcessTurns) -> bool {
        let time = self.at.saturating_sub(before.at);
        self.pairs(before).any(|(now, old)| now.lacked(old, time))
    }

    /// Has some thread had a turn since, other than for the looks?
    pub(crate) fn taken_since(&self, before: &ProcessTurns) -> bool {
        self.pairs(before).any(|(now, old)| now.taken(old))
    }

    /// The turns of each thread that was there before, now and then.
    fn pairs(&self, before: &ProcessTurns) -> impl Iterator<Item = (Turns, Turns)> {
        self.threads.iter().filter_map(|(thread, now)| {
            let (_, old) = before.threads.iter().find(|(other, _)| other == thread)?;
            Some((*now, *old))
        })
    }
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
        assert!(turns(100, 1100, 310).lacked(before, second));
        assert!(!turns(100, 1100, 330).lacked(before, second));
        assert!(!turns(150, 1100, 302).lacked(before, second));
        // A thread that is frozen, or sleeps, takes none.
        assert!(!turns(100, 200, 303).taken(before));
        assert!(turns(101, 200, 301).taken(before));
        assert!(turns(100, 200, 330).taken(before));
        // What the kernel does not count is not known.
        assert_eq!(Turns::parse("1 2"), None);
    }

    #[test]
    fn one_thread_without_a_turn_is_enough() {
        let at = |seconds, threads: &[(u32, Turns)]| ProcessTurns {
            at: Duration::from_secs(seconds),
            threads: threads.to_vec(),
        };
        let before = at(5, &[(1, turns(0, 0, 1)), (2, turns(100, 200, 300))]);
        let ran = (1, turns(900, 0, 50));
        assert!(at(6, &[ran, (2, turns(100, 1100, 301))]).lacked_since(&before));
        assert!(!at(6, &[ran, (2, turns(900, 300, 400))]).lacked_since(&before));
        // A thread that was not there before says nothing.
        assert!(!at(6, &[ran, (3, turns(0, 1000, 1))]).lacked_since(&before));
        assert!(!ProcessTurns::now(std::process::id()).threads.is_empty());
    }
}
