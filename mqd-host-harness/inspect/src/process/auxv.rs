//! The auxiliary vector: what the kernel told the program about itself.

use super::Arch;

const AT_NULL: u64 = 0;
/// Address of the program headers.
pub(super) const AT_PHDR: u64 = 3;
/// Size of a program header.
pub(super) const AT_PHENT: u64 = 4;
/// Number of program headers.
pub(super) const AT_PHNUM: u64 = 5;
/// Address where the program begins to run.
pub(super) const AT_ENTRY: u64 = 9;
/// Address of the name of the program's file.
pub(super) const AT_EXECFN: u64 = 31;
/// Address of the vdso.
pub(super) const AT_SYSINFO_EHDR: u64 = 33;

/// The auxiliary vector.
#[derive(Clone, Debug, Default)]
pub(super) struct Auxv {
    entries: Vec<(u64, u64)>,
}

impl Auxv {
    /// Reads pairs of words up to the final one.
    pub(super) fn parse(arch: &Arch, bytes: &[u8]) -> Auxv {
        let word = arch.pointer_size as usize;
        let pairs = bytes.chunks_exact(2 * word).map(|pair| {
            let (kind, value) = pair.split_at(word);
            (arch.unsigned(kind), arch.unsigned(value))
        });
        Auxv { entries: pairs.take_while(|(kind, _)| *kind != AT_NULL).collect() }
    }

    /// The value of an entry.
    pub(super) fn get(&self, kind: u64) -> Option<u64> {
        self.entries.iter().find(|(known, _)| *known == kind).map(|(_, value)| *value)
    }
}
