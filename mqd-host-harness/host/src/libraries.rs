//! The libraries that an MPI job consists of besides the program, by the names of their files.

use mqd_inspect::image::Image;
use mqd_inspect::process::Target;

use crate::stacks::module;

/// The libraries of MPI and below, by their file names without `.so` and what follows. A thread
/// that has begun in one of these belongs to it: it serves connections and runs no code of the
/// program. A program may have libraries of its own with names that only begin like this.
const RUNTIME: [&str; 12] = [
    "libmpi",
    "libmpi_abi",
    "libmpich",
    "libpmpi",
    "libopen-pal",
    "libopen-rte",
    "libpmix",
    "libprrte",
    "libucs",
    "libuct",
    "libucp",
    "libfabric",
];

/// The libraries of MPI for other languages than C.
const BINDINGS: [&str; 8] = [
    "libmpi_cxx",
    "libmpi_mpifh",
    "libmpi_usempi",
    "libmpi_usempi_ignore_tkr",
    "libmpi_usempif08",
    "libmpicxx",
    "libmpichcxx",
    "libmpifort",
];

/// How the names of functions begin that programs use if they use these libraries themselves.
pub(crate) const OF_RUNTIME: [&str; 6] = ["PMIx_", "ucp_", "uct_", "ucs_", "event_", "fi_"];

/// How the file names of their components begin.
const COMPONENTS: [&str; 4] = ["mca_", "libmca_", "libucs_", "libuct_"];

/// The libraries that MPI libraries use, in the same way.
const BELOW: [&str; 35] = [
    "libucm",
    "libpmi",
    "libpmi2",
    "libevent",
    "libevent_core",
    "libevent_pthreads",
    "libhwloc",
    "libibverbs",
    "librdmacm",
    "libmlx4",
    "libmlx5",
    "libnl",
    "libnl-genl",
    "libnl-route",
    "libpsm_infinipath",
    "libpsm2",
    "libinfinipath",
    "libcxi",
    "libudev",
    "libnuma",
    "libhcoll",
    "libocoms",
    "libucc",
    "libsharp",
    "libsharp_coll",
    "libcuda",
    "libcudart",
    "libnvidia-ml",
    "libgdrapi",
    "libamdhip64",
    "libhsa-runtime64",
    "libze_loader",
    "libze_intel_gpu",
    "libxpmem",
    "libefa",
];

/// How the file names of their components begin.
const COMPONENTS_BELOW: [&str; 2] = ["hmca_", "libucc_"];

/// How names of functions begin that are linked into a program together with MPI.
pub(crate) const OF_FUNCTIONS: [&str; 21] = [
    "MPI_", "PMPI_", "MPIR_", "MPID", "MPII_", "MPIC_", "MPIX_", "MPIU_", "MPIO", "MPL_", "ADIO",
    "ompi_", "opal_", "mca_", "orte_", "prte_", "pmix_", "PMIx_", "ucp_", "uct_", "ucs_",
];

/// What else their file names contain: providers of libfabric, and drivers of verbs.
const OF_NETWORKS: [&str; 2] = ["-fi.so", "-rdmav"];

/// Does the program, or a library of it, use functions whose names begin like this? `otherwise` is
/// the answer for a library whose file is not there.
pub(crate) fn program_imports(
    target: &Target,
    library: usize,
    begins: &[&str],
    otherwise: bool,
) -> bool {
    target.images().iter().enumerate().any(|(index, image)| {
        let name = module(image).unwrap_or_default();
        let is_of_mpi = index == library || serves_mpi(image) || BINDINGS.contains(&plain(&name));
        (index == 0 || !is_of_mpi) && image.imports(begins).unwrap_or(otherwise)
    })
}

/// Is this a library of MPI, one that MPI libraries use, or the C library?
pub(crate) fn serves_mpi(image: &Image) -> bool {
    let name = module(image).unwrap_or_default();
    image.is_of_c_library() || is_runtime(&name) || is_below(&name)
}

/// May a library call functions of the program? Those below MPI call functions of MPI and of each
/// other by pointers, but none of the program.
pub(crate) fn calls_program(module: &str) -> bool {
    let name = plain(module);
    !is_below(module) && !name.starts_with("libuc") && name != "libfabric"
}

/// Is this the file name of an MPI library or of a component?
pub(crate) fn is_runtime(module: &str) -> bool {
    let name = plain(module);
    RUNTIME.contains(&name) || COMPONENTS.iter().any(|begin| name.starts_with(begin))
}

/// Is this the file name of a library that MPI libraries use?
pub(crate) fn is_below(module: &str) -> bool {
    let name = plain(module);
    BELOW.contains(&name)
        || COMPONENTS_BELOW.iter().any(|begin| name.starts_with(begin))
        || OF_NETWORKS.iter().any(|part| module.contains(part))
}

/// The file name of a library without `.so` and what follows, its version, and the hash that
/// packages of PyPI add.
fn plain(module: &str) -> &str {
    let (name, _) = module.split_once(".so").unwrap_or((module, ""));
    let is_version = |end: &str| end.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let is_hash = |end: &str| {
        let (hash, version) = end.split_once('.').unwrap_or((end, ""));
        hash.len() >= 8 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) && is_version(version)
    };
    let without = |name: &'_ str| match name.rsplit_once('-') {
        Some((rest, end)) if is_hash(end) || is_version(end) => rest.len(),
        _ => name.len(),
    };
    let name = &name[..without(name)];
    &name[..without(name)]
}

#[cfg(test)]
mod tests {
    use super::{calls_program, is_below, is_runtime};

    #[test]
    fn libraries_of_the_program_are_not_those_of_mpi() {
        for name in [
            "libmpi.so.40",
            "libmpich.so.12",
            "libmpi_abi.so.1",
            "libopen-pal.so.40.30.2",
            "libucs-1a2b3c4d.so.0.0.0",
            "mca_btl_tcp.so",
            "libuct_ib.so.0",
        ] {
            assert!(is_runtime(name), "{name}");
        }
        // Its provider `sockets` has a thread.
        assert!(is_runtime("libfabric-1a2b3c4d.so.1.18.0"));
        for name in ["libmpi.so.40", "mca_op_avx.so", "libsolver.so"] {
            assert!(calls_program(name), "{name}");
        }
        for name in ["libfabric.so.1", "libucs-1a2b3c4d.so.0.0.0", "libuct_ib.so.0"] {
            assert!(!calls_program(name), "{name}");
        }
        for name in ["libmpitasks.so", "libmpi_tools.so", "libmpiP.so", "libucpack.so", "solver"] {
            assert!(!is_runtime(name), "{name}");
        }
        for name in ["libevent-2.1.so.7", "libevent_core-2-a22b3c4d.1.so.7", "libnl-route-3.so.200"]
        {
            assert!(is_below(name), "{name}");
        }
        for name in ["libmlx5-rdmav34.so", "libtcp-fi.so", "libnuma-1a2b3c4d.so.1.0.0"] {
            assert!(is_below(name), "{name}");
        }
        for name in ["libeventlog.so", "libnumatools.so.1", "libcudasolver.so", "libfabric_x.so"] {
            assert!(!is_below(name), "{name}");
        }
    }
}
