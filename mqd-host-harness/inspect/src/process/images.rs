//! Finds the images of a process: the executable by the auxiliary vector, the libraries by the link
//! map. A file that has been replaced since is recognized by its build-id and not used.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use goblin::elf::ProgramHeader;

use super::auxv::{AT_ENTRY, AT_PHDR, AT_PHENT, AT_PHNUM, AT_SYSINFO_EHDR, Auxv};
use super::link_map::{self, LinkMap};
use super::memory::{Mapping, Memory};
use crate::arch::{Arch, hex};
use crate::elf::{ElfError, ElfFile, Headers};
use crate::image::{DebugFiles, Image, OpenFile};

/// The first page of an image holds its headers, and nearly always its build-id.
const FIRST_PAGE: usize = 4096;

/// Finds the files of a process on this machine.
pub(super) trait FileFinder {
    /// The file that is mapped at an address, as far as is known.
    fn mapping(&self, address: u64) -> Option<&Mapping>;
    /// The files that may be what the process has under this name, the likeliest first.
    fn candidates(
        &self,
        path: &Path,
        mapping: Option<&Mapping>,
    ) -> Vec<Result<Arc<OpenFile>, Unusable>>;
}

/// Why the file that the process names cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unusable {
    /// It is no ELF file, or cannot be opened.
    #[error(transparent)]
    Elf(#[from] ElfError),
    /// It was there when the process loaded it.
    #[error("it has been removed or replaced since the process loaded it")]
    Gone,
}

/// Evidence that a file is not the one that the process has loaded.
#[derive(Debug, thiserror::Error)]
pub(super) enum Contradiction {
    /// It is for another machine.
    #[error("it is for {file}, the process for {process}")]
    Arch { file: String, process: String },
    /// The build-ids differ.
    #[error("build-id {process} in the process, {file} in the file")]
    BuildId { process: String, file: String },
    /// The process has the dynamic section at another address.
    #[error("its dynamic section is at another address")]
    DynamicSection,
    /// The process has other program headers.
    #[error("its segments differ")]
    Segments,
}

/// What is wrong with a candidate for the file of a library.
#[derive(Debug, thiserror::Error)]
enum Rejected {
    #[error("cannot be used ({0})")]
    Unusable(#[from] Unusable),
    #[error("is not the file that the process has loaded ({0})")]
    Another(#[from] Contradiction),
}

/// What the process tells about an image, before any file is opened.
#[derive(Debug, Default)]
struct Evidence {
    /// The headers that the process has in its memory.
    headers: Option<Headers>,
    build_id: Option<Vec<u8>>,
}

/// Collects the images of a process.
pub(super) struct Loader<'a> {
    pub(super) memory: &'a mut Memory,
    pub(super) arch: &'a Arch,
    pub(super) auxv: &'a Auxv,
    pub(super) finder: &'a dyn FileFinder,
    pub(super) debug_files: &'a DebugFiles,
    pub(super) warnings: &'a mut Vec<String>,
}

impl Loader<'_> {
    /// All images. `executable` is the executable's file if there is one, known to be the right
    /// one. `path` is its name in the target.
    pub(super) fn load(&mut self, executable: Option<Arc<OpenFile>>, path: &Path) -> Vec<Image> {
        let main = self.executable(executable, path);
        let mut images = vec![main];
        let main = &images[0];
        let has_interpreter = main.file.as_ref().is_none_or(|file| file.headers().is_dynamic());
        let r_debug =
            match main.dynamic.map(|dynamic| link_map::r_debug(self.memory, self.arch, dynamic)) {
                None => 0,
                Some(Ok(address)) => address,
                Some(Err(error)) => {
                    self.warnings
                        .push(format!("the list of shared libraries cannot be found: {error}"));
                    return images;
                }
            };
        if r_debug == 0 {
            if has_interpreter && main.dynamic.is_some() {
                self.warnings.push(
                    "the dynamic linker has not run yet, or left no list of shared libraries: \
                     only the executable is looked at"
                        .into(),
                );
            }
            return images;
        }
        let (objects, error) = link_map::objects(self.memory, self.arch, r_debug);
        if let Some(error) = error {
            self.warnings.push(format!("the list of shared libraries is incomplete: {error}"));
        }
        for object in objects {
            // Namespaces share the dynamic linker.
            let known = images.iter().any(|image| image.dynamic == Some(object.dynamic));
            if !known && !self.is_vdso(&object) {
                let image = self.library(object);
                images.push(image);
            }
        }
        images
    }

