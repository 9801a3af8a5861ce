//! The side that survives what the DLL does: it runs workers until all steps are done.

use std::path::Path;

use mqd_report::Problem;

use super::chapter_4::LOADS;
use super::{
    Check, Conformance, Finding, Judgement, Part, SUBCOMMAND, Step, Task, Verdict, rules, steps,
};
use crate::decode;
use crate::request::{Options, Request, Workers};
use crate::worker::{self, Failure};

/// So many checks may take too long before the others are given up.
const MOST_TIMEOUTS: usize = 5;

/// Runs the conformance suite.
///
/// `options.workers` says how to run the DLL; without it nothing can be judged.
pub fn run(dll: &Path, requests: &[Request], options: &Options) -> Conformance {
    let mut suite = Suite::default();
    let mut task = Task {
        dll: dll.to_owned(),
        requests: requests.to_owned(),
        options: Options { dll: None, ..options.clone() },
        first: 0,
    };
    match &options.workers {
        Some(workers) => while suite.go_on(workers, &mut task) {},
        None => suite.unusable = Some("there is no worker to run it in".to_owned()),
    }
    suite.conformance(dll)
}

/// What the workers have told so far.
#[derive(Default)]
struct Suite {
    version: Option<String>,
    processes: Vec<String>,
    errors: Vec<Problem>,
    judgements: Vec<Judgement>,
    unusable: Option<String>,
    printed: Vec<u8>,
    timeouts: usize,
}

impl Suite {
    /// Runs a worker. The result is false if there is nothing left to do.
    fn go_on(&mut self, workers: &Workers, task: &mut Task) -> bool {
        let (mut answer, mut printed) = (Vec::new(), Vec::new());
        let is_whole = |answer: &[u8]| {
            let ends = matches!(parts(answer).last()?, Part::End | Part::Unusable(_));
            ends.then_some(())
        };
        let run = worker::run(workers, SUBCOMMAND, task, &mut answer, &mut printed, is_whole);
        self.printed.append(&mut printed);
        let mut opened = false;
        let mut doing = None;
        for part in parts(&answer) {
            match part {
                Part::Opened { version, processes } => {
                    opened = true;
                    if !self.opened(version, processes) {
                        return false;
                    }
                }
                Part::Unusable(why) => {
                    self.unusable = Some(why);
                    return false;
                }
                Part::Doing(text) => doing = Some(text),
                Part::Judged(judgement) => {
                    doing = None;
                    self.judgements.push(judgement);
                }
                Part::End => return false,
            }
        }
        let is_timeout = matches!(run, Err(Failure::Timeout(_)));
        let why = match run {
            Err(why) => why.to_string(),
            Ok(()) => "gave no answer".to_owned(),
        };
        if !opened {
            self.unusable = Some(format!("while it is loaded, it {why}"));
            return false;
        }
        let when = doing.map_or(String::new(), |doing| format!(": {doing}"));
        self.judgements.push(Judgement::failed(format!("the debug DLL {why}{when}")));
        self.timeouts += usize::from(is_timeout);
        self.skip_rule();
        task.first = self.judgements.len();
        self.timeouts < MOST_TIMEOUTS && task.first < steps(self.processes.len()).len()
    }

    /// A rule that has ended a worker is not tried with further processes.
    fn skip_rule(&mut self) {
        let steps = steps(self.processes.len());
        let Some(failed) = self.judgements.len().checked_sub(1) else { return };
        let same = steps[failed..].iter().filter(|step| step.rule.id == steps[failed].rule.id);
        let why = "not tried, because of what it did with another process";
        self.judgements.extend(same.skip(1).map(|_| Judgement::not_applicable(why)));
    }

    /// Notes what a worker has opened. The result is false if it differs from what the first one
    /// has opened: then the steps are others.
    fn opened(&mut self, version: Option<String>, opened: Vec<Result<String, Problem>>) -> bool {
        let (mut processes, mut errors) = (Vec::new(), Vec::new());
        for process in opened {
            match process {
                Ok(who) => processes.push(who),
                Err(problem) => errors.push(problem),
            }
        }
        if self.version.is_none() {
            (self.version, self.processes, self.errors) = (version, processes, errors);
            return true;
        }
        let same = processes == self.processes;
        if !same {
            self.errors.append(&mut errors);
        }
        same
    }

    fn conformance(self, dll: &Path) -> Conformance {
        let Suite { version, processes, errors, judgements, unusable, printed, timeouts } = self;
        let not_reached = match timeouts {
            MOST_TIMEOUTS => "not tried, because earlier checks took too long",
            _ => "not tried, because the processes could not be opened again",
        };
        let mut judgements = judgements.into_iter();
        let mut checks: Vec<Check> = Vec::new();
        if let Some(why) = unusable {
            for rule in rules() {
                let judgement = if rule.id == LOADS {
                    Judgement::failed(&why)
                } else {
                    Judgement::not_applicable("the debug DLL cannot be used")
                };
                add(&mut checks, Step { rule, subject: None }, &processes, judgement);
            }
        } else {
            for step in steps(processes.len()) {
                let judgement =
                    judgements.next().unwrap_or_else(|| Judgement::not_applicable(not_reached));
                add(&mut checks, step, &processes, judgement);
            }
        }
        let printed = worker::lines(&printed);
        Conformance { dll: dll.to_owned(), version, processes, errors, checks, printed }
    }
}

/// Adds what a step has found. The steps of a rule follow one another.
fn add(checks: &mut Vec<Check>, step: Step, processes: &[String], judgement: Judgement) {
    let rule = step.rule;
    if checks.last().is_none_or(|check| check.id != rule.id) {
        checks.push(Check {
            id: rule.id,
            section: rule.section,
            sentence: rule.sentence,
            verdict: Verdict::NotApplicable,
            findings: Vec::new(),
        });
    }
    let Some(check) = checks.last_mut() else { return };
    let Judgement { verdict, reason } = judgement;
    check.verdict = match (check.verdict, verdict) {
        (Verdict::Fail, _) | (_, Verdict::Fail) => Verdict::Fail,
        (Verdict::Pass, _) | (_, Verdict::Pass) => Verdict::Pass,
        _ => Verdict::NotApplicable,
    };
    let process = step.subject.and_then(|subject| processes.get(subject).cloned());
    check.findings.push(Finding { process, verdict, reason });
}

/// The parts of an answer that are whole.
fn parts(answer: &[u8]) -> Vec<Part> {
    decode::each_from_slice(answer)
}
