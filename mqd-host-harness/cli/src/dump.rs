//! `mqd dump`: reads processes and writes a report.

use super::args::{Dump, Format};
use super::exit::Exit;
use super::output::{Output, complain, write_line};
use super::read::{Remarks, Source, read};
use super::requests;
use super::tables::Tables;
use mqd_host::capture::Keep;
use mqd_host::outcome::{Cost, Outcome};
use mqd_report::filter::Filter;
use mqd_report::render::{self, HumanOptions};
use mqd_report::{Extent, Process, SendCompletion};

pub(super) fn run(args: &Dump) -> Result<Exit, Exit> {
    if args.internal {
        requests::internal();
    }
    let filter = args.filter();
    let sink = match Sink::open(args)? {
        Sink::Tables(tables) => return write_tables(args, &filter, tables),
        Sink::Text(sink) => sink,
    };
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
    if let [unknown, ..] = filter.unknown_communicators(&report)[..]
        && exit == Exit::Complete
    {
        complain(&format!(
            "no process has a communicator {unknown}: mqd dump without --comm shows which there are"
        ));
        return Err(Exit::Usage);
    }
    filter.apply(&mut report);
    Ok(match sink {
        Text::Json(output) => output.write(&render::json(&report), exit),
        Text::Csv(output) => output.write(&render::csv(&report), exit),
        // Nothing was read. Standard error has the reason.
        Text::Human(output) if all_failed && !has_stacks => output.write("", exit),
        Text::Human(output) => {
            let options = HumanOptions {
                color: output.color,
                verbose: args.verbose,
                stacks: args.threads,
                all: args.all,
                filter,
            };
            output.write(&render::human(&report, &options), exit)
        }
    })
}

/// Writes processes as they are read: the tables of a large job are larger than the memory.
fn write_tables(args: &Dump, filter: &Filter, mut tables: Tables) -> Result<Exit, Exit> {
    let wants_rank = |rank| filter.wants_rank(rank);
    let mut source = Source::new(&args.targets, args.options(), Keep::default(), &wants_rank);
    let mut remarks = Remarks::default();
    let mut completion = SendCompletion::default();
    let mut written = Ok(());
    let mut add = |mut process: Process| {
        if written.is_ok() && filter.keep(&mut process) {
            written = tables.add(process);
        }
    };
    let exit = source.each(|outcome| {
        remarks.note(&outcome, true, args.verbose);
        if args.stats {
            write_line(&stats_line(&outcome));
        }
        completion.add(outcome.process).into_iter().for_each(&mut add);
    })?;
    completion.finish().for_each(&mut add);
    remarks.tell();
    written?;
    tables.finish()?;
    Ok(exit)
}

/// Where the report goes, and as what.
enum Sink {
    Text(Text),
    Tables(Tables),
}

/// A report as text.
enum Text {
    Human(Output),
    Json(Output),
    Csv(Output),
}

impl Sink {
    /// Opens it, before any process is stopped.
    fn open(args: &Dump) -> Result<Sink, Exit> {
        Ok(match args.format {
            Format::Human => Sink::Text(Text::Human(args.text.open()?)),
            Format::Json => Sink::Text(Text::Json(args.text.open()?)),
            Format::Csv => Sink::Text(Text::Csv(args.text.open()?)),
            Format::Parquet => Sink::Tables(Tables::open(args.text.path())?),
        })
    }
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
