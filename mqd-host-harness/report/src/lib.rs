//! The report of a job's message queues, and everything that is made of it.
//!
//! A [`Report`] is plain data: what `mqd dump --format json` writes. This crate filters it, renders
//! it as text and CSV, diagnoses why the job hangs ([`check`]), draws it ([`graph`]) and compares
//! two of them ([`changes`]). It makes no system calls and needs no job.
//!
//! ```
//! use mqd_report::Report;
//! use mqd_report::check::{Verdict, check};
//!
//! let json = r#"{"schema_version": "2.0", "tool": {"name": "mqd", "version": "0.2.0"},
//!                "processes": []}"#;
//! let report: Report = serde_json::from_str(json)?;
//! let diagnosis = check(&report);
//! assert_eq!(diagnosis.verdict, Verdict::Insufficient);
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! The modules from the bottom up: `model` (the types of the JSON contract, at the root of this
//! crate), `words` (names, counts and times as text), [`filter`], [`check`], [`changes`],
//! [`graph`], [`render`].

#![forbid(unsafe_code)]

pub mod changes;
pub mod check;
pub mod filter;
pub mod graph;
mod model;
pub mod render;
pub mod words;

pub use self::model::{
    Activity, Address, Collective, Communicator, Extent, Group, Operation, Problem, ProblemKind,
    Process, Queue, Report, ReportError, SCHEMA_VERSION, Status, Tool, Traffic, json_schema_text,
};
