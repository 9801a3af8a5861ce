//! How often to look. All looks together take less than a thousandth of the time.

use std::time::{Duration, Instant};

/// The time until the next look is at least this many times the cost of a look. More than a
/// thousand, since the next look may take longer.
const PARTS: u32 = 1250;

/// Before the first look nothing is known of its cost, so the job has run this long. It is also
/// the shortest time between two looks.
const SHORTEST: Duration = Duration::from_secs(10);

/// What the first look is taken to cost for each rank.
const GUESS: Duration = Duration::from_millis(10);

/// The longest time before the first look, however many ranks the job has.
const LONGEST_GUESS: Duration = Duration::from_secs(600);

/// The times of looks.
pub(super) struct Pace {
    begin: Instant,
    /// What the user wants.
    every: Option<Duration>,
    /// What the last look has cost.
    last: Duration,
    /// The time until the first look.
    first: Duration,
}

impl Pace {
    /// The pace of a job that begins now.
    pub(super) fn new(every: Option<Duration>) -> Pace {
        Pace {
            begin: Instant::now(),
            every,
            last: Duration::ZERO,
            first: every.unwrap_or(SHORTEST),
        }
    }

    /// The time until the first look.
    pub(super) fn first(&self) -> Duration {
        self.first
    }

    /// Is it too early for a first look at this number of ranks? Then the next one comes at the
    /// right time.
    pub(super) fn is_too_early(&mut self, ranks: usize) -> bool {
        if self.every.is_none() {
            let guess = GUESS.saturating_mul(u32::try_from(ranks).unwrap_or(u32::MAX));
            self.first = guess.saturating_mul(1000).clamp(SHORTEST, LONGEST_GUESS);
        }
        self.begin.elapsed() < self.first
    }

    /// Notes what a look has cost.
    pub(super) fn looked(&mut self, cost: Duration) {
        self.last = cost;
    }

    /// The time until the next look.
    pub(super) fn next(&self) -> Duration {
        let until_first = self.first.saturating_sub(self.begin.elapsed());
        self.every.unwrap_or_else(|| after(self.last).max(until_first))
    }
}

/// The time from a look with this cost to the next one.
fn after(cost: Duration) -> Duration {
    cost.saturating_mul(PARTS).max(SHORTEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_take_less_than_a_thousandth() {
        for cost in [1, 10, 100, 10_000].map(Duration::from_millis) {
            let next = after(cost);
            assert!(cost.as_secs_f64() / (cost + next).as_secs_f64() < 0.001, "{cost:?} {next:?}");
        }
        // The user's choice wins.
        let every = Duration::from_millis(200);
        let mut pace = Pace::new(Some(every));
        pace.looked(Duration::from_secs(5));
        assert_eq!((pace.first(), pace.next()), (every, every));
    }

    #[test]
    fn many_ranks_are_first_seen_later() {
        let mut pace = Pace::new(None);
        assert!(pace.is_too_early(30));
        assert!(pace.next() > Duration::from_secs(200));
        assert!(pace.is_too_early(1_000_000));
        assert!(pace.next() <= LONGEST_GUESS);
        assert!(!Pace::new(Some(Duration::ZERO)).is_too_early(30));
    }
}
