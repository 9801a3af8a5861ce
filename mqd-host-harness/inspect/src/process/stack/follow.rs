//! Follows machine code, to learn what a thread is about to do as long as nobody changes memory.
//!
//! [`awaited_word`] follows it from a call around a loop back to this call:
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
//! word: the one that the loop waits for. Everything that writes to memory ends the attempt.
//!
//! [`comes_around`] follows a loop that may depend on several words, such as one that waits for
//! several requests. [`spins`] tells whether such a loop looks at memory many times before each
//! call. [`is_between_calls`] is for a thread in the loop's own code.
//!
//! [`returns`] follows it from where the thread is until a function returns, to see whether the
//! thread does anything before. What it writes is remembered, and memory stays as it is. [`enters`]
//! follows it until it enters a function.

use std::collections::HashMap;

use super::execute::{Cpu, Memory, Origin, Place, STACK_POINTER, Value};

/// Instructions of a loop that are followed at most.
const MOST_IN_LOOP: usize = 32;
/// The same of a loop that looks at several words.
const MOST_IN_LONG_LOOP: usize = 4096;
/// The same of a loop that looks at memory many times before it calls a function.
const MOST_IN_SPINNING_LOOP: usize = 1 << 15;
/// Such a loop has at least so many.
const LEAST_IN_SPINNING_LOOP: usize = 512;
/// Instructions that are followed at most until a function returns.
const MOST_TO_RETURN: usize = 4096;

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
    let mut cpu = Cpu::new(registers, after);
    let mut memory = Watched { read, awaited: None };
    for _ in 0..MOST_IN_LOOP {
        cpu.step(&mut memory)?;
        if cpu.next() == call {
            // A loop that counts in a register ends by itself.
            let unchanged = cpu.has_kept(&registers);
            return memory.awaited.filter(|_| unchanged);
        }
    }
    None
}

/// Memory of which one word may be awaited. It is only read.
struct Watched<'r> {
    read: &'r Read<'r>,
    awaited: Option<u64>,
}

impl Memory for Watched<'_> {
    fn read(&self, address: u64, into: &mut [u8]) -> bool {
        (self.read)(address, into)
    }

    fn load(&mut self, place: Place) -> Option<Value> {
        let value = read_number(self.read, &place)?;
        match place.origin {
            Origin::Fixed => Some(Value { value, origin: Origin::Fixed }),
            Origin::Kept => {
                let is_awaited = *self.awaited.get_or_insert(place.address) == place.address;
                is_awaited.then_some(Value { value, origin: Origin::Loaded })
            }
            // A pointer that the loop reads anew each time may change, so it tells nothing.
            Origin::Loaded => None,
        }
    }

    fn store(&mut self, _: Place, _: u64) -> Option<()> {
        None
    }
}

/// Does a thread that waits in a call come back to it for as long as nobody changes memory? The
/// call is taken to return zero, as a function does that has found no error. `registers`, `call`
/// and `after` are as in [`awaited_word`].
pub(super) fn comes_around(
    read: &Read<'_>,
    registers: [Option<u64>; 16],
    call: u64,
    after: u64,
) -> bool {
    round(read, registers, call, after, MOST_IN_LONG_LOOP).is_some()
}

/// Is a call in a loop that looks at memory many times between two calls, for as long as nobody
/// changes memory? The arguments are as in [`comes_around`].
pub(super) fn spins_around(
    read: &Read<'_>,
    registers: [Option<u64>; 16],
    call: u64,
    after: u64,
) -> bool {
    round(read, registers, call, after, MOST_IN_SPINNING_LOOP)
        .is_some_and(|steps| steps >= LEAST_IN_SPINNING_LOOP)
}

/// How many instructions one round of a loop has, at most so many. None: the thread does not come
/// back to the call. The other arguments are as in [`comes_around`].
fn round(
    read: &Read<'_>,
    registers: [Option<u64>; 16],
    call: u64,
    after: u64,
    most: usize,
) -> Option<usize> {
    let stack = registers[STACK_POINTER]?;
    let is_variable = |place: Place| is_variable(read, stack, place);
    let mut memory = Remembered { read, may_write: &is_variable, written: HashMap::new() };
    comes_around_in(&mut memory, registers, call, after, most)
}

