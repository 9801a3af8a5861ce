//! The buffers for buffered sends (MPI 5.0, section 3.6).

use crate::abi::*;
use crate::arguments::{CountOut, Out, out};
use crate::communicator;
use crate::engine::attached;
use crate::engine::buffer::BsendBuffer;
use crate::engine::request::Request;
use crate::engine::room::Holder;
use crate::engine::task::{Course, Task};
use crate::engine::{self, Engine};
use crate::error::{Error, Result};
use crate::mpi_t::pvar;
use crate::session;
use crate::variables::counters::BUFFER_BYTES;
use std::ffi::c_void;
use std::sync::Once;

fn of(comm: MPI_Comm) -> Result<Holder> {
    Ok(Holder::Communicator(&communicator::resolve(comm)?.program))
}

fn of_session(session: MPI_Session) -> Result<Holder> {
    session::resolve(session)?;
    Ok(Holder::Session(session.0))
}

fn attach(holder: Holder, buffer: *mut c_void, size: MPI_Count) -> Result {
    let buffer = match buffer {
        MPI_BUFFER_AUTOMATIC => BsendBuffer::automatic(),
        _ if size < 0 => {
            return Err(Error::new(MPI_ERR_ARG, format!("the size {size} is negative")));
        }
        buffer => BsendBuffer::new(buffer, size as usize),
    };
    let engine = engine::enter();
    engine.with_buffer(holder, |current| {
        if current.is_some() {
            return Err(Error::new(
                MPI_ERR_BUFFER,
                "a buffer is attached already; it has to be detached first",
            ));
        }
        static COMPONENT: Once = Once::new();
        COMPONENT.call_once(|| pvar::add(pvar::table::BUFFERS));
        BUFFER_BYTES.rise(buffer.size() as u64);
        *current = Some(buffer);
        Ok(())
    })
}

fn detach(holder: Holder, buffer_addr: *mut c_void, size: CountOut) -> Result {
    out(buffer_addr, "buffer_addr")?;
    attached::empty(holder);
    let engine = engine::enter();
    let (address, bytes) = match engine.with_buffer(holder, Option::take) {
        None => (std::ptr::null_mut(), 0),
        Some(BsendBuffer::Automatic(_)) => (MPI_BUFFER_AUTOMATIC, 0),
        Some(BsendBuffer::Attached { address, size, .. }) => {
            BUFFER_BYTES.fall(size as u64);
            (address, size as MPI_Count)
        }
    };
    // SAFETY: not null; MPI's caller passes the address of a pointer.
    unsafe { buffer_addr.cast::<*mut c_void>().write_unaligned(address) };
    size.set(bytes);
    Ok(())
}

/// `MPI_Buffer_attach`
pub(crate) fn buffer_attach(buffer: *mut c_void, size: MPI_Count) -> Result {
    attach(Holder::Process, buffer, size)
}

/// `MPI_Buffer_detach`: waits until the messages in the buffer have left.
pub(crate) fn buffer_detach(buffer_addr: *mut c_void, size: CountOut) -> Result {
    detach(Holder::Process, buffer_addr, size)
}

/// `MPI_Buffer_flush`
pub(crate) fn buffer_flush() -> Result {
    attached::flush(Holder::Process);
    Ok(())
}

/// `MPI_Comm_attach_buffer`
pub(crate) fn comm_attach_buffer(comm: MPI_Comm, buffer: *mut c_void, size: MPI_Count) -> Result {
    attach(of(comm)?, buffer, size)
}

/// `MPI_Comm_detach_buffer`
pub(crate) fn comm_detach_buffer(
    comm: MPI_Comm,
    buffer_addr: *mut c_void,
    size: CountOut,
) -> Result {
    detach(of(comm)?, buffer_addr, size)
}

/// `MPI_Comm_flush_buffer`
pub(crate) fn comm_flush_buffer(comm: MPI_Comm) -> Result {
    attached::flush(of(comm)?);
    Ok(())
}

/// `MPI_Session_attach_buffer`
pub(crate) fn session_attach_buffer(
    session: MPI_Session,
    buffer: *mut c_void,
    size: MPI_Count,
) -> Result {
    attach(of_session(session)?, buffer, size)
}

/// `MPI_Session_detach_buffer`
pub(crate) fn session_detach_buffer(
    session: MPI_Session,
    buffer_addr: *mut c_void,
    size: CountOut,
) -> Result {
    detach(of_session(session)?, buffer_addr, size)
}

/// `MPI_Session_flush_buffer`
pub(crate) fn session_flush_buffer(session: MPI_Session) -> Result {
    attached::flush(of_session(session)?);
    Ok(())
}

/// Waits until no message up to this number is left in a buffer.
struct Flush(Holder, u64);

impl Task for Flush {
    fn advance(&mut self, engine: &'static Engine, request: &'static Request) -> Course {
        if engine.is_flushed(self.0, self.1) {
            return Course::Over;
        }
        engine.wake_when_room(request);
        Course::Waits
    }
}

fn iflush(holder: Holder, request: Out<MPI_Request>) -> Result {
    let engine = engine::enter();
    let made = engine.make_task(Box::new(Flush(holder, engine.last_buffered())), None);
    engine.start_task(made);
    request.set(MPI_Request(made.handle()));
    Ok(())
}

/// `MPI_Buffer_iflush`
pub(crate) fn buffer_iflush(request: Out<MPI_Request>) -> Result {
    iflush(Holder::Process, request)
}

/// `MPI_Comm_iflush_buffer`
pub(crate) fn comm_iflush_buffer(comm: MPI_Comm, request: Out<MPI_Request>) -> Result {
    iflush(of(comm)?, request)
}

/// `MPI_Session_iflush_buffer`
pub(crate) fn session_iflush_buffer(session: MPI_Session, request: Out<MPI_Request>) -> Result {
    iflush(of_session(session)?, request)
}
