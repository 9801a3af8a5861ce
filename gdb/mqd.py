# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Message queues of MPI programs in gdb: `source mqd.py` (gdb 12 or later).

This is the debugger's side of the MPI Message Queue Dumping interface (MQD) 1.0: it loads a debug DLL, answers its callbacks from gdb's own
symbols, types and memory, and shows what it finds. `help mqd` and docs/gdb.md tell how it is used.

    info mpi-queues          what the processes wait for
    info mpi-communicators   their communicators
    mqd dump -json FILE      all of it, as `mqd dump --format json` writes it
    mqd attach-job PID       debug all ranks of a job
    set mqd dll FILE         which debug DLL reads the queues
    $_mpi_pending_receives(), $_mpi_pending_sends(), $_mpi_unexpected_messages()

What is the same in the command `mqd` is written here in the same order as there (mqd-host-harness/src: dll/locate.rs, callbacks/, walk.rs,
dump.rs, report/, filter.rs, render/, job/), so that both can be read side by side.
"""

from __future__ import annotations

import contextlib
import ctypes
import ipaddress
import json
import os
import re
import stat
import struct
import sys
import types
import unicodedata
from ctypes import byref, c_char, c_char_p, c_int, c_long, c_ulong, c_void_p
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import gdb

# The version of the project, and that of the JSON contract (docs/json.md).
VERSION = "0.1.0"
SCHEMA_VERSION = "1.1"


# ---------------------------------------------------------------------------------------------------------------------
# The interface: mpi_interface.h. Section numbers are those of MQD 1.0.
# ---------------------------------------------------------------------------------------------------------------------

# 5.4.3: 3 is what 2 is called where a DLL was compiled FOR_MPI2.
COMPATIBLE = (2, 3)

# 5.4.5
MQS_OK, MQS_NO_INFORMATION, MQS_END_OF_LIST = 0, 1, 2

# 5.4.6
MQS_INVALID_PROCESS = -1

# 5.4.4, by number.
STATUS = ("pending", "matched", "complete")

# 5.4.2: the number of a queue, by its name here and in commands; and the name of its field in reports.
QUEUES = ("sends", "receives", "unexpected")
FIELDS = {"sends": "pending_sends", "receives": "pending_receives", "unexpected": "unexpected_messages"}

# 5.5
TEXT_BYTES, TEXT_LINES = 64, 5


class mqs_target_type_sizes(ctypes.Structure):
    """5.2.3: exactly five, since some DLLs reserve room for no more."""

    _fields_ = [(name, c_int) for name in ("short_size", "int_size", "long_size", "long_long_size", "pointer_size")]


class mqs_communicator(ctypes.Structure):
    """5.5.1"""

    _fields_ = [("unique_id", c_ulong), ("local_rank", c_long), ("size", c_long), ("name", c_char * TEXT_BYTES)]


class mqs_pending_operation(ctypes.Structure):
    """5.5.2"""

    _fields_ = [
        ("status", c_int),
        ("desired_local_rank", c_long),
        ("desired_global_rank", c_long),
        ("tag_wild", c_int),
        ("desired_tag", c_long),
        ("desired_length", c_long),
        ("system_buffer", c_int),
        ("buffer", c_ulong),
        ("actual_local_rank", c_long),
        ("actual_global_rank", c_long),
        ("actual_tag", c_long),
        ("actual_length", c_long),
        ("extra_text", c_char * (TEXT_BYTES * TEXT_LINES)),
    ]


# The same, for taking it apart in one step.
OPERATION = struct.Struct("@illilliLllll{}s".format(TEXT_BYTES * TEXT_LINES))


class mqd_call(ctypes.Structure):
    """Extension: the MPI call that a process is in."""

    _fields_ = [("needed", c_long), ("function", c_char * TEXT_BYTES)]


class mqd_stack_hints(ctypes.Structure):
    """Extension: what helps to understand the call stacks of a process."""

    _fields_ = [("threads", c_long), ("progress", c_char * TEXT_BYTES)]


class mqd_traffic(ctypes.Structure):
    """Extension: what has gone between a process and another one."""

    _fields_ = [("local_rank", c_long), ("sent", c_long), ("received", c_long)]


# Extension: the collective operations by the numbers of mqs_get_comm_coll_state.
COLLECTIVES = (
    "MPI_Barrier",
    "MPI_Bcast",
    "MPI_Allgather",
    "MPI_Allgatherv",
    "MPI_Allreduce",
    "MPI_Alltoall",
    "MPI_Alltoallv",
    "MPI_Reduce_scatter",
    "MPI_Reduce",
    "MPI_Gather",
    "MPI_Gatherv",
    "MPI_Scan",
    "MPI_Scatter",
    "MPI_Scatterv",
    "MPI_Alltoallw",
    "MPI_Exscan",
    "MPI_Reduce_scatter_block",
    "MPI_Neighbor_allgather",
    "MPI_Neighbor_allgatherv",
    "MPI_Neighbor_alltoall",
    "MPI_Neighbor_alltoallv",
    "MPI_Neighbor_alltoallw",
)

# 5.7 to 5.10: what a debug DLL exports, with the type of its result. What it may lack comes second.
REQUIRED = {
    "mqs_setup_basic_callbacks": None,
    "mqs_version_string": c_char_p,
    "mqs_version_compatibility": c_int,
    "mqs_dll_error_string": c_char_p,
    "mqs_setup_image": c_int,
    "mqs_image_has_queues": c_int,
    "mqs_destroy_image_info": c_int,
    "mqs_setup_process": c_int,
    "mqs_process_has_queues": c_int,
    "mqs_destroy_process_info": c_int,
    "mqs_update_communicator_list": c_int,
    "mqs_setup_communicator_iterator": c_int,
    "mqs_get_communicator": c_int,
    "mqs_next_communicator": c_int,
    "mqs_setup_operation_iterator": c_int,
    "mqs_next_operation": c_int,
}
OPTIONAL = (
    "mqs_dll_taddr_width",
    "mqs_get_comm_group",
    "mqs_get_comm_coll_state",
    "mqd_get_call",
    "mqd_get_stack_hints",
    "mqd_is_awaited",
    "mqd_setup_traffic_iterator",
    "mqd_next_traffic",
)


# ---------------------------------------------------------------------------------------------------------------------
# gdb: its state, and the process that it has, as the rest of this file needs them.
# ---------------------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def selected(inferior: gdb.Inferior) -> Iterator[None]:
    """Selects an inferior; afterwards inferior, thread, frame are again those that the user has selected."""
    before = gdb.selected_inferior()
    if before.num == inferior.num and gdb.selected_thread() is not None:
        yield
        return
    with selection_kept():
        inferior.threads()[0].switch()
        yield


@contextlib.contextmanager
def selection_kept() -> Iterator[None]:
    """Whatever is selected inside: afterwards inferior, thread, frame are again those that the user has selected."""
    inferior, thread = gdb.selected_inferior(), gdb.selected_thread()
    try:
        frame: Optional[gdb.Frame] = gdb.selected_frame()
    except gdb.error:
        frame = None
    try:
        yield
    finally:
        if thread is not None and thread.is_valid():
            thread.switch()
        elif inferior.is_valid():
            gdb.execute("inferior {}".format(inferior.num), to_string=True)
        if frame is not None and frame.is_valid():
            frame.select()


@contextlib.contextmanager
def in_c() -> Iterator[None]:
    """Names and expressions are those of C, whatever the program is written in; afterwards the language is the user's again."""
    before = gdb.parameter("language")
    if before == "c":
        yield
        return
    gdb.execute("set language c", to_string=True)
    try:
        yield
    finally:
        gdb.execute("set language {}".format(before), to_string=True)


class Unreadable(Exception):
    """Memory that gdb cannot read."""


class Layout(NamedTuple):
    """What the interface asks of a type. The size is None where it is only declared."""

    size: Optional[int]
    offsets: Dict[str, int]


class Target:
    """The process of the selected inferior. Valid while gdb has the control: the next step of the program may change everything."""

    # Names only an MPI library defines, the surest first.
    LIBRARY_SYMBOLS = (
        "MPIR_dll_name",
        "mqdrt_root",
        "ompi_mpi_comm_world",
        "MPIR_All_communicators",
        "PMPI_Init_thread",
    )

    def __init__(self, inferior: gdb.Inferior) -> None:
        self.inferior = inferior
        self.connection = inferior.connection.type if inferior.connection is not None else None
        self.sizes = [
            int(gdb.parse_and_eval("sizeof({})".format(name)))
            for name in ("short", "int", "long", "long long", "char *")
        ]
        self.pointer_size = self.sizes[4]
        order = gdb.execute("show endian", to_string=True)
        self.byteorder = "big" if "big" in order else "little"
        self.read = inferior.read_memory
        # Questions about names are the slow ones. Their answers hold for this process, as long as no other files are loaded.
        space = inferior.progspace
        valid_for = (tuple(space.objfiles()), inferior.pid, inferior.connection_num)
        cache = getattr(space, "mqd_names", None)
        if cache is None or cache[0] != valid_for:
            cache = space.mqd_names = (valid_for, {}, {}, {})
        self.symbols: Dict[str, Optional[int]] = cache[1]
        self.functions: Dict[str, Optional[int]] = cache[2]
        self.types: Dict[str, Optional[Layout]] = cache[3]
        self.block: Optional[gdb.Block] = None
        self.library = self._library()

    @property
    def pid(self) -> Optional[int]:
        """The process id; None where a core file does not tell (gdb then invents 1)."""
        return None if self.connection == "core" and self.inferior.pid == 1 else self.inferior.pid

    def core(self) -> Optional[str]:
        """The core file."""
        if self.connection != "core":
            return None
        found = re.search(
            r"^Local core dump file:\n\t`(.*)', file type ", gdb.execute("info files", to_string=True), re.MULTILINE
        )
        return found.group(1) if found else None

    def executable(self) -> Optional[str]:
        """The executable, as the kernel names it."""
        name = self.inferior.progspace.filename
        return local_path(name) if name else None

    def _library(self) -> Optional[str]:
        """The MPI library, or the executable where MPI is linked in."""
        for name in self.LIBRARY_SYMBOLS:
            address = self.symbol(name)
            if address is not None:
                symbol = gdb.lookup_global_symbol(name)
                if symbol is not None and symbol.symtab is not None:
                    self.block = symbol.symtab.static_block()
                solib = gdb.solib_name(address)
                return local_path(solib) if solib else self.executable()
        return None

    def symbol(self, name: str) -> Optional[int]:
        """The address of a variable or function. Not of what is local to the frame that happens to be selected."""
        if name not in self.symbols:
            self.symbols[name] = None
            with contextlib.suppress(gdb.error):
                self.symbols[name] = int(gdb.parse_and_eval("(unsigned long) &::{}".format(name)))
        return self.symbols[name]

    def function(self, name: str) -> Optional[int]:
        """The address of a function."""
        if name not in self.functions:
            self.functions[name] = None
            with contextlib.suppress(gdb.error):
                function = gdb.parse_and_eval("::{}".format(name))
                self.functions[name] = int(function.address) if function.type.code == gdb.TYPE_CODE_FUNC else None
        return self.functions[name]

    def layout(self, name: str) -> Optional[Layout]:
        """A type by its name in C: a typedef, base type, or tag (`struct x` asks for the tag alone)."""
        if name not in self.types:
            found = self._find_type(name)
            self.types[name] = None if found is None else layout_of(found)
        return self.types[name]

    def _find_type(self, name: str) -> Optional[gdb.Type]:
        tagged = name.startswith(("struct ", "union ", "enum "))
        for spelling in [name] if tagged else [name, "struct " + name, "union " + name, "enum " + name]:
            # The types of the MPI library come first: a program may have others of the same name.
            if self.block is not None:
                with contextlib.suppress(gdb.error):
                    return gdb.lookup_type(spelling, self.block)
            with contextlib.suppress(gdb.error):
                return gdb.lookup_type(spelling)
            # gdb.lookup_type goes by the language that the command was given in.
            with contextlib.suppress(gdb.error):
                return gdb.parse_and_eval("({} *) 0".format(spelling)).type.target()
        return None

    def number(self, address: int, size: int, signed: bool = False) -> int:
        """The integer of `size` bytes at an address."""
        try:
            return int.from_bytes(self.read(address, size), self.byteorder, signed=signed)
        except (gdb.error, OverflowError) as error:
            raise Unreadable(self.unreadable(address, error)) from None

    def unreadable(self, address: int, error: Exception) -> str:
        """Says what memory cannot be read, in mqd's words."""
        why = str(error)
        if isinstance(error, gdb.MemoryError):
            # gdb names the first byte that it cannot have.
            found = re.search(r"0x[0-9a-f]+", why)
            address = int(found.group(0), 16) if found else address
            why = "not mapped in the target" if self.connection == "native" else "gdb cannot access it"
        return "cannot read the target's memory at {:#x}: {}".format(address, why)

    def pointer(self, address: int) -> int:
        """The pointer at an address."""
        return self.number(address, self.pointer_size)

    def string(self, address: int) -> str:
        """The string at an address; cut where a path name cannot be longer."""
        found = b""
        while len(found) < 4096:
            # In steps that never cross a page, since the next page may not be there.
            at = address + len(found)
            step = 256 - at % 256
            try:
                piece = bytes(self.read(at, step))
            except (gdb.error, OverflowError) as error:
                raise Unreadable(self.unreadable(at, error)) from None
            end = piece.find(b"\0")
            if end >= 0:
                return text_of(found + piece[:end])
            found += piece
        return text_of(found)


