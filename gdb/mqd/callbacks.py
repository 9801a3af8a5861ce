# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The callbacks of MQD 5.6: the debugger answers the questions of a debug DLL.

They act on the current session, which is one process being read. No exception leaves them.
"""

import ctypes
import sys
from ctypes import byref, c_char, c_char_p, c_int, c_ulong, c_void_p
from typing import Any, Callable, Dict, List, Optional, Tuple

import gdb

from .interface import (
    MQS_END_OF_LIST,
    MQS_INVALID_PROCESS,
    MQS_NO_INFORMATION,
    MQS_OK,
    mqs_target_type_sizes,
)
from .target import Layout, Target
from .text import text_of

ctypes.pythonapi.PyCapsule_New.restype = ctypes.py_object
ctypes.pythonapi.PyCapsule_New.argtypes = [c_void_p, c_char_p, c_void_p]
PUT_INFO = ctypes.pythonapi.PyCapsule_SetContext
PUT_INFO.argtypes = [c_void_p, c_void_p]
GET_INFO = ctypes.pythonapi.PyCapsule_GetContext
GET_INFO.argtypes, GET_INFO.restype = [c_void_p], c_void_p


class Session:
    """The debugger's objects behind the DLL's opaque pointers, and the DLL's failed questions."""

    current: Optional["Session"] = None

    # The most remarks of one kind that are kept: a DLL may make one for each operation.
    REMARKS = 20

    def __init__(self, target: Target, rank: Optional[int]) -> None:
        self.target = target
        self.rank = rank
        # The DLL knows the image and the process by the addresses of two Python capsules. Its own
        # data are attached to the contexts of these.
        self._capsules = [ctypes.pythonapi.PyCapsule_New(1, None, None) for _ in range(2)]
        self.image, self.process = map(id, self._capsules)
        self.types: List[Layout] = []
        self.numbers: Dict[str, int] = {}
        self.missing_types: List[str] = []
        self.missing_memory: Optional[str] = None
        self.last_error = ""
        self.error_buffer = ctypes.create_string_buffer(1)
        self.complaints: List[str] = []
        # It interrupts the user's command as soon as the DLL has returned.
        self.interrupt: Optional[BaseException] = None
        self.before: Optional[Session] = None

    def __enter__(self) -> "Session":
        self.before, Session.current = Session.current, self
        return self

    def __exit__(self, *_: object) -> None:
        Session.current = self.before

    def complain(self, text: str) -> None:
        """Keeps a remark about the DLL."""
        if text not in self.complaints and len(self.complaints) < self.REMARKS:
            self.complaints.append(text)

    def is_image(self, handle: Optional[int]) -> bool:
        """Is this the image of the session?"""
        if handle != self.image:
            self.complain("the debug DLL passed an image that is not the current one")
        return handle == self.image

    def is_process(self, handle: Optional[int]) -> bool:
        """Is this the process of the session?"""
        if handle != self.process:
            self.complain("the debug DLL passed a process that is not the current one")
        return handle == self.process

    def take_info(self, handle: int) -> Optional[int]:
        """Takes what the DLL has attached to its image or process."""
        info: Optional[int] = GET_INFO(handle)
        PUT_INFO(handle, None)
        return info

    def take_missing(self) -> Tuple[Optional[str], List[str]]:
        """Takes what the DLL has asked for without success: memory, and types."""
        missing = (self.missing_memory, self.missing_types)
        self.missing_memory, self.missing_types = None, []
        return missing

    def type(self, handle: Optional[int]) -> Optional[Layout]:
        """The type behind a pointer of the DLL."""
        if handle is not None and 0 < handle <= len(self.types):
            return self.types[handle - 1]
        self.complain("the debug DLL passed a type that mqd never gave it")
        return None


def callback(
    result: Any, *arguments: Any, failed: Any = None
) -> Callable[[Callable[..., Any]], Any]:
    """Makes a C function of a function of the current session.

    It returns `failed` if there is no session, or if the function raises an exception.
    """

    def decorate(body: Callable[..., Any]) -> Any:
        def called(*values: Any) -> Any:
            session = Session.current
            if session is None:
                return failed
            try:
                return body(session, *values)
            except KeyboardInterrupt as interrupt:
                session.interrupt = interrupt
            except BaseException as error:  # noqa: BLE001 (C called us)
                problem = "a callback failed in mqd itself: please report this ({!r})"
                session.complain(problem.format(error))
            return failed

        return ctypes.CFUNCTYPE(result, *arguments)(called)

    return decorate


