//! The functions of the interface (5.7 to 5.10) and its extensions ([`mqs_abi::extensions`]).
//! Each takes pointers and returns a code; its body works with a `Result`.
//!
//! Each body runs in the function `guard`, where panics end. Each function checks its pointers for
//! NULL. The debugger guarantees the rest (5.3, 5.6.1): a handle is its own, a callback table stays
//! valid while it is in use, and the information of an image or process is what this library
//! attached.

use crate::alloc::boxed;
use crate::debugger::{Image, Process, Target, basic};
use crate::error::{Code, Error, Result};
use crate::iterate::{Answer, Cursor, describe};
use crate::last_error;
use crate::memory::Memory;
use crate::queues::Snapshot;
use crate::runtimes::{Located, Runtime, Told};
use crate::text::{Text, to_chars};
use mqs_abi::extensions::{
    mqd_call, mqd_fifo, mqd_operation, mqd_process_name, mqd_stack_hints, mqd_traffic,
};
use mqs_abi::{
    MQS_INTERFACE_COMPATIBILITY, MQS_TEXT_BYTES, mqs_basic_callbacks, mqs_communicator,
    mqs_end_of_list, mqs_image, mqs_image_callbacks, mqs_image_info, mqs_no_information, mqs_ok,
    mqs_pending_operation, mqs_process, mqs_process_callbacks, mqs_process_info, mqs_taddr_t,
};
use std::ffi::{CStr, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, Once, PoisonError, TryLockError};

const VERSION: &CStr = crate::types::c_name(concat!(
    "libmqd ",
    env!("CARGO_PKG_VERSION"),
    ", MPI Message Queue Dumping interface 1.0\0"
));

/// A message of `mqs_image_has_queues` or `mqs_process_has_queues`. It belongs to the library and
/// does not move.
type Shown = Text<640>;

/// The information that the library attaches to an image.
struct ImageInfo(Mutex<ImageState>);

struct ImageState {
    image: Image,
    /// The MPI library, once it was recognised.
    runtime: Option<Runtime>,
    message: Shown,
}

/// The information that the library attaches to a process.
struct ProcessInfo(Mutex<ProcessState>);

struct ProcessState {
    process: Process,
    cursor: Cursor,
    /// What the debugger has told for the next pass.
    told: Told,
    /// An address that could be read in the pass before.
    readable: Option<u64>,
    message: Shown,
}

/// Runs the body of an entry point. This is the one place where results become codes and panics
/// end.
fn guard(body: impl FnOnce() -> Result<c_int>) -> c_int {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(code)) => code,
        Ok(Err(error)) => last_error::record(&error),
        Err(payload) => {
            // Dropping a payload may panic again. Losing a few bytes is better.
            std::mem::forget(payload);
            last_error::record(&Error::new(Code::Internal))
        }
    }
}

fn ok_or_end<T>(item: Option<T>) -> c_int {
    if item.is_some() { mqs_ok } else { mqs_end_of_list }
}

fn ok_or_not_known<T>(item: Option<T>) -> c_int {
    if item.is_some() { mqs_ok } else { mqs_no_information }
}

/// Locks the state of an image. No callback runs under this lock.
fn lock(info: &ImageInfo) -> MutexGuard<'_, ImageState> {
    info.0.lock().unwrap_or_else(PoisonError::into_inner)
}

/// # Safety
/// `image` is NULL or an image of the debugger.
unsafe fn image_info<'a>(image: *mut mqs_image) -> Result<&'a ImageInfo> {
    if image.is_null() {
        return Err(Error::on(Code::NullArgument, "mqs_image"));
    }
    // SAFETY: not NULL, so an image of the debugger; its information is what `mqs_setup_image`
    // attached.
    unsafe { basic::image_info(image)?.cast::<ImageInfo>().as_ref() }
        .ok_or(Error::on(Code::NotSetUp, "mqs_image"))
}

