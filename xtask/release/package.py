# Copyright the mqd developers.
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

import os

from spack.package import *


class Mqd(Package):
    """See what a parallel MPI job is waiting for: message queues, call stacks, a diagnosis."""

    # Put the tarball into a mirror of yours, or beside this file:
    url = f"file://{join_path(os.path.dirname(__file__), 'mqd-@VERSION@-linux-x86_64.tar.xz')}"
    license("Apache-2.0 OR MIT")

    version("@VERSION@", sha256="@SHA256_x86_64@")

    requires("platform=linux target=x86_64:")

    def install(self, spec, prefix):
        install_tree(".", prefix)
