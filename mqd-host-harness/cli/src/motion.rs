//! Whether the processes of two looks moved in between, as the kernel counts it.

use std::collections::HashMap;

use mqd_host::job::is_this_host;
use mqd_host::motion::Motion;
use mqd_host::sockets::Sockets;
use mqd_report::{Process, Report};

/// What the agents of other hosts told of the motion of their processes, by host and process.
pub(super) type Told = HashMap<(String, u32), Motion>;

/// The motion of all live processes up to one moment, in the order of the report; none where it is
/// not known.
pub(super) struct AllMotion(Vec<Option<Motion>>);

impl AllMotion {
    /// That of the processes of this host as it is now, and what others `told`.
    pub(super) fn now(report: &Report, told: &Told) -> AllMotion {
        let here = report.processes.iter().filter(|process| elsewhere(process).is_none());
        let here = here.filter(|process| process.core.is_none()).filter_map(|process| process.pid);
        let here: HashMap<u32, Motion> = Motion::of_each(here).into_iter().collect();
        let motion = |process: &Process| match elsewhere(process) {
            Some(host) => told.get(&(host.to_owned(), process.pid?)).cloned(),
            None => here.get(&process.pid?).filter(|_| process.core.is_none()).cloned(),
        };
        AllMotion(report.processes.iter().map(motion).collect())
    }

    /// Marks the processes of a second look some thread of which hardly had a turn since, or of
    /// which this is not known because an agent does not tell. It also marks those whose sockets
    /// have carried nothing since.
    pub(super) fn note(&self, second: &mut Report, told: &Told) {
        let now = AllMotion::now(second, told);
        let shares_memory = now.shares_memory(second);
        let pairs = second.processes.iter_mut().zip(now.0.iter().zip(&self.0));
        for ((process, (now, before)), shares_memory) in pairs.zip(shares_memory) {
            process.starved = match (now, before) {
                (Some(now), Some(before)) => now.turns.lacked_since(&before.turns),
                _ => elsewhere(process).is_some(),
            };
            process.quiet = !process.stopped
                && sockets(now)
                    .zip(sockets(before))
                    .is_some_and(|(now, before)| now.are_quiet_since(before));
            process.shares_memory = shares_memory;
        }
    }

    /// Whether each process shares memory with another one of its host.
    fn shares_memory(&self, report: &Report) -> Vec<bool> {
        let all: Vec<_> = report.processes.iter().map(elsewhere).zip(&self.0).collect();
        let mut users: HashMap<(Option<&str>, (u64, u64)), usize> = HashMap::new();
        for (host, motion) in &all {
            for file in shared(motion) {
                *users.entry((*host, *file)).or_default() += 1;
            }
        }
        let shares = |(host, motion): &(Option<&str>, &Option<Motion>)| {
            shared(motion).iter().any(|file| users.get(&(*host, *file)) != Some(&1))
        };
        all.iter().map(shares).collect()
    }
}

/// The memory that a process shares, as far as it is known.
fn shared(motion: &Option<Motion>) -> &[(u64, u64)] {
    sockets(motion).map_or(&[], |sockets| &sockets.shared)
}

fn sockets(motion: &Option<Motion>) -> Option<&Sockets> {
    motion.as_ref()?.sockets.as_ref()
}

/// The host of a live process of another one.
fn elsewhere(process: &Process) -> Option<&str> {
    process.host.as_deref().filter(|host| process.core.is_none() && !is_this_host(host))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::process::{Command, Stdio};

    #[test]
    fn what_agents_do_not_tell_is_not_known() {
        // This process itself opens and closes files for other tests.
        let mut child =
            Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let pid = child.id();
        // Before it waits for its input, it may wait for a processor.
        child.stdin.as_mut().unwrap().write_all(b"x").unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let sleeps =
            || std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap().contains(") S ");
        while !sleeps() {
            std::thread::yield_now();
        }
        let process = |host: Option<&str>| Process {
            pid: Some(pid),
            host: host.map(Into::into),
            ..Process::default()
        };
        let mut report = Report::new(vec![process(None), process(Some("node7"))]);
        let told = Told::default();
        AllMotion::now(&report, &told).note(&mut report, &told);
        let starved = |report: &Report| report.processes.iter().map(|one| one.starved).collect();
        assert_eq!(Vec::from_iter::<Vec<bool>>(starved(&report)), [false, true]);
        let quiet = |report: &Report| report.processes.iter().map(|one| one.quiet).collect();
        assert_eq!(Vec::from_iter::<Vec<bool>>(quiet(&report)), [true, false]);
        let motion = Motion::of_each([pid]).remove(0).1;
        let told = Told::from([(("node7".to_owned(), pid), motion)]);
        AllMotion::now(&report, &told).note(&mut report, &told);
        assert_eq!(Vec::from_iter::<Vec<bool>>(starved(&report)), [false, false]);
        assert_eq!(Vec::from_iter::<Vec<bool>>(quiet(&report)), [true, true]);
        drop(child.stdin.take());
        child.wait().unwrap();
    }
}