/// Locks the state of a process, for the whole of an entry point.
///
/// # Safety
/// `process` is NULL or a process of the debugger.
unsafe fn process_state<'a>(process: *mut mqs_process) -> Result<MutexGuard<'a, ProcessState>> {
    if process.is_null() {
        return Err(Error::on(Code::NullArgument, "mqs_process"));
    }
    // SAFETY: not NULL, so a process of the debugger; its information is what `mqs_setup_process`
    // attached.
    let info = unsafe { basic::process_info(process)?.cast::<ProcessInfo>().as_ref() };
    match info.ok_or(Error::on(Code::NotSetUp, "mqs_process"))?.0.try_lock() {
        Ok(state) => Ok(state),
        Err(TryLockError::Poisoned(state)) => Ok(state.into_inner()),
        Err(TryLockError::WouldBlock) => Err(Error::new(Code::Busy)),
    }
}

/// The body of an entry point that gives what `ask` finds. If it finds nothing, the code is
/// `otherwise`.
///
/// # Safety
/// `process` is NULL or the debugger's, `to` is NULL or valid for writes.
unsafe fn give_found<T>(
    process: *mut mqs_process,
    to: *mut T,
    otherwise: c_int,
    ask: impl FnOnce(&Cursor) -> Result<Option<T>>,
) -> c_int {
    guard(|| {
        // SAFETY: `process` is NULL or the debugger's process.
        let found = ask(&unsafe { process_state(process) }?.cursor)?;
        Ok(found.map_or(otherwise, |found| {
            // SAFETY: `to` is NULL or valid for writes.
            unsafe { give(to, found) };
            mqs_ok
        }))
    })
}

/// The MPI library of an image, recognised at the first success.
fn runtime(info: &ImageInfo) -> Result<(Image, Runtime)> {
    let (image, known) = {
        let state = lock(info);
        (state.image, state.runtime)
    };
    let runtime = known.map_or_else(|| Runtime::recognise(&image), Ok)?;
    lock(info).runtime = Some(runtime);
    Ok((image, runtime))
}

/// The MPI library's data of a process. They are looked up each time, since libraries may have been
/// loaded in between.
fn locate(process: &Process) -> Result<(Located, Target)> {
    // SAFETY: the debugger's own image of its process.
    let (image, runtime) = runtime(unsafe { image_info(process.image()?) }?)?;
    Ok((runtime.locate(&image)?, process.target(&image)?))
}

/// An error as a message with one `%s` for the name of the image or process, and no other percent
/// sign (5.8.2).
fn shown(error: &Error) -> Shown {
    let mut message = Shown::EMPTY;
    let text: Text<512> = last_error::describe(error);
    message.append(b"%s: ");
    text.as_bytes().split(|byte| *byte == b'%').for_each(|part| message.append(part));
    message
}

/// Writes through a pointer of the debugger that may be NULL.
///
/// # Safety
/// `to` is NULL or valid for writes.
unsafe fn give<T>(to: *mut T, value: T) {
    if !to.is_null() {
        // SAFETY: `to` is not NULL, so the caller has made it valid for writes.
        unsafe { to.write(value) }
    }
}

/// A structure of the debugger, set to zero. The bytes between the fields are zero too, so two
/// descriptions of one operation have the same bytes and a debugger can compare them.
///
/// # Safety
/// `to` is valid for writes, nobody else uses it, and `T` consists of numbers.
unsafe fn zeroed<'a, T>(to: *mut T) -> &'a mut T {
    // SAFETY: the caller has made `to` valid for writes and its own; zero is a valid number.
    unsafe {
        to.write_bytes(0, 1);
        &mut *to
    }
}

/// Hands the library the debugger's basic callbacks (5.7.1).
///
/// # Safety
/// `callbacks` is NULL or valid while the library is in use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqs_setup_basic_callbacks(callbacks: *const mqs_basic_callbacks) {
    static QUIET: Once = Once::new();
    guard(|| {
        // SAFETY: `callbacks` is NULL or valid while the library is in use.
        unsafe { basic::set_up(callbacks) };
        // The library never prints, not even when it panics.
        QUIET.call_once(|| std::panic::set_hook(silent_hook()));
        Ok(mqs_ok)
    });
}

