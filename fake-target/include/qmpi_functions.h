/*
 * qmpi_functions.h - the functions of MPI as a list, for tools that intercept all of them. Include
 * it as often as needed, each time with
 *
 *     FUNCTION(result, name, NAME, parameters, pass_on, arguments)
 *
 * defined. The parameters are: the type of the result; the name without MPI_; the same name in
 * capitals; the parameters of the tool's function, in parentheses; what to pass to the next
 * function, in parentheses (next_tool_id is the tool's variable); ARGUMENT(name) for each argument.
 * Functions with variable arguments are VARIADIC_FUNCTION(...) with the same six parameters. There
 * the variable arguments are missing from what to pass. The macros are undefined at the end.
 *
 * Generated from the tables in fake-target/api; do not edit.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
FUNCTION(int, Abi_get_fortran_booleans, ABI_GET_FORTRAN_BOOLEANS, (QMPI_Context context,
    int tool_id, int logical_size, void *logical_true, void *logical_false, int *is_set), (context,
    next_tool_id, logical_size, logical_true, logical_false, is_set), ARGUMENT(logical_size)
    ARGUMENT(logical_true) ARGUMENT(logical_false) ARGUMENT(is_set))
FUNCTION(int, Abi_get_fortran_info, ABI_GET_FORTRAN_INFO, (QMPI_Context context, int tool_id,
    MPI_Info *info), (context, next_tool_id, info), ARGUMENT(info))
FUNCTION(int, Abi_get_info, ABI_GET_INFO, (QMPI_Context context, int tool_id, MPI_Info *info),
    (context, next_tool_id, info), ARGUMENT(info))
FUNCTION(int, Abi_get_version, ABI_GET_VERSION, (QMPI_Context context, int tool_id, int *abi_major,
    int *abi_minor), (context, next_tool_id, abi_major, abi_minor), ARGUMENT(abi_major)
    ARGUMENT(abi_minor))
FUNCTION(int, Abi_set_fortran_booleans, ABI_SET_FORTRAN_BOOLEANS, (QMPI_Context context,
    int tool_id, int logical_size, void *logical_true, void *logical_false), (context, next_tool_id,
    logical_size, logical_true, logical_false), ARGUMENT(logical_size) ARGUMENT(logical_true)
    ARGUMENT(logical_false))
FUNCTION(int, Abi_set_fortran_info, ABI_SET_FORTRAN_INFO, (QMPI_Context context, int tool_id,
    MPI_Info info), (context, next_tool_id, info), ARGUMENT(info))
FUNCTION(int, Abort, ABORT, (QMPI_Context context, int tool_id, MPI_Comm comm, int errorcode),
    (context, next_tool_id, comm, errorcode), ARGUMENT(comm) ARGUMENT(errorcode))
FUNCTION(int, Accumulate, ACCUMULATE, (QMPI_Context context, int tool_id, const void *origin_addr,
    int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
    int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win), (context, next_tool_id,
    origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
    target_datatype, op, win), ARGUMENT(origin_addr) ARGUMENT(origin_count)
    ARGUMENT(origin_datatype) ARGUMENT(target_rank) ARGUMENT(target_disp) ARGUMENT(target_count)
    ARGUMENT(target_datatype) ARGUMENT(op) ARGUMENT(win))
FUNCTION(int, Accumulate_c, ACCUMULATE_C, (QMPI_Context context, int tool_id,
    const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
    MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
    MPI_Win win), (context, next_tool_id, origin_addr, origin_count, origin_datatype, target_rank,
    target_disp, target_count, target_datatype, op, win), ARGUMENT(origin_addr)
    ARGUMENT(origin_count) ARGUMENT(origin_datatype) ARGUMENT(target_rank) ARGUMENT(target_disp)
    ARGUMENT(target_count) ARGUMENT(target_datatype) ARGUMENT(op) ARGUMENT(win))
FUNCTION(int, Add_error_class, ADD_ERROR_CLASS, (QMPI_Context context, int tool_id,
    int *errorclass), (context, next_tool_id, errorclass), ARGUMENT(errorclass))
FUNCTION(int, Add_error_code, ADD_ERROR_CODE, (QMPI_Context context, int tool_id, int errorclass,
    int *errorcode), (context, next_tool_id, errorclass, errorcode), ARGUMENT(errorclass)
    ARGUMENT(errorcode))
FUNCTION(int, Add_error_string, ADD_ERROR_STRING, (QMPI_Context context, int tool_id, int errorcode,
    const char *string), (context, next_tool_id, errorcode, string), ARGUMENT(errorcode)
    ARGUMENT(string))
FUNCTION(MPI_Aint, Aint_add, AINT_ADD, (QMPI_Context context, int tool_id, MPI_Aint base,
    MPI_Aint disp), (context, next_tool_id, base, disp), ARGUMENT(base) ARGUMENT(disp))
FUNCTION(MPI_Aint, Aint_diff, AINT_DIFF, (QMPI_Context context, int tool_id, MPI_Aint addr1,
    MPI_Aint addr2), (context, next_tool_id, addr1, addr2), ARGUMENT(addr1) ARGUMENT(addr2))
FUNCTION(int, Allgather, ALLGATHER, (QMPI_Context context, int tool_id, const void *sendbuf,
    int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
    MPI_Comm comm), (context, next_tool_id, sendbuf, sendcount, sendtype, recvbuf, recvcount,
    recvtype, comm), ARGUMENT(sendbuf) ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf)
    ARGUMENT(recvcount) ARGUMENT(recvtype) ARGUMENT(comm))
FUNCTION(int, Allgather_c, ALLGATHER_C, (QMPI_Context context, int tool_id, const void *sendbuf,
    MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
    MPI_Datatype recvtype, MPI_Comm comm), (context, next_tool_id, sendbuf, sendcount, sendtype,
    recvbuf, recvcount, recvtype, comm), ARGUMENT(sendbuf) ARGUMENT(sendcount) ARGUMENT(sendtype)
    ARGUMENT(recvbuf) ARGUMENT(recvcount) ARGUMENT(recvtype) ARGUMENT(comm))
FUNCTION(int, Allgather_init, ALLGATHER_INIT, (QMPI_Context context, int tool_id,
    const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
    MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request), (context,
    next_tool_id, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request),
    ARGUMENT(sendbuf) ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcount)
    ARGUMENT(recvtype) ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Allgather_init_c, ALLGATHER_INIT_C, (QMPI_Context context, int tool_id,
    const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
    MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request),
    (context, next_tool_id, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info,
    request), ARGUMENT(sendbuf) ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf)
    ARGUMENT(recvcount) ARGUMENT(recvtype) ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Allgatherv, ALLGATHERV, (QMPI_Context context, int tool_id, const void *sendbuf,
    int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[],
    MPI_Datatype recvtype, MPI_Comm comm), (context, next_tool_id, sendbuf, sendcount, sendtype,
    recvbuf, recvcounts, displs, recvtype, comm), ARGUMENT(sendbuf) ARGUMENT(sendcount)
    ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcounts) ARGUMENT(displs) ARGUMENT(recvtype)
    ARGUMENT(comm))
FUNCTION(int, Allgatherv_c, ALLGATHERV_C, (QMPI_Context context, int tool_id, const void *sendbuf,
    MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[],
    const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm), (context, next_tool_id, sendbuf,
    sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm), ARGUMENT(sendbuf)
    ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcounts) ARGUMENT(displs)
    ARGUMENT(recvtype) ARGUMENT(comm))
FUNCTION(int, Allgatherv_init, ALLGATHERV_INIT, (QMPI_Context context, int tool_id,
    const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
    const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
    MPI_Request *request), (context, next_tool_id, sendbuf, sendcount, sendtype, recvbuf,
    recvcounts, displs, recvtype, comm, info, request), ARGUMENT(sendbuf) ARGUMENT(sendcount)
    ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcounts) ARGUMENT(displs) ARGUMENT(recvtype)
    ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Allgatherv_init_c, ALLGATHERV_INIT_C, (QMPI_Context context, int tool_id,
    const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
    const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
    MPI_Info info, MPI_Request *request), (context, next_tool_id, sendbuf, sendcount, sendtype,
    recvbuf, recvcounts, displs, recvtype, comm, info, request), ARGUMENT(sendbuf)
    ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcounts) ARGUMENT(displs)
    ARGUMENT(recvtype) ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Alloc_mem, ALLOC_MEM, (QMPI_Context context, int tool_id, MPI_Aint size,
    MPI_Info info, void *baseptr), (context, next_tool_id, size, info, baseptr), ARGUMENT(size)
    ARGUMENT(info) ARGUMENT(baseptr))
FUNCTION(int, Allreduce, ALLREDUCE, (QMPI_Context context, int tool_id, const void *sendbuf,
    void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm), (context,
    next_tool_id, sendbuf, recvbuf, count, datatype, op, comm), ARGUMENT(sendbuf) ARGUMENT(recvbuf)
    ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(op) ARGUMENT(comm))
FUNCTION(int, Allreduce_c, ALLREDUCE_C, (QMPI_Context context, int tool_id, const void *sendbuf,
    void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm), (context,
    next_tool_id, sendbuf, recvbuf, count, datatype, op, comm), ARGUMENT(sendbuf) ARGUMENT(recvbuf)
    ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(op) ARGUMENT(comm))
FUNCTION(int, Allreduce_init, ALLREDUCE_INIT, (QMPI_Context context, int tool_id,
    const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
    MPI_Info info, MPI_Request *request), (context, next_tool_id, sendbuf, recvbuf, count, datatype,
    op, comm, info, request), ARGUMENT(sendbuf) ARGUMENT(recvbuf) ARGUMENT(count) ARGUMENT(datatype)
    ARGUMENT(op) ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Allreduce_init_c, ALLREDUCE_INIT_C, (QMPI_Context context, int tool_id,
    const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
    MPI_Comm comm, MPI_Info info, MPI_Request *request), (context, next_tool_id, sendbuf, recvbuf,
    count, datatype, op, comm, info, request), ARGUMENT(sendbuf) ARGUMENT(recvbuf) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(op) ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Alltoall, ALLTOALL, (QMPI_Context context, int tool_id, const void *sendbuf,
    int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
    MPI_Comm comm), (context, next_tool_id, sendbuf, sendcount, sendtype, recvbuf, recvcount,
    recvtype, comm), ARGUMENT(sendbuf) ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf)
    ARGUMENT(recvcount) ARGUMENT(recvtype) ARGUMENT(comm))
FUNCTION(int, Alltoall_c, ALLTOALL_C, (QMPI_Context context, int tool_id, const void *sendbuf,
    MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
    MPI_Datatype recvtype, MPI_Comm comm), (context, next_tool_id, sendbuf, sendcount, sendtype,
    recvbuf, recvcount, recvtype, comm), ARGUMENT(sendbuf) ARGUMENT(sendcount) ARGUMENT(sendtype)
    ARGUMENT(recvbuf) ARGUMENT(recvcount) ARGUMENT(recvtype) ARGUMENT(comm))
FUNCTION(int, Alltoall_init, ALLTOALL_INIT, (QMPI_Context context, int tool_id, const void *sendbuf,
    int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
    MPI_Comm comm, MPI_Info info, MPI_Request *request), (context, next_tool_id, sendbuf, sendcount,
    sendtype, recvbuf, recvcount, recvtype, comm, info, request), ARGUMENT(sendbuf)
    ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcount) ARGUMENT(recvtype)
    ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Alltoall_init_c, ALLTOALL_INIT_C, (QMPI_Context context, int tool_id,
    const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
    MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request),
    (context, next_tool_id, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info,
    request), ARGUMENT(sendbuf) ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf)
    ARGUMENT(recvcount) ARGUMENT(recvtype) ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Alltoallv, ALLTOALLV, (QMPI_Context context, int tool_id, const void *sendbuf,
    const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf,
    const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm), (context,
    next_tool_id, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
    comm), ARGUMENT(sendbuf) ARGUMENT(sendcounts) ARGUMENT(sdispls) ARGUMENT(sendtype)
    ARGUMENT(recvbuf) ARGUMENT(recvcounts) ARGUMENT(rdispls) ARGUMENT(recvtype) ARGUMENT(comm))
FUNCTION(int, Alltoallv_c, ALLTOALLV_C, (QMPI_Context context, int tool_id, const void *sendbuf,
    const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf,
    const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm),
    (context, next_tool_id, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
    recvtype, comm), ARGUMENT(sendbuf) ARGUMENT(sendcounts) ARGUMENT(sdispls) ARGUMENT(sendtype)
    ARGUMENT(recvbuf) ARGUMENT(recvcounts) ARGUMENT(rdispls) ARGUMENT(recvtype) ARGUMENT(comm))
FUNCTION(int, Alltoallv_init, ALLTOALLV_INIT, (QMPI_Context context, int tool_id,
    const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
    void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
    MPI_Comm comm, MPI_Info info, MPI_Request *request), (context, next_tool_id, sendbuf,
    sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info, request),
    ARGUMENT(sendbuf) ARGUMENT(sendcounts) ARGUMENT(sdispls) ARGUMENT(sendtype) ARGUMENT(recvbuf)
    ARGUMENT(recvcounts) ARGUMENT(rdispls) ARGUMENT(recvtype) ARGUMENT(comm) ARGUMENT(info)
    ARGUMENT(request))
FUNCTION(int, Alltoallv_init_c, ALLTOALLV_INIT_C, (QMPI_Context context, int tool_id,
    const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
    MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
    MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request), (context,
    next_tool_id, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
    comm, info, request), ARGUMENT(sendbuf) ARGUMENT(sendcounts) ARGUMENT(sdispls)
    ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcounts) ARGUMENT(rdispls) ARGUMENT(recvtype)
    ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Alltoallw, ALLTOALLW, (QMPI_Context context, int tool_id, const void *sendbuf,
    const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[], void *recvbuf,
    const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm),
    (context, next_tool_id, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
    recvtypes, comm), ARGUMENT(sendbuf) ARGUMENT(sendcounts) ARGUMENT(sdispls) ARGUMENT(sendtypes)
    ARGUMENT(recvbuf) ARGUMENT(recvcounts) ARGUMENT(rdispls) ARGUMENT(recvtypes) ARGUMENT(comm))
FUNCTION(int, Alltoallw_c, ALLTOALLW_C, (QMPI_Context context, int tool_id, const void *sendbuf,
    const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
    void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
    const MPI_Datatype recvtypes[], MPI_Comm comm), (context, next_tool_id, sendbuf, sendcounts,
    sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm), ARGUMENT(sendbuf)
    ARGUMENT(sendcounts) ARGUMENT(sdispls) ARGUMENT(sendtypes) ARGUMENT(recvbuf)
    ARGUMENT(recvcounts) ARGUMENT(rdispls) ARGUMENT(recvtypes) ARGUMENT(comm))
FUNCTION(int, Alltoallw_init, ALLTOALLW_INIT, (QMPI_Context context, int tool_id,
    const void *sendbuf, const int sendcounts[], const int sdispls[],
    const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[],
    const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request *request), (context,
    next_tool_id, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
    comm, info, request), ARGUMENT(sendbuf) ARGUMENT(sendcounts) ARGUMENT(sdispls)
    ARGUMENT(sendtypes) ARGUMENT(recvbuf) ARGUMENT(recvcounts) ARGUMENT(rdispls) ARGUMENT(recvtypes)
    ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Alltoallw_init_c, ALLTOALLW_INIT_C, (QMPI_Context context, int tool_id,
    const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
    const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[],
    const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
    MPI_Request *request), (context, next_tool_id, sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
    recvcounts, rdispls, recvtypes, comm, info, request), ARGUMENT(sendbuf) ARGUMENT(sendcounts)
    ARGUMENT(sdispls) ARGUMENT(sendtypes) ARGUMENT(recvbuf) ARGUMENT(recvcounts) ARGUMENT(rdispls)
    ARGUMENT(recvtypes) ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Attr_delete, ATTR_DELETE, (QMPI_Context context, int tool_id, MPI_Comm comm,
    int keyval), (context, next_tool_id, comm, keyval), ARGUMENT(comm) ARGUMENT(keyval))
FUNCTION(int, Attr_get, ATTR_GET, (QMPI_Context context, int tool_id, MPI_Comm comm, int keyval,
    void *attribute_val, int *flag), (context, next_tool_id, comm, keyval, attribute_val, flag),
    ARGUMENT(comm) ARGUMENT(keyval) ARGUMENT(attribute_val) ARGUMENT(flag))
FUNCTION(int, Attr_put, ATTR_PUT, (QMPI_Context context, int tool_id, MPI_Comm comm, int keyval,
    void *attribute_val), (context, next_tool_id, comm, keyval, attribute_val), ARGUMENT(comm)
    ARGUMENT(keyval) ARGUMENT(attribute_val))
FUNCTION(int, Barrier, BARRIER, (QMPI_Context context, int tool_id, MPI_Comm comm), (context,
    next_tool_id, comm), ARGUMENT(comm))
FUNCTION(int, Barrier_init, BARRIER_INIT, (QMPI_Context context, int tool_id, MPI_Comm comm,
    MPI_Info info, MPI_Request *request), (context, next_tool_id, comm, info, request),
    ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Bcast, BCAST, (QMPI_Context context, int tool_id, void *buffer, int count,
    MPI_Datatype datatype, int root, MPI_Comm comm), (context, next_tool_id, buffer, count,
    datatype, root, comm), ARGUMENT(buffer) ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(root)
    ARGUMENT(comm))
FUNCTION(int, Bcast_c, BCAST_C, (QMPI_Context context, int tool_id, void *buffer, MPI_Count count,
    MPI_Datatype datatype, int root, MPI_Comm comm), (context, next_tool_id, buffer, count,
    datatype, root, comm), ARGUMENT(buffer) ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(root)
    ARGUMENT(comm))
FUNCTION(int, Bcast_init, BCAST_INIT, (QMPI_Context context, int tool_id, void *buffer, int count,
    MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request), (context,
    next_tool_id, buffer, count, datatype, root, comm, info, request), ARGUMENT(buffer)
    ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(root) ARGUMENT(comm) ARGUMENT(info)
    ARGUMENT(request))
FUNCTION(int, Bcast_init_c, BCAST_INIT_C, (QMPI_Context context, int tool_id, void *buffer,
    MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Info info,
    MPI_Request *request), (context, next_tool_id, buffer, count, datatype, root, comm, info,
    request), ARGUMENT(buffer) ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(root) ARGUMENT(comm)
    ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Bsend, BSEND, (QMPI_Context context, int tool_id, const void *buf, int count,
    MPI_Datatype datatype, int dest, int tag, MPI_Comm comm), (context, next_tool_id, buf, count,
    datatype, dest, tag, comm), ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(dest)
    ARGUMENT(tag) ARGUMENT(comm))
FUNCTION(int, Bsend_c, BSEND_C, (QMPI_Context context, int tool_id, const void *buf,
    MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm), (context,
    next_tool_id, buf, count, datatype, dest, tag, comm), ARGUMENT(buf) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(dest) ARGUMENT(tag) ARGUMENT(comm))
FUNCTION(int, Bsend_init, BSEND_INIT, (QMPI_Context context, int tool_id, const void *buf,
    int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request),
    (context, next_tool_id, buf, count, datatype, dest, tag, comm, request), ARGUMENT(buf)
    ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(dest) ARGUMENT(tag) ARGUMENT(comm)
    ARGUMENT(request))
FUNCTION(int, Bsend_init_c, BSEND_INIT_C, (QMPI_Context context, int tool_id, const void *buf,
    MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request),
    (context, next_tool_id, buf, count, datatype, dest, tag, comm, request), ARGUMENT(buf)
    ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(dest) ARGUMENT(tag) ARGUMENT(comm)
    ARGUMENT(request))
FUNCTION(int, Buffer_attach, BUFFER_ATTACH, (QMPI_Context context, int tool_id, void *buffer,
    int size), (context, next_tool_id, buffer, size), ARGUMENT(buffer) ARGUMENT(size))
FUNCTION(int, Buffer_attach_c, BUFFER_ATTACH_C, (QMPI_Context context, int tool_id, void *buffer,
    MPI_Count size), (context, next_tool_id, buffer, size), ARGUMENT(buffer) ARGUMENT(size))
FUNCTION(int, Buffer_detach, BUFFER_DETACH, (QMPI_Context context, int tool_id, void *buffer_addr,
    int *size), (context, next_tool_id, buffer_addr, size), ARGUMENT(buffer_addr) ARGUMENT(size))
FUNCTION(int, Buffer_detach_c, BUFFER_DETACH_C, (QMPI_Context context, int tool_id,
    void *buffer_addr, MPI_Count *size), (context, next_tool_id, buffer_addr, size),
    ARGUMENT(buffer_addr) ARGUMENT(size))
FUNCTION(int, Buffer_flush, BUFFER_FLUSH, (QMPI_Context context, int tool_id), (context,
    next_tool_id), )
FUNCTION(int, Buffer_iflush, BUFFER_IFLUSH, (QMPI_Context context, int tool_id,
    MPI_Request *request), (context, next_tool_id, request), ARGUMENT(request))
FUNCTION(int, Cancel, CANCEL, (QMPI_Context context, int tool_id, MPI_Request *request), (context,
    next_tool_id, request), ARGUMENT(request))
FUNCTION(int, Cart_coords, CART_COORDS, (QMPI_Context context, int tool_id, MPI_Comm comm, int rank,
    int maxdims, int coords[]), (context, next_tool_id, comm, rank, maxdims, coords), ARGUMENT(comm)
    ARGUMENT(rank) ARGUMENT(maxdims) ARGUMENT(coords))
FUNCTION(int, Cart_create, CART_CREATE, (QMPI_Context context, int tool_id, MPI_Comm comm_old,
    int ndims, const int dims[], const int periods[], int reorder, MPI_Comm *comm_cart), (context,
    next_tool_id, comm_old, ndims, dims, periods, reorder, comm_cart), ARGUMENT(comm_old)
    ARGUMENT(ndims) ARGUMENT(dims) ARGUMENT(periods) ARGUMENT(reorder) ARGUMENT(comm_cart))
FUNCTION(int, Cart_get, CART_GET, (QMPI_Context context, int tool_id, MPI_Comm comm, int maxdims,
    int dims[], int periods[], int coords[]), (context, next_tool_id, comm, maxdims, dims, periods,
    coords), ARGUMENT(comm) ARGUMENT(maxdims) ARGUMENT(dims) ARGUMENT(periods) ARGUMENT(coords))
FUNCTION(int, Cart_map, CART_MAP, (QMPI_Context context, int tool_id, MPI_Comm comm, int ndims,
    const int dims[], const int periods[], int *newrank), (context, next_tool_id, comm, ndims, dims,
    periods, newrank), ARGUMENT(comm) ARGUMENT(ndims) ARGUMENT(dims) ARGUMENT(periods)
    ARGUMENT(newrank))
FUNCTION(int, Cart_rank, CART_RANK, (QMPI_Context context, int tool_id, MPI_Comm comm,
    const int coords[], int *rank), (context, next_tool_id, comm, coords, rank), ARGUMENT(comm)
    ARGUMENT(coords) ARGUMENT(rank))
FUNCTION(int, Cart_shift, CART_SHIFT, (QMPI_Context context, int tool_id, MPI_Comm comm,
    int direction, int disp, int *rank_source, int *rank_dest), (context, next_tool_id, comm,
    direction, disp, rank_source, rank_dest), ARGUMENT(comm) ARGUMENT(direction) ARGUMENT(disp)
    ARGUMENT(rank_source) ARGUMENT(rank_dest))
FUNCTION(int, Cart_sub, CART_SUB, (QMPI_Context context, int tool_id, MPI_Comm comm,
    const int remain_dims[], MPI_Comm *newcomm), (context, next_tool_id, comm, remain_dims,
    newcomm), ARGUMENT(comm) ARGUMENT(remain_dims) ARGUMENT(newcomm))
FUNCTION(int, Cartdim_get, CARTDIM_GET, (QMPI_Context context, int tool_id, MPI_Comm comm,
    int *ndims), (context, next_tool_id, comm, ndims), ARGUMENT(comm) ARGUMENT(ndims))
FUNCTION(int, Close_port, CLOSE_PORT, (QMPI_Context context, int tool_id, const char *port_name),
    (context, next_tool_id, port_name), ARGUMENT(port_name))
FUNCTION(int, Comm_accept, COMM_ACCEPT, (QMPI_Context context, int tool_id, const char *port_name,
    MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm), (context, next_tool_id, port_name,
    info, root, comm, newcomm), ARGUMENT(port_name) ARGUMENT(info) ARGUMENT(root) ARGUMENT(comm)
    ARGUMENT(newcomm))
FUNCTION(int, Comm_attach_buffer, COMM_ATTACH_BUFFER, (QMPI_Context context, int tool_id,
    MPI_Comm comm, void *buffer, int size), (context, next_tool_id, comm, buffer, size),
    ARGUMENT(comm) ARGUMENT(buffer) ARGUMENT(size))
FUNCTION(int, Comm_attach_buffer_c, COMM_ATTACH_BUFFER_C, (QMPI_Context context, int tool_id,
    MPI_Comm comm, void *buffer, MPI_Count size), (context, next_tool_id, comm, buffer, size),
    ARGUMENT(comm) ARGUMENT(buffer) ARGUMENT(size))
FUNCTION(int, Comm_call_errhandler, COMM_CALL_ERRHANDLER, (QMPI_Context context, int tool_id,
    MPI_Comm comm, int errorcode), (context, next_tool_id, comm, errorcode), ARGUMENT(comm)
    ARGUMENT(errorcode))
FUNCTION(int, Comm_compare, COMM_COMPARE, (QMPI_Context context, int tool_id, MPI_Comm comm1,
    MPI_Comm comm2, int *result), (context, next_tool_id, comm1, comm2, result), ARGUMENT(comm1)
    ARGUMENT(comm2) ARGUMENT(result))
FUNCTION(int, Comm_connect, COMM_CONNECT, (QMPI_Context context, int tool_id, const char *port_name,
    MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm), (context, next_tool_id, port_name,
    info, root, comm, newcomm), ARGUMENT(port_name) ARGUMENT(info) ARGUMENT(root) ARGUMENT(comm)
    ARGUMENT(newcomm))
FUNCTION(int, Comm_create, COMM_CREATE, (QMPI_Context context, int tool_id, MPI_Comm comm,
    MPI_Group group, MPI_Comm *newcomm), (context, next_tool_id, comm, group, newcomm),
    ARGUMENT(comm) ARGUMENT(group) ARGUMENT(newcomm))
FUNCTION(int, Comm_create_errhandler, COMM_CREATE_ERRHANDLER, (QMPI_Context context, int tool_id,
    MPI_Comm_errhandler_function *comm_errhandler_fn, MPI_Errhandler *errhandler), (context,
    next_tool_id, comm_errhandler_fn, errhandler), ARGUMENT(comm_errhandler_fn)
    ARGUMENT(errhandler))
FUNCTION(int, Comm_create_from_group, COMM_CREATE_FROM_GROUP, (QMPI_Context context, int tool_id,
    MPI_Group group, const char *stringtag, MPI_Info info, MPI_Errhandler errhandler,
    MPI_Comm *newcomm), (context, next_tool_id, group, stringtag, info, errhandler, newcomm),
    ARGUMENT(group) ARGUMENT(stringtag) ARGUMENT(info) ARGUMENT(errhandler) ARGUMENT(newcomm))
FUNCTION(int, Comm_create_group, COMM_CREATE_GROUP, (QMPI_Context context, int tool_id,
    MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm), (context, next_tool_id, comm,
    group, tag, newcomm), ARGUMENT(comm) ARGUMENT(group) ARGUMENT(tag) ARGUMENT(newcomm))
FUNCTION(int, Comm_create_keyval, COMM_CREATE_KEYVAL, (QMPI_Context context, int tool_id,
    MPI_Comm_copy_attr_function *comm_copy_attr_fn,
    MPI_Comm_delete_attr_function *comm_delete_attr_fn, int *comm_keyval, void *extra_state),
    (context, next_tool_id, comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval, extra_state),
    ARGUMENT(comm_copy_attr_fn) ARGUMENT(comm_delete_attr_fn) ARGUMENT(comm_keyval)
    ARGUMENT(extra_state))
FUNCTION(int, Comm_delete_attr, COMM_DELETE_ATTR, (QMPI_Context context, int tool_id, MPI_Comm comm,
    int comm_keyval), (context, next_tool_id, comm, comm_keyval), ARGUMENT(comm)
    ARGUMENT(comm_keyval))
FUNCTION(int, Comm_detach_buffer, COMM_DETACH_BUFFER, (QMPI_Context context, int tool_id,
    MPI_Comm comm, void *buffer_addr, int *size), (context, next_tool_id, comm, buffer_addr, size),
    ARGUMENT(comm) ARGUMENT(buffer_addr) ARGUMENT(size))
FUNCTION(int, Comm_detach_buffer_c, COMM_DETACH_BUFFER_C, (QMPI_Context context, int tool_id,
    MPI_Comm comm, void *buffer_addr, MPI_Count *size), (context, next_tool_id, comm, buffer_addr,
    size), ARGUMENT(comm) ARGUMENT(buffer_addr) ARGUMENT(size))
FUNCTION(int, Comm_disconnect, COMM_DISCONNECT, (QMPI_Context context, int tool_id, MPI_Comm *comm),
    (context, next_tool_id, comm), ARGUMENT(comm))
FUNCTION(int, Comm_dup, COMM_DUP, (QMPI_Context context, int tool_id, MPI_Comm comm,
    MPI_Comm *newcomm), (context, next_tool_id, comm, newcomm), ARGUMENT(comm) ARGUMENT(newcomm))
FUNCTION(int, Comm_dup_with_info, COMM_DUP_WITH_INFO, (QMPI_Context context, int tool_id,
    MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm), (context, next_tool_id, comm, info, newcomm),
    ARGUMENT(comm) ARGUMENT(info) ARGUMENT(newcomm))
FUNCTION(int, Comm_flush_buffer, COMM_FLUSH_BUFFER, (QMPI_Context context, int tool_id,
    MPI_Comm comm), (context, next_tool_id, comm), ARGUMENT(comm))
FUNCTION(int, Comm_free, COMM_FREE, (QMPI_Context context, int tool_id, MPI_Comm *comm), (context,
    next_tool_id, comm), ARGUMENT(comm))
FUNCTION(int, Comm_free_keyval, COMM_FREE_KEYVAL, (QMPI_Context context, int tool_id,
    int *comm_keyval), (context, next_tool_id, comm_keyval), ARGUMENT(comm_keyval))
FUNCTION(MPI_Comm, Comm_fromint, COMM_FROMINT, (QMPI_Context context, int tool_id, int comm),
    (context, next_tool_id, comm), ARGUMENT(comm))
FUNCTION(int, Comm_get_attr, COMM_GET_ATTR, (QMPI_Context context, int tool_id, MPI_Comm comm,
    int comm_keyval, void *attribute_val, int *flag), (context, next_tool_id, comm, comm_keyval,
    attribute_val, flag), ARGUMENT(comm) ARGUMENT(comm_keyval) ARGUMENT(attribute_val)
    ARGUMENT(flag))
FUNCTION(int, Comm_get_errhandler, COMM_GET_ERRHANDLER, (QMPI_Context context, int tool_id,
    MPI_Comm comm, MPI_Errhandler *errhandler), (context, next_tool_id, comm, errhandler),
    ARGUMENT(comm) ARGUMENT(errhandler))
FUNCTION(int, Comm_get_info, COMM_GET_INFO, (QMPI_Context context, int tool_id, MPI_Comm comm,
    MPI_Info *info_used), (context, next_tool_id, comm, info_used), ARGUMENT(comm)
    ARGUMENT(info_used))
FUNCTION(int, Comm_get_name, COMM_GET_NAME, (QMPI_Context context, int tool_id, MPI_Comm comm,
    char *comm_name, int *resultlen), (context, next_tool_id, comm, comm_name, resultlen),
    ARGUMENT(comm) ARGUMENT(comm_name) ARGUMENT(resultlen))
FUNCTION(int, Comm_get_parent, COMM_GET_PARENT, (QMPI_Context context, int tool_id,
    MPI_Comm *parent), (context, next_tool_id, parent), ARGUMENT(parent))
FUNCTION(int, Comm_group, COMM_GROUP, (QMPI_Context context, int tool_id, MPI_Comm comm,
    MPI_Group *group), (context, next_tool_id, comm, group), ARGUMENT(comm) ARGUMENT(group))
FUNCTION(int, Comm_idup, COMM_IDUP, (QMPI_Context context, int tool_id, MPI_Comm comm,
    MPI_Comm *newcomm, MPI_Request *request), (context, next_tool_id, comm, newcomm, request),
    ARGUMENT(comm) ARGUMENT(newcomm) ARGUMENT(request))
FUNCTION(int, Comm_idup_with_info, COMM_IDUP_WITH_INFO, (QMPI_Context context, int tool_id,
    MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm, MPI_Request *request), (context, next_tool_id,
    comm, info, newcomm, request), ARGUMENT(comm) ARGUMENT(info) ARGUMENT(newcomm)
    ARGUMENT(request))
FUNCTION(int, Comm_iflush_buffer, COMM_IFLUSH_BUFFER, (QMPI_Context context, int tool_id,
    MPI_Comm comm, MPI_Request *request), (context, next_tool_id, comm, request), ARGUMENT(comm)
    ARGUMENT(request))
FUNCTION(int, Comm_join, COMM_JOIN, (QMPI_Context context, int tool_id, int fd,
    MPI_Comm *intercomm), (context, next_tool_id, fd, intercomm), ARGUMENT(fd) ARGUMENT(intercomm))
FUNCTION(int, Comm_rank, COMM_RANK, (QMPI_Context context, int tool_id, MPI_Comm comm, int *rank),
    (context, next_tool_id, comm, rank), ARGUMENT(comm) ARGUMENT(rank))
FUNCTION(int, Comm_remote_group, COMM_REMOTE_GROUP, (QMPI_Context context, int tool_id,
    MPI_Comm comm, MPI_Group *group), (context, next_tool_id, comm, group), ARGUMENT(comm)
    ARGUMENT(group))
FUNCTION(int, Comm_remote_size, COMM_REMOTE_SIZE, (QMPI_Context context, int tool_id, MPI_Comm comm,
    int *size), (context, next_tool_id, comm, size), ARGUMENT(comm) ARGUMENT(size))
FUNCTION(int, Comm_set_attr, COMM_SET_ATTR, (QMPI_Context context, int tool_id, MPI_Comm comm,
    int comm_keyval, void *attribute_val), (context, next_tool_id, comm, comm_keyval,
    attribute_val), ARGUMENT(comm) ARGUMENT(comm_keyval) ARGUMENT(attribute_val))
FUNCTION(int, Comm_set_errhandler, COMM_SET_ERRHANDLER, (QMPI_Context context, int tool_id,
    MPI_Comm comm, MPI_Errhandler errhandler), (context, next_tool_id, comm, errhandler),
    ARGUMENT(comm) ARGUMENT(errhandler))
FUNCTION(int, Comm_set_info, COMM_SET_INFO, (QMPI_Context context, int tool_id, MPI_Comm comm,
    MPI_Info info), (context, next_tool_id, comm, info), ARGUMENT(comm) ARGUMENT(info))
FUNCTION(int, Comm_set_name, COMM_SET_NAME, (QMPI_Context context, int tool_id, MPI_Comm comm,
    const char *comm_name), (context, next_tool_id, comm, comm_name), ARGUMENT(comm)
    ARGUMENT(comm_name))
FUNCTION(int, Comm_size, COMM_SIZE, (QMPI_Context context, int tool_id, MPI_Comm comm, int *size),
    (context, next_tool_id, comm, size), ARGUMENT(comm) ARGUMENT(size))
FUNCTION(int, Comm_spawn, COMM_SPAWN, (QMPI_Context context, int tool_id, const char *command,
    char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *intercomm,
    int array_of_errcodes[]), (context, next_tool_id, command, argv, maxprocs, info, root, comm,
    intercomm, array_of_errcodes), ARGUMENT(command) ARGUMENT(argv) ARGUMENT(maxprocs)
    ARGUMENT(info) ARGUMENT(root) ARGUMENT(comm) ARGUMENT(intercomm) ARGUMENT(array_of_errcodes))
FUNCTION(int, Comm_spawn_multiple, COMM_SPAWN_MULTIPLE, (QMPI_Context context, int tool_id,
    int count, char *array_of_commands[], char **array_of_argv[], const int array_of_maxprocs[],
    const MPI_Info array_of_info[], int root, MPI_Comm comm, MPI_Comm *intercomm,
    int array_of_errcodes[]), (context, next_tool_id, count, array_of_commands, array_of_argv,
    array_of_maxprocs, array_of_info, root, comm, intercomm, array_of_errcodes), ARGUMENT(count)
    ARGUMENT(array_of_commands) ARGUMENT(array_of_argv) ARGUMENT(array_of_maxprocs)
    ARGUMENT(array_of_info) ARGUMENT(root) ARGUMENT(comm) ARGUMENT(intercomm)
    ARGUMENT(array_of_errcodes))
FUNCTION(int, Comm_split, COMM_SPLIT, (QMPI_Context context, int tool_id, MPI_Comm comm, int color,
    int key, MPI_Comm *newcomm), (context, next_tool_id, comm, color, key, newcomm), ARGUMENT(comm)
    ARGUMENT(color) ARGUMENT(key) ARGUMENT(newcomm))
FUNCTION(int, Comm_split_type, COMM_SPLIT_TYPE, (QMPI_Context context, int tool_id, MPI_Comm comm,
    int split_type, int key, MPI_Info info, MPI_Comm *newcomm), (context, next_tool_id, comm,
    split_type, key, info, newcomm), ARGUMENT(comm) ARGUMENT(split_type) ARGUMENT(key)
    ARGUMENT(info) ARGUMENT(newcomm))
FUNCTION(int, Comm_test_inter, COMM_TEST_INTER, (QMPI_Context context, int tool_id, MPI_Comm comm,
    int *flag), (context, next_tool_id, comm, flag), ARGUMENT(comm) ARGUMENT(flag))
FUNCTION(int, Comm_toint, COMM_TOINT, (QMPI_Context context, int tool_id, MPI_Comm comm), (context,
    next_tool_id, comm), ARGUMENT(comm))
FUNCTION(int, Compare_and_swap, COMPARE_AND_SWAP, (QMPI_Context context, int tool_id,
    const void *origin_addr, const void *compare_addr, void *result_addr, MPI_Datatype datatype,
    int target_rank, MPI_Aint target_disp, MPI_Win win), (context, next_tool_id, origin_addr,
    compare_addr, result_addr, datatype, target_rank, target_disp, win), ARGUMENT(origin_addr)
    ARGUMENT(compare_addr) ARGUMENT(result_addr) ARGUMENT(datatype) ARGUMENT(target_rank)
    ARGUMENT(target_disp) ARGUMENT(win))
FUNCTION(int, Dims_create, DIMS_CREATE, (QMPI_Context context, int tool_id, int nnodes, int ndims,
    int dims[]), (context, next_tool_id, nnodes, ndims, dims), ARGUMENT(nnodes) ARGUMENT(ndims)
    ARGUMENT(dims))
FUNCTION(int, Dist_graph_create, DIST_GRAPH_CREATE, (QMPI_Context context, int tool_id,
    MPI_Comm comm_old, int n, const int sources[], const int degrees[], const int destinations[],
    const int weights[], MPI_Info info, int reorder, MPI_Comm *comm_dist_graph), (context,
    next_tool_id, comm_old, n, sources, degrees, destinations, weights, info, reorder,
    comm_dist_graph), ARGUMENT(comm_old) ARGUMENT(n) ARGUMENT(sources) ARGUMENT(degrees)
    ARGUMENT(destinations) ARGUMENT(weights) ARGUMENT(info) ARGUMENT(reorder)
    ARGUMENT(comm_dist_graph))
FUNCTION(int, Dist_graph_create_adjacent, DIST_GRAPH_CREATE_ADJACENT, (QMPI_Context context,
    int tool_id, MPI_Comm comm_old, int indegree, const int sources[], const int sourceweights[],
    int outdegree, const int destinations[], const int destweights[], MPI_Info info, int reorder,
    MPI_Comm *comm_dist_graph), (context, next_tool_id, comm_old, indegree, sources, sourceweights,
    outdegree, destinations, destweights, info, reorder, comm_dist_graph), ARGUMENT(comm_old)
    ARGUMENT(indegree) ARGUMENT(sources) ARGUMENT(sourceweights) ARGUMENT(outdegree)
    ARGUMENT(destinations) ARGUMENT(destweights) ARGUMENT(info) ARGUMENT(reorder)
    ARGUMENT(comm_dist_graph))
FUNCTION(int, Dist_graph_neighbors, DIST_GRAPH_NEIGHBORS, (QMPI_Context context, int tool_id,
    MPI_Comm comm, int maxindegree, int sources[], int sourceweights[], int maxoutdegree,
    int destinations[], int destweights[]), (context, next_tool_id, comm, maxindegree, sources,
    sourceweights, maxoutdegree, destinations, destweights), ARGUMENT(comm) ARGUMENT(maxindegree)
    ARGUMENT(sources) ARGUMENT(sourceweights) ARGUMENT(maxoutdegree) ARGUMENT(destinations)
    ARGUMENT(destweights))
FUNCTION(int, Dist_graph_neighbors_count, DIST_GRAPH_NEIGHBORS_COUNT, (QMPI_Context context,
    int tool_id, MPI_Comm comm, int *indegree, int *outdegree, int *weighted), (context,
    next_tool_id, comm, indegree, outdegree, weighted), ARGUMENT(comm) ARGUMENT(indegree)
    ARGUMENT(outdegree) ARGUMENT(weighted))
FUNCTION(int, Errhandler_free, ERRHANDLER_FREE, (QMPI_Context context, int tool_id,
    MPI_Errhandler *errhandler), (context, next_tool_id, errhandler), ARGUMENT(errhandler))
FUNCTION(MPI_Errhandler, Errhandler_fromint, ERRHANDLER_FROMINT, (QMPI_Context context, int tool_id,
    int errhandler), (context, next_tool_id, errhandler), ARGUMENT(errhandler))
FUNCTION(int, Errhandler_toint, ERRHANDLER_TOINT, (QMPI_Context context, int tool_id,
    MPI_Errhandler errhandler), (context, next_tool_id, errhandler), ARGUMENT(errhandler))
FUNCTION(int, Error_class, ERROR_CLASS, (QMPI_Context context, int tool_id, int errorcode,
    int *errorclass), (context, next_tool_id, errorcode, errorclass), ARGUMENT(errorcode)
    ARGUMENT(errorclass))
FUNCTION(int, Error_string, ERROR_STRING, (QMPI_Context context, int tool_id, int errorcode,
    char *string, int *resultlen), (context, next_tool_id, errorcode, string, resultlen),
    ARGUMENT(errorcode) ARGUMENT(string) ARGUMENT(resultlen))
FUNCTION(int, Exscan, EXSCAN, (QMPI_Context context, int tool_id, const void *sendbuf,
    void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm), (context,
    next_tool_id, sendbuf, recvbuf, count, datatype, op, comm), ARGUMENT(sendbuf) ARGUMENT(recvbuf)
    ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(op) ARGUMENT(comm))
FUNCTION(int, Exscan_c, EXSCAN_C, (QMPI_Context context, int tool_id, const void *sendbuf,
    void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm), (context,
    next_tool_id, sendbuf, recvbuf, count, datatype, op, comm), ARGUMENT(sendbuf) ARGUMENT(recvbuf)
    ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(op) ARGUMENT(comm))
FUNCTION(int, Exscan_init, EXSCAN_INIT, (QMPI_Context context, int tool_id, const void *sendbuf,
    void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
    MPI_Request *request), (context, next_tool_id, sendbuf, recvbuf, count, datatype, op, comm,
    info, request), ARGUMENT(sendbuf) ARGUMENT(recvbuf) ARGUMENT(count) ARGUMENT(datatype)
    ARGUMENT(op) ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Exscan_init_c, EXSCAN_INIT_C, (QMPI_Context context, int tool_id, const void *sendbuf,
    void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
    MPI_Request *request), (context, next_tool_id, sendbuf, recvbuf, count, datatype, op, comm,
    info, request), ARGUMENT(sendbuf) ARGUMENT(recvbuf) ARGUMENT(count) ARGUMENT(datatype)
    ARGUMENT(op) ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Fetch_and_op, FETCH_AND_OP, (QMPI_Context context, int tool_id,
    const void *origin_addr, void *result_addr, MPI_Datatype datatype, int target_rank,
    MPI_Aint target_disp, MPI_Op op, MPI_Win win), (context, next_tool_id, origin_addr, result_addr,
    datatype, target_rank, target_disp, op, win), ARGUMENT(origin_addr) ARGUMENT(result_addr)
    ARGUMENT(datatype) ARGUMENT(target_rank) ARGUMENT(target_disp) ARGUMENT(op) ARGUMENT(win))
FUNCTION(int, File_call_errhandler, FILE_CALL_ERRHANDLER, (QMPI_Context context, int tool_id,
    MPI_File fh, int errorcode), (context, next_tool_id, fh, errorcode), ARGUMENT(fh)
    ARGUMENT(errorcode))
FUNCTION(int, File_close, FILE_CLOSE, (QMPI_Context context, int tool_id, MPI_File *fh), (context,
    next_tool_id, fh), ARGUMENT(fh))
FUNCTION(int, File_create_errhandler, FILE_CREATE_ERRHANDLER, (QMPI_Context context, int tool_id,
    MPI_File_errhandler_function *file_errhandler_fn, MPI_Errhandler *errhandler), (context,
    next_tool_id, file_errhandler_fn, errhandler), ARGUMENT(file_errhandler_fn)
    ARGUMENT(errhandler))
FUNCTION(int, File_delete, FILE_DELETE, (QMPI_Context context, int tool_id, const char *filename,
    MPI_Info info), (context, next_tool_id, filename, info), ARGUMENT(filename) ARGUMENT(info))
FUNCTION(MPI_File, File_fromint, FILE_FROMINT, (QMPI_Context context, int tool_id, int file),
    (context, next_tool_id, file), ARGUMENT(file))
FUNCTION(int, File_get_amode, FILE_GET_AMODE, (QMPI_Context context, int tool_id, MPI_File fh,
    int *amode), (context, next_tool_id, fh, amode), ARGUMENT(fh) ARGUMENT(amode))
FUNCTION(int, File_get_atomicity, FILE_GET_ATOMICITY, (QMPI_Context context, int tool_id,
    MPI_File fh, int *flag), (context, next_tool_id, fh, flag), ARGUMENT(fh) ARGUMENT(flag))
FUNCTION(int, File_get_byte_offset, FILE_GET_BYTE_OFFSET, (QMPI_Context context, int tool_id,
    MPI_File fh, MPI_Offset offset, MPI_Offset *disp), (context, next_tool_id, fh, offset, disp),
    ARGUMENT(fh) ARGUMENT(offset) ARGUMENT(disp))
FUNCTION(int, File_get_errhandler, FILE_GET_ERRHANDLER, (QMPI_Context context, int tool_id,
    MPI_File file, MPI_Errhandler *errhandler), (context, next_tool_id, file, errhandler),
    ARGUMENT(file) ARGUMENT(errhandler))
FUNCTION(int, File_get_group, FILE_GET_GROUP, (QMPI_Context context, int tool_id, MPI_File fh,
    MPI_Group *group), (context, next_tool_id, fh, group), ARGUMENT(fh) ARGUMENT(group))
FUNCTION(int, File_get_info, FILE_GET_INFO, (QMPI_Context context, int tool_id, MPI_File fh,
    MPI_Info *info_used), (context, next_tool_id, fh, info_used), ARGUMENT(fh) ARGUMENT(info_used))
FUNCTION(int, File_get_position, FILE_GET_POSITION, (QMPI_Context context, int tool_id, MPI_File fh,
    MPI_Offset *offset), (context, next_tool_id, fh, offset), ARGUMENT(fh) ARGUMENT(offset))
FUNCTION(int, File_get_position_shared, FILE_GET_POSITION_SHARED, (QMPI_Context context,
    int tool_id, MPI_File fh, MPI_Offset *offset), (context, next_tool_id, fh, offset), ARGUMENT(fh)
    ARGUMENT(offset))
FUNCTION(int, File_get_size, FILE_GET_SIZE, (QMPI_Context context, int tool_id, MPI_File fh,
    MPI_Offset *size), (context, next_tool_id, fh, size), ARGUMENT(fh) ARGUMENT(size))
FUNCTION(int, File_get_type_extent, FILE_GET_TYPE_EXTENT, (QMPI_Context context, int tool_id,
    MPI_File fh, MPI_Datatype datatype, MPI_Aint *extent), (context, next_tool_id, fh, datatype,
    extent), ARGUMENT(fh) ARGUMENT(datatype) ARGUMENT(extent))
FUNCTION(int, File_get_type_extent_c, FILE_GET_TYPE_EXTENT_C, (QMPI_Context context, int tool_id,
    MPI_File fh, MPI_Datatype datatype, MPI_Count *extent), (context, next_tool_id, fh, datatype,
    extent), ARGUMENT(fh) ARGUMENT(datatype) ARGUMENT(extent))
FUNCTION(int, File_get_view, FILE_GET_VIEW, (QMPI_Context context, int tool_id, MPI_File fh,
    MPI_Offset *disp, MPI_Datatype *etype, MPI_Datatype *filetype, char *datarep), (context,
    next_tool_id, fh, disp, etype, filetype, datarep), ARGUMENT(fh) ARGUMENT(disp) ARGUMENT(etype)
    ARGUMENT(filetype) ARGUMENT(datarep))
FUNCTION(int, File_iread, FILE_IREAD, (QMPI_Context context, int tool_id, MPI_File fh, void *buf,
    int count, MPI_Datatype datatype, MPI_Request *request), (context, next_tool_id, fh, buf, count,
    datatype, request), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype)
    ARGUMENT(request))
FUNCTION(int, File_iread_all, FILE_IREAD_ALL, (QMPI_Context context, int tool_id, MPI_File fh,
    void *buf, int count, MPI_Datatype datatype, MPI_Request *request), (context, next_tool_id, fh,
    buf, count, datatype, request), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype)
    ARGUMENT(request))
FUNCTION(int, File_iread_all_c, FILE_IREAD_ALL_C, (QMPI_Context context, int tool_id, MPI_File fh,
    void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request), (context,
    next_tool_id, fh, buf, count, datatype, request), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(request))
FUNCTION(int, File_iread_at, FILE_IREAD_AT, (QMPI_Context context, int tool_id, MPI_File fh,
    MPI_Offset offset, void *buf, int count, MPI_Datatype datatype, MPI_Request *request), (context,
    next_tool_id, fh, offset, buf, count, datatype, request), ARGUMENT(fh) ARGUMENT(offset)
    ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(request))
FUNCTION(int, File_iread_at_all, FILE_IREAD_AT_ALL, (QMPI_Context context, int tool_id, MPI_File fh,
    MPI_Offset offset, void *buf, int count, MPI_Datatype datatype, MPI_Request *request), (context,
    next_tool_id, fh, offset, buf, count, datatype, request), ARGUMENT(fh) ARGUMENT(offset)
    ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(request))
FUNCTION(int, File_iread_at_all_c, FILE_IREAD_AT_ALL_C, (QMPI_Context context, int tool_id,
    MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype datatype,
    MPI_Request *request), (context, next_tool_id, fh, offset, buf, count, datatype, request),
    ARGUMENT(fh) ARGUMENT(offset) ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype)
    ARGUMENT(request))
FUNCTION(int, File_iread_at_c, FILE_IREAD_AT_C, (QMPI_Context context, int tool_id, MPI_File fh,
    MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request),
    (context, next_tool_id, fh, offset, buf, count, datatype, request), ARGUMENT(fh)
    ARGUMENT(offset) ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(request))
FUNCTION(int, File_iread_c, FILE_IREAD_C, (QMPI_Context context, int tool_id, MPI_File fh,
    void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request), (context,
    next_tool_id, fh, buf, count, datatype, request), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(request))
FUNCTION(int, File_iread_shared, FILE_IREAD_SHARED, (QMPI_Context context, int tool_id, MPI_File fh,
    void *buf, int count, MPI_Datatype datatype, MPI_Request *request), (context, next_tool_id, fh,
    buf, count, datatype, request), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype)
    ARGUMENT(request))
FUNCTION(int, File_iread_shared_c, FILE_IREAD_SHARED_C, (QMPI_Context context, int tool_id,
    MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request), (context,
    next_tool_id, fh, buf, count, datatype, request), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(request))
FUNCTION(int, File_iwrite, FILE_IWRITE, (QMPI_Context context, int tool_id, MPI_File fh,
    const void *buf, int count, MPI_Datatype datatype, MPI_Request *request), (context,
    next_tool_id, fh, buf, count, datatype, request), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(request))
FUNCTION(int, File_iwrite_all, FILE_IWRITE_ALL, (QMPI_Context context, int tool_id, MPI_File fh,
    const void *buf, int count, MPI_Datatype datatype, MPI_Request *request), (context,
    next_tool_id, fh, buf, count, datatype, request), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(request))
FUNCTION(int, File_iwrite_all_c, FILE_IWRITE_ALL_C, (QMPI_Context context, int tool_id, MPI_File fh,
    const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request), (context,
    next_tool_id, fh, buf, count, datatype, request), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(request))
FUNCTION(int, File_iwrite_at, FILE_IWRITE_AT, (QMPI_Context context, int tool_id, MPI_File fh,
    MPI_Offset offset, const void *buf, int count, MPI_Datatype datatype, MPI_Request *request),
    (context, next_tool_id, fh, offset, buf, count, datatype, request), ARGUMENT(fh)
    ARGUMENT(offset) ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(request))
FUNCTION(int, File_iwrite_at_all, FILE_IWRITE_AT_ALL, (QMPI_Context context, int tool_id,
    MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype datatype,
    MPI_Request *request), (context, next_tool_id, fh, offset, buf, count, datatype, request),
    ARGUMENT(fh) ARGUMENT(offset) ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype)
    ARGUMENT(request))
FUNCTION(int, File_iwrite_at_all_c, FILE_IWRITE_AT_ALL_C, (QMPI_Context context, int tool_id,
    MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count, MPI_Datatype datatype,
    MPI_Request *request), (context, next_tool_id, fh, offset, buf, count, datatype, request),
    ARGUMENT(fh) ARGUMENT(offset) ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype)
    ARGUMENT(request))
FUNCTION(int, File_iwrite_at_c, FILE_IWRITE_AT_C, (QMPI_Context context, int tool_id, MPI_File fh,
    MPI_Offset offset, const void *buf, MPI_Count count, MPI_Datatype datatype,
    MPI_Request *request), (context, next_tool_id, fh, offset, buf, count, datatype, request),
    ARGUMENT(fh) ARGUMENT(offset) ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype)
    ARGUMENT(request))
FUNCTION(int, File_iwrite_c, FILE_IWRITE_C, (QMPI_Context context, int tool_id, MPI_File fh,
    const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request), (context,
    next_tool_id, fh, buf, count, datatype, request), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(request))
FUNCTION(int, File_iwrite_shared, FILE_IWRITE_SHARED, (QMPI_Context context, int tool_id,
    MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Request *request), (context,
    next_tool_id, fh, buf, count, datatype, request), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(request))
FUNCTION(int, File_iwrite_shared_c, FILE_IWRITE_SHARED_C, (QMPI_Context context, int tool_id,
    MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Request *request),
    (context, next_tool_id, fh, buf, count, datatype, request), ARGUMENT(fh) ARGUMENT(buf)
    ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(request))
FUNCTION(int, File_open, FILE_OPEN, (QMPI_Context context, int tool_id, MPI_Comm comm,
    const char *filename, int amode, MPI_Info info, MPI_File *fh), (context, next_tool_id, comm,
    filename, amode, info, fh), ARGUMENT(comm) ARGUMENT(filename) ARGUMENT(amode) ARGUMENT(info)
    ARGUMENT(fh))
FUNCTION(int, File_preallocate, FILE_PREALLOCATE, (QMPI_Context context, int tool_id, MPI_File fh,
    MPI_Offset size), (context, next_tool_id, fh, size), ARGUMENT(fh) ARGUMENT(size))
FUNCTION(int, File_read, FILE_READ, (QMPI_Context context, int tool_id, MPI_File fh, void *buf,
    int count, MPI_Datatype datatype, MPI_Status *status), (context, next_tool_id, fh, buf, count,
    datatype, status), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype)
    ARGUMENT(status))
FUNCTION(int, File_read_all, FILE_READ_ALL, (QMPI_Context context, int tool_id, MPI_File fh,
    void *buf, int count, MPI_Datatype datatype, MPI_Status *status), (context, next_tool_id, fh,
    buf, count, datatype, status), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype)
    ARGUMENT(status))
FUNCTION(int, File_read_all_begin, FILE_READ_ALL_BEGIN, (QMPI_Context context, int tool_id,
    MPI_File fh, void *buf, int count, MPI_Datatype datatype), (context, next_tool_id, fh, buf,
    count, datatype), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype))
FUNCTION(int, File_read_all_begin_c, FILE_READ_ALL_BEGIN_C, (QMPI_Context context, int tool_id,
    MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype), (context, next_tool_id, fh,
    buf, count, datatype), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype))
FUNCTION(int, File_read_all_c, FILE_READ_ALL_C, (QMPI_Context context, int tool_id, MPI_File fh,
    void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status), (context, next_tool_id,
    fh, buf, count, datatype, status), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype)
    ARGUMENT(status))
FUNCTION(int, File_read_all_end, FILE_READ_ALL_END, (QMPI_Context context, int tool_id, MPI_File fh,
    void *buf, MPI_Status *status), (context, next_tool_id, fh, buf, status), ARGUMENT(fh)
    ARGUMENT(buf) ARGUMENT(status))
FUNCTION(int, File_read_at, FILE_READ_AT, (QMPI_Context context, int tool_id, MPI_File fh,
    MPI_Offset offset, void *buf, int count, MPI_Datatype datatype, MPI_Status *status), (context,
    next_tool_id, fh, offset, buf, count, datatype, status), ARGUMENT(fh) ARGUMENT(offset)
    ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(status))
FUNCTION(int, File_read_at_all, FILE_READ_AT_ALL, (QMPI_Context context, int tool_id, MPI_File fh,
    MPI_Offset offset, void *buf, int count, MPI_Datatype datatype, MPI_Status *status), (context,
    next_tool_id, fh, offset, buf, count, datatype, status), ARGUMENT(fh) ARGUMENT(offset)
    ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(status))
FUNCTION(int, File_read_at_all_begin, FILE_READ_AT_ALL_BEGIN, (QMPI_Context context, int tool_id,
    MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype datatype), (context,
    next_tool_id, fh, offset, buf, count, datatype), ARGUMENT(fh) ARGUMENT(offset) ARGUMENT(buf)
    ARGUMENT(count) ARGUMENT(datatype))
FUNCTION(int, File_read_at_all_begin_c, FILE_READ_AT_ALL_BEGIN_C, (QMPI_Context context,
    int tool_id, MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype datatype),
    (context, next_tool_id, fh, offset, buf, count, datatype), ARGUMENT(fh) ARGUMENT(offset)
    ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype))
FUNCTION(int, File_read_at_all_c, FILE_READ_AT_ALL_C, (QMPI_Context context, int tool_id,
    MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype datatype,
    MPI_Status *status), (context, next_tool_id, fh, offset, buf, count, datatype, status),
    ARGUMENT(fh) ARGUMENT(offset) ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(status))
FUNCTION(int, File_read_at_all_end, FILE_READ_AT_ALL_END, (QMPI_Context context, int tool_id,
    MPI_File fh, void *buf, MPI_Status *status), (context, next_tool_id, fh, buf, status),
    ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(status))
FUNCTION(int, File_read_at_c, FILE_READ_AT_C, (QMPI_Context context, int tool_id, MPI_File fh,
    MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status),
    (context, next_tool_id, fh, offset, buf, count, datatype, status), ARGUMENT(fh) ARGUMENT(offset)
    ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(status))
FUNCTION(int, File_read_c, FILE_READ_C, (QMPI_Context context, int tool_id, MPI_File fh, void *buf,
    MPI_Count count, MPI_Datatype datatype, MPI_Status *status), (context, next_tool_id, fh, buf,
    count, datatype, status), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype)
    ARGUMENT(status))
FUNCTION(int, File_read_ordered, FILE_READ_ORDERED, (QMPI_Context context, int tool_id, MPI_File fh,
    void *buf, int count, MPI_Datatype datatype, MPI_Status *status), (context, next_tool_id, fh,
    buf, count, datatype, status), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype)
    ARGUMENT(status))
FUNCTION(int, File_read_ordered_begin, FILE_READ_ORDERED_BEGIN, (QMPI_Context context, int tool_id,
    MPI_File fh, void *buf, int count, MPI_Datatype datatype), (context, next_tool_id, fh, buf,
    count, datatype), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype))
FUNCTION(int, File_read_ordered_begin_c, FILE_READ_ORDERED_BEGIN_C, (QMPI_Context context,
    int tool_id, MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype), (context,
    next_tool_id, fh, buf, count, datatype), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count)
    ARGUMENT(datatype))
FUNCTION(int, File_read_ordered_c, FILE_READ_ORDERED_C, (QMPI_Context context, int tool_id,
    MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status), (context,
    next_tool_id, fh, buf, count, datatype, status), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(status))
FUNCTION(int, File_read_ordered_end, FILE_READ_ORDERED_END, (QMPI_Context context, int tool_id,
    MPI_File fh, void *buf, MPI_Status *status), (context, next_tool_id, fh, buf, status),
    ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(status))
FUNCTION(int, File_read_shared, FILE_READ_SHARED, (QMPI_Context context, int tool_id, MPI_File fh,
    void *buf, int count, MPI_Datatype datatype, MPI_Status *status), (context, next_tool_id, fh,
    buf, count, datatype, status), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype)
    ARGUMENT(status))
FUNCTION(int, File_read_shared_c, FILE_READ_SHARED_C, (QMPI_Context context, int tool_id,
    MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status), (context,
    next_tool_id, fh, buf, count, datatype, status), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(status))
FUNCTION(int, File_seek, FILE_SEEK, (QMPI_Context context, int tool_id, MPI_File fh,
    MPI_Offset offset, int whence), (context, next_tool_id, fh, offset, whence), ARGUMENT(fh)
    ARGUMENT(offset) ARGUMENT(whence))
FUNCTION(int, File_seek_shared, FILE_SEEK_SHARED, (QMPI_Context context, int tool_id, MPI_File fh,
    MPI_Offset offset, int whence), (context, next_tool_id, fh, offset, whence), ARGUMENT(fh)
    ARGUMENT(offset) ARGUMENT(whence))
FUNCTION(int, File_set_atomicity, FILE_SET_ATOMICITY, (QMPI_Context context, int tool_id,
    MPI_File fh, int flag), (context, next_tool_id, fh, flag), ARGUMENT(fh) ARGUMENT(flag))
FUNCTION(int, File_set_errhandler, FILE_SET_ERRHANDLER, (QMPI_Context context, int tool_id,
    MPI_File file, MPI_Errhandler errhandler), (context, next_tool_id, file, errhandler),
    ARGUMENT(file) ARGUMENT(errhandler))
FUNCTION(int, File_set_info, FILE_SET_INFO, (QMPI_Context context, int tool_id, MPI_File fh,
    MPI_Info info), (context, next_tool_id, fh, info), ARGUMENT(fh) ARGUMENT(info))
FUNCTION(int, File_set_size, FILE_SET_SIZE, (QMPI_Context context, int tool_id, MPI_File fh,
    MPI_Offset size), (context, next_tool_id, fh, size), ARGUMENT(fh) ARGUMENT(size))
FUNCTION(int, File_set_view, FILE_SET_VIEW, (QMPI_Context context, int tool_id, MPI_File fh,
    MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char *datarep, MPI_Info info),
    (context, next_tool_id, fh, disp, etype, filetype, datarep, info), ARGUMENT(fh) ARGUMENT(disp)
    ARGUMENT(etype) ARGUMENT(filetype) ARGUMENT(datarep) ARGUMENT(info))
FUNCTION(int, File_sync, FILE_SYNC, (QMPI_Context context, int tool_id, MPI_File fh), (context,
    next_tool_id, fh), ARGUMENT(fh))
FUNCTION(int, File_toint, FILE_TOINT, (QMPI_Context context, int tool_id, MPI_File file), (context,
    next_tool_id, file), ARGUMENT(file))
FUNCTION(int, File_write, FILE_WRITE, (QMPI_Context context, int tool_id, MPI_File fh,
    const void *buf, int count, MPI_Datatype datatype, MPI_Status *status), (context, next_tool_id,
    fh, buf, count, datatype, status), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype)
    ARGUMENT(status))
FUNCTION(int, File_write_all, FILE_WRITE_ALL, (QMPI_Context context, int tool_id, MPI_File fh,
    const void *buf, int count, MPI_Datatype datatype, MPI_Status *status), (context, next_tool_id,
    fh, buf, count, datatype, status), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype)
    ARGUMENT(status))
FUNCTION(int, File_write_all_begin, FILE_WRITE_ALL_BEGIN, (QMPI_Context context, int tool_id,
    MPI_File fh, const void *buf, int count, MPI_Datatype datatype), (context, next_tool_id, fh,
    buf, count, datatype), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype))
FUNCTION(int, File_write_all_begin_c, FILE_WRITE_ALL_BEGIN_C, (QMPI_Context context, int tool_id,
    MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype), (context, next_tool_id,
    fh, buf, count, datatype), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype))
FUNCTION(int, File_write_all_c, FILE_WRITE_ALL_C, (QMPI_Context context, int tool_id, MPI_File fh,
    const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status), (context,
    next_tool_id, fh, buf, count, datatype, status), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(status))
FUNCTION(int, File_write_all_end, FILE_WRITE_ALL_END, (QMPI_Context context, int tool_id,
    MPI_File fh, const void *buf, MPI_Status *status), (context, next_tool_id, fh, buf, status),
    ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(status))
FUNCTION(int, File_write_at, FILE_WRITE_AT, (QMPI_Context context, int tool_id, MPI_File fh,
    MPI_Offset offset, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status),
    (context, next_tool_id, fh, offset, buf, count, datatype, status), ARGUMENT(fh) ARGUMENT(offset)
    ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(status))
FUNCTION(int, File_write_at_all, FILE_WRITE_AT_ALL, (QMPI_Context context, int tool_id, MPI_File fh,
    MPI_Offset offset, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status),
    (context, next_tool_id, fh, offset, buf, count, datatype, status), ARGUMENT(fh) ARGUMENT(offset)
    ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(status))
FUNCTION(int, File_write_at_all_begin, FILE_WRITE_AT_ALL_BEGIN, (QMPI_Context context, int tool_id,
    MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype datatype), (context,
    next_tool_id, fh, offset, buf, count, datatype), ARGUMENT(fh) ARGUMENT(offset) ARGUMENT(buf)
    ARGUMENT(count) ARGUMENT(datatype))
FUNCTION(int, File_write_at_all_begin_c, FILE_WRITE_AT_ALL_BEGIN_C, (QMPI_Context context,
    int tool_id, MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count,
    MPI_Datatype datatype), (context, next_tool_id, fh, offset, buf, count, datatype), ARGUMENT(fh)
    ARGUMENT(offset) ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype))
FUNCTION(int, File_write_at_all_c, FILE_WRITE_AT_ALL_C, (QMPI_Context context, int tool_id,
    MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count, MPI_Datatype datatype,
    MPI_Status *status), (context, next_tool_id, fh, offset, buf, count, datatype, status),
    ARGUMENT(fh) ARGUMENT(offset) ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(status))
FUNCTION(int, File_write_at_all_end, FILE_WRITE_AT_ALL_END, (QMPI_Context context, int tool_id,
    MPI_File fh, const void *buf, MPI_Status *status), (context, next_tool_id, fh, buf, status),
    ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(status))
FUNCTION(int, File_write_at_c, FILE_WRITE_AT_C, (QMPI_Context context, int tool_id, MPI_File fh,
    MPI_Offset offset, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status),
    (context, next_tool_id, fh, offset, buf, count, datatype, status), ARGUMENT(fh) ARGUMENT(offset)
    ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(status))
FUNCTION(int, File_write_c, FILE_WRITE_C, (QMPI_Context context, int tool_id, MPI_File fh,
    const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status), (context,
    next_tool_id, fh, buf, count, datatype, status), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(status))
FUNCTION(int, File_write_ordered, FILE_WRITE_ORDERED, (QMPI_Context context, int tool_id,
    MPI_File fh, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status), (context,
    next_tool_id, fh, buf, count, datatype, status), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(status))
FUNCTION(int, File_write_ordered_begin, FILE_WRITE_ORDERED_BEGIN, (QMPI_Context context,
    int tool_id, MPI_File fh, const void *buf, int count, MPI_Datatype datatype), (context,
    next_tool_id, fh, buf, count, datatype), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count)
    ARGUMENT(datatype))
FUNCTION(int, File_write_ordered_begin_c, FILE_WRITE_ORDERED_BEGIN_C, (QMPI_Context context,
    int tool_id, MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype), (context,
    next_tool_id, fh, buf, count, datatype), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count)
    ARGUMENT(datatype))
FUNCTION(int, File_write_ordered_c, FILE_WRITE_ORDERED_C, (QMPI_Context context, int tool_id,
    MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status),
    (context, next_tool_id, fh, buf, count, datatype, status), ARGUMENT(fh) ARGUMENT(buf)
    ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(status))
FUNCTION(int, File_write_ordered_end, FILE_WRITE_ORDERED_END, (QMPI_Context context, int tool_id,
    MPI_File fh, const void *buf, MPI_Status *status), (context, next_tool_id, fh, buf, status),
    ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(status))
FUNCTION(int, File_write_shared, FILE_WRITE_SHARED, (QMPI_Context context, int tool_id, MPI_File fh,
    const void *buf, int count, MPI_Datatype datatype, MPI_Status *status), (context, next_tool_id,
    fh, buf, count, datatype, status), ARGUMENT(fh) ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype)
    ARGUMENT(status))
FUNCTION(int, File_write_shared_c, FILE_WRITE_SHARED_C, (QMPI_Context context, int tool_id,
    MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Status *status),
    (context, next_tool_id, fh, buf, count, datatype, status), ARGUMENT(fh) ARGUMENT(buf)
    ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(status))
FUNCTION(int, Finalize, FINALIZE, (QMPI_Context context, int tool_id), (context, next_tool_id), )
FUNCTION(int, Finalized, FINALIZED, (QMPI_Context context, int tool_id, int *flag), (context,
    next_tool_id, flag), ARGUMENT(flag))
FUNCTION(int, Free_mem, FREE_MEM, (QMPI_Context context, int tool_id, void *base), (context,
    next_tool_id, base), ARGUMENT(base))
FUNCTION(int, Gather, GATHER, (QMPI_Context context, int tool_id, const void *sendbuf,
    int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
    int root, MPI_Comm comm), (context, next_tool_id, sendbuf, sendcount, sendtype, recvbuf,
    recvcount, recvtype, root, comm), ARGUMENT(sendbuf) ARGUMENT(sendcount) ARGUMENT(sendtype)
    ARGUMENT(recvbuf) ARGUMENT(recvcount) ARGUMENT(recvtype) ARGUMENT(root) ARGUMENT(comm))
FUNCTION(int, Gather_c, GATHER_C, (QMPI_Context context, int tool_id, const void *sendbuf,
    MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
    MPI_Datatype recvtype, int root, MPI_Comm comm), (context, next_tool_id, sendbuf, sendcount,
    sendtype, recvbuf, recvcount, recvtype, root, comm), ARGUMENT(sendbuf) ARGUMENT(sendcount)
    ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcount) ARGUMENT(recvtype) ARGUMENT(root)
    ARGUMENT(comm))
FUNCTION(int, Gather_init, GATHER_INIT, (QMPI_Context context, int tool_id, const void *sendbuf,
    int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
    int root, MPI_Comm comm, MPI_Info info, MPI_Request *request), (context, next_tool_id, sendbuf,
    sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request), ARGUMENT(sendbuf)
    ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcount) ARGUMENT(recvtype)
    ARGUMENT(root) ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Gather_init_c, GATHER_INIT_C, (QMPI_Context context, int tool_id, const void *sendbuf,
    MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
    MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request), (context,
    next_tool_id, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info,
    request), ARGUMENT(sendbuf) ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf)
    ARGUMENT(recvcount) ARGUMENT(recvtype) ARGUMENT(root) ARGUMENT(comm) ARGUMENT(info)
    ARGUMENT(request))
FUNCTION(int, Gatherv, GATHERV, (QMPI_Context context, int tool_id, const void *sendbuf,
    int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[],
    MPI_Datatype recvtype, int root, MPI_Comm comm), (context, next_tool_id, sendbuf, sendcount,
    sendtype, recvbuf, recvcounts, displs, recvtype, root, comm), ARGUMENT(sendbuf)
    ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcounts) ARGUMENT(displs)
    ARGUMENT(recvtype) ARGUMENT(root) ARGUMENT(comm))
FUNCTION(int, Gatherv_c, GATHERV_C, (QMPI_Context context, int tool_id, const void *sendbuf,
    MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[],
    const MPI_Aint displs[], MPI_Datatype recvtype, int root, MPI_Comm comm), (context,
    next_tool_id, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm),
    ARGUMENT(sendbuf) ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcounts)
    ARGUMENT(displs) ARGUMENT(recvtype) ARGUMENT(root) ARGUMENT(comm))
FUNCTION(int, Gatherv_init, GATHERV_INIT, (QMPI_Context context, int tool_id, const void *sendbuf,
    int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[],
    MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request), (context,
    next_tool_id, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm,
    info, request), ARGUMENT(sendbuf) ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf)
    ARGUMENT(recvcounts) ARGUMENT(displs) ARGUMENT(recvtype) ARGUMENT(root) ARGUMENT(comm)
    ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Gatherv_init_c, GATHERV_INIT_C, (QMPI_Context context, int tool_id,
    const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
    const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root,
    MPI_Comm comm, MPI_Info info, MPI_Request *request), (context, next_tool_id, sendbuf, sendcount,
    sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, info, request), ARGUMENT(sendbuf)
    ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcounts) ARGUMENT(displs)
    ARGUMENT(recvtype) ARGUMENT(root) ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Get, GET, (QMPI_Context context, int tool_id, void *origin_addr, int origin_count,
    MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count,
    MPI_Datatype target_datatype, MPI_Win win), (context, next_tool_id, origin_addr, origin_count,
    origin_datatype, target_rank, target_disp, target_count, target_datatype, win),
    ARGUMENT(origin_addr) ARGUMENT(origin_count) ARGUMENT(origin_datatype) ARGUMENT(target_rank)
    ARGUMENT(target_disp) ARGUMENT(target_count) ARGUMENT(target_datatype) ARGUMENT(win))
FUNCTION(int, Get_accumulate, GET_ACCUMULATE, (QMPI_Context context, int tool_id,
    const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, void *result_addr,
    int result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
    int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win), (context, next_tool_id,
    origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype,
    target_rank, target_disp, target_count, target_datatype, op, win), ARGUMENT(origin_addr)
    ARGUMENT(origin_count) ARGUMENT(origin_datatype) ARGUMENT(result_addr) ARGUMENT(result_count)
    ARGUMENT(result_datatype) ARGUMENT(target_rank) ARGUMENT(target_disp) ARGUMENT(target_count)
    ARGUMENT(target_datatype) ARGUMENT(op) ARGUMENT(win))
FUNCTION(int, Get_accumulate_c, GET_ACCUMULATE_C, (QMPI_Context context, int tool_id,
    const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
    void *result_addr, MPI_Count result_count, MPI_Datatype result_datatype, int target_rank,
    MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
    MPI_Win win), (context, next_tool_id, origin_addr, origin_count, origin_datatype, result_addr,
    result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, op,
    win), ARGUMENT(origin_addr) ARGUMENT(origin_count) ARGUMENT(origin_datatype)
    ARGUMENT(result_addr) ARGUMENT(result_count) ARGUMENT(result_datatype) ARGUMENT(target_rank)
    ARGUMENT(target_disp) ARGUMENT(target_count) ARGUMENT(target_datatype) ARGUMENT(op)
    ARGUMENT(win))
FUNCTION(int, Get_address, GET_ADDRESS, (QMPI_Context context, int tool_id, const void *location,
    MPI_Aint *address), (context, next_tool_id, location, address), ARGUMENT(location)
    ARGUMENT(address))
FUNCTION(int, Get_c, GET_C, (QMPI_Context context, int tool_id, void *origin_addr,
    MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
    MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win), (context, next_tool_id,
    origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
    target_datatype, win), ARGUMENT(origin_addr) ARGUMENT(origin_count) ARGUMENT(origin_datatype)
    ARGUMENT(target_rank) ARGUMENT(target_disp) ARGUMENT(target_count) ARGUMENT(target_datatype)
    ARGUMENT(win))
FUNCTION(int, Get_count, GET_COUNT, (QMPI_Context context, int tool_id, const MPI_Status *status,
    MPI_Datatype datatype, int *count), (context, next_tool_id, status, datatype, count),
    ARGUMENT(status) ARGUMENT(datatype) ARGUMENT(count))
FUNCTION(int, Get_count_c, GET_COUNT_C, (QMPI_Context context, int tool_id,
    const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count), (context, next_tool_id,
    status, datatype, count), ARGUMENT(status) ARGUMENT(datatype) ARGUMENT(count))
FUNCTION(int, Get_elements, GET_ELEMENTS, (QMPI_Context context, int tool_id,
    const MPI_Status *status, MPI_Datatype datatype, int *count), (context, next_tool_id, status,
    datatype, count), ARGUMENT(status) ARGUMENT(datatype) ARGUMENT(count))
FUNCTION(int, Get_elements_c, GET_ELEMENTS_C, (QMPI_Context context, int tool_id,
    const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count), (context, next_tool_id,
    status, datatype, count), ARGUMENT(status) ARGUMENT(datatype) ARGUMENT(count))
FUNCTION(int, Get_elements_x, GET_ELEMENTS_X, (QMPI_Context context, int tool_id,
    const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count), (context, next_tool_id,
    status, datatype, count), ARGUMENT(status) ARGUMENT(datatype) ARGUMENT(count))
FUNCTION(int, Get_hw_resource_info, GET_HW_RESOURCE_INFO, (QMPI_Context context, int tool_id,
    MPI_Info *hw_info), (context, next_tool_id, hw_info), ARGUMENT(hw_info))
FUNCTION(int, Get_library_version, GET_LIBRARY_VERSION, (QMPI_Context context, int tool_id,
    char *version, int *resultlen), (context, next_tool_id, version, resultlen), ARGUMENT(version)
    ARGUMENT(resultlen))
FUNCTION(int, Get_processor_name, GET_PROCESSOR_NAME, (QMPI_Context context, int tool_id,
    char *name, int *resultlen), (context, next_tool_id, name, resultlen), ARGUMENT(name)
    ARGUMENT(resultlen))
FUNCTION(int, Get_version, GET_VERSION, (QMPI_Context context, int tool_id, int *version,
    int *subversion), (context, next_tool_id, version, subversion), ARGUMENT(version)
    ARGUMENT(subversion))
FUNCTION(int, Graph_create, GRAPH_CREATE, (QMPI_Context context, int tool_id, MPI_Comm comm_old,
    int nnodes, const int indx[], const int edges[], int reorder, MPI_Comm *comm_graph), (context,
    next_tool_id, comm_old, nnodes, indx, edges, reorder, comm_graph), ARGUMENT(comm_old)
    ARGUMENT(nnodes) ARGUMENT(indx) ARGUMENT(edges) ARGUMENT(reorder) ARGUMENT(comm_graph))
FUNCTION(int, Graph_get, GRAPH_GET, (QMPI_Context context, int tool_id, MPI_Comm comm, int maxindex,
    int maxedges, int indx[], int edges[]), (context, next_tool_id, comm, maxindex, maxedges, indx,
    edges), ARGUMENT(comm) ARGUMENT(maxindex) ARGUMENT(maxedges) ARGUMENT(indx) ARGUMENT(edges))
FUNCTION(int, Graph_map, GRAPH_MAP, (QMPI_Context context, int tool_id, MPI_Comm comm, int nnodes,
    const int indx[], const int edges[], int *newrank), (context, next_tool_id, comm, nnodes, indx,
    edges, newrank), ARGUMENT(comm) ARGUMENT(nnodes) ARGUMENT(indx) ARGUMENT(edges)
    ARGUMENT(newrank))
FUNCTION(int, Graph_neighbors, GRAPH_NEIGHBORS, (QMPI_Context context, int tool_id, MPI_Comm comm,
    int rank, int maxneighbors, int neighbors[]), (context, next_tool_id, comm, rank, maxneighbors,
    neighbors), ARGUMENT(comm) ARGUMENT(rank) ARGUMENT(maxneighbors) ARGUMENT(neighbors))
FUNCTION(int, Graph_neighbors_count, GRAPH_NEIGHBORS_COUNT, (QMPI_Context context, int tool_id,
    MPI_Comm comm, int rank, int *nneighbors), (context, next_tool_id, comm, rank, nneighbors),
    ARGUMENT(comm) ARGUMENT(rank) ARGUMENT(nneighbors))
FUNCTION(int, Graphdims_get, GRAPHDIMS_GET, (QMPI_Context context, int tool_id, MPI_Comm comm,
    int *nnodes, int *nedges), (context, next_tool_id, comm, nnodes, nedges), ARGUMENT(comm)
    ARGUMENT(nnodes) ARGUMENT(nedges))
FUNCTION(int, Grequest_complete, GREQUEST_COMPLETE, (QMPI_Context context, int tool_id,
    MPI_Request request), (context, next_tool_id, request), ARGUMENT(request))
FUNCTION(int, Grequest_start, GREQUEST_START, (QMPI_Context context, int tool_id,
    MPI_Grequest_query_function *query_fn, MPI_Grequest_free_function *free_fn,
    MPI_Grequest_cancel_function *cancel_fn, void *extra_state, MPI_Request *request), (context,
    next_tool_id, query_fn, free_fn, cancel_fn, extra_state, request), ARGUMENT(query_fn)
    ARGUMENT(free_fn) ARGUMENT(cancel_fn) ARGUMENT(extra_state) ARGUMENT(request))
FUNCTION(int, Group_compare, GROUP_COMPARE, (QMPI_Context context, int tool_id, MPI_Group group1,
    MPI_Group group2, int *result), (context, next_tool_id, group1, group2, result),
    ARGUMENT(group1) ARGUMENT(group2) ARGUMENT(result))
FUNCTION(int, Group_difference, GROUP_DIFFERENCE, (QMPI_Context context, int tool_id,
    MPI_Group group1, MPI_Group group2, MPI_Group *newgroup), (context, next_tool_id, group1,
    group2, newgroup), ARGUMENT(group1) ARGUMENT(group2) ARGUMENT(newgroup))
FUNCTION(int, Group_excl, GROUP_EXCL, (QMPI_Context context, int tool_id, MPI_Group group, int n,
    const int ranks[], MPI_Group *newgroup), (context, next_tool_id, group, n, ranks, newgroup),
    ARGUMENT(group) ARGUMENT(n) ARGUMENT(ranks) ARGUMENT(newgroup))
FUNCTION(int, Group_free, GROUP_FREE, (QMPI_Context context, int tool_id, MPI_Group *group),
    (context, next_tool_id, group), ARGUMENT(group))
FUNCTION(int, Group_from_session_pset, GROUP_FROM_SESSION_PSET, (QMPI_Context context, int tool_id,
    MPI_Session session, const char *pset_name, MPI_Group *newgroup), (context, next_tool_id,
    session, pset_name, newgroup), ARGUMENT(session) ARGUMENT(pset_name) ARGUMENT(newgroup))
FUNCTION(MPI_Group, Group_fromint, GROUP_FROMINT, (QMPI_Context context, int tool_id, int group),
    (context, next_tool_id, group), ARGUMENT(group))
FUNCTION(int, Group_incl, GROUP_INCL, (QMPI_Context context, int tool_id, MPI_Group group, int n,
    const int ranks[], MPI_Group *newgroup), (context, next_tool_id, group, n, ranks, newgroup),
    ARGUMENT(group) ARGUMENT(n) ARGUMENT(ranks) ARGUMENT(newgroup))
FUNCTION(int, Group_intersection, GROUP_INTERSECTION, (QMPI_Context context, int tool_id,
    MPI_Group group1, MPI_Group group2, MPI_Group *newgroup), (context, next_tool_id, group1,
    group2, newgroup), ARGUMENT(group1) ARGUMENT(group2) ARGUMENT(newgroup))
FUNCTION(int, Group_range_excl, GROUP_RANGE_EXCL, (QMPI_Context context, int tool_id,
    MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup), (context, next_tool_id, group, n,
    ranges, newgroup), ARGUMENT(group) ARGUMENT(n) ARGUMENT(ranges) ARGUMENT(newgroup))
FUNCTION(int, Group_range_incl, GROUP_RANGE_INCL, (QMPI_Context context, int tool_id,
    MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup), (context, next_tool_id, group, n,
    ranges, newgroup), ARGUMENT(group) ARGUMENT(n) ARGUMENT(ranges) ARGUMENT(newgroup))
FUNCTION(int, Group_rank, GROUP_RANK, (QMPI_Context context, int tool_id, MPI_Group group,
    int *rank), (context, next_tool_id, group, rank), ARGUMENT(group) ARGUMENT(rank))
FUNCTION(int, Group_size, GROUP_SIZE, (QMPI_Context context, int tool_id, MPI_Group group,
    int *size), (context, next_tool_id, group, size), ARGUMENT(group) ARGUMENT(size))
FUNCTION(int, Group_toint, GROUP_TOINT, (QMPI_Context context, int tool_id, MPI_Group group),
    (context, next_tool_id, group), ARGUMENT(group))
FUNCTION(int, Group_translate_ranks, GROUP_TRANSLATE_RANKS, (QMPI_Context context, int tool_id,
    MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[]), (context,
    next_tool_id, group1, n, ranks1, group2, ranks2), ARGUMENT(group1) ARGUMENT(n) ARGUMENT(ranks1)
    ARGUMENT(group2) ARGUMENT(ranks2))
FUNCTION(int, Group_union, GROUP_UNION, (QMPI_Context context, int tool_id, MPI_Group group1,
    MPI_Group group2, MPI_Group *newgroup), (context, next_tool_id, group1, group2, newgroup),
    ARGUMENT(group1) ARGUMENT(group2) ARGUMENT(newgroup))
FUNCTION(int, Iallgather, IALLGATHER, (QMPI_Context context, int tool_id, const void *sendbuf,
    int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
    MPI_Comm comm, MPI_Request *request), (context, next_tool_id, sendbuf, sendcount, sendtype,
    recvbuf, recvcount, recvtype, comm, request), ARGUMENT(sendbuf) ARGUMENT(sendcount)
    ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcount) ARGUMENT(recvtype) ARGUMENT(comm)
    ARGUMENT(request))
FUNCTION(int, Iallgather_c, IALLGATHER_C, (QMPI_Context context, int tool_id, const void *sendbuf,
    MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
    MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request), (context, next_tool_id, sendbuf,
    sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request), ARGUMENT(sendbuf)
    ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcount) ARGUMENT(recvtype)
    ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Iallgatherv, IALLGATHERV, (QMPI_Context context, int tool_id, const void *sendbuf,
    int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[],
    MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request), (context, next_tool_id, sendbuf,
    sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request), ARGUMENT(sendbuf)
    ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcounts) ARGUMENT(displs)
    ARGUMENT(recvtype) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Iallgatherv_c, IALLGATHERV_C, (QMPI_Context context, int tool_id, const void *sendbuf,
    MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[],
    const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request), (context,
    next_tool_id, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm,
    request), ARGUMENT(sendbuf) ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf)
    ARGUMENT(recvcounts) ARGUMENT(displs) ARGUMENT(recvtype) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Iallreduce, IALLREDUCE, (QMPI_Context context, int tool_id, const void *sendbuf,
    void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
    MPI_Request *request), (context, next_tool_id, sendbuf, recvbuf, count, datatype, op, comm,
    request), ARGUMENT(sendbuf) ARGUMENT(recvbuf) ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(op)
    ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Iallreduce_c, IALLREDUCE_C, (QMPI_Context context, int tool_id, const void *sendbuf,
    void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
    MPI_Request *request), (context, next_tool_id, sendbuf, recvbuf, count, datatype, op, comm,
    request), ARGUMENT(sendbuf) ARGUMENT(recvbuf) ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(op)
    ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Ialltoall, IALLTOALL, (QMPI_Context context, int tool_id, const void *sendbuf,
    int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
    MPI_Comm comm, MPI_Request *request), (context, next_tool_id, sendbuf, sendcount, sendtype,
    recvbuf, recvcount, recvtype, comm, request), ARGUMENT(sendbuf) ARGUMENT(sendcount)
    ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcount) ARGUMENT(recvtype) ARGUMENT(comm)
    ARGUMENT(request))
FUNCTION(int, Ialltoall_c, IALLTOALL_C, (QMPI_Context context, int tool_id, const void *sendbuf,
    MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
    MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request), (context, next_tool_id, sendbuf,
    sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request), ARGUMENT(sendbuf)
    ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcount) ARGUMENT(recvtype)
    ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Ialltoallv, IALLTOALLV, (QMPI_Context context, int tool_id, const void *sendbuf,
    const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf,
    const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
    MPI_Request *request), (context, next_tool_id, sendbuf, sendcounts, sdispls, sendtype, recvbuf,
    recvcounts, rdispls, recvtype, comm, request), ARGUMENT(sendbuf) ARGUMENT(sendcounts)
    ARGUMENT(sdispls) ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcounts) ARGUMENT(rdispls)
    ARGUMENT(recvtype) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Ialltoallv_c, IALLTOALLV_C, (QMPI_Context context, int tool_id, const void *sendbuf,
    const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf,
    const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
    MPI_Request *request), (context, next_tool_id, sendbuf, sendcounts, sdispls, sendtype, recvbuf,
    recvcounts, rdispls, recvtype, comm, request), ARGUMENT(sendbuf) ARGUMENT(sendcounts)
    ARGUMENT(sdispls) ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcounts) ARGUMENT(rdispls)
    ARGUMENT(recvtype) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Ialltoallw, IALLTOALLW, (QMPI_Context context, int tool_id, const void *sendbuf,
    const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[], void *recvbuf,
    const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
    MPI_Request *request), (context, next_tool_id, sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
    recvcounts, rdispls, recvtypes, comm, request), ARGUMENT(sendbuf) ARGUMENT(sendcounts)
    ARGUMENT(sdispls) ARGUMENT(sendtypes) ARGUMENT(recvbuf) ARGUMENT(recvcounts) ARGUMENT(rdispls)
    ARGUMENT(recvtypes) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Ialltoallw_c, IALLTOALLW_C, (QMPI_Context context, int tool_id, const void *sendbuf,
    const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
    void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
    const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request), (context, next_tool_id,
    sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
    request), ARGUMENT(sendbuf) ARGUMENT(sendcounts) ARGUMENT(sdispls) ARGUMENT(sendtypes)
    ARGUMENT(recvbuf) ARGUMENT(recvcounts) ARGUMENT(rdispls) ARGUMENT(recvtypes) ARGUMENT(comm)
    ARGUMENT(request))
FUNCTION(int, Ibarrier, IBARRIER, (QMPI_Context context, int tool_id, MPI_Comm comm,
    MPI_Request *request), (context, next_tool_id, comm, request), ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Ibcast, IBCAST, (QMPI_Context context, int tool_id, void *buffer, int count,
    MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request *request), (context, next_tool_id,
    buffer, count, datatype, root, comm, request), ARGUMENT(buffer) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(root) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Ibcast_c, IBCAST_C, (QMPI_Context context, int tool_id, void *buffer, MPI_Count count,
    MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request *request), (context, next_tool_id,
    buffer, count, datatype, root, comm, request), ARGUMENT(buffer) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(root) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Ibsend, IBSEND, (QMPI_Context context, int tool_id, const void *buf, int count,
    MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request), (context,
    next_tool_id, buf, count, datatype, dest, tag, comm, request), ARGUMENT(buf) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(dest) ARGUMENT(tag) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Ibsend_c, IBSEND_C, (QMPI_Context context, int tool_id, const void *buf,
    MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request),
    (context, next_tool_id, buf, count, datatype, dest, tag, comm, request), ARGUMENT(buf)
    ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(dest) ARGUMENT(tag) ARGUMENT(comm)
    ARGUMENT(request))
FUNCTION(int, Iexscan, IEXSCAN, (QMPI_Context context, int tool_id, const void *sendbuf,
    void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
    MPI_Request *request), (context, next_tool_id, sendbuf, recvbuf, count, datatype, op, comm,
    request), ARGUMENT(sendbuf) ARGUMENT(recvbuf) ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(op)
    ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Iexscan_c, IEXSCAN_C, (QMPI_Context context, int tool_id, const void *sendbuf,
    void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
    MPI_Request *request), (context, next_tool_id, sendbuf, recvbuf, count, datatype, op, comm,
    request), ARGUMENT(sendbuf) ARGUMENT(recvbuf) ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(op)
    ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Igather, IGATHER, (QMPI_Context context, int tool_id, const void *sendbuf,
    int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
    int root, MPI_Comm comm, MPI_Request *request), (context, next_tool_id, sendbuf, sendcount,
    sendtype, recvbuf, recvcount, recvtype, root, comm, request), ARGUMENT(sendbuf)
    ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcount) ARGUMENT(recvtype)
    ARGUMENT(root) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Igather_c, IGATHER_C, (QMPI_Context context, int tool_id, const void *sendbuf,
    MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
    MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request), (context, next_tool_id,
    sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request),
    ARGUMENT(sendbuf) ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcount)
    ARGUMENT(recvtype) ARGUMENT(root) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Igatherv, IGATHERV, (QMPI_Context context, int tool_id, const void *sendbuf,
    int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[],
    MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request), (context, next_tool_id,
    sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request),
    ARGUMENT(sendbuf) ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcounts)
    ARGUMENT(displs) ARGUMENT(recvtype) ARGUMENT(root) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Igatherv_c, IGATHERV_C, (QMPI_Context context, int tool_id, const void *sendbuf,
    MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[],
    const MPI_Aint displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request),
    (context, next_tool_id, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
    root, comm, request), ARGUMENT(sendbuf) ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf)
    ARGUMENT(recvcounts) ARGUMENT(displs) ARGUMENT(recvtype) ARGUMENT(root) ARGUMENT(comm)
    ARGUMENT(request))
FUNCTION(int, Improbe, IMPROBE, (QMPI_Context context, int tool_id, int source, int tag,
    MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status), (context, next_tool_id,
    source, tag, comm, flag, message, status), ARGUMENT(source) ARGUMENT(tag) ARGUMENT(comm)
    ARGUMENT(flag) ARGUMENT(message) ARGUMENT(status))
FUNCTION(int, Imrecv, IMRECV, (QMPI_Context context, int tool_id, void *buf, int count,
    MPI_Datatype datatype, MPI_Message *message, MPI_Request *request), (context, next_tool_id, buf,
    count, datatype, message, request), ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype)
    ARGUMENT(message) ARGUMENT(request))
FUNCTION(int, Imrecv_c, IMRECV_C, (QMPI_Context context, int tool_id, void *buf, MPI_Count count,
    MPI_Datatype datatype, MPI_Message *message, MPI_Request *request), (context, next_tool_id, buf,
    count, datatype, message, request), ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype)
    ARGUMENT(message) ARGUMENT(request))
FUNCTION(int, Ineighbor_allgather, INEIGHBOR_ALLGATHER, (QMPI_Context context, int tool_id,
    const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
    MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request), (context, next_tool_id, sendbuf,
    sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request), ARGUMENT(sendbuf)
    ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcount) ARGUMENT(recvtype)
    ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Ineighbor_allgather_c, INEIGHBOR_ALLGATHER_C, (QMPI_Context context, int tool_id,
    const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
    MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request), (context,
    next_tool_id, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request),
    ARGUMENT(sendbuf) ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcount)
    ARGUMENT(recvtype) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Ineighbor_allgatherv, INEIGHBOR_ALLGATHERV, (QMPI_Context context, int tool_id,
    const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
    const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
    MPI_Request *request), (context, next_tool_id, sendbuf, sendcount, sendtype, recvbuf,
    recvcounts, displs, recvtype, comm, request), ARGUMENT(sendbuf) ARGUMENT(sendcount)
    ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcounts) ARGUMENT(displs) ARGUMENT(recvtype)
    ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Ineighbor_allgatherv_c, INEIGHBOR_ALLGATHERV_C, (QMPI_Context context, int tool_id,
    const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
    const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
    MPI_Request *request), (context, next_tool_id, sendbuf, sendcount, sendtype, recvbuf,
    recvcounts, displs, recvtype, comm, request), ARGUMENT(sendbuf) ARGUMENT(sendcount)
    ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcounts) ARGUMENT(displs) ARGUMENT(recvtype)
    ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Ineighbor_alltoall, INEIGHBOR_ALLTOALL, (QMPI_Context context, int tool_id,
    const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
    MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request), (context, next_tool_id, sendbuf,
    sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request), ARGUMENT(sendbuf)
    ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcount) ARGUMENT(recvtype)
    ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Ineighbor_alltoall_c, INEIGHBOR_ALLTOALL_C, (QMPI_Context context, int tool_id,
    const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
    MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request), (context,
    next_tool_id, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request),
    ARGUMENT(sendbuf) ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcount)
    ARGUMENT(recvtype) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Ineighbor_alltoallv, INEIGHBOR_ALLTOALLV, (QMPI_Context context, int tool_id,
    const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
    void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
    MPI_Comm comm, MPI_Request *request), (context, next_tool_id, sendbuf, sendcounts, sdispls,
    sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request), ARGUMENT(sendbuf)
    ARGUMENT(sendcounts) ARGUMENT(sdispls) ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcounts)
    ARGUMENT(rdispls) ARGUMENT(recvtype) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Ineighbor_alltoallv_c, INEIGHBOR_ALLTOALLV_C, (QMPI_Context context, int tool_id,
    const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
    MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
    MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request), (context, next_tool_id, sendbuf,
    sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request),
    ARGUMENT(sendbuf) ARGUMENT(sendcounts) ARGUMENT(sdispls) ARGUMENT(sendtype) ARGUMENT(recvbuf)
    ARGUMENT(recvcounts) ARGUMENT(rdispls) ARGUMENT(recvtype) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Ineighbor_alltoallw, INEIGHBOR_ALLTOALLW, (QMPI_Context context, int tool_id,
    const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
    const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[],
    const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request), (context, next_tool_id,
    sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
    request), ARGUMENT(sendbuf) ARGUMENT(sendcounts) ARGUMENT(sdispls) ARGUMENT(sendtypes)
    ARGUMENT(recvbuf) ARGUMENT(recvcounts) ARGUMENT(rdispls) ARGUMENT(recvtypes) ARGUMENT(comm)
    ARGUMENT(request))
FUNCTION(int, Ineighbor_alltoallw_c, INEIGHBOR_ALLTOALLW_C, (QMPI_Context context, int tool_id,
    const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
    const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[],
    const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request),
    (context, next_tool_id, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
    recvtypes, comm, request), ARGUMENT(sendbuf) ARGUMENT(sendcounts) ARGUMENT(sdispls)
    ARGUMENT(sendtypes) ARGUMENT(recvbuf) ARGUMENT(recvcounts) ARGUMENT(rdispls) ARGUMENT(recvtypes)
    ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Info_create, INFO_CREATE, (QMPI_Context context, int tool_id, MPI_Info *info),
    (context, next_tool_id, info), ARGUMENT(info))
FUNCTION(int, Info_create_env, INFO_CREATE_ENV, (QMPI_Context context, int tool_id, int argc,
    char *argv[], MPI_Info *info), (context, next_tool_id, argc, argv, info), ARGUMENT(argc)
    ARGUMENT(argv) ARGUMENT(info))
FUNCTION(int, Info_delete, INFO_DELETE, (QMPI_Context context, int tool_id, MPI_Info info,
    const char *key), (context, next_tool_id, info, key), ARGUMENT(info) ARGUMENT(key))
FUNCTION(int, Info_dup, INFO_DUP, (QMPI_Context context, int tool_id, MPI_Info info,
    MPI_Info *newinfo), (context, next_tool_id, info, newinfo), ARGUMENT(info) ARGUMENT(newinfo))
FUNCTION(int, Info_free, INFO_FREE, (QMPI_Context context, int tool_id, MPI_Info *info), (context,
    next_tool_id, info), ARGUMENT(info))
FUNCTION(MPI_Info, Info_fromint, INFO_FROMINT, (QMPI_Context context, int tool_id, int info),
    (context, next_tool_id, info), ARGUMENT(info))
FUNCTION(int, Info_get, INFO_GET, (QMPI_Context context, int tool_id, MPI_Info info,
    const char *key, int valuelen, char *value, int *flag), (context, next_tool_id, info, key,
    valuelen, value, flag), ARGUMENT(info) ARGUMENT(key) ARGUMENT(valuelen) ARGUMENT(value)
    ARGUMENT(flag))
FUNCTION(int, Info_get_nkeys, INFO_GET_NKEYS, (QMPI_Context context, int tool_id, MPI_Info info,
    int *nkeys), (context, next_tool_id, info, nkeys), ARGUMENT(info) ARGUMENT(nkeys))
FUNCTION(int, Info_get_nthkey, INFO_GET_NTHKEY, (QMPI_Context context, int tool_id, MPI_Info info,
    int n, char *key), (context, next_tool_id, info, n, key), ARGUMENT(info) ARGUMENT(n)
    ARGUMENT(key))
FUNCTION(int, Info_get_string, INFO_GET_STRING, (QMPI_Context context, int tool_id, MPI_Info info,
    const char *key, int *buflen, char *value, int *flag), (context, next_tool_id, info, key,
    buflen, value, flag), ARGUMENT(info) ARGUMENT(key) ARGUMENT(buflen) ARGUMENT(value)
    ARGUMENT(flag))
FUNCTION(int, Info_get_valuelen, INFO_GET_VALUELEN, (QMPI_Context context, int tool_id,
    MPI_Info info, const char *key, int *valuelen, int *flag), (context, next_tool_id, info, key,
    valuelen, flag), ARGUMENT(info) ARGUMENT(key) ARGUMENT(valuelen) ARGUMENT(flag))
FUNCTION(int, Info_set, INFO_SET, (QMPI_Context context, int tool_id, MPI_Info info,
    const char *key, const char *value), (context, next_tool_id, info, key, value), ARGUMENT(info)
    ARGUMENT(key) ARGUMENT(value))
FUNCTION(int, Info_toint, INFO_TOINT, (QMPI_Context context, int tool_id, MPI_Info info), (context,
    next_tool_id, info), ARGUMENT(info))
FUNCTION(int, Init, INIT, (QMPI_Context context, int tool_id, int *argc, char ***argv), (context,
    next_tool_id, argc, argv), ARGUMENT(argc) ARGUMENT(argv))
FUNCTION(int, Init_thread, INIT_THREAD, (QMPI_Context context, int tool_id, int *argc, char ***argv,
    int required, int *provided), (context, next_tool_id, argc, argv, required, provided),
    ARGUMENT(argc) ARGUMENT(argv) ARGUMENT(required) ARGUMENT(provided))
FUNCTION(int, Initialized, INITIALIZED, (QMPI_Context context, int tool_id, int *flag), (context,
    next_tool_id, flag), ARGUMENT(flag))
FUNCTION(int, Intercomm_create, INTERCOMM_CREATE, (QMPI_Context context, int tool_id,
    MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag,
    MPI_Comm *newintercomm), (context, next_tool_id, local_comm, local_leader, peer_comm,
    remote_leader, tag, newintercomm), ARGUMENT(local_comm) ARGUMENT(local_leader)
    ARGUMENT(peer_comm) ARGUMENT(remote_leader) ARGUMENT(tag) ARGUMENT(newintercomm))
FUNCTION(int, Intercomm_create_from_groups, INTERCOMM_CREATE_FROM_GROUPS, (QMPI_Context context,
    int tool_id, MPI_Group local_group, int local_leader, MPI_Group remote_group, int remote_leader,
    const char *stringtag, MPI_Info info, MPI_Errhandler errhandler, MPI_Comm *newintercomm),
    (context, next_tool_id, local_group, local_leader, remote_group, remote_leader, stringtag, info,
    errhandler, newintercomm), ARGUMENT(local_group) ARGUMENT(local_leader) ARGUMENT(remote_group)
    ARGUMENT(remote_leader) ARGUMENT(stringtag) ARGUMENT(info) ARGUMENT(errhandler)
    ARGUMENT(newintercomm))
FUNCTION(int, Intercomm_merge, INTERCOMM_MERGE, (QMPI_Context context, int tool_id,
    MPI_Comm intercomm, int high, MPI_Comm *newintracomm), (context, next_tool_id, intercomm, high,
    newintracomm), ARGUMENT(intercomm) ARGUMENT(high) ARGUMENT(newintracomm))
FUNCTION(int, Iprobe, IPROBE, (QMPI_Context context, int tool_id, int source, int tag,
    MPI_Comm comm, int *flag, MPI_Status *status), (context, next_tool_id, source, tag, comm, flag,
    status), ARGUMENT(source) ARGUMENT(tag) ARGUMENT(comm) ARGUMENT(flag) ARGUMENT(status))
FUNCTION(int, Irecv, IRECV, (QMPI_Context context, int tool_id, void *buf, int count,
    MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request), (context,
    next_tool_id, buf, count, datatype, source, tag, comm, request), ARGUMENT(buf) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(source) ARGUMENT(tag) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Irecv_c, IRECV_C, (QMPI_Context context, int tool_id, void *buf, MPI_Count count,
    MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request), (context,
    next_tool_id, buf, count, datatype, source, tag, comm, request), ARGUMENT(buf) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(source) ARGUMENT(tag) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Ireduce, IREDUCE, (QMPI_Context context, int tool_id, const void *sendbuf,
    void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
    MPI_Request *request), (context, next_tool_id, sendbuf, recvbuf, count, datatype, op, root,
    comm, request), ARGUMENT(sendbuf) ARGUMENT(recvbuf) ARGUMENT(count) ARGUMENT(datatype)
    ARGUMENT(op) ARGUMENT(root) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Ireduce_c, IREDUCE_C, (QMPI_Context context, int tool_id, const void *sendbuf,
    void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
    MPI_Request *request), (context, next_tool_id, sendbuf, recvbuf, count, datatype, op, root,
    comm, request), ARGUMENT(sendbuf) ARGUMENT(recvbuf) ARGUMENT(count) ARGUMENT(datatype)
    ARGUMENT(op) ARGUMENT(root) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Ireduce_scatter, IREDUCE_SCATTER, (QMPI_Context context, int tool_id,
    const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
    MPI_Comm comm, MPI_Request *request), (context, next_tool_id, sendbuf, recvbuf, recvcounts,
    datatype, op, comm, request), ARGUMENT(sendbuf) ARGUMENT(recvbuf) ARGUMENT(recvcounts)
    ARGUMENT(datatype) ARGUMENT(op) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Ireduce_scatter_block, IREDUCE_SCATTER_BLOCK, (QMPI_Context context, int tool_id,
    const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
    MPI_Comm comm, MPI_Request *request), (context, next_tool_id, sendbuf, recvbuf, recvcount,
    datatype, op, comm, request), ARGUMENT(sendbuf) ARGUMENT(recvbuf) ARGUMENT(recvcount)
    ARGUMENT(datatype) ARGUMENT(op) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Ireduce_scatter_block_c, IREDUCE_SCATTER_BLOCK_C, (QMPI_Context context, int tool_id,
    const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op,
    MPI_Comm comm, MPI_Request *request), (context, next_tool_id, sendbuf, recvbuf, recvcount,
    datatype, op, comm, request), ARGUMENT(sendbuf) ARGUMENT(recvbuf) ARGUMENT(recvcount)
    ARGUMENT(datatype) ARGUMENT(op) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Ireduce_scatter_c, IREDUCE_SCATTER_C, (QMPI_Context context, int tool_id,
    const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype,
    MPI_Op op, MPI_Comm comm, MPI_Request *request), (context, next_tool_id, sendbuf, recvbuf,
    recvcounts, datatype, op, comm, request), ARGUMENT(sendbuf) ARGUMENT(recvbuf)
    ARGUMENT(recvcounts) ARGUMENT(datatype) ARGUMENT(op) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Irsend, IRSEND, (QMPI_Context context, int tool_id, const void *buf, int count,
    MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request), (context,
    next_tool_id, buf, count, datatype, dest, tag, comm, request), ARGUMENT(buf) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(dest) ARGUMENT(tag) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Irsend_c, IRSEND_C, (QMPI_Context context, int tool_id, const void *buf,
    MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request),
    (context, next_tool_id, buf, count, datatype, dest, tag, comm, request), ARGUMENT(buf)
    ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(dest) ARGUMENT(tag) ARGUMENT(comm)
    ARGUMENT(request))
FUNCTION(int, Is_thread_main, IS_THREAD_MAIN, (QMPI_Context context, int tool_id, int *flag),
    (context, next_tool_id, flag), ARGUMENT(flag))
FUNCTION(int, Iscan, ISCAN, (QMPI_Context context, int tool_id, const void *sendbuf, void *recvbuf,
    int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request), (context,
    next_tool_id, sendbuf, recvbuf, count, datatype, op, comm, request), ARGUMENT(sendbuf)
    ARGUMENT(recvbuf) ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(op) ARGUMENT(comm)
    ARGUMENT(request))
FUNCTION(int, Iscan_c, ISCAN_C, (QMPI_Context context, int tool_id, const void *sendbuf,
    void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
    MPI_Request *request), (context, next_tool_id, sendbuf, recvbuf, count, datatype, op, comm,
    request), ARGUMENT(sendbuf) ARGUMENT(recvbuf) ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(op)
    ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Iscatter, ISCATTER, (QMPI_Context context, int tool_id, const void *sendbuf,
    int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
    int root, MPI_Comm comm, MPI_Request *request), (context, next_tool_id, sendbuf, sendcount,
    sendtype, recvbuf, recvcount, recvtype, root, comm, request), ARGUMENT(sendbuf)
    ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcount) ARGUMENT(recvtype)
    ARGUMENT(root) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Iscatter_c, ISCATTER_C, (QMPI_Context context, int tool_id, const void *sendbuf,
    MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
    MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request), (context, next_tool_id,
    sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request),
    ARGUMENT(sendbuf) ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcount)
    ARGUMENT(recvtype) ARGUMENT(root) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Iscatterv, ISCATTERV, (QMPI_Context context, int tool_id, const void *sendbuf,
    const int sendcounts[], const int displs[], MPI_Datatype sendtype, void *recvbuf, int recvcount,
    MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request), (context, next_tool_id,
    sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request),
    ARGUMENT(sendbuf) ARGUMENT(sendcounts) ARGUMENT(displs) ARGUMENT(sendtype) ARGUMENT(recvbuf)
    ARGUMENT(recvcount) ARGUMENT(recvtype) ARGUMENT(root) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Iscatterv_c, ISCATTERV_C, (QMPI_Context context, int tool_id, const void *sendbuf,
    const MPI_Count sendcounts[], const MPI_Aint displs[], MPI_Datatype sendtype, void *recvbuf,
    MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request),
    (context, next_tool_id, sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype,
    root, comm, request), ARGUMENT(sendbuf) ARGUMENT(sendcounts) ARGUMENT(displs) ARGUMENT(sendtype)
    ARGUMENT(recvbuf) ARGUMENT(recvcount) ARGUMENT(recvtype) ARGUMENT(root) ARGUMENT(comm)
    ARGUMENT(request))
FUNCTION(int, Isend, ISEND, (QMPI_Context context, int tool_id, const void *buf, int count,
    MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request), (context,
    next_tool_id, buf, count, datatype, dest, tag, comm, request), ARGUMENT(buf) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(dest) ARGUMENT(tag) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Isend_c, ISEND_C, (QMPI_Context context, int tool_id, const void *buf,
    MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request),
    (context, next_tool_id, buf, count, datatype, dest, tag, comm, request), ARGUMENT(buf)
    ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(dest) ARGUMENT(tag) ARGUMENT(comm)
    ARGUMENT(request))
FUNCTION(int, Isendrecv, ISENDRECV, (QMPI_Context context, int tool_id, const void *sendbuf,
    int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, int recvcount,
    MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Request *request), (context,
    next_tool_id, sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
    recvtag, comm, request), ARGUMENT(sendbuf) ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(dest)
    ARGUMENT(sendtag) ARGUMENT(recvbuf) ARGUMENT(recvcount) ARGUMENT(recvtype) ARGUMENT(source)
    ARGUMENT(recvtag) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Isendrecv_c, ISENDRECV_C, (QMPI_Context context, int tool_id, const void *sendbuf,
    MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,
    MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
    MPI_Request *request), (context, next_tool_id, sendbuf, sendcount, sendtype, dest, sendtag,
    recvbuf, recvcount, recvtype, source, recvtag, comm, request), ARGUMENT(sendbuf)
    ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(dest) ARGUMENT(sendtag) ARGUMENT(recvbuf)
    ARGUMENT(recvcount) ARGUMENT(recvtype) ARGUMENT(source) ARGUMENT(recvtag) ARGUMENT(comm)
    ARGUMENT(request))
FUNCTION(int, Isendrecv_replace, ISENDRECV_REPLACE, (QMPI_Context context, int tool_id, void *buf,
    int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm,
    MPI_Request *request), (context, next_tool_id, buf, count, datatype, dest, sendtag, source,
    recvtag, comm, request), ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(dest)
    ARGUMENT(sendtag) ARGUMENT(source) ARGUMENT(recvtag) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Isendrecv_replace_c, ISENDRECV_REPLACE_C, (QMPI_Context context, int tool_id,
    void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source,
    int recvtag, MPI_Comm comm, MPI_Request *request), (context, next_tool_id, buf, count, datatype,
    dest, sendtag, source, recvtag, comm, request), ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype)
    ARGUMENT(dest) ARGUMENT(sendtag) ARGUMENT(source) ARGUMENT(recvtag) ARGUMENT(comm)
    ARGUMENT(request))
FUNCTION(int, Issend, ISSEND, (QMPI_Context context, int tool_id, const void *buf, int count,
    MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request), (context,
    next_tool_id, buf, count, datatype, dest, tag, comm, request), ARGUMENT(buf) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(dest) ARGUMENT(tag) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Issend_c, ISSEND_C, (QMPI_Context context, int tool_id, const void *buf,
    MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request),
    (context, next_tool_id, buf, count, datatype, dest, tag, comm, request), ARGUMENT(buf)
    ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(dest) ARGUMENT(tag) ARGUMENT(comm)
    ARGUMENT(request))
FUNCTION(int, Keyval_create, KEYVAL_CREATE, (QMPI_Context context, int tool_id,
    MPI_Copy_function *copy_fn, MPI_Delete_function *delete_fn, int *keyval, void *extra_state),
    (context, next_tool_id, copy_fn, delete_fn, keyval, extra_state), ARGUMENT(copy_fn)
    ARGUMENT(delete_fn) ARGUMENT(keyval) ARGUMENT(extra_state))
FUNCTION(int, Keyval_free, KEYVAL_FREE, (QMPI_Context context, int tool_id, int *keyval), (context,
    next_tool_id, keyval), ARGUMENT(keyval))
FUNCTION(int, Lookup_name, LOOKUP_NAME, (QMPI_Context context, int tool_id,
    const char *service_name, MPI_Info info, char *port_name), (context, next_tool_id, service_name,
    info, port_name), ARGUMENT(service_name) ARGUMENT(info) ARGUMENT(port_name))
FUNCTION(MPI_Message, Message_fromint, MESSAGE_FROMINT, (QMPI_Context context, int tool_id,
    int message), (context, next_tool_id, message), ARGUMENT(message))
FUNCTION(int, Message_toint, MESSAGE_TOINT, (QMPI_Context context, int tool_id,
    MPI_Message message), (context, next_tool_id, message), ARGUMENT(message))
FUNCTION(int, Mprobe, MPROBE, (QMPI_Context context, int tool_id, int source, int tag,
    MPI_Comm comm, MPI_Message *message, MPI_Status *status), (context, next_tool_id, source, tag,
    comm, message, status), ARGUMENT(source) ARGUMENT(tag) ARGUMENT(comm) ARGUMENT(message)
    ARGUMENT(status))
FUNCTION(int, Mrecv, MRECV, (QMPI_Context context, int tool_id, void *buf, int count,
    MPI_Datatype datatype, MPI_Message *message, MPI_Status *status), (context, next_tool_id, buf,
    count, datatype, message, status), ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype)
    ARGUMENT(message) ARGUMENT(status))
FUNCTION(int, Mrecv_c, MRECV_C, (QMPI_Context context, int tool_id, void *buf, MPI_Count count,
    MPI_Datatype datatype, MPI_Message *message, MPI_Status *status), (context, next_tool_id, buf,
    count, datatype, message, status), ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype)
    ARGUMENT(message) ARGUMENT(status))
FUNCTION(int, Neighbor_allgather, NEIGHBOR_ALLGATHER, (QMPI_Context context, int tool_id,
    const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
    MPI_Datatype recvtype, MPI_Comm comm), (context, next_tool_id, sendbuf, sendcount, sendtype,
    recvbuf, recvcount, recvtype, comm), ARGUMENT(sendbuf) ARGUMENT(sendcount) ARGUMENT(sendtype)
    ARGUMENT(recvbuf) ARGUMENT(recvcount) ARGUMENT(recvtype) ARGUMENT(comm))
FUNCTION(int, Neighbor_allgather_c, NEIGHBOR_ALLGATHER_C, (QMPI_Context context, int tool_id,
    const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
    MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm), (context, next_tool_id, sendbuf,
    sendcount, sendtype, recvbuf, recvcount, recvtype, comm), ARGUMENT(sendbuf) ARGUMENT(sendcount)
    ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcount) ARGUMENT(recvtype) ARGUMENT(comm))
FUNCTION(int, Neighbor_allgather_init, NEIGHBOR_ALLGATHER_INIT, (QMPI_Context context, int tool_id,
    const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
    MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request), (context,
    next_tool_id, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request),
    ARGUMENT(sendbuf) ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcount)
    ARGUMENT(recvtype) ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Neighbor_allgather_init_c, NEIGHBOR_ALLGATHER_INIT_C, (QMPI_Context context,
    int tool_id, const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
    MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request),
    (context, next_tool_id, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info,
    request), ARGUMENT(sendbuf) ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf)
    ARGUMENT(recvcount) ARGUMENT(recvtype) ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Neighbor_allgatherv, NEIGHBOR_ALLGATHERV, (QMPI_Context context, int tool_id,
    const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
    const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm), (context,
    next_tool_id, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm),
    ARGUMENT(sendbuf) ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcounts)
    ARGUMENT(displs) ARGUMENT(recvtype) ARGUMENT(comm))
FUNCTION(int, Neighbor_allgatherv_c, NEIGHBOR_ALLGATHERV_C, (QMPI_Context context, int tool_id,
    const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
    const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm),
    (context, next_tool_id, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
    comm), ARGUMENT(sendbuf) ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf)
    ARGUMENT(recvcounts) ARGUMENT(displs) ARGUMENT(recvtype) ARGUMENT(comm))
FUNCTION(int, Neighbor_allgatherv_init, NEIGHBOR_ALLGATHERV_INIT, (QMPI_Context context,
    int tool_id, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
    const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
    MPI_Request *request), (context, next_tool_id, sendbuf, sendcount, sendtype, recvbuf,
    recvcounts, displs, recvtype, comm, info, request), ARGUMENT(sendbuf) ARGUMENT(sendcount)
    ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcounts) ARGUMENT(displs) ARGUMENT(recvtype)
    ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Neighbor_allgatherv_init_c, NEIGHBOR_ALLGATHERV_INIT_C, (QMPI_Context context,
    int tool_id, const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
    const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm,
    MPI_Info info, MPI_Request *request), (context, next_tool_id, sendbuf, sendcount, sendtype,
    recvbuf, recvcounts, displs, recvtype, comm, info, request), ARGUMENT(sendbuf)
    ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcounts) ARGUMENT(displs)
    ARGUMENT(recvtype) ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Neighbor_alltoall, NEIGHBOR_ALLTOALL, (QMPI_Context context, int tool_id,
    const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
    MPI_Datatype recvtype, MPI_Comm comm), (context, next_tool_id, sendbuf, sendcount, sendtype,
    recvbuf, recvcount, recvtype, comm), ARGUMENT(sendbuf) ARGUMENT(sendcount) ARGUMENT(sendtype)
    ARGUMENT(recvbuf) ARGUMENT(recvcount) ARGUMENT(recvtype) ARGUMENT(comm))
FUNCTION(int, Neighbor_alltoall_c, NEIGHBOR_ALLTOALL_C, (QMPI_Context context, int tool_id,
    const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
    MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm), (context, next_tool_id, sendbuf,
    sendcount, sendtype, recvbuf, recvcount, recvtype, comm), ARGUMENT(sendbuf) ARGUMENT(sendcount)
    ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcount) ARGUMENT(recvtype) ARGUMENT(comm))
FUNCTION(int, Neighbor_alltoall_init, NEIGHBOR_ALLTOALL_INIT, (QMPI_Context context, int tool_id,
    const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
    MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request), (context,
    next_tool_id, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request),
    ARGUMENT(sendbuf) ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcount)
    ARGUMENT(recvtype) ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Neighbor_alltoall_init_c, NEIGHBOR_ALLTOALL_INIT_C, (QMPI_Context context,
    int tool_id, const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
    MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request),
    (context, next_tool_id, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info,
    request), ARGUMENT(sendbuf) ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf)
    ARGUMENT(recvcount) ARGUMENT(recvtype) ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Neighbor_alltoallv, NEIGHBOR_ALLTOALLV, (QMPI_Context context, int tool_id,
    const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
    void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
    MPI_Comm comm), (context, next_tool_id, sendbuf, sendcounts, sdispls, sendtype, recvbuf,
    recvcounts, rdispls, recvtype, comm), ARGUMENT(sendbuf) ARGUMENT(sendcounts) ARGUMENT(sdispls)
    ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcounts) ARGUMENT(rdispls) ARGUMENT(recvtype)
    ARGUMENT(comm))
FUNCTION(int, Neighbor_alltoallv_c, NEIGHBOR_ALLTOALLV_C, (QMPI_Context context, int tool_id,
    const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
    MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
    MPI_Datatype recvtype, MPI_Comm comm), (context, next_tool_id, sendbuf, sendcounts, sdispls,
    sendtype, recvbuf, recvcounts, rdispls, recvtype, comm), ARGUMENT(sendbuf) ARGUMENT(sendcounts)
    ARGUMENT(sdispls) ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcounts) ARGUMENT(rdispls)
    ARGUMENT(recvtype) ARGUMENT(comm))
FUNCTION(int, Neighbor_alltoallv_init, NEIGHBOR_ALLTOALLV_INIT, (QMPI_Context context, int tool_id,
    const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
    void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
    MPI_Comm comm, MPI_Info info, MPI_Request *request), (context, next_tool_id, sendbuf,
    sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info, request),
    ARGUMENT(sendbuf) ARGUMENT(sendcounts) ARGUMENT(sdispls) ARGUMENT(sendtype) ARGUMENT(recvbuf)
    ARGUMENT(recvcounts) ARGUMENT(rdispls) ARGUMENT(recvtype) ARGUMENT(comm) ARGUMENT(info)
    ARGUMENT(request))
FUNCTION(int, Neighbor_alltoallv_init_c, NEIGHBOR_ALLTOALLV_INIT_C, (QMPI_Context context,
    int tool_id, const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
    MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
    MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request), (context,
    next_tool_id, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
    comm, info, request), ARGUMENT(sendbuf) ARGUMENT(sendcounts) ARGUMENT(sdispls)
    ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcounts) ARGUMENT(rdispls) ARGUMENT(recvtype)
    ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Neighbor_alltoallw, NEIGHBOR_ALLTOALLW, (QMPI_Context context, int tool_id,
    const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
    const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[],
    const MPI_Datatype recvtypes[], MPI_Comm comm), (context, next_tool_id, sendbuf, sendcounts,
    sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm), ARGUMENT(sendbuf)
    ARGUMENT(sendcounts) ARGUMENT(sdispls) ARGUMENT(sendtypes) ARGUMENT(recvbuf)
    ARGUMENT(recvcounts) ARGUMENT(rdispls) ARGUMENT(recvtypes) ARGUMENT(comm))
FUNCTION(int, Neighbor_alltoallw_c, NEIGHBOR_ALLTOALLW_C, (QMPI_Context context, int tool_id,
    const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
    const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[],
    const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm), (context,
    next_tool_id, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
    comm), ARGUMENT(sendbuf) ARGUMENT(sendcounts) ARGUMENT(sdispls) ARGUMENT(sendtypes)
    ARGUMENT(recvbuf) ARGUMENT(recvcounts) ARGUMENT(rdispls) ARGUMENT(recvtypes) ARGUMENT(comm))
FUNCTION(int, Neighbor_alltoallw_init, NEIGHBOR_ALLTOALLW_INIT, (QMPI_Context context, int tool_id,
    const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
    const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[],
    const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request *request), (context,
    next_tool_id, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
    comm, info, request), ARGUMENT(sendbuf) ARGUMENT(sendcounts) ARGUMENT(sdispls)
    ARGUMENT(sendtypes) ARGUMENT(recvbuf) ARGUMENT(recvcounts) ARGUMENT(rdispls) ARGUMENT(recvtypes)
    ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Neighbor_alltoallw_init_c, NEIGHBOR_ALLTOALLW_INIT_C, (QMPI_Context context,
    int tool_id, const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
    const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[],
    const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
    MPI_Request *request), (context, next_tool_id, sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
    recvcounts, rdispls, recvtypes, comm, info, request), ARGUMENT(sendbuf) ARGUMENT(sendcounts)
    ARGUMENT(sdispls) ARGUMENT(sendtypes) ARGUMENT(recvbuf) ARGUMENT(recvcounts) ARGUMENT(rdispls)
    ARGUMENT(recvtypes) ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Op_commutative, OP_COMMUTATIVE, (QMPI_Context context, int tool_id, MPI_Op op,
    int *commute), (context, next_tool_id, op, commute), ARGUMENT(op) ARGUMENT(commute))
FUNCTION(int, Op_create, OP_CREATE, (QMPI_Context context, int tool_id, MPI_User_function *user_fn,
    int commute, MPI_Op *op), (context, next_tool_id, user_fn, commute, op), ARGUMENT(user_fn)
    ARGUMENT(commute) ARGUMENT(op))
FUNCTION(int, Op_create_c, OP_CREATE_C, (QMPI_Context context, int tool_id,
    MPI_User_function_c *user_fn, int commute, MPI_Op *op), (context, next_tool_id, user_fn,
    commute, op), ARGUMENT(user_fn) ARGUMENT(commute) ARGUMENT(op))
FUNCTION(int, Op_free, OP_FREE, (QMPI_Context context, int tool_id, MPI_Op *op), (context,
    next_tool_id, op), ARGUMENT(op))
FUNCTION(MPI_Op, Op_fromint, OP_FROMINT, (QMPI_Context context, int tool_id, int op), (context,
    next_tool_id, op), ARGUMENT(op))
FUNCTION(int, Op_toint, OP_TOINT, (QMPI_Context context, int tool_id, MPI_Op op), (context,
    next_tool_id, op), ARGUMENT(op))
FUNCTION(int, Open_port, OPEN_PORT, (QMPI_Context context, int tool_id, MPI_Info info,
    char *port_name), (context, next_tool_id, info, port_name), ARGUMENT(info) ARGUMENT(port_name))
FUNCTION(int, Pack, PACK, (QMPI_Context context, int tool_id, const void *inbuf, int incount,
    MPI_Datatype datatype, void *outbuf, int outsize, int *position, MPI_Comm comm), (context,
    next_tool_id, inbuf, incount, datatype, outbuf, outsize, position, comm), ARGUMENT(inbuf)
    ARGUMENT(incount) ARGUMENT(datatype) ARGUMENT(outbuf) ARGUMENT(outsize) ARGUMENT(position)
    ARGUMENT(comm))
FUNCTION(int, Pack_c, PACK_C, (QMPI_Context context, int tool_id, const void *inbuf,
    MPI_Count incount, MPI_Datatype datatype, void *outbuf, MPI_Count outsize, MPI_Count *position,
    MPI_Comm comm), (context, next_tool_id, inbuf, incount, datatype, outbuf, outsize, position,
    comm), ARGUMENT(inbuf) ARGUMENT(incount) ARGUMENT(datatype) ARGUMENT(outbuf) ARGUMENT(outsize)
    ARGUMENT(position) ARGUMENT(comm))
FUNCTION(int, Pack_external, PACK_EXTERNAL, (QMPI_Context context, int tool_id, const char *datarep,
    const void *inbuf, int incount, MPI_Datatype datatype, void *outbuf, MPI_Aint outsize,
    MPI_Aint *position), (context, next_tool_id, datarep, inbuf, incount, datatype, outbuf, outsize,
    position), ARGUMENT(datarep) ARGUMENT(inbuf) ARGUMENT(incount) ARGUMENT(datatype)
    ARGUMENT(outbuf) ARGUMENT(outsize) ARGUMENT(position))
FUNCTION(int, Pack_external_c, PACK_EXTERNAL_C, (QMPI_Context context, int tool_id,
    const char *datarep, const void *inbuf, MPI_Count incount, MPI_Datatype datatype, void *outbuf,
    MPI_Count outsize, MPI_Count *position), (context, next_tool_id, datarep, inbuf, incount,
    datatype, outbuf, outsize, position), ARGUMENT(datarep) ARGUMENT(inbuf) ARGUMENT(incount)
    ARGUMENT(datatype) ARGUMENT(outbuf) ARGUMENT(outsize) ARGUMENT(position))
FUNCTION(int, Pack_external_size, PACK_EXTERNAL_SIZE, (QMPI_Context context, int tool_id,
    const char *datarep, int incount, MPI_Datatype datatype, MPI_Aint *size), (context,
    next_tool_id, datarep, incount, datatype, size), ARGUMENT(datarep) ARGUMENT(incount)
    ARGUMENT(datatype) ARGUMENT(size))
FUNCTION(int, Pack_external_size_c, PACK_EXTERNAL_SIZE_C, (QMPI_Context context, int tool_id,
    const char *datarep, MPI_Count incount, MPI_Datatype datatype, MPI_Count *size), (context,
    next_tool_id, datarep, incount, datatype, size), ARGUMENT(datarep) ARGUMENT(incount)
    ARGUMENT(datatype) ARGUMENT(size))
FUNCTION(int, Pack_size, PACK_SIZE, (QMPI_Context context, int tool_id, int incount,
    MPI_Datatype datatype, MPI_Comm comm, int *size), (context, next_tool_id, incount, datatype,
    comm, size), ARGUMENT(incount) ARGUMENT(datatype) ARGUMENT(comm) ARGUMENT(size))
FUNCTION(int, Pack_size_c, PACK_SIZE_C, (QMPI_Context context, int tool_id, MPI_Count incount,
    MPI_Datatype datatype, MPI_Comm comm, MPI_Count *size), (context, next_tool_id, incount,
    datatype, comm, size), ARGUMENT(incount) ARGUMENT(datatype) ARGUMENT(comm) ARGUMENT(size))
FUNCTION(int, Parrived, PARRIVED, (QMPI_Context context, int tool_id, MPI_Request request,
    int partition, int *flag), (context, next_tool_id, request, partition, flag), ARGUMENT(request)
    ARGUMENT(partition) ARGUMENT(flag))
VARIADIC_FUNCTION(int, Pcontrol, PCONTROL, (QMPI_Context context, int tool_id, const int level,
    ...), (context, next_tool_id, level), ARGUMENT(level))
FUNCTION(int, Pready, PREADY, (QMPI_Context context, int tool_id, int partition,
    MPI_Request request), (context, next_tool_id, partition, request), ARGUMENT(partition)
    ARGUMENT(request))
FUNCTION(int, Pready_list, PREADY_LIST, (QMPI_Context context, int tool_id, int length,
    const int array_of_partitions[], MPI_Request request), (context, next_tool_id, length,
    array_of_partitions, request), ARGUMENT(length) ARGUMENT(array_of_partitions) ARGUMENT(request))
FUNCTION(int, Pready_range, PREADY_RANGE, (QMPI_Context context, int tool_id, int partition_low,
    int partition_high, MPI_Request request), (context, next_tool_id, partition_low, partition_high,
    request), ARGUMENT(partition_low) ARGUMENT(partition_high) ARGUMENT(request))
FUNCTION(int, Precv_init, PRECV_INIT, (QMPI_Context context, int tool_id, void *buf, int partitions,
    int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Info info,
    MPI_Request *request), (context, next_tool_id, buf, partitions, count, datatype, dest, tag,
    comm, info, request), ARGUMENT(buf) ARGUMENT(partitions) ARGUMENT(count) ARGUMENT(datatype)
    ARGUMENT(dest) ARGUMENT(tag) ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Precv_init_c, PRECV_INIT_C, (QMPI_Context context, int tool_id, void *buf,
    int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
    MPI_Info info, MPI_Request *request), (context, next_tool_id, buf, partitions, count, datatype,
    dest, tag, comm, info, request), ARGUMENT(buf) ARGUMENT(partitions) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(dest) ARGUMENT(tag) ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Probe, PROBE, (QMPI_Context context, int tool_id, int source, int tag, MPI_Comm comm,
    MPI_Status *status), (context, next_tool_id, source, tag, comm, status), ARGUMENT(source)
    ARGUMENT(tag) ARGUMENT(comm) ARGUMENT(status))
FUNCTION(int, Psend_init, PSEND_INIT, (QMPI_Context context, int tool_id, const void *buf,
    int partitions, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
    MPI_Info info, MPI_Request *request), (context, next_tool_id, buf, partitions, count, datatype,
    dest, tag, comm, info, request), ARGUMENT(buf) ARGUMENT(partitions) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(dest) ARGUMENT(tag) ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Psend_init_c, PSEND_INIT_C, (QMPI_Context context, int tool_id, const void *buf,
    int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
    MPI_Info info, MPI_Request *request), (context, next_tool_id, buf, partitions, count, datatype,
    dest, tag, comm, info, request), ARGUMENT(buf) ARGUMENT(partitions) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(dest) ARGUMENT(tag) ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Publish_name, PUBLISH_NAME, (QMPI_Context context, int tool_id,
    const char *service_name, MPI_Info info, const char *port_name), (context, next_tool_id,
    service_name, info, port_name), ARGUMENT(service_name) ARGUMENT(info) ARGUMENT(port_name))
FUNCTION(int, Put, PUT, (QMPI_Context context, int tool_id, const void *origin_addr,
    int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
    int target_count, MPI_Datatype target_datatype, MPI_Win win), (context, next_tool_id,
    origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
    target_datatype, win), ARGUMENT(origin_addr) ARGUMENT(origin_count) ARGUMENT(origin_datatype)
    ARGUMENT(target_rank) ARGUMENT(target_disp) ARGUMENT(target_count) ARGUMENT(target_datatype)
    ARGUMENT(win))
FUNCTION(int, Put_c, PUT_C, (QMPI_Context context, int tool_id, const void *origin_addr,
    MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
    MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win), (context, next_tool_id,
    origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
    target_datatype, win), ARGUMENT(origin_addr) ARGUMENT(origin_count) ARGUMENT(origin_datatype)
    ARGUMENT(target_rank) ARGUMENT(target_disp) ARGUMENT(target_count) ARGUMENT(target_datatype)
    ARGUMENT(win))
FUNCTION(int, Query_thread, QUERY_THREAD, (QMPI_Context context, int tool_id, int *provided),
    (context, next_tool_id, provided), ARGUMENT(provided))
FUNCTION(int, Raccumulate, RACCUMULATE, (QMPI_Context context, int tool_id, const void *origin_addr,
    int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
    int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request),
    (context, next_tool_id, origin_addr, origin_count, origin_datatype, target_rank, target_disp,
    target_count, target_datatype, op, win, request), ARGUMENT(origin_addr) ARGUMENT(origin_count)
    ARGUMENT(origin_datatype) ARGUMENT(target_rank) ARGUMENT(target_disp) ARGUMENT(target_count)
    ARGUMENT(target_datatype) ARGUMENT(op) ARGUMENT(win) ARGUMENT(request))
FUNCTION(int, Raccumulate_c, RACCUMULATE_C, (QMPI_Context context, int tool_id,
    const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
    MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
    MPI_Win win, MPI_Request *request), (context, next_tool_id, origin_addr, origin_count,
    origin_datatype, target_rank, target_disp, target_count, target_datatype, op, win, request),
    ARGUMENT(origin_addr) ARGUMENT(origin_count) ARGUMENT(origin_datatype) ARGUMENT(target_rank)
    ARGUMENT(target_disp) ARGUMENT(target_count) ARGUMENT(target_datatype) ARGUMENT(op)
    ARGUMENT(win) ARGUMENT(request))
FUNCTION(int, Recv, RECV, (QMPI_Context context, int tool_id, void *buf, int count,
    MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status), (context,
    next_tool_id, buf, count, datatype, source, tag, comm, status), ARGUMENT(buf) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(source) ARGUMENT(tag) ARGUMENT(comm) ARGUMENT(status))
FUNCTION(int, Recv_c, RECV_C, (QMPI_Context context, int tool_id, void *buf, MPI_Count count,
    MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status), (context,
    next_tool_id, buf, count, datatype, source, tag, comm, status), ARGUMENT(buf) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(source) ARGUMENT(tag) ARGUMENT(comm) ARGUMENT(status))
FUNCTION(int, Recv_init, RECV_INIT, (QMPI_Context context, int tool_id, void *buf, int count,
    MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request), (context,
    next_tool_id, buf, count, datatype, source, tag, comm, request), ARGUMENT(buf) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(source) ARGUMENT(tag) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Recv_init_c, RECV_INIT_C, (QMPI_Context context, int tool_id, void *buf,
    MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
    MPI_Request *request), (context, next_tool_id, buf, count, datatype, source, tag, comm,
    request), ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(source) ARGUMENT(tag)
    ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Reduce, REDUCE, (QMPI_Context context, int tool_id, const void *sendbuf,
    void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm), (context,
    next_tool_id, sendbuf, recvbuf, count, datatype, op, root, comm), ARGUMENT(sendbuf)
    ARGUMENT(recvbuf) ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(op) ARGUMENT(root) ARGUMENT(comm))
FUNCTION(int, Reduce_c, REDUCE_C, (QMPI_Context context, int tool_id, const void *sendbuf,
    void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm),
    (context, next_tool_id, sendbuf, recvbuf, count, datatype, op, root, comm), ARGUMENT(sendbuf)
    ARGUMENT(recvbuf) ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(op) ARGUMENT(root) ARGUMENT(comm))
FUNCTION(int, Reduce_init, REDUCE_INIT, (QMPI_Context context, int tool_id, const void *sendbuf,
    void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
    MPI_Info info, MPI_Request *request), (context, next_tool_id, sendbuf, recvbuf, count, datatype,
    op, root, comm, info, request), ARGUMENT(sendbuf) ARGUMENT(recvbuf) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(op) ARGUMENT(root) ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Reduce_init_c, REDUCE_INIT_C, (QMPI_Context context, int tool_id, const void *sendbuf,
    void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
    MPI_Info info, MPI_Request *request), (context, next_tool_id, sendbuf, recvbuf, count, datatype,
    op, root, comm, info, request), ARGUMENT(sendbuf) ARGUMENT(recvbuf) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(op) ARGUMENT(root) ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Reduce_local, REDUCE_LOCAL, (QMPI_Context context, int tool_id, const void *inbuf,
    void *inoutbuf, int count, MPI_Datatype datatype, MPI_Op op), (context, next_tool_id, inbuf,
    inoutbuf, count, datatype, op), ARGUMENT(inbuf) ARGUMENT(inoutbuf) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(op))
FUNCTION(int, Reduce_local_c, REDUCE_LOCAL_C, (QMPI_Context context, int tool_id, const void *inbuf,
    void *inoutbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op), (context, next_tool_id,
    inbuf, inoutbuf, count, datatype, op), ARGUMENT(inbuf) ARGUMENT(inoutbuf) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(op))
FUNCTION(int, Reduce_scatter, REDUCE_SCATTER, (QMPI_Context context, int tool_id,
    const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
    MPI_Comm comm), (context, next_tool_id, sendbuf, recvbuf, recvcounts, datatype, op, comm),
    ARGUMENT(sendbuf) ARGUMENT(recvbuf) ARGUMENT(recvcounts) ARGUMENT(datatype) ARGUMENT(op)
    ARGUMENT(comm))
FUNCTION(int, Reduce_scatter_block, REDUCE_SCATTER_BLOCK, (QMPI_Context context, int tool_id,
    const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
    MPI_Comm comm), (context, next_tool_id, sendbuf, recvbuf, recvcount, datatype, op, comm),
    ARGUMENT(sendbuf) ARGUMENT(recvbuf) ARGUMENT(recvcount) ARGUMENT(datatype) ARGUMENT(op)
    ARGUMENT(comm))
FUNCTION(int, Reduce_scatter_block_c, REDUCE_SCATTER_BLOCK_C, (QMPI_Context context, int tool_id,
    const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op,
    MPI_Comm comm), (context, next_tool_id, sendbuf, recvbuf, recvcount, datatype, op, comm),
    ARGUMENT(sendbuf) ARGUMENT(recvbuf) ARGUMENT(recvcount) ARGUMENT(datatype) ARGUMENT(op)
    ARGUMENT(comm))
FUNCTION(int, Reduce_scatter_block_init, REDUCE_SCATTER_BLOCK_INIT, (QMPI_Context context,
    int tool_id, const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype,
    MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request), (context, next_tool_id, sendbuf,
    recvbuf, recvcount, datatype, op, comm, info, request), ARGUMENT(sendbuf) ARGUMENT(recvbuf)
    ARGUMENT(recvcount) ARGUMENT(datatype) ARGUMENT(op) ARGUMENT(comm) ARGUMENT(info)
    ARGUMENT(request))
FUNCTION(int, Reduce_scatter_block_init_c, REDUCE_SCATTER_BLOCK_INIT_C, (QMPI_Context context,
    int tool_id, const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype datatype,
    MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request), (context, next_tool_id, sendbuf,
    recvbuf, recvcount, datatype, op, comm, info, request), ARGUMENT(sendbuf) ARGUMENT(recvbuf)
    ARGUMENT(recvcount) ARGUMENT(datatype) ARGUMENT(op) ARGUMENT(comm) ARGUMENT(info)
    ARGUMENT(request))
FUNCTION(int, Reduce_scatter_c, REDUCE_SCATTER_C, (QMPI_Context context, int tool_id,
    const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype,
    MPI_Op op, MPI_Comm comm), (context, next_tool_id, sendbuf, recvbuf, recvcounts, datatype, op,
    comm), ARGUMENT(sendbuf) ARGUMENT(recvbuf) ARGUMENT(recvcounts) ARGUMENT(datatype) ARGUMENT(op)
    ARGUMENT(comm))
FUNCTION(int, Reduce_scatter_init, REDUCE_SCATTER_INIT, (QMPI_Context context, int tool_id,
    const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
    MPI_Comm comm, MPI_Info info, MPI_Request *request), (context, next_tool_id, sendbuf, recvbuf,
    recvcounts, datatype, op, comm, info, request), ARGUMENT(sendbuf) ARGUMENT(recvbuf)
    ARGUMENT(recvcounts) ARGUMENT(datatype) ARGUMENT(op) ARGUMENT(comm) ARGUMENT(info)
    ARGUMENT(request))
FUNCTION(int, Reduce_scatter_init_c, REDUCE_SCATTER_INIT_C, (QMPI_Context context, int tool_id,
    const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype,
    MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request), (context, next_tool_id, sendbuf,
    recvbuf, recvcounts, datatype, op, comm, info, request), ARGUMENT(sendbuf) ARGUMENT(recvbuf)
    ARGUMENT(recvcounts) ARGUMENT(datatype) ARGUMENT(op) ARGUMENT(comm) ARGUMENT(info)
    ARGUMENT(request))
FUNCTION(int, Register_datarep, REGISTER_DATAREP, (QMPI_Context context, int tool_id,
    const char *datarep, MPI_Datarep_conversion_function *read_conversion_fn,
    MPI_Datarep_conversion_function *write_conversion_fn,
    MPI_Datarep_extent_function *dtype_file_extent_fn, void *extra_state), (context, next_tool_id,
    datarep, read_conversion_fn, write_conversion_fn, dtype_file_extent_fn, extra_state),
    ARGUMENT(datarep) ARGUMENT(read_conversion_fn) ARGUMENT(write_conversion_fn)
    ARGUMENT(dtype_file_extent_fn) ARGUMENT(extra_state))
FUNCTION(int, Register_datarep_c, REGISTER_DATAREP_C, (QMPI_Context context, int tool_id,
    const char *datarep, MPI_Datarep_conversion_function_c *read_conversion_fn,
    MPI_Datarep_conversion_function_c *write_conversion_fn,
    MPI_Datarep_extent_function *dtype_file_extent_fn, void *extra_state), (context, next_tool_id,
    datarep, read_conversion_fn, write_conversion_fn, dtype_file_extent_fn, extra_state),
    ARGUMENT(datarep) ARGUMENT(read_conversion_fn) ARGUMENT(write_conversion_fn)
    ARGUMENT(dtype_file_extent_fn) ARGUMENT(extra_state))
FUNCTION(int, Remove_error_class, REMOVE_ERROR_CLASS, (QMPI_Context context, int tool_id,
    int errorclass), (context, next_tool_id, errorclass), ARGUMENT(errorclass))
FUNCTION(int, Remove_error_code, REMOVE_ERROR_CODE, (QMPI_Context context, int tool_id,
    int errorcode), (context, next_tool_id, errorcode), ARGUMENT(errorcode))
FUNCTION(int, Remove_error_string, REMOVE_ERROR_STRING, (QMPI_Context context, int tool_id,
    int errorcode), (context, next_tool_id, errorcode), ARGUMENT(errorcode))
FUNCTION(int, Request_free, REQUEST_FREE, (QMPI_Context context, int tool_id, MPI_Request *request),
    (context, next_tool_id, request), ARGUMENT(request))
FUNCTION(MPI_Request, Request_fromint, REQUEST_FROMINT, (QMPI_Context context, int tool_id,
    int request), (context, next_tool_id, request), ARGUMENT(request))
FUNCTION(int, Request_get_status, REQUEST_GET_STATUS, (QMPI_Context context, int tool_id,
    MPI_Request request, int *flag, MPI_Status *status), (context, next_tool_id, request, flag,
    status), ARGUMENT(request) ARGUMENT(flag) ARGUMENT(status))
FUNCTION(int, Request_get_status_all, REQUEST_GET_STATUS_ALL, (QMPI_Context context, int tool_id,
    int count, const MPI_Request array_of_requests[], int *flag, MPI_Status *array_of_statuses),
    (context, next_tool_id, count, array_of_requests, flag, array_of_statuses), ARGUMENT(count)
    ARGUMENT(array_of_requests) ARGUMENT(flag) ARGUMENT(array_of_statuses))
FUNCTION(int, Request_get_status_any, REQUEST_GET_STATUS_ANY, (QMPI_Context context, int tool_id,
    int count, const MPI_Request array_of_requests[], int *indx, int *flag, MPI_Status *status),
    (context, next_tool_id, count, array_of_requests, indx, flag, status), ARGUMENT(count)
    ARGUMENT(array_of_requests) ARGUMENT(indx) ARGUMENT(flag) ARGUMENT(status))
FUNCTION(int, Request_get_status_some, REQUEST_GET_STATUS_SOME, (QMPI_Context context, int tool_id,
    int incount, const MPI_Request array_of_requests[], int *outcount, int array_of_indices[],
    MPI_Status *array_of_statuses), (context, next_tool_id, incount, array_of_requests, outcount,
    array_of_indices, array_of_statuses), ARGUMENT(incount) ARGUMENT(array_of_requests)
    ARGUMENT(outcount) ARGUMENT(array_of_indices) ARGUMENT(array_of_statuses))
FUNCTION(int, Request_toint, REQUEST_TOINT, (QMPI_Context context, int tool_id,
    MPI_Request request), (context, next_tool_id, request), ARGUMENT(request))
FUNCTION(int, Rget, RGET, (QMPI_Context context, int tool_id, void *origin_addr, int origin_count,
    MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count,
    MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request), (context, next_tool_id,
    origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
    target_datatype, win, request), ARGUMENT(origin_addr) ARGUMENT(origin_count)
    ARGUMENT(origin_datatype) ARGUMENT(target_rank) ARGUMENT(target_disp) ARGUMENT(target_count)
    ARGUMENT(target_datatype) ARGUMENT(win) ARGUMENT(request))
FUNCTION(int, Rget_accumulate, RGET_ACCUMULATE, (QMPI_Context context, int tool_id,
    const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, void *result_addr,
    int result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
    int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request),
    (context, next_tool_id, origin_addr, origin_count, origin_datatype, result_addr, result_count,
    result_datatype, target_rank, target_disp, target_count, target_datatype, op, win, request),
    ARGUMENT(origin_addr) ARGUMENT(origin_count) ARGUMENT(origin_datatype) ARGUMENT(result_addr)
    ARGUMENT(result_count) ARGUMENT(result_datatype) ARGUMENT(target_rank) ARGUMENT(target_disp)
    ARGUMENT(target_count) ARGUMENT(target_datatype) ARGUMENT(op) ARGUMENT(win) ARGUMENT(request))
FUNCTION(int, Rget_accumulate_c, RGET_ACCUMULATE_C, (QMPI_Context context, int tool_id,
    const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
    void *result_addr, MPI_Count result_count, MPI_Datatype result_datatype, int target_rank,
    MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
    MPI_Win win, MPI_Request *request), (context, next_tool_id, origin_addr, origin_count,
    origin_datatype, result_addr, result_count, result_datatype, target_rank, target_disp,
    target_count, target_datatype, op, win, request), ARGUMENT(origin_addr) ARGUMENT(origin_count)
    ARGUMENT(origin_datatype) ARGUMENT(result_addr) ARGUMENT(result_count) ARGUMENT(result_datatype)
    ARGUMENT(target_rank) ARGUMENT(target_disp) ARGUMENT(target_count) ARGUMENT(target_datatype)
    ARGUMENT(op) ARGUMENT(win) ARGUMENT(request))
FUNCTION(int, Rget_c, RGET_C, (QMPI_Context context, int tool_id, void *origin_addr,
    MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
    MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request),
    (context, next_tool_id, origin_addr, origin_count, origin_datatype, target_rank, target_disp,
    target_count, target_datatype, win, request), ARGUMENT(origin_addr) ARGUMENT(origin_count)
    ARGUMENT(origin_datatype) ARGUMENT(target_rank) ARGUMENT(target_disp) ARGUMENT(target_count)
    ARGUMENT(target_datatype) ARGUMENT(win) ARGUMENT(request))
FUNCTION(int, Rput, RPUT, (QMPI_Context context, int tool_id, const void *origin_addr,
    int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
    int target_count, MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request), (context,
    next_tool_id, origin_addr, origin_count, origin_datatype, target_rank, target_disp,
    target_count, target_datatype, win, request), ARGUMENT(origin_addr) ARGUMENT(origin_count)
    ARGUMENT(origin_datatype) ARGUMENT(target_rank) ARGUMENT(target_disp) ARGUMENT(target_count)
    ARGUMENT(target_datatype) ARGUMENT(win) ARGUMENT(request))
FUNCTION(int, Rput_c, RPUT_C, (QMPI_Context context, int tool_id, const void *origin_addr,
    MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
    MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request),
    (context, next_tool_id, origin_addr, origin_count, origin_datatype, target_rank, target_disp,
    target_count, target_datatype, win, request), ARGUMENT(origin_addr) ARGUMENT(origin_count)
    ARGUMENT(origin_datatype) ARGUMENT(target_rank) ARGUMENT(target_disp) ARGUMENT(target_count)
    ARGUMENT(target_datatype) ARGUMENT(win) ARGUMENT(request))
FUNCTION(int, Rsend, RSEND, (QMPI_Context context, int tool_id, const void *buf, int count,
    MPI_Datatype datatype, int dest, int tag, MPI_Comm comm), (context, next_tool_id, buf, count,
    datatype, dest, tag, comm), ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(dest)
    ARGUMENT(tag) ARGUMENT(comm))
FUNCTION(int, Rsend_c, RSEND_C, (QMPI_Context context, int tool_id, const void *buf,
    MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm), (context,
    next_tool_id, buf, count, datatype, dest, tag, comm), ARGUMENT(buf) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(dest) ARGUMENT(tag) ARGUMENT(comm))
FUNCTION(int, Rsend_init, RSEND_INIT, (QMPI_Context context, int tool_id, const void *buf,
    int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request),
    (context, next_tool_id, buf, count, datatype, dest, tag, comm, request), ARGUMENT(buf)
    ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(dest) ARGUMENT(tag) ARGUMENT(comm)
    ARGUMENT(request))
FUNCTION(int, Rsend_init_c, RSEND_INIT_C, (QMPI_Context context, int tool_id, const void *buf,
    MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request),
    (context, next_tool_id, buf, count, datatype, dest, tag, comm, request), ARGUMENT(buf)
    ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(dest) ARGUMENT(tag) ARGUMENT(comm)
    ARGUMENT(request))
FUNCTION(int, Scan, SCAN, (QMPI_Context context, int tool_id, const void *sendbuf, void *recvbuf,
    int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm), (context, next_tool_id, sendbuf,
    recvbuf, count, datatype, op, comm), ARGUMENT(sendbuf) ARGUMENT(recvbuf) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(op) ARGUMENT(comm))
FUNCTION(int, Scan_c, SCAN_C, (QMPI_Context context, int tool_id, const void *sendbuf,
    void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm), (context,
    next_tool_id, sendbuf, recvbuf, count, datatype, op, comm), ARGUMENT(sendbuf) ARGUMENT(recvbuf)
    ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(op) ARGUMENT(comm))
FUNCTION(int, Scan_init, SCAN_INIT, (QMPI_Context context, int tool_id, const void *sendbuf,
    void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
    MPI_Request *request), (context, next_tool_id, sendbuf, recvbuf, count, datatype, op, comm,
    info, request), ARGUMENT(sendbuf) ARGUMENT(recvbuf) ARGUMENT(count) ARGUMENT(datatype)
    ARGUMENT(op) ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Scan_init_c, SCAN_INIT_C, (QMPI_Context context, int tool_id, const void *sendbuf,
    void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
    MPI_Request *request), (context, next_tool_id, sendbuf, recvbuf, count, datatype, op, comm,
    info, request), ARGUMENT(sendbuf) ARGUMENT(recvbuf) ARGUMENT(count) ARGUMENT(datatype)
    ARGUMENT(op) ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Scatter, SCATTER, (QMPI_Context context, int tool_id, const void *sendbuf,
    int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
    int root, MPI_Comm comm), (context, next_tool_id, sendbuf, sendcount, sendtype, recvbuf,
    recvcount, recvtype, root, comm), ARGUMENT(sendbuf) ARGUMENT(sendcount) ARGUMENT(sendtype)
    ARGUMENT(recvbuf) ARGUMENT(recvcount) ARGUMENT(recvtype) ARGUMENT(root) ARGUMENT(comm))
FUNCTION(int, Scatter_c, SCATTER_C, (QMPI_Context context, int tool_id, const void *sendbuf,
    MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
    MPI_Datatype recvtype, int root, MPI_Comm comm), (context, next_tool_id, sendbuf, sendcount,
    sendtype, recvbuf, recvcount, recvtype, root, comm), ARGUMENT(sendbuf) ARGUMENT(sendcount)
    ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcount) ARGUMENT(recvtype) ARGUMENT(root)
    ARGUMENT(comm))
FUNCTION(int, Scatter_init, SCATTER_INIT, (QMPI_Context context, int tool_id, const void *sendbuf,
    int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
    int root, MPI_Comm comm, MPI_Info info, MPI_Request *request), (context, next_tool_id, sendbuf,
    sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request), ARGUMENT(sendbuf)
    ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcount) ARGUMENT(recvtype)
    ARGUMENT(root) ARGUMENT(comm) ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Scatter_init_c, SCATTER_INIT_C, (QMPI_Context context, int tool_id,
    const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
    MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
    MPI_Request *request), (context, next_tool_id, sendbuf, sendcount, sendtype, recvbuf, recvcount,
    recvtype, root, comm, info, request), ARGUMENT(sendbuf) ARGUMENT(sendcount) ARGUMENT(sendtype)
    ARGUMENT(recvbuf) ARGUMENT(recvcount) ARGUMENT(recvtype) ARGUMENT(root) ARGUMENT(comm)
    ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Scatterv, SCATTERV, (QMPI_Context context, int tool_id, const void *sendbuf,
    const int sendcounts[], const int displs[], MPI_Datatype sendtype, void *recvbuf, int recvcount,
    MPI_Datatype recvtype, int root, MPI_Comm comm), (context, next_tool_id, sendbuf, sendcounts,
    displs, sendtype, recvbuf, recvcount, recvtype, root, comm), ARGUMENT(sendbuf)
    ARGUMENT(sendcounts) ARGUMENT(displs) ARGUMENT(sendtype) ARGUMENT(recvbuf) ARGUMENT(recvcount)
    ARGUMENT(recvtype) ARGUMENT(root) ARGUMENT(comm))
FUNCTION(int, Scatterv_c, SCATTERV_C, (QMPI_Context context, int tool_id, const void *sendbuf,
    const MPI_Count sendcounts[], const MPI_Aint displs[], MPI_Datatype sendtype, void *recvbuf,
    MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm), (context, next_tool_id,
    sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm),
    ARGUMENT(sendbuf) ARGUMENT(sendcounts) ARGUMENT(displs) ARGUMENT(sendtype) ARGUMENT(recvbuf)
    ARGUMENT(recvcount) ARGUMENT(recvtype) ARGUMENT(root) ARGUMENT(comm))
FUNCTION(int, Scatterv_init, SCATTERV_INIT, (QMPI_Context context, int tool_id, const void *sendbuf,
    const int sendcounts[], const int displs[], MPI_Datatype sendtype, void *recvbuf, int recvcount,
    MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request), (context,
    next_tool_id, sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm,
    info, request), ARGUMENT(sendbuf) ARGUMENT(sendcounts) ARGUMENT(displs) ARGUMENT(sendtype)
    ARGUMENT(recvbuf) ARGUMENT(recvcount) ARGUMENT(recvtype) ARGUMENT(root) ARGUMENT(comm)
    ARGUMENT(info) ARGUMENT(request))
FUNCTION(int, Scatterv_init_c, SCATTERV_INIT_C, (QMPI_Context context, int tool_id,
    const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
    MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
    MPI_Comm comm, MPI_Info info, MPI_Request *request), (context, next_tool_id, sendbuf,
    sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request),
    ARGUMENT(sendbuf) ARGUMENT(sendcounts) ARGUMENT(displs) ARGUMENT(sendtype) ARGUMENT(recvbuf)
    ARGUMENT(recvcount) ARGUMENT(recvtype) ARGUMENT(root) ARGUMENT(comm) ARGUMENT(info)
    ARGUMENT(request))
FUNCTION(int, Send, SEND, (QMPI_Context context, int tool_id, const void *buf, int count,
    MPI_Datatype datatype, int dest, int tag, MPI_Comm comm), (context, next_tool_id, buf, count,
    datatype, dest, tag, comm), ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(dest)
    ARGUMENT(tag) ARGUMENT(comm))
FUNCTION(int, Send_c, SEND_C, (QMPI_Context context, int tool_id, const void *buf, MPI_Count count,
    MPI_Datatype datatype, int dest, int tag, MPI_Comm comm), (context, next_tool_id, buf, count,
    datatype, dest, tag, comm), ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(dest)
    ARGUMENT(tag) ARGUMENT(comm))
FUNCTION(int, Send_init, SEND_INIT, (QMPI_Context context, int tool_id, const void *buf, int count,
    MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request), (context,
    next_tool_id, buf, count, datatype, dest, tag, comm, request), ARGUMENT(buf) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(dest) ARGUMENT(tag) ARGUMENT(comm) ARGUMENT(request))
FUNCTION(int, Send_init_c, SEND_INIT_C, (QMPI_Context context, int tool_id, const void *buf,
    MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request),
    (context, next_tool_id, buf, count, datatype, dest, tag, comm, request), ARGUMENT(buf)
    ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(dest) ARGUMENT(tag) ARGUMENT(comm)
    ARGUMENT(request))
FUNCTION(int, Sendrecv, SENDRECV, (QMPI_Context context, int tool_id, const void *sendbuf,
    int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, int recvcount,
    MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status), (context,
    next_tool_id, sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
    recvtag, comm, status), ARGUMENT(sendbuf) ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(dest)
    ARGUMENT(sendtag) ARGUMENT(recvbuf) ARGUMENT(recvcount) ARGUMENT(recvtype) ARGUMENT(source)
    ARGUMENT(recvtag) ARGUMENT(comm) ARGUMENT(status))
FUNCTION(int, Sendrecv_c, SENDRECV_C, (QMPI_Context context, int tool_id, const void *sendbuf,
    MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,
    MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
    MPI_Status *status), (context, next_tool_id, sendbuf, sendcount, sendtype, dest, sendtag,
    recvbuf, recvcount, recvtype, source, recvtag, comm, status), ARGUMENT(sendbuf)
    ARGUMENT(sendcount) ARGUMENT(sendtype) ARGUMENT(dest) ARGUMENT(sendtag) ARGUMENT(recvbuf)
    ARGUMENT(recvcount) ARGUMENT(recvtype) ARGUMENT(source) ARGUMENT(recvtag) ARGUMENT(comm)
    ARGUMENT(status))
FUNCTION(int, Sendrecv_replace, SENDRECV_REPLACE, (QMPI_Context context, int tool_id, void *buf,
    int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm,
    MPI_Status *status), (context, next_tool_id, buf, count, datatype, dest, sendtag, source,
    recvtag, comm, status), ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(dest)
    ARGUMENT(sendtag) ARGUMENT(source) ARGUMENT(recvtag) ARGUMENT(comm) ARGUMENT(status))
FUNCTION(int, Sendrecv_replace_c, SENDRECV_REPLACE_C, (QMPI_Context context, int tool_id, void *buf,
    MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,
    MPI_Comm comm, MPI_Status *status), (context, next_tool_id, buf, count, datatype, dest, sendtag,
    source, recvtag, comm, status), ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(dest)
    ARGUMENT(sendtag) ARGUMENT(source) ARGUMENT(recvtag) ARGUMENT(comm) ARGUMENT(status))
FUNCTION(int, Session_attach_buffer, SESSION_ATTACH_BUFFER, (QMPI_Context context, int tool_id,
    MPI_Session session, void *buffer, int size), (context, next_tool_id, session, buffer, size),
    ARGUMENT(session) ARGUMENT(buffer) ARGUMENT(size))
FUNCTION(int, Session_attach_buffer_c, SESSION_ATTACH_BUFFER_C, (QMPI_Context context, int tool_id,
    MPI_Session session, void *buffer, MPI_Count size), (context, next_tool_id, session, buffer,
    size), ARGUMENT(session) ARGUMENT(buffer) ARGUMENT(size))
FUNCTION(int, Session_call_errhandler, SESSION_CALL_ERRHANDLER, (QMPI_Context context, int tool_id,
    MPI_Session session, int errorcode), (context, next_tool_id, session, errorcode),
    ARGUMENT(session) ARGUMENT(errorcode))
FUNCTION(int, Session_create_errhandler, SESSION_CREATE_ERRHANDLER, (QMPI_Context context,
    int tool_id, MPI_Session_errhandler_function *session_errhandler_fn,
    MPI_Errhandler *errhandler), (context, next_tool_id, session_errhandler_fn, errhandler),
    ARGUMENT(session_errhandler_fn) ARGUMENT(errhandler))
FUNCTION(int, Session_detach_buffer, SESSION_DETACH_BUFFER, (QMPI_Context context, int tool_id,
    MPI_Session session, void *buffer_addr, int *size), (context, next_tool_id, session,
    buffer_addr, size), ARGUMENT(session) ARGUMENT(buffer_addr) ARGUMENT(size))
FUNCTION(int, Session_detach_buffer_c, SESSION_DETACH_BUFFER_C, (QMPI_Context context, int tool_id,
    MPI_Session session, void *buffer_addr, MPI_Count *size), (context, next_tool_id, session,
    buffer_addr, size), ARGUMENT(session) ARGUMENT(buffer_addr) ARGUMENT(size))
FUNCTION(int, Session_finalize, SESSION_FINALIZE, (QMPI_Context context, int tool_id,
    MPI_Session *session), (context, next_tool_id, session), ARGUMENT(session))
FUNCTION(int, Session_flush_buffer, SESSION_FLUSH_BUFFER, (QMPI_Context context, int tool_id,
    MPI_Session session), (context, next_tool_id, session), ARGUMENT(session))
FUNCTION(MPI_Session, Session_fromint, SESSION_FROMINT, (QMPI_Context context, int tool_id,
    int session), (context, next_tool_id, session), ARGUMENT(session))
FUNCTION(int, Session_get_errhandler, SESSION_GET_ERRHANDLER, (QMPI_Context context, int tool_id,
    MPI_Session session, MPI_Errhandler *errhandler), (context, next_tool_id, session, errhandler),
    ARGUMENT(session) ARGUMENT(errhandler))
FUNCTION(int, Session_get_info, SESSION_GET_INFO, (QMPI_Context context, int tool_id,
    MPI_Session session, MPI_Info *info_used), (context, next_tool_id, session, info_used),
    ARGUMENT(session) ARGUMENT(info_used))
FUNCTION(int, Session_get_nth_pset, SESSION_GET_NTH_PSET, (QMPI_Context context, int tool_id,
    MPI_Session session, MPI_Info info, int n, int *pset_len, char *pset_name), (context,
    next_tool_id, session, info, n, pset_len, pset_name), ARGUMENT(session) ARGUMENT(info)
    ARGUMENT(n) ARGUMENT(pset_len) ARGUMENT(pset_name))
FUNCTION(int, Session_get_num_psets, SESSION_GET_NUM_PSETS, (QMPI_Context context, int tool_id,
    MPI_Session session, MPI_Info info, int *npset_names), (context, next_tool_id, session, info,
    npset_names), ARGUMENT(session) ARGUMENT(info) ARGUMENT(npset_names))
FUNCTION(int, Session_get_pset_info, SESSION_GET_PSET_INFO, (QMPI_Context context, int tool_id,
    MPI_Session session, const char *pset_name, MPI_Info *info), (context, next_tool_id, session,
    pset_name, info), ARGUMENT(session) ARGUMENT(pset_name) ARGUMENT(info))
FUNCTION(int, Session_iflush_buffer, SESSION_IFLUSH_BUFFER, (QMPI_Context context, int tool_id,
    MPI_Session session, MPI_Request *request), (context, next_tool_id, session, request),
    ARGUMENT(session) ARGUMENT(request))
FUNCTION(int, Session_init, SESSION_INIT, (QMPI_Context context, int tool_id, MPI_Info info,
    MPI_Errhandler errhandler, MPI_Session *session), (context, next_tool_id, info, errhandler,
    session), ARGUMENT(info) ARGUMENT(errhandler) ARGUMENT(session))
FUNCTION(int, Session_set_errhandler, SESSION_SET_ERRHANDLER, (QMPI_Context context, int tool_id,
    MPI_Session session, MPI_Errhandler errhandler), (context, next_tool_id, session, errhandler),
    ARGUMENT(session) ARGUMENT(errhandler))
FUNCTION(int, Session_toint, SESSION_TOINT, (QMPI_Context context, int tool_id,
    MPI_Session session), (context, next_tool_id, session), ARGUMENT(session))
FUNCTION(int, Ssend, SSEND, (QMPI_Context context, int tool_id, const void *buf, int count,
    MPI_Datatype datatype, int dest, int tag, MPI_Comm comm), (context, next_tool_id, buf, count,
    datatype, dest, tag, comm), ARGUMENT(buf) ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(dest)
    ARGUMENT(tag) ARGUMENT(comm))
FUNCTION(int, Ssend_c, SSEND_C, (QMPI_Context context, int tool_id, const void *buf,
    MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm), (context,
    next_tool_id, buf, count, datatype, dest, tag, comm), ARGUMENT(buf) ARGUMENT(count)
    ARGUMENT(datatype) ARGUMENT(dest) ARGUMENT(tag) ARGUMENT(comm))
FUNCTION(int, Ssend_init, SSEND_INIT, (QMPI_Context context, int tool_id, const void *buf,
    int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request),
    (context, next_tool_id, buf, count, datatype, dest, tag, comm, request), ARGUMENT(buf)
    ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(dest) ARGUMENT(tag) ARGUMENT(comm)
    ARGUMENT(request))
FUNCTION(int, Ssend_init_c, SSEND_INIT_C, (QMPI_Context context, int tool_id, const void *buf,
    MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request),
    (context, next_tool_id, buf, count, datatype, dest, tag, comm, request), ARGUMENT(buf)
    ARGUMENT(count) ARGUMENT(datatype) ARGUMENT(dest) ARGUMENT(tag) ARGUMENT(comm)
    ARGUMENT(request))
FUNCTION(int, Start, START, (QMPI_Context context, int tool_id, MPI_Request *request), (context,
    next_tool_id, request), ARGUMENT(request))
FUNCTION(int, Startall, STARTALL, (QMPI_Context context, int tool_id, int count,
    MPI_Request array_of_requests[]), (context, next_tool_id, count, array_of_requests),
    ARGUMENT(count) ARGUMENT(array_of_requests))
FUNCTION(int, Status_get_error, STATUS_GET_ERROR, (QMPI_Context context, int tool_id,
    const MPI_Status *status, int *error), (context, next_tool_id, status, error), ARGUMENT(status)
    ARGUMENT(error))
FUNCTION(int, Status_get_source, STATUS_GET_SOURCE, (QMPI_Context context, int tool_id,
    const MPI_Status *status, int *source), (context, next_tool_id, status, source),
    ARGUMENT(status) ARGUMENT(source))
FUNCTION(int, Status_get_tag, STATUS_GET_TAG, (QMPI_Context context, int tool_id,
    const MPI_Status *status, int *tag), (context, next_tool_id, status, tag), ARGUMENT(status)
    ARGUMENT(tag))
FUNCTION(int, Status_set_cancelled, STATUS_SET_CANCELLED, (QMPI_Context context, int tool_id,
    MPI_Status *status, int flag), (context, next_tool_id, status, flag), ARGUMENT(status)
    ARGUMENT(flag))
FUNCTION(int, Status_set_elements, STATUS_SET_ELEMENTS, (QMPI_Context context, int tool_id,
    MPI_Status *status, MPI_Datatype datatype, int count), (context, next_tool_id, status, datatype,
    count), ARGUMENT(status) ARGUMENT(datatype) ARGUMENT(count))
FUNCTION(int, Status_set_elements_c, STATUS_SET_ELEMENTS_C, (QMPI_Context context, int tool_id,
    MPI_Status *status, MPI_Datatype datatype, MPI_Count count), (context, next_tool_id, status,
    datatype, count), ARGUMENT(status) ARGUMENT(datatype) ARGUMENT(count))
FUNCTION(int, Status_set_elements_x, STATUS_SET_ELEMENTS_X, (QMPI_Context context, int tool_id,
    MPI_Status *status, MPI_Datatype datatype, MPI_Count count), (context, next_tool_id, status,
    datatype, count), ARGUMENT(status) ARGUMENT(datatype) ARGUMENT(count))
FUNCTION(int, Status_set_error, STATUS_SET_ERROR, (QMPI_Context context, int tool_id,
    MPI_Status *status, int error), (context, next_tool_id, status, error), ARGUMENT(status)
    ARGUMENT(error))
FUNCTION(int, Status_set_source, STATUS_SET_SOURCE, (QMPI_Context context, int tool_id,
    MPI_Status *status, int source), (context, next_tool_id, status, source), ARGUMENT(status)
    ARGUMENT(source))
FUNCTION(int, Status_set_tag, STATUS_SET_TAG, (QMPI_Context context, int tool_id,
    MPI_Status *status, int tag), (context, next_tool_id, status, tag), ARGUMENT(status)
    ARGUMENT(tag))
FUNCTION(int, T_category_changed, T_CATEGORY_CHANGED, (QMPI_Context context, int tool_id,
    int *update_number), (context, next_tool_id, update_number), ARGUMENT(update_number))
FUNCTION(int, T_category_get_categories, T_CATEGORY_GET_CATEGORIES, (QMPI_Context context,
    int tool_id, int cat_index, int len, int indices[]), (context, next_tool_id, cat_index, len,
    indices), ARGUMENT(cat_index) ARGUMENT(len) ARGUMENT(indices))
FUNCTION(int, T_category_get_cvars, T_CATEGORY_GET_CVARS, (QMPI_Context context, int tool_id,
    int cat_index, int len, int indices[]), (context, next_tool_id, cat_index, len, indices),
    ARGUMENT(cat_index) ARGUMENT(len) ARGUMENT(indices))
FUNCTION(int, T_category_get_events, T_CATEGORY_GET_EVENTS, (QMPI_Context context, int tool_id,
    int cat_index, int len, int indices[]), (context, next_tool_id, cat_index, len, indices),
    ARGUMENT(cat_index) ARGUMENT(len) ARGUMENT(indices))
FUNCTION(int, T_category_get_index, T_CATEGORY_GET_INDEX, (QMPI_Context context, int tool_id,
    const char *name, int *cat_index), (context, next_tool_id, name, cat_index), ARGUMENT(name)
    ARGUMENT(cat_index))
FUNCTION(int, T_category_get_info, T_CATEGORY_GET_INFO, (QMPI_Context context, int tool_id,
    int cat_index, char *name, int *name_len, char *desc, int *desc_len, int *num_cvars,
    int *num_pvars, int *num_categories), (context, next_tool_id, cat_index, name, name_len, desc,
    desc_len, num_cvars, num_pvars, num_categories), ARGUMENT(cat_index) ARGUMENT(name)
    ARGUMENT(name_len) ARGUMENT(desc) ARGUMENT(desc_len) ARGUMENT(num_cvars) ARGUMENT(num_pvars)
    ARGUMENT(num_categories))
FUNCTION(int, T_category_get_num, T_CATEGORY_GET_NUM, (QMPI_Context context, int tool_id,
    int *num_cat), (context, next_tool_id, num_cat), ARGUMENT(num_cat))
FUNCTION(int, T_category_get_num_events, T_CATEGORY_GET_NUM_EVENTS, (QMPI_Context context,
    int tool_id, int cat_index, int *num_events), (context, next_tool_id, cat_index, num_events),
    ARGUMENT(cat_index) ARGUMENT(num_events))
FUNCTION(int, T_category_get_pvars, T_CATEGORY_GET_PVARS, (QMPI_Context context, int tool_id,
    int cat_index, int len, int indices[]), (context, next_tool_id, cat_index, len, indices),
    ARGUMENT(cat_index) ARGUMENT(len) ARGUMENT(indices))
FUNCTION(int, T_cvar_get_index, T_CVAR_GET_INDEX, (QMPI_Context context, int tool_id,
    const char *name, int *cvar_index), (context, next_tool_id, name, cvar_index), ARGUMENT(name)
    ARGUMENT(cvar_index))
FUNCTION(int, T_cvar_get_info, T_CVAR_GET_INFO, (QMPI_Context context, int tool_id, int cvar_index,
    char *name, int *name_len, int *verbosity, MPI_Datatype *datatype, MPI_T_enum *enumtype,
    char *desc, int *desc_len, int *bind, int *scope), (context, next_tool_id, cvar_index, name,
    name_len, verbosity, datatype, enumtype, desc, desc_len, bind, scope), ARGUMENT(cvar_index)
    ARGUMENT(name) ARGUMENT(name_len) ARGUMENT(verbosity) ARGUMENT(datatype) ARGUMENT(enumtype)
    ARGUMENT(desc) ARGUMENT(desc_len) ARGUMENT(bind) ARGUMENT(scope))
FUNCTION(int, T_cvar_get_num, T_CVAR_GET_NUM, (QMPI_Context context, int tool_id, int *num_cvar),
    (context, next_tool_id, num_cvar), ARGUMENT(num_cvar))
FUNCTION(int, T_cvar_handle_alloc, T_CVAR_HANDLE_ALLOC, (QMPI_Context context, int tool_id,
    int cvar_index, void *obj_handle, MPI_T_cvar_handle *handle, int *count), (context,
    next_tool_id, cvar_index, obj_handle, handle, count), ARGUMENT(cvar_index) ARGUMENT(obj_handle)
    ARGUMENT(handle) ARGUMENT(count))
FUNCTION(int, T_cvar_handle_free, T_CVAR_HANDLE_FREE, (QMPI_Context context, int tool_id,
    MPI_T_cvar_handle *handle), (context, next_tool_id, handle), ARGUMENT(handle))
FUNCTION(int, T_cvar_read, T_CVAR_READ, (QMPI_Context context, int tool_id,
    MPI_T_cvar_handle handle, void *buf), (context, next_tool_id, handle, buf), ARGUMENT(handle)
    ARGUMENT(buf))
FUNCTION(int, T_cvar_write, T_CVAR_WRITE, (QMPI_Context context, int tool_id,
    MPI_T_cvar_handle handle, const void *buf), (context, next_tool_id, handle, buf),
    ARGUMENT(handle) ARGUMENT(buf))
FUNCTION(int, T_enum_get_info, T_ENUM_GET_INFO, (QMPI_Context context, int tool_id,
    MPI_T_enum enumtype, int *num, char *name, int *name_len), (context, next_tool_id, enumtype,
    num, name, name_len), ARGUMENT(enumtype) ARGUMENT(num) ARGUMENT(name) ARGUMENT(name_len))
FUNCTION(int, T_enum_get_item, T_ENUM_GET_ITEM, (QMPI_Context context, int tool_id,
    MPI_T_enum enumtype, int indx, int *value, char *name, int *name_len), (context, next_tool_id,
    enumtype, indx, value, name, name_len), ARGUMENT(enumtype) ARGUMENT(indx) ARGUMENT(value)
    ARGUMENT(name) ARGUMENT(name_len))
FUNCTION(int, T_event_callback_get_info, T_EVENT_CALLBACK_GET_INFO, (QMPI_Context context,
    int tool_id, MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety,
    MPI_Info *info_used), (context, next_tool_id, event_registration, cb_safety, info_used),
    ARGUMENT(event_registration) ARGUMENT(cb_safety) ARGUMENT(info_used))
FUNCTION(int, T_event_callback_set_info, T_EVENT_CALLBACK_SET_INFO, (QMPI_Context context,
    int tool_id, MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety,
    MPI_Info info), (context, next_tool_id, event_registration, cb_safety, info),
    ARGUMENT(event_registration) ARGUMENT(cb_safety) ARGUMENT(info))
FUNCTION(int, T_event_copy, T_EVENT_COPY, (QMPI_Context context, int tool_id,
    MPI_T_event_instance event_instance, void *buffer), (context, next_tool_id, event_instance,
    buffer), ARGUMENT(event_instance) ARGUMENT(buffer))
FUNCTION(int, T_event_get_index, T_EVENT_GET_INDEX, (QMPI_Context context, int tool_id,
    const char *name, int *event_index), (context, next_tool_id, name, event_index), ARGUMENT(name)
    ARGUMENT(event_index))
FUNCTION(int, T_event_get_info, T_EVENT_GET_INFO, (QMPI_Context context, int tool_id,
    int event_index, char *name, int *name_len, int *verbosity, MPI_Datatype array_of_datatypes[],
    MPI_Aint array_of_displacements[], int *num_elements, MPI_T_enum *enumtype, MPI_Info *info,
    char *desc, int *desc_len, int *bind), (context, next_tool_id, event_index, name, name_len,
    verbosity, array_of_datatypes, array_of_displacements, num_elements, enumtype, info, desc,
    desc_len, bind), ARGUMENT(event_index) ARGUMENT(name) ARGUMENT(name_len) ARGUMENT(verbosity)
    ARGUMENT(array_of_datatypes) ARGUMENT(array_of_displacements) ARGUMENT(num_elements)
    ARGUMENT(enumtype) ARGUMENT(info) ARGUMENT(desc) ARGUMENT(desc_len) ARGUMENT(bind))
FUNCTION(int, T_event_get_num, T_EVENT_GET_NUM, (QMPI_Context context, int tool_id,
    int *num_events), (context, next_tool_id, num_events), ARGUMENT(num_events))
FUNCTION(int, T_event_get_source, T_EVENT_GET_SOURCE, (QMPI_Context context, int tool_id,
    MPI_T_event_instance event_instance, int *source_index), (context, next_tool_id, event_instance,
    source_index), ARGUMENT(event_instance) ARGUMENT(source_index))
FUNCTION(int, T_event_get_timestamp, T_EVENT_GET_TIMESTAMP, (QMPI_Context context, int tool_id,
    MPI_T_event_instance event_instance, MPI_Count *event_timestamp), (context, next_tool_id,
    event_instance, event_timestamp), ARGUMENT(event_instance) ARGUMENT(event_timestamp))
FUNCTION(int, T_event_handle_alloc, T_EVENT_HANDLE_ALLOC, (QMPI_Context context, int tool_id,
    int event_index, void *obj_handle, MPI_Info info, MPI_T_event_registration *event_registration),
    (context, next_tool_id, event_index, obj_handle, info, event_registration),
    ARGUMENT(event_index) ARGUMENT(obj_handle) ARGUMENT(info) ARGUMENT(event_registration))
FUNCTION(int, T_event_handle_free, T_EVENT_HANDLE_FREE, (QMPI_Context context, int tool_id,
    MPI_T_event_registration event_registration, void *user_data,
    MPI_T_event_free_cb_function free_cb_function), (context, next_tool_id, event_registration,
    user_data, free_cb_function), ARGUMENT(event_registration) ARGUMENT(user_data)
    ARGUMENT(free_cb_function))
FUNCTION(int, T_event_handle_get_info, T_EVENT_HANDLE_GET_INFO, (QMPI_Context context, int tool_id,
    MPI_T_event_registration event_registration, MPI_Info *info_used), (context, next_tool_id,
    event_registration, info_used), ARGUMENT(event_registration) ARGUMENT(info_used))
FUNCTION(int, T_event_handle_set_info, T_EVENT_HANDLE_SET_INFO, (QMPI_Context context, int tool_id,
    MPI_T_event_registration event_registration, MPI_Info info), (context, next_tool_id,
    event_registration, info), ARGUMENT(event_registration) ARGUMENT(info))
FUNCTION(int, T_event_read, T_EVENT_READ, (QMPI_Context context, int tool_id,
    MPI_T_event_instance event_instance, int element_index, void *buffer), (context, next_tool_id,
    event_instance, element_index, buffer), ARGUMENT(event_instance) ARGUMENT(element_index)
    ARGUMENT(buffer))
FUNCTION(int, T_event_register_callback, T_EVENT_REGISTER_CALLBACK, (QMPI_Context context,
    int tool_id, MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety,
    MPI_Info info, void *user_data, MPI_T_event_cb_function event_cb_function), (context,
    next_tool_id, event_registration, cb_safety, info, user_data, event_cb_function),
    ARGUMENT(event_registration) ARGUMENT(cb_safety) ARGUMENT(info) ARGUMENT(user_data)
    ARGUMENT(event_cb_function))
FUNCTION(int, T_event_set_dropped_handler, T_EVENT_SET_DROPPED_HANDLER, (QMPI_Context context,
    int tool_id, MPI_T_event_registration event_registration,
    MPI_T_event_dropped_cb_function dropped_cb_function), (context, next_tool_id,
    event_registration, dropped_cb_function), ARGUMENT(event_registration)
    ARGUMENT(dropped_cb_function))
FUNCTION(int, T_finalize, T_FINALIZE, (QMPI_Context context, int tool_id), (context, next_tool_id),
    )
FUNCTION(int, T_init_thread, T_INIT_THREAD, (QMPI_Context context, int tool_id, int required,
    int *provided), (context, next_tool_id, required, provided), ARGUMENT(required)
    ARGUMENT(provided))
FUNCTION(int, T_pvar_get_index, T_PVAR_GET_INDEX, (QMPI_Context context, int tool_id,
    const char *name, int var_class, int *pvar_index), (context, next_tool_id, name, var_class,
    pvar_index), ARGUMENT(name) ARGUMENT(var_class) ARGUMENT(pvar_index))
FUNCTION(int, T_pvar_get_info, T_PVAR_GET_INFO, (QMPI_Context context, int tool_id, int pvar_index,
    char *name, int *name_len, int *verbosity, int *var_class, MPI_Datatype *datatype,
    MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind, int *readonly, int *continuous,
    int *atomic), (context, next_tool_id, pvar_index, name, name_len, verbosity, var_class,
    datatype, enumtype, desc, desc_len, bind, readonly, continuous, atomic), ARGUMENT(pvar_index)
    ARGUMENT(name) ARGUMENT(name_len) ARGUMENT(verbosity) ARGUMENT(var_class) ARGUMENT(datatype)
    ARGUMENT(enumtype) ARGUMENT(desc) ARGUMENT(desc_len) ARGUMENT(bind) ARGUMENT(readonly)
    ARGUMENT(continuous) ARGUMENT(atomic))
FUNCTION(int, T_pvar_get_num, T_PVAR_GET_NUM, (QMPI_Context context, int tool_id, int *num_pvar),
    (context, next_tool_id, num_pvar), ARGUMENT(num_pvar))
FUNCTION(int, T_pvar_handle_alloc, T_PVAR_HANDLE_ALLOC, (QMPI_Context context, int tool_id,
    MPI_T_pvar_session session, int pvar_index, void *obj_handle, MPI_T_pvar_handle *handle,
    int *count), (context, next_tool_id, session, pvar_index, obj_handle, handle, count),
    ARGUMENT(session) ARGUMENT(pvar_index) ARGUMENT(obj_handle) ARGUMENT(handle) ARGUMENT(count))
FUNCTION(int, T_pvar_handle_free, T_PVAR_HANDLE_FREE, (QMPI_Context context, int tool_id,
    MPI_T_pvar_session session, MPI_T_pvar_handle *handle), (context, next_tool_id, session,
    handle), ARGUMENT(session) ARGUMENT(handle))
FUNCTION(int, T_pvar_read, T_PVAR_READ, (QMPI_Context context, int tool_id,
    MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf), (context, next_tool_id,
    session, handle, buf), ARGUMENT(session) ARGUMENT(handle) ARGUMENT(buf))
FUNCTION(int, T_pvar_readreset, T_PVAR_READRESET, (QMPI_Context context, int tool_id,
    MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf), (context, next_tool_id,
    session, handle, buf), ARGUMENT(session) ARGUMENT(handle) ARGUMENT(buf))
FUNCTION(int, T_pvar_reset, T_PVAR_RESET, (QMPI_Context context, int tool_id,
    MPI_T_pvar_session session, MPI_T_pvar_handle handle), (context, next_tool_id, session, handle),
    ARGUMENT(session) ARGUMENT(handle))
FUNCTION(int, T_pvar_session_create, T_PVAR_SESSION_CREATE, (QMPI_Context context, int tool_id,
    MPI_T_pvar_session *session), (context, next_tool_id, session), ARGUMENT(session))
FUNCTION(int, T_pvar_session_free, T_PVAR_SESSION_FREE, (QMPI_Context context, int tool_id,
    MPI_T_pvar_session *session), (context, next_tool_id, session), ARGUMENT(session))
FUNCTION(int, T_pvar_start, T_PVAR_START, (QMPI_Context context, int tool_id,
    MPI_T_pvar_session session, MPI_T_pvar_handle handle), (context, next_tool_id, session, handle),
    ARGUMENT(session) ARGUMENT(handle))
FUNCTION(int, T_pvar_stop, T_PVAR_STOP, (QMPI_Context context, int tool_id,
    MPI_T_pvar_session session, MPI_T_pvar_handle handle), (context, next_tool_id, session, handle),
    ARGUMENT(session) ARGUMENT(handle))
FUNCTION(int, T_pvar_write, T_PVAR_WRITE, (QMPI_Context context, int tool_id,
    MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void *buf), (context, next_tool_id,
    session, handle, buf), ARGUMENT(session) ARGUMENT(handle) ARGUMENT(buf))
FUNCTION(int, T_source_get_info, T_SOURCE_GET_INFO, (QMPI_Context context, int tool_id,
    int source_index, char *name, int *name_len, char *desc, int *desc_len,
    MPI_T_source_order *ordering, MPI_Count *ticks_per_second, MPI_Count *max_ticks,
    MPI_Info *info), (context, next_tool_id, source_index, name, name_len, desc, desc_len, ordering,
    ticks_per_second, max_ticks, info), ARGUMENT(source_index) ARGUMENT(name) ARGUMENT(name_len)
    ARGUMENT(desc) ARGUMENT(desc_len) ARGUMENT(ordering) ARGUMENT(ticks_per_second)
    ARGUMENT(max_ticks) ARGUMENT(info))
FUNCTION(int, T_source_get_num, T_SOURCE_GET_NUM, (QMPI_Context context, int tool_id,
    int *num_sources), (context, next_tool_id, num_sources), ARGUMENT(num_sources))
FUNCTION(int, T_source_get_timestamp, T_SOURCE_GET_TIMESTAMP, (QMPI_Context context, int tool_id,
    int source_index, MPI_Count *timestamp), (context, next_tool_id, source_index, timestamp),
    ARGUMENT(source_index) ARGUMENT(timestamp))
FUNCTION(int, Test, TEST, (QMPI_Context context, int tool_id, MPI_Request *request, int *flag,
    MPI_Status *status), (context, next_tool_id, request, flag, status), ARGUMENT(request)
    ARGUMENT(flag) ARGUMENT(status))
FUNCTION(int, Test_cancelled, TEST_CANCELLED, (QMPI_Context context, int tool_id,
    const MPI_Status *status, int *flag), (context, next_tool_id, status, flag), ARGUMENT(status)
    ARGUMENT(flag))
FUNCTION(int, Testall, TESTALL, (QMPI_Context context, int tool_id, int count,
    MPI_Request array_of_requests[], int *flag, MPI_Status *array_of_statuses), (context,
    next_tool_id, count, array_of_requests, flag, array_of_statuses), ARGUMENT(count)
    ARGUMENT(array_of_requests) ARGUMENT(flag) ARGUMENT(array_of_statuses))
FUNCTION(int, Testany, TESTANY, (QMPI_Context context, int tool_id, int count,
    MPI_Request array_of_requests[], int *indx, int *flag, MPI_Status *status), (context,
    next_tool_id, count, array_of_requests, indx, flag, status), ARGUMENT(count)
    ARGUMENT(array_of_requests) ARGUMENT(indx) ARGUMENT(flag) ARGUMENT(status))
FUNCTION(int, Testsome, TESTSOME, (QMPI_Context context, int tool_id, int incount,
    MPI_Request array_of_requests[], int *outcount, int array_of_indices[],
    MPI_Status *array_of_statuses), (context, next_tool_id, incount, array_of_requests, outcount,
    array_of_indices, array_of_statuses), ARGUMENT(incount) ARGUMENT(array_of_requests)
    ARGUMENT(outcount) ARGUMENT(array_of_indices) ARGUMENT(array_of_statuses))
FUNCTION(int, Topo_test, TOPO_TEST, (QMPI_Context context, int tool_id, MPI_Comm comm, int *status),
    (context, next_tool_id, comm, status), ARGUMENT(comm) ARGUMENT(status))
FUNCTION(int, Type_commit, TYPE_COMMIT, (QMPI_Context context, int tool_id, MPI_Datatype *datatype),
    (context, next_tool_id, datatype), ARGUMENT(datatype))
FUNCTION(int, Type_contiguous, TYPE_CONTIGUOUS, (QMPI_Context context, int tool_id, int count,
    MPI_Datatype oldtype, MPI_Datatype *newtype), (context, next_tool_id, count, oldtype, newtype),
    ARGUMENT(count) ARGUMENT(oldtype) ARGUMENT(newtype))
FUNCTION(int, Type_contiguous_c, TYPE_CONTIGUOUS_C, (QMPI_Context context, int tool_id,
    MPI_Count count, MPI_Datatype oldtype, MPI_Datatype *newtype), (context, next_tool_id, count,
    oldtype, newtype), ARGUMENT(count) ARGUMENT(oldtype) ARGUMENT(newtype))
FUNCTION(int, Type_create_darray, TYPE_CREATE_DARRAY, (QMPI_Context context, int tool_id, int size,
    int rank, int ndims, const int array_of_gsizes[], const int array_of_distribs[],
    const int array_of_dargs[], const int array_of_psizes[], int order, MPI_Datatype oldtype,
    MPI_Datatype *newtype), (context, next_tool_id, size, rank, ndims, array_of_gsizes,
    array_of_distribs, array_of_dargs, array_of_psizes, order, oldtype, newtype), ARGUMENT(size)
    ARGUMENT(rank) ARGUMENT(ndims) ARGUMENT(array_of_gsizes) ARGUMENT(array_of_distribs)
    ARGUMENT(array_of_dargs) ARGUMENT(array_of_psizes) ARGUMENT(order) ARGUMENT(oldtype)
    ARGUMENT(newtype))
FUNCTION(int, Type_create_darray_c, TYPE_CREATE_DARRAY_C, (QMPI_Context context, int tool_id,
    int size, int rank, int ndims, const MPI_Count array_of_gsizes[], const int array_of_distribs[],
    const int array_of_dargs[], const int array_of_psizes[], int order, MPI_Datatype oldtype,
    MPI_Datatype *newtype), (context, next_tool_id, size, rank, ndims, array_of_gsizes,
    array_of_distribs, array_of_dargs, array_of_psizes, order, oldtype, newtype), ARGUMENT(size)
    ARGUMENT(rank) ARGUMENT(ndims) ARGUMENT(array_of_gsizes) ARGUMENT(array_of_distribs)
    ARGUMENT(array_of_dargs) ARGUMENT(array_of_psizes) ARGUMENT(order) ARGUMENT(oldtype)
    ARGUMENT(newtype))
FUNCTION(int, Type_create_f90_complex, TYPE_CREATE_F90_COMPLEX, (QMPI_Context context, int tool_id,
    int p, int r, MPI_Datatype *newtype), (context, next_tool_id, p, r, newtype), ARGUMENT(p)
    ARGUMENT(r) ARGUMENT(newtype))
FUNCTION(int, Type_create_f90_integer, TYPE_CREATE_F90_INTEGER, (QMPI_Context context, int tool_id,
    int r, MPI_Datatype *newtype), (context, next_tool_id, r, newtype), ARGUMENT(r)
    ARGUMENT(newtype))
FUNCTION(int, Type_create_f90_real, TYPE_CREATE_F90_REAL, (QMPI_Context context, int tool_id, int p,
    int r, MPI_Datatype *newtype), (context, next_tool_id, p, r, newtype), ARGUMENT(p) ARGUMENT(r)
    ARGUMENT(newtype))
FUNCTION(int, Type_create_hindexed, TYPE_CREATE_HINDEXED, (QMPI_Context context, int tool_id,
    int count, const int array_of_blocklengths[], const MPI_Aint array_of_displacements[],
    MPI_Datatype oldtype, MPI_Datatype *newtype), (context, next_tool_id, count,
    array_of_blocklengths, array_of_displacements, oldtype, newtype), ARGUMENT(count)
    ARGUMENT(array_of_blocklengths) ARGUMENT(array_of_displacements) ARGUMENT(oldtype)
    ARGUMENT(newtype))
FUNCTION(int, Type_create_hindexed_block, TYPE_CREATE_HINDEXED_BLOCK, (QMPI_Context context,
    int tool_id, int count, int blocklength, const MPI_Aint array_of_displacements[],
    MPI_Datatype oldtype, MPI_Datatype *newtype), (context, next_tool_id, count, blocklength,
    array_of_displacements, oldtype, newtype), ARGUMENT(count) ARGUMENT(blocklength)
    ARGUMENT(array_of_displacements) ARGUMENT(oldtype) ARGUMENT(newtype))
FUNCTION(int, Type_create_hindexed_block_c, TYPE_CREATE_HINDEXED_BLOCK_C, (QMPI_Context context,
    int tool_id, MPI_Count count, MPI_Count blocklength, const MPI_Count array_of_displacements[],
    MPI_Datatype oldtype, MPI_Datatype *newtype), (context, next_tool_id, count, blocklength,
    array_of_displacements, oldtype, newtype), ARGUMENT(count) ARGUMENT(blocklength)
    ARGUMENT(array_of_displacements) ARGUMENT(oldtype) ARGUMENT(newtype))
FUNCTION(int, Type_create_hindexed_c, TYPE_CREATE_HINDEXED_C, (QMPI_Context context, int tool_id,
    MPI_Count count, const MPI_Count array_of_blocklengths[],
    const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype),
    (context, next_tool_id, count, array_of_blocklengths, array_of_displacements, oldtype, newtype),
    ARGUMENT(count) ARGUMENT(array_of_blocklengths) ARGUMENT(array_of_displacements)
    ARGUMENT(oldtype) ARGUMENT(newtype))
FUNCTION(int, Type_create_hvector, TYPE_CREATE_HVECTOR, (QMPI_Context context, int tool_id,
    int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype *newtype),
    (context, next_tool_id, count, blocklength, stride, oldtype, newtype), ARGUMENT(count)
    ARGUMENT(blocklength) ARGUMENT(stride) ARGUMENT(oldtype) ARGUMENT(newtype))
FUNCTION(int, Type_create_hvector_c, TYPE_CREATE_HVECTOR_C, (QMPI_Context context, int tool_id,
    MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype,
    MPI_Datatype *newtype), (context, next_tool_id, count, blocklength, stride, oldtype, newtype),
    ARGUMENT(count) ARGUMENT(blocklength) ARGUMENT(stride) ARGUMENT(oldtype) ARGUMENT(newtype))
FUNCTION(int, Type_create_indexed_block, TYPE_CREATE_INDEXED_BLOCK, (QMPI_Context context,
    int tool_id, int count, int blocklength, const int array_of_displacements[],
    MPI_Datatype oldtype, MPI_Datatype *newtype), (context, next_tool_id, count, blocklength,
    array_of_displacements, oldtype, newtype), ARGUMENT(count) ARGUMENT(blocklength)
    ARGUMENT(array_of_displacements) ARGUMENT(oldtype) ARGUMENT(newtype))
FUNCTION(int, Type_create_indexed_block_c, TYPE_CREATE_INDEXED_BLOCK_C, (QMPI_Context context,
    int tool_id, MPI_Count count, MPI_Count blocklength, const MPI_Count array_of_displacements[],
    MPI_Datatype oldtype, MPI_Datatype *newtype), (context, next_tool_id, count, blocklength,
    array_of_displacements, oldtype, newtype), ARGUMENT(count) ARGUMENT(blocklength)
    ARGUMENT(array_of_displacements) ARGUMENT(oldtype) ARGUMENT(newtype))
FUNCTION(int, Type_create_keyval, TYPE_CREATE_KEYVAL, (QMPI_Context context, int tool_id,
    MPI_Type_copy_attr_function *type_copy_attr_fn,
    MPI_Type_delete_attr_function *type_delete_attr_fn, int *type_keyval, void *extra_state),
    (context, next_tool_id, type_copy_attr_fn, type_delete_attr_fn, type_keyval, extra_state),
    ARGUMENT(type_copy_attr_fn) ARGUMENT(type_delete_attr_fn) ARGUMENT(type_keyval)
    ARGUMENT(extra_state))
FUNCTION(int, Type_create_resized, TYPE_CREATE_RESIZED, (QMPI_Context context, int tool_id,
    MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *newtype), (context,
    next_tool_id, oldtype, lb, extent, newtype), ARGUMENT(oldtype) ARGUMENT(lb) ARGUMENT(extent)
    ARGUMENT(newtype))
FUNCTION(int, Type_create_resized_c, TYPE_CREATE_RESIZED_C, (QMPI_Context context, int tool_id,
    MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype *newtype), (context,
    next_tool_id, oldtype, lb, extent, newtype), ARGUMENT(oldtype) ARGUMENT(lb) ARGUMENT(extent)
    ARGUMENT(newtype))
FUNCTION(int, Type_create_struct, TYPE_CREATE_STRUCT, (QMPI_Context context, int tool_id, int count,
    const int array_of_blocklengths[], const MPI_Aint array_of_displacements[],
    const MPI_Datatype array_of_types[], MPI_Datatype *newtype), (context, next_tool_id, count,
    array_of_blocklengths, array_of_displacements, array_of_types, newtype), ARGUMENT(count)
    ARGUMENT(array_of_blocklengths) ARGUMENT(array_of_displacements) ARGUMENT(array_of_types)
    ARGUMENT(newtype))
FUNCTION(int, Type_create_struct_c, TYPE_CREATE_STRUCT_C, (QMPI_Context context, int tool_id,
    MPI_Count count, const MPI_Count array_of_blocklengths[],
    const MPI_Count array_of_displacements[], const MPI_Datatype array_of_types[],
    MPI_Datatype *newtype), (context, next_tool_id, count, array_of_blocklengths,
    array_of_displacements, array_of_types, newtype), ARGUMENT(count)
    ARGUMENT(array_of_blocklengths) ARGUMENT(array_of_displacements) ARGUMENT(array_of_types)
    ARGUMENT(newtype))
FUNCTION(int, Type_create_subarray, TYPE_CREATE_SUBARRAY, (QMPI_Context context, int tool_id,
    int ndims, const int array_of_sizes[], const int array_of_subsizes[],
    const int array_of_starts[], int order, MPI_Datatype oldtype, MPI_Datatype *newtype), (context,
    next_tool_id, ndims, array_of_sizes, array_of_subsizes, array_of_starts, order, oldtype,
    newtype), ARGUMENT(ndims) ARGUMENT(array_of_sizes) ARGUMENT(array_of_subsizes)
    ARGUMENT(array_of_starts) ARGUMENT(order) ARGUMENT(oldtype) ARGUMENT(newtype))
FUNCTION(int, Type_create_subarray_c, TYPE_CREATE_SUBARRAY_C, (QMPI_Context context, int tool_id,
    int ndims, const MPI_Count array_of_sizes[], const MPI_Count array_of_subsizes[],
    const MPI_Count array_of_starts[], int order, MPI_Datatype oldtype, MPI_Datatype *newtype),
    (context, next_tool_id, ndims, array_of_sizes, array_of_subsizes, array_of_starts, order,
    oldtype, newtype), ARGUMENT(ndims) ARGUMENT(array_of_sizes) ARGUMENT(array_of_subsizes)
    ARGUMENT(array_of_starts) ARGUMENT(order) ARGUMENT(oldtype) ARGUMENT(newtype))
FUNCTION(int, Type_delete_attr, TYPE_DELETE_ATTR, (QMPI_Context context, int tool_id,
    MPI_Datatype datatype, int type_keyval), (context, next_tool_id, datatype, type_keyval),
    ARGUMENT(datatype) ARGUMENT(type_keyval))
FUNCTION(int, Type_dup, TYPE_DUP, (QMPI_Context context, int tool_id, MPI_Datatype oldtype,
    MPI_Datatype *newtype), (context, next_tool_id, oldtype, newtype), ARGUMENT(oldtype)
    ARGUMENT(newtype))
FUNCTION(int, Type_free, TYPE_FREE, (QMPI_Context context, int tool_id, MPI_Datatype *datatype),
    (context, next_tool_id, datatype), ARGUMENT(datatype))
FUNCTION(int, Type_free_keyval, TYPE_FREE_KEYVAL, (QMPI_Context context, int tool_id,
    int *type_keyval), (context, next_tool_id, type_keyval), ARGUMENT(type_keyval))
FUNCTION(MPI_Datatype, Type_fromint, TYPE_FROMINT, (QMPI_Context context, int tool_id,
    int datatype), (context, next_tool_id, datatype), ARGUMENT(datatype))
FUNCTION(int, Type_get_attr, TYPE_GET_ATTR, (QMPI_Context context, int tool_id,
    MPI_Datatype datatype, int type_keyval, void *attribute_val, int *flag), (context, next_tool_id,
    datatype, type_keyval, attribute_val, flag), ARGUMENT(datatype) ARGUMENT(type_keyval)
    ARGUMENT(attribute_val) ARGUMENT(flag))
FUNCTION(int, Type_get_contents, TYPE_GET_CONTENTS, (QMPI_Context context, int tool_id,
    MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes,
    int array_of_integers[], MPI_Aint array_of_addresses[], MPI_Datatype array_of_datatypes[]),
    (context, next_tool_id, datatype, max_integers, max_addresses, max_datatypes, array_of_integers,
    array_of_addresses, array_of_datatypes), ARGUMENT(datatype) ARGUMENT(max_integers)
    ARGUMENT(max_addresses) ARGUMENT(max_datatypes) ARGUMENT(array_of_integers)
    ARGUMENT(array_of_addresses) ARGUMENT(array_of_datatypes))
FUNCTION(int, Type_get_contents_c, TYPE_GET_CONTENTS_C, (QMPI_Context context, int tool_id,
    MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses,
    MPI_Count max_large_counts, MPI_Count max_datatypes, int array_of_integers[],
    MPI_Aint array_of_addresses[], MPI_Count array_of_large_counts[],
    MPI_Datatype array_of_datatypes[]), (context, next_tool_id, datatype, max_integers,
    max_addresses, max_large_counts, max_datatypes, array_of_integers, array_of_addresses,
    array_of_large_counts, array_of_datatypes), ARGUMENT(datatype) ARGUMENT(max_integers)
    ARGUMENT(max_addresses) ARGUMENT(max_large_counts) ARGUMENT(max_datatypes)
    ARGUMENT(array_of_integers) ARGUMENT(array_of_addresses) ARGUMENT(array_of_large_counts)
    ARGUMENT(array_of_datatypes))
FUNCTION(int, Type_get_envelope, TYPE_GET_ENVELOPE, (QMPI_Context context, int tool_id,
    MPI_Datatype datatype, int *num_integers, int *num_addresses, int *num_datatypes,
    int *combiner), (context, next_tool_id, datatype, num_integers, num_addresses, num_datatypes,
    combiner), ARGUMENT(datatype) ARGUMENT(num_integers) ARGUMENT(num_addresses)
    ARGUMENT(num_datatypes) ARGUMENT(combiner))
FUNCTION(int, Type_get_envelope_c, TYPE_GET_ENVELOPE_C, (QMPI_Context context, int tool_id,
    MPI_Datatype datatype, MPI_Count *num_integers, MPI_Count *num_addresses,
    MPI_Count *num_large_counts, MPI_Count *num_datatypes, int *combiner), (context, next_tool_id,
    datatype, num_integers, num_addresses, num_large_counts, num_datatypes, combiner),
    ARGUMENT(datatype) ARGUMENT(num_integers) ARGUMENT(num_addresses) ARGUMENT(num_large_counts)
    ARGUMENT(num_datatypes) ARGUMENT(combiner))
FUNCTION(int, Type_get_extent, TYPE_GET_EXTENT, (QMPI_Context context, int tool_id,
    MPI_Datatype datatype, MPI_Aint *lb, MPI_Aint *extent), (context, next_tool_id, datatype, lb,
    extent), ARGUMENT(datatype) ARGUMENT(lb) ARGUMENT(extent))
FUNCTION(int, Type_get_extent_c, TYPE_GET_EXTENT_C, (QMPI_Context context, int tool_id,
    MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent), (context, next_tool_id, datatype, lb,
    extent), ARGUMENT(datatype) ARGUMENT(lb) ARGUMENT(extent))
FUNCTION(int, Type_get_extent_x, TYPE_GET_EXTENT_X, (QMPI_Context context, int tool_id,
    MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent), (context, next_tool_id, datatype, lb,
    extent), ARGUMENT(datatype) ARGUMENT(lb) ARGUMENT(extent))
FUNCTION(int, Type_get_name, TYPE_GET_NAME, (QMPI_Context context, int tool_id,
    MPI_Datatype datatype, char *type_name, int *resultlen), (context, next_tool_id, datatype,
    type_name, resultlen), ARGUMENT(datatype) ARGUMENT(type_name) ARGUMENT(resultlen))
FUNCTION(int, Type_get_true_extent, TYPE_GET_TRUE_EXTENT, (QMPI_Context context, int tool_id,
    MPI_Datatype datatype, MPI_Aint *true_lb, MPI_Aint *true_extent), (context, next_tool_id,
    datatype, true_lb, true_extent), ARGUMENT(datatype) ARGUMENT(true_lb) ARGUMENT(true_extent))
FUNCTION(int, Type_get_true_extent_c, TYPE_GET_TRUE_EXTENT_C, (QMPI_Context context, int tool_id,
    MPI_Datatype datatype, MPI_Count *true_lb, MPI_Count *true_extent), (context, next_tool_id,
    datatype, true_lb, true_extent), ARGUMENT(datatype) ARGUMENT(true_lb) ARGUMENT(true_extent))
FUNCTION(int, Type_get_true_extent_x, TYPE_GET_TRUE_EXTENT_X, (QMPI_Context context, int tool_id,
    MPI_Datatype datatype, MPI_Count *true_lb, MPI_Count *true_extent), (context, next_tool_id,
    datatype, true_lb, true_extent), ARGUMENT(datatype) ARGUMENT(true_lb) ARGUMENT(true_extent))
FUNCTION(int, Type_get_value_index, TYPE_GET_VALUE_INDEX, (QMPI_Context context, int tool_id,
    MPI_Datatype value_type, MPI_Datatype index_type, MPI_Datatype *pair_type), (context,
    next_tool_id, value_type, index_type, pair_type), ARGUMENT(value_type) ARGUMENT(index_type)
    ARGUMENT(pair_type))
FUNCTION(int, Type_indexed, TYPE_INDEXED, (QMPI_Context context, int tool_id, int count,
    const int array_of_blocklengths[], const int array_of_displacements[], MPI_Datatype oldtype,
    MPI_Datatype *newtype), (context, next_tool_id, count, array_of_blocklengths,
    array_of_displacements, oldtype, newtype), ARGUMENT(count) ARGUMENT(array_of_blocklengths)
    ARGUMENT(array_of_displacements) ARGUMENT(oldtype) ARGUMENT(newtype))
FUNCTION(int, Type_indexed_c, TYPE_INDEXED_C, (QMPI_Context context, int tool_id, MPI_Count count,
    const MPI_Count array_of_blocklengths[], const MPI_Count array_of_displacements[],
    MPI_Datatype oldtype, MPI_Datatype *newtype), (context, next_tool_id, count,
    array_of_blocklengths, array_of_displacements, oldtype, newtype), ARGUMENT(count)
    ARGUMENT(array_of_blocklengths) ARGUMENT(array_of_displacements) ARGUMENT(oldtype)
    ARGUMENT(newtype))
FUNCTION(int, Type_match_size, TYPE_MATCH_SIZE, (QMPI_Context context, int tool_id, int typeclass,
    int size, MPI_Datatype *datatype), (context, next_tool_id, typeclass, size, datatype),
    ARGUMENT(typeclass) ARGUMENT(size) ARGUMENT(datatype))
FUNCTION(int, Type_set_attr, TYPE_SET_ATTR, (QMPI_Context context, int tool_id,
    MPI_Datatype datatype, int type_keyval, void *attribute_val), (context, next_tool_id, datatype,
    type_keyval, attribute_val), ARGUMENT(datatype) ARGUMENT(type_keyval) ARGUMENT(attribute_val))
FUNCTION(int, Type_set_name, TYPE_SET_NAME, (QMPI_Context context, int tool_id,
    MPI_Datatype datatype, const char *type_name), (context, next_tool_id, datatype, type_name),
    ARGUMENT(datatype) ARGUMENT(type_name))
FUNCTION(int, Type_size, TYPE_SIZE, (QMPI_Context context, int tool_id, MPI_Datatype datatype,
    int *size), (context, next_tool_id, datatype, size), ARGUMENT(datatype) ARGUMENT(size))
FUNCTION(int, Type_size_c, TYPE_SIZE_C, (QMPI_Context context, int tool_id, MPI_Datatype datatype,
    MPI_Count *size), (context, next_tool_id, datatype, size), ARGUMENT(datatype) ARGUMENT(size))
FUNCTION(int, Type_size_x, TYPE_SIZE_X, (QMPI_Context context, int tool_id, MPI_Datatype datatype,
    MPI_Count *size), (context, next_tool_id, datatype, size), ARGUMENT(datatype) ARGUMENT(size))
FUNCTION(int, Type_toint, TYPE_TOINT, (QMPI_Context context, int tool_id, MPI_Datatype datatype),
    (context, next_tool_id, datatype), ARGUMENT(datatype))
FUNCTION(int, Type_vector, TYPE_VECTOR, (QMPI_Context context, int tool_id, int count,
    int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype *newtype), (context,
    next_tool_id, count, blocklength, stride, oldtype, newtype), ARGUMENT(count)
    ARGUMENT(blocklength) ARGUMENT(stride) ARGUMENT(oldtype) ARGUMENT(newtype))
FUNCTION(int, Type_vector_c, TYPE_VECTOR_C, (QMPI_Context context, int tool_id, MPI_Count count,
    MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype, MPI_Datatype *newtype), (context,
    next_tool_id, count, blocklength, stride, oldtype, newtype), ARGUMENT(count)
    ARGUMENT(blocklength) ARGUMENT(stride) ARGUMENT(oldtype) ARGUMENT(newtype))
FUNCTION(int, Unpack, UNPACK, (QMPI_Context context, int tool_id, const void *inbuf, int insize,
    int *position, void *outbuf, int outcount, MPI_Datatype datatype, MPI_Comm comm), (context,
    next_tool_id, inbuf, insize, position, outbuf, outcount, datatype, comm), ARGUMENT(inbuf)
    ARGUMENT(insize) ARGUMENT(position) ARGUMENT(outbuf) ARGUMENT(outcount) ARGUMENT(datatype)
    ARGUMENT(comm))
FUNCTION(int, Unpack_c, UNPACK_C, (QMPI_Context context, int tool_id, const void *inbuf,
    MPI_Count insize, MPI_Count *position, void *outbuf, MPI_Count outcount, MPI_Datatype datatype,
    MPI_Comm comm), (context, next_tool_id, inbuf, insize, position, outbuf, outcount, datatype,
    comm), ARGUMENT(inbuf) ARGUMENT(insize) ARGUMENT(position) ARGUMENT(outbuf) ARGUMENT(outcount)
    ARGUMENT(datatype) ARGUMENT(comm))
FUNCTION(int, Unpack_external, UNPACK_EXTERNAL, (QMPI_Context context, int tool_id,
    const char datarep[], const void *inbuf, MPI_Aint insize, MPI_Aint *position, void *outbuf,
    int outcount, MPI_Datatype datatype), (context, next_tool_id, datarep, inbuf, insize, position,
    outbuf, outcount, datatype), ARGUMENT(datarep) ARGUMENT(inbuf) ARGUMENT(insize)
    ARGUMENT(position) ARGUMENT(outbuf) ARGUMENT(outcount) ARGUMENT(datatype))
FUNCTION(int, Unpack_external_c, UNPACK_EXTERNAL_C, (QMPI_Context context, int tool_id,
    const char datarep[], const void *inbuf, MPI_Count insize, MPI_Count *position, void *outbuf,
    MPI_Count outcount, MPI_Datatype datatype), (context, next_tool_id, datarep, inbuf, insize,
    position, outbuf, outcount, datatype), ARGUMENT(datarep) ARGUMENT(inbuf) ARGUMENT(insize)
    ARGUMENT(position) ARGUMENT(outbuf) ARGUMENT(outcount) ARGUMENT(datatype))
FUNCTION(int, Unpublish_name, UNPUBLISH_NAME, (QMPI_Context context, int tool_id,
    const char *service_name, MPI_Info info, const char *port_name), (context, next_tool_id,
    service_name, info, port_name), ARGUMENT(service_name) ARGUMENT(info) ARGUMENT(port_name))
FUNCTION(int, Wait, WAIT, (QMPI_Context context, int tool_id, MPI_Request *request,
    MPI_Status *status), (context, next_tool_id, request, status), ARGUMENT(request)
    ARGUMENT(status))
FUNCTION(int, Waitall, WAITALL, (QMPI_Context context, int tool_id, int count,
    MPI_Request array_of_requests[], MPI_Status *array_of_statuses), (context, next_tool_id, count,
    array_of_requests, array_of_statuses), ARGUMENT(count) ARGUMENT(array_of_requests)
    ARGUMENT(array_of_statuses))
FUNCTION(int, Waitany, WAITANY, (QMPI_Context context, int tool_id, int count,
    MPI_Request array_of_requests[], int *indx, MPI_Status *status), (context, next_tool_id, count,
    array_of_requests, indx, status), ARGUMENT(count) ARGUMENT(array_of_requests) ARGUMENT(indx)
    ARGUMENT(status))
FUNCTION(int, Waitsome, WAITSOME, (QMPI_Context context, int tool_id, int incount,
    MPI_Request array_of_requests[], int *outcount, int array_of_indices[],
    MPI_Status *array_of_statuses), (context, next_tool_id, incount, array_of_requests, outcount,
    array_of_indices, array_of_statuses), ARGUMENT(incount) ARGUMENT(array_of_requests)
    ARGUMENT(outcount) ARGUMENT(array_of_indices) ARGUMENT(array_of_statuses))
FUNCTION(int, Win_allocate, WIN_ALLOCATE, (QMPI_Context context, int tool_id, MPI_Aint size,
    int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win), (context,
    next_tool_id, size, disp_unit, info, comm, baseptr, win), ARGUMENT(size) ARGUMENT(disp_unit)
    ARGUMENT(info) ARGUMENT(comm) ARGUMENT(baseptr) ARGUMENT(win))
FUNCTION(int, Win_allocate_c, WIN_ALLOCATE_C, (QMPI_Context context, int tool_id, MPI_Aint size,
    MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win), (context,
    next_tool_id, size, disp_unit, info, comm, baseptr, win), ARGUMENT(size) ARGUMENT(disp_unit)
    ARGUMENT(info) ARGUMENT(comm) ARGUMENT(baseptr) ARGUMENT(win))
FUNCTION(int, Win_allocate_shared, WIN_ALLOCATE_SHARED, (QMPI_Context context, int tool_id,
    MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win),
    (context, next_tool_id, size, disp_unit, info, comm, baseptr, win), ARGUMENT(size)
    ARGUMENT(disp_unit) ARGUMENT(info) ARGUMENT(comm) ARGUMENT(baseptr) ARGUMENT(win))
FUNCTION(int, Win_allocate_shared_c, WIN_ALLOCATE_SHARED_C, (QMPI_Context context, int tool_id,
    MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win),
    (context, next_tool_id, size, disp_unit, info, comm, baseptr, win), ARGUMENT(size)
    ARGUMENT(disp_unit) ARGUMENT(info) ARGUMENT(comm) ARGUMENT(baseptr) ARGUMENT(win))
FUNCTION(int, Win_attach, WIN_ATTACH, (QMPI_Context context, int tool_id, MPI_Win win, void *base,
    MPI_Aint size), (context, next_tool_id, win, base, size), ARGUMENT(win) ARGUMENT(base)
    ARGUMENT(size))
FUNCTION(int, Win_call_errhandler, WIN_CALL_ERRHANDLER, (QMPI_Context context, int tool_id,
    MPI_Win win, int errorcode), (context, next_tool_id, win, errorcode), ARGUMENT(win)
    ARGUMENT(errorcode))
FUNCTION(int, Win_complete, WIN_COMPLETE, (QMPI_Context context, int tool_id, MPI_Win win),
    (context, next_tool_id, win), ARGUMENT(win))
FUNCTION(int, Win_create, WIN_CREATE, (QMPI_Context context, int tool_id, void *base, MPI_Aint size,
    int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win), (context, next_tool_id, base, size,
    disp_unit, info, comm, win), ARGUMENT(base) ARGUMENT(size) ARGUMENT(disp_unit) ARGUMENT(info)
    ARGUMENT(comm) ARGUMENT(win))
FUNCTION(int, Win_create_c, WIN_CREATE_C, (QMPI_Context context, int tool_id, void *base,
    MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win), (context,
    next_tool_id, base, size, disp_unit, info, comm, win), ARGUMENT(base) ARGUMENT(size)
    ARGUMENT(disp_unit) ARGUMENT(info) ARGUMENT(comm) ARGUMENT(win))
FUNCTION(int, Win_create_dynamic, WIN_CREATE_DYNAMIC, (QMPI_Context context, int tool_id,
    MPI_Info info, MPI_Comm comm, MPI_Win *win), (context, next_tool_id, info, comm, win),
    ARGUMENT(info) ARGUMENT(comm) ARGUMENT(win))
FUNCTION(int, Win_create_errhandler, WIN_CREATE_ERRHANDLER, (QMPI_Context context, int tool_id,
    MPI_Win_errhandler_function *win_errhandler_fn, MPI_Errhandler *errhandler), (context,
    next_tool_id, win_errhandler_fn, errhandler), ARGUMENT(win_errhandler_fn) ARGUMENT(errhandler))
FUNCTION(int, Win_create_keyval, WIN_CREATE_KEYVAL, (QMPI_Context context, int tool_id,
    MPI_Win_copy_attr_function *win_copy_attr_fn, MPI_Win_delete_attr_function *win_delete_attr_fn,
    int *win_keyval, void *extra_state), (context, next_tool_id, win_copy_attr_fn,
    win_delete_attr_fn, win_keyval, extra_state), ARGUMENT(win_copy_attr_fn)
    ARGUMENT(win_delete_attr_fn) ARGUMENT(win_keyval) ARGUMENT(extra_state))
FUNCTION(int, Win_delete_attr, WIN_DELETE_ATTR, (QMPI_Context context, int tool_id, MPI_Win win,
    int win_keyval), (context, next_tool_id, win, win_keyval), ARGUMENT(win) ARGUMENT(win_keyval))
FUNCTION(int, Win_detach, WIN_DETACH, (QMPI_Context context, int tool_id, MPI_Win win,
    const void *base), (context, next_tool_id, win, base), ARGUMENT(win) ARGUMENT(base))
FUNCTION(int, Win_fence, WIN_FENCE, (QMPI_Context context, int tool_id, int assert, MPI_Win win),
    (context, next_tool_id, assert, win), ARGUMENT(assert) ARGUMENT(win))
FUNCTION(int, Win_flush, WIN_FLUSH, (QMPI_Context context, int tool_id, int rank, MPI_Win win),
    (context, next_tool_id, rank, win), ARGUMENT(rank) ARGUMENT(win))
FUNCTION(int, Win_flush_all, WIN_FLUSH_ALL, (QMPI_Context context, int tool_id, MPI_Win win),
    (context, next_tool_id, win), ARGUMENT(win))
FUNCTION(int, Win_flush_local, WIN_FLUSH_LOCAL, (QMPI_Context context, int tool_id, int rank,
    MPI_Win win), (context, next_tool_id, rank, win), ARGUMENT(rank) ARGUMENT(win))
FUNCTION(int, Win_flush_local_all, WIN_FLUSH_LOCAL_ALL, (QMPI_Context context, int tool_id,
    MPI_Win win), (context, next_tool_id, win), ARGUMENT(win))
FUNCTION(int, Win_free, WIN_FREE, (QMPI_Context context, int tool_id, MPI_Win *win), (context,
    next_tool_id, win), ARGUMENT(win))
FUNCTION(int, Win_free_keyval, WIN_FREE_KEYVAL, (QMPI_Context context, int tool_id,
    int *win_keyval), (context, next_tool_id, win_keyval), ARGUMENT(win_keyval))
FUNCTION(MPI_Win, Win_fromint, WIN_FROMINT, (QMPI_Context context, int tool_id, int win), (context,
    next_tool_id, win), ARGUMENT(win))
FUNCTION(int, Win_get_attr, WIN_GET_ATTR, (QMPI_Context context, int tool_id, MPI_Win win,
    int win_keyval, void *attribute_val, int *flag), (context, next_tool_id, win, win_keyval,
    attribute_val, flag), ARGUMENT(win) ARGUMENT(win_keyval) ARGUMENT(attribute_val) ARGUMENT(flag))
FUNCTION(int, Win_get_errhandler, WIN_GET_ERRHANDLER, (QMPI_Context context, int tool_id,
    MPI_Win win, MPI_Errhandler *errhandler), (context, next_tool_id, win, errhandler),
    ARGUMENT(win) ARGUMENT(errhandler))
FUNCTION(int, Win_get_group, WIN_GET_GROUP, (QMPI_Context context, int tool_id, MPI_Win win,
    MPI_Group *group), (context, next_tool_id, win, group), ARGUMENT(win) ARGUMENT(group))
FUNCTION(int, Win_get_info, WIN_GET_INFO, (QMPI_Context context, int tool_id, MPI_Win win,
    MPI_Info *info_used), (context, next_tool_id, win, info_used), ARGUMENT(win)
    ARGUMENT(info_used))
FUNCTION(int, Win_get_name, WIN_GET_NAME, (QMPI_Context context, int tool_id, MPI_Win win,
    char *win_name, int *resultlen), (context, next_tool_id, win, win_name, resultlen),
    ARGUMENT(win) ARGUMENT(win_name) ARGUMENT(resultlen))
FUNCTION(int, Win_lock, WIN_LOCK, (QMPI_Context context, int tool_id, int lock_type, int rank,
    int assert, MPI_Win win), (context, next_tool_id, lock_type, rank, assert, win),
    ARGUMENT(lock_type) ARGUMENT(rank) ARGUMENT(assert) ARGUMENT(win))
FUNCTION(int, Win_lock_all, WIN_LOCK_ALL, (QMPI_Context context, int tool_id, int assert,
    MPI_Win win), (context, next_tool_id, assert, win), ARGUMENT(assert) ARGUMENT(win))
FUNCTION(int, Win_post, WIN_POST, (QMPI_Context context, int tool_id, MPI_Group group, int assert,
    MPI_Win win), (context, next_tool_id, group, assert, win), ARGUMENT(group) ARGUMENT(assert)
    ARGUMENT(win))
FUNCTION(int, Win_set_attr, WIN_SET_ATTR, (QMPI_Context context, int tool_id, MPI_Win win,
    int win_keyval, void *attribute_val), (context, next_tool_id, win, win_keyval, attribute_val),
    ARGUMENT(win) ARGUMENT(win_keyval) ARGUMENT(attribute_val))
FUNCTION(int, Win_set_errhandler, WIN_SET_ERRHANDLER, (QMPI_Context context, int tool_id,
    MPI_Win win, MPI_Errhandler errhandler), (context, next_tool_id, win, errhandler), ARGUMENT(win)
    ARGUMENT(errhandler))
FUNCTION(int, Win_set_info, WIN_SET_INFO, (QMPI_Context context, int tool_id, MPI_Win win,
    MPI_Info info), (context, next_tool_id, win, info), ARGUMENT(win) ARGUMENT(info))
FUNCTION(int, Win_set_name, WIN_SET_NAME, (QMPI_Context context, int tool_id, MPI_Win win,
    const char *win_name), (context, next_tool_id, win, win_name), ARGUMENT(win) ARGUMENT(win_name))
FUNCTION(int, Win_shared_query, WIN_SHARED_QUERY, (QMPI_Context context, int tool_id, MPI_Win win,
    int rank, MPI_Aint *size, int *disp_unit, void *baseptr), (context, next_tool_id, win, rank,
    size, disp_unit, baseptr), ARGUMENT(win) ARGUMENT(rank) ARGUMENT(size) ARGUMENT(disp_unit)
    ARGUMENT(baseptr))
FUNCTION(int, Win_shared_query_c, WIN_SHARED_QUERY_C, (QMPI_Context context, int tool_id,
    MPI_Win win, int rank, MPI_Aint *size, MPI_Aint *disp_unit, void *baseptr), (context,
    next_tool_id, win, rank, size, disp_unit, baseptr), ARGUMENT(win) ARGUMENT(rank) ARGUMENT(size)
    ARGUMENT(disp_unit) ARGUMENT(baseptr))
FUNCTION(int, Win_start, WIN_START, (QMPI_Context context, int tool_id, MPI_Group group, int assert,
    MPI_Win win), (context, next_tool_id, group, assert, win), ARGUMENT(group) ARGUMENT(assert)
    ARGUMENT(win))
FUNCTION(int, Win_sync, WIN_SYNC, (QMPI_Context context, int tool_id, MPI_Win win), (context,
    next_tool_id, win), ARGUMENT(win))
FUNCTION(int, Win_test, WIN_TEST, (QMPI_Context context, int tool_id, MPI_Win win, int *flag),
    (context, next_tool_id, win, flag), ARGUMENT(win) ARGUMENT(flag))
FUNCTION(int, Win_toint, WIN_TOINT, (QMPI_Context context, int tool_id, MPI_Win win), (context,
    next_tool_id, win), ARGUMENT(win))
FUNCTION(int, Win_unlock, WIN_UNLOCK, (QMPI_Context context, int tool_id, int rank, MPI_Win win),
    (context, next_tool_id, rank, win), ARGUMENT(rank) ARGUMENT(win))
FUNCTION(int, Win_unlock_all, WIN_UNLOCK_ALL, (QMPI_Context context, int tool_id, MPI_Win win),
    (context, next_tool_id, win), ARGUMENT(win))
FUNCTION(int, Win_wait, WIN_WAIT, (QMPI_Context context, int tool_id, MPI_Win win), (context,
    next_tool_id, win), ARGUMENT(win))
FUNCTION(double, Wtick, WTICK, (QMPI_Context context, int tool_id), (context, next_tool_id), )
FUNCTION(double, Wtime, WTIME, (QMPI_Context context, int tool_id), (context, next_tool_id), )

#undef FUNCTION
#undef VARIADIC_FUNCTION
#undef ARGUMENT
