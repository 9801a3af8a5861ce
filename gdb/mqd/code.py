# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Follows machine code around a loop, to learn which word of memory keeps it going.

It does what `stack/follow.rs` of the crate mqd-inspect does, which explains it. Any instruction
that is not known ends the attempt.
"""

from typing import Callable, Dict, NamedTuple, Optional, Tuple

# Instructions of a loop that are followed at most, and the longest instruction.
MOST, LONGEST = 32, 15
# lock orq $0, (%rsp) and lock orl $0, (%rsp), without the first byte: memory barriers.
BARRIERS = (b"\x48\x83\x0c\x24\x00", b"\x83\x0c\x24\x00")
# Numbers in instructions.
STACK_POINTER, NO_BASE = 4, 5

# Reads memory. None: it cannot be read.
Read = Callable[[int, int], Optional[bytes]]


class Unknown(Exception):
    """An instruction, or a value that it depends on, is not known."""


class Value(NamedTuple):
    """The content of a register, and whether it came from a fixed address."""

    value: int
    is_setting: bool


class Place(NamedTuple):
    """A register, or an address in memory."""

    register: Optional[int]
    address: int = 0
    is_setting: bool = False


class Flags(NamedTuple):
    """The result of a comparison."""

    zero: bool
    sign: bool
    carry: bool
    overflow: bool


class Rex(NamedTuple):
    """The prefix that widens an instruction or its registers."""

    given: bool = False
    wide: bool = False
    register: int = 0
    scaled: int = 0
    base: int = 0

    def size(self) -> int:
        """The size of an operand that is not a byte."""
        return 8 if self.wide else 4


class Code:
    """The bytes of an instruction, as far as they were not taken yet."""

    def __init__(self, code: bytes) -> None:
        self.code = code
        self.taken = 0

    def byte(self) -> int:
        """The next byte."""
        if self.taken == len(self.code):
            raise Unknown
        self.taken += 1
        return self.code[self.taken - 1]

    def peek(self) -> int:
        """The next byte, which is not taken."""
        byte = self.byte()
        self.taken -= 1
        return byte

    def signed(self, size: int) -> int:
        """A number with a sign."""
        number = self.code[self.taken : self.taken + size]
        if len(number) < size:
            raise Unknown
        self.taken += size
        return int.from_bytes(number, "little", signed=True)


def awaited_word(read: Read, registers: Dict[int, int], call: int, after: int) -> Optional[int]:
    """The address of the word on whose change a loop waits.

    `after` is the return address of the call in the loop, `call` the address of this call.
    `registers` are those of the frame, numbered as in instructions.
    """
    run = Run(read, registers, after)
    try:
        for _ in range(MOST):
            run.instruction()
            if run.next == call:
                return run.awaited
    except Unknown:
        pass
    return None


class Run:
    """The state of an execution."""

    def __init__(self, read: Read, registers: Dict[int, int], after: int) -> None:
        self.read = read
        self.registers = {number: Value(value, False) for number, value in registers.items()}
        self.flags: Optional[Flags] = None
        self.next = after
        self.awaited: Optional[int] = None

    def instruction(self) -> None:
        """Executes the next instruction."""
        for size in range(LONGEST, 0, -1):
            found = self.read(self.next, size)
            if found is not None:
                break
        else:
            raise Unknown
        code = Code(found)
        jump = self._execute(code)
        self.next = wrapped(self.next + code.taken + jump)

    def _execute(self, code: Code) -> int:
        """Executes an instruction. Returns how far it jumps."""
        opcode = code.byte()
        if opcode in (0x66, 0x2E):
            # Prefixes are known only of instructions that do nothing.
            while opcode in (0x66, 0x2E):
                opcode = code.byte()
            return self._nothing(opcode, code)
        if opcode == 0xF0:
            return self._barrier(code)
        rex = Rex()
        if opcode & 0xF0 == 0x40:
            bits = [opcode >> number & 1 for number in range(4)]
            rex = Rex(True, bool(bits[3]), bits[2] << 3, bits[1] << 3, bits[0] << 3)
            opcode = code.byte()
        if opcode & 0xF0 == 0x70:
            return self._jump_if(opcode & 0xF, code.signed(1))
        if opcode in (0xEB, 0xE9):
            return code.signed(1 if opcode == 0xEB else 4)
        if opcode == 0x90 and not rex.given:
            return 0
        if opcode == 0x0F:
            return self._extended(rex, code)
        if opcode == 0x8B:
            register, place = self._operands(rex, code)
            self.registers[register] = self._load(place, rex.size(), rex)
            return 0
        return self._compare(opcode, rex, code)

    def _compare(self, opcode: int, rex: Rex, code: Code) -> int:
        """Executes an instruction that compares."""
        if opcode in (0x80, 0x81, 0x83):
            self._compare_with_constant(opcode, rex, code)
        elif opcode in (0x39, 0x3B):
            register, place = self._operands(rex, code)
            one = self._fetch(place, rex.size(), rex).value
            other = self._fetch(Place(register), rex.size(), rex).value
            one, other = (one, other) if opcode == 0x39 else (other, one)
            self.flags = subtracted(one, other, rex.size())
        elif opcode in (0x84, 0x85):
            size = 1 if opcode == 0x84 else rex.size()
            register, place = self._operands(rex, code)
            both = self._fetch(place, size, rex).value
            both &= self._fetch(Place(register), size, rex).value
            self.flags = Flags(both == 0, is_negative(both, size), False, False)
        else:
            raise Unknown
        return 0

    def _extended(self, rex: Rex, code: Code) -> int:
        """Executes an instruction whose opcode has two bytes."""
        opcode = code.byte()
        if opcode & 0xF0 == 0x80:
            return self._jump_if(opcode & 0xF, code.signed(4))
        if opcode == 0x1F:
            return skip_operand(code)
        if opcode == 0xB6:
            register, place = self._operands(rex, code)
            self.registers[register] = self._load(place, 1, rex)
            return 0
        raise Unknown

    def _nothing(self, opcode: int, code: Code) -> int:
        """Takes an instruction that does nothing."""
        if opcode == 0x90:
            return 0
        if opcode == 0x0F and code.byte() == 0x1F:
            return skip_operand(code)
        raise Unknown

    def _barrier(self, code: Code) -> int:
        """Takes an instruction that only orders what others see."""
        rest = code.code[code.taken :]
        length = next((len(one) for one in BARRIERS if rest.startswith(one)), 0)
        if not length:
            raise Unknown
        code.taken += length
        self.flags = None
        return 0

    def _operands(self, rex: Rex, code: Code, after: int = 0) -> Tuple[int, Place]:
        """The register and the place that an instruction names.

        `after` is the number of bytes of the instruction that follow.
        """
        mode = code.byte()
        kind, base = mode >> 6, mode & 7
        register = (mode >> 3 & 7) | rex.register
        if kind == 3:
            return register, Place(base | rex.base)
        if kind == 0 and base == NO_BASE:
            offset = code.signed(4)
            address = wrapped(self.next + code.taken + after + offset)
            return register, Place(None, address, True)
        if base == STACK_POINTER:
            scaled = code.byte()
            index, base = (scaled >> 3 & 7) | rex.scaled, scaled & 7
            # An index, or no base at all.
            if index != STACK_POINTER or (kind == 0 and base == NO_BASE):
                raise Unknown
        offset = code.signed((0, 1, 4)[kind]) if kind else 0
        known = self.registers.get(base | rex.base)
        if known is None:
            raise Unknown
        return register, Place(None, wrapped(known.value + offset), known.is_setting)

    def _fetch(self, place: Place, size: int, rex: Rex) -> Value:
        """The value at a place."""
        mask = (1 << 8 * size) - 1
        if place.register is not None:
            # Without the prefix, some bytes are second ones of other registers.
            if size == 1 and not rex.given and place.register >= STACK_POINTER:
                raise Unknown
            known = self.registers.get(place.register)
            if known is None:
                raise Unknown
            return Value(known.value & mask, known.is_setting)
        found = self.read(place.address, size)
        if found is None:
            raise Unknown
        if not place.is_setting:
            if self.awaited is None:
                self.awaited = place.address
            if self.awaited != place.address:
                raise Unknown
        return Value(int.from_bytes(found, "little"), place.is_setting)

    def _load(self, place: Place, size: int, rex: Rex) -> Value:
        """The value at a place, for a register. A pointer that may change tells nothing."""
        if size == 8 and place.register is None and not place.is_setting:
            raise Unknown
        return self._fetch(place, size, rex)

    def _compare_with_constant(self, opcode: int, rex: Rex, code: Code) -> None:
        size = 1 if opcode == 0x80 else rex.size()
        length = 4 if opcode == 0x81 else 1
        compares = code.peek() >> 3 & 7 == 7
        _, place = self._operands(rex, code, length)
        constant = code.signed(length)
        if not compares:
            raise Unknown
        self.flags = subtracted(self._fetch(place, size, rex).value, constant, size)

    def _jump_if(self, condition: int, offset: int) -> int:
        if self.flags is None:
            raise Unknown
        zero, sign, carry, overflow = self.flags
        holds = {
            1: carry,
            2: zero,
            3: carry or zero,
            4: sign,
            6: sign != overflow,
            7: zero or sign != overflow,
        }.get(condition >> 1)
        if holds is None:
            raise Unknown
        return offset if holds == (condition & 1 == 0) else 0


def skip_operand(code: Code) -> int:
    """Takes an operand that is not used."""
    mode = code.byte()
    kind, base = mode >> 6, mode & 7
    if kind != 3 and base == STACK_POINTER:
        base = code.byte() & 7
    size = {1: 1, 2: 4}.get(kind, 4 if kind == 0 and base == NO_BASE else 0)
    if size:
        code.signed(size)
    return 0


def wrapped(address: int) -> int:
    """An address in a word."""
    return address & (1 << 64) - 1


def is_negative(value: int, size: int) -> bool:
    """Has a number a sign?"""
    return value >> (8 * size - 1) & 1 == 1


def subtracted(one: int, other: int, size: int) -> Flags:
    """The flags of a subtraction."""
    mask = (1 << 8 * size) - 1
    one, other = one & mask, other & mask
    result = (one - other) & mask
    signs = [is_negative(value, size) for value in (one, other, result)]
    return Flags(result == 0, signs[2], one < other, signs[0] != signs[1] and signs[2] != signs[0])
