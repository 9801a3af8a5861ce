//! What a rank does between two looks at its rings: spin while an answer may come at any moment, give the processor away when somebody else may need
//! it, and sleep when nothing has come for long, so that a hung job costs nothing.

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

/// Looks in a row before the first pause, where every rank has a processor.
const SPINS: u32 = 20_000;

/// Looks between two yields, where ranks share processors.
const SHARED_SPINS: u32 = 4;

/// How long a rank looks for messages before it sleeps.
const PATIENCE: Duration = Duration::from_millis(3);

/// The longest sleep: a bound for what no doorbell announces.
pub(crate) const SLEEP: Duration = Duration::from_millis(50);

/// The state of one wait.
pub(crate) struct Backoff {
    spins: u32,
    looks: u32,
    yields: u32,
    since: Option<Instant>,
}

impl Backoff {
    /// A new wait in a job that has, or has not, a processor for each rank.
    pub(crate) fn new(crowded: bool) -> Backoff {
        Backoff { spins: if crowded { SHARED_SPINS } else { SPINS }, looks: 0, yields: 0, since: None }
    }

    /// Something has arrived: patience starts anew.
    pub(crate) fn reset(&mut self) {
        self.looks = 0;
        self.since = None;
    }

    /// Nothing has arrived: what to do next.
    #[inline]
    pub(crate) fn step(&mut self) -> Step {
        self.looks += 1;
        if self.looks < self.spins { Step::Spin } else { self.pause() }
    }

    #[cold]
    fn pause(&mut self) -> Step {
        // The clock is read now and then only: it costs as much as several looks.
        self.yields += 1;
        if self.yields % 16 == 1 {
            let since = *self.since.get_or_insert_with(Instant::now);
            if since.elapsed() > PATIENCE {
                return Step::Sleep;
            }
        }
        Step::Yield
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps_until_sleep(mut backoff: Backoff) -> (u32, u32) {
        let (mut spins, mut yields) = (0, 0);
        loop {
            match backoff.step() {
                Step::Spin => spins += 1,
                Step::Yield => yields += 1,
                Step::Sleep => return (spins, yields),
            }
        }
    }

    #[test]
    fn a_wait_spins_then_yields_then_sleeps() {
        let (spins, yields) = steps_until_sleep(Backoff::new(false));
        assert_eq!(spins, SPINS - 1);
        assert!(yields > 0);
        let (spins, yields) = steps_until_sleep(Backoff::new(true));
        assert_eq!(spins, SHARED_SPINS - 1);
        assert!(yields > 0);
    }
}
