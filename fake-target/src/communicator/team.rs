//! Processes that do something together, and their collective operations on bytes and numbers.

use std::ffi::c_int;

use bytemuck::Pod;

use super::object::Communicator;
use super::variables::{BARRIER_ALGORITHM, BROADCAST_ALGORITHM};
use crate::engine::internal::{Partner, Transfers, send_to_each};
use crate::engine::payload::Payload;
use crate::error::Result;

/// Tags of the runtime's own messages.
pub(crate) mod tag {
    use std::ffi::c_int;

    // Kinds of messages of blocking collective operations. Each call has tags of its own for them:
    // see `super::call`.
    pub(crate) const BARRIER: c_int = 1;
    pub(crate) const BROADCAST: c_int = 2;
    pub(crate) const GATHER: c_int = 3;
    pub(crate) const SCATTER: c_int = 4;
    pub(crate) const ALLGATHER: c_int = 5;
    pub(crate) const ALLTOALL: c_int = 6;
    pub(crate) const REDUCE: c_int = 7;
    pub(crate) const SCAN: c_int = 8;
    /// One for itself: if another process calls `MPI_Reduce` instead, both have to wait.
    pub(crate) const ALLREDUCE: c_int = 9;
    pub(crate) const REDUCE_SCATTER: c_int = 10;

    /// The first tag that no blocking collective operation has.
    pub(crate) const OTHERS: c_int = (1 << 27) - 16;
    /// Making communicators by all members of another one.
    pub(crate) const CREATE: c_int = OTHERS;
    /// What the processes of a file agree on.
    pub(crate) const FILE: c_int = OTHERS + 1;
    /// Generalised requests, which have no messages.
    pub(crate) const GENERALIZED: c_int = OTHERS + 2;
    /// The first of the tags of `MPI_Comm_create_group`: the program's tag is added.
    pub(crate) const CREATE_GROUP: c_int = 1 << 28;
    /// The first of the tags of `MPI_Intercomm_create`: the program's tag is added.
    pub(crate) const INTERCOMM_CREATE: c_int = 2 << 28;
    /// The first of the tags of nonblocking and persistent collective operations: see
    /// `super::call`.
    pub(crate) const SCHEDULE: c_int = 3 << 28;
    /// The first of the tags of partitions: see `Communicator::partition_tags`.
    pub(crate) const PARTITIONS: c_int = 1 << 27;
    /// Tags of offers of partitioned sends whose tags are the largest. Other offers have negative
    /// tags.
    pub(crate) const OFFER: c_int = OTHERS + 3;
}

/// Processes of one group of a communicator, from the view of one of them. The members have ranks
/// of their own, `0..size`.
pub(crate) struct Team {
    communicator: &'static Communicator,
    /// The members' ranks in the group; none: all of the group.
    members: Option<Vec<c_int>>,
    rank: c_int,
    tag: c_int,
}

impl Team {
    /// All processes of this process's group. `tag` says what for.
    pub(crate) fn local(communicator: &'static Communicator, tag: c_int) -> Team {
        Team { communicator, members: None, rank: communicator.rank(), tag }
    }

    /// Some processes of this process's group, by their ranks in it; this one must be among them.
    pub(crate) fn of(communicator: &'static Communicator, members: Vec<c_int>, tag: c_int) -> Team {
        let own = communicator.rank();
        let rank =
            members.iter().position(|&member| member == own).expect("a member asks") as c_int;
        let all = Team::local(communicator, tag);
        Team { members: Some(members), rank, ..all }
    }

    /// This process's rank.
    pub(crate) fn rank(&self) -> c_int {
        self.rank
    }

    /// The number of members.
    pub(crate) fn size(&self) -> c_int {
        self.members.as_ref().map_or(self.communicator.size(), |members| members.len() as c_int)
    }

    /// The tag of its messages.
    pub(crate) fn tag(&self) -> c_int {
        self.tag
    }

    /// The member of that rank.
    pub(crate) fn partner(&self, rank: c_int) -> Partner {
        let rank = self.members.as_ref().map_or(rank, |members| members[rank as usize]);
        self.communicator.mate(rank)
    }

    /// Waits until all members have come.
    pub(crate) fn barrier(&self) -> Result {
        self.barrier_around(|| ())
    }

    /// The same. This member does some work of its own, while the messages of the others
    /// are on their way. Each round doubles the number of members that know of each other, or
    /// quadruples it if each tells three others. Few rounds mean few waits, which matters if ranks
    /// share processors.
    pub(crate) fn barrier_around<R>(&self, work: impl FnOnce() -> R) -> Result<R> {
        let radix = match BARRIER_ALGORITHM.get() {
            0 => 2,
            1 => {
                let result = work();
                return self.central_barrier().map(|()| result);
            }
            _ => 4,
        };
        let result = self.barrier_round(1, radix, work)?;
        let mut distance = radix;
        while distance < self.size() {
            self.barrier_round(distance, radix, || ())?;
            distance *= radix;
        }
        Ok(result)
    }

