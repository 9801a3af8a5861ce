//! What a snapshot has in its frames.

use serde::{Deserialize, Serialize};

use crate::dump::{Cost, Outcome, Verdict};
use crate::report::{Process, Tool};

/// About a snapshot as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The program that wrote it.
    pub tool: Tool,
    /// When: seconds since 1970-01-01 00:00 UTC.
    pub captured: u64,
    /// Were message buffers, paths and names left out?
    #[serde(default)]
    pub redacted: bool,
}

/// A process in a snapshot.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// When it was read: seconds since 1970-01-01 00:00 UTC.
    pub captured: u64,
    /// Its part of the report, as it was then.
    pub process: Process,
    /// How reading it went.
    pub verdict: Verdict,
    /// What was missing or doubtful without being an error.
    #[serde(default)]
    pub warnings: Vec<String>,
}

impl Entry {
    /// Stands for a process that the file has lost.
    pub(super) fn lost(captured: u64, error: String) -> Entry {
        let process = Process { errors: vec![error], ..Process::default() };
        Entry { captured, process, verdict: Verdict::Unreadable, warnings: Vec::new() }
    }

    /// As if the process had just been read.
    pub fn into_outcome(self) -> Outcome {
        let Entry { process, verdict, warnings, .. } = self;
        let operations = process.communicators.iter().map(crate::report::Communicator::operations).sum();
        let cost = Cost { communicators: process.communicators.len(), operations, ..Cost::default() };
        Outcome { process, verdict, warnings, messages: Vec::new(), cost }
    }
}
