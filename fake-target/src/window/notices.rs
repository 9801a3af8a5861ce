//! How the processes of a window tell each other of exposures, completed accesses and granted
//! locks: by messages without data on the window's communicator. So debuggers see for which rank a
//! process waits, and messages on their way are counted.

use std::ffi::{CStr, c_int};
use std::ptr;

use super::object::Window;
use crate::abi::MPI_BYTE;
use crate::datatype;
use crate::debug::queues::{OperationKind, OperationState};
use crate::engine::look::look_for;
use crate::engine::payload::Payload;
use crate::engine::request::{Operation, Owner, Request};
use crate::engine::wait::{Awaited, wait_for};
use crate::engine::{self, Engine};
use crate::error::Result;

/// What a notice says, as the tag of its message.
#[derive(Clone, Copy)]
pub(super) enum Notice {
    /// The sender exposes its memory.
    Exposed,
    /// The sender has completed its access.
    Completed,
    /// The receiver has the lock of that rank.
    Granted(usize),
}

impl Notice {
    fn tag(self) -> c_int {
        match self {
            Notice::Exposed => 1,
            Notice::Completed => 2,
            Notice::Granted(target) => 3 + target as c_int,
        }
    }
}

impl Window {
    fn operation(
        &self,
        call: &'static CStr,
        kind: OperationKind,
        peer: c_int,
        notice: Notice,
    ) -> Result<Operation> {
        let payload = Payload::elements(ptr::null_mut(), 0, datatype::resolve(MPI_BYTE)?, MPI_BYTE);
        let context = &self.communicator.program;
        Ok(Operation { call, kind, context, peer, tag: notice.tag(), payload })
    }

    /// Tells a rank.
    pub(super) fn tell(&self, call: &'static CStr, rank: usize, notice: Notice) -> Result {
        let operation = self.operation(call, OperationKind::SendStandard, rank as c_int, notice)?;
        let world = self.shares[rank].world;
        let engine = engine::enter();
        if !engine.send_at_once(&operation, world) {
            engine.detach(engine.send(&operation, world, Owner::Call));
        }
        Ok(())
    }

    /// Begins to wait for a notice from a rank, or `MPI_ANY_SOURCE`.
    pub(super) fn listen(
        &self,
        call: &'static CStr,
        rank: c_int,
        notice: Notice,
    ) -> Result<&'static Request> {
        let operation = self.operation(call, OperationKind::Receive, rank, notice)?;
        Ok(engine::enter().receive(&operation, Owner::Call))
    }
}

fn end(engine: &'static Engine, requests: &[&'static Request]) -> Option<()> {
    let all = requests.iter().all(|request| request.state() == OperationState::Complete);
    all.then(|| requests.iter().for_each(|request| engine.release(request)))
}

/// Waits for notices.
pub(super) fn hear(requests: &[&'static Request]) {
    let awaited: Vec<_> = requests.iter().map(|request| Some(*request)).collect();
    wait_for(Awaited::All(&awaited), |engine: &'static Engine| end(engine, requests));
}

/// Checks whether all notices have come. If so, ends the requests.
pub(super) fn have_come(requests: &[&'static Request]) -> bool {
    look_for(|engine: &'static Engine| end(engine, requests)).is_some()
}
