//! Unexpected messages, and what ob1 keeps of each peer of a communicator.

use super::layout::{self, header};
use super::library::MAX_PROCESSES;
use super::objects::{ClassCheck, ListWalk, check_class, read_record};
use super::pass::{Keeps, Ob1Peer, Pass, Placed, impossible, narrow, size};
use crate::alloc::push;
use crate::error::{Error, Result};
use crate::layout::{Record, Structure};
use crate::queues::{Message, Operation, Traffic};
use mqs_abi::notes;

/// A fragment on a list: its message, and its links.
struct Fragment {
    next: u64,
    range: u64,
    sequence: u64,
    /// The place of the communicator, as the sender has written it.
    context: u64,
    /// None: the library's own.
    operation: Option<Operation>,
}

impl Pass<'_, '_> {
    /// Reads ob1's part of a communicator and its peers.
    pub(super) fn pml_communicator(&mut self, index: usize) -> Result<()> {
        let pml = self.found[index].pml;
        // A communicator that is being made or freed has none.
        if pml == 0 {
            return Ok(());
        }
        let here = |error: Error| error.within(layout::PmlCommunicator::NAME, pml);
        let fields = self.layout.pml_communicator;
        let bytes = read_record(self.memory, pml, fields.bytes()).map_err(here)?;
        let record = Record { bytes: &bytes, target: self.memory.target };
        self.found[index].receive_sequence = record.get(fields.recv_sequence).map_err(here)?;
        self.found[index].last_probed = record.get(fields.last_probed).map_err(here)?;
        let (count, peers) =
            (record.get(fields.num_procs).map_err(here)?, record.get(fields.procs).map_err(here)?);
        if count > MAX_PROCESSES as u64 {
            return Err(here(impossible("num_procs")));
        }
        let pointer = self.memory.target.pointer;
        let peers = read_record(self.memory, peers, count as usize * pointer).map_err(here)?;
        for (rank, entry) in peers.chunks_exact(pointer).enumerate() {
            let address = self.memory.target.unsigned(entry);
            if address != 0 {
                let result = self.pml_peer(index, rank as u64, address);
                let result = result.map_err(|error| error.within(layout::PmlPeer::NAME, address));
                self.found[index].counted &= result.is_ok();
                self.keep(result)?;
            }
        }
        Ok(())
    }

    fn pml_peer(&mut self, index: usize, rank: u64, address: u64) -> Result<()> {
        self.step(address)?;
        let fields = self.layout.pml_peer;
        let bytes = read_record(self.memory, address, fields.bytes())?;
        let record = Record { bytes: &bytes, target: self.memory.target };
        let list = |field| ListWalk::new(self.layout, record.inner(field)?, field.address(address));
        let peer = Ob1Peer {
            rank,
            address,
            send_sequence: record.get(fields.send_sequence)?.cast_unsigned(),
            expected_sequence: record.get(fields.expected_sequence)?,
            receives: Some(list(fields.specific_receives)?),
            messages: Some(list(fields.unexpected_frags)?),
            early: record.get(fields.frags_cant_match)?,
        };
        push(&mut self.found[index].peers, peer)
    }

    /// Reads the unexpected messages of a communicator.
    ///
    /// Their order is that in which receives from any source take them: round robin over the ranks,
    /// beginning after the rank from which the last such receive took one.
    pub(super) fn messages(&mut self, index: usize) -> Result<()> {
        let after = self.found[index].last_probed;
        let mut traffic = Vec::new();
        for peer in 0..self.found[index].peers.len() {
            let turn =
                (self.found[index].peers[peer].rank <= after, self.found[index].peers[peer].rank);
            let turn = u64::from(turn.0) << 32 | turn.1;
            let mut round = 0;
            if let Some(walk) = self.found[index].peers[peer].messages.take() {
                let result = self.in_order(index, walk, turn, &mut round);
                self.keep(result)?;
            }
            let early = self.out_of_order(index, peer, turn, &mut round);
            self.found[index].counted &= early.is_ok();
            let Ob1Peer { rank, send_sequence, expected_sequence, .. } =
                self.found[index].peers[peer];
            // Messages carry numbers of 16 bits, from 1 on. Messages that came early have arrived,
            // but the expected number does not include them.
            let sent = send_sequence as u16;
            let number = *early.as_ref().unwrap_or(&0) as u16;
            let received = (expected_sequence as u16).wrapping_sub(1).wrapping_add(number);
            self.keep(early.map(drop))?;
            if (sent, received) != (0, 0) {
                push(
                    &mut traffic,
                    Traffic { peer: rank as i64, sent: sent.into(), received: received.into() },
                )?;
            }
        }
        if self.found[index].pml != 0 && self.found[index].counted {
            self.snapshot.communicators[index].traffic = Some(traffic);
        }
        Ok(())
    }

    fn in_order(
        &mut self,
        index: usize,
        mut walk: ListWalk,
        turn: u64,
        round: &mut u64,
    ) -> Result<()> {
        while let Some(address) =
            walk.element().map_err(|error| error.within(layout::List::NAME, 0))?
        {
            let fragment = self.fragment(index, address, "");
            let fragment =
                fragment.map_err(|error| error.within(layout::Fragment::NAME, address))?;
            walk.advance(fragment.next);
            self.place(index, fragment.operation, turn, round)?;
        }
        Ok(())
    }

