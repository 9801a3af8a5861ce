# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Objects of Python, read from a process. Each must have the expected type."""

from typing import Dict, NamedTuple, Optional, Tuple

from .python_layouts import Layout
from .target import Target, Unreadable

# In an object: its type. In a `bytes` object: the number of bytes, and they themselves.
TYPE = 8
SIZE = 16
BYTES = 32
# In a string: the number of characters, and how they are kept.
LENGTH = 16
STATE = 32
# How many bytes a character has, and how such characters are encoded.
ENCODINGS = {1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}

# Longer names and paths, and longer tables of lines, are not read.
LONGEST_TEXT = 4096
LONGEST_TABLE = 1 << 20
# The most bytes of objects that are read of a process.
MOST_BYTES = 16 << 20


class OtherObject(Exception):
    """It is no object of the expected type: the layout may be another one."""


class Exhausted(Exception):
    """Reading on would exceed the limit."""


class Types(NamedTuple):
    """The addresses of types of objects."""

    code: int
    bytes: int
    text: int


class Code(NamedTuple):
    """The code of a function."""

    function: str
    file: str
    first_line: int
    lines: bytes


class ScriptFrame(NamedTuple):
    """A frame of a script."""

    function: str
    file: str
    line: Optional[int]


class Objects:
    """Reads objects. Besides its own exceptions, its methods raise `Unreadable`."""

    def __init__(self, target: Target, layout: Layout, types: Types) -> None:
        self.target = target
        self.layout = layout
        self.types = types
        self.room = MOST_BYTES
        # What was read, by address: a function that calls itself is read once.
        self.known: Dict[int, Code] = {}

    def frame(self, frame: int) -> ScriptFrame:
        """The frame at an address."""
        layout = self.layout
        address = self.pointer(frame + layout.code) & ~layout.tags
        self.check(address, self.types.code)
        if layout.instructions is None:
            at = self.integer(frame + layout.at) * layout.step
        else:
            at = self.pointer(frame + layout.at) - address - layout.instructions
        code = self.code_at(address)
        # Before the first instruction of a frame that has just begun, there is no line.
        line = layout.line_of(code.lines, code.first_line, at) if at >= 0 else None
        return ScriptFrame(code.function, code.file, line)

    def code_at(self, address: int) -> Code:
        """The code object at an address."""
        if address not in self.known:
            layout = self.layout
            self.known[address] = Code(
                self.string(address + layout.name),
                self.string(address + layout.file),
                self.integer(address + layout.first_line),
                self.table(address + layout.lines),
            )
        return self.known[address]

    def pointer(self, address: int) -> int:
        """The pointer at an address."""
        return self.unsigned(address, 8)

    def unsigned(self, address: int, size: int) -> int:
        """A number of so many bytes."""
        return int.from_bytes(self.read(address, size), "little")

    def integer(self, address: int) -> int:
        """An `int`."""
        return int.from_bytes(self.read(address, 4), "little", signed=True)

    def object(self, address: int, of_type: int) -> int:
        """The object of this type that the pointer at an address points to."""
        found = self.pointer(address)
        self.check(found, of_type)
        return found

    def check(self, found: int, of_type: int) -> None:
        """Raises an exception unless the object has this type."""
        if self.pointer(found + TYPE) != of_type:
            raise OtherObject

    def table(self, address: int) -> bytes:
        """The bytes of the object that the pointer at an address points to."""
        found = self.object(address, self.types.bytes)
        size = self.pointer(found + SIZE)
        if size > LONGEST_TABLE:
            raise OtherObject
        return self.read(found + BYTES, size)

    def string(self, address: int) -> str:
        """The string that the pointer at an address points to."""
        found = self.object(address, self.types.text)
        length = self.pointer(found + LENGTH)
        kind, is_compact, is_ascii = self.state_of(found)
        if length > LONGEST_TEXT or not is_compact or kind not in ENCODINGS:
            raise OtherObject
        begin = self.layout.ascii if is_ascii else self.layout.characters
        return self.read(found + begin, length * kind).decode(ENCODINGS[kind], "replace")

    def state_of(self, string: int) -> Tuple[int, bool, bool]:
        """The bytes of a character; whether these follow the object; whether all are ASCII."""
        # From the lowest bit on: interned (2 bits), bytes of a character (3), compact, ASCII.
        state = self.unsigned(string + STATE, 4)
        return state >> 2 & 7, bool(state >> 5 & 1), bool(state >> 6 & 1)

    def read(self, address: int, size: int) -> bytes:
        """Bytes of the process."""
        if size > self.room:
            raise Exhausted
        self.room -= size
        if address < 0 or address + size > 1 << 64:
            raise Unreadable(f"no address: {address:#x}")
        return self.target.bytes(address, size) if size else b""
