//! Operations that combine (MPI 5.0, sections 12.3.3 and 12.3.4). Each is done while the latch of
//! the target is held, so they are atomic with respect to each other.

use std::ffi::{c_int, c_void};

use super::object::{Window, resolve};
use super::observed::{self, Ends};
use super::operations::{check_fit, complete, place};
use super::origin::OriginBuffer;
use super::place::TargetElements;
use super::quick::{self, Both};
use crate::abi::*;
use crate::arguments::Out;
use crate::datatype::{self, DatatypeRef, Element};
use crate::engine::observe::WindowWork;
use crate::error::{Error, Result};
use crate::op::{self, Combination, OpRef, Reduction};
use crate::variables::counters::{ACCUMULATE_BYTES, ACCUMULATES};

/// What happens to the elements at the target.
enum Action {
    /// They stay.
    Keep,
    /// The origin's elements replace them.
    Replace,
    /// They are combined with the origin's elements, as elements of a predefined datatype.
    Combine(Reduction, DatatypeRef),
}

impl Action {
    /// What an operation does to elements of a datatype. Errors: `MPI_ERR_OP`, `MPI_ERR_TYPE`.
    fn new(op: MPI_Op, datatype: &DatatypeRef) -> Result<Action> {
        match op::resolve(op)? {
            OpRef::Predefined(MPI_NO_OP) => Ok(Action::Keep),
            OpRef::Predefined(MPI_REPLACE) => Ok(Action::Replace),
            OpRef::User(_) => Err(Error::new(
                MPI_ERR_OP,
                "an operation of the program cannot combine elements of a window",
            )),
            // Elements without data need no operation.
            _ if datatype.size() == 0 => Ok(Action::Keep),
            op => {
                let basic = datatype.basic().ok_or_else(|| {
                    Error::new(MPI_ERR_TYPE, "the elements are not made of one predefined datatype")
                })?;
                Ok(Action::Combine(op.on(&basic)?, basic))
            }
        }
    }

    /// `MPI_ERR_TYPE` if the origin's elements are of another kind.
    fn check_origin(&self, origin: &OriginBuffer) -> Result {
        match self {
            Action::Combine(_, basic)
                if origin.bytes() > 0 && origin.datatype.reducible() != basic.reducible() =>
            {
                Err(Error::new(
                    MPI_ERR_TYPE,
                    "the elements of origin and target are made of different predefined datatypes",
                ))
            }
            _ => Ok(()),
        }
    }

    /// Performs the action on the elements at the target, whose latch is held.
    fn run(&self, data: &[u8], place: &TargetElements) -> Result {
        let (op, basic) = match self {
            Action::Keep => return Ok(()),
            Action::Replace => return place.write(data),
            Action::Combine(op, basic) => (op, basic),
        };
        if basic.is_dense()
            && let Some(block) = place.block()
        {
            let count = data.len() as MPI_Count / basic.size();
            op.apply(basic, MPI_DATATYPE_NULL, data.as_ptr().cast(), block.cast(), count);
            return Ok(());
        }
        let mut combined = vec![0; data.len()];
        place.read(&mut combined)?;
        combine(op, basic, data, &mut combined);
        place.write(&combined)
    }
}

/// Combines two streams of elements of a predefined datatype.
fn combine(op: &Reduction, basic: &DatatypeRef, data: &[u8], into: &mut [u8]) {
    let count = data.len() as MPI_Count / basic.size();
    if basic.is_dense() {
        let (data, into) = (data.as_ptr().cast(), into.as_mut_ptr().cast());
        return op.apply(basic, MPI_DATATYPE_NULL, data, into, count);
    }
    // Pairs with gaps have the layout of C structures in memory.
    let words = (count * basic.extent()) as usize / size_of::<u128>() + 1;
    let (mut left, mut right) = (vec![0u128; words], vec![0u128; words]);
    let (left, right): (*mut c_void, *mut c_void) =
        (left.as_mut_ptr().cast(), right.as_mut_ptr().cast());
    basic.unpack(left, count, 0, data);
    basic.unpack(right, count, 0, into);
    op.apply(basic, MPI_DATATYPE_NULL, left, right, count);
    basic.pack(right, count, 0, into);
}

/// An argument that describes elements of this process.
struct OriginArguments {
    address: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
}

impl OriginArguments {
    fn new(address: *const c_void, count: MPI_Count, datatype: MPI_Datatype) -> OriginArguments {
        OriginArguments { address: address.cast_mut(), count, datatype }
    }

    fn buffer(&self) -> Result<OriginBuffer> {
        OriginBuffer::new(self.address, self.count, self.datatype)
    }
}

/// The arguments that describe elements at a target.
struct TargetArguments {
    rank: c_int,
    disp: MPI_Aint,
    count: MPI_Count,
    datatype: MPI_Datatype,
    win: MPI_Win,
}

