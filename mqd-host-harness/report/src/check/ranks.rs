//! Sets of ranks as ranges: a finding may name all ranks of a large job.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use super::ids::Rank;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Ranks in `MPI_COMM_WORLD`, written as `--rank` takes them: `0-3,7`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ranks {
    /// First and last of each range; ascending, with a gap in between.
    ranges: Vec<(i64, i64)>,
}

impl Ranks {
    /// The first and the last rank of each range, ascending.
    pub fn ranges(&self) -> &[(i64, i64)] {
        &self.ranges
    }

    /// The number of ranks.
    pub fn len(&self) -> i64 {
        self.ranges.iter().map(|(first, last)| last - first + 1).sum()
    }

    /// Is the set empty?
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Is this rank in the set?
    pub fn contains(&self, rank: i64) -> bool {
        let after = self.ranges.partition_point(|(first, _)| *first <= rank);
        after > 0 && rank <= self.ranges[after - 1].1
    }

    /// The lowest rank; `None` if the set is empty.
    pub fn first(&self) -> Option<i64> {
        self.ranges.first().map(|(first, _)| *first)
    }

    /// All ranks, ascending.
    pub fn iter(&self) -> impl Iterator<Item = i64> + '_ {
        self.ranges.iter().flat_map(|(first, last)| *first..=*last)
    }
}

impl Ranks {
    /// Of ranks in any order.
    pub(super) fn of(ranks: impl IntoIterator<Item = Rank>) -> Ranks {
        ranks.into_iter().map(Rank::get).collect()
    }

    /// Of ranges (first and last rank) in any order.
    pub(super) fn of_ranges(mut ranges: Vec<(i64, i64)>) -> Ranks {
        ranges.sort_unstable();
        let mut joined: Vec<(i64, i64)> = Vec::new();
        for (first, last) in ranges {
            match joined.last_mut() {
                Some((_, before)) if first <= before.saturating_add(1) => {
                    *before = last.max(*before)
                }
                _ => joined.push((first, last)),
            }
        }
        Ranks { ranges: joined }
    }

    /// These ranks without the others.
    pub(super) fn without(&self, others: &Ranks) -> Ranks {
        let mut ranges = Vec::new();
        let mut others = others.ranges.iter().peekable();
        for &(mut first, last) in &self.ranges {
            while let Some(&&(from, to)) = others.peek().filter(|other| other.0 <= last) {
                if first < from {
                    ranges.push((first, from - 1));
                }
                first = first.max(to.saturating_add(1));
                // The next range may overlap this one, too.
                if to > last {
                    break;
                }
                others.next();
            }
            if first <= last {
                ranges.push((first, last));
            }
        }
        Ranks { ranges }
    }
}

impl FromIterator<i64> for Ranks {
    /// Of ranks in any order.
    fn from_iter<I: IntoIterator<Item = i64>>(ranks: I) -> Ranks {
        Ranks::of_ranges(ranks.into_iter().map(|rank| (rank, rank)).collect())
    }
}

impl From<i64> for Ranks {
    fn from(rank: i64) -> Ranks {
        Ranks { ranges: vec![(rank, rank)] }
    }
}

impl fmt::Display for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (first, last)) in self.ranges.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            if first == last {
                write!(f, "{comma}{first}")?
            } else {
                write!(f, "{comma}{first}-{last}")?
            }
        }
        Ok(())
    }
}

/// Why a text is no list of ranks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseRanksError {
    /// A part of it is neither a number nor a range.
    #[error("{0:?} is not a range of ranks")]
    Range(String),
    /// The ranges overlap or are not in ascending order.
    #[error("{0:?}: the ranks do not ascend")]
    Order(String),
}

impl FromStr for Ranks {
    type Err = ParseRanksError;

    fn from_str(text: &str) -> Result<Ranks, ParseRanksError> {
        let mut ranges: Vec<(i64, i64)> = Vec::new();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let number = |number: &str| match number.parse::<u32>() {
                Ok(number) => Ok(i64::from(number)),
                Err(_) => Err(ParseRanksError::Range(part.to_owned())),
            };
            let (first, last) = (number(first)?, number(last)?);
            if last < first || ranges.last().is_some_and(|(_, before)| first <= *before) {
                return Err(ParseRanksError::Order(text.to_owned()));
            }
            ranges.push((first, last));
        }
        Ok(Ranks { ranges })
    }
}

impl Serialize for Ranks {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Ranks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Ranks, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Ranks {
    fn schema_name() -> Cow<'static, str> {
        "Ranks".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description":
                "Ranks in MPI_COMM_WORLD: numbers and ranges in ascending order, such as 0-3,7; \
                 empty for none.",
            "type": "string",
            "pattern": "^([0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*)?$",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_without_others() {
        let members = |bits: u32| (0..6).filter(move |rank| bits >> rank & 1 == 1);
        for (all, others) in (0..1 << 6).flat_map(|all| (0..1 << 6).map(move |few| (all, few))) {
            let rest = members(all).collect::<Ranks>().without(&members(others).collect());
            assert_eq!(rest, members(all & !others).collect(), "{all:b} {others:b}");
        }
    }

    #[test]
    fn ranges_of_ranks_in_any_order() {
        let ranks: Ranks = [7, 1, 2, 0, 3, 2].into_iter().collect();
        assert_eq!(ranks.to_string(), "0-3,7");
        assert_eq!(ranks.len(), 5);
        assert!(ranks.iter().eq([0, 1, 2, 3, 7]));
        assert!((0..10).filter(|rank| ranks.contains(*rank)).eq(ranks.iter()));
        assert_eq!("0-3,7".parse(), Ok(ranks));
        assert_eq!("".parse(), Ok(Ranks::default()));
        let order = ParseRanksError::Order("3,1".to_owned());
        assert_eq!("3,1".parse::<Ranks>(), Err(order));
        let range = ParseRanksError::Range("two".to_owned());
        assert_eq!("1,two".parse::<Ranks>(), Err(range));
    }
}
