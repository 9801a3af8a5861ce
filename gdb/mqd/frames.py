# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The frames of a call stack: from gdb, and as reports have them.

The section "A call stack" of docs/json.md has the rules.
"""

import os
import re
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import gdb

from .python_objects import ScriptFrame
from .text import local_path

# Where programs begin. Fortran's main program has a function of its own.
MAINS = ("main", "MAIN__")
# How the file names of C libraries begin. Their functions are known by name alone.
C_LIBRARIES = (
    "libc.so",
    "libc-2.",
    "libm.so",
    "libm-2.",
    "libpthread.so",
    "libpthread-2.",
    "ld-linux",
    "ld-musl",
    "libc.musl",
)


class Physical(NamedTuple):
    """A frame of the stack with the functions that are inlined into it, which come first."""

    frames: List[gdb.Frame]
    exact: bool

    def pc(self) -> int:
        """The address of the next instruction. That of a caller is after the call."""
        return self.frames[-1].pc()

    def place(self) -> int:
        """An address in the code of the function."""
        return self.pc() - (0 if self.exact else 1)

    def level(self) -> int:
        """How many frames are inside it, inlined ones among them."""
        return self.frames[-1].level()


class Script(NamedTuple):
    """The frames of Python of a thread, by the level of the native frame that executes them.

    `home` is the executable or library of the interpreter, as `gdb.solib_name` gives it.
    """

    home: Optional[str]
    frames: Dict[int, List[ScriptFrame]]

    def stands_for(self, frame: Physical) -> bool:
        """Is it a frame of the interpreter? The frames of Python stand in its place."""
        return gdb.solib_name(frame.place()) == self.home and bool(module(frame))

    def fields(self, frame: Physical) -> List[Dict[str, Any]]:
        """The frames of Python that a frame of the interpreter executes, as reports have them."""
        return [
            {
                "function": one.function,
                "file": one.file,
                "line": one.line,
                "inlined": False,
                "module": module(frame),
                "offset": None,
                "address": f"{frame.pc():#x}",
            }
            for one in self.frames.get(frame.level(), [])
        ]


def frames_of(thread: gdb.InferiorThread) -> Tuple[List[Physical], bool]:
    """The frames of a thread, which is selected then, and whether the outermost one is there."""
    frames: List[Physical] = []
    complete = False
    try:
        thread.switch()
        complete = walk(frames)
    except gdb.error:
        pass
    return frames, complete


def walk(frames: List[Physical]) -> bool:
    """Adds the frames of the selected thread. Says whether the last is the outermost one."""
    # The thread runs, or a signal has interrupted it: its address is not that after a call.
    exact = True
    inlined: List[gdb.Frame] = []
    frame: Optional[gdb.Frame] = gdb.newest_frame()
    last = frame
    while frame is not None:
        if frame.type() == gdb.INLINE_FRAME:
            inlined.append(frame)
        elif frame.type() != gdb.TAILCALL_FRAME:
            # gdb makes up frames of tail calls from debug information.
            frames.append(Physical([*inlined, frame], exact))
            inlined = []
            exact = frame.type() == gdb.SIGTRAMP_FRAME
        last, frame = frame, frame.older()
    return last is not None and is_outermost(last)


def is_of_c_library(frame: Physical) -> bool:
    """Is a frame in the C library?"""
    return module(frame).startswith(C_LIBRARIES)


def program(frames: List[Physical], script: Optional[Script]) -> List[Dict[str, Any]]:
    """The frames of the program, up to `main`."""
    told: List[Dict[str, Any]] = []
    for frame in frames[: len(frames) - beginning(frames)]:
        if script is not None and script.stands_for(frame):
            told.extend(script.fields(frame))
            continue
        if is_of_c_library(frame):
            told.append(without_line(frame))
        else:
            told.extend(lines(frame))
        if in_executable(frame) and symbol_at(frame.place()) in MAINS:
            break
    return told


def beginning(frames: List[Physical]) -> int:
    """How many frames at the end are those that call `main`."""
    if not frames or not in_executable(frames[-1]) or symbol_at(frames[-1].place()) != "_start":
        return 0
    number = 1
    while number < len(frames):
        frame = frames[-number - 1]
        symbol = symbol_at(frame.place()) or ""
        if not is_of_c_library(frame) and not symbol.startswith("__libc_start"):
            break
        number += 1
    return number


def lines(frame: Physical) -> List[Dict[str, Any]]:
    """A frame with the functions that are inlined into it, with their lines."""
    told = []
    for one in frame.frames:
        described = without_line(frame)
        described["inlined"] = one.type() == gdb.INLINE_FRAME
        if one.function() is not None:
            described["function"] = one.name()
            sal = one.find_sal()
            if sal.symtab is not None and sal.line > 0:
                described["file"] = sal.symtab.fullname()
                described["line"] = sal.line
        if described["line"] is not None or described["inlined"]:
            described["offset"] = None
        told.append(described)
    return told


def without_line(frame: Physical) -> Dict[str, Any]:
    """A frame by the symbol alone."""
    place = frame.place()
    symbol = symbol_at(place)
    return {
        "function": symbol,
        "file": None,
        "line": None,
        "inlined": False,
        "module": module(frame) or None,
        "offset": None if symbol is None else offset_at(place) + frame.pc() - place,
        "address": f"{frame.pc():#x}",
    }


def in_executable(frame: Physical) -> bool:
    """Is the code that of the executable?"""
    return bool(module(frame)) and gdb.solib_name(frame.place()) is None


def module(frame: Physical) -> str:
    """The file name of the executable or library that has the code. Empty if none has it."""
    place = frame.place()
    name = gdb.solib_name(place)
    if name is None and (" in section " in symbol_text(place) or in_text(place)):
        name = gdb.selected_inferior().progspace.filename
    return os.path.basename(local_path(name)) if name else ""


def in_text(address: int) -> bool:
    """Is the address in the code of the executable, whose sections have no file name?"""
    sections = gdb.execute("info files", to_string=True)
    found = re.findall(r"(0x[0-9a-f]+) - (0x[0-9a-f]+) is \.text$", sections, re.MULTILINE)
    return any(int(begin, 16) <= address < int(end, 16) for begin, end in found)


def is_outermost(frame: gdb.Frame) -> bool:
    """Does the stack end at its last frame because there are no more frames?"""
    limit = gdb.parameter("backtrace limit")
    if isinstance(limit, int) and limit and frame.level() + 1 >= limit:
        return False
    ends = (gdb.FRAME_UNWIND_NO_REASON, gdb.FRAME_UNWIND_OUTERMOST)
    return frame.unwind_stop_reason() in ends


def symbol_text(address: int) -> str:
    """What gdb says of the symbol that an address is in."""
    return gdb.execute(f"info symbol {address:#x}", to_string=True)


def symbol_at(address: int) -> Optional[str]:
    """The name of the symbol that an address is in, without the parameters of C++."""
    symbol = re.match(r"(\S.*?)(?: \+ \d+)? in section ", symbol_text(address))
    return without_parameters(symbol.group(1)) if symbol is not None else None


def offset_at(address: int) -> int:
    """How many bytes an address is after the beginning of its symbol."""
    offset = re.match(r"\S.*? \+ (\d+) in section ", symbol_text(address))
    return int(offset.group(1)) if offset is not None else 0


def without_parameters(name: str) -> str:
    """A demangled name without its parameters: `f<int>` of `f<int>(int (*)(int))`."""
    depth = 0
    if not name.endswith((")", ") const")) or name.endswith("(anonymous namespace)"):
        return name
    for at in range(len(name) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(name[at], 0)
        if name[at] == "(" and depth == 0:
            return name[:at]
    return name
