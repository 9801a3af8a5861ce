//! `MPI_Comm_spawn`, and the side of the started processes (MPI 5.0, section 11.8).
//!
//! The root has the launcher start the processes, and waits for them at a port of its own. They
//! connect to it when they start MPI, so that both sides have the intercommunicator when
//! `MPI_Comm_spawn` and `MPI_Init` return.

use std::env;
use std::ffi::{CStr, c_char, c_int};
use std::os::unix::ffi::OsStringExt;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::connection::with_root;
use super::request::{SpawnProgram, SpawnRequest};
use super::{launcher, meeting, port};
use crate::abi::*;
use crate::arguments::{Out, array, text};
use crate::communicator::team::{Team, tag};
use crate::communicator::{self, Communicator};
use crate::engine;
use crate::engine::observe::{self, Event, SpawnCall, Subject};
use crate::error::{Error, Result};
use crate::info;
use crate::variables::counters::PROCESSES_SPAWNED;

/// The intercommunicator with the parents, by its handle.
static PARENT: AtomicUsize = AtomicUsize::new(MPI_COMM_NULL.0);

/// The texts of an array that ends with a null pointer; none if there is no array.
fn words(argv: *const *const c_char) -> Vec<Vec<u8>> {
    if argv.is_null() {
        return Vec::new();
    }
    // SAFETY: a caller of MPI passes an array of texts that ends with a null pointer.
    let words = (0..).map(|index| unsafe { argv.add(index).read() });
    let words = words.take_while(|word| !word.is_null());
    // SAFETY: as above.
    words.map(|word| unsafe { CStr::from_ptr(word) }.to_bytes().to_vec()).collect()
}

/// A program to start, as a call describes it.
fn program(
    command: *const c_char,
    argv: *const *const c_char,
    maxprocs: c_int,
    hints: MPI_Info,
) -> Result<SpawnProgram> {
    let processes = usize::try_from(maxprocs).ok().filter(|count| *count > 0).ok_or_else(|| {
        Error::new(MPI_ERR_ARG, format!("{maxprocs} processes cannot be started"))
    })?;
    let command = text(command, "command")?.to_bytes();
    if command.is_empty() {
        return Err(Error::new(MPI_ERR_SPAWN, "the name of the program is empty"));
    }
    let hint = |key: &CStr| Ok(info::bytes_of_hint(hints, key)?.unwrap_or_default());
    Ok(SpawnProgram {
        processes,
        directory: hint(c"wdir")?,
        path: hint(c"path")?,
        hosts: hint(c"host")?,
        command: std::iter::once(command.to_vec()).chain(words(argv)).collect(),
    })
}

/// The start of processes as tools are told of it.
struct WatchedStart<'a>(Option<(SpawnCall<'a>, MPI_Aint)>);

impl WatchedStart<'_> {
    /// The start of `processes` by a call with these arguments.
    fn begins(
        communicator: &'static Communicator,
        (argv, info, root): (*mut *mut c_char, MPI_Info, c_int),
        processes: usize,
        errcodes: *mut c_int,
    ) -> WatchedStart<'static> {
        let events = Event::SpawnStart.bit() | Event::SpawnEnd.bit();
        if !observe::wants(events) {
            return WatchedStart(None);
        }
        let leads = communicator.rank() == root;
        let call = SpawnCall {
            context: communicator.program.id(),
            comm: communicator.handle(),
            argv: if leads { argv } else { ptr::null_mut() },
            processes: processes as c_int,
            info: if leads { info } else { MPI_INFO_NULL },
            root,
            children: MPI_COMM_NULL,
            errcodes,
            started: &[],
        };
        let id = observe::new_id();
        engine::report_outside(Event::SpawnStart, || Subject::Spawn(&call, id));
        WatchedStart(Some((call, id)))
    }

    /// The processes are there, or could not be started.
    fn ends(self, processes: usize, children: Option<&'static Communicator>) {
        let Some((call, id)) = self.0 else { return };
        let remote = children.and_then(|children| children.remote());
        let numbers = remote.map(|group| group.world_ranks()).unwrap_or_default();
        let started: Vec<(c_int, c_int)> = {
            let engine = engine::enter();
            let known = |&number: &c_int| (engine.peer(number as usize).pid(), number);
            numbers.iter().map(known).collect()
        };
        let children = children.map_or(MPI_COMM_NULL, |children| children.handle());
        let processes = processes as c_int;
        let call = SpawnCall { processes, children, started: &started, ..call };
        engine::report_outside(Event::SpawnEnd, || Subject::Spawn(&call, id));
    }
}

