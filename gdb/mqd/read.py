# SPDX-License-Identifier: Apache-2.0 OR MIT
"""From inferiors to the processes of a report."""

import os
from typing import Dict, List, Optional

import gdb

from . import open_mpi
from .callbacks import Session
from .dll import DIRECTORY, Candidate, Dll, candidates
from .jobs import add_jobs, rank_of
from .loops import waiting_of
from .problems import LIMIT, NO_DLL, NO_MPI, OTHER, QUEUES, Failed, Problem
from .report import Communicator, Process
from .selection import in_c, selected, wanted_inferiors
from .stacks import activity_of, in_report, no_others_in, stacks_of, with_others
from .target import Target
from .trust import Distrusted
from .walk import Walker, count_or_none

TOO_MUCH_SCRIPT = (
    "frames of Python are missing: the code of its functions on the stacks is larger than what mqd "
    "reads of a process (16 MiB)"
)


def read_inferior(inferior: gdb.Inferior, stacks: bool = True) -> Process:
    """Reads a process, with its call stacks unless told otherwise. Failures are in the result."""
    process = Process()
    process.rank, process.pid = rank_of(inferior), inferior.pid
    with selected(inferior), in_c():
        try:
            target = Target(inferior)
            process.pid = target.pid
            process.core = target.core()
            process.host = target.host()
            process.executable = target.executable()
            process.library = target.library
            read_process(process, target, stacks)
            if stacks:
                read_stacks(process, target)
        except gdb.error as error:
            process.errors.append(Problem(OTHER, str(error)))
            process.refused = True
        if process.rank is None:
            process.rank = world_rank(process.communicators)
        return process


def read_stacks(process: Process, target: Target) -> None:
    """Adds the call stacks to what was read of a process, and what they tell."""
    threads, too_much_script = stacks_of(target, process.hints.progress)
    if too_much_script:
        process.errors.append(Problem(LIMIT, TOO_MUCH_SCRIPT))
    process.stacks = in_report(threads)
    if process.takes_in:
        # It is not known what it waits for. It is not known either whether that has just come.
        process.activity = None
    elif not process.refused:
        activity = activity_of(process.activity, process.hints, threads, target)
        if activity is not None:
            activity = activity._replace(background=process.background)
        process.activity = with_others(activity, threads, target)


def read_process(process: Process, target: Target, stacks: bool) -> None:
    """Reads a process with the first DLL that can, with or without what its stacks tell."""
    chosen = gdb.parameter("mqd dll")
    if isinstance(chosen, str) and chosen:
        # A name without a slash means the file in the working directory, if there is one. The
        # dynamic linker would look elsewhere.
        name = os.path.expanduser(chosen)
        path = os.path.abspath(name) if os.path.exists(name) else name
        dlls = [Candidate(path, lambda: Dll.load(path))]
    else:
        chosen = None
        dlls, process.warnings = candidates(target)
    failed: List[Problem] = []
    for dll in dlls:
        process.errors, process.refused = [], False
        read_by(dll, process, target, stacks)
        if not process.refused:
            # The user should know that the first choice failed.
            process.warnings += [error.text for error in failed]
            return
        failed += process.errors
    process.errors, process.refused = failed, True
    if not dlls:
        text = (
            "no debug DLL: the process names none (MPIR_dll_name), and mqd's own libmqd.so is not "
            "in {} or its ../lib; name one with `set mqd dll`"
        )
        process.errors.append(Problem(NO_DLL, text.format(DIRECTORY)))
    if chosen is None and target.library is None:
        text = "no MPI library was found in the process: is it an MPI program?"
        process.errors.insert(0, Problem(NO_MPI, text))


def read_by(candidate: Candidate, process: Process, target: Target, stacks: bool) -> None:
    """Reads a process with one DLL."""
    session = Session(target, process.rank)
    try:
        dll = candidate.load()
        process.dll_version = dll.version
        with Walker(dll, session) as walker:
            walker.accept()
            around = walker.loop_function() if stacks else ""
            waiting = waiting_of(target, around) if around else None
            word = None if waiting is None else waiting.tells()
            if word is not None:
                walker.set_awaited_word(word)
            sends_in = walker.send_function() if stacks else ""
            if sends_in and no_others_in(target, sends_in):
                walker.set_no_other_senders()
            process.communicators, process.activity = walker.read()
            process.hints = walker.stack_hints()
            process.background = walker.background(waiting and waiting.at_rest)
            if waiting is not None:
                process.takes_in = waiting.takes_in
            process.fifos = walker.fifos()
            process.errors = walker.errors
            if open_mpi.is_its_dll(candidate.path):
                check_component(process, target)
            process.refused = bool(process.errors) and not process.communicators
    except Failed as failed:
        process.errors = [failed.problem]
        process.refused = True
    except Distrusted as why:
        text = (
            "the process names the debug DLL {0}, which is not loaded since {1}; `set mqd dll {0}` "
            "loads it all the same"
        )
        process.warnings.append(text.format(candidate.path, why))
        process.refused = True
    process.warnings += session.complaints


def check_component(process: Process, target: Target) -> None:
    """Leaves out all queues if the debug DLL of Open MPI does not read those of the process."""
    why = open_mpi.wrong_component(target)
    if why is None:
        return
    for communicator in process.communicators:
        communicator.forget_queues()
    process.errors.append(Problem(QUEUES, why))


def world_rank(communicators: List[Communicator]) -> Optional[int]:
    """The rank in MPI_COMM_WORLD that the communicators tell.

    The two predefined ones keep their names unless the program renames them.
    """
    rank = -1
    world = next((one for one in communicators if one.name == "MPI_COMM_WORLD"), None)
    own = next((one for one in communicators if one.name == "MPI_COMM_SELF"), None)
    if world is not None:
        rank = world.local_rank
    elif own is not None and own.group:
        rank = own.group[0]
    return count_or_none(rank)


def read_all() -> List[Process]:
    """Reads all processes, and warns of what is doubtful."""
    processes = [read_inferior(inferior) for inferior in wanted_inferiors()]
    add_jobs(processes)
    told = set()
    for process in processes:
        for warning in process.warnings:
            if warning not in told:
                told.add(warning)
                text = f"warning: {process.short_title()}: {warning}\n"
                gdb.write(text, gdb.STDERR)
    return processes


def fail_if_nothing(processes: List[Process]) -> None:
    """Raises an error if nothing was read of any process.

    What holds for several processes is said once.
    """
    if not all(process.refused for process in processes):
        return
    told: Dict[str, List[str]] = {}
    for process in processes:
        for error in process.errors:
            told.setdefault(error.text, []).append(process.short_title())
    lines = []
    for text, whose in told.items():
        more = len(whose) - 1
        others = "" if more == 0 else f" and {more} more"
        lines.append(f"{whose[0]}{others}: {text}")
    raise gdb.GdbError("\n".join(lines))
