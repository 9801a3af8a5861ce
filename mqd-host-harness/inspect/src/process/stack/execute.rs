//! Executes machine code of x86-64, with the memory and the registers of a stopped process.
//!
//! Only instructions on whole numbers are known, as compilers make them of loops, locks and lists.
//! Any other one ends the attempt, as does a register or memory that is not known.

use std::collections::HashMap;

use iced_x86::{ConditionCode, Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};

/// The longest instruction.
const LONGEST: usize = 15;
/// The numbers of these registers in instructions.
pub(super) const STACK_POINTER: usize = 4;
const FRAME_POINTER: usize = 5;
/// The same of rdx, which has the upper half of a dividend, and the remainder.
const DATA: usize = 2;
/// The registers that calls preserve, and the stack pointer: rbx, rsp, rbp, and r12 to r15.
const PRESERVED: [usize; 7] = [3, STACK_POINTER, FRAME_POINTER, 12, 13, 14, 15];

/// Where a value comes from. What is computed from several values has the last of their origins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin {
    /// A fixed address, or the code.
    Fixed,
    /// A register as it was at the beginning.
    Kept,
    /// Memory at an address that is not fixed.
    Loaded,
}

/// The content of a register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    pub(super) value: u64,
    pub(super) origin: Origin,
}

/// A place in memory that an instruction names.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) address: u64,
    /// In bytes: 1, 2, 4 or 8.
    pub(super) size: usize,
    /// The origin of the address.
    pub(super) origin: Origin,
    /// The address of the instruction.
    pub(super) code: u64,
}

/// The memory in which code is executed. `None` ends the attempt.
pub(super) trait Memory {
    /// Reads code or data as they are; false if that is not possible.
    fn read(&self, address: u64, into: &mut [u8]) -> bool;
    /// What an instruction reads.
    fn load(&mut self, place: Place) -> Option<Value>;
    /// Writes the value of an instruction.
    fn store(&mut self, place: Place, value: u64) -> Option<()>;
}

/// The result of a computation.
#[derive(Clone, Copy)]
struct Flags {
    zero: bool,
    sign: bool,
    carry: bool,
    overflow: bool,
}

/// A thread, as it is executed.
pub(super) struct Cpu {
    /// The general registers, numbered as in instructions.
    registers: [Option<Value>; 16],
    flags: Option<Flags>,
    /// The address of the next instruction.
    next: u64,
    /// The beginning of the segment FS: the thread's own variables.
    thread: Option<u64>,
    /// The instructions that were executed, by their addresses.
    decoded: HashMap<u64, Instruction>,
}

impl Cpu {
    /// A thread that is about to execute the code at an address. `registers` are numbered as in
    /// instructions.
    pub(super) fn new(registers: [Option<u64>; 16], next: u64) -> Cpu {
        let kept = |value| Value { value, origin: Origin::Kept };
        let registers = registers.map(|value| value.map(kept));
        Cpu { registers, flags: None, next, thread: None, decoded: HashMap::new() }
    }

    /// The same with the flags of the processor, and the beginning of the thread's own variables.
    pub(super) fn with(self, flags: u64, thread: u64) -> Cpu {
        let bit = |number: u64| flags >> number & 1 == 1;
        let flags = Flags { carry: bit(0), zero: bit(6), sign: bit(7), overflow: bit(11) };
        Cpu { flags: Some(flags), thread: Some(thread), ..self }
    }

    /// The same after a call that has returned this.
    pub(super) fn returned(mut self, value: u64) -> Cpu {
        self.registers[0] = Some(Value { value, origin: Origin::Loaded });
        self
    }

    /// What the registers have that calls preserve, and the stack pointer.
    pub(super) fn preserved(&self) -> [Option<u64>; 16] {
        let mut preserved = [None; 16];
        for number in PRESERVED {
            preserved[number] = self.registers[number].map(|register| register.value);
        }
        preserved
    }

    /// The address of the next instruction.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// Have the registers that were known at the beginning the same content?
    pub(super) fn has_kept(&self, registers: &[Option<u64>; 16]) -> bool {
        self.registers
            .iter()
            .zip(registers)
            .all(|(now, before)| before.is_none() || now.map(|now| now.value) == *before)
    }

    /// The stack pointer.
    pub(super) fn stack_pointer(&self) -> Option<u64> {
        Some(self.registers[STACK_POINTER]?.value)
    }