impl TargetArguments {
    /// An operation on these elements with elements of this process.
    fn observed(&self, origin: &OriginArguments, op: MPI_Op) -> observed::WatchedOperation {
        let TargetArguments { rank, disp, count, datatype, win } = *self;
        observed::operation(WindowWork::Accumulate, op, || Ends {
            win,
            origin: (origin.address, origin.count, origin.datatype),
            rank,
            disp,
            target: (count, datatype),
        })
    }
}

/// Combines; `result` gets what was there before.
fn run(
    arguments: &OriginArguments,
    result: Option<&OriginArguments>,
    remote: &TargetArguments,
    op: MPI_Op,
    passive: bool,
) -> Result {
    let window: &Window = &*resolve(remote.win)?;
    let Some(target) = window.target(remote.rank)? else { return Ok(()) };
    let TargetArguments { rank, disp, count, datatype, .. } = *remote;
    // Without elements, any operation is valid for any datatype.
    let action = match op::resolve(op)? {
        OpRef::Predefined(_) if count == 0 && arguments.count == 0 => Action::Keep,
        _ => Action::new(op, &datatype::resolve(datatype)?)?,
    };
    let origin = match action {
        Action::Keep => OriginBuffer::none(datatype::resolve(datatype)?),
        _ => arguments.buffer()?,
    };
    action.check_origin(&origin)?;
    let mut result = result.map(OriginArguments::buffer).transpose()?;
    let Some(place) = place(window, rank, disp, count, datatype, passive)? else { return Ok(()) };
    check_fit(origin.bytes(), place.bytes())?;
    if let Some(result) = &result {
        check_fit(place.bytes(), result.bytes())?;
    }
    let data = origin.read();
    note(place.bytes());
    quick::wrote();
    remote.observed(arguments, op).moves(|| {
        let _held = window.control.target(target).accumulate.hold();
        if let Some(result) = &mut result {
            result.fill(place.bytes(), |bytes| place.read(bytes))?;
        }
        action.run(&data, &place)
    })
}

fn note(bytes: usize) {
    ACCUMULATES.add_shared(1);
    ACCUMULATE_BYTES.add_shared(bytes as u64);
}

/// The same as [`run`] the short way. False: nothing is done, and it has to go the long way.
#[inline(always)]
fn run_at_once(both: &Both, result: Option<*mut c_void>, op: MPI_Op) -> bool {
    let Some(near) = both.near() else { return false };
    let combination = match op {
        MPI_REPLACE | MPI_NO_OP => None,
        _ => match Combination::new(op, both.datatype) {
            None => return false,
            combination => combination,
        },
    };
    if result.is_some_and(|result| result.addr() <= MPI_IN_PLACE.addr()) {
        return false;
    }
    note(near.bytes);
    let _held = near.window.control.target(near.target).accumulate.hold();
    if let Some(result) = result {
        near.get(result);
    }
    match combination {
        // SAFETY: there are as many elements at the target (`near`), and in the program's buffer.
        Some(combination) => unsafe {
            combination.apply(both.origin.cast(), near.there, both.count as usize);
        },
        None if op == MPI_REPLACE => near.put(both.origin),
        None => {}
    }
    quick::combined();
    true
}

fn no_no_op(op: MPI_Op) -> Result {
    match op {
        MPI_NO_OP => {
            Err(Error::new(MPI_ERR_OP, "MPI_NO_OP has a meaning only where a result comes back"))
        }
        _ => Ok(()),
    }
}

/// `MPI_Accumulate`
#[allow(clippy::too_many_arguments, reason = "the parameters of the C function")]
pub(crate) fn accumulate(
    origin_addr: *const c_void,
    origin_count: MPI_Count,
    origin_datatype: MPI_Datatype,
    rank: c_int,
    disp: MPI_Aint,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    win: MPI_Win,
) -> Result {
    no_no_op(op)?;
    if origin_count == count && origin_datatype == datatype {
        let both = Both { origin: origin_addr, rank, disp, count, datatype, win };
        if run_at_once(&both, None, op) {
            return Ok(());
        }
    }
    let origin = OriginArguments::new(origin_addr, origin_count, origin_datatype);
    run(&origin, None, &TargetArguments { rank, disp, count, datatype, win }, op, false)
}

/// `MPI_Raccumulate`
#[allow(clippy::too_many_arguments, reason = "the parameters of the C function")]
pub(crate) fn raccumulate(
    origin_addr: *const c_void,
    origin_count: MPI_Count,
    origin_datatype: MPI_Datatype,
    rank: c_int,
    disp: MPI_Aint,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    win: MPI_Win,
    request: Out<MPI_Request>,
) -> Result {
    no_no_op(op)?;
    let origin = OriginArguments::new(origin_addr, origin_count, origin_datatype);
    run(&origin, None, &TargetArguments { rank, disp, count, datatype, win }, op, true)?;
    complete(request);
    Ok(())
}

