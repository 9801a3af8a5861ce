//! `mqd conform`: does a debug DLL do what the sentences of the specification say?
//!
//! The rules are in a file for each chapter: what the sentence says, and a function that judges a
//! DLL by it. They use the DLL as a debugger does, on processes in a known state
//! ([`scenario`](SCENARIO)), and have callbacks fail.
//!
//! The DLL runs in a worker. If it crashes or does not end, the rule that was being judged has
//! failed, and a new worker goes on with the next one.

mod bench;
mod chapter_2;
mod chapter_4;
mod compare;
mod debugger;
mod image;
mod library;
mod objects;
mod process;
mod query;
mod reading;
mod scenario;
mod supervise;
mod work;

use std::path::PathBuf;

use mqd_report::Problem;
use serde::{Deserialize, Serialize};

use self::bench::{Bench, Subject};
pub use self::scenario::SOURCE as SCENARIO;
pub use self::supervise::run;
pub use self::work::serve;
use crate::request::{Options, Request};

/// The hidden subcommand that runs a worker.
pub const SUBCOMMAND: &str = "conform-worker";

/// What a conformance suite says of a debug DLL.
#[derive(Clone, Debug, Serialize)]
pub struct Conformance {
    /// The DLL.
    pub dll: PathBuf,
    /// What it says its version is; None if it cannot be used.
    pub version: Option<String>,
    /// The processes that it was to read.
    pub processes: Vec<String>,
    /// Processes that could not be opened.
    pub errors: Vec<Problem>,
    /// The rules, in the order of the specification.
    pub checks: Vec<Check>,
    /// What the DLL has printed, at most the first few kilobytes.
    pub printed: Vec<String>,
}

/// What is said of one rule.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// Its name, which stays the same from release to release.
    pub id: &'static str,
    /// The section of the specification.
    pub section: &'static str,
    /// What the DLL has to do, in the words of the specification as far as possible.
    pub sentence: &'static str,
    /// Fail if it fails for one process, not applicable if it is applicable to none.
    pub verdict: Verdict,
    /// What was found: once for the DLL, or for each process.
    pub findings: Vec<Finding>,
}

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// The process; None for the DLL as a whole.
    pub process: Option<String>,
    /// Whether the DLL passes.
    pub verdict: Verdict,
    /// Why it fails or is not applicable, or what was tried.
    pub reason: Option<String>,
}

/// Whether a DLL passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It does what the sentence says.
    Pass,
    /// It does not.
    Fail,
    /// It cannot be said.
    NotApplicable,
}

/// A verdict and why.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Judgement {
    verdict: Verdict,
    reason: Option<String>,
}

impl Judgement {
    const PASS: Judgement = Judgement { verdict: Verdict::Pass, reason: None };

    fn passed(reason: impl Into<String>) -> Judgement {
        Judgement { verdict: Verdict::Pass, reason: Some(reason.into()) }
    }

    fn failed(reason: impl Into<String>) -> Judgement {
        Judgement { verdict: Verdict::Fail, reason: Some(reason.into()) }
    }

    fn not_applicable(reason: impl Into<String>) -> Judgement {
        Judgement { verdict: Verdict::NotApplicable, reason: Some(reason.into()) }
    }

    /// Failed for these reasons, or passed if there are none.
    fn of(reasons: &[String]) -> Judgement {
        match reasons {
            [] => Judgement::PASS,
            [only] => Judgement::failed(only),
            [first, others @ ..] => {
                Judgement::failed(format!("{first}; and {} more of this kind", others.len()))
            }
        }
    }
}

/// A sentence of the specification, and how a DLL is judged by it.
struct Rule {
    id: &'static str,
    section: &'static str,
    sentence: &'static str,
    judge: Judge,
}

/// How a rule is judged.
#[derive(Clone, Copy)]
enum Judge {
    /// Once.
    Once(fn(&Bench) -> Judgement),
    /// For each process.
    Each(fn(&Bench, &Subject) -> Judgement),
}

/// All rules, in the order of the specification.
fn rules() -> Vec<&'static Rule> {
    [
        chapter_2::RULES,
        chapter_4::RULES,
        objects::RULES,
        debugger::RULES,
        library::RULES,
        image::RULES,
        process::RULES,
        query::RULES,
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A rule with the process that it is judged for: one step of the suite.
#[derive(Clone, Copy)]
struct Step {
    rule: &'static Rule,
    subject: Option<usize>,
}

/// The steps for so many processes.
fn steps(subjects: usize) -> Vec<Step> {
    let of_rule = |rule: &'static Rule| match rule.judge {
        Judge::Once(_) => vec![Step { rule, subject: None }],
        Judge::Each(_) => {
            (0..subjects).map(|subject| Step { rule, subject: Some(subject) }).collect()
        }
    };
    rules().into_iter().flat_map(of_rule).collect()
}

/// The task of a worker.
#[derive(Debug, Serialize, Deserialize)]
struct Task {
    dll: PathBuf,
    requests: Vec<Request>,
    options: Options,
    /// The first step to do.
    first: usize,
}

/// A part of a worker's answer.
#[derive(Debug, Serialize, Deserialize)]
enum Part {
    /// What was opened, in the order of the requests.
    Opened { version: Option<String>, processes: Vec<Result<String, Problem>> },
    /// The DLL cannot be used.
    Unusable(String),
    /// What is being done within the step.
    Doing(String),
    /// The result of the next step.
    Judged(Judgement),
    /// All steps are done.
    End,
}
