# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Jobs: attaching to all ranks of one, and which one a process belongs to.

The command `mqd` knows both.
"""

import contextlib
import json
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import gdb

from .program import answer_of, ask
from .report import Process
from .selection import quiet, selection_kept
from .text import count, printable

# The ranks that `mqd attach-job` has attached to, by the numbers of their inferiors. An inferior
# may have another process by now.
job_ranks: Dict[int, Tuple[int, int]] = {}


def rank_of(inferior: gdb.Inferior) -> Optional[int]:
    """The rank, if a job's list of processes has told it."""
    pid, rank = job_ranks.get(inferior.num, (0, 0))
    return rank if pid and pid == inferior.pid else None


def add_jobs(processes: List[Process]) -> None:
    """Notes the jobs of processes of this host. Without the command they are not known."""
    here = {one.pid: one for one in processes if one.host is not None}
    if not here:
        return
    pids = ",".join(str(pid) for pid in here)
    with contextlib.suppress(gdb.GdbError):
        answer = ask(["ranks", "--pid", pids, "--format", "json"])
        if answer.code == 0:
            for rank in json.loads(answer.output)["processes"]:
                here[rank["pid"]].job = rank.get("job")


class Member(NamedTuple):
    """A process of a job, as `mqd ranks` lists it."""

    rank: int
    host: str
    this_host: bool
    pid: int
    executable: str


def job_members(launcher: int) -> Tuple[List[Member], List[str]]:
    """The processes of a job in the order of their ranks, and remarks on how they were found."""
    told: Dict[str, Any] = json.loads(answer_of(["ranks", str(launcher), "--format", "json"]))
    members = [Member(*(one[name] for name in Member._fields)) for one in told["processes"]]
    return members, told["remarks"]


def attach_job(launcher: int) -> None:
    """Attaches to all ranks of a job that are on this machine, and prints the result for each."""
    had_process = gdb.selected_inferior().pid != 0
    first: Optional[gdb.Inferior] = None
    with quiet(), selection_kept():
        members, remarks = job_members(launcher)
        for remark in remarks:
            gdb.write(f"{printable(remark)}\n")
        for member in members:
            inferior = attach_rank(member)
            first = first or inferior
    if first is None:
        ranks = count(len(members), "rank", "ranks")
        raise gdb.GdbError(f"None of the {ranks} of the job could be attached to.")
    if not had_process:
        gdb.execute(f"inferior {first.num}", to_string=True)


def attach_rank(member: Member) -> Optional[gdb.Inferior]:
    """Attaches to a rank, unless gdb has it already, and prints the result."""
    who = f"rank {member.rank}"
    if not member.this_host:
        text = "{}: not attached to, as it runs on host {}: run gdb there\n"
        gdb.write(text.format(who, printable(member.host)))
        return None
    known = (inferior for inferior in gdb.inferiors() if inferior.pid == member.pid)
    inferior = next(known, None)
    try:
        inferior = attached(member.pid) if inferior is None else inferior
    except gdb.error as error:
        text = f"{who}: process {member.pid} cannot be attached to: {error}\n"
        gdb.write(text, gdb.STDERR)
        return None
    job_ranks[inferior.num] = (member.pid, member.rank)
    path = printable(inferior.progspace.filename or member.executable)
    text = "{}: inferior {}, process {}, {}\n"
    gdb.write(text.format(who, inferior.num, member.pid, path))
    return inferior


def attached(pid: int) -> gdb.Inferior:
    """Attaches to a process and selects its inferior.

    It is the selected inferior if that has nothing yet, or else a new one.
    """
    before = gdb.selected_inferior()
    inferior = before
    if before.pid != 0 or before.progspace.filename is not None:
        known = {one.num for one in gdb.inferiors()}
        # What the selected inferior is connected to may be another machine.
        gdb.execute("add-inferior -no-connection", to_string=True)
        inferior = next(one for one in gdb.inferiors() if one.num not in known)
        gdb.execute(f"inferior {inferior.num}", to_string=True)
    try:
        gdb.execute(f"attach {pid}", to_string=True)
    except BaseException:
        gdb.execute(f"inferior {before.num}", to_string=True)
        discard(inferior)
        raise
    return inferior


def discard(inferior: gdb.Inferior) -> None:
    """Removes an inferior without a process. The selected one only forgets its program."""
    if gdb.selected_inferior().num == inferior.num:
        gdb.execute("file", to_string=True)
        return
    gdb.execute(f"remove-inferiors {inferior.num}", to_string=True)
