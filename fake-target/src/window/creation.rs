//! Making and freeing windows (MPI 5.0, section 12.2).
//!
//! All processes of the communicator make a window together. Each says what memory it shows, or
//! that its arguments are wrong. In the latter case all fail, and no process waits for those that
//! have failed.

use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr;

use super::active;
use super::control::Control;
use super::hints::Hints;
use super::memory::{self, Mapping};
use super::object::{Flavor, Share, Window, register, resolve, unregister};
use crate::abi::*;
use crate::arguments::Out;
use crate::collectives::under_way::{Collective, enter};
use crate::communicator::team::{Team, tag};
use crate::communicator::{self, Communicator};
use crate::engine;
use crate::errhandler;
use crate::error::{Error, Result};
use crate::transport::system;

/// What a process says about its part.
struct Part {
    base: *mut u8,
    size: MPI_Aint,
    disp_unit: MPI_Aint,
    hints: Hints,
}

impl Part {
    fn new(
        base: *mut c_void,
        size: MPI_Aint,
        disp_unit: MPI_Count,
        info: MPI_Info,
    ) -> Result<Part> {
        if size < 0 {
            return Err(Error::new(MPI_ERR_SIZE, format!("the size {size} is negative")));
        }
        if disp_unit <= 0 {
            return Err(Error::new(
                MPI_ERR_DISP,
                format!("the displacement unit {disp_unit} is not positive"),
            ));
        }
        let disp_unit = disp_unit as MPI_Aint;
        Ok(Part { base: base.cast(), size, disp_unit, hints: Hints::new(info)? })
    }
}

/// What each process tells the others when a window is made: the address of its memory, the size,
/// the displacement unit, and whether the memory need not be contiguous.
type Told = [i64; 4];

/// Makes a window in which this process shows `part`. The result is its handle.
fn make(
    operation: Collective,
    flavor: Flavor,
    comm: MPI_Comm,
    part: Result<Part>,
) -> Result<MPI_Win> {
    let parent = communicator::resolve(comm)?;
    if parent.remote().is_some() {
        return Err(Error::new(MPI_ERR_COMM, "the communicator is an intercommunicator"));
    }
    parent.begin_other();
    let _under_way = enter(operation, parent);
    let team = Team::local(parent, tag::CREATE);
    let told: Told = part.as_ref().map_or([0; 4], |part| {
        let noncontiguous = part.hints.noncontiguous().into();
        [part.base.addr() as i64, part.size as i64, part.disp_unit as i64, noncontiguous]
    });
    let all = team.tell(&part, told);
    let (part, all) = (part?, all?);
    let mut shares = shares_of(parent, &all);
    let noncontiguous = all[0][3] != 0;
    let ranks = shares.len();
    let (offsets, bytes) = places(&shares, flavor, noncontiguous || flavor == Flavor::Allocate)?;
    let control = Control::new(share_memory(&team, bytes)?, ranks);
    if flavor.allocates() {
        for (share, offset) in shares.iter_mut().zip(offsets) {
            share.here = control.at(offset);
            share.base = share.here.addr() as u64;
        }
    } else {
        shares[parent.rank() as usize].here = part.base;
        team.together(check_access(&team, &shares))?;
    }
    let name = parent.name();
    let of = if name.is_empty() { "a communicator" } else { &name };
    let own = communicator::of_the_same_processes(parent, &format!("window of {of}"))?;
    Ok(register(Window::new(own, flavor, control, shares.into(), part.hints)))
}

/// The memory that the processes show, from what they have told.
fn shares_of(communicator: &Communicator, told: &[Told]) -> Vec<Share> {
    let engine = engine::enter();
    let worlds = communicator.local().world_ranks();
    told.iter()
        .zip(worlds)
        .map(|(numbers, &world)| Share {
            process: engine.process(world as usize),
            world: world as usize,
            base: numbers[0].cast_unsigned(),
            size: numbers[1] as MPI_Aint,
            disp_unit: numbers[2] as MPI_Aint,
            here: ptr::null_mut(),
        })
        .collect()
}

/// The place of each process's memory in the shared memory, and the total bytes. The result is the
/// same in all processes, including errors.
fn places(shares: &[Share], flavor: Flavor, pages: bool) -> Result<(Vec<usize>, usize)> {
    let mut end = Control::bytes(shares.len());
    let mut offsets = Vec::new();
    if flavor.allocates() {
        for share in shares {
            offsets.push(end);
            end = end.saturating_add(share.size as usize);
            if pages {
                end = end.checked_next_multiple_of(system::page()).unwrap_or(usize::MAX);
            }
        }
        if end > memory::of_machine() {
            return Err(Error::new(
                MPI_ERR_NO_MEM,
                format!("the window needs {end} bytes, more memory than the machine has"),
            ));
        }
    }
    Ok((offsets, end))
}

fn refused(what: &str, error: &io::Error) -> Error {
    Error::new(MPI_ERR_OTHER, format!("{what}: {error}"))
}

