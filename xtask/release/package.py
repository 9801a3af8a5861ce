# Copyright the mqd developers.
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

import os
import platform

from spack.package import *

try:
    # Spack 1.0 and later.
    from spack_repo.builtin.build_systems.generic import Package
except ImportError:
    pass

# The SHA-256 of the tarball for each machine.
TARBALLS = {
    "x86_64": "@SHA256_x86_64@",
    "aarch64": "@SHA256_aarch64@",
}


class Mqd(Package):
    """See what a parallel MPI job is waiting for: message queues, call stacks, a diagnosis."""

    license("Apache-2.0 OR MIT")

    # Spack looks for the tarball beside this file.
    machine = platform.machine()
    if machine in TARBALLS:
        tarball = f"mqd-@VERSION@-linux-{machine}.tar.xz"
        version(
            "@VERSION@",
            sha256=TARBALLS[machine],
            url=f"file://{join_path(os.path.dirname(__file__), tarball)}",
        )

    requires("platform=linux")

    def install(self, spec, prefix):
        install_tree(".", prefix)
