# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The functions for expressions: $_mpi_pending_receives and the like."""

from typing import Optional

import gdb

from .communicators import is_called, singular
from .interface import QUEUES
from .read import read_inferior
from .selection import check_stopped_in_expression
from .walk import queue_not_known

HELP = """${name}([COMMUNICATOR [, TAG]]): how many {operation}s there are in the selected process.

COMMUNICATOR is a name or an id such as "0x2". "" stands for all of them. With TAG, only the
operations are counted that have this tag. A receive with MPI_ANY_TAG counts if it could match it.
In a condition, as in
    break exchange if ${name}("halo") > 3
each hit reads the queues. It is an error if they cannot be read, as before MPI_Init."""


class Count(gdb.Function):
    """Counts the operations of a queue of the selected inferior."""

    def __init__(self, name: str, queue: str) -> None:
        self.__doc__ = HELP.format(name=name, operation=singular(queue))
        self.name, self.queue = name, queue
        super().__init__(name)

    def invoke(  # type: ignore[override]  # gdb passes as many arguments as the user writes
        self, communicator: Optional[gdb.Value] = None, tag: Optional[gdb.Value] = None
    ) -> int:
        """Counts the operations."""
        inferior = gdb.selected_inferior()
        if inferior.pid == 0:
            raise gdb.GdbError(f"${self.name}: there is no process to read.")
        check_stopped_in_expression(inferior)
        try:
            wanted = communicator.string() if communicator is not None else ""
            tag_wanted = int(tag) if tag is not None else None
        except gdb.error as error:
            raise gdb.GdbError(f"${self.name}: {error}") from None
        # Reading call stacks would select other threads, which gdb does not expect while it
        # evaluates an expression.
        process = read_inferior(inferior, stacks=False)
        # It does not matter here if another queue is not known.
        others = [queue_not_known(queue) for queue in QUEUES if queue != self.queue]
        errors = [error.text for error in process.errors if error not in others]
        if errors:
            raise gdb.GdbError("${}: {}".format(self.name, "; ".join(errors)))
        return sum(
            len(one.queues[self.queue])
            if tag_wanted is None
            else one.queues[self.queue].with_tag(tag_wanted)
            for one in process.communicators
            if not wanted or is_called(one, wanted)
        )


def register() -> None:
    """Registers the functions with gdb."""
    Count("_mpi_pending_receives", "receives")
    Count("_mpi_pending_sends", "sends")
    Count("_mpi_unexpected_messages", "unexpected")
