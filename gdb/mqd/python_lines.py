# SPDX-License-Identifier: Apache-2.0 OR MIT
"""From a place in the code of a function of Python to its line, by the table of the function."""

from typing import Iterator, Optional, Tuple

# A number of lines in a table of Python 3.10: the code has no line.
NO_LINE = -128
# Kinds of entries in a table from Python 3.11 on: the line is given by the kind itself, it is a
# number that follows, or the code has no line.
SHORT = (10, 11, 12)
LONG = (13, 14)
NO_LOCATION = 15
# Numbers in a table have no more bits.
MOST_BITS = 54


def pairs(table: bytes) -> Iterator[Tuple[int, int]]:
    """Numbers of bytes of code, and numbers of lines."""
    for at in range(0, len(table) - 1, 2):
        yield table[at], int.from_bytes(table[at + 1 : at + 2], "little", signed=True)


def by_lnotab(table: bytes, first: int, at: int) -> Optional[int]:
    """The line in a table of Python 3.9. `at` is in bytes."""
    line, begin = first, 0
    for size, delta in pairs(table):
        begin += size
        if begin > at:
            break
        line += delta
    return line


def by_line_table(table: bytes, first: int, at: int) -> Optional[int]:
    """The line in a table of Python 3.10 (PEP 626). `at` is in bytes.

    The number of lines comes before the code that it applies to.
    """
    line, end = first, 0
    for size, delta in pairs(table):
        end += size
        if delta != NO_LINE:
            line += delta
        if at < end:
            return None if delta == NO_LINE else line
    return None


def by_location_table(table: bytes, first: int, at: int) -> Optional[int]:
    """The line in a table from Python 3.11 on (PEP 657). `at` is in bytes."""
    line, end, index = first, 0, 0
    while index < len(table):
        head = table[index]
        begin = index = index + 1
        # The highest bit is set in the first byte of an entry, and in no other.
        while index < len(table) and not table[index] & 0x80:
            index += 1
        end += 2 * ((head & 7) + 1)
        kind = head >> 3 & 15
        if kind in SHORT:
            line += kind - SHORT[0]
        elif kind in LONG:
            delta = signed(table[begin:index])
            if delta is None:
                return None
            line += delta
        if at < end:
            return None if kind == NO_LOCATION else line
    return None


def signed(data: bytes) -> Optional[int]:
    """A number in groups of 6 bits, the lowest first; the lowest bit is the sign."""
    value = shift = 0
    for byte in data:
        value |= (byte & 63) << shift
        shift += 6
        if not byte & 64:
            return -(value >> 1) if value & 1 else value >> 1
        if shift >= MOST_BITS:
            return None
    return None
