//! The functions of `peruse.h` (PERUSE 2.0, section 5.2 and appendix E).
//!
//! A function converts C's arguments to those of its implementation, and the result to a return
//! code. Some codes are not among those that section 5.2 lists for the function: `PERUSE_ERR_INIT`
//! before `PERUSE_Init`, `PERUSE_ERR_MPI_INIT` after `MPI_Finalize`, `PERUSE_ERR_PARAMETER` for a
//! null pointer where there must be none, and `PERUSE_ERR_GENERIC` from a callback that does more
//! with a handle than read it (section 5.1.2).

use std::ffi::{CStr, c_char, c_int, c_long, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use super::callback::Specification;
use super::event::Kind;
use super::handle::{EventHandle, Watched};
use super::types::*;
use super::{environment, event, inside, lock, observer};
use crate::abi::{MPI_Comm, MPI_File, MPI_Win};
use crate::communicator;
use crate::engine;
use crate::engine::context::ContextId;
use crate::file;
use crate::phase::{self, Phase};
use crate::window;

static INITIALIZED: AtomicBool = AtomicBool::new(false);

/// Calls an implementation. Panics end here.
fn call(body: impl FnOnce() -> Outcome) -> c_int {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => PERUSE_SUCCESS,
        Ok(Err(Failure(code))) => code,
        Err(_) => PERUSE_ERR_GENERIC,
    }
}

/// The same for a function that may be called between `PERUSE_Init` and `MPI_Finalize`.
fn initialized(body: impl FnOnce() -> Outcome) -> c_int {
    if !INITIALIZED.load(Ordering::Acquire) {
        return PERUSE_ERR_INIT;
    }
    if phase::phase() != Phase::Running {
        return PERUSE_ERR_MPI_INIT;
    }
    call(body)
}

/// The same for a function that changes something, which a callback may not (section 5.1.2). The
/// engine's lock guards what is changed.
fn changing(body: impl FnOnce() -> Outcome) -> c_int {
    initialized(|| {
        if inside::is_inside() {
            return Err(Failure(PERUSE_ERR_GENERIC));
        }
        let _engine = engine::enter();
        body()
    })
}

/// The same for a function that only reads. In a callback this thread has entered the engine
/// already.
fn reading(body: impl FnOnce() -> Outcome) -> c_int {
    initialized(|| {
        let _engine = (!inside::is_inside()).then(engine::enter);
        body()
    })
}

/// Writes a variable of the caller, which must not be null.
fn give<T>(to: *mut T, value: T) -> Outcome {
    if to.is_null() {
        return Err(Failure(PERUSE_ERR_PARAMETER));
    }
    // SAFETY: not null; the caller passes the address of a variable of this type.
    unsafe { to.write(value) };
    Ok(())
}

/// Registers a callback with an object, which `find` resolves. If it fails, the handle is
/// `PERUSE_EVENT_HANDLE_NULL`.
fn register<S: Specification>(
    (event, kind): (c_int, Kind),
    find: impl FnOnce() -> Result<(Watched, ContextId), Failure>,
    callback: Option<CallbackFunction<S>>,
    param: *mut c_void,
    event_h: *mut peruse_event_h,
) -> Outcome {
    give(event_h, 0)?;
    let event = event::of_kind(event, kind).ok_or(Failure(PERUSE_ERR_EVENT))?;
    let watched = find()?;
    let callback = callback.ok_or(Failure(PERUSE_ERR_PARAMETER))?;
    give(event_h, EventHandle::register(event, watched, S::callback(callback), param))
}

/// Replaces the callback of an inactive handle.
fn set_callback<S: Specification>(
    event_h: peruse_event_h,
    callback: Option<CallbackFunction<S>>,
    param: *mut c_void,
) -> Outcome {
    let handle = EventHandle::find_inactive(event_h)?;
    handle.set_callback(callback.ok_or(Failure(PERUSE_ERR_PARAMETER))?, param)
}

