//! The outcome of reading a process, and what it cost.

use std::path::PathBuf;
use std::time::SystemTime;

use mqd_inspect::process::Recording;
use mqd_report::{Extent, Process};
use serde::{Deserialize, Serialize};

use crate::callbacks::Stats;
use crate::dll::Candidate;

/// The outcome of reading a process: its part of the report, and how it was made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// Its part of the report.
    pub process: Process,
    /// How much of it was read.
    #[serde(rename = "verdict")]
    pub extent: Extent,
    /// What is missing or doubtful without being an error.
    pub warnings: Vec<String>,
    /// What the debug DLL printed.
    pub messages: Vec<String>,
    /// What it cost.
    pub cost: Cost,
    /// When the process was read, or captured: seconds since 1970-01-01 00:00 UTC.
    pub captured: u64,
    /// What the process was asked, if it was recorded.
    #[serde(default)]
    pub recording: Option<Box<Recording>>,
    /// The debug DLL that read it.
    #[serde(default)]
    pub(crate) dll: Option<Candidate>,
    /// Its stack shows that it is in an MPI function that sends or receives, and not that it waits
    /// there: perhaps it is between two rounds of a loop.
    #[serde(skip)]
    pub(crate) between_rounds: bool,
    /// The process had to run on before everything was read
    /// ([`LiveOptions::stop_limit`](mqd_inspect::process::LiveOptions::stop_limit)).
    #[serde(default)]
    pub(crate) was_cut: bool,
    /// Our own debug DLL says that the process is before `MPI_Init` or after `MPI_Finalize`.
    #[serde(skip)]
    pub(crate) is_outside_mpi: bool,
}

impl Outcome {
    /// What is known of a process before it is opened.
    pub(crate) fn of(process: Process) -> Outcome {
        Outcome {
            process,
            extent: Extent::Unreadable,
            warnings: Vec::new(),
            messages: Vec::new(),
            cost: Cost::default(),
            captured: now(),
            recording: None,
            dll: None,
            between_rounds: false,
            was_cut: false,
            is_outside_mpi: false,
        }
    }
}

/// What reading a process cost.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Cost {
    /// The debug DLL that read it.
    pub dll: Option<PathBuf>,
    /// The layout table that answered questions about types which debug information did not.
    pub layout_table: Option<String>,
    /// What the debug DLL read the queues from and how: libraries, devices, layout tables.
    #[serde(skip)]
    pub sources: Vec<String>,
    /// Communicators reported.
    pub communicators: usize,
    /// Operations reported.
    pub operations: usize,
    /// Wall-clock seconds to open the target: attach, find images.
    pub open_seconds: f64,
    /// Wall-clock seconds to read it, the loading of the DLL and of debug information included.
    pub read_seconds: f64,
    /// Processor seconds of both.
    pub cpu_seconds: f64,
    /// Callbacks of the DLL.
    #[serde(flatten)]
    pub callbacks: Stats,
}

/// Seconds since 1970-01-01 00:00 UTC.
fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
