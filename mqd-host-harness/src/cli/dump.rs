//! `mqd dump`: from arguments to a report, written out.

use std::fs::File;
use std::io::{self, Write};

use super::args::{Dump, Format};
use super::exit::Exit;
use super::progress::Progress;
use crate::dump::{Cost, Dumper, Outcome, Request, Verdict};
use crate::filter::Filter;
use crate::job::{self, Job};
use crate::render::{self, HumanOptions};
use crate::report::{Process, Report};

pub(super) fn run(args: &Dump) -> Exit {
    if args.internal {
        // SAFETY: no other thread runs yet.
        unsafe { std::env::set_var("MQD_INTERNAL", "1") };
    }
    let filter = args.filter();
    // Before any process is stopped: a typing error must not cost a dump.
    let mut output = match Output::open(args) {
        Ok(output) => output,
        Err(error) => {
            complain(&error);
            return Exit::Usage;
        }
    };
    let (requests, mut exit) = match requests(args, &filter) {
        Ok(found) => found,
        Err(exit) => return exit,
    };

    let outcomes = read_all(args, &requests);
    let verdicts: Vec<_> = outcomes.iter().map(|outcome| outcome.verdict).collect();
    exit = match (exit, Exit::of(&verdicts)) {
        (Exit::Complete, exit) => exit,
        // A job that could not be found, and something else that could be read.
        (_, Exit::Complete | Exit::Some) if !verdicts.is_empty() => Exit::Some,
        (exit, _) => exit,
    };
    tell(args, &outcomes);

    let mut report = Report::new(outcomes.into_iter().map(|outcome| outcome.process).collect());
    filter.apply(&mut report);
    let text = match args.format {
        Format::Json => render::json(&report),
        Format::Csv => render::csv(&report),
        // Nothing at all to read: standard error has said why.
        Format::Human if verdicts.iter().all(|verdict| failed(*verdict)) => String::new(),
        Format::Human => render::human(&report, &HumanOptions { color: output.color, verbose: args.verbose, filter }),
    };
    match output.write(&text) {
        Ok(()) => exit,
        // The reader has had enough (`mqd dump ... | head`): that is not an error.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => exit,
        Err(error) => {
            complain(&format!("cannot write the output: {error}"));
            Exit::Output
        }
    }
}

/// The processes to read: those of jobs first. The exit code is not `Complete` if the processes of a job could not be found.
fn requests(args: &Dump, filter: &Filter) -> Result<(Vec<Request>, Exit), Exit> {
    let mut requests = Vec::new();
    let mut exit = Exit::Complete;
    let mut left_out = false;
    for launcher in args.targets.jobs() {
        match job::members(*launcher) {
            Ok(Job { members, remarks }) => {
                remarks.iter().for_each(|remark| complain(remark));
                let all = members.len();
                let wanted = members.into_iter().filter(|member| filter.wants_rank(member.rank)).map(Request::Member);
                let before = requests.len();
                requests.extend(wanted);
                left_out |= requests.len() - before < all;
            }
            Err(error) => {
                complain(&error.to_string());
                exit = Exit::Unreadable;
            }
        }
    }
    requests.extend(args.targets.requests());
    if requests.is_empty() {
        if left_out {
            complain("the job has no such rank (--rank): rank numbers begin at 0");
            return Err(Exit::Usage);
        }
        return Err(exit);
    }
    Ok((requests, exit))
}

fn read_all(args: &Dump, requests: &[Request]) -> Vec<Outcome> {
    let mut dumper = Dumper::new(args.options());
    let progress = Progress::new(requests.len());
    requests
        .iter()
        .map(|request| {
            progress.begin(match request {
                Request::Pid(pid) => format!("process {pid}"),
                Request::Core(path) => path.display().to_string(),
                Request::Member(member) => format!("rank {}", member.rank),
            });
            let outcome = dumper.dump(request, progress.operations());
            progress.end();
            outcome
        })
        .collect()
}

