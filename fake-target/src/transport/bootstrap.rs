//! What the launcher tells a rank: its place in the job, by environment variables.

use std::env;
use std::ffi::c_int;
use std::fmt;
use std::os::fd::RawFd;

/// A rank's place in its job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    /// Rank in `MPI_COMM_WORLD`.
    pub(crate) rank: usize,
    /// Number of ranks.
    pub(crate) size: usize,
    /// The shared segment, inherited from the launcher; none in a job of one rank without a
    /// launcher.
    pub(crate) segment: Option<RawFd>,
    /// The place of the job's first rank in the launcher's table of processes.
    pub(crate) first: usize,
}

/// The largest job whose rings certainly fit the address space. There is one for every ordered pair
/// of ranks.
pub(crate) const MAX_RANKS: usize = 4096;

/// Why a rank cannot find its place.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BootstrapError(String);

impl fmt::Display for BootstrapError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{}; start the program with this library's mpiexec, or without any launcher for a job \
             of one rank",
            self.0
        )
    }
}

impl std::error::Error for BootstrapError {}

impl Job {
    /// Reads `MQDRT_RANK`, `MQDRT_SIZE`, `MQDRT_SEGMENT_FD` and `MQDRT_FIRST`; a process without
    /// them is a job of one rank.
    pub(crate) fn from_environment() -> Result<Job, BootstrapError> {
        Job::from_variables(|name| env::var(name).ok())
    }

    fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Job, BootstrapError> {
        let number = |name: &str, value: Option<String>| -> Result<usize, BootstrapError> {
            let value = value.ok_or_else(|| {
                BootstrapError(format!("{name} is not set although MQDRT_RANK is"))
            })?;
            value
                .parse()
                .map_err(|_| BootstrapError(format!("{name} is \"{value}\", not a number")))
        };
        let Some(rank) = variable("MQDRT_RANK") else {
            return Ok(Job { rank: 0, size: 1, segment: None, first: 0 });
        };
        let rank = number("MQDRT_RANK", Some(rank))?;
        let size = number("MQDRT_SIZE", variable("MQDRT_SIZE"))?;
        let segment = number("MQDRT_SEGMENT_FD", variable("MQDRT_SEGMENT_FD"))?;
        if rank >= size || size > MAX_RANKS {
            return Err(BootstrapError(format!(
                "rank {rank} of {size} is no rank (a job has at most {MAX_RANKS} ranks)"
            )));
        }
        let segment = RawFd::try_from(segment)
            .map_err(|_| BootstrapError(format!("MQDRT_SEGMENT_FD {segment} is no descriptor")))?;
        let first =
            variable("MQDRT_FIRST").map_or(Ok(0), |text| number("MQDRT_FIRST", Some(text)))?;
        Ok(Job { rank, size, segment: Some(segment), first: first.min(c_int::MAX as usize / 2) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Job, BootstrapError> {
        Job::from_variables(|name| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.to_string())
        })
    }

    #[test]
    fn without_a_launcher_a_process_is_a_job_of_one() {
        assert_eq!(read(&[]), Ok(Job { rank: 0, size: 1, segment: None, first: 0 }));
    }

    #[test]
    fn a_rank_reads_its_place() {
        let job = read(&[("MQDRT_RANK", "2"), ("MQDRT_SIZE", "4"), ("MQDRT_SEGMENT_FD", "3")]);
        assert_eq!(job, Ok(Job { rank: 2, size: 4, segment: Some(3), first: 0 }));
    }

    #[test]
    fn nonsense_is_named() {
        let error = |variables: &[(&str, &str)]| read(variables).unwrap_err().to_string();
        assert!(error(&[("MQDRT_RANK", "x")]).contains("MQDRT_RANK is \"x\""));
        assert!(error(&[("MQDRT_RANK", "0")]).contains("MQDRT_SIZE is not set"));
        assert!(
            error(&[("MQDRT_RANK", "4"), ("MQDRT_SIZE", "4"), ("MQDRT_SEGMENT_FD", "3")])
                .contains("rank 4 of 4")
        );
    }
}
