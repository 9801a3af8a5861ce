//! The diagnosis: what a job's ranks wait for, across all of them, and what is wrong.
//!
//! A pure function of a [`Report`], or of two reports of the same job some time apart.

mod diagnosis;
mod ranks;

pub use self::diagnosis::{
    Certainty, Diagnosis, Finding, Kind, SCHEMA_VERSION, Severity, Verdict, Wait, json_schema_text,
};
pub use self::ranks::Ranks;
