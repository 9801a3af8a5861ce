//! The window.

use std::cell::RefCell;
use std::ffi::{c_int, c_void};
use std::ops::Deref;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::control::Control;
use super::epochs::Epochs;
use super::hints::Hints;
use super::quick::{self, Passed};
use crate::abi::*;
use crate::attributes::Attributes;
use crate::communicator::Communicator;
use crate::engine;
use crate::engine::context::ContextId;
use crate::error::{Error, Result};
use crate::handles::{HandleKind, Table};
use crate::process;
use crate::variables::counters;

static WINDOWS: Table<Window> = Table::new(HandleKind::Window);

/// How a window was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flavor {
    /// `MPI_Win_create`
    Create,
    /// `MPI_Win_allocate`
    Allocate,
    /// `MPI_Win_create_dynamic`
    Dynamic,
    /// `MPI_Win_allocate_shared`
    Shared,
}

impl Flavor {
    /// The value of the attribute `MPI_WIN_CREATE_FLAVOR`.
    pub(super) fn number(self) -> c_int {
        match self {
            Flavor::Create => MPI_WIN_FLAVOR_CREATE,
            Flavor::Allocate => MPI_WIN_FLAVOR_ALLOCATE,
            Flavor::Dynamic => MPI_WIN_FLAVOR_DYNAMIC,
            Flavor::Shared => MPI_WIN_FLAVOR_SHARED,
        }
    }

    /// Whether the memory is one that the window has made.
    pub(super) fn allocates(self) -> bool {
        matches!(self, Flavor::Allocate | Flavor::Shared)
    }
}

/// The memory that a process shows in a window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    /// The process id.
    pub(super) process: i32,
    /// Its rank in `MPI_COMM_WORLD`.
    pub(super) world: usize,
    /// The memory's address there.
    pub(super) base: u64,
    /// Its bytes.
    pub(super) size: MPI_Aint,
    /// Bytes of a unit of displacements.
    pub(super) disp_unit: MPI_Aint,
    /// Its address in this process, if this process may load and store there; otherwise null.
    pub(super) here: *mut u8,
}

/// The values of the predefined attributes that are addresses of variables.
pub(super) struct Values {
    pub(super) size: MPI_Aint,
    pub(super) disp_unit: c_int,
    pub(super) flavor: c_int,
    pub(super) model: c_int,
}

/// A window.
pub(crate) struct Window {
    /// A communicator of its own, of the same processes.
    pub(super) communicator: &'static Communicator,
    pub(super) flavor: Flavor,
    pub(super) control: Control,
    /// By rank.
    pub(super) shares: Box<[Share]>,
    pub(super) values: Values,
    pub(super) hints: Mutex<Hints>,
    pub(super) attributes: Attributes,
    name: Mutex<Vec<u8>>,
    errhandler: AtomicUsize,
    epochs: Mutex<Epochs>,
    pub(super) passed: Passed,
    /// The memory attached here, of a dynamic window.
    pub(super) attached: super::dynamic::AttachedRegions,
}

// SAFETY: the addresses in `shares` are those of memory that the program shows to all processes.
unsafe impl Sync for Window {}
// SAFETY: nothing in it belongs to a thread.
unsafe impl Send for Window {}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A reference to a window, which keeps it alive. Uses are counted without atomics, except those of
/// the table.
#[derive(Clone)]
#[expect(clippy::redundant_allocation, reason = "the outer count belongs to one thread")]
pub(crate) struct InUse(Rc<Arc<Window>>);

impl Deref for InUse {
    type Target = Window;

    fn deref(&self) -> &Window {
        &self.0
    }
}

thread_local! {
    /// The window that the last call used, by its handle. An operation on memory takes less time
    /// than finding its window in the table.
    static LAST: RefCell<Option<(MPI_Win, InUse)>> = const { RefCell::new(None) };
}

/// The window of a handle; `MPI_ERR_WIN` if there is none.
#[inline]
pub(crate) fn resolve(win: MPI_Win) -> Result<InUse> {
    if process::has_threads() {
        return find(win);
    }
    LAST.with_borrow_mut(|last| match last {
        Some((handle, window)) if *handle == win => Ok(window.clone()),
        _ => {
            let window = find(win)?;
            quick::remember(win, &window);
            *last = Some((win, window.clone()));
            Ok(window)
        }
    })
}