def layout_of(kind: gdb.Type) -> Layout:
    """Size and members of a type, those of anonymous members included."""
    kind = kind.strip_typedefs()
    offsets: Dict[str, int] = {}
    if kind.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        add_offsets(kind, 0, offsets)
    # gdb gives a type that is only declared the size 0.
    return Layout(kind.sizeof or None, offsets)


def add_offsets(kind: gdb.Type, base: int, offsets: Dict[str, int]) -> None:
    for field in kind.fields():
        # A static member has no place in the structure.
        if not hasattr(field, "bitpos"):
            continue
        offset = base + field.bitpos // 8
        if field.name and not field.is_base_class:
            offsets.setdefault(field.name, offset)
            continue
        inner = field.type.strip_typedefs()
        if inner.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
            add_offsets(inner, offset, offsets)


def local_path(path: str) -> str:
    """The path of a file without what gdb adds to it, and as the kernel names it."""
    if path.startswith("target:"):
        path = path[len("target:") :]
    return text_of(os.fsencode(os.path.realpath(path)))


def text_of(raw: bytes) -> str:
    """Bytes as text. What is not UTF-8 is replaced."""
    return raw.decode("utf-8", "replace")


def fixed_text(field: bytes) -> str:
    """The text in a field of fixed size, up to its zero if it has one."""
    return text_of(field.split(b"\0", 1)[0])


# ---------------------------------------------------------------------------------------------------------------------
# The debug DLL: which one, and loading it.
# ---------------------------------------------------------------------------------------------------------------------

OWN_DLL = "libmqd.so"
DLL_NAME = "MPIR_dll_name"
SCRIPT = os.path.realpath(__file__)


def own_dll() -> Optional[str]:
    """Our own debug DLL: beside this file, in ../lib, in the lib directory of its prefix, or where `cargo xtask dist` puts it in a source tree."""
    directory = os.path.dirname(SCRIPT)
    for place in (".", "../lib", "../../../lib", "../target/dist/lib"):
        path = os.path.join(directory, place, OWN_DLL)
        if os.path.isfile(path):
            return os.path.realpath(path)
    return None


def is_own(path: str) -> bool:
    own = own_dll()
    return own is not None and os.path.realpath(path) == own


def candidates(target: Target) -> Tuple[List[str], List[str]]:
    """The debug DLLs to try, in this order: the one that the process names, then our own; or the other way round where ours is known to show
    more. The second list says why one that the process names is not among them."""
    found: List[str] = []
    warnings: List[str] = []
    try:
        name = dll_named_by(target)
    except Unreadable as error:
        warnings.append("the name of the debug DLL ({}): {}".format(DLL_NAME, error))
        name = None
    if name is not None:
        path = beside_library(name, target)
        why = distrusted(path)
        if why is None:
            found.append(path)
        else:
            warnings.append(
                "the process names the debug DLL {0}, which is not loaded since {1}; `set mqd dll {0}` loads it all the same".format(
                    path, why
                )
            )
    own = own_dll()
    if own is not None and not any(os.path.realpath(known) == own for known in found):
        # Open MPI's knows nothing of unexpected messages and shows a good part of the rest wrong. It is still there for what ours refuses.
        surpassed = bool(found) and os.path.basename(found[0]).startswith("libompi_dbg_msgq")
        found.insert(0 if surpassed else len(found), own)
    return found, warnings


def dll_named_by(target: Target) -> Optional[str]:
    """The name in MPIR_dll_name. It is an array of characters in some libraries and a pointer to them in others: the content tells."""
    address = target.symbol(DLL_NAME)
    if address is None:
        return None
    name = target.string(address)
    if not is_name(name):
        pointer = target.pointer(address)
        if pointer == 0:
            return None
        name = target.string(pointer)
    return name if is_name(name) else None


def is_name(text: str) -> bool:
    """Can this be the name of a file? The bytes of a pointer are not."""
    return bool(text) and not any(
        unicodedata.category(character) == "Cc" or character == "\ufffd" for character in text
    )


def beside_library(name: str, target: Target) -> str:
    """A name that is not absolute is meant beside the MPI library, if there is such a file; else the dynamic linker looks."""
    if target.library is not None:
        path = os.path.join(os.path.dirname(target.library), name)
        if os.path.isfile(path):
            return path
    return name


def distrusted(path: str) -> Optional[str]:
    """Why a DLL that the process names is not to be loaded, if so.

    Loading a library runs it with our rights, and the name comes from the memory of a process, perhaps of another user.
    """
    try:
        file = os.stat(path)
    except OSError:
        return None
    if file.st_uid not in (0, os.geteuid()):
        return "it belongs to another user (uid {})".format(file.st_uid)
    return "anybody can write to it" if file.st_mode & stat.S_IWOTH else None


class DllError(Exception):
    """A DLL cannot be used."""


class Dll:
    """A debug DLL that is loaded, has all functions it needs, and speaks our version of the interface."""

    loaded: Dict[Tuple[str, int, int], Dll] = {}

    @classmethod
    def load(cls, path: str) -> Dll:
        """Loads it, or gives the one that is loaded. A path without a slash is looked up by the dynamic linker."""
        try:
            file = os.stat(path)
            key = (path, file.st_dev, file.st_ino)
        except OSError:
            key = (path, 0, 0)
        if key not in cls.loaded:
            cls.loaded[key] = cls(path)
        return cls.loaded[key]

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            # gdb is not made for several threads, so other threads of Python wait while the DLL runs (unlike with ctypes.CDLL).
            library = ctypes.PyDLL(path, os.RTLD_NOW | os.RTLD_LOCAL)
        except OSError as error:
            raise DllError("cannot load the debug DLL {}: {}".format(path, error)) from None
        self.library = library
        for name, result in REQUIRED.items():
            function = self._find(name)
            if function is None:
                raise DllError("{} is not a debug DLL for message queues: it has no function {}".format(path, name))
            function.restype = result
        for name in OPTIONAL:
            self._find(name)
        found = self.mqs_version_compatibility()
        if found not in COMPATIBLE:
            raise DllError(
                "the debug DLL {} speaks version {} of the MQD interface; mqd speaks versions 2 and 3. "
                "Use the DLL of another release of the MPI library, or another release of mqd".format(path, found)
            )
        width = self.mqs_dll_taddr_width
        if width is not None and width() != ctypes.sizeof(c_ulong):
            raise DllError(
                "the debug DLL {} is built for addresses of {} bytes, mqd for {}: use a DLL of mqd's word size".format(
                    path, width(), ctypes.sizeof(c_ulong)
                )
            )
        version = self.mqs_version_string()
        self.version = text_of(version).strip() if version is not None else "unknown"

        # What we make of our own DLL's questions takes no checks.
        self.mqs_setup_basic_callbacks(byref(BASIC_OWN if is_own(path) else BASIC))

    def _find(self, name: str) -> Any:
        function = getattr(self.library, name, None)
        setattr(self, name, function)
        return function

    def error_text(self, code: int) -> Optional[str]:
        """The text of one of its error codes (5.7.5)."""
        text = self.mqs_dll_error_string(code)
        return text_of(text).strip() or None if text is not None else None


# ---------------------------------------------------------------------------------------------------------------------
# The callbacks (5.6). They act on the current session: one process being read. No exception leaves them.
# ---------------------------------------------------------------------------------------------------------------------


ctypes.pythonapi.PyCapsule_New.restype = ctypes.py_object
ctypes.pythonapi.PyCapsule_New.argtypes = [c_void_p, c_char_p, c_void_p]
PUT_INFO = ctypes.pythonapi.PyCapsule_SetContext
PUT_INFO.argtypes = [c_void_p, c_void_p]
GET_INFO = ctypes.pythonapi.PyCapsule_GetContext
GET_INFO.argtypes, GET_INFO.restype = [c_void_p], c_void_p


class Session:
    """The debugger's objects behind the DLL's opaque pointers, and what the DLL asked for in vain."""

    current: Optional[Session] = None

    # How many remarks of one kind are kept: a DLL that makes one for every operation must not fill the memory.
    REMARKS = 20

    def __init__(self, target: Target, rank: Optional[int]) -> None:
        self.target = target
        self.rank = rank
        # What a DLL knows image and process by, and what it has attached to them: capsules of Python and their contexts.
        self._capsules = [ctypes.pythonapi.PyCapsule_New(1, None, None) for _ in range(2)]
        self.image, self.process = map(id, self._capsules)
        self.types: List[Layout] = []
        self.numbers: Dict[str, int] = {}
        self.missing_types: List[str] = []
        self.missing_memory: Optional[str] = None
        self.last_error = ""
        self.error_buffer = ctypes.create_string_buffer(1)
        self.complaints: List[str] = []
        # What interrupts the user's command, once the DLL has returned.
        self.interrupt: Optional[BaseException] = None
        self.before: Optional[Session] = None

    def __enter__(self) -> Session:
        self.before, Session.current = Session.current, self
        return self

    def __exit__(self, *_: object) -> None:
        Session.current = self.before

    def complain(self, text: str) -> None:
        if text not in self.complaints and len(self.complaints) < self.REMARKS:
            self.complaints.append(text)

    def knows(self, handle: Optional[int], what: str) -> bool:
        known = handle == getattr(self, what)
        if not known:
            self.complain(
                "the debug DLL passed {} {} that is not the current one".format("an" if what == "image" else "a", what)
            )
        return known

    def take_info(self, handle: int) -> Optional[int]:
        """Takes what the DLL has attached to its image or process."""
        info = GET_INFO(handle)
        PUT_INFO(handle, None)
        return info

    def take_missing(self) -> Tuple[Optional[str], List[str]]:
        missing = (self.missing_memory, self.missing_types)
        self.missing_memory, self.missing_types = None, []
        return missing

    def type(self, handle: Optional[int]) -> Optional[Layout]:
        if handle is not None and 0 < handle <= len(self.types):
            return self.types[handle - 1]
        self.complain("the debug DLL passed a type that mqd never gave it")
        return None


def callback(result: Any, *arguments: Any, failed: Any = None) -> Callable[[Callable[..., Any]], Any]:
    """Makes a C function of a function of the current session. What it returns is `failed` if there is no session, or it raises."""

    def decorate(body: Callable[..., Any]) -> Any:
        def called(*values: Any) -> Any:
            session = Session.current
            try:
                return failed if session is None else body(session, *values)
            except KeyboardInterrupt as interrupt:
                session.interrupt = interrupt
            except BaseException as error:  # pylint: disable=broad-except
                session.complain("a callback failed in mqd itself: please report this ({!r})".format(error))
            return failed

        return ctypes.CFUNCTYPE(result, *arguments)(called)

    return decorate


