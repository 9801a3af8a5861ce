//! Info objects (MPI 5.0, chapter 10): texts under keys, in the order in which they were set.
//! Both are bytes, since programs may use other encodings than UTF-8.

use std::ffi::{CStr, c_char, c_int};
use std::os::unix::ffi::OsStringExt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::abi::*;
use crate::arguments::Out;
use crate::error::{Error, Result};
use crate::handles::{HandleKind, Table};
use crate::text;

type Entries = Vec<(Vec<u8>, Vec<u8>)>;

static INFOS: Table<Mutex<Entries>> = Table::new(HandleKind::Info);

fn entries(info: &Mutex<Entries>) -> MutexGuard<'_, Entries> {
    info.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The entries of a handle, `MPI_INFO_ENV` included; `MPI_ERR_INFO` if it is none.
fn resolve(info: MPI_Info) -> Result<Arc<Mutex<Entries>>> {
    if info == MPI_INFO_ENV {
        return Ok(Arc::new(Mutex::new(environment())));
    }
    INFOS.get(info.0).ok_or_else(|| {
        let what =
            if info == MPI_INFO_NULL { "MPI_INFO_NULL" } else { "not that of an info object" };
        Error::new(MPI_ERR_INFO, format!("the handle is {what}"))
    })
}

/// `MPI_ERR_INFO` unless the handle is that of an info object or `MPI_INFO_NULL`, which is allowed
/// for hints.
pub(crate) fn check_hints(info: MPI_Info) -> Result {
    if info == MPI_INFO_NULL { Ok(()) } else { resolve(info).map(drop) }
}

/// The value of a hint; none in `MPI_INFO_NULL`.
pub(crate) fn hint(info: MPI_Info, key: &CStr) -> Result<Option<String>> {
    let text = |value: Vec<u8>| String::from_utf8_lossy(&value).into_owned();
    Ok(bytes_of_hint(info, key)?.map(text))
}

/// The same as the program has given it: names of files may be any bytes.
pub(crate) fn bytes_of_hint(info: MPI_Info, key: &CStr) -> Result<Option<Vec<u8>>> {
    if info == MPI_INFO_NULL { Ok(None) } else { value_of(info, key) }
}

/// What `MPI_INFO_ENV` says about the start of the program (MPI 5.0, section 11.2.1). Only what is
/// known is in it.
fn environment() -> Entries {
    let mut entries = Entries::new();
    let mut add = |key: &str, value: Vec<u8>| entries.push((key.into(), value));
    if let Ok(mut command) = std::fs::read("/proc/self/cmdline") {
        command.pop();
        let mut words = command.split(|byte| *byte == 0);
        add("command", words.next().unwrap_or_default().to_vec());
        add("argv", words.collect::<Vec<_>>().join(&b' '));
    }
    if let Ok(size) = std::env::var("MQDRT_SIZE") {
        add("maxprocs", size.into());
    }
    if let Ok(directory) = std::env::current_dir() {
        add("wdir", directory.into_os_string().into_vec());
    }
    add("arch", std::env::consts::ARCH.into());
    entries
}

fn key_of(key: &CStr) -> Result<Vec<u8>> {
    let key = key.to_bytes().to_vec();
    let blank = key.trim_ascii().is_empty();
    if blank || key.len() >= MPI_MAX_INFO_KEY as usize {
        let why = if blank {
            "is empty".into()
        } else {
            format!("is longer than {} bytes", MPI_MAX_INFO_KEY - 1)
        };
        return Err(Error::new(MPI_ERR_INFO_KEY, format!("the key {why}")));
    }
    Ok(key)
}

fn value_of(info: MPI_Info, key: &CStr) -> Result<Option<Vec<u8>>> {
    let key = key_of(key)?;
    let info = resolve(info)?;
    let entries = entries(&info);
    Ok(entries.iter().find(|(k, _)| *k == key).map(|(_, value)| value.clone()))
}

/// `MPI_Info_create`
pub(crate) fn create(info: Out<MPI_Info>) -> Result {
    info.set(MPI_Info(INFOS.insert(Mutex::new(Entries::new()))));
    Ok(())
}

/// A new info object with these keys and values.
pub(crate) fn create_with<'a>(
    info: Out<MPI_Info>,
    entries: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result {
    let entries = entries.into_iter().map(|(key, value)| (key.into(), value.into()));
    info.set(MPI_Info(INFOS.insert(Mutex::new(entries.collect::<Entries>()))));
    Ok(())
}

/// The kinds of memory that the program may pass (MPI 5.0, section 11.4.3), as the infos of
/// sessions, communicators, windows and files have them.
pub(crate) const MEMORY_KINDS: (&str, &str) = ("mpi_memory_alloc_kinds", "mpi,system");

/// `MPI_Info_create_env`
pub(crate) fn create_env(_argc: c_int, _argv: *mut *mut c_char, info: Out<MPI_Info>) -> Result {
    info.set(MPI_Info(INFOS.insert(Mutex::new(environment()))));
    Ok(())
}

