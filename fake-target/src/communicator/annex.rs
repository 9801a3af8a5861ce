//! Data of chapters other than matching that belong to a communicator.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use super::cartesian::Cartesian;
use super::graph::{Adjacent, Graph};
use crate::attributes::Attributes;

/// A virtual topology.
#[derive(Debug)]
pub(crate) enum Topology {
    /// A grid.
    Cartesian(Cartesian),
    /// A graph that every process knows.
    Graph(Graph),
    /// A graph of which every process knows its own edges.
    Distributed(Adjacent),
}

/// Attributes and topology.
#[derive(Default)]
pub(crate) struct Annex {
    /// The program's attributes.
    pub(crate) attributes: Attributes,
    topology: OnceLock<Arc<Topology>>,
}

impl Annex {
    /// The topology, if it has one.
    pub(super) fn topology(&self) -> Option<&Topology> {
        self.topology.get().map(Deref::deref)
    }

    /// Gives a new communicator its topology.
    pub(super) fn set_topology(&self, topology: Topology) {
        self.topology.get_or_init(|| Arc::new(topology));
    }

    /// Gives a duplicate the topology of the original.
    pub(super) fn copy_topology(&self, from: &Annex) {
        if let Some(topology) = from.topology.get() {
            self.topology.get_or_init(|| topology.clone());
        }
    }
}
