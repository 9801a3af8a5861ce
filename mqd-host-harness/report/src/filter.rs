//! Choosing a part of a report: by rank, communicator, tag and queue.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::model::{Address, Communicator, Operation, Process, Queue, Report};

/// What to keep of a report. An empty list keeps everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Ranks in `MPI_COMM_WORLD`. A process with an unknown rank is kept if it could not be read:
    /// it may have one of these ranks.
    pub ranks: Vec<Numbers>,
    /// Communicators, by name or by `unique_id`.
    pub communicators: Vec<String>,
    /// Tags. A receive with `MPI_ANY_TAG` that nothing has matched yet is kept: it can match any
    /// of them.
    pub tags: Vec<Numbers>,
    /// Queues. The others become empty lists.
    pub queues: Vec<Queue>,
}

impl Filter {
    /// Does this filter keep everything?
    pub fn is_empty(&self) -> bool {
        *self == Filter::default()
    }

    /// Is this rank of the job wanted? The job's process table may tell the rank before the process
    /// is read.
    pub fn wants_rank(&self, rank: i64) -> bool {
        keeps(&self.ranks, rank)
    }

    /// Is this queue wanted?
    pub(crate) fn wants_queue(&self, queue: Queue) -> bool {
        self.queues.is_empty() || self.queues.contains(&queue)
    }

    /// Removes from a report what is not wanted, and notes there that operations may be missing.
    pub fn apply(&self, report: &mut Report) {
        report.processes.retain_mut(|process| self.keep(process));
        let of_operations = Filter { ranks: Vec::new(), ..self.clone() };
        report.filter = (!of_operations.is_empty()).then(|| of_operations.to_string());
    }

    /// The communicators that are wanted and that no process of a report has.
    pub fn unknown_communicators(&self, report: &Report) -> Vec<&str> {
        let processes = report.processes.iter().filter(|process| self.wants_process(process));
        let is_known = |wanted: &String| {
            processes.clone().flat_map(|process| &process.communicators).any(|one| is(one, wanted))
        };
        self.communicators.iter().filter(|wanted| !is_known(wanted)).map(String::as_str).collect()
    }

    /// Removes from a process what is not wanted. Returns whether the process itself is wanted.
    pub fn keep(&self, process: &mut Process) -> bool {
        if !self.wants_process(process) {
            return false;
        }
        process.communicators.retain(|communicator| self.wants_communicator(communicator));
        for communicator in &mut process.communicators {
            for queue in Queue::ALL {
                let wanted = self.wants_queue(queue);
                communicator
                    .queue_mut(queue)
                    .retain(|operation| wanted && self.wants_operation(operation));
            }
        }
        true
    }

    fn wants_process(&self, process: &Process) -> bool {
        match process.rank {
            Some(rank) => self.wants_rank(rank),
            None => self.ranks.is_empty() || !process.errors.is_empty(),
        }
    }

    fn wants_communicator(&self, communicator: &Communicator) -> bool {
        self.communicators.is_empty()
            || self.communicators.iter().any(|wanted| is(communicator, wanted))
    }

    fn wants_operation(&self, operation: &Operation) -> bool {
        match (operation.actual_tag, operation.desired_tag) {
            (Some(actual), desired) => {
                keeps(&self.tags, actual)
                    || desired.is_some_and(|desired| keeps(&self.tags, desired))
            }
            (None, Some(desired)) => keeps(&self.tags, desired),
            (None, None) => true,
        }
    }
}

/// Is this the name or the `unique_id` of a communicator?
fn is(communicator: &Communicator, wanted: &str) -> bool {
    communicator.name == wanted
        || wanted.starts_with("0x") && wanted.parse::<Address>() == Ok(communicator.unique_id)
}

fn keeps(wanted: &[Numbers], number: i64) -> bool {
    wanted.is_empty() || wanted.iter().any(|numbers| numbers.0.contains(&number))
}

impl fmt::Display for Filter {
    /// The filter in the words of the command line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |items: Vec<String>| items.join(",");
        let mut parts = Vec::new();
        if !self.ranks.is_empty() {
            parts.push(format!(
                "--rank {}",
                list(self.ranks.iter().map(Numbers::to_string).collect())
            ));
        }
        if !self.communicators.is_empty() {
            parts.push(format!("--comm {}", list(self.communicators.clone())));
        }
        if !self.tags.is_empty() {
            parts.push(format!(
                "--tag {}",
                list(self.tags.iter().map(Numbers::to_string).collect())
            ));
        }
        if !self.queues.is_empty() {
            let names =
                self.queues.iter().map(|queue| format!("{queue:?}").to_lowercase()).collect();
            parts.push(format!("--queue {}", list(names)));
        }
        f.write_str(&parts.join(" "))
    }
}

/// A number, or a range of numbers: `3`, `0-7`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbers(pub RangeInclusive<i64>);

/// Why a text cannot be parsed as [`Numbers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseNumbersError {
    /// It is neither a number nor a range.
    #[error("expected a number, or a range such as 0-7")]
    Number,
    /// The last number is lower than the first.
    #[error("the range ends before it begins")]
    Empty,
}

impl FromStr for Numbers {
    type Err = ParseNumbersError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = |part: &str| match part.parse::<u32>() {
            Ok(number) => Ok(i64::from(number)),
            Err(_) => Err(ParseNumbersError::Number),
        };
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let range = number(first)?..=number(last)?;
        if range.is_empty() {
            return Err(ParseNumbersError::Empty);
        }
        Ok(Numbers(range))
    }
}

impl fmt::Display for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, last) = (self.0.start(), self.0.end());
        if first == last { write!(f, "{first}") } else { write!(f, "{first}-{last}") }
    }
}
