//! What a rank does between two looks at its rings: spin while an answer may come at any moment, give the processor away when somebody else may need
//! it, and sleep when nothing has come for long, so that a hung job costs nothing.
//!
//! Giving the processor away is cheap where nobody wants it. Where others do, it takes as long as they like, and comes back late; a sleeper that is
//! woken is put before them. So a rank that finds its processor wanted sleeps instead, for the next few waits too.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// What to do before the next look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// Look again at once.
    Spin,
    /// Let another process run.
    Yield,
    /// Sleep until a sender rings, at most [`SLEEP`].
    Sleep,
}

/// How long a rank spins where every rank has a processor: about as long as it takes to be woken.
const SPIN: Duration = Duration::from_micros(50);

/// Looks between two glances at the clock: it costs as much as several looks.
const LOOKS: u32 = 200;

/// Looks in a row where ranks share processors.
const SHARED_LOOKS: u32 = 4;

/// How long a rank looks for messages before it sleeps.
const PATIENCE: Duration = Duration::from_millis(3);

/// A processor that was given away for longer than this was wanted.
const WANTED: Duration = Duration::from_micros(100);

/// Waits for which a rank remembers that its processor was wanted.
const MEMORY: u32 = 50;

/// The longest sleep: a bound for what no doorbell announces.
pub(crate) const SLEEP: Duration = Duration::from_millis(50);

/// The state of one wait.
pub(crate) struct Backoff<'a> {
    crowded: bool,
    looks: u32,
    /// Waits in which the processor still counts as wanted.
    wanted: &'a AtomicU32,
    /// This wait has been counted off [`MEMORY`].
    forgot: bool,
    since: Option<Instant>,
    yielded: Option<Instant>,
}

impl Backoff<'_> {
    /// A new wait in a job that has, or has not, a processor for each rank. `wanted` is kept from one wait to the next.
    pub(crate) fn new(crowded: bool, wanted: &AtomicU32) -> Backoff<'_> {
        Backoff { crowded, looks: 0, wanted, forgot: false, since: None, yielded: None }
    }

    /// Something has arrived: patience starts anew.
    #[inline]
    pub(crate) fn reset(&mut self) {
        self.looks = 0;
        self.since = None;
        self.yielded = None;
    }

    /// Nothing has arrived: what to do next.
    #[inline]
    pub(crate) fn step(&mut self) -> Step {
        self.looks += 1;
        if self.looks < if self.crowded { SHARED_LOOKS } else { LOOKS } {
            Step::Spin
        } else {
            self.pause(Instant::now())
        }
    }

    #[cold]
    fn pause(&mut self, now: Instant) -> Step {
        if self.yielded.take().is_some_and(|yielded| now - yielded > WANTED) {
            self.wanted.store(MEMORY, Ordering::Relaxed);
        }
        let since = *self.since.get_or_insert(now);
        if !self.crowded && now - since < SPIN {
            self.looks = 0;
            return Step::Spin;
        }
        let wanted = self.wanted.load(Ordering::Relaxed);
        if wanted > 0 {
            if !std::mem::replace(&mut self.forgot, true) {
                self.wanted.store(wanted - 1, Ordering::Relaxed);
            }
            return Step::Sleep;
        }
        if now - since > PATIENCE {
            return Step::Sleep;
        }
        self.yielded = Some(now);
        Step::Yield
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOMENT: Duration = Duration::from_micros(1);

    #[test]
    fn a_wait_spins_first() {
        let wanted = AtomicU32::new(0);
        let mut backoff = Backoff::new(false, &wanted);
        for _ in 1..LOOKS {
            assert_eq!(backoff.step(), Step::Spin);
        }
        let start = Instant::now();
        assert_eq!(backoff.pause(start), Step::Spin);
        assert_eq!(backoff.pause(start + SPIN - MOMENT), Step::Spin);
        assert_eq!(backoff.pause(start + SPIN), Step::Yield);
        backoff.reset();
        assert_eq!(backoff.pause(start + SPIN), Step::Spin);
    }

    #[test]
    fn ranks_that_share_processors_hardly_spin() {
        let wanted = AtomicU32::new(0);
        let mut backoff = Backoff::new(true, &wanted);
        for _ in 1..SHARED_LOOKS {
            assert_eq!(backoff.step(), Step::Spin);
        }
        assert_eq!(backoff.step(), Step::Yield);
        backoff.reset();
        assert_eq!(backoff.step(), Step::Spin);
    }

    #[test]
    fn patience_ends_in_sleep() {
        let wanted = AtomicU32::new(0);
        let mut backoff = Backoff::new(true, &wanted);
        let start = Instant::now();
        assert_eq!(backoff.pause(start), Step::Yield);
        assert_eq!(backoff.pause(start + MOMENT), Step::Yield);
        backoff.yielded = None;
        assert_eq!(backoff.pause(start + PATIENCE + MOMENT), Step::Sleep);
        assert_eq!(backoff.pause(start + PATIENCE + 2 * MOMENT), Step::Sleep);
        assert_eq!(wanted.into_inner(), 0);
    }

    #[test]
    fn a_wanted_processor_is_left_by_sleeping() {
        let wanted = AtomicU32::new(0);
        let start = Instant::now();
        let mut backoff = Backoff::new(true, &wanted);
        assert_eq!(backoff.pause(start), Step::Yield);
        assert_eq!(backoff.pause(start + WANTED + MOMENT), Step::Sleep);
        for _ in 1..MEMORY {
            assert_eq!(Backoff::new(true, &wanted).pause(start), Step::Sleep);
        }
        assert_eq!(Backoff::new(true, &wanted).pause(start), Step::Yield);
    }
}
