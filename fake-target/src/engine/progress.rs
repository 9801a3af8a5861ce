//! The progress function: takes in what the other ranks have written, and writes what has waited
//! for room.

use super::observe::{self, Event};
use super::peer::Peer;
use super::state::Engine;
use super::variables::PROGRESS_TURN;
use crate::debug::queues::OperationState;
use crate::transport::assist::Piece;
use crate::transport::envelope::{Envelope, Packet};
use crate::transport::system;
use crate::variables::counters;

impl Engine {
    /// Looks once at every ring; true if anything has happened.
    #[inline]
    pub(crate) fn progress(&'static self) -> bool {
        self.progress_besides(usize::MAX)
    }

    /// The same, but leaves the ring of one rank alone.
    #[inline]
    pub(super) fn progress_besides(&'static self, left: usize) -> bool {
        let begin = counters::PROGRESS_TIME.begin();
        self.listen();
        let mut happened = false;
        let turn = PROGRESS_TURN.size();
        let heard = self.heard.borrow();
        for peer in heard.iter().filter(|peer| peer.rank != left) {
            let mut taken = 0;
            while taken < turn
                && peer.reader.pop(|envelope, data| self.handle(peer, envelope, data)).is_some()
            {
                taken += 1;
            }
            if taken > 0 {
                happened = true;
                counters::RECORDS.add(taken as u64);
                peer.room_made();
            }
        }
        drop(heard);
        if !self.busy.borrow().is_empty() {
            happened |= self.flush();
        }
        if let Some(piece) = self.segment.assist(self.rank).take_last() {
            self.help(&piece);
            happened = true;
        }
        if !self.ready.borrow().is_empty() {
            happened |= self.run_tasks();
        }
        counters::PROGRESS_CALLS.add(1);
        counters::IDLE_PROGRESS_CALLS.add((!happened).into());
        counters::PROGRESS_TIME.end(begin);
        happened
    }

    /// Copies a piece of a message for its receiver.
    #[cold]
    fn help(&'static self, piece: &Piece) {
        let copied = self.request(piece.id as usize).is_some_and(|send| {
            let payload = send.payload.borrow();
            let data = payload.piece(piece.offset, piece.length);
            data.is_some_and(|data| system::write_process(piece.pid, piece.address, data).is_ok())
        });
        if copied {
            counters::PIECES.add(1);
            counters::PIECE_BYTES.add(piece.length as u64);
        }
        self.segment.assist(self.rank).end(copied);
    }

    /// Finds peers that write to this rank for the first time.
    #[inline]
    fn listen(&'static self) {
        if self.strangers_changed.replace(false) {
            self.listen_to_strangers();
        }
        for (word, heard) in self.heard_words.iter().enumerate() {
            let announced = self.segment.announced(word).unwrap_or(0);
            let mut new = announced & !heard.get();
            heard.set(announced);
            while new != 0 {
                self.heard
                    .borrow_mut()
                    .push(&self.peers[word * 64 + new.trailing_zeros() as usize]);
                new &= new - 1;
            }
        }
    }

    #[inline]
    fn handle(&'static self, peer: &'static Peer, envelope: &Envelope, data: &[u8]) {
        match envelope.packet {
            Packet::Eager | Packet::Offer => self.arrive(envelope, peer.rank, data),
            Packet::Padding => {}
            packet => self.handle_course(peer, packet, envelope, data),
        }
    }

    /// Handles records about messages under way. An id that names no request belongs to an
    /// operation that has ended meanwhile.
    fn handle_course(
        &'static self,
        peer: &'static Peer,
        packet: Packet,
        envelope: &Envelope,
        data: &[u8],
    ) {
        if packet == Packet::Cancel {
            return self.cancel_arrived(peer.rank, envelope);
        }
        if matches!(packet, Packet::Refused | Packet::Settled) {
            return self.notice_arrived(envelope, peer.rank);
        }
        let Some(request) = self.request(envelope.id as usize) else { return };
        match packet {
            Packet::Data => self.receive_piece(request, data),
            Packet::Fetched | Packet::Matched => self.complete(request),
            Packet::Clear => {
                request.head.state.set(OperationState::Matched);
                request.partner.set(envelope.address);
                peer.streams.borrow_mut().push_back(request);
                self.mark_busy(peer);
            }
            Packet::Cancelled => {
                request.cancelled.set(true);
                self.complete(request);
            }
            // Its receiver completes it. For a persistent one this may be the answer to an earlier
            // start.
            Packet::NotCancelled => {
                if !request.persistent.get() {
                    request.cancelling.set(false);
                    self.wake_threads();
                }
            }
            Packet::Eager
            | Packet::Offer
            | Packet::Padding
            | Packet::Cancel
            | Packet::Refused
            | Packet::Settled => {}
        }
    }

    /// Sends an answer, now or as soon as there is room.
    pub(super) fn answer(&'static self, world: usize, envelope: Envelope) {
        let peer = self.peer(world);
        if !peer.answers.borrow().is_empty() || !peer.push(&envelope, 0, |_| {}) {
            peer.answers.borrow_mut().push_back(envelope);
            self.mark_busy(peer);
        }
    }

    /// Notes that something waits for room on its way to a peer.
    pub(super) fn mark_busy(&'static self, peer: &'static Peer) {
        if !peer.busy.replace(true) {
            self.busy.borrow_mut().push(peer);
            // A thread that sleeps does not know yet that it is to be woken when there is room.
            self.wake_threads();
        }
    }

    /// Writes what there is room for now.
    #[cold]
    fn flush(&'static self) -> bool {
        let peers = self.busy.take();
        let mut happened = false;
        for peer in peers {
            let (moved, empty) = self.flush_peer(peer);
            happened |= moved;
            if empty {
                peer.busy.set(false);
            } else {
                self.busy.borrow_mut().push(peer);
            }
        }
        happened
    }

    /// Writes to one peer until its ring is full. Returns whether anything was written, and whether
    /// nothing is left.
    fn flush_peer(&'static self, peer: &'static Peer) -> (bool, bool) {
        let mut happened = false;
        loop {
            let Some(answer) = peer.answers.borrow().front().copied() else { break };
            if !peer.push(&answer, 0, |_| {}) {
                return (happened, false);
            }
            peer.answers.borrow_mut().pop_front();
            happened = true;
        }
        loop {
            let Some(send) = peer.waiting.borrow().front().copied() else { break };
            if !self.transmit(peer, send) {
                return (happened, false);
            }
            peer.waiting.borrow_mut().pop_front();
            counters::WAITING_FOR_ROOM.fall(1);
            happened = true;
        }
        loop {
            let Some(send) = peer.streams.borrow().front().copied() else { break };
            let length = send.payload.borrow().length();
            while send.moved.get() < length {
                let bytes = (length - send.moved.get()).min(peer.writer.max_data());
                let envelope = Envelope::of(Packet::Data, send.partner.get());
                if !peer.writer.has_room_for(bytes) {
                    return (happened, false);
                }
                observe::transfer_begins(send);
                let payload = send.payload.borrow();
                peer.push(&envelope, bytes, |data| payload.gather(send.moved.get(), data));
                send.moved.set(send.moved.get() + bytes);
                happened = true;
            }
            peer.streams.borrow_mut().pop_front();
            observe::request(Event::ReqXferEnd, send);
            self.complete(send);
        }
        (happened, true)
    }
}