    /// If the next instruction is a call: the address to which the function returns.
    pub(super) fn next_call(&mut self, memory: &dyn Memory) -> Option<u64> {
        let next = self.decode(memory)?;
        (next.mnemonic() == Mnemonic::Call).then(|| next.next_ip())
    }

    /// The next instruction. None: its code cannot be read.
    fn decode(&mut self, memory: &dyn Memory) -> Option<Instruction> {
        if let Some(known) = self.decoded.get(&self.next) {
            return Some(*known);
        }
        let mut code = [0; LONGEST];
        let length = (1..=LONGEST).rev().find(|size| memory.read(self.next, &mut code[..*size]))?;
        let mut decoder = Decoder::with_ip(64, &code[..length], self.next, DecoderOptions::NONE);
        let instruction = decoder.decode();
        self.decoded.insert(self.next, instruction);
        Some(instruction)
    }

    /// Executes an instruction. None: it is not known, or depends on what is not.
    pub(super) fn step(&mut self, memory: &mut dyn Memory) -> Option<()> {
        let instruction = self.decode(memory)?;
        let mut step = Step { cpu: self, memory, at: instruction };
        let next = step.execute()?;
        self.next = next;
        Some(())
    }
}

/// An instruction that is executed.
struct Step<'s> {
    cpu: &'s mut Cpu,
    memory: &'s mut dyn Memory,
    at: Instruction,
}

