//! The runtime's own messages: those of collective operations and of making communicators. They
//! travel in a context of their own.

use super::context::Context;
use super::entrance::enter;
use super::observe;
use super::payload::Payload;
use super::refusal::refused;
use super::request::{Operation, Owner, Request};
use super::state::Engine;
use super::task::disagreement;
use super::wait;
use crate::abi::MPI_SUCCESS;
use crate::debug::queues::{OperationKind, OperationState};
use crate::error::Result;
use std::ffi::c_int;
use std::marker::PhantomData;
use std::mem;

/// A message of the runtime under way; it holds its buffer until it is waited for.
pub(crate) struct Transfer<'a> {
    request: Option<&'static Request>,
    buffer: PhantomData<&'a mut [u8]>,
}

/// A partner of internal messages: a rank in a hidden context and its world rank.
#[derive(Clone, Copy)]
pub(crate) struct Partner {
    /// The hidden context.
    pub(crate) context: &'static Context,
    /// Its rank there (in an intercommunicator: in the remote group).
    pub(crate) rank: c_int,
    /// Its world rank.
    pub(crate) world: usize,
}

impl Partner {
    pub(super) fn operation(&self, kind: OperationKind, tag: c_int, payload: Payload) -> Operation {
        debug_assert!(!self.context.visible);
        let tag = self.context.tag_of(tag);
        Operation { call: c"", kind, context: self.context, peer: self.rank, tag, payload }
    }

    /// Starts to send bytes.
    #[inline]
    pub(crate) fn isend<'a>(&self, tag: c_int, bytes: &'a [u8]) -> Transfer<'a> {
        self.begin_send(tag, Payload::bytes(bytes.as_ptr().cast_mut(), bytes.len()))
    }

    /// Starts to send data, which stay where they are until the transfer is over.
    pub(crate) fn isend_data<'a>(&self, tag: c_int, payload: Payload) -> Transfer<'a> {
        self.begin_send(tag, payload)
    }

    /// The same, in the function that makes the payload: to move what was just made takes long.
    #[inline(always)]
    fn begin_send<'a>(&self, tag: c_int, payload: Payload) -> Transfer<'a> {
        let mut operation = self.operation(OperationKind::SendStandard, tag, payload);
        let engine = enter();
        observe::collective_step(&operation, true);
        let request = match engine.send_at_once(&operation, self.world) {
            true => None,
            false => start_long(&engine, &mut operation, self.world),
        };
        Transfer { request, buffer: PhantomData }
    }

    /// Receives exactly as many bytes as the data have.
    pub(crate) fn receive_data(&self, tag: c_int, payload: Payload) -> Result {
        self.receive(tag, payload)
    }

    /// The same: see [`Partner::begin_send`].
    #[inline(always)]
    fn receive(&self, tag: c_int, payload: Payload) -> Result {
        let operation = self.operation(OperationKind::Receive, tag, payload);
        let engine = enter();
        observe::collective_step(&operation, false);
        if engine.receive_at_once(&operation, self.world) {
            return Ok(());
        }
        let request = Some(engine.receive(&operation, Owner::Call));
        drop(engine);
        Transfer { request, buffer: PhantomData }.wait()
    }

    /// Sends bytes.
    pub(crate) fn send(&self, tag: c_int, bytes: &[u8]) -> Result {
        self.isend(tag, bytes).wait()
    }

    /// Receives exactly as many bytes as the buffer has.
    pub(crate) fn recv(&self, tag: c_int, bytes: &mut [u8]) -> Result {
        self.receive(tag, Payload::bytes(bytes.as_mut_ptr(), bytes.len()))
    }
}

/// Starts a send that could not leave at once. None: it has left now.
#[cold]
fn start_long(
    engine: &'static Engine,
    operation: &mut Operation,
    destination: usize,
) -> Option<&'static Request> {
    let left = engine.send_bounced(operation, destination);
    (!left).then(|| engine.send(operation, destination, Owner::Call))
}

/// Starts to send the same data to several partners on one communicator. The data stay where they
/// are until the transfers are over.
#[cold]
pub(crate) fn send_to_each<'a>(
    partners: impl ExactSizeIterator<Item = Partner> + Clone,
    tag: c_int,
    data: Payload,
) -> Transfers<'a> {
    let engine = enter();
    let mut transfers = Transfers::default();
    let all_near = partners.clone().all(|partner| engine.is_near(partner.world));
    let readers = partners.len();
    let first = partners.clone().next().filter(|_| all_near);
    let bounced = first.and_then(|first| engine.bounce(first.context, &data, readers));
    let data = bounced.unwrap_or(data);
    for partner in partners {
        let mut operation = partner.operation(OperationKind::SendStandard, tag, data.clone());
        observe::collective_step(&operation, true);
        let request = match data.bounce() == 0 && engine.send_at_once(&operation, partner.world) {
            true => None,
            false => start_long(&engine, &mut operation, partner.world),
        };
        transfers.add(Transfer { request, buffer: PhantomData });
    }
    transfers
}

impl Transfer<'_> {
    /// Waits until the buffer may be used again.
    ///
    /// # Errors
    /// `MPI_ERR_TRUNCATE` if the message is longer than the buffer, `MPI_ERR_NOT_SAME` if it is
    /// shorter. The processes then disagree about the operation.
    pub(crate) fn wait(mut self) -> Result {
        match self.request.take() {
            Some(request) => finish(request),
            None => Ok(()),
        }
    }
}

/// Transfers that are waited for together.
#[derive(Default)]
pub(crate) struct Transfers<'a>(Vec<Transfer<'a>>);

impl<'a> Transfers<'a> {
    /// Adds one. Short messages leave at once, and need no memory here.
    #[inline]
    pub(crate) fn add(&mut self, transfer: Transfer<'a>) {
        if transfer.request.is_some() {
            self.0.push(transfer);
        }
    }

    /// Waits for all of them. The result is the first error of [`Transfer::wait`].
    #[inline]
    pub(crate) fn wait(self) -> Result {
        // The usual case, in few instructions. What has no capacity needs no end.
        if self.0.capacity() == 0 {
            mem::forget(self);
            return Ok(());
        }
        self.0.into_iter().map(Transfer::wait).fold(Ok(()), Result::and)
    }
}

impl Drop for Transfer<'_> {
    /// A buffer in use must not be freed, so an abandoned transfer is waited for.
    fn drop(&mut self) {
        if let Some(request) = self.request.take() {
            let _ = finish(request);
        }
    }
}

fn finish(request: &'static Request) -> Result {
    wait::wait_for(wait::Awaited::Other, |engine: &'static Engine| {
        (request.state() == OperationState::Complete).then(|| {
            let (expected, actual) = (request.head.length.get(), request.head.actual_length.get());
            let wrong = !request.is_send() && expected != actual;
            let code = request.refused.get();
            engine.release(request);
            match code {
                MPI_SUCCESS if wrong => Err(disagreement(expected, actual)),
                MPI_SUCCESS => Ok(()),
                code => Err(refused(code)),
            }
        })
    })
}
