//! Makes a snapshot's entry of a process: as little data as it takes to read the process again.

mod redact;

use crate::dll::Candidate;
use crate::dump::Dumper;
use crate::outcome::Outcome;
use crate::request::{Options, Workers};
use crate::snapshot::Entry;
use crate::walk::Limits;
use mqd_inspect::process::Recording;
use mqd_report::{Extent, Process};

/// What to keep of processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keep {
    /// Leave out message buffers, paths and names of machines.
    pub redact: bool,
    /// Keep only the reports, so that the processes cannot be read again.
    pub report_only: bool,
}

/// Why nothing is kept from which the process could be read again.
#[derive(Debug, thiserror::Error)]
enum OnlyReport {
    /// If it is not known what reading takes, secrets could be among what is kept.
    #[error(
        "only the report is kept: the memory that reading the process needs could not be separated \
         from the rest"
    )]
    NotReduced,
}

/// Makes entries of outcomes.
///
/// This happens after the processes are let go. Each is read again from its recording, with the
/// debug DLL that has read it. The recording refuses to read whole pages, so a DLL that reads ahead
/// asks for only the structures that it needs. These are kept.
#[derive(Debug)]
pub struct Capture {
    keep: Keep,
    dumper: Dumper,
}

impl Capture {
    /// `limits` are those that the processes were read with; `workers` run foreign DLLs, as in
    /// [`Options`].
    pub fn new(keep: Keep, limits: Limits, workers: Option<Workers>) -> Capture {
        Capture {
            keep,
            dumper: Dumper::new(Options { record: true, limits, workers, ..Options::default() }),
        }
    }

    /// The entry of a process.
    pub fn entry(&mut self, mut outcome: Outcome) -> Entry {
        let recording = outcome.recording.take();
        let dll = outcome.dll.take();
        let was_read = matches!(outcome.extent, Extent::Complete | Extent::Partial);
        let mut entry = Entry::from(outcome);
        let recording = recording.filter(|_| was_read && !self.keep.report_only);
        match (recording, dll) {
            (Some(recording), Some(dll)) => match self.reduce(&dll, *recording, &entry.process) {
                Ok(recording) => entry.recording = Some(Box::new(recording)),
                Err(why) => entry.warnings.push(why.to_string()),
            },
            // An agent has left out what can be.
            (recording, None) => entry.recording = recording,
            (None, Some(_)) => {}
        }
        if self.keep.redact {
            redact::entry(&mut entry);
        }
        entry
    }

    /// Leaves out of a recording what is not needed to read the process again.
    fn reduce(
        &mut self,
        dll: &Candidate,
        mut recording: Recording,
        process: &Process,
    ) -> Result<Recording, OnlyReport> {
        let again = self.dumper.again(dll, recording.clone(), true);
        let asked = again
            .recording
            .filter(|_| is_same(&again.process, process))
            .map(|recording| recording.asked);
        let Some(asked) = asked else { return self.whole(recording) };
        let all = recording.clone();
        if self.keep.redact {
            recording.keep_only(&asked);
        } else {
            recording.keep_asked(&asked);
        }
        if is_same(&self.dumper.again(dll, recording.clone(), false).process, process) {
            Ok(recording)
        } else {
            self.whole(all)
        }
    }

    /// Everything that was read, if it is not known what is needed.
    fn whole(&self, recording: Recording) -> Result<Recording, OnlyReport> {
        if self.keep.redact {
            return Err(OnlyReport::NotReduced);
        }
        Ok(recording)
    }
}

fn is_same(one: &Process, other: &Process) -> bool {
    one.communicators == other.communicators
        && one.activity == other.activity
        && one.errors == other.errors
}