impl Step<'_> {
    /// Executes it. Returns the address of the next one.
    fn execute(&mut self) -> Option<u64> {
        let at = self.at;
        let following = at.next_ip();
        match at.mnemonic() {
            Mnemonic::Nop
            | Mnemonic::Endbr64
            | Mnemonic::Pause
            | Mnemonic::Mfence
            | Mnemonic::Lfence
            | Mnemonic::Sfence => {}
            Mnemonic::Jmp => return self.target(),
            Mnemonic::Call => {
                let target = self.target()?;
                self.push(Value { value: following, origin: Origin::Fixed })?;
                return Some(target);
            }
            Mnemonic::Ret if at.op_count() == 0 => return Some(self.pop(8)?.value),
            _ if at.code().is_jcc_short_or_near() => {
                let holds = self.holds()?;
                return Some(if holds { at.near_branch_target() } else { following });
            }
            _ if at.condition_code() != ConditionCode::None => self.conditional()?,
            Mnemonic::Push => {
                let value = self.read(0)?;
                self.push(value)?;
            }
            Mnemonic::Pop => {
                let value = self.pop(self.size(0)?)?;
                self.write(0, value)?;
            }
            Mnemonic::Leave => {
                self.cpu.registers[STACK_POINTER] = self.cpu.registers[FRAME_POINTER];
                self.cpu.registers[FRAME_POINTER] = Some(self.pop(8)?);
            }
            Mnemonic::Lea => {
                let (value, origin) = self.address()?;
                self.write(0, Value { value, origin })?;
            }
            Mnemonic::Mov | Mnemonic::Movzx => {
                let value = self.read(1)?;
                self.write(0, value)?;
            }
            Mnemonic::Movsx | Mnemonic::Movsxd => {
                let Value { value, origin } = self.read(1)?;
                self.write(0, Value { value: extended(value, self.size(1)?), origin })?;
            }
            Mnemonic::Cdqe => {
                let Value { value, origin } = self.cpu.registers[0]?;
                self.cpu.registers[0] = Some(Value { value: extended(value, 4), origin });
            }
            Mnemonic::Cdq => {
                let Value { value, origin } = self.cpu.registers[0]?;
                let value = extended(value, 4) >> 32;
                self.cpu.registers[DATA] = Some(Value { value, origin });
            }
            _ => self.compute()?,
        }
        Some(following)
    }

    /// Instructions that compute, and exchange.
    fn compute(&mut self) -> Option<()> {
        match self.at.mnemonic() {
            Mnemonic::Xor | Mnemonic::Sub if self.is_zeroing() => {
                self.write(0, Value { value: 0, origin: Origin::Fixed })?;
                self.cpu.flags = Some(of_result(0, 8));
            }
            Mnemonic::Cmp | Mnemonic::Sub => {
                let (one, other, size) = self.operands()?;
                self.cpu.flags = Some(subtraction(one.value, other.value, size));
                if self.at.mnemonic() == Mnemonic::Sub {
                    let value = one.value.wrapping_sub(other.value);
                    self.write(0, Value { value, origin: one.origin.max(other.origin) })?;
                }
            }
            Mnemonic::Add | Mnemonic::Xadd => {
                let (one, other, size) = self.operands()?;
                self.cpu.flags = Some(addition(one.value, other.value, size));
                if self.at.mnemonic() == Mnemonic::Xadd {
                    self.write(1, one)?;
                }
                let value = one.value.wrapping_add(other.value);
                self.write(0, Value { value, origin: one.origin.max(other.origin) })?;
            }
            Mnemonic::Or if self.is_barrier() => self.cpu.flags = None,
            Mnemonic::Test | Mnemonic::And | Mnemonic::Or | Mnemonic::Xor => {
                let (one, other, size) = self.operands()?;
                let value = match self.at.mnemonic() {
                    Mnemonic::Or => one.value | other.value,
                    Mnemonic::Xor => one.value ^ other.value,
                    _ => one.value & other.value,
                };
                self.cpu.flags = Some(of_result(value, size));
                if self.at.mnemonic() != Mnemonic::Test {
                    self.write(0, Value { value, origin: one.origin.max(other.origin) })?;
                }
            }
            Mnemonic::Inc | Mnemonic::Dec => {
                let (one, size) = (self.read(0)?, self.size(0)?);
                let is_inc = self.at.mnemonic() == Mnemonic::Inc;
                // These leave the carry flag as it is.
                let carry = self.cpu.flags?.carry;
                let (value, flags) = match is_inc {
                    true => (one.value.wrapping_add(1), addition(one.value, 1, size)),
                    false => (one.value.wrapping_sub(1), subtraction(one.value, 1, size)),
                };
                self.cpu.flags = Some(Flags { carry, ..flags });
                self.write(0, Value { value, ..one })?;
            }
            Mnemonic::Shl | Mnemonic::Shr | Mnemonic::Sar => self.shift()?,
            Mnemonic::Idiv if self.size(0)? == 4 => self.divide()?,
            Mnemonic::Xchg => {
                let (one, other) = (self.read(0)?, self.read(1)?);
                self.write(0, other)?;
                self.write(1, one)?;
            }
            Mnemonic::Cmpxchg => self.compare_and_exchange()?,
            _ => return None,
        }
        Some(())
    }

    fn shift(&mut self) -> Option<()> {
        let (one, size) = (self.read(0)?, self.size(0)?);
        let count = self.read(1)?.value & if size == 8 { 63 } else { 31 };
        let value = match self.at.mnemonic() {
            Mnemonic::Shl => one.value << count,
            Mnemonic::Shr => one.value >> count,
            _ => (extended(one.value, size).cast_signed() >> count).cast_unsigned(),
        };
        // Hardly any code asks for the flags of a shift.
        self.cpu.flags = None;
        self.write(0, Value { value, ..one })
    }

    /// A division of signed numbers of 4 bytes. One that is an error ends the attempt.
    fn divide(&mut self) -> Option<()> {
        let by = self.read(0)?;
        let (low, high) = (self.cpu.registers[0]?, self.cpu.registers[DATA]?);
        let dividend = (high.value << 32 | low.value & 0xffff_ffff).cast_signed();
        let divisor = extended(by.value, 4).cast_signed();
        let quotient = i32::try_from(dividend.checked_div(divisor)?).ok()?;
        let remainder = i32::try_from(dividend.checked_rem(divisor)?).ok()?;
        let origin = by.origin.max(low.origin).max(high.origin);
        let value = |number: i32| Some(Value { value: number.cast_unsigned().into(), origin });
        self.cpu.registers[0] = value(quotient);
        self.cpu.registers[DATA] = value(remainder);
        // Its flags are undefined.
        self.cpu.flags = None;
        Some(())
    }

    fn compare_and_exchange(&mut self) -> Option<()> {
        let (there, new, size) = self.operands()?;
        let expected = self.cpu.registers[0]?;
        let flags = subtraction(expected.value, there.value, size);
        self.cpu.flags = Some(flags);
        if flags.zero {
            return self.write(0, new);
        }
        let value = if size < 4 { merged(expected.value, there.value, size) } else { there.value };
        self.cpu.registers[0] = Some(Value { value, ..there });
        Some(())
    }

    /// Instructions that set a byte or a register by a condition.
    fn conditional(&mut self) -> Option<()> {
        match (self.at.op_count(), self.at.op0_kind()) {
            (1, OpKind::Register | OpKind::Memory) => {
                let value = u64::from(self.holds()?);
                self.write(0, Value { value, origin: Origin::Fixed })
            }
            (2, OpKind::Register) => self.move_if(),
            _ => None,
        }
    }

    fn move_if(&mut self) -> Option<()> {
        let source = self.read(1)?;
        match self.holds()? {
            true => self.write(0, source),
            // It clears the upper half all the same.
            false => {
                let kept = self.read(0)?;
                self.write(0, kept)
            }
        }
    }

    /// The address that a jump or call leads to.
    fn target(&mut self) -> Option<u64> {
        match self.at.op0_kind() {
            OpKind::NearBranch64 => Some(self.at.near_branch_target()),
            OpKind::Register | OpKind::Memory => Some(self.read(0)?.value),
            _ => None,
        }
    }

    /// Does the condition of the instruction hold?
    fn holds(&self) -> Option<bool> {
        let Flags { zero, sign, carry, overflow } = self.cpu.flags?;
        Some(match self.at.condition_code() {
            ConditionCode::o => overflow,
            ConditionCode::no => !overflow,
            ConditionCode::b => carry,
            ConditionCode::ae => !carry,
            ConditionCode::e => zero,
            ConditionCode::ne => !zero,
            ConditionCode::be => carry || zero,
            ConditionCode::a => !carry && !zero,
            ConditionCode::s => sign,
            ConditionCode::ns => !sign,
            ConditionCode::l => sign != overflow,
            ConditionCode::ge => sign == overflow,
            ConditionCode::le => zero || sign != overflow,
            ConditionCode::g => !zero && sign == overflow,
            _ => return None,
        })
    }

    /// Is it an instruction whose result is 0 whatever its operands are?
    fn is_zeroing(&self) -> bool {
        let registers = (self.at.op0_kind(), self.at.op1_kind());
        registers == (OpKind::Register, OpKind::Register)
            && self.at.op0_register() == self.at.op1_register()
    }

    /// Does it change nothing, and only order what others see? `lock or $0`.
    fn is_barrier(&self) -> bool {
        self.at.has_lock_prefix() && self.at.try_immediate(1).is_ok_and(|value| value == 0)
    }

    /// The first two operands, and the size of the first one.
    fn operands(&mut self) -> Option<(Value, Value, usize)> {
        Some((self.read(0)?, self.read(1)?, self.size(0)?))
    }

    /// The size of an operand in bytes.
    fn size(&self, operand: u32) -> Option<usize> {
        let size = match self.at.op_kind(operand) {
            OpKind::Register => self.at.op_register(operand).size(),
            OpKind::Memory => self.at.memory_size().size(),
            OpKind::Immediate8 => 1,
            OpKind::Immediate8to32 | OpKind::Immediate32 => 4,
            OpKind::Immediate8to64 | OpKind::Immediate32to64 | OpKind::Immediate64 => 8,
            _ => return None,
        };
        matches!(size, 1 | 2 | 4 | 8).then_some(size)
    }

    /// The place that the instruction names.
    fn place(&self, operand: u32) -> Option<Place> {
        let (address, origin) = self.address()?;
        let size = self.size(operand)?;
        Some(Place { address, size, origin, code: self.at.ip() })
    }

    /// The address that the instruction names, and its origin.
    fn address(&self) -> Option<(u64, Origin)> {
        let mut address = self.at.memory_displacement64();
        let mut origin = Origin::Fixed;
        match self.at.segment_prefix() {
            Register::None | Register::DS | Register::CS => {}
            Register::FS => {
                address = address.wrapping_add(self.cpu.thread?);
                origin = Origin::Kept;
            }
            _ => return None,
        }
        if !self.at.is_ip_rel_memory_operand() {
            let scale = u64::from(self.at.memory_index_scale());
            for (register, scale) in [(self.at.memory_base(), 1), (self.at.memory_index(), scale)] {
                if register != Register::None {
                    let Value { value, origin: of } = self.register(register)?;
                    address = address.wrapping_add(value.wrapping_mul(scale));
                    origin = origin.max(of);
                }
            }
        }
        Some((address, origin))
    }

    fn register(&self, register: Register) -> Option<Value> {
        let number = number_of(register)?;
        let Value { value, origin } = self.cpu.registers[number]?;
        Some(Value { value: low(value, register.size()), origin })
    }

    fn read(&mut self, operand: u32) -> Option<Value> {
        match self.at.op_kind(operand) {
            OpKind::Register => self.register(self.at.op_register(operand)),
            OpKind::Memory => {
                let place = self.place(operand)?;
                self.memory.load(place)
            }
            _ => {
                let value = self.at.try_immediate(operand).ok()?;
                Some(Value { value, origin: Origin::Fixed })
            }
        }
    }

    fn write(&mut self, operand: u32, Value { value, origin }: Value) -> Option<()> {
        let size = self.size(operand)?;
        let value = low(value, size);
        if self.at.op_kind(operand) == OpKind::Memory {
            let place = self.place(operand)?;
            return self.memory.store(place, value);
        }
        let register = self.at.op_register(operand);
        let number = number_of(register)?;
        // Writing to four bytes clears the others; writing to fewer leaves them.
        let (value, origin) = match size {
            4 | 8 => (value, origin),
            _ => {
                let old = self.cpu.registers[number]?;
                (merged(old.value, value, size), origin.max(old.origin))
            }
        };
        self.cpu.registers[number] = Some(Value { value, origin });
        Some(())
    }

    fn push(&mut self, Value { value, .. }: Value) -> Option<()> {
        let pointer = self.cpu.registers[STACK_POINTER]?;
        let address = pointer.value.wrapping_sub(8);
        let place = Place { address, size: 8, origin: pointer.origin, code: self.at.ip() };
        self.memory.store(place, value)?;
        self.cpu.registers[STACK_POINTER] = Some(Value { value: address, ..pointer });
        Some(())
    }

    fn pop(&mut self, size: usize) -> Option<Value> {
        let pointer = self.cpu.registers[STACK_POINTER]?;
        let address = pointer.value;
        let place = Place { address, size, origin: pointer.origin, code: self.at.ip() };
        let value = self.memory.load(place)?;
        let after = address.wrapping_add(size as u64);
        self.cpu.registers[STACK_POINTER] = Some(Value { value: after, ..pointer });
        Some(value)
    }
}

