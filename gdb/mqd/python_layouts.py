# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Where the fields are in the structures of CPython, for machines with words of 8 bytes.

All releases of a minor version agree. `mqd` has the same table in Rust.
"""

from typing import Callable, Dict, NamedTuple, Optional, Tuple

from .python_lines import by_line_table, by_lnotab, by_location_table

# From a table of lines, the first line of a function and a place in its code to a line.
LineOf = Callable[[bytes, int, int], Optional[int]]


class Layout(NamedTuple):
    """The layout of a minor version. All offsets are in bytes."""

    minor: int
    # In the runtime: the first interpreter.
    interpreters: int
    # In an interpreter: the next one, and the state of its first thread.
    next_interpreter: int
    threads: int
    # In the state of a thread: the next one.
    next_thread: int
    # In the state of a thread: what `pthread_self` returns, and the kernel's number.
    thread_id: int
    native_thread_id: Optional[int]
    # In the state of a thread: the innermost frame, or a C structure that has it.
    current: int
    current_in_c_frame: Optional[int]
    # In a frame: its code, the bits of that pointer that are no address, its caller, and where it
    # is in its code.
    code: int
    tags: int
    previous: int
    at: int
    # In a frame: a byte that is not 0 if the evaluation loop was entered for it.
    entry: Optional[int]
    # In a frame: a byte and its value in a frame of C, before which the loop was entered. If there
    # is neither, the loop is entered for each frame.
    owner: Optional[Tuple[int, int]]
    # In a code object.
    first_line: int
    file: int
    name: int
    lines: int
    # In a code object: its first instruction; frames of earlier releases have an index.
    instructions: Optional[int]
    # How many bytes of code one step of the index is.
    step: int
    # What finds a line in the table of a function.
    line_of: LineOf
    # In a string: where its characters begin, if they are ASCII and if not.
    ascii: int
    characters: int


V9 = Layout(
    minor=9,
    interpreters=32,
    next_interpreter=0,
    threads=8,
    next_thread=8,
    thread_id=176,
    native_thread_id=None,
    current=24,
    current_in_c_frame=None,
    code=32,
    tags=0,
    previous=24,
    at=104,
    entry=None,
    owner=None,
    first_line=40,
    file=104,
    name=112,
    lines=120,
    instructions=None,
    step=1,
    line_of=by_lnotab,
    ascii=48,
    characters=72,
)
V10 = V9._replace(minor=10, at=96, step=2, line_of=by_line_table)
V11 = Layout(
    minor=11,
    interpreters=40,
    next_interpreter=0,
    threads=16,
    next_thread=8,
    thread_id=152,
    native_thread_id=160,
    current=56,
    current_in_c_frame=8,
    code=32,
    tags=0,
    previous=48,
    at=56,
    entry=68,
    owner=None,
    first_line=72,
    file=112,
    name=128,
    lines=136,
    instructions=184,
    step=1,
    line_of=by_location_table,
    ascii=48,
    characters=72,
)
V12 = V11._replace(
    minor=12,
    threads=72,
    thread_id=136,
    native_thread_id=144,
    current_in_c_frame=0,
    code=0,
    previous=8,
    entry=None,
    owner=(70, 3),
    first_line=68,
    instructions=192,
    ascii=40,
    characters=56,
)
V13 = V12._replace(
    minor=13,
    interpreters=632,
    next_interpreter=7264,
    threads=7344,
    thread_id=152,
    native_thread_id=160,
    current=72,
    current_in_c_frame=None,
    instructions=200,
)
V14 = V13._replace(
    minor=14,
    interpreters=808,
    next_interpreter=7272,
    tags=3,
    owner=(74, 3),
    instructions=208,
)

# By minor version.
LAYOUTS: Dict[int, Layout] = {one.minor: one for one in (V9, V10, V11, V12, V13, V14)}
