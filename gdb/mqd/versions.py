# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The version of mqd, and the version of the format of its reports.

Both are defined elsewhere in the project. `cargo xtask dist` writes them to versions.json beside
this file. In a source tree they are read where they are defined.
"""

import json
import os
import re
from typing import Tuple

DIRECTORY = os.path.dirname(os.path.realpath(__file__))
GENERATED = os.path.join(DIRECTORY, "versions.json")
TREE = os.path.dirname(os.path.dirname(DIRECTORY))

# The definitions in a source tree.
MANIFEST = (os.path.join(TREE, "Cargo.toml"), r'^version = "([^"]+)"')
SCHEMA = (
    os.path.join(TREE, "mqd-host-harness", "report", "src", "model", "mod.rs"),
    r'^pub const SCHEMA_VERSION: &str = "([^"]+)"',
)


def versions() -> Tuple[str, str]:
    """The version of mqd, and that of the format."""
    if os.path.isfile(GENERATED):
        with open(GENERATED, encoding="utf-8") as file:
            generated = json.load(file)
        return generated["version"], generated["schema_version"]
    return defined(*MANIFEST), defined(*SCHEMA)


def defined(path: str, pattern: str) -> str:
    """A definition in a file of the source tree."""
    with open(path, encoding="utf-8") as file:
        found = re.search(pattern, file.read(), re.MULTILINE)
    if found is None:
        raise ImportError(f"{path} has no line {pattern}")
    return found.group(1)


VERSION, SCHEMA_VERSION = versions()
