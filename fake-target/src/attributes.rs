//! Attributes of communicators, datatypes and windows: values under keys, with functions of the
//! program that copy and delete them (MPI 5.0, section 7.7). The functions of MPI are with their
//! objects.

use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use crate::abi::*;
use crate::arguments::{Out, out};
use crate::error::{Error, Result};

/// A value that the program attaches.
pub(crate) type AttributeValue = *mut c_void;

/// The functions of a key: copy and delete. Their types differ only in the handle.
pub(crate) enum Functions {
    /// Of communicators.
    Communicator(MPI_Comm_copy_attr_function, MPI_Comm_delete_attr_function),
    /// Of datatypes.
    Datatype(MPI_Type_copy_attr_function, MPI_Type_delete_attr_function),
    /// Of windows, of which no copies are made.
    Window(MPI_Win_copy_attr_function, MPI_Win_delete_attr_function),
}

/// A key of the program.
pub(crate) struct Key {
    number: c_int,
    functions: Functions,
    extra_state: *mut c_void,
}

// SAFETY: the pointer is the program's and is handed back to its functions only.
unsafe impl Send for Key {}
// SAFETY: as above.
unsafe impl Sync for Key {}

static KEYS: LazyLock<Mutex<HashMap<c_int, Arc<Key>>>> = LazyLock::new(Mutex::default);
/// The next number for a key of the program. Those of the ABI are lower.
static NEXT: AtomicI32 = AtomicI32::new(FIRST);
const FIRST: c_int = 1000;

fn keys() -> MutexGuard<'static, HashMap<c_int, Arc<Key>>> {
    KEYS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a key is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyOwner {
    /// Communicators.
    Communicator,
    /// Datatypes.
    Datatype,
    /// Windows.
    Window,
}

impl Key {
    fn owner(&self) -> KeyOwner {
        match self.functions {
            Functions::Communicator(..) => KeyOwner::Communicator,
            Functions::Datatype(..) => KeyOwner::Datatype,
            Functions::Window(..) => KeyOwner::Window,
        }
    }

    /// Lets the program copy a value to a duplicate of the object `handle`; none if the value is
    /// not to be copied.
    fn copy(&self, handle: usize, value: AttributeValue) -> Result<Option<AttributeValue>> {
        let (mut copied, mut flag): (AttributeValue, c_int) = (ptr::null_mut(), 0);
        let to: *mut c_void = ptr::from_mut(&mut copied).cast();
        // The ABI's null and dup functions are the numbers 0 and 1.
        let predefined = match self.functions {
            Functions::Communicator(copy, _) => copy.map_or(0, |f| f as usize),
            Functions::Datatype(copy, _) => copy.map_or(0, |f| f as usize),
            Functions::Window(copy, _) => copy.map_or(0, |f| f as usize),
        };
        if predefined == MPI_COMM_NULL_COPY_FN {
            return Ok(None);
        }
        if predefined == MPI_COMM_DUP_FN {
            return Ok(Some(value));
        }
        // SAFETY: the program registered the functions for these keys; the addresses are those of
        // variables here.
        let code = unsafe {
            match self.functions {
                Functions::Communicator(Some(copy), _) => {
                    copy(MPI_Comm(handle), self.number, self.extra_state, value, to, &mut flag)
                }
                Functions::Datatype(Some(copy), _) => {
                    copy(MPI_Datatype(handle), self.number, self.extra_state, value, to, &mut flag)
                }
                Functions::Window(Some(copy), _) => {
                    copy(MPI_Win(handle), self.number, self.extra_state, value, to, &mut flag)
                }
                _ => MPI_SUCCESS,
            }
        };
        match code {
            MPI_SUCCESS => Ok((flag != 0).then_some(copied)),
            code => Err(Error::new(code, "the function that copies an attribute failed")),
        }
    }

    /// Tells the program that a value is no longer attached.
    fn delete(&self, handle: usize, value: AttributeValue) -> Result {
        // SAFETY: as for `copy`.
        let code = unsafe {
            match self.functions {
                Functions::Communicator(_, Some(delete)) => {
                    delete(MPI_Comm(handle), self.number, value, self.extra_state)
                }
                Functions::Datatype(_, Some(delete)) => {
                    delete(MPI_Datatype(handle), self.number, value, self.extra_state)
                }
                Functions::Window(_, Some(delete)) => {
                    delete(MPI_Win(handle), self.number, value, self.extra_state)
                }
                _ => MPI_SUCCESS,
            }
        };
        match code {
            MPI_SUCCESS => Ok(()),
            code => Err(Error::new(code, "the function that deletes an attribute failed")),
        }
    }
}

