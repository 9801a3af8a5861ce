//! The data and the partner of a call.

use crate::abi::*;
use crate::communicator::{self, Communicator};
use crate::datatype;
use crate::debug::queues::{OperationKind, OperationState};
use crate::engine::observe;
use crate::engine::payload::Payload;
use crate::engine::request::{Operation, Request};
use crate::engine::{Engine, wait};
use crate::error::{Error, Result};
use crate::request::outcome;
use std::ffi::{CStr, c_int, c_void};

/// A buffer as a call describes it.
#[derive(Clone, Copy)]
pub(crate) struct Data {
    /// Its address.
    pub(crate) buffer: *mut c_void,
    /// Elements.
    pub(crate) count: MPI_Count,
    /// The datatype of the elements.
    pub(crate) datatype: MPI_Datatype,
}

impl Data {
    #[inline]
    pub(super) fn send(buffer: *const c_void, count: MPI_Count, datatype: MPI_Datatype) -> Data {
        Data { buffer: buffer.cast_mut(), count, datatype }
    }

    /// Checks the arguments. The result is the data.
    #[inline]
    pub(crate) fn payload(self) -> Result<Payload> {
        if self.count < 0 {
            return Err(Error::new(MPI_ERR_COUNT, format!("the count {} is negative", self.count)));
        }
        // Some programs pass MPI_DATATYPE_NULL for no data. MPICH accepts it, too.
        let datatype = match datatype::resolve(self.datatype) {
            Err(_) if self.count == 0 && self.datatype == MPI_DATATYPE_NULL => {
                return Ok(Payload::EMPTY);
            }
            found => found?,
        };
        if self.buffer == MPI_IN_PLACE {
            return Err(Error::new(MPI_ERR_BUFFER, "the buffer is MPI_IN_PLACE"));
        }
        let Some(bytes) = self.count.checked_mul(datatype.size()) else {
            return Err(more_than_memory(self.count));
        };
        // A datatype may have its data at addresses of its own, from MPI_BOTTOM on.
        let begins_at_null = |offset: MPI_Count| {
            self.buffer.wrapping_byte_offset(offset as isize).is_null() && bytes > 0
        };
        if datatype.block(self.count).is_some_and(begins_at_null) {
            return Err(Error::new(
                MPI_ERR_BUFFER,
                "the buffer is a null pointer although the message has data",
            ));
        }
        // Constructed in the place where it is returned: making it first and copying it took 8 ns
        // more.
        Ok(Payload::elements(self.buffer, self.count, datatype, self.datatype))
    }
}

#[cold]
fn more_than_memory(count: MPI_Count) -> Error {
    Error::new(MPI_ERR_COUNT, format!("{count} elements are more than memory has"))
}

/// The partner of a call: a communicator and a rank in it.
#[derive(Clone, Copy)]
pub(super) struct CallPartner {
    pub(super) communicator: &'static Communicator,
    pub(super) rank: c_int,
    pub(super) tag: c_int,
}

impl CallPartner {
    /// The destination of a message.
    #[inline]
    pub(super) fn destination(rank: c_int, tag: c_int, comm: MPI_Comm) -> Result<CallPartner> {
        let communicator = communicator::resolve(comm)?;
        if tag < 0 {
            return Err(Error::new(MPI_ERR_TAG, format!("the tag {tag} is negative")));
        }
        check_rank(communicator, rank, "destination")?;
        Ok(CallPartner { communicator, rank, tag })
    }

    /// The source of messages, wildcards included.
    #[inline]
    pub(super) fn source(rank: c_int, tag: c_int, comm: MPI_Comm) -> Result<CallPartner> {
        let communicator = communicator::resolve(comm)?;
        if tag < 0 && tag != MPI_ANY_TAG {
            return Err(Error::new(
                MPI_ERR_TAG,
                format!("the tag {tag} is negative, and not MPI_ANY_TAG"),
            ));
        }
        if rank != MPI_ANY_SOURCE {
            check_rank(communicator, rank, "source")?;
        }
        Ok(CallPartner { communicator, rank, tag })
    }

    /// Whether it is `MPI_PROC_NULL`: nothing happens.
    #[inline]
    pub(super) fn is_nobody(&self) -> bool {
        self.rank == MPI_PROC_NULL
    }

    /// The world rank of a destination.
    #[inline]
    pub(super) fn world(&self) -> usize {
        self.communicator.peers().world_ranks()[self.rank as usize] as usize
    }

    #[inline]
    pub(super) fn operation(
        &self,
        call: &'static CStr,
        kind: OperationKind,
        payload: Payload,
    ) -> Operation {
        Operation {
            call,
            kind,
            context: &self.communicator.program,
            peer: self.rank,
            tag: self.tag,
            payload,
        }
    }
}

#[inline]
fn check_rank(communicator: &Communicator, rank: c_int, what: &str) -> Result {
    let size = communicator.peers().size();
    if (0..size).contains(&rank) || rank == MPI_PROC_NULL {
        return Ok(());
    }
    Err(Error::new(
        MPI_ERR_RANK,
        format!("the {what} {rank} is not one of the ranks 0 to {}", size - 1),
    ))
}

/// The status of a receive from `MPI_PROC_NULL` (MPI 5.0, section 3.10).
pub(super) fn status_of_nobody() -> MPI_Status {
    let mut status = MPI_Status::EMPTY;
    status.MPI_SOURCE = MPI_PROC_NULL;
    status
}

/// Waits for a request that the runtime itself has made for a blocking call, and ends it.
#[inline]
pub(super) fn finish(request: &'static Request) -> (MPI_Status, Result) {
    wait::wait_for(wait::Awaited::One(request), |engine: &'static Engine| {
        (request.state() == OperationState::Complete).then(|| {
            observe::notified(request);
            let result = (request.status(), outcome(request));
            engine.release(request);
            result
        })
    })
}
