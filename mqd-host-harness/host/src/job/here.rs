//! The MPI jobs that run on this machine.

use std::fs;
use std::os::unix::fs::MetadataExt;

use mqd_report::JobIdentity;

use super::life::above;
use super::programs::is_launcher;
use super::{Member, launcher, members, tree};

/// A job with ranks on this machine.
#[derive(Clone, Debug)]
pub struct Here {
    /// What identifies it.
    pub identity: JobIdentity,
    /// The process that has started it, if that runs on this machine.
    pub launcher: Option<u32>,
    /// The user that its first rank belongs to.
    pub owner: Option<u32>,
    /// Its ranks on this machine, in the order of their ranks.
    pub members: Vec<Member>,
}

/// The jobs with ranks on this machine, the oldest first. Only root can see those of other users,
/// since the rank of a process is in its environment.
pub fn here() -> Vec<Here> {
    let mut jobs: Vec<Here> = Vec::new();
    for (member, identity) in tree::matching(|_, _| true) {
        match jobs.iter_mut().find(|job| job.identity.is_same(&identity)) {
            Some(job) => job.members.push(member),
            None => jobs.push(Here {
                launcher: launcher_above(member.pid),
                owner: owner(member.pid),
                members: vec![member],
                identity,
            }),
        }
    }
    jobs.sort_by_key(|job| job.identity.started);
    jobs
}

/// The launcher on this machine of the job that a process is a rank of.
pub fn launcher_of(rank: u32) -> Option<u32> {
    let launcher = launcher_above(rank)?;
    let job = members(launcher).ok()?;
    job.members.iter().any(|member| member.pid == rank).then_some(launcher)
}

/// The nearest launcher above a process.
fn launcher_above(pid: u32) -> Option<u32> {
    above(pid).find(|pid| launcher::name(*pid).is_some_and(|name| is_launcher(&name)))
}

/// The user that a process belongs to.
fn owner(pid: u32) -> Option<u32> {
    Some(fs::metadata(format!("/proc/{pid}")).ok()?.uid())
}