/// The attributes of one object, in the order in which they were attached.
#[derive(Default)]
pub(crate) struct Attributes(Mutex<Vec<(Arc<Key>, usize)>>);

impl Attributes {
    fn list(&self) -> MutexGuard<'_, Vec<(Arc<Key>, usize)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, key: c_int) -> Option<(Arc<Key>, usize)> {
        self.list().iter().find(|(own, _)| own.number == key).cloned()
    }

    /// The value under a key.
    pub(crate) fn get(&self, key: c_int) -> Option<AttributeValue> {
        self.find(key).map(|(_, value)| ptr::with_exposed_provenance_mut(value))
    }

    fn take(&self, key: c_int) -> Option<(Arc<Key>, usize)> {
        let mut list = self.list();
        let index = list.iter().position(|(own, _)| own.number == key)?;
        Some(list.remove(index))
    }

    /// Attaches a value; one that was there under the key is deleted first.
    pub(crate) fn set(&self, handle: usize, key: Arc<Key>, value: AttributeValue) -> Result {
        if let Some((old, value)) = self.find(key.number) {
            old.delete(handle, ptr::with_exposed_provenance_mut(value))?;
        }
        let mut list = self.list();
        let value = value.expose_provenance();
        match list.iter_mut().find(|(own, _)| own.number == key.number) {
            Some(place) => place.1 = value,
            None => list.push((key, value)),
        }
        Ok(())
    }

    /// Deletes the value under a key; `MPI_ERR_KEYVAL` if there is none.
    pub(crate) fn delete(&self, handle: usize, key: c_int) -> Result {
        let none =
            || Error::new(MPI_ERR_KEYVAL, format!("no attribute is attached under the key {key}"));
        let (own, value) = self.find(key).ok_or_else(none)?;
        own.delete(handle, ptr::with_exposed_provenance_mut(value))?;
        self.take(key);
        Ok(())
    }

    /// Deletes all attributes, the last one first. `handle` is that of the object.
    pub(crate) fn delete_all(&self, handle: usize) -> Result {
        loop {
            let Some((key, value)) = self.list().last().cloned() else { return Ok(()) };
            key.delete(handle, ptr::with_exposed_provenance_mut(value))?;
            self.take(key.number);
        }
    }

    /// Copies attributes to a duplicate, as the program's functions decide. `handle` is that of the
    /// original.
    pub(crate) fn copy_to(&self, duplicate: &Attributes, handle: usize) -> Result {
        let own = self.list().clone();
        for (key, value) in own {
            if let Some(copied) = key.copy(handle, ptr::with_exposed_provenance_mut(value))? {
                duplicate.list().push((key, copied.expose_provenance()));
            }
        }
        Ok(())
    }
}

/// Makes a key.
pub(crate) fn create(functions: Functions, keyval: Out<c_int>, extra_state: *mut c_void) -> Result {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    keys().insert(number, Arc::new(Key { number, functions, extra_state }));
    keyval.set(number);
    Ok(())
}

/// The key with this number; `MPI_ERR_KEYVAL` if it is not a key for such objects.
pub(crate) fn find(key: c_int, owner: KeyOwner) -> Result<Arc<Key>> {
    let found = keys().get(&key).cloned().filter(|key| key.owner() == owner);
    found.ok_or_else(|| {
        Error::new(
            MPI_ERR_KEYVAL,
            format!("{key} is not a key for attributes of this kind of object"),
        )
    })
}

/// Frees a key. Attributes with this key stay. As in other MPIs, a key that was freed before is
/// accepted.
pub(crate) fn free(keyval: Out<c_int>, owner: KeyOwner) -> Result {
    let number = keyval.get();
    let freed = (FIRST..NEXT.load(Ordering::Relaxed)).contains(&number);
    if !freed || keys().contains_key(&number) {
        find(number, owner)?;
    }
    keys().remove(&keyval.get());
    keyval.set(MPI_KEYVAL_INVALID);
    Ok(())
}

/// Returns a value to the program, if there is one.
pub(crate) fn give(
    found: Option<AttributeValue>,
    attribute_val: *mut c_void,
    flag: Out<c_int>,
) -> Result {
    if let Some(value) = found {
        out(attribute_val.cast::<AttributeValue>(), "attribute_val")?.set(value);
    }
    flag.set(found.is_some().into());
    Ok(())
}
