//! Follows machine code from a call around a loop back to this call, to learn which word of memory
//! keeps the loop going.
//!
//! ```text
//! loop:  call  opal_progress            <- the call that the thread is in
//!        cmpq  $0x1,0x58(%r15)          <- execution begins here: this word is awaited
//!        jne   loop                     <- and comes back, with the memory as it is
//! ```
//!
//! The code is executed with the memory as it is and with the registers that the call preserves.
//! If execution comes back to the call, it will do so again as long as no word that was read has
//! another value. Words at fixed addresses, and those that pointers at fixed addresses lead to, are
//! settings of the library, such as whether faults are tolerated. There must be exactly one other
//! word: the one that the loop waits for.
//!
//! Only the few instructions that compilers make of such loops are known, for x86-64. Any other one
//! ends the attempt, and so does everything that writes to memory.

/// Instructions of a loop that are followed at most.
const MOST: usize = 32;
/// The longest instruction.
const LONGEST: usize = 15;
/// Numbers of registers in instructions.
const STACK_POINTER: u8 = 4;
/// The base in an addressing mode that has none, or that is relative to the next instruction.
const NO_BASE: u8 = 5;

/// Reads memory; false if that is not possible.
pub(super) type Read<'a> = dyn Fn(u64, &mut [u8]) -> bool + 'a;

/// The address of the word on whose change a loop waits. `after` is the return address of the call
/// in the loop, `call` the address of this call. `registers` are those of the frame at `after`,
/// numbered as in instructions.
pub(super) fn awaited_word(
    read: &Read<'_>,
    registers: [Option<u64>; 16],
    call: u64,
    after: u64,
) -> Option<u64> {
    let registers = registers.map(|value| value.map(|value| Value { value, is_setting: false }));
    let mut run = Run { read, registers, flags: None, next: after, awaited: None };
    for _ in 0..MOST {
        run.instruction()?;
        if run.next == call {
            return run.awaited;
        }
    }
    None
}

/// The content of a register.
#[derive(Clone, Copy)]
struct Value {
    value: u64,
    /// It came from a fixed address.
    is_setting: bool,
}

/// The result of a comparison.
#[derive(Clone, Copy)]
struct Flags {
    zero: bool,
    sign: bool,
    carry: bool,
    overflow: bool,
}

/// A place that an instruction names.
enum Place {
    Register(u8),
    Memory { address: u64, is_setting: bool },
}

/// The bytes of an instruction, as far as they were not taken yet.
struct Bytes<'b> {
    rest: &'b [u8],
}

impl Bytes<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    /// A number of one or four bytes with a sign.
    fn signed(&mut self, size: usize) -> Option<i64> {
        let (number, rest) = self.rest.split_at_checked(size)?;
        self.rest = rest;
        match *number {
            [byte] => Some(i64::from(byte.cast_signed())),
            [a, b, c, d] => Some(i64::from(i32::from_le_bytes([a, b, c, d]))),
            _ => None,
        }
    }
}

/// The prefix that widens an instruction or its registers.
#[derive(Clone, Copy, Default)]
struct Rex {
    given: bool,
    wide: bool,
    register: u8,
    index: u8,
    base: u8,
}

impl Rex {
    fn of(byte: u8) -> Rex {
        let bit = |number: u8| byte >> number & 1;
        Rex {
            given: true,
            wide: bit(3) == 1,
            register: bit(2) << 3,
            index: bit(1) << 3,
            base: bit(0) << 3,
        }
    }

    /// The size of an operand that is not a byte.
    fn size(self) -> usize {
        if self.wide { 8 } else { 4 }
    }
}

/// The state of an execution.
struct Run<'r> {
    read: &'r Read<'r>,
    registers: [Option<Value>; 16],
    flags: Option<Flags>,
    /// The address of the next instruction.
    next: u64,
    awaited: Option<u64>,
}

