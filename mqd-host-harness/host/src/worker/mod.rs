//! Foreign debug DLLs run in a process of their own: a worker, which is `mqd` again with a hidden
//! subcommand.
//!
//! A DLL is code of somebody else's. It may crash on the memory of a damaged process, go round in a
//! circle, print, or call `exit`; none of that may take the other processes of the job down with
//! it. The worker does all of the work on one process (it opens the target, since a process has one
//! tracer) and ends. Its standard input is a socket: a [`Task`] comes in on it as MessagePack and
//! an [`Outcome`](crate::outcome::Outcome) goes out. What the DLL prints is collected on the way.

mod run;
mod supervise;

use serde::{Deserialize, Serialize};

pub(crate) use self::run::run;
pub(crate) use self::supervise::supervise;
use crate::dll::Candidate;
use crate::request::{Options, Request};
use mqd_inspect::process::Recording;

/// The hidden subcommand that runs a worker.
pub const SUBCOMMAND: &str = "dll-worker";

/// What a worker is to do.
#[derive(Debug, Serialize, Deserialize)]
struct Task {
    what: What,
    options: Options,
    dll: Candidate,
}

/// What a worker is to read.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum What {
    /// A process.
    Process(Request),
    /// A recorded process. `exact`: so that the DLL asks for just what it needs.
    Recorded { recording: Box<Recording>, exact: bool },
}

impl What {
    /// The process.
    fn request(&self) -> Request {
        match self {
            What::Process(request) => request.clone(),
            What::Recorded { recording, .. } => Request::recorded(recording),
        }
    }
}
