# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The problems that a report names: the field `errors` in docs/json.md, and its kinds."""

from typing import Dict, NamedTuple, Optional

# The process has no MPI library that is known.
NO_MPI = "no_mpi"
# There is no debug DLL for the process, or it cannot be used.
NO_DLL = "no_dll"
# The debug DLL broke the protocol.
DLL_FAILED = "dll_failed"
# The debug DLL could not read the queues, or a part of them.
QUEUES = "queues"
# A bound on what is read was reached.
LIMIT = "limit"
# Something else. Here it is an error of gdb.
OTHER = "other"


class Problem(NamedTuple):
    """Something that could not be read: its kind, the text for people, and the file."""

    kind: str
    text: str
    path: Optional[str] = None

    def fields(self) -> Dict[str, str]:
        """The problem as reports have it."""
        fields = {"kind": self.kind, "text": self.text}
        if self.path is not None:
            fields["path"] = self.path
        return fields


class Failed(Exception):
    """A process cannot be read. The problem says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.text)
        self.problem = problem
