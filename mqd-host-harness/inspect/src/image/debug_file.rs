//! Split debug files: where the debug information of a stripped file is.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use object::{Object, ObjectSection};

use super::debuginfod::Debuginfod;
use super::{FileCache, OpenFile};
use crate::elf::ElfFile;

/// Where distributions put debug files.
const SYSTEM_DEBUG_DIR: &str = "/usr/lib/debug";

/// What is known of the file whose debug information is wanted.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    /// Its name in the target.
    pub(crate) path: &'a Path,
    pub(crate) build_id: Option<&'a [u8]>,
    /// The file itself, when it is there.
    pub(crate) file: Option<&'a ElfFile>,
}

/// A way to find debug files. Sources are asked in order; what they give is checked by the caller
/// of [`Source::candidates`].
trait Source {
    /// Places where the debug file may be, the likeliest first.
    fn candidates(&self, wanted: &Wanted<'_>) -> Vec<PathBuf>;
    /// Whether the file found is the right one.
    fn accepts(&self, wanted: &Wanted<'_>, found: &ElfFile) -> bool;
}

/// Finds debug files and remembers them.
#[derive(Clone, Debug, Default)]
pub(crate) struct DebugFiles {
    directories: Vec<PathBuf>,
    sysroot: Option<PathBuf>,
    files: FileCache,
    /// Ask debuginfod servers for every image, not only for those of MPI libraries.
    ask_for_all: bool,
}

impl DebugFiles {
    /// `directories` are asked before the system's; `sysroot` is where the target's files are if
    /// that is not `/`.
    pub(crate) fn new(
        directories: &[PathBuf],
        sysroot: Option<&Path>,
        files: FileCache,
    ) -> DebugFiles {
        let mut directories = directories.to_vec();
        directories.extend(sysroot.map(|root| under(root, Path::new(SYSTEM_DEBUG_DIR))));
        directories.push(SYSTEM_DEBUG_DIR.into());
        DebugFiles { directories, sysroot: sysroot.map(Path::to_owned), files, ask_for_all: false }
    }

    /// Asks debuginfod servers for every image.
    pub(super) fn ask_for_all(self) -> DebugFiles {
        DebugFiles { ask_for_all: true, ..self }
    }

    /// Warnings about the search, in sentences.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.files.debuginfod().map(Debuginfod::warnings).unwrap_or_default()
    }

    /// The servers to ask for the debug file of an image.
    fn servers(&self, path: &Path) -> Servers<'_> {
        Servers {
            servers: self
                .files
                .debuginfod()
                .filter(|_| self.ask_for_all || self.files.asks_for(path)),
        }
    }

    /// The debug file of an image.
    pub(crate) fn find(&self, wanted: &Wanted<'_>) -> Option<Arc<OpenFile>> {
        // What is on this machine first.
        let sources: [&dyn Source; 3] = [
            &ByBuildId { directories: &self.directories },
            &ByDebugLink { directories: &self.directories, sysroot: self.sysroot.as_deref() },
            &self.servers(wanted.path),
        ];
        sources.into_iter().find_map(|source| {
            let candidates = source.candidates(wanted).into_iter();
            candidates
                .filter_map(|path| self.files.open(&path).ok())
                .find(|found| source.accepts(wanted, found))
        })
    }

    /// The file shared by several debug files that `.gnu_debugaltlink` names (made by dwz). `path`
    /// is the name of the image in the target.
    pub(crate) fn find_supplement(&self, path: &Path, elf: &ElfFile) -> Option<Arc<OpenFile>> {
        let sections = elf.sections()?;
        let link = sections.gnu_debugaltlink().ok()?;
        let standard = || debug_sup(&sections).map(|(_, name, checksum)| (name, checksum));
        let (name, build_id) = link.or_else(standard)?;
        let wanted = Wanted { path, build_id: Some(build_id), file: None };
        // The name is absolute, or relative to the file that has the link.
        let beside = directories_of(path, Some(elf), self.sysroot.as_deref())
            .map(|directory| directory.join(path_of(name)));
        let servers = self.servers(path);
        beside
            .chain(ByBuildId { directories: &self.directories }.candidates(&wanted))
            .chain(std::iter::once_with(|| servers.candidates(&wanted)).flatten())
            .filter_map(|path| self.files.open(&path).ok())
            .find(|found| found.build_id() == Some(build_id) || is_supplement(found, build_id))
    }
}

/// `DIR/.build-id/ab/cdef….debug`.
struct ByBuildId<'a> {
    directories: &'a [PathBuf],
}

