//! Datatypes of Fortran's kinds with a precision and a range (MPI 5.0, section 19.1.9). They are
//! predefined and have no name: the same arguments give the same handle.

use std::ffi::c_int;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use super::lookup::register;
use super::object::{Datatype, Parts, Recipe};
use super::predefined;
use crate::abi::*;
use crate::arguments::Out;
use crate::error::{Error, Result};

/// The datatypes that programs have asked for, by their combiners and arguments.
static MADE: Mutex<Vec<(c_int, [c_int; 2], MPI_Datatype)>> = Mutex::new(Vec::new());

/// Whether a combiner is that of such a datatype.
pub(super) fn is_combiner(combiner: c_int) -> bool {
    [MPI_COMBINER_F90_REAL, MPI_COMBINER_F90_COMPLEX, MPI_COMBINER_F90_INTEGER].contains(&combiner)
}

/// The handle of such a datatype; none for others.
pub(super) fn handle_of(datatype: &Datatype) -> Option<MPI_Datatype> {
    let recipe = &datatype.recipe;
    if !is_combiner(recipe.combiner) {
        return None;
    }
    let made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let is_it = |combiner: c_int, arguments: &[c_int; 2]| {
        combiner == recipe.combiner
            && recipe.integers.iter().zip(arguments).all(|(own, &other)| *own == other.into())
    };
    made.iter().find(|(combiner, arguments, _)| is_it(*combiner, arguments)).map(|known| known.2)
}

fn create(
    combiner: c_int,
    arguments: [c_int; 2],
    like: Option<MPI_Datatype>,
    newtype: Out<MPI_Datatype>,
) -> Result {
    let none = || {
        Error::new(
            MPI_ERR_ARG,
            format!("no kind has the precision and range, or the range, {arguments:?}"),
        )
    };
    let like = like.and_then(predefined::find).ok_or_else(none)?;
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let known = made.iter().find(|known| (known.0, known.1) == (combiner, arguments));
    if let Some((_, _, handle)) = known {
        newtype.set(*handle);
        return Ok(());
    }
    let Parts::Basic(element, sizes) = &like.parts else { return Err(none()) };
    let number = if combiner == MPI_COMBINER_F90_INTEGER { 1 } else { 2 };
    let integers: Vec<MPI_Count> = arguments[..number].iter().map(|&n| n.into()).collect();
    let recipe = Recipe::of_integers(combiner, integers);
    let parts = Parts::Basic(*element, sizes);
    let datatype = Datatype::new("", like.layout.clone(), like.bounds, parts, recipe);
    datatype.committed.store(true, Ordering::Release);
    let handle = register(datatype);
    made.push((combiner, arguments, handle));
    newtype.set(handle);
    Ok(())
}

/// The size in bytes of the smallest real number with at least these decimal digits and this
/// decimal exponent. None if both are `MPI_UNDEFINED`.
fn real_bytes(digits: c_int, exponent: c_int) -> Option<c_int> {
    if (digits, exponent) == (MPI_UNDEFINED, MPI_UNDEFINED) {
        return None;
    }
    let within = |value: c_int, most: c_int| value == MPI_UNDEFINED || value <= most;
    let kinds = [(6, 37, 4), (15, 307, 8), (33, 4931, 16)];
    let fits = |kind: &&(c_int, c_int, c_int)| within(digits, kind.0) && within(exponent, kind.1);
    kinds.iter().find(fits).map(|kind| kind.2)
}

/// `MPI_Type_create_f90_real`
pub(crate) fn create_f90_real(p: c_int, r: c_int, newtype: Out<MPI_Datatype>) -> Result {
    let like = real_bytes(p, r).map(|bytes| match bytes {
        4 => MPI_REAL4,
        8 => MPI_REAL8,
        _ => MPI_REAL16,
    });
    create(MPI_COMBINER_F90_REAL, [p, r], like, newtype)
}

/// `MPI_Type_create_f90_complex`
pub(crate) fn create_f90_complex(p: c_int, r: c_int, newtype: Out<MPI_Datatype>) -> Result {
    let like = real_bytes(p, r).map(|bytes| match bytes {
        4 => MPI_COMPLEX8,
        8 => MPI_COMPLEX16,
        _ => MPI_COMPLEX32,
    });
    create(MPI_COMBINER_F90_COMPLEX, [p, r], like, newtype)
}

/// `MPI_Type_create_f90_integer`
pub(crate) fn create_f90_integer(r: c_int, newtype: Out<MPI_Datatype>) -> Result {
    let like = match r {
        MPI_UNDEFINED => None,
        ..3 => Some(MPI_INTEGER1),
        3..=4 => Some(MPI_INTEGER2),
        5..=9 => Some(MPI_INTEGER4),
        10..=18 => Some(MPI_INTEGER8),
        19..=38 => Some(MPI_INTEGER16),
        _ => None,
    };
    create(MPI_COMBINER_F90_INTEGER, [r, 0], like, newtype)
}
