//! Whether a process lives, and is still the one that it was.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use rustix::param::clock_ticks_per_second;
use rustix::time::{ClockId, clock_gettime};

/// What `/proc/PID/stat` says (proc(5)).
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stat {
    pub(super) name: String,
    pub(super) parent: u32,
    state: char,
    /// How many threads there are, those included that have ended and are not waited for.
    threads: u64,
    /// In clock ticks since boot.
    birth: u64,
}

impl Stat {
    pub(super) fn of(pid: u32) -> Option<Stat> {
        Stat::parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    fn parse(line: &str) -> Option<Stat> {
        // The name may contain anything, including parentheses.
        let (start, rest) = line.rsplit_once(") ")?;
        let (_, name) = start.split_once('(')?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        // The state is the 3rd field.
        let field = |number: usize| fields.get(number - 3);
        Some(Stat {
            name: name.to_owned(),
            state: field(3)?.chars().next()?,
            parent: field(4)?.parse().ok()?,
            threads: field(20)?.parse().ok()?,
            birth: field(22)?.parse().ok()?,
        })
    }

    /// Has the process ended, or is it about to? If only its main thread has, the others go on.
    pub(super) fn has_ended(&self) -> bool {
        match self.state {
            'X' => true,
            'Z' => self.threads <= 1,
            _ => false,
        }
    }
}

/// Where `/proc` has the files of a process. If its main thread has ended, these are the files of
/// another thread, as those of the main thread are empty.
pub(super) fn folder(pid: u32) -> PathBuf {
    let process = PathBuf::from(format!("/proc/{pid}"));
    if Stat::of(pid).is_none_or(|stat| stat.state != 'Z') {
        return process;
    }
    let threads = fs::read_dir(process.join("task")).into_iter().flatten().flatten();
    let mut folders = threads.map(|thread| thread.path());
    folders.find(|folder| fs::read_link(folder.join("exe")).is_ok()).unwrap_or(process)
}

/// The state of a process of this machine as `ps` shows it: `R` runs, `S` sleeps, `D` waits for a
/// device, `T` is stopped, `t` is traced, `Z` has ended. `None` if there is no such process.
pub fn state(pid: u32) -> Option<char> {
    Some(Stat::of(pid)?.state)
}

/// When a process of this machine began, in clock ticks since boot. `None` if there is no such
/// process or it has ended. Another process with the same id has begun at another time.
pub fn birth(pid: u32) -> Option<u64> {
    Stat::of(pid).filter(|stat| !stat.has_ended()).map(|stat| stat.birth)
}

/// For how long a process of this machine has been running. `None` if it has ended.
pub(super) fn age(pid: u32) -> Option<Duration> {
    let now = clock_gettime(ClockId::Boottime);
    let now = Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec as u32);
    let begun = Duration::from_millis(birth(pid)? * 1000 / clock_ticks_per_second());
    Some(now.saturating_sub(begun))
}

/// The parent of a process of this machine.
pub(super) fn parent(pid: u32) -> Option<u32> {
    Some(Stat::of(pid)?.parent).filter(|parent| *parent > 0)
}

/// The processes above a process, the nearest first.
pub(super) fn above(pid: u32) -> impl Iterator<Item = u32> {
    /// No process has more. The limit ends a cycle of process ids that have been reused.
    const MOST: usize = 64;
    std::iter::successors(parent(pid), |pid| parent(*pid)).take(MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_stat() {
        let line = |name: &str, state: char, threads: u32| {
            let zeros = ["0"; 15].join(" ");
            let line = format!("42 ({name}) {state} 7 {zeros} {threads} 0 4711 0");
            Stat::parse(&line)
                .map(|stat| (stat.name.clone(), stat.parent, stat.birth, stat.has_ended()))
        };
        assert_eq!(line("a.out", 'S', 1), Some(("a.out".to_owned(), 7, 4711, false)));
        assert_eq!(line("a) b (c", 'R', 1), Some(("a) b (c".to_owned(), 7, 4711, false)));
        assert_eq!(line("gone", 'Z', 1), Some(("gone".to_owned(), 7, 4711, true)));
        // Its main thread has called pthread_exit.
        assert_eq!(line("a.out", 'Z', 2), Some(("a.out".to_owned(), 7, 4711, false)));
        assert_eq!(Stat::parse(""), None);
    }

    #[test]
    fn a_process_and_none() {
        let own = std::process::id();
        assert!(birth(own).is_some());
        // The main thread may wait for this one.
        assert!(matches!(state(own), Some('R' | 'S')));
        assert_eq!(birth(own), birth(own));
        // A child begins later than its parent, and has ended once it is waited for.
        let mut child =
            std::process::Command::new("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        assert!(birth(child.id()) >= birth(own));
        drop(child.stdin.take());
        child.wait().unwrap();
        assert_eq!((birth(child.id()), age(child.id())), (None, None));
        assert!(age(own) < age(1));
    }
}