/// `MPI_Get_accumulate`
#[allow(clippy::too_many_arguments, reason = "the parameters of the C function")]
pub(crate) fn get_accumulate(
    origin_addr: *const c_void,
    origin_count: MPI_Count,
    origin_datatype: MPI_Datatype,
    result_addr: *mut c_void,
    result_count: MPI_Count,
    result_datatype: MPI_Datatype,
    rank: c_int,
    disp: MPI_Aint,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    win: MPI_Win,
) -> Result {
    let origin = OriginArguments::new(origin_addr, origin_count, origin_datatype);
    let result = OriginArguments::new(result_addr, result_count, result_datatype);
    run(&origin, Some(&result), &TargetArguments { rank, disp, count, datatype, win }, op, false)
}

/// `MPI_Rget_accumulate`
#[allow(clippy::too_many_arguments, reason = "the parameters of the C function")]
pub(crate) fn rget_accumulate(
    origin_addr: *const c_void,
    origin_count: MPI_Count,
    origin_datatype: MPI_Datatype,
    result_addr: *mut c_void,
    result_count: MPI_Count,
    result_datatype: MPI_Datatype,
    rank: c_int,
    disp: MPI_Aint,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    win: MPI_Win,
    request: Out<MPI_Request>,
) -> Result {
    let origin = OriginArguments::new(origin_addr, origin_count, origin_datatype);
    let result = OriginArguments::new(result_addr, result_count, result_datatype);
    run(&origin, Some(&result), &TargetArguments { rank, disp, count, datatype, win }, op, true)?;
    complete(request);
    Ok(())
}

/// The one element of an operation that takes predefined datatypes only.
fn predefined(datatype: MPI_Datatype) -> Result<DatatypeRef> {
    let datatype = datatype::resolve(datatype)?;
    match datatype.is_predefined() {
        true => Ok(datatype),
        false => Err(Error::new(MPI_ERR_TYPE, "the datatype must be a predefined one")),
    }
}

/// `MPI_Fetch_and_op`
pub(crate) fn fetch_and_op(
    origin_addr: *const c_void,
    result_addr: *mut c_void,
    datatype: MPI_Datatype,
    rank: c_int,
    disp: MPI_Aint,
    op: MPI_Op,
    win: MPI_Win,
) -> Result {
    let both = Both { origin: origin_addr, rank, disp, count: 1, datatype, win };
    if run_at_once(&both, Some(result_addr), op) {
        return Ok(());
    }
    resolve(win)?;
    predefined(datatype)?;
    let origin = OriginArguments::new(origin_addr, 1, datatype);
    let result = OriginArguments::new(result_addr, 1, datatype);
    run(&origin, Some(&result), &TargetArguments { rank, disp, count: 1, datatype, win }, op, false)
}

/// `MPI_Compare_and_swap`
pub(crate) fn compare_and_swap(
    origin_addr: *const c_void,
    compare_addr: *const c_void,
    result_addr: *mut c_void,
    datatype: MPI_Datatype,
    rank: c_int,
    disp: MPI_Aint,
    win: MPI_Win,
) -> Result {
    let window = resolve(win)?;
    let comparable = matches!(
        predefined(datatype)?.reducible(),
        Some((Element::Signed(_) | Element::Unsigned(_) | Element::Logical(_) | Element::Byte, _))
    );
    if !comparable {
        return Err(Error::new(
            MPI_ERR_TYPE,
            "the datatype must be an integer, a logical or a byte",
        ));
    }
    let Some(target) = window.target(rank)? else { return Ok(()) };
    let origin = OriginBuffer::new(origin_addr, 1, datatype)?;
    let compare = OriginBuffer::new(compare_addr, 1, datatype)?;
    let mut result = OriginBuffer::new(result_addr, 1, datatype)?;
    let Some(place) = place(&window, rank, disp, 1, datatype, false)? else { return Ok(()) };
    note(place.bytes());
    quick::wrote();
    let (new, expected) = (origin.read(), compare.read());
    let mut found = [0; 16];
    let found = &mut found[..place.bytes()];
    let arguments = OriginArguments::new(origin_addr, 1, datatype);
    let remote = TargetArguments { rank, disp, count: 1, datatype, win };
    remote.observed(&arguments, MPI_OP_NULL).moves(|| {
        let _held = window.control.target(target).accumulate.hold();
        place.read(found)?;
        match *found == *expected {
            true => place.write(&new),
            false => Ok(()),
        }
    })?;
    result.fill(found.len(), |bytes| {
        bytes.copy_from_slice(found);
        Ok(())
    })
}