@callback(None, c_char_p)
def mqs_dprints(_session: Session, _text: Optional[bytes]) -> None:
    """5.6.1: what a DLL prints is for its authors, and is dropped."""


@callback(c_void_p, c_int)
def mqs_errorstring(session: Session, code: int) -> int:
    """5.6.1: the text of an error of the debugger. It is valid until the next call."""
    if code == MQS_OK:
        text = "no error"
    elif code == MQS_NO_INFORMATION:
        text = session.last_error or "the debugger does not have this information"
    elif code == MQS_END_OF_LIST:
        text = "end of the list"
    else:
        text = "not an error code of the debugger"
    session.error_buffer = ctypes.create_string_buffer(text.encode("utf-8", "replace"))
    return ctypes.addressof(session.error_buffer)


@callback(None, c_void_p, c_void_p)
def mqs_put_image_info(session: Session, image: Optional[int], info: Optional[int]) -> None:
    """Attaches data of the DLL to the image."""
    if session.is_image(image):
        PUT_INFO(image, info)


@callback(c_void_p, c_void_p)
def mqs_get_image_info(session: Session, image: Optional[int]) -> Any:
    """The data that the DLL has attached to the image."""
    return GET_INFO(image) if session.is_image(image) else None


@callback(None, c_void_p, c_void_p)
def mqs_put_process_info(session: Session, process: Optional[int], info: Optional[int]) -> None:
    """Attaches data of the DLL to the process."""
    if session.is_process(process):
        PUT_INFO(process, info)


@callback(c_void_p, c_void_p)
def mqs_get_process_info(session: Session, process: Optional[int]) -> Any:
    """The data that the DLL has attached to the process."""
    return GET_INFO(process) if session.is_process(process) else None


@callback(None, c_void_p, c_void_p)
def mqs_get_type_sizes(session: Session, process: Optional[int], sizes: Optional[int]) -> None:
    """The sizes of C's basic types in the target."""
    if session.is_process(process) and sizes:
        values = mqs_target_type_sizes(*session.target.sizes)
        ctypes.memmove(sizes, byref(values), ctypes.sizeof(values))


def answer_address(
    session: Session, name: bytes, what: str, found: Optional[int], into: Optional[int]
) -> int:
    """The common end of the two look-ups.

    `into` may be NULL: some DLLs ask in this way whether a name exists.
    """
    if found is None:
        session.last_error = f"the target has no {what} {text_of(name)}"
        return MQS_NO_INFORMATION
    if into:
        c_ulong.from_address(into).value = found
    return MQS_OK


@callback(c_int, c_void_p, c_char_p, c_int, c_void_p, failed=MQS_NO_INFORMATION)
def mqs_find_function(
    session: Session,
    image: Optional[int],
    name: Optional[bytes],
    _language: int,
    into: Optional[int],
) -> int:
    """The address of a function."""
    if name is None or not session.is_image(image):
        return MQS_NO_INFORMATION
    found = session.target.function(text_of(name))
    return answer_address(session, name, "function", found, into)


@callback(c_int, c_void_p, c_char_p, c_void_p, failed=MQS_NO_INFORMATION)
def mqs_find_symbol(
    session: Session, image: Optional[int], name: Optional[bytes], into: Optional[int]
) -> int:
    """The address of a variable or function."""
    if name is None or not session.is_image(image):
        return MQS_NO_INFORMATION
    return answer_address(session, name, "symbol", session.target.symbol(text_of(name)), into)


@callback(c_void_p, c_void_p, c_char_p, c_int)
def mqs_find_type(
    session: Session, image: Optional[int], name: Optional[bytes], _language: int
) -> Optional[int]:
    """A type by its name, as a number that stands for it."""
    if name is None or not session.is_image(image):
        return None
    wanted = text_of(name)
    if wanted in session.numbers:
        return session.numbers[wanted]
    layout = session.target.layout(wanted)
    if layout is None:
        session.last_error = f"the target has no type {wanted}"
        if wanted not in session.missing_types and len(session.missing_types) < session.REMARKS:
            session.missing_types.append(wanted)
        return None
    session.types.append(layout)
    session.numbers[wanted] = len(session.types)
    return len(session.types)


