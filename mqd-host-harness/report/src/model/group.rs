//! The group of a communicator, stored as runs of ranks: every process of a large job has
//! `MPI_COMM_WORLD`.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::shared::{Known, shared};

/// The rank in `MPI_COMM_WORLD` of each process of a communicator, in the order of their ranks in
/// it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Group {
    runs: Arc<[Run]>,
}

thread_local! {
    static GROUPS: RefCell<Known<[Run]>> = RefCell::default();
}

impl Default for Group {
    fn default() -> Group {
        Group::of(&[])
    }
}

/// Ranks that are consecutive both in the communicator and in `MPI_COMM_WORLD`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
struct Run {
    /// The first one's rank in the communicator.
    local: i64,
    /// The first one's rank in `MPI_COMM_WORLD`.
    global: i64,
    /// How many there are.
    count: i64,
}

/// Adds the next process, by its rank in `MPI_COMM_WORLD`.
fn push(runs: &mut Vec<Run>, global: i64) {
    let local = length(runs);
    match runs.last_mut() {
        Some(run) if run.global.checked_add(run.count) == Some(global) => run.count += 1,
        _ => runs.push(Run { local, global, count: 1 }),
    }
}

/// The number of processes in runs.
fn length(runs: &[Run]) -> i64 {
    runs.last().map_or(0, |run| run.local + run.count)
}

impl Group {
    fn of(runs: &[Run]) -> Group {
        Group { runs: shared(&GROUPS, runs) }
    }

    /// The number of processes.
    pub fn len(&self) -> i64 {
        length(&self.runs)
    }

    /// Is there no process?
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The rank in `MPI_COMM_WORLD` of the process with this rank in the communicator.
    pub fn global(&self, local: i64) -> Option<i64> {
        let index = self.runs.partition_point(|run| run.local <= local).checked_sub(1)?;
        let run = self.runs[index];
        (local < run.local + run.count).then(|| run.global + (local - run.local))
    }

    /// The rank in the communicator of the process with this rank in `MPI_COMM_WORLD`.
    pub fn local(&self, global: i64) -> Option<i64> {
        let run =
            self.runs.iter().find(|run| (run.global..run.global + run.count).contains(&global))?;
        Some(run.local + (global - run.global))
    }

    /// The group with all ranks in `MPI_COMM_WORLD` moved by `shift`. Processes without such a rank
    /// stay as they are.
    pub(crate) fn moved(&self, shift: i64) -> Group {
        let mut runs = Vec::new();
        for &Run { local, global, count } in self.runs.iter() {
            let without = global.saturating_neg().clamp(0, count);
            if without > 0 {
                runs.push(Run { local, global, count: without });
            }
            if without < count {
                let count = count - without;
                let global = (global + without).saturating_add(shift).min(i64::MAX - count);
                runs.push(Run { local: local + without, global, count });
            }
        }
        Group::of(&runs)
    }

    /// The ranks in `MPI_COMM_WORLD` as ranges: the first rank, and the number of ranks that are
    /// consecutive in both. The ranges are in the order of the ranks in the communicator.
    pub fn ranges(&self) -> impl Iterator<Item = (i64, i64)> + '_ {
        self.runs.iter().map(|run| (run.global, run.count))
    }

    /// All ranks in `MPI_COMM_WORLD`, in order.
    pub fn iter(&self) -> impl Iterator<Item = i64> + '_ {
        self.runs.iter().flat_map(|run| run.global..run.global + run.count)
    }
}

impl FromIterator<i64> for Group {
    fn from_iter<I: IntoIterator<Item = i64>>(ranks: I) -> Group {
        let mut runs = Vec::new();
        ranks.into_iter().for_each(|rank| push(&mut runs, rank));
        Group::of(&runs)
    }
}

impl Serialize for Group {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.runs.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Group {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Group, D::Error> {
        deserializer.deserialize_seq(Members)
    }
}

/// Reads runs, and lists of ranks as reports had them before version 3.
struct Members;

/// The most ranks of a run: a communicator's size is an `int`.
const MOST: i64 = i32::MAX as i64;

/// A member of the list.
enum Member {
    Run(Run),
    Rank(i64),
}

impl<'de> Deserialize<'de> for Member {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Member, D::Error> {
        deserializer.deserialize_any(OneMember)
    }
}

/// Reads a member.
struct OneMember;

impl<'de> Visitor<'de> for OneMember {
    type Value = Member;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a run of ranks")
    }

    fn visit_i64<E: Error>(self, rank: i64) -> Result<Member, E> {
        Ok(Member::Rank(rank))
    }

    fn visit_u64<E: Error>(self, rank: u64) -> Result<Member, E> {
        i64::try_from(rank).map(Member::Rank).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, run: A) -> Result<Member, A::Error> {
        Run::deserialize(MapAccessDeserializer::new(run)).map(Member::Run)
    }
}

impl<'de> Visitor<'de> for Members {
    type Value = Group;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of runs of ranks")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Group, A::Error> {
        let mut runs = Vec::new();
        while let Some(member) = list.next_element()? {
            match member {
                Member::Rank(i64::MAX) => return Err(Error::custom("a rank that is too large")),
                Member::Rank(rank) => push(&mut runs, rank),
                Member::Run(run) => {
                    let follows = run.local == length(&runs) && (1..=MOST).contains(&run.count);
                    if !follows || run.global.checked_add(run.count).is_none() {
                        let what = "runs of ranks that do not follow one another";
                        return Err(Error::custom(what));
                    }
                    runs.push(run);
                }
            }
        }
        Ok(Group::of(&runs))
    }
}

impl JsonSchema for Group {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Group".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<Run>::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_and_runs() {
        let ranks = [4, 5, 6, 0, 1, 9, -1, -1];
        let group: Group = ranks.into_iter().collect();
        assert_eq!(group.len(), 8);
        assert!(group.iter().eq(ranks));
        for (local, global) in (0..).zip(ranks) {
            assert_eq!(group.global(local), Some(global));
        }
        assert_eq!((group.global(8), group.global(-1)), (None, None));
        assert_eq!((group.local(1), group.local(9), group.local(3)), (Some(4), Some(5), None));
        let json = serde_json::to_string(&group).expect("numbers");
        let runs = [(0, 4, 3), (3, 0, 2), (5, 9, 1), (6, -1, 1), (7, -1, 1)].map(
            |(local, global, count)| {
                format!(r#"{{"local":{local},"global":{global},"count":{count}}}"#)
            },
        );
        assert_eq!(json, format!("[{}]", runs.join(",")));
        assert!(group.moved(10).iter().eq([14, 15, 16, 10, 11, 19, -1, -1]));
        // No number of a damaged report is too large.
        let ends: Group = [i64::MIN, i64::MAX - 1].into_iter().collect();
        assert!(ends.moved(10).iter().eq([i64::MIN, i64::MAX - 1]));
        let mixed: Group = [-1, 0, 1].into_iter().collect();
        assert_eq!(mixed.moved(2), [-1, 2, 3].into_iter().collect());
        let read = |json| serde_json::from_str::<Group>(json);
        assert_eq!(read(&json).expect("it was written so"), group);
        assert_eq!(read("[4,5,6,0,1,9,-1,-1]").expect("version 2"), group);
        read(r#"[{"local":1,"global":0,"count":1}]"#).expect_err("a hole");
        read(r#"[{"local":0,"global":0,"count":9223372036854775807},3]"#).expect_err("too many");
    }
}
