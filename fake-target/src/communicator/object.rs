//! The communicator: two matching contexts and the groups.

use super::annex::Annex;
use super::calls::Calls;
use super::team::tag;
use crate::abi::{
    MPI_COMM_NULL, MPI_COMM_SELF, MPI_COMM_WORLD, MPI_Comm, MPI_ERR_COMM, MPI_ERR_INTERN,
    MPI_Errhandler,
};
use crate::debug::queues::name_field;
use crate::engine::context::{Context, ContextOwner, Purpose};
use crate::engine::internal::Partner;
use crate::engine::notice::Notice;
use crate::engine::observe::{Event, Subject, report};
use crate::engine::{self, Engine};
use crate::errhandler;
use crate::error::{Error, Result};
use crate::group::Group;
use crate::handles::{HandleKind, Table};
use crate::process;
use crate::transport::system;
use std::ffi::{CStr, c_int};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A communicator.
#[repr(C)]
pub(crate) struct Communicator {
    /// The context in which the program's messages match. Its head is what debuggers see.
    pub(crate) program: Context,
    /// The context in which the runtime's own messages match.
    pub(crate) hidden: Context,
    /// In an intercommunicator, the context of the runtime's own messages within the group.
    pub(super) within: Option<Box<Context>>,
    handle: AtomicUsize,
    local: Arc<Group>,
    remote: Option<Arc<Group>>,
    errhandler: AtomicUsize,
    /// Its collective operations so far.
    pub(super) calls: Calls,
    /// Partitions of sends so far.
    partitions: AtomicU32,
    /// Data of other chapters.
    pub(crate) annex: Annex,
}

/// The description of a new communicator.
pub(crate) struct Blueprint<'a> {
    /// Its context id, the same in all its processes: see [`new_context_id`].
    pub(crate) context_id: u32,
    /// The group that this process is in.
    pub(crate) local: Arc<Group>,
    /// The other group of an intercommunicator.
    pub(crate) remote: Option<Arc<Group>>,
    /// The name, empty if it has none.
    pub(crate) name: &'a str,
    /// The error handler; the caller has counted this use.
    pub(crate) errhandler: MPI_Errhandler,
}

/// Memory of communicators that are gone. It is reused only for communicators.
static FREE: Mutex<Vec<VacantMemory>> = Mutex::new(Vec::new());
struct VacantMemory(NonNull<Communicator>);
// SAFETY: memory that nobody uses.
unsafe impl Send for VacantMemory {}

static DYNAMIC: Table<&'static Communicator> = Table::new(HandleKind::Communicator);
/// The predefined communicators between `MPI_Init` and `MPI_Finalize`; null before and after.
static WORLD: AtomicPtr<Communicator> = AtomicPtr::new(ptr::null_mut());
static SELF: AtomicPtr<Communicator> = AtomicPtr::new(ptr::null_mut());

/// Context ids: of the predefined communicators, of the universe, and the first one for others.
const WORLD_CONTEXT: u32 = 0;
const SELF_CONTEXT: u32 = 1;
pub(super) const UNIVERSE_CONTEXT: u32 = 2;
const FIRST_CONTEXT: u32 = 3;

/// The communicator of a handle; `MPI_ERR_COMM` if there is none.
///
/// The program promises (MPI 5.0, section 7.4.3) not to free a communicator while another thread
/// makes a call with it. The lifetime of the result relies on that.
#[inline]
pub(crate) fn resolve(handle: MPI_Comm) -> Result<&'static Communicator> {
    let predefined = match handle {
        MPI_COMM_WORLD => WORLD.load(Ordering::Acquire),
        MPI_COMM_SELF => SELF.load(Ordering::Acquire),
        _ => return dynamic(handle),
    };
    // SAFETY: null, or a communicator that stays until `end_predefined`.
    match unsafe { predefined.as_ref() } {
        Some(communicator) => Ok(communicator),
        None => dynamic(handle),
    }
}

fn dynamic(handle: MPI_Comm) -> Result<&'static Communicator> {
    DYNAMIC.get(handle.0).map(|communicator| *communicator).ok_or_else(|| {
        let what = match handle {
            MPI_COMM_NULL => "it is MPI_COMM_NULL",
            MPI_COMM_WORLD | MPI_COMM_SELF => {
                "MPI_COMM_WORLD and MPI_COMM_SELF are there between MPI_Init and MPI_Finalize"
            }
            _ => "the handle names none, or one that was freed",
        };
        Error::new(MPI_ERR_COMM, format!("a communicator is needed, and {what}"))
    })
}

