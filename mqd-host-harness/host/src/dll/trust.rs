//! Which files are loaded because a target names them.
//!
//! Loading a library runs its code with our rights, and its name comes from the memory of a
//! process, which may belong to another user. So the file and every directory on its path must
//! belong to users whom we trust, and nobody else may be able to write to them.
//!
//! The check and the load are about the same file. The path is walked from the root without
//! following symbolic links, every part is checked after it has been opened, and the dynamic linker
//! gets the file that the last step has opened.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use mqd_inspect::files::{self, FileError};
use rustix::fs::{Mode, OFlags, openat};
use serde::{Deserialize, Serialize};

/// Write permission for the group and for others.
const WRITABLE: u32 = 0o022;

/// In a directory with this bit, only the owner of an entry or of the directory can replace the
/// entry.
const STICKY: u32 = 0o1000;

/// The users whose files are loaded because a target names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Owners {
    /// Root alone: the target is not ours.
    Root,
    /// Root and us.
    RootAndUs,
}

/// Why a debug DLL that a target names is not loaded.
#[derive(Debug, thiserror::Error)]
pub enum Distrust {
    /// It, or a directory on its path, belongs to somebody who is not trusted: neither to root nor,
    /// if the target is ours, to us.
    #[error("{subject} belongs to another user (uid {uid})")]
    Owner {
        /// `it`, or the directory.
        subject: String,
        /// The owner.
        uid: u32,
    },
    /// Everybody can change or replace it.
    #[error("anybody can write to {subject}")]
    Anybody {
        /// `it`, or the directory.
        subject: String,
    },
    /// The members of a group can change or replace it.
    #[error("its group can write to {subject}")]
    Group {
        /// `it`, or the directory.
        subject: String,
    },
    /// A user has mounted the file system, and decides who owns what there.
    #[error("{subject} is in a file system that user {uid} provides")]
    FileSystem {
        /// `it`, or the directory.
        subject: String,
        /// Who has mounted it.
        uid: u32,
    },
    /// It is relative: the file depends on our working directory.
    #[error("its name is not a full path, and there is no such file beside the MPI library")]
    Relative,
    /// It is no regular file, or cannot be opened.
    #[error(transparent)]
    File(#[from] FileError),
}

impl From<std::io::Error> for Distrust {
    fn from(error: std::io::Error) -> Distrust {
        FileError::from(error).into()
    }
}

impl From<rustix::io::Errno> for Distrust {
    fn from(error: rustix::io::Errno) -> Distrust {
        std::io::Error::from(error).into()
    }
}

impl Owners {
    /// Those for a target of this user.
    pub(crate) fn for_target_of(user: Option<u32>) -> Owners {
        if user == Some(us()) { Owners::RootAndUs } else { Owners::Root }
    }

    fn include(self, uid: u32) -> bool {
        uid == 0 || self == Owners::RootAndUs && uid == us()
    }

    /// Opens a file that can be loaded without trusting anybody else.
    ///
    /// # Errors
    /// There is no such file, or somebody else could have written it or could replace it.
    pub(super) fn open(self, path: &Path) -> Result<File, Distrust> {
        if !path.is_absolute() {
            return Err(Distrust::Relative);
        }
        // The owner of a symbolic link does not matter, since its target is checked.
        let path = path.canonicalize()?;
        // Before opening the file, since opening a device may have an effect.
        files::regular(&fs::metadata(&path)?)?;
        let mut here = PathBuf::from("/");
        let mut directory = step(None, here.as_os_str(), OFlags::PATH | OFlags::DIRECTORY)?;
        let names: Vec<_> = path.iter().skip(1).collect();
        let Some((last, names)) = names.split_last() else { return Err(Distrust::Relative) };
        self.check(&directory, Some(&here))?;
        for name in names {
            directory = step(Some(&directory), name, OFlags::PATH | OFlags::DIRECTORY)?;
            here.push(name);
            self.check(&directory, Some(&here))?;
        }
        let file =
            step(Some(&directory), last, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY)?;
        files::regular(&file.metadata()?)?;
        self.check(&file, None)?;
        Ok(file)
    }

