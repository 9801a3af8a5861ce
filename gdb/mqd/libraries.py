# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The libraries that an MPI job consists of besides the program, by the names of their files."""

import os
import re
from typing import Dict, Optional, Tuple

import gdb

from .frames import C_LIBRARIES
from .target import Target
from .text import local_path

# The libraries of MPI and below, by their file names without ".so" and what follows. A thread that
# has begun there belongs to the library. A program may have libraries of its own with names that
# only begin like this.
RUNTIME = (
    "libmpi",
    "libmpi_abi",
    "libmpich",
    "libpmpi",
    "libopen-pal",
    "libopen-rte",
    "libpmix",
    "libprrte",
    "libucs",
    "libuct",
    "libucp",
    "libfabric",
)
# How the file names of their components begin.
COMPONENTS = ("mca_", "libmca_", "libucs_", "libuct_")
# The libraries that MPI libraries use, in the same way.
BELOW = (
    "libucm",
    "libpmi",
    "libpmi2",
    "libevent",
    "libevent_core",
    "libevent_pthreads",
    "libhwloc",
    "libibverbs",
    "librdmacm",
    "libmlx4",
    "libmlx5",
    "libnl",
    "libnl-genl",
    "libnl-route",
    "libpsm_infinipath",
    "libpsm2",
    "libinfinipath",
    "libcxi",
    "libudev",
    "libnuma",
    "libhcoll",
    "libocoms",
    "libucc",
    "libsharp",
    "libsharp_coll",
    "libcuda",
    "libcudart",
    "libnvidia-ml",
    "libgdrapi",
    "libamdhip64",
    "libhsa-runtime64",
    "libze_loader",
    "libze_intel_gpu",
    "libxpmem",
    "libefa",
)
# How the file names of their components begin.
COMPONENTS_BELOW = ("hmca_", "libucc_")
# How names of functions begin that are linked into a program together with MPI.
OF_FUNCTIONS = (
    "MPI_",
    "PMPI_",
    "MPIR_",
    "MPID",
    "MPII_",
    "MPIC_",
    "MPIX_",
    "MPIU_",
    "MPIO",
    "MPL_",
    "ADIO",
    "ompi_",
    "opal_",
    "mca_",
    "orte_",
    "prte_",
    "pmix_",
    "PMIx_",
    "ucp_",
    "uct_",
    "ucs_",
)
# The libraries of MPI for other languages than C.
BINDINGS = (
    "libmpi_cxx",
    "libmpi_mpifh",
    "libmpi_usempi",
    "libmpi_usempi_ignore_tkr",
    "libmpi_usempif08",
    "libmpicxx",
    "libmpichcxx",
    "libmpifort",
)
# What is known of files and names.
USES: Dict[Tuple[Optional[str], Tuple[str, ...]], Optional[bool]] = {}
# What else their file names contain: providers of libfabric, and drivers of verbs.
OF_NETWORKS = ("-fi.so", "-rdmav")


def is_runtime(name: str) -> bool:
    """Is this the file name of an MPI library or of a component?"""
    name = plain(name)
    return name in RUNTIME or name.startswith(COMPONENTS)


def is_below(name: str) -> bool:
    """Is this the file name of a library that MPI libraries use?"""
    is_known = plain(name) in BELOW or plain(name).startswith(COMPONENTS_BELOW)
    return is_known or any(part in name for part in OF_NETWORKS)


def plain(name: str) -> str:
    """A file name without ".so" and what follows, its version, and the hash of PyPI's packages."""
    name = name.split(".so", maxsplit=1)[0]
    for _ in range(2):
        name = re.sub(r"-([0-9a-fA-F]{8,}(\.[0-9.]*)?|[0-9.]*)$", "", name)
    return name


def calls_program(name: str) -> bool:
    """May a library call functions of the program?

    Those below MPI call functions of MPI and of each other by pointers, but none of the program.
    """
    begin = plain(name)
    return not is_below(name) and not begin.startswith("libuc") and begin != "libfabric"


def program_imports(target: Target, begins: Tuple[str, ...], otherwise: bool) -> bool:
    """Does the program, or a library of it, use functions whose names begin like this?

    `otherwise` is the answer for a library whose file is not there. gdb does not tell which
    functions of other libraries a file uses. Their names are in it, but other texts may look like
    them.
    """
    files = [one for one in gdb.objfiles() if one.owner is None and one.filename is not None]
    for path in [target.executable(), *(local_path(one.filename or "") for one in files)]:
        name = os.path.basename(path or "")
        is_of_c = name.startswith((*C_LIBRARIES, "system-supplied"))
        is_known = path == target.library or is_of_c or is_runtime(name) or is_below(name)
        is_known = is_known or plain(name) in BINDINGS
        if path == target.executable() or not is_known:
            found = names(path, begins)
            if otherwise if found is None else found:
                return True
    return False


def names(path: Optional[str], begins: Tuple[str, ...]) -> Optional[bool]:
    """Does a file contain a name that begins like this? None if it cannot be read."""
    key = (path, begins)
    if key not in USES:
        try:
            with open(path or "", "rb") as file:
                content = file.read()
            USES[key] = any(b"\0" + begin.encode() in content for begin in begins)
        except OSError:
            USES[key] = None
    return USES[key]