/// A hook that does nothing. The box of a closure without captures needs no memory.
#[allow(clippy::disallowed_methods, reason = "allocates nothing")]
fn silent_hook() -> Box<dyn Fn(&std::panic::PanicHookInfo<'_>) + Sync + Send> {
    Box::new(|_| {})
}

/// The version of the library, for people (5.7.2).
#[unsafe(no_mangle)]
pub extern "C" fn mqs_version_string() -> *mut c_char {
    VERSION.as_ptr().cast_mut()
}

/// The version of the interface (5.7.3).
#[unsafe(no_mangle)]
pub extern "C" fn mqs_version_compatibility() -> c_int {
    MQS_INTERFACE_COMPATIBILITY
}

/// Bytes of the library's `mqs_taddr_t` (5.7.4).
#[unsafe(no_mangle)]
pub extern "C" fn mqs_dll_taddr_width() -> c_int {
    size_of::<mqs_taddr_t>() as c_int
}

/// The text of one of the library's codes (5.7.5), with the place of the latest error of that code.
#[unsafe(no_mangle)]
pub extern "C" fn mqs_dll_error_string(code: c_int) -> *mut c_char {
    let mut text = c"a bug in libmqd".as_ptr();
    guard(|| {
        text = last_error::text(code);
        Ok(mqs_ok)
    });
    text.cast_mut()
}

/// Prepares an image (5.8.1).
///
/// # Safety
/// `image` is NULL or the debugger's, `callbacks` is NULL or valid while the image is in use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqs_setup_image(
    image: *mut mqs_image,
    callbacks: *const mqs_image_callbacks,
) -> c_int {
    guard(|| {
        // SAFETY: the caller passes its image and a table that stays valid.
        let image = unsafe { Image::new(image, callbacks) }?;
        let info = boxed(ImageInfo(Mutex::new(ImageState {
            image,
            runtime: None,
            message: Shown::EMPTY,
        })))?;
        // SAFETY: the debugger's image. The debugger gives the box back by
        // `mqs_destroy_image_info`.
        unsafe { basic::attach(info, |info| basic::put_image_info(image.handle(), info)) }?;
        Ok(mqs_ok)
    })
}

/// Checks whether the image has an MPI library that can be read (5.8.2). If not, the result is an
/// error code and `message` becomes its text, which holds one `%s` for the image's name.
///
/// # Safety
/// `image` is NULL or the debugger's, `message` is NULL or valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqs_image_has_queues(
    image: *mut mqs_image,
    message: *mut *mut c_char,
) -> c_int {
    guard(|| {
        // SAFETY: `message` is NULL or valid for writes.
        unsafe { give(message, std::ptr::null_mut()) };
        // SAFETY: `image` is NULL or the debugger's image.
        let info = unsafe { image_info(image) }?;
        runtime(info).map(|_| mqs_ok).inspect_err(|error| {
            let mut state = lock(info);
            state.message = shown(error);
            // SAFETY: `message` is NULL or valid for writes. The text does not move: it is part of
            // the information attached to the image.
            unsafe { give(message, state.message.as_c_str().as_ptr().cast_mut()) };
        })
    })
}

/// Frees the information that the library attached to an image (5.8.3).
///
/// # Safety
/// `info` is NULL or what this library attached, and nobody uses it any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqs_destroy_image_info(info: *mut mqs_image_info) -> c_int {
    guard(|| {
        if !info.is_null() {
            // SAFETY: the box of `mqs_setup_image`.
            drop(unsafe { Box::from_raw(info.cast::<ImageInfo>()) });
        }
        Ok(mqs_ok)
    })
}

