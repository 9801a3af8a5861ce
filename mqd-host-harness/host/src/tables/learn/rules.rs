//! How fields are recognised: by the values that the program has given to its objects.
//!
//! A rule names all offsets at which a field can be. It looks at every object that the field has a
//! known value in, in all processes.

use mqd_layout::Table;

use super::known::{Comm, CommKind, Kind, Operation};
use super::world::{Sample, World};

/// Every object begins with its handle and its references.
const FIRST: usize = 8;
/// Values of `MPIR_Request.kind`.
const SEND: i64 = 1;
const RECEIVE: i64 = 2;
/// Values of `MPIDI_rank_map_t.mode`.
const MODES: std::ops::RangeInclusive<i64> = 0..=10;
/// The bits of a context id that are 0 in a communicator of the program.
const OF_LIBRARY: u64 = 0xf;
/// The kind of groups in handles, and where handles have it.
const GROUPS: u64 = 2;
const KIND_SHIFT: u32 = 26;
const KIND: u64 = 0xf;
/// What handles of predefined datatypes begin with, and where they have the size in bytes.
const BUILTIN_DATATYPE: u64 = 0x4c;
const SIZE_SHIFT: u32 = 8;

/// The offsets, in steps of `step`, at which a test holds.
fn offsets(size: u64, step: usize, test: impl Fn(usize) -> bool) -> Vec<u32> {
    let size = usize::try_from(size).unwrap_or(0);
    (FIRST..size).step_by(step).filter(|at| test(*at)).filter_map(|at| at.try_into().ok()).collect()
}