/// [`comes_around`] for a thread that is in the code of the loop, between two calls.
pub(super) fn is_between_calls(read: &Read<'_>, cpu: Cpu) -> bool {
    next_call_around(read, cpu, MOST_IN_LONG_LOOP).is_some()
}

/// [`spins_around`] for a thread that is in the code of the loop. The result is the address to
/// which the call returns.
pub(super) fn spins(read: &Read<'_>, cpu: Cpu) -> Option<u64> {
    let (after, steps) = next_call_around(read, cpu, MOST_IN_SPINNING_LOOP)?;
    (steps >= LEAST_IN_SPINNING_LOOP).then_some(after)
}

/// If the next call of a thread is in a loop that it does not leave as long as nobody changes
/// memory: the address to which the call returns, and how many instructions one round has. These
/// are at most so many.
fn next_call_around(read: &Read<'_>, mut cpu: Cpu, most: usize) -> Option<(u64, usize)> {
    let stack = cpu.stack_pointer()?;
    let is_variable = |place: Place| is_variable(read, stack, place);
    let mut memory = Remembered { read, may_write: &is_variable, written: HashMap::new() };
    for _ in 0..most {
        if let Some(after) = cpu.next_call(&memory) {
            let (registers, call) = (cpu.preserved(), cpu.next());
            (registers[STACK_POINTER] == Some(stack)).then_some(())?;
            return Some((after, comes_around_in(&mut memory, registers, call, after, most)?));
        }
        cpu.step(&mut memory)?;
    }
    None
}

/// Is a place above this stack pointer, where a function has its variables?
fn is_variable(read: &Read<'_>, stack: u64, place: Place) -> bool {
    let above = place.address.checked_sub(stack);
    above.is_some_and(|above| above < MOST_VARIABLES) && read_number(read, &place).is_some()
}

/// [`comes_around`] with what was written before, in at most so many instructions for each round.
/// The result is how many one round has.
fn comes_around_in(
    memory: &mut Remembered<'_>,
    mut registers: [Option<u64>; 16],
    call: u64,
    after: u64,
    most: usize,
) -> Option<usize> {
    // The first round may leave other values in registers and variables than the calls before.
    for _ in 0..2 {
        let mut cpu = Cpu::new(registers, after).returned(0);
        let written = memory.written.clone();
        let mut steps = 0;
        while steps == 0 || cpu.next() != call {
            (steps < most).then_some(())?;
            cpu.step(memory)?;
            steps += 1;
        }
        let before = std::mem::replace(&mut registers, cpu.preserved());
        if registers == before && memory.written == written {
            return Some(steps);
        }
    }
    None
}

/// No loop has more variables than this, in bytes.
const MOST_VARIABLES: u64 = 1 << 16;

/// A return: the address at which execution goes on, and what the stack pointer is there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Return {
    pub(super) address: u64,
    pub(super) stack_pointer: u64,
}

/// Does a thread come to this return, as long as nobody changes memory, and write only where it
/// may? It may write to its stack, to fixed addresses, and where `may_write` says so.
pub(super) fn returns(
    read: &Read<'_>,
    may_write: &dyn Fn(Place) -> bool,
    mut cpu: Cpu,
    wanted: Return,
) -> bool {
    let may_write = |place: Place| {
        place.is_on_stack_below(wanted.stack_pointer)
            || place.origin == Origin::Fixed
            || may_write(place)
    };
    let mut memory = Remembered { read, may_write: &may_write, written: HashMap::new() };
    for _ in 0..MOST_TO_RETURN {
        if cpu.next() == wanted.address && cpu.stack_pointer() == Some(wanted.stack_pointer) {
            return true;
        }
        if cpu.step(&mut memory).is_none() {
            return false;
        }
    }
    false
}

/// A function that a thread enters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entered {
    /// What the registers have that the function preserves, and the stack pointer of the caller.
    pub(super) registers: [Option<u64>; 16],
    /// The return address.
    pub(super) after: u64,
}

