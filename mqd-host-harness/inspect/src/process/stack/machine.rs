//! The machines whose stacks can be unwound, and their registers.

use super::super::Target;
use super::execute::Cpu;
use crate::arch::Arch;

/// A machine whose stacks can be unwound. Registers are numbered as in its DWARF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Machine {
    X86_64,
    Aarch64,
}

/// How many registers are followed.
pub(super) const REGISTERS: usize = 33;

/// A frame of a stack: its registers, as far as they are known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) registers: [Option<u64>; REGISTERS],
    /// The address of the code that runs, or that will run when the callee has returned.
    pub(super) address: u64,
    /// It runs, or a signal has interrupted it: the address is the beginning of an instruction, and
    /// not the address after a call.
    pub(super) exact: bool,
}

/// A futex that a thread waits for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Futex {
    pub(super) address: u64,
    /// The thread waits only while the futex has this value. `None`: it waits for as long as the
    /// thread that the futex names has the lock.
    pub(super) expected: Option<u32>,
    /// Only threads of its process can wake it.
    pub(super) private: bool,
}

/// Where the call of aarch64 before a return address leads, if the instruction tells (`bl`). That
/// may be an entry of the procedure linkage table.
fn branch_before(target: &Target, return_address: u64) -> Option<u64> {
    let place = return_address.wrapping_sub(4);
    let mut code = [0; 4];
    target.read(place, &mut code).ok()?;
    branch_of(u32::from_le_bytes(code), place)
}

/// Where an instruction of aarch64 at this place leads, if it is `bl`.
fn branch_of(code: u32, place: u64) -> Option<u64> {
    const BL: u32 = 0b100101;
    // The displacement has 26 bits, in units of instructions.
    let displacement = i64::from((code << 6).cast_signed() >> 6) * 4;
    (code >> 26 == BL).then(|| place.wrapping_add_signed(displacement))
}

impl Machine {
    pub(super) fn of(arch: &Arch) -> Option<Machine> {
        match arch.machine {
            goblin::elf::header::EM_X86_64 if arch.pointer_size == 8 => Some(Machine::X86_64),
            goblin::elf::header::EM_AARCH64
                if arch.pointer_size == 8 && arch.is_little_endian() =>
            {
                Some(Machine::Aarch64)
            }
            _ => None,
        }
    }

    /// The frame that runs, from the registers as the kernel lays them out.
    pub(super) fn frame(self, arch: &Arch, bytes: &[u8]) -> Option<Frame> {
        let word = |index: usize| Some(arch.unsigned(bytes.get(8 * index..8 * index + 8)?));
        let mut registers = [None; REGISTERS];
        let address = match self {
            Machine::X86_64 => {
                // r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags
                // rsp
                let numbers = [15, 14, 13, 12, 6, 3, 11, 10, 9, 8, 0, 2, 1, 4, 5];
                for (index, number) in numbers.into_iter().enumerate() {
                    registers[number] = word(index);
                }
                registers[self.stack_pointer()] = Some(word(19)?);
                // The unwind table has one rule for all entries of the procedure linkage table. The
                // rule asks where in its entry the thread is.
                registers[self.return_address()] = Some(word(16)?);
                word(16)?
            }
            Machine::Aarch64 => {
                // x0 to x30, sp, pc
                for (index, register) in registers.iter_mut().enumerate().take(32) {
                    *register = word(index);
                }
                word(32)?
            }
        };
        Some(Frame { registers, address, exact: true })
    }

    /// The futex that a thread waits for without a timeout, from its registers as the kernel lays
    /// them out.
    pub(super) fn futex(self, arch: &Arch, bytes: &[u8]) -> Option<Futex> {
        // What an interrupted system call returns inside the kernel if it is to be restarted.
        const RESTARTS: [i64; 4] = [-512, -513, -514, -516];
        const WAIT: u64 = 0;
        const LOCK_PI: u64 = 6;
        const WAIT_BITSET: u64 = 9;
        const PRIVATE: u64 = 0x80;
        if self != Machine::X86_64 {
            return None;
        }
        let word = |index: usize| Some(arch.unsigned(bytes.get(8 * index..8 * index + 8)?));
        let (timeout, result, operation) = (word(7)?, word(10)?.cast_signed(), word(13)?);
        if word(15)? != 202 || !RESTARTS.contains(&result) || timeout != 0 {
            return None;
        }
        let expected = match operation & 0x7f {
            WAIT | WAIT_BITSET => Some(u32::try_from(word(12)? & u64::from(u32::MAX)).ok()?),
            LOCK_PI => None,
            _ => return None,
        };
        Some(Futex { address: word(14)?, expected, private: operation & PRIVATE != 0 })
    }

    /// What `pthread_self` returns in a thread with these registers, as the kernel lays them out.
    pub(super) fn thread_pointer(self, arch: &Arch, bytes: &[u8]) -> Option<u64> {
        // After those above: ss, fs_base.
        let fs_base = || Some(arch.unsigned(bytes.get(8 * 21..8 * 22)?));
        (self == Machine::X86_64).then(fs_base).flatten()
    }