/// Prepares a process (5.9.1).
///
/// # Safety
/// `process` is NULL or the debugger's, `callbacks` is NULL or valid while the process is in use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqs_setup_process(
    process: *mut mqs_process,
    callbacks: *const mqs_process_callbacks,
) -> c_int {
    guard(|| {
        // SAFETY: the caller passes its process and a table that stays valid.
        let process = unsafe { Process::new(process, callbacks) }?;
        let state = ProcessState {
            process,
            cursor: Cursor::default(),
            told: Told::default(),
            readable: None,
            message: Shown::EMPTY,
        };
        let info = boxed(ProcessInfo(Mutex::new(state)))?;
        // SAFETY: the debugger's process. The debugger gives the box back by
        // `mqs_destroy_process_info`.
        unsafe { basic::attach(info, |info| basic::put_process_info(process.handle(), info)) }?;
        Ok(mqs_ok)
    })
}

/// Checks whether the process has queues now (5.9.2). If not, the result is an error code and
/// `message` becomes its text, which holds one `%s` for the process's name.
///
/// # Safety
/// `process` is NULL or the debugger's, `message` is NULL or valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqs_process_has_queues(
    process: *mut mqs_process,
    message: *mut *mut c_char,
) -> c_int {
    guard(|| {
        // SAFETY: `message` is NULL or valid for writes.
        unsafe { give(message, std::ptr::null_mut()) };
        // SAFETY: `process` is NULL or the debugger's process.
        let mut state = unsafe { process_state(process) }?;
        let (process, readable) = (state.process, state.readable);
        let checked = locate(&process).and_then(|(located, target)| {
            let mut memory = Memory::new(&target, readable);
            let checked = located.check(&mut memory).map_err(|error| memory.explain(error));
            state.readable = memory.readable();
            checked
        });
        checked.map(|()| mqs_ok).inspect_err(|error| {
            state.message = shown(error);
            // SAFETY: `message` is NULL or valid for writes. The text does not move: it is part of
            // the information attached to the process.
            unsafe { give(message, state.message.as_c_str().as_ptr().cast_mut()) };
        })
    })
}

/// Frees the information that the library attached to a process (5.9.3).
///
/// # Safety
/// `info` is NULL or what this library attached, and nobody uses it any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqs_destroy_process_info(info: *mut mqs_process_info) -> c_int {
    guard(|| {
        if !info.is_null() {
            // SAFETY: the box of `mqs_setup_process`.
            drop(unsafe { Box::from_raw(info.cast::<ProcessInfo>()) });
        }
        Ok(mqs_ok)
    })
}

/// Reads all communicators and queues of the process in one pass (5.10.1). After an error the
/// iterators serve what was read before it.
///
/// # Safety
/// `process` is NULL or the debugger's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqs_update_communicator_list(process: *mut mqs_process) -> c_int {
    guard(|| {
        // SAFETY: `process` is NULL or the debugger's process.
        let mut state = unsafe { process_state(process) }?;
        // The previous result is freed first, so that the two need not be in memory together.
        state.cursor.reset(None);
        let mut snapshot = Snapshot::default();
        let told = std::mem::take(&mut state.told);
        let (process, readable) = (state.process, state.readable);
        let result = locate(&process).and_then(|(located, target)| {
            let mut memory = Memory::new(&target, readable);
            let result = located.read(&mut memory, told, &mut snapshot);
            let result = result.map_err(|error| memory.explain(error));
            state.readable = memory.readable();
            result
        });
        state.cursor.reset(Some(snapshot));
        result.map(|()| mqs_ok)
    })
}

/// Goes to the first communicator (5.10.2).
///
/// # Safety
/// `process` is NULL or the debugger's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqs_setup_communicator_iterator(process: *mut mqs_process) -> c_int {
    guard(|| {
        // SAFETY: `process` is NULL or the debugger's process.
        unsafe { process_state(process) }?.cursor.first_communicator()?;
        Ok(mqs_ok)
    })
}

/// Describes the current communicator (5.10.3). At the end of the list: `mqs_end_of_list`.
///
/// # Safety
/// `process` is NULL or the debugger's, `communicator` is NULL or valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqs_get_communicator(
    process: *mut mqs_process,
    communicator: *mut mqs_communicator,
) -> c_int {
    // SAFETY: this function's own conditions.
    unsafe { give_found(process, communicator, mqs_end_of_list, Cursor::communicator) }
}

