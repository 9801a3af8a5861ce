//! Handles of performance variables, and the state that each handle has of its own.
//!
//! *Sums* (COUNTER, AGGREGATE, TIMER) are never stopped or reset where they are counted. A handle
//! has one number for each element, its base: the value of a stopped handle is the base (what the
//! design calls accum), that of a running one the base plus the current value (the base being accum
//! less offset). *Watermarks* have a mark in the handle, which the level updates while the handle
//! is started. The other classes have no memory: a handle reads what is.

use super::table::{Pvar, ValueSource};
use crate::abi::*;
use crate::engine::context::Context;
use crate::error::{Error, Result};
use crate::mpi_t::give::missing;
use crate::variables::performance::Level;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A handle of the program.
#[derive(Default)]
pub(crate) struct PvarHandle {
    /// The session it belongs to.
    pub(super) session: AtomicUsize,
    /// The mark of a watermark.
    pub(super) mark: AtomicU64,
    quick: Quick,
    body: Mutex<Option<Body>>,
}

/// What reading needs without a lock: for a variable with one stored element, or for a computed one
/// that is not bound to an object.
#[derive(Default)]
struct Quick {
    /// Odd while the rest changes.
    changes: AtomicU32,
    /// Where the current value is.
    cell: AtomicPtr<AtomicU64>,
    /// The variable whose value is computed; if this is null, too, reading takes the [`Body`].
    computed: AtomicPtr<Pvar>,
    /// Its elements.
    count: AtomicUsize,
    base: AtomicU64,
    running: AtomicBool,
    /// The value is in nanoseconds, and the program gets seconds.
    seconds: AtomicBool,
}

/// The state that changes need, under a lock.
struct Body {
    pvar: &'static Pvar,
    /// The context of the communicator that it is bound to.
    context: Option<&'static Context>,
    /// The communicator is gone.
    orphan: bool,
    running: bool,
    /// Of sums: one for each element.
    bases: Vec<u64>,
    count: usize,
}

/// Seconds in a nanosecond: timers count nanoseconds, programs get seconds.
const NANOSECONDS: f64 = 1e-9;

impl Body {
    /// Where the current values of a sum are, or of a level.
    fn cell(&self, element: usize) -> Option<&'static AtomicU64> {
        match self.pvar.source {
            ValueSource::Sum(sum) => Some(sum.cell()),
            ValueSource::Time(timer) => Some(timer.cell()),
            ValueSource::Level(level) => Some(level.cell()),
            ValueSource::LevelOf(level) => Some(level(self.context?).cell()),
            ValueSource::Traffic(sum) => Some(sum(self.context?.traffic.get(element)?).cell()),
            _ => None,
        }
    }

    /// The level of a watermark.
    fn watched_level(&self) -> Option<&'static Level> {
        match self.pvar.source {
            ValueSource::Level(level) if self.pvar.is_watermark() => Some(level),
            ValueSource::LevelOf(level) if self.pvar.is_watermark() => Some(level(self.context?)),
            _ => None,
        }
    }

    fn now(&self, element: usize) -> u64 {
        self.cell(element).map_or(0, |cell| cell.load(Ordering::Relaxed))
    }

    fn value(&self, element: usize) -> u64 {
        let current = if self.running { self.now(element) } else { 0 };
        self.bases[element].wrapping_add(current)
    }

    /// Sets the value of a sum.
    fn set(&mut self, element: usize, value: u64) {
        let current = if self.running { self.now(element) } else { 0 };
        self.bases[element] = value.wrapping_sub(current);
    }

    /// Starts or stops counting; false if it is in that state already.
    fn run(&mut self, running: bool) -> bool {
        if self.running == running {
            return false;
        }
        for element in 0..self.bases.len() {
            let (base, now) = (self.bases[element], self.now(element));
            self.bases[element] =
                if running { base.wrapping_sub(now) } else { base.wrapping_add(now) };
        }
        self.running = running;
        true
    }
}

#[cold]
pub(super) fn invalid() -> Error {
    Error::new(
        MPI_T_ERR_INVALID_HANDLE,
        "the handle names no performance variable of this session (any more)",
    )
}

impl PvarHandle {
    fn body(&self) -> MutexGuard<'_, Option<Body>> {
        self.body.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes something of a handle whose object still exists.
    fn with<R>(&'static self, action: impl FnOnce(&mut Body) -> Result<R>) -> Result<R> {
        match self.body().as_mut() {
            Some(body) if !body.orphan => {
                let result = action(body);
                self.publish(body);
                result
            }
            _ => Err(invalid()),
        }
    }

