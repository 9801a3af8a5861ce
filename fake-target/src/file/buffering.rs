//! Collective buffering (MPI 5.0, section 14.2.8): processes that write many small pieces of a file
//! together exchange them first. Then a few of them, the aggregators, write large pieces.
//!
//! `MPI_File_set_view` decides whether it is tried: a view shows how small the pieces are. Then
//! each process tells the others where it writes (its [`Outline`]). Each aggregator gets a domain
//! of the file, and from each process the pieces in it. In the end all learn whether all has been
//! written. A longer access is done in several rounds.

use super::access::{FileAccess, FilePosition, Pieces};
use super::agreement::settle;
use super::object::File;
use crate::abi::*;
use crate::communicator::team::Team;
use crate::engine::internal::Transfers;
use crate::error::Result;

/// The hint by which a program forbids it.
pub(super) const HINT: &str = "collective_buffering";
/// Bytes of a process in a round.
const ROUND: MPI_Count = 4 << 20;
/// Pieces that are on average shorter than this are exchanged. A longer one takes the system less
/// time than its way to another process.
const SHORT: u64 = 512;
/// Bytes for which there is one aggregator.
const SHARE: u64 = 256 << 10;
/// Domains begin at multiples of this, if they do not begin with the first piece.
const BLOCK: MPI_Offset = 4 << 10;

/// All processes of the file decide whether they collect what they write: if the view of one has
/// small pieces, and no hint forbids it.
pub(super) fn is_wanted(file: &File) -> Result<bool> {
    let own = {
        let writes = file.amode & MPI_MODE_RDONLY == 0;
        let short = writes && (file.view().bytes_in_run() as u64) < SHORT;
        let forbids = file.state().hints.iter().any(|(key, value)| key == HINT && value == "false");
        [u8::from(short), forbids.into()]
    };
    let all = file.team().allgather(&own)?;
    let any = |which: usize| all.chunks_exact(2).any(|one| one[which] != 0);
    Ok(any(0) && !any(1) && file.team().size() > 1)
}

/// Writes the data of all processes, each of which calls this.
pub(super) fn write(
    file: &File,
    access: Result<FileAccess<'_>>,
    place: FilePosition,
) -> Result<MPI_Count> {
    let team = file.team();
    let begun = access.and_then(|access| Ok((access.begin(place)?, access)));
    let mut done = 0;
    loop {
        let pieces = match &begun {
            Ok((from, access)) => access.pieces(*from, done, ROUND),
            Err(_) => None,
        };
        let all = Outline::of_all(&team, pieces.as_ref())?;
        let domains = Domains::of(&all);
        // All have pieces if there are domains.
        let (Some(domains), Some(pieces), Ok((_, access))) = (domains, pieces, &begun) else {
            let (from, access) = begun?;
            return access.write_rest(from, done);
        };
        done += pieces.data.len() as MPI_Count;
        let written = exchange(&team, &domains, pieces).and_then(|(parcels, shipped)| {
            access.ships(shipped);
            let mut runs: Vec<_> = parcels.iter().flat_map(Parcel::located).collect();
            // Pieces of different processes that overlap may be written in any order.
            runs.sort_by_key(|(at, _)| *at);
            access.write_runs(&runs)
        });
        settle(&team, written, [0, 0])?;
        if all.iter().all(|outline| !outline.goes_on) {
            return Ok(access.written());
        }
    }
}

/// What a process tells the others before a round.
#[derive(Clone, Copy)]
struct Outline {
    /// Its data can be exchanged.
    can: bool,
    /// It has more data than those of this round.
    goes_on: bool,
    /// The first and the last place in the file, the latter exclusive.
    from: MPI_Offset,
    to: MPI_Offset,
    pieces: u64,
    bytes: u64,
}

impl Outline {
    const WORDS: usize = 5;

    fn of(pieces: Option<&Pieces<'_>>) -> Outline {
        let Some(Pieces { runs, data, goes_on }) = pieces else {
            return Outline { can: false, goes_on: false, from: 0, to: 0, pieces: 0, bytes: 0 };
        };
        let ends = runs.iter().map(|&(at, length)| at + length as MPI_Offset);
        Outline {
            can: true,
            goes_on: *goes_on,
            from: runs.iter().map(|(at, _)| *at).min().unwrap_or(0),
            to: ends.max().unwrap_or(0),
            pieces: runs.len() as u64,
            bytes: data.len() as u64,
        }
    }

    /// The outlines of all processes, in the order of their ranks.
    fn of_all(team: &Team, own: Option<&Pieces<'_>>) -> Result<Vec<Outline>> {
        let own = Outline::of(own);
        let flags = u64::from(own.can) | u64::from(own.goes_on) << 1;
        let (from, to) = (own.from.cast_unsigned(), own.to.cast_unsigned());
        let words: [u64; Self::WORDS] = [flags, from, to, own.pieces, own.bytes];
        let all = team.allgather(&words)?;
        let outlines = all.chunks_exact(Self::WORDS).map(|words| Outline {
            can: words[0] & 1 != 0,
            goes_on: words[0] & 2 != 0,
            from: words[1].cast_signed(),
            to: words[2].cast_signed(),
            pieces: words[3],
            bytes: words[4],
        });
        Ok(outlines.collect())
    }
}

/// The parts of the file that the aggregators write. The aggregators are the first processes.
#[derive(Clone, Copy)]
struct Domains {
    from: MPI_Offset,
    /// The size of each in bytes.
    each: MPI_Offset,
    count: i32,
}

