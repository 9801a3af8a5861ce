# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The command `mqd`, which makes text, diagnoses and pictures of reports, and knows jobs."""

import glob
import os
import re
import shutil
import subprocess
from typing import Iterable, NamedTuple, Optional, Sequence

import gdb

from .dll import DIRECTORY
from .text import text_of

# Where the command is: in the prefix that `cargo xtask dist` lays out, and in a source tree.
PLACES = ("../../../bin/mqd", "../target/dist/bin/mqd", "../target/*/mqd")

# The exit codes with which the command has an answer: of `mqd dump` and `mqd graph`, that all or
# some processes were read; of `mqd check`, its verdicts.
ANSWERS = (0, 5, 10, 11, 12)


class Answer(NamedTuple):
    """What the command has said: how it ended, and its two outputs."""

    code: int
    output: str
    errors: str


def program() -> str:
    """The path of the command. Of several builds in a source tree it is the newest one."""
    for place in PLACES:
        found = glob.glob(os.path.join(glob.escape(DIRECTORY), place))
        builds = [path for path in found if os.path.isfile(path) and os.access(path, os.X_OK)]
        if builds:
            return os.path.realpath(max(builds, key=os.path.getmtime))
    in_path = shutil.which("mqd")
    if in_path is None:
        raise gdb.GdbError(
            "The command mqd was not found: it is not in PATH, and at none of {} from {}. Add its "
            "directory to PATH before gdb starts, or source the mqd.py that was installed with "
            "mqd; in a source tree, run `cargo build -p mqd`. `mqd dump -json FILE` works without "
            "it.".format(", ".join(PLACES), DIRECTORY)
        )
    return in_path


def ask(arguments: Sequence[str], report: Optional[Iterable[str]] = None) -> Answer:
    """Runs the command. It reads the report from its standard input."""
    path = program()
    given = "" if report is None else "".join(report)
    try:
        done = subprocess.run(
            [path, *arguments],
            input=given.encode("utf-8", "replace"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            check=False,
        )
    except OSError as error:
        raise gdb.GdbError(f"Cannot run {path}: {error.strerror}") from None
    return Answer(done.returncode, text_of(done.stdout), text_of(done.stderr))


def answer_of(arguments: Sequence[str], report: Optional[Iterable[str]] = None) -> str:
    """The command's answer. Its warnings are shown, and its failures become errors of gdb."""
    answer = ask(arguments, report)
    if answer.code not in ANSWERS:
        raise gdb.GdbError(complaint(answer))
    gdb.write(answer.errors, gdb.STDERR)
    return answer.output


def complaint(answer: Answer) -> str:
    """What the command says about its failure."""
    # Text after an empty line is about options of the command, which gdb's commands do not have.
    paragraph = answer.errors.strip().split("\n\n", 1)[0]
    told = re.sub("^(mqd|error): ", "", paragraph, flags=re.MULTILINE)
    return told or f"mqd ended with status {answer.code}."


def color() -> str:
    """The option for colours, if the user sees gdb's output in colours."""
    colored = gdb.parameter("style enabled") and os.isatty(1)
    return "--color={}".format("always" if colored else "never")
