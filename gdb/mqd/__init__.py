# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The debugger's side of the MPI Message Queue Dumping interface (MQD) 1.0, inside gdb.

It loads a debug DLL, answers its callbacks from gdb's own symbols, types and memory, and makes a
report of its answers. The command `mqd` makes text, diagnoses and pictures of the report.

The modules, each of which imports only those before it:

    text, interface     bytes and text; mpi_interface.h in ctypes
    selection, target   gdb's state, and the process that it has
    problems, versions  what a report says of failures and of its writer
    operations, report  the report and its JSON
    callbacks           the DLL's questions, answered from the target
    trust, dll          which DLL, and loading it
    walk, stacks        the DLL's answers; and what call stacks tell
    read                from inferiors to processes of a report
    program, jobs       the command `mqd`; all ranks of a job
    communicators, options, functions, commands
                        what the user sees
"""

from . import commands, functions


def register() -> None:
    """Registers all commands, the parameter and the functions with gdb."""
    commands.register()
    functions.register()
