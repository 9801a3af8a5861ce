//! `mqd ranks`: lists the processes of a job.

use std::fmt::Write;

use mqd_host::job::{self, Job, is_this_host};
use mqd_report::escape::printable;
use mqd_report::render;
use serde::Serialize;

use super::args::{Ranks as Args, RanksFormat};
use super::exit::Exit;
use super::output::complain;

/// The version of the JSON that this command writes.
const SCHEMA_VERSION: &str = "1.0";

/// The JSON that the command writes (docs/json.md).
#[derive(Serialize)]
struct Ranks {
    schema_version: &'static str,
    launcher: u32,
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
}

pub(super) fn run(args: &Args) -> Result<Exit, Exit> {
    let output = args.text.open()?;
    let Job { members, remarks, .. } = job::members(args.launcher).map_err(|error| {
        complain(&error.to_string());
        Exit::Unreadable
    })?;
    let processes = members.into_iter().map(|member| Rank {
        rank: member.rank,
        this_host: is_this_host(&member.host),
        host: member.host,
        pid: member.pid,
        executable: member.executable,
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

fn human(ranks: &Ranks) -> String {
    let mut text = String::new();
    for Rank { rank, host, this_host, pid, executable } in &ranks.processes {
        let host = if *this_host { String::new() } else { format!(" on {}", printable(host)) };
        let _ = writeln!(text, "rank {rank}: pid {pid}{host}, {}", printable(executable));
    }
    text
}