@callback(None, c_char_p)
def mqs_dprints(_session: Session, _text: Optional[bytes]) -> None:
    """What a DLL prints is for its authors."""


@callback(c_void_p, c_int)
def mqs_errorstring(session: Session, code: int) -> int:
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
    if session.knows(image, "image"):
        PUT_INFO(image, info)


@callback(c_void_p, c_void_p)
def mqs_get_image_info(session: Session, image: Optional[int]) -> Optional[int]:
    return GET_INFO(image) if session.knows(image, "image") else None


@callback(None, c_void_p, c_void_p)
def mqs_put_process_info(session: Session, process: Optional[int], info: Optional[int]) -> None:
    if session.knows(process, "process"):
        PUT_INFO(process, info)


@callback(c_void_p, c_void_p)
def mqs_get_process_info(session: Session, process: Optional[int]) -> Optional[int]:
    return GET_INFO(process) if session.knows(process, "process") else None


@callback(None, c_void_p, c_void_p)
def mqs_get_type_sizes(session: Session, process: Optional[int], sizes: Optional[int]) -> None:
    if session.knows(process, "process") and sizes:
        ctypes.memmove(sizes, byref(mqs_target_type_sizes(*session.target.sizes)), ctypes.sizeof(mqs_target_type_sizes))


def answer_address(session: Session, name: bytes, what: str, found: Optional[int], into: Optional[int]) -> int:
    """The common end of the two look-ups. `into` may be NULL: DLLs in use ask so whether a name exists."""
    if found is None:
        session.last_error = "the target has no {} {}".format(what, text_of(name))
        return MQS_NO_INFORMATION
    if into:
        c_ulong.from_address(into).value = found
    return MQS_OK


@callback(c_int, c_void_p, c_char_p, c_int, c_void_p, failed=MQS_NO_INFORMATION)
def mqs_find_function(
    session: Session, image: Optional[int], name: Optional[bytes], _language: int, into: Optional[int]
) -> int:
    if name is None or not session.knows(image, "image"):
        return MQS_NO_INFORMATION
    return answer_address(session, name, "function", session.target.function(text_of(name)), into)


@callback(c_int, c_void_p, c_char_p, c_void_p, failed=MQS_NO_INFORMATION)
def mqs_find_symbol(session: Session, image: Optional[int], name: Optional[bytes], into: Optional[int]) -> int:
    if name is None or not session.knows(image, "image"):
        return MQS_NO_INFORMATION
    return answer_address(session, name, "symbol", session.target.symbol(text_of(name)), into)


@callback(c_void_p, c_void_p, c_char_p, c_int)
def mqs_find_type(session: Session, image: Optional[int], name: Optional[bytes], _language: int) -> Optional[int]:
    if name is None or not session.knows(image, "image"):
        return None
    wanted = text_of(name)
    if wanted in session.numbers:
        return session.numbers[wanted]
    layout = session.target.layout(wanted)
    if layout is None:
        session.last_error = "the target has no type {}".format(wanted)
        if wanted not in session.missing_types and len(session.missing_types) < session.REMARKS:
            session.missing_types.append(wanted)
        return None
    session.types.append(layout)
    session.numbers[wanted] = len(session.types)
    return len(session.types)


@callback(c_int, c_void_p, c_char_p, failed=-1)
def mqs_field_offset(session: Session, kind: Optional[int], name: Optional[bytes]) -> int:
    layout = session.type(kind)
    if layout is None or name is None:
        return -1
    offset = layout.offsets.get(text_of(name), -1)
    if offset < 0:
        session.last_error = "the type has no field {}".format(text_of(name))
    return offset


@callback(c_int, c_void_p, failed=-1)
def mqs_sizeof(session: Session, kind: Optional[int]) -> int:
    layout = session.type(kind)
    return layout.size if layout is not None and layout.size is not None else -1


@callback(c_int, c_void_p, failed=MQS_INVALID_PROCESS)
def mqs_get_global_rank(session: Session, process: Optional[int]) -> int:
    known = session.knows(process, "process") and session.rank is not None
    return session.rank if known else MQS_INVALID_PROCESS


@callback(c_void_p, c_void_p)
def mqs_get_image(session: Session, process: Optional[int]) -> Optional[int]:
    return session.image if session.knows(process, "process") else None


@callback(c_int, c_void_p, c_ulong, c_int, c_void_p, failed=MQS_NO_INFORMATION)
def mqs_fetch_data(session: Session, process: Optional[int], address: int, size: int, into: Optional[int]) -> int:
    if size == 0:
        return MQS_OK
    if size < 0 or not into or not session.knows(process, "process"):
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
    session: Session, process: Optional[int], source: Optional[int], into: Optional[int], size: int
) -> None:
    if source and into and size > 0 and session.knows(process, "process"):
        value = ctypes.string_at(source, size)
        ctypes.memmove(into, value if session.target.byteorder == sys.byteorder else value[::-1], size)


def table(name: str, *entries: Any) -> ctypes.Structure:
    """A table of callbacks. It keeps them alive, and has to stay alive itself (5.7.1)."""
    kind = type(name, (ctypes.Structure,), {"_fields_": [("f{}".format(at), c_void_p) for at in range(len(entries))]})
    made = kind(*(ctypes.cast(entry, c_void_p).value for entry in entries))
    made.entries = entries
    return made


def basic_callbacks(*attach: Any) -> ctypes.Structure:
    # Memory for the DLL is that of the C library, without a detour.
    libc = ctypes.CDLL(None)
    return table("mqs_basic_callbacks", libc.malloc, libc.free, mqs_dprints, mqs_errorstring, *attach)


BASIC = basic_callbacks(mqs_put_image_info, mqs_get_image_info, mqs_put_process_info, mqs_get_process_info)
# Each call of a DLL asks what is attached to the process. Our own, which passes what it was given, gets it without a detour.
BASIC_OWN = basic_callbacks(PUT_INFO, GET_INFO, PUT_INFO, GET_INFO)
IMAGE = table(
    "mqs_image_callbacks",
    mqs_get_type_sizes,
    mqs_find_function,
    mqs_find_symbol,
    mqs_find_type,
    mqs_field_offset,
    mqs_sizeof,
)
PROCESS = table("mqs_process_callbacks", mqs_get_global_rank, mqs_get_image, mqs_fetch_data, mqs_target_to_host)


# ---------------------------------------------------------------------------------------------------------------------
# The report: plain data. Its JSON is the contract of docs/json.md.
# ---------------------------------------------------------------------------------------------------------------------


class Operation(NamedTuple):
    """A pending operation or an unexpected message."""

    status: str
    desired_local_rank: int
    desired_global_rank: Optional[int]
    tag_wild: bool
    desired_tag: Optional[int]
    desired_length: int
    system_buffer: bool
    buffer: int
    actual_local_rank: Optional[int]
    actual_global_rank: Optional[int]
    actual_tag: Optional[int]
    actual_length: Optional[int]
    awaited: Optional[bool]
    extra_text: Tuple[str, ...]


class Communicator:
    """A communicator with its queues."""

    def __init__(self, unique_id: int, name: str, size: int, local_rank: int) -> None:
        self.unique_id = unique_id
        self.name = name
        self.size = size
        self.local_rank = local_rank
        self.group: Optional[List[int]] = None
        self.queues: Dict[str, List[Operation]] = {queue: [] for queue in QUEUES}
        self.collectives: Optional[List[Dict[str, Any]]] = None
        self.traffic: Optional[List[Dict[str, int]]] = None
        self.not_known: List[str] = []

    def operations(self) -> int:
        return sum(map(len, self.queues.values()))

    def active(self) -> List[str]:
        """The collective operations that the process is in."""
        return [
            one["function"] if one["calls"] is None else "{} (call {})".format(one["function"], one["calls"])
            for one in self.collectives or ()
            if one["active"]
        ]

    def described(self) -> str:
        return self.name or "communicator {:#x}".format(self.unique_id)


class Process:
    """A process of the job, as far as it could be read."""

    def __init__(self, inferior: gdb.Inferior) -> None:
        self.inferior = inferior
        self.rank: Optional[int] = rank_of(inferior)
        self.pid: Optional[int] = inferior.pid
        self.core: Optional[str] = None
        self.executable: Optional[str] = None
        self.library: Optional[str] = None
        self.dll_version: Optional[str] = None
        self.errors: List[str] = []
        self.activity: Optional[Dict[str, Any]] = None
        self.hints = StackHints(None, "")
        self.communicators: List[Communicator] = []
        # Not of the report: what is doubtful without being an error; is there nothing to show at all?
        self.warnings: List[str] = []
        self.refused = False


NULL_TRUE_FALSE = {None: "null", True: "true", False: "false"}

OPERATION_JSON = """            {
              "status": "%s",
              "desired_local_rank": %d,
              "desired_global_rank": %s,
              "tag_wild": %s,
              "desired_tag": %s,
              "desired_length": %d,
              "system_buffer": %s,
              "buffer": "%#x",
              "actual_local_rank": %s,
              "actual_global_rank": %s,
              "actual_tag": %s,
              "actual_length": %s,
              "awaited": %s,
              "extra_text": %s
            }"""


def operations_json(operations: List[Operation]) -> List[str]:
    """The elements of a queue as JSON. There may be many, so this is written for speed."""
    texts: Dict[Tuple[str, ...], str] = {}
    words = NULL_TRUE_FALSE
    elements = []
    for (
        status,
        local,
        world,
        wild,
        tag,
        length,
        system,
        buffer,
        local2,
        world2,
        tag2,
        length2,
        awaited,
        extra,
    ) in operations:
        text = texts.get(extra)
        if text is None:
            text = texts[extra] = "".join(indented(list(extra), 14))
        elements.append(
            OPERATION_JSON
            % (
                status,
                local,
                "null" if world is None else world,
                words[wild],
                "null" if tag is None else tag,
                length,
                words[system],
                buffer,
                "null" if local2 is None else local2,
                "null" if world2 is None else world2,
                "null" if tag2 is None else tag2,
                "null" if length2 is None else length2,
                words[awaited],
                text,
            )
        )
    return elements


class Queue:
    """The operations of a queue, in a report that is on its way to JSON."""

    def __init__(self, operations: List[Operation]) -> None:
        self.operations = operations


def indented(value: Any, column: int = 0) -> Iterator[str]:
    """A value as JSON in pieces. Indented by two blanks for each level, and beginning at a column: as serde_json writes it."""
    if isinstance(value, Queue):
        value = value.operations
        if value:
            yield "[\n" + ",\n".join(operations_json(value)) + "\n" + " " * column + "]"
            return
    if not isinstance(value, (dict, list)) or not value:
        yield json.dumps(value, ensure_ascii=False)
        return
    is_object = isinstance(value, dict)
    separator = ("{" if is_object else "[") + "\n" + " " * (column + 2)
    for item in value:
        yield separator
        if is_object:
            yield json.dumps(item) + ": "
            item = value[item]
        yield from indented(item, column + 2)
        separator = ",\n" + " " * (column + 2)
    yield "\n" + " " * column + ("}" if is_object else "]")


def report_json(processes: List[Process]) -> Iterator[str]:
    """The report in pieces, with a newline at the end."""
    report = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "mqd", "version": VERSION},
        "processes": [
            {
                "rank": process.rank,
                "pid": process.pid,
                "core": process.core,
                "executable": process.executable,
                "library": process.library,
                "dll_version": process.dll_version,
                "errors": process.errors,
                "activity": process.activity,
                "communicators": [communicator_fields(communicator) for communicator in process.communicators],
            }
            for process in processes
        ],
    }
    yield from indented(report)
    yield "\n"


def communicator_fields(communicator: Communicator) -> Dict[str, Any]:
    fields: Dict[str, Any] = {
        "unique_id": "{:#x}".format(communicator.unique_id),
        "name": communicator.name,
        "size": communicator.size,
        "local_rank": communicator.local_rank,
        "group": communicator.group,
    }
    for queue in QUEUES:
        fields[FIELDS[queue]] = Queue(communicator.queues[queue])
    fields["collectives"] = communicator.collectives
    fields["traffic"] = communicator.traffic
    if communicator.not_known:
        fields["not_known"] = communicator.not_known
    return fields


