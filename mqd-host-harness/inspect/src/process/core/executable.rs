//! The executable of a core file, and what was on its stack when it started.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::auxv::{AT_ENTRY, AT_EXECFN, AT_PHDR, AT_PHNUM};
use super::super::images::{
    Contradiction, FileFinder, Unusable, bias_by_entry, executable_build_id, first_ok, same_arch,
};
use super::super::memory::Memory;
use super::super::{CoreOptions, OtherExecutable, TargetError};
use super::{Core, CoreFiles};
use crate::arch::hex;
use crate::elf::ElfFile;
use crate::image::OpenFile;

const PATH_MAX: usize = 4096;
const PAGE: u64 = 4096;
/// The most arguments and variables. The kernel allows fewer.
const MAX_STRINGS: usize = 1 << 20;

/// The executable's name in the target, and its file if it is there and is the right one.
/// `warnings` says what is missing.
pub(in super::super) fn find_executable(
    path: &Path,
    core: &Core,
    files: &CoreFiles,
    options: &CoreOptions,
    warnings: &mut Vec<String>,
) -> Result<(Option<PathBuf>, Option<Arc<OpenFile>>), TargetError> {
    let names = names(core, files);
    if let Some(given) = &options.executable {
        let file = options
            .files
            .open(given)
            .map_err(|why| TargetError::Damaged { path: given.clone(), why })?;
        fits(core, &file).map_err(|why| TargetError::WrongExecutable {
            core: path.to_owned(),
            executable: given.clone(),
            why,
        })?;
        return Ok((Some(names.into_iter().next().unwrap_or_else(|| given.clone())), Some(file)));
    }
    let mut reasons = Vec::new();
    for name in &names {
        let checked = files.candidates(name, None).into_iter().map(|candidate| {
            let unusable = |why| NoExecutable::Unusable { name: name.clone(), why };
            let file = candidate.map_err(unusable)?;
            match fits(core, &file) {
                Ok(()) => Ok(file),
                Err(why) => Err(NoExecutable::Another { path: file.path().to_owned(), why }),
            }
        });
        match first_ok(checked) {
            Ok(file) => return Ok((Some(name.clone()), Some(file))),
            Err(failures) => {
                reasons.extend(failures.into_iter().rev().map(|failure| failure.to_string()));
            }
        }
    }
    reasons.dedup();
    warnings.push(format!(
        "the executable of {} was not found{}{}; give it to see what the core leaves out",
        path.display(),
        if reasons.is_empty() { "" } else { ": " },
        reasons.join("; ")
    ));
    Ok((names.into_iter().next(), None))
}

/// The names that the executable may have, the most reliable first.
fn names(core: &Core, files: &CoreFiles) -> Vec<PathBuf> {
    let mapped =
        [AT_PHDR, AT_ENTRY].into_iter().filter_map(|kind| files.mapping(core.auxv.get(kind)?));
    let mut names: Vec<PathBuf> = mapped.map(|mapping| mapping.path.clone()).collect();
    let told =
        core.auxv.get(AT_EXECFN).and_then(|address| core.memory.string(address, PATH_MAX).ok());
    let typed = core.notes.arguments.split(|byte| *byte == b' ').next().map(<[u8]>::to_vec);
    let names_told = [told, typed].into_iter().flatten().filter(|name| !name.is_empty());
    names.extend(names_told.map(|name| PathBuf::from(OsStr::from_bytes(&name))));
    names.dedup();
    names
}

/// Why a file is not the executable of a core.
#[derive(Debug, thiserror::Error)]
enum NoExecutable {
    #[error("{}: {why}", name.display())]
    Unusable { name: PathBuf, why: Unusable },
    #[error("{} is another program: {why}", path.display())]
    Another { path: PathBuf, why: OtherExecutable },
}

/// Looks for evidence that a file is not the executable of the core.
fn fits(core: &Core, file: &ElfFile) -> Result<(), OtherExecutable> {
    if let Err(Contradiction::Arch { file, process }) = same_arch(file, &core.arch) {
        return Err(OtherExecutable::Arch { file, process });
    }
    let headers = file.headers();
    let theirs = executable_build_id(&core.memory, &core.arch, &core.auxv);
    if let (Some(theirs), Some(ours)) = (&theirs, file.build_id()) {
        if theirs == ours {
            return Ok(());
        }
        return Err(OtherExecutable::BuildId { core: hex(theirs), file: hex(ours) });
    }
    if let Some(count) = core.auxv.get(AT_PHNUM)
        && count != headers.segments.len() as u64
    {
        return Err(OtherExecutable::Segments { file: headers.segments.len(), process: count });
    }
    let bias = bias_by_entry(&core.arch, &core.auxv, file);
    if !bias.is_multiple_of(PAGE)
        || (bias != 0 && headers.file_type == goblin::elf::header::ET_EXEC)
    {
        return Err(OtherExecutable::Entry);
    }
    match &core.memory {
        Memory::Core(memory) if memory.agrees_with(bias, file) == Some(false) => {
            Err(OtherExecutable::Contents)
        }
        _ => Ok(()),
    }
}

/// What a process was started with.
#[derive(Debug, Default)]
pub(in super::super) struct StartStrings {
    pub(in super::super) arguments: Vec<Vec<u8>>,
    /// `NAME=value`
    pub(in super::super) environment: Vec<Vec<u8>>,
}

/// What the process was started with, from its stack.
///
/// The kernel puts `argc, argv[], 0, envp[], 0, auxv` on the stack. The auxiliary vector is known
/// from a note, so the stack is searched for it.
pub(in super::super) fn start_strings(core: &Core) -> Option<StartStrings> {
    let Memory::Core(memory) = &core.memory else { return None };
    let arch = &core.arch;
    let word = arch.pointer_size as usize;
    let (_, stack) = memory.around(core.auxv.get(AT_EXECFN)?)?;
    let wanted = core.notes.auxv.get(..8 * word)?;
    // The vector is near the beginning of the stack, at its highest addresses.
    let at = (0..=stack.len().checked_sub(wanted.len())?)
        .rev()
        .find(|at| stack[*at..].starts_with(wanted))?;
    let mut words = stack[..at].rchunks_exact(word).map(|bytes| arch.unsigned(bytes));
    if words.next()? != 0 {
        return None;
    }
    let mut block = |end: fn(u64, usize) -> bool| -> Option<Vec<u64>> {
        let mut pointers = Vec::new();
        for value in words.by_ref().take(MAX_STRINGS) {
            if end(value, pointers.len()) {
                pointers.reverse();
                return Some(pointers);
            }
            pointers.push(value);
        }
        None
    };
    let environment = block(|value, _| value == 0)?;
    let arguments = block(|value, count| value == count as u64)?;
    Some(StartStrings {
        arguments: strings(core, &arguments),
        environment: strings(core, &environment),
    })
}

fn strings(core: &Core, pointers: &[u64]) -> Vec<Vec<u8>> {
    pointers.iter().map_while(|pointer| core.memory.string(*pointer, 1 << 17).ok()).collect()
}