impl Run<'_> {
    /// Executes the next instruction. None: it is not known, or depends on what is not.
    fn instruction(&mut self) -> Option<()> {
        let mut code = [0; LONGEST];
        let length = (1..=LONGEST).rev().find(|size| (self.read)(self.next, &mut code[..*size]))?;
        let mut bytes = Bytes { rest: &code[..length] };
        let begin = self.next;
        let jump = self.execute(&mut bytes, length)?;
        self.next = begin.wrapping_add((length - bytes.rest.len()) as u64);
        self.next = self.next.wrapping_add_signed(jump);
        Some(())
    }

    /// Executes an instruction. Returns how far it jumps. `length` is that of all bytes.
    fn execute(&mut self, bytes: &mut Bytes<'_>, length: usize) -> Option<i64> {
        let mut opcode = bytes.byte()?;
        if matches!(opcode, 0x66 | 0x2e) {
            // Prefixes are known only of instructions that do nothing.
            while matches!(opcode, 0x66 | 0x2e) {
                opcode = bytes.byte()?;
            }
            return self.nothing(opcode, bytes);
        }
        let rex = if opcode & 0xf0 == 0x40 { Rex::of(opcode) } else { Rex::default() };
        if rex.given {
            opcode = bytes.byte()?;
        }
        match opcode {
            0x70..=0x7f => self.jump_if(opcode & 0xf, bytes.signed(1)?),
            0xeb => bytes.signed(1),
            0xe9 => bytes.signed(4),
            0x90 if !rex.given => Some(0),
            0x80 | 0x81 | 0x83 => self.compare_with_constant(opcode, rex, bytes, length),
            0x39 | 0x3b => self.compare(opcode, rex, bytes, length),
            0x84 | 0x85 => self.test(opcode, rex, bytes, length),
            0x8b => {
                let (register, place) = self.operands(rex, bytes, length, 0)?;
                let value = self.load(&place, rex.size(), rex)?;
                self.registers[usize::from(register)] = Some(value);
                Some(0)
            }
            0x0f => self.extended(rex, bytes, length),
            _ => None,
        }
    }

    /// Instructions whose opcode has two bytes.
    fn extended(&mut self, rex: Rex, bytes: &mut Bytes<'_>, length: usize) -> Option<i64> {
        let opcode = bytes.byte()?;
        match opcode {
            0x80..=0x8f => self.jump_if(opcode & 0xf, bytes.signed(4)?),
            // Does nothing, whatever its operand is.
            0x1f => self.skip_operand(bytes),
            // A byte without its sign.
            0xb6 => {
                let (register, place) = self.operands(rex, bytes, length, 0)?;
                let value = self.load(&place, 1, rex)?;
                self.registers[usize::from(register)] = Some(value);
                Some(0)
            }
            _ => None,
        }
    }

    fn nothing(&mut self, opcode: u8, bytes: &mut Bytes<'_>) -> Option<i64> {
        match opcode {
            0x90 => Some(0),
            0x0f if bytes.byte()? == 0x1f => self.skip_operand(bytes),
            _ => None,
        }
    }

    /// Takes an operand that is not used.
    fn skip_operand(&mut self, bytes: &mut Bytes<'_>) -> Option<i64> {
        let mode = bytes.byte()?;
        let (kind, low) = (mode >> 6, mode & 7);
        let base = if kind != 3 && low == STACK_POINTER { bytes.byte()? & 7 } else { low };
        match kind {
            0 if base == NO_BASE => drop(bytes.signed(4)?),
            1 => drop(bytes.signed(1)?),
            2 => drop(bytes.signed(4)?),
            _ => {}
        }
        Some(0)
    }

    /// The register and the place that an instruction names. `after` is the number of bytes of the
    /// instruction that follow.
    fn operands(
        &mut self,
        rex: Rex,
        bytes: &mut Bytes<'_>,
        length: usize,
        after: usize,
    ) -> Option<(u8, Place)> {
        let mode = bytes.byte()?;
        let (kind, low) = (mode >> 6, mode & 7);
        let register = (mode >> 3 & 7) | rex.register;
        if kind == 3 {
            return Some((register, Place::Register(low | rex.base)));
        }
        if kind == 0 && low == NO_BASE {
            let offset = bytes.signed(4)?;
            let taken = (length - bytes.rest.len() + after) as u64;
            let address = self.next.wrapping_add(taken).wrapping_add_signed(offset);
            return Some((register, Place::Memory { address, is_setting: true }));
        }
        let base = match low {
            STACK_POINTER => {
                let scaled = bytes.byte()?;
                let (index, base) = ((scaled >> 3 & 7) | rex.index, scaled & 7);
                // An index, or no base at all.
                if index != STACK_POINTER || kind == 0 && base == NO_BASE {
                    return None;
                }
                base
            }
            base => base,
        };
        let offset = match kind {
            0 => 0,
            1 => bytes.signed(1)?,
            _ => bytes.signed(4)?,
        };
        let Value { value, is_setting } = self.registers[usize::from(base | rex.base)]?;
        Some((register, Place::Memory { address: value.wrapping_add_signed(offset), is_setting }))
    }

    /// The value at a place.
    fn fetch(&mut self, place: &Place, size: usize, rex: Rex) -> Option<Value> {
        let mut value = [0; 8];
        match *place {
            Place::Register(number) => {
                let known = self.registers[usize::from(register_of(number, size, rex)?)]?;
                value[..size].copy_from_slice(&known.value.to_le_bytes()[..size]);
                Some(Value { value: u64::from_le_bytes(value), ..known })
            }
            Place::Memory { address, is_setting } => {
                (self.read)(address, &mut value[..size]).then_some(())?;
                if !is_setting && *self.awaited.get_or_insert(address) != address {
                    return None;
                }
                Some(Value { value: u64::from_le_bytes(value), is_setting })
            }
        }
    }

    /// The value at a place, for a register. A pointer that the loop reads anew each time may
    /// change, so it tells nothing.
    fn load(&mut self, place: &Place, size: usize, rex: Rex) -> Option<Value> {
        let may_change = matches!(place, Place::Memory { is_setting: false, .. });
        (size < 8 || !may_change).then(|| self.fetch(place, size, rex))?
    }

    fn compare_with_constant(
        &mut self,
        opcode: u8,
        rex: Rex,
        bytes: &mut Bytes<'_>,
        length: usize,
    ) -> Option<i64> {
        let size = if opcode == 0x80 { 1 } else { rex.size() };
        let constant = if opcode == 0x81 { 4 } else { 1 };
        let compares = bytes.rest.first()? >> 3 & 7 == 7;
        let (_, place) = self.operands(rex, bytes, length, constant)?;
        let constant = bytes.signed(constant)?.cast_unsigned();
        let value = compares.then(|| self.fetch(&place, size, rex))??.value;
        self.flags = Some(subtract(value, constant, size));
        Some(0)
    }

    fn compare(
        &mut self,
        opcode: u8,
        rex: Rex,
        bytes: &mut Bytes<'_>,
        length: usize,
    ) -> Option<i64> {
        let (register, place) = self.operands(rex, bytes, length, 0)?;
        let place = self.fetch(&place, rex.size(), rex)?.value;
        let register = self.fetch(&Place::Register(register), rex.size(), rex)?.value;
        let (one, other) = if opcode == 0x39 { (place, register) } else { (register, place) };
        self.flags = Some(subtract(one, other, rex.size()));
        Some(0)
    }

    fn test(&mut self, opcode: u8, rex: Rex, bytes: &mut Bytes<'_>, length: usize) -> Option<i64> {
        let size = if opcode == 0x84 { 1 } else { rex.size() };
        let (register, place) = self.operands(rex, bytes, length, 0)?;
        let place = self.fetch(&place, size, rex)?.value;
        let both = place & self.fetch(&Place::Register(register), size, rex)?.value;
        let sign = is_negative(both, size);
        self.flags = Some(Flags { zero: both == 0, sign, carry: false, overflow: false });
        Some(0)
    }

    fn jump_if(&mut self, condition: u8, offset: i64) -> Option<i64> {
        let Flags { zero, sign, carry, overflow } = self.flags?;
        let holds = match condition >> 1 {
            1 => carry,
            2 => zero,
            3 => carry || zero,
            4 => sign,
            6 => sign != overflow,
            7 => zero || sign != overflow,
            _ => return None,
        };
        Some(if holds == (condition & 1 == 0) { offset } else { 0 })
    }
}

