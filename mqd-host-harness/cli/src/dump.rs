//! `mqd dump`: reads processes and writes a report.

use super::args::{Dump, Format};
use super::exit::Exit;
use super::output::write_line;
use super::read::read;
use mqd_host::outcome::{Cost, Outcome};
use mqd_report::render::{self, HumanOptions};
use mqd_report::{Extent, Process};

pub(super) fn run(args: &Dump) -> Result<Exit, Exit> {
    if args.internal {
        // SAFETY: no other thread runs yet.
        unsafe { std::env::set_var("MQD_INTERNAL", "1") };
    }
    let filter = args.filter();
    let output = args.text.open()?;
    let reading = read(&args.targets, args.options(), |rank| filter.wants_rank(rank))?;
    let (all_failed, exit) = (reading.all_failed(), reading.exit);
    // Where a process is can be known without its queues.
    let has_stacks = reading.outcomes.iter().any(|outcome| outcome.process.stacks.is_some());
    let output_tells = args.format == Format::Human && !all_failed;
    reading.tell(!output_tells, args.verbose);
    for outcome in reading.outcomes.iter().filter(|_| args.stats) {
        write_line(&stats_line(outcome));
    }

    let mut report = reading.report();
    filter.apply(&mut report);
    let text = match args.format {
        Format::Json => render::json(&report),
        Format::Csv => render::csv(&report),
        // Nothing was read. Standard error has the reason.
        Format::Human if all_failed && !has_stacks => String::new(),
        Format::Human => render::human(
            &report,
            &HumanOptions {
                color: output.color,
                verbose: args.verbose,
                stacks: args.threads,
                all: args.all,
                filter,
            },
        ),
    };
    Ok(output.write(&text, exit))
}

/// One line of `--stats`.
fn stats_line(outcome: &Outcome) -> String {
    #[derive(serde::Serialize)]
    struct Line<'a> {
        rank: Option<i64>,
        pid: Option<u32>,
        core: Option<&'a str>,
        verdict: Extent,
        #[serde(flatten)]
        cost: &'a Cost,
    }
    let Process { rank, pid, core, .. } = &outcome.process;
    let line = Line {
        rank: *rank,
        pid: *pid,
        core: core.as_deref(),
        verdict: outcome.extent,
        cost: &outcome.cost,
    };
    serde_json::to_string(&line).expect("numbers and strings")
}
