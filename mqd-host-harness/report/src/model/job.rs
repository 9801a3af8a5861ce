//! Which job a process belongs to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Text;

/// What all processes of one job have in common, as their environment tells it, and what tells them
/// from those of another job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JobIdentity {
    /// The kind of launcher: `mpirun` (Open MPI 4), `prterun` (Open MPI 5), `srun`, `hydra` (MPICH,
    /// Intel MPI) or `mpiexec` (the companion runtime). Later versions may add kinds.
    pub launcher: Text,
    /// The name that the launcher has given the job. It is the same on all hosts.
    pub name: Text,
    /// The size of `MPI_COMM_WORLD`, as the launcher says; null if it does not.
    pub size: Option<i64>,
    /// When this process of the job was started: seconds since 1970-01-01 00:00 UTC by the clock of
    /// its host. Null if that is not known.
    pub started: Option<i64>,
}

impl JobIdentity {
    /// Is it the same job? When a process was started differs from rank to rank.
    pub fn is_same(&self, other: &JobIdentity) -> bool {
        (&self.launcher, &self.name, self.size) == (&other.launcher, &other.name, other.size)
    }
}

impl std::fmt::Display for JobIdentity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "job {} of {}", self.name, self.launcher)?;
        match self.size {
            Some(1) => f.write_str(" (1 rank)"),
            Some(size) => write!(f, " ({size} ranks)"),
            None => Ok(()),
        }
    }
}
