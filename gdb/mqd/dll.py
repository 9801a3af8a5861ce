# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The debug DLL: which one reads a process, and loading it."""

import contextlib
import ctypes
import os
import stat
import unicodedata
from ctypes import byref, c_ulong
from typing import Any, Callable, ClassVar, Dict, List, NamedTuple, Optional, Tuple

from . import open_mpi, trust
from .callbacks import BASIC, BASIC_OWN
from .interface import COMPATIBLE, OPTIONAL, REQUIRED
from .problems import NO_DLL, Failed, Problem
from .target import Target, Unreadable
from .text import text_of

OWN_DLL = "libmqd.so"
DLL_NAME = "MPIR_dll_name"

# The directory of mqd.py. Symbolic links that gdb loads it by have been followed.
DIRECTORY = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))

# Where our own DLL is: beside mqd.py, beside its directory, in the prefix that `cargo xtask dist`
# lays out, and in a source tree.
OWN_PLACES = (".", "../lib", "../../../lib", "../target/dist/lib")


def own_dll() -> Optional[str]:
    """The path of our own debug DLL."""
    for place in OWN_PLACES:
        path = os.path.join(DIRECTORY, place, OWN_DLL)
        if os.path.isfile(path):
            return os.path.realpath(path)
    return None


def is_own(path: str) -> bool:
    """Is this our own debug DLL?"""
    own = own_dll()
    return own is not None and os.path.realpath(path) == own


class Candidate(NamedTuple):
    """A debug DLL to try. Loading it may fail, or be refused."""

    path: str
    load: Callable[[], "Dll"]


def candidates(target: Target) -> Tuple[List[Candidate], List[str]]:
    """The debug DLLs to try, in this order, and what is doubtful.

    These are the DLL that the process names, and our own. Our own comes first if it is known to
    show more.
    """
    found: List[Candidate] = []
    warnings: List[str] = []
    try:
        name = dll_named_by(target)
    except Unreadable as error:
        warnings.append(f"the name of the debug DLL ({DLL_NAME}): {error}")
        name = None
    own = own_dll()
    if name is not None:
        path = beside_library(name, target)
        if own is None or os.path.realpath(path) != own:
            # The user's own process can name the user's own files.
            root_only = os.geteuid() == 0 or not target.is_ours()
            found.append(Candidate(path, lambda: Dll.load_trusted(path, root_only)))
    if own is not None:
        ours = own
        # The DLL of Open MPI does not know unexpected messages, and shows much of the rest wrong.
        # It is still tried for what ours refuses.
        surpassed = bool(found) and open_mpi.is_its_dll(found[0].path)
        place = 0 if surpassed else len(found)
        found.insert(place, Candidate(ours, lambda: Dll.load(ours)))
    return found, warnings


def dll_named_by(target: Target) -> Optional[str]:
    """The name in MPIR_dll_name.

    It is an array of characters in some libraries and a pointer to them in others. The content
    tells which.
    """
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
    """Can this be the name of a file? The bytes of a pointer cannot."""
    return bool(text) and not any(
        unicodedata.category(character) == "Cc" or character == "\ufffd" for character in text
    )


def beside_library(name: str, target: Target) -> str:
    """The path of the DLL that a process names.

    A relative name means a file beside the MPI library if there is one. If there is none, the
    dynamic linker searches for it.
    """
    if target.library is not None:
        path = os.path.join(os.path.dirname(target.library), name)
        if os.path.isfile(path):
            return path
    return name