    fn is_vdso(&self, object: &LinkMap) -> bool {
        let in_memory = self.auxv.get(AT_SYSINFO_EHDR).is_some_and(|start| {
            // The vdso is linked at 0 and a few pages long.
            object.bias == start || (start..start + 0x10000).contains(&object.dynamic)
        });
        in_memory
            || (object.name.starts_with(b"linux-vdso") || object.name.starts_with(b"linux-gate"))
    }

    fn executable(&mut self, file: Option<Arc<OpenFile>>, path: &Path) -> Image {
        let (bias, headers) =
            executable_bias(self.memory, self.arch, self.auxv, file.as_deref().map(|file| &**file));
        let dynamic =
            headers.as_ref().and_then(Headers::dynamic).map(|dynamic| dynamic.wrapping_add(bias));
        let build_id =
            file.as_ref().and_then(|file| file.build_id().map(<[u8]>::to_vec)).or_else(|| {
                let headers = headers.as_ref()?;
                headers.build_id(|segment| Some(own_segment(self.memory, bias, segment)))
            });
        self.adopt(path.to_owned(), bias, dynamic, build_id, file)
    }

    fn library(&mut self, object: LinkMap) -> Image {
        let mapping = self.finder.mapping(object.dynamic).cloned();
        let path = match &mapping {
            Some(mapping) => mapping.path.clone(),
            None => PathBuf::from(OsStr::from_bytes(&object.name)),
        };
        let evidence = self.evidence(&object);
        let checked =
            self.finder.candidates(&path, mapping.as_ref()).into_iter().map(|candidate| {
                let file = candidate?;
                fits(&file, &evidence, &object, self.arch)?;
                Ok::<_, Rejected>(file)
            });
        let file = match first_ok(checked) {
            Ok(file) => Some(file),
            Err(reasons) => {
                // A wrong file in one place says more than a missing file in another.
                let is_another = |why: &Rejected| matches!(why, Rejected::Another(_));
                if let Some(why) = reasons.into_iter().max_by_key(is_another) {
                    self.refuse(&path, &why, is_another(&why));
                }
                None
            }
        };
        let build_id = evidence.build_id.or_else(|| Some(file.as_ref()?.build_id()?.to_vec()));
        self.adopt(path, object.bias, Some(object.dynamic), build_id, file)
    }

    fn refuse(&mut self, path: &Path, why: &Rejected, changed: bool) {
        let missing = match self.memory {
            Memory::Live(_) | Memory::Recorded(_) => "",
            Memory::Core(core) => {
                core.refuse_file(path, changed);
                " and what the core file leaves out of it"
            }
        };
        self.warnings.push(format!(
            "{} {why}: its symbols{missing} are not available, its types only through a debug \
             file with its build-id",
            path.display()
        ));
    }

    fn adopt(
        &mut self,
        path: PathBuf,
        bias: u64,
        dynamic: Option<u64>,
        build_id: Option<Vec<u8>>,
        file: Option<Arc<OpenFile>>,
    ) -> Image {
        if let (Memory::Core(core), Some(file)) = (&mut *self.memory, &file) {
            core.add_file(bias, Arc::clone(file));
        }
        Image {
            path,
            bias,
            dynamic,
            build_id,
            file,
            debug_files: self.debug_files.clone(),
            debug_file: OnceLock::new(),
        }
    }

    /// What the process has of a library's headers in its memory.
    fn evidence(&self, object: &LinkMap) -> Evidence {
        // The library begins where its first segment is: at the bias, unless it was linked at an
        // address of its own.
        let start = match self.finder.mapping(object.dynamic) {
            Some(mapping) => mapping.start.wrapping_sub(mapping.offset).min(object.bias.max(1)),
            None => object.bias,
        };
        let candidates = [object.bias, start];
        candidates
            .into_iter()
            .find_map(|start| {
                let headers = Headers::parse(&self.memory.own_bytes(start, FIRST_PAGE)).ok()?;
                let build_id = headers
                    .build_id(|segment| Some(own_segment(self.memory, object.bias, segment)));
                Some(Evidence { headers: Some(headers), build_id })
            })
            .unwrap_or_default()
    }
}

