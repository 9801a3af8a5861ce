# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What a process is doing, by the call stacks of its threads, where the debug DLL does not tell.

The section "What a process is doing" of docs/json.md has the rules.
"""

import re
from typing import Optional, Tuple

import gdb

from .report import Activity, StackHints
from .selection import selection_kept
from .target import Target, Unreadable
from .text import local_path


class NotKnown(Exception):
    """The call stacks do not tell."""


def activity_of(said: Optional[Activity], hints: StackHints, target: Target) -> Optional[Activity]:
    """What the DLL says. If that does not name the function, the call stacks do."""
    if said is not None and said.function != "":
        return said
    try:
        function, progresses = function_of_threads(target, hints.progress)
    except NotKnown:
        return None
    if said is not None:
        # The DLL says that the process waits. Stacks that say otherwise tell nothing.
        return None if function is None else said._replace(function=function)
    if function is None:
        return Activity()
    return Activity(function, begun=progresses or None, concurrent=hints.several_threads)


def function_of_threads(target: Target, progress: str) -> Tuple[Optional[str], bool]:
    """The MPI function that the process is in, and whether it is in the function `progress`.

    The main thread comes first, then the others by their ids.
    """
    if target.library is None:
        raise NotKnown
    unknown = False
    with selection_kept():
        for thread in sorted(
            target.inferior.threads(),
            key=lambda thread: (thread.ptid[1] != target.pid, thread.ptid[1]),
        ):
            thread.switch()
            try:
                function, progresses = function_of_thread(target, progress)
            except (NotKnown, gdb.error):
                unknown = True
                continue
            if function is not None:
                return function, progresses
    if unknown:
        raise NotKnown
    return None, False


def function_of_thread(target: Target, progress: str) -> Tuple[Optional[str], bool]:
    """The MPI function that the selected thread is in: that of its outermost such frame.

    The second value says whether a frame within it is in the function `progress`.
    """
    found: Optional[str] = None
    certain = True
    progresses = within = False
    # The thread runs, or a signal has interrupted it: its address is not that after a call.
    exact = True
    try:
        frame: Optional[gdb.Frame] = gdb.newest_frame()
        last = frame
        while frame is not None:
            # gdb makes up other frames from debug information: inlined functions and tail calls.
            if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
                address = frame.pc() - (0 if exact else 1)
                if progress and not within:
                    within = progresses_at(frame.pc(), exact, progress, target)
                function, elsewhere = function_at(address, target)
                if function is not None:
                    found, progresses = function, within
                certain = certain and not elsewhere
                exact = frame.type() == gdb.SIGTRAMP_FRAME
            last, frame = frame, frame.older()
        certain = certain and last is not None and is_outermost(last)
    except gdb.error:
        certain = False
    if found is None and not certain:
        raise NotKnown
    return found, progresses


def is_outermost(frame: gdb.Frame) -> bool:
    """Does the stack end at its last frame because there are no more frames?"""
    limit = gdb.parameter("backtrace limit")
    if isinstance(limit, int) and limit and frame.level() + 1 >= limit:
        return False
    ends = (gdb.FRAME_UNWIND_NO_REASON, gdb.FRAME_UNWIND_OUTERMOST)
    return frame.unwind_stop_reason() in ends


def progresses_at(address: int, exact: bool, progress: str, target: Target) -> bool:
    """Is a frame in the function that moves messages on, or has it called that function?

    That function may have no frame of its own, since it may tail-call another one.
    """
    if symbol_at(address - (0 if exact else 1)) == progress:
        return True
    callee = None if exact else callee_before(address, target)
    return callee is not None and callee == target.function(progress)


def callee_before(address: int, target: Target) -> Optional[int]:
    """The function that was called by the call before a return address.

    The call may be direct, or go through the procedure linkage table. None if that is not known.
    """
    if target.inferior.architecture().name() != "i386:x86-64":
        return None

    def displaced(end: int, code: bytes) -> int:
        return end + int.from_bytes(code, "little", signed=True)

    try:
        code = target.bytes(address - 6, 6)
        if code[:2] == b"\xff\x15":
            return target.pointer(displaced(address, code[2:]))
        if code[1:2] != b"\xe8":
            return None
        callee = displaced(address, code[2:])
        entry = target.bytes(callee, 11)
        # endbr64 and bnd may stand before the jump.
        at = 4 if entry.startswith(b"\xf3\x0f\x1e\xfa") else 0
        at += entry[at : at + 1] == b"\xf2"
        if entry[at : at + 2] != b"\xff\x25":
            return callee
        return target.pointer(displaced(callee + at + 6, entry[at + 2 : at + 6]))
    except Unreadable:
        return None


def symbol_at(address: int) -> Optional[str]:
    """The name of the symbol that an address is in."""
    told = gdb.execute(f"info symbol {address:#x}", to_string=True)
    symbol = re.match(r"(\S+)(?: \+ \d+)? in section ", told)
    return symbol.group(1) if symbol is not None else None


def function_at(address: int, target: Target) -> Tuple[Optional[str], bool]:
    """The MPI function that an address is in, and whether it is elsewhere in the MPI library."""
    solib = gdb.solib_name(address)
    in_executable = target.library == target.executable()
    if in_executable:
        outside = solib is not None
    else:
        outside = solib is None or local_path(solib) != target.library
    if outside:
        return None, False
    symbol = symbol_at(address)
    if symbol is None:
        return None, True
    # Compilers split off parts of functions (PMPI_X.cold), and linkers add versions.
    function = re.match(r"P?(MPI_[^.@]+)", symbol)
    if function is not None:
        return function.group(1), False
    # An executable with MPI in it has functions of its own, too.
    return None, not in_executable