    /// Tells the members at multiples of a distance, works, and waits for those that tell this one.
    fn barrier_round<R>(
        &self,
        distance: c_int,
        radix: c_int,
        work: impl FnOnce() -> R,
    ) -> Result<R> {
        let size = self.size();
        let steps = || (1..radix).map(|step| step * distance).filter(|step| *step < size);
        let mut transfers = Transfers::default();
        for step in steps() {
            transfers.add(self.partner((self.rank + step) % size).isend(self.tag, &[]));
        }
        let result = work();
        for step in steps() {
            self.partner((self.rank + size - step) % size).recv(self.tag, &mut [])?;
        }
        transfers.wait()?;
        Ok(result)
    }

    /// The same by another algorithm: all tell the first member, which tells all.
    fn central_barrier(&self) -> Result {
        if self.rank > 0 {
            self.partner(0).send(self.tag, &[])?;
            return self.partner(0).recv(self.tag, &mut []);
        }
        (1..self.size()).try_for_each(|rank| self.partner(rank).recv(self.tag, &mut []))?;
        (1..self.size()).try_for_each(|rank| self.partner(rank).send(self.tag, &[]))
    }

    /// The root's part in a broadcast.
    pub(crate) fn broadcast_from(&self, bytes: &[u8]) -> Result {
        self.pass_on(self.rank, bytes)
    }

    /// The other members' part in a broadcast.
    pub(crate) fn broadcast_into(&self, root: c_int, bytes: &mut [u8]) -> Result {
        let distance = self.distance(root);
        let parent = match broadcast_algorithm(self.size()) {
            1 => 0,
            2 => distance - 1,
            _ => distance & (distance - 1),
        };
        let received = self.partner((parent + root) % self.size()).recv(self.tag, bytes);
        // Others rely on it, whatever has been received.
        received.and(self.pass_on(root, bytes))
    }

    /// Either part.
    pub(crate) fn broadcast<N: Pod>(&self, root: c_int, numbers: &mut [N]) -> Result {
        let bytes = bytemuck::cast_slice_mut(numbers);
        if self.rank == root {
            self.broadcast_from(bytes)
        } else {
            self.broadcast_into(root, bytes)
        }
    }

    /// A member's number in the order that has the root first.
    fn distance(&self, root: c_int) -> c_int {
        let distance = self.rank - root;
        if distance < 0 { distance + self.size() } else { distance }
    }

    /// Sends to this member's children in a broadcast.
    #[inline(always)]
    fn pass_on(&self, root: c_int, bytes: &[u8]) -> Result {
        let (distance, size) = (self.distance(root), self.size());
        match broadcast_algorithm(size) {
            1 if distance > 0 => Ok(()),
            1 => self.send_each(root, 1..size, bytes),
            2 => self.send_each(root, distance + 1..size.min(distance + 2), bytes),
            _ => self.send_each(root, binomial_children(distance, size).into_iter(), bytes),
        }
    }

    /// Sends to members, given by their numbers in the order that has the root first.
    #[inline(always)]
    fn send_each(
        &self,
        root: c_int,
        numbers: impl ExactSizeIterator<Item = c_int> + Clone,
        bytes: &[u8],
    ) -> Result {
        let partners = numbers.map(|number| {
            let place = number + root;
            self.partner(if place < self.size() { place } else { place - self.size() })
        });
        if bytes.len() > SHORT {
            let data = Payload::bytes(bytes.as_ptr().cast_mut(), bytes.len());
            return send_to_each(partners, self.tag, data).wait();
        }
        let mut transfers = Transfers::default();
        for partner in partners {
            transfers.add(partner.isend(self.tag, bytes));
        }
        transfers.wait()
    }

    /// Every member contributes as many numbers. All members get the numbers of all, in the order
    /// of the ranks.
    pub(crate) fn allgather<N: Pod>(&self, own: &[N]) -> Result<Vec<N>> {
        let (rank, size) = (self.rank, self.size());
        // The numbers of this member and of those after it. Each round doubles how many are known.
        let mut known = own.to_vec();
        let mut distance = 1;
        while distance < size {
            let count = distance.min(size - distance) as usize * own.len();
            let before = self.partner((rank + size - distance) % size);
            let mut news = vec![N::zeroed(); count];
            let sent = before.isend(self.tag, bytemuck::cast_slice(&known[..count]));
            self.partner((rank + distance) % size)
                .recv(self.tag, bytemuck::cast_slice_mut(&mut news))?;
            sent.wait()?;
            known.extend(news);
            distance *= 2;
        }
        known.rotate_right(rank as usize * own.len());
        Ok(known)
    }
}

/// Data of up to this many bytes leave at once in most cases.
pub(crate) const SHORT: usize = 4 << 10;

/// Up to this number of processes, one process serves all others itself. A tree would have more
/// successive waits.
pub(crate) const FEW: c_int = 8;

/// The algorithm of a broadcast among this number of processes; never `automatic`.
fn broadcast_algorithm(size: c_int) -> i32 {
    match BROADCAST_ALGORITHM.get() {
        3 => (size <= FEW).into(),
        chosen => chosen,
    }
}

/// The children of a number in a binomial tree of `size` numbers: those that differ from it in one
/// bit below its lowest set bit. The one with the largest subtree is first.
pub(crate) fn binomial_children(number: c_int, size: c_int) -> Vec<c_int> {
    let lowest =
        if number == 0 { (size as u32).next_power_of_two() as c_int } else { number & -number };
    let bits =
        std::iter::successors(Some(lowest / 2), |bit| Some(bit / 2)).take_while(|bit| *bit > 0);
    bits.map(|bit| number + bit).filter(|child| *child < size).collect()
}
