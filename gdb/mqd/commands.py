# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The commands and the parameter. Their docstrings are what `help` prints."""

import os
from typing import Any, ClassVar, List, Optional

import gdb

from .communicators import communicators_text, is_called
from .dll import DIRECTORY, own_dll
from .jobs import attach_job
from .options import FILTERS, Options, Words, any_word, completions
from .program import answer_of, color
from .read import fail_if_nothing, read_all
from .report import Process, report_json
from .selection import wanted_inferiors
from .text import number_or_none


def read_something() -> List[Process]:
    """Reads all processes. It is an error if nothing can be read."""
    processes = read_all()
    fail_if_nothing(processes)
    return processes


class InfoMpiQueues(gdb.Command):
    """Show what the MPI processes wait for: pending sends and receives, unexpected messages.

    Usage: info mpi-queues [-comm NAME] [-queue sends|receives|unexpected] [-rank N] [-tag N]

      -comm NAME   Show only the communicator with this name, or with this id (0x...).
      -queue NAME  Show only this queue: sends, receives or unexpected.
      -rank N      Show only this rank in MPI_COMM_WORLD, or a range of ranks such as 0-7.
      -tag N       Show only operations with this tag, or with a range of tags such as 0-7.
                   A receive with MPI_ANY_TAG that nothing has matched is shown too: it can
                   match any tag.

    Options may be repeated and shortened. -queue, -rank and -tag take lists (-tag 3,10-19).
    gdb reads all inferiors that have a process. Their threads have to be stopped. A debug
    DLL reads the queues: see `help set mqd dll`. The command mqd makes the text of them."""

    OPTIONS: ClassVar[Words] = FILTERS

    def __init__(self) -> None:
        super().__init__("info mpi-queues", gdb.COMMAND_STATUS)

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Shows the queues."""
        options = Options("info mpi-queues", argument, self.OPTIONS)
        processes = read_something()
        wanted = options.values["-comm"]
        if wanted and not any(
            is_called(communicator, name)
            for process in processes
            for communicator in process.communicators
            for name in wanted
        ):
            text = "No process has a communicator {}: `info mpi-communicators` lists them."
            raise gdb.GdbError(text.format(" or ".join(wanted)))
        arguments = ["dump", "-", color(), *options.for_mqd()]
        gdb.write(answer_of(arguments, report_json(processes)))

    def complete(self, text: str, word: str) -> Any:
        """Completes options and their values."""
        return completions(text, word, self.OPTIONS)


class InfoMpiCommunicators(gdb.Command):
    """Show the communicators of the MPI processes, and how much is pending in each.

    Usage: info mpi-communicators

    Each line has name, id, rank and size, and the ranks in MPI_COMM_WORLD. gdb reads all
    inferiors that have a process. Their threads have to be stopped."""

    def __init__(self) -> None:
        super().__init__("info mpi-communicators", gdb.COMMAND_STATUS)

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Shows the communicators."""
        Options("info mpi-communicators", argument, {})
        gdb.write(communicators_text(read_something()))

    def complete(self, text: str, word: str) -> Any:
        """Completes nothing."""
        return gdb.COMPLETE_NONE


class Mqd(gdb.Command):
    """Message queues of MPI programs.

    See also `info mpi-queues` and `info mpi-communicators`, and the functions
    $_mpi_pending_receives, $_mpi_pending_sends and $_mpi_unexpected_messages."""

    def __init__(self) -> None:
        super().__init__("mqd", gdb.COMMAND_DATA, prefix=True)

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Shows the help, or says that there is no such command."""
        if argument:
            text = "mqd has no command {!r}. See `help mqd`."
            raise gdb.GdbError(text.format(argument.split(maxsplit=1)[0]))
        gdb.execute("help mqd", from_tty)


class MqdDump(gdb.Command):
    """Write the message queues of all processes to a file, like `mqd dump --format json`.

    Usage: mqd dump -json FILE

    gdb reads all inferiors that have a process. Their threads have to be stopped. What cannot
    be read is an error in the file. If nothing can be read the command fails. docs/json.md
    describes the format."""

    OPTIONS: ClassVar[Words] = {"-json": any_word}

    def __init__(self) -> None:
        super().__init__("mqd dump", gdb.COMMAND_DATA)

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Writes the file."""
        self.dont_repeat()
        files = Options("mqd dump", argument, self.OPTIONS).values["-json"]
        if len(files) != 1:
            raise gdb.GdbError("Which file? Usage: mqd dump -json FILE")
        path = os.path.expanduser(files[0])
        wanted_inferiors()
        try:
            # Opened before anything is read: a typing error must not cost a dump.
            with open(path, "w", encoding="utf-8", errors="replace") as file:
                processes = read_all()
                file.writelines(report_json(processes))
        except OSError as error:
            raise gdb.GdbError(f"Cannot write {path}: {error.strerror}") from None
        fail_if_nothing(processes)

    def complete(self, text: str, word: str) -> Any:
        """Completes the option and the name of the file."""
        if text.startswith("-json "):
            return gdb.COMPLETE_FILENAME
        return completions(text, word, self.OPTIONS)


