-- A module file for Lmod and Environment Modules 5: unpack the tarball to `root`.
local root = "/opt/mqd/@VERSION@"
whatis("mqd @VERSION@: see what a parallel MPI job is waiting for")
prepend_path("PATH", pathJoin(root, "bin"))
prepend_path("MANPATH", pathJoin(root, "share/man"))
