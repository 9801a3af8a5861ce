//! How the other hosts of a job are reached.

use std::path::Path;

use mqd_host::dll;
use mqd_host::fanout::{Agent, Fanout, Sent, Settings, Via};
use mqd_host::programs::in_path;

use super::args::{Reach, ViaName};
use super::output::complain;

/// The connection to other hosts; `None` if they are not to be reached. `slurm` is the Slurm job
/// that the ranks run in, if any.
pub(super) fn fanout(reach: &Reach, slurm: Option<&str>) -> Option<Fanout> {
    let via = match (&reach.via, slurm) {
        (Some(ViaName::None), _) => return None,
        (Some(ViaName::Ssh), _) => Via::Ssh,
        (Some(ViaName::Mpiexec), _) => Via::Mpiexec,
        (Some(ViaName::Command(words)), _) => Via::Command(words.clone()),
        (Some(ViaName::Srun), Some(job)) => Via::Srun(job.to_owned()),
        (Some(ViaName::Srun), None) => {
            complain(
                "--via srun needs the job of Slurm, and the processes here do not tell it: give \
                 --slurm JOB in place of the launcher",
            );
            return None;
        }
        (None, Some(job)) if in_path("srun").is_some() => Via::Srun(job.to_owned()),
        (None, _) => Via::Ssh,
    };
    let program = reach.agent.clone().or_else(|| std::env::current_exe().ok());
    let program = program.unwrap_or_else(|| "mqd".into());
    let mut arguments = vec!["agent".to_owned()];
    if let Ok(value) = std::env::var("MQD_INTERNAL") {
        arguments.push(format!("--internal={value}"));
    }
    let sent = match reach.send_agent {
        true => Some(sent(reach)?),
        false => None,
    };
    Some(Fanout::new(Settings {
        via,
        agent: Agent { program, arguments, sent },
        limit: reach.node_timeout,
        parallel: reach.parallel.max(1),
    }))
}

/// The program to send.
fn sent(reach: &Reach) -> Option<Sent> {
    let file = reach.agent.as_deref().unwrap_or(Path::new("/proc/self/exe"));
    if reach.agent.is_none() && dll::carried().is_none() {
        complain(
            "this mqd contains no debug DLL. What --send-agent sends then needs --dll and a file \
             on each host. The mqd of a release contains one",
        );
    }
    let read = std::fs::read(file);
    read.map(Sent::new)
        .map_err(|error| complain(&format!("--send-agent: {}: {error}", file.display())))
        .ok()
}
