//! The snapshots of a command that are open, and places in them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use super::read::OF_FILES;
use super::{Entry, Snapshot, SnapshotError};
use crate::parallel;
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
pub type Opened = Result<Arc<Snapshot>, Arc<SnapshotError>>;

/// The snapshots that are open: each is opened once.
#[derive(Clone, Debug, Default)]
pub struct Snapshots {
    open: Arc<Mutex<HashMap<PathBuf, Opened>>>,
}

impl Snapshots {
    /// A snapshot.
    ///
    /// # Errors
    /// Those of [`Snapshot::open`].
    pub fn open(&self, path: &Path) -> Opened {
        if let Some(opened) = self.known().get(path) {
            return opened.clone();
        }
        // Others may open theirs meanwhile.
        let opened = Snapshot::open(path).map(Arc::new).map_err(Arc::new);
        self.known().entry(path.to_owned()).or_insert(opened).clone()
    }

    /// Several snapshots, opened at the same time. The results are in the order of the paths.
    pub fn open_all(&self, paths: &[PathBuf]) -> Vec<Opened> {
        parallel::map(paths, OF_FILES, |path| self.open(path))
    }

    fn known(&self) -> MutexGuard<'_, HashMap<PathBuf, Opened>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The entry at a place.
    pub(crate) fn entry(&self, place: &Place) -> Result<Entry, Arc<SnapshotError>> {
        Ok(self.open(&place.file)?.entry(place.process))
    }

    /// The process at a place, to be read again.
    pub(crate) fn target(&self, place: &Place, record: bool) -> Result<Target, Arc<SnapshotError>> {
        let recording = self.open(&place.file)?.recording(place.process)?;
        let nothing =
            || SnapshotError::NotRead { path: place.file.clone(), process: place.process };
        let recording = recording.ok_or_else(nothing)?;
        let rank = recording.rank;
        let mut target = Target::recorded(recording, false);
        if record {
            target.record(rank);
        }
        Ok(target)
    }
}
