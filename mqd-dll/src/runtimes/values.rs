//! Conversions of the target's values that notice impossible ones.

use crate::error::{Code, Error, Result};
use crate::queues::{Communicator, Peer, Snapshot};

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
