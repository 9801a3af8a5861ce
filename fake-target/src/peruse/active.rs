//! The number of active handles for each event, on all communicators. It decides which events the
//! engine reports.

use std::sync::atomic::{AtomicU32, Ordering};

use super::event::{self, Event};
use crate::engine::observe::{self, Seat};

static HANDLES: [AtomicU32; event::ALL.len()] = [const { AtomicU32::new(0) }; event::ALL.len()];

/// Counts one handle more or less, under the engine's lock. Returns whether any is active.
pub(super) fn count(event: Event, more: bool) -> bool {
    let handles = &HANDLES[event::index(event)];
    let number = handles.load(Ordering::Relaxed) + u32::from(more) - u32::from(!more);
    handles.store(number, Ordering::Relaxed);
    observe::want(Seat::Peruse, event.bit(), number > 0);
    observe::wants(observe::set_of(event::ALL))
}
