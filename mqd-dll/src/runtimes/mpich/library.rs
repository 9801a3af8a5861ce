//! Which MPICH this is, where its objects are, and the layout that fits.

use super::layout::{self, Layout, kind};
use super::pools::{Objects, Variables};
use crate::debugger::Image;
use crate::error::{Code, Error, Result};
use crate::layout::{Field, Int, Record, Structure};
use crate::memory::Memory;
use crate::tables::{TableTypes, choose};
use crate::text::until_nul;
use mqd_layout::Machine;
use std::ffi::CStr;

/// A function that only MPICH and libraries made of it have. Nothing else has its name, as a tool
/// between program and library would.
pub(crate) const FUNCTION: &CStr = c"PMPIX_Grequest_class_create";

/// The name of the library in tables.
const LIBRARY: &str = "mpich";

/// No job has more processes than this.
pub(super) const MAX_PROCESSES: i64 = 1 << 24;
/// Pools of requests: a thread that is in MPI at the same time as others may have its own.
const REQUEST_POOLS: u64 = 64;

/// MPICH in a process.
#[derive(Clone, Copy)]
pub(crate) struct Library {
    pub(super) image: Image,
    /// An address in the library.
    anchor: u64,
    /// Where its release is as text. Not all builds tell.
    version: Option<u64>,
}

/// Where the objects of a process are.
pub(super) struct Roots {
    pub(super) variables: Variables,
    /// The predefined communicators.
    pub(super) predefined: u64,
    /// The pools of communicators and of requests.
    pub(super) communicators: u64,
    pub(super) requests: u64,
}

impl Library {
    pub(crate) fn locate(image: &Image) -> Result<Self> {
        let name = FUNCTION.to_str().unwrap_or_default();
        Ok(Self {
            image: *image,
            anchor: image.function(FUNCTION).ok_or(Error::on(Code::NoSymbol, name))?,
            version: image.symbol(c"MPII_Version_string")?,
        })
    }

    /// The layout of the library's structures, and where its objects are.
    pub(super) fn layout(&self, memory: &mut Memory<'_>) -> Result<(Layout, Roots)> {
        let variables = Variables::read(memory, self.anchor)?;
        let mut text = [0; 32];
        let version = self.version(memory, &mut text);
        let mut early = false;
        let found = choose(memory, LIBRARY, version, self.anchor, |memory, table| {
            let Machine { int, pointer, .. } = table.machine();
            if (usize::from(int), usize::from(pointer))
                != (memory.target.int, memory.target.pointer)
            {
                return Ok(None);
            }
            let layout = match Layout::resolve(&TableTypes(table)) {
                Ok(layout) => layout,
                // A table of the user's that lacks something.
                Err(error) if error.code == Code::NoLayout => return Ok(None),
                Err(error) => return Err(error),
            };
            match fits(memory, &variables, &layout) {
                Ok(Fit::Fits(places)) => Ok(Some((layout, places))),
                Ok(Fit::No) => Ok(None),
                Ok(Fit::NotYet) => {
                    early = true;
                    Ok(None)
                }
                Err(error) if matches!(error.code, Code::Unreadable | Code::WrongType) => Ok(None),
                Err(error) => Err(error),
            }
        })?;
        match found {
            Some((layout, [predefined, communicators, requests])) => {
                Ok((layout, Roots { variables, predefined, communicators, requests }))
            }
            None if early => Err(Error::new(Code::NotInitialized)),
            None => Err(Error::on(Code::NoLayout, layout::CommunicatorFields::NAME)),
        }
    }

    /// The release, such as `4.0.2`.
    fn version<'a>(&self, memory: &mut Memory<'_>, text: &'a mut [u8]) -> Option<&'a str> {
        memory.read_string(self.version?, text).ok()?;
        std::str::from_utf8(until_nul(text)).ok().filter(|version| !version.is_empty())
    }
}

/// Whether a layout is that of the library.
enum Fit {
    No,
    /// It may be, but there are no communicators yet.
    NotYet,
    /// The places of the predefined communicators and of the two pools.
    Fits([u64; 3]),
}

/// Checks a layout by what is there before anything is read: the sizes of communicators and of
/// requests as their pools have them, and the two communicators that every process has.
fn fits(memory: &mut Memory<'_>, variables: &Variables, layout: &Layout) -> Result<Fit> {
    let target = memory.target;
    let fields = &layout.communicator;
    let pool = |kind, size| variables.pool(target, &layout.pool, kind, Some(size));
    let Some(communicators) = pool(kind::COMMUNICATOR, fields.bytes())? else {
        return Ok(Fit::No);
    };
    let Some(requests) = pool(kind::REQUEST, layout.request.bytes())? else {
        return Ok(Fit::NotYet);
    };
    let predefined = variables.predefined(target, kind::COMMUNICATOR, fields.bytes())?;
    let Some(predefined) = predefined else { return Ok(Fit::NotYet) };
    let mut numbers = [(0, 0); 2];
    for (index, numbers) in numbers.iter_mut().enumerate() {
        let address = predefined + (index * fields.bytes()) as u64;
        let bytes = memory.record(address, fields.bytes())?;
        let record = Record { bytes: &bytes, target };
        let map = record.inner(fields.map)?;
        let (size, rank) = (record.get(fields.local_size)?, record.get(fields.rank)?);
        let is_right = record.get(fields.comm_kind)? == layout::communicator::INTRA
            && record.get(fields.remote_size)? == size
            && map.get(layout.rank_map.size)? == size
            && record.get(fields.context_id)? == record.get(fields.recvcontext_id)?;
        // After the end they have no references any more.
        if record.get(Field::<Int>::at(4))? == 0 {
            return Err(Error::new(Code::Finalized));
        }
        if !is_right {
            return Ok(Fit::No);
        }
        *numbers = (rank, size);
    }
    let [(rank, size), own] = numbers;
    let is_world = (1..=MAX_PROCESSES).contains(&size) && (0..size).contains(&rank);
    if is_world && own == (0, 1) {
        Ok(Fit::Fits([predefined, communicators, requests]))
    } else {
        Ok(Fit::No)
    }
}

impl Roots {
    /// Reads the requests in use of all pools, as far as they can be read.
    pub(super) fn read_requests(
        &self,
        memory: &mut Memory<'_>,
        layout: &Layout,
        objects: &mut Objects,
    ) -> Result<()> {
        let fields = &layout.pool;
        for number in 0..REQUEST_POOLS {
            let pool = self.requests.wrapping_add(number * fields.bytes() as u64);
            let bytes = memory.record(pool, fields.bytes())?;
            let record = Record { bytes: &bytes, target: memory.target };
            let size = record.get(fields.size)?;
            // Other variables follow.
            if record.get(fields.kind)? != kind::REQUEST || size != layout.request.bytes() as i64 {
                return Ok(());
            }
            objects.read(memory, fields, pool, number)?;
        }
        Ok(())
    }
}
