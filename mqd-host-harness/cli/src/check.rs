//! `mqd check`: reads processes and writes a diagnosis.

use std::thread;
use std::time::{Duration, Instant};

use super::args::{Check, CheckFormat};
use super::examine::{Examined, examine};
use super::exit::Exit;
use super::motion::elsewhere;
use super::read::Source;
use super::requests;
use mqd_host::capture::Keep;
use mqd_host::request::Request;
use mqd_report::check::{self, Diagnosis, Severity, Verdict};
use mqd_report::{Report, render};

pub(super) fn run(args: &Check) -> Result<Exit, Exit> {
    requests::internal_where_kept();
    let output = args.text.open()?;
    let begin = Instant::now();
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
        examine(&mut source, first, begin, args.recheck)?
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

/// How many more looks show whether a rank that is outside MPI polls.
const POLLING_LOOKS: usize = 3;
/// The time between such looks.
const POLLING_PAUSE: Duration = Duration::from_millis(20);
/// The most ranks outside MPI that are looked at for that.
const POLLING_RANKS: usize = 16;

/// Looks a few more times at the ranks that are outside MPI, and marks those that poll in the
/// report. Returns whether there are any.
fn polls(source: Source<'_>, report: &mut Report) -> Result<bool, Exit> {
    let outside: Vec<i64> = report
        .processes
        .iter()
        .filter(|process| {
            process.activity.as_ref().is_some_and(|activity| activity.function.is_none())
        })
        .filter_map(|process| process.rank)
        .collect();
    let others = report.processes.iter().any(|process| elsewhere(process).is_some());
    if outside.is_empty() || outside.len() > POLLING_RANKS || others {
        return Ok(false);
    }
    let is_outside = |rank: i64| outside.contains(&rank);
    let mut source = source.only(&is_outside);
    let mut any = false;
    for _ in 0..POLLING_LOOKS {
        thread::sleep(POLLING_PAUSE);
        any |= check::note_polling(report, &source.read()?.report());
    }
    Ok(any)
}

/// Whether another look at the targets can show something else.
fn is_live(args: &Check) -> bool {
    let wanted = args.targets.wanted();
    !wanted.jobs.is_empty()
        || wanted.slurm.is_some()
        || wanted.requests.iter().any(|request| !matches!(request, Request::Core(_)))
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
