//! What launchers write into the environment of ranks.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use mqd_report::JobIdentity;

use super::life::{above, birth, folder};

/// The variables in which launchers tell processes their rank and the size of the job, the most
/// reliable first. Several launchers use those of PMIx and PMI. Ranks of `mpirun` or hydra inside a
/// Slurm job inherit the `SLURM_*` of the daemon that started them, so these come last.
pub(super) const VARIABLES: [(&str, Option<&str>); 6] = [
    ("MQDRT_RANK", Some("MQDRT_SIZE")),
    ("OMPI_COMM_WORLD_RANK", Some("OMPI_COMM_WORLD_SIZE")),
    ("MV2_COMM_WORLD_RANK", Some("MV2_COMM_WORLD_SIZE")),
    ("PMIX_RANK", None),
    ("PMI_RANK", Some("PMI_SIZE")),
    (SLURM_RANK, Some("SLURM_NTASKS")),
];

/// The number of a process in a step of Slurm.
const SLURM_RANK: &str = "SLURM_PROCID";

/// The variable that tells the jobs of one launcher apart (those that `MPI_Comm_spawn` starts).
pub(super) const NAMESPACE: &str = "PMIX_NAMESPACE";

/// The beginning of the namespace of a job that Slurm has started with PMIx: `slurm.pmix.JOB.STEP`.
const SLURM_NAMESPACE: &str = "slurm.pmix.";

/// The environment of a process.
#[derive(Clone, Debug, Default)]
pub(super) struct Environment(HashMap<String, String>);

/// The rank and the job that a process belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Membership {
    pub(super) rank: i64,
    pub(super) job: JobIdentity,
}

impl Environment {
    /// That of a process of this machine; empty if it cannot be read.
    pub(super) fn of(pid: u32) -> Environment {
        Environment::read(&folder(pid).join("environ")).unwrap_or_default()
    }

