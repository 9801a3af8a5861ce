//! Snapshots of synthetic jobs. They can be larger than any job that fits on a machine, and it is
//! known whether they are deadlocked.
//!
//! The ranks exchange halos in a ring on the communicator `halo`. Each has sent its right neighbour
//! messages that this has not received. Each has posted receives for messages that its neighbours
//! have not sent. A rank that waits for all of its operations waits for both neighbours. In a ring
//! that can go on, a rank waits only for the messages of its left neighbour, because two ranks that
//! wait for each other never go on. The entries have reports only, no memory of processes.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::BufWriter;
use std::ops::Range;
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context, Result, ensure};
use mqd_host::fanout;
use mqd_host::snapshot::{Entry, Head, Writer};
use mqd_report::{
    Activity, Address, Collective, Communicator, Extent, Group, Operation, Process, Report, Status,
    Traffic,
};

/// The number of earlier messages, sent and received, from each rank to each neighbour.
const DONE: i64 = 1000;

/// Which ranks are deadlocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deadlock {
    /// Every rank waits for its neighbours, and no message is on its way.
    All,
    /// The first ranks (`--cycle`) wait for each other; the others are a ring of their own, which
    /// goes on when its last rank does.
    Some,
    /// The last rank computes; each other waits for its left neighbour.
    None,
    /// Every rank waits, and what it waits for is on its way.
    InFlight,
}

/// A synthetic job.
#[derive(Clone, Copy, Debug)]
pub struct SyntheticJob {
    /// Its ranks.
    pub ranks: i64,
    /// Operations of each rank.
    pub operations: i64,
    /// Which ranks are deadlocked.
    pub deadlock: Deadlock,
    /// The number of ranks in the cycle, if only some are deadlocked.
    pub cycle: i64,
}

/// The neighbours that a rank waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Awaits {
    /// It computes.
    Nobody,
    Left,
    Both,
}

/// Writes a snapshot. Returns its size in bytes.
///
/// # Errors
///
/// When the numbers do not describe a job, or the file cannot be written.
pub fn write(job: &SyntheticJob, path: &Path) -> Result<u64> {
    let head = job.head()?;
    let file = File::create(path).with_context(|| path.display().to_string())?;
    let mut writer = Writer::new(BufWriter::new(file), &head, job.ranks.try_into()?)?;
    for entry in job.entries(0..job.ranks, &head) {
        writer.add(entry)?;
    }
    writer.finish()?;
    Ok(path.metadata()?.len())
}

/// Writes what the agents of this many nodes send: a file for each in a new directory. Returns the
/// sum of their sizes in bytes.
///
/// # Errors
///
/// When the numbers do not describe a job on so many nodes, or a file cannot be written.
pub fn write_nodes(job: &SyntheticJob, nodes: i64, directory: &Path) -> Result<u64> {
    ensure!((1..=job.ranks).contains(&nodes), "each node has at least one rank");
    let head = job.head()?;
    fs::create_dir(directory).with_context(|| directory.display().to_string())?;
    let mut bytes = 0;
    for node in 0..nodes {
        let path = directory.join(format!("node{node:06}.mqd"));
        let file = File::create(&path).with_context(|| path.display().to_string())?;
        let first =
            |node: i64| (i128::from(job.ranks) * i128::from(node) / i128::from(nodes)) as i64;
        let host = format!("node{node}");
        let entries = job.entries(first(node)..first(node + 1), &head).map(|mut entry| {
            entry.process.host = Some(host.as_str().into());
            entry
        });
        let entries: Vec<Entry> = entries.collect();
        fanout::write_answer(&mut BufWriter::new(file), &head, entries.into_iter(), &host)?;
        bytes += path.metadata()?.len();
    }
    Ok(bytes)
}

impl SyntheticJob {
    /// The head of its snapshots.
    fn head(&self) -> Result<Head> {
        ensure!(self.ranks > 0, "a job has at least one rank");
        ensure!(self.operations > 0, "ranks wait for at least one operation");
        if self.deadlock == Deadlock::Some {
            ensure!(0 < self.cycle && self.cycle < self.ranks, "--cycle is less than --ranks");
        }
        let captured = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_secs();
        Ok(Head { tool: Report::new(Vec::new()).tool, captured, redacted: false })
    }

    /// The entries of some ranks.
    fn entries(&self, ranks: Range<i64>, head: &Head) -> impl Iterator<Item = Entry> {
        let (captured, world) = (head.captured, Group::from_iter(0..self.ranks));
        ranks.map(move |rank| {
            Entry::report_only(captured, self.process(rank, &world), Extent::Complete)
        })
    }

    /// The ring that a rank belongs to.
    fn ring(&self, rank: i64) -> std::ops::Range<i64> {
        match self.deadlock {
            Deadlock::Some if rank < self.cycle => 0..self.cycle,
            Deadlock::Some => self.cycle..self.ranks,
            _ => 0..self.ranks,
        }
    }

    /// The ranks that a rank waits for.
    fn awaits(&self, rank: i64) -> Awaits {
        match self.deadlock {
            Deadlock::All | Deadlock::InFlight => Awaits::Both,
            Deadlock::Some if rank < self.cycle => Awaits::Both,
            Deadlock::Some | Deadlock::None if rank == self.ranks - 1 => Awaits::Nobody,
            Deadlock::Some | Deadlock::None => Awaits::Left,
        }
    }