/// What goes to standard error: why processes failed, unless the output says it; warnings; on demand costs and the DLL's own messages.
fn tell(args: &Dump, outcomes: &[Outcome]) {
    let all_failed = outcomes.iter().all(|outcome| failed(outcome.verdict));
    let output_tells = args.format == Format::Human && !all_failed;
    let mut remarks = Remarks::default();
    for outcome in outcomes {
        let who = who(&outcome.process);
        for error in outcome.process.errors.iter().filter(|_| !output_tells) {
            remarks.add("", &who, error);
        }
        for warning in &outcome.warnings {
            remarks.add("warning: ", &who, warning);
        }
        for message in outcome.messages.iter().filter(|_| args.verbose) {
            remarks.add("the debug DLL prints: ", &who, message);
        }
    }
    remarks.tell();
    for outcome in outcomes.iter().filter(|_| args.stats) {
        write_line(&stats_line(outcome));
    }
}

/// Remarks on processes. What holds for many of them, as it does in a job, is said once.
#[derive(Default)]
struct Remarks {
    remarks: Vec<Remark>,
}

struct Remark {
    text: String,
    kind: &'static str,
    first: String,
    more: usize,
}

impl Remarks {
    fn add(&mut self, kind: &'static str, who: &str, text: &str) {
        match self.remarks.iter_mut().find(|remark| remark.kind == kind && remark.text == text) {
            Some(remark) => remark.more += 1,
            None => self.remarks.push(Remark { text: text.to_owned(), kind, first: who.to_owned(), more: 0 }),
        }
    }

    fn tell(&self) {
        for Remark { text, kind, first, more } in &self.remarks {
            match more {
                0 => complain(&format!("{kind}{first}: {text}")),
                1 => complain(&format!("{kind}{first} and another one: {text}")),
                _ => complain(&format!("{kind}{first} and {more} others: {text}")),
            }
        }
    }
}

/// One line of `--stats`.
fn stats_line(outcome: &Outcome) -> String {
    #[derive(serde::Serialize)]
    struct Line<'a> {
        rank: Option<i64>,
        pid: Option<u32>,
        core: Option<&'a str>,
        verdict: Verdict,
        #[serde(flatten)]
        cost: &'a Cost,
    }
    let Process { rank, pid, core, .. } = &outcome.process;
    let line = Line { rank: *rank, pid: *pid, core: core.as_deref(), verdict: outcome.verdict, cost: &outcome.cost };
    serde_json::to_string(&line).expect("numbers and strings")
}

fn failed(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Unreadable | Verdict::NoQueues)
}

fn who(process: &Process) -> String {
    match (process.rank, process.pid, &process.core) {
        (Some(rank), _, Some(core)) => format!("rank {rank} ({core})"),
        (None, _, Some(core)) => core.clone(),
        (Some(rank), Some(pid), None) => format!("rank {rank} (pid {pid})"),
        (Some(rank), None, None) => format!("rank {rank}"),
        (None, Some(pid), None) => format!("pid {pid}"),
        (None, None, None) => "process".to_owned(),
    }
}

pub(super) fn complain(text: &str) {
    write_line(&format!("mqd: {text}"));
}

fn write_line(line: &str) {
    // Standard error may be closed; there is nowhere left to say so.
    let _ = writeln!(io::stderr(), "{line}");
}

/// Where the report goes.
struct Output {
    file: Option<File>,
    color: bool,
}

impl Output {
    fn open(args: &Dump) -> Result<Output, String> {
        let file = match &args.output {
            None => None,
            Some(path) => {
                Some(File::create(path).map_err(|error| format!("cannot create {}: {error}", path.display()))?)
            }
        };
        let color = match args.color {
            clap::ColorChoice::Always => true,
            clap::ColorChoice::Never => false,
            clap::ColorChoice::Auto => {
                // Asks NO_COLOR and its relatives, TERM, and whether it is a terminal.
                let choice = anstream::AutoStream::choice(&io::stdout());
                file.is_none() && choice != anstream::ColorChoice::Never
            }
        };
        Ok(Output { file, color })
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        match &mut self.file {
            Some(file) => {
                file.write_all(text.as_bytes())?;
                file.flush()
            }
            None => {
                let mut stdout = io::stdout().lock();
                stdout.write_all(text.as_bytes())?;
                stdout.flush()
            }
        }
    }
}
