//! Handles: how a value in the program names an object in the runtime.
//!
//! A handle is not an address but `generation << 32 | kind << 27 | index`. The generation counts
//! the uses of a place in a table. So a freed handle or garbage is distinguished from a valid
//! handle without access to the memory that it might point to. The low 32 bits are unique among
//! live objects: they are what `MPI_Comm_toint` and the like return. Predefined handles have the
//! small values of the ABI and are in no table.

use std::ffi::c_int;
use std::sync::{Arc, PoisonError, RwLock};

use crate::abi::Handle;

/// What a handle names. Never zero, so that no dynamic handle looks like a predefined one. Kinds
/// that have integers for other languages are below 16, so that these integers are positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum HandleKind {
    Communicator = 1,
    Group = 2,
    Datatype = 3,
    Op = 4,
    ErrorHandler = 5,
    Info = 6,
    Request = 7,
    Message = 8,
    Session = 9,
    Window = 10,
    File = 11,
    CvarHandle = 16,
    PvarHandle = 17,
    PvarSession = 18,
    EventRegistration = 19,
    PeruseEvent = 20,
}

pub(crate) const INDEX_BITS: u32 = 27;
pub(crate) const MAX_OBJECTS: usize = 1 << INDEX_BITS;

/// The handle of a place in a table.
pub(crate) const fn encode(kind: HandleKind, generation: u32, index: usize) -> usize {
    ((generation as usize) << 32) | ((kind as usize) << INDEX_BITS) | index
}

/// The generation and the index in a handle of that kind; none if it is of another kind or
/// predefined.
pub(crate) const fn decode(kind: HandleKind, handle: usize) -> Option<(u32, usize)> {
    let generation = (handle >> 32) as u32;
    if generation == 0 || (handle >> INDEX_BITS) & 0x1f != kind as usize {
        return None;
    }
    Some((generation, handle & (MAX_OBJECTS - 1)))
}

/// `MPI_X_toint`: the integer that stands for a handle in Fortran and other languages.
pub(crate) fn to_int(handle: impl Handle) -> c_int {
    handle.raw() as c_int
}

/// `MPI_X_fromint` for the kinds of which there are only predefined handles.
pub(crate) fn predefined_from_int<H: Handle>(integer: c_int) -> H {
    H::from_raw(integer as u32 as usize)
}

/// The objects of one kind.
pub(crate) struct Table<T> {
    kind: HandleKind,
    places: RwLock<Places<T>>,
}

struct Places<T> {
    places: Vec<Place<T>>,
    free: Vec<usize>,
}

struct Place<T> {
    generation: u32,
    object: Option<Arc<T>>,
}

impl<T> Table<T> {
    /// An empty table.
    pub(crate) const fn new(kind: HandleKind) -> Self {
        Table { kind, places: RwLock::new(Places { places: Vec::new(), free: Vec::new() }) }
    }

    /// Takes in an object and names it.
    pub(crate) fn insert(&self, object: impl Into<Arc<T>>) -> usize {
        let object = Some(object.into());
        let mut table = self.places.write().unwrap_or_else(PoisonError::into_inner);
        let index = match table.free.pop() {
            Some(index) => {
                table.places[index].object = object;
                index
            }
            None => {
                assert!(
                    table.places.len() < MAX_OBJECTS,
                    "more than {MAX_OBJECTS} {:?} objects",
                    self.kind
                );
                table.places.push(Place { generation: 1, object });
                table.places.len() - 1
            }
        };
        encode(self.kind, table.places[index].generation, index)
    }

    /// The object of a handle; none if the handle does not name one, or no longer.
    pub(crate) fn get(&self, handle: usize) -> Option<Arc<T>> {
        let (generation, index) = decode(self.kind, handle)?;
        let table = self.places.read().unwrap_or_else(PoisonError::into_inner);
        let place = table.places.get(index)?;
        if place.generation == generation { place.object.clone() } else { None }
    }

    /// Ends the use of a handle and gives its object back.
    pub(crate) fn remove(&self, handle: usize) -> Option<Arc<T>> {
        let (generation, index) = decode(self.kind, handle)?;
        let mut table = self.places.write().unwrap_or_else(PoisonError::into_inner);
        let place = table.places.get_mut(index).filter(|p| p.generation == generation)?;
        let object = place.object.take()?;
        place.generation = place.generation.checked_add(1).unwrap_or(1);
        table.free.push(index);
        Some(object)
    }

    /// `MPI_X_fromint`: the handle from which [`to_int`] has made this integer. For other integers,
    /// a handle that names no object, or a predefined one.
    pub(crate) fn handle_of<H: Handle>(&self, integer: c_int) -> H {
        let low = integer as u32 as usize;
        let find = || {
            let (_, index) = decode(self.kind, low | 1 << 32)?;
            let table = self.places.read().unwrap_or_else(PoisonError::into_inner);
            let place = table.places.get(index).filter(|p| p.object.is_some())?;
            Some(encode(self.kind, place.generation, index))
        };
        H::from_raw(find().unwrap_or(low))
    }
}
