//! The functions that start operations and make persistent requests for them, once for each family
//! of arguments.

use std::ffi::{c_int, c_void};

use super::plan::{describe, launch, perform};
use super::{alltoall, broadcast, gather, neighbours, reduce};
use crate::abi::*;
use crate::arguments::{Counts, Out};
use crate::collectives::under_way::Collective;
use crate::error::Result;

/// The nonblocking and the persistent function of operations: those arguments, then the
/// communicator.
macro_rules! forms {
    ($($operation:ident: $starts:ident, $describes:ident = $family:ident::$plan:ident(
        $($argument:ident: $type:ty),*
    );)*) => {$(
        #[doc = concat!("`MPI_", stringify!($operation), "`, nonblocking.")]
        #[allow(clippy::too_many_arguments, reason = "the parameters of the C function")]
        pub(crate) fn $starts(
            $($argument: $type,)*
            comm: MPI_Comm,
            request: Out<MPI_Request>,
        ) -> Result {
            launch(Collective::$operation, comm, request, |plan| {
                $family::$plan(plan, $($argument),*)
            })
        }

        #[doc = concat!("`MPI_", stringify!($operation), "`, persistent.")]
        #[allow(clippy::too_many_arguments, reason = "the parameters of the C function")]
        pub(crate) fn $describes(
            $($argument: $type,)*
            comm: MPI_Comm,
            info: MPI_Info,
            request: Out<MPI_Request>,
        ) -> Result {
            describe(Collective::$operation, comm, info, request, |plan| {
                $family::$plan(plan, $($argument),*)
            })
        }
    )*};
}

forms! {
    Barrier: ibarrier, barrier_init = broadcast::barrier();
    Bcast: ibcast, bcast_init = broadcast::bcast(
        buffer: *mut c_void, count: MPI_Count, datatype: MPI_Datatype, root: c_int
    );
    Gather: igather, gather_init = gather::gather(
        sendbuf: *const c_void, sendcount: MPI_Count, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcount: MPI_Count, recvtype: MPI_Datatype, root: c_int
    );
    Gatherv: igatherv, gatherv_init = gather::gatherv(
        sendbuf: *const c_void, sendcount: MPI_Count, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcounts: Counts, displs: Counts, recvtype: MPI_Datatype,
        root: c_int
    );
    Scatter: iscatter, scatter_init = gather::scatter(
        sendbuf: *const c_void, sendcount: MPI_Count, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcount: MPI_Count, recvtype: MPI_Datatype, root: c_int
    );
    Scatterv: iscatterv, scatterv_init = gather::scatterv(
        sendbuf: *const c_void, sendcounts: Counts, displs: Counts, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcount: MPI_Count, recvtype: MPI_Datatype, root: c_int
    );
    Allgather: iallgather, allgather_init = gather::allgather(
        sendbuf: *const c_void, sendcount: MPI_Count, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcount: MPI_Count, recvtype: MPI_Datatype
    );
    Allgatherv: iallgatherv, allgatherv_init = gather::allgatherv(
        sendbuf: *const c_void, sendcount: MPI_Count, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcounts: Counts, displs: Counts, recvtype: MPI_Datatype
    );
    Alltoall: ialltoall, alltoall_init = alltoall::alltoall(
        sendbuf: *const c_void, sendcount: MPI_Count, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcount: MPI_Count, recvtype: MPI_Datatype
    );
    Alltoallv: ialltoallv, alltoallv_init = alltoall::alltoallv(
        sendbuf: *const c_void, sendcounts: Counts, sdispls: Counts, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcounts: Counts, rdispls: Counts, recvtype: MPI_Datatype
    );
    Alltoallw: ialltoallw, alltoallw_init = alltoall::alltoallw(
        sendbuf: *const c_void, sendcounts: Counts, sdispls: Counts,
        sendtypes: *const MPI_Datatype,
        recvbuf: *mut c_void, recvcounts: Counts, rdispls: Counts,
        recvtypes: *const MPI_Datatype
    );
    Reduce: ireduce, reduce_init = reduce::reduce(
        sendbuf: *const c_void, recvbuf: *mut c_void, count: MPI_Count, datatype: MPI_Datatype,
        op: MPI_Op, root: c_int
    );
    Allreduce: iallreduce, allreduce_init = reduce::allreduce(
        sendbuf: *const c_void, recvbuf: *mut c_void, count: MPI_Count, datatype: MPI_Datatype,
        op: MPI_Op
    );
    ReduceScatter: ireduce_scatter, reduce_scatter_init = reduce::reduce_scatter(
        sendbuf: *const c_void, recvbuf: *mut c_void, recvcounts: Counts, datatype: MPI_Datatype,
        op: MPI_Op
    );
    ReduceScatterBlock: ireduce_scatter_block, reduce_scatter_block_init =
        reduce::reduce_scatter_block(
            sendbuf: *const c_void, recvbuf: *mut c_void, recvcount: MPI_Count,
            datatype: MPI_Datatype, op: MPI_Op
        );
    Scan: iscan, scan_init = reduce::scan(
        sendbuf: *const c_void, recvbuf: *mut c_void, count: MPI_Count, datatype: MPI_Datatype,
        op: MPI_Op
    );
    Exscan: iexscan, exscan_init = reduce::exscan(
        sendbuf: *const c_void, recvbuf: *mut c_void, count: MPI_Count, datatype: MPI_Datatype,
        op: MPI_Op
    );
}

