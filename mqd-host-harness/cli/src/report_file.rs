//! Reports as targets. `mqd dump --format json` writes them.

use std::io::Read;
use std::path::Path;

use mqd_host::outcome::Outcome;
use mqd_host::snapshot::Entry;
use mqd_inspect::files::{self, FileError};
use mqd_report::{Process, Report, ReportError};

/// A report cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReportFileError {
    /// The file cannot be read.
    #[error("cannot read {path}: {source}")]
    File { path: String, source: FileError },
    /// The file is not a report.
    #[error("cannot use {path}: {source}")]
    Content { path: String, source: ReportError },
}

/// Whether a file begins like a report, with a JSON object.
pub(crate) fn is_report(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = files::open(path).map(|file| file.take(64).read_to_end(&mut start));
    read.is_ok() && start.trim_ascii_start().first() == Some(&b'{')
}

/// The processes of a report, as if they had just been read.
///
/// # Errors
/// The file cannot be read, or is not a report.
pub(crate) fn outcomes(path: &Path) -> Result<Vec<Outcome>, ReportFileError> {
    let name = || match path.starts_with("/proc/self/fd") {
        true => "standard input".to_owned(),
        false => path.display().to_string(),
    };
    let text = files::read_to_string(path)
        .map_err(|source| ReportFileError::File { path: name(), source })?;
    let report = Report::from_json(text.as_bytes())
        .map_err(|source| ReportFileError::Content { path: name(), source })?;
    Ok(report.processes.into_iter().map(outcome).collect())
}

fn outcome(process: Process) -> Outcome {
    let extent = process.extent();
    // A report does not have the time at which it was made.
    Entry::report_only(0, process, extent).into_outcome()
}
