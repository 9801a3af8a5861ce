/* A tool between the program and the MPI library. */
int PMPI_Barrier(void);

int MPI_Send(void)
{
    return PMPI_Barrier() + 1;
}
