//! `mqd check`: reads processes and writes a diagnosis.

use std::thread;
use std::time::{Duration, Instant};

use super::args::{Check, CheckFormat};
use super::exit::Exit;
use super::read::Source;
use mqd_host::capture::Keep;
use mqd_host::dump::INTERNAL_WHERE_KEPT;
use mqd_host::request::Request;
use mqd_report::check::{self, Diagnosis, Severity, Verdict};
use mqd_report::render;

/// The time between the first look and the second, if one is not sufficient.
const RECHECK: Duration = Duration::from_secs(1);

pub(super) fn run(args: &Check) -> Result<Exit, Exit> {
    // The library's own messages tell whom a rank waits for in a collective operation.
    // SAFETY: there is one thread so far, and nothing reads the environment meanwhile.
    unsafe { std::env::set_var("MQD_INTERNAL", INTERNAL_WHERE_KEPT) };
    let output = args.text.open()?;
    let begin = Instant::now();
    let mut source = Source::new(&args.targets, args.options(), Keep::default(), &|_| true);
    let reading = source.read()?.of_one_job()?;
    reading.tell(true, false);
    if reading.all_failed() {
        // Standard error has the reason.
        return Err(reading.exit);
    }
    let exit = reading.exit;
    let report = reading.report();
    let mut diagnosis = check::check(&report);
    let pause = match args.recheck {
        None => RECHECK,
        Some(pause) => pause,
    };
    let doubtful = diagnosis.verdict == Verdict::Insufficient && !diagnosis.stuck.is_empty();
    if is_live(args) && !pause.is_zero() && (doubtful || args.recheck.is_some()) {
        thread::sleep(pause.saturating_sub(begin.elapsed()));
        let second = source.read()?;
        let seconds = (begin.elapsed().as_secs_f64() * 10.0).round() / 10.0;
        diagnosis = check::check_again(&report, &second.report(), seconds);
    }
    let exit = exit_code(&diagnosis, exit);
    let text = match args.format {
        CheckFormat::Human => render::check(&diagnosis, output.color),
        CheckFormat::Json => render::json(&diagnosis),
    };
    Ok(output.write(&text, exit))
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
