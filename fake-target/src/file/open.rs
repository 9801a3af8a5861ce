//! Opening and closing files (MPI 5.0, sections 14.2.1 to 14.2.3).

use std::ffi::{CStr, OsStr, c_int};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::agreement::{begin, by_leader, settle};
use super::buffering;
use super::errors::system;
use super::object::{self, File, resolve};
use super::pointer::SharedPointer;
use super::split;
use crate::abi::*;
use crate::arguments::Out;
use crate::collectives::{Collective, enter};
use crate::communicator::team::{Team, tag};
use crate::communicator::{self, Communicator};
use crate::errhandler;
use crate::error::{Error, Result};
use crate::info;

/// What names of files begin with in programs that choose ROMIO's file system by a prefix.
const PREFIXES: [&[u8]; 10] = [
    b"ufs:",
    b"nfs:",
    b"xfs:",
    b"gpfs:",
    b"panfs:",
    b"pvfs:",
    b"pvfs2:",
    b"lustre:",
    b"quobyte:",
    b"testfs:",
];

/// The file that a name stands for. A prefix for the kind of file system is not part of the name.
pub(super) fn path_of(filename: &CStr) -> PathBuf {
    let name = filename.to_bytes();
    let path = PREFIXES.iter().find_map(|prefix| name.strip_prefix(*prefix)).unwrap_or(name);
    PathBuf::from(OsStr::from_bytes(path))
}

const WAYS: c_int = MPI_MODE_RDONLY | MPI_MODE_RDWR | MPI_MODE_WRONLY;
const ALL: c_int = WAYS
    | MPI_MODE_CREATE
    | MPI_MODE_EXCL
    | MPI_MODE_DELETE_ON_CLOSE
    | MPI_MODE_UNIQUE_OPEN
    | MPI_MODE_SEQUENTIAL
    | MPI_MODE_APPEND;

/// `MPI_ERR_AMODE` unless the access mode is valid.
fn check_amode(amode: c_int) -> Result {
    let wrong = |what: &str| Err(Error::new(MPI_ERR_AMODE, format!("{what} (mode {amode:#x})")));
    if amode & !ALL != 0 {
        return wrong("the access mode has bits that mean nothing");
    }
    if (amode & WAYS).count_ones() != 1 {
        return wrong("one of MPI_MODE_RDONLY, MPI_MODE_RDWR and MPI_MODE_WRONLY is needed");
    }
    if amode & MPI_MODE_RDONLY != 0 && amode & (MPI_MODE_CREATE | MPI_MODE_EXCL) != 0 {
        return wrong("MPI_MODE_RDONLY does not go with MPI_MODE_CREATE and MPI_MODE_EXCL");
    }
    if amode & MPI_MODE_RDWR != 0 && amode & MPI_MODE_SEQUENTIAL != 0 {
        return wrong("MPI_MODE_RDWR does not go with MPI_MODE_SEQUENTIAL");
    }
    Ok(())
}

/// The permissions for a new file, and the hints that are followed: `file_perm` asks for
/// permissions, `collective_buffering` says whether processes collect what they write together. An
/// invalid hint is ignored.
fn read_hints(hints: MPI_Info) -> Result<(u32, Vec<(String, String)>)> {
    let (mut mode, mut followed) = (0o666, Vec::new());
    if let Some(asked) = info::hint(hints, c"file_perm")?
        && let Ok(asked_mode @ ..=0o777) = u32::from_str_radix(&asked, 8)
    {
        mode = asked_mode;
        followed.push(("file_perm".to_owned(), asked));
    }
    if let Some(asked) = info::hint(hints, c"collective_buffering")?
        && matches!(asked.as_str(), "true" | "false")
    {
        followed.push((buffering::HINT.to_owned(), asked));
    }
    Ok((mode, followed))
}

/// Opens the file. With `first`, this process creates it if necessary.
fn descriptor(path: &Path, amode: c_int, mode: u32, first: bool) -> Result<std::fs::File> {
    let mut flags = libc::O_CLOEXEC;
    if first && amode & MPI_MODE_CREATE != 0 {
        flags |= libc::O_CREAT;
    }
    // Without MPI_MODE_CREATE, the flag would require that the file does not exist although it
    // cannot be created.
    if first && amode & MPI_MODE_EXCL != 0 && amode & MPI_MODE_CREATE != 0 {
        flags |= libc::O_EXCL;
    }
    let file = std::fs::OpenOptions::new()
        .read(amode & MPI_MODE_WRONLY == 0)
        .write(amode & MPI_MODE_RDONLY == 0)
        .custom_flags(flags)
        .mode(mode)
        .open(path)
        .map_err(|error| system("open", path, &error))?;
    let metadata = file.metadata().map_err(|error| system("look at", path, &error))?;
    if metadata.is_dir() {
        let message = format!("{} is a directory", path.display());
        return Err(Error::new(MPI_ERR_BAD_FILE, message));
    }
    Ok(file)
}

