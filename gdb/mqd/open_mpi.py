# SPDX-License-Identifier: Apache-2.0 OR MIT
"""When the debug DLL of Open MPI is right.

It reads the requests of Open MPI's own matching component, ob1. With another component, such as ucx
or cm, it finds nothing and reports empty queues.
"""

import os
from typing import Optional

from .target import Target, Unreadable

DLL_PREFIX = "libompi_dbg_msgq"

# Where Open MPI keeps the description of the component that matches messages.
COMPONENT = "mca_pml_base_selected_component"

# The type of such a component stands in a field of 32 bytes. The description begins with a version
# of three ints, and since Open MPI 2 with a project name of 16 bytes and three more ints.
TYPE = b"pml\0"
TYPE_AT = (40, 12)

# From that field to the name of the component, over a version of three ints; the name's size.
TO_NAME = 32 + 12
NAME_SIZE = 64

# The component whose queues the debug DLL of Open MPI reads.
READ = "ob1"


def is_its_dll(path: str) -> bool:
    """Is this the debug DLL of Open MPI?"""
    return os.path.basename(path).startswith(DLL_PREFIX)


def wrong_component(target: Target) -> Optional[str]:
    """Why the queues that this DLL shows are not those of the process; None if they are."""
    name = selected(target)
    if name == READ:
        return None
    if name is None:
        return (
            f"it is not known which component of Open MPI matches messages ({COMPONENT}), and its "
            f"debug DLL reads only the queues of pml/{READ}"
        )
    return (
        f"Open MPI uses its component pml/{name} here, whose queues its debug DLL does not read; "
        "with --mca pml ob1 they can be read"
    )


def selected(target: Target) -> Optional[str]:
    """The name of the component that matches messages; None if it is not known."""
    address = target.symbol(COMPONENT)
    if address is None:
        return None
    try:
        return component(target.bytes(address, TYPE_AT[0] + TO_NAME + NAME_SIZE))
    except Unreadable:
        return None


def component(description: bytes) -> Optional[str]:
    """The name in the description of a component."""
    for at in TYPE_AT:
        if description[at:].startswith(TYPE):
            name, zero, _ = description[at + TO_NAME : at + TO_NAME + NAME_SIZE].partition(b"\0")
            text = name.decode("ascii", "replace")
            is_name = text.isascii() and text.isprintable() and " " not in text
            return text if zero and name and is_name else None
    return None