/// The blocking, nonblocking and persistent functions of operations that are schedules in every
/// form.
macro_rules! neighbourhood_forms {
    ($($operation:ident: $does:ident, $starts:ident, $describes:ident = $plan:ident(
        $($argument:ident: $type:ty),*
    );)*) => {
        $(
            #[doc = concat!("`MPI_", stringify!($operation), "`")]
            #[allow(clippy::too_many_arguments, reason = "the parameters of the C function")]
            pub(crate) fn $does($($argument: $type,)* comm: MPI_Comm) -> Result {
                perform(Collective::$operation, comm, |plan| {
                    neighbours::$plan(plan, $($argument),*)
                })
            }
        )*

        forms! {
            $($operation: $starts, $describes = neighbours::$plan($($argument: $type),*);)*
        }
    };
}

neighbourhood_forms! {
    NeighborAllgather: neighbor_allgather, ineighbor_allgather, neighbor_allgather_init =
        allgather(
            sendbuf: *const c_void, sendcount: MPI_Count, sendtype: MPI_Datatype,
            recvbuf: *mut c_void, recvcount: MPI_Count, recvtype: MPI_Datatype
        );
    NeighborAllgatherv: neighbor_allgatherv, ineighbor_allgatherv, neighbor_allgatherv_init =
        allgatherv(
            sendbuf: *const c_void, sendcount: MPI_Count, sendtype: MPI_Datatype,
            recvbuf: *mut c_void, recvcounts: Counts, displs: Counts, recvtype: MPI_Datatype
        );
    NeighborAlltoall: neighbor_alltoall, ineighbor_alltoall, neighbor_alltoall_init =
        alltoall(
            sendbuf: *const c_void, sendcount: MPI_Count, sendtype: MPI_Datatype,
            recvbuf: *mut c_void, recvcount: MPI_Count, recvtype: MPI_Datatype
        );
    NeighborAlltoallv: neighbor_alltoallv, ineighbor_alltoallv, neighbor_alltoallv_init =
        alltoallv(
            sendbuf: *const c_void, sendcounts: Counts, sdispls: Counts, sendtype: MPI_Datatype,
            recvbuf: *mut c_void, recvcounts: Counts, rdispls: Counts, recvtype: MPI_Datatype
        );
    NeighborAlltoallw: neighbor_alltoallw, ineighbor_alltoallw, neighbor_alltoallw_init =
        alltoallw(
            sendbuf: *const c_void, sendcounts: Counts, sdispls: *const MPI_Aint,
            sendtypes: *const MPI_Datatype, recvbuf: *mut c_void, recvcounts: Counts,
            rdispls: *const MPI_Aint, recvtypes: *const MPI_Datatype
        );
}
