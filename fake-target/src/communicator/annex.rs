//! What chapters other than matching keep with a communicator.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use super::cartesian::Cartesian;
use crate::attributes::Attributes;

/// Attributes and topology.
#[derive(Default)]
pub(crate) struct Annex {
    /// The program's attributes.
    pub(crate) attributes: Attributes,
    topology: OnceLock<Arc<Cartesian>>,
}

impl Annex {
    /// The Cartesian topology, if it has one.
    pub(super) fn topology(&self) -> Option<&Cartesian> {
        self.topology.get().map(Deref::deref)
    }

    /// Gives a new communicator its topology.
    pub(super) fn set_topology(&self, topology: Cartesian) {
        self.topology.get_or_init(|| Arc::new(topology));
    }

    /// Gives a duplicate the topology of what it is made from.
    pub(super) fn copy_topology(&self, from: &Annex) {
        if let Some(topology) = from.topology.get() {
            self.topology.get_or_init(|| topology.clone());
        }
    }
}
