//! The MPI libraries that can be read: a folder for each.
//!
//! A reader recognises its library by the image, resolves the layouts it needs once, and fills a [`Snapshot`] from a process's memory. Another library
//! is another folder and another variant here.

mod companion;

use crate::debugger::{Image, Target};
use crate::error::{Code, Error, Result};
use crate::memory::Memory;
use crate::queues::Snapshot;

/// A recognised MPI library, with what its reader needs to know about the image.
#[derive(Clone, Copy)]
pub(crate) enum Runtime {
    /// The companion runtime, `libmpi_abi.so.1`.
    Companion(companion::Layout),
}

impl Runtime {
    /// Finds out which MPI library an image has.
    pub(crate) fn recognise(image: &Image) -> Result<Self> {
        if image.symbol(companion::ROOT)?.is_some() {
            return companion::Layout::resolve(image).map(Self::Companion);
        }
        let code = if image.has_function(c"MPI_Init") { Code::UnknownMpi } else { Code::NotMpi };
        Err(Error::new(code))
    }

    /// Finds the library's data in a process.
    pub(crate) fn locate(&self, image: &Image) -> Result<Located> {
        match self {
            Self::Companion(layout) => companion::Reader::locate(layout, image).map(Located::Companion),
        }
    }
}

/// The MPI library's data of a process.
#[derive(Clone, Copy)]
pub(crate) enum Located {
    /// See [`Runtime::Companion`].
    Companion(companion::Reader),
}

impl Located {
    /// Does the process have queues now?
    pub(crate) fn check(&self, target: &Target) -> Result<()> {
        match self {
            Self::Companion(reader) => reader.check(&mut Memory::new(target)),
        }
    }

    /// Reads all queues in one pass. On an error `snapshot` holds what could be read.
    pub(crate) fn read(&self, target: &Target, snapshot: &mut Snapshot) -> Result<()> {
        match self {
            Self::Companion(reader) => reader.read(&mut Memory::new(target), snapshot),
        }
    }
}