/// The offsets at which a test holds for all samples. There are none without samples.
fn all<T>(
    samples: &[Sample<'_, T>],
    step: usize,
    test: impl Fn(&Sample<'_, T>, usize) -> Option<bool>,
) -> Vec<u32> {
    let Some(first) = samples.first() else { return Vec::new() };
    let holds = |sample, at| test(sample, at).unwrap_or(false);
    offsets(first.object.bytes.len() as u64, step, |at| samples.iter().all(|one| holds(one, at)))
}

/// The places of a field of a communicator. None: no value tells.
pub(super) fn communicator(world: &World<'_>, like: &Table<'_>, field: &str) -> Option<Vec<u32>> {
    let comms = world.comms();
    let inner = |structure: &str, field: &str| {
        Some(like.structure(structure)?.field(field)?.offset as usize)
    };
    let int = |value: fn(&Comm) -> i64| {
        all(&comms, 4, |comm, at| Some(comm.int(at)? == value(comm.what)))
    };
    Some(match field {
        "rank" => int(|comm| comm.rank),
        "local_size" => int(|comm| comm.size),
        "remote_size" => int(|comm| comm.remote_size),
        "comm_kind" => int(|comm| i64::from(comm.kind == CommKind::Inter)),
        "name" => all(&comms, 1, |comm, at| {
            let text = comm.object.bytes.get(at..)?.strip_prefix(comm.what.name.as_bytes())?;
            Some(text.first() == Some(&0))
        }),
        "dev.ch4.map" => {
            let (mode, size) =
                (inner("MPIDI_rank_map_t", "mode")?, inner("MPIDI_rank_map_t", "size")?);
            all(&comms, 8, |comm, at| {
                let is_mode = MODES.contains(&comm.int(at + mode)?);
                Some(is_mode && comm.int(at + size)? == comm.what.remote_size)
            })
        }
        "local_group" | "remote_group" => {
            let size = inner("MPIR_Group", "size")?;
            let remote = field == "remote_group";
            all(&comms, 8, |comm, at| group_fits(comm, at, size, remote))
        }
        _ => return None,
    })
}

/// Whether a communicator points to its group, or to the group of the other side.
fn group_fits(comm: &Sample<'_, Comm>, at: usize, size: usize, remote: bool) -> Option<bool> {
    let pointer = comm.pointer(at)?;
    if remote && comm.what.kind != CommKind::Inter {
        return Some(pointer == 0);
    }
    let bytes = comm.read(pointer, size + 4)?;
    let word =
        |place: usize| Some(u32::from_le_bytes(bytes.get(place..place + 4)?.try_into().ok()?));
    let wanted = if remote { comm.what.remote_size } else { comm.what.size };
    let is_group = u64::from(word(0)?) >> KIND_SHIFT & KIND == GROUPS;
    Some(is_group && i64::from(word(size)?) == wanted)
}

/// The places at which the two context ids can be, one after the other, and the bytes of each.
pub(super) fn contexts(world: &World<'_>) -> Vec<(u32, u32)> {
    let comms = world.comms();
    let size = world.size("MPIR_Comm").unwrap_or(0);
    let widths = [2, 4].into_iter().flat_map(|width: u32| {
        let fits = offsets(size, width as usize, |at| contexts_fit(&comms, at, width as usize));
        fits.into_iter().map(move |at| (at, width))
    });
    widths.collect()
}

/// What all members of a communicator agree on: an id, and a different one in each communicator.
fn contexts_fit(comms: &[Sample<'_, Comm>], at: usize, width: usize) -> bool {
    let ids = |comm: &Sample<'_, Comm>| {
        Some((comm.unsigned(at, width)?, comm.unsigned(at + width, width)?))
    };
    comms.iter().enumerate().all(|(number, one)| {
        let Some((sent, received)) = ids(one) else { return false };
        let alone = received != 0
            && received & OF_LIBRARY == 0
            && (one.what.kind == CommKind::Inter || sent == received);
        let others = &comms[number + 1..];
        alone
            && others.iter().all(|other| {
                let Some((its_sent, its_received)) = ids(other) else { return false };
                if one.process == other.process {
                    return received != its_received;
                }
                match (one.what.name == other.what.name, one.what.kind, other.what.kind) {
                    (true, CommKind::Intra, CommKind::Intra) => received == its_received,
                    (true, CommKind::Inter, _) if one.what.members == other.what.members => {
                        (sent, received) == (its_sent, its_received)
                    }
                    (true, CommKind::Inter, _) => (sent, received) == (its_received, its_sent),
                    _ => true,
                }
            })
    })
}

/// Where a communicator has the id of the messages that it receives, and the id's bytes.
pub(super) type Context = (usize, usize);

/// The places of a field of a request. None: no value tells.
pub(super) fn request(
    world: &World<'_>,
    (sent, received): (Context, Context),
    field: &str,
) -> Option<Vec<u32>> {
    let own = |field: &str| field.starts_with("dev.ch4.self.");
    let values = match field {
        _ if own(field) => world.operations(&[Kind::OwnReceive, Kind::OwnSend]),
        "status.count_lo" | "status.MPI_SOURCE" | "status.MPI_TAG" => {
            world.operations(&[Kind::Received])
        }
        _ => world.operations(&[Kind::Receive]),
    };
    let int = |value: fn(&Operation) -> i64| {
        all(&values, 4, |one, at| Some(one.int(at)? == value(one.what)))
    };
    let context = |(place, width): Context| {
        all(&values, 4, |one, at| {
            let id = world.comm_of(one)?.unsigned(place, width)?;
            Some(one.unsigned(at, width)? == id)
        })
    };
    Some(match field.rsplit_once("dev.ch4.").map_or(field, |(_, field)| field) {
        "kind" => kind(world),
        "cc" => counter(world),
        "comm" => communicator_of(world),
        "status.count_lo" => int(Operation::bytes),
        "status.MPI_SOURCE" | "am.u.recv.source" => int(|operation| operation.peer),
        "status.MPI_TAG" | "am.u.recv.tag" | "self.tag" => int(|operation| operation.tag),
        "am.count" | "self.count" => {
            all(&values, 8, |one, at| Some(one.unsigned(at, 8)?.cast_signed() == one.what.count))
        }
        "am.datatype" | "self.datatype" => all(&values, 4, |one, at| {
            let handle = one.unsigned(at, 4)?;
            let size = handle >> SIZE_SHIFT & 0xff;
            let is_it = size == one.what.bytes_each.unsigned_abs();
            Some(handle >> 24 == BUILTIN_DATATYPE && is_it)
        }),
        "am.buffer" | "self.buf" => {
            all(&values, 8, |one, at| Some(one.pointer(at)? == one.what.buffer))
        }
        "am.u.recv.context_id" => context(received),
        "self.context_id" => context(sent),
        "dev.anysrc_partner" => partner(world).filter(|places| !places.is_empty())?,
        "next" => after_each_other(world, &values, |one, _| Some(one.object.address)),
        _ => return None,
    })
}

fn kind(world: &World<'_>) -> Vec<u32> {
    use Kind::{OwnReceive, OwnSend, Persistent, Received, Send};
    let kinds = [Kind::Receive, Received, OwnReceive, Send, OwnSend, Persistent];
    all(&world.operations(&kinds), 4, |one, at| {
        let kind = one.int(at)?;
        Some(match one.what.kind {
            Send | OwnSend => kind == SEND,
            Persistent => !matches!(kind, SEND | RECEIVE) && kind >= 0,
            _ => kind == RECEIVE,
        })
    })
}

/// The counter of a request is 0 once it is complete.
fn counter(world: &World<'_>) -> Vec<u32> {
    let kinds = [Kind::Receive, Kind::Received, Kind::OwnReceive, Kind::Send];
    all(&world.operations(&kinds), 4, |one, at| {
        let counter = one.int(at)?;
        Some(if one.what.kind == Kind::Received { counter == 0 } else { counter > 0 })
    })
}

fn communicator_of(world: &World<'_>) -> Vec<u32> {
    let kinds = [Kind::Receive, Kind::OwnReceive, Kind::Send, Kind::OwnSend];
    all(&world.operations(&kinds), 8, |one, at| {
        Some(one.pointer(at)? == world.comm_of(one)?.object.address)
    })
}

/// A receive from any source has a second request, posted for the network. They name each other.
fn partner(world: &World<'_>) -> Option<Vec<u32>> {
    let any: Vec<_> = world
        .operations(&[Kind::Receive])
        .into_iter()
        .filter(|one| one.what.peer == world.processes[one.process].process.known.any_source)
        .collect();
    Some(all(&any, 8, |one, at| {
        let found = &world.processes[one.process];
        let other = found.requests.at(one.pointer(at)?)?;
        let back = found.process.target.arch().unsigned(other.bytes.get(at..at + 8)?);
        let handle = found.process.target.arch().unsigned(other.bytes.get(..4)?);
        let is_the_programs =
            found.process.known.operations.iter().any(|operation| operation.request == handle);
        Some(back == one.object.address && !is_the_programs)
    }))
}

/// Pairs that follow one another on the same communicator.
fn pairs<'s, 'w>(
    samples: &'s [Sample<'w, Operation>],
) -> impl Iterator<Item = (&'s Sample<'w, Operation>, &'s Sample<'w, Operation>)> {
    samples
        .windows(2)
        .map(|pair| (&pair[0], &pair[1]))
        .filter(|(one, other)| one.process == other.process && one.what.comm == other.what.comm)
}

/// The places at which each request has what `name` says of the one after it.
fn after_each_other(
    world: &World<'_>,
    samples: &[Sample<'_, Operation>],
    name: impl Fn(&Sample<'_, Operation>, &World<'_>) -> Option<u64>,
) -> Vec<u32> {
    let pairs: Vec<_> = pairs(samples).collect();
    let holds = |at: usize| {
        pairs.iter().all(|(one, other)| {
            let named = name(other, world).filter(|named| *named != 0);
            named.is_some() && one.pointer(at) == named
        })
    };
    if pairs.is_empty() {
        return Vec::new();
    }
    offsets(world.size("MPIR_Request").unwrap_or(0), 8, holds)
}

/// How the posted receives of Intel MPI are linked: the places of a pointer to a part of a request,
/// of the same pointer of the request before it, and of that of the request after it.
pub(super) fn links(world: &World<'_>) -> Vec<[u32; 3]> {
    let samples = world.operations(&[Kind::Receive]);
    let pairs: Vec<_> = pairs(&samples).collect();
    let size = world.size("MPIR_Request").unwrap_or(0);
    let parts = offsets(size, 8, |at| {
        !pairs.is_empty()
            && pairs.iter().all(|(one, other)| {
                let (first, second) = (one.pointer(at), other.pointer(at));
                first != second && [first, second].iter().all(|p| p.is_some_and(|p| p != 0))
            })
    });
    let mut found = Vec::new();
    for part in parts {
        let part_of = |one: &Sample<'_, Operation>| one.pointer(part as usize);
        let nexts = offsets(size, 8, |at| {
            pairs.iter().all(|(one, other)| one.pointer(at) == part_of(other))
        });
        let befores = offsets(size, 8, |at| {
            pairs.iter().all(|(one, other)| other.pointer(at) == part_of(one))
        });
        for next in nexts.iter().filter(|next| **next != part) {
            found.extend(befores.iter().map(|before| [part, *before, *next]));
        }
    }
    found
}

/// The places at which messages whose senders wait for the receiver have the sender's request.
pub(super) fn sender(world: &World<'_>, messages: &[Sample<'_, Operation>]) -> Vec<u32> {
    let held: Vec<_> = held(world, messages);
    let Some((first, _)) = held.first() else { return Vec::new() };
    offsets(first.object.bytes.len() as u64, 8, |at| {
        held.iter().all(|(one, sender)| one.pointer(at) == Some(*sender))
    })
}

/// Messages whose senders wait, with the requests of these.
fn held<'s, 'w>(
    world: &World<'_>,
    messages: &'s [Sample<'w, Operation>],
) -> Vec<(&'s Sample<'w, Operation>, u64)> {
    messages.iter().filter_map(|one| Some((one, world.sender(one)?))).collect()
}

