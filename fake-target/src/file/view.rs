//! File views (MPI 5.0, section 14.3): which bytes of a file a process sees, and in what order.

use std::ffi::{CStr, c_char};

use super::agreement::{begin, settle};
use super::buffering;
use super::object::{File, resolve};
use super::representation::Representation;
use crate::abi::*;
use crate::arguments::Out;
use crate::collectives::Collective;
use crate::datatype::{self, DatatypeRef};
use crate::error::{Error, Result};
use crate::{info, text};

/// A view. Its data stream is what `MPI_File_read` reads from offset 0 on.
pub(super) struct View {
    displacement: MPI_Offset,
    etype: DatatypeRef,
    filetype: DatatypeRef,
    pub(super) representation: Representation,
    /// Bytes of an etype in the file.
    unit: MPI_Count,
    /// The file type as it lies in the file.
    tile: DatatypeRef,
}

impl View {
    /// The view that files have at first: bytes.
    pub(super) fn of_bytes() -> View {
        let byte = || datatype::resolve(MPI_BYTE).expect("a predefined datatype");
        View {
            displacement: 0,
            etype: byte(),
            filetype: byte(),
            representation: Representation::Native,
            unit: 1,
            tile: byte(),
        }
    }

    fn new(
        displacement: MPI_Offset,
        etype: DatatypeRef,
        filetype: DatatypeRef,
        representation: Representation,
        writable: bool,
    ) -> Result<View> {
        if displacement < 0 {
            let message = format!("the displacement {displacement} is negative");
            return Err(Error::new(MPI_ERR_ARG, message));
        }
        let unit = representation.size(&etype)?;
        let tile = representation.in_file(&filetype)?;
        check_tile(unit, &tile, writable)?;
        let high = tile.true_lb() + tile.true_extent();
        if displacement.checked_add(high).is_none() {
            return Err(too_far());
        }
        Ok(View { displacement, etype, filetype, representation, unit, tile })
    }

    /// Whether the view shows any byte of the file.
    #[inline]
    pub(super) fn has_data(&self) -> bool {
        self.tile.size() > 0
    }

    /// The number of etypes in so many bytes of the data stream; `MPI_ERR_IO` if they are not
    /// whole.
    #[inline]
    pub(super) fn etypes(&self, bytes: MPI_Count) -> Result<MPI_Offset> {
        match self.unit {
            0 => Ok(0),
            1 => Ok(bytes),
            unit if bytes % unit == 0 => Ok(bytes / unit),
            unit => Err(Error::new(
                MPI_ERR_IO,
                format!("{bytes} bytes are not a whole number of etypes of {unit} bytes"),
            )),
        }
    }

    /// The place in the data stream that an offset in etypes stands for. `MPI_ERR_ARG` if so many
    /// bytes from there on do not have places in a file.
    #[inline]
    pub(super) fn stretch(&self, offset: MPI_Offset, bytes: MPI_Count) -> Result<MPI_Count> {
        let from = offset.checked_mul(self.unit);
        let fits = from.and_then(|from| self.end(from.checked_add(bytes)?));
        from.filter(|_| fits.is_some()).ok_or_else(too_far)
    }

    /// A place in the file that is not before the end of so many bytes of the data stream. None if
    /// it is further than an offset can say.
    #[inline]
    fn end(&self, to: MPI_Count) -> Option<MPI_Offset> {
        let size = self.tile.size();
        let high = self.tile.true_lb() + self.tile.true_extent();
        let within = match self.tile.is_dense() || size == 0 {
            true => self.tile.true_lb().checked_add(to)?,
            false => ((to - 1).max(0) / size).checked_mul(self.tile.extent())?.checked_add(high)?,
        };
        self.displacement.checked_add(within)
    }

    /// The place in the file of a byte of the data stream, if all bytes of the stream follow each
    /// other in the file.
    #[inline]
    pub(super) fn dense_place(&self, byte: MPI_Count) -> Option<MPI_Offset> {
        let is_dense = self.tile.is_dense() && self.tile.size() > 0;
        is_dense.then(|| self.displacement + self.tile.true_lb() + byte)
    }

    /// Visits the bytes `from..to` of the data stream: `visit(place in the file, length)` for each
    /// run of bytes that are one after the other in the file.
    pub(super) fn runs(
        &self,
        from: MPI_Count,
        to: MPI_Count,
        mut visit: impl FnMut(MPI_Offset, usize),
    ) {
        if from >= to || self.tile.size() == 0 {
            return;
        }
        if let Some(at) = self.dense_place(from) {
            return visit(at, (to - from) as usize);
        }
        let mut run: Option<(MPI_Offset, usize)> = None;
        self.tile.walk(from, to, |at, length| {
            let at = self.displacement + at;
            run = Some(match run {
                Some((start, before)) if start + before as MPI_Offset == at => {
                    (start, before + length)
                }
                Some((start, before)) => {
                    visit(start, before);
                    (at, length)
                }
                None => (at, length),
            });
        });
        if let Some((start, length)) = run {
            visit(start, length);
        }
    }

    /// The number of bytes in a run, on average, as far as the first 64 KiB tell.
    pub(super) fn bytes_in_run(&self) -> MPI_Count {
        if self.tile.is_dense() {
            return MPI_Count::MAX;
        }
        let (mut runs, some) = (0, self.tile.size().min(64 << 10));
        self.runs(0, some, |_, _| runs += 1);
        some / runs.max(1)
    }

    /// The first and the last place in the file (the latter exclusive) of the bytes `from..to`.
    pub(super) fn range(&self, from: MPI_Count, to: MPI_Count) -> Option<(MPI_Offset, MPI_Offset)> {
        let place = |at| {
            let mut place = None;
            self.runs(at, at + 1, |start, _| place = Some(start));
            place
        };
        if from >= to {
            return None;
        }
        Some((place(from)?, place(to - 1)? + 1))
    }