    /// Messages that came before an earlier one. They are a ring, and each element may have a ring
    /// of its own. The result is their number.
    ///
    /// While a process makes a communicator, its place belongs to the communicator that it is made
    /// from. If the members do different things, a message of the new communicator may come at this
    /// time. Ob1 keeps it here with a number that does not belong to this communicator. It is not
    /// shown and not counted: no receive here gets it.
    fn out_of_order(
        &mut self,
        index: usize,
        peer: usize,
        turn: u64,
        round: &mut u64,
    ) -> Result<usize> {
        let Ob1Peer { early, expected_sequence, .. } = self.found[index].peers[peer];
        if early == 0 {
            return Ok(0);
        }
        let mut fragments = Vec::new();
        let read = self.ring(index, early, true, &mut fragments);
        if self.layout.communicator.is_named_by_index() {
            let own = self.found[index].place;
            fragments.retain(|fragment| fragment.context == own);
        }
        fragments.sort_unstable_by_key(|fragment: &Fragment| {
            (fragment.sequence.wrapping_sub(expected_sequence)) as u16
        });
        let count = fragments.len();
        for fragment in fragments {
            self.place(index, fragment.operation, turn, round)?;
        }
        read.map(|()| count)
    }

    fn ring(
        &mut self,
        index: usize,
        first: u64,
        with_ranges: bool,
        fragments: &mut Vec<Fragment>,
    ) -> Result<()> {
        let mut address = first;
        loop {
            let fragment = self.fragment(
                index,
                address,
                "came early: an earlier message of its sender is missing",
            );
            let fragment =
                fragment.map_err(|error| error.within(layout::Fragment::NAME, address))?;
            let (next, range) = (fragment.next, fragment.range);
            push(fragments, fragment)?;
            if with_ranges && range != 0 {
                self.ring(index, range, false, fragments)?;
            }
            if next == first {
                return Ok(());
            }
            address = next;
        }
    }

    fn place(
        &mut self,
        index: usize,
        operation: Option<Operation>,
        turn: u64,
        round: &mut u64,
    ) -> Result<()> {
        let Some(operation) = operation else { return Ok(()) };
        let place = (*round, turn);
        *round += 1;
        push(&mut self.found[index].unexpected, Placed { place, operation })
    }

    fn fragment(&mut self, index: usize, address: u64, note: &'static str) -> Result<Fragment> {
        self.step(address)?;
        let layout = self.layout;
        let bytes = read_record(self.memory, address, layout.fragment.bytes())?;
        let record = Record { bytes: &bytes, target: self.memory.target };
        self.check_fragment_class(record.get(layout.object.obj_class)?)?;
        let wire = record.inner(layout.fragment.hdr)?;
        let (sequence, tag) =
            (wire.get(layout.match_header.hdr_seq)?, wire.get(layout.match_header.hdr_tag)?);
        let next = record.get(layout.list_item.opal_list_next)?;
        let range = record.get(layout.fragment.range)?;
        let operation = if (tag < 0 && !self.internal) || self.found[index].hidden {
            None
        } else {
            let sender = self.peer(index, wire.get(layout.match_header.hdr_src)?, "hdr_src")?;
            let common = wire.inner(layout.match_header.hdr_common)?;
            let segments = record.inner(layout.fragment.segments)?;
            let (length, buffer, protocol) = match common.get(layout.common_header.hdr_type)? {
                header::MATCH => {
                    let bytes = self.received(record, segments)?;
                    let length = bytes
                        .checked_sub(layout.match_header_bytes)
                        .ok_or(impossible("seg_len"))?;
                    let data = segments
                        .get(layout.segment.seg_addr)?
                        .wrapping_add(layout.match_header_bytes);
                    (length, data & self.memory.target.last_address(), notes::EAGER)
                }
                // The data are at the sender, except a first part.
                header::RENDEZVOUS | header::RGET => {
                    (wire.get(layout.rendezvous_header.hdr_msg_length)?, 0, notes::RENDEZVOUS)
                }
                _ => return Err(impossible("hdr_type")),
            };
            let (length, tag) = (size(length, "hdr_msg_length")?, narrow(tag, "hdr_tag")?);
            Some(Operation::unexpected(
                Message { peer: sender, tag, length },
                buffer,
                [protocol, note],
            ))
        };
        let context = wire.get(layout.match_header.hdr_ctx)?;
        Ok(Fragment { next, range, sequence, context, operation })
    }

    /// Bytes of a fragment's data, the header included.
    fn received(&self, record: Record<'_>, segments: Record<'_>) -> Result<u64> {
        let segment = self.layout.segment;
        let count = record.get(self.layout.fragment.num_segments)?;
        let mut bytes = 0u64;
        for index in 0..count {
            let at =
                index.checked_mul(segment.bytes() as u64).and_then(|at| usize::try_from(at).ok());
            let part =
                at.and_then(|at| segments.bytes.get(at..)).ok_or(impossible("num_segments"))?;
            let length = Record { bytes: part, ..segments }.get(segment.seg_len)?;
            bytes = bytes.checked_add(length).ok_or(impossible("seg_len"))?;
        }
        Ok(bytes)
    }

    /// Checks a fragment's class, by its name for the first one.
    fn check_fragment_class(&mut self, class: u64) -> Result<()> {
        if self.fragment_class.is_none() {
            let (name, bytes) = (layout::Fragment::NAME, self.layout.fragment.bytes());
            if check_class(self.memory, self.layout, class, name, bytes)? == ClassCheck::Fits {
                self.fragment_class = Some(class);
            }
        }
        if self.fragment_class == Some(class) { Ok(()) } else { Err(impossible("obj_class")) }
    }
}
