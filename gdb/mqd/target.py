# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The process of an inferior as debug DLLs need it: symbols, types and memory, as gdb has them."""

import contextlib
import os
import re
from typing import Dict, List, NamedTuple, Optional

import gdb

from .text import local_path, text_of

# Names that only an MPI library defines, the most reliable first.
LIBRARY_SYMBOLS = (
    "MPIR_dll_name",
    "mqdrt_root",
    "ompi_mpi_comm_world",
    "MPIR_All_communicators",
    "PMPI_Init_thread",
    "PMPI_Init",
    "PMPI_Session_init",
)

# The longest string that is read: no path name is longer.
LONGEST_STRING = 4096


class Unreadable(Exception):
    """Memory that gdb cannot read."""


class Layout(NamedTuple):
    """A type, as far as the interface asks for it. A type that is only declared has no size."""

    size: Optional[int]
    offsets: Dict[str, int]


class Names:
    """Answers about names. These questions are the slow ones."""

    def __init__(self) -> None:
        self.symbols: Dict[str, Optional[int]] = {}
        self.functions: Dict[str, Optional[int]] = {}
        self.types: Dict[str, Optional[Layout]] = {}


def connection_of(inferior: gdb.Inferior) -> Optional[str]:
    """How gdb is connected to the selected inferior: native, core, remote or extended-remote."""
    if hasattr(inferior, "connection"):
        connection = inferior.connection
        return connection.type if connection is not None else None
    # Python knows it from gdb 11 on. The stack of targets has a line for each: "  - core (...)".
    stack = gdb.execute("maint print target-stack", to_string=True)
    found = re.search(r"^\s*- (native|core|remote|extended-remote) ", stack, re.MULTILINE)
    return found.group(1) if found else None