/// Writes the rank in `MPI_COMM_WORLD` of each rank of the current communicator (5.10.4). At the
/// end of the list: `mqs_end_of_list`.
///
/// # Safety
/// `process` is NULL or the debugger's, `ranks` is NULL or has room for as many as the
/// communicator's size says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqs_get_comm_group(process: *mut mqs_process, ranks: *mut c_int) -> c_int {
    guard(|| {
        // SAFETY: `process` is NULL or the debugger's process.
        let state = unsafe { process_state(process) }?;
        let group = state.cursor.group()?;
        let is_there = group.as_ref().map(|_| ());
        for (index, rank) in group.into_iter().flatten().enumerate() {
            if !ranks.is_null() {
                // SAFETY: `ranks` has room for as many as the communicator's size says.
                unsafe { ranks.add(index).write(rank) };
            }
        }
        Ok(ok_or_end(is_there))
    })
}

/// Goes to the next communicator (5.10.5). At the end of the list: `mqs_end_of_list`.
///
/// # Safety
/// `process` is NULL or the debugger's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqs_next_communicator(process: *mut mqs_process) -> c_int {
    // SAFETY: `process` is NULL or the debugger's process.
    guard(|| Ok(ok_or_end(unsafe { process_state(process) }?.cursor.next_communicator()?)))
}

/// Goes to the start of a queue of the current communicator (5.10.6). If nothing is known of that
/// queue: `mqs_no_information`.
///
/// # Safety
/// `process` is NULL or the debugger's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqs_setup_operation_iterator(
    process: *mut mqs_process,
    queue: c_int,
) -> c_int {
    guard(|| {
        // SAFETY: `process` is NULL or the debugger's process.
        Ok(match unsafe { process_state(process) }?.cursor.first_operation(queue)? {
            Answer::Here(()) => mqs_ok,
            Answer::End => mqs_end_of_list,
            Answer::NotKnown => mqs_no_information,
        })
    })
}

/// Describes the next operation of the queue (5.10.7). At the end of the list: `mqs_end_of_list`.
///
/// # Safety
/// `process` is NULL or the debugger's, `operation` is NULL or valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqs_next_operation(
    process: *mut mqs_process,
    operation: *mut mqs_pending_operation,
) -> c_int {
    guard(|| {
        if operation.is_null() {
            return Err(Error::on(Code::NullArgument, "mqs_pending_operation"));
        }
        // SAFETY: `process` is NULL or the debugger's process.
        let mut state = unsafe { process_state(process) }?;
        let number = state.cursor.next_operations(1, |_, next, snapshot| {
            // SAFETY: `operation` is not NULL, so it is valid for writes.
            describe(next, snapshot, unsafe { zeroed(operation) });
        })?;
        Ok(ok_or_end((number > 0).then_some(())))
    })
}

/// Gives the state of a collective operation on the current communicator. If it is not known:
/// `mqs_no_information`.
///
/// # Safety
/// `process` is NULL or the debugger's, `seq` and `active` are NULL or valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqs_get_comm_coll_state(
    process: *mut mqs_process,
    coll: c_int,
    seq: *mut c_int,
    active: *mut c_int,
) -> c_int {
    guard(|| {
        // SAFETY: `process` is NULL or the debugger's process.
        let state = unsafe { process_state(process) }?.cursor.collective(coll)?;
        if let Some((calls, is_active)) = state {
            // SAFETY: `seq` and `active` are NULL or valid for writes.
            unsafe {
                give(seq, calls);
                give(active, is_active);
            }
        }
        Ok(ok_or_not_known(state))
    })
}

/// Gives the MPI call that the process waits in. If it waits in no call: `mqs_end_of_list`. If that
/// is not known: `mqs_no_information`.
///
/// # Safety
/// `process` is NULL or the debugger's, `call` is NULL or valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqd_get_call(process: *mut mqs_process, call: *mut mqd_call) -> c_int {
    guard(|| {
        // SAFETY: `process` is NULL or the debugger's process.
        match unsafe { process_state(process) }?.cursor.call()? {
            Answer::Here(current) => {
                // SAFETY: `call` is NULL or valid for writes.
                unsafe { give(call, current) };
                Ok(mqs_ok)
            }
            Answer::End => Ok(mqs_end_of_list),
            Answer::NotKnown => Ok(mqs_no_information),
        }
    })
}

