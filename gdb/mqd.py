# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Message queues of MPI programs in gdb: `source mqd.py` (gdb 10 or later).

    info mpi-queues          what the processes wait for
    info mpi-communicators   their communicators
    mqd check                is the job deadlocked, and why?
    mqd graph FILE           a picture of who waits for whom
    mqd dump -json FILE      everything, as `mqd dump --format json` writes it
    mqd attach-job PID       debug all ranks of a job
    set mqd dll FILE         which debug DLL reads the queues
    $_mpi_pending_receives(), $_mpi_pending_sends(), $_mpi_unexpected_messages()

`help mqd` and docs/gdb.md explain them. This file loads the package `mqd` beside it.
"""

import gdb


def _load_mqd(script: str) -> None:
    """Loads the package and tells gdb of its commands.

    gdb runs this file in the name space of the user's scripts, and again for each library that the
    file lies beside. The package is then loaded only once, but `source` loads it anew.
    """
    import importlib.util
    import os
    import sys

    name = "mqd_gdb"
    if gdb.current_objfile() is not None and name in sys.modules:
        return
    for loaded in list(sys.modules):
        if loaded == name or loaded.startswith(name + "."):
            del sys.modules[loaded]
    package = os.path.join(os.path.dirname(os.path.realpath(script)), "mqd")
    spec = importlib.util.spec_from_file_location(
        name, os.path.join(package, "__init__.py"), submodule_search_locations=[package]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"no package in {package}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    # No files of Python's are left in a prefix or a source tree.
    without_cache, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    finally:
        sys.dont_write_bytecode = without_cache
    module.register()


_load_mqd(__file__)
del _load_mqd
