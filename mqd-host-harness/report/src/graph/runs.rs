//! Sets of ranks or tags, stored as runs: the ranks of a large job that behave alike are few runs.

use std::fmt;

use crate::check::Ranks;

/// A set of numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Runs {
    runs: Vec<Run>,
}

/// Numbers at the same distance from one to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Run {
    first: i64,
    last: i64,
    step: i64,
}

impl Run {
    fn len(self) -> u64 {
        ((self.last - self.first) / self.step).unsigned_abs() + 1
    }

    fn contains(self, number: i64) -> bool {
        (self.first..=self.last).contains(&number) && (number - self.first) % self.step == 0
    }
}

impl Runs {
    /// How many numbers.
    pub fn len(&self) -> u64 {
        self.runs.iter().map(|run| run.len()).sum()
    }

    /// Is it empty?
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The smallest number.
    pub fn first(&self) -> Option<i64> {
        self.runs.first().map(|run| run.first)
    }

    /// Is the number among them?
    pub fn contains(&self, number: i64) -> bool {
        self.runs.iter().any(|run| run.contains(number))
    }

    /// Does it have a number in common with a set of ranks?
    pub(crate) fn meets(&self, ranks: &Ranks) -> bool {
        self.runs.iter().any(|run| {
            let after = ranks.ranges().partition_point(|(_, last)| *last < run.first);
            let near = ranks.ranges()[after..].iter().take_while(|(first, _)| *first <= run.last);
            // The first number of the run that is not below the range.
            near.into_iter().any(|(first, last)| {
                let steps = ((first - run.first).max(0) + run.step - 1) / run.step;
                let number = run.first + steps * run.step;
                number <= run.last.min(*last)
            })
        })
    }

    /// All of them, ascending.
    pub fn iter(&self) -> impl Iterator<Item = i64> + '_ {
        self.runs
            .iter()
            .flat_map(|run| (run.first..=run.last).step_by(usize::try_from(run.step).unwrap_or(1)))
    }

    /// For people: at most `most` runs, then how many numbers there are in all. For example `0-3,
    /// 8, 10-98 step 2`.
    pub fn shortened(&self, most: usize) -> String {
        let mut words: Vec<String> = self.runs.iter().take(most).map(ToString::to_string).collect();
        if self.runs.len() > most {
            words.push(format!("… ({} in all)", self.len()));
        }
        words.join(", ")
    }

    /// In the notation of the HTML report's filters, `0-3,8,10-98:2`; none if that is too long.
    pub fn filter(&self) -> Option<String> {
        const LONGEST: usize = 16;
        let word = |run: &Run| match *run {
            Run { first, last, .. } if first == last => first.to_string(),
            Run { first, last, step: 1 } => format!("{first}-{last}"),
            Run { first, last, step } => format!("{first}-{last}:{step}"),
        };
        (self.runs.len() <= LONGEST)
            .then(|| self.runs.iter().map(word).collect::<Vec<_>>().join(","))
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Run { first, last, .. } if first == last => write!(f, "{first}"),
            Run { first, last, step: 1 } => write!(f, "{first}-{last}"),
            Run { first, last, step } => write!(f, "{first}-{last} step {step}"),
        }
    }
}

impl fmt::Display for Runs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shortened(usize::MAX))
    }
}

impl FromIterator<i64> for Runs {
    fn from_iter<I: IntoIterator<Item = i64>>(numbers: I) -> Runs {
        let mut numbers: Vec<i64> = numbers.into_iter().collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut runs = Vec::new();
        let mut rest = numbers.as_slice();
        while let [first, after @ ..] = rest {
            let step = after.first().map_or(1, |second| second - first);
            let steady = rest.windows(2).take_while(|pair| pair[1] - pair[0] == step).count() + 1;
            // Two numbers far apart are no run.
            let length = if step == 1 || steady > 2 { steady } else { 1 };
            let step = if length == 1 { 1 } else { step };
            runs.push(Run { first: *first, last: rest[length - 1], step });
            rest = &rest[length..];
        }
        Runs { runs }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(numbers: &[i64]) -> Runs {
        numbers.iter().copied().collect()
    }

    #[test]
    fn runs_are_found() {
        let cases: [(&[i64], &str, &str); 7] = [
            (&[], "", ""),
            (&[4], "4", "4"),
            (&[3, 1, 2, 2], "1-3", "1-3"),
            (&[0, 2, 4, 6], "0-6 step 2", "0-6:2"),
            (&[0, 2, 3, 4], "0, 2-4", "0,2-4"),
            (&[0, 1, 5], "0-1, 5", "0-1,5"),
            (&[-1, 7], "-1, 7", "-1,7"),
        ];
        for (numbers, text, filter) in cases {
            let runs = runs(numbers);
            assert_eq!(
                (runs.to_string().as_str(), runs.filter().as_deref()),
                (text, Some(filter)),
                "{numbers:?}"
            );
            let mut sorted = numbers.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(runs.iter().collect::<Vec<_>>(), sorted);
            assert_eq!(runs.len(), sorted.len() as u64);
            assert!(
                (-2..10).all(|number| runs.contains(number) == numbers.contains(&number)),
                "{numbers:?}"
            );
        }
    }

    #[test]
    fn common_numbers() {
        let even = runs(&[0, 2, 4, 6, 20, 30]);
        let meets = |ranks: &str| even.meets(&ranks.parse().unwrap());
        assert!(meets("0") && meets("5-6") && meets("1,3,20") && meets("7-40"));
        assert!(
            !meets("")
                && !meets("1,3,5")
                && !meets("7-19,21-29,31")
                && !runs(&[]).meets(&Ranks::from(0))
        );
    }

    #[test]
    fn long_ones_are_shortened() {
        let odd: Runs = (0..40).map(|number| number * number).collect();
        assert_eq!(odd.shortened(3), "0-1, 4, 9, … (40 in all)");
        assert_eq!(odd.filter(), None);
    }
}
