//! Which ranks behave alike? They are in the same MPI function and have the same operations, with
//! the same peer or with one at the same distance. Lengths and numbers of operations may differ.

use std::collections::HashMap;
use std::hash::Hash;

use super::parts::Relation;
use crate::model::{Queue, Status};

/// What an operation has in common with others, apart from its peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Trait {
    /// The communicator: an index that stands for its name, and for its number among those of this
    /// name in its process.
    pub(super) communicator: usize,
    pub(super) queue: Queue,
    pub(super) status: Status,
    pub(super) awaited: Option<bool>,
    /// `None` is `MPI_ANY_TAG`.
    pub(super) tag: Option<i64>,
    pub(super) deadlock: bool,
}

/// The two ways to name a peer. They are the same if there is only one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PeerNames {
    pub(super) absolute: Relation,
    pub(super) relative: Relation,
}

/// How many ranks have an operation with a trait and a relation.
#[derive(Default)]
pub(super) struct Popularity {
    counts: HashMap<(Trait, Relation), (usize, usize)>,
}

impl Popularity {
    /// Counts an operation of a process. The operations of a process have to be counted together.
    pub(super) fn count(&mut self, process: usize, of: Trait, peer: PeerNames) {
        for relation in
            [Some(peer.absolute), Some(peer.relative).filter(|relative| *relative != peer.absolute)]
                .into_iter()
                .flatten()
        {
            let (ranks, last) = self.counts.entry((of, relation)).or_insert((0, usize::MAX));
            if *last != process {
                (*ranks, *last) = (*ranks + 1, process);
            }
        }
    }

    /// The way to name the peer that more ranks have in common.
    pub(super) fn choose(&self, of: Trait, peer: PeerNames) -> Relation {
        let ranks = |relation| self.counts.get(&(of, relation)).map_or(0, |(ranks, _)| *ranks);
        if ranks(peer.relative) > ranks(peer.absolute) { peer.relative } else { peer.absolute }
    }
}

/// Puts equal things together: the groups, in the order of their first members.
pub(super) fn groups<K: Hash + Eq>(keys: impl Iterator<Item = K>) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut index = HashMap::new();
    for (member, key) in keys.enumerate() {
        let group = *index.entry(key).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[group].push(member);
    }
    groups
}