/// `MPI_Info_dup`
pub(crate) fn dup(info: MPI_Info, newinfo: Out<MPI_Info>) -> Result {
    let copy = entries(&*resolve(info)?).clone();
    newinfo.set(MPI_Info(INFOS.insert(Mutex::new(copy))));
    Ok(())
}

fn changeable(info: MPI_Info) -> Result<Arc<Mutex<Entries>>> {
    if info == MPI_INFO_ENV {
        return Err(Error::new(MPI_ERR_INFO, "MPI_INFO_ENV cannot be changed"));
    }
    resolve(info)
}

/// `MPI_Info_free`
pub(crate) fn free(info: Out<MPI_Info>) -> Result {
    changeable(info.get())?;
    INFOS.remove(info.get().0);
    info.set(MPI_INFO_NULL);
    Ok(())
}

/// `MPI_Info_set`
pub(crate) fn set(info: MPI_Info, key: &CStr, value: &CStr) -> Result {
    let (info, key) = (changeable(info)?, key_of(key)?);
    let value = value.to_bytes().to_vec();
    if value.len() >= MPI_MAX_INFO_VAL as usize {
        let most = MPI_MAX_INFO_VAL - 1;
        return Err(Error::new(
            MPI_ERR_INFO_VALUE,
            format!("the value is longer than {most} bytes"),
        ));
    }
    let mut entries = entries(&info);
    match entries.iter_mut().find(|(k, _)| *k == key) {
        Some((_, old)) => *old = value,
        None => entries.push((key, value)),
    }
    Ok(())
}

/// `MPI_Info_delete`
pub(crate) fn delete(info: MPI_Info, key: &CStr) -> Result {
    let (info, key) = (changeable(info)?, key_of(key)?);
    let mut entries = entries(&info);
    let index = entries.iter().position(|(k, _)| *k == key);
    let none = || {
        let key = String::from_utf8_lossy(&key);
        Error::new(MPI_ERR_INFO_NOKEY, format!("there is no key {key:?}"))
    };
    entries.remove(index.ok_or_else(none)?);
    Ok(())
}

/// `MPI_Info_get`: up to `valuelen` bytes of the value and a zero.
pub(crate) fn get(
    info: MPI_Info,
    key: &CStr,
    valuelen: c_int,
    value: *mut c_char,
    flag: Out<c_int>,
) -> Result {
    let found = value_of(info, key)?;
    if let Some(found) = &found {
        let room = usize::try_from(valuelen)
            .map_err(|_| Error::new(MPI_ERR_ARG, format!("the length {valuelen} is negative")))?;
        text::copy_out(found, value, room + 1)?;
    }
    flag.set(found.is_some().into());
    Ok(())
}

/// `MPI_Info_get_string`: `buflen` includes the terminating zero. If it is 0, only the length is
/// asked for.
pub(crate) fn get_string(
    info: MPI_Info,
    key: &CStr,
    buflen: Out<c_int>,
    value: *mut c_char,
    flag: Out<c_int>,
) -> Result {
    let found = value_of(info, key)?;
    if let Some(found) = &found {
        let room = usize::try_from(buflen.get()).map_err(|_| {
            Error::new(MPI_ERR_ARG, format!("the length {} is negative", buflen.get()))
        })?;
        if room > 0 {
            text::copy_out(found, value, room)?;
        }
        buflen.set(found.len() as c_int + 1);
    }
    flag.set(found.is_some().into());
    Ok(())
}

/// `MPI_Info_get_valuelen`
pub(crate) fn get_valuelen(
    info: MPI_Info,
    key: &CStr,
    valuelen: Out<c_int>,
    flag: Out<c_int>,
) -> Result {
    let found = value_of(info, key)?;
    if let Some(found) = &found {
        valuelen.set(found.len() as c_int);
    }
    flag.set(found.is_some().into());
    Ok(())
}

/// `MPI_Info_get_nkeys`
pub(crate) fn get_nkeys(info: MPI_Info, nkeys: Out<c_int>) -> Result {
    nkeys.set(entries(&*resolve(info)?).len() as c_int);
    Ok(())
}

/// `MPI_Info_get_nthkey`
pub(crate) fn get_nthkey(info: MPI_Info, n: c_int, key: *mut c_char) -> Result {
    let info = resolve(info)?;
    let entries = entries(&info);
    let entry = usize::try_from(n).ok().and_then(|n| entries.get(n));
    let (own, _) = entry.ok_or_else(|| {
        Error::new(MPI_ERR_ARG, format!("there is no key number {n} among {}", entries.len()))
    })?;
    text::copy_out(own, key, MPI_MAX_INFO_KEY as usize).map(drop)
}

/// `MPI_Info_fromint`
pub(crate) fn from_int(integer: c_int) -> MPI_Info {
    INFOS.handle_of(integer)
}