/// Gives hints for reading the call stacks of the process. If there are none: `mqs_no_information`.
///
/// # Safety
/// `process` is NULL or the debugger's, `hints` is NULL or valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqd_get_stack_hints(
    process: *mut mqs_process,
    hints: *mut mqd_stack_hints,
) -> c_int {
    // SAFETY: this function's own conditions.
    unsafe { give_found(process, hints, mqs_no_information, Cursor::stack_hints) }
}

/// Gives the function that a call calls again and again while it waits for one thing. If there is
/// none: `mqs_no_information`.
///
/// # Safety
/// `process` is NULL or the debugger's, `function` is NULL or has room for [`MQS_TEXT_BYTES`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqd_get_loop_function(
    process: *mut mqs_process,
    function: *mut c_char,
) -> c_int {
    // SAFETY: this function's own conditions.
    unsafe { give_name(process, function, |runtime, _| Ok(runtime.loop_function())) }
}

/// Gives the name of a function of the process's MPI library.
///
/// # Safety
/// `process` is NULL or the debugger's, `function` is NULL or has room for [`MQS_TEXT_BYTES`].
unsafe fn give_name(
    process: *mut mqs_process,
    function: *mut c_char,
    name: fn(&Runtime, &Image) -> Result<Option<&'static str>>,
) -> c_int {
    guard(|| {
        // SAFETY: `process` is NULL or the debugger's process.
        let state = unsafe { process_state(process) }?;
        // SAFETY: the debugger's own image of its process.
        let (image, runtime) = runtime(unsafe { image_info(state.process.image()?) }?)?;
        let name: Option<[c_char; MQS_TEXT_BYTES]> =
            name(&runtime, &image)?.map(|name| to_chars(name.as_bytes()));
        // SAFETY: `function` is NULL or has room for so many characters.
        name.inspect(|name| unsafe { give(function.cast(), *name) });
        Ok(ok_or_not_known(name))
    })
}

/// Tells that the process loops until the word at this address changes. This holds for the next
/// `mqs_update_communicator_list`.
///
/// # Safety
/// `process` is NULL or the debugger's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqd_set_awaited_word(
    process: *mut mqs_process,
    address: mqs_taddr_t,
) -> c_int {
    guard(|| {
        // SAFETY: `process` is NULL or the debugger's process.
        unsafe { process_state(process) }?.told.word = Some(address);
        Ok(mqs_ok)
    })
}

/// Gives the function in whose frames the requests of blocking sends are. If there is none:
/// `mqs_no_information`.
///
/// # Safety
/// `process` is NULL or the debugger's, `function` is NULL or has room for [`MQS_TEXT_BYTES`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqd_get_send_function(
    process: *mut mqs_process,
    function: *mut c_char,
) -> c_int {
    // SAFETY: this function's own conditions.
    unsafe { give_name(process, function, Runtime::send_function) }
}

/// Tells that no thread but the first is in the function of [`mqd_get_send_function`]. This holds
/// for the next `mqs_update_communicator_list`.
///
/// # Safety
/// `process` is NULL or the debugger's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqd_set_no_other_senders(process: *mut mqs_process) -> c_int {
    guard(|| {
        // SAFETY: `process` is NULL or the debugger's process.
        unsafe { process_state(process) }?.told.no_other_senders = true;
        Ok(mqs_ok)
    })
}

/// Gives what the library does by itself while the process waits. If that is not known:
/// `mqs_no_information`.
///
/// # Safety
/// `process` is NULL or the debugger's, `state` is NULL or valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqd_get_background(process: *mut mqs_process, state: *mut c_int) -> c_int {
    // SAFETY: this function's own conditions.
    unsafe { give_found(process, state, mqs_no_information, Cursor::background) }
}