/// The number of a general register in instructions. The second bytes of registers, which have
/// names of their own, are not known.
fn number_of(register: Register) -> Option<usize> {
    let is_second = matches!(register, Register::AH | Register::BH | Register::CH | Register::DH);
    let full = register.full_register();
    (full.is_gpr64() && !is_second).then(|| full.number())
}

/// The low bytes of a value.
fn low(value: u64, size: usize) -> u64 {
    value & (u64::MAX >> (64 - 8 * size))
}

/// A value whose low bytes are those of another one.
fn merged(old: u64, new: u64, size: usize) -> u64 {
    old ^ low(old, size) | low(new, size)
}

/// The low bytes of a value as a number with a sign.
fn extended(value: u64, size: usize) -> u64 {
    let unused = 64 - 8 * size;
    ((value << unused).cast_signed() >> unused).cast_unsigned()
}

fn is_negative(value: u64, size: usize) -> bool {
    value >> (8 * size - 1) & 1 == 1
}

/// The flags of a result that cannot have overflowed.
fn of_result(value: u64, size: usize) -> Flags {
    let value = low(value, size);
    Flags { zero: value == 0, sign: is_negative(value, size), carry: false, overflow: false }
}

fn addition(one: u64, other: u64, size: usize) -> Flags {
    let (one, other) = (low(one, size), low(other, size));
    let result = low(one.wrapping_add(other), size);
    let negative = |value| is_negative(value, size);
    Flags {
        carry: result < one,
        overflow: negative(one) == negative(other) && negative(result) != negative(one),
        ..of_result(result, size)
    }
}