    /// Lets readers see the state.
    fn publish(&self, body: &Body) {
        let quick = &self.quick;
        let watermark = body.pvar.is_watermark();
        let cell = match body.count {
            _ if body.orphan => None,
            _ if watermark => Some(&self.mark),
            1 => body.cell(0),
            _ => None,
        };
        quick.changes.fetch_add(1, Ordering::Acquire);
        fence(Ordering::Release);
        quick.cell.store(
            cell.map_or(ptr::null_mut(), |cell| ptr::from_ref(cell).cast_mut()),
            Ordering::Relaxed,
        );
        let computed = body.pvar.is_computed() && !body.orphan;
        quick.computed.store(
            if computed { ptr::from_ref(body.pvar).cast_mut() } else { ptr::null_mut() },
            Ordering::Relaxed,
        );
        quick.count.store(body.count, Ordering::Relaxed);
        let sum = body.pvar.is_sum();
        quick.running.store(body.running || !sum, Ordering::Relaxed);
        quick.base.store(
            if sum { body.bases.first().copied().unwrap_or(0) } else { 0 },
            Ordering::Relaxed,
        );
        quick.seconds.store(matches!(body.pvar.source, ValueSource::Time(_)), Ordering::Relaxed);
        quick.changes.fetch_add(1, Ordering::Release);
    }

    /// Becomes a handle of a variable, stopped unless the variable is continuous.
    pub(super) fn begin(
        &'static self,
        session: usize,
        pvar: &'static Pvar,
        context: Option<&'static Context>,
    ) {
        let count = pvar.count(context);
        let bases = if pvar.is_sum() { vec![0; count] } else { Vec::new() };
        let mut body = Body { pvar, context, orphan: false, running: false, bases, count };
        if let Some(level) = body.watched_level() {
            level.set_mark(&self.mark, pvar.is_high(), false, None);
        }
        if pvar.continuous() {
            self.set_running(&mut body, true);
        }
        self.session.store(session, Ordering::Relaxed);
        self.publish(&body);
        *self.body() = Some(body);
    }

    /// Starts or stops the handle and everything that depends on it.
    fn set_running(&'static self, body: &mut Body, running: bool) {
        if !body.run(running) {
            return;
        }
        if let ValueSource::Time(timer) = body.pvar.source {
            timer.watch(running);
        }
        match body.watched_level() {
            Some(level) if running => level.start_mark(&self.mark, body.pvar.is_high()),
            Some(level) => level.stop_mark(&self.mark),
            None => {}
        }
    }

    /// The handle ends.
    pub(super) fn end(&'static self) {
        if let Some(mut body) = self.body().take() {
            self.set_running(&mut body, false);
            self.quick.cell.store(ptr::null_mut(), Ordering::Release);
            self.quick.computed.store(ptr::null_mut(), Ordering::Release);
        }
    }

    /// A communicator ends. If the handle is bound to it, the handle can only be freed.
    pub(super) fn communicator_gone(&'static self, context: &Context) {
        if let Some(body) = self.body().as_mut()
            && body.context.is_some_and(|own| ptr::eq(own, context))
        {
            self.set_running(body, false);
            body.orphan = true;
            body.context = None;
            self.publish(body);
        }
    }

    /// Starts or stops the handle. Does nothing if it is in that state already.
    ///
    /// # Errors
    /// `MPI_T_ERR_PVAR_NO_STARTSTOP` for a continuous variable, unless it is one of `all` handles.
    pub(super) fn start(&'static self, running: bool, all: bool) -> Result {
        self.with(|body| {
            if !body.pvar.continuous() {
                self.set_running(body, running);
            } else if !all {
                let message =
                    format!("{} is continuous: it cannot be started or stopped", body.pvar.name);
                return Err(Error::new(MPI_T_ERR_PVAR_NO_STARTSTOP, message));
            }
            Ok(())
        })
    }

    /// Reads the value, usually without a lock.
    #[inline]
    pub(super) fn read(&'static self, buf: *mut c_void) -> Result {
        if buf.is_null() {
            return Err(missing("buf"));
        }
        let quick = &self.quick;
        let changes = quick.changes.load(Ordering::Acquire);
        // SAFETY: null, or a static, a field of a handle, or one of a communicator: memory that
        // stays and is always atomic integers.
        let Some(cell) = (unsafe { quick.cell.load(Ordering::Relaxed).as_ref() }) else {
            return self.read_computed(buf);
        };
        let (base, running) =
            (quick.base.load(Ordering::Relaxed), quick.running.load(Ordering::Relaxed));
        let value = if running { base.wrapping_add(cell.load(Ordering::Relaxed)) } else { base };
        let seconds = quick.seconds.load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        if !changes.is_multiple_of(2) || quick.changes.load(Ordering::Relaxed) != changes {
            return self.read_slowly(buf);
        }
        // SAFETY: not null; MPI's caller passes a buffer for one element of the variable's
        // datatype.
        unsafe {
            match seconds {
                false => buf.cast::<u64>().write(value),
                true => buf.cast::<f64>().write(value as f64 * NANOSECONDS),
            }
        }
        Ok(())
    }