/// The callback of an inactive handle. An active handle is an error here, although section 5.1.2
/// lets the function work on it. The function's own definition takes precedence, and other
/// implementations do the same.
fn get_callback<S: Specification>(
    event_h: peruse_event_h,
    callback: *mut Option<CallbackFunction<S>>,
    param: *mut *mut c_void,
) -> Outcome {
    let (function, data) = EventHandle::find_inactive(event_h)?.callback()?;
    give(callback, Some(function))?;
    give(param, data)
}

/// The communicator of a handle.
fn of_communicator(comm: MPI_Comm) -> Result<(Watched, ContextId), Failure> {
    let communicator = communicator::resolve(comm).map_err(|_| Failure(PERUSE_ERR_COMM))?;
    Ok(Watched::communicator(communicator))
}

/// A C type by its name in `peruse.h`. A test compares the header with it.
trait Named {
    fn name() -> String;
}

macro_rules! named {
    ($($type:ty: $name:literal,)*) => {$(
        impl Named for $type {
            fn name() -> String {
                $name.into()
            }
        }
    )*};
}

named! {
    c_int: "int",
    c_long: "peruse_event_h",
    c_char: "char",
    c_void: "void",
    MPI_Comm: "MPI_Comm",
    MPI_Win: "MPI_Win",
    MPI_File: "MPI_File",
    peruse_comm_callback_f: "peruse_comm_callback_f *",
    peruse_win_callback_f: "peruse_win_callback_f *",
    peruse_file_callback_f: "peruse_file_callback_f *",
    peruse_spawn_callback_f: "peruse_spawn_callback_f *",
}

impl<T: Named> Named for *mut T {
    fn name() -> String {
        format!("{} *", T::name())
    }
}

impl<T: Named> Named for *const T {
    fn name() -> String {
        format!("const {} *", T::name())
    }
}

/// Declares the functions: exported for C, and listed with their parameters as C has them.
macro_rules! functions {
    ($($(#[$doc:meta])* fn $name:ident($($parameter:ident: $type:ty),*) $body:expr;)*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// Pointers are null or point to what `peruse.h` says.
            #[allow(non_snake_case, reason = "the name is that of peruse.h")]
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($parameter: $type),*) -> c_int {
                $body
            }
        )*

        /// Every function of `peruse.h` with its C parameters.
        pub fn prototypes() -> Vec<(&'static str, String)> {
            vec![$({
                let parameters: Vec<String> = vec![$(<$type as Named>::name()),*];
                let parameters = match parameters.is_empty() {
                    true => "void".to_owned(),
                    false => parameters.join(", "),
                };
                (stringify!($name), parameters)
            }),*]
        }
    };
}