fn find(win: MPI_Win) -> Result<InUse> {
    WINDOWS.get(win.0).map(|window| InUse(Rc::new(window))).ok_or_else(|| {
        let what = if win == MPI_WIN_NULL {
            "it is MPI_WIN_NULL"
        } else {
            "the handle names none, or one that was freed"
        };
        Error::new(MPI_ERR_WIN, format!("a window is needed, and {what}"))
    })
}

/// The handle of the window that other languages know by that integer.
pub(crate) fn from_int(integer: c_int) -> MPI_Win {
    WINDOWS.handle_of(integer)
}

/// Takes in a new window.
pub(super) fn register(window: Window) -> MPI_Win {
    let _engine = engine::enter();
    counters::WINDOWS.rise(1);
    MPI_Win(WINDOWS.insert(window))
}

/// Ends the use of a window's handle.
pub(super) fn unregister(win: MPI_Win) {
    let _engine = engine::enter();
    counters::WINDOWS.fall(1);
    quick::forget();
    WINDOWS.remove(win.0);
    LAST.take();
}

impl Window {
    /// A window with these parts; it has no handle yet.
    pub(super) fn new(
        communicator: &'static Communicator,
        flavor: Flavor,
        control: Control,
        shares: Box<[Share]>,
        hints: Hints,
    ) -> Window {
        let own = shares[communicator.rank() as usize];
        Window {
            communicator,
            flavor,
            control,
            shares,
            values: Values {
                size: own.size,
                disp_unit: own.disp_unit.try_into().unwrap_or(c_int::MAX),
                flavor: flavor.number(),
                model: MPI_WIN_UNIFIED,
            },
            hints: Mutex::new(hints),
            attributes: Attributes::default(),
            name: Mutex::default(),
            errhandler: AtomicUsize::new(MPI_ERRORS_ARE_FATAL.0),
            epochs: Mutex::new(Epochs::new(communicator.size() as usize)),
            passed: Passed::new(communicator.size() as usize),
            attached: super::dynamic::AttachedRegions::default(),
        }
    }

    /// The rank of this process.
    #[inline]
    pub(super) fn rank(&self) -> usize {
        self.communicator.rank() as usize
    }

    /// The number of processes.
    #[inline]
    pub(super) fn size(&self) -> usize {
        self.shares.len()
    }

    /// The context of its communicator, which no other object has.
    pub(crate) fn context_id(&self) -> ContextId {
        self.communicator.program.id()
    }

    /// What this process shows.
    pub(super) fn own(&self) -> &Share {
        &self.shares[self.rank()]
    }

    /// The address of this process's memory.
    pub(super) fn base(&self) -> *mut c_void {
        self.own().here.cast()
    }

    /// The epochs that this process is in, to change them.
    pub(super) fn epochs(&self) -> MutexGuard<'_, Epochs> {
        self.passed.change();
        locked(&self.epochs)
    }

    /// Begins an operation on the memory of a target, if the epoch allows it.
    pub(super) fn operate(&self, target: usize, passive: bool) -> Result {
        locked(&self.epochs).operate(target, passive)?;
        self.passed.operate(target);
        Ok(())
    }

    /// `MPI_ERR_RMA_SYNC` unless a target is locked, or, with none, any target.
    pub(super) fn check_locked(&self, target: Option<usize>) -> Result {
        locked(&self.epochs).check_locked(target)?;
        if let Some(target) = target {
            self.passed.lock(target);
        }
        Ok(())
    }

    /// A rank as an index; `MPI_ERR_RANK` if the window has no such rank. None: `MPI_PROC_NULL`.
    #[inline]
    pub(super) fn target(&self, rank: c_int) -> Result<Option<usize>> {
        match usize::try_from(rank) {
            Ok(index) if index < self.size() => Ok(Some(index)),
            _ if rank == MPI_PROC_NULL => Ok(None),
            _ => Err(Error::new(
                MPI_ERR_RANK,
                format!("the target {rank} is not one of the ranks 0 to {}", self.size() - 1),
            )),
        }
    }

    /// Its name, empty if it has none.
    pub(crate) fn name(&self) -> String {
        String::from_utf8_lossy(&locked(&self.name)).into_owned()
    }

    /// The bytes of the name, as the program has given them.
    pub(super) fn bytes_of_name(&self) -> Vec<u8> {
        locked(&self.name).clone()
    }

    /// Names it; the name is cut at `MPI_MAX_OBJECT_NAME - 1` bytes. Debuggers see it too.
    pub(super) fn set_name(&self, name: &[u8]) {
        let name = crate::text::cut(name, MPI_MAX_OBJECT_NAME as usize - 1);
        *locked(&self.name) = name.to_vec();
        self.communicator.set_name(name);
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
