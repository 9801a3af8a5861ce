//! A lock in shared memory that is held only for moments: no rank waits for another one while it
//! holds a latch.

use std::hint;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::transport::system;

const FREE: u32 = 0;
const HELD: u32 = 1;
/// Held, and somebody may sleep until it is free.
const AWAITED: u32 = 2;

/// The number of looks before a process sleeps.
const LOOKS: usize = 200;

/// The lock. Zeros are a free one.
#[repr(transparent)]
pub(super) struct Latch(AtomicU32);

/// The lock while this thread holds it.
pub(super) struct Held<'a>(&'a Latch);

impl Latch {
    /// Waits until nobody holds it, and holds it.
    #[inline]
    pub(super) fn hold(&self) -> Held<'_> {
        if !self.take() {
            self.wait();
        }
        Held(self)
    }

    #[inline]
    fn take(&self) -> bool {
        self.0.compare_exchange(FREE, HELD, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    #[cold]
    fn wait(&self) {
        for _ in 0..LOOKS {
            if self.0.load(Ordering::Relaxed) == FREE && self.take() {
                return;
            }
            hint::spin_loop();
        }
        while self.0.swap(AWAITED, Ordering::Acquire) != FREE {
            system::futex_wait(&self.0, AWAITED, Duration::from_secs(1));
        }
    }
}

impl Drop for Held<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.0.0.swap(FREE, Ordering::Release) == AWAITED {
            system::futex_wake(&self.0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::UnsafeCell;
    use std::thread;

    struct Counter(Latch, UnsafeCell<u64>);
    // SAFETY: the number is used under the latch only.
    unsafe impl Sync for Counter {}

    impl Counter {
        fn add(&self) {
            let _held = self.0.hold();
            // SAFETY: held.
            unsafe { *self.1.get() += 1 };
        }
    }

    #[test]
    fn one_at_a_time() {
        let counter = Counter(Latch(AtomicU32::new(FREE)), UnsafeCell::new(0));
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..50_000).for_each(|_| counter.add()));
            }
        });
        assert_eq!(counter.1.into_inner(), 200_000);
        assert_eq!(counter.0.0.into_inner(), FREE);
    }
}
