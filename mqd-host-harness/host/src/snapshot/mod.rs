//! Snapshots: what reading a job needed of its processes, in a file that can be read again
//! anywhere. `docs/snapshots.md` describes the format.
//!
//! A snapshot has an [`Entry`] for each process. It has the process's part of the report as it was
//! when it was captured. As a rule it also has what the process was asked meanwhile
//! ([`Recording`](mqd_inspect::process::Recording)), so that a debug DLL can read it again.

mod alike;
mod budget;
mod entry;
mod frame;
mod open;
mod read;
mod stream;
mod write;

use std::path::{Path, PathBuf};

use mqd_inspect::files::FileError;

pub use self::entry::{Entry, Head};
pub use self::frame::{Damage, SIGNATURE};
pub use self::open::{Opened, Place, Snapshots};
pub use self::read::{LostFrame, Snapshot, each, is_snapshot, only_snapshots};
pub(crate) use self::stream::{Stream, StreamError};
pub use self::write::{Writer, of_content};
pub(crate) use self::write::{write_done, write_frame};

/// The version of the format. A new minor version adds something, a new major version may change
/// anything.
pub const MAJOR: u16 = 3;
/// The oldest major version that is still read.
pub const OLDEST: u16 = 1;
/// See [`MAJOR`].
pub const MINOR: u16 = 0;

/// Why a file cannot be used as a snapshot.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// It cannot be read.
    #[error("cannot open {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: FileError,
    },
    /// It is not a snapshot.
    #[error("{} is not a snapshot: it does not begin as `mqd capture` begins one", .0.display())]
    NotASnapshot(PathBuf),
    /// It is of a version that this `mqd` does not know.
    #[error(
        "{} is a snapshot of version {major}.{minor}; this mqd reads versions {OLDEST} to {MAJOR}: \
         use a newer mqd",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        major: u16,
        /// Its version.
        minor: u16,
    },
    /// Nothing of it can be used.
    #[error("{} is a damaged snapshot, and nothing of it is intact: {}", path.display(), what.what)]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The first thing that is wrong.
        what: Damage,
    },
    /// Memory of a process is in a part that cannot be used.
    #[error("the snapshot {} is damaged, and memory of it is lost: {why}", path.display())]
    Lost {
        /// The file.
        path: PathBuf,
        /// What is wrong with that part.
        why: LostFrame,
    },
    /// The snapshot has only the report of this process.
    #[error("process {process} of the snapshot {} was not read", path.display())]
    NotRead {
        /// The file.
        path: PathBuf,
        /// The number of the process in it.
        process: usize,
    },
}

impl SnapshotError {
    /// The file.
    pub fn path(&self) -> &Path {
        match self {
            SnapshotError::File { path, .. }
            | SnapshotError::NotASnapshot(path)
            | SnapshotError::Newer { path, .. }
            | SnapshotError::Damaged { path, .. }
            | SnapshotError::Lost { path, .. }
            | SnapshotError::NotRead { path, .. } => path,
        }
    }
}
