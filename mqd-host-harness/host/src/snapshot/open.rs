//! The snapshots of a command that are open, and places in them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use mqd_report::{Problem, ProblemKind};

use super::{Entry, Snapshot};
use crate::problems;
use mqd_inspect::process::Target;

/// A process of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The snapshot.
    pub file: PathBuf,
    /// The number of the process in it, from 0.
    pub process: usize,
    /// Its rank, as far as it is known.
    pub rank: Option<i64>,
}

/// A snapshot, or what is wrong with it.
type Opened = Result<Arc<Snapshot>, Problem>;

/// The snapshots that are open: each is opened once.
#[derive(Clone, Debug, Default)]
pub struct Snapshots {
    open: Arc<Mutex<HashMap<PathBuf, Opened>>>,
}

impl Snapshots {
    /// A snapshot; the error says what is wrong with it.
    ///
    /// # Errors
    /// Those of [`Snapshot::open`].
    pub fn open(&self, path: &Path) -> Result<Arc<Snapshot>, Problem> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let opened =
            || Snapshot::open(path).map(Arc::new).map_err(|error| problems::of_snapshot(&error));
        open.entry(path.to_owned()).or_insert_with(opened).clone()
    }

    /// The entry at a place.
    pub(crate) fn entry(&self, place: &Place) -> Result<Entry, Problem> {
        Ok(self.open(&place.file)?.entry(place.process))
    }

    /// The process at a place, to be read again.
    pub(crate) fn target(&self, place: &Place, record: bool) -> Result<Target, Problem> {
        let recording = self.open(&place.file)?.recording(place.process)?;
        let nothing = || {
            let file = place.file.display().to_string();
            let text = format!("process {} of the snapshot {file} was not read", place.process);
            Problem::new(ProblemKind::File, text).about(file)
        };
        let recording = recording.ok_or_else(nothing)?;
        let rank = recording.rank;
        let mut target = Target::recorded(recording, false);
        if record {
            target.record(rank);
        }
        Ok(target)
    }
}
