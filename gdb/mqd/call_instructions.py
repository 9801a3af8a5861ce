# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Which function a call instruction has called."""

from typing import Optional

from .target import Target, Unreadable

# The instructions that call a function: those of x86-64 and aarch64.
CALL = b"\xe8"
BL = 0b100101


def branch_before(address: int, target: Target) -> Optional[int]:
    """Where the call of aarch64 before a return address leads, if the instruction tells."""
    code = int.from_bytes(target.bytes(address - 4, 4), "little")
    # The displacement has 26 bits, in units of instructions.
    displacement = (code & 0x3FFFFFF) - ((code & 0x2000000) << 1)
    return address - 4 + displacement * 4 if code >> 26 == BL else None


def callee_before(address: int, target: Target) -> Optional[int]:
    """The function that was called by the call before a return address.

    The call may be direct, or go through the procedure linkage table. None if that is not known.
    """
    machine = target.inferior.architecture().name()

    def displaced(end: int, code: bytes) -> int:
        return end + int.from_bytes(code, "little", signed=True)

    try:
        if machine != "i386:x86-64":
            return branch_before(address, target) if machine == "aarch64" else None
        code = target.bytes(address - 6, 6)
        if code[:2] == b"\xff\x15":
            return target.pointer(displaced(address, code[2:]))
        if code[1:2] != CALL:
            return None
        callee = displaced(address, code[2:])
        entry = target.bytes(callee, 11)
        # endbr64 and bnd may stand before the jump.
        at = 4 if entry.startswith(b"\xf3\x0f\x1e\xfa") else 0
        at += entry[at : at + 1] == b"\xf2"
        if entry[at : at + 2] != b"\xff\x25":
            return callee
        return target.pointer(displaced(callee + at + 6, entry[at + 2 : at + 6]))
    except Unreadable:
        return None
