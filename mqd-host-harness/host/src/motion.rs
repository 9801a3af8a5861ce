//! What shows whether a process moved between two looks, besides what the looks show.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::sockets::{Kernel, Sockets};
use crate::turns::ProcessTurns;

/// What the kernel has counted of a process up to a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Motion {
    /// The turns of its threads on processors.
    turns: ProcessTurns,
    /// None: it is not known, or its messages may go another way.
    traffic: Option<Traffic>,
    /// Does it share memory with another one of these processes, as far as that is known?
    pub shares_memory: bool,
}

/// What went through the sockets of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Traffic {
    /// Is nothing in them?
    is_empty: bool,
    /// [`Sockets::carried`].
    carried: u64,
}

impl Motion {
    /// That of each of these processes of this host, by their numbers.
    pub fn of_each(pids: impl IntoIterator<Item = u32>) -> HashMap<u32, Motion> {
        let mut kernel = Kernel::default();
        let read = |pid| (pid, ProcessTurns::now(pid), kernel.sockets_of(pid));
        let all: Vec<_> = pids.into_iter().map(read).collect();
        let mut users: HashMap<(u64, u64), usize> = HashMap::new();
        for file in all.iter().flat_map(|(_, _, sockets)| shared(sockets)) {
            *users.entry(*file).or_default() += 1;
        }
        let motion = |(pid, turns, sockets): (u32, ProcessTurns, Option<Sockets>)| {
            let shares_memory = shared(&sockets).iter().any(|file| users[file] > 1);
            let traffic = sockets.map(|sockets| Traffic {
                is_empty: sockets.are_empty(),
                carried: sockets.carried(),
            });
            (pid, Motion { turns, traffic, shares_memory })
        };
        all.into_iter().map(motion).collect()
    }

    /// Has some thread hardly had a turn since, and waited for a processor?
    pub fn lacked_turns_since(&self, before: &Motion) -> bool {
        self.turns.lacked_since(&before.turns)
    }

    /// Has some thread had a turn since?
    pub fn took_turns_since(&self, before: &Motion) -> bool {
        self.turns.taken_since(&before.turns)
    }

    /// Is nothing in its sockets, and have they carried nothing since?
    pub fn is_quiet_since(&self, before: &Motion) -> bool {
        self.traffic == before.traffic && self.traffic.is_some_and(|traffic| traffic.is_empty)
    }

    /// Is something in its sockets, or may they have carried anything since?
    pub fn may_have_carried_since(&self, before: &Motion) -> bool {
        self.traffic.or(before.traffic).is_some() && !self.is_quiet_since(before)
    }
}

/// The memory that a process shares, as far as it is known.
fn shared(sockets: &Option<Sockets>) -> &[(u64, u64)] {
    sockets.as_ref().map_or(&[], |sockets| &sockets.shared)
}
