//! The report of a job's message queues, and everything that is made of it.
//!
//! A [`Report`] is plain data: what `mqd dump --format json` writes. This crate filters it, renders
//! it as text and CSV, diagnoses why the job hangs ([`check`]), draws it (`graph`) and compares
//! two of them ([`changes`]). It makes no system calls and needs no job.
//!
//! Read a report and diagnose the job. Here each of two ranks waits for a message of the other one:
//!
//! ```
//! use mqd_report::check::{FindingKind, Verdict, check};
//! use mqd_report::{Report, render};
//!
//! # let report = |rank: i64| serde_json::json!({
//! #     "rank": rank, "pid": 4711 + rank, "core": null, "executable": null, "library": null,
//! #     "dll_version": null, "errors": [],
//! #     "activity": {"function": "MPI_Recv", "needed": 1, "begun": null, "concurrent": false},
//! #     "communicators": [{
//! #         "unique_id": "0x1", "name": "MPI_COMM_WORLD", "size": 2, "local_rank": rank,
//! #         "group": [0, 1], "pending_sends": [], "unexpected_messages": [],
//! #         "collectives": [], "traffic": [],
//! #         "pending_receives": [{
//! #             "status": "pending", "desired_local_rank": 1 - rank,
//! #             "desired_global_rank": 1 - rank, "tag_wild": false, "desired_tag": 7,
//! #             "desired_length": 4, "system_buffer": false, "buffer": "0x1000",
//! #             "actual_local_rank": null, "actual_global_rank": null, "actual_tag": null,
//! #             "actual_length": null, "awaited": true, "extra_text": ["MPI_Recv"]
//! #         }]
//! #     }]
//! # });
//! # let json = serde_json::json!({
//! #     "schema_version": "2.0", "tool": {"name": "mqd", "version": "0.2.0"},
//! #     "processes": [report(0), report(1)]
//! # }).to_string();
//! let report: Report = serde_json::from_str(&json)?;
//! let diagnosis = check(&report);
//! assert_eq!(diagnosis.verdict, Verdict::Deadlocked);
//! assert_eq!(diagnosis.stuck.to_string(), "0-1");
//! assert_eq!(diagnosis.findings[0].kind, FindingKind::Deadlock);
//! println!("{}", render::check(&diagnosis, false));
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! Keep a part of a report and show it as text. A queue that was not read is not known; it is never
//! empty:
//!
//! ```
//! use mqd_report::filter::Filter;
//! use mqd_report::render::{self, HumanOptions};
//! use mqd_report::{Problem, ProblemKind, Process, Report};
//!
//! let error = Problem::new(ProblemKind::Ended, "process 4711 has ended");
//! let process = Process { rank: Some(3), errors: vec![error], ..Process::default() };
//! let mut report = Report::new(vec![process]);
//! let filter = Filter { ranks: vec!["0-7".parse()?], ..Filter::default() };
//! filter.apply(&mut report);
//! let text = render::human(&report, &HumanOptions { filter, ..HumanOptions::default() });
//! assert!(text.contains("Not read, or not completely: rank 3"));
//! # Ok::<(), mqd_report::filter::ParseNumbersError>(())
//! ```
//!
//! `examples/own_check.rs` shows how to write your own check over a report.
//!
//! The modules from the bottom up: `model` (the types of the JSON contract, at the root of this
//! crate), `words` (names, counts and times as text), [`filter`], [`check`], [`changes`],
//! `graph` (with the feature of this name), [`render`].
//!
//! # Features
//!
//! - `graph` (by default): pictures as dot, SVG and HTML.
//! - `parquet`: [`render`] writes tables for DuckDB, Polars and Spark, too.
//! - `clap`: a [`Queue`] can be the value of an argument of a command line.

#![forbid(unsafe_code)]

pub mod changes;
pub mod check;
pub mod escape;
pub mod filter;
#[cfg(feature = "graph")]
pub mod graph;
mod jobs;
mod model;
pub mod render;
pub mod stacks;
pub mod words;

pub use self::jobs::{renumber, unite};
pub use self::model::{
    ActiveRequests, Activity, Address, Background, Calls, Collective, Communicator, Extent, Fifo,
    Frame, Group, JobIdentity, Lines, NamedCommunicator, Names, Operation, OtherThreads, Problem,
    ProblemKind, Process, ProcessName, Queue, Report, ReportError, SCHEMA_VERSION, SendCompletion,
    Stack, Status, Text, Tool, Traffic, Unreported, json_schema_text,
};
