//! Which entry function of a library a process is in, by the call stacks of its threads.
//!
//! Stacks are unwound by the tables that compilers write for exceptions (`.eh_frame`), and by
//! nothing else: where there is none for an address, or memory is missing, the stack ends without
//! its end, and nothing follows from it. `docs/json.md` has the rules.

use std::ops::Range;

use gimli::{
    BaseAddresses, CfaRule, EhFrame, EhFrameHdr, Encoding, EndianSlice, EvaluationResult,
    LittleEndian, Location, ParsedEhFrameHdr, Piece, Register, RegisterRule, UnwindContext,
    UnwindExpression, UnwindSection, Value, Vendor,
};
use object::{Object, ObjectSection, ObjectSymbol};
use serde::{Deserialize, Serialize};

use super::Target;
use crate::arch::Arch;
use crate::elf::ElfFile;

/// More frames than any stack has that is not damaged.
const MAX_FRAMES: usize = 10_000;
/// The kernel's own code in a process is smaller.
const MAX_VDSO: usize = 64 * 1024;

/// A thread of the target, stopped or as its core file has it.
#[derive(Clone, Debug)]
pub(super) struct ThreadState {
    pub(super) id: u32,
    /// Its general registers as the kernel lays them out; `None` if they could not be had.
    pub(super) registers: Option<Vec<u8>>,
}

/// The name of the entry function that a symbol of a library stands for. `None` if the symbol is
/// something else.
pub type EntryFunction = fn(&str) -> Option<&str>;

/// What the call stacks of a process tell about its calls into a library.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Calls {
    /// It is in this entry function.
    Function(String),
    /// It is in this entry function, and there in the library's progress function.
    Progress(String),
    /// It is in no entry function of the library.
    Nothing,
    /// Not known: a stack could not be unwound.
    NotKnown,
}

impl Target {
    /// The entry function of a library that the process is in, by the call stacks of its threads.
    /// `library` is the library's index among the images, `entry` tells its entry functions by
    /// their symbols, and `progress` names its progress function.
    pub fn calls(&self, library: usize, entry: EntryFunction, progress: Option<&str>) -> Calls {
        let calls = match self.recording() {
            Some(recording) => recording.calls.clone().unwrap_or(Calls::NotKnown),
            // The answer is worth recording, the stacks are not.
            None => self.unrecorded(|| self.unwind(library, entry, progress)),
        };
        self.note(|recording| recording.calls = Some(calls.clone()));
        calls
    }

    fn unwind(&self, library: usize, entry: EntryFunction, progress: Option<&str>) -> Calls {
        let Some(machine) = Machine::of(&self.arch) else { return Calls::NotKnown };
        let vdso = self.vdso.map(|address| (address, self.memory.own_bytes(address, MAX_VDSO)));
        let mut unwinder = Unwinder {
            target: self,
            machine,
            library,
            entry,
            progress: progress.and_then(|name| self.code_of(name)),
            tables: self.images.iter().map(|_| None).collect(),
            vdso: vdso.as_ref().and_then(|(address, bytes)| {
                Tables::of(machine, *address, &object::File::parse(&**bytes).ok()?)
            }),
            context: UnwindContext::new(),
        };
        let mut threads: Vec<_> = self.threads.iter().collect();
        threads.sort_unstable_by_key(|thread| (Some(thread.id) != self.pid, thread.id));
        let mut calls = if threads.is_empty() { Calls::NotKnown } else { Calls::Nothing };
        for thread in threads {
            match thread.registers.as_deref().and_then(|bytes| machine.frame(&self.arch, bytes)) {
                Some(innermost) => match unwinder.thread(innermost) {
                    Calls::Nothing => {}
                    Calls::NotKnown => calls = Calls::NotKnown,
                    function => return function,
                },
                None => calls = Calls::NotKnown,
            }
        }
        calls
    }

    /// Where the code of a function is.
    fn code_of(&self, name: &str) -> Option<Range<u64>> {
        self.images.iter().find_map(|image| {
            let file = image.file.as_deref()?.sections()?;
            let symbol = file.dynamic_symbols().chain(file.symbols()).find(|symbol| {
                symbol.is_definition()
                    && symbol.kind() == object::SymbolKind::Text
                    && symbol.name() == Ok(name)
            })?;
            let start = image.bias.wrapping_add(symbol.address());
            Some(start..start.wrapping_add(symbol.size()))
        })
    }
}

/// A machine whose stacks can be unwound. Registers have the numbers of its DWARF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Machine {
    X86_64,
    Aarch64,
}