    /// The neighbours of a rank in its ring, left and right.
    fn neighbours(&self, rank: i64) -> (i64, i64) {
        let ring = self.ring(rank);
        let size = ring.end - ring.start;
        let neighbour = |step: i64| ring.start + (rank - ring.start + step).rem_euclid(size);
        (neighbour(-1), neighbour(1))
    }

    /// The report of a rank. `all` is the group of all ranks.
    pub fn process(&self, rank: i64, all: &Group) -> Process {
        let halo = self.halo(rank, all);
        let pending = halo.pending_sends.iter().chain(&halo.pending_receives);
        let needed = pending.filter(|operation| operation.awaited == Some(true)).count();
        let waits = self.awaits(rank) != Awaits::Nobody;
        Process {
            rank: Some(rank),
            pid: u32::try_from(10_000 + rank).ok(),
            executable: Some("/home/user/solver/heat".into()),
            library: Some("/usr/lib/libmpi_abi.so.1".into()),
            dll_version: Some("synthetic".into()),
            activity: Some(Activity {
                function: waits.then(|| "MPI_Waitall".into()),
                needed: waits.then_some(needed as i64),
                concurrent: waits.then_some(false),
                ..Activity::NONE
            }),
            communicators: vec![world(rank, all), halo],
            ..Process::default()
        }
    }

    /// The communicator on which a rank exchanges halos.
    fn halo(&self, rank: i64, all: &Group) -> Communicator {
        let (left, right) = self.neighbours(rank);
        let sends = self.operations * 3 / 10;
        let receives = self.operations - 2 * sends;
        let awaits = self.awaits(rank);

        let mut halo = communicator("halo", 5, rank, all);
        for number in 0..sends {
            let tag = 100 + number;
            halo.pending_sends.push(Operation {
                awaited: Some(awaits == Awaits::Both),
                ..message(right, tag, "MPI_Issend, 1024 x MPI_DOUBLE")
            });
            let unexpected =
                Operation { system_buffer: true, ..message(left, tag, "send mode: synchronous") };
            halo.unexpected_messages.push(unexpected);
        }
        for number in 0..receives {
            let (from, awaited) = if number % 2 == 0 {
                (left, awaits != Awaits::Nobody)
            } else {
                (right, awaits == Awaits::Both)
            };
            halo.pending_receives.push(Operation {
                actual_local_rank: None,
                actual_global_rank: None,
                actual_tag: None,
                actual_length: None,
                awaited: Some(awaited),
                ..message(from, 200 + number / 2, "MPI_Irecv, 1024 x MPI_DOUBLE")
            });
        }
        halo.traffic = Some(self.traffic(rank, sends, receives));
        halo.collectives = Some(Vec::new());
        halo
    }

    /// The messages between a rank and its neighbours. Where messages are in flight, it has sent
    /// what its neighbours ask it for.
    fn traffic(&self, rank: i64, sends: i64, receives: i64) -> Vec<Traffic> {
        let (left, right) = self.neighbours(rank);
        let in_flight = |number: i64| if self.deadlock == Deadlock::InFlight { number } else { 0 };
        let mut traffic = BTreeMap::new();
        let mut count = |peer: i64, sent: i64, received: i64| {
            let known =
                traffic.entry(peer).or_insert(Traffic { local_rank: peer, sent: 0, received: 0 });
            known.sent += sent;
            known.received += received;
        };
        count(left, DONE + in_flight(receives / 2), DONE + sends);
        count(right, DONE + sends + in_flight(receives - receives / 2), DONE);
        traffic.into_values().collect()
    }
}

/// `MPI_COMM_WORLD`, whose collective operations are complete.
fn world(rank: i64, all: &Group) -> Communicator {
    let collective = |function: &str, calls| Collective {
        function: function.into(),
        calls: Some(calls),
        active: false,
    };
    let mut world = communicator("MPI_COMM_WORLD", 0, rank, all);
    world.traffic = Some(Vec::new());
    world.collectives = Some(vec![collective("MPI_Barrier", 2), collective("MPI_Allreduce", DONE)]);
    world
}

fn communicator(name: &str, unique_id: u64, rank: i64, all: &Group) -> Communicator {
    Communicator {
        unique_id: Address(unique_id),
        name: name.into(),
        size: all.len(),
        local_rank: rank,
        group: Some(all.clone()),
        parent: None,
        remote_group: None,
        pending_sends: Vec::new(),
        pending_receives: Vec::new(),
        unexpected_messages: Vec::new(),
        collectives: None,
        traffic: None,
        not_known: Vec::new(),
    }
}

/// A message to or from a process that has the same rank in the communicator as in
/// `MPI_COMM_WORLD`.
fn message(peer: i64, tag: i64, what: &str) -> Operation {
    Operation {
        status: Status::Pending,
        desired_local_rank: peer,
        desired_global_rank: Some(peer),
        tag_wild: false,
        desired_tag: Some(tag),
        desired_length: 8192,
        system_buffer: false,
        buffer: Address(0x7f00_0000_0000 + 0x2000 * tag.unsigned_abs()),
        actual_local_rank: Some(peer),
        actual_global_rank: Some(peer),
        actual_tag: Some(tag),
        actual_length: Some(8192),
        awaited: None,
        extra_text: [what, "protocol: rendezvous"].into_iter().collect(),
    }
}