    /// The place in the file that an offset in etypes stands for.
    fn place(&self, offset: MPI_Offset) -> Result<MPI_Offset> {
        let at = self.stretch(offset, 1)?;
        Ok(self.range(at, at + 1).map_or(self.displacement, |(place, _)| place))
    }

    /// Etypes of the view that begin before a place in the file.
    pub(super) fn etypes_before(&self, end: MPI_Offset) -> MPI_Offset {
        let (rest, extent, size) = (end - self.displacement, self.tile.extent(), self.tile.size());
        if rest <= 0 || size == 0 {
            return 0;
        }
        let high = self.tile.true_lb() + self.tile.true_extent();
        let whole = if rest < high { 0 } else { (rest - high) / extent + 1 };
        let mut bytes = whole * size;
        let mut tile = whole;
        while tile * extent + self.tile.true_lb() < rest {
            self.tile.walk(tile * size, (tile + 1) * size, |at, length| {
                bytes += (rest - at).clamp(0, length as MPI_Count);
            });
            tile += 1;
        }
        bytes.div_euclid(self.unit) + i64::from(bytes.rem_euclid(self.unit) > 0)
    }
}

fn too_far() -> Error {
    Error::new(MPI_ERR_ARG, "the data would be at a larger offset in the file than MPI_Offset has")
}

/// `MPI_ERR_IO`, as in ROMIO, unless a file type consists of etypes in ascending order of their
/// places. In a file that is written they must not overlap.
fn check_tile(unit: MPI_Count, tile: &DatatypeRef, writable: bool) -> Result {
    let wrong = |message| Err(Error::new(MPI_ERR_IO, message));
    let size = tile.size();
    if size == 0 {
        return Ok(());
    }
    if unit == 0 || size % unit != 0 {
        return wrong("the file type is not made of etypes");
    }
    if tile.true_lb() < 0 {
        return wrong("the file type has data at a negative displacement");
    }
    if tile.extent() <= 0 {
        return wrong("the extent of the file type is not positive");
    }
    let (mut before, mut end, mut ascending, mut apart) = (0, 0, true, true);
    if !tile.is_dense() {
        tile.walk(0, size, |at, length| {
            ascending &= at >= before;
            apart &= at >= end;
            (before, end) = (at, at + length as MPI_Count);
        });
    }
    match (ascending, apart || !writable) {
        (false, _) => wrong("the displacements of the file type do not ascend"),
        (_, false) => wrong("elements of the file type overlap, and the file is open for writing"),
        _ => Ok(()),
    }
}

/// The displacement that the argument of `MPI_File_set_view` means.
fn displacement(file: &File, disp: MPI_Offset) -> Result<MPI_Offset> {
    let current = disp == MPI_Offset::from(MPI_DISPLACEMENT_CURRENT);
    match (current, file.amode & MPI_MODE_SEQUENTIAL != 0) {
        (true, true) => {
            let offset = file.pointer.get()?;
            file.view().place(offset)
        }
        (false, false) => Ok(disp),
        _ => Err(Error::new(
            MPI_ERR_ARG,
            "MPI_DISPLACEMENT_CURRENT is for files with MPI_MODE_SEQUENTIAL, which need it",
        )),
    }
}

/// `MPI_File_set_view`
pub(crate) fn set_view(
    fh: MPI_File,
    disp: MPI_Offset,
    etype: MPI_Datatype,
    filetype: MPI_Datatype,
    datarep: &CStr,
    hints: MPI_Info,
) -> Result {
    let file = resolve(fh)?;
    let _under_way = begin(&file, Collective::FileSetView);
    let new = || {
        if file.state().split.is_some() {
            return Err(super::split::is_active());
        }
        info::check_hints(hints)?;
        let displacement = displacement(&file, disp)?;
        let (etype, filetype) = (datatype::resolve(etype)?, datatype::resolve(filetype)?);
        let writable = file.amode & MPI_MODE_RDONLY == 0;
        View::new(displacement, etype, filetype, Representation::named(datarep)?, writable)
    };
    let new = new();
    let unit = new.as_ref().map_or(0, |view| view.unit);
    let kind = new.as_ref().map_or(0, |view| view.representation.number());
    let new = settle(&file.team(), new, [unit, kind])?;
    file.set_view(new);
    // All have read the pointer, and no process uses it before it is set.
    let moved = if file.leads() { file.pointer.set(0) } else { Ok(()) };
    let collects = buffering::is_wanted(&file)?;
    file.state().collects = collects;
    moved
}

/// `MPI_File_get_view`
pub(crate) fn get_view(
    fh: MPI_File,
    disp: Out<MPI_Offset>,
    etype: Out<MPI_Datatype>,
    filetype: Out<MPI_Datatype>,
    datarep: *mut c_char,
) -> Result {
    let file = resolve(fh)?;
    let view = file.view();
    text::copy_out(&view.representation.name(), datarep, MPI_MAX_DATAREP_STRING as usize)?;
    disp.set(view.displacement);
    etype.set(datatype::new_handle(&view.etype));
    filetype.set(datatype::new_handle(&view.filetype));
    Ok(())
}

/// `MPI_File_get_byte_offset`
pub(crate) fn get_byte_offset(fh: MPI_File, offset: MPI_Offset, disp: Out<MPI_Offset>) -> Result {
    let file = resolve(fh)?;
    file.needs_random_access()?;
    if offset < 0 {
        return Err(Error::new(MPI_ERR_ARG, format!("the offset {offset} is negative")));
    }
    disp.set(file.view().place(offset)?);
    Ok(())
}
