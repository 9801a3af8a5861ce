# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The arguments of commands, and their completion."""

from typing import Callable, Dict, List, Sequence

import gdb

from .interface import QUEUES
from .read import read_inferior
from .selection import wanted_inferiors

# The options of a command, each with the words that may follow it.
Words = Dict[str, Callable[[], Sequence[str]]]


def any_word() -> Sequence[str]:
    """No suggestions."""
    return ()


def queue_names() -> Sequence[str]:
    """The names of the queues."""
    return QUEUES


def communicator_names() -> Sequence[str]:
    """The names of all communicators, in quotes where that is necessary."""
    try:
        processes = [read_inferior(inferior, stacks=False) for inferior in wanted_inferiors()]
    except gdb.error:
        # The user has asked for suggestions, not for a process.
        return ()
    names = {one.name for process in processes for one in process.communicators if one.name}
    return sorted(f'"{name}"' if " " in name else name for name in names)


# What is shown of a report. The command `mqd` has the same options with two hyphens.
FILTERS: Words = {
    "-comm": communicator_names,
    "-queue": queue_names,
    "-rank": any_word,
    "-tag": any_word,
}


class Options:
    """The arguments of a command: options with a value each, and the rest."""

    def __init__(self, command: str, argument: str, names: Words, most: int = 0) -> None:
        self.values: Dict[str, List[str]] = {name: [] for name in names}
        self.rest: List[str] = []
        words = iter(gdb.string_to_argv(argument))
        for word in words:
            if not word.startswith("-"):
                self.rest.append(word)
                continue
            starting = [name for name in names if name.startswith(word) and word != "-"]
            matching = [word] if word in names else starting
            if len(matching) != 1:
                known = ", ".join(names) or "none"
                text = "{} has no option {}. It has: {}."
                raise gdb.GdbError(text.format(command, word, known))
            value = next(words, None)
            if value is None:
                text = "{}: {} takes a value. See `help {}`."
                raise gdb.GdbError(text.format(command, matching[0], command))
            self.values[matching[0]].append(value)
        if len(self.rest) > most:
            text = "{}: {!r} is one argument too many. See `help {}`."
            raise gdb.GdbError(text.format(command, self.rest[most], command))

    def for_mqd(self) -> List[str]:
        """The options as the command `mqd` has them."""
        return [f"-{name}={value}" for name, values in self.values.items() for value in values]


def completions(text: str, word: str, options: Words) -> List[str]:
    """What may stand where `word`, the end of `text`, begins: an option, or its value."""
    words = text.split(" ")
    token = words[-1]
    before = next((one for one in reversed(words[:-1]) if one), "")
    offered = options[before]() if before in options else list(options)
    # gdb begins a word after several kinds of characters. The hyphen is one of them.
    taken = len(token) - len(word)
    return [one[taken:] for one in offered if one.startswith(token)] if taken >= 0 else []