class Target:
    """The process of the selected inferior.

    It is valid while gdb has control: the next step of the program may change everything.
    """

    def __init__(self, inferior: gdb.Inferior) -> None:
        self.inferior = inferior
        self.connection = connection_of(inferior)
        self.sizes = [
            int(gdb.parse_and_eval(f"sizeof({name})"))
            for name in ("short", "int", "long", "long long", "char *")
        ]
        self.pointer_size = self.sizes[4]
        order = gdb.execute("show endian", to_string=True)
        self.byteorder = "big" if "big" in order else "little"
        self.read = inferior.read_memory
        self.names = self._names()
        self.block: Optional[gdb.Block] = None
        self.library = self._library()

    def _names(self) -> Names:
        """The answers so far. They hold for this process while it loads and unloads no files."""
        space = self.inferior.progspace
        files = tuple(space.objfiles())
        valid_for = (files, self.inferior.pid, getattr(self.inferior, "connection_num", None))
        known = getattr(space, "mqd_names", None)
        if known is None or known[0] != valid_for:
            known = (valid_for, Names())
            setattr(space, "mqd_names", known)  # noqa: B010 (gdb documents such attributes)
        names: Names = known[1]
        return names

    @property
    def pid(self) -> Optional[int]:
        """The process id. None if a core file does not have it; gdb then says 1."""
        unknown = self.connection == "core" and self.inferior.pid == 1
        return None if unknown else self.inferior.pid

    def core(self) -> Optional[str]:
        """The path of the core file."""
        if self.connection != "core":
            return None
        found = re.search(
            r"^Local core dump file:\n\t`(.*)', file type ",
            gdb.execute("info files", to_string=True),
            re.MULTILINE,
        )
        return found.group(1) if found else None

    def host(self) -> Optional[str]:
        """The name of this host, if the process runs on it."""
        return os.uname().nodename if self.connection == "native" else None

    def executable(self) -> Optional[str]:
        """The path of the executable."""
        name = self.inferior.progspace.filename
        return local_path(name) if name else None

    def is_ours(self) -> bool:
        """Does the process belong to the user that runs gdb? False if that is not known."""
        if self.connection == "native":
            path: Optional[str] = f"/proc/{self.inferior.pid}"
        else:
            path = self.core()
        try:
            return path is not None and os.stat(path).st_uid == os.geteuid()
        except OSError:
            return False

    def _library(self) -> Optional[str]:
        """The path of the MPI library, or of the executable if MPI is linked into it."""
        for name in LIBRARY_SYMBOLS:
            address = self.symbol(name)
            if address is not None:
                symbol = gdb.lookup_global_symbol(name)
                if symbol is not None and symbol.symtab is not None:
                    self.block = symbol.symtab.static_block()
                solib = gdb.solib_name(address)
                return local_path(solib) if solib else self.executable()
        return None

    def symbol(self, name: str) -> Optional[int]:
        """The address of a global variable or function, whatever frame is selected."""
        symbols = self.names.symbols
        if name not in symbols:
            symbols[name] = None
            with contextlib.suppress(gdb.error):
                symbols[name] = int(gdb.parse_and_eval(f"(unsigned long) &::{name}"))
        return symbols[name]

    def function(self, name: str) -> Optional[int]:
        """The address of a function."""
        functions = self.names.functions
        if name not in functions:
            functions[name] = None
            with contextlib.suppress(gdb.error):
                function = gdb.parse_and_eval(f"::{name}")
                if function.type.code == gdb.TYPE_CODE_FUNC and function.address is not None:
                    functions[name] = int(function.address)
        return functions[name]

    def layout(self, name: str) -> Optional[Layout]:
        """A type by its name in C: a typedef, a base type, or a tag.

        `struct x` asks for the tag alone.
        """
        types = self.names.types
        if name not in types:
            found = self._find_type(name)
            types[name] = None if found is None else layout_of(found)
        return types[name]

    def _find_type(self, name: str) -> Optional[gdb.Type]:
        tags = ("struct ", "union ", "enum ")
        spellings = [name] if name.startswith(tags) else [name, *(tag + name for tag in tags)]
        for spelling in spellings:
            # The types of the MPI library come first: a program may have others of the same name.
            if self.block is not None:
                with contextlib.suppress(gdb.error):
                    return gdb.lookup_type(spelling, self.block)
            with contextlib.suppress(gdb.error):
                return gdb.lookup_type(spelling)
            # gdb.lookup_type uses the language that was set when the command began.
            with contextlib.suppress(gdb.error):
                return gdb.parse_and_eval(f"({spelling} *) 0").type.target()
        return None

    def unreadable(self, address: int, error: Exception) -> str:
        """Says which memory cannot be read, in the words of `mqd`."""
        why = str(error)
        if isinstance(error, gdb.MemoryError):
            # gdb names the first byte that it cannot have.
            found = re.search(r"0x[0-9a-f]+", why)
            address = int(found.group(0), 16) if found else address
            native = self.connection == "native"
            why = "not mapped in the target" if native else "gdb cannot access it"
        return f"cannot read the target's memory at {address:#x}: {why}"

    def bytes(self, address: int, size: int) -> bytes:
        """The bytes at an address."""
        try:
            return bytes(self.read(address, size))
        except (gdb.error, OverflowError) as error:
            raise Unreadable(self.unreadable(address, error)) from None

    def pointer(self, address: int) -> int:
        """The pointer at an address."""
        big = self.byteorder == "big"
        return int.from_bytes(self.bytes(address, self.pointer_size), "big" if big else "little")

    def string(self, address: int) -> str:
        """The string at an address."""
        found = b""
        while len(found) < LONGEST_STRING:
            # No step crosses a page, since the next page may not be there.
            at = address + len(found)
            piece = self.bytes(at, 256 - at % 256)
            end = piece.find(b"\0")
            if end >= 0:
                return text_of(found + piece[:end])
            found += piece
        return text_of(found)


def layout_of(kind: gdb.Type) -> Layout:
    """Size and members of a type. The members of anonymous members count as its own."""
    kind = kind.strip_typedefs()
    offsets: Dict[str, int] = {}
    if kind.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        add_offsets(kind, 0, offsets)
    # gdb gives a type that is only declared the size 0.
    return Layout(kind.sizeof or None, offsets)


def add_offsets(kind: gdb.Type, base: int, offsets: Dict[str, int]) -> None:
    """Adds the offsets of the members of a type that begins at `base`."""
    fields: List[gdb.Field] = kind.fields()
    for field in fields:
        # A static member has no place in the structure.
        bits: Optional[int] = getattr(field, "bitpos", None)
        if bits is None:
            continue
        offset = base + bits // 8
        if field.name and not field.is_base_class:
            offsets.setdefault(field.name, offset)
            continue
        inner = field.type.strip_typedefs() if field.type is not None else None
        if inner is not None and inner.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
            add_offsets(inner, offset, offsets)
