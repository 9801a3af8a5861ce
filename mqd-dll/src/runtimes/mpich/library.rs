//! Which MPICH this is, where its objects are, and the layout that fits.

use super::layout::{self, Layout, Members, handle, kind};
use super::pools::{Objects, Variables};
use crate::debugger::{Image, Target};
use crate::error::{Code, Error, Result};
use crate::layout::{Field, Int, Record, Structure};
use crate::memory::Memory;
use crate::tables::{TableName, choose, layout_for_target};
use std::ffi::CStr;

/// A function that only MPICH and libraries derived from it have. A tool between the program and
/// the library does not have it.
pub(crate) const FUNCTION: &CStr = c"PMPIX_Grequest_class_create";

/// The name of the library in tables.
const LIBRARY: &str = "mpich";

/// No job has more processes than this.
pub(super) const MAX_PROCESSES: i64 = 1 << 24;
/// The number of request pools. Threads that are in MPI at the same time may have pools of their
/// own.
pub(super) const MOST_INTERFACES: usize = 64;

/// MPICH in a process.
#[derive(Clone, Copy)]
pub(crate) struct Library {
    pub(super) image: Image,
    /// An address in the library.
    anchor: u64,
    /// The address of its release as text. Not all builds have it.
    version: Option<u64>,
    /// Where symbols say that its objects are.
    symbols: Option<Symbols>,
}

/// Variables of the library. Intel MPI has symbols for them, and far more variables than can be
/// looked through.
#[derive(Clone, Copy)]
struct Symbols {
    predefined: u64,
    communicators: u64,
    requests: u64,
    threads: u64,
    /// Only derived datatypes need it.
    datatypes: Option<u64>,
    /// Its shared memory.
    rings: Option<u64>,
    /// What the netmod ofi keeps.
    network: Option<u64>,
}

/// Bytes of the variable that says how many threads may be in MPI.
const THREADS_BYTES: usize = 48;

impl Symbols {
    /// None: the library is not Intel MPI, or it is stripped.
    fn find(image: &Image) -> Result<Option<Self>> {
        // A function that only Intel MPI has.
        if image.function(c"impi_shm_heap_proxy_init").is_none() {
            return Ok(None);
        }
        let symbols = [
            image.symbol(c"MPIR_Comm_builtin")?,
            image.symbol(c"MPIR_Comm_mem")?,
            image.symbol(c"MPIR_Request_mem")?,
            image.symbol(c"MPIR_ThreadInfo")?,
        ];
        let [Some(predefined), Some(communicators), Some(requests), Some(threads)] = symbols else {
            return Ok(None);
        };
        let datatypes = image.symbol(c"MPIR_Datatype_mem")?;
        let rings = image.symbol(c"impi_shm")?;
        let network = image.symbol(c"MPIDI_OFI_global")?;
        Ok(Some(Self { predefined, communicators, requests, threads, datatypes, rings, network }))
    }
}

/// Where the objects of a process are.
pub(super) struct Roots {
    pub(super) variables: Variables,
    /// The predefined communicators.
    pub(super) predefined: u64,
    /// The pools of communicators and of requests.
    pub(super) communicators: u64,
    pub(super) requests: u64,
    /// The pool of datatypes, if a symbol tells.
    pub(super) datatypes: Option<u64>,
    /// The shared memory of Intel MPI, if a symbol tells.
    pub(super) rings: Option<u64>,
    /// What the netmod ofi of Intel MPI keeps, if a symbol tells.
    pub(super) network: Option<u64>,
    /// The layout table that fits.
    pub(super) table: TableName,
}

impl Library {
    pub(crate) fn locate(image: &Image) -> Result<Self> {
        let name = FUNCTION.to_str().unwrap_or_default();
        Ok(Self {
            image: *image,
            anchor: image.function(FUNCTION).ok_or(Error::on(Code::NoSymbol, name))?,
            version: image.symbol(c"MPII_Version_string")?,
            symbols: Symbols::find(image)?,
        })
    }

