//! Judges what `mqd check` says about a job by what its ranks recorded.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer, de};
use thiserror::Error;

/// Ranks in `MPI_COMM_WORLD`.
pub type Ranks = BTreeSet<i64>;

/// The part of the output of `mqd check --format json` that is judged (docs/check.md).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Answer {
    /// Is the job deadlocked?
    pub verdict: Verdict,
    /// With [`Verdict::Deadlocked`]: the ranks that can never go on.
    #[serde(deserialize_with = "ranks")]
    pub stuck: Ranks,
}

/// The verdict of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Some ranks can never go on.
    Deadlocked,
    /// All ranks can go on, or wait for ones that can.
    NotDeadlocked,
    /// It is not known.
    Insufficient,
}

/// What a true answer is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worth {
    /// The verdict is right, with all stuck ranks.
    Right,
    /// It names some of the stuck ranks, and no others.
    Partial,
    /// The verdict is undecided.
    Undecided,
    /// It says that ranks can go on which are about to get stuck. That is true before they enter
    /// their last call, and false from then on.
    Early,
}

/// A false answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum False {
    /// It calls ranks deadlocked which are not.
    #[error("{named:?} are called deadlocked, and {stuck:?} are")]
    Deadlocked {
        /// Those that it names.
        named: Ranks,
        /// Those that are.
        stuck: Ranks,
    },
    /// It says that there is a deadlock, and names no ranks.
    #[error("a deadlock without ranks, and {stuck:?} are stuck")]
    Nobody {
        /// Those that are.
        stuck: Ranks,
    },
    /// It says that a deadlocked job is not deadlocked.
    #[error("not deadlocked, and {stuck:?} are stuck")]
    NotDeadlocked {
        /// Those that are.
        stuck: Ranks,
    },
}

/// Judges one answer after the other about one job.
#[derive(Clone, Debug)]
pub struct Judge {
    stuck: Ranks,
    perhaps: Ranks,
    /// Whether the stuck ranks are in the calls that they never leave.
    settled: bool,
    last: Option<Worth>,
    best: Option<Worth>,
}

impl Judge {
    /// For a job in which these ranks are stuck or about to enter the calls in which they get
    /// stuck. If there are none, the job is not deadlocked.
    pub fn new(stuck: Ranks) -> Judge {
        Judge { stuck, perhaps: Ranks::new(), settled: false, last: None, best: None }
    }

    /// These ranks get stuck with some MPI libraries only, so an answer may name them.
    #[must_use]
    pub fn perhaps(mut self, ranks: Ranks) -> Judge {
        self.perhaps = ranks;
        self
    }

    /// From now on the stuck ranks are in their last calls, so no answer may say that one of them
    /// can go on.
    #[must_use]
    pub fn settled(mut self) -> Judge {
        self.settled = true;
        self
    }

    /// Judges the next answer.
    ///
    /// # Errors
    ///
    /// When it is false.
    pub fn hear(&mut self, answer: &Answer) -> Result<Worth, False> {
        let stuck = self.stuck.clone();
        let worth = match answer.verdict {
            Verdict::Deadlocked if !answer.stuck.is_subset(&(&stuck | &self.perhaps)) => {
                return Err(False::Deadlocked { named: answer.stuck.clone(), stuck });
            }
            Verdict::Deadlocked if answer.stuck.is_empty() => return Err(False::Nobody { stuck }),
            Verdict::Deadlocked if answer.stuck.is_superset(&stuck) => Worth::Right,
            Verdict::Deadlocked => Worth::Partial,
            Verdict::NotDeadlocked if stuck.is_empty() => Worth::Right,
            Verdict::NotDeadlocked if self.settled => return Err(False::NotDeadlocked { stuck }),
            Verdict::NotDeadlocked => Worth::Early,
            Verdict::Insufficient => Worth::Undecided,
        };
        // Ranks that were rightly named never leave their calls again.
        self.settled |= answer.verdict == Verdict::Deadlocked;
        self.last = Some(worth);
        if self.best != Some(Worth::Right) {
            self.best = Some(worth);
        }
        Ok(worth)
    }

    /// Judges all answers together, after all ranks have had time to get stuck.
    ///
    /// # Errors
    ///
    /// When the last answer says that ranks can go on that are stuck.
    pub fn conclude(&self) -> Result<Found, False> {
        if self.last == Some(Worth::Early) {
            return Err(False::NotDeadlocked { stuck: self.stuck.clone() });
        }
        Ok(match self.best {
            Some(Worth::Right) => Found::Right,
            _ => Found::Undecided,
        })
    }
}

/// The result of a seed for which no answer was false.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The verdict was right, and so were the ranks.
    Right,
    /// The verdict was undecided, or named only some of the ranks.
    Undecided,
}

/// The results of many seeds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Seeds with the right verdict.
    pub right: Vec<u64>,
    /// Seeds that stayed undecided.
    pub undecided: Vec<u64>,
    /// Seeds with a false answer, or that could not be run.
    pub failed: Vec<u64>,
}

/// Too many seeds failed or stayed undecided.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{} seeds right, undecided {:?}, failed {:?}; required: none failed, {percent} % right",
    .score.right.len(), .score.undecided, .score.failed
)]
pub struct Below {
    /// The results of the seeds.
    pub score: Score,
    /// The percentage of seeds that must be right.
    pub percent: usize,
}

impl Score {
    /// Passes if no seed failed and at least this percentage of them is right.
    ///
    /// # Errors
    ///
    /// When it does not pass. An empty set of seeds does not pass.
    pub fn require(&self, percent: usize) -> Result<(), Below> {
        let all = self.right.len() + self.undecided.len() + self.failed.len();
        let enough = all > 0 && self.right.len() * 100 >= all * percent;
        if enough && self.failed.is_empty() {
            return Ok(());
        }
        Err(Below { score: self.clone(), percent })
    }
}

/// Reads ranks as `mqd check` writes them: `0-3,7`.
fn ranks<'de, D: Deserializer<'de>>(text: D) -> Result<Ranks, D::Error> {
    let text = String::deserialize(text)?;
    let number = |text: &str| text.parse::<i64>().map_err(de::Error::custom);
    let mut ranks = Ranks::new();
    for range in text.split(',').filter(|range| !range.is_empty()) {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        ranks.extend(number(first)?..=number(last)?);
    }
    Ok(ranks)
}