class Dll:
    """A debug DLL that is loaded, complete, and speaks our version of the interface."""

    loaded: ClassVar[Dict[Tuple[str, int, int], "Dll"]] = {}

    @classmethod
    def load(cls, path: str) -> "Dll":
        """Loads a DLL of ours or of the user's choice.

        The dynamic linker searches for a name without a slash.
        """
        key = (path, 0, 0)
        # The dynamic linker says what is wrong with a file that is not there.
        with contextlib.suppress(OSError):
            if "/" in path:
                file = os.stat(path)
                if not stat.S_ISREG(file.st_mode):
                    raise cannot_load(path, "it is not a regular file")
                key = (path, file.st_dev, file.st_ino)
        if key not in cls.loaded:
            cls.loaded[key] = cls(path, library(path, path))
        return cls.loaded[key]

    @classmethod
    def load_trusted(cls, path: str, root_only: bool) -> "Dll":
        """Loads a DLL that a process has named, if it can be trusted."""
        if "/" not in path:
            if root_only:
                raise trust.Distrusted("only the dynamic linker can tell which file this is")
            return cls.load(path)
        try:
            descriptor = trust.open_trusted(path, root_only)
        except OSError as error:
            raise cannot_load(path, str(error.strerror)) from None
        file = os.fstat(descriptor)
        key = (path, file.st_dev, file.st_ino)
        if key not in cls.loaded:
            cls.loaded[key] = cls(path, library_behind(descriptor, path))
        else:
            os.close(descriptor)
        return cls.loaded[key]

    def __init__(self, path: str, library: ctypes.PyDLL) -> None:
        self.path = path
        self.functions: Dict[str, Any] = {}
        for required, result in REQUIRED.items():
            function = getattr(library, required, None)
            if function is None:
                text = "{} is not a debug DLL for message queues: it has no function {}"
                raise unusable(path, text.format(path, required))
            function.restype = result
            self.functions[required] = function
        for optional in OPTIONAL:
            self.functions[optional] = getattr(library, optional, None)
        self._check_compatibility()
        version = self.functions["mqs_version_string"]()
        self.version = text_of(version).strip() if version is not None else "unknown"
        # Our own DLL's questions need no checks.
        callbacks = BASIC_OWN if is_own(path) else BASIC
        self.functions["mqs_setup_basic_callbacks"](byref(callbacks.table))

    def _check_compatibility(self) -> None:
        """Raises an exception if the DLL is for another interface or another word size."""
        found = self.functions["mqs_version_compatibility"]()
        if found not in COMPATIBLE:
            text = (
                "the debug DLL {} speaks version {} of the MQD interface; mqd speaks versions 2 "
                "and 3. Use the DLL of another release of the MPI library, or another release of "
                "mqd"
            )
            raise unusable(self.path, text.format(self.path, found))
        width = self.functions["mqs_dll_taddr_width"]
        if width is not None and width() != ctypes.sizeof(c_ulong):
            text = (
                "the debug DLL {} is built for addresses of {} bytes, mqd for {}: use a DLL of "
                "mqd's word size"
            )
            raise unusable(self.path, text.format(self.path, width(), ctypes.sizeof(c_ulong)))

    def error_text(self, code: int) -> Optional[str]:
        """The text of one of its error codes (5.7.5)."""
        text = self.functions["mqs_dll_error_string"](code)
        return text_of(text).strip() or None if text is not None else None


def library(path: str, name: str) -> ctypes.PyDLL:
    """Loads a library, which the dynamic linker knows by `name` and people by `path`."""
    try:
        # gdb is not made for several threads. PyDLL, unlike CDLL, keeps other threads of Python
        # from running while the DLL runs.
        return ctypes.PyDLL(name, os.RTLD_NOW | os.RTLD_LOCAL)
    except OSError as error:
        raise cannot_load(path, str(error).replace(name, path)) from None


# Libraries that were loaded by a descriptor. Their descriptors stay open: if another file got the
# same number, the dynamic linker would answer with the library that it knows by that name.
by_descriptor: Dict[Tuple[int, int], ctypes.PyDLL] = {}


def library_behind(descriptor: int, path: str) -> ctypes.PyDLL:
    """Loads the file behind a descriptor, and takes care of the descriptor."""
    file = os.fstat(descriptor)
    key = (file.st_dev, file.st_ino)
    if key in by_descriptor:
        os.close(descriptor)
    else:
        try:
            by_descriptor[key] = library(path, f"/proc/self/fd/{descriptor}")
        except Failed:
            os.close(descriptor)
            raise
    return by_descriptor[key]


def cannot_load(path: str, reason: str) -> Failed:
    """The error for a DLL that the dynamic linker does not load."""
    return unusable(path, f"cannot load the debug DLL {path}: {reason}")


def unusable(path: str, text: str) -> Failed:
    """The error for a DLL that cannot be used."""
    return Failed(Problem(NO_DLL, text, path))