/// The first success, or all failures, the last one first.
pub(super) fn first_ok<T, E>(results: impl IntoIterator<Item = Result<T, E>>) -> Result<T, Vec<E>> {
    let mut failures = Vec::new();
    for result in results {
        match result {
            Ok(value) => return Ok(value),
            Err(failure) => failures.push(failure),
        }
    }
    // `max_by_key` gives the last of equals, and the first place is the one that matters.
    failures.reverse();
    Err(failures)
}

/// The load bias of the executable, and its headers from its file or else from memory.
fn executable_bias(
    memory: &Memory,
    arch: &Arch,
    auxv: &Auxv,
    file: Option<&ElfFile>,
) -> (u64, Option<Headers>) {
    match file {
        Some(file) => (bias_by_entry(arch, auxv, file), Some(file.headers().clone())),
        None => match headers_in_memory(memory, arch, auxv) {
            Some((bias, headers)) => (bias, Some(headers)),
            None => (0, None),
        },
    }
}

/// The load bias of a file, if it is the executable.
pub(super) fn bias_by_entry(arch: &Arch, auxv: &Auxv, file: &ElfFile) -> u64 {
    auxv.get(AT_ENTRY).map_or(0, |entry| entry.wrapping_sub(file.headers().entry))
        & arch.address_mask()
}

/// The executable's build-id as the process has it in its memory.
pub(super) fn executable_build_id(memory: &Memory, arch: &Arch, auxv: &Auxv) -> Option<Vec<u8>> {
    let (bias, headers) = headers_in_memory(memory, arch, auxv)?;
    headers.build_id(|segment| Some(own_segment(memory, bias, segment)))
}

/// The load bias and the program headers at `AT_PHDR`.
fn headers_in_memory(memory: &Memory, arch: &Arch, auxv: &Auxv) -> Option<(u64, Headers)> {
    let (address, size, count) = (auxv.get(AT_PHDR)?, auxv.get(AT_PHENT)?, auxv.get(AT_PHNUM)?);
    let bytes =
        memory.own_bytes(address, usize::try_from(size.checked_mul(count)?).ok()?.min(1 << 20));
    let headers = Headers::of_segments(arch, &bytes, usize::try_from(count).ok()?)?;
    // Static executables have no segment that says where the program headers are; they follow the
    // ELF header.
    let in_file = headers.program_headers_address().or_else(|| {
        let first = headers.loads().find(|segment| segment.p_offset == 0)?;
        Some(first.p_vaddr.wrapping_add(headers.header_size()))
    })?;
    Some((address.wrapping_sub(in_file) & arch.address_mask(), headers))
}

/// What the process has of a small segment.
fn own_segment(memory: &Memory, bias: u64, segment: &ProgramHeader) -> Vec<u8> {
    let size = usize::try_from(segment.p_filesz).unwrap_or(0).min(FIRST_PAGE);
    memory.own_bytes(bias.wrapping_add(segment.p_vaddr), size)
}

/// Looks for evidence that a file is not the one that the process has.
fn fits(
    file: &ElfFile,
    evidence: &Evidence,
    object: &LinkMap,
    arch: &Arch,
) -> Result<(), Contradiction> {
    same_arch(file, arch)?;
    match (&evidence.build_id, file.build_id()) {
        (Some(theirs), Some(ours)) if theirs == ours => return Ok(()),
        (Some(theirs), ours) => {
            let ours = ours.map_or_else(|| "none".to_owned(), hex);
            return Err(Contradiction::BuildId { process: hex(theirs), file: ours });
        }
        (None, _) => {}
    }
    let dynamic = file
        .headers()
        .dynamic()
        .map(|dynamic| dynamic.wrapping_add(object.bias) & arch.address_mask());
    if dynamic != Some(object.dynamic) {
        return Err(Contradiction::DynamicSection);
    }
    let differ = evidence
        .headers
        .as_ref()
        .is_some_and(|headers| headers.segments != file.headers().segments);
    if differ { Err(Contradiction::Segments) } else { Ok(()) }
}

/// Is a file for the same machine as the process?
pub(super) fn same_arch(file: &ElfFile, arch: &Arch) -> Result<(), Contradiction> {
    let theirs = file.headers().arch();
    if theirs == *arch {
        return Ok(());
    }
    Err(Contradiction::Arch { file: theirs.describe(), process: arch.describe() })
}
