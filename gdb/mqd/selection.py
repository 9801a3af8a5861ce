# SPDX-License-Identifier: Apache-2.0 OR MIT
"""gdb's state around a command: what the user has selected stays selected."""

import contextlib
from typing import Iterator, List, Optional

import gdb


@contextlib.contextmanager
def selected(inferior: gdb.Inferior) -> Iterator[None]:
    """Selects an inferior, and restores the user's selection afterwards."""
    before = gdb.selected_inferior()
    if before.num == inferior.num and gdb.selected_thread() is not None:
        yield
        return
    with selection_kept():
        inferior.threads()[0].switch()
        yield


@contextlib.contextmanager
def selection_kept() -> Iterator[None]:
    """Restores the user's inferior, thread and frame afterwards."""
    inferior, thread = gdb.selected_inferior(), gdb.selected_thread()
    frame: Optional[gdb.Frame] = None
    with contextlib.suppress(gdb.error):
        frame = gdb.selected_frame()
    try:
        yield
    finally:
        if thread is not None and thread.is_valid():
            thread.switch()
        elif inferior.is_valid():
            gdb.execute(f"inferior {inferior.num}", to_string=True)
        if frame is not None and frame.is_valid():
            frame.select()


@contextlib.contextmanager
def in_c() -> Iterator[None]:
    """Sets gdb's language to C, and afterwards to what it was.

    Names and expressions then have the same meaning for programs in any language.
    """
    before = gdb.parameter("language")
    if before == "c":
        yield
        return
    gdb.execute("set language c", to_string=True)
    try:
        yield
    finally:
        gdb.execute(f"set language {before}", to_string=True)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keeps gdb from announcing each inferior and thread that is selected. From gdb 13 on."""
    name = "suppress-cli-notifications"
    try:
        before = gdb.parameter(name)
    except RuntimeError:
        yield
        return
    gdb.execute(f"set {name} on")
    try:
        yield
    finally:
        gdb.execute("set {} {}".format(name, "on" if before else "off"))


def wanted_inferiors() -> List[gdb.Inferior]:
    """All inferiors that have a process. All of them have to be stopped."""
    inferiors = sorted(
        (inferior for inferior in gdb.inferiors() if inferior.pid != 0),
        key=lambda inferior: inferior.num,
    )
    if not inferiors:
        raise gdb.GdbError(
            "There is no process to read. Start the program (`start`), attach to one (`attach`) "
            "or to a job (`mqd attach-job`), or open a core file (`core-file`)."
        )
    for inferior in inferiors:
        check_stopped(inferior)
    return inferiors


def check_stopped(inferior: gdb.Inferior) -> None:
    """Raises an error unless all threads are stopped."""
    threads = inferior.threads()
    if not threads or any(thread.is_running() for thread in threads):
        raise running(inferior)


def check_stopped_in_expression(inferior: gdb.Inferior) -> None:
    """Raises an error unless the selected inferior can be read while gdb evaluates an expression.

    While gdb evaluates the condition of a breakpoint, it says of all threads that they run, since
    it reports a stop only if the condition holds.
    """
    try:
        gdb.selected_frame()
    except gdb.error:
        raise running(inferior) from None
    this = gdb.selected_thread()
    others = [thread for thread in inferior.threads() if this is None or thread.num != this.num]
    if gdb.parameter("non-stop") and any(thread.is_running() for thread in others):
        raise running(inferior)


def running(inferior: gdb.Inferior) -> gdb.GdbError:
    """The error for a process that runs."""
    return gdb.GdbError(
        f"Inferior {inferior.num} (process {inferior.pid}) is running: what it waits for can "
        "be read while all of its threads are stopped. Stop it first (`interrupt -a`)."
    )