# ---------------------------------------------------------------------------------------------------------------------
# The protocol: how a debugger asks a DLL for the queues of a process (4.2). What was read before something failed is kept.
# ---------------------------------------------------------------------------------------------------------------------

# How much of a process is read before its lists are taken for endless.
MOST_COMMUNICATORS, MOST_OPERATIONS, LARGEST_GROUP = 100_000, 2_000_000, 1 << 24


class NoQueues(Exception):
    """A DLL said that it cannot read the queues of a process."""


class Walker:
    """A DLL that reads the process of a session."""

    def __init__(self, dll: Dll, session: Session) -> None:
        self.dll = dll
        self.session = session
        self.process = c_void_p(session.process)
        self.image = c_void_p(session.image)
        self.left = MOST_OPERATIONS
        self.exceeded = False
        self.errors: List[str] = []

    def __enter__(self) -> Walker:
        self.session.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        # The DLL attached these and has them back: nobody else frees them. Nothing can be done about a failure.
        session = self.session
        info = session.take_info(session.process)
        if info:
            self.dll.mqs_destroy_process_info(c_void_p(info))
        info = session.take_info(session.image)
        if info:
            self.dll.mqs_destroy_image_info(c_void_p(info))
        session.__exit__(*exception)

    def _call(self, name: str, *arguments: Any) -> int:
        code = getattr(self.dll, name)(self.process, *arguments)
        self._heed_interrupt()
        return code

    def _heed_interrupt(self) -> None:
        interrupt, self.session.interrupt = self.session.interrupt, None
        if interrupt is not None:
            raise interrupt

    def accept(self) -> None:
        """Shows the process to the DLL: image first, then process (4.2, steps 5 to 7)."""
        message = c_char_p()
        for name, handle, extra in (
            ("mqs_setup_image", self.image, byref(IMAGE)),
            ("mqs_image_has_queues", self.image, byref(message)),
            ("mqs_setup_process", self.process, byref(PROCESS)),
            ("mqs_process_has_queues", self.process, byref(message)),
        ):
            code = getattr(self.dll, name)(handle, extra)
            self._heed_interrupt()
            if code != MQS_OK:
                subject = self.session.target.executable() or "the process"
                said = fill_in(message.value, subject) if name.endswith("has_queues") else None
                raise NoQueues(self._explain(name, code, said))

    def read(self) -> Tuple[List[Communicator], Optional[Dict[str, Any]]]:
        """All communicators with their queues, and what the process is doing."""
        self.session.take_missing()
        communicators: List[Communicator] = []
        activity = None
        code = self._call("mqs_update_communicator_list")
        if code != MQS_OK:
            # A DLL may still have the part that it could read.
            self.errors.append(self._failure("mqs_update_communicator_list", code))
        if not self._step("mqs_setup_communicator_iterator"):
            return communicators, activity
        activity = self._activity()
        while True:
            if len(communicators) == MOST_COMMUNICATORS:
                self.errors.append(
                    "stopped after {} communicators: the list that the debug DLL gives seems endless".format(
                        MOST_COMMUNICATORS
                    )
                )
                return communicators, activity
            raw = mqs_communicator()
            if not self._step("mqs_get_communicator", byref(raw)):
                return communicators, activity
            communicator = Communicator(raw.unique_id, text_of(raw.name), raw.size, raw.local_rank)
            communicator.collectives = self._collectives()
            communicator.traffic = self._traffic()
            communicator.group = self._group(communicator)
            for number, queue in enumerate(QUEUES):
                operations = self._queue(number, queue, communicator)
                if operations is None:
                    communicator.not_known.append(queue)
                else:
                    communicator.queues[queue] = operations
            communicators.append(communicator)
            if self.exceeded or not self._step("mqs_next_communicator"):
                return communicators, activity

    def _step(self, function: str, *arguments: Any) -> bool:
        """Is there another element? In practice 0 says yes, and everything else no; a code of the DLL's own is an error."""
        code = self._call(function, *arguments)
        if code not in (MQS_OK, MQS_END_OF_LIST, MQS_NO_INFORMATION):
            self.errors.append(self._failure(function, code))
        return code == MQS_OK

    def _group(self, communicator: Communicator) -> Optional[List[int]]:
        """The ranks of the current communicator's processes in MPI_COMM_WORLD."""
        size = communicator.size
        if not 0 <= size <= LARGEST_GROUP:
            self.errors.append(
                "{}: {} cannot be the number of its processes; its group is left out".format(
                    communicator.described(), size
                )
            )
            return None
        if self.dll.mqs_get_comm_group is None:
            return None
        ranks = (c_int * size)(*([MQS_INVALID_PROCESS] * size))
        code = self._call("mqs_get_comm_group", ranks)
        if code == MQS_OK:
            return list(ranks)
        if code != MQS_NO_INFORMATION:
            self.errors.append("{}: {}".format(communicator.described(), self._failure("mqs_get_comm_group", code)))
        return None

    def _activity(self) -> Optional[Dict[str, Any]]:
        """The MPI call that the process waits in."""
        if self.dll.mqd_get_call is None:
            return None
        call = mqd_call(needed=-1)
        code = self._call("mqd_get_call", byref(call))
        if code == MQS_OK:
            # A DLL says nothing where other threads may be in MPI.
            return activity(text_of(call.function), count_or_none(call.needed), concurrent=False)
        return activity() if code == MQS_END_OF_LIST else None

    def stack_hints(self) -> StackHints:
        """What the DLL knows about call stacks."""
        hints = mqd_stack_hints(threads=-1)
        if self.dll.mqd_get_stack_hints is None or self._call("mqd_get_stack_hints", byref(hints)) != MQS_OK:
            return StackHints(None, "")
        return StackHints({1: False, 2: True}.get(hints.threads), text_of(hints.progress))

    def _collectives(self) -> Optional[List[Dict[str, Any]]]:
        """The collective operations on the current communicator that were called at all."""
        if self.dll.mqs_get_comm_coll_state is None:
            return None
        known: Optional[List[Dict[str, Any]]] = None
        for number, function in enumerate(COLLECTIVES):
            calls, active = c_int(-1), c_int(-1)
            if self._call("mqs_get_comm_coll_state", number, byref(calls), byref(active)) != MQS_OK:
                continue
            known = known if known is not None else []
            if active.value > 0 or calls.value > 0:
                known.append({"function": function, "calls": count_or_none(calls.value), "active": active.value > 0})
        return known

    def _traffic(self) -> Optional[List[Dict[str, int]]]:
        """What has gone between this process and the others of the current communicator."""
        if self.dll.mqd_setup_traffic_iterator is None or self._call("mqd_setup_traffic_iterator") != MQS_OK:
            return None
        if self.dll.mqd_next_traffic is None:
            return None
        traffic: List[Dict[str, int]] = []
        while len(traffic) < LARGEST_GROUP:
            raw = mqd_traffic(-1, -1, -1)
            if self._call("mqd_next_traffic", byref(raw)) != MQS_OK:
                break
            traffic.append({"local_rank": raw.local_rank, "sent": raw.sent, "received": raw.received})
        return traffic

    def _queue(self, number: int, queue: str, communicator: Communicator) -> Optional[List[Operation]]:
        """The operations of a queue of the current communicator; none if the DLL has no information about them."""
        operations: List[Operation] = []
        if self.exceeded:
            return operations
        code = self._call("mqs_setup_operation_iterator", number)
        if code == MQS_END_OF_LIST:
            return operations
        if code == MQS_NO_INFORMATION:
            # Not the same as an empty queue. Said once, as it holds for all communicators.
            text = "the debug DLL has no information about {}".format(FIELDS[queue].replace("_", " "))
            if text not in self.errors:
                self.errors.append(text)
            return None
        if code != MQS_OK:
            problem: Optional[str] = self._failure("mqs_setup_operation_iterator", code)
        else:
            problem = self._operations(queue, operations)
        if problem is not None:
            self.errors.append("{}, {}: {}".format(communicator.described(), FIELDS[queue].replace("_", " "), problem))
        return operations

    def _operations(self, queue: str, operations: List[Operation]) -> Optional[str]:
        """Adds the operations of the current queue; the result is what went wrong. There may be many, so this is written for speed."""
        process, next_operation, is_awaited = self.process, self.dll.mqs_next_operation, self.dll.mqd_is_awaited
        raw, awaited = mqs_pending_operation(), c_int(0)
        place, size = ctypes.addressof(raw), ctypes.sizeof(raw)
        to_raw, to_awaited = c_void_p(place), byref(awaited)
        blank = bytes(BLANK_OPERATION)
        unpack, fill, add, texts = OPERATION.unpack_from, ctypes.memmove, operations.append, {}
        # The message of a receive that nothing has matched means nothing.
        always_actual = queue != "receives"
        waits: Optional[bool] = None
        while True:
            # Where the DLL writes nothing, the text stays empty and ranks stay unknown.
            fill(place, blank, size)
            code = next_operation(process, to_raw)
            if code != MQS_OK:
                self._heed_interrupt()
                return (
                    None if code in (MQS_END_OF_LIST, MQS_NO_INFORMATION) else self._failure("mqs_next_operation", code)
                )
            if self.left == 0:
                self.exceeded = True
                return "stopped, as the process has more operations than {}, or the debug DLL goes round in a circle".format(
                    MOST_OPERATIONS
                )
            status, local, world, wild, tag, length, system, buffer, local2, world2, tag2, length2, text = unpack(raw)
            if not 0 <= status <= 2:
                return "stopped, as the debug DLL reports an operation of status {}, which there is not".format(status)
            if is_awaited is not None:
                awaited.value = 0
                waits = awaited.value != 0 if is_awaited(process, to_awaited) == MQS_OK else None
            lines = texts.get(text)
            if lines is None:
                lines = texts[text] = text_lines(text)
            if always_actual or status != 0:
                if world2 < 0 <= local2:
                    world2 = None
            else:
                local2 = world2 = tag2 = length2 = None
            add(
                Operation(
                    STATUS[status],
                    local,
                    world if world >= 0 or local < 0 else None,
                    wild != 0,
                    None if wild else tag,
                    length,
                    system != 0,
                    buffer,
                    local2,
                    world2,
                    tag2,
                    length2,
                    waits,
                    lines,
                )
            )
            self.left -= 1

    def _failure(self, function: str, code: int) -> str:
        return self._explain(function, code, None)

    def _explain(self, function: str, code: int, message: Optional[str]) -> str:
        """What there is to say about a failure: by the DLL, and by what the callbacks could not answer. Each thing once."""
        text = self.dll.error_text(code)
        if text is None or (message is not None and text in message):
            reason = message or "no reason given"
        elif message is not None and message not in text:
            reason = "{}: {}".format(text, message)
        else:
            reason = text
        told = "{} failed with code {}: {}".format(function, code, reason)
        memory, types = self.session.take_missing()
        if memory is not None and memory not in told:
            told += "; {}".format(memory)
        types = [name for name in types if name not in told]
        # Our own DLL says itself what it lacks: it has layout tables for where there are no types.
        if types and not is_own(self.dll.path):
            told += (
                "; there is no debug information for the type{} {}: install the debug symbols of the MPI library, name their directory with "
                "`set debug-file-directory`, or use mqd's own debug DLL (`set mqd dll`)".format(
                    "" if len(types) == 1 else "s", ", ".join(types)
                )
            )
        return told


# What a DLL gets to fill in.
BLANK_OPERATION = mqs_pending_operation(
    desired_local_rank=MQS_INVALID_PROCESS,
    desired_global_rank=MQS_INVALID_PROCESS,
    actual_local_rank=MQS_INVALID_PROCESS,
    actual_global_rank=MQS_INVALID_PROCESS,
)


def text_lines(extra_text: bytes) -> Tuple[str, ...]:
    """The lines for people, as far as there are any."""
    lines = (fixed_text(extra_text[at : at + TEXT_BYTES]) for at in range(0, len(extra_text), TEXT_BYTES))
    return tuple(line for line in lines if line)


