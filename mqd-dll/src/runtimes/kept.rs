//! What a pass over a process keeps: operations with their places, the first error, and what
//! cannot be seen.

use crate::alloc::push;
use crate::error::{Code, Error, Result};
use crate::queues::{
    Collective, Collectives, Communicator, Details, Lacking, Operation, Peer, Snapshot,
};
use crate::transports::libfabric::FabricQueues;
use crate::transports::ucx::Requests;
use mqs_abi::notes;

/// Receives that cannot be seen.
pub(super) const ON_THEIR_WAY: &str = "receives whose messages are on their way";

/// An operation with its place in its queue.
pub(super) struct Placed {
    pub(super) place: (u64, u64),
    pub(super) operation: Operation,
}

/// Puts the sends, receives and unexpected messages of a communicator into its queues, in order,
/// and its collective operations.
pub(super) fn deliver(
    [sends, receives, unexpected]: [&mut Vec<Placed>; 3],
    known: Vec<Collective>,
    communicator: &mut Communicator,
) -> Result<()> {
    for (from, to) in [
        (sends, &mut communicator.sends),
        (receives, &mut communicator.receives),
        (unexpected, &mut communicator.unexpected),
    ] {
        from.sort_unstable_by_key(|placed| placed.place);
        to.try_reserve_exact(from.len())?;
        from.drain(..).try_for_each(|placed| push(to, placed.operation))?;
    }
    if !known.is_empty() {
        communicator.collectives = Some(Collectives { known, is_complete: false });
    }
    Ok(())
}

/// Notes the collective operation of which a message with this tag is not finished. `by_tag` has
/// the numbers of operations.
pub(super) fn note_collective(
    known: &mut Vec<Collective>,
    by_tag: &[(i64, usize)],
    tag: i64,
) -> Result<()> {
    match by_tag.iter().find(|(of, _)| *of == tag) {
        Some((_, number)) if known.iter().all(|known| known.number != *number) => {
            push(known, Collective { number: *number, calls: None, active: true })
        }
        _ => Ok(()),
    }
}

/// A pending send whose receiver is not known. Its tag and length are left out, too. `request`
/// stands for it in its message at the receiver.
pub(super) fn unknown_send(request: u64) -> Placed {
    let details = Details {
        notes: [notes::NOT_KEPT, ""],
        request: Some((notes::REQUEST, request)),
        ..Details::default()
    };
    let operation = Operation { details, ..Operation::pending(Peer::ANY, None, 0, 0) };
    Placed { place: (u64::MAX, request), operation }
}

/// What an unexpected message says of its send, to those who ask for internals.
pub(super) fn senders_request(internal: bool, request: Option<u64>) -> Option<(&'static str, u64)> {
    Some((notes::SENDERS_REQUEST, request.filter(|_| internal)?))
}

/// A pass over a process.
pub(super) trait Keeps {
    /// What it fills, and the first error.
    fn kept(&mut self) -> (&mut Snapshot, &mut Option<Error>);

    /// Remembers the first error and goes on, unless there is nothing left to go on with. After an
    /// error some queue may lack something, so none is known to be empty. For what can never be
    /// seen, [`Snapshot::lacking`] is set where that is noticed.
    fn keep(&mut self, result: Result<()>) -> Result<()> {
        if result.is_err_and(|error| error.code != Code::NotSeen) {
            self.kept().0.lacking = Lacking::ALL;
        }
        self.optional(result).map(drop)
    }

    /// Makes a result optional for what can be shown without it: None if it cannot be read. The
    /// error is remembered.
    fn optional<T>(&mut self, result: Result<T>) -> Result<Option<T>> {
        let error = match result {
            Ok(value) => return Ok(Some(value)),
            Err(error) => error,
        };
        let (_, first) = self.kept();
        // An error matters more than what can never be seen.
        if first.is_none_or(|first| first.code == Code::NotSeen) {
            *first = Some(error);
        }
        if error.is_final() { Err(first.unwrap_or(error)) } else { Ok(None) }
    }

    /// Notes that operations cannot be seen.
    fn not_seen(&mut self, unseen: &'static str) -> Result<()> {
        self.keep(Err(Error::on(Code::NotSeen, unseen)))
    }

    /// Notes that sends are not shown. The queues of pending sends are then not known.
    fn hide_sends(&mut self, unseen: &'static str) -> Result<()> {
        self.kept().0.hides_sends = true;
        self.not_seen(unseen)
    }

    /// Notes that a send is not shown, because libfabric does not keep its receiver.
    fn send_without_receiver(&mut self) -> Result<()> {
        self.hide_sends("sends of which libfabric keeps no receiver")
    }

    /// Notes whether sends of UCX cannot be seen.
    fn note_ucx_sends(&mut self, requests: &Requests) -> Result<()> {
        if !requests.without_tag {
            return Ok(());
        }
        self.kept().0.lacking.sends = true;
        self.not_seen("sends whose data are on their way, because UCX does not keep their tags")
    }

    /// Notes whether messages cannot be seen, because the network card has them.
    fn note_offload(&mut self, offloads: bool) -> Result<()> {
        if !offloads {
            return Ok(());
        }
        self.kept().0.lacking.unexpected = true;
        self.not_seen("messages in the network card, because it matches tags")
    }

    /// Notes what of libfabric's queues cannot be seen.
    fn note_fabric(&mut self, queues: &FabricQueues) -> Result<()> {
        if queues.has_matched {
            self.kept().0.lacking.receives = true;
            self.not_seen(ON_THEIR_WAY)?;
        }
        if queues.sends.is_none() {
            self.hide_sends("sends that libfabric does not tell")?;
        }
        Ok(())
    }
}
