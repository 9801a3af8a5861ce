//! Which thread is in a callback.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The thread that is in a callback; 0: none.
static THREAD: AtomicUsize = AtomicUsize::new(0);

/// A number that distinguishes this thread from other live threads.
pub(super) fn this_thread() -> usize {
    // SAFETY: the call has no preconditions.
    unsafe { libc::pthread_self() as usize }
}

/// Whether this thread is in a callback.
#[inline]
pub(super) fn is_inside() -> bool {
    THREAD.load(Ordering::Relaxed) == this_thread()
}

/// This thread enters a callback.
pub(super) fn begin() {
    THREAD.store(this_thread(), Ordering::Relaxed);
}

/// The callback has returned.
pub(super) fn end() {
    THREAD.store(0, Ordering::Relaxed);
}