/// Gives a line about what the queues were read from: libraries, devices, layout tables. After the
/// last one: `mqs_end_of_list`.
///
/// # Safety
/// `process` is NULL or the debugger's, `text` is NULL or has room for [`MQS_TEXT_BYTES`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqd_get_source(
    process: *mut mqs_process,
    number: c_int,
    text: *mut c_char,
) -> c_int {
    // SAFETY: this function's own conditions.
    unsafe { give_found(process, text.cast(), mqs_end_of_list, |cursor| cursor.source(number)) }
}

/// Names processes by job and rank: this one (`mqd_own_name`), those of the current communicator's
/// group (`mqd_group_names`), or those that the ranks of its operations stand for
/// (`mqd_peer_names`). If all are of the process's own job, or if that is not known:
/// `mqs_no_information`. At the end of the list: `mqs_end_of_list`.
///
/// # Safety
/// `process` is NULL or the debugger's, `names` is NULL or has room for `room` of them, `number` is
/// NULL or valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqd_get_process_names(
    process: *mut mqs_process,
    which: c_int,
    room: c_int,
    names: *mut mqd_process_name,
    number: *mut c_int,
) -> c_int {
    guard(|| {
        // SAFETY: `process` is NULL or the debugger's process.
        let mut state = unsafe { process_state(process) }?;
        let room = if names.is_null() { 0 } else { usize::try_from(room).unwrap_or(0) };
        let answer = state.cursor.names(which, room, |index, name| {
            // SAFETY: the index is less than `room`, and `names` has room for as many.
            unsafe { names.add(index).write(name) }
        })?;
        // SAFETY: `number` is NULL or valid for writes.
        Ok(unsafe { give_number(number, answer) })
    })
}

/// Gives how many there are, and makes the code of an answer.
///
/// # Safety
/// `number` is NULL or valid for writes.
unsafe fn give_number(number: *mut c_int, answer: Answer<usize>) -> c_int {
    match answer {
        Answer::Here(count) => {
            // SAFETY: as above.
            unsafe { give(number, c_int::try_from(count).unwrap_or(c_int::MAX)) };
            mqs_ok
        }
        Answer::End => mqs_end_of_list,
        Answer::NotKnown => mqs_no_information,
    }
}

/// Writes the ranks in `MPI_COMM_WORLD` of the remote group of the current communicator, if it is
/// an intercommunicator, at most `room`, and gives their number. That is 0 for an
/// intracommunicator. If it is not known: `mqs_no_information`. At the end of the list:
/// `mqs_end_of_list`.
///
/// # Safety
/// `process` is NULL or the debugger's, `ranks` is NULL or has room for `room` of them, `number` is
/// NULL or valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqd_get_remote_group(
    process: *mut mqs_process,
    room: c_int,
    ranks: *mut c_int,
    number: *mut c_int,
) -> c_int {
    guard(|| {
        // SAFETY: `process` is NULL or the debugger's process.
        let state = unsafe { process_state(process) }?;
        let room = if ranks.is_null() { 0 } else { usize::try_from(room).unwrap_or(0) };
        let answer = state.cursor.remote_group(room, |index, rank| {
            // SAFETY: the index is less than `room`, and `ranks` has room for as many.
            unsafe { ranks.add(index).write(rank) }
        })?;
        // SAFETY: `number` is NULL or valid for writes.
        Ok(unsafe { give_number(number, answer) })
    })
}

/// Gives the id of the communicator that the current one is a part of, if the library has made it
/// for its own messages. Otherwise, and if that is not known: `mqs_no_information`.
///
/// # Safety
/// `process` is NULL or the debugger's, `id` is NULL or valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqd_get_parent(process: *mut mqs_process, id: *mut mqs_taddr_t) -> c_int {
    // SAFETY: this function's own conditions.
    unsafe { give_found(process, id, mqs_no_information, Cursor::parent) }
}

/// Tells whether the process waits for the operation that `mqs_next_operation` described last. If
/// that is not known: `mqs_no_information`.
///
/// # Safety
/// `process` is NULL or the debugger's, `awaited` is NULL or valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqd_is_awaited(process: *mut mqs_process, awaited: *mut c_int) -> c_int {
    let ask = |cursor: &Cursor| Ok(cursor.is_awaited()?.map(c_int::from));
    // SAFETY: this function's own conditions.
    unsafe { give_found(process, awaited, mqs_no_information, ask) }
}