def count_or_none(number: int) -> Optional[int]:
    """A number of things; None for what stands for an unknown one."""
    return number if number >= 0 else None


def fill_in(message: Optional[bytes], subject: str) -> Optional[str]:
    """A message of the DLL: its one `%s` replaced by `subject`, on one line. It is never handed to printf."""
    if message is None:
        return None
    filled = text_of(message).replace("%s", subject, 1).replace("%%", "%")
    return " ".join(filled.split()) or None


# ---------------------------------------------------------------------------------------------------------------------
# What a process is doing, by the call stacks of its threads: for DLLs that do not tell. docs/json.md has the rules.
# ---------------------------------------------------------------------------------------------------------------------


class NotKnown(Exception):
    """The call stacks tell nothing."""


class StackHints(NamedTuple):
    """What helps to understand call stacks: may several threads be in MPI, and what function is a call in when it has started what it waits for?"""

    several_threads: Optional[bool]
    progress: str


def activity(
    function: Optional[str] = None,
    needed: Optional[int] = None,
    begun: Optional[bool] = None,
    concurrent: Optional[bool] = None,
) -> Dict[str, Any]:
    """What a process is doing in MPI, as reports have it."""
    return {"function": function, "needed": needed, "begun": begun, "concurrent": concurrent}


def activity_of(said: Optional[Dict[str, Any]], hints: StackHints, target: Target) -> Optional[Dict[str, Any]]:
    """As the DLL says, and where that does not know the function, as the call stacks tell."""
    if said is not None and said["function"] != "":
        return said
    try:
        function, progresses = function_of_threads(target, hints.progress)
    except NotKnown:
        return None
    if said is not None:
        # The one says that it waits: the other must not say that it does not.
        return None if function is None else {**said, "function": function}
    if function is None:
        return activity()
    return activity(function, begun=progresses or None, concurrent=hints.several_threads)


def function_of_threads(target: Target, progress: str) -> Tuple[Optional[str], bool]:
    """The MPI function that the process is in, None if in none; and is it in its function `progress`? The main thread comes first, then the others by
    their ids."""
    if target.library is None:
        raise NotKnown
    unknown = False
    with selection_kept():
        for thread in sorted(
            target.inferior.threads(), key=lambda thread: (thread.ptid[1] != target.pid, thread.ptid[1])
        ):
            thread.switch()
            try:
                function, progresses = function_of_thread(target, progress)
            except (NotKnown, gdb.error):
                unknown = True
                continue
            if function is not None:
                return function, progresses
    if unknown:
        raise NotKnown
    return None, False


def function_of_thread(target: Target, progress: str) -> Tuple[Optional[str], bool]:
    """The MPI function of the outermost frame of the selected thread that is in one, None if none is; and is a frame within it in `progress`?"""
    found: Optional[str] = None
    certain = True
    progresses = within = False
    frame: Optional[gdb.Frame] = gdb.newest_frame()
    # It runs, or was interrupted by a signal: its address is not that after a call.
    exact = True
    try:
        while frame is not None:
            # Others have been made up from debug information: inlined functions, calls that became jumps.
            if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
                address = frame.pc() - (0 if exact else 1)
                within = within or bool(progress) and progresses_at(frame.pc(), exact, progress, target)
                function, elsewhere = function_at(address, target)
                if function is not None:
                    found, progresses = function, within
                certain = certain and not elsewhere
                exact = frame.type() == gdb.SIGTRAMP_FRAME
            last, frame = frame, frame.older()
        limit = gdb.parameter("backtrace limit")
        if last.unwind_stop_reason() not in (gdb.FRAME_UNWIND_NO_REASON, gdb.FRAME_UNWIND_OUTERMOST) or (
            limit and last.level() + 1 >= limit
        ):
            certain = False
    except gdb.error:
        certain = False
    if found is None and not certain:
        raise NotKnown
    return found, progresses


def progresses_at(address: int, exact: bool, progress: str, target: Target) -> bool:
    """Is a frame in the function that moves messages on, or has it called it? That may have left its own frame to what it has called last."""
    if symbol_at(address - (0 if exact else 1)) == progress:
        return True
    callee = None if exact else callee_before(address, target)
    return callee is not None and callee == target.function(progress)


def callee_before(address: int, target: Target) -> Optional[int]:
    """The function that the call before a return address has called: directly, or through an entry of the procedure linkage table. None if that cannot
    be told."""
    if target.inferior.architecture().name() != "i386:x86-64":
        return None

    def displaced(end: int, code: bytes) -> int:
        return end + int.from_bytes(code, "little", signed=True)

    try:
        code = bytes(target.read(address - 6, 6))
        if code[:2] == b"\xff\x15":
            return target.pointer(displaced(address, code[2:]))
        if code[1] != 0xE8:
            return None
        callee = displaced(address, code[2:])
        entry = bytes(target.read(callee, 11))
        # endbr64 and bnd may be before the jump.
        at = 4 if entry.startswith(b"\xf3\x0f\x1e\xfa") else 0
        at += entry[at : at + 1] == b"\xf2"
        if entry[at : at + 2] != b"\xff\x25":
            return callee
        return target.pointer(displaced(callee + at + 6, entry[at + 2 : at + 6]))
    except (gdb.error, Unreadable):
        return None


def symbol_at(address: int) -> Optional[str]:
    """The name of the symbol that an address is in."""
    symbol = re.match(
        r"(\S+)(?: \+ \d+)? in section ", gdb.execute("info symbol {:#x}".format(address), to_string=True)
    )
    return symbol and symbol.group(1)


def function_at(address: int, target: Target) -> Tuple[Optional[str], bool]:
    """The MPI function that an address is in; and is it in something else of the MPI library?"""
    solib = gdb.solib_name(address)
    in_executable = target.library == target.executable()
    if solib is not None if in_executable else solib is None or local_path(solib) != target.library:
        return None, False
    symbol = symbol_at(address)
    if symbol is None:
        return None, True
    # Compilers name the parts that they split off after the whole (PMPI_X.cold), linkers add versions.
    function = re.match(r"P?(MPI_[^.@]+)", symbol)
    if function is not None:
        return function.group(1), False
    # An executable that MPI is linked into has other functions, too.
    return None, not in_executable


# ---------------------------------------------------------------------------------------------------------------------
# From inferiors to a report.
# ---------------------------------------------------------------------------------------------------------------------

# The rank of what `mqd attach-job` has attached to: by the number of the inferior, with the process that it was then.
job_ranks: Dict[int, Tuple[int, int]] = {}


def rank_of(inferior: gdb.Inferior) -> Optional[int]:
    """The rank, if a job's process table has told it."""
    pid, rank = job_ranks.get(inferior.num, (0, 0))
    return rank if pid and pid == inferior.pid else None


def wanted_inferiors() -> List[gdb.Inferior]:
    """All inferiors that have a process. All of them have to be stopped."""
    inferiors = sorted(
        (inferior for inferior in gdb.inferiors() if inferior.pid != 0), key=lambda inferior: inferior.num
    )
    if not inferiors:
        raise gdb.GdbError(
            "There is no process to read. Start the program (`start`), attach to one (`attach`) or to a job (`mqd attach-job`), "
            "or open a core file (`core-file`)."
        )
    for inferior in inferiors:
        check_stopped(inferior)
    return inferiors


def check_stopped(inferior: gdb.Inferior) -> None:
    """All threads have to be stopped."""
    threads = inferior.threads()
    if not threads or any(thread.is_running() for thread in threads):
        raise running(inferior)


def check_stopped_in_expression(inferior: gdb.Inferior) -> None:
    """The same for the selected inferior, where the condition of a breakpoint may be asked for: gdb then tells of a stop only if the condition holds."""
    try:
        gdb.selected_frame()
    except gdb.error:
        raise running(inferior) from None
    this = gdb.selected_thread()
    if gdb.parameter("non-stop") and any(
        thread.is_running() for thread in inferior.threads() if thread.num != this.num
    ):
        raise running(inferior)


def running(inferior: gdb.Inferior) -> gdb.GdbError:
    return gdb.GdbError(
        "Inferior {} (process {}) is running: what it waits for can be read while all of its threads are stopped. "
        "Stop it first (`interrupt -a`).".format(inferior.num, inferior.pid)
    )


def read_inferior(inferior: gdb.Inferior, stacks: bool = True) -> Process:
    """Reads a process; its call stacks too, unless told otherwise. Every failure ends in the result."""
    with selected(inferior), in_c():
        process = Process(inferior)
        try:
            target = Target(inferior)
            process.pid = target.pid
            process.core = target.core()
            process.executable = target.executable()
            process.library = target.library
            read_process(process, target)
            if stacks and not process.refused:
                process.activity = activity_of(process.activity, process.hints, target)
        except gdb.error as error:
            process.errors.append(str(error))
            process.refused = True
        if process.rank is None:
            process.rank = world_rank(process.communicators)
        return process


def read_process(process: Process, target: Target) -> None:
    """Reads a process with the first DLL that can."""
    chosen = gdb.parameter("mqd dll")
    if chosen:
        # A name without a slash means the file in the working directory if there is one; the dynamic linker would look elsewhere.
        chosen = os.path.expanduser(chosen)
        dlls = [os.path.abspath(chosen) if os.path.isfile(chosen) else chosen]
    else:
        dlls, process.warnings = candidates(target)
    failed: List[str] = []
    for path in dlls:
        process.errors, process.refused = [], False
        read_by(path, process, target)
        if not process.refused:
            # Another DLL than the first choice did it; that it had to is worth knowing.
            process.warnings += failed
            return
        failed += process.errors
    process.errors, process.refused = failed, True
    if not dlls:
        process.errors.append(
            "no debug DLL: the process names none (MPIR_dll_name), and mqd's own libmqd.so is not beside {} or in ../lib; name one with "
            "`set mqd dll`".format(SCRIPT)
        )
    if not chosen and target.library is None:
        process.errors.insert(0, "no MPI library was found in the process: is it an MPI program?")


def read_by(path: str, process: Process, target: Target) -> None:
    """Reads a process with one DLL."""
    session = Session(target, process.rank)
    try:
        dll = Dll.load(path)
        process.dll_version = dll.version
        with Walker(dll, session) as walker:
            try:
                walker.accept()
            except NoQueues as error:
                raise DllError("the debug DLL {}: {}".format(path, error)) from None
            process.communicators, process.activity = walker.read()
            process.hints = walker.stack_hints()
            process.errors = walker.errors
            process.refused = bool(process.errors) and not process.communicators
    except DllError as error:
        process.errors = [str(error)]
        process.refused = True
    process.warnings += session.complaints


def world_rank(communicators: List[Communicator]) -> Optional[int]:
    """The rank in MPI_COMM_WORLD that the communicators tell. Both of these keep their names unless the program renames them."""
    rank = -1
    world = next((one for one in communicators if one.name == "MPI_COMM_WORLD"), None)
    own = next((one for one in communicators if one.name == "MPI_COMM_SELF"), None)
    if world is not None:
        rank = world.local_rank
    elif own is not None and own.group:
        rank = own.group[0]
    return count_or_none(rank)


def read_all() -> List[Process]:
    """Reads all processes, and warns of what is doubtful."""
    processes = [read_inferior(inferior) for inferior in wanted_inferiors()]
    told = set()
    for process in processes:
        for warning in process.warnings:
            if warning not in told:
                told.add(warning)
                gdb.write("warning: {}: {}\n".format(short_title(process), warning), gdb.STDERR)
    return processes


def fail_if_nothing(processes: List[Process]) -> None:
    """Nothing was read of any process: that is an error of the command. What holds for many of them is said once."""
    if all(process.refused for process in processes):
        told: Dict[str, List[str]] = {}
        for process in processes:
            for error in process.errors:
                told.setdefault(error, []).append(short_title(process))
        lines = []
        for error, whose in told.items():
            more = len(whose) - 1
            others = "" if more == 0 else " and another one" if more == 1 else " and {} others".format(more)
            lines.append("{}{}: {}".format(whose[0], others, error))
        raise gdb.GdbError("\n".join(lines))


