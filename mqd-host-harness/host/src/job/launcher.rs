//! What kind of process the user has named as launcher: a launcher, its helper, or a process around
//! it.

use mqd_report::JobIdentity;

use super::environment::command_line;
use super::life::parent;
use super::programs::{is_daemon, is_launcher};
use super::{Job, JobError, Member, clients, this_host, tree};

/// Are the processes of a table ranks, and not the daemons of another launcher?
///
/// # Errors
/// [`JobError::Helpers`].
pub(super) fn are_ranks(members: &[Member], pid: u32) -> Result<(), JobError> {
    let daemon = |member: &Member| {
        let name = member.executable.rsplit('/').next().unwrap_or_default().to_owned();
        is_daemon(&name).then_some(name)
    };
    let Some(program) = members.first().and_then(daemon) else { return Ok(()) };
    let launcher =
        parent(pid).filter(|parent| name(*parent).is_some_and(|name| is_launcher(&name)));
    Err(JobError::Helpers { pid, program, launcher })
}

/// The process that this one is a copy of: its parent, if it has the same command line.
pub(super) fn original(pid: u32) -> Option<u32> {
    let own = command_line(pid);
    parent(pid).filter(|parent| !own.is_empty() && command_line(*parent) == own)
}

/// The launchers below a process that is not one itself, without those that they have started.
pub(super) fn below(pid: u32) -> Vec<u32> {
    if name(pid).is_none_or(|name| is_launcher(&name) || is_daemon(&name)) {
        return Vec::new();
    }
    let mut children = tree::processes();
    let (mut found, mut next) = (Vec::new(), vec![pid]);
    while let Some(parent) = next.pop() {
        for (pid, name) in children.remove(&parent).unwrap_or_default() {
            if is_launcher(&name) { found.push(pid) } else { next.push(pid) }
        }
    }
    found.sort_unstable();
    found
}

/// The job of a launcher that has no rank on this machine, as far as its command line and those of
/// its helpers tell.
pub(super) fn without_ranks_here(launcher: u32) -> Option<Job> {
    let elsewhere = clients::hosts(launcher);
    if elsewhere.is_empty() {
        return None;
    }
    let (kind, job) = match name(launcher)?.as_str() {
        "prterun" | "mpirun" => ("prterun", format!("prterun-{}-{launcher}@1", this_host())),
        _ => ("hydra", clients::port(launcher)?),
    };
    let identity =
        JobIdentity { launcher: kind.into(), name: job.into(), size: None, started: None };
    let remark = format!(
        "the launcher {launcher} keeps no table of processes (MPIR_proctable) and has no rank on \
         this host: its helpers are on {}",
        elsewhere.join(", ")
    );
    Some(Job { remarks: vec![remark], identity: Some(identity), elsewhere, ..Job::default() })
}

/// The name of a process, as the kernel has it.
pub(super) fn name(pid: u32) -> Option<String> {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
    Some(name.trim_end().to_owned())
}