/// The register that an operand names. Without the prefix, some bytes are second ones of others.
fn register_of(number: u8, size: usize, rex: Rex) -> Option<u8> {
    (size != 1 || rex.given || number < 4).then_some(number)
}

fn is_negative(value: u64, size: usize) -> bool {
    value >> (8 * size - 1) & 1 == 1
}

/// The flags of a subtraction.
fn subtract(one: u64, other: u64, size: usize) -> Flags {
    let mask = u64::MAX >> (64 - 8 * size);
    let (one, other) = (one & mask, other & mask);
    let result = one.wrapping_sub(other) & mask;
    let negative = |value| is_negative(value, size);
    Flags {
        zero: result == 0,
        sign: negative(result),
        carry: one < other,
        overflow: negative(one) != negative(other) && negative(result) != negative(one),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: u64 = 0x1000;
    const REQUEST: u64 = 0x8000;

    /// Memory of a few pieces.
    fn follow(pieces: &[(u64, &[u8])], registers: &[(usize, u64)], call: u64) -> Option<u64> {
        let read = |address: u64, into: &mut [u8]| {
            let piece = pieces.iter().find_map(|(start, bytes)| {
                let at = usize::try_from(address.checked_sub(*start)?).ok()?;
                bytes.get(at..at + into.len())
            });
            piece.inspect(|piece| into.copy_from_slice(piece)).is_some()
        };
        let mut known = [None; 16];
        registers.iter().for_each(|(number, value)| known[*number] = Some(*value));
        awaited_word(&read, known, CODE + call, CODE + call + 5)
    }

    const PENDING: &[u8] = &[0; 8];
    const COMPLETE: &[u8] = &[1, 0, 0, 0, 0, 0, 0, 0];

    /// 4.1.4 and 4.1.8, `ompi_request_default_wait`.
    #[test]
    fn a_request_is_compared_with_a_constant() {
        // call opal_progress; cmpq $0x1,0x58(%r15); jne
        let code = b"\xe8\x2b\x95\xfd\xff\x49\x83\x7f\x58\x01\x75\xf4";
        let word = REQUEST + 0x58;
        assert_eq!(follow(&[(CODE, code), (word, PENDING)], &[(15, REQUEST)], 0), Some(word));
        // It is complete: the loop ends.
        assert_eq!(follow(&[(CODE, code), (word, COMPLETE)], &[(15, REQUEST)], 0), None);
        // The register, or the memory, is not known.
        assert_eq!(follow(&[(CODE, code), (word, PENDING)], &[(14, REQUEST)], 0), None);
        assert_eq!(follow(&[(CODE, code)], &[(15, REQUEST)], 0), None);
        // It would come back to another call.
        assert_eq!(follow(&[(CODE - 5, code), (word, PENDING)], &[(15, REQUEST)], 0), None);
    }

    /// 4.1.4, `mca_pml_ob1_probe`: a request on the stack.
    #[test]
    fn a_request_on_the_stack() {
        // call; cmpq $0x1,0xd8(%rsp); jne
        let code = b"\xe8\xab\xbf\xff\xff\x48\x83\xbc\x24\xd8\x00\x00\x00\x01\x75\xf0";
        let word = REQUEST + 0xd8;
        assert_eq!(follow(&[(CODE, code), (word, PENDING)], &[(4, REQUEST)], 0), Some(word));
    }

    /// 4.1.4, waiting for a counter on the stack.
    #[test]
    fn a_counter() {
        // call; mov 0x10(%rsp),%eax; test %eax,%eax; jg
        let code = b"\xe8\x83\x93\xfd\xff\x8b\x44\x24\x10\x85\xc0\x7f\xf3";
        let word = REQUEST + 0x10;
        let count =
            |count: i32| follow(&[(CODE, code), (word, &count.to_le_bytes())], &[(4, REQUEST)], 0);
        assert_eq!(count(1), Some(word));
        assert_eq!(count(0), None);
        assert_eq!(count(-1), None);
    }

    /// 5.0.11: a setting is looked at first, and the loop is entered in its middle.
    #[test]
    fn a_setting_and_a_request() {
        let code: &[u8] = b"\x49\x83\x7f\x58\x01\x0f\x84\x70\xff\xff\xff\
            \xe8\x70\xf9\xfc\xff\x48\x8b\x05\x49\x07\x00\x00\x80\x38\x00\x74\xe4\xeb\xd2";
        let word = REQUEST + 0x58;
        let pointer = CODE + 0x17 + 0x749;
        let setting = 0x5000_u64;
        let faults = |tolerated: u8| {
            let memory: [(u64, &[u8]); 4] = [
                (CODE, code),
                (pointer, &setting.to_le_bytes()),
                (setting, &[tolerated]),
                (word, PENDING),
            ];
            follow(&memory, &[(15, REQUEST)], 11)
        };
        assert_eq!(faults(0), Some(word));
        // Then the loop calls another function.
        assert_eq!(faults(1), None);
    }

    #[test]
    fn bytes_and_fillers() {
        // call; nopw; movzbl (%r12),%eax; test %al,%al; je
        let code = b"\xe8\0\0\0\0\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00\
            \x41\x0f\xb6\x04\x24\x84\xc0\x74\xe8";
        let memory: [(u64, &[u8]); 2] = [(CODE, code), (REQUEST, &[0])];
        assert_eq!(follow(&memory, &[(12, REQUEST)], 0), Some(REQUEST));
        let memory: [(u64, &[u8]); 2] = [(CODE, code), (REQUEST, &[1])];
        assert_eq!(follow(&memory, &[(12, REQUEST)], 0), None);
    }

    #[test]
    fn what_is_not_understood_tells_nothing() {
        let word: (u64, &[u8]) = (REQUEST + 0x58, PENDING);
        let refused: [&[u8]; 8] = [
            // Another call; a write; an index; a segment; a loop without a word; a sum.
            b"\xe8\0\0\0\0\xe8\0\0\0\0\x49\x83\x7f\x58\x01\x75\xef",
            b"\xe8\0\0\0\0\x49\xc7\x47\x58\0\0\0\0\x49\x83\x7f\x58\x01\x75\xec",
            b"\xe8\0\0\0\0\x4b\x83\x7c\x27\x58\x01\x75\xf3",
            b"\xe8\0\0\0\0\x64\x49\x83\x7f\x58\x01\x75\xf3",
            b"\xe8\0\0\0\0\xeb\xf9",
            b"\xe8\0\0\0\0\x49\x83\x47\x58\x01\x75\xf4",
            // Two words; a pointer that may change.
            b"\xe8\0\0\0\0\x49\x83\x7f\x60\x01\x74\x07\x49\x83\x7f\x58\x01\x75\xed",
            b"\xe8\0\0\0\0\x49\x8b\x47\x58\x48\x83\x78\x58\x01\x75\xf0",
        ];
        for code in refused {
            let memory = [(CODE, code), word, (REQUEST + 0x60, PENDING)];
            let registers = [(15, REQUEST), (12, 0), (0, REQUEST)];
            assert_eq!(follow(&memory, &registers, 0), None, "{code:x?}");
        }
    }
}
