//! Exit codes. Scripts depend on them.

use std::process::ExitCode;

use mqd_report::Extent;

/// How a command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Exit {
    /// All processes were read completely.
    Complete = 0,
    /// The output could not be written.
    Output = 1,
    /// Wrong usage (clap ends with the same code).
    Usage = 2,
    /// No process could be opened.
    Unreadable = 3,
    /// Processes were opened, but there is no debug DLL, or it found no queues.
    NoQueues = 4,
    /// Some processes were not read, or only in part.
    Some = 5,
    /// `mqd check`: the job is deadlocked. `mqd guard --kill`: it was deadlocked and has been
    /// ended.
    Deadlocked = 10,
    /// `mqd check`: the job is not deadlocked, but something else is wrong.
    Wrong = 11,
    /// `mqd check`: the data is not sufficient for a verdict.
    Insufficient = 12,
    /// `mqd guard --kill`: nothing moved, and the job has been ended.
    Still = 13,
    /// `mqd guard`: the command cannot be run. Shells use the same code.
    NotRun = 126,
    /// `mqd guard`: there is no such command. Shells use the same code.
    NoCommand = 127,
}

impl Exit {
    /// The exit code for all processes. If all failed, the first one decides.
    pub(super) fn of(extents: &[Extent]) -> Exit {
        let failed = |extent: &Extent| matches!(extent, Extent::Unreadable | Extent::NoQueues);
        if extents.iter().all(|extent| *extent == Extent::Complete) {
            return Exit::Complete;
        }
        match extents.first() {
            Some(Extent::Unreadable) if extents.iter().all(failed) => Exit::Unreadable,
            Some(Extent::NoQueues) if extents.iter().all(failed) => Exit::NoQueues,
            _ => Exit::Some,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Extent::{Complete, NoQueues, Partial, Unreadable};

    #[test]
    fn exit_codes() {
        let cases: [(&[Extent], Exit); 10] = [
            (&[Complete], Exit::Complete),
            (&[Complete, Complete], Exit::Complete),
            (&[Unreadable], Exit::Unreadable),
            (&[NoQueues], Exit::NoQueues),
            (&[Unreadable, NoQueues], Exit::Unreadable),
            (&[NoQueues, Unreadable], Exit::NoQueues),
            (&[Partial], Exit::Some),
            (&[Complete, Unreadable], Exit::Some),
            (&[NoQueues, Complete], Exit::Some),
            (&[NoQueues, Partial], Exit::Some),
        ];
        for (extents, exit) in cases {
            assert_eq!(Exit::of(extents), exit, "{extents:?}");
        }
    }
}