    fn read(file: &Path) -> Option<Environment> {
        let bytes = fs::read(file).ok()?;
        let variables = bytes.split(|byte| *byte == 0).filter_map(|variable| {
            let (name, value) = std::str::from_utf8(variable).ok()?.split_once('=')?;
            Some((name.to_owned(), value.to_owned()))
        });
        Some(Environment(variables.collect()))
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    fn number(&self, name: &str) -> Option<i64> {
        self.get(name)?.parse().ok().filter(|number| *number >= 0)
    }

    /// Is it certain that the rank is one of an MPI job, and not only the number of a Slurm task?
    pub(super) fn tells_mpi_rank(&self) -> bool {
        let of_mpi = VARIABLES.iter().filter(|(rank, _)| *rank != SLURM_RANK);
        of_mpi.into_iter().any(|(rank, _)| self.number(rank).is_some())
    }

    /// Has hydra started the process for `MPI_Comm_spawn`? Its rank is that in its own job, which
    /// has no name.
    pub(super) fn is_spawned_by_hydra(&self) -> bool {
        self.number("PMI_SPAWNED").is_some_and(|number| number > 0) && self.get(NAMESPACE).is_none()
    }

    /// The Slurm job that the process runs in, and its step if it is a task of one.
    pub(super) fn slurm(&self) -> Option<(&str, Option<&str>)> {
        Some((self.get("SLURM_JOB_ID")?, self.get("SLURM_STEP_ID")))
    }

    /// The rank, and the job with its launcher. `None` if the process has no rank, or if the job
    /// has no name that all of its hosts share.
    pub(super) fn membership(&self, pid: u32) -> Option<Membership> {
        let (rank, size) = VARIABLES.iter().find_map(|(rank, size)| {
            Some((self.number(rank)?, size.and_then(|size| self.number(size))))
        })?;
        let (launcher, name) = self.launcher(pid)?;
        // The companion runtime counts ranks from the first rank of their world, and spawned worlds
        // make the job grow.
        let (rank, size) = match self.number("MQDRT_FIRST") {
            Some(first) => (first.saturating_add(rank), None),
            None => (rank, size.or_else(|| self.number("SLURM_STEP_NUM_TASKS"))),
        };
        let started = started(pid);
        let job = JobIdentity { launcher: launcher.into(), name: name.into(), size, started };
        Some(Membership { rank, job })
    }

    /// The kind of launcher, and its name for the job.
    fn launcher(&self, pid: u32) -> Option<(&'static str, String)> {
        if self.get("MQDRT_RANK").is_some() {
            return Some(("mpiexec", format!("{}-{}", super::this_host(), self.get("MQDRT_JOB")?)));
        }
        if let Some(namespace) = self.get(NAMESPACE) {
            return Some(match namespace.strip_prefix(SLURM_NAMESPACE) {
                Some(step) => ("srun", step.to_owned()),
                // Namespaces of Open MPI 4 are numbers.
                None if namespace.parse::<u64>().is_ok() => ("mpirun", namespace.to_owned()),
                None => ("prterun", namespace.to_owned()),
            });
        }
        if self.get("PMI_RANK").is_some() {
            if let Some(id) = self.get("I_MPI_HYDRA_UUID") {
                return Some(("hydra", id.to_owned()));
            }
            if let Some(name) = hydra_job(pid) {
                return Some(("hydra", name));
            }
        }
        let (job, step) = (self.get("SLURM_JOB_ID")?, self.get("SLURM_STEP_ID")?);
        self.get(SLURM_RANK).map(|_| ("srun", format!("{job}.{step}")))
    }
}

/// The name of a job of hydra: the address that its proxies, the parents of the ranks, connect to.
fn hydra_job(pid: u32) -> Option<String> {
    above(pid).find_map(control_port)
}

/// The port of `mpiexec` in the command line of a proxy, as `HOST:PORT`.
pub(super) fn control_port(pid: u32) -> Option<String> {
    let words = command_line(pid);
    let at = words.iter().position(|word| word == "--control-port")?;
    words.get(at + 1).cloned()
}

/// The words of the command line of a process.
pub(super) fn command_line(pid: u32) -> Vec<String> {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words = bytes.split(|byte| *byte == 0).filter(|word| !word.is_empty());
    words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

/// When a process was started, in seconds since 1970-01-01 00:00 UTC.
fn started(pid: u32) -> Option<i64> {
    let ticks = i64::try_from(birth(pid)?).ok()?;
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let booted: i64 = stat.lines().find_map(|line| line.strip_prefix("btime "))?.parse().ok()?;
    let each = i64::try_from(rustix::param::clock_ticks_per_second()).ok().filter(|n| *n > 0)?;
    Some(booted + ticks / each)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Environment(variables.iter().map(owned).collect())
    }

    /// What is told of a process with these variables, without when it was started.
    fn told(variables: &[(&str, &str)]) -> Option<(i64, String, String, Option<i64>)> {
        let Membership { rank, job } = environment(variables).membership(std::process::id())?;
        Some((rank, job.launcher.into(), job.name.into(), job.size))
    }

    #[test]
    fn ranks_of_each_launcher() {
        let some = |rank, launcher: &str, name: &str, size| {
            Some((rank, launcher.to_owned(), name.to_owned(), size))
        };
        let open_mpi = [
            ("OMPI_COMM_WORLD_RANK", "2"),
            ("OMPI_COMM_WORLD_SIZE", "6"),
            ("PMIX_RANK", "2"),
            ("PMIX_NAMESPACE", "2895118337"),
            // Those of the daemon.
            ("SLURM_PROCID", "0"),
            ("SLURM_STEP_NUM_TASKS", "2"),
            ("SLURM_JOB_ID", "7"),
            ("SLURM_STEP_ID", "0"),
        ];
        assert_eq!(told(&open_mpi), some(2, "mpirun", "2895118337", Some(6)));
        let prte = [
            ("OMPI_COMM_WORLD_RANK", "3"),
            ("OMPI_COMM_WORLD_SIZE", "6"),
            ("PMIX_NAMESPACE", "prterun-node0-1760@1"),
        ];
        assert_eq!(told(&prte), some(3, "prterun", "prterun-node0-1760@1", Some(6)));
        let pmix = [
            ("PMIX_RANK", "4"),
            ("PMIX_NAMESPACE", "slurm.pmix.26.0"),
            ("SLURM_STEP_NUM_TASKS", "6"),
        ];
        assert_eq!(told(&pmix), some(4, "srun", "26.0", Some(6)));
        let pmi2 = [
            ("PMI_RANK", "5"),
            ("PMI_SIZE", "6"),
            ("SLURM_PROCID", "5"),
            ("SLURM_JOB_ID", "26"),
            ("SLURM_STEP_ID", "1"),
        ];
        assert_eq!(told(&pmi2), some(5, "srun", "26.1", Some(6)));
        let intel = [("PMI_RANK", "1"), ("PMI_SIZE", "2"), ("I_MPI_HYDRA_UUID", "ab01")];
        assert_eq!(told(&intel), some(1, "hydra", "ab01", Some(2)));
    }

    #[test]
    fn no_rank_and_no_name() {
        assert_eq!(told(&[("SLURM_JOB_ID", "7"), ("SLURM_STEP_ID", "0")]), None);
        assert_eq!(told(&[("PMI_RANK", "0"), ("PMI_SIZE", "1")]), None);
        assert_eq!(told(&[("PMIX_RANK", "-1"), ("PMIX_NAMESPACE", "1")]), None);
    }

    #[test]
    fn this_process_was_started_before_now() {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        let started = started(std::process::id()).unwrap();
        assert!((0..=now.as_secs().cast_signed() + 1).contains(&started));
    }
}