impl Domains {
    /// The domains of a round, if it is worth it to exchange the data.
    fn of(all: &[Outline]) -> Option<Domains> {
        let sum = |of: fn(&Outline) -> u64| all.iter().map(of).sum::<u64>();
        let (pieces, bytes) = (sum(|one| one.pieces), sum(|one| one.bytes));
        let used = || all.iter().filter(|one| one.bytes > 0);
        let from = used().map(|one| one.from).min()?;
        let to = used().map(|one| one.to).max()?;
        let size = (to - from) as u64;
        // Pieces with gaps between them are written one by one, whoever does it.
        let is_dense = bytes >= size / 2;
        if !all.iter().all(|one| one.can) || !is_dense || bytes / pieces >= SHORT {
            return None;
        }
        let count = bytes.div_ceil(SHARE).min(all.len() as u64) as i32;
        let each = size.div_ceil(count as u64).next_multiple_of(BLOCK as u64) as MPI_Offset;
        Some(Domains { from, each, count })
    }

    /// The domain of a place in the file, and where it ends.
    fn at(&self, place: MPI_Offset) -> (usize, MPI_Offset) {
        let number = ((place - self.from) / self.each).min(MPI_Offset::from(self.count) - 1);
        (number as usize, self.from + (number + 1) * self.each)
    }
}

/// Pieces for one aggregator.
#[derive(Default)]
struct Parcel {
    runs: Vec<(MPI_Offset, usize)>,
    data: Vec<u8>,
}

impl Parcel {
    /// Its pieces, with their places in the file.
    fn located(&self) -> impl Iterator<Item = (MPI_Offset, &[u8])> {
        let mut rest = self.data.as_slice();
        self.runs.iter().map_while(move |&(at, length)| {
            let (now, later) = rest.split_at_checked(length)?;
            rest = later;
            Some((at, now))
        })
    }

    /// As a message: the places, then the data.
    fn message(self) -> Vec<u8> {
        let words = self.runs.iter().flat_map(|&(at, length)| [at.cast_unsigned(), length as u64]);
        let words: Vec<u64> = words.collect();
        [bytemuck::cast_slice(&words), &self.data].concat()
    }

    fn from_message(mut message: Vec<u8>, runs: usize) -> Parcel {
        let data = message.split_off(runs * 16);
        let words: Vec<u64> = bytemuck::pod_collect_to_vec(&message);
        let runs = words.chunks_exact(2).map(|run| (run[0].cast_signed(), run[1] as usize));
        Parcel { runs: runs.collect(), data }
    }
}

/// Divides a process's pieces among the aggregators.
fn divide(domains: &Domains, pieces: &Pieces<'_>) -> Vec<Parcel> {
    let mut parcels: Vec<Parcel> = (0..domains.count).map(|_| Parcel::default()).collect();
    let mut rest = pieces.data.as_ref();
    for &(mut at, mut length) in &pieces.runs {
        while length > 0 {
            let (domain, end) = domains.at(at);
            let here = length.min((end - at) as usize);
            let (now, later) = rest.split_at(here);
            parcels[domain].runs.push((at, here));
            parcels[domain].data.extend_from_slice(now);
            (rest, at, length) = (later, at + here as MPI_Offset, length - here);
        }
    }
    parcels
}

/// Sends this process's pieces to the aggregators. The result is what it has to write as one of
/// them, and the number of bytes that have gone to other processes or have come from them.
fn exchange(team: &Team, domains: &Domains, pieces: Pieces<'_>) -> Result<(Vec<Parcel>, usize)> {
    let own = team.rank();
    let mut parcels = divide(domains, &pieces);
    let mine = parcels.get_mut(own as usize).map(std::mem::take);
    let mut shipped: usize = parcels.iter().map(|parcel| parcel.data.len()).sum();
    let outgoing: Vec<_> = (0..domains.count)
        .zip(parcels)
        .filter(|(aggregator, _)| *aggregator != own)
        .map(|(aggregator, parcel)| {
            let runs = parcel.runs.len() as u64;
            let message = parcel.message();
            (aggregator, [runs, message.len() as u64], message)
        })
        .collect();
    let mut sent = Transfers::default();
    for (aggregator, head, message) in &outgoing {
        let partner = team.partner(*aggregator);
        sent.add(partner.isend(team.tag(), bytemuck::bytes_of(head)));
        if !message.is_empty() {
            sent.add(partner.isend(team.tag(), message));
        }
    }
    let mut received = Vec::new();
    if let Some(mine) = mine {
        received.push(mine);
        for rank in (0..team.size()).filter(|rank| *rank != own) {
            let parcel = receive(team, rank)?;
            shipped += parcel.data.len();
            received.push(parcel);
        }
    }
    sent.wait()?;
    Ok((received, shipped))
}

/// Receives the pieces of another process.
fn receive(team: &Team, rank: i32) -> Result<Parcel> {
    let partner = team.partner(rank);
    let mut head = [0u64; 2];
    partner.recv(team.tag(), bytemuck::bytes_of_mut(&mut head))?;
    let [runs, bytes] = head;
    let mut message = vec![0; bytes as usize];
    if bytes > 0 {
        partner.recv(team.tag(), &mut message)?;
    }
    Ok(Parcel::from_message(message, runs as usize))
}
