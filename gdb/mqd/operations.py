# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The operations of a queue, and their JSON.

There may be 100,000 of them. A tuple for each, or json.dumps for each, would take several times as
long as reading them. So they stay as the debug DLL has described them, in bytes, and their JSON is
put together from pieces that repeat: each piece is made once for a report.
"""

import ctypes
import json
import struct
import textwrap
from typing import Any, Callable, Dict, Iterator, Tuple

from .interface import TEXT_BYTES, TEXT_LINES
from .text import fixed_text

# 5.4.4: the names of the statuses.
STATUS = ("pending", "matched", "complete")

# Extension: does the process wait for the operation? Other values say that it is not known.
AWAITED = {1: True, 0: False}

# The fields of mqd_operation; and the same bytes as pieces for JSON.
OPERATION = struct.Struct(f"@illilliLllll{TEXT_BYTES * TEXT_LINES}si0l")
HEAD, PEER = struct.Struct("@illi0l"), struct.Struct("@ll")
TAIL = struct.Struct(f"@{TEXT_BYTES * TEXT_LINES}si")
PIECES = struct.Struct(f"@{HEAD.size}slli0lL{PEER.size}sll{TAIL.size}s0l")

INTS_OF_OPERATION = OPERATION.size // ctypes.sizeof(ctypes.c_int)


class Operations:
    """The operations of a queue as a debug DLL has described them."""

    def __init__(self, queue: str) -> None:
        # One mqd_operation after the other.
        self.raw = bytearray()
        # The message of a receive means nothing before one has matched.
        self.message_of_pending = queue != "receives"

    def __len__(self) -> int:
        return len(self.raw) // OPERATION.size

    def with_tag(self, wanted: int) -> int:
        """How many have this tag. A receive with MPI_ANY_TAG that nothing has matched has any."""
        found = 0
        for status, _, _, wild, tag, _, _, _, _, _, tag2, _, _, _ in OPERATION.iter_unpack(
            self.raw
        ):
            has_message = status != 0 or self.message_of_pending
            if (not wild and tag == wanted) or (tag2 == wanted if has_message else wild):
                found += 1
        return found


class Made(Dict[Any, Any]):
    """Caches the results of a function for arguments that repeat."""

    def __init__(self, make: Callable[[Any], Any]) -> None:
        super().__init__()
        self.make = make

    def __missing__(self, key: Any) -> Any:
        made = self[key] = self.make(key)
        return made


# How many operations are one piece of text. Memory that is used again is quicker than new memory.
AT_A_TIME = 500

# Where an operation stands in the JSON of a report.
INDENT = " " * 12

# The text before each value of an operation, in their order, and the text after the last one.
(
    STATUS_IS,
    LOCAL_IS,
    WORLD_IS,
    WILD_IS,
    TAG_IS,
    LENGTH_IS,
    SYSTEM_IS,
    BUFFER_IS,
    ACTUAL_LOCAL_IS,
    ACTUAL_WORLD_IS,
    ACTUAL_TAG_IS,
    ACTUAL_LENGTH_IS,
    AWAITED_IS,
    TEXT_IS,
    END,
) = textwrap.indent(
    json.dumps(
        dict.fromkeys(
            (
                "status",
                "desired_local_rank",
                "desired_global_rank",
                "tag_wild",
                "desired_tag",
                "desired_length",
                "system_buffer",
                "buffer",
                "actual_local_rank",
                "actual_global_rank",
                "actual_tag",
                "actual_length",
                "awaited",
                "extra_text",
            )
        ),
        indent=2,
    ),
    INDENT,
).split("null")

# The text between length and buffer for a buffer of the program, and for one of the MPI library.
ITS_BUFFER = f'{SYSTEM_IS}false{BUFFER_IS}"'
SYSTEM_BUFFER = f'{SYSTEM_IS}true{BUFFER_IS}"'


def peer_text(local: str, world: str) -> str:
    """The text between the buffer and the tag of the message."""
    return f'"{ACTUAL_LOCAL_IS}{local}{ACTUAL_WORLD_IS}{world}{ACTUAL_TAG_IS}'


NO_MESSAGE = f"{peer_text('null', 'null')}null{ACTUAL_LENGTH_IS}null"


class OperationsWriter:
    """Writes operations as JSON, for one report."""

    def __init__(self) -> None:
        self.heads, self.peers, self.tails = Made(head_json), Made(peer_json), Made(tail_json)

    def elements(self, operations: Operations) -> Iterator[str]:
        """The elements of the JSON array."""
        heads, peers, tails = self.heads, self.peers, self.tails
        length_is, actual_length_is = LENGTH_IS, ACTUAL_LENGTH_IS
        its_buffer, system_buffer, no_message = ITS_BUFFER, SYSTEM_BUFFER, NO_MESSAGE
        # No status is -1.
        without_message = -1 if operations.message_of_pending else 0
        raw, step, separator = memoryview(operations.raw), PIECES.size * AT_A_TIME, ""
        for start in range(0, len(raw), step):
            elements = []
            pieces = PIECES.iter_unpack(raw[start : start + step])
            for head, tag, length, system, buffer, peer, tag2, length2, tail in pieces:
                begin, status, wild = heads[head]
                any_tag = "null" if wild else tag
                whose = system_buffer if system else its_buffer
                # Two texts, since a text within a text would take time for each operation.
                if status == without_message:
                    elements.append(
                        f"{begin}{any_tag}{length_is}{length}{whose}{hex(buffer)}"
                        f"{no_message}{tails[tail]}"
                    )
                else:
                    elements.append(
                        f"{begin}{any_tag}{length_is}{length}{whose}{hex(buffer)}"
                        f"{peers[peer]}{tag2}{actual_length_is}{length2}{tails[tail]}"
                    )
            yield separator + ",\n".join(elements)
            separator = ",\n"


def head_json(head: bytes) -> Tuple[str, int, int]:
    """The JSON up to the tag, the status, and whether there is no tag."""
    status, local, world, wild = HEAD.unpack(head)
    begin = [STATUS_IS, '"', STATUS[status], '"', LOCAL_IS, str(local), WORLD_IS]
    begin += [rank_json(local, world), WILD_IS, "true" if wild else "false", TAG_IS]
    return "".join(begin), status, wild


def peer_json(peer: bytes) -> str:
    """The JSON between the buffer and the tag of the message."""
    local, world = PEER.unpack(peer)
    return peer_text(str(local), rank_json(local, world))


def rank_json(local: int, world: int) -> str:
    """A rank in MPI_COMM_WORLD; unknown ones can have a known rank in the communicator."""
    return "null" if world < 0 <= local else str(world)


def tail_json(tail: bytes) -> str:
    """The JSON behind the length of the message."""
    text, awaited = TAIL.unpack(tail)
    lines = json.dumps(text_lines(text), indent=2, ensure_ascii=False)
    lines = lines.replace("\n", "\n" + INDENT + "  ")
    return "".join([AWAITED_IS, json.dumps(AWAITED.get(awaited)), TEXT_IS, lines, END])


def text_lines(extra_text: bytes) -> Tuple[str, ...]:
    """The lines for people that are not empty."""
    used = len(extra_text.rstrip(b"\0"))
    lines = (fixed_text(extra_text[at : at + TEXT_BYTES]) for at in range(0, used, TEXT_BYTES))
    return tuple(line for line in lines if line)
