//! The MPI libraries that can be read: a folder for each.
//!
//! A reader recognises its library by the image, resolves the layouts it needs once, and fills a
//! [`Snapshot`] from a process's memory. To support another library, add a folder and a variant
//! here.

mod companion;
mod kept;
mod mpich;
mod open_mpi;
mod values;

use crate::debugger::Image;
use crate::error::{Code, Error, Result};
use crate::memory::Memory;
use crate::queues::Snapshot;

/// A recognised MPI library, with what its reader needs to know about the image.
#[derive(Clone, Copy)]
#[allow(
    clippy::large_enum_variant,
    reason = "there is one for each process, and boxes could be refused"
)]
pub(crate) enum Runtime {
    /// The companion runtime, `libmpi_abi.so.1`.
    Companion(companion::Layout),
    /// Open MPI. Its layouts are found for each process: its types may be in libraries that are
    /// loaded late, or nowhere.
    OpenMpi,
    /// MPICH, which has no symbols but its functions: everything is found for each process.
    Mpich,
}

impl Runtime {
    /// Finds out which MPI library an image has.
    pub(crate) fn recognise(image: &Image) -> Result<Self> {
        if image.symbol(companion::ROOT)?.is_some() {
            return companion::Layout::resolve(image).map(Self::Companion);
        }
        if image.symbol(open_mpi::COMMUNICATORS)?.is_some() {
            return Ok(Self::OpenMpi);
        }
        if image.function(mpich::FUNCTION).is_some() {
            return Ok(Self::Mpich);
        }
        let code =
            if image.function(c"MPI_Init").is_some() { Code::UnknownMpi } else { Code::NotMpi };
        Err(Error::new(code))
    }

    /// The function that a call calls again and again while it waits for one thing. None: it is not
    /// known, or nothing could be said about the word that the loop looks at.
    pub(crate) fn loop_function(&self) -> Option<&'static str> {
        match self {
            Self::OpenMpi => Some(open_mpi::LOOP),
            Self::Companion(_) | Self::Mpich => None,
        }
    }

    /// The function in whose frames the requests of blocking sends are. None: these are elsewhere.
    pub(crate) fn send_function(&self, image: &Image) -> Result<Option<&'static str>> {
        match self {
            Self::OpenMpi => open_mpi::send_function(image),
            Self::Companion(_) | Self::Mpich => Ok(None),
        }
    }

    /// Finds the library's data in a process.
    pub(crate) fn locate(&self, image: &Image) -> Result<Located> {
        match self {
            Self::Companion(layout) => {
                companion::Reader::locate(layout, image).map(Located::Companion)
            }
            Self::OpenMpi => open_mpi::Library::locate(image).map(Located::OpenMpi),
            Self::Mpich => mpich::Library::locate(image).map(Located::Mpich),
        }
    }
}

/// What a debugger that reads call stacks has told about a process.
#[derive(Clone, Copy, Default)]
pub(crate) struct Told {
    /// The address of the word on whose change the process waits in a loop around
    /// [`Runtime::loop_function`], if that is known.
    pub(crate) word: Option<u64>,
    /// No thread but the first is in [`Runtime::send_function`].
    pub(crate) no_other_senders: bool,
}

/// The MPI library's data of a process.
#[derive(Clone, Copy)]
#[allow(
    clippy::large_enum_variant,
    reason = "there is one for each process, and boxes could be refused"
)]
pub(crate) enum Located {
    /// See [`Runtime::Companion`].
    Companion(companion::Reader),
    /// See [`Runtime::OpenMpi`].
    OpenMpi(open_mpi::Library),
    /// See [`Runtime::Mpich`].
    Mpich(mpich::Library),
}

impl Located {
    /// Does the process have queues now?
    pub(crate) fn check(&self, memory: &mut Memory<'_>) -> Result<()> {
        match self {
            Self::Companion(reader) => reader.check(memory),
            Self::OpenMpi(library) => open_mpi::check(library, memory),
            Self::Mpich(library) => mpich::check(library, memory),
        }
    }

    /// Reads all queues in one pass. On an error `snapshot` holds what could be read.
    pub(crate) fn read(
        &self,
        memory: &mut Memory<'_>,
        told: Told,
        snapshot: &mut Snapshot,
    ) -> Result<()> {
        match self {
            Self::Companion(reader) => reader.read(memory, snapshot),
            Self::OpenMpi(library) => open_mpi::read(library, memory, told, snapshot),
            Self::Mpich(library) => mpich::read(library, memory, snapshot),
        }
    }
}