    pub(super) fn stack_pointer(self) -> usize {
        match self {
            Machine::X86_64 => 7,
            Machine::Aarch64 => 31,
        }
    }

    pub(super) fn return_address(self) -> usize {
        match self {
            Machine::X86_64 => 16,
            Machine::Aarch64 => 30,
        }
    }

    /// Whether a function leaves the register as its caller had it, unless its table says
    /// otherwise.
    pub(super) fn is_preserved(self, register: usize) -> bool {
        match self {
            Machine::X86_64 => matches!(register, 3 | 6 | 12..=15),
            Machine::Aarch64 => matches!(register, 19..=29),
        }
    }

    /// The function that the call before a return address has called: directly, or through an entry
    /// of the procedure linkage table. On aarch64 that is the entry itself. None if that cannot be
    /// told. Of a call by a pointer, other bytes before it may look like a direct call.
    pub(super) fn callee(self, target: &Target, return_address: u64) -> Option<u64> {
        const ENDBR64: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];
        if self == Machine::Aarch64 {
            return branch_before(target, return_address);
        }
        // A displacement of 32 bits, from the end of the instruction on.
        let displaced =
            |end: u64, by: [u8; 4]| end.wrapping_add_signed(i32::from_le_bytes(by).into());
        let mut code = [0; 6];
        target.read(return_address.wrapping_sub(6), &mut code).ok()?;
        let callee = match code {
            [0xff, 0x15, slot @ ..] => return target.word_at(displaced(return_address, slot)),
            [_, 0xe8, place @ ..] => displaced(return_address, place),
            _ => return None,
        };
        let mut entry = [0; 11];
        target.read(callee, &mut entry).ok()?;
        let mut rest = &entry[..];
        rest = rest.strip_prefix(&ENDBR64).unwrap_or(rest);
        rest = rest.strip_prefix(&[0xf2]).unwrap_or(rest);
        match rest {
            &[0xff, 0x25, a, b, c, d, ..] => {
                let end = callee + (entry.len() - rest.len()) as u64 + 6;
                target.word_at(displaced(end, [a, b, c, d]))
            }
            _ => Some(callee),
        }
    }

    /// The address of the call before a return address.
    pub(super) fn call_before(self, target: &Target, return_address: u64) -> Option<u64> {
        let mut code = [0; 6];
        target.read(return_address.wrapping_sub(6), &mut code).ok()?;
        match (self, code) {
            (Machine::X86_64, [0xff, 0x15, ..]) => Some(return_address.wrapping_sub(6)),
            (Machine::X86_64, [_, 0xe8, ..]) => Some(return_address.wrapping_sub(5)),
            _ => None,
        }
    }

    /// The registers that calls preserve, and the stack pointer, numbered as in instructions.
    pub(super) fn numbered_as_in_code(
        self,
        registers: &[Option<u64>; REGISTERS],
    ) -> Option<[Option<u64>; 16]> {
        if self != Machine::X86_64 {
            return None;
        }
        let mut numbered = [None; 16];
        // rbx, rsp, rbp, r12 to r15, and how DWARF numbers them.
        for (number, dwarf) in [(3, 3), (4, 7), (5, 6), (12, 12), (13, 13), (14, 14), (15, 15)] {
            numbered[number] = registers[dwarf];
        }
        Some(numbered)
    }

    /// The thread to be executed, from the registers as the kernel lays them out.
    pub(super) fn cpu(self, arch: &Arch, bytes: &[u8]) -> Option<Cpu> {
        // How DWARF numbers rax, rcx, rdx, rbx, rsp, rbp, rsi and rdi.
        const FIRST: [usize; 8] = [0, 2, 1, 3, 7, 6, 4, 5];
        let Frame { registers, address, .. } = self.frame(arch, bytes)?;
        let numbered = |number: usize| registers[FIRST.get(number).copied().unwrap_or(number)];
        let flags = arch.unsigned(bytes.get(8 * 18..8 * 19)?);
        let thread = self.thread_pointer(arch, bytes)?;
        Some(Cpu::new(std::array::from_fn(numbered), address).with(flags, thread))
    }

    /// A return address without its pointer authentication code.
    pub(super) fn plain(self, address: u64) -> u64 {
        match self {
            Machine::X86_64 => address,
            Machine::Aarch64 => address & 0x0000_ffff_ffff_ffff,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::branch_of;

    /// Words that an assembler has made.
    #[test]
    fn calls_of_aarch64() {
        assert_eq!(branch_of(0x9400_0002, 0x1000), Some(0x1008), "bl .+8");
        assert_eq!(branch_of(0x97ff_ffff, 0x1000), Some(0xffc), "bl .-4");
        assert_eq!(branch_of(0xd63f_0000, 0x1000), None, "blr x0");
        assert_eq!(branch_of(0x1400_0001, 0x1000), None, "b .+4");
    }
}
