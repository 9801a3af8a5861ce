//! The categories, and when they have changed (MPI 3.1, section 14.3.8). They are declared beside
//! the code (`category!`) and gathered with the control variables.

use std::sync::atomic::{AtomicI32, Ordering};

/// A category.
pub(crate) struct Category {
    /// Its name.
    pub(crate) name: &'static str,
    /// A description of what belongs to it.
    pub(crate) description: &'static str,
    /// The index of the category that contains it.
    pub(crate) parent: Option<usize>,
}

/// The virtual time of the last change.
pub(super) static CHANGES: AtomicI32 = AtomicI32::new(0);

/// Variables have been added to a category.
pub(super) fn changed() {
    CHANGES.fetch_add(1, Ordering::AcqRel);
}

include!(concat!(env!("OUT_DIR"), "/categories.rs"));
