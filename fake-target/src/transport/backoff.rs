//! What a rank does between two looks at its rings. It spins while an answer may come at any
//! moment, yields the processor if another process may need it, and sleeps if nothing has come for
//! a long time, so that a hung job costs nothing.
//!
//! Yielding is cheap if no other process wants the processor. Otherwise the rank gets it back late,
//! whereas a sleeper that is woken runs before the others. So a rank whose processor is wanted
//! sleeps instead, in this wait and in the next few.
//!
//! If the rank that answers shares the processor, spinning only delays the answer. This shows when
//! a yield takes the time of a switch to another process, and the answer is there afterwards. Then
//! the rank hardly spins in the next waits.

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

/// What earlier waits have shown.
#[derive(Default)]
pub(crate) struct Experience {
    /// Waits in which the processor still counts as wanted.
    wanted: AtomicU32,
    /// Waits in which the rank that answers still counts as one that shares the processor.
    together: AtomicU32,
}

/// A yield that takes less time has not switched to another process.
const SWITCH: Duration = Duration::from_nanos(1500);

/// The number of waits in which a shared processor is remembered.
const TOGETHER: u32 = 64;

impl Experience {
    /// Whether the rank that answers seems to share the processor.
    #[inline]
    pub(crate) fn is_together(&self) -> bool {
        self.together.load(Ordering::Relaxed) > 0
    }
}

/// The state of one wait.
pub(crate) struct Backoff<'a> {
    /// Spinning is of no use.
    crowded: bool,
    looks: u32,
    experience: &'a Experience,
    /// This wait has been counted off [`WANTED_MEMORY`].
    forgot: bool,
    since: Option<Instant>,
    yielded: Option<Instant>,
}

impl Backoff<'_> {
    /// A new wait. `crowded` says that the job has more ranks than processors. The
    /// experience is kept from one wait to the next.
    pub(crate) fn new(crowded: bool, experience: &Experience) -> Backoff<'_> {
        let together = experience.together.load(Ordering::Relaxed);
        if together > 0 {
            experience.together.store(together - 1, Ordering::Relaxed);
        }
        let crowded = crowded || together > 0;
        Backoff { crowded, looks: 0, experience, forgot: false, since: None, yielded: None }
    }

    /// Something has arrived, so the steps begin anew.
    #[inline]
    pub(crate) fn reset(&mut self) {
        self.looks = 0;
        self.since = None;
        if self.yielded.take().is_some_and(|yielded| yielded.elapsed() > SWITCH) {
            self.experience.together.store(TOGETHER, Ordering::Relaxed);
        }
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
            self.experience.wanted.store(WANTED_MEMORY.get() as u32, Ordering::Relaxed);
        }
        let since = *self.since.get_or_insert(now);
        if !self.crowded && now - since < micros(&SPIN_TIME) {
            self.looks = 0;
            return WaitStep::Spin;
        }
        let wanted = self.experience.wanted.load(Ordering::Relaxed);
        if wanted > 0 {
            if !std::mem::replace(&mut self.forgot, true) {
                self.experience.wanted.store(wanted - 1, Ordering::Relaxed);
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
        let experience = Experience::default();
        let mut backoff = Backoff::new(false, &experience);
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
        let experience = Experience::default();
        let mut backoff = Backoff::new(true, &experience);
        for _ in 1..SHARED_LOOKS.get() {
            assert_eq!(backoff.step(), WaitStep::Spin);
        }
        assert_eq!(backoff.step(), WaitStep::Yield);
        backoff.reset();
        assert_eq!(backoff.step(), WaitStep::Spin);
    }

    #[test]
    fn ranks_that_find_an_answer_after_a_switch_hardly_spin() {
        let experience = Experience::default();
        let mut backoff = Backoff::new(false, &experience);
        backoff.yielded = Some(Instant::now());
        while Instant::now() - backoff.yielded.unwrap() <= SWITCH {}
        backoff.reset();
        for _ in 0..TOGETHER {
            assert!(experience.is_together());
            let mut backoff = Backoff::new(false, &experience);
            backoff.looks = SHARED_LOOKS.get() as u32 - 1;
            assert!(backoff.step() == WaitStep::Yield);
        }
        assert!(!experience.is_together());
        assert!(Backoff::new(false, &experience).pause(Instant::now()) == WaitStep::Spin);
    }

    #[test]
    fn patience_ends_in_sleep() {
        let experience = Experience::default();
        let mut backoff = Backoff::new(true, &experience);
        let start = Instant::now();
        assert_eq!(backoff.pause(start), WaitStep::Yield);
        assert_eq!(backoff.pause(start + MOMENT), WaitStep::Yield);
        backoff.yielded = None;
        assert_eq!(backoff.pause(start + micros(&PATIENCE) + MOMENT), WaitStep::Sleep);
        assert_eq!(backoff.pause(start + micros(&PATIENCE) + 2 * MOMENT), WaitStep::Sleep);
        assert_eq!(experience.wanted.into_inner(), 0);
    }

    #[test]
    fn a_wanted_processor_is_left_by_sleeping() {
        let experience = Experience::default();
        let start = Instant::now();
        let mut backoff = Backoff::new(true, &experience);
        assert_eq!(backoff.pause(start), WaitStep::Yield);
        assert_eq!(backoff.pause(start + micros(&WANTED_TIME) + MOMENT), WaitStep::Sleep);
        for _ in 1..WANTED_MEMORY.get() as u32 {
            assert_eq!(Backoff::new(true, &experience).pause(start), WaitStep::Sleep);
        }
        assert_eq!(Backoff::new(true, &experience).pause(start), WaitStep::Yield);
    }
}
