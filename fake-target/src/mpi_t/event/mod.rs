//! Events (MPI 5.0, section 15.3.8): the functions. [`types`] has the event types,
//! [`mod@registration`] the callbacks that want them, and [`delivery`] brings events to callbacks.

pub(super) mod delivery;
mod registration;
pub(crate) mod types;

use super::give::{at, checked, give, give_required, missing};
use super::in_use::check;
use super::{objects, strings};
use crate::abi::*;
use crate::arguments::out;
use crate::clock::nanoseconds;
use crate::engine::context::Context;
use crate::error::{Error, Result};
use crate::info;
use delivery::{Instance, current};
pub(crate) use delivery::{deliver, is_pending};
use registration::{Callback, EventRegistration, LEVELS};
use std::ffi::{c_char, c_int, c_void};
use std::sync::Arc;
use types::{EventSource, EventType, SOURCES, TYPES, size};

fn event_type(index: c_int) -> Result<(usize, &'static EventType)> {
    check()?;
    let index = checked(index, TYPES.len(), MPI_T_ERR_INVALID_INDEX)?;
    Ok((index, &TYPES[index]))
}

fn source(index: c_int) -> Result<&'static EventSource> {
    check()?;
    checked(index, SOURCES.len(), MPI_T_ERR_INVALID_INDEX).map(|index| &SOURCES[index])
}

fn registration(handle: MPI_T_event_registration) -> Result<Arc<EventRegistration>> {
    check()?;
    let found = registration::find(handle);
    found.ok_or_else(|| {
        Error::new(MPI_T_ERR_INVALID_HANDLE, "the handle is not that of a registration (any more)")
    })
}

fn instance(handle: MPI_T_event_instance) -> Result<Instance> {
    check()?;
    let found = current(handle);
    found.ok_or_else(|| {
        Error::new(
            MPI_T_ERR_INVALID_HANDLE,
            "the event is not that of the callback in which it was asked for",
        )
    })
}

/// The number of a safety level.
fn level(safety: MPI_T_cb_safety) -> Result<usize> {
    let found = LEVELS.iter().position(|level| *level == safety);
    found.ok_or_else(|| {
        Error::new(MPI_T_ERR_INVALID, format!("{safety} is no level of callback safety"))
    })
}

/// A new info object without hints: there are none that this implementation supports for events.
fn give_no_hints(to: *mut MPI_Info) -> Result {
    let to = out(to, "info_used").map_err(|error| error.with_code(MPI_T_ERR_INVALID))?;
    info::create(to).map_err(|error| error.with_code(MPI_T_ERR_INVALID))
}

/// Checks hints, which have no effect.
fn take_hints(hints: MPI_Info) -> Result {
    info::check_hints(hints).map_err(|error| error.with_code(MPI_T_ERR_INVALID))
}

/// The indices of the event types in a category.
pub(super) fn of_category(category: usize) -> Vec<c_int> {
    let indices = TYPES.iter().enumerate().filter(|(_, kind)| kind.category == category);
    indices.map(|(index, _)| index as c_int).collect()
}

/// `MPI_T_source_get_num`
pub(crate) fn source_get_num(num: *mut c_int) -> Result {
    check()?;
    give_required(num, "num_sources", SOURCES.len() as c_int)
}

/// `MPI_T_source_get_info`
#[expect(clippy::too_many_arguments, reason = "those of the C function")]
pub(crate) fn source_get_info(
    index: c_int,
    name: *mut c_char,
    name_len: *mut c_int,
    desc: *mut c_char,
    desc_len: *mut c_int,
    ordering: *mut MPI_T_source_order,
    ticks_per_second: *mut MPI_Count,
    max_ticks: *mut MPI_Count,
    info: *mut MPI_Info,
) -> Result {
    let source = source(index)?;
    strings::give_both((source.name, name, name_len), (source.description, desc, desc_len))?;
    give(ordering, source.ordering);
    give(ticks_per_second, 1_000_000_000);
    give(max_ticks, MPI_Count::MAX);
    if info.is_null() { Ok(()) } else { give_no_hints(info) }
}