    /// The layout of the library's structures, and where its objects are.
    pub(super) fn layout(&self, memory: &mut Memory<'_>) -> Result<(Layout, Roots)> {
        let variables = match &self.symbols {
            Some(symbols) => Variables::at_place(memory, symbols.threads, THREADS_BYTES)?,
            None => Variables::read(memory, self.anchor)?,
        };
        let mut text = [0; 32];
        let version = self.version.and_then(|address| memory.text(address, &mut text));
        let mut early = false;
        let found = choose(memory, LIBRARY, version, self.anchor, |memory, table| {
            let Some(layout) = layout_for_target(memory, table, |types| Layout::resolve(types))?
            else {
                return Ok(None);
            };
            match self.fits(memory, &variables, &layout) {
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
            Some(((layout, [predefined, communicators, requests]), table)) => {
                let of_symbols =
                    |which: fn(&Symbols) -> Option<u64>| self.symbols.as_ref().and_then(which);
                let roots = Roots {
                    variables,
                    predefined,
                    communicators,
                    requests,
                    datatypes: of_symbols(|symbols| symbols.datatypes),
                    rings: of_symbols(|symbols| symbols.rings),
                    network: of_symbols(|symbols| symbols.network),
                    table,
                };
                Ok((layout, roots))
            }
            None if early => Err(Error::new(Code::NotInitialized)),
            None => Err(Error::on(Code::NoLayout, layout::CommunicatorFields::NAME)),
        }
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

/// The places of the predefined communicators and of the pools of communicators and requests, or
/// why they are not known.
type Places = std::result::Result<(u64, u64, u64), Fit>;

/// Finds these places among the variables, by the sizes of the objects.
fn found(memory: &mut Memory<'_>, variables: &Variables, layout: &Layout) -> Result<Places> {
    let target = memory.target;
    let size = layout.communicator.bytes();
    let pool = |kind, size| variables.pool(target, &layout.pool, kind, Some(size));
    let Some(communicators) = pool(kind::COMMUNICATOR, size)? else { return Ok(Err(Fit::No)) };
    let Some(requests) = pool(kind::REQUEST, layout.request.bytes())? else {
        return Ok(Err(Fit::NotYet));
    };
    let predefined = variables.predefined(target, handle::BUILTIN, kind::COMMUNICATOR, size)?;
    Ok(predefined.map(|first| (first, communicators, requests)).ok_or(Fit::NotYet))
}

impl Symbols {
    /// The places that the symbols tell, if the objects there have the sizes of the layout.
    fn places(&self, memory: &mut Memory<'_>, layout: &Layout) -> Result<Places> {
        let fields = &layout.pool;
        for (pool, kind, size) in [
            (self.communicators, kind::COMMUNICATOR, layout.communicator.bytes()),
            (self.requests, kind::REQUEST, layout.request.bytes()),
        ] {
            let bytes = memory.record(pool, fields.bytes())?;
            let record = Record { bytes: &bytes, target: memory.target };
            if record.get(fields.kind)? != kind || record.get(fields.size)? != size as i64 {
                return Ok(Err(Fit::No));
            }
        }
        Ok(Ok((self.predefined, self.communicators, self.requests)))
    }
}

impl Library {
    /// Checks a layout before anything is read by it: the sizes of communicators and requests as
    /// their pools have them, and the two communicators that every process has.
    fn fits(&self, memory: &mut Memory<'_>, variables: &Variables, layout: &Layout) -> Result<Fit> {
        let places = match &self.symbols {
            Some(symbols) => symbols.places(memory, layout)?,
            None => found(memory, variables, layout)?,
        };
        let (predefined, communicators, requests) = match places {
            Ok(places) => places,
            Err(why) => return Ok(why),
        };
        let target = memory.target;
        let fields = &layout.communicator;
        let mut numbers = [(0, 0); 2];
        for (index, numbers) in numbers.iter_mut().enumerate() {
            let address = predefined + (index * fields.bytes()) as u64;
            let bytes = memory.record(address, fields.bytes())?;
            let record = Record { bytes: &bytes, target };
            let (sent, received) = layout.contexts(&record)?;
            let (size, rank) = (record.get(fields.local_size)?, record.get(fields.rank)?);
            let is_right = record.get(fields.comm_kind)? == layout::communicator::INTRA
                && record.get(fields.remote_size)? == size
                && members_of(memory, layout, &record)? == size
                && sent == received;
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
}

/// The number of a communicator's members, from the structure that names them.
fn members_of(memory: &mut Memory<'_>, layout: &Layout, record: &Record<'_>) -> Result<i64> {
    match layout.members {
        Members::Maps(fields, map) => record.inner(fields.map)?.get(map.size),
        Members::Groups(fields, group) => {
            let bytes = memory.record(record.get(fields.local_group)?, group.bytes())?;
            Record { bytes: &bytes, target: record.target }.get(group.size)
        }
        Members::Connections(fields, table, _) => {
            let bytes = memory.record(record.get(fields.table)?, table.bytes())?;
            Record { bytes: &bytes, target: record.target }.get(table.size)
        }
    }
}

impl Roots {
    /// Where requests are among the variables, and the size of all of them.
    pub(super) fn request_variables(
        &self,
        memory: &mut Memory<'_>,
        layout: &Layout,
    ) -> Result<(u64, u64)> {
        let fields = &layout.pool;
        let bytes = memory.record(self.requests, fields.bytes())?;
        let record = Record { bytes: &bytes, target: memory.target };
        let number = record.get(fields.direct_size)?.cast_unsigned();
        Ok((record.get(fields.direct)?, number.wrapping_mul(layout.request.bytes() as u64)))
    }

    /// The pool of requests with this number, and whether it is in use. None: other variables
    /// follow.
    fn request_pool(
        &self,
        memory: &mut Memory<'_>,
        layout: &Layout,
        number: usize,
    ) -> Result<Option<(u64, bool)>> {
        let fields = &layout.pool;
        let pool = self.requests.wrapping_add((number * fields.bytes()) as u64);
        let bytes = memory.record(pool, fields.bytes())?;
        let record = Record { bytes: &bytes, target: memory.target };
        let is_one = record.get(fields.kind)? == kind::REQUEST
            && record.get(fields.size)? == layout.request.bytes() as i64;
        let is_used = record.get(fields.initialized)? != 0;
        Ok(is_one.then_some((pool, is_used)))
    }

    /// How many virtual communication interfaces the process has: each has a pool of requests.
    pub(super) fn interfaces(&self, memory: &mut Memory<'_>, layout: &Layout) -> Result<usize> {
        for number in 0..MOST_INTERFACES {
            if !matches!(self.request_pool(memory, layout, number)?, Some((_, true))) {
                return Ok(number);
            }
        }
        Ok(MOST_INTERFACES)
    }

    /// Checks that all pools of requests in use are where the table says. If not, the library was
    /// built with other pools.
    pub(super) fn only_these_pools(&self, target: &Target, layout: &Layout) -> Result<()> {
        let (fields, request) = (&layout.pool, layout.request.bytes() as i64);
        let step = fields.bytes() as u64;
        for (place, bytes) in self.variables.places(fields.bytes(), target.pointer) {
            let record = Record { bytes, target };
            let place = place.wrapping_sub(self.requests);
            let is_known = place < MOST_INTERFACES as u64 * step && place.is_multiple_of(step);
            if record.get(fields.kind)? == kind::REQUEST
                && record.get(fields.size)? == request
                && record.get(fields.initialized)? == 1
                && !is_known
            {
                return Err(Error::on(Code::Impossible, "MPIR_Object_alloc_t"));
            }
        }
        Ok(())
    }

    /// Reads the requests in use of all pools, as far as they can be read.
    pub(super) fn read_requests(
        &self,
        memory: &mut Memory<'_>,
        layout: &Layout,
        objects: &mut Objects,
    ) -> Result<()> {
        for number in 0..MOST_INTERFACES {
            let Some((pool, is_used)) = self.request_pool(memory, layout, number)? else {
                return Ok(());
            };
            if layout.intel.is_some() && number > 0 && is_used {
                // Their rings and endpoints are not read either.
                let unseen = "what goes through further interfaces of Intel MPI, which several \
                              threads use (I_MPI_THREAD_SPLIT)";
                return Err(Error::on(Code::NotSeen, unseen));
            }
            objects.read(memory, &layout.pool, pool, number as u64)?;
        }
        Ok(())
    }
}
