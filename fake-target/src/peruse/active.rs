//! Which events have active handles, on whatever communicator: what every hook looks at.

use std::sync::atomic::{AtomicU32, Ordering};

use super::event::Event;

/// The events of which there are active handles.
pub(super) struct Active {
    set: AtomicU32,
    handles: [AtomicU32; Event::ALL.len()],
}

/// Those of this process.
pub(super) static ACTIVE: Active =
    Active { set: AtomicU32::new(0), handles: [const { AtomicU32::new(0) }; Event::ALL.len()] };

impl Active {
    /// Whether any of a set of events is among them.
    #[inline(always)]
    pub(super) fn has(&self, events: u32) -> bool {
        self.set.load(Ordering::Relaxed) & events != 0
    }

    /// Counts a handle more or less, under the engine's lock; whether any is active.
    pub(super) fn count(&self, event: Event, more: bool) -> bool {
        let handles = &self.handles[event.index()];
        let number = handles.load(Ordering::Relaxed) + u32::from(more) - u32::from(!more);
        handles.store(number, Ordering::Relaxed);
        let set = self.set.load(Ordering::Relaxed) & !event.bit();
        let set = if number > 0 { set | event.bit() } else { set };
        self.set.store(set, Ordering::Relaxed);
        set != 0
    }
}
