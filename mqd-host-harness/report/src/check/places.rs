//! Where in the program the ranks of findings are.

use rustc_hash::FxHashMap;

use super::diagnosis::{Finding, Place};
use super::ranks::Ranks;
use crate::model::{Process, Report};
use crate::words::doing_where;

/// The most places of a finding that are told.
const TOLD: usize = 8;

/// Tells of each finding where its ranks are, as far as call stacks were read.
pub(super) fn attach(report: &Report, findings: &mut [Finding]) {
    let mut known: Vec<(String, &Process)> = Vec::new();
    let mut by_text: FxHashMap<String, usize> = FxHashMap::default();
    let mut of_rank: FxHashMap<i64, usize> = FxHashMap::default();
    for process in &report.processes {
        let (Some(rank), false) = (process.rank, process.called_from().is_empty()) else {
            continue;
        };
        let text = doing_where(process);
        let place = *by_text.entry(text.clone()).or_insert_with(|| {
            known.push((text, process));
            known.len() - 1
        });
        of_rank.insert(rank, place);
    }
    if known.is_empty() {
        return;
    }
    for finding in findings {
        let mut order: Vec<usize> = Vec::new();
        let mut ranks: FxHashMap<usize, Vec<i64>> = FxHashMap::default();
        let culprits = finding.culprits.iter().filter(|rank| !finding.ranks.contains(*rank));
        for rank in finding.ranks.iter().chain(culprits) {
            let Some(place) = of_rank.get(&rank) else { continue };
            let there = ranks.entry(*place).or_default();
            if there.is_empty() {
                order.push(*place);
            }
            there.push(rank);
        }
        finding.places = order
            .into_iter()
            .take(TOLD)
            .map(|place| {
                let (text, process) = &known[place];
                let ranks: Ranks = ranks[&place].iter().copied().collect();
                Place { ranks, text: text.clone(), frame: process.line().cloned() }
            })
            .collect();
    }
}
