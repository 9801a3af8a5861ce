//! Foreign debug DLLs run in a process of their own: a worker, which is `mqd` again with a hidden
//! subcommand.
//!
//! A foreign DLL may crash on the memory of a damaged process, loop for ever, print, or call
//! `exit`. None of that may stop `mqd` from reading the other processes of the job.
//!
//! A worker does all of the work on one process: it opens the target itself, since a process has
//! only one tracer. Its standard input is a socket: a [`Task`] comes in as MessagePack, and an
//! [`Answer`] goes out. What the DLL prints is collected meanwhile.

mod run;
mod supervise;

use serde::{Deserialize, Serialize};

pub(crate) use self::run::{Client, begin};
pub use self::supervise::Failure;
pub(crate) use self::supervise::{Supervised, lines, run, supervise};
use crate::dll::Candidate;
use crate::outcome::Outcome;
use crate::request::{Options, Request};
use mqd_inspect::process::Recording;
use mqd_report::Unreported;

/// The hidden subcommand that runs a worker.
pub const SUBCOMMAND: &str = "dll-worker";

/// The task of a worker.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Task {
    pub(crate) what: What,
    pub(crate) options: Options,
    pub(crate) dll: Candidate,
}

/// What a worker answers: the outcome, and what its serialized form does not have.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Answer {
    outcome: Outcome,
    unreported: Unreported,
    sources: Vec<String>,
}

impl From<Outcome> for Answer {
    fn from(outcome: Outcome) -> Answer {
        let unreported = outcome.process.unreported();
        Answer { unreported, sources: outcome.cost.sources.clone(), outcome }
    }
}

impl From<Answer> for Outcome {
    fn from(Answer { mut outcome, unreported, sources }: Answer) -> Outcome {
        outcome.process.add_unreported(unreported);
        outcome.cost.sources = sources;
        outcome
    }
}

/// What a worker is to read.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum What {
    /// A process.
    Process(Request),
    /// A recorded process. With `exact` the DLL asks for exactly what it needs.
    Recorded { recording: Box<Recording>, exact: bool },
}

impl What {
    /// The process.
    pub(crate) fn request(&self) -> Request {
        match self {
            What::Process(request) => request.clone(),
            What::Recorded { recording, .. } => Request::recorded(recording),
        }
    }
}

#[cfg(test)]
mod tests {
    use mqd_report::{ActiveRequests, Activity, Address, Process, Stack};

    use super::*;

    #[test]
    fn an_answer_has_all_that_one_look_finds() {
        let activity =
            Activity { requests: ActiveRequests::Listed, nothing_helps: true, ..Activity::NONE };
        let stack = |returns_to| Stack {
            thread: 1,
            in_mpi: None,
            complete: true,
            frames: Vec::new(),
            returns_to,
        };
        let process = Process {
            asks_at: vec![("MPI_Test".into(), 4096)],
            program_state: Some(7),
            finds_nothing_at: Some(8192),
            activity: Some(activity),
            stacks: Some(vec![stack(None), stack(Some(Address(12288)))]),
            ..Process::default()
        };
        let mut outcome = Outcome::of(process.clone());
        outcome.cost.sources = vec!["a source".to_owned()];
        let bytes = rmp_serde::to_vec_named(&Answer::from(outcome)).unwrap();
        let answer: Answer = crate::decode::from_slice(&bytes).unwrap();
        let outcome = Outcome::from(answer);
        assert_eq!(outcome.process, process);
        assert_eq!(outcome.cost.sources, ["a source"]);
    }
}