# ---------------------------------------------------------------------------------------------------------------------
# Filters.
# ---------------------------------------------------------------------------------------------------------------------


class Filter:
    """What to keep of a report. What is empty keeps everything."""

    def __init__(
        self,
        communicators: Sequence[str] = (),
        tags: Sequence[Tuple[int, int]] = (),
        queues: Sequence[str] = (),
    ) -> None:
        self.communicators = list(communicators)
        self.tags = list(tags)
        self.queues = list(queues)

    def is_empty(self) -> bool:
        return not (self.communicators or self.tags or self.queues)

    def wants_queue(self, queue: str) -> bool:
        return not self.queues or queue in self.queues

    def wants_communicator(self, communicator: Communicator) -> bool:
        return not self.communicators or any(
            wanted == communicator.name
            or (wanted.startswith("0x") and number_or_none(wanted, 16) == communicator.unique_id)
            for wanted in self.communicators
        )

    def wants_operation(self, operation: Operation) -> bool:
        actual, desired = operation.actual_tag, operation.desired_tag
        # A receive with MPI_ANY_TAG that nothing has matched yet can match any of them.
        return (actual is None and desired is None) or self.keeps(actual) or self.keeps(desired)

    def keeps(self, tag: Optional[int]) -> bool:
        return tag is not None and (not self.tags or any(first <= tag <= last for first, last in self.tags))

    def apply(self, processes: List[Process]) -> None:
        """Removes from a report what is not wanted."""
        for process in processes:
            process.communicators = [one for one in process.communicators if self.wants_communicator(one)]
            for communicator in process.communicators:
                for queue, operations in communicator.queues.items():
                    wanted = self.wants_queue(queue)
                    communicator.queues[queue] = [one for one in operations if wanted and self.wants_operation(one)]

    def __str__(self) -> str:
        """The filter in the words of the command."""
        tags = [str(first) if first == last else "{}-{}".format(first, last) for first, last in self.tags]
        parts = (("-comm", self.communicators), ("-tag", tags), ("-queue", self.queues))
        return " ".join("{} {}".format(option, ",".join(values)) for option, values in parts if values)


def number_or_none(text: str, base: int = 10) -> Optional[int]:
    try:
        return int(text, base)
    except ValueError:
        return None


# ---------------------------------------------------------------------------------------------------------------------
# Text for people.
# ---------------------------------------------------------------------------------------------------------------------

SINGULAR = {"sends": "pending send", "receives": "pending receive", "unexpected": "unexpected message"}


def counted(number: int, queue: str) -> str:
    return count(number, SINGULAR[queue], SINGULAR[queue] + "s")


def count(number: int, one: str, many: str) -> str:
    return "{} {}".format(number, one if number == 1 else many)


def printable(text: str) -> str:
    """Text from the target with control characters made visible, so that no name can play tricks on the terminal."""
    return "".join(escaped(one) if unicodedata.category(one) == "Cc" or TURNS_TEXT.match(one) else one for one in text)


# Unicode's controls of the direction of text, and its separators of lines and paragraphs.
TURNS_TEXT = re.compile("[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def escaped(character: str) -> str:
    return {"\t": "\\t", "\n": "\\n", "\r": "\\r"}.get(character, "\\u{{{:x}}}".format(ord(character)))


def width(text: str) -> int:
    """The columns that a text takes in a terminal."""
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )


def title(process: Process) -> str:
    parts = ["rank unknown" if process.rank is None else "rank {}".format(process.rank)]
    if process.pid is not None:
        parts.append("pid {}".format(process.pid))
    if process.executable is not None:
        parts.append(printable(process.executable))
    if process.core is not None:
        parts.append("core file {}".format(printable(process.core)))
    return ", ".join(parts)


def short_title(process: Process) -> str:
    if process.rank is not None:
        return "rank {}".format(process.rank)
    if process.core is not None:
        return printable(process.core)
    return "a process" if process.pid is None else "pid {}".format(process.pid)


def name_of(communicator: Communicator) -> str:
    return printable(communicator.name) if communicator.name else "unnamed {:#x}".format(communicator.unique_id)


def names_of(communicators: List[Communicator]) -> str:
    """The names of communicators, with their identifiers where two have the same."""
    names = []
    for communicator in communicators:
        same = sum(other.name == communicator.name for other in communicators)
        told_apart = " {:#x}".format(communicator.unique_id) if same > 1 and communicator.name else ""
        names.append(name_of(communicator) + told_apart)
    return ", ".join(names)


class Page:
    """What the processes of a report wait for, in words."""

    def __init__(self, shown: Filter) -> None:
        self.filter = shown
        self.lines: List[str] = []

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    def process(self, process: Process) -> None:
        busy: List[Communicator] = []
        idle: List[Communicator] = []
        for communicator in process.communicators:
            (busy if communicator.operations() or communicator.active() else idle).append(communicator)
        waits = self._waits(process)
        nothing = "nothing that the filter shows" if self.filter.tags or self.filter.queues else "nothing pending"
        if not busy and not process.errors and waits is None:
            self.lines += ["{}: {} ({})".format(title(process), nothing, names_of(idle) or "no communicators"), ""]
            return
        self.lines.append(title(process))
        for error in process.errors:
            for at, line in enumerate(error.splitlines() or [""]):
                self.lines.append(("         " if at else "  error: ") + printable(line))
        if waits is not None:
            self.lines.append("  " + waits)
        for communicator in busy:
            self._communicator(communicator)
        if idle:
            self.lines.append("  {} in {}".format(nothing, names_of(idle)))
        self.lines.append("")

    def _waits(self, process: Process) -> Optional[str]:
        """The call that a process waits in."""
        if process.activity is None or process.activity["function"] is None:
            return None
        told, needed = "in {}".format(printable(process.activity["function"])), process.activity["needed"]
        awaited = sum(
            operation.awaited is True
            for one in process.communicators
            for operations in one.queues.values()
            for operation in operations
        )
        if needed == 0:
            return told + ", which is about to return"
        if needed is None or not awaited:
            return told
        if not self.filter.is_empty():
            return told + ", which waits for what is marked (*), among others perhaps"
        operations = count(awaited, "operation", "operations")
        return told + ", which waits for {} (*)".format(
            operations if needed >= awaited else "{} of {}".format(needed, operations)
        )

    def _communicator(self, communicator: Communicator) -> None:
        name = name_of(communicator) if communicator.name else "unnamed communicator"
        self.lines.append(
            "  {}: rank {} of {}, id {:#x}".format(
                name, communicator.local_rank, communicator.size, communicator.unique_id
            )
        )
        active = communicator.active()
        if active:
            self.lines.append("    in {}".format(", ".join(active)))
        empty = []
        for queue in QUEUES:
            operations = communicator.queues[queue]
            if operations:
                self._queue(queue, operations)
            elif queue not in communicator.not_known and self.filter.wants_queue(queue) and not self.filter.tags:
                empty.append(SINGULAR[queue] + "s")
        if empty:
            self.lines.append("    no {}".format(", no ".join(empty)))

    def _queue(self, queue: str, operations: List[Operation]) -> None:
        self.lines.append("    " + counted(len(operations), queue))
        rows = folded([row(queue, operation) for operation in operations])
        widths = [max(width(one.cells[column]) for one in rows) for column in range(len(rows[0].cells))]
        for one in rows:
            line = "    *" if one.awaited else "     "
            for column, (cell, wide) in enumerate(zip(one.cells, widths)):
                if wide:
                    line += (" " if column == 0 else "  ") + cell + " " * (wide - width(cell))
            self.lines.append(line.rstrip())
            if one.message is not None:
                self.lines.append("        message {}".format(one.message))

    def summary(self, processes: List[Process]) -> None:
        read = sum(not process.errors or bool(process.communicators) for process in processes)
        counts = [
            counted(sum(len(one.queues[queue]) for process in processes for one in process.communicators), queue)
            for queue in QUEUES
            if self.filter.wants_queue(queue)
        ]
        self.lines.append("{} read: {}".format(count(read, "process", "processes"), ", ".join(counts)))
        if not self.filter.is_empty():
            self.lines.append("Only what matches {} is shown.".format(printable(str(self.filter))))
        failed = [short_title(process) for process in processes if process.errors]
        if failed:
            self.lines.append("Not read, or not completely: {}".format(", ".join(failed)))


class Row(NamedTuple):
    """An operation as a line of a table: peer, tag, length, status, what the DLL has to say; and what the message tells that the call left open."""

    cells: Tuple[str, ...]
    message: Optional[str]
    awaited: bool


def row(queue: str, operation: Operation) -> Row:
    rank = operation.desired_local_rank
    if queue == "sends":
        peer = "to " + rank_text(rank, operation.desired_global_rank)
    else:
        peer = "from ANY_SOURCE" if rank == -1 else "from " + rank_text(rank, operation.desired_global_rank)
    tag = "tag ANY_TAG" if operation.desired_tag is None else "tag {}".format(operation.desired_tag)
    # An unexpected message is nothing but unexpected.
    status = "" if queue == "unexpected" and operation.status == "pending" else operation.status
    details = ", ".join(printable(line.strip()) for line in operation.extra_text)
    cells = (peer, tag, length_text(operation.desired_length), status, details)
    message = message_text(operation) if queue == "receives" else None
    return Row(cells, message, operation.awaited is True)


def message_text(operation: Operation) -> Optional[str]:
    facts = []
    rank, tag, length = operation.actual_local_rank, operation.actual_tag, operation.actual_length
    if rank is not None and rank != operation.desired_local_rank:
        facts.append("from {}".format(rank_text(rank, operation.actual_global_rank)))
    if tag is not None and tag != operation.desired_tag:
        facts.append("tag {}".format(tag))
    if length is not None and length != operation.desired_length:
        too_long = ", more than the buffer holds" if length > operation.desired_length else ""
        facts.append("of {}{}".format(length_text(length), too_long))
    return ", ".join(facts) or None


def folded(rows: List[Row]) -> List[Row]:
    """Makes one row of neighbours that look the same, saying how many they are."""
    runs: List[List[Any]] = []
    for one in rows:
        if runs and runs[-1][0] == one:
            runs[-1][1] += 1
        else:
            runs.append([one, 1])
    return [
        one if times == 1 else one._replace(cells=("{} x {}".format(times, one.cells[0]),) + one.cells[1:])
        for one, times in runs
    ]


def rank_text(local: int, world: Optional[int]) -> str:
    """`rank 2`, with the rank in MPI_COMM_WORLD where it is another one."""
    if world is None:
        return "rank {} (world ?)".format(local)
    return "rank {}".format(local) if world == local else "rank {} (world {})".format(local, world)


def length_text(length: int) -> str:
    """A length in bytes; large ones also in a unit that can be read at a glance."""
    exact = count(length, "byte", "bytes")
    scaled, unit = float(length), None
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if scaled < 1024.0:
            break
        scaled, unit = scaled / 1024.0, larger
    if unit is None:
        return exact
    return "{} ({:.{}f} {})".format(exact, scaled, 0 if scaled.is_integer() else 1, unit)


def communicators_text(processes: List[Process]) -> str:
    """The communicators of each process."""
    lines = []
    for process in processes:
        lines.append(title(process))
        lines += ["  error: " + printable(line) for error in process.errors for line in error.splitlines()]
        cells = []
        for communicator in process.communicators:
            pending = [
                counted(len(communicator.queues[queue]), queue) for queue in QUEUES if communicator.queues[queue]
            ]
            cells.append(
                (
                    name_of(communicator) if communicator.name else "unnamed",
                    "id {:#x}".format(communicator.unique_id),
                    "rank {} of {}".format(communicator.local_rank, communicator.size),
                    "" if communicator.group is None else "world ranks {}".format(ranges(communicator.group)),
                    ", ".join(pending) or "nothing pending",
                )
            )
        widths = [max((width(cell) for cell in column), default=0) for column in zip(*cells)]
        for one in cells:
            padded = (cell + " " * (wide - width(cell)) for cell, wide in zip(one, widths) if wide)
            lines.append(("  " + "  ".join(padded)).rstrip())
        if not process.communicators and not process.errors:
            lines.append("  no communicators")
        lines.append("")
    return "\n".join(lines[:-1]) + "\n"


