# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Text from bytes, and text for people."""

import os
import re
import unicodedata
from typing import Optional


def text_of(raw: bytes) -> str:
    """Bytes as text. What is not UTF-8 is replaced."""
    return raw.decode("utf-8", "replace")


def fixed_text(field: bytes) -> str:
    """The text in a field of fixed size: up to the first zero, if there is one."""
    return text_of(field.split(b"\0", 1)[0])


def local_path(path: str) -> str:
    """The path of a file as the kernel names it, without the prefix that gdb may add."""
    if path.startswith("target:"):
        path = path[len("target:") :]
    return text_of(os.fsencode(os.path.realpath(path)))


def number_or_none(text: str, base: int = 10) -> Optional[int]:
    """The number that a text spells."""
    try:
        return int(text, base)
    except ValueError:
        return None


def count(number: int, one: str, many: str) -> str:
    """`1 rank`, `2 ranks`."""
    return f"{number} {one if number == 1 else many}"


# Unicode's controls of the direction of text, and its separators of lines and paragraphs.
TURNS_TEXT = re.compile("[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """Text with its control characters made visible.

    Names come from the target. They must not control the terminal.
    """
    return "".join(
        escaped(one) if unicodedata.category(one) == "Cc" or TURNS_TEXT.match(one) else one
        for one in text
    )


def escaped(character: str) -> str:
    """A control character in visible form."""
    known = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
    return known.get(character, f"\\u{{{ord(character):x}}}")


def width(text: str) -> int:
    """The number of columns that a text takes in a terminal."""
    return sum(
        0
        if unicodedata.combining(character)
        else 2
        if unicodedata.east_asian_width(character) in "WF"
        else 1
        for character in text
    )