fn subtraction(one: u64, other: u64, size: usize) -> Flags {
    let (one, other) = (low(one, size), low(other, size));
    let result = low(one.wrapping_sub(other), size);
    let negative = |value| is_negative(value, size);
    Flags {
        carry: one < other,
        overflow: negative(one) != negative(other) && negative(result) != negative(one),
        ..of_result(result, size)
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use memmap2::MmapMut;

    use super::*;

    /// Numbers that code works on: five registers, and a word of memory. What it leaves there, and
    /// which of twelve conditions hold afterwards.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct Numbers {
        registers: [u64; 5],
        unused: [u64; 3],
        word: u64,
        conditions: [u8; 16],
    }

    const SIZE: usize = size_of::<Numbers>();
    /// Where code, numbers and the stack are when they are executed here.
    const CODE: u64 = 0x1000;
    const NUMBERS: u64 = 0x2000;
    const STACK: u64 = 0x3000;

    /// A function around an instruction. It gets the address of [`Numbers`].
    fn function(instruction: &[u8], with_conditions: bool) -> Vec<u8> {
        // push %rbx; mov %rdi,%rbx; then rax, rcx, rdx, rsi and rdi
        let mut code = b"\x53\x48\x89\xfb".to_vec();
        code.extend(b"\x48\x8b\x43\x00\x48\x8b\x4b\x08\x48\x8b\x53\x10");
        code.extend(b"\x48\x8b\x73\x18\x48\x8b\x7b\x20\x48\x83\xfa\x07");
        code.extend(instruction);
        // All conditions but those of parity.
        for condition in (0..16_u8).filter(|condition| with_conditions && condition >> 1 != 5) {
            code.extend([0x0f, 0x90 | condition, 0x43, 72 + condition]);
        }
        code.extend(b"\x48\x89\x43\x00\x48\x89\x4b\x08\x48\x89\x53\x10");
        code.extend(b"\x48\x89\x73\x18\x48\x89\x7b\x20\x5b\xc3");
        code
    }

    /// What the processor makes of it.
    fn native(code: &[u8], numbers: Numbers) -> Numbers {
        let mut map = MmapMut::map_anon(code.len()).unwrap();
        map.copy_from_slice(code);
        let map = map.make_exec().unwrap();
        let mut numbers = numbers;
        // SAFETY: the bytes are a function of the C ABI that preserves rbx, and that writes only to
        // its stack and to what its argument points to.
        unsafe {
            let run: extern "C" fn(*mut Numbers) = std::mem::transmute(map.as_ptr());
            run(&raw mut numbers);
        }
        numbers
    }

    /// Three pieces of memory.
    struct Pieces<'c> {
        code: &'c [u8],
        numbers: [u8; SIZE],
        stack: [u8; 64],
    }

    impl Pieces<'_> {
        fn piece(&mut self, address: u64, size: usize) -> Option<&mut [u8]> {
            let (start, bytes) = match address {
                STACK.. => (STACK, &mut self.stack[..]),
                _ => (NUMBERS, &mut self.numbers[..]),
            };
            let at = usize::try_from(address.checked_sub(start)?).ok()?;
            bytes.get_mut(at..at + size)
        }
    }

    impl Memory for Pieces<'_> {
        fn read(&self, address: u64, into: &mut [u8]) -> bool {
            let at = (address - CODE) as usize;
            let code = self.code.get(at..at + into.len());
            code.inspect(|code| into.copy_from_slice(code)).is_some()
        }

        fn load(&mut self, place: Place) -> Option<Value> {
            let mut bytes = [0; 8];
            bytes[..place.size].copy_from_slice(self.piece(place.address, place.size)?);
            Some(Value { value: u64::from_le_bytes(bytes), origin: Origin::Loaded })
        }

        fn store(&mut self, place: Place, value: u64) -> Option<()> {
            let bytes = value.to_le_bytes();
            self.piece(place.address, place.size)?.copy_from_slice(&bytes[..place.size]);
            Some(())
        }
    }

    /// What the code here makes of it.
    fn executed(code: &[u8], numbers: Numbers) -> Option<[u8; SIZE]> {
        let mut memory = Pieces { code, numbers: bytes(numbers), stack: [0; 64] };
        let mut registers = [Some(0x1234); 16];
        registers[STACK_POINTER] = Some(STACK + 48);
        registers[7] = Some(NUMBERS);
        let mut cpu = Cpu::new(registers, CODE).with(0, 0);
        for _ in 0..100 {
            if cpu.next() == 0 {
                return Some(memory.numbers);
            }
            cpu.step(&mut memory)?;
        }
        None
    }

    fn bytes(numbers: Numbers) -> [u8; SIZE] {
        let Numbers { registers, unused, word, conditions } = numbers;
        let words = registers.into_iter().chain(unused).chain([word]);
        let bytes = words.flat_map(u64::to_le_bytes).chain(conditions);
        bytes.collect::<Vec<u8>>().try_into().unwrap()
    }

    /// Instructions on rax, rcx, rdx, and the word of memory.
    const INSTRUCTIONS: [&[u8]; 44] = [
        // add, sub and cmp of 8, 4, 2 and 1 bytes
        b"\x48\x01\xc8",
        b"\x01\xc8",
        b"\x66\x01\xc8",
        b"\x00\xc8",
        b"\x48\x29\xc8",
        b"\x29\xc8",
        b"\x66\x29\xc8",
        b"\x28\xc8",
        b"\x48\x39\xc8",
        b"\x39\xc8",
        b"\x38\xc8",
        b"\x48\x3b\x43\x40",
        // with constants: add, cmp, sub of a word and a byte of memory
        b"\x48\x83\xc0\xff",
        b"\x81\xf9\x00\x00\x00\x80",
        b"\x48\x83\x6b\x40\x01",
        b"\x80\x7b\x40\x80",
        // test, and, or, xor
        b"\x48\x85\xc8",
        b"\x84\xc8",
        b"\x21\xc8",
        b"\x48\x09\xc8",
        b"\x31\xc8",
        b"\x31\xc0",
        b"\x48\x29\xc0",
        b"\xf7\x43\x40\x01\x00\x00\x80",
        // inc, dec
        b"\x48\xff\xc0",
        b"\xff\xc8",
        b"\xfe\xc1",
        b"\xff\x4b\x40",
        // moves: sizes, signs, conditions
        b"\x88\xc8",
        b"\x66\x89\xc8",
        b"\x89\xc8",
        b"\x0f\xb6\xc1",
        b"\x48\x0f\xbe\xc1",
        b"\x48\x63\x43\x40",
        b"\x48\x98",
        b"\x48\x0f\x44\xc1",
        b"\x0f\x4c\xc1",
        b"\x48\x8d\x44\x8a\x11",
        // push and pop, exchanges
        b"\x50\x51\x58\x59",
        b"\x48\x87\xc8",
        b"\x87\x43\x40",
        b"\xf0\x48\x0f\xb1\x4b\x40",
        b"\xf0\x0f\xc1\x43\x40",
        // a call over a return: call +3; jmp +1; nop; ret is at the end of the function
        b"\xe8\x02\x00\x00\x00\xeb\x01\xc3",
    ];

    /// Instructions whose flags are not known: shl, shr, sar by constants, shl by cl; cltd and idiv
    /// by 7 and by -3.
    const WITHOUT_FLAGS: [&[u8]; 7] = [
        b"\x48\xc1\xe0\x05",
        b"\x48\xc1\xe8\x07",
        b"\xc1\xf8\x03",
        b"\x48\xd1\xf8",
        b"\x48\xd3\xe2",
        b"\xb9\x07\x00\x00\x00\x99\xf7\xf9",
        b"\xb9\xfd\xff\xff\xff\x99\xf7\xf9",
    ];

    #[test]
    fn does_as_the_processor_does() {
        const EDGES: [u64; 10] = [
            0,
            1,
            0x7f,
            0x80,
            0x7fff_ffff,
            0x8000_0000,
            0xffff_ffff,
            0x7fff_ffff_ffff_ffff,
            0x8000_0000_0000_0000,
            u64::MAX,
        ];
        let plain = INSTRUCTIONS.iter().map(|code| function(code, true));
        let without_flags = WITHOUT_FLAGS.iter().map(|code| function(code, false));
        for code in plain.chain(without_flags) {
            for (at, one) in EDGES.iter().enumerate() {
                for other in EDGES {
                    let third = EDGES[(at + 3) % EDGES.len()];
                    let numbers = Numbers {
                        registers: [*one, other, third, 3, 4],
                        unused: [0; 3],
                        word: if at % 2 == 0 { *one } else { third },
                        conditions: [0; 16],
                    };
                    let wanted = bytes(native(&code, numbers));
                    assert_eq!(executed(&code, numbers), Some(wanted), "{code:x?} {numbers:x?}");
                }
            }
        }
    }
}
