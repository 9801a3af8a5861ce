# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The call stacks of a process, and what they tell if the debug DLL does not.

The sections "What a process is doing" and "A call stack" of docs/json.md have the rules.
"""

import os
import re
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import gdb

from . import python_frames
from .call_instructions import callee_before
from .called_back import AT_ANY_TIME, REDUCTIONS, may_have_called_program
from .frames import (
    C_LIBRARIES,
    Physical,
    frames_of,
    in_executable,
    is_of_c_library,
    module,
    program,
    symbol_at,
    without_line,
)
from .libraries import is_below, is_runtime, program_imports
from .python_frames import Python
from .report import Activity, StackHints
from .selection import selection_kept
from .target import Target, Unreadable
from .text import local_path

# How the file names of MPI libraries begin, and those of their bindings for other languages.
LIBRARIES = ("libmpi", "libpmpi", "MPI.cpython-", "MPI.abi3.")
# Functions that test for completion or arrival, and return.
ASKING = (
    "MPI_Test",
    "MPI_Testall",
    "MPI_Testany",
    "MPI_Testsome",
    "MPI_Iprobe",
    "MPI_Improbe",
    "MPI_Request_get_status",
    "MPI_Parrived",
    "MPI_Win_test",
)
# Libraries whose threads wait for each other without the C library.
OF_THREADS = ("libgomp.so", "libomp.so", "libiomp5.so")
# Libraries of linear algebra that have threads of their own.
OF_ALGEBRA = ("libopenblas", "libscipy_openblas", "libblis")
# Functions of Open MPI, and the MPI functions that do nothing but call them.
TAIL_CALLED = {
    "ompi_mpi_finalize": "MPI_Finalize",
    "ompi_mpi_init": "MPI_Init",
    "mca_pml_base_bsend_detach": "MPI_Buffer_detach",
}
# Where a thread of Open MPI waits for its request while another one makes progress.
SLEEP_OF_THREADS = "ompi_sync_wait_mt"
# The number of the system call futex on x86-64, and its operations that wait.
SYS_FUTEX = 202
FUTEX_WAIT = 0
FUTEX_LOCK_PI = 6
FUTEX_WAIT_BITSET = 9


class Thread(NamedTuple):
    """The call stack of a thread.

    `known` says whether it is known if the thread is in an MPI function, and `progresses` whether
    it is in the progress function there. `may_call_back` says that the MPI function may have called
    the program. `blocked` says that the thread never calls MPI, or only after another thread of the
    process has gone on. `of_program` says whether it is in code of the executable. `of_team` says
    that it waits for its team in a library of threads, or has begun in one of linear algebra.
    """

    id: int
    function: Optional[str]
    known: bool
    blocked: bool
    own: bool
    of_program: bool
    progresses: bool
    may_call_back: bool
    complete: bool
    frames: List[Dict[str, Any]]
    of_team: bool = False

    def fields(self) -> Dict[str, Any]:
        """The stack as reports have it."""
        return {
            "thread": self.id,
            "in_mpi": self.function is not None if self.known else None,
            "complete": self.complete,
            "frames": self.frames,
        }


def activity_of(
    said: Optional[Activity], hints: StackHints, threads: List[Thread], target: Target
) -> Optional[Activity]:
    """What the DLL says. If that does not name the function, the call stacks do."""
    thread = next((thread for thread in threads if thread.function is not None), None)
    if said is not None and said.function is None:
        # A process that polls waits in no function.
        asks = thread is not None and thread.function in ASKING
        return said._replace(function=thread.function) if thread is not None and asks else said
    if said is not None and said.function != "":
        return said
    nothing = threads and all(thread.known and thread.function is None for thread in threads)
    # A function of the program that MPI has called may do anything.
    may_do_anything = thread is not None and (
        any(one.may_call_back for one in threads) or program_imports(target, AT_ANY_TIME, False)
    )
    if may_do_anything or (thread is None and not nothing):
        return None
    if said is not None:
        # The DLL says that the process waits. Stacks that say otherwise tell nothing.
        return None if thread is None else said._replace(function=thread.function)
    if thread is None:
        return Activity()
    begun = all_progress(threads) or None
    return Activity(thread.function, begun=begun, concurrent=hints.several_threads)


def all_progress(threads: List[Thread]) -> bool:
    """Is each thread that is in an MPI function in a progress function there?"""
    return all(thread.progresses for thread in threads if thread.function is not None)


def with_others(
    activity: Optional[Activity], threads: List[Thread], target: Target
) -> Optional[Activity]:
    """Adds what the threads do besides the one that the function is of."""
    if activity is None:
        return None
    if activity.function is None:
        return activity._replace(others="blocked") if none_goes_on(threads) else activity
    if activity.concurrent is False:
        return activity
    others = others_of(threads, target)
    concurrent = False if others == "blocked" else activity.concurrent
    return activity._replace(others=others, concurrent=concurrent)


def others_of(threads: List[Thread], target: Target) -> Optional[str]:
    """What the threads do besides one that is in an MPI function. None if that is not known.

    A reduction that MPI calls may wake a thread.
    """
    outside = [thread for thread in threads if thread.function is None and not thread.blocked]
    callers = sum(thread.function is not None for thread in threads)
    if any(thread.known and thread.of_program for thread in outside):
        return "running"
    parked = any(
        thread.function is None and not thread.own and not thread.of_team for thread in threads
    )
    if outside or callers == 0 or (parked and program_imports(target, REDUCTIONS, True)):
        return None
    return "blocked" if callers == 1 else "in_mpi"


def none_goes_on(threads: List[Thread]) -> bool:
    """Do all threads of the program wait for each other, outside MPI?"""
    of_program = [thread for thread in threads if not thread.own]
    return bool(of_program) and all(
        thread.blocked and thread.known and thread.function is None for thread in of_program
    )


class Stacks(NamedTuple):
    """The call stacks of a process.

    `too_much_script` says that frames of Python were left out, because there was too much to read.
    """

    threads: List[Thread]
    too_much_script: bool


def stacks_of(target: Target, progress: str) -> Stacks:
    """The call stacks of all threads, in the order of `in_order`."""
    python = python_frames.find(target)
    names = progress_functions(progress, target)
    with selection_kept():
        threads = [stack_of(thread, names, target, python) for thread in in_order(target)]
    return Stacks(threads, python is not None and python.is_exhausted)


def in_order(target: Target) -> List[gdb.InferiorThread]:
    """The threads: the main thread first, then the others by their ids."""
    return sorted(
        target.inferior.threads(),
        key=lambda thread: (thread.ptid[1] != target.pid, thread.ptid[1]),
    )


def in_report(threads: List[Thread]) -> Optional[List[Dict[str, Any]]]:
    """The stacks for a report: of the main thread, and of those that may be in MPI."""
    told = [
        thread.fields()
        for at, thread in enumerate(threads)
        if at == 0 or thread.function is not None or not thread.known
    ]
    return told or None


def no_others_in(target: Target, function: str) -> bool:
    """Do the call stacks show that no thread but the main thread is in this function?"""
    if target.function(function) is None:
        return False
    with selection_kept():
        for thread in in_order(target)[1:]:
            frames, complete = frames_of(thread)
            if not complete or any(symbol_at(frame.place()) == function for frame in frames):
                return False
    return True


def runs_within(inner: List[Physical], progress: str, library: str) -> bool:
    """Does code of a library run within the progress function? Empty: it does not matter."""
    return bool(library) and any(
        module(frame).startswith(library) and symbol_at(frame.place()) != progress
        for frame in inner
    )


def stack_of(
    thread: gdb.InferiorThread,
    names: List[Tuple[str, str]],
    target: Target,
    python: Optional[Python],
) -> Thread:
    """The call stack of a thread. `names` are the progress functions that are looked for."""
    frames, complete = frames_of(thread)
    script = None if python is None else python_frames.script_of(thread, frames, complete, python)
    function, entry, known = called(frames, target)
    known = known and complete and target.library is not None
    number = thread.ptid[1]
    own = complete and is_own(frames)
    blocked = own or is_parked(number, target)
    of_program = any(in_executable(frame) for frame in frames)
    if function is None:
        told = program(frames, script)
        return Thread(
            number,
            None,
            known,
            blocked,
            own,
            of_program,
            False,
            False,
            complete,
            told,
            is_of_team(frames, complete),
        )
    progresses = any(
        progresses_at(frame.pc(), frame.exact, name, target)
        and not runs_within(frames[:at], name, library)
        for name, library in names
        for at, frame in enumerate(frames[: entry + 1])
    )
    first = without_line(frames[entry])
    first["function"] = function
    outer = frames[entry + 1 :]
    while outer and module(outer[0]).startswith(LIBRARIES):
        outer = outer[1:]
    shown = [first, *program(outer, script)]
    calls = may_have_called_program(frames[: entry + 1], target)
    return Thread(
        number, function, True, blocked, own, of_program, progresses, calls, complete, shown
    )


def called(frames: List[Physical], target: Target) -> Tuple[Optional[str], int, bool]:
    """The MPI function of the outermost frame in one, that frame, and whether this is certain.

    If MPI has called a function of the program, only what that function has called counts.
    """
    function: Optional[str] = None
    entry = 0
    known = True
    of_program = False
    for at, frame in enumerate(frames):
        # Code that a signal has interrupted has not called the program.
        of_program = of_program and not frame.exact
        name, elsewhere = function_at(frame.place(), target)
        known = known and not elsewhere
        if name is not None and of_program:
            # MPI has called the program. This frame does not tell what the program does now.
            return function, entry, known and function is not None
        if name is not None:
            function, entry = name, at
        elif target.library != target.executable() and in_executable(frame):
            of_program = True
    return function, entry, known


def is_of_team(frames: List[Physical], complete: bool) -> bool:
    """Does a thread wait for its team in a library of threads, or is it one of linear algebra?"""
    begun = [module(frame) for frame in frames if not is_of_c_library(frame)]
    of_algebra = complete and bool(begun) and begun[-1].startswith(OF_ALGEBRA)
    return of_algebra or (bool(frames) and module(frames[0]).startswith(OF_THREADS))


def is_own(frames: List[Physical]) -> bool:
    """Does a thread belong to the MPI library?

    It has begun there, and is in no function of the program.
    """
    names = [module(frame) for frame in reversed(frames) if not is_of_c_library(frame)]
    if not names or not is_runtime(names[0]):
        return False
    return all(not name or is_runtime(name) or is_below(name) for name in names[1:])


def is_parked(number: int, target: Target) -> bool:
    """Does the selected thread wait for another one of the process, and for nothing else?

    It waits for a futex without a timeout, and the futex still has the value with which it waits.
    Only threads of the process wake it: the futex is private, or has the id of a thread, which the
    kernel clears when that thread ends.
    """
    if target.inferior.architecture().name() != "i386:x86-64":
        return False
    try:
        frame = gdb.newest_frame()
        registers = ("orig_rax", "rax", "rsi", "r10", "rdi", "rdx")
        values = [int(frame.read_register(name)) for name in registers]
        call, result, operation, timeout, address, expected = values
        # What an interrupted system call returns inside the kernel if it is to be restarted.
        restarts = (-512, -513, -514, -516)
        if call != SYS_FUTEX or result not in restarts or timeout != 0:
            return False
        value = int.from_bytes(target.bytes(address & (1 << 64) - 1, 4), "little")
        operation, private = operation & 0x7F, operation & 0x80
        if operation in (FUTEX_WAIT, FUTEX_WAIT_BITSET):
            # The thread goes on if the futex has another value when the call starts again.
            if value != expected & 0xFFFFFFFF:
                return False
        elif operation != FUTEX_LOCK_PI:
            return False
        others = {thread.ptid[1] for thread in target.inferior.threads()} - {number}
        return bool(private) or value & 0x3FFFFFFF in others
    except (gdb.error, ValueError, Unreadable):
        return False


def progress_functions(progress: str, target: Target) -> List[Tuple[str, str]]:
    """The progress functions that are looked for.

    A name of a library comes with each: the function does not count while code of that library runs
    within it.

    Functions of the C library are not among them, since everybody may call these. Loops, and what
    other libraries call in loops, are not among them either.
    """
    marks = [mark.partition("^") for mark in progress.split(",")]
    names = [(name, library) for name, _, library in marks if name.isidentifier()]
    places = {mark: target.function(mark[0]) for mark in names}
    own = [mark for mark, place in places.items() if place and not in_c_library(place)]
    return [*own, (SLEEP_OF_THREADS, "")] if names else []


def in_c_library(address: int) -> bool:
    """Is there code of the C library?"""
    name = gdb.solib_name(address)
    return name is not None and os.path.basename(name).startswith(C_LIBRARIES)


def progresses_at(address: int, exact: bool, progress: str, target: Target) -> bool:
    """Is a frame in the progress function, or has it called that function?

    That function may have no frame of its own, since it may tail-call another one.
    """
    if symbol_at(address - (0 if exact else 1)) == progress:
        return True
    callee = None if exact else callee_before(address, target)
    return callee is not None and callee == target.function(progress)


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
    # Open MPI tail-calls functions of its own where an MPI function does nothing else.
    if symbol in TAIL_CALLED:
        return TAIL_CALLED[symbol], False
    # The companion's entry points jump to functions of a module, which have their names.
    function = re.match(r"mpi_abi::entries::functions::(MPI_\w+)", symbol)
    if function is not None:
        return function.group(1), True
    # An executable with MPI in it has functions of its own, too.
    return None, not in_executable
