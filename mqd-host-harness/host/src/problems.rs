//! Errors of this crate as [`Problem`]s of a report.

use std::path::Path;

use mqd_inspect::process::TargetError;
use mqd_report::{Problem, ProblemKind};

use crate::dll::DllError;
use crate::snapshot::SnapshotError;
use crate::walk::NoQueues;
use crate::worker::Failure;

/// A process or core file that could not be opened.
pub(crate) fn of_target(error: &TargetError) -> Problem {
    let about = |kind, path: &Path| {
        Problem::new(kind, error.to_string()).about(path.to_string_lossy().into_owned())
    };
    let plain = |kind| Problem::new(kind, error.to_string());
    match error {
        TargetError::NoSuchProcess { .. } | TargetError::Zombie { .. } => plain(ProblemKind::Ended),
        TargetError::NoProgram { .. } => plain(ProblemKind::NoProgram),
        TargetError::Permission { .. } => plain(ProblemKind::Permission),
        TargetError::AlreadyTraced { .. } => plain(ProblemKind::Traced),
        TargetError::Process { .. } => plain(ProblemKind::System),
        TargetError::File { path, .. } | TargetError::NotACore { path, .. } => {
            about(ProblemKind::File, path)
        }
        TargetError::Damaged { path, .. } | TargetError::NoMemory { path } => {
            about(ProblemKind::Damaged, path)
        }
        TargetError::WrongExecutable { core, .. } => about(ProblemKind::WrongExecutable, core),
        _ => plain(ProblemKind::Other),
    }
}

/// A debug DLL that cannot be used.
pub(crate) fn of_dll(error: &DllError) -> Problem {
    Problem::new(ProblemKind::NoDll, error.to_string())
        .about(error.path().to_string_lossy().into_owned())
}

/// A debug DLL that does not accept a process.
pub(crate) fn of_refusal(refusal: &NoQueues, dll: &Path) -> Problem {
    let path = dll.to_string_lossy().into_owned();
    Problem::new(ProblemKind::Queues, format!("the debug DLL {path}: {refusal}")).about(path)
}

/// A debug DLL that failed in its worker.
pub(crate) fn of_worker(failure: &Failure, dll: &Path) -> Problem {
    let path = dll.to_string_lossy().into_owned();
    Problem::new(ProblemKind::DllFailed, format!("the debug DLL {path} {failure}")).about(path)
}

/// A snapshot that cannot be used.
pub(crate) fn of_snapshot(error: &SnapshotError) -> Problem {
    let kind = match error {
        SnapshotError::Damaged { .. } | SnapshotError::Lost { .. } => ProblemKind::Damaged,
        _ => ProblemKind::File,
    };
    Problem::new(kind, error.to_string()).about(error.path().to_string_lossy().into_owned())
}