class MqdCheck(gdb.Command):
    """Tell what is wrong with a job: is it deadlocked, and why?

    Usage: mqd check

    The first line is the verdict. A job that is merely slow is never called deadlocked. If
    what gdb has does not suffice for a verdict, the text says what is missing. gdb reads all
    inferiors that have a process. Their threads have to be stopped. All ranks of the job
    should be there: see `help mqd attach-job`. docs/check.md explains the findings."""

    def __init__(self) -> None:
        super().__init__("mqd check", gdb.COMMAND_STATUS)

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Shows the diagnosis."""
        Options("mqd check", argument, {})
        gdb.write(answer_of(["check", "-", color()], report_json(read_something())))

    def complete(self, text: str, word: str) -> Any:
        """Completes nothing."""
        return gdb.COMPLETE_NONE


class MqdGraph(gdb.Command):
    """Draw who waits for whom, as a file.

    Usage: mqd graph FILE

    The ending of FILE says what it will be: a report for a browser (.html), a picture (.svg),
    input for Graphviz (.dot), or a table (.csv). gdb reads all inferiors that have a process.
    Their threads have to be stopped. docs/pictures.md explains the pictures."""

    def __init__(self) -> None:
        super().__init__("mqd graph", gdb.COMMAND_STATUS)

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Writes the file."""
        self.dont_repeat()
        files = Options("mqd graph", argument, {}, most=1).rest
        if not files:
            raise gdb.GdbError("Which file? Usage: mqd graph FILE")
        path = os.path.expanduser(files[0])
        answer_of(["graph", "-", f"--output={path}"], report_json(read_something()))

    def complete(self, text: str, word: str) -> Any:
        """Completes the name of the file."""
        return gdb.COMPLETE_FILENAME


class MqdAttachJob(gdb.Command):
    """Debug all ranks of an MPI job.

    Usage: mqd attach-job LAUNCHER_PID

    LAUNCHER_PID is the process id of mpiexec, mpirun or srun. Its table of processes
    (MPIR_proctable) names the ranks. If it has no table, the ranks are those of its
    descendants that have a rank in their environment. Each rank on this machine becomes an
    inferior. The ranks stay stopped until they are continued (see `help set
    schedule-multiple`) or detached from. The command mqd finds the ranks."""

    def __init__(self) -> None:
        super().__init__("mqd attach-job", gdb.COMMAND_RUNNING)

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Attaches."""
        self.dont_repeat()
        rest = Options("mqd attach-job", argument, {}, most=1).rest
        launcher = number_or_none(rest[0]) if rest else None
        if launcher is None or launcher <= 0:
            raise gdb.GdbError(
                "Which job? Usage: mqd attach-job LAUNCHER_PID, the process id of mpiexec (or "
                "mpirun, srun)."
            )
        attach_job(launcher)

    def complete(self, text: str, word: str) -> Any:
        """Completes nothing."""
        return gdb.COMPLETE_NONE


class SetMqd(gdb.Command):
    """How the message queues of MPI programs are read."""

    def __init__(self) -> None:
        super().__init__("set mqd", gdb.COMMAND_DATA, prefix=True)


class ShowMqd(gdb.Command):
    """How the message queues of MPI programs are read."""

    def __init__(self) -> None:
        super().__init__("show mqd", gdb.COMMAND_DATA, prefix=True)

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Shows all parameters."""
        gdb.execute("show mqd dll", from_tty)


class MqdDll(gdb.Parameter):
    """The debug DLL that reads the message queues of MPI programs.

    If none is set, it is the DLL that the process names (MPIR_dll_name), or mqd's own,
    libmqd.so. A DLL that the process names is loaded only if nobody else can have written
    it: it and the directories on its path must belong to root or to you. If gdb runs as
    root, or the process belongs to another user, they must belong to root.
    A DLL runs inside gdb: if it crashes, gdb crashes."""

    set_doc = "Set the debug DLL that reads the message queues of MPI programs."
    show_doc = "Show the debug DLL that reads the message queues of MPI programs."

    def __init__(self) -> None:
        super().__init__("mqd dll", gdb.COMMAND_DATA, gdb.PARAM_OPTIONAL_FILENAME)
        self.value: Optional[str] = None

    def get_set_string(self) -> str:
        """Says nothing when the parameter is set."""
        return ""

    def get_show_string(self, value: str) -> str:
        """Says which DLL it is."""
        if value:
            return f"The debug DLL is {value}."
        own = own_dll()
        missing = "mqd's own, which is missing: libmqd.so is not in {} or its ../lib"
        ours = missing.format(DIRECTORY) if own is None else f"mqd's own, {own}"
        text = "The debug DLL is the one that the process names (MPIR_dll_name), or {}."
        return text.format(ours)


def register() -> None:
    """Registers the commands and the parameter with gdb."""
    for command in (
        InfoMpiQueues,
        InfoMpiCommunicators,
        Mqd,
        MqdDump,
        MqdCheck,
        MqdGraph,
        MqdAttachJob,
        SetMqd,
        ShowMqd,
        MqdDll,
    ):
        command()