/// `MPI_File_open`
pub(crate) fn open(
    comm: MPI_Comm,
    filename: &CStr,
    amode: c_int,
    hints: MPI_Info,
    fh: Out<MPI_File>,
) -> Result {
    fh.set(MPI_FILE_NULL);
    let parent = communicator::resolve(comm)?;
    if parent.remote().is_some() {
        let message = "a file is opened by the processes of an intracommunicator";
        return Err(Error::new(MPI_ERR_COMM, message));
    }
    let path = path_of(filename);
    // Debuggers see on the program's communicator which processes have come. All meet there, too:
    // in a communicator that others have not made yet, debuggers could not exclude that messages
    // are on their way.
    let _under_way = enter(Collective::FileOpen, parent);
    let checked = check_amode(amode).and_then(|()| read_hints(hints));
    let agreed = settle(&Team::local(parent, tag::FILE), checked, [amode.into(), 0])?;
    let own = communicator::of_the_same_processes(parent, &name_of(&path))?;
    match open_together(own, path, amode, agreed) {
        Ok(file) => {
            fh.set(object::register(file));
            Ok(())
        }
        Err(error) => {
            communicator::end(own)?;
            Err(error)
        }
    }
}

/// The name of a file's communicator, for debuggers.
fn name_of(path: &Path) -> String {
    format!("file {}", path.file_name().unwrap_or(path.as_os_str()).display())
}

fn open_together(
    own: &'static Communicator,
    path: PathBuf,
    amode: c_int,
    (mode, hints): (u32, Vec<(String, String)>),
) -> Result<File> {
    let team = Team::local(own, tag::FILE);
    let mut first = None;
    by_leader(&team, || {
        first = Some(descriptor(&path, amode, mode, true)?);
        Ok(())
    })?;
    let opened = match first {
        Some(file) => Ok(file),
        None => descriptor(&path, amode, mode, false),
    };
    let descriptor = settle(&team, opened, [0, 0])?;
    let pointer = match team.size() {
        1 => SharedPointer::own(),
        _ => {
            let mut word = [0];
            if team.rank() == 0 {
                word = [SharedPointer::take_word()];
            }
            team.broadcast(0, &mut word)?;
            let taker = own.local().world_ranks()[0] as usize;
            SharedPointer::in_word(taker, word[0])
        }
    };
    let file = File::new(own, descriptor, path, amode, pointer)?;
    file.state().hints = hints;
    let start = if amode & MPI_MODE_APPEND != 0 { file.size() } else { Ok(0) };
    let start = settle(&team, start, [0, 0])?;
    file.state().position = start;
    if file.leads() {
        // Without a shared pointer, everything else works.
        let _ = file.pointer.set(start);
    }
    team.barrier()?;
    Ok(file)
}

/// `MPI_File_close`: also a file that cannot be deleted is closed.
pub(crate) fn close(fh: Out<MPI_File>) -> Result {
    let handle = fh.get();
    let file = resolve(handle)?;
    let deleted = {
        let _under_way = begin(&file, Collective::FileClose);
        let checked = match file.state().split.is_some() {
            true => Err(split::is_active()),
            false => Ok(()),
        };
        settle(&file.team(), checked, [0, 0])?;
        if file.leads() {
            file.pointer.give_back();
        }
        match file.amode & MPI_MODE_DELETE_ON_CLOSE {
            0 => Ok(()),
            _ => by_leader(&file.team(), || {
                let deleted = std::fs::remove_file(&file.path);
                deleted.map_err(|error| system("delete", &file.path, &error))
            }),
        }
    };
    object::remove(handle);
    fh.set(MPI_FILE_NULL);
    communicator::end(file.communicator)?;
    // The file has a handler until it is dropped.
    deleted.map_err(|error| match errhandler::retain(file.errhandler()) {
        Ok(()) => error.for_handler(file.errhandler()),
        Err(_) => error,
    })
}
