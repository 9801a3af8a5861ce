//! MPI functions by the names of their symbols.

/// `MPI_X` of the symbol `MPI_X` or `PMPI_X`. Compilers name the parts that they split off after
/// the whole (`PMPI_X.cold`), linkers add versions.
pub(crate) fn mpi_function(symbol: &str) -> Option<&str> {
    let name = symbol.split(['.', '@']).next()?;
    let name = name.strip_prefix('P').unwrap_or(name);
    name.starts_with("MPI_").then_some(name)
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
        for other in ["QMPI_MPI_Recv", "ompi_MPI_Recv", "mpi_recv_", "PPMPI_Recv", "main", ""] {
            assert_eq!(mpi_function(other), None, "{other}");
        }
    }
}