def ranges(ranks: List[int]) -> str:
    """Ranks in their order: `0-3,8`."""
    runs: List[List[int]] = []
    for rank in ranks:
        if runs and runs[-1][1] + 1 == rank:
            runs[-1][1] = rank
        else:
            runs.append([rank, rank])
    return ",".join(str(first) if first == last else "{}-{}".format(first, last) for first, last in runs) or "none"


# ---------------------------------------------------------------------------------------------------------------------
# Jobs: which processes a launcher has started, and attaching to them.
# ---------------------------------------------------------------------------------------------------------------------


class Member(NamedTuple):
    """A process of a job."""

    rank: int
    host: str
    executable: str
    pid: int


# No job has more processes than this; a larger number is taken for garbage.
MOST_PROCESSES = 1 << 24

# The variables in which launchers tell processes their rank, and the size of the job; the surest first.
RANK_VARIABLES = (
    ("MQDRT_RANK", "MQDRT_SIZE"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"),
    ("PMIX_RANK", None),
    ("PMI_RANK", "PMI_SIZE"),
    ("SLURM_PROCID", "SLURM_NTASKS"),
)

# The variable that tells the jobs of one launcher apart.
NAMESPACE = "PMIX_NAMESPACE"

# What helps launchers to start ranks; it may have inherited a rank. The kernel cuts names to 15 bytes.
HELPERS = (
    "prted",
    "prterun",
    "prte",
    "orted",
    "mpirun",
    "mpiexec",
    "mpiexec.hydra",
    "hydra_pmi_proxy",
    "hydra_bstrap_pr",
    "pmi_proxy",
    "slurmstepd",
)

# What ranks are often started through.
SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "csh", "tcsh")


def job_members(launcher: int) -> Tuple[List[Member], List[str]]:
    """The processes of a job in the order of their ranks, and remarks on how they were found."""
    try:
        members = table_members(launcher)
        if members:
            return members, []
        why = "has no processes in its table (MPIR_proctable)"
    except gdb.error as error:
        why = "cannot be asked for its table of processes ({})".format(str(error).strip())
    except KeyError:
        why = "keeps no table of processes (MPIR_proctable)"
    except (Unreadable, ValueError) as error:
        raise gdb.GdbError(
            "The table of processes (MPIR_proctable) of launcher {}: {}. Attach to the ranks by their process ids (`attach`).".format(
                launcher, error
            )
        ) from None
    found = tree_members(launcher)
    if found is None:
        raise gdb.GdbError(
            "Process {0} {1}, and none of the processes that it has started has a rank in its environment: it is not the launcher of an MPI job. "
            "Give the process id of mpiexec (or mpirun, srun), or attach to the ranks (`attach`).".format(launcher, why)
        )
    members, variable, remarks = found
    what = count(len(members), "rank", "ranks")
    remarks.insert(
        0,
        "the launcher {} {}: found {} among the processes it has started, by {} in their environment".format(
            launcher, why, what, variable
        ),
    )
    return members, remarks


def table_members(launcher: int) -> List[Member]:
    """The launcher's own table (MPIR Process Acquisition Interface). The launcher is stopped while it is read, and runs on afterwards."""
    for inferior in gdb.inferiors():
        if inferior.pid == launcher:
            check_stopped(inferior)
            with selected(inferior), in_c():
                return read_table(Target(inferior))
    with selection_kept():
        inferior = attached(launcher)
        try:
            with in_c():
                return read_table(Target(inferior))
        finally:
            gdb.execute("detach", to_string=True)
            discard(inferior)


def read_table(target: Target) -> List[Member]:
    """Raises KeyError if there is no table."""
    table_at, size_at = target.symbol("MPIR_proctable"), target.symbol("MPIR_proctable_size")
    if table_at is None or size_at is None:
        raise KeyError("MPIR_proctable")
    size = target.number(size_at, target.sizes[1], signed=True)
    first = target.pointer(table_at)
    if size == 0 or first == 0:
        return []
    if not 0 < size <= MOST_PROCESSES:
        raise ValueError("{} is no number of processes".format(size))
    # From the launcher's debug information if it has any, else as C compilers lay the structure out.
    layout = target.layout("MPIR_PROCDESC")
    word = target.pointer_size
    standard = Layout(3 * word, {"host_name": 0, "executable_name": word, "pid": 2 * word})
    if layout is None or layout.size is None or not set(standard.offsets) <= set(layout.offsets):
        layout = standard
    members = []
    for rank in range(size):
        entry = first + rank * layout.size
        texts = []
        for field in ("host_name", "executable_name"):
            text = target.pointer(entry + layout.offsets[field])
            texts.append(target.string(text) if text else "")
        pid = target.number(entry + layout.offsets["pid"], target.sizes[1], signed=True)
        members.append(Member(rank, texts[0], texts[1], max(pid, 0)))
    return members


def attached(pid: int) -> gdb.Inferior:
    """An inferior that is attached to a process, and selected: the one that is selected if it has nothing yet, else a new one."""
    before = gdb.selected_inferior()
    inferior = before
    if before.pid != 0 or before.progspace.filename is not None:
        known = {inferior.num for inferior in gdb.inferiors()}
        # What the selected inferior is connected to may be another machine.
        gdb.execute("add-inferior -no-connection", to_string=True)
        inferior = next(inferior for inferior in gdb.inferiors() if inferior.num not in known)
        gdb.execute("inferior {}".format(inferior.num), to_string=True)
    try:
        gdb.execute("attach {}".format(pid), to_string=True)
    except BaseException:
        gdb.execute("inferior {}".format(before.num), to_string=True)
        discard(inferior)
        raise
    return inferior


def discard(inferior: gdb.Inferior) -> None:
    """Removes an inferior that has no process (any more); the one that is selected only forgets its program."""
    if gdb.selected_inferior().num == inferior.num:
        gdb.execute("file", to_string=True)
        return
    gdb.execute("remove-inferiors {}".format(inferior.num), to_string=True)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """gdb does not tell of each inferior and thread that is selected. From gdb 13 on."""
    name = "suppress-cli-notifications"
    try:
        before = gdb.parameter(name)
    except RuntimeError:
        yield
        return
    gdb.execute("set {} on".format(name))
    try:
        yield
    finally:
        gdb.execute("set {} {}".format(name, "on" if before else "off"))


class Descendant(NamedTuple):
    """A process under the launcher."""

    pid: int
    depth: int
    environment: Dict[str, str]


def tree_members(launcher: int) -> Optional[Tuple[List[Member], str, List[str]]]:
    """The ranks among the processes that a launcher has started, directly or not, by the variable that tells; None if there are none."""
    started = descendants(launcher)
    own = environment(launcher)
    for rank_name, size_name in RANK_VARIABLES:
        values = {process.environment[rank_name] for process in started if rank_name in process.environment}
        # What all have in common with the launcher is not from it.
        if any(value != own.get(rank_name) for value in values):
            break
    else:
        return None
    ranks: Dict[Tuple[str, int], List[Descendant]] = {}
    for process in started:
        rank = number_or_none(process.environment.get(rank_name, ""))
        if rank is not None and rank >= 0:
            ranks.setdefault((process.environment.get(NAMESPACE, ""), rank), []).append(process)
    members = []
    for (_, rank), processes in sorted(ranks.items()):
        # Others with the same rank are a shell around it, or what it has started itself.
        rank_itself = min(processes, key=lambda one: (not has_mpi(one.pid), is_shell(one.pid), one.depth, one.pid))
        members.append(Member(rank, "", executable_of(rank_itself.pid), rank_itself.pid))
    if not members:
        return None
    remarks = []
    sizes = (number_or_none(process.environment.get(size_name or "", "")) for process in started)
    size = next((size for size in sizes if size is not None), None)
    jobs = {job for job, _ in ranks}
    if len(jobs) > 1:
        remarks.append(
            "process {} has started {} jobs ({}): one is attached to after the other".format(
                launcher, len(jobs), NAMESPACE
            )
        )
    elif size is not None and len(members) < size:
        remarks.append(
            "the job has {} ranks, and {} of them are under process {} on this machine: the others have ended, or are on other machines".format(
                size, len(members), launcher
            )
        )
    return members, rank_name, remarks