/// So many registers are followed.
const REGISTERS: usize = 33;

/// A frame of a stack: its registers, as far as they are known.
#[derive(Clone, Copy, Debug)]
struct Frame {
    registers: [Option<u64>; REGISTERS],
    /// The address of the code that runs, or will when the callee has returned.
    address: u64,
    /// It runs, or was interrupted by a signal: it is at the beginning of an instruction, not
    /// after a call.
    exact: bool,
}

impl Machine {
    fn of(arch: &Arch) -> Option<Machine> {
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
    fn frame(self, arch: &Arch, bytes: &[u8]) -> Option<Frame> {
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
                // The table of the procedure linkage has one rule for all its entries, which asks
                // where in the entry the thread is.
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

    fn stack_pointer(self) -> usize {
        match self {
            Machine::X86_64 => 7,
            Machine::Aarch64 => 31,
        }
    }

    fn return_address(self) -> usize {
        match self {
            Machine::X86_64 => 16,
            Machine::Aarch64 => 30,
        }
    }

    /// Whether a function leaves the register as its caller had it, unless its table says
    /// otherwise.
    fn is_preserved(self, register: usize) -> bool {
        match self {
            Machine::X86_64 => matches!(register, 3 | 6 | 12..=15),
            Machine::Aarch64 => matches!(register, 19..=29),
        }
    }

    /// The function that the call before a return address has called: directly, or through an entry
    /// of the procedure linkage table. None if that cannot be told.
    fn callee(self, target: &Target, return_address: u64) -> Option<u64> {
        const ENDBR64: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];
        if self != Machine::X86_64 {
            return None;
        }
        // A displacement of 32 bits, from the end of the instruction on.
        let displaced =
            |end: u64, by: [u8; 4]| end.wrapping_add_signed(i32::from_le_bytes(by).into());
        let mut code = [0; 6];
        target.read(return_address.wrapping_sub(6), &mut code).ok()?;
        let callee = match code {
            [0xff, 0x15, slot @ ..] => return word(target, displaced(return_address, slot)),
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
                word(target, displaced(end, [a, b, c, d]))
            }
            _ => Some(callee),
        }
    }

    /// A return address without what the processor has signed it with.
    fn plain(self, address: u64) -> u64 {
        match self {
            Machine::X86_64 => address,
            Machine::Aarch64 => address & 0x0000_ffff_ffff_ffff,
        }
    }
}

type Reader<'a> = EndianSlice<'a, LittleEndian>;

/// The unwind tables of an image.
struct Tables<'a> {
    bias: u64,
    bases: BaseAddresses,
    frames: EhFrame<Reader<'a>>,
    index: Option<ParsedEhFrameHdr<Reader<'a>>>,
}

impl<'a> Tables<'a> {
    fn of(machine: Machine, bias: u64, file: &object::File<'a>) -> Option<Tables<'a>> {
        let section = |name: &str| {
            let section = file.section_by_name(name)?;
            Some((section.address(), section.data().ok().filter(|data| !data.is_empty())?))
        };
        let (address, data) = section(".eh_frame")?;
        let mut bases = BaseAddresses::default().set_eh_frame(address);
        for (name, set) in [
            (".text", BaseAddresses::set_text as fn(BaseAddresses, u64) -> BaseAddresses),
            (".got", BaseAddresses::set_got),
            (".eh_frame_hdr", BaseAddresses::set_eh_frame_hdr),
        ] {
            if let Some(section) = file.section_by_name(name) {
                bases = set(bases, section.address());
            }
        }
        let mut frames = EhFrame::new(data, LittleEndian);
        frames.set_address_size(8);
        if machine == Machine::Aarch64 {
            frames.set_vendor(Vendor::AArch64);
        }
        let index = section(".eh_frame_hdr")
            .and_then(|(_, data)| EhFrameHdr::new(data, LittleEndian).parse(&bases, 8).ok());
        Some(Tables { bias, bases, frames, index })
    }
}

/// What follows a frame.
#[allow(clippy::large_enum_variant, reason = "there is one at a time, on the stack")]
enum Caller {
    Frame(Frame),
    /// It is the outermost one.
    End,
}

struct Unwinder<'a> {
    target: &'a Target,
    machine: Machine,
    library: usize,
    entry: EntryFunction,
    /// The code of the progress function.
    progress: Option<Range<u64>>,
    /// By image; none yet.
    tables: Vec<Option<Option<Tables<'a>>>>,
    vdso: Option<Tables<'a>>,
    context: UnwindContext<usize>,
}

