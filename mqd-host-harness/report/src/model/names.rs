//! Processes of jobs that know each other, as by `MPI_Comm_spawn`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A process by the names of its MPI library. They are the same in all jobs that know each other.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub struct ProcessName {
    /// The number of its job.
    pub job: u64,
    /// Its rank in the job.
    pub rank: i64,
}

/// What a process that knows processes of other jobs tells of their names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Names {
    /// Its own.
    pub own: ProcessName,
    /// The communicators with processes of other jobs.
    pub communicators: Vec<NamedCommunicator>,
}

/// A communicator with processes of other jobs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NamedCommunicator {
    /// Its place among the communicators of the process, from 0 on.
    pub index: usize,
    /// The processes of its group. Null if all are of the process's own job.
    pub group: Option<Vec<ProcessName>>,
    /// The processes that the ranks of its operations stand for: its group, or the remote group of
    /// an intercommunicator. Null if all are of the process's own job.
    pub peers: Option<Vec<ProcessName>>,
}