functions! {
    /// Section 5.2.1. Further calls change nothing.
    fn PERUSE_Init() match phase::phase() {
        Phase::Running => call(|| {
            observer::attach();
            INITIALIZED.store(true, Ordering::Release);
            Ok(())
        }),
        _ => PERUSE_ERR_MPI_INIT,
    };

    /// Section 5.2.2. The arrays are constant.
    fn PERUSE_Query_supported_events(
        num_supported: *mut c_int,
        event_names: *mut *mut *mut c_char,
        events: *mut *mut c_int
    ) initialized(|| {
        let all = event::catalogue();
        give(num_supported, all.names.len() as c_int)?;
        give(event_names, all.names.as_ptr().cast_mut())?;
        give(events, all.descriptors.as_ptr().cast_mut())
    });

    /// Section 5.2.3
    fn PERUSE_Query_event(event_name: *const c_char, event: *mut c_int) initialized(|| {
        if event_name.is_null() {
            return Err(Failure(PERUSE_ERR_PARAMETER));
        }
        // SAFETY: not null; the caller passes a zero-terminated text.
        let name = unsafe { CStr::from_ptr(event_name) };
        let found = event::by_name(name);
        give(event, found.map_or(PERUSE_EVENT_INVALID, event::descriptor))?;
        found.map(drop).ok_or(Failure(PERUSE_ERR_EVENT))
    });

    /// Section 5.2.4. The text is constant.
    fn PERUSE_Query_event_name(event: c_int, event_name: *mut *mut c_char) initialized(|| {
        let found = event::by_descriptor(event).ok_or(Failure(PERUSE_ERR_EVENT))?;
        give(event_name, event::name(found).as_ptr().cast_mut())
    });

    /// Section 5.2.5
    fn PERUSE_Query_environment(env_size: *mut c_int, env: *mut *mut *mut c_char) initialized(|| {
        let variables = environment::variables();
        give(env_size, variables.len() as c_int)?;
        let none = variables.is_empty();
        give(env, if none { std::ptr::null_mut() } else { variables.as_ptr().cast_mut() })
    });

    /// Section 5.2.6. Every communicator has queues of its own.
    fn PERUSE_Query_queue_event_scope(scope: *mut c_int)
        initialized(|| give(scope, PERUSE_PER_COMM));

    /// Section 5.2.7. If it fails, the handle is `PERUSE_EVENT_HANDLE_NULL`.
    fn PERUSE_Event_comm_register(
        event: c_int,
        comm: MPI_Comm,
        callback_fn: peruse_comm_callback_f,
        param: *mut c_void,
        event_h: *mut peruse_event_h
    )
        changing(|| {
            let what = (event, Kind::Communicator);
            register(what, || of_communicator(comm), callback_fn, param, event_h)
        });

    /// Section 5.2.8
    fn PERUSE_Event_activate(event_h: peruse_event_h) changing(|| {
        EventHandle::find(event_h)?.set_active(true);
        Ok(())
    });

    /// Section 5.2.9
    fn PERUSE_Event_deactivate(event_h: peruse_event_h) changing(|| {
        EventHandle::find(event_h)?.set_active(false);
        Ok(())
    });

    /// Section 5.2.10. A handle whose communicator is gone keeps its value, so that every use of it
    /// gets the same answer.
    fn PERUSE_Event_release(event_h: *mut peruse_event_h) changing(|| {
        // SAFETY: the caller passes null or the address of a handle.
        let handle = unsafe { event_h.as_mut() }.ok_or(Failure(PERUSE_ERR_PARAMETER))?;
        EventHandle::find(*handle)?.release();
        *handle = 0;
        Ok(())
    });

    /// Section 5.2.11
    fn PERUSE_Event_get(event_h: peruse_event_h, event: *mut c_int) reading(|| {
        give(event, event::descriptor(EventHandle::find(event_h)?.event()))
    });

    /// Section 5.2.12. The handle of an object is as wide as a pointer.
    fn PERUSE_Event_object_get(event_h: peruse_event_h, mpi_object: *mut *mut c_void) reading(|| {
        let watched = EventHandle::find(event_h)?.watched();
        give(mpi_object, std::ptr::without_provenance_mut(watched.raw()))
    });

    /// Section 5.2.13
    fn PERUSE_Event_comm_callback_set(
        event_h: peruse_event_h,
        callback_fn: peruse_comm_callback_f,
        param: *mut c_void
    ) changing(|| set_callback(event_h, callback_fn, param));

    /// Section 5.2.14
    fn PERUSE_Event_comm_callback_get(
        event_h: peruse_event_h,
        callback_fn: *mut peruse_comm_callback_f,
        param: *mut *mut c_void
    ) reading(|| get_callback(event_h, callback_fn, param));

    /// Section 5.2.15
    fn PERUSE_Event_propagate(event_h: peruse_event_h, mode: c_int) changing(|| {
        let handle = EventHandle::find_inactive(event_h)?;
        match mode {
            PERUSE_FALSE | PERUSE_TRUE => handle.set_propagation(mode == PERUSE_TRUE),
            _ => return Err(Failure(PERUSE_ERR_PARAMETER)),
        }
        Ok(())
    });

    /// Section 5.2.16
    fn PERUSE_Lock() initialized(lock::lock);

    /// Section 5.2.17. The list of constants has `PERUSE_ERR_UNLOCK`, but the section lets this
    /// function return `PERUSE_ERR_LOCK`.
    fn PERUSE_Unlock() initialized(lock::unlock);

    /// Appendix E, 12.3.1
    fn PERUSE_Event_win_register(
        event: c_int,
        win: MPI_Win,
        callback_fn: peruse_win_callback_f,
        param: *mut c_void,
        event_h: *mut peruse_event_h
    )
        changing(|| {
            let find = || match window::resolve(win) {
                Ok(window) => Ok(Watched::window(win, &window)),
                Err(_) => Err(Failure(PERUSE_ERR_WIN)),
            };
            register((event, Kind::Window), find, callback_fn, param, event_h)
        });

    /// Appendix E, 12.3.2
    fn PERUSE_Event_win_callback_set(
        event_h: peruse_event_h,
        callback_fn: peruse_win_callback_f,
        param: *mut c_void
    ) changing(|| set_callback(event_h, callback_fn, param));

    /// Appendix E, 12.3.3
    fn PERUSE_Event_win_callback_get(
        event_h: peruse_event_h,
        callback_fn: *mut peruse_win_callback_f,
        param: *mut *mut c_void
    ) reading(|| get_callback(event_h, callback_fn, param));

    /// Appendix E, 12.2.1
    fn PERUSE_Event_file_register(
        event: c_int,
        file: MPI_File,
        callback_fn: peruse_file_callback_f,
        param: *mut c_void,
        event_h: *mut peruse_event_h
    )
        changing(|| {
            let find = || match file::resolve(file) {
                Ok(file) => Ok(Watched::file(&file)),
                Err(_) => Err(Failure(PERUSE_ERR_FILE)),
            };
            register((event, Kind::File), find, callback_fn, param, event_h)
        });

    /// Appendix E, 12.2.2
    fn PERUSE_Event_file_callback_set(
        event_h: peruse_event_h,
        callback_fn: peruse_file_callback_f,
        param: *mut c_void
    ) changing(|| set_callback(event_h, callback_fn, param));

    /// Appendix E, 12.2.3
    fn PERUSE_Event_file_callback_get(
        event_h: peruse_event_h,
        callback_fn: *mut peruse_file_callback_f,
        param: *mut *mut c_void
    ) reading(|| get_callback(event_h, callback_fn, param));

    /// Appendix E, 12.5, where only the two functions below are named.
    fn PERUSE_Event_spawn_register(
        event: c_int,
        comm: MPI_Comm,
        callback_fn: peruse_spawn_callback_f,
        param: *mut c_void,
        event_h: *mut peruse_event_h
    )
        changing(|| {
            let what = (event, Kind::Spawn);
            register(what, || of_communicator(comm), callback_fn, param, event_h)
        });

    /// Appendix E, 12.5
    fn PERUSE_Event_spawn_callback_set(
        event_h: peruse_event_h,
        callback_fn: peruse_spawn_callback_f,
        param: *mut c_void
    ) changing(|| set_callback(event_h, callback_fn, param));

    /// Appendix E, 12.5
    fn PERUSE_Event_spawn_callback_get(
        event_h: peruse_event_h,
        callback_fn: *mut peruse_spawn_callback_f,
        param: *mut *mut c_void
    ) reading(|| get_callback(event_h, callback_fn, param));

    /// Appendix E, 12.7, which names no function. The text stays until the file is closed.
    fn PERUSE_Query_file_name(file: MPI_File, file_name: *mut *mut c_char) reading(|| {
        let file = file::resolve(file).map_err(|_| Failure(PERUSE_ERR_FILE))?;
        give(file_name, file.name().as_ptr().cast_mut())
    });
}
