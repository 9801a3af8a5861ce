//! The call stacks of all ranks, merged into one tree: ranks that are at the same place share a
//! branch, so that a job of any size is a few lines. Who is where alone comes first.

mod tree;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::tree::{Key, TreeBuilder};
use crate::check::Ranks;
use crate::model::{Calls, Process, Queue, Report, Text, Tool};
use crate::words::{calls, doing_where, name};

/// The version of the JSON contract of merged stacks, `major.minor`.
pub const SCHEMA_VERSION: &str = "1.1";

/// The most communicators of a group that are named.
const COMMUNICATORS: usize = 3;

/// The merged call stacks of a job, of one look at it or of several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Merged {
    /// Version of this format, `major.minor`.
    pub schema_version: String,
    /// The program that wrote it.
    pub tool: Tool,
    /// How often the job was looked at.
    pub samples: usize,
    /// How many processes there are.
    pub processes: usize,
    /// Who is where at the last look: the smallest groups first.
    pub groups: Vec<StackGroup>,
    /// The ranks that were not at the same place in all looks. Null after one look.
    pub moved: Option<Ranks>,
    /// The tree of all looks, in depth-first order: a branch comes after its parent and before the
    /// next branch of its parent.
    pub tree: Vec<Branch>,
}

/// Processes that are at the same place and do the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StackGroup {
    /// Their ranks. A process whose rank is not known is in `processes` only.
    pub ranks: Ranks,
    /// How many processes they are.
    pub processes: usize,
    /// What they do: `in MPI_Recv, called from exchange (halo.c:87)`.
    pub doing: String,
    /// Is it known which MPI call they are in, or that they are in none? If not, `doing` says why.
    /// Since 1.1.
    #[serde(default)]
    pub known: bool,
    /// What they wait for, as far as it is known: `rank 3`, `others of MPI_COMM_WORLD`.
    pub waits_for: Option<String>,
    /// The states of the processes before they were read, as `ps` shows them (`R`, `S`, `D`, `T`,
    /// `Z`), each once; empty if they are not known.
    pub states: String,
}

/// A frame that some stacks have in common, with everything outside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Branch {
    /// The index of the branch that this one has been called from; null for an outermost frame.
    pub parent: Option<usize>,
    /// The frame as text: `exchange (halo.c:87)`.
    pub frame: String,
    /// The function, demangled; null if it has no name.
    pub function: Option<Text>,
    /// The file of the source.
    pub file: Option<Text>,
    /// The line in it.
    pub line: Option<u32>,
    /// The file name of the executable or library.
    pub module: Option<Text>,
    /// How often the frame follows itself: more than 1 for a function that calls itself.
    pub times: usize,
    /// The ranks that are here or further inside.
    pub ranks: Ranks,
    /// How many stacks are here or further inside: processes times looks.
    pub stacks: usize,
    /// How many of these end here.
    pub end: usize,
}

/// Merges the stacks of several looks at a job; the last look decides who is where. `state` tells
/// the state of a process of the last look before it was read.
pub fn merge(looks: &[Report], state: impl Fn(&Process) -> Option<char>) -> Merged {
    let mut builder = TreeBuilder::default();
    for look in looks {
        for process in &look.processes {
            builder.add(process);
        }
    }
    let last = looks.last().map_or(&[][..], |look| &look.processes);
    Merged {
        schema_version: SCHEMA_VERSION.to_owned(),
        tool: Tool::this(),
        samples: looks.len(),
        processes: last.len(),
        groups: groups(last, state),
        moved: (looks.len() > 1).then(|| moved(looks)),
        tree: builder.finish(),
    }
}

/// Processes that do the same.
#[derive(Default)]
struct Members {
    processes: usize,
    ranks: Vec<i64>,
    states: String,
    /// Whom they wait for.
    peers: Vec<i64>,
    any_peer: bool,
    /// Communicators of the collective operations that they are in.
    communicators: BTreeSet<String>,
}

