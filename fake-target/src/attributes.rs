//! Attributes of communicators and datatypes: values under keys, with functions of the program that
//! copy and delete them (MPI 5.0, section 7.7).

use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use crate::abi::*;
use crate::arguments::{Out, out};
use crate::communicator;
use crate::datatype;
use crate::error::{Error, Result};

/// What the program's functions are told about an object: its handle, the key, the extra state and
/// the value.
type Value = *mut c_void;

/// The functions of a key. Their types differ in the handle alone.
enum Functions {
    Communicator(MPI_Comm_copy_attr_function, MPI_Comm_delete_attr_function),
    Datatype(MPI_Type_copy_attr_function, MPI_Type_delete_attr_function),
}

struct Key {
    number: c_int,
    functions: Functions,
    extra_state: *mut c_void,
}

// SAFETY: the pointer is the program's and is handed back to its functions only.
unsafe impl Send for Key {}
// SAFETY: as above.
unsafe impl Sync for Key {}

static KEYS: LazyLock<Mutex<HashMap<c_int, Arc<Key>>>> = LazyLock::new(Mutex::default);
/// Numbers of the program's keys; those of the ABI are below.
static NEXT: AtomicI32 = AtomicI32::new(1000);

fn keys() -> MutexGuard<'static, HashMap<c_int, Arc<Key>>> {
    KEYS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a key is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Communicator,
    Datatype,
}

impl Key {
    fn owner(&self) -> Owner {
        match self.functions {
            Functions::Communicator(..) => Owner::Communicator,
            Functions::Datatype(..) => Owner::Datatype,
        }
    }