/// The places of a pointer to another structure of this size in a request, with the places in that
/// structure at which it has what `value` says.
pub(super) fn through<'s>(
    samples: impl Iterator<Item = (&'s Sample<'s, Operation>, u64)> + Clone,
    size: usize,
) -> Vec<[u32; 2]> {
    let Some((first, _)) = samples.clone().next() else { return Vec::new() };
    let mut found = Vec::new();
    for at in offsets(first.object.bytes.len() as u64, 8, |_| true) {
        let Some(bytes) = read_all(samples.clone(), at as usize, size) else { continue };
        for place in (0..size.saturating_sub(7)).step_by(8) {
            let holds = bytes.iter().all(|(bytes, value)| {
                bytes.get(place..place + 8) == Some(value.to_le_bytes().as_slice())
            });
            if holds {
                found.push([at, u32::try_from(place).unwrap_or(u32::MAX)]);
            }
        }
    }
    found
}

fn read_all<'s>(
    samples: impl Iterator<Item = (&'s Sample<'s, Operation>, u64)>,
    at: usize,
    size: usize,
) -> Option<Vec<(Vec<u8>, u64)>> {
    samples.map(|(one, value)| Some((one.read(one.pointer(at)?, size)?, value))).collect()
}

/// The same for messages and the requests of their senders.
pub(super) fn sender_through(
    world: &World<'_>,
    messages: &[Sample<'_, Operation>],
    size: usize,
) -> Vec<[u32; 2]> {
    through(held(world, messages).into_iter(), size)
}

/// The same for messages and their own requests.
pub(super) fn back(messages: &[Sample<'_, Operation>], size: usize) -> Vec<[u32; 2]> {
    through(messages.iter().map(|one| (one, one.object.address)), size)
}

/// The places at which the separate structure of a message names that of the next message on the
/// same communicator.
pub(super) fn next_message(messages: &[Sample<'_, Operation>], at: usize, size: usize) -> Vec<u32> {
    let pairs: Vec<_> = pairs(messages).collect();
    let holds = |place: usize| {
        pairs.iter().all(|(one, other)| {
            let element = one.pointer(at).and_then(|element| one.read(element, size));
            let next = element.and_then(|bytes| {
                Some(u64::from_le_bytes(bytes.get(place..place + 8)?.try_into().ok()?))
            });
            next.is_some() && next == other.pointer(at)
        })
    };
    if pairs.is_empty() {
        return Vec::new();
    }
    let places = (0..size.saturating_sub(7)).step_by(8).filter(|place| holds(*place));
    places.filter_map(|place| u32::try_from(place).ok()).collect()
}

/// The places of the status in the separate structure of active messages: its bits say whether a
/// message is unexpected, and how it is sent.
pub(super) fn status(
    world: &World<'_>,
    messages: &[Sample<'_, Operation>],
    at: usize,
    size: usize,
) -> Vec<u32> {
    const UNEXPECTED: u64 = 1 << 2;
    const RENDEZVOUS: u64 = 1 << 7;
    const BITS: u64 = 1 << 12;
    const LONG: i64 = 1 << 20;
    let receives = world.operations(&[Kind::Receive]);
    let mut all: Vec<(Vec<u8>, Option<bool>)> = Vec::new();
    for (one, is_message) in
        receives.iter().map(|one| (one, false)).chain(messages.iter().map(|one| (one, true)))
    {
        let bytes = one.pointer(at).and_then(|extension| one.read(extension, size));
        let Some(bytes) = bytes else { return Vec::new() };
        all.push((bytes, is_message.then(|| one.what.bytes() >= LONG)));
    }
    let holds = |place: usize| {
        all.iter().all(|(bytes, message)| {
            let Some(bytes) = bytes.get(place..place + 8) else { return false };
            let status = bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
            let is = |bit| status & bit != 0;
            status < BITS
                && is(UNEXPECTED) == message.is_some()
                && message.is_none_or(|is_long| is(RENDEZVOUS) == is_long)
        })
    };
    let places = (0..size.saturating_sub(7)).step_by(8).filter(|place| holds(*place));
    places.filter_map(|place| u32::try_from(place).ok()).collect()
}

/// Whether a request is that of a message.
pub(super) fn is_message(
    message: &Sample<'_, Operation>,
    [kind, counter, source, tag]: [usize; 4],
) -> bool {
    message.int(kind) == Some(RECEIVE)
        && message.int(counter).is_some_and(|counter| counter > 0)
        && message.int(source) == Some(message.what.peer)
        && message.int(tag) == Some(message.what.tag)
}