/// Maps new memory in all processes. The first process makes it.
fn share_memory(team: &Team, bytes: usize) -> Result<Mapping> {
    let mut made: Option<(Mapping, File)> = None;
    let mut where_it_is = [0; 2];
    let mut own = Ok(());
    if team.rank() == 0 {
        match Mapping::create(bytes) {
            Ok((mapping, file)) => {
                where_it_is = [std::process::id() as i32, file.as_raw_fd()];
                made = Some((mapping, file));
            }
            Err(error) => own = Err(refused("the memory of the window cannot be had", &error)),
        }
    }
    team.broadcast(0, &mut where_it_is)?;
    let [process, descriptor] = where_it_is;
    let mapping = match made {
        Some((mapping, file)) => {
            // The file stays open until all have mapped it.
            return team.together(own.map(|()| (mapping, file))).map(|(mapping, _)| mapping);
        }
        None if process == 0 => own.and(Err(Error::new(MPI_ERR_OTHER, "there is no memory"))),
        None => Mapping::open(process, descriptor, bytes)
            .map_err(|error| refused("the memory of the window cannot be mapped", &error)),
    };
    team.together(mapping)
}

/// Checks that the system lets this process access the memory of the others. It tries the next one.
fn check_access(team: &Team, shares: &[Share]) -> Result {
    /// A value that every process has at an address that it tells the others.
    static MARK: u64 = u64::from_ne_bytes(*b"mqd-mark");
    let own = ptr::from_ref(&MARK).addr() as u64;
    let all = team.allgather(&[own])?;
    let next = (team.rank() as usize + 1) % shares.len();
    if next == team.rank() as usize {
        return Ok(());
    }
    let mut seen = [0; 8];
    match system::read_process(shares[next].process, all[next], &mut seen) {
        Ok(()) if seen == MARK.to_ne_bytes() => Ok(()),
        Ok(()) => Err(Error::new(MPI_ERR_OTHER, "another process is not the one of that rank")),
        Err(error) => Err(refused(
            "the system does not let the ranks access each other's memory (process_vm_readv), \
             which windows of MPI_Win_create and MPI_Win_create_dynamic need",
            &error,
        )),
    }
}

/// `MPI_Win_create`
pub(crate) fn create(
    base: *mut c_void,
    size: MPI_Aint,
    disp_unit: MPI_Count,
    info: MPI_Info,
    comm: MPI_Comm,
    win: Out<MPI_Win>,
) -> Result {
    let part = Part::new(base, size, disp_unit, info).and_then(|part| match part.base.is_null() {
        true if size > 0 => Err(Error::new(MPI_ERR_BASE, "the memory is a null pointer")),
        _ => Ok(part),
    });
    win.set(make(Collective::WinCreate, Flavor::Create, comm, part)?);
    Ok(())
}

/// `MPI_Win_allocate`; `baseptr` is the address of a pointer.
pub(crate) fn allocate(
    size: MPI_Aint,
    disp_unit: MPI_Count,
    info: MPI_Info,
    comm: MPI_Comm,
    baseptr: *mut c_void,
    win: Out<MPI_Win>,
) -> Result {
    allocated(
        Collective::WinAllocate,
        Flavor::Allocate,
        (size, disp_unit),
        info,
        comm,
        baseptr,
        win,
    )
}

/// `MPI_Win_allocate_shared`; `baseptr` is the address of a pointer.
pub(crate) fn allocate_shared(
    size: MPI_Aint,
    disp_unit: MPI_Count,
    info: MPI_Info,
    comm: MPI_Comm,
    baseptr: *mut c_void,
    win: Out<MPI_Win>,
) -> Result {
    let operation = Collective::WinAllocateShared;
    allocated(operation, Flavor::Shared, (size, disp_unit), info, comm, baseptr, win)
}

fn allocated(
    operation: Collective,
    flavor: Flavor,
    (size, disp_unit): (MPI_Aint, MPI_Count),
    info: MPI_Info,
    comm: MPI_Comm,
    baseptr: *mut c_void,
    win: Out<MPI_Win>,
) -> Result {
    let base = crate::arguments::out(baseptr.cast::<*mut c_void>(), "baseptr");
    let part = base.and_then(|base| Ok((base, Part::new(ptr::null_mut(), size, disp_unit, info)?)));
    let (base, part) = match part {
        Ok((base, part)) => (Some(base), Ok(part)),
        Err(error) => (None, Err(error)),
    };
    let handle = make(operation, flavor, comm, part)?;
    if let Some(base) = base {
        base.set(resolve(handle)?.base());
    }
    win.set(handle);
    Ok(())
}

/// `MPI_Win_create_dynamic`
pub(crate) fn create_dynamic(info: MPI_Info, comm: MPI_Comm, win: Out<MPI_Win>) -> Result {
    let part = Part::new(ptr::null_mut(), 0, 1, info);
    let handle = make(Collective::WinCreateDynamic, Flavor::Dynamic, comm, part)?;
    win.set(handle);
    Ok(())
}

/// `MPI_Win_free`: all processes of the window meet.
pub(crate) fn free(win: Out<MPI_Win>) -> Result {
    let handle = win.get();
    let window = resolve(handle)?;
    let checked = window.epochs().check_free();
    let ready = checked.and_then(|()| window.attributes.delete_all(handle.0));
    {
        let _under_way = enter(Collective::WinFree, window.communicator);
        active::meet(&window, ready)?;
    }
    unregister(handle);
    errhandler::release(window.errhandler());
    communicator::end(window.communicator)?;
    win.set(MPI_WIN_NULL);
    Ok(())
}