/// The handle of the communicator that other languages know by that integer.
pub(super) fn from_integer(integer: c_int) -> MPI_Comm {
    DYNAMIC.handle_of(integer)
}

/// Context ids from here on are random: those of communicators with processes of several jobs.
const RANDOM_CONTEXTS: u32 = 1 << 29;

/// A context id that is unique in the job: one process of the new communicator asks for it and
/// tells the others. A process that knows other jobs takes a random one, since it cannot know which
/// numbers they use.
pub(crate) fn new_context_id() -> u32 {
    if process::has_strangers() {
        return random_context_id();
    }
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let (rank, ranks) = (process::rank() as u32, process::ranks() as u32);
    FIRST_CONTEXT + NEXT.fetch_add(1, Ordering::Relaxed) * ranks + rank
}

/// Whether it is an id of [`random_context_id`].
pub(crate) fn is_for_several_jobs(context_id: u32) -> bool {
    context_id & RANDOM_CONTEXTS != 0
}

/// A context id for processes of several jobs.
pub(crate) fn random_context_id() -> u32 {
    RANDOM_CONTEXTS | (system::random() as u32 & (RANDOM_CONTEXTS - 1))
}

/// Makes `MPI_COMM_WORLD` and `MPI_COMM_SELF`.
pub(crate) fn make_predefined(errhandler: MPI_Errhandler) {
    let ranks = (0..process::ranks() as c_int).collect();
    for (place, handle, name, context_id, ranks) in [
        (&WORLD, MPI_COMM_WORLD, "MPI_COMM_WORLD", WORLD_CONTEXT, ranks),
        (&SELF, MPI_COMM_SELF, "MPI_COMM_SELF", SELF_CONTEXT, vec![process::rank()]),
    ] {
        let communicator = build(Blueprint {
            context_id,
            local: Group::new(ranks),
            remote: None,
            name,
            errhandler,
        });
        communicator.handle.store(handle.0, Ordering::Release);
        place.store(ptr::from_ref(communicator).cast_mut(), Ordering::Release);
    }
}

/// Ends the use of the predefined communicators. With `hide`, MPI goes on without them, and
/// debuggers do not see them any more.
pub(crate) fn end_predefined(hide: bool) {
    for place in [&WORLD, &SELF] {
        let communicator = place.swap(ptr::null_mut(), Ordering::AcqRel);
        // SAFETY: made by `make_predefined`; it stays, or goes here.
        let communicator = unsafe { communicator.as_ref() }.filter(|_| hide);
        communicator.into_iter().for_each(give_up);
    }
}

