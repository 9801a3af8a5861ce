//! Point-to-point communication (MPI 5.0, chapter 3): the calls' arguments are checked here, the
//! engine does the rest.
//!
//! - [`send`]: sends in their four modes, [`receive`]: receives, [`combined`]: both in one call.
//! - [`persistent`]: requests that are started again and again.
//! - [`buffers`]: the program's buffers for buffered sends.
//! - [`probe`]: probes and the receives of what they matched.

pub(crate) mod buffers;
pub(crate) mod combined;
pub(crate) mod persistent;
pub(crate) mod probe;
pub(crate) mod receive;
pub(crate) mod send;

use crate::abi::*;
use crate::communicator::{self, Communicator};
use crate::datatype;
use crate::debug::queues::{Kind, State};
use crate::engine::payload::Payload;
use crate::engine::request::{Operation, Request};
use crate::engine::{Engine, wait};
use crate::error::{Error, Result};
use crate::peruse;
use std::ffi::{CStr, c_int, c_void};

/// A buffer as a call describes it.
#[derive(Clone, Copy)]
pub(crate) struct Data {
    /// Its address.
    pub(crate) buffer: *mut c_void,
    /// Elements.
    pub(crate) count: MPI_Count,
    /// What they are.
    pub(crate) datatype: MPI_Datatype,
}

impl Data {
    #[inline]
    fn send(buffer: *const c_void, count: MPI_Count, datatype: MPI_Datatype) -> Data {
        Data { buffer: buffer.cast_mut(), count, datatype }
    }

    /// The data, once the arguments are found to be good.
    #[inline]
    pub(crate) fn payload(self) -> Result<Payload> {
        if self.count < 0 {
            return Err(Error::new(MPI_ERR_COUNT, format!("the count {} is negative", self.count)));
        }
        let payload = Payload::elements(
            self.buffer,
            self.count,
            datatype::resolve(self.datatype)?,
            self.datatype,
        );
        if payload.address() == 0 && payload.length() > 0 && payload.is_dense() {
            return Err(Error::new(
                MPI_ERR_BUFFER,
                "the buffer is a null pointer although the message has data",
            ));
        }
        Ok(payload)
    }
}

/// The partner of a call: a communicator and a rank in it.
#[derive(Clone, Copy)]
struct Partner {
    communicator: &'static Communicator,
    rank: c_int,
    tag: c_int,
}

impl Partner {
    /// The destination of a message.
    #[inline]
    fn destination(rank: c_int, tag: c_int, comm: MPI_Comm) -> Result<Partner> {
        let communicator = communicator::resolve(comm)?;
        if tag < 0 {
            return Err(Error::new(MPI_ERR_TAG, format!("the tag {tag} is negative")));
        }
        check_rank(communicator, rank, "destination")?;
        Ok(Partner { communicator, rank, tag })
    }

    /// The source of messages, wildcards included.
    #[inline]
    fn source(rank: c_int, tag: c_int, comm: MPI_Comm) -> Result<Partner> {
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
        Ok(Partner { communicator, rank, tag })
    }

    /// Whether it is `MPI_PROC_NULL`: nothing happens.
    #[inline]
    fn is_nobody(&self) -> bool {
        self.rank == MPI_PROC_NULL
    }

    /// The world rank of a destination.
    #[inline]
    fn world(&self) -> usize {
        self.communicator.peers().world_ranks()[self.rank as usize] as usize
    }

    #[inline]
    fn operation(&self, call: &'static CStr, kind: Kind, payload: Payload) -> Operation {
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
fn status_of_nobody() -> MPI_Status {
    let mut status = MPI_Status::EMPTY;
    status.MPI_SOURCE = MPI_PROC_NULL;
    status
}

/// Gives a status to the program, which may ignore it. `MPI_ERROR` stays what it is (MPI 5.0,
/// section 3.2.5), but the empty status has one (section 3.7.3): no message is from
/// `MPI_ANY_SOURCE`.
#[inline]
pub(crate) fn give_status(to: *mut MPI_Status, status: &MPI_Status) {
    // SAFETY: MPI's caller passes MPI_STATUS_IGNORE, which is null, or the address of a status.
    if let Some(to) = unsafe { to.as_mut() } {
        let error = to.MPI_ERROR;
        *to = *status;
        if status.MPI_SOURCE != MPI_ANY_SOURCE {
            to.MPI_ERROR = error;
        }
    }
}

/// Waits for a request that the runtime itself has made for a blocking call, and ends it.
#[inline]
fn finish(request: &'static Request) -> (MPI_Status, Result) {
    wait::wait_for(wait::Awaited::One(request), |engine: &'static Engine| {
        (request.state() == State::Complete).then(|| {
            peruse::notify(request);
            let result = (request.status(), outcome(request));
            engine.release(request);
            result
        })
    })
}

/// Whether a complete operation has succeeded.
#[inline]
pub(crate) fn outcome(request: &Request) -> Result {
    for part in request.parts.get().into_iter().flatten() {
        outcome(part)?;
    }
    if request.error.get() == MPI_SUCCESS { Ok(()) } else { Err(truncated(request)) }
}

#[cold]
fn truncated(request: &Request) -> Error {
    let head = &request.head;
    let message = format!(
        "the message from rank {} with tag {} has {} bytes, the buffer room for {}",
        head.actual_source.get(),
        head.actual_tag.get(),
        head.actual_length.get(),
        head.length.get()
    );
    let error = Error::new(request.error.get(), message);
    match request.context.get().and_then(|context| context.owner.get()) {
        Some(communicator) => error.on(communicator.handle()),
        None => error,
    }
}
