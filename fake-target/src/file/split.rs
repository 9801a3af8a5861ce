//! Split collective accesses (MPI 5.0, section 14.4.5). The beginning does all the work, as the
//! standard allows. The end returns the result.

use std::ffi::c_void;

use super::access::{BufferArguments, Direction, FilePosition, tell};
use super::collective::{Together, perform};
use super::object::resolve;
use super::observed;
use crate::abi::*;
use crate::collectives::Collective;
use crate::engine::observe::Event;
use crate::error::{Error, Result};

/// A split collective access between its beginning and its end.
pub(super) struct Split {
    operation: Collective,
    bytes: MPI_Count,
}

/// The error if another collective operation cannot begin.
pub(super) fn is_active() -> Error {
    Error::new(MPI_ERR_OTHER, "a split collective operation on the file has not been ended yet")
}

fn start(fh: MPI_File, what: Together, data: BufferArguments) -> Result {
    let file = resolve(fh)?;
    let _watched = observed::phase(&file, Event::FileFirstPhase, what.direction, data);
    let bytes = perform(&file, what, data)?;
    file.state().split = Some(Split { operation: what.operation, bytes });
    Ok(())
}

fn end(
    fh: MPI_File,
    (operation, direction): (Collective, Direction),
    buffer: *const c_void,
    status: *mut MPI_Status,
) -> Result {
    let file = resolve(fh)?;
    let data = (buffer, 0, MPI_DATATYPE_NULL);
    let _watched = observed::phase(&file, Event::FileSecondPhase, direction, data);
    let mut state = file.state();
    match state.split.take_if(|split| split.operation as usize == operation as usize) {
        Some(split) => {
            tell(status, split.bytes);
            Ok(())
        }
        None => Err(Error::new(
            MPI_ERR_OTHER,
            "the split collective operation that is to be ended has not been begun",
        )),
    }
}

/// The beginning and the end of an access without an explicit offset.
macro_rules! pairs {
    (
        $($begin:ident $end:ident: $operation:ident $direction:ident $place:expr, $pointer:ty;)*
    ) => {$(
        #[doc = concat!("`MPI_File_", stringify!($begin), "`")]
        pub(crate) fn $begin(
            fh: MPI_File,
            buf: $pointer,
            count: MPI_Count,
            datatype: MPI_Datatype,
        ) -> Result {
            let (operation, direction) = (Collective::$operation, Direction::$direction);
            let what = Together { operation, direction, place: $place };
            start(fh, what, (buf as *const c_void, count, datatype))
        }

        #[doc = concat!("`MPI_File_", stringify!($end), "`")]
        pub(crate) fn $end(fh: MPI_File, buf: $pointer, status: *mut MPI_Status) -> Result {
            let what = (Collective::$operation, Direction::$direction);
            end(fh, what, buf as *const c_void, status)
        }
    )*};
}

/// The same with an explicit offset.
macro_rules! pairs_at {
    ($($begin:ident $end:ident: $operation:ident $direction:ident $pointer:ty;)*) => {$(
        #[doc = concat!("`MPI_File_", stringify!($begin), "`")]
        pub(crate) fn $begin(
            fh: MPI_File,
            offset: MPI_Offset,
            buf: $pointer,
            count: MPI_Count,
            datatype: MPI_Datatype,
        ) -> Result {
            let (operation, direction) = (Collective::$operation, Direction::$direction);
            let what = Together { operation, direction, place: Some(FilePosition::At(offset)) };
            start(fh, what, (buf as *const c_void, count, datatype))
        }

        #[doc = concat!("`MPI_File_", stringify!($end), "`")]
        pub(crate) fn $end(fh: MPI_File, buf: $pointer, status: *mut MPI_Status) -> Result {
            let what = (Collective::$operation, Direction::$direction);
            end(fh, what, buf as *const c_void, status)
        }
    )*};
}

pairs! {
    read_all_begin read_all_end: FileReadAllBegin Read Some(FilePosition::Individual), *mut c_void;
    write_all_begin write_all_end:
        FileWriteAllBegin Write Some(FilePosition::Individual), *const c_void;
    read_ordered_begin read_ordered_end: FileReadOrderedBegin Read None, *mut c_void;
    write_ordered_begin write_ordered_end: FileWriteOrderedBegin Write None, *const c_void;
}

pairs_at! {
    read_at_all_begin read_at_all_end: FileReadAtAllBegin Read *mut c_void;
    write_at_all_begin write_at_all_end: FileWriteAtAllBegin Write *const c_void;
}