/// Describes the next operations of the queue, at most `room`, and gives their number. At the end
/// of the list: `mqs_end_of_list`.
///
/// # Safety
/// `process` is NULL or the debugger's, `operations` is NULL or has room for `room` of them,
/// `number` is NULL or valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqd_next_operations(
    process: *mut mqs_process,
    room: c_int,
    operations: *mut mqd_operation,
    number: *mut c_int,
) -> c_int {
    guard(|| {
        // SAFETY: `number` is NULL or valid for writes.
        unsafe { give(number, 0) };
        let room =
            usize::try_from(room).ok().filter(|room| *room > 0).ok_or(Error::new(Code::NoRoom))?;
        if operations.is_null() || number.is_null() {
            return Err(Error::on(Code::NullArgument, "mqd_operation"));
        }
        // SAFETY: `process` is NULL or the debugger's process.
        let mut state = unsafe { process_state(process) }?;
        let written = state.cursor.next_operations(room, |place, next, snapshot| {
            // SAFETY: `operations` has room for `room` of them, and the place is less than that.
            let to = unsafe { zeroed(operations.add(place)) };
            describe(next, snapshot, &mut to.operation);
            to.awaited = next.awaited.map_or(-1, c_int::from);
        })?;
        // SAFETY: `number` is valid for writes. Its value is at most `room`, so it fits.
        unsafe { give(number, written as c_int) };
        Ok(ok_or_end((written > 0).then_some(())))
    })
}

/// Goes to the start of the current communicator's traffic. If it is not known:
/// `mqs_no_information`.
///
/// # Safety
/// `process` is NULL or the debugger's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqd_setup_traffic_iterator(process: *mut mqs_process) -> c_int {
    // SAFETY: `process` is NULL or the debugger's process.
    guard(|| Ok(ok_or_not_known(unsafe { process_state(process) }?.cursor.first_traffic()?)))
}

/// Gives the traffic with the next process of the current communicator. At the end of the list:
/// `mqs_end_of_list`.
///
/// # Safety
/// `process` is NULL or the debugger's, `traffic` is NULL or valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqd_next_traffic(
    process: *mut mqs_process,
    traffic: *mut mqd_traffic,
) -> c_int {
    guard(|| {
        if traffic.is_null() {
            return Err(Error::on(Code::NullArgument, "mqd_traffic"));
        }
        // SAFETY: `process` is NULL or the debugger's process.
        let next = unsafe { process_state(process) }?.cursor.next_traffic()?;
        // SAFETY: `traffic` is NULL or valid for writes.
        next.inspect(|next| unsafe { give(traffic, *next) });
        Ok(ok_or_end(next))
    })
}

/// Goes to the start of the queues in shared memory. If they are not known: `mqs_no_information`.
///
/// # Safety
/// `process` is NULL or the debugger's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqd_setup_fifo_iterator(process: *mut mqs_process) -> c_int {
    // SAFETY: `process` is NULL or the debugger's process.
    guard(|| Ok(ok_or_not_known(unsafe { process_state(process) }?.cursor.first_fifo()?)))
}

/// Gives the next queue in shared memory. At the end of the list: `mqs_end_of_list`.
///
/// # Safety
/// `process` is NULL or the debugger's, `fifo` is NULL or valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mqd_next_fifo(process: *mut mqs_process, fifo: *mut mqd_fifo) -> c_int {
    guard(|| {
        if fifo.is_null() {
            return Err(Error::on(Code::NullArgument, "mqd_fifo"));
        }
        // SAFETY: `process` is NULL or the debugger's process.
        let next = unsafe { process_state(process) }?.cursor.next_fifo()?;
        // SAFETY: `fifo` is not NULL, so it is valid for writes.
        next.inspect(|next| unsafe { give(fifo, *next) });
        Ok(ok_or_end(next))
    })
}