/// `MPI_T_source_get_timestamp`
pub(crate) fn source_get_timestamp(index: c_int, timestamp: *mut MPI_Count) -> Result {
    source(index)?;
    give_required(timestamp, "timestamp", nanoseconds() as MPI_Count)
}

/// `MPI_T_event_get_num`
pub(crate) fn get_num(num: *mut c_int) -> Result {
    check()?;
    give_required(num, "num_events", TYPES.len() as c_int)
}

/// `MPI_T_event_get_info`
#[expect(clippy::too_many_arguments, reason = "those of the C function")]
pub(crate) fn get_info(
    index: c_int,
    name: *mut c_char,
    name_len: *mut c_int,
    verbosity: *mut c_int,
    datatypes: *mut MPI_Datatype,
    displacements: *mut MPI_Aint,
    num_elements: *mut c_int,
    enumtype: *mut MPI_T_enum,
    info: *mut MPI_Info,
    desc: *mut c_char,
    desc_len: *mut c_int,
    bind: *mut c_int,
) -> Result {
    let (_, kind) = event_type(index)?;
    strings::check(num_elements)?;
    strings::give_both((kind.name, name, name_len), (kind.description, desc, desc_len))?;
    give(verbosity, kind.verbosity);
    // SAFETY: a caller of MPI passes null or the address of an int.
    if let Some(num) = unsafe { num_elements.as_mut() } {
        let offsets = kind.displacements();
        for (element, datatype) in kind.elements.iter().enumerate().take(*num as usize) {
            if !datatypes.is_null() {
                give(datatypes.wrapping_add(element), *datatype);
            }
            if !displacements.is_null() {
                give(displacements.wrapping_add(element), offsets[element] as MPI_Aint);
            }
        }
        *num = kind.elements.len() as c_int;
    }
    give(enumtype, kind.elements_enumeration.handle());
    give(bind, kind.bind);
    if info.is_null() { Ok(()) } else { give_no_hints(info) }
}

/// `MPI_T_event_get_index`
pub(crate) fn get_index(name: *const c_char, index: *mut c_int) -> Result {
    check()?;
    let name = strings::take(name, "name")?;
    let found = TYPES.iter().position(|kind| kind.name == name);
    let found = found.ok_or_else(|| {
        Error::new(MPI_T_ERR_INVALID_NAME, format!("there is no event type {name}"))
    })?;
    give_required(index, "event_index", found as c_int)
}

/// `MPI_T_event_handle_alloc`
pub(crate) fn handle_alloc(
    index: c_int,
    object: *mut c_void,
    hints: MPI_Info,
    handle: *mut MPI_T_event_registration,
) -> Result {
    let (index, kind) = event_type(index)?;
    if handle.is_null() {
        return Err(missing("event_registration"));
    }
    take_hints(hints)?;
    let context = objects::resolve(kind.bind, object)?;
    let new = registration::make(index, context);
    give(
        handle,
        new.ok_or_else(|| Error::new(MPI_T_ERR_OUT_OF_HANDLES, "there are no more handles"))?,
    );
    Ok(())
}

/// `MPI_T_event_handle_set_info`
pub(crate) fn handle_set_info(handle: MPI_T_event_registration, hints: MPI_Info) -> Result {
    registration(handle)?;
    take_hints(hints)
}

/// `MPI_T_event_handle_get_info`
pub(crate) fn handle_get_info(
    handle: MPI_T_event_registration,
    info_used: *mut MPI_Info,
) -> Result {
    registration(handle)?;
    give_no_hints(info_used)
}

/// `MPI_T_event_handle_free`
pub(crate) fn handle_free(
    handle: MPI_T_event_registration,
    user_data: *mut c_void,
    function: MPI_T_event_free_cb_function,
) -> Result {
    let callback = function.map(|function| Callback { function, user_data });
    // This is the program's own call, so the function may do what the program may do at this point.
    registration(handle)?.free(callback, MPI_T_CB_REQUIRE_NONE);
    Ok(())
}

