//! MPI functions by the names of their symbols.

/// The companion runtime's entry points jump to functions of this module, which have their names.
const COMPANION: &str = "7mpi_abi7entries9functions";

/// Where a thread of Open MPI waits for its request while another one makes progress.
pub(crate) const SLEEP_OF_THREADS: &str = "ompi_sync_wait_mt";
/// What the loops of Intel MPI call each time that they have found nothing.
pub(crate) const FOUND_NOTHING: &str = "MPID_Progress_idle_timer_tick";

/// The functions that write to windows, whatever is there.
pub(crate) const WRITING: [&str; 8] = [
    "MPI_Put",
    "MPI_Rput",
    "MPI_Accumulate",
    "MPI_Raccumulate",
    "MPI_Put_c",
    "MPI_Rput_c",
    "MPI_Accumulate_c",
    "MPI_Raccumulate_c",
];

/// The name by which programs call a function of the C library, for one of its own symbols:
/// `pthread_mutex_lock` for `___pthread_mutex_lock`, `nanosleep` for `__GI___nanosleep`.
pub fn public_name(symbol: &str) -> &str {
    symbol.trim_start_matches('_').trim_start_matches("GI_").trim_start_matches('_')
}

/// The name `MPI_X` for the symbol `MPI_X` or `PMPI_X`. Compilers add suffixes to parts that they
/// split off (`PMPI_X.cold`), and linkers add versions. Open MPI tail-calls functions of its own
/// where an MPI function does nothing else; then only these have a frame.
pub(crate) fn mpi_function(symbol: &str) -> Option<&str> {
    let name = symbol.split(['.', '@']).next()?;
    match name {
        "ompi_mpi_finalize" => return Some("MPI_Finalize"),
        "ompi_mpi_init" => return Some("MPI_Init"),
        "mca_pml_base_bsend_detach" => return Some("MPI_Buffer_detach"),
        _ => {}
    }
    let name = name.strip_prefix('P').unwrap_or(name);
    name.starts_with("MPI_").then_some(name)
}

/// The same, and `MPI_X` for the function that the companion runtime's entry point `MPI_X` jumps
/// to.
pub(crate) fn entry_function(symbol: &str) -> Option<&str> {
    mpi_function(symbol).or_else(|| {
        let (_, name) = symbol.split_once(COMPANION)?;
        // Mangled names have the length of each part before it.
        let digits = name.find(|character: char| !character.is_ascii_digit())?;
        let (length, name) = name.split_at(digits);
        name.get(..length.parse().ok()?).filter(|name| name.starts_with("MPI_"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_mpi_by_their_symbols() {
        assert_eq!(mpi_function("MPI_Recv"), Some("MPI_Recv"));
        assert_eq!(mpi_function("PMPI_Recv"), Some("MPI_Recv"));
        assert_eq!(mpi_function("PMPI_Waitall.cold"), Some("MPI_Waitall"));
        assert_eq!(mpi_function("MPI_Send@@V1"), Some("MPI_Send"));
        assert_eq!(mpi_function("ompi_mpi_finalize"), Some("MPI_Finalize"));
        for symbol in [
            "_ZN7mpi_abi7entries9functions8MPI_Recv17hcefbe57f2077c1b3E",
            "_RNvNtNtCs1234_7mpi_abi7entries9functions8MPI_Recv",
        ] {
            assert_eq!((entry_function(symbol), mpi_function(symbol)), (Some("MPI_Recv"), None));
        }
        assert_eq!(entry_function("PMPI_Recv"), Some("MPI_Recv"));
        assert_eq!(entry_function("_ZN7mpi_abi7entries9functions99MPI_Recv"), None);
        for other in ["QMPI_MPI_Recv", "ompi_MPI_Recv", "mpi_recv_", "PPMPI_Recv", "main", ""] {
            assert_eq!(mpi_function(other), None, "{other}");
        }
    }
}
