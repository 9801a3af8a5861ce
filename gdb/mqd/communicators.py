# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The text of `info mpi-communicators`, and choosing communicators by name or id."""

from typing import List

from .interface import QUEUES
from .report import FIELDS, Communicator, Process
from .text import count, number_or_none, printable, width


def is_called(communicator: Communicator, wanted: str) -> bool:
    """Has the communicator this name or this id?"""
    by_id = wanted.startswith("0x") and number_or_none(wanted, 16) == communicator.unique_id
    return by_id or wanted == communicator.name


def communicators_text(processes: List[Process]) -> str:
    """The communicators of each process."""
    lines: List[str] = []
    for process in processes:
        lines.append(process.title())
        for error in process.errors:
            lines += ["  error: " + printable(line) for line in error.text.splitlines()]
        rows = [row(communicator) for communicator in process.communicators]
        widths = [max(map(width, column)) for column in zip(*rows)]
        for cells in rows:
            padded = (
                cell + " " * (wide - width(cell)) for cell, wide in zip(cells, widths) if wide
            )
            lines.append(("  " + "  ".join(padded)).rstrip())
        if not process.communicators and not process.errors:
            lines.append("  no communicators")
        lines.append("")
    return "\n".join(lines[:-1]) + "\n"


def row(communicator: Communicator) -> List[str]:
    """A communicator as cells of a table."""
    group = communicator.group
    pending = [
        count(len(communicator.queues[queue]), singular(queue), singular(queue) + "s")
        for queue in QUEUES
        if communicator.queues[queue]
    ]
    unknown = [singular(queue) + "s not known" for queue in communicator.not_known]
    return [
        printable(communicator.name) or "unnamed",
        f"id {communicator.unique_id:#x}",
        f"rank {communicator.local_rank} of {communicator.size}",
        "" if group is None else f"world ranks {ranges(group)}",
        ", ".join(pending + unknown) or "nothing pending",
    ]


def singular(queue: str) -> str:
    """One operation of a queue in words: `pending send`."""
    return FIELDS[queue].replace("_", " ")[:-1]


def ranges(ranks: List[int]) -> str:
    """Ranks in their order, with runs put together: `0-3,8`."""
    runs: List[List[int]] = []
    for rank in ranks:
        if runs and runs[-1][1] + 1 == rank:
            runs[-1][1] = rank
        else:
            runs.append([rank, rank])
    parts = (str(first) if first == last else f"{first}-{last}" for first, last in runs)
    return ",".join(parts) or "none"
