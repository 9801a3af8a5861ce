//! What a snapshot has in its frames.

use serde::{Deserialize, Serialize};

use crate::outcome::{Cost, Outcome};
use mqd_inspect::process::Recording;
use mqd_report::{Communicator, Extent, Problem, Process, Tool};

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
    /// How much of it was read.
    #[serde(rename = "verdict")]
    pub extent: Extent,
    /// What was missing or doubtful without being an error.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// What it was asked: with this it can be read again. None: there is only the report.
    #[serde(default)]
    pub recording: Option<Box<Recording>>,
    /// The recording's pages: the number of each in memory, and in the snapshot. In a file only: a
    /// [`Writer`](super::Writer) makes this.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pages: Vec<(u64, u32)>,
}

impl From<Outcome> for Entry {
    fn from(outcome: Outcome) -> Entry {
        let Outcome { process, extent, warnings, captured, recording, .. } = outcome;
        Entry { captured, process, extent, warnings, recording, pages: Vec::new() }
    }
}

impl Entry {
    /// Whether the process can be read again. If not, the entry has its report only.
    pub fn can_be_read(&self) -> bool {
        self.recording.is_some()
    }

    /// An entry with the report of a process only.
    pub fn report_only(captured: u64, process: Process, extent: Extent) -> Entry {
        Entry {
            captured,
            process,
            extent,
            warnings: Vec::new(),
            recording: None,
            pages: Vec::new(),
        }
    }

    /// Stands for a process whose entry is damaged or missing in the file.
    pub(super) fn lost(captured: u64, error: Problem) -> Entry {
        let process = Process { errors: vec![error], ..Process::default() };
        Entry::report_only(captured, process, Extent::Unreadable)
    }

    /// The outcome of the process, as if it had just been read.
    pub fn into_outcome(self) -> Outcome {
        let Entry { captured, process, extent, warnings, .. } = self;
        let operations = process.communicators.iter().map(Communicator::operations).sum();
        let cost =
            Cost { communicators: process.communicators.len(), operations, ..Cost::default() };
        Outcome { extent, warnings, cost, captured, ..Outcome::of(process) }
    }
}
