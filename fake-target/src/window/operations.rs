//! Put and get (MPI 5.0, sections 12.3.1, 12.3.2 and 12.3.5). They are complete when they return.

use std::ffi::{c_int, c_void};

use super::object::{Window, resolve};
use super::observed::{self, Ends};
use super::origin::OriginBuffer;
use super::place::TargetElements;
use super::quick::{self, Both};
use crate::abi::*;
use crate::arguments::Out;
use crate::debug::queues::OperationKind;
use crate::engine;
use crate::engine::observe::WindowWork;
use crate::error::{Error, Result};
use crate::variables::counters::{GET_BYTES, GETS, PUT_BYTES, PUTS};

/// Data must fit where they go.
pub(super) fn check_fit(bytes: usize, room: usize) -> Result {
    if bytes <= room {
        return Ok(());
    }
    Err(Error::new(MPI_ERR_TRUNCATE, format!("{bytes} bytes do not fit elements of {room}")))
}

/// A complete request, for an operation that is complete.
pub(super) fn complete(request: Out<MPI_Request>) {
    let bare = engine::enter().make_bare(OperationKind::SendStandard, [None; 2]);
    request.set(MPI_Request(bare.handle()));
}

/// The elements of an operation at a target, checked: they are in the window, and an epoch allows
/// the operation. None: the target is `MPI_PROC_NULL`, and there is nothing to do.
pub(super) fn place(
    window: &Window,
    rank: c_int,
    disp: MPI_Aint,
    count: MPI_Count,
    datatype: MPI_Datatype,
    passive: bool,
) -> Result<Option<TargetElements>> {
    let Some(target) = window.target(rank)? else { return Ok(None) };
    let place = TargetElements::new(window, target, disp, count, datatype)?;
    window.operate(target, passive)?;
    Ok(Some(place))
}

/// The arguments of `MPI_Put` and `MPI_Get`.
struct TransferArguments {
    origin: *mut c_void,
    origin_count: MPI_Count,
    origin_datatype: MPI_Datatype,
    rank: c_int,
    disp: MPI_Aint,
    count: MPI_Count,
    datatype: MPI_Datatype,
    win: MPI_Win,
}

impl TransferArguments {
    fn parts(&self, passive: bool) -> Result<Option<(OriginBuffer, TargetElements)>> {
        let window = resolve(self.win)?;
        if window.target(self.rank)?.is_none() {
            return Ok(None);
        }
        let buffer = OriginBuffer::new(self.origin, self.origin_count, self.origin_datatype)?;
        let place = place(&window, self.rank, self.disp, self.count, self.datatype, passive)?;
        Ok(place.map(|place| (buffer, place)))
    }

    fn observed(&self, work: WindowWork) -> observed::WatchedOperation {
        let Self { origin, origin_count, origin_datatype, rank, disp, count, datatype, win } =
            *self;
        observed::operation(work, MPI_OP_NULL, || Ends {
            win,
            origin: (origin, origin_count, origin_datatype),
            rank,
            disp,
            target: (count, datatype),
        })
    }

    #[cold]
    #[inline(never)]
    fn put(&self, passive: bool) -> Result {
        let Some((buffer, place)) = self.parts(passive)? else { return Ok(()) };
        check_fit(buffer.bytes(), place.bytes())?;
        PUTS.add_shared(1);
        PUT_BYTES.add_shared(buffer.bytes() as u64);
        quick::wrote();
        self.observed(WindowWork::Put).moves(|| place.write(&buffer.read()))
    }

    #[cold]
    #[inline(never)]
    fn get(&self, passive: bool) -> Result {
        let Some((mut buffer, place)) = self.parts(passive)? else { return Ok(()) };
        check_fit(place.bytes(), buffer.bytes())?;
        GETS.add_shared(1);
        GET_BYTES.add_shared(place.bytes() as u64);
        let fill = || buffer.fill(place.bytes(), |data| place.read(data));
        self.observed(WindowWork::Get).moves(fill)
    }
}

/// `MPI_Put`
#[allow(clippy::too_many_arguments, reason = "the parameters of the C function")]
pub(crate) fn put(
    origin_addr: *const c_void,
    origin_count: MPI_Count,
    origin_datatype: MPI_Datatype,
    rank: c_int,
    disp: MPI_Aint,
    count: MPI_Count,
    datatype: MPI_Datatype,
    win: MPI_Win,
) -> Result {
    let origin = origin_addr.cast_mut();
    let both = Both { origin, rank, disp, count, datatype, win };
    if (origin_count, origin_datatype) == (count, datatype)
        && let Some(near) = both.near()
    {
        PUTS.add(1);
        PUT_BYTES.add(near.bytes as u64);
        near.put(origin);
        return Ok(());
    }
    TransferArguments { origin, origin_count, origin_datatype, rank, disp, count, datatype, win }
        .put(false)
}

/// `MPI_Get`
#[allow(clippy::too_many_arguments, reason = "the parameters of the C function")]
pub(crate) fn get(
    origin: *mut c_void,
    origin_count: MPI_Count,
    origin_datatype: MPI_Datatype,
    rank: c_int,
    disp: MPI_Aint,
    count: MPI_Count,
    datatype: MPI_Datatype,
    win: MPI_Win,
) -> Result {
    let both = Both { origin, rank, disp, count, datatype, win };
    if (origin_count, origin_datatype) == (count, datatype)
        && let Some(near) = both.near()
    {
        GETS.add(1);
        GET_BYTES.add(near.bytes as u64);
        near.get(origin);
        return Ok(());
    }
    TransferArguments { origin, origin_count, origin_datatype, rank, disp, count, datatype, win }
        .get(false)
}

/// `MPI_Rput`
#[allow(clippy::too_many_arguments, reason = "the parameters of the C function")]
pub(crate) fn rput(
    origin_addr: *const c_void,
    origin_count: MPI_Count,
    origin_datatype: MPI_Datatype,
    rank: c_int,
    disp: MPI_Aint,
    count: MPI_Count,
    datatype: MPI_Datatype,
    win: MPI_Win,
    request: Out<MPI_Request>,
) -> Result {
    let origin = origin_addr.cast_mut();
    TransferArguments { origin, origin_count, origin_datatype, rank, disp, count, datatype, win }
        .put(true)?;
    complete(request);
    Ok(())
}

/// `MPI_Rget`
#[allow(clippy::too_many_arguments, reason = "the parameters of the C function")]
pub(crate) fn rget(
    origin: *mut c_void,
    origin_count: MPI_Count,
    origin_datatype: MPI_Datatype,
    rank: c_int,
    disp: MPI_Aint,
    count: MPI_Count,
    datatype: MPI_Datatype,
    win: MPI_Win,
    request: Out<MPI_Request>,
) -> Result {
    TransferArguments { origin, origin_count, origin_datatype, rank, disp, count, datatype, win }
        .get(true)?;
    complete(request);
    Ok(())
}
