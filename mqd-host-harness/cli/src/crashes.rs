//! The directory in which systemd-coredump keeps core files, usually `/var/lib/systemd/coredump`.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The ranks of a job crash within this time of each other: the first one, and those that the
/// launcher then ends.
const TOGETHER: Duration = Duration::from_secs(60);

/// The core files of one crash.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Crash {
    /// The name of the program.
    pub(crate) program: String,
    /// The files, in the order of their process ids.
    pub(crate) files: Vec<PathBuf>,
    /// The number of core files of other crashes in the directory.
    pub(crate) others: usize,
}

/// A file name of systemd-coredump: `core.PROGRAM.USER.BOOT.PID.TIME`, and an extension for its
/// compression. Dots in the name of the program are escaped.
#[derive(Debug)]
struct Core {
    path: PathBuf,
    program: String,
    user: String,
    boot: String,
    pid: u32,
    /// Since 1970.
    time: Duration,
}

impl Core {
    fn named(path: &Path) -> Option<Core> {
        let mut parts = path.file_name()?.to_str()?.split('.');
        let mut part = || parts.next();
        (part()? == "core").then_some(())?;
        let [program, user, boot, pid, time] = [part()?, part()?, part()?, part()?, part()?];
        Some(Core {
            path: path.to_owned(),
            program: program.to_owned(),
            user: user.to_owned(),
            boot: boot.to_owned(),
            pid: pid.parse().ok()?,
            time: Duration::from_micros(time.parse().ok()?),
        })
    }

    /// Are both of the same program, user and boot?
    fn is_like(&self, other: &Core) -> bool {
        (&self.program, &self.user, &self.boot) == (&other.program, &other.user, &other.boot)
    }
}

/// The last crash of which these files have core files; `None` if none of them is one that
/// systemd-coredump has kept.
pub(crate) fn last(files: &[PathBuf]) -> Option<Crash> {
    let mut cores: Vec<Core> = files.iter().filter_map(|path| Core::named(path)).collect();
    let all = cores.len();
    cores.sort_by_key(|core| Reverse(core.time));
    let mut cores = cores.into_iter();
    let last = cores.next()?;
    let mut together = vec![last];
    for core in cores {
        // From the last one backwards, without a gap.
        let next = together.last()?;
        if core.is_like(next) && next.time.saturating_sub(core.time) <= TOGETHER {
            together.push(core);
        }
    }
    together.sort_by_key(|core| core.pid);
    let program = together.first()?.program.clone();
    let others = all - together.len();
    Some(Crash { program, files: together.into_iter().map(|core| core.path).collect(), others })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ranks_of_the_last_crash() {
        let boot = "0123456789abcdef0123456789abcdef";
        let name = |program: &str, pid: u32, seconds: u32| {
            let name = format!("core.{program}.1000.{boot}.{pid}.{seconds}000000.zst");
            Path::new("/cores").join(name)
        };
        let files = [
            name("solver", 70, 1000),
            name("solver", 12, 5001),
            // Not named as systemd does.
            PathBuf::from("/cores/core.12"),
            PathBuf::from("/cores/notes.txt"),
            name("bash", 4, 5002),
            name("solver", 11, 5002),
            name("solver", 13, 5060),
        ];
        let crash = last(&files).unwrap();
        assert_eq!(crash.program, "solver");
        let pids = [name("solver", 11, 5002), name("solver", 12, 5001), name("solver", 13, 5060)];
        assert_eq!((crash.files.as_slice(), crash.others), (&pids[..], 2));
        assert_eq!(last(&files[2..4]), None);
        // The kernel's own names with a suffix are not systemd's.
        assert_eq!(last(&[PathBuf::from("/cores/core.solver.1.2.3.x")]), None);
    }
}