    fn read_computed(&'static self, buf: *mut c_void) -> Result {
        // SAFETY: null, or a row of a static table.
        match unsafe { self.quick.computed.load(Ordering::Acquire).as_ref() } {
            Some(pvar) => {
                pvar.compute(self.quick.count.load(Ordering::Relaxed), None, buf);
                Ok(())
            }
            None => self.read_slowly(buf),
        }
    }

    #[cold]
    fn read_slowly(&'static self, buf: *mut c_void) -> Result {
        match self.body().as_ref() {
            Some(body) if !body.orphan => {
                self.copy_out(body, buf);
                Ok(())
            }
            _ => Err(invalid()),
        }
    }

    fn copy_out(&self, body: &Body, buf: *mut c_void) {
        // SAFETY: not null (the callers have looked); MPI's caller passes a buffer for `count`
        // elements of the variable's datatype.
        let put =
            |element: usize, value: u64| unsafe { buf.cast::<u64>().add(element).write(value) };
        match body.pvar.source {
            _ if body.pvar.is_watermark() => put(0, self.mark.load(Ordering::Relaxed)),
            // SAFETY: as above.
            ValueSource::Time(_) => unsafe {
                buf.cast::<f64>().write(body.value(0) as f64 * NANOSECONDS)
            },
            ValueSource::Sum(_) | ValueSource::Traffic(_) => {
                (0..body.count).for_each(|element| put(element, body.value(element)))
            }
            ValueSource::Level(_) | ValueSource::LevelOf(_) => put(0, body.now(0)),
            _ => body.pvar.compute(body.count, body.context, buf),
        }
    }

    /// Sets the value: from a buffer, or to the starting value.
    ///
    /// # Errors
    /// `MPI_T_ERR_PVAR_NO_WRITE` for a read-only variable, unless it is one of `all` handles;
    /// `MPI_T_ERR_INVALID` for a time below zero.
    pub(super) fn set(&'static self, values: Option<*const c_void>, all: bool) -> Result {
        if values.is_some_and(<*const c_void>::is_null) {
            return Err(missing("buf"));
        }
        self.with(|body| {
            let pvar = body.pvar;
            if pvar.readonly() {
                let message = format!("{} can only be read", pvar.name);
                return if all {
                    Ok(())
                } else {
                    Err(Error::new(MPI_T_ERR_PVAR_NO_WRITE, message))
                };
            }
            let number = |element: usize| {
                // SAFETY: as in `copy_out`.
                values.map(|from| unsafe { from.cast::<u64>().add(element).read() })
            };
            if let Some(level) = body.watched_level() {
                level.set_mark(&self.mark, pvar.is_high(), body.running, number(0));
            } else if let ValueSource::Time(_) = pvar.source {
                // SAFETY: as in `copy_out`.
                let seconds = values.map_or(0.0, |from| unsafe { from.cast::<f64>().read() });
                if !seconds.is_finite() || seconds < 0.0 {
                    return Err(Error::new(
                        MPI_T_ERR_INVALID,
                        format!("{seconds} is no time that a timer can show"),
                    ));
                }
                body.set(0, (seconds / NANOSECONDS) as u64);
            } else {
                (0..body.count).for_each(|element| body.set(element, number(element).unwrap_or(0)));
            }
            Ok(())
        })
    }

    /// Reads, and sets to the starting value, with nothing lost between.
    ///
    /// # Errors
    /// `MPI_T_ERR_PVAR_NO_ATOMIC` if that is not possible.
    pub(super) fn read_and_reset(&'static self, buf: *mut c_void) -> Result {
        if buf.is_null() {
            return Err(missing("buf"));
        }
        self.with(|body| {
            let pvar = body.pvar;
            if !pvar.atomic() {
                let message = format!("{} cannot be read and reset at once", pvar.name);
                return Err(Error::new(MPI_T_ERR_PVAR_NO_ATOMIC, message));
            }
            // SAFETY: as in `copy_out`.
            let put =
                |element: usize, value: u64| unsafe { buf.cast::<u64>().add(element).write(value) };
            if let Some(level) = body.watched_level() {
                put(0, level.set_mark(&self.mark, pvar.is_high(), body.running, None));
                return Ok(());
            }
            for element in 0..body.count {
                // The current value is read once. What is counted after it is in the next reading.
                let now = if body.running { body.now(element) } else { 0 };
                let value = body.bases[element].wrapping_add(now);
                body.bases[element] = now.wrapping_neg();
                match pvar.source {
                    // SAFETY: as in `copy_out`.
                    ValueSource::Time(_) => unsafe {
                        buf.cast::<f64>().write(value as f64 * NANOSECONDS)
                    },
                    _ => put(element, value),
                }
            }
            Ok(())
        })
    }

    /// The number of elements.
    pub(super) fn count(&self) -> usize {
        self.body().as_ref().map_or(0, |body| body.count)
    }
}
