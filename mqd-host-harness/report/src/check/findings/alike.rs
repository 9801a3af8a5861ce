//! Findings that differ only in their ranks are told once.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::check::ids::Rank;
use crate::check::ranks::Ranks;
use crate::check::words;

/// Findings of ranks that look the same, grouped by what they have in common, so that each is told
/// once. The groups are in the order of their first ranks.
pub(super) struct Alike<T, K = String> {
    places: FxHashMap<K, usize>,
    groups: Vec<(Vec<Rank>, T)>,
}

impl<T, K: Eq + Hash> Alike<T, K> {
    pub(super) fn new() -> Alike<T, K> {
        Alike { places: FxHashMap::default(), groups: Vec::new() }
    }

    /// Adds a rank to its group. `first` makes what is told, and is called only for the first rank
    /// of a group.
    pub(super) fn add(&mut self, likeness: K, rank: Rank, first: impl FnOnce() -> T) -> &mut T {
        let groups = &mut self.groups;
        let place = *self.places.entry(likeness).or_insert_with(|| {
            groups.push((Vec::new(), first()));
            groups.len() - 1
        });
        self.groups[place].0.push(rank);
        &mut self.groups[place].1
    }

    /// Ranks, and what is told of them.
    pub(super) fn groups(self) -> impl Iterator<Item = (Ranks, T)> {
        self.groups.into_iter().map(|(ranks, first)| (Ranks::of(ranks), first))
    }
}

/// A text about one rank, and how many others it holds for.
pub(super) fn with_others(text: String, ranks: &Ranks, first: Rank) -> String {
    let others: Ranks = ranks.iter().filter(|rank| *rank != first.get()).collect();
    match others.len() {
        0 => text,
        _ => format!("{text}; likewise {}", words::ranks(&others)),
    }
}
