//! Foreign debug DLLs run in a process of their own: a worker, which is `mqd` again with a hidden
//! subcommand.
//!
//! A foreign DLL may crash on the memory of a damaged process, loop for ever, print, or call
//! `exit`. None of that may stop `mqd` from reading the other processes of the job.
//!
//! A worker does all of the work on one process: it opens the target itself, since a process has
//! only one tracer. Its standard input is a socket: a [`Task`] comes in as MessagePack, and an
//! [`Outcome`](crate::outcome::Outcome) goes out. What the DLL prints is collected meanwhile.

mod run;
mod supervise;

use serde::{Deserialize, Serialize};

pub(crate) use self::run::{Client, begin};
pub use self::supervise::Failure;
pub(crate) use self::supervise::{Supervised, lines, run, supervise};
use crate::dll::Candidate;
use crate::request::{Options, Request};
use mqd_inspect::process::Recording;

/// The hidden subcommand that runs a worker.
pub const SUBCOMMAND: &str = "dll-worker";

/// The task of a worker.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Task {
    pub(crate) what: What,
    pub(crate) options: Options,
    pub(crate) dll: Candidate,
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
