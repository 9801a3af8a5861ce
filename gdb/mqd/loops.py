# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The loop in which a process waits, and the word of memory that it waits for.

The section "What a process is doing" of docs/json.md has the rules.
"""

import re
from typing import List, NamedTuple, Optional

import gdb

from .call_instructions import callee_before
from .code import awaited_word
from .frames import C_LIBRARIES, Physical, frames_of, module, symbol_at, symbol_text
from .selection import selection_kept
from .stacks import called, in_order
from .target import Target, Unreadable

# How the file names of images begin whose code only looks for messages that have come.
QUIET = (*C_LIBRARIES, "mca_btl_", "libevent")
# The registers that calls preserve, and their numbers in instructions.
PRESERVED = {"rbx": 3, "rsp": 4, "rbp": 5, "r12": 12, "r13": 13, "r14": 14, "r15": 15}
# What a thread does in the function that a loop calls: it looks for what has come, may do more, or
# takes in what has come.
RESTS, WORKS, TAKES_IN = range(3)
# Functions of which a loop tells no more than their names and queues do.
TOLD_OTHERWISE = {
    "MPI_Send",
    "MPI_Ssend",
    "MPI_Rsend",
    "MPI_Bsend",
    "MPI_Recv",
    "MPI_Mrecv",
    "MPI_Sendrecv",
    "MPI_Sendrecv_replace",
    "MPI_Probe",
    "MPI_Mprobe",
    "MPI_Waitall",
    "MPI_Waitany",
    "MPI_Waitsome",
}


class Waiting(NamedTuple):
    """What call stacks tell about the loop in which a process waits.

    It does not leave the loop before the word at `word` changes. `at_rest` says that it does no
    more there than look for what has come, and `takes_in` that it takes in what has come.
    """

    function: Optional[str] = None
    word: Optional[int] = None
    at_rest: bool = False
    takes_in: bool = False

    def tells(self) -> Optional[int]:
        """The word, if it tells more of the function than name and queues do."""
        function = re.sub(r"_c$", "", self.function or "")
        return None if function in TOLD_OTHERWISE else self.word


def waiting_of(target: Target, around: str) -> Waiting:
    """The loop around this function in which the process waits."""
    start = target.function(around)
    if start is None or target.inferior.architecture().name() != "i386:x86-64":
        return Waiting()
    threads = in_order(target)
    waiting = Waiting(at_rest=bool(threads))
    with selection_kept():
        for thread in threads:
            waiting = with_thread(waiting, thread, Loop(around, start, target))
    return waiting


class Loop(NamedTuple):
    """The function that loops call, its address, and the process."""

    around: str
    start: int
    target: Target


def with_thread(waiting: Waiting, thread: gdb.InferiorThread, loop: Loop) -> Waiting:
    """Adds what the stack of a thread tells."""
    frames, complete = frames_of(thread)
    function, entry, known = called(frames, loop.target)
    if function is None:
        is_outside = known and complete and loop.target.library is not None
        return waiting._replace(at_rest=waiting.at_rest and is_outside)
    call = call_of(frames, loop)
    inside = inside_of(frames, call, loop)
    rests = inside == RESTS
    waiting = waiting._replace(
        at_rest=waiting.at_rest and rests, takes_in=waiting.takes_in or inside == TAKES_IN
    )
    if waiting.function is not None:
        return waiting
    word = None
    if call is not None and rests and call <= entry:
        word = word_of(frames[call], loop.target)
    return waiting._replace(function=function, word=word)


def call_of(frames: List[Physical], loop: Loop) -> Optional[int]:
    """The outermost frame that has called the function. What it has called may loop, too."""
    for at in range(len(frames) - 1, -1, -1):
        frame = frames[at]
        if not frame.exact and callee_before(frame.pc(), loop.target) == loop.start:
            return at
    return None


def inside_of(frames: List[Physical], call: Optional[int], loop: Loop) -> int:
    """What the frames do that the loop has called.

    The function calls others that look for what has come. If one of these is not quiet, it may
    have found something to do. It does this in functions of its own, so it has not begun as long
    as there is no such frame. A quiet one that has found something hands it to others.
    """
    if call is None:
        # The function may have been entered by a tail call.
        entered = any(symbol_at(frame.place()) == loop.around for frame in frames)
        return WORKS if entered else RESTS
    inside = list(range(call - 1, -1, -1))
    if inside and symbol_at(frames[inside[0]].place()) == loop.around:
        inside = inside[1:]
    if all(is_quiet(frames[at], at, loop) for at in inside[1:]):
        return RESTS
    return TAKES_IN if is_quiet(frames[inside[0]], inside[0], loop) else WORKS


def is_quiet(frame: Physical, at: int, loop: Loop) -> bool:
    """Does the code of a frame only look for what has come?"""
    name = module(frame)
    if not name or "system-supplied DSO" in symbol_text(frame.place()):
        # Code of the kernel's own calls nothing.
        return at == 0
    return gdb.solib_name(frame.place()) == gdb.solib_name(loop.start) or name.startswith(QUIET)


def word_of(physical: Physical, target: Target) -> Optional[int]:
    """The word that a loop waits for. The loop has called a function from this frame."""

    def read(address: int, size: int) -> Optional[bytes]:
        try:
            return target.bytes(address, size)
        except Unreadable:
            return None

    registers = {}
    for name, number in PRESERVED.items():
        try:
            registers[number] = int(physical.frames[-1].read_register(name)) & (1 << 64) - 1
        except (gdb.error, ValueError):  # noqa: PERF203 (there are seven)
            continue
    after = physical.pc()
    code = read(after - 6, 6)
    if code is None:
        return None
    return awaited_word(read, registers, after - (6 if code[:2] == b"\xff\x15" else 5), after)
