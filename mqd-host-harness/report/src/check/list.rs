//! Lists with typed indices: a slot cannot be used where a node is meant.

use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use rustc_hash::FxHashMap;

/// An index into a list of one kind.
pub(super) trait Id: Copy {
    /// The id with this index.
    fn new(index: usize) -> Self;

    /// The index.
    fn index(self) -> usize;
}

/// Defines index types of 32 bits: the diagnosis keeps millions of them.
macro_rules! id {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(transparent)]
        pub(super) struct $name(u32);

        impl $crate::check::list::Id for $name {
            fn new(index: usize) -> $name {
                $name(u32::try_from(index).expect("a report has fewer than 2^32 parts of a kind"))
            }

            fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}
pub(super) use id;

/// The first ids, in order.
pub(super) fn ids<I: Id>(count: usize) -> impl Iterator<Item = I> {
    (0..count).map(I::new)
}

/// The items of a slice with their ids.
pub(super) fn numbered<I: Id, T>(items: &[T]) -> impl Iterator<Item = (I, &T)> {
    items.iter().enumerate().map(|(index, item)| (I::new(index), item))
}

/// A vector that is indexed by ids.
#[derive(Clone, Debug)]
pub(super) struct List<I, T> {
    items: Vec<T>,
    ids: PhantomData<I>,
}

impl<I: Id, T> List<I, T> {
    /// An empty list.
    pub(super) fn new() -> Self {
        List { items: Vec::new(), ids: PhantomData }
    }

    /// The same item for each of the first ids.
    pub(super) fn filled(item: T, count: usize) -> Self
    where
        T: Clone,
    {
        List { items: vec![item; count], ids: PhantomData }
    }

    /// Adds an item; returns its id.
    pub(super) fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::new(self.items.len() - 1)
    }

    /// The number of items.
    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// Are there none?
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The ids of the items, ascending.
    pub(super) fn ids(&self) -> impl Iterator<Item = I> + use<I, T> {
        ids(self.items.len())
    }

    /// The items in order.
    pub(super) fn items(&self) -> &[T] {
        &self.items
    }

    /// The items in order, to change.
    pub(super) fn items_mut(&mut self) -> &mut [T] {
        &mut self.items
    }

    /// The items with their ids.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (I, &T)> {
        numbered(&self.items)
    }
}

impl<I: Id, T> FromIterator<T> for List<I, T> {
    fn from_iter<S: IntoIterator<Item = T>>(items: S) -> Self {
        List { items: items.into_iter().collect(), ids: PhantomData }
    }
}

impl<I, T> IntoIterator for List<I, T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<I: Id, T> Index<I> for List<I, T> {
    type Output = T;

    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for List<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

/// The successors of the nodes of a directed graph, in compressed rows; or other values that belong
/// to each node.
#[derive(Debug)]
pub(super) struct Adjacency<I, V = I> {
    /// Where the successors of each node begin in `successors`; one more for the end.
    starts: Vec<u32>,
    successors: Vec<V>,
    nodes: PhantomData<I>,
}

impl<I: Id, V: Copy> Adjacency<I, V> {
    /// The graph with these edges. The successors of a node keep the order of its edges.
    pub(super) fn new(nodes: usize, edges: &[(I, V)]) -> Self {
        assert!(u32::try_from(edges.len()).is_ok(), "a report has fewer than 2^32 edges");
        // Each start is one place too far to the right until the successors are in place.
        let mut starts = vec![0; nodes + 2];
        for (from, _) in edges {
            starts[from.index() + 2] += 1;
        }
        for node in 1..=nodes {
            starts[node + 1] += starts[node];
        }
        let mut successors = edges.first().map_or_else(Vec::new, |edge| vec![edge.1; edges.len()]);
        for (from, to) in edges {
            let free = &mut starts[from.index() + 1];
            successors[*free as usize] = *to;
            *free += 1;
        }
        starts.pop();
        Adjacency { starts, successors, nodes: PhantomData }
    }

    /// The successors of a node.
    pub(super) fn of(&self, node: I) -> &[V] {
        let at = |index: usize| self.starts[index] as usize;
        &self.successors[at(node.index())..at(node.index() + 1)]
    }
}

/// Lists of values by their keys. All lists share one vector, so that millions of short ones cost
/// little.
#[derive(Debug)]
pub(super) struct Lists<K, V> {
    ends: FxHashMap<K, Ends>,
    links: Vec<Link<V>>,
}

/// Where a list begins and ends among the links.
#[derive(Debug)]
struct Ends {
    first: u32,
    last: u32,
}

#[derive(Debug)]
struct Link<V> {
    value: V,
    /// The next link of the list; of the last one, [`NOTHING`].
    next: u32,
}

const NOTHING: u32 = u32::MAX;

impl<K, V> Default for Lists<K, V> {
    fn default() -> Self {
        Lists { ends: FxHashMap::default(), links: Vec::new() }
    }
}

impl<K: Eq + Hash, V: Copy> Lists<K, V> {
    /// Adds a value at the end of a list.
    pub(super) fn push(&mut self, key: K, value: V) {
        let new = u32::try_from(self.links.len()).ok().filter(|new| *new != NOTHING);
        let new = new.expect("a report has fewer than 2^32 operations");
        self.links.push(Link { value, next: NOTHING });
        match self.ends.entry(key) {
            Entry::Occupied(mut ends) => {
                let last = std::mem::replace(&mut ends.get_mut().last, new);
                self.links[last as usize].next = new;
            }
            Entry::Vacant(vacant) => {
                vacant.insert(Ends { first: new, last: new });
            }
        }
    }

    /// The last value of a list.
    pub(super) fn last(&self, key: &K) -> Option<V> {
        Some(self.links[self.ends.get(key)?.last as usize].value)
    }

    /// The values of a list, in the order in which they were added.
    pub(super) fn of(&self, key: &K) -> impl Iterator<Item = V> + use<'_, K, V> {
        let mut next = self.ends.get(key).map_or(NOTHING, |ends| ends.first);
        std::iter::from_fn(move || {
            let link = self.links.get(next as usize)?;
            next = link.next;
            Some(link.value)
        })
    }

    /// The keys, in no order.
    pub(super) fn keys(&self) -> impl Iterator<Item = &K> {
        self.ends.keys()
    }
}