/// Makes a communicator.
pub(crate) fn create(blueprint: Blueprint<'_>) -> &'static Communicator {
    let communicator = build(blueprint);
    communicator.handle.store(DYNAMIC.insert(communicator), Ordering::Release);
    communicator
}

fn build(blueprint: Blueprint<'_>) -> &'static Communicator {
    let communicator = lay_out(blueprint);
    open(communicator, &engine::enter());
    communicator
}

/// Takes a communicator into use.
fn open(communicator: &'static Communicator, engine: &'static Engine) {
    communicator.contexts().into_iter().flatten().for_each(|context| engine.open(context));
    communicator.hold_processes(engine, true);
    engine.hear_early_notices(communicator.program.id());
    communicator.report(Event::Opened);
}

/// A communicator whose processes have not agreed on its context id yet. It has a handle, but must
/// not be used.
#[derive(Clone, Copy)]
pub(crate) struct Draft(&'static Communicator);

impl Draft {
    /// A communicator as described, without the context id.
    pub(super) fn new(blueprint: Blueprint<'_>) -> Draft {
        let communicator = lay_out(blueprint);
        communicator.handle.store(DYNAMIC.insert(communicator), Ordering::Release);
        Draft(communicator)
    }

    /// The communicator that it will be.
    pub(super) fn communicator(&self) -> &'static Communicator {
        self.0
    }

    /// Its handle.
    pub(crate) fn handle(&self) -> MPI_Comm {
        self.0.handle()
    }

    /// The context id is agreed on, so the communicator can be used. `MPI_ERR_INTERN` if it is not
    /// a valid one.
    pub(crate) fn open(&self, engine: &'static Engine, context_id: u32) -> Result {
        if context_id < FIRST_CONTEXT {
            return Err(Error::new(
                MPI_ERR_INTERN,
                "the processes have not agreed on a context id",
            ));
        }
        let contexts = self.0.contexts().into_iter().flatten();
        contexts.for_each(|context| context.set_id(context_id));
        open(self.0, engine);
        Ok(())
    }

    /// Gives it up: its handle ends. Its memory stays.
    pub(crate) fn give_up(self) {
        DYNAMIC.remove(self.handle().0);
    }
}

fn lay_out(blueprint: Blueprint<'_>) -> &'static Communicator {
    let Blueprint { context_id, local, remote, name, errhandler } = blueprint;
    let rank = local.rank();
    let peers = remote.as_ref().unwrap_or(&local).size();
    let mut program = Context::new(context_id, Purpose::Program, rank);
    program.count(peers as usize);
    program.session.set(local.session());
    let mut hidden = Context::new(context_id, Purpose::Hidden, rank);
    hidden.count_envelopes(peers as usize);
    let within = remote.as_ref().map(|_| {
        let mut within = Context::new(context_id, Purpose::Within, rank);
        within.count_envelopes(local.size() as usize);
        Box::new(within)
    });
    let content = Communicator {
        program,
        hidden,
        within,
        handle: AtomicUsize::new(MPI_COMM_NULL.0),
        local,
        remote,
        errhandler: AtomicUsize::new(errhandler.0),
        calls: Calls::default(),
        partitions: AtomicU32::new(0),
        annex: Annex::default(),
    };
    let free = FREE.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let memory = match free {
        Some(VacantMemory(memory)) => {
            // SAFETY: the memory of a communicator whose content is gone (`destroy`).
            unsafe { memory.write(content) };
            memory
        }
        None => NonNull::from(Box::leak(Box::new(content))),
    };
    // SAFETY: just written; it stays until `destroy`, after which nobody has a reference (see
    // `resolve`).
    let communicator: &'static Communicator = unsafe { memory.as_ref() };
    for context in communicator.contexts().into_iter().flatten() {
        context.head.local_group.set(ptr::from_ref(communicator.local.head()));
        context.head.name.set(name_field(name));
        context.owner.set(Some(communicator));
    }
    if let Some(remote) = &communicator.remote {
        for context in [&communicator.program, &communicator.hidden] {
            context.head.remote_group.set(ptr::from_ref(remote.head()));
        }
    }
    communicator
}

/// Ends the use of a communicator's handle. The object is destroyed when its last operation ends.
pub(crate) fn free(handle: MPI_Comm) -> Result {
    let communicator = resolve(handle)?;
    if DYNAMIC.remove(handle.0).is_none() {
        return Err(Error::new(MPI_ERR_COMM, format!("{} cannot be freed", communicator.name())));
    }
    give_up(communicator);
    Ok(())
}

/// The program has freed a communicator. The object is destroyed when its last operation ends.
fn give_up(communicator: &'static Communicator) {
    let engine = engine::enter();
    communicator.report(Event::Freed);
    for context in communicator.contexts().into_iter().flatten() {
        context.head.freed.set(1);
    }
    engine.end_if_unused(communicator);
}

impl ContextOwner for Communicator {
    fn handle(&self) -> MPI_Comm {
        Communicator::handle(self)
    }

    fn contexts(&'static self) -> [Option<&'static Context>; 3] {
        [Some(&self.program), Some(&self.hidden), self.within.as_deref()]
    }

    fn goes_on(&'static self) {
        self.call_goes_on();
    }

    fn hear(&'static self, notice: Notice, world: usize) {
        self.hear_notice(notice, world);
    }

    fn end(&'static self) {
        self.report(Event::Closed);
        self.hold_processes(engine::entered(), false);
        errhandler::release(self.errhandler());
        let memory = NonNull::from(self);
        // SAFETY: made by `build`; no handle, no operation and (see `resolve`) no call refers to it
        // any more.
        unsafe { memory.drop_in_place() };
        FREE.lock().unwrap_or_else(PoisonError::into_inner).push(VacantMemory(memory));
    }
}

impl Communicator {
    /// Tells the engine to listen to its processes, or, with `false`, that it need not any more.
    fn hold_processes(&self, engine: &'static Engine, held: bool) {
        for group in std::iter::once(&self.local).chain(&self.remote) {
            engine.hold(group.world_ranks(), held);
        }
    }

    /// Reports what happens to it.
    fn report(&'static self, event: Event) {
        report(event, || Subject::Communicator { context: &self.program, size: self.size() });
    }

    /// Its handle.
    pub(crate) fn handle(&self) -> MPI_Comm {
        MPI_Comm(self.handle.load(Ordering::Acquire))
    }

    /// The group of this process.
    pub(crate) fn local(&self) -> &Arc<Group> {
        &self.local
    }

    /// The other group of an intercommunicator.
    pub(crate) fn remote(&self) -> Option<&Arc<Group>> {
        self.remote.as_ref()
    }

    /// The group whose ranks sends and receives name: the other one in an intercommunicator.
    #[inline]
    pub(crate) fn peers(&self) -> &Group {
        self.remote.as_ref().unwrap_or(&self.local)
    }

    /// The rank of this process in its group.
    #[inline]
    pub(crate) fn rank(&self) -> c_int {
        self.program.rank
    }

    /// The size of this process's group.
    #[inline]
    pub(crate) fn size(&self) -> c_int {
        self.local.size()
    }

    /// The partner of internal messages with that rank (in an intercommunicator: in the other
    /// group).
    pub(crate) fn partner(&'static self, rank: c_int) -> Partner {
        Partner {
            context: &self.hidden,
            rank,
            world: self.peers().world_ranks()[rank as usize] as usize,
        }
    }

    /// The partner of internal messages with that rank in this process's group.
    pub(crate) fn mate(&'static self, rank: c_int) -> Partner {
        Partner {
            context: self.within.as_deref().unwrap_or(&self.hidden),
            rank,
            world: self.local.world_ranks()[rank as usize] as usize,
        }
    }

    /// A collective operation begins. PERUSE distinguishes its messages from those of the one
    /// before.
    pub(super) fn begin_collective(&self) {
        let begin = |context: &Context| {
            let number = &context.collectives;
            // An atomic increment is not needed, since an application starts the collective
            // operations of a communicator one after the other.
            number.store(number.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
        };
        begin(&self.hidden);
        self.within.as_deref().into_iter().for_each(begin);
    }

    /// The first of `partitions` consecutive tags for the partitions of a send of this process.
    /// They are reused after some hundred million partitions.
    pub(crate) fn partition_tags(&self, partitions: u32) -> c_int {
        const NUMBERS: u32 = 1 << 27;
        let first = self.partitions.fetch_add(partitions, Ordering::Relaxed) % NUMBERS;
        let fits = first.checked_add(partitions).is_some_and(|end| end <= NUMBERS);
        tag::PARTITIONS + if fits { first as c_int } else { 0 }
    }

    /// Its name, empty if it has none.
    pub(crate) fn name(&self) -> String {
        let _engine = engine::enter();
        self.name_in_engine()
    }

    /// The same if this thread is in the engine already.
    pub(crate) fn name_in_engine(&self) -> String {
        String::from_utf8_lossy(&self.bytes_of_name()).into_owned()
    }

    /// The bytes of the name, as the program has given them. This thread is in the engine.
    pub(super) fn bytes_of_name(&self) -> Vec<u8> {
        let name = self.program.head.name.get().map(|byte| byte as u8);
        CStr::from_bytes_until_nul(&name).map(|name| name.to_bytes().to_vec()).unwrap_or_default()
    }

    /// Names it; the name is cut at `MPI_MAX_OBJECT_NAME - 1` bytes.
    pub(crate) fn set_name(&self, name: &(impl AsRef<[u8]> + ?Sized)) {
        let _engine = engine::enter();
        self.program.head.name.set(name_field(name));
    }

    /// Its error handler.
    pub(crate) fn errhandler(&self) -> MPI_Errhandler {
        MPI_Errhandler(self.errhandler.load(Ordering::Acquire))
    }

    /// Replaces its error handler; returns the previous one. The caller adjusts the use counts.
    pub(crate) fn set_errhandler(&self, errhandler: MPI_Errhandler) -> MPI_Errhandler {
        MPI_Errhandler(self.errhandler.swap(errhandler.0, Ordering::AcqRel))
    }
}