impl Unwinder<'_> {
    /// The entry function that a thread is in.
    fn thread(&mut self, innermost: Frame) -> Calls {
        let mut frame = innermost;
        let mut found = None;
        let mut certain = true;
        let mut progresses = false;
        for _ in 0..MAX_FRAMES {
            progresses |= self.progresses(&frame);
            match self.function(&frame) {
                Function::Entry(name) if progresses => found = Some(Calls::Progress(name)),
                Function::Entry(name) => found = Some(Calls::Function(name)),
                Function::Other => {}
                Function::OfTheLibrary => certain = false,
            }
            match self.caller(&frame) {
                Some(Caller::Frame(caller)) => frame = caller,
                Some(Caller::End) => {
                    return match found {
                        Some(calls) => calls,
                        None if certain => Calls::Nothing,
                        None => Calls::NotKnown,
                    };
                }
                None => break,
            }
        }
        found.unwrap_or(Calls::NotKnown)
    }

    /// The address in the code of the function: that of a caller is after the call, perhaps in the
    /// next function.
    fn place(frame: &Frame) -> u64 {
        frame.address.wrapping_sub(u64::from(!frame.exact))
    }

    /// Whether a frame is in the progress function or has called it. The progress function may have
    /// made a tail call: then it has no frame of its own.
    fn progresses(&self, frame: &Frame) -> bool {
        let Some(code) = &self.progress else { return false };
        let has_called =
            || !frame.exact && self.machine.callee(self.target, frame.address) == Some(code.start);
        code.contains(&Self::place(frame)) || has_called()
    }

    fn function(&self, frame: &Frame) -> Function {
        let place = Self::place(frame);
        let image = &self.target.images[self.library];
        let Some(elf) = image.file.as_deref() else { return Function::OfTheLibrary };
        let address = place.wrapping_sub(image.bias);
        if !contains(elf, address) {
            return Function::Other;
        }
        // An executable that the library is linked into has other functions, too.
        let is_executable = self.library == 0;
        match covering_symbol(elf, address, self.entry) {
            Some(name) => match (self.entry)(&name) {
                Some(name) => Function::Entry(name.to_owned()),
                None if is_executable => Function::Other,
                None => Function::OfTheLibrary,
            },
            None => Function::OfTheLibrary,
        }
    }

    /// The frame that a frame returns to; `None` if nothing tells.
    fn caller(&mut self, frame: &Frame) -> Option<Caller> {
        let place = Self::place(frame);
        let target = self.target;
        let image = target.images.iter().position(|image| {
            image.file.as_deref().is_some_and(|elf| contains(elf, place.wrapping_sub(image.bias)))
        });
        let tables = match image {
            Some(index) => self.tables[index]
                .get_or_insert_with(|| {
                    let image = &target.images[index];
                    Tables::of(self.machine, image.bias, &image.file.as_deref()?.sections()?)
                })
                .as_ref()?,
            None => self.vdso.as_ref()?,
        };
        let address = place.wrapping_sub(tables.bias);
        let entry = match tables.index.as_ref().and_then(ParsedEhFrameHdr::table) {
            Some(index) => index.fde_for_address(
                &tables.frames,
                &tables.bases,
                address,
                EhFrame::cie_from_offset,
            ),
            None => tables.frames.fde_for_address(&tables.bases, address, EhFrame::cie_from_offset),
        }
        .ok()?;
        let row = entry
            .unwind_info_for_address(&tables.frames, &tables.bases, &mut self.context, address)
            .ok()?;
        let evaluate = |expression: &UnwindExpression<usize>, initial| {
            evaluate(target, tables, entry.cie().encoding(), *expression, frame, initial)
        };
        let cfa = match row.cfa() {
            CfaRule::RegisterAndOffset { register, offset } => {
                register_of(frame, *register)?.wrapping_add_signed(*offset)
            }
            CfaRule::Expression(expression) => evaluate(expression, None)?,
        };
        let restore = |number: usize| -> Option<u64> {
            match row.register(Register(number as u16)) {
                None if self.machine.is_preserved(number) => frame.registers[number],
                None | Some(RegisterRule::Undefined | RegisterRule::Architectural) => None,
                Some(RegisterRule::SameValue) => frame.registers[number],
                Some(RegisterRule::Offset(offset)) => word(target, cfa.wrapping_add_signed(offset)),
                Some(RegisterRule::ValOffset(offset)) => Some(cfa.wrapping_add_signed(offset)),
                Some(RegisterRule::Register(other)) => register_of(frame, other),
                Some(RegisterRule::Expression(expression)) => {
                    word(target, evaluate(&expression, Some(cfa))?)
                }
                Some(RegisterRule::ValExpression(expression)) => evaluate(&expression, Some(cfa)),
                Some(RegisterRule::Constant(value)) => Some(value),
            }
        };
        let return_address = self.machine.return_address();
        let returns_to = match row.register(Register(return_address as u16)) {
            Some(RegisterRule::Undefined) => return Some(Caller::End),
            // The innermost function may not have saved it.
            None if self.machine == Machine::Aarch64 && frame.exact => {
                frame.registers[return_address]?
            }
            _ => restore(return_address)?,
        };
        if returns_to == 0 {
            return Some(Caller::End);
        }
        let mut registers = [None; REGISTERS];
        for (number, register) in registers.iter_mut().enumerate() {
            *register = restore(number);
        }
        let stack_pointer = self.machine.stack_pointer();
        // A frame below its callee: damage, and perhaps a circle.
        let before = frame.registers[stack_pointer]?;
        let signal = entry.is_signal_trampoline();
        if !signal && (cfa < before || cfa == before && !frame.exact) {
            return None;
        }
        // The table of a signal's frame says where the interrupted code had its stack, which may be
        // another one.
        if !(signal && registers[stack_pointer].is_some()) {
            registers[stack_pointer] = Some(cfa);
        }
        Some(Caller::Frame(Frame {
            registers,
            address: self.machine.plain(returns_to),
            exact: signal,
        }))
    }
}