impl Source for ByBuildId<'_> {
    fn candidates(&self, wanted: &Wanted<'_>) -> Vec<PathBuf> {
        let Some((first, rest)) = wanted.build_id.and_then(<[u8]>::split_first) else {
            return Vec::new();
        };
        let rest: String = rest.iter().map(|byte| format!("{byte:02x}")).collect();
        self.directories
            .iter()
            .map(|dir| dir.join(format!(".build-id/{first:02x}/{rest}.debug")))
            .collect()
    }

    fn accepts(&self, wanted: &Wanted<'_>, found: &ElfFile) -> bool {
        found.build_id() == wanted.build_id
    }
}

/// debuginfod servers.
struct Servers<'a> {
    servers: Option<&'a Debuginfod>,
}

impl Source for Servers<'_> {
    fn candidates(&self, wanted: &Wanted<'_>) -> Vec<PathBuf> {
        let found = self
            .servers
            .zip(wanted.build_id)
            .and_then(|(servers, build_id)| servers.find(build_id));
        found.into_iter().collect()
    }

    fn accepts(&self, wanted: &Wanted<'_>, found: &ElfFile) -> bool {
        found.build_id() == wanted.build_id
    }
}

/// The file that `.gnu_debuglink` names: beside the image, in its `.debug`, or in
/// `DIR/path/of/image`.
struct ByDebugLink<'a> {
    directories: &'a [PathBuf],
    sysroot: Option<&'a Path>,
}

impl ByDebugLink<'_> {
    fn link<'b>(wanted: &Wanted<'b>) -> Option<(PathBuf, u32)> {
        let (name, crc) = wanted.file?.sections()?.gnu_debuglink().ok()??;
        Some((path_of(name), crc))
    }
}

impl Source for ByDebugLink<'_> {
    fn candidates(&self, wanted: &Wanted<'_>) -> Vec<PathBuf> {
        let Some((name, _)) = Self::link(wanted) else { return Vec::new() };
        let beside = directories_of(wanted.path, wanted.file, self.sysroot);
        let mut candidates: Vec<_> = beside
            .flat_map(|directory| [directory.join(&name), directory.join(".debug").join(&name)])
            .collect();
        if let Some(parent) = wanted.path.parent() {
            candidates.extend(
                self.directories.iter().map(|directory| under(directory, parent).join(&name)),
            );
        }
        candidates
    }

    fn accepts(&self, wanted: &Wanted<'_>, found: &ElfFile) -> bool {
        // With build-ids there is no need to read the whole file for its checksum.
        match (wanted.build_id, found.build_id()) {
            (Some(wanted), Some(found)) => wanted == found,
            _ => Self::link(wanted).is_some_and(|(_, crc)| crc32(found.bytes()) == crc),
        }
    }
}

/// The section `.debug_sup`, which DWARF 5 has instead of `.gnu_debugaltlink` (section 7.3.6):
/// whether this is the supplementary file itself, the name of that file, and a checksum that both
/// have.
fn debug_sup<'a>(sections: &object::File<'a>) -> Option<(bool, &'a [u8], &'a [u8])> {
    let section = sections.section_by_name(".debug_sup")?.data().ok()?;
    // A version, a flag, the name, and the length of the checksum: a LEB128 number, but no checksum
    // has 128 bytes.
    let (is_supplement, rest) = section.get(2..)?.split_first()?;
    let end = rest.iter().position(|byte| *byte == 0)?;
    let (length, checksum) = rest[end + 1..].split_first()?;
    Some((*is_supplement == 1, &rest[..end], checksum.get(..usize::from(*length))?))
}

fn is_supplement(elf: &ElfFile, wanted: &[u8]) -> bool {
    let sup = elf.sections().as_ref().and_then(debug_sup);
    sup.is_some_and(|(is_supplement, _, checksum)| is_supplement && checksum == wanted)
}

/// The directories on this machine where an image is: where the target has it, and where it was
/// opened.
fn directories_of(
    path: &Path,
    file: Option<&ElfFile>,
    sysroot: Option<&Path>,
) -> impl Iterator<Item = PathBuf> {
    let named = path
        .parent()
        .map(|parent| sysroot.map_or_else(|| parent.to_owned(), |root| under(root, parent)));
    let opened = file.and_then(|file| file.path().parent()).map(Path::to_owned);
    named.into_iter().chain(opened)
}

fn path_of(name: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    std::ffi::OsStr::from_bytes(name).into()
}

/// The absolute path `path` of a file tree that is kept in `root`.
pub(crate) fn under(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}

/// The CRC-32 that `.gnu_debuglink` uses, which is that of zlib.
fn crc32(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}
