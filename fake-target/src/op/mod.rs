//! Reduction operations (MPI 5.0, section 6.9): the predefined ones ([`kernels`]) and those of the
//! program.

mod kernels;

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use crate::abi::*;
use crate::arguments::Out;
use crate::datatype::{self, Datatype, DatatypeRef};
use crate::error::{Error, Result};
use crate::handles::{HandleKind, Table};

/// An operation that the program made.
pub(crate) struct UserOp {
    function: UserFunction,
    commutes: bool,
}

enum UserFunction {
    Small(MPI_User_function),
    Large(MPI_User_function_c),
}

/// A reference to an operation, which keeps it alive even after `MPI_Op_free`.
#[derive(Clone)]
pub(crate) enum OpRef {
    /// A predefined one.
    Predefined(MPI_Op),
    /// One of the program's.
    User(Arc<UserOp>),
}

static OPS: Table<UserOp> = Table::new(HandleKind::Op);

const PREDEFINED: &[(MPI_Op, &str)] = &[
    (MPI_SUM, "MPI_SUM"),
    (MPI_MIN, "MPI_MIN"),
    (MPI_MAX, "MPI_MAX"),
    (MPI_PROD, "MPI_PROD"),
    (MPI_BAND, "MPI_BAND"),
    (MPI_BOR, "MPI_BOR"),
    (MPI_BXOR, "MPI_BXOR"),
    (MPI_LAND, "MPI_LAND"),
    (MPI_LOR, "MPI_LOR"),
    (MPI_LXOR, "MPI_LXOR"),
    (MPI_MINLOC, "MPI_MINLOC"),
    (MPI_MAXLOC, "MPI_MAXLOC"),
    (MPI_REPLACE, "MPI_REPLACE"),
    (MPI_NO_OP, "MPI_NO_OP"),
];

fn predefined_name(op: MPI_Op) -> Option<&'static str> {
    PREDEFINED.iter().find(|(handle, _)| *handle == op).map(|(_, name)| *name)
}

/// The operation of a handle; `MPI_ERR_OP` if there is none.
pub(crate) fn resolve(handle: MPI_Op) -> Result<OpRef> {
    if predefined_name(handle).is_some() {
        return Ok(OpRef::Predefined(handle));
    }
    OPS.get(handle.0).map(OpRef::User).ok_or_else(|| {
        let what = if handle == MPI_OP_NULL { "MPI_OP_NULL" } else { "not that of an operation" };
        Error::new(MPI_ERR_OP, format!("the handle is {what}"))
    })
}

/// A predefined operation on elements of a predefined datatype without gaps.
#[derive(Clone, Copy)]
pub(crate) struct Combination(kernels::Kernel);

impl Combination {
    /// The operation on elements of a datatype, if both are predefined, the elements have no gaps,
    /// and the operation is defined for them.
    #[inline]
    pub(crate) fn new(op: MPI_Op, datatype: MPI_Datatype) -> Option<Combination> {
        datatype::dense_size(datatype)?;
        let datatype = datatype::resolve(datatype).ok()?;
        let (element, _) = datatype.reducible()?;
        kernels::kernel(op, element).map(Combination)
    }

    /// Combines: `inout[i] = input[i] op inout[i]`.
    ///
    /// # Safety
    /// Both buffers hold `count` elements of the datatype.
    #[inline]
    pub(crate) unsafe fn apply(self, input: *const u8, inout: *mut u8, count: usize) {
        // SAFETY: as the caller says.
        unsafe { (self.0)(count, input, inout) }
    }
}

impl OpRef {
    /// Whether `a op b` equals `b op a`.
    pub(crate) fn commutes(&self) -> bool {
        match self {
            OpRef::Predefined(op) => ![MPI_REPLACE, MPI_NO_OP].contains(op),
            OpRef::User(op) => op.commutes,
        }
    }

    /// The operation on elements of a datatype. `MPI_ERR_OP` if it is not defined for them.
    pub(crate) fn on(self, datatype: &Datatype) -> Result<Reduction> {
        match self {
            OpRef::Predefined(op) => kernels::find(op, datatype)
                .map(|run| Reduction::Predefined(op, run))
                .ok_or_else(|| undefined(op, datatype)),
            OpRef::User(op) => Ok(Reduction::User(op)),
        }
    }
}

#[cold]
fn undefined(op: MPI_Op, datatype: &Datatype) -> Error {
    let name = predefined_name(op).unwrap_or_default();
    let of = datatype.name();
    let of = if of.is_empty() { "a derived datatype" } else { &of };
    Error::new(MPI_ERR_OP, format!("{name} is not defined for {of}"))
}

/// An operation on elements of a datatype that it is defined for.
#[derive(Clone)]
pub(crate) enum Reduction {
    /// A predefined one.
    Predefined(MPI_Op, kernels::Run),
    /// One of the program's.
    User(Arc<UserOp>),
}

