//! `mqd check`: reads processes and writes a diagnosis.

use super::args::{Check, CheckFormat};
use super::examine::{Examined, examine};
use super::exit::Exit;
use super::polling::polls;
use super::read::Source;
use super::requests;
use mqd_host::capture::Keep;
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
    let may_look_again = source.is_live() && args.recheck.is_none_or(|pause| !pause.is_zero());
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
