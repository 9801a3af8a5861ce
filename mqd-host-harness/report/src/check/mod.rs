//! The diagnosis: what a job's ranks wait for, across all of them, and what is wrong.
//!
//! A pure function of a [`Report`], or of two reports of the same job some time apart. The way:
//! [`job`] puts the processes together, [`matching`] pairs messages with sends and receives,
//! [`waits`] makes the wait-for graph, whose greatest set of ranks that cannot go on ([`fixpoint`])
//! is the verdict; [`knots`] finds the cycles in it, and [`findings`] the rest. All of it takes
//! time in proportion to ranks and operations.
//!
//! Why a verdict holds although processes are read one after the other: the first of the stuck
//! ranks to go on after its look would need a message that another one of them has sent before its
//! own look, and that has come in after that of the receiver. [`traffic`] tells that there is none.

mod analysis;
mod diagnosis;
mod findings;
mod fixpoint;
mod functions;
mod job;
mod knots;
mod matching;
mod ranks;
mod traffic;
mod verdict;
mod waits;
mod words;

use self::analysis::Analysis;
use self::waits::Caution;
use crate::model::{Activity, Report};

pub use self::diagnosis::{
    Certainty, Diagnosis, Finding, Kind, SCHEMA_VERSION, Severity, Verdict, Wait, json_schema_text,
};
pub use self::ranks::Ranks;

/// Diagnoses a job from one look at it.
pub fn check(report: &Report) -> Diagnosis {
    Analysis::new(report).diagnose(None)
}

/// Diagnoses a job from two looks at it, so many seconds apart.
pub fn check_again(first: &Report, second: &Report, seconds: f64) -> Diagnosis {
    let first = Analysis::new(first);
    Analysis::new(second).diagnose(Some((&first, seconds)))
}

/// Would it prove what a process waits for if its call stack showed that this has begun, which it
/// does not?
pub fn would_be_proved(activity: &Activity) -> bool {
    let is_listed = activity.function.as_deref().is_some_and(functions::is_listed);
    is_listed && activity.begun.is_none() && activity.concurrent == Some(false)
}

/// Counts what a diagnosis takes: how often edges of the wait-for graph are followed.
pub fn steps(report: &Report) -> usize {
    let analysis = Analysis::new(report);
    analysis.stuck(Caution::All, &[]).steps()
}
