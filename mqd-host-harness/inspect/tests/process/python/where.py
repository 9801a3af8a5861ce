"""Tells where its threads are, as Python itself knows it, and waits there for its input to end."""

import sys
import threading

STANDARD_INPUT = threading.Lock()
TOLD = threading.Event()


def tell():
    """Prints the frames that have called this one, the innermost first."""
    frame, lines = sys._getframe(1), [f"thread {threading.get_native_id()}"]
    while frame:
        code = frame.f_code
        name = getattr(code, "co_qualname", code.co_name)
        lines.append(f"{name}|{code.co_filename}|{frame.f_lineno}")
        frame = frame.f_back
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


class Solver:
    """Methods, recursion, and functions of C that call Python."""

    def step(self, depth):
        if depth > 0:
            return self.step(depth - 1)
        return sorted([2, 1], key=self.key)

    def key(self, value):
        return next(self.values(
            value,
        ))

    def values(self, value):
        for _ in range(3):
            yield [pause() for _ in (value,)]


def pause():
    tell(); sys.stdin.read()


def grün(depth):
    (lambda: Solver().step(depth))()


def beside():
    tell(); TOLD.set(); STANDARD_INPUT.acquire()


STANDARD_INPUT.acquire()
other = threading.Thread(target=beside, daemon=True)
other.start()
TOLD.wait()
grün(40)
