//! How far the hosts of a job are, for people who wait.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A host that has not answered for this time is slow.
const SLOW: Duration = Duration::from_secs(2);

/// How far each host is with the last question.
#[derive(Debug, Default)]
pub struct Tally {
    hosts: Mutex<BTreeMap<String, Stage>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// It was asked at this time.
    Asked(Instant),
    Done,
    Failed,
}

impl Tally {
    /// A host is asked.
    pub(super) fn ask(&self, host: &str) {
        self.set(host, Stage::Asked(Instant::now()));
    }

    /// A host has answered, or failed.
    pub(super) fn answer(&self, host: &str, has_failed: bool) {
        self.set(host, if has_failed { Stage::Failed } else { Stage::Done });
    }

    fn set(&self, host: &str, stage: Stage) {
        self.hosts().insert(host.to_owned(), stage);
    }

    fn hosts(&self) -> MutexGuard<'_, BTreeMap<String, Stage>> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `2 of 4 hosts done, 1 slow, 1 failed`.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hosts = self.hosts();
        let count = |is: fn(&Stage) -> bool| hosts.values().filter(|stage| is(stage)).count();
        let slow = |stage: &Stage| match stage {
            Stage::Asked(since) => since.elapsed() >= SLOW,
            Stage::Done | Stage::Failed => false,
        };
        let done = count(|stage| *stage == Stage::Done);
        write!(f, "{done} of {} hosts done", hosts.len())?;
        for (count, what) in
            [(count(slow), "slow"), (count(|stage| *stage == Stage::Failed), "failed")]
        {
            if count > 0 {
                write!(f, ", {count} {what}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_counted_by_their_last_question() {
        let tally = Tally::default();
        for host in ["a", "b", "c", "d"] {
            tally.ask(host);
        }
        assert_eq!(tally.to_string(), "0 of 4 hosts done");
        tally.answer("a", false);
        tally.answer("b", true);
        let long_ago = Instant::now().checked_sub(2 * SLOW).expect("the machine runs for longer");
        tally.set("c", Stage::Asked(long_ago));
        assert_eq!(tally.to_string(), "1 of 4 hosts done, 1 slow, 1 failed");
        tally.ask("a");
        assert_eq!(tally.to_string(), "0 of 4 hosts done, 1 slow, 1 failed");
    }
}
