//! Reading and writing by all processes of a file (MPI 5.0, sections 14.4.2 to 14.4.4). Each reads
//! its own data. They meet meanwhile, so that a missing process is noticed. What they write is
//! collected if it consists of small pieces ([`buffering`]).

use std::ffi::{c_int, c_void};

use super::access::{BufferArguments, Direction, FileAccess, FilePosition, tell};
use super::agreement::begin;
use super::buffering;
use super::object::{File, resolve};
use super::split;
use crate::abi::*;
use crate::collectives::Collective;
use crate::communicator::agreement::{code_of, failed_elsewhere};
use crate::error::Result;

/// What the processes do together.
#[derive(Clone, Copy)]
pub(super) struct Together {
    pub(super) operation: Collective,
    pub(super) direction: Direction,
    /// None: in the order of the ranks, at the shared file pointer.
    pub(super) place: Option<FilePosition>,
}

/// Does this process's part and meets all others. The result is the number of bytes in memory.
pub(super) fn perform(file: &File, what: Together, data: BufferArguments) -> Result<MPI_Count> {
    let _under_way = begin(file, what.operation);
    let split = file.state().split.is_some();
    let access = match split {
        true => Err(split::is_active()),
        false => FileAccess::new(file, what.direction, data),
    };
    match what.place {
        Some(place) if what.direction == Direction::Write && file.state().collects => {
            buffering::write(file, access, place)
        }
        Some(place) => {
            file.team().barrier_around(|| access.and_then(|access| access.perform(place)))?
        }
        None => {
            let offset = match &access {
                Ok(access) => access.in_turn(|| in_turn(file, access.etypes)),
                Err(_) => in_turn(file, 0),
            }?;
            access?.perform(FilePosition::SharedWas(offset))
        }
    }
}

/// The offset of this process's etypes if those of all processes follow each other in the order of
/// the ranks, beginning at the shared file pointer. The pointer moves behind the last.
fn in_turn(file: &File, etypes: MPI_Offset) -> Result<MPI_Offset> {
    let team = file.team();
    let counts = team.allgather(&[etypes])?;
    // A sum that is too large leads to an offset at which no data have a place.
    let sum =
        |first, counts: &[MPI_Offset]| counts.iter().copied().fold(first, i64::saturating_add);
    let moved = match file.leads() {
        true => file.pointer.advance(sum(0, &counts)),
        false => Ok(0),
    };
    let mut told = [i64::from(code_of(&moved)), moved.as_ref().copied().unwrap_or(0)];
    team.broadcast(0, &mut told)?;
    moved?;
    match told {
        [0, base] => Ok(sum(base, &counts[..team.rank() as usize])),
        [code, _] => Err(failed_elsewhere(code as c_int, "moving the shared file pointer")),
    }
}

fn blocking(
    fh: MPI_File,
    what: Together,
    data: BufferArguments,
    status: *mut MPI_Status,
) -> Result {
    let file = resolve(fh)?;
    tell(status, perform(&file, what, data)?);
    Ok(())
}

/// The functions without an explicit offset.
macro_rules! functions {
    ($($name:ident: $operation:ident $direction:ident $place:expr, $pointer:ty;)*) => {$(
        #[doc = concat!("`MPI_File_", stringify!($name), "`")]
        pub(crate) fn $name(
            fh: MPI_File,
            buf: $pointer,
            count: MPI_Count,
            datatype: MPI_Datatype,
            status: *mut MPI_Status,
        ) -> Result {
            let (operation, direction) = (Collective::$operation, Direction::$direction);
            let what = Together { operation, direction, place: $place };
            blocking(fh, what, (buf as *const c_void, count, datatype), status)
        }
    )*};
}

functions! {
    read_all: FileReadAll Read Some(FilePosition::Individual), *mut c_void;
    write_all: FileWriteAll Write Some(FilePosition::Individual), *const c_void;
    read_ordered: FileReadOrdered Read None, *mut c_void;
    write_ordered: FileWriteOrdered Write None, *const c_void;
}

/// `MPI_File_read_at_all`
pub(crate) fn read_at_all(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    status: *mut MPI_Status,
) -> Result {
    let (operation, direction) = (Collective::FileReadAtAll, Direction::Read);
    let what = Together { operation, direction, place: Some(FilePosition::At(offset)) };
    blocking(fh, what, (buf as *const c_void, count, datatype), status)
}

/// `MPI_File_write_at_all`
pub(crate) fn write_at_all(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    status: *mut MPI_Status,
) -> Result {
    let (operation, direction) = (Collective::FileWriteAtAll, Direction::Write);
    let what = Together { operation, direction, place: Some(FilePosition::At(offset)) };
    blocking(fh, what, (buf, count, datatype), status)
}