    /// Lets the program copy a value for the object `handle` is duplicated to; none if it is not to
    /// be copied.
    fn copy(&self, handle: usize, value: Value) -> Result<Option<Value>> {
        let (mut copied, mut flag): (Value, c_int) = (ptr::null_mut(), 0);
        let to: *mut c_void = ptr::from_mut(&mut copied).cast();
        // The ABI's null and dup functions are the numbers 0 and 1.
        let predefined = match self.functions {
            Functions::Communicator(copy, _) => copy.map_or(0, |f| f as usize),
            Functions::Datatype(copy, _) => copy.map_or(0, |f| f as usize),
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
                _ => MPI_SUCCESS,
            }
        };
        match code {
            MPI_SUCCESS => Ok((flag != 0).then_some(copied)),
            code => Err(Error::new(code, "the function that copies an attribute failed")),
        }
    }

    /// Tells the program that a value is no more attached.
    fn delete(&self, handle: usize, value: Value) -> Result {
        // SAFETY: as for `copy`.
        let code = unsafe {
            match self.functions {
                Functions::Communicator(_, Some(delete)) => {
                    delete(MPI_Comm(handle), self.number, value, self.extra_state)
                }
                Functions::Datatype(_, Some(delete)) => {
                    delete(MPI_Datatype(handle), self.number, value, self.extra_state)
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

    fn get(&self, key: c_int) -> Option<(Arc<Key>, usize)> {
        self.list().iter().find(|(own, _)| own.number == key).cloned()
    }

    fn take(&self, key: c_int) -> Option<(Arc<Key>, usize)> {
        let mut list = self.list();
        let index = list.iter().position(|(own, _)| own.number == key)?;
        Some(list.remove(index))
    }

    /// Attaches a value; one that was there under the key is deleted first.
    fn set(&self, handle: usize, key: Arc<Key>, value: Value) -> Result {
        if let Some((old, value)) = self.get(key.number) {
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

    fn delete(&self, handle: usize, key: c_int) -> Result {
        let none =
            || Error::new(MPI_ERR_KEYVAL, format!("no attribute is attached under the key {key}"));
        let (own, value) = self.get(key).ok_or_else(none)?;
        own.delete(handle, ptr::with_exposed_provenance_mut(value))?;
        self.take(key);
        Ok(())
    }

    /// Deletes all, the last one first; `handle` is the object's.
    pub(crate) fn delete_all(&self, handle: usize) -> Result {
        loop {
            let Some((key, value)) = self.list().last().cloned() else { return Ok(()) };
            key.delete(handle, ptr::with_exposed_provenance_mut(value))?;
            self.take(key.number);
        }
    }

    /// Copies what the program's functions say to a duplicate; `handle` is that of the object they
    /// are on.
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

fn create(functions: Functions, keyval: Out<c_int>, extra_state: *mut c_void) -> Result {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    keys().insert(number, Arc::new(Key { number, functions, extra_state }));
    keyval.set(number);
    Ok(())
}

fn find(key: c_int, owner: Owner) -> Result<Arc<Key>> {
    let found = keys().get(&key).cloned().filter(|key| key.owner() == owner);
    found.ok_or_else(|| {
        Error::new(
            MPI_ERR_KEYVAL,
            format!("{key} is not a key for attributes of this kind of object"),
        )
    })
}

fn free(keyval: Out<c_int>, owner: Owner) -> Result {
    find(keyval.get(), owner)?;
    keys().remove(&keyval.get());
    keyval.set(MPI_KEYVAL_INVALID);
    Ok(())
}

fn give(found: Option<Value>, attribute_val: *mut c_void, flag: Out<c_int>) -> Result {
    if let Some(value) = found {
        out(attribute_val.cast::<Value>(), "attribute_val")?.set(value);
    }
    flag.set(found.is_some().into());
    Ok(())
}

/// The predefined attributes of communicators (MPI 5.0, section 9.1.2): addresses of ints.
fn predefined(key: c_int) -> Option<Value> {
    struct Ints {
        tag_ub: AtomicI32,
        io: AtomicI32,
        host: AtomicI32,
        wtime_is_global: AtomicI32,
        last_used_code: AtomicI32,
        universe_size: AtomicI32,
    }
    static INTS: Ints = Ints {
        tag_ub: AtomicI32::new(c_int::MAX),
        io: AtomicI32::new(MPI_ANY_SOURCE),
        host: AtomicI32::new(MPI_PROC_NULL),
        wtime_is_global: AtomicI32::new(1),
        last_used_code: AtomicI32::new(0),
        universe_size: AtomicI32::new(0),
    };
    let int = match key {
        MPI_TAG_UB => &INTS.tag_ub,
        MPI_IO => &INTS.io,
        MPI_HOST => &INTS.host,
        MPI_WTIME_IS_GLOBAL => &INTS.wtime_is_global,
        MPI_LASTUSEDCODE => {
            INTS.last_used_code.store(crate::error_codes::last_used_code(), Ordering::Relaxed);
            &INTS.last_used_code
        }
        MPI_UNIVERSE_SIZE => {
            INTS.universe_size.store(crate::engine::ranks() as c_int, Ordering::Relaxed);
            &INTS.universe_size
        }
        _ => return None,
    };
    Some(int.as_ptr().cast())
}

/// Keys of the ABI: they cannot be set, deleted or freed. `MPI_APPNUM` has no value here.
fn is_predefined(key: c_int) -> bool {
    predefined(key).is_some() || key == MPI_APPNUM
}

fn changeable(key: c_int) -> Result {
    if is_predefined(key) {
        return Err(Error::new(
            MPI_ERR_KEYVAL,
            format!("the attribute {key} is predefined and cannot be changed"),
        ));
    }
    Ok(())
}

/// `MPI_Comm_create_keyval`, `MPI_Keyval_create`
pub(crate) fn comm_create_keyval(
    copy: MPI_Comm_copy_attr_function,
    delete: MPI_Comm_delete_attr_function,
    keyval: Out<c_int>,
    extra_state: *mut c_void,
) -> Result {
    create(Functions::Communicator(copy, delete), keyval, extra_state)
}

/// `MPI_Comm_free_keyval`, `MPI_Keyval_free`: what is attached under the key stays.
pub(crate) fn comm_free_keyval(keyval: Out<c_int>) -> Result {
    changeable(keyval.get())?;
    free(keyval, Owner::Communicator)
}

/// `MPI_Comm_set_attr`, `MPI_Attr_put`
pub(crate) fn comm_set_attr(comm: MPI_Comm, keyval: c_int, attribute_val: *mut c_void) -> Result {
    let communicator = communicator::resolve(comm)?;
    changeable(keyval)?;
    communicator.annex.attributes.set(comm.0, find(keyval, Owner::Communicator)?, attribute_val)
}

/// `MPI_Comm_get_attr`, `MPI_Attr_get`
pub(crate) fn comm_get_attr(
    comm: MPI_Comm,
    keyval: c_int,
    attribute_val: *mut c_void,
    flag: Out<c_int>,
) -> Result {
    let communicator = communicator::resolve(comm)?;
    if is_predefined(keyval) {
        return give(predefined(keyval), attribute_val, flag);
    }
    let found = communicator.annex.attributes.get(keyval);
    if found.is_none() {
        find(keyval, Owner::Communicator)?;
    }
    give(found.map(|(_, value)| ptr::with_exposed_provenance_mut(value)), attribute_val, flag)
}

/// `MPI_Comm_delete_attr`, `MPI_Attr_delete`
pub(crate) fn comm_delete_attr(comm: MPI_Comm, keyval: c_int) -> Result {
    let communicator = communicator::resolve(comm)?;
    changeable(keyval)?;
    communicator.annex.attributes.delete(comm.0, keyval)
}

/// `MPI_Type_create_keyval`
pub(crate) fn type_create_keyval(
    copy: MPI_Type_copy_attr_function,
    delete: MPI_Type_delete_attr_function,
    keyval: Out<c_int>,
    extra_state: *mut c_void,
) -> Result {
    create(Functions::Datatype(copy, delete), keyval, extra_state)
}

/// `MPI_Type_free_keyval`
pub(crate) fn type_free_keyval(keyval: Out<c_int>) -> Result {
    free(keyval, Owner::Datatype)
}

/// `MPI_Type_set_attr`
pub(crate) fn type_set_attr(
    datatype: MPI_Datatype,
    keyval: c_int,
    attribute_val: *mut c_void,
) -> Result {
    let object = datatype::find(datatype)?;
    object.attributes().set(datatype.0, find(keyval, Owner::Datatype)?, attribute_val)
}

/// `MPI_Type_get_attr`
pub(crate) fn type_get_attr(
    datatype: MPI_Datatype,
    keyval: c_int,
    attribute_val: *mut c_void,
    flag: Out<c_int>,
) -> Result {
    let object = datatype::find(datatype)?;
    let found = object.attributes().get(keyval);
    if found.is_none() {
        find(keyval, Owner::Datatype)?;
    }
    give(found.map(|(_, value)| ptr::with_exposed_provenance_mut(value)), attribute_val, flag)
}

/// `MPI_Type_delete_attr`
pub(crate) fn type_delete_attr(datatype: MPI_Datatype, keyval: c_int) -> Result {
    datatype::find(datatype)?.attributes().delete(datatype.0, keyval)
}
