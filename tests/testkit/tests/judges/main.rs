//! The judges are judged: real reports and verdicts are falsified in every way, and each
//! falsification must be noticed.

mod expectation;
mod recorded;
mod verdict;