    /// Checks something that is open. `directory` is its path if it is a directory.
    fn check(self, opened: &File, directory: Option<&Path>) -> Result<(), Distrust> {
        let data = opened.metadata()?;
        let subject = || {
            directory.map_or("it".to_owned(), |path| format!("its directory {}", path.display()))
        };
        if !self.include(data.uid()) {
            return Err(Distrust::Owner { subject: subject(), uid: data.uid() });
        }
        let protected = directory.is_some() && data.mode() & STICKY != 0;
        let writable = if protected { 0 } else { data.mode() & WRITABLE };
        if writable & 0o002 != 0 {
            return Err(Distrust::Anybody { subject: subject() });
        }
        if writable != 0 {
            return Err(Distrust::Group { subject: subject() });
        }
        match provider(data.dev()).filter(|uid| !self.include(*uid)) {
            Some(uid) => Err(Distrust::FileSystem { subject: subject(), uid }),
            None => Ok(()),
        }
    }
}

/// Opens the next part of a path, but no symbolic link.
fn step(directory: Option<&File>, name: &OsStr, flags: OFlags) -> Result<File, Distrust> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened: OwnedFd = match directory {
        Some(directory) => openat(directory, name, flags, Mode::empty())?,
        None => openat(rustix::fs::CWD, name, flags, Mode::empty())?,
    };
    Ok(opened.into())
}

/// The user who provides a file system (FUSE), where that is known.
fn provider(device: u64) -> Option<u32> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    provider_in(&mounts, device)
}

/// The same from the text of `mountinfo`: `id parent major:minor root point options … - type source
/// super-options`.
fn provider_in(mounts: &str, device: u64) -> Option<u32> {
    let wanted = format!("{}:{}", rustix::fs::major(device), rustix::fs::minor(device));
    let mount = mounts.lines().find(|line| line.split(' ').nth(2) == Some(&wanted))?;
    let (_, of_file_system) = mount.split_once(" - ")?;
    let options = of_file_system.split(' ').nth(2)?;
    options.split(',').find_map(|option| option.strip_prefix("user_id="))?.parse().ok()
}

fn us() -> u32 {
    rustix::process::geteuid().as_raw()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn who_can_write_decides() {
        let directory = tempfile::tempdir().unwrap();
        let inner = directory.path().join("inner");
        fs::create_dir(&inner).unwrap();
        let file = inner.join("library.so");
        fs::write(&file, "").unwrap();
        for (directory_mode, file_mode, expected) in [
            (0o755, 0o644, None),
            (0o755, 0o646, Some("anybody can write to it")),
            (0o755, 0o664, Some("its group can write to it")),
            (0o757, 0o644, Some("anybody can write to its directory ")),
            (0o775, 0o644, Some("its group can write to its directory ")),
            (0o1777, 0o644, None),
        ] {
            set_mode(&inner, directory_mode);
            set_mode(&file, file_mode);
            let why = Owners::RootAndUs.open(&file).err().map(|why| why.to_string());
            match (&why, expected) {
                (None, None) => {}
                (Some(why), Some(expected)) => assert!(why.starts_with(expected), "{why}"),
                _ => panic!("{directory_mode:o} {file_mode:o}: {why:?}"),
            }
        }
        // A link leads to the file, whoever can write to the link's directory.
        set_mode(&inner, 0o755);
        let open = directory.path().join("open");
        fs::create_dir(&open).unwrap();
        set_mode(&open, 0o777);
        symlink(&file, open.join("link.so")).unwrap();
        assert!(Owners::RootAndUs.open(&open.join("link.so")).is_ok());
    }

    #[test]
    fn what_is_no_file_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let pipe = directory.path().join("pipe.so");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let refused = |path: &Path| Owners::RootAndUs.open(path).unwrap_err().to_string();
        assert_eq!(refused(&pipe), "it is a pipe (FIFO), not a regular file");
        assert_eq!(refused(directory.path()), "it is a directory, not a regular file");
        assert_eq!(refused(Path::new("/dev/null")), "it is a device, not a regular file");
        assert!(refused(&directory.path().join("missing")).contains("No such file"));
        assert!(matches!(Owners::Root.open(Path::new("x.so")), Err(Distrust::Relative)));
    }

    #[test]
    fn users_provide_file_systems() {
        let mounts = "\
            22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n\
            95 22 0:52 / /home/u/m rw,nosuid,nodev - fuse.sshfs x: rw,user_id=1000,group_id=1000\n\
            96 22 0:53 / /cvmfs/x rw - fuse cvmfs2 ro,user_id=0,group_id=0,allow_other\n";
        let device = |minor| rustix::fs::makedev(0, minor);
        assert_eq!(provider_in(mounts, rustix::fs::makedev(8, 1)), None);
        assert_eq!(provider_in(mounts, device(52)), Some(1000));
        assert_eq!(provider_in(mounts, device(53)), Some(0));
        assert_eq!(provider_in(mounts, device(54)), None);
    }
}
