//! The turns on processors that the processes of two looks had in between.

use std::collections::HashMap;

use mqd_host::job::is_this_host;
use mqd_host::turns::ProcessTurns;
use mqd_report::{Process, Report};

/// What the agents of other hosts told of the turns of their processes, by host and process.
pub(super) type Told = HashMap<(String, u32), ProcessTurns>;

/// The turns of all live processes at one moment, in the order of the report; none where they are
/// not known.
pub(super) struct AllTurns(Vec<Option<ProcessTurns>>);

impl AllTurns {
    /// Those of the processes of this host as they are now, and what others `told`.
    pub(super) fn now(report: &Report, told: &Told) -> AllTurns {
        let turns = |process: &Process| match elsewhere(process) {
            Some(host) => told.get(&(host.to_owned(), process.pid?)).cloned(),
            None => process.pid.filter(|_| process.core.is_none()).map(ProcessTurns::now),
        };
        AllTurns(report.processes.iter().map(turns).collect())
    }

    /// Marks the processes of a second look some thread of which hardly had a turn since, or of
    /// which this is not known because an agent does not tell.
    pub(super) fn note(&self, second: &mut Report, told: &Told) {
        let now = AllTurns::now(second, told);
        for ((process, now), before) in second.processes.iter_mut().zip(&now.0).zip(&self.0) {
            process.starved = match (now, before) {
                (Some(now), Some(before)) => now.lacked_since(before),
                _ => elsewhere(process).is_some(),
            };
        }
    }
}

/// The host of a live process of another one.
fn elsewhere(process: &Process) -> Option<&str> {
    process.host.as_deref().filter(|host| process.core.is_none() && !is_this_host(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_agents_do_not_tell_is_not_known() {
        let process = |host: Option<&str>| Process {
            pid: Some(std::process::id()),
            host: host.map(Into::into),
            ..Process::default()
        };
        let mut report = Report::new(vec![process(None), process(Some("node7"))]);
        let told = Told::default();
        AllTurns::now(&report, &told).note(&mut report, &told);
        let starved = |report: &Report| report.processes.iter().map(|one| one.starved).collect();
        assert_eq!(Vec::from_iter::<Vec<bool>>(starved(&report)), [false, true]);
        let turns = ProcessTurns::now(std::process::id());
        let told = Told::from([(("node7".to_owned(), std::process::id()), turns)]);
        AllTurns::now(&report, &told).note(&mut report, &told);
        assert_eq!(Vec::from_iter::<Vec<bool>>(starved(&report)), [false, false]);
    }
}
