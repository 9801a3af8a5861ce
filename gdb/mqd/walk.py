# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The protocol: how a debugger asks a DLL for the queues of a process (4.2).

What was read before something failed is kept.
"""

import ctypes
from ctypes import byref, c_char, c_char_p, c_int, c_ulong, c_void_p
from typing import Any, Callable, Dict, List, Optional, Tuple

from .callbacks import IMAGE, PROCESS, Session
from .dll import Dll, is_own
from .interface import (
    BLANK_OPERATION,
    COLLECTIVES,
    MQS_END_OF_LIST,
    MQS_INVALID_PROCESS,
    MQS_NO_INFORMATION,
    MQS_OK,
    TEXT_BYTES,
    mqd_call,
    mqd_fifo,
    mqd_operation,
    mqd_stack_hints,
    mqd_traffic,
    mqs_communicator,
)
from .interface import QUEUES as QUEUES_BY_NUMBER
from .operations import INTS_OF_OPERATION, OPERATION, STATUS, Operations
from .problems import DLL_FAILED, LIMIT, QUEUES, Failed, Problem
from .report import FIELDS, Activity, Communicator, StackHints
from .text import text_of

# How much of a process is read. Longer lists are taken for endless.
MOST_COMMUNICATORS, MOST_OPERATIONS, LARGEST_GROUP = 100_000, 2_000_000, 1 << 24

# How many operations a DLL describes at one call.
AT_A_TIME = 1000


class Walker:
    """A DLL that reads the process of a session."""

    def __init__(self, dll: Dll, session: Session) -> None:
        self.dll = dll
        self.functions = dll.functions
        self.session = session
        self.process = c_void_p(session.process)
        self.image = c_void_p(session.image)
        self.left = MOST_OPERATIONS
        self.exceeded = False
        self.errors: List[Problem] = []
        # The DLL describes operations here, some at a time.
        some = bytearray(AT_A_TIME * OPERATION.size)
        self.some_bytes = memoryview(some)
        self.some_ints = self.some_bytes.cast("i")
        self.place = ctypes.addressof(c_char.from_buffer(some))

    def __enter__(self) -> "Walker":
        self.session.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        # The DLL gets back what it has attached, and frees it. Nothing can be done if that fails.
        session = self.session
        info = session.take_info(session.process)
        if info:
            self.functions["mqs_destroy_process_info"](c_void_p(info))
        info = session.take_info(session.image)
        if info:
            self.functions["mqs_destroy_image_info"](c_void_p(info))
        session.__exit__(*exception)

    def _call(self, name: str, *arguments: Any) -> int:
        code: int = self.functions[name](self.process, *arguments)
        self._heed_interrupt()
        return code

    def _heed_interrupt(self) -> None:
        """Raises the exception of a callback that the user has interrupted."""
        interrupt, self.session.interrupt = self.session.interrupt, None
        if interrupt is not None:
            raise interrupt

    def accept(self) -> None:
        """Shows the process to the DLL: first the image, then the process (4.2, steps 5 to 7)."""
        message = c_char_p()
        for name, handle, extra in (
            ("mqs_setup_image", self.image, byref(IMAGE.table)),
            ("mqs_image_has_queues", self.image, byref(message)),
            ("mqs_setup_process", self.process, byref(PROCESS.table)),
            ("mqs_process_has_queues", self.process, byref(message)),
        ):
            code = self.functions[name](handle, extra)
            self._heed_interrupt()
            if code != MQS_OK:
                subject = self.session.target.executable() or "the process"
                said = fill_in(message.value, subject) if name.endswith("has_queues") else None
                why = self._explain(name, code, said)
                text = f"the debug DLL {self.dll.path}: {why}"
                raise Failed(Problem(QUEUES, text, self.dll.path))

    def read(self) -> Tuple[List[Communicator], Optional[Activity]]:
        """All communicators with their queues, and what the process is doing."""
        self.session.take_missing()
        communicators: List[Communicator] = []
        activity = None
        code = self._call("mqs_update_communicator_list")
        if code != MQS_OK:
            # A DLL may still have the part that it could read.
            self._fail("mqs_update_communicator_list", code)
        if not self._step("mqs_setup_communicator_iterator"):
            return communicators, activity
        activity = self._activity()
        while len(communicators) < MOST_COMMUNICATORS:
            communicator = self._communicator()
            if communicator is None:
                return communicators, activity
            communicators.append(communicator)
            if self.exceeded or not self._step("mqs_next_communicator"):
                return communicators, activity
        text = "stopped after {} communicators: the list that the debug DLL gives seems endless"
        self.errors.append(Problem(LIMIT, text.format(MOST_COMMUNICATORS)))
        return communicators, activity

    def _step(self, function: str, *arguments: Any) -> bool:
        """Is there another element? DLLs say yes with 0. Their own codes are errors."""
        code = self._call(function, *arguments)
        if code not in (MQS_OK, MQS_END_OF_LIST, MQS_NO_INFORMATION):
            self._fail(function, code)
        return code == MQS_OK

    def _communicator(self) -> Optional[Communicator]:
        """The current communicator with its queues."""
        raw = mqs_communicator()
        if not self._step("mqs_get_communicator", byref(raw)):
            return None
        communicator = Communicator(raw.unique_id, text_of(raw.name), raw.size, raw.local_rank)
        communicator.parent = self._parent()
        communicator.collectives = self._collectives()
        communicator.traffic = self._traffic()
        communicator.group = self._group(communicator)
        communicator.remote_group = self._remote_group()
        for number, queue in enumerate(QUEUES_BY_NUMBER):
            operations = self._queue(number, queue, communicator)
            if operations is None:
                communicator.not_known.append(queue)
            else:
                communicator.queues[queue] = operations
        return communicator

    def _parent(self) -> Optional[int]:
        """The program's communicator that the current one is a part of."""
        if self.functions["mqd_get_parent"] is None:
            return None
        parent = c_ulong(0)
        code = self._call("mqd_get_parent", byref(parent))
        return parent.value if code == MQS_OK else None

    def _group(self, communicator: Communicator) -> Optional[List[int]]:
        """The ranks of the current communicator's processes in MPI_COMM_WORLD."""
        size = communicator.size
        if not 0 <= size <= LARGEST_GROUP:
            text = "{}: {} cannot be the number of its processes; its group is left out"
            text = text.format(communicator.described(), size)
            self.errors.append(Problem(DLL_FAILED, text))
            return None
        if self.functions["mqs_get_comm_group"] is None:
            return None
        ranks = (c_int * size)(*([MQS_INVALID_PROCESS] * size))
        code = self._call("mqs_get_comm_group", ranks)
        if code == MQS_OK:
            return list(ranks)
        if code != MQS_NO_INFORMATION:
            why = self._explain("mqs_get_comm_group", code)
            text = f"{communicator.described()}: {why}"
            self.errors.append(Problem(QUEUES, text))
        return None

    def _remote_group(self) -> Optional[List[int]]:
        """The same of the other group; empty for an intracommunicator."""
        if self.functions["mqd_get_remote_group"] is None:
            return None
        number = c_int(0)
        code = self._call("mqd_get_remote_group", c_int(0), None, byref(number))
        if code != MQS_OK or not 0 <= number.value <= LARGEST_GROUP:
            return None
        if number.value == 0:
            return []
        ranks = (c_int * number.value)()
        code = self._call("mqd_get_remote_group", number, ranks, byref(number))
        return list(ranks) if code == MQS_OK else None

    def _activity(self) -> Optional[Activity]:
        """The MPI call that the process waits in."""
        if self.functions["mqd_get_call"] is None:
            return None
        call = mqd_call(needed=-1)
        code = self._call("mqd_get_call", byref(call))
        if code == MQS_OK:
            # A DLL does not tell the call if other threads may be in MPI.
            function, needed = text_of(call.function), count_or_none(call.needed)
            return Activity(function, needed, concurrent=False)
        return Activity() if code == MQS_END_OF_LIST else None

    def stack_hints(self) -> StackHints:
        """What the DLL knows about call stacks."""
        hints = mqd_stack_hints(threads=-1)
        if (
            self.functions["mqd_get_stack_hints"] is None
            or self._call("mqd_get_stack_hints", byref(hints)) != MQS_OK
        ):
            return StackHints(None, "")
        return StackHints({1: False, 2: True}.get(hints.threads), text_of(hints.progress))

    def loop_function(self) -> str:
        """The function that a call calls again and again while it waits. Empty: there is none."""
        return self._name_by("mqd_get_loop_function")

    def set_awaited_word(self, address: int) -> None:
        """Tells the DLL that the process loops until this word changes. It holds for one read."""
        if self.functions["mqd_set_awaited_word"] is not None:
            self._call("mqd_set_awaited_word", c_ulong(address))

    def send_function(self) -> str:
        """The function whose frames have the requests of blocking sends. Empty: there is none."""
        return self._name_by("mqd_get_send_function")

    def _name_by(self, function: str) -> str:
        """The name that this function of the DLL gives. Empty: there is none."""
        if self.functions[function] is None:
            return ""
        name = ctypes.create_string_buffer(TEXT_BYTES)
        return text_of(name.value) if self._call(function, name) == MQS_OK else ""

    def set_no_other_senders(self) -> None:
        """Tells the DLL that only the first thread may be in it. It holds for one read."""
        if self.functions["mqd_set_no_other_senders"] is not None:
            self._call("mqd_set_no_other_senders")

    def background(self, at_rest: Optional[bool]) -> Optional[str]:
        """What the MPI library does by itself. None: not known.

        `at_rest` is what the loop tells in which the process waits. None: no loop is known.
        """
        state = c_int(-1)
        if (
            self.functions["mqd_get_background"] is None
            or self._call("mqd_get_background", byref(state)) != MQS_OK
        ):
            return None
        if state.value not in (0, 1):
            return "working"
        if at_rest is None:
            return None
        if state.value == 0:
            return "idle"
        return "waiting" if at_rest else "working"

    def fifos(self) -> Optional[List[Dict[str, Any]]]:
        """The queues in shared memory that carry messages."""
        setup = "mqd_setup_fifo_iterator"
        if self.functions[setup] is None or self._call(setup) != MQS_OK:
            return None
        if self.functions["mqd_next_fifo"] is None:
            return None
        fifos = self._whole("mqd_next_fifo", lambda: mqd_fifo(0, -1, -1))
        if fifos is None:
            return None
        return [
            {
                "id": f"{raw.id:#x}",
                "rank": None if raw.rank == -1 else raw.rank,
                "elements": raw.elements,
            }
            for raw in fifos
        ]

    def _whole(self, function: str, new: Callable[[], Any]) -> Optional[List[Any]]:
        """All elements of an optional list; None if it does not come to its end."""
        elements: List[Any] = []
        while True:
            raw = new()
            code = self._call(function, byref(raw))
            if code == MQS_END_OF_LIST:
                return elements
            if code != MQS_OK or len(elements) == LARGEST_GROUP:
                return None
            elements.append(raw)

    def _collectives(self) -> Optional[List[Dict[str, Any]]]:
        """The collective operations on the current communicator that were called at all."""
        if self.functions["mqs_get_comm_coll_state"] is None:
            return None
        known: Optional[List[Dict[str, Any]]] = None
        for number, function in enumerate(COLLECTIVES):
            calls, active = c_int(-1), c_int(-1)
            code = self._call("mqs_get_comm_coll_state", number, byref(calls), byref(active))
            if code != MQS_OK:
                continue
            known = known if known is not None else []
            is_active = active.value > 0
            if is_active or calls.value > 0:
                calls_or_none = count_or_none(calls.value)
                known.append({"function": function, "calls": calls_or_none, "active": is_active})
        return known

    def _traffic(self) -> Optional[List[Dict[str, int]]]:
        """The numbers of messages between this process and others of the communicator."""
        setup = "mqd_setup_traffic_iterator"
        if self.functions[setup] is None or self._call(setup) != MQS_OK:
            return None
        if self.functions["mqd_next_traffic"] is None:
            return None
        traffic = self._whole("mqd_next_traffic", lambda: mqd_traffic(-1, -1, -1))
        if traffic is None:
            return None
        return [
            {"local_rank": raw.local_rank, "sent": raw.sent, "received": raw.received}
            for raw in traffic
        ]

    def _queue(self, number: int, queue: str, communicator: Communicator) -> Optional[Operations]:
        """The operations of a queue of a communicator; None if the DLL does not know them."""
        operations = Operations(queue)
        if self.exceeded:
            return None
        function = "mqs_setup_operation_iterator"
        code = self._call(function, number)
        if code == MQS_END_OF_LIST:
            return operations
        if code == MQS_NO_INFORMATION:
            # This is not the same as an empty queue. It holds for all communicators: it is said
            # once.
            problem = queue_not_known(queue)
            if problem not in self.errors:
                self.errors.append(problem)
            return None
        found: Optional[Tuple[str, str]] = None
        if code == MQS_OK:
            found = self._operations(operations)
        else:
            found = QUEUES, self._explain(function, code)
        if found is not None:
            kind, why = found
            text = f"{communicator.described()}, {words(queue)}: {why}"
            self.errors.append(Problem(kind, text))
            # What was read before counts. If nothing was read, something may be there.
            return operations if operations.raw else None
        return operations

    def _operations(self, operations: Operations) -> Optional[Tuple[str, str]]:
        """Adds the operations of the current queue. Returns kind and text of a problem."""
        in_bulk = self.functions["mqd_next_operations"] is not None
        while True:
            number, code = self._some() if in_bulk else self._some_one_by_one()
            self._heed_interrupt()
            taken = min(number, self.left)
            ints = self.some_ints[: taken * INTS_OF_OPERATION : INTS_OF_OPERATION]
            statuses = ints.tolist()
            unknown = set(statuses).difference(range(len(STATUS)))
            taken = min([taken, *map(statuses.index, unknown)])
            operations.raw += self.some_bytes[: taken * OPERATION.size]
            self.left -= taken
            if unknown:
                why = "stopped: the debug DLL reports the unknown status {}"
                return DLL_FAILED, why.format(statuses[taken])
            if taken < number:
                self.exceeded = True
                why = (
                    "stopped: the process has more operations than the limit ({}), or the debug "
                    "DLL repeats itself"
                )
                return LIMIT, why.format(MOST_OPERATIONS)
            if code in (MQS_END_OF_LIST, MQS_NO_INFORMATION):
                return None
            if code != MQS_OK:
                function = "mqd_next_operations" if in_bulk else "mqs_next_operation"
                return QUEUES, self._explain(function, code)

    def _some(self) -> Tuple[int, int]:
        """Has the DLL describe the next operations: how many, and whether there may be more."""
        into, number = c_void_p(self.place), c_int(0)
        function = self.functions["mqd_next_operations"]
        code = function(self.process, AT_A_TIME, into, byref(number))
        described = min(max(number.value, 0), AT_A_TIME)
        # If the DLL has described none this is the end, whatever it says.
        return described, MQS_END_OF_LIST if code == MQS_OK and described == 0 else code

    def _some_one_by_one(self) -> Tuple[int, int]:
        """The same for a DLL without that function. An error may come after some operations."""
        process, next_operation = self.process, self.functions["mqs_next_operation"]
        is_awaited = self.functions["mqd_is_awaited"]
        fill, blank = ctypes.memmove, bytes(BLANK_OPERATION)
        for at in range(AT_A_TIME):
            place = self.place + at * OPERATION.size
            fill(place, blank, OPERATION.size)
            code = next_operation(process, c_void_p(place))
            if code != MQS_OK:
                return at, code
            awaited = place + mqd_operation.awaited.offset
            if is_awaited is None or is_awaited(process, c_void_p(awaited)) != MQS_OK:
                c_int.from_address(awaited).value = -1
        return AT_A_TIME, MQS_OK

    def _fail(self, function: str, code: int) -> None:
        self.errors.append(Problem(QUEUES, self._explain(function, code)))

    def _explain(self, function: str, code: int, message: Optional[str] = None) -> str:
        """Explains a failure. Nothing is said twice.

        The DLL may have a text for the code, and a message. The session knows which questions of
        the DLL had no answer.
        """
        text = self.dll.error_text(code)
        if text is None or (message is not None and text in message):
            reason = message or "no reason given"
        elif message is not None and message not in text:
            reason = f"{text}: {message}"
        else:
            reason = text
        told = f"{function} failed with code {code}: {reason}"
        memory, types = self.session.take_missing()
        # Our own DLL has layout tables, and says what it lacks. It tries many addresses that may be
        # nothing.
        if is_own(self.dll.path):
            memory, types = None, []
        if memory is not None and memory not in told:
            told += f"; {memory}"
        types = [name for name in types if name not in told]
        if types:
            told += (
                "; there is no debug information for the type{} {}: install the debug symbols of "
                "the MPI library, name their directory with `set debug-file-directory`, or use "
                "mqd's own debug DLL (`set mqd dll`)"
            ).format("" if len(types) == 1 else "s", ", ".join(types))
        return told


def queue_not_known(queue: str) -> Problem:
    """The problem that a DLL does not know a queue."""
    return Problem(QUEUES, f"the debug DLL has no information about {words(queue)}")


def words(queue: str) -> str:
    """The name of a queue in sentences."""
    return FIELDS[queue].replace("_", " ")


def count_or_none(number: int) -> Optional[int]:
    """A count. A negative number stands for an unknown count."""
    return number if number >= 0 else None


def fill_in(message: Optional[bytes], subject: str) -> Optional[str]:
    """A message of the DLL on one line, with the subject in place of its `%s`.

    It is never used as a format.
    """
    if message is None:
        return None
    filled = text_of(message).replace("%s", subject, 1).replace("%%", "%")
    return " ".join(filled.split()) or None
