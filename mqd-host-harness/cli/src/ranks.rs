//! `mqd ranks`: lists the processes of a job.

use std::fmt::Write;

use mqd_host::job::{self, Job, Member, is_this_host};
use mqd_report::JobIdentity;
use mqd_report::escape::printable;
use mqd_report::render;
use serde::Serialize;

use super::args::{Ranks as Args, RanksFormat};
use super::exit::Exit;
use super::output::complain;

/// The version of the JSON that this command writes.
const SCHEMA_VERSION: &str = "1.1";

/// The JSON that the command writes (docs/json.md).
#[derive(Serialize)]
struct Ranks {
    schema_version: &'static str,
    launcher: Option<u32>,
    processes: Vec<Rank>,
    remarks: Vec<String>,
}

#[derive(Serialize)]
struct Rank {
    rank: i64,
    host: String,
    this_host: bool,
    pid: u32,
    executable: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    job: Option<JobIdentity>,
}

pub(super) fn run(args: &Args) -> Result<Exit, Exit> {
    let output = args.text.open()?;
    let Job { members, remarks, .. } = job_of(args)?;
    let processes = members.into_iter().map(|member| {
        let this_host = is_this_host(&member.host);
        let job = this_host.then(|| job::identity(member.pid)).flatten();
        let Member { rank, host, executable, pid, .. } = member;
        Rank { rank, host, this_host, pid, executable, job }
    });
    let ranks = Ranks {
        schema_version: SCHEMA_VERSION,
        launcher: args.launcher,
        processes: processes.collect(),
        remarks,
    };
    let text = match args.format {
        RanksFormat::Human => {
            ranks.remarks.iter().for_each(|remark| complain(remark));
            human(&ranks)
        }
        RanksFormat::Json => render::json(&ranks),
    };
    Ok(output.write(&text, Exit::Complete))
}

/// The job of the launcher, or as much of jobs as the processes are.
fn job_of(args: &Args) -> Result<Job, Exit> {
    if let Some(launcher) = args.launcher {
        return job::members(launcher).map_err(|error| {
            complain(&error.to_string());
            Exit::Unreadable
        });
    }
    let members: Vec<Member> = args.pids.iter().filter_map(|pid| job::member(*pid)).collect();
    if members.is_empty() {
        complain(
            "none of these processes looks like an MPI rank: their environment has no rank and job",
        );
        return Err(Exit::Unreadable);
    }
    Ok(Job { members, ..Job::default() })
}

fn human(ranks: &Ranks) -> String {
    let mut text = String::new();
    for Rank { rank, host, this_host, pid, executable, job } in &ranks.processes {
        let host = if *this_host { String::new() } else { format!(" on {}", printable(host)) };
        let job = match job {
            // A launcher has one job, and the user has named it.
            Some(job) if ranks.launcher.is_none() => format!(", {}", printable(&job.to_string())),
            _ => String::new(),
        };
        let _ = writeln!(text, "rank {rank}: pid {pid}{host}, {}{job}", printable(executable));
    }
    text
}
