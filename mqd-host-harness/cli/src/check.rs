//! `mqd check`: reads processes and writes a diagnosis.

use super::args::{Check, CheckFormat};
use super::examine::{Examined, examine};
use super::exit::Exit;
use super::polling::polls;
use super::read::Source;
use super::requests;
use mqd_host::capture::Keep;
use mqd_host::request::Request;
use mqd_report::check::{self, Diagnosis, Severity, Verdict};
use mqd_report::render;

pub(super) fn run(args: &Check) -> Result<Exit, Exit> {
    requests::internal_where_kept();
    let output = args.text.open()?;
    let mut source = Source::new(&args.targets, args.options(), Keep::default(), &|_| true);
    let reading = source.read()?.of_one_job()?;
    reading.tell(true, false);
    if reading.all_failed() && !reading.has_calls() {
        // Standard error has the reason.
        return Err(reading.exit);
    }
    let exit = reading.exit;
    let first = reading.report();
    let may_look_again = is_live(args) && args.recheck.is_none_or(|pause| !pause.is_zero());
    let Examined { mut report, mut diagnosis } = if may_look_again {
        examine(&mut source, first, args.recheck)?
    } else {
        Examined { diagnosis: check::check(&first), report: first }
    };
    if may_look_again && diagnosis.verdict == Verdict::NotDeadlocked && polls(source, &mut report)?
    {
        diagnosis = check::check(&report);
    }
    let exit = exit_code(&diagnosis, exit);
    let text = match args.format {
        CheckFormat::Human if args.all => render::check_each_step(&diagnosis, output.color),
        CheckFormat::Human => render::check(&diagnosis, output.color),
        CheckFormat::Json => render::json(&diagnosis),
    };
    Ok(output.write(&text, exit))
}

/// Whether another look can show something else of each target. What a file shows is the same each
/// time, as if its process had not moved.
fn is_live(args: &Check) -> bool {
    let wanted = args.targets.wanted();
    let has_processes =
        !wanted.jobs.is_empty() || wanted.slurm.is_some() || !wanted.requests.is_empty();
    let has_core = wanted.requests.iter().any(|request| matches!(request, Request::Core(_)));
    has_processes && !has_core && wanted.snapshots.is_empty() && wanted.reports.is_empty()
}

/// `read`: the exit code of reading.
fn exit_code(diagnosis: &Diagnosis, read: Exit) -> Exit {
    match diagnosis.verdict {
        Verdict::Deadlocked => Exit::Deadlocked,
        Verdict::Insufficient if read != Exit::Complete => Exit::Some,
        Verdict::Insufficient => Exit::Insufficient,
        Verdict::NotDeadlocked
            if diagnosis.findings.iter().any(|finding| finding.severity != Severity::Note) =>
        {
            Exit::Wrong
        }
        Verdict::NotDeadlocked => Exit::Complete,
    }
}