impl Reduction {
    /// Whether `a op b` equals `b op a`.
    pub(crate) fn commutes(&self) -> bool {
        match self {
            Reduction::Predefined(op, _) => *op != MPI_REPLACE,
            Reduction::User(op) => op.commutes,
        }
    }

    /// Whether it is no function of the program.
    pub(crate) fn is_predefined(&self) -> bool {
        matches!(self, Reduction::Predefined(..))
    }

    /// Combines `count` elements: `inout[i] = input[i] op inout[i]`. `datatype` is the one that the
    /// operation was made for, and `handle` its handle, for functions of the program. They get
    /// another one if the program has freed it while a nonblocking operation was under way.
    ///
    /// The caller guarantees that both buffers hold that many elements.
    pub(crate) fn apply(
        &self,
        datatype: &DatatypeRef,
        handle: MPI_Datatype,
        input: *const c_void,
        inout: *mut c_void,
        count: MPI_Count,
    ) {
        match self {
            _ if count == 0 => {}
            // SAFETY: as the caller guarantees.
            Reduction::Predefined(_, run) => unsafe { run.run(input, inout, count) },
            Reduction::User(op) => {
                let named = datatype::Named::new(datatype, handle);
                op.call(datatype, named.handle(), input, inout, count);
            }
        }
    }
}

impl UserOp {
    fn call(
        &self,
        datatype: &Datatype,
        mut handle: MPI_Datatype,
        input: *const c_void,
        inout: *mut c_void,
        count: MPI_Count,
    ) {
        match self.function {
            UserFunction::Large(Some(function)) => {
                let mut length = count;
                // SAFETY: the program made the operation of this function; the buffers hold `count`
                // elements.
                unsafe { function(input.cast_mut(), inout, &mut length, &mut handle) };
            }
            UserFunction::Small(Some(function)) => {
                let mut done = 0;
                while done < count {
                    let mut length = (count - done).min(c_int::MAX.into()) as c_int;
                    let at = (done * datatype.extent()) as isize;
                    let (input, inout) =
                        (input.wrapping_byte_offset(at), inout.wrapping_byte_offset(at));
                    // SAFETY: as above, for a part of the elements.
                    unsafe { function(input.cast_mut(), inout, &mut length, &mut handle) };
                    done += (count - done).min(c_int::MAX.into());
                }
            }
            UserFunction::Large(None) | UserFunction::Small(None) => {}
        }
    }
}

fn create_with(function: UserFunction, commute: c_int, op: Out<MPI_Op>) -> Result {
    if matches!(function, UserFunction::Small(None) | UserFunction::Large(None)) {
        return Err(Error::new(MPI_ERR_ARG, "the function is a null pointer"));
    }
    op.set(MPI_Op(OPS.insert(UserOp { function, commutes: commute != 0 })));
    Ok(())
}

/// `MPI_Op_create`
pub(crate) fn create(user_fn: MPI_User_function, commute: c_int, op: Out<MPI_Op>) -> Result {
    create_with(UserFunction::Small(user_fn), commute, op)
}

/// `MPI_Op_create_c`
pub(crate) fn create_c(user_fn: MPI_User_function_c, commute: c_int, op: Out<MPI_Op>) -> Result {
    create_with(UserFunction::Large(user_fn), commute, op)
}

/// `MPI_Op_free`
pub(crate) fn free(op: Out<MPI_Op>) -> Result {
    let handle = op.get();
    if let Some(name) = predefined_name(handle) {
        return Err(Error::new(MPI_ERR_OP, format!("{name} is predefined and cannot be freed")));
    }
    resolve(handle)?;
    OPS.remove(handle.0);
    op.set(MPI_OP_NULL);
    Ok(())
}

/// `MPI_Op_commutative`
pub(crate) fn commutative(op: MPI_Op, commute: Out<c_int>) -> Result {
    commute.set(resolve(op)?.commutes().into());
    Ok(())
}

/// `MPI_Reduce_local`
pub(crate) fn reduce_local(
    inbuf: *const c_void,
    inoutbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> Result {
    if count < 0 {
        return Err(Error::new(MPI_ERR_COUNT, format!("the count {count} is negative")));
    }
    if [inbuf, inoutbuf.cast_const()].contains(&MPI_IN_PLACE.cast_const()) {
        return Err(Error::new(MPI_ERR_BUFFER, "the buffer is MPI_IN_PLACE"));
    }
    let of = datatype::resolve(datatype)?;
    let Some(bytes) = count.checked_mul(of.size()) else {
        return Err(Error::new(
            MPI_ERR_COUNT,
            format!("{count} elements are more than memory has"),
        ));
    };
    if inbuf == inoutbuf.cast_const() && bytes > 0 {
        return Err(Error::new(MPI_ERR_BUFFER, "both buffers are the same"));
    }
    resolve(op)?.on(&of)?.apply(&of, datatype, inbuf, inoutbuf, count);
    Ok(())
}

/// `MPI_Op_fromint`
pub(crate) fn from_int(integer: c_int) -> MPI_Op {
    OPS.handle_of(integer)
}
