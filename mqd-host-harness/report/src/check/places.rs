//! Where in the program the ranks of findings are.

use rustc_hash::{FxHashMap, FxHashSet};

use super::diagnosis::{Diagnosis, Finding, Place, Verdict};
use super::ranks::Ranks;
use crate::model::{Calls, Process, Report};
use crate::words::doing_where;

/// The most places of a finding that are told.
const TOLD: usize = 8;

/// Tells of each finding where its ranks are, as far as call stacks were read. If the verdict is
/// open, it tells the same of the other ranks that are not known to move. If the job is not
/// deadlocked, it tells of those that can go on: one of them may do what the others wait for.
pub(super) fn attach(report: &Report, diagnosis: &mut Diagnosis) {
    let places = Places::of(report, |process| !process.called_from().is_empty());
    for finding in &mut diagnosis.findings {
        let Finding { ranks, culprits, .. } = &*finding;
        let culprits = culprits.iter().filter(|rank| !ranks.contains(*rank));
        finding.places = places.told(ranks.iter().chain(culprits));
    }
    if diagnosis.verdict != Verdict::Deadlocked {
        let told = diagnosis.findings.iter().flat_map(|finding| &finding.places);
        let told: FxHashSet<i64> = told.flat_map(|place| place.ranks.iter()).collect();
        // Without a line, the function alone tells something.
        let places = Places::of(report, |process| {
            !process.called_from().is_empty() || matches!(process.calls(), Calls::Function(_))
        });
        // There may be far more unknown ranks than processes in the report.
        let mut ranks: Vec<i64> = places.of_rank.keys().copied().collect();
        ranks.sort_unstable();
        ranks.retain(|rank| {
            let is_open = match diagnosis.verdict {
                Verdict::NotDeadlocked => diagnosis.moving.contains(*rank),
                _ => diagnosis.unknown.contains(*rank) || diagnosis.stuck.contains(*rank),
            };
            is_open && !told.contains(rank)
        });
        diagnosis.places = places.told(ranks.into_iter());
    }
}

/// The places of a report's ranks.
#[derive(Default)]
struct Places<'a> {
    /// Each place once: what ranks do there, and one of their processes.
    known: Vec<(String, &'a Process)>,
    /// Which of them a rank is at.
    of_rank: FxHashMap<i64, usize>,
}

impl<'a> Places<'a> {
    /// Those of the processes that are `wanted`.
    fn of(report: &'a Report, wanted: impl Fn(&Process) -> bool) -> Self {
        let mut places = Places::default();
        let mut by_text: FxHashMap<String, usize> = FxHashMap::default();
        for process in &report.processes {
            let Some(rank) = process.rank.filter(|_| wanted(process)) else { continue };
            let text = doing_where(process);
            let place = *by_text.entry(text.clone()).or_insert_with(|| {
                places.known.push((text, process));
                places.known.len() - 1
            });
            places.of_rank.insert(rank, place);
        }
        places
    }

    /// Where these ranks are. Of many places the first ones.
    fn told(&self, ranks: impl Iterator<Item = i64>) -> Vec<Place> {
        let mut order: Vec<usize> = Vec::new();
        let mut at: FxHashMap<usize, Vec<i64>> = FxHashMap::default();
        for rank in ranks {
            let Some(place) = self.of_rank.get(&rank) else { continue };
            let there = at.entry(*place).or_default();
            if there.is_empty() {
                order.push(*place);
            }
            there.push(rank);
        }
        let place = |place: usize| {
            let (text, process) = &self.known[place];
            let ranks: Ranks = at[&place].iter().copied().collect();
            Place { ranks, text: text.clone(), frame: process.line().cloned() }
        };
        order.into_iter().take(TOLD).map(place).collect()
    }
}
