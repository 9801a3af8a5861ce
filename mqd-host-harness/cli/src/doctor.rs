//! `mqd doctor`: checks whether everything is there that is needed to read queues.

use std::io::{self, Write as _};

use anstyle::{AnsiColor, Style};

use super::args::{Doctor, Wanted};
use super::exit::Exit;
use super::output::complain;
use super::requests;
use mqd_host::doctor::{self, Check, State};
use mqd_report::escape::printable;

const BOLD: Style = Style::new().bold();

pub(super) fn run(args: &Doctor) -> Exit {
    requests::transports();
    let mut checks = doctor::machine();
    let options = args.options();
    let Wanted { jobs, requests, snapshots, reports, slurm, failed, .. } = args.targets.wanted();
    if slurm.is_some() {
        complain(
            "--slurm: mqd doctor looks at this host alone, so it did not look at that job: run \
             mqd doctor --job PID on a host of the job, with the process id of its launcher",
        );
    }
    failed.iter().for_each(|why| complain(why));
    for report in reports {
        complain(&format!("{} is a report: mqd needs nothing else to read it", report.display()));
    }
    jobs.iter().for_each(|pid| checks.extend(doctor::launcher(*pid, &options)));
    requests.iter().for_each(|request| checks.extend(doctor::process(request, &options)));
    snapshots.iter().for_each(|path| checks.extend(doctor::snapshot(path, &options)));

    let written = if args.json { write_json(&checks) } else { write_human(&checks) };
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(&format!("cannot write the output: {error}"));
            Exit::Output
        }
        _ if failed.is_empty()
            && slurm.is_none()
            && checks.iter().all(|check| check.state == State::Ok) =>
        {
            Exit::Complete
        }
        _ => Exit::Some,
    }
}

fn write_json(checks: &[Check]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, checks)?;
    writeln!(out)
}

fn write_human(checks: &[Check]) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    let width = checks.iter().map(|check| check.name.len()).max().unwrap_or(0);
    let mut subject = "";
    for check in checks {
        if check.subject != subject {
            subject = &check.subject;
            writeln!(out, "{BOLD}{}{BOLD:#}", printable(subject))?;
        }
        let (word, style) = match check.state {
            State::Ok => ("ok", AnsiColor::Green.on_default()),
            State::Missing => ("missing", AnsiColor::Red.on_default().bold()),
        };
        writeln!(
            out,
            "  {style}{word:7}{style:#}  {:width$}  {}",
            check.name,
            printable(&check.found)
        )?;
        if let Some(fix) = &check.fix {
            writeln!(out, "  {:7}  {:width$}  to fix it: {}", "", "", printable(fix))?;
        }
    }
    let missing = checks.iter().filter(|check| check.state == State::Missing).count();
    match missing {
        0 => writeln!(out, "everything is there"),
        missing => writeln!(out, "{missing} of {} missing", checks.len()),
    }
}
