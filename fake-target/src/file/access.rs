//! Reading and writing by one process (MPI 5.0, sections 14.4.2 to 14.4.4): at explicit offsets,
//! and at the individual and the shared file pointer. The system takes the data at once, so a
//! nonblocking access is complete when its function returns.

use std::borrow::Cow;
use std::ffi::c_void;
use std::sync::RwLockReadGuard;
use std::sync::atomic::Ordering;

use super::memory::ElementBuffer;
use super::object::{File, resolve};
use super::observed::WatchedAccess;
use super::transfer;
use super::view::View;
use crate::abi::*;
use crate::arguments::Out;
use crate::engine;
use crate::error::{Error, Result};
use crate::request::give_status;
use crate::variables::counters;

/// Bytes that are packed and unpacked at once.
const CHUNK: usize = 4 << 20;

/// Where an access begins.
#[derive(Clone, Copy)]
pub(super) enum FilePosition {
    /// At an offset in etypes that the program gives.
    At(MPI_Offset),
    /// At an offset that the shared file pointer had.
    SharedWas(MPI_Offset),
    /// At the individual file pointer, which moves on.
    Individual,
    /// At the shared file pointer, which moves on.
    Shared,
}

/// What is done with the data.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Read,
    Write,
}

/// The buffer arguments of a call.
pub(super) type BufferArguments = (*const c_void, MPI_Count, MPI_Datatype);

/// An access with checked arguments.
pub(super) struct FileAccess<'a> {
    file: &'a File,
    direction: Direction,
    memory: ElementBuffer,
    view: RwLockReadGuard<'a, View>,
    atomic: bool,
    /// Bytes in the file.
    bytes: MPI_Count,
    /// The same in etypes.
    pub(super) etypes: MPI_Offset,
    watched: WatchedAccess,
}

/// Data of an access.
pub(super) struct Pieces<'a> {
    /// Their places in the file, and how many bytes go there.
    pub(super) runs: Vec<(MPI_Offset, usize)>,
    pub(super) data: Cow<'a, [u8]>,
    /// The access has more data after these.
    pub(super) goes_on: bool,
}

