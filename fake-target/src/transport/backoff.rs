//! What a rank does between two looks at its rings. It spins while an answer may come at any
//! moment, yields the processor if another process may need it, and sleeps if nothing has come for
//! a long time, so that a hung job costs nothing.
//!
//! Yielding is cheap if no other process wants the processor. Otherwise the rank gets it back late,
//! whereas a sleeper that is woken runs before the others. So a rank whose processor is wanted
//! sleeps instead, in this wait and in the next few.

use super::variables::{PATIENCE, SHARED_LOOKS, SPIN_LOOKS, SPIN_TIME, WANTED_MEMORY, WANTED_TIME};
use crate::variables::control::Int;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// What to do before the next look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WaitStep {
    /// Look again at once.
    Spin,
    /// Let another process run.
    Yield,
    /// Sleep until a sender rings, at most for the control variable `SLEEP_TIME`.
    Sleep,
}

fn micros(variable: &Int) -> Duration {
    Duration::from_micros(variable.size() as u64)
}

/// The state of one wait.
pub(crate) struct Backoff<'a> {
    crowded: bool,
    looks: u32,
    /// Waits in which the processor still counts as wanted.
    wanted: &'a AtomicU32,
    /// This wait has been counted off [`WANTED_MEMORY`].
    forgot: bool,
    since: Option<Instant>,
    yielded: Option<Instant>,
}

impl Backoff<'_> {
    /// A new wait. `crowded` says that the job has more ranks than processors. `wanted` is kept
    /// from one wait to the next.
    pub(crate) fn new(crowded: bool, wanted: &AtomicU32) -> Backoff<'_> {
        Backoff { crowded, looks: 0, wanted, forgot: false, since: None, yielded: None }
    }

    /// Something has arrived, so the steps begin anew.
    #[inline]
    pub(crate) fn reset(&mut self) {
        self.looks = 0;
        self.since = None;
        self.yielded = None;
    }

    /// Nothing has arrived: what to do next.
    #[inline]
    pub(crate) fn step(&mut self) -> WaitStep {
        self.looks += 1;
        if self.looks < if self.crowded { SHARED_LOOKS.get() } else { SPIN_LOOKS.get() } as u32 {
            WaitStep::Spin
        } else {
            self.pause(Instant::now())
        }
    }

    #[cold]
    fn pause(&mut self, now: Instant) -> WaitStep {
        if self.yielded.take().is_some_and(|yielded| now - yielded > micros(&WANTED_TIME)) {
            self.wanted.store(WANTED_MEMORY.get() as u32, Ordering::Relaxed);
        }
        let since = *self.since.get_or_insert(now);
        if !self.crowded && now - since < micros(&SPIN_TIME) {
            self.looks = 0;
            return WaitStep::Spin;
        }
        let wanted = self.wanted.load(Ordering::Relaxed);
        if wanted > 0 {
            if !std::mem::replace(&mut self.forgot, true) {
                self.wanted.store(wanted - 1, Ordering::Relaxed);
            }
            return WaitStep::Sleep;
        }
        if now - since > micros(&PATIENCE) {
            return WaitStep::Sleep;
        }
        self.yielded = Some(now);
        WaitStep::Yield
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
        for _ in 1..SPIN_LOOKS.get() {
            assert_eq!(backoff.step(), WaitStep::Spin);
        }
        let start = Instant::now();
        assert_eq!(backoff.pause(start), WaitStep::Spin);
        assert_eq!(backoff.pause(start + micros(&SPIN_TIME) - MOMENT), WaitStep::Spin);
        assert_eq!(backoff.pause(start + micros(&SPIN_TIME)), WaitStep::Yield);
        backoff.reset();
        assert_eq!(backoff.pause(start + micros(&SPIN_TIME)), WaitStep::Spin);
    }

    #[test]
    fn ranks_that_share_processors_hardly_spin() {
        let wanted = AtomicU32::new(0);
        let mut backoff = Backoff::new(true, &wanted);
        for _ in 1..SHARED_LOOKS.get() {
            assert_eq!(backoff.step(), WaitStep::Spin);
        }
        assert_eq!(backoff.step(), WaitStep::Yield);
        backoff.reset();
        assert_eq!(backoff.step(), WaitStep::Spin);
    }

    #[test]
    fn patience_ends_in_sleep() {
        let wanted = AtomicU32::new(0);
        let mut backoff = Backoff::new(true, &wanted);
        let start = Instant::now();
        assert_eq!(backoff.pause(start), WaitStep::Yield);
        assert_eq!(backoff.pause(start + MOMENT), WaitStep::Yield);
        backoff.yielded = None;
        assert_eq!(backoff.pause(start + micros(&PATIENCE) + MOMENT), WaitStep::Sleep);
        assert_eq!(backoff.pause(start + micros(&PATIENCE) + 2 * MOMENT), WaitStep::Sleep);
        assert_eq!(wanted.into_inner(), 0);
    }

    #[test]
    fn a_wanted_processor_is_left_by_sleeping() {
        let wanted = AtomicU32::new(0);
        let start = Instant::now();
        let mut backoff = Backoff::new(true, &wanted);
        assert_eq!(backoff.pause(start), WaitStep::Yield);
        assert_eq!(backoff.pause(start + micros(&WANTED_TIME) + MOMENT), WaitStep::Sleep);
        for _ in 1..WANTED_MEMORY.get() as u32 {
            assert_eq!(Backoff::new(true, &wanted).pause(start), WaitStep::Sleep);
        }
        assert_eq!(Backoff::new(true, &wanted).pause(start), WaitStep::Yield);
    }
}