def descendants(ancestor: int) -> List[Descendant]:
    """The processes under a process, without helpers; those whose environment cannot be read have none."""
    children: Dict[int, List[Tuple[int, str]]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            # It may end at any time. The name may have blanks and parentheses.
            before, _, rest = file_bytes("/proc/{}/stat".format(entry)).decode("utf-8", "replace").rpartition(")")
            fields = rest.split()
            if len(fields) > 1 and fields[0] not in ("Z", "X"):
                children.setdefault(int(fields[1]), []).append((int(entry), before.partition("(")[2]))
    found = []
    to_do = [(ancestor, 0)]
    while to_do:
        parent, depth = to_do.pop()
        # Removed, so that a process id used again cannot lead round in a circle.
        for pid, name in children.pop(parent, []):
            to_do.append((pid, depth + 1))
            if name not in HELPERS:
                found.append(Descendant(pid, depth, environment(pid)))
    return found


def environment(pid: int) -> Dict[str, str]:
    variables = text_of(file_bytes("/proc/{}/environ".format(pid))).split("\0")
    return dict(variable.split("=", 1) for variable in variables if "=" in variable)


def has_mpi(pid: int) -> bool:
    """Has the process an MPI library loaded? They all have names like this."""
    return re.search(rb"/libmpi[^/\n]*$", file_bytes("/proc/{}/maps".format(pid)), re.MULTILINE) is not None


def is_shell(pid: int) -> bool:
    return os.path.basename(executable_of(pid)) in SHELLS


def executable_of(pid: int) -> str:
    try:
        path = text_of(os.fsencode(os.readlink("/proc/{}/exe".format(pid))))
    except OSError:
        return ""
    return path[: -len(" (deleted)")] if path.endswith(" (deleted)") else path


def file_bytes(path: str) -> bytes:
    """What a file of /proc holds; nothing if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def is_this_host(name: str) -> bool:
    """Is this the name of the machine that we run on? Names with and without a domain are the same, and none means this one."""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        short = name.split(".")[0].lower()
        return not name or short in ("localhost", os.uname().nodename.split(".")[0].lower())


def attach_job(launcher: int) -> None:
    """Attaches to all ranks of a job that are on this machine, and says what came of each."""
    had_process = gdb.selected_inferior().pid != 0
    first: Optional[gdb.Inferior] = None
    with quiet(), selection_kept():
        members, remarks = job_members(launcher)
        for remark in remarks:
            gdb.write("{}\n".format(remark))
        for member in members:
            who = "rank {}".format(member.rank)
            if not is_this_host(member.host):
                gdb.write("{}: not attached to, as it runs on host {}: run gdb there\n".format(who, member.host))
                continue
            inferior = next((inferior for inferior in gdb.inferiors() if inferior.pid == member.pid), None)
            try:
                inferior = attached(member.pid) if inferior is None else inferior
            except gdb.error as error:
                gdb.write("{}: process {} cannot be attached to: {}\n".format(who, member.pid, error), gdb.STDERR)
                continue
            first = first or inferior
            job_ranks[inferior.num] = (member.pid, member.rank)
            program = inferior.progspace.filename or member.executable
            gdb.write("{}: inferior {}, process {}, {}\n".format(who, inferior.num, member.pid, printable(program)))
    if first is None:
        raise gdb.GdbError(
            "None of the {} of the job could be attached to.".format(count(len(members), "rank", "ranks"))
        )
    if not had_process:
        gdb.execute("inferior {}".format(first.num), to_string=True)


# ---------------------------------------------------------------------------------------------------------------------
# The commands.
# ---------------------------------------------------------------------------------------------------------------------


class Options:
    """The arguments of a command: options with a value each, and the rest."""

    def __init__(self, command: str, argument: str, names: Sequence[str], most: int = 0) -> None:
        self.values: Dict[str, List[str]] = {name: [] for name in names}
        self.rest: List[str] = []
        words = iter(gdb.string_to_argv(argument))
        for word in words:
            if not word.startswith("-"):
                self.rest.append(word)
                continue
            matching = [name for name in names if name == word] or [
                name for name in names if name.startswith(word) and word != "-"
            ]
            if len(matching) != 1:
                raise gdb.GdbError("{} has no option {}. It has: {}.".format(command, word, ", ".join(names) or "none"))
            value = next(words, None)
            if value is None:
                raise gdb.GdbError("{}: {} takes a value. See `help {}`.".format(command, matching[0], command))
            self.values[matching[0]].append(value)
        if len(self.rest) > most:
            raise gdb.GdbError(
                "{}: {!r} is one argument too many. See `help {}`.".format(command, self.rest[most], command)
            )

    def filter(self) -> Filter:
        return Filter(self.values["-comm"], self.tags(), self.queues())

    def tags(self) -> List[Tuple[int, int]]:
        tags = []
        for text in [part for value in self.values["-tag"] for part in value.split(",")]:
            range_of = re.fullmatch(r"(\d+)(?:-(\d+))?", text.strip())
            if range_of is None:
                raise gdb.GdbError("{!r} is no tag: -tag takes a number, or a range such as 0-7.".format(text))
            first = int(range_of.group(1))
            last = int(range_of.group(2) or first)
            if last < first:
                raise gdb.GdbError("-tag {}: the range ends before it begins.".format(text))
            tags.append((first, last))
        return tags

    def queues(self) -> List[str]:
        queues = [part.strip() for value in self.values["-queue"] for part in value.split(",")]
        for queue in queues:
            if queue not in QUEUES:
                raise gdb.GdbError("There is no queue {!r}: -queue takes {}.".format(queue, ", ".join(QUEUES)))
        return queues


def completions(text: str, word: str, options: Dict[str, Callable[[], Sequence[str]]]) -> List[str]:
    """What may stand where `word`, the end of `text`, begins: options, or what the option before takes."""
    words = text.split(" ")
    token, before = words[-1], next((one for one in reversed(words[:-1]) if one), "")
    offered = options[before]() if before in options else list(options)
    # gdb has `word` begin after the last character of several kinds, - among them.
    taken = len(token) - len(word)
    return [one[taken:] for one in offered if one.startswith(token)] if taken >= 0 else []


def communicator_names() -> List[str]:
    """For completion, where no error is wanted."""
    try:
        processes = [read_inferior(inferior, stacks=False) for inferior in wanted_inferiors()]
    except gdb.error:
        return []
    names = {one.name for process in processes for one in process.communicators if one.name}
    return sorted('"{}"'.format(name) if " " in name else name for name in names)


class InfoMpiQueues(gdb.Command):
    """Show what the MPI processes are waiting for: pending sends and receives, unexpected messages.

    Usage: info mpi-queues [-comm NAME] [-queue sends|receives|unexpected] [-tag N]

      -comm NAME   Only the communicator of this name, or with this id (0x...).
      -queue NAME  Only this queue: sends, receives or unexpected.
      -tag N       Only operations with this tag, or with tags in a range such as 0-7. A receive with
                   MPI_ANY_TAG that nothing has matched is shown too: it can match any tag.

    Options may be repeated, and -queue and -tag take lists (-tag 3,10-19). All inferiors that have a process
    are read; their threads have to be stopped. The queues are read by a debug DLL: see `help set mqd dll`."""

    def __init__(self) -> None:
        super().__init__("info mpi-queues", gdb.COMMAND_STATUS)

    def invoke(self, argument: str, from_tty: bool) -> None:
        shown = Options("info mpi-queues", argument, ("-comm", "-queue", "-tag")).filter()
        processes = read_all()
        fail_if_nothing(processes)
        shown.apply(processes)
        if not any(process.communicators for process in processes) and shown.communicators:
            raise gdb.GdbError(
                "No process has a communicator {}: `info mpi-communicators` lists them.".format(
                    " or ".join(shown.communicators)
                )
            )
        page = Page(shown)
        for process in processes:
            page.process(process)
        page.summary(processes)
        gdb.write(page.text())

    def complete(self, text: str, word: str) -> Any:
        return completions(text, word, {"-comm": communicator_names, "-queue": lambda: QUEUES, "-tag": list})


class InfoMpiCommunicators(gdb.Command):
    """Show the communicators of the MPI processes: name, id, rank and size, group, and how much is pending.

    Usage: info mpi-communicators

    All inferiors that have a process are read; their threads have to be stopped."""

    def __init__(self) -> None:
        super().__init__("info mpi-communicators", gdb.COMMAND_STATUS)

    def invoke(self, argument: str, from_tty: bool) -> None:
        Options("info mpi-communicators", argument, ())
        processes = read_all()
        fail_if_nothing(processes)
        gdb.write(communicators_text(processes))

    def complete(self, text: str, word: str) -> Any:
        return gdb.COMPLETE_NONE


class Mqd(gdb.Command):
    """Message queues of MPI programs.

    See also `info mpi-queues` and `info mpi-communicators`, and the functions $_mpi_pending_receives,
    $_mpi_pending_sends and $_mpi_unexpected_messages."""

    def __init__(self) -> None:
        super().__init__("mqd", gdb.COMMAND_DATA, prefix=True)

    def invoke(self, argument: str, from_tty: bool) -> None:
        if argument:
            raise gdb.GdbError("mqd has no command {!r}. See `help mqd`.".format(argument.split()[0]))
        gdb.execute("help mqd", from_tty)


class MqdDump(gdb.Command):
    """Write the message queues of all processes to a file, in the format of `mqd dump --format json`.

    Usage: mqd dump -json FILE

    All inferiors that have a process are read; their threads have to be stopped. What cannot be read is an
    error in the file, and of the command if nothing could be read. docs/json.md describes the format."""

    def __init__(self) -> None:
        super().__init__("mqd dump", gdb.COMMAND_DATA)

    def invoke(self, argument: str, from_tty: bool) -> None:
        self.dont_repeat()
        files = Options("mqd dump", argument, ("-json",)).values["-json"]
        if len(files) != 1:
            raise gdb.GdbError("Which file? Usage: mqd dump -json FILE")
        path = os.path.expanduser(files[0])
        wanted_inferiors()
        try:
            # Opened before anything is read, as in mqd: a typing error must not cost a dump.
            with open(path, "w", encoding="utf-8", errors="replace") as file:
                processes = read_all()
                file.writelines(report_json(processes))
        except OSError as error:
            raise gdb.GdbError("Cannot write {}: {}".format(path, error.strerror)) from None
        fail_if_nothing(processes)

    def complete(self, text: str, word: str) -> Any:
        if text.startswith("-json "):
            return gdb.COMPLETE_FILENAME
        return completions(text, word, {"-json": list})


class MqdAttachJob(gdb.Command):
    """Debug all ranks of an MPI job.

    Usage: mqd attach-job LAUNCHER_PID

    LAUNCHER_PID is the process id of mpiexec, mpirun or srun. Its table of processes (MPIR_proctable) names the
    ranks; where there is none they are found among the processes that it has started, by the rank in their
    environment. Each rank on this machine becomes an inferior of its own. They stay stopped until they are
    continued (see `help set schedule-multiple`) or detached from."""

    def __init__(self) -> None:
        super().__init__("mqd attach-job", gdb.COMMAND_RUNNING)

    def invoke(self, argument: str, from_tty: bool) -> None:
        self.dont_repeat()
        rest = Options("mqd attach-job", argument, (), most=1).rest
        launcher = number_or_none(rest[0]) if rest else None
        if launcher is None or launcher <= 0:
            raise gdb.GdbError(
                "Which job? Usage: mqd attach-job LAUNCHER_PID, the process id of mpiexec (or mpirun, srun)."
            )
        attach_job(launcher)

    def complete(self, text: str, word: str) -> Any:
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
        gdb.execute("show mqd dll", from_tty)


class MqdDll(gdb.Parameter):
    """The debug DLL that reads the message queues of MPI programs.

    Without one it is the DLL that the process names (MPIR_dll_name), unless others than its user could have
    written it, and mqd's own, libmqd.so. A DLL runs inside gdb: one that crashes takes gdb along."""

    set_doc = "Set the debug DLL that reads the message queues of MPI programs."
    show_doc = "Show the debug DLL that reads the message queues of MPI programs."

    def __init__(self) -> None:
        super().__init__("mqd dll", gdb.COMMAND_DATA, gdb.PARAM_OPTIONAL_FILENAME)
        self.value: Optional[str] = None

    def get_set_string(self) -> str:
        return ""

    def get_show_string(self, value: str) -> str:
        if value:
            return "The debug DLL is {}.".format(value)
        own = own_dll()
        ours = (
            "mqd's own, {}".format(own)
            if own
            else "mqd's own, which is not there: libmqd.so is not beside {} or in ../lib".format(SCRIPT)
        )
        return "The debug DLL is the one that the process names (MPIR_dll_name), or {}.".format(ours)


class Count(gdb.Function):
    """Counts the operations of a queue of the selected inferior."""

    def __init__(self, name: str, queue: str) -> None:
        self.__doc__ = "${0}([COMMUNICATOR [, TAG]]): how many {1}s there are in the selected process.\n\n".format(
            name, SINGULAR[queue]
        )
        self.__doc__ += (
            'COMMUNICATOR is a name or an id such as "0x2", "" stands for all of them. With TAG, those are counted that\n'
            "have this tag or, waiting for MPI_ANY_TAG, could match it. In a condition, as in\n"
            '    break exchange if ${}("halo") > 3\n'
            "each hit reads the queues. It is an error if they cannot be read, as before MPI_Init.".format(name)
        )
        self.name, self.queue = name, queue
        super().__init__(name)

    def invoke(self, communicator: Optional[gdb.Value] = None, tag: Optional[gdb.Value] = None) -> int:
        inferior = gdb.selected_inferior()
        if inferior.pid == 0:
            raise gdb.GdbError("${}: there is no process to read.".format(self.name))
        check_stopped_in_expression(inferior)
        try:
            name = communicator.string() if communicator is not None else ""
            shown = Filter([name] if name else [], [(int(tag), int(tag))] if tag is not None else [], [self.queue])
        except gdb.error as error:
            raise gdb.GdbError("${}: {}".format(self.name, error)) from None
        # Not the stacks: gdb does not expect that other threads are selected while it evaluates an expression.
        process = read_inferior(inferior, stacks=False)
        # That another queue is not known does not matter here.
        others = [
            "the debug DLL has no information about {}".format(FIELDS[queue].replace("_", " "))
            for queue in QUEUES
            if queue != self.queue
        ]
        errors = [error for error in process.errors if error not in others]
        if errors:
            raise gdb.GdbError("${}: {}".format(self.name, "; ".join(errors)))
        shown.apply([process])
        return sum(len(one.queues[self.queue]) for one in process.communicators)


def register() -> None:
    """Tells gdb of all commands, the parameter, and the functions."""
    for command in (InfoMpiQueues, InfoMpiCommunicators, Mqd, MqdDump, MqdAttachJob, SetMqd, ShowMqd, MqdDll):
        command()
    Count("_mpi_pending_receives", "receives")
    Count("_mpi_pending_sends", "sends")
    Count("_mpi_unexpected_messages", "unexpected")


def load_as_module() -> None:
    """Runs this file in a module of its own: where gdb runs it, the user's variables are too."""
    module = types.ModuleType("mqd_gdb", __doc__)
    module.__file__ = SCRIPT
    sys.modules["mqd_gdb"] = module
    with open(SCRIPT, encoding="utf-8") as file:
        exec(compile(file.read(), SCRIPT, "exec"), module.__dict__)  # pylint: disable=exec-used


if __name__ != "__main__":
    register()
elif gdb.current_objfile() is None or "mqd_gdb" not in sys.modules:
    # gdb loads this file with each library that it lies beside. Once is enough, unless the user says `source`.
    load_as_module()
