//! What could not be read of a process, and why, as data.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that could not be read of a process.
///
/// Programs look at the kind. The text is for people and may change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Written")]
pub struct Problem {
    /// What went wrong.
    pub kind: ProblemKind,
    /// The same for people: what failed, on what, why.
    pub text: String,
    /// The file that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The host that the process runs on, if that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// What to do next, if the text does not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

/// A problem as it may be written. Before version 2 of the format there was only the text.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Written {
    Text(String),
    Problem {
        kind: ProblemKind,
        text: String,
        #[serde(default)]
        path: Option<String>,
        #[serde(default)]
        host: Option<String>,
        #[serde(default)]
        advice: Option<String>,
    },
}

impl From<Written> for Problem {
    fn from(written: Written) -> Problem {
        match written {
            Written::Text(text) => Problem::new(ProblemKind::Other, text),
            Written::Problem { kind, text, path, host, advice } => {
                Problem { kind, text, path, host, advice }
            }
        }
    }
}

/// What went wrong. Later versions may add kinds; a reader treats a kind that it does not know as
/// `other`.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ProblemKind {
    /// There is no such process, or it has ended.
    Ended,
    /// The kernel refuses access to the process.
    Permission,
    /// Another debugger or tracer has the process.
    Traced,
    /// The process runs on another host.
    Elsewhere,
    /// No agent could be started on the host, or what it sent could not be used. Since 3.2.
    Unreachable,
    /// The agent on the host did not answer in time. Since 3.2.
    TimeLimit,
    /// The launcher says that the job has this rank, and no process of it was found. Since 3.2.
    Missing,
    /// The process has no executable, such as a kernel thread.
    NoProgram,
    /// A file cannot be opened, or is neither a core file nor a snapshot.
    File,
    /// A core file, a snapshot or the memory of the process is damaged.
    Damaged,
    /// The given executable is not the one that the process ran.
    WrongExecutable,
    /// The process has no known MPI library.
    NoMpi,
    /// There is no debug DLL for the process, or it cannot be used.
    NoDll,
    /// The debug DLL crashed, hung or broke the protocol.
    DllFailed,
    /// The debug DLL could not read the queues, or a part of them. The text is the DLL's.
    Queues,
    /// A bound on what is read was reached.
    Limit,
    /// The system refused something else.
    System,
    /// Something else.
    #[serde(other)]
    Other,
}

impl ProblemKind {
    /// Describes the kind in a few words, without any data of the process.
    pub fn describe(self) -> &'static str {
        match self {
            ProblemKind::Ended => "the process has ended",
            ProblemKind::Permission => "no permission to attach to the process",
            ProblemKind::Traced => "another debugger has the process",
            ProblemKind::Elsewhere => "the process runs on another host",
            ProblemKind::Unreachable => "the host could not be reached",
            ProblemKind::TimeLimit => "the host did not answer in time",
            ProblemKind::Missing => "no process of this rank was found",
            ProblemKind::NoProgram => "the process has no executable",
            ProblemKind::File => "a file cannot be used",
            ProblemKind::Damaged => "the data are damaged",
            ProblemKind::WrongExecutable => "the executable is not the one that the process ran",
            ProblemKind::NoMpi => "no MPI library was found in the process",
            ProblemKind::NoDll => "there is no debug DLL that can be used",
            ProblemKind::DllFailed => "the debug DLL failed",
            ProblemKind::Queues => "the debug DLL could not read all queues",
            ProblemKind::Limit => "a bound on what is read was reached",
            ProblemKind::System => "the system refused a request",
            ProblemKind::Other => "something could not be read",
        }
    }
}

impl Problem {
    /// A problem with a text for people.
    pub fn new(kind: ProblemKind, text: impl Into<String>) -> Problem {
        Problem { kind, text: text.into(), path: None, host: None, advice: None }
    }

    /// The texts of problems in one line, for people.
    pub fn one_line(problems: &[Problem]) -> String {
        problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("; ")
    }

    /// This problem, with the file that it is about.
    #[must_use]
    pub fn about(self, path: impl Into<String>) -> Problem {
        Problem { path: Some(path.into()), ..self }
    }

    /// This problem, with the other host that the process runs on.
    #[must_use]
    pub fn on_host(self, host: impl Into<String>) -> Problem {
        Problem { host: Some(host.into()), ..self }
    }

    /// This problem, with what to do next.
    #[must_use]
    pub fn advise(self, advice: impl Into<String>) -> Problem {
        Problem { advice: Some(advice.into()), ..self }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        match &self.advice {
            Some(advice) => write!(f, "; {advice}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Problem {}