/// `MPI_T_event_register_callback`
pub(crate) fn register_callback(
    handle: MPI_T_event_registration,
    safety: MPI_T_cb_safety,
    hints: MPI_Info,
    user_data: *mut c_void,
    function: MPI_T_event_cb_function,
) -> Result {
    let registration = registration(handle)?;
    let level = level(safety)?;
    take_hints(hints)?;
    registration.set_callback(level, function.map(|function| Callback { function, user_data }));
    Ok(())
}

/// The registration, if it has a callback of a level.
fn with_callback(handle: MPI_T_event_registration, safety: MPI_T_cb_safety) -> Result {
    match registration(handle)?.has_callback(level(safety)?) {
        true => Ok(()),
        false => {
            Err(Error::new(MPI_T_ERR_INVALID, "no callback is registered for the safety level"))
        }
    }
}

/// `MPI_T_event_callback_set_info`
pub(crate) fn callback_set_info(
    handle: MPI_T_event_registration,
    safety: MPI_T_cb_safety,
    hints: MPI_Info,
) -> Result {
    with_callback(handle, safety)?;
    take_hints(hints)
}

/// `MPI_T_event_callback_get_info`
pub(crate) fn callback_get_info(
    handle: MPI_T_event_registration,
    safety: MPI_T_cb_safety,
    info_used: *mut MPI_Info,
) -> Result {
    with_callback(handle, safety)?;
    give_no_hints(info_used)
}

/// `MPI_T_event_set_dropped_handler`
pub(crate) fn set_dropped_handler(
    handle: MPI_T_event_registration,
    function: MPI_T_event_dropped_cb_function,
) -> Result {
    registration(handle)?.set_dropped_handler(function);
    Ok(())
}

/// Writes an element to a buffer.
fn put(datatype: MPI_Datatype, value: i64, to: *mut c_void) {
    // SAFETY: not null (the callers have looked); MPI's caller passes a buffer for the element. It
    // need not be aligned for an int64.
    unsafe {
        match size(datatype) {
            4 => to.cast::<c_int>().write_unaligned(value as c_int),
            _ => to.cast::<MPI_Count>().write_unaligned(value),
        }
    }
}

/// `MPI_T_event_read`
pub(crate) fn read(handle: MPI_T_event_instance, index: c_int, buffer: *mut c_void) -> Result {
    let instance = instance(handle)?;
    let elements = TYPES[instance.kind].elements;
    let datatype = at(elements, index, MPI_T_ERR_INVALID_INDEX)?;
    if buffer.is_null() {
        return Err(missing("buffer"));
    }
    put(datatype, instance.elements[index as usize], buffer);
    Ok(())
}

/// `MPI_T_event_copy`
pub(crate) fn copy(handle: MPI_T_event_instance, buffer: *mut c_void) -> Result {
    let instance = instance(handle)?;
    if buffer.is_null() {
        return Err(missing("buffer"));
    }
    let kind = &TYPES[instance.kind];
    for ((datatype, value), offset) in
        kind.elements.iter().zip(instance.elements).zip(kind.displacements())
    {
        put(*datatype, value, buffer.wrapping_byte_add(offset));
    }
    Ok(())
}

/// `MPI_T_event_get_timestamp`
pub(crate) fn get_timestamp(handle: MPI_T_event_instance, timestamp: *mut MPI_Count) -> Result {
    give_required(timestamp, "event_timestamp", instance(handle)?.timestamp as MPI_Count)
}

/// `MPI_T_event_get_source`
pub(crate) fn get_source(handle: MPI_T_event_instance, source_index: *mut c_int) -> Result {
    give_required(source_index, "source_index", TYPES[instance(handle)?.kind].source as c_int)
}

/// A communicator ends.
pub(super) fn communicator_gone(context: &Context) {
    for registration in registration::all() {
        registration.communicator_gone(context);
    }
}

/// Ends all registrations.
pub(super) fn free_all() {
    for registration in registration::all() {
        registration.free(None, MPI_T_CB_REQUIRE_NONE);
    }
    delivery::forget();
}
