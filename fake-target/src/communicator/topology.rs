//! Cartesian topologies (MPI 5.0, section 8.5). The ranks stay those of the communicator that the
//! topology is made of, in row-major order.

use std::ffi::c_int;

use super::annex::Topology;
use super::cartesian::Cartesian;
use super::creation::split_into;
use super::object::{Communicator, resolve};
use crate::abi::*;
use crate::arguments::{Out, array, array_mut};
use crate::error::{Error, Result};

fn topology(communicator: &'static Communicator) -> Result<&'static Cartesian> {
    let none = || Error::new(MPI_ERR_TOPOLOGY, "the communicator has no Cartesian topology");
    match communicator.annex.topology() {
        Some(Topology::Cartesian(grid)) => Ok(grid),
        _ => Err(none()),
    }
}

/// A rank of the communicator as an index; `MPI_ERR_RANK` if there is no such rank.
pub(super) fn index(communicator: &Communicator, rank: c_int) -> Result<c_int> {
    if (0..communicator.size()).contains(&rank) {
        return Ok(rank);
    }
    Err(Error::outside(MPI_ERR_RANK, "rank", rank, communicator.size() as usize))
}

/// The grid of the arguments, if the communicator has enough processes for it.
fn fitting(
    communicator: &Communicator,
    ndims: c_int,
    dims: *const c_int,
    periods: *const c_int,
) -> Result<Cartesian> {
    let grid = Cartesian::new(ndims, dims, periods)?;
    if communicator.remote().is_some() {
        return Err(Error::new(MPI_ERR_COMM, "the communicator is an intercommunicator"));
    }
    if grid.processes() > communicator.size().into() {
        return Err(Error::new(
            MPI_ERR_DIMS,
            format!(
                "the grid has {} places, the communicator {} processes",
                grid.processes(),
                communicator.size()
            ),
        ));
    }
    Ok(grid)
}

/// `MPI_Cart_create`; ranks are not reordered.
pub(crate) fn cart_create(
    comm_old: MPI_Comm,
    ndims: c_int,
    dims: *const c_int,
    periods: *const c_int,
    _reorder: c_int,
    comm_cart: Out<MPI_Comm>,
) -> Result {
    comm_cart.set(MPI_COMM_NULL);
    let parent = resolve(comm_old)?;
    let grid = fitting(parent, ndims, dims, periods).map(|grid| {
        let inside = i64::from(parent.rank()) < grid.processes();
        ((if inside { 0 } else { MPI_UNDEFINED }, parent.rank()), grid)
    });
    let (communicator, grid) = split_into(parent, grid)?;
    if let Some(communicator) = communicator {
        communicator.annex.set_topology(Topology::Cartesian(grid));
    }
    comm_cart.set(communicator.map_or(MPI_COMM_NULL, Communicator::handle));
    Ok(())
}

/// `MPI_Cart_map`
pub(crate) fn cart_map(
    comm: MPI_Comm,
    ndims: c_int,
    dims: *const c_int,
    periods: *const c_int,
    newrank: Out<c_int>,
) -> Result {
    let communicator = resolve(comm)?;
    let lengths = array(dims, usize::try_from(ndims).unwrap_or(0), "dims")?;
    if lengths.contains(&0) && lengths.iter().all(|length| *length >= 0) {
        // Nobody has a place in an empty grid.
        newrank.set(MPI_UNDEFINED);
        return Ok(());
    }
    let grid = fitting(communicator, ndims, dims, periods)?;
    let inside = i64::from(communicator.rank()) < grid.processes();
    newrank.set(if inside { communicator.rank() } else { MPI_UNDEFINED });
    Ok(())
}

/// `MPI_Topo_test`
pub(crate) fn topo_test(comm: MPI_Comm, status: Out<c_int>) -> Result {
    status.set(match resolve(comm)?.annex.topology() {
        None => MPI_UNDEFINED,
        Some(Topology::Cartesian(_)) => MPI_CART,
        Some(Topology::Graph(_)) => MPI_GRAPH,
        Some(Topology::Distributed(_)) => MPI_DIST_GRAPH,
    });
    Ok(())
}

/// `MPI_Cartdim_get`
pub(crate) fn cartdim_get(comm: MPI_Comm, ndims: Out<c_int>) -> Result {
    ndims.set(topology(resolve(comm)?)?.dimensions.len() as c_int);
    Ok(())
}

/// Writes as many values as there are and fit.
pub(super) fn write(
    to: *mut c_int,
    most: c_int,
    name: &'static str,
    values: impl ExactSizeIterator<Item = c_int>,
) -> Result {
    let room = values.len().min(most.max(0) as usize);
    for (to, value) in array_mut(to, room, name)?.iter_mut().zip(values) {
        *to = value;
    }
    Ok(())
}

/// `MPI_Cart_get`
pub(crate) fn cart_get(
    comm: MPI_Comm,
    maxdims: c_int,
    dims: *mut c_int,
    periods: *mut c_int,
    coords: *mut c_int,
) -> Result {
    let communicator = resolve(comm)?;
    let grid = topology(communicator)?;
    write(dims, maxdims, "dims", grid.dimensions.iter().map(|d| d.length))?;
    write(periods, maxdims, "periods", grid.dimensions.iter().map(|d| d.periodic.into()))?;
    write(coords, maxdims, "coords", grid.coordinates(communicator.rank()).into_iter())
}

/// `MPI_Cart_coords`
pub(crate) fn cart_coords(
    comm: MPI_Comm,
    rank: c_int,
    maxdims: c_int,
    coords: *mut c_int,
) -> Result {
    let communicator = resolve(comm)?;
    let grid = topology(communicator)?;
    write(coords, maxdims, "coords", grid.coordinates(index(communicator, rank)?).into_iter())
}

/// `MPI_Cart_rank`
pub(crate) fn cart_rank(comm: MPI_Comm, coords: *const c_int, rank: Out<c_int>) -> Result {
    let grid = topology(resolve(comm)?)?;
    let coordinates = array(coords, grid.dimensions.len(), "coords")?;
    let outside =
        || Error::new(MPI_ERR_ARG, format!("the coordinates {coordinates:?} are not in the grid"));
    rank.set(grid.rank(coordinates).ok_or_else(outside)?);
    Ok(())
}

/// `MPI_Cart_shift`
pub(crate) fn cart_shift(
    comm: MPI_Comm,
    direction: c_int,
    disp: c_int,
    rank_source: Out<c_int>,
    rank_dest: Out<c_int>,
) -> Result {
    let communicator = resolve(comm)?;
    let grid = topology(communicator)?;
    let dimension = usize::try_from(direction).ok().filter(|&d| d < grid.dimensions.len());
    let dimension = dimension.ok_or_else(|| {
        Error::outside(MPI_ERR_ARG, "direction", direction, grid.dimensions.len())
    })?;
    let neighbour =
        |by: i64| grid.neighbour(communicator.rank(), dimension, by).unwrap_or(MPI_PROC_NULL);
    rank_source.set(neighbour(-i64::from(disp)));
    rank_dest.set(neighbour(disp.into()));
    Ok(())
}

/// `MPI_Cart_sub`: grids of the dimensions that remain, one for each combination of the other
/// coordinates.
pub(crate) fn cart_sub(
    comm: MPI_Comm,
    remain_dims: *const c_int,
    newcomm: Out<MPI_Comm>,
) -> Result {
    let communicator = resolve(comm)?;
    let grid = topology(communicator)?;
    let remain = array(remain_dims, grid.dimensions.len(), "remain_dims");
    let own = remain.map(|remain| {
        let (mut color, mut dimensions) = (0, Vec::new());
        let coordinates = grid.coordinates(communicator.rank());
        let each = grid.dimensions.iter().zip(remain).zip(coordinates);
        for ((dimension, &remains), coordinate) in each {
            if remains != 0 {
                dimensions.push(*dimension);
            } else {
                color = color * dimension.length + coordinate;
            }
        }
        ((color, communicator.rank()), dimensions)
    });
    let (part, dimensions) = split_into(communicator, own)?;
    if let Some(part) = part {
        part.annex.set_topology(Topology::Cartesian(Cartesian { dimensions }));
    }
    newcomm.set(part.map_or(MPI_COMM_NULL, Communicator::handle));
    Ok(())
}
