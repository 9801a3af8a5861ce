//! Conversions of the target's values that notice impossible ones.

use crate::alloc::{AddressMap, AddressSet, insert, mark};
use crate::error::{Code, Error, Result};
use crate::queues::{Communicator, GroupId, Peer, Snapshot};

/// The error for a field with an impossible value. The caller adds the element.
pub(super) fn impossible(part: &'static str) -> Error {
    Error::new(Code::Impossible).part(part)
}

pub(super) fn narrow(value: i64, part: &'static str) -> Result<i32> {
    i32::try_from(value).map_err(|_| impossible(part))
}

/// A count or a number of bytes.
pub(super) fn size(value: u64, part: &'static str) -> Result<i64> {
    i64::try_from(value).map_err(|_| impossible(part))
}

/// The peer of an operation with its rank in the world.
pub(super) fn peer(
    snapshot: &Snapshot,
    communicator: &Communicator,
    local: i64,
    part: &'static str,
) -> Result<Peer> {
    let rank = narrow(local, part)?;
    let Some(group) = communicator.peers else {
        // The group is damaged, which has been noted. Only the rank is known.
        return Ok(Peer { local: rank, global: -1 });
    };
    let ranks = &snapshot.groups[group.0];
    let global =
        usize::try_from(local).ok().and_then(|rank| ranks.get(rank)).ok_or(impossible(part))?;
    Ok(Peer { local: rank, global: *global })
}

/// The communicator of an operation, if it was found. The library's own operations may be on one
/// that does not exist.
pub(super) fn on_communicator(found: Option<usize>, is_internal: bool) -> Result<Option<usize>> {
    let gone = "operations on a communicator that is freed or not yet created";
    if found.is_some() || is_internal { Ok(found) } else { Err(Error::on(Code::NotSeen, gone)) }
}

/// The ranks of processes in groups: the reverse of [`Snapshot::groups`]. A group is added when it
/// is first asked for.
#[derive(Default)]
pub(super) struct Ranks {
    ranks: AddressMap<i32>,
    added: AddressSet,
}

impl Ranks {
    /// The process that groups name by this number, as the other side of messages on a
    /// communicator. None: it is not there, or the number stands for several processes.
    pub(super) fn peer(
        &mut self,
        snapshot: &Snapshot,
        communicator: &Communicator,
        global: i32,
    ) -> Result<Option<Peer>> {
        let rank = match communicator.peers {
            Some(group) => self.rank(snapshot, group, global)?,
            None => None,
        };
        Ok(rank.map(|local| Peer { local, global }))
    }

    /// The rank of this process in a group.
    pub(super) fn rank(
        &mut self,
        snapshot: &Snapshot,
        GroupId(group): GroupId,
        global: i32,
    ) -> Result<Option<i32>> {
        const SEVERAL: i32 = -1;
        let key = |global: i32| (group as u64) << 32 | u64::from(global.cast_unsigned());
        if mark(&mut self.added, group as u64)? {
            for (rank, global) in (0..).zip(snapshot.groups.get(group).into_iter().flatten()) {
                if *global != SEVERAL {
                    insert(&mut self.ranks, key(*global), rank)?;
                }
            }
        }
        Ok(self.ranks.get(&key(global)).copied())
    }
}
