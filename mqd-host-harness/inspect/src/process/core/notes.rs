//! The notes of a core file.

use goblin::elf::program_header::PT_NOTE;

use super::super::Arch;
use super::super::memory::{Mapping, split_deleted};
use super::super::stack::ThreadState;
use crate::elf::{Headers, notes};

const NT_PRSTATUS: u32 = 1;
const NT_PRPSINFO: u32 = 3;
const NT_AUXV: u32 = 6;
const NT_FILE: u32 = 0x4649_4c45;

/// What the notes tell. What is missing is empty.
#[derive(Debug, Default)]
pub(in super::super) struct Notes {
    /// NT_AUXV: pairs of words.
    pub(in super::super) auxv: Vec<u8>,
    /// NT_FILE: the mapped files.
    pub(in super::super) mappings: Vec<Mapping>,
    /// NT_PRPSINFO: the process id.
    pub(in super::super) pid: Option<u32>,
    /// NT_PRSTATUS, one for each thread.
    pub(in super::super) threads: Vec<ThreadState>,
    /// NT_PRPSINFO: the beginning of the command line, arguments separated by blanks.
    pub(in super::super) arguments: Vec<u8>,
}

impl Notes {
    pub(super) fn read(core: &[u8], headers: &Headers, arch: &Arch) -> Notes {
        let mut found = Notes::default();
        for segment in headers.segments.iter().filter(|segment| segment.p_type == PT_NOTE) {
            let start = usize::try_from(segment.p_offset).unwrap_or(usize::MAX).min(core.len());
            let size =
                usize::try_from(segment.p_filesz).unwrap_or(usize::MAX).min(core.len() - start);
            for note in notes(&core[start..start + size], segment.p_align, headers.context) {
                match note.n_type {
                    NT_AUXV => found.auxv = note.desc.to_vec(),
                    NT_FILE => found.mappings = mapped_files(arch, note.desc).unwrap_or_default(),
                    NT_PRSTATUS => found.threads.extend(thread(arch, note.desc)),
                    NT_PRPSINFO => found.process_info(arch, note.desc),
                    _ => {}
                }
            }
        }
        found
    }

    /// The end of `elf_prpsinfo` is the same on all machines: `pid, ppid, pgrp, sid` as ints,
    /// `fname[16]`, `psargs[80]`.
    fn process_info(&mut self, arch: &Arch, info: &[u8]) {
        const ARGUMENTS: usize = 80;
        const NAME: usize = 16;
        const IDS: usize = 4 * 4;
        let Some(ids) = info.len().checked_sub(ARGUMENTS + NAME + IDS) else { return };
        let zero_terminated =
            |text: &[u8]| text.split(|byte| *byte == 0).next().unwrap_or_default().to_vec();
        self.pid = u32::try_from(arch.unsigned(&info[ids..ids + 4])).ok().filter(|pid| *pid != 0);
        self.arguments = zero_terminated(&info[info.len() - ARGUMENTS..]);
    }
}

/// Reads `elf_prstatus` of 64-bit machines. The thread's id follows three ints, a short and two
/// words. The registers follow three more ints and four times; a last int follows them.
fn thread(arch: &Arch, status: &[u8]) -> Option<ThreadState> {
    const ID: usize = 32;
    const REGISTERS: usize = 112;
    let id = u32::try_from(arch.unsigned(status.get(ID..ID + 4)?)).ok()?;
    let registers = status.get(REGISTERS..).filter(|_| arch.pointer_size == 8);
    Some(ThreadState { id, registers: registers.map(<[u8]>::to_vec) })
}

/// Words `count, page size, (start, end, offset in pages) x count`, then the names, each
/// zero-terminated.
fn mapped_files(arch: &Arch, desc: &[u8]) -> Option<Vec<Mapping>> {
    let word = arch.pointer_size as usize;
    let number =
        |index: usize| Some(arch.unsigned(desc.get(index.checked_mul(word)?..)?.get(..word)?));
    let count = usize::try_from(number(0)?).ok()?;
    let page = number(1)?;
    let names = desc.get(count.checked_mul(3)?.checked_add(2)?.checked_mul(word)?..)?;
    let names = names.split(|byte| *byte == 0);
    let mappings = (0..count).zip(names).map_while(|(index, name)| {
        let (path, deleted) = split_deleted(name);
        Some(Mapping {
            start: number(2 + 3 * index)?,
            end: number(3 + 3 * index)?,
            offset: number(4 + 3 * index)?.checked_mul(page)?,
            path,
            deleted,
        })
    });
    Some(mappings.collect())
}
