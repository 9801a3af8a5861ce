# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Which of the files that a process names may be loaded.

Loading a library runs its code with the rights of the user that runs gdb. The name comes from the
memory of a process, perhaps of another user. So a file is loaded only if nobody else can have
written it or put it there. Each part of its path is opened once, and what was opened is checked:
nobody can put another file in its place between the check and the use.
"""

import contextlib
import grp
import os
import pwd
import stat
from typing import AbstractSet, Optional


class Distrusted(Exception):
    """Why a file is not loaded."""


# A descriptor that only names a file. Opening a pipe or a device in this way has no effect on it.
NAME_ONLY = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC


def open_trusted(path: str, root_only: bool) -> int:
    """Opens a file that only trusted users can have written, and returns a descriptor for it.

    root is trusted. The user that runs gdb is trusted too, unless `root_only`. An OSError says
    that there is no such file.
    """
    trusted = {0} if root_only else {0, os.geteuid()}
    with contextlib.ExitStack() as opened:
        at, directory = os.open("/", NAME_ONLY), "/"
        opened.callback(os.close, at)
        for name in os.path.realpath(path).strip("/").split("/"):
            check_directory(os.fstat(at), trusted, directory)
            at, directory = os.open(name, NAME_ONLY, dir_fd=at), os.path.join(directory, name)
            opened.callback(os.close, at)
        file = os.fstat(at)
        if not stat.S_ISREG(file.st_mode):
            raise Distrusted("it is not a regular file")
        if file.st_uid not in trusted:
            raise Distrusted(f"it belongs to another user (uid {file.st_uid})")
        who = others_that_write(file, trusted)
        if who is not None:
            raise Distrusted(f"{who} can write to it")
        return os.dup(at)


def check_directory(found: os.stat_result, trusted: AbstractSet[int], path: str) -> None:
    """Raises an exception if others can replace what a directory holds."""
    if found.st_uid not in trusted:
        raise Distrusted(f"the directory {path} belongs to another user (uid {found.st_uid})")
    # In a sticky directory such as /tmp users can replace only their own files. That is not enough
    # where root's rights are at stake.
    is_sticky = bool(found.st_mode & stat.S_ISVTX)
    who = others_that_write(found, trusted)
    if who is not None and not (is_sticky and len(trusted) > 1):
        raise Distrusted(f"{who} can write to the directory {path}")


def others_that_write(found: os.stat_result, trusted: AbstractSet[int]) -> Optional[str]:
    """Who can write to a file or directory besides the users that are trusted."""
    if found.st_mode & stat.S_IWOTH:
        return "anybody"
    if found.st_mode & stat.S_IWGRP and not is_private_group(found.st_gid, trusted):
        return f"everybody in group {found.st_gid}"
    return None


def is_private_group(gid: int, trusted: AbstractSet[int]) -> bool:
    """Does a group consist of trusted users? Many systems give each user a group of that kind."""
    try:
        group = grp.getgrgid(gid)
        users = {pwd.getpwuid(uid).pw_name for uid in trusted}
    except KeyError:
        return False
    return group.gr_name in users and users.issuperset(group.gr_mem)