/// The function that a thread enters, as long as nobody changes memory, if it begins at one of
/// these addresses and the thread does nothing before. It may write to the stack below what it has
/// there.
pub(super) fn enters(read: &Read<'_>, mut cpu: Cpu, functions: &[u64]) -> Option<Entered> {
    let stack = cpu.stack_pointer()?;
    let is_free = |place: Place| place.is_on_stack_below(stack);
    let mut memory = Remembered { read, may_write: &is_free, written: HashMap::new() };
    for _ in 0..MOST_IN_LONG_LOOP {
        if functions.contains(&cpu.next()) {
            let stack = cpu.stack_pointer()?;
            let (origin, size) = (Origin::Kept, size_of::<u64>());
            let code = cpu.next();
            let after = memory.load(Place { address: stack, size, origin, code })?.value;
            let mut registers = cpu.preserved();
            registers[STACK_POINTER] = Some(stack + size as u64);
            return Some(Entered { registers, after });
        }
        cpu.step(&mut memory)?;
    }
    None
}

/// No function has that many bytes on the stack.
const MOST_OF_STACK: u64 = 1 << 20;

impl Place {
    /// Is it on the stack, below this address?
    fn is_on_stack_below(&self, address: u64) -> bool {
        let below = address.checked_sub(self.address);
        below.is_some_and(|below| (1..=MOST_OF_STACK).contains(&below))
    }
}

/// Memory to which a thread writes where it may. What it writes is remembered.
struct Remembered<'r> {
    read: &'r Read<'r>,
    may_write: &'r dyn Fn(Place) -> bool,
    /// The bytes that were written, by their addresses.
    written: HashMap<u64, u8>,
}

impl Memory for Remembered<'_> {
    fn read(&self, address: u64, into: &mut [u8]) -> bool {
        (self.read)(address, into)
    }

    fn load(&mut self, place: Place) -> Option<Value> {
        let mut bytes = read_number(self.read, &place)?.to_le_bytes();
        for (byte, address) in bytes[..place.size].iter_mut().zip(place.address..) {
            *byte = *self.written.get(&address).unwrap_or(byte);
        }
        Some(Value { value: u64::from_le_bytes(bytes), origin: Origin::Loaded })
    }

    fn store(&mut self, place: Place, value: u64) -> Option<()> {
        if !(self.may_write)(place) {
            return None;
        }
        self.written.extend((place.address..).zip(value.to_le_bytes()).take(place.size));
        Some(())
    }
}

