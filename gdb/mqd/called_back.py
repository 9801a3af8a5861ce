# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Functions of the program that MPI calls: reductions, copy callbacks, error handlers."""

import os
from typing import List

import gdb

from .call_instructions import callee_before
from .frames import C_LIBRARIES, Physical, in_executable, is_of_c_library, module, symbol_at
from .libraries import OF_FUNCTIONS, calls_program, is_below, is_runtime
from .target import Target
from .text import local_path

# How the names of functions begin by which a program has MPI call it, or end its calls, at any
# time: MPICH's asynchronous tasks, and the fault tolerance of ULFM.
AT_ANY_TIME = ("MPIX_Async_start", "MPIX_Grequest_start", "MPIX_Comm_revoke")
# The same of functions that make reductions. MPI calls these when a message of a reduction has
# come, also while it waits for another message.
REDUCTIONS = (
    "MPI_Op_create",
    "PMPI_Op_create",
    "mpi_op_create",
    "pmpi_op_create",
    "_ZN3MPI2Op4Init",
)


def may_have_called_program(frames: List[Physical], target: Target) -> bool:
    """May MPI have called a function of the program, by the frames up to the MPI function?

    Such a function is known by its frame. It may also end with a call of the C library or of MPI,
    and then has no frame. The call instruction tells that MPI has called it by a pointer.
    """
    inner = frames[:-1]
    # The C library calls code of the kernel (vDSO), which is in no file.
    in_kernel = len(inner) > 1 and not module(inner[0]) and is_of_c_library(inner[1])
    if not all(is_of_mpi(frame, target) for frame in inner[1 if in_kernel else 0 :]):
        return True
    return any(may_be_between(*pair, target) for pair in zip(frames, frames[1:]))


def may_be_between(callee: Physical, caller: Physical, target: Target) -> bool:
    """May a function of the program have been between a frame and the one that has called it?

    It has then jumped to a function of the C library or of MPI.
    """
    symbol = symbol_at(callee.place()) or ""
    is_callee = is_of_c_library(callee) or symbol.startswith(("MPI_", "PMPI_"))
    if not is_callee or is_of_c_library(caller) or caller.exact:
        return False
    # A function of the program would be back at once, too.
    yields = symbol.endswith("sched_yield")
    return not yields and calls_program(module(caller)) and not calls_mpi_or_c(caller, target)


def calls_mpi_or_c(frame: Physical, target: Target) -> bool:
    """Has a frame certainly called a function of MPI, of what it uses, or of the C library?"""
    callee = callee_before(frame.pc(), target)
    return callee is not None and is_code_of_mpi(callee, target)


def is_of_mpi(frame: Physical, target: Target) -> bool:
    """Is a frame in the MPI library, or in what it uses?

    If MPI is linked into the program, only the names of functions tell.
    """
    if target.library == target.executable() and in_executable(frame):
        return (symbol_at(frame.place()) or "").startswith(OF_FUNCTIONS)
    return is_code_of_mpi(frame.place(), target)


def is_code_of_mpi(address: int, target: Target) -> bool:
    """Is this an address in the MPI library, in what it uses, or in the C library?"""
    solib = gdb.solib_name(address)
    if solib is None:
        return target.library == target.executable() and bool(symbol_at(address))
    name = os.path.basename(solib)
    is_library = local_path(solib) == target.library
    return is_library or is_runtime(name) or is_below(name) or name.startswith(C_LIBRARIES)
