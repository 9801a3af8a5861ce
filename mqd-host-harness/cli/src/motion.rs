//! Whether the processes of two looks moved in between, as the kernel counts it.

use std::collections::HashMap;

use mqd_host::job::is_this_host;
use mqd_host::motion::Motion;
use mqd_report::{Process, Report};

/// What the agents of other hosts told of the motion of their processes, by host and process.
pub(super) type Told = HashMap<(String, u32), Motion>;

/// A live process: the host of one of another host, and its number.
type Key = (Option<String>, u32);

/// The motion of all live processes up to one moment, where it is known.
pub(super) struct AllMotion(HashMap<Key, Motion>);

impl AllMotion {
    /// That of the processes of this host as it is now, and what others `told`.
    pub(super) fn now(report: &Report, told: &Told) -> AllMotion {
        let here = report.processes.iter().filter(|process| is_live_here(process));
        let here = here.filter_map(|process| process.pid);
        let here = Motion::of_each(here);
        let motion = |(host, pid): &Key| match host {
            Some(host) => told.get(&(host.clone(), *pid)),
            None => here.get(pid),
        };
        let of_each = report.processes.iter().filter_map(|process| {
            let key = key(process)?;
            let motion = motion(&key)?.clone();
            Some((key, motion))
        });
        AllMotion(of_each.collect())
    }

    /// Marks as starved each process of a later look with a thread that hardly ran since an earlier
    /// one, or whose agent does not tell. Marks as quiet those whose sockets carried nothing.
    pub(super) fn note_since(&self, before: &AllMotion, later: &mut Report) {
        for process in &mut later.processes {
            let key = key(process);
            let [now, before] = [self, before].map(|all| all.0.get(key.as_ref()?));
            let pair = now.zip(before);
            process.starved = match pair {
                Some((now, before)) => now.lacked_turns_since(before),
                // Not known, though the kernel tells it.
                None => now.or(before).is_some() || elsewhere(process).is_some(),
            };
            let is_quiet = pair.is_some_and(|(now, before)| now.is_quiet_since(before));
            process.quiet = is_quiet && !process.stopped;
            process.shares_memory = pair.is_some_and(|(now, _)| now.shares_memory);
            process.took_turns = pair.is_some_and(|(now, before)| now.took_turns_since(before));
        }
    }

    /// Do some processes share memory with others of their host?
    pub(super) fn some_share_memory(&self) -> bool {
        self.0.values().any(|motion| motion.shares_memory)
    }

    /// Did some process hardly have a turn since an earlier look, or was there anything in its
    /// sockets? Then yet another look may tell more.
    pub(super) fn is_disturbed_since(&self, before: &AllMotion) -> bool {
        self.0.iter().filter_map(|(key, now)| Some((now, before.0.get(key)?))).any(
            |(now, before)| now.lacked_turns_since(before) || now.may_have_carried_since(before),
        )
    }
}

fn key(process: &Process) -> Option<Key> {
    let host = elsewhere(process).map(str::to_owned);
    process.pid.filter(|_| process.core.is_none()).map(|pid| (host, pid))
}

/// Is it a live process of this host?
pub(super) fn is_live_here(process: &Process) -> bool {
    process.core.is_none() && elsewhere(process).is_none()
}

/// The host of a live process of another one.
pub(super) fn elsewhere(process: &Process) -> Option<&str> {
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
        let look = |report: &mut Report, told: &Told| {
            let before = AllMotion::now(report, told);
            let now = AllMotion::now(report, told);
            now.note_since(&before, report);
            assert!(!now.is_disturbed_since(&before));
        };
        look(&mut report, &told);
        let starved = |report: &Report| report.processes.iter().map(|one| one.starved).collect();
        assert_eq!(Vec::from_iter::<Vec<bool>>(starved(&report)), [false, true]);
        let quiet = |report: &Report| report.processes.iter().map(|one| one.quiet).collect();
        assert_eq!(Vec::from_iter::<Vec<bool>>(quiet(&report)), [true, false]);
        let motion = Motion::of_each([pid]).remove(&pid).unwrap();
        let told = Told::from([(("node7".to_owned(), pid), motion)]);
        look(&mut report, &told);
        assert_eq!(Vec::from_iter::<Vec<bool>>(starved(&report)), [false, false]);
        assert_eq!(Vec::from_iter::<Vec<bool>>(quiet(&report)), [true, true]);
        drop(child.stdin.take());
        child.wait().unwrap();
    }
}