impl<'a> FileAccess<'a> {
    /// Checks the arguments of a call.
    pub(super) fn new(
        file: &'a File,
        direction: Direction,
        arguments: BufferArguments,
    ) -> Result<FileAccess<'a>> {
        match direction {
            Direction::Read => file.needs_read()?,
            Direction::Write => file.needs_write()?,
        }
        let (buffer, count, datatype) = arguments;
        let memory = ElementBuffer::new(buffer, count, datatype)?;
        let (view, atomic) = (file.view(), file.is_atomic.load(Ordering::Relaxed));
        let bytes = view.representation.bytes_of(&memory)?;
        if direction == Direction::Write && bytes > 0 && !view.has_data() {
            let message = "the file type of the view has no data, so there is no place to write to";
            return Err(Error::new(MPI_ERR_IO, message));
        }
        let etypes = view.etypes(bytes)?;
        let watched = WatchedAccess::new(file, direction, arguments);
        Ok(FileAccess { file, direction, memory, view, atomic, bytes, etypes, watched })
    }

    /// Has the place of the access told in the order of the ranks, by the shared file pointer.
    pub(super) fn in_turn<R>(&self, work: impl FnOnce() -> R) -> R {
        self.watched.moves_pointer(work)
    }

    /// Performs it. The result is the number of bytes in memory.
    pub(super) fn perform(&self, place: FilePosition) -> Result<MPI_Count> {
        self.perform_from(self.begin(place)?)
    }

    /// Where in the data stream it begins. A file pointer moves on.
    pub(super) fn begin(&self, place: FilePosition) -> Result<MPI_Count> {
        let offset = self.offset(place)?;
        self.watched.begins_at(offset);
        self.view.stretch(offset, self.bytes)
    }

    fn perform_from(&self, from: MPI_Count) -> Result<MPI_Count> {
        let writes = self.direction == Direction::Write;
        let _locked = match self.atomic {
            true => transfer::lock(self.file, &self.view, (from, from + self.bytes), writes)?,
            false => None,
        };
        let moved = match self.direction {
            _ if !self.view.representation.is_plain() => self.convert(from),
            Direction::Write => self.write(from, 0),
            Direction::Read => self.read(from),
        };
        self.watched.ends();
        let moved = moved?;
        match self.direction {
            Direction::Read => {
                counters::FILE_READS.add_shared(1);
                counters::FILE_BYTES_READ.add_shared(moved as u64);
            }
            Direction::Write => count_write(moved),
        }
        Ok(moved)
    }

    /// Up to `limit` bytes of a write after the first `done` ones, and their places in the file.
    /// None if other processes cannot write these data: in atomic mode, for instance.
    pub(super) fn pieces(
        &self,
        from: MPI_Count,
        done: MPI_Count,
        limit: MPI_Count,
    ) -> Option<Pieces<'_>> {
        let can = self.view.representation.is_plain() && !self.atomic;
        let now = limit.min(self.bytes - done);
        can.then(|| {
            let mut runs = Vec::new();
            self.view.runs(from + done, from + done + now, |at, length| runs.push((at, length)));
            let data = self.memory.read(done as usize, now as usize);
            Pieces { runs, data, goes_on: done + now < self.bytes }
        })
    }

    /// Writes the data after the first `done` bytes, which have been written.
    pub(super) fn write_rest(&self, from: MPI_Count, done: MPI_Count) -> Result<MPI_Count> {
        if done == 0 {
            return self.perform_from(from);
        }
        self.write(from, done as usize)?;
        Ok(self.written())
    }

    /// Data of it, or of other processes, have been exchanged.
    pub(super) fn ships(&self, bytes: usize) {
        self.watched.ships(bytes);
    }

    /// Writes data of several processes, in the order of their places in the file.
    pub(super) fn write_runs(&self, runs: &[(MPI_Offset, &[u8])]) -> Result {
        transfer::write_runs(self.file_watched(), runs)
    }

    /// Everything has been written. The result is the number of bytes in memory.
    pub(super) fn written(&self) -> MPI_Count {
        self.watched.ends();
        count_write(self.bytes);
        self.bytes
    }

    /// The file, and who follows what is done to it.
    fn file_watched(&self) -> (&File, &WatchedAccess) {
        (self.file, &self.watched)
    }

    fn offset(&self, place: FilePosition) -> Result<MPI_Offset> {
        match place {
            FilePosition::At(offset) if offset < 0 => {
                Err(Error::new(MPI_ERR_ARG, format!("the offset {offset} is negative")))
            }
            FilePosition::At(offset) => {
                self.file.needs_random_access()?;
                Ok(offset)
            }
            FilePosition::SharedWas(offset) => Ok(offset),
            FilePosition::Individual => {
                self.file.needs_random_access()?;
                let mut state = self.file.state();
                let offset = state.position;
                // The pointer does not move if the data have no place.
                self.view.stretch(offset, self.bytes)?;
                state.position += self.etypes;
                Ok(offset)
            }
            FilePosition::Shared => {
                self.watched.moves_pointer(|| self.file.pointer.advance(self.etypes))
            }
        }
    }

    /// The same for data whose representation in the file differs from that in memory.
    fn convert(&self, from: MPI_Count) -> Result<MPI_Count> {
        let (view, bytes) = (&self.view, self.bytes as usize);
        if self.direction == Direction::Write {
            let data = view.representation.encode(&self.memory, bytes)?;
            transfer::write(self.file_watched(), view, from, &data)?;
            return Ok(self.memory.bytes());
        }
        let mut data = vec![0; bytes];
        let found = transfer::read(self.file_watched(), view, from, &mut data)?;
        view.representation.decode(&self.memory, &mut data[..found])
    }

    fn write(&self, from: MPI_Count, mut done: usize) -> Result<MPI_Count> {
        let total = self.bytes as usize;
        while done < total {
            let now = CHUNK.min(total - done);
            let data = self.memory.read(done, now);
            let at = from + done as MPI_Count;
            transfer::write(self.file_watched(), &self.view, at, &data)?;
            done += now;
        }
        Ok(done as MPI_Count)
    }

    fn read(&self, from: MPI_Count) -> Result<MPI_Count> {
        let (mut done, total) = (0, self.bytes as usize);
        while done < total {
            let now = CHUNK.min(total - done);
            let found = self.memory.fill(done, now, |into| {
                let at = from + done as MPI_Count;
                transfer::read(self.file_watched(), &self.view, at, into)
            })?;
            done += found;
            if found < now {
                break;
            }
        }
        Ok(done as MPI_Count)
    }
}