/// The number at a place.
fn read_number(read: &Read<'_>, place: &Place) -> Option<u64> {
    let mut bytes = [0; 8];
    read(place.address, &mut bytes[..place.size]).then(|| u64::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: u64 = 0x1000;
    const REQUEST: u64 = 0x8000;

    /// Reads memory of a few pieces.
    fn read_pieces(pieces: &[(u64, &[u8])], address: u64, into: &mut [u8]) -> bool {
        let piece = pieces.iter().find_map(|(start, bytes)| {
            let at = usize::try_from(address.checked_sub(*start)?).ok()?;
            bytes.get(at..at + into.len())
        });
        piece.inspect(|piece| into.copy_from_slice(piece)).is_some()
    }

    fn follow(pieces: &[(u64, &[u8])], registers: &[(usize, u64)], call: u64) -> Option<u64> {
        let read = |address: u64, into: &mut [u8]| read_pieces(pieces, address, into);
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

    /// 4.1.4, `ompi_osc_rdma_wait_atomic`: a counter is compared with a register.
    #[test]
    fn a_memory_barrier_and_a_counter() {
        // call; lock orq $0x0,(%rsp); cmp %rbx,0x128(%r12); jne
        let code = b"\xe8\0\0\0\0\xf0\x48\x83\x0c\x24\x00\
            \x49\x39\x9c\x24\x28\x01\0\0\x75\xeb";
        let word = REQUEST + 0x128;
        let registers = |wanted| [(12, REQUEST), (3, wanted), (4, 0)];
        let memory = [(CODE, &code[..]), (word, PENDING)];
        assert_eq!(follow(&memory, &registers(1), 0), Some(word));
        assert_eq!(follow(&memory, &registers(0), 0), None);
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

    /// 4.3.2 of MPICH, the loop of `MPI_Wait`: the request has a pointer to its counter.
    #[test]
    fn a_request_whose_counter_a_pointer_leads_to() {
        let code: &[u8] = b"\x49\x8b\x44\x24\x10\x8b\x00\x85\xc0\x74\x71\
            \x48\x8d\x05\x0e\x33\x9a\x00\x48\x83\x78\x48\x00\x0f\x84\x33\x01\x00\x00\
            \x48\x85\xed\x0f\x84\xd2\x00\x00\x00\x48\x89\xef\xe8\x72\xd4\xff\xff\
            \x89\xc3\x48\x8d\x05\xd9\xa2\x9a\x00\x8b\x30\x85\xf6\x75\x4b\x85\xdb\x75\x61\
            \x48\x8d\x05\x98\xa5\x9a\x00\x8b\x00\x85\xc0\x74\xb2";
        const START: u64 = 0x2e_fcc0;
        const COUNTER: u64 = REQUEST + 0x18;
        let waits = |counter: u32, hooks: u64, state: u64| {
            let (counter, hooks) = (counter.to_le_bytes(), hooks.to_le_bytes());
            let pointer = COUNTER.to_le_bytes();
            let memory: [(u64, &[u8]); 6] = [
                (START, code),
                (REQUEST + 0x10, &pointer),
                (COUNTER, &counter),
                (0xc9_3028, &hooks),
                (0xc9_9fd0, &[0; 4]),
                (0xc9_a2a0, &[0; 4]),
            ];
            let read = |address: u64, into: &mut [u8]| read_pieces(&memory, address, into);
            let mut registers = [None; 16];
            // The register in which the loop keeps the result of the call may have any value.
            let known = [(3, 77), (4, 0x7000), (5, state), (12, REQUEST)];
            known.iter().for_each(|(number, value)| registers[*number] = Some(*value));
            comes_around(&read, registers, START + 0x29, START + 0x2e)
        };
        assert!(waits(1, 1, 0x7800));
        // It is complete.
        assert!(!waits(0, 1, 0x7800));
        // The loop goes on elsewhere, and calls something else.
        assert!(!waits(1, 0, 0x7800));
        assert!(!waits(1, 1, 0));
    }

    /// Variables of the loop's own frame.
    #[test]
    fn a_loop_may_write_what_is_there() {
        // call; movl $7,0x10(%rsp); jmp
        let same = b"\xe8\0\0\0\0\xc7\x44\x24\x10\x07\0\0\0\xeb\xf1";
        // call; incl 0x10(%rsp); jmp
        let counts = b"\xe8\0\0\0\0\xff\x44\x24\x10\xeb\xf5";
        // call; inc %ebx; jmp
        let in_register = b"\xe8\0\0\0\0\xff\xc3\xeb\xf7";
        // call; movl $7,(%r12); jmp: other memory
        let elsewhere = b"\xe8\0\0\0\0\x41\xc7\x04\x24\x07\0\0\0\xeb\xf1";
        // call; jmp to itself: it does not come back to the call
        let stays = b"\xe8\0\0\0\0\xeb\xfe";
        let waits = |code: &[u8]| {
            let memory: [(u64, &[u8]); 2] = [(CODE, code), (0x7000, &[0; 0x20])];
            let read = |address: u64, into: &mut [u8]| read_pieces(&memory, address, into);
            let mut registers = [None; 16];
            let known = [(3, 77), (4, 0x7000), (12, REQUEST)];
            known.iter().for_each(|(number, value)| registers[*number] = Some(*value));
            comes_around(&read, registers, CODE, CODE + 5)
        };
        assert!(waits(same));
        for code in [&counts[..], in_register, elsewhere, stays] {
            assert!(!waits(code), "{code:x?}");
        }
    }

    /// As in MPICH 4.3 and 5.0: it looks at memory many times, and then calls the progress
    /// function.
    #[test]
    fn a_loop_that_looks_at_memory() {
        const LIMIT: u64 = 0x5000;
        // call; xor %edx,%edx; jmp look; again: lea LIMIT(%rip),%rax; add $1,%edx; cmp %edx,(%rax);
        // jle to the call; look: mov (%r14),%rsi; cmp %rbx,%rsi; jb again
        let spin = b"\xe8\0\0\0\0\x31\xd2\xeb\x0e\x48\x8d\x05\xf0\x3f\0\0\x83\xc2\x01\x39\x10\
            \x7e\xe9\x49\x8b\x36\x48\x39\xde\x72\xea";
        // The same, and it counts the calls: inc %r12
        let count = b"\xe8\0\0\0\0\x49\xff\xc4\x31\xd2\xeb\x0e\x48\x8d\x05\xed\x3f\0\0\
            \x83\xc2\x01\x39\x10\x7e\xe6\x49\x8b\x36\x48\x39\xde\x72\xea";
        let spins_in = |code: &[u8], begin: u64, flag: u64, limit: u32| {
            let (flag, limit) = (flag.to_le_bytes(), limit.to_le_bytes());
            let memory = [(CODE, code), (LIMIT, &limit[..]), (REQUEST, &flag[..])];
            let read = |address: u64, into: &mut [u8]| read_pieces(&memory, address, into);
            let mut registers = [Some(0); 16];
            (registers[3], registers[14]) = (Some(1), Some(REQUEST));
            (registers[0], registers[4]) = (Some(LIMIT), Some(STACK));
            let cpu = || Cpu::new(registers, CODE + begin).with(0, 0x9000);
            (spins(&read, cpu()), is_between_calls(&read, cpu()))
        };
        for begin in [5, 9, 19, 23] {
            assert_eq!(spins_in(spin, begin, 0, 100).0, Some(CODE + 5), "from {begin}");
        }
        // It looks once before it calls the function.
        assert_eq!(spins_in(spin, 9, 0, 1), (None, true));
        // What it looks for has come.
        assert_eq!(spins_in(spin, 9, 1, 100), (None, false));
        // It does not call the function soon.
        assert_eq!(spins_in(spin, 9, 0, 1 << 20), (None, false));
        assert_eq!(spins_in(count, 26, 0, 100), (None, false));
    }

    #[test]
    fn what_is_not_understood_tells_nothing() {
        let word: (u64, &[u8]) = (REQUEST + 0x58, PENDING);
        let refused: [&[u8]; 8] = [
            // Another call; a write; a counter; a segment; a loop without a word; a sum.
            b"\xe8\0\0\0\0\xe8\0\0\0\0\x49\x83\x7f\x58\x01\x75\xef",
            b"\xe8\0\0\0\0\x49\xc7\x47\x58\0\0\0\0\x49\x83\x7f\x58\x01\x75\xec",
            b"\xe8\0\0\0\0\x49\xff\xc4\x49\x83\x7f\x58\x01\x75\xf1",
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

    /// Between two calls of the function for which a loop waits.
    #[test]
    fn a_loop_that_is_about_to_enter_a_function() {
        // call *0x100f(%rip); cmpq $0x1,0x58(%r15); jne; ...; jmp *0x1000(%rip), to the function
        const STUB: u64 = CODE + 0x40;
        const FUNCTION: u64 = 0x6000;
        let within = |middle: &[u8], request: &[u8], stack: u64| {
            let mut code = vec![0xe8];
            code.extend(0x3b_u32.to_le_bytes());
            code.extend(middle);
            code.extend(b"\x49\x83\x7f\x58\x01");
            // jne
            code.extend([0x75, (-(code.len() as i8) - 2).cast_unsigned()]);
            let stub = b"\xff\x25\xfa\x0f\x00\x00";
            let memory: [(u64, &[u8]); 5] = [
                (CODE, &code),
                (STUB, stub),
                (STUB + 0x1000, &FUNCTION.to_le_bytes()),
                (REQUEST + 0x58, request),
                (stack - 0x100, &[0; 0x200]),
            ];
            let read = |address: u64, into: &mut [u8]| read_pieces(&memory, address, into);
            let mut registers = [Some(0); 16];
            registers[4] = Some(stack);
            registers[15] = Some(REQUEST);
            let cpu = || Cpu::new(registers, CODE + 5).with(0, 0x9000);
            let enters = |functions: &[u64]| enters(&read, cpu(), functions);
            assert!(enters(&[]).is_none() && enters(&[FUNCTION + 1]).is_none());
            let entered = enters(&[FUNCTION]);
            entered.inspect(|Entered { registers, after }| {
                assert_eq!((registers[15], *after), (Some(REQUEST), CODE + 5));
                // The word that the loop waits for, if it leaves the stack as it is.
                let word = awaited_word(&read, *registers, CODE, *after);
                assert_eq!(word.is_some(), registers[4] == Some(stack));
            });
            entered.is_some()
        };
        assert!(within(b"", PENDING, 0x7000));
        // The request is complete.
        assert!(!within(b"", COMPLETE, 0x7000));
        // It writes to the stack: push %rax, then movl $7,0x10(%rsp).
        assert!(within(b"\x50", PENDING, 0x7000));
        assert!(!within(b"\xc7\x44\x24\x10\x07\0\0\0", PENDING, 0x7000));
    }

    const STACK: u64 = 0x7000;
    const BACK: u64 = 0x4000;

    /// Does code come back to its caller? Its stack is empty, but for the return address.
    fn comes_back(code: &[u8], pieces: &[(u64, &[u8])], may_write: &dyn Fn(Place) -> bool) -> bool {
        let stack = [vec![0; 0x100], BACK.to_le_bytes().to_vec()].concat();
        let mut pieces = pieces.to_vec();
        pieces.extend([(CODE, code), (STACK - 0x100, &stack[..])]);
        let read = |address: u64, into: &mut [u8]| read_pieces(&pieces, address, into);
        let mut registers = [Some(0); 16];
        registers[4] = Some(STACK);
        registers[7] = Some(REQUEST);
        let cpu = Cpu::new(registers, CODE).with(0, 0x9000);
        returns(&read, may_write, cpu, Return { address: BACK, stack_pointer: STACK + 8 })
    }

    /// As in `ompi_coll_libnbc_progress`: it takes a lock, calls a function that looks whether a
    /// request is complete, and releases the lock.
    #[test]
    fn a_function_that_finds_nothing_returns() {
        // push %rbx; mov %rdi,%rbx; mov $1,%eax; xchg %eax,0x100(%rip); test %eax,%eax; jne out;
        // call look; movl $0,0xe6(%rip); out: pop %rbx; ret; look: cmpq $1,0x58(%rbx); je found;
        // ret; found: movq $0,0x58(%rbx); ret
        let code = b"\x53\x48\x89\xfb\xb8\x01\0\0\0\x87\x05\x00\x01\0\0\x85\xc0\x75\x0f\
            \xe8\x0c\0\0\0\xc7\x05\xed\0\0\0\0\0\0\0\x5b\xc3\
            \x48\x83\x7b\x58\x01\x74\x01\xc3\x48\xc7\x43\x58\0\0\0\0\xc3";
        let lock = CODE + 15 + 0x100;
        let run = |taken: u32, request: &[u8], may_write: bool| {
            let taken = taken.to_le_bytes();
            let pieces: [(u64, &[u8]); 2] = [(lock, &taken), (REQUEST + 0x58, request)];
            comes_back(code, &pieces, &|_| may_write)
        };
        assert!(run(0, PENDING, false));
        assert!(run(1, PENDING, false));
        // It has found something, and would change the request.
        assert!(!run(0, COMPLETE, false));
        assert!(run(0, COMPLETE, true));
        // The request cannot be read.
        assert!(!run(0, &[], false));
    }

    #[test]
    fn what_does_not_return_is_not_at_rest() {
        let never = |_: Place| false;
        // jmp .; a system call; a number with a fraction; a jump to nowhere
        for code in [&b"\xeb\xfe"[..], b"\x0f\x05\xc3", b"\xf2\x0f\x58\xc1\xc3", b"\xff\xe0"] {
            assert!(!comes_back(code, &[], &never), "{code:x?}");
        }
        // It returns, and reads what it has written: push $5; pop %rax; cmp $5,%eax; jne .; ret
        assert!(comes_back(b"\x6a\x05\x58\x83\xf8\x05\x75\xfe\xc3", &[], &never));
        // It returns with another stack pointer: push %rax; push BACK; ret
        assert!(!comes_back(b"\x50\x68\x00\x40\0\0\xc3", &[], &never));
        // It writes above its stack: mov %rax,0x10(%rsp); ret
        assert!(!comes_back(b"\x48\x89\x44\x24\x10\xc3", &[], &never));
    }
}
