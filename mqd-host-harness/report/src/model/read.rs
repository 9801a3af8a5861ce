//! A report as it was written, read again.

use serde::{Deserialize, Serialize};

use super::{Problem, ProblemKind, Process, Report, SCHEMA_VERSION};

/// The oldest major version of the format that is still read.
const OLDEST: u64 = 1;

/// A text that cannot be used as a report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// It is no JSON, or no report.
    #[error("it is not a report as `mqd dump --format json` writes it: {0}")]
    NotAReport(#[from] serde_json::Error),
    /// It is of a version that this `mqd` does not know.
    #[error(
        "it is a report of version {version}; this mqd reads versions {OLDEST}.0 to \
         {SCHEMA_VERSION}: use a newer mqd"
    )]
    Newer {
        /// Its version.
        version: String,
    },
}

/// How much of a process a report has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Extent {
    /// All of it.
    Complete,
    /// Something, and something failed.
    Partial,
    /// Nothing: the process could not be opened.
    Unreadable,
    /// Nothing: there was no debug DLL, or it found no queues.
    NoQueues,
}

impl Report {
    /// Reads a report from its JSON.
    ///
    /// # Errors
    /// It is not a report, or one of a later major version.
    pub fn from_json(text: &[u8]) -> Result<Report, ReportError> {
        #[derive(serde::Deserialize)]
        struct Version {
            schema_version: String,
        }
        // The version first: a later one may have changed everything else.
        let Version { schema_version: version } = serde_json::from_slice(text)?;
        let major = |version: &str| version.split('.').next().and_then(|major| major.parse().ok());
        let known = OLDEST..=major(SCHEMA_VERSION).unwrap_or(OLDEST);
        if !major(&version).is_some_and(|major: u64| known.contains(&major)) {
            return Err(ReportError::Newer { version });
        }
        Ok(serde_json::from_slice(text)?)
    }
}

impl Process {
    /// Had the process ended before it was read?
    pub fn has_ended(&self) -> bool {
        self.errors.iter().any(|error| error.kind == ProblemKind::Ended)
    }

    /// The limit that ended the reading of the process before everything was read.
    pub fn cut(&self) -> Option<&Problem> {
        self.errors.iter().find(|error| error.kind == ProblemKind::Limit)
    }

    /// How much of the process was read.
    pub fn extent(&self) -> Extent {
        use ProblemKind::{
            Damaged, Elsewhere, Ended, File, Limit, Missing, NoProgram, Permission, System,
            TimeLimit, Traced, Unreachable, WrongExecutable,
        };
        let not_opened = |kind: &ProblemKind| {
            let unopened = [
                Ended,
                Permission,
                Traced,
                Elsewhere,
                Unreachable,
                TimeLimit,
                Missing,
                NoProgram,
                File,
                Damaged,
                WrongExecutable,
                System,
            ];
            unopened.contains(kind)
        };
        match (self.errors.first(), self.communicators.is_empty()) {
            (None, _) => Extent::Complete,
            (Some(_), false) => Extent::Partial,
            (Some(first), true) if not_opened(&first.kind) => Extent::Unreadable,
            // It runs on before it is read. It may have queues.
            (Some(first), true) if first.kind == Limit => Extent::Partial,
            (Some(_), true) => Extent::NoQueues,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        let report = |version: &str| {
            let text = format!(
                r#"{{"schema_version": "{version}", "tool": {{"name": "x", "version": "1"}},
                     "processes": []}}"#
            );
            Report::from_json(text.as_bytes())
        };
        for known in ["1.0", "1.9", "2.7", SCHEMA_VERSION, "3.8"] {
            assert_eq!(report(known).unwrap().schema_version, known);
        }
        for unknown in ["4.0", "0.9", "x", ""] {
            assert!(matches!(report(unknown), Err(ReportError::Newer { .. })), "{unknown}");
        }
        for other in [&b""[..], b"{}", b"[]", b"{\"schema_version\": 1}", b"\xff"] {
            assert!(matches!(Report::from_json(other), Err(ReportError::NotAReport(_))));
        }
    }

    #[test]
    fn extents() {
        let failed = |kind| Process { errors: vec![Problem::new(kind, "x")], ..Process::default() };
        assert_eq!(Process::default().extent(), Extent::Complete);
        assert_eq!(failed(ProblemKind::Ended).extent(), Extent::Unreadable);
        assert_eq!(failed(ProblemKind::NoDll).extent(), Extent::NoQueues);
    }
}