@callback(c_int, c_void_p, c_char_p, failed=-1)
def mqs_field_offset(session: Session, kind: Optional[int], name: Optional[bytes]) -> int:
    """The offset of a field in a type; -1 if the type has no such field."""
    layout = session.type(kind)
    if layout is None or name is None:
        return -1
    offset = layout.offsets.get(text_of(name), -1)
    if offset < 0:
        session.last_error = f"the type has no field {text_of(name)}"
    return offset


@callback(c_int, c_void_p, failed=-1)
def mqs_sizeof(session: Session, kind: Optional[int]) -> int:
    """The size of a type; -1 if it is not known."""
    layout = session.type(kind)
    return layout.size if layout is not None and layout.size is not None else -1


@callback(c_int, c_void_p, failed=MQS_INVALID_PROCESS)
def mqs_get_global_rank(session: Session, process: Optional[int]) -> int:
    """The rank of the process in MPI_COMM_WORLD, as far as the debugger knows it."""
    known = session.is_process(process) and session.rank is not None
    return session.rank if known and session.rank is not None else MQS_INVALID_PROCESS


@callback(c_void_p, c_void_p)
def mqs_get_image(session: Session, process: Optional[int]) -> Optional[int]:
    """The image of the process."""
    return session.image if session.is_process(process) else None


@callback(c_int, c_void_p, c_ulong, c_int, c_void_p, failed=MQS_NO_INFORMATION)
def mqs_fetch_data(
    session: Session, process: Optional[int], address: int, size: int, into: Optional[int]
) -> int:
    """Copies memory of the target."""
    if size == 0:
        return MQS_OK
    if size < 0 or not into or not session.is_process(process):
        return MQS_NO_INFORMATION
    try:
        memory = session.target.read(address, size)
    except (gdb.error, OverflowError) as error:
        session.last_error = session.missing_memory = session.target.unreadable(address, error)
        return MQS_NO_INFORMATION
    ctypes.memmove(into, byref(c_char.from_buffer(memory)), size)
    return MQS_OK


@callback(None, c_void_p, c_void_p, c_void_p, c_int)
def mqs_target_to_host(
    session: Session,
    process: Optional[int],
    source: Optional[int],
    into: Optional[int],
    size: int,
) -> None:
    """Converts a value from the byte order of the target to that of the host."""
    if source and into and size > 0 and session.is_process(process):
        value = ctypes.string_at(source, size)
        same = session.target.byteorder == sys.byteorder
        ctypes.memmove(into, value if same else value[::-1], size)


class CallbackTable:
    """A table of callbacks. It must live as long as the DLL that it was given to (5.7.1)."""

    def __init__(self, *entries: Any) -> None:
        # Callbacks are freed with the last reference to them.
        self.entries = entries
        pointers = (ctypes.cast(entry, c_void_p) for entry in entries)
        self.table = (c_void_p * len(entries))(*pointers)


def basic_callbacks(*attach: Any) -> CallbackTable:
    """The basic callbacks. A DLL's memory is that of the C library."""
    libc = ctypes.CDLL(None)
    return CallbackTable(libc.malloc, libc.free, mqs_dprints, mqs_errorstring, *attach)


BASIC = basic_callbacks(
    mqs_put_image_info, mqs_get_image_info, mqs_put_process_info, mqs_get_process_info
)
# Each call of a DLL asks for the data attached to the process. Our own DLL passes back what it was
# given, so it needs no check and no detour through Python.
BASIC_OWN = basic_callbacks(PUT_INFO, GET_INFO, PUT_INFO, GET_INFO)
IMAGE = CallbackTable(
    mqs_get_type_sizes,
    mqs_find_function,
    mqs_find_symbol,
    mqs_find_type,
    mqs_field_offset,
    mqs_sizeof,
)
PROCESS = CallbackTable(mqs_get_global_rank, mqs_get_image, mqs_fetch_data, mqs_target_to_host)