/// Who is where: the smallest groups first.
fn groups(processes: &[Process], state: impl Fn(&Process) -> Option<char>) -> Vec<StackGroup> {
    let mut groups: BTreeMap<(String, bool), Members> = BTreeMap::new();
    for process in processes {
        let members = groups.entry(doing(process)).or_default();
        members.processes += 1;
        members.ranks.extend(process.rank);
        members.states.extend(state(process).filter(|state| !members.states.contains(*state)));
        members.add_peers(process);
    }
    let places = groups.into_iter().map(|((doing, known), members)| StackGroup {
        doing,
        known,
        processes: members.processes,
        waits_for: members.waits_for(),
        states: members.states,
        ranks: members.ranks.into_iter().collect(),
    });
    let mut places: Vec<StackGroup> = places.collect();
    places.sort_by_key(|place| (place.processes, place.ranks.first()));
    places
}

impl Members {
    /// Adds those whom the function that a process is in waits for.
    fn add_peers(&mut self, process: &Process) {
        let function = process.activity.as_ref().and_then(|activity| activity.function.as_deref());
        for communicator in &process.communicators {
            let queues = [Queue::Sends, Queue::Receives].map(|queue| communicator.queue(queue));
            for operation in queues.into_iter().flatten() {
                if operation.awaited == Some(true) {
                    match operation.actual_global_rank.or(operation.desired_global_rank) {
                        Some(-1) => self.any_peer = true,
                        peer => self.peers.extend(peer),
                    }
                }
            }
            let mut collectives = communicator.collectives.iter().flatten();
            if collectives.any(|one| one.active && Some(one.function.as_str()) == function) {
                self.communicators.insert(name(communicator));
            }
        }
    }

    fn waits_for(&self) -> Option<String> {
        let peers: Ranks = self.peers.iter().copied().collect();
        let mut words = Vec::new();
        match peers.len() {
            0 => {}
            1 => words.push(format!("rank {peers}")),
            _ => words.push(format!("ranks {peers}")),
        }
        if self.any_peer {
            words.push("any rank".to_owned());
        }
        let others = self.communicators.iter().map(|name| format!("others of {name}"));
        words.extend(others.take(COMMUNICATORS));
        (!words.is_empty()).then(|| words.join(", "))
    }
}

/// What a process does, also of one that could not be read, and whether that is known.
fn doing(process: &Process) -> (String, bool) {
    match (process.stacks.is_none(), process.errors.first()) {
        (true, Some(error)) if process.communicators.is_empty() => {
            (error.kind.describe().to_owned(), false)
        }
        _ => (doing_where(process), calls(process) != Calls::NotKnown),
    }
}

/// The ranks that are not at the same place in all looks.
fn moved(looks: &[Report]) -> Ranks {
    let mut places = HashMap::new();
    let mut moved = Vec::new();
    for process in looks.iter().flat_map(|look| &look.processes) {
        let Some(rank) = process.rank else { continue };
        let path = tree::path(process);
        let first = places.entry(rank).or_insert_with(|| path.clone());
        if *first != path {
            moved.push(rank);
        }
    }
    moved.into_iter().collect()
}

impl Merged {
    /// The stacks in the format of flame graphs: a line for each place, with the frames from the
    /// outermost one, separated by semicolons, and the number of stacks.
    pub fn folded(&self) -> String {
        let mut text = String::new();
        for (index, branch) in self.tree.iter().enumerate().filter(|(_, branch)| branch.end > 0) {
            let mut path = Vec::new();
            let mut at = Some(index);
            while let Some(branch) = at.map(|at| &self.tree[at]) {
                let frame = branch.frame.replace(';', ":");
                path.extend(std::iter::repeat_n(frame, branch.times));
                at = branch.parent;
            }
            path.reverse();
            text.push_str(&format!("{} {}\n", path.join(";"), branch.end));
        }
        text
    }
}

/// The JSON Schema of [`Merged`], as committed in `docs/stacks.schema.json`.
pub fn json_schema_text() -> String {
    crate::model::schema_text::<Merged>()
}

impl From<Key> for Branch {
    fn from(key: Key) -> Branch {
        let Key { frame, function, file, line, module, times } = key;
        Branch {
            parent: None,
            frame,
            function,
            file,
            line,
            module,
            times,
            ranks: Ranks::default(),
            stacks: 0,
            end: 0,
        }
    }
}
