//! Processes of other jobs that this one has met by a spawn, a connection or a common partner.
//!
//! A process that learns an address makes a peer of it ([`Engine::meet`]). The other process need
//! not do anything: what it sends before this one listens stays in its ring. This process listens
//! to it as long as some communicator has it.

use super::peer::Peer;
use super::state::Engine;
use crate::process;
use crate::transport::address::Address;
use crate::transport::segment::Segment;
use std::ffi::c_int;
use std::io;

impl Engine {
    /// The process with that number: a rank of the job, or a stranger.
    #[inline]
    pub(crate) fn peer(&'static self, number: usize) -> &'static Peer {
        match self.peers.get(number) {
            Some(peer) => peer,
            None => self.strangers.borrow()[number - self.peers.len()],
        }
    }

    /// The address of this process.
    pub(crate) fn own_address(&'static self) -> Address {
        self.address(self.rank)
    }

    /// The address of a process by its number; of this job's ranks once they have started MPI.
    pub(crate) fn address(&'static self, number: usize) -> Address {
        let peer = self.peer(number);
        peer.stranger.unwrap_or_else(|| Address {
            job: self.segment.job(),
            rank: number as u32,
            pid: self.segment.pid(number),
            descriptor: self.segment.descriptor(number),
            launcher: process::launcher(),
            number: self.number - self.rank as c_int + number as c_int,
        })
    }

    /// The number here of the process at an address.
    ///
    /// # Errors
    /// The memory of a stranger is not available: it has ended, or is on another machine.
    pub(crate) fn meet(&'static self, address: &Address) -> io::Result<usize> {
        if address.job == self.segment.job() {
            return Ok(address.rank as usize);
        }
        let known = |peer: &&Peer| peer.stranger.is_some_and(|known| known.key() == address.key());
        if let Some(peer) = self.strangers.borrow().iter().copied().find(known) {
            return Ok(peer.rank);
        }
        let home = self.job_of(address)?;
        let number = self.peers.len() + self.strangers.borrow().len();
        // SAFETY: it is not among the strangers yet.
        let peer = unsafe {
            Peer::of_another_job((self.segment, &self.own_address()), (home, address), number)?
        };
        self.largest_record.set(self.largest_record.get().min(peer.writer.max_data()));
        let known = address.launcher != 0 && address.launcher == process::launcher();
        process::note_stranger(if known { address.number } else { -1 });
        // A bound for the numbers of processes that debuggers may find in groups.
        let bound = (number as c_int + 1).max(if known { address.number + 1 } else { 0 });
        self.root.world_size.set(self.root.world_size.get().max(bound));
        self.strangers.borrow_mut().push(Box::leak(Box::new(peer)));
        Ok(number)
    }

    /// The segment of the job of a stranger.
    fn job_of(&'static self, address: &Address) -> io::Result<&'static Segment> {
        if let Some(segment) = self.other_jobs.borrow().get(&address.job) {
            return Ok(segment);
        }
        let segment: &'static Segment = Box::leak(Box::new(Segment::of_another_job(address)?));
        self.other_jobs.borrow_mut().insert(address.job, segment);
        Ok(segment)
    }

    /// A communicator has these processes, or, with `false`, is gone.
    pub(crate) fn hold(&'static self, processes: &[c_int], held: bool) {
        for &number in processes.iter().filter(|number| **number as usize >= self.peers.len()) {
            let uses = &self.peer(number as usize).uses;
            uses.set(if held { uses.get() + 1 } else { uses.get() - 1 });
            self.strangers_changed.set(true);
        }
    }

    /// Looks from now on at the rings of those strangers that communicators have.
    #[cold]
    pub(super) fn listen_to_strangers(&'static self) {
        let mut heard = self.heard.borrow_mut();
        heard.retain(|peer| peer.stranger.is_none());
        let strangers = self.strangers.borrow();
        heard.extend(strangers.iter().filter(|peer| peer.uses.get() > 0));
    }
}
