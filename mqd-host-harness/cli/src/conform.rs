//! `mqd conform`: a debug DLL against the sentences of the specification.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use super::args::{Conform, ConformFormat};
use super::exit::Exit;
use super::found::Found;
use super::output::{Output, complain, print};
use mqd_host::conform::{self, Check, Conformance, Finding, Verdict};
use mqd_host::request::Request;
use mqd_report::escape::printable;
use mqd_report::render;

/// The version of the JSON: the first number changes if programs that read it have to.
const SCHEMA_VERSION: &str = "1.0";

pub(super) fn run(args: &Conform) -> Result<Exit, Exit> {
    let Some(dll) = args.dll.as_deref().filter(|_| !args.scenario) else {
        return Ok(print(conform::SCENARIO, Exit::Complete));
    };
    let output = args.text.open()?;
    let requests = requests(args)?;
    let result = conform::run(dll, &requests, &args.options());
    result.errors.iter().for_each(|error| complain(&error.to_string()));
    let exit = exit(&result);
    Ok(match args.format {
        ConformFormat::Json => {
            let text = json(&result);
            output.write(&text, exit)
        }
        ConformFormat::Human => {
            let text = human(&result, args.verbose, &output);
            output.write(&text, exit)
        }
    })
}

/// The processes: live ones, and core files.
fn requests(args: &Conform) -> Result<Vec<Request>, Exit> {
    let wanted = args.targets.wanted();
    wanted.remarks.iter().for_each(|remark| complain(remark));
    if !wanted.snapshots.is_empty() || !wanted.reports.is_empty() {
        complain(
            "a debug DLL is checked on processes or their core files: a snapshot has only the \
             answers that another DLL wanted",
        );
        return Err(Exit::Usage);
    }
    let found = Found::new(&args.targets, &wanted, &|_| true);
    match (found.requests.is_empty(), found.exit) {
        (false, _) => Ok(found.requests),
        (true, Exit::Complete) => {
            complain(
                "which processes? Start the scenario (mqd conform --scenario) and give its \
                 launcher: --job PID",
            );
            Err(Exit::Usage)
        }
        (true, exit) => Err(exit),
    }
}

fn exit(result: &Conformance) -> Exit {
    if result.version.is_none() {
        return Exit::NoQueues;
    }
    if result.processes.is_empty() {
        return Exit::Unreadable;
    }
    let failed = result.checks.iter().any(|check| check.verdict == Verdict::Fail);
    if failed || !result.errors.is_empty() { Exit::Some } else { Exit::Complete }
}

fn json(result: &Conformance) -> String {
    #[derive(serde::Serialize)]
    struct Versioned<'a> {
        schema_version: &'static str,
        #[serde(flatten)]
        result: &'a Conformance,
    }
    render::json(&Versioned { schema_version: SCHEMA_VERSION, result })
}

/// Texts with colours or without.
struct Page<'a> {
    text: String,
    output: &'a Output,
}

impl Page<'_> {
    fn line(&mut self, line: &str) {
        // A string can always be written to.
        let _ = writeln!(self.text, "{line}");
    }

    fn styled(&self, style: Style, text: &str) -> String {
        match self.output.color {
            true => format!("{style}{text}{style:#}"),
            false => text.to_owned(),
        }
    }

    /// The verdict, in a column.
    fn verdict(&self, verdict: Verdict) -> String {
        let (word, style) = match verdict {
            Verdict::Pass => ("pass", AnsiColor::Green.on_default()),
            Verdict::Fail => ("FAIL", AnsiColor::Red.on_default().bold()),
            Verdict::NotApplicable => ("n/a ", Style::new().dimmed()),
        };
        self.styled(style, word)
    }

    fn check(&mut self, check: &Check, width: usize, verbose: bool) {
        let verdict = self.verdict(check.verdict);
        let line = format!("{verdict}  {:6}  {:width$}", check.section, check.id);
        self.line(line.trim_end());
        if check.verdict == Verdict::Pass && !verbose {
            return;
        }
        self.line(&format!("{:14}\"{}\"", "", check.sentence));
        for (who, finding) in together(&check.findings, check.verdict) {
            let reason = finding.reason.as_deref().unwrap_or_default();
            self.line(&format!("{:14}{}{}", "", printable(&who), printable(reason)));
        }
    }
}

/// The findings with this verdict and a reason. Those with the same reason are told once.
fn together(findings: &[Finding], verdict: Verdict) -> Vec<(String, &Finding)> {
    let mut told: Vec<(String, &Finding)> = Vec::new();
    for finding in findings.iter().filter(|one| one.verdict == verdict && one.reason.is_some()) {
        let who = finding.process.as_deref().unwrap_or_default();
        match told.iter_mut().find(|(_, other)| other.reason == finding.reason) {
            Some((others, _)) => others.push_str(&format!(", {who}")),
            None => told.push((who.to_owned(), finding)),
        }
    }
    for (who, _) in &mut told {
        if !who.is_empty() {
            who.push_str(": ");
        }
    }
    told
}

fn human(result: &Conformance, verbose: bool, output: &Output) -> String {
    let mut page = Page { text: String::new(), output };
    let version = result.version.as_deref().unwrap_or("cannot be used");
    let title = format!("{}: {version}", result.dll.display());
    let title = page.styled(Style::new().bold(), &printable(&title));
    page.line(&title);
    let width = result.checks.iter().map(|check| check.id.len()).max().unwrap_or(0);
    result.checks.iter().for_each(|check| page.check(check, width, verbose));
    if verbose {
        result
            .printed
            .iter()
            .for_each(|line| page.line(&format!("it prints: {}", printable(line))));
    }
    let count = |verdict| result.checks.iter().filter(|check| check.verdict == verdict).count();
    page.line(&format!(
        "{} pass, {} fail, {} not applicable",
        count(Verdict::Pass),
        count(Verdict::Fail),
        count(Verdict::NotApplicable)
    ));
    page.text
}