fn register_of(frame: &Frame, register: Register) -> Option<u64> {
    frame.registers.get(usize::from(register.0)).copied().flatten()
}

fn word(target: &Target, address: u64) -> Option<u64> {
    target.memory.word(&target.arch, address).ok()
}

/// The value of an expression of a table.
fn evaluate(
    target: &Target,
    tables: &Tables<'_>,
    encoding: Encoding,
    expression: UnwindExpression<usize>,
    frame: &Frame,
    initial: Option<u64>,
) -> Option<u64> {
    let mut evaluation = expression.get(&tables.frames).ok()?.evaluation(encoding);
    if let Some(initial) = initial {
        evaluation.set_initial_value(initial);
    }
    let mut state = evaluation.evaluate().ok()?;
    loop {
        state = match state {
            EvaluationResult::Complete => break,
            EvaluationResult::RequiresMemory { address, size, .. } => {
                let mut bytes = [0; 8];
                let bytes = bytes.get_mut(..usize::from(size))?;
                target.read(address, bytes).ok()?;
                evaluation.resume_with_memory(Value::Generic(target.arch.unsigned(bytes))).ok()?
            }
            EvaluationResult::RequiresRegister { register, .. } => evaluation
                .resume_with_register(Value::Generic(register_of(frame, register)?))
                .ok()?,
            _ => return None,
        };
    }
    match evaluation.as_result() {
        [Piece { location: Location::Address { address }, .. }] => Some(*address),
        _ => None,
    }
}

/// What function a frame is in.
enum Function {
    /// This entry function.
    Entry(String),
    /// One outside the library.
    Other,
    /// Something else of the library: perhaps a part of an entry function that has no symbol.
    OfTheLibrary,
}

/// Whether an address of the file is in one of its segments.
fn contains(elf: &ElfFile, address: u64) -> bool {
    elf.headers()
        .loads()
        .any(|segment| (segment.p_vaddr..segment.p_vaddr + segment.p_memsz).contains(&address))
}

/// The name of the function symbol that begins last at or before an address of the file, if it
/// reaches beyond it. Of several, that of an entry function.
fn covering_symbol(elf: &ElfFile, address: u64, entry: EntryFunction) -> Option<String> {
    let file = elf.sections()?;
    let mut best: Option<(u64, bool, String)> = None;
    for symbol in file.dynamic_symbols().chain(file.symbols()) {
        if !symbol.is_definition()
            || symbol.kind() != object::SymbolKind::Text
            || symbol.address() > address
        {
            continue;
        }
        let start = symbol.address();
        if best.as_ref().is_some_and(|(other, ..)| *other > start) {
            continue;
        }
        let Ok(name) = symbol.name() else { continue };
        let covers = start + symbol.size() > address;
        let same_place = best.as_ref().filter(|(other, ..)| *other == start);
        let better = same_place.is_none_or(|(_, before, known)| {
            (covers, entry(name).is_some()) > (*before, entry(known).is_some())
        });
        if better {
            best = Some((start, covers, name.to_owned()));
        }
    }
    best.filter(|(_, covers, _)| *covers).map(|(.., name)| name)
}