/// Starts processes. All of the group call this; only the root knows the programs. `only` is what
/// the call says of its only program.
fn start(
    communicator: &'static Communicator,
    root: c_int,
    programs: impl FnOnce() -> Result<Vec<SpawnProgram>>,
    (argv, hints): (*mut *mut c_char, MPI_Info),
    intercomm: Out<MPI_Comm>,
    errcodes: *mut c_int,
) -> Result {
    let team = Team::local(communicator, tag::CREATE);
    let programs = if team.rank() == root { programs() } else { Ok(Vec::new()) };
    let total: usize = programs.iter().flatten().map(|program| program.processes).sum();
    let watched = WatchedStart::begins(communicator, (argv, hints, root), total, errcodes);
    let mut count = [total];
    team.broadcast(root, &mut count)?;
    let met = meeting::meet(communicator, root, "", || {
        let (port, socket) = port::open_new()?;
        let directory = env::current_dir().unwrap_or_default().into_os_string().into_vec();
        let request = SpawnRequest { port: port.into_bytes(), directory, programs: programs? };
        let _turn = launcher::turn();
        let mut job = launcher::start(&request)?;
        PROCESSES_SPAWNED.add_shared(total as u64);
        let connection = job.connection.try_clone().map_err(|error| {
            Error::new(MPI_ERR_OTHER, format!("no descriptor can be had: {error}"))
        })?;
        port::accept(&socket, Some(&connection), || job.look())
    });
    let [total] = count;
    watched.ends(total, met.as_ref().ok().copied());
    let code = met.as_ref().map_or_else(|_| MPI_ERR_SPAWN, |_| MPI_SUCCESS);
    if errcodes != MPI_ERRCODES_IGNORE {
        for index in 0..total {
            // SAFETY: a caller of MPI passes an array with a place for each process.
            unsafe { errcodes.add(index).write(code) };
        }
    }
    intercomm.set(met?.handle());
    Ok(())
}

/// `MPI_Comm_spawn`: all arguments before `root` matter at the root only.
#[allow(clippy::too_many_arguments, reason = "the parameters of the C function")]
pub(crate) fn spawn(
    command: *const c_char,
    argv: *mut *mut c_char,
    maxprocs: c_int,
    hints: MPI_Info,
    root: c_int,
    comm: MPI_Comm,
    intercomm: *mut MPI_Comm,
    errcodes: *mut c_int,
) -> Result {
    let (communicator, intercomm) = with_root(comm, root, intercomm, "intercomm")?;
    let programs = || Ok(vec![program(command, argv.cast_const().cast(), maxprocs, hints)?]);
    start(communicator, root, programs, (argv, hints), intercomm, errcodes)
}

/// `MPI_Comm_spawn_multiple`: the programs become one job.
#[allow(clippy::too_many_arguments, reason = "the parameters of the C function")]
pub(crate) fn spawn_multiple(
    count: c_int,
    commands: *mut *mut c_char,
    argvs: *mut *mut *mut c_char,
    maxprocs: *const c_int,
    hints: *const MPI_Info,
    root: c_int,
    comm: MPI_Comm,
    intercomm: *mut MPI_Comm,
    errcodes: *mut c_int,
) -> Result {
    let (communicator, intercomm) = with_root(comm, root, intercomm, "intercomm")?;
    let programs = || {
        let number = usize::try_from(count).ok().filter(|count| *count > 0).ok_or_else(|| {
            Error::new(MPI_ERR_ARG, format!("{count} programs cannot be started"))
        })?;
        let commands = array(commands.cast_const(), number, "array_of_commands")?;
        let maxprocs = array(maxprocs, number, "array_of_maxprocs")?;
        let hints = array(hints, number, "array_of_info")?;
        let argvs = match argvs.is_null() {
            true => vec![std::ptr::null_mut(); number],
            false => array(argvs.cast_const(), number, "array_of_argv")?.to_vec(),
        };
        (0..number)
            .map(|n| program(commands[n], argvs[n].cast_const().cast(), maxprocs[n], hints[n]))
            .collect()
    };
    let none = (ptr::null_mut(), MPI_INFO_NULL);
    start(communicator, root, programs, none, intercomm, errcodes)
}

/// Connects spawned processes with their parents, at the end of `MPI_Init`.
pub(crate) fn join_parents() -> Result {
    let Some(name) = env::var("MQDRT_PARENT_PORT").ok().filter(|name| !name.is_empty()) else {
        return Ok(());
    };
    let world = communicator::resolve(MPI_COMM_WORLD)?;
    let parent = meeting::meet(world, 0, "MPI_COMM_PARENT", || port::connect(&name))?;
    PARENT.store(parent.handle().0, Ordering::Release);
    Ok(())
}

/// `MPI_Comm_get_parent`: none once the communicator has been freed or disconnected.
pub(crate) fn get_parent(parent: Out<MPI_Comm>) -> Result {
    let handle = MPI_Comm(PARENT.load(Ordering::Acquire));
    let there = communicator::resolve(handle).is_ok();
    parent.set(if there { handle } else { MPI_COMM_NULL });
    Ok(())
}
