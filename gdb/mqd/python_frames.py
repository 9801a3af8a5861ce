# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Frames of Python: what CPython's evaluation loop was executing.

The state of a thread has the frames of Python in groups, one for each time that the loop was
entered. There must be as many groups as there are native frames of the loop. Otherwise no frames
of Python are reported: an unknown layout is noticed, and nothing is guessed.
"""

import os
import re
from typing import List, Optional

import gdb

from .frames import Physical, Script, symbol_at
from .python_layouts import LAYOUTS
from .python_objects import Exhausted, Objects, OtherObject, ScriptFrame, Types
from .target import Target, Unreadable
from .text import local_path

# The major version of Python.
MAJOR = 3
# The function that executes Python.
LOOP = "_PyEval_EvalFrameDefault"
# The layouts are those of machines with words of so many bytes.
WORD = 8
# The most frames. Python's own limit is lower, unless a program has raised it.
MAX_FRAMES = 10_000
# The most threads or interpreters. Real processes have fewer.
MAX_STATES = 10_000

# One list for each time that the loop was entered, and the innermost frame first.
Groups = List[List[ScriptFrame]]


class Python:
    """CPython in a process."""

    def __init__(self, runtime: int, objects: Objects) -> None:
        self.runtime = runtime
        self.objects = objects
        # Its executable or library, as `gdb.solib_name` gives it.
        self.home = gdb.solib_name(runtime)
        self.is_exhausted = False

    def groups(self, thread: gdb.InferiorThread) -> Groups:
        """The frames of the selected thread. Empty if they are not known."""
        try:
            state = self.state_of(thread)
            return [] if state is None else self.groups_of(state)
        except Exhausted:
            self.is_exhausted = True
            return []
        except (Unreadable, OtherObject):
            return []

    def state_of(self, thread: gdb.InferiorThread) -> Optional[int]:
        """Python's state of the selected thread."""
        objects, layout = self.objects, self.objects.layout
        # What `pthread_self` returns is the same in every namespace; the kernel's number is not.
        field, wanted = layout.thread_id, thread_pointer()
        if wanted is None:
            if layout.native_thread_id is None:
                return None
            field, wanted = layout.native_thread_id, thread.ptid[1]
        interpreter = objects.pointer(self.runtime + layout.interpreters)
        budget = MAX_STATES
        while interpreter != 0 and budget > 0:
            state = objects.pointer(interpreter + layout.threads)
            while state != 0 and budget > 0:
                budget -= 1
                if objects.pointer(state + field) == wanted:
                    return state
                state = objects.pointer(state + layout.next_thread)
            budget -= 1
            interpreter = objects.pointer(interpreter + layout.next_interpreter)
        return None

    def groups_of(self, state: int) -> Groups:
        """The frames of a thread with this state."""
        objects, layout = self.objects, self.objects.layout
        groups: Groups = []
        group: List[ScriptFrame] = []
        frame = objects.pointer(state + layout.current)
        if layout.current_in_c_frame is not None:
            frame = objects.pointer(frame + layout.current_in_c_frame)
        for _ in range(MAX_FRAMES):
            if frame == 0:
                return [] if group else groups
            is_of_c = False
            if layout.owner is not None:
                offset, owner = layout.owner
                is_of_c = objects.unsigned(frame + offset, 1) == owner
            if not is_of_c:
                group.append(objects.frame(frame))
            if is_of_c or self.is_entry(frame):
                groups.append(group)
                group = []
            frame = objects.pointer(frame + layout.previous)
        return []

    def is_entry(self, frame: int) -> bool:
        """Was the loop entered for this frame of Python? Its caller may be a frame of C instead."""
        layout = self.objects.layout
        if layout.entry is not None:
            return self.objects.unsigned(frame + layout.entry, 1) != 0
        return layout.owner is None


def find(target: Target) -> Optional[Python]:
    """The CPython of a process, if it has one of a known release."""
    if target.pointer_size != WORD or target.byteorder != "little":
        return None
    names = ("_PyRuntime", "PyCode_Type", "PyBytes_Type", "PyUnicode_Type")
    runtime, *types = [target.symbol(name) for name in names]
    if runtime is None:
        return None
    home = gdb.solib_name(runtime)
    path = local_path(home) if home else target.executable()
    name = os.path.basename(path or "")
    if not name.startswith(("python", "libpython")):
        return None
    layout = LAYOUTS.get(minor_version(name, target) or 0)
    known = [one for one in types if one is not None]
    if layout is None or len(known) != len(types):
        return None
    return Python(runtime, Objects(target, layout, Types(*known)))


def minor_version(name: str, target: Target) -> Optional[int]:
    """The `11` of Python 3.11: what the library says, or its name."""
    address = target.symbol("Py_Version")
    if address is None:
        found = re.search(r"python3\.(\d+)", name)
        return int(found.group(1)) if found else None
    try:
        version = target.pointer(address)
    except Unreadable:
        return None
    return version >> 16 & 0xFF if version >> 24 == MAJOR else None


def thread_pointer() -> Optional[int]:
    """What `pthread_self` returns in the selected thread. None if no register tells."""
    try:
        frame = gdb.newest_frame()
        if frame.architecture().name() != "i386:x86-64":
            return None
        return int(frame.read_register("fs_base")) & (1 << 64) - 1
    except (gdb.error, ValueError):
        return None


def script_of(
    thread: gdb.InferiorThread, frames: List[Physical], complete: bool, python: Python
) -> Optional[Script]:
    """What the frames of the interpreter execute in the selected thread. None if not known."""
    loops = [
        frame.level()
        for frame in frames
        if gdb.solib_name(frame.place()) == python.home and is_loop(frame)
    ]
    groups: Groups = python.groups(thread) if loops else []
    # A stack that was not unwound to its end lacks its outermost frames.
    fits = len(groups) == len(loops) if complete else len(groups) >= len(loops)
    return Script(python.home, dict(zip(loops, groups))) if groups and fits else None


def is_loop(frame: Physical) -> bool:
    """Is it a frame of the function that executes Python, or of a part of it?"""
    return (symbol_at(frame.place()) or "").split(".", maxsplit=1)[0] == LOOP