/// Counts a write of this many bytes, for the tool information interface.
fn count_write(bytes: MPI_Count) {
    counters::FILE_WRITES.add_shared(1);
    counters::FILE_BYTES_WRITTEN.add_shared(bytes as u64);
}

/// Writes the status of an access of this many bytes, unless the program ignores it.
pub(super) fn tell(status: *mut MPI_Status, bytes: MPI_Count) {
    let mut result = MPI_Status::EMPTY;
    result.MPI_SOURCE = MPI_PROC_NULL;
    result.set_bytes(bytes);
    give_status(status, &result);
}

fn blocking(
    fh: MPI_File,
    direction: Direction,
    place: FilePosition,
    data: BufferArguments,
    status: *mut MPI_Status,
) -> Result {
    let file = resolve(fh)?;
    let bytes = FileAccess::new(&file, direction, data)?.perform(place)?;
    tell(status, bytes);
    Ok(())
}

fn nonblocking(
    fh: MPI_File,
    direction: Direction,
    place: FilePosition,
    data: BufferArguments,
    request: Out<MPI_Request>,
) -> Result {
    let file = resolve(fh)?;
    let bytes = FileAccess::new(&file, direction, data)?.perform(place)?;
    request.set(MPI_Request(engine::enter().make_done(bytes).handle()));
    Ok(())
}

/// Functions at a file pointer: the blocking one, and those that return a request.
macro_rules! at_pointers {
    ($($name:ident $($inonblocking:ident)*: $direction:ident $place:ident $pointer:ty;)*) => {$(
        #[doc = concat!("`MPI_File_", stringify!($name), "`")]
        pub(crate) fn $name(
            fh: MPI_File,
            buf: $pointer,
            count: MPI_Count,
            datatype: MPI_Datatype,
            status: *mut MPI_Status,
        ) -> Result {
            let data = (buf as *const c_void, count, datatype);
            blocking(fh, Direction::$direction, FilePosition::$place, data, status)
        }
        $(
            #[doc = concat!("`MPI_File_", stringify!($inonblocking), "`")]
            pub(crate) fn $inonblocking(
                fh: MPI_File,
                buf: $pointer,
                count: MPI_Count,
                datatype: MPI_Datatype,
                request: Out<MPI_Request>,
            ) -> Result {
                let data = (buf as *const c_void, count, datatype);
                nonblocking(fh, Direction::$direction, FilePosition::$place, data, request)
            }
        )*
    )*};
}

/// The same at explicit offsets.
macro_rules! at_offsets {
    ($($name:ident $($inonblocking:ident)*: $direction:ident $pointer:ty;)*) => {$(
        #[doc = concat!("`MPI_File_", stringify!($name), "`")]
        pub(crate) fn $name(
            fh: MPI_File,
            offset: MPI_Offset,
            buf: $pointer,
            count: MPI_Count,
            datatype: MPI_Datatype,
            status: *mut MPI_Status,
        ) -> Result {
            let data = (buf as *const c_void, count, datatype);
            blocking(fh, Direction::$direction, FilePosition::At(offset), data, status)
        }
        $(
            #[doc = concat!("`MPI_File_", stringify!($inonblocking), "`")]
            pub(crate) fn $inonblocking(
                fh: MPI_File,
                offset: MPI_Offset,
                buf: $pointer,
                count: MPI_Count,
                datatype: MPI_Datatype,
                request: Out<MPI_Request>,
            ) -> Result {
                let data = (buf as *const c_void, count, datatype);
                nonblocking(fh, Direction::$direction, FilePosition::At(offset), data, request)
            }
        )*
    )*};
}

at_pointers! {
    read iread iread_all: Read Individual *mut c_void;
    write iwrite iwrite_all: Write Individual *const c_void;
    read_shared iread_shared: Read Shared *mut c_void;
    write_shared iwrite_shared: Write Shared *const c_void;
}

at_offsets! {
    read_at iread_at iread_at_all: Read *mut c_void;
    write_at iwrite_at iwrite_at_all: Write *const c_void;
}
