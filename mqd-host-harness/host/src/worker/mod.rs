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
