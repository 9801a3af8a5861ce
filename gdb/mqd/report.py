# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The report: plain data, and their JSON, which docs/json.md describes."""

import json
import re
from typing import Any, Dict, Iterator, List, NamedTuple, Optional

from .interface import QUEUES
from .operations import INDENT, Operations, OperationsWriter
from .problems import Problem
from .text import printable
from .versions import SCHEMA_VERSION, VERSION

# The queues' fields in a report.
FIELDS = {
    "sends": "pending_sends",
    "receives": "pending_receives",
    "unexpected": "unexpected_messages",
}


class StackHints(NamedTuple):
    """What helps to understand call stacks.

    Whether several threads may be in MPI, and the names of the progress functions, separated by
    commas: a call is in one only after it has started the operations that it waits for.
    """

    several_threads: Optional[bool]
    progress: str


class Activity(NamedTuple):
    """What a process is doing in MPI. Without a function it is in none."""

    function: Optional[str] = None
    needed: Optional[int] = None
    begun: Optional[bool] = None
    concurrent: Optional[bool] = None
    others: Optional[str] = None
    background: Optional[str] = None

    def fields(self) -> Dict[str, Any]:
        """What it is in a report."""
        fields = self._asdict()
        if self.others is None:
            del fields["others"]
        if self.background is None:
            del fields["background"]
        return fields


class Communicator:
    """A communicator with its queues."""

    def __init__(self, unique_id: int, name: str, size: int, local_rank: int) -> None:
        self.unique_id = unique_id
        self.parent: Optional[int] = None
        self.name = name
        self.size = size
        self.local_rank = local_rank
        self.group: Optional[List[int]] = None
        self.remote_group: Optional[List[int]] = None
        self.queues = {queue: Operations(queue) for queue in QUEUES}
        self.collectives: Optional[List[Dict[str, Any]]] = None
        self.traffic: Optional[List[Dict[str, int]]] = None
        self.not_known: List[str] = []

    def forget_queues(self) -> None:
        """Discards all queues, since what the DLL said about them is not reliable."""
        self.queues = {queue: Operations(queue) for queue in QUEUES}
        self.not_known = list(QUEUES)

    def described(self) -> str:
        """Its name, or its id if it has no name."""
        return self.name or f"communicator {self.unique_id:#x}"


class Process:
    """A process of the job, as far as it could be read."""

    def __init__(self) -> None:
        self.rank: Optional[int] = None
        self.pid: Optional[int] = None
        # The host and the job of a live process of this host.
        self.host: Optional[str] = None
        self.job: Optional[Dict[str, Any]] = None
        self.core: Optional[str] = None
        self.executable: Optional[str] = None
        self.library: Optional[str] = None
        self.dll_version: Optional[str] = None
        self.errors: List[Problem] = []
        self.activity: Optional[Activity] = None
        self.stacks: Optional[List[Dict[str, Any]]] = None
        self.fifos: Optional[List[Dict[str, Any]]] = None
        self.communicators: List[Communicator] = []
        # These are not in the report: what is doubtful without being an error, hints for the call
        # stacks, and whether there is nothing to show at all.
        self.warnings: List[str] = []
        self.hints = StackHints(None, "")
        self.background: Optional[str] = None
        self.takes_in = False
        self.refused = False

    def title(self) -> str:
        """The process in all words."""
        parts = ["rank unknown" if self.rank is None else f"rank {self.rank}"]
        if self.pid is not None:
            parts.append(f"pid {self.pid}")
        if self.executable is not None:
            parts.append(printable(self.executable))
        if self.core is not None:
            parts.append(f"core file {printable(self.core)}")
        return ", ".join(parts)

    def short_title(self) -> str:
        """The process in a word or two."""
        if self.rank is not None:
            return f"rank {self.rank}"
        if self.core is not None:
            return printable(self.core)
        return "a process" if self.pid is None else f"pid {self.pid}"


# A queue stands in the report as this and a number until its operations are written. No text of
# the report has a zero character in it.
QUEUE_MARK = re.compile(r'"\\u0000(\d+)"')


def report_json(processes: List[Process]) -> Iterator[str]:
    """The report in pieces, with a newline at the end: laid out as serde_json does it."""
    queues: List[Operations] = []
    report = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "mqd", "version": VERSION},
        "processes": [process_fields(process, queues) for process in processes],
    }
    # Every second piece is the number of a queue.
    pieces = QUEUE_MARK.split(json.dumps(report, indent=2, ensure_ascii=False))
    writer = OperationsWriter()
    for text, number in zip(pieces[0::2], pieces[1::2]):
        yield text + "[\n"
        yield from writer.elements(queues[int(number)])
        yield "\n" + INDENT[:-2] + "]"
    yield pieces[-1] + "\n"


def process_fields(process: Process, queues: List[Operations]) -> Dict[str, Any]:
    """A process as reports have it. Its queues that are not empty are added to `queues`."""
    activity = process.activity
    fifos = {} if process.fifos is None else {"fifos": process.fifos}
    host = {} if process.host is None else {"host": process.host}
    job = {} if process.job is None else {"job": process.job}
    return {
        "rank": process.rank,
        "pid": process.pid,
        **host,
        **job,
        "core": process.core,
        "executable": process.executable,
        "library": process.library,
        "dll_version": process.dll_version,
        "errors": [error.fields() for error in process.errors],
        "activity": None if activity is None else activity.fields(),
        "stacks": process.stacks,
        **fifos,
        "communicators": [communicator_fields(one, queues) for one in process.communicators],
    }


def runs(group: Optional[List[int]]) -> Optional[List[Dict[str, int]]]:
    """Ranks of a communicator as runs: consecutive both there and in MPI_COMM_WORLD."""
    if group is None:
        return None
    found: List[Dict[str, int]] = []
    for local, rank in enumerate(group):
        if found and rank == found[-1]["global"] + found[-1]["count"]:
            found[-1]["count"] += 1
        else:
            found.append({"local": local, "global": rank, "count": 1})
    return found


def communicator_fields(communicator: Communicator, queues: List[Operations]) -> Dict[str, Any]:
    """The same of a communicator."""
    fields: Dict[str, Any] = {"unique_id": f"{communicator.unique_id:#x}"}
    if communicator.parent is not None:
        fields["parent"] = f"{communicator.parent:#x}"
    fields["name"] = communicator.name
    fields["size"] = communicator.size
    fields["local_rank"] = communicator.local_rank
    fields["group"] = runs(communicator.group)
    if communicator.remote_group is not None:
        fields["remote_group"] = runs(communicator.remote_group)
    for queue, operations in communicator.queues.items():
        if operations:
            fields[FIELDS[queue]] = f"\0{len(queues)}"
            queues.append(operations)
        else:
            fields[FIELDS[queue]] = []
    fields["collectives"] = communicator.collectives
    fields["traffic"] = communicator.traffic
    if communicator.not_known:
        fields["not_known"] = communicator.not_known
    return fields
