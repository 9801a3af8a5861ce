//! Graph topologies (MPI 5.0, sections 8.5.3 to 8.5.5) and the neighbours that topologies give a
//! process. Ranks are not reordered.

use std::ffi::c_int;

use super::annex::Topology;
use super::creation::split_into;
use super::object::{Communicator, resolve};
use super::team::{Team, tag};
use super::topology::{index, write};
use crate::abi::*;
use crate::arguments::{Out, array};
use crate::error::{Error, Result};
use crate::info;

/// The graph of `MPI_Graph_create`, the same in all processes.
#[derive(Debug)]
pub(crate) struct Graph {
    /// For each node, the number of edges of all nodes up to it.
    ends: Vec<c_int>,
    /// The neighbours of the nodes, one node after the other.
    edges: Vec<c_int>,
}

/// The neighbours of a process in a distributed graph.
#[derive(Debug)]
pub(crate) struct Adjacent {
    sources: Vec<c_int>,
    destinations: Vec<c_int>,
    /// The weights of both, if the edges have any.
    weights: Option<(Vec<c_int>, Vec<c_int>)>,
}

/// The processes that neighbourhood collective operations receive from and send to.
pub(crate) struct Neighbours {
    /// In the order of the blocks to receive; `MPI_PROC_NULL` beyond the border of a grid.
    pub(crate) sources: Vec<c_int>,
    /// In the order of the blocks to send.
    pub(crate) destinations: Vec<c_int>,
    /// The neighbours are pairs in the dimensions of a grid: what goes in the negative direction
    /// comes from the positive one.
    pub(crate) grid: bool,
}

impl Graph {
    /// The graph of the arguments; `MPI_ERR_ARG` or `MPI_ERR_TOPOLOGY` if they do not describe one.
    fn new(
        communicator: &Communicator,
        nnodes: c_int,
        ends: *const c_int,
        edges: *const c_int,
    ) -> Result<Graph> {
        intracommunicator(communicator)?;
        let nodes = usize::try_from(nnodes)
            .map_err(|_| Error::new(MPI_ERR_ARG, format!("a graph of {nnodes} nodes")))?;
        if nnodes > communicator.size() {
            let (size, message) = (communicator.size(), "nodes, the communicator");
            return Err(Error::new(
                MPI_ERR_ARG,
                format!("the graph has {nnodes} {message} {size} processes"),
            ));
        }
        let ends = array(ends, nodes, "indx")?.to_vec();
        if !ends.is_sorted() || ends.first().is_some_and(|&first| first < 0) {
            return Err(Error::new(MPI_ERR_ARG, "the numbers of edges up to each node decrease"));
        }
        let edges = array(edges, ends.last().map_or(0, |&n| n as usize), "edges")?.to_vec();
        check_ranks(&edges, nnodes)?;
        Ok(Graph { ends, edges })
    }

    fn neighbours(&self, node: c_int) -> &[c_int] {
        let node = node as usize;
        let first = if node == 0 { 0 } else { self.ends[node - 1] };
        &self.edges[first as usize..self.ends[node] as usize]
    }
}

fn intracommunicator(communicator: &Communicator) -> Result {
    match communicator.remote() {
        None => Ok(()),
        Some(_) => Err(Error::new(MPI_ERR_COMM, "the communicator is an intercommunicator")),
    }
}

fn check_ranks(ranks: &[c_int], size: c_int) -> Result {
    match ranks.iter().find(|rank| !(0..size).contains(rank)) {
        None => Ok(()),
        Some(rank) => Err(Error::outside(MPI_ERR_RANK, "neighbour", *rank, size as usize)),
    }
}

fn no_topology(which: &str) -> Error {
    Error::new(MPI_ERR_TOPOLOGY, format!("the communicator has no {which}"))
}

fn graph(communicator: &'static Communicator) -> Result<&'static Graph> {
    match communicator.annex.topology() {
        Some(Topology::Graph(graph)) => Ok(graph),
        _ => Err(no_topology("graph topology")),
    }
}

fn adjacent(communicator: &'static Communicator) -> Result<&'static Adjacent> {
    match communicator.annex.topology() {
        Some(Topology::Distributed(adjacent)) => Ok(adjacent),
        _ => Err(no_topology("distributed graph topology")),
    }
}

/// The neighbours of this process; `MPI_ERR_TOPOLOGY` if the communicator has no topology.
pub(crate) fn neighbours(communicator: &'static Communicator) -> Result<Neighbours> {
    let rank = communicator.rank();
    match communicator.annex.topology() {
        None => Err(no_topology("topology")),
        Some(Topology::Cartesian(grid)) => {
            let both = (0..grid.dimensions.len()).flat_map(|dimension| {
                [-1, 1].map(|by| grid.neighbour(rank, dimension, by).unwrap_or(MPI_PROC_NULL))
            });
            let both: Vec<c_int> = both.collect();
            Ok(Neighbours { sources: both.clone(), destinations: both, grid: true })
        }
        Some(Topology::Graph(graph)) => {
            let both = graph.neighbours(rank).to_vec();
            Ok(Neighbours { sources: both.clone(), destinations: both, grid: false })
        }
        Some(Topology::Distributed(Adjacent { sources, destinations, .. })) => Ok(Neighbours {
            sources: sources.clone(),
            destinations: destinations.clone(),
            grid: false,
        }),
    }
}

/// `MPI_Graph_create`
pub(crate) fn graph_create(
    comm_old: MPI_Comm,
    nnodes: c_int,
    indx: *const c_int,
    edges: *const c_int,
    _reorder: c_int,
    comm_graph: Out<MPI_Comm>,
) -> Result {
    let parent = resolve(comm_old)?;
    let color = if parent.rank() < nnodes { 0 } else { MPI_UNDEFINED };
    let graph = Graph::new(parent, nnodes, indx, edges);
    let (communicator, graph) =
        split_into(parent, graph.map(|graph| ((color, parent.rank()), graph)))?;
    if let Some(communicator) = communicator {
        communicator.annex.set_topology(Topology::Graph(graph));
    }
    comm_graph.set(communicator.map_or(MPI_COMM_NULL, Communicator::handle));
    Ok(())
}

/// `MPI_Graph_map`
pub(crate) fn graph_map(
    comm: MPI_Comm,
    nnodes: c_int,
    indx: *const c_int,
    edges: *const c_int,
    newrank: Out<c_int>,
) -> Result {
    let communicator = resolve(comm)?;
    Graph::new(communicator, nnodes, indx, edges)?;
    let rank = communicator.rank();
    newrank.set(if rank < nnodes { rank } else { MPI_UNDEFINED });
    Ok(())
}

/// `MPI_Graphdims_get`
pub(crate) fn graphdims_get(comm: MPI_Comm, nnodes: Out<c_int>, nedges: Out<c_int>) -> Result {
    let graph = graph(resolve(comm)?)?;
    nnodes.set(graph.ends.len() as c_int);
    nedges.set(graph.edges.len() as c_int);
    Ok(())
}

/// `MPI_Graph_get`
pub(crate) fn graph_get(
    comm: MPI_Comm,
    maxindex: c_int,
    maxedges: c_int,
    indx: *mut c_int,
    edges: *mut c_int,
) -> Result {
    let graph = graph(resolve(comm)?)?;
    write(indx, maxindex, "indx", graph.ends.iter().copied())?;
    write(edges, maxedges, "edges", graph.edges.iter().copied())
}

/// `MPI_Graph_neighbors_count`
pub(crate) fn graph_neighbors_count(comm: MPI_Comm, rank: c_int, nneighbors: Out<c_int>) -> Result {
    let communicator = resolve(comm)?;
    let graph = graph(communicator)?;
    nneighbors.set(graph.neighbours(index(communicator, rank)?).len() as c_int);
    Ok(())
}

/// `MPI_Graph_neighbors`
pub(crate) fn graph_neighbors(
    comm: MPI_Comm,
    rank: c_int,
    maxneighbors: c_int,
    neighbors: *mut c_int,
) -> Result {
    let communicator = resolve(comm)?;
    let neighbours = graph(communicator)?.neighbours(index(communicator, rank)?);
    write(neighbors, maxneighbors, "neighbors", neighbours.iter().copied())
}

fn degree(degree: c_int) -> Result<usize> {
    usize::try_from(degree)
        .map_err(|_| Error::new(MPI_ERR_ARG, format!("the degree {degree} is negative")))
}

/// The weights of an argument: none if the graph has no weights.
fn weights(weights: *const c_int, edges: usize, name: &'static str) -> Result<Option<Vec<c_int>>> {
    if weights == MPI_UNWEIGHTED.cast_const() {
        return Ok(None);
    }
    if edges == 0 {
        return Ok(Some(Vec::new()));
    }
    if weights == MPI_WEIGHTS_EMPTY.cast_const() {
        return Err(Error::new(
            MPI_ERR_ARG,
            format!("{name} is MPI_WEIGHTS_EMPTY, and there are edges"),
        ));
    }
    let weights = array(weights, edges, name)?;
    if let Some(weight) = weights.iter().find(|weight| **weight < 0) {
        return Err(Error::new(MPI_ERR_ARG, format!("the weight {weight} is negative")));
    }
    Ok(Some(weights.to_vec()))
}

/// Makes a communicator of the same processes with the neighbours of a distributed graph, if no
/// process has failed.
fn distributed(
    parent: &'static Communicator,
    adjacent: Result<Adjacent>,
    comm_dist_graph: Out<MPI_Comm>,
) -> Result {
    let own = adjacent.map(|adjacent| ((0, parent.rank()), adjacent));
    let (communicator, adjacent) = split_into(parent, own)?;
    if let Some(communicator) = communicator {
        communicator.annex.set_topology(Topology::Distributed(adjacent));
    }
    comm_dist_graph.set(communicator.map_or(MPI_COMM_NULL, Communicator::handle));
    Ok(())
}

/// `MPI_Dist_graph_create_adjacent`
#[expect(clippy::too_many_arguments, reason = "the parameters of the C function")]
pub(crate) fn dist_graph_create_adjacent(
    comm_old: MPI_Comm,
    indegree: c_int,
    sources: *const c_int,
    sourceweights: *const c_int,
    outdegree: c_int,
    destinations: *const c_int,
    destweights: *const c_int,
    info: MPI_Info,
    _reorder: c_int,
    comm_dist_graph: Out<MPI_Comm>,
) -> Result {
    let parent = resolve(comm_old)?;
    intracommunicator(parent)?;
    let adjacent = || {
        info::check_hints(info)?;
        let (indegree, outdegree) = (degree(indegree)?, degree(outdegree)?);
        let sources = array(sources, indegree, "sources")?.to_vec();
        let destinations = array(destinations, outdegree, "destinations")?.to_vec();
        check_ranks(&sources, parent.size())?;
        check_ranks(&destinations, parent.size())?;
        let weights = match (
            weights(sourceweights, indegree, "sourceweights")?,
            weights(destweights, outdegree, "destweights")?,
        ) {
            (Some(of_sources), Some(of_destinations)) => Some((of_sources, of_destinations)),
            (None, None) => None,
            _ => {
                return Err(Error::new(
                    MPI_ERR_ARG,
                    "one of the arrays of weights is MPI_UNWEIGHTED, the other is not",
                ));
            }
        };
        Ok(Adjacent { sources, destinations, weights })
    };
    distributed(parent, adjacent(), comm_dist_graph)
}

/// `MPI_Dist_graph_create`: any process may contribute any edges.
#[expect(clippy::too_many_arguments, reason = "the parameters of the C function")]
pub(crate) fn dist_graph_create(
    comm_old: MPI_Comm,
    n: c_int,
    sources: *const c_int,
    degrees: *const c_int,
    destinations: *const c_int,
    edge_weights: *const c_int,
    info: MPI_Info,
    _reorder: c_int,
    comm_dist_graph: Out<MPI_Comm>,
) -> Result {
    let parent = resolve(comm_old)?;
    intracommunicator(parent)?;
    let edges = || {
        info::check_hints(info)?;
        let sources = array(sources, degree(n)?, "sources")?;
        let degrees = array(degrees, sources.len(), "degrees")?;
        let total = degrees.iter().map(|&n| degree(n)).sum::<Result<usize>>()?;
        let destinations = array(destinations, total, "destinations")?;
        check_ranks(sources, parent.size())?;
        check_ranks(destinations, parent.size())?;
        let weights = weights(edge_weights, total, "weights")?;
        let weight = |edge: usize| weights.as_ref().map_or(0, |weights| weights[edge]);
        let each = sources.iter().zip(degrees);
        let from = each.flat_map(|(&source, &n)| (0..n).map(move |_| source));
        let edges = from.zip(destinations).enumerate();
        let edge = |(edge, (source, &destination))| [source, destination, weight(edge)];
        Ok((edges.map(edge).collect(), weights.is_some()))
    };
    let (all, weighted) = all_edges(parent, edges())?;
    let mut adjacent = Adjacent {
        sources: Vec::new(),
        destinations: Vec::new(),
        weights: weighted.then(Default::default),
    };
    for [source, destination, weight] in all {
        let rank = parent.rank();
        if destination == rank {
            adjacent.sources.push(source);
            adjacent.weights.iter_mut().for_each(|(of_sources, _)| of_sources.push(weight));
        }
        if source == rank {
            adjacent.destinations.push(destination);
            adjacent.weights.iter_mut().for_each(|(_, of_others)| of_others.push(weight));
        }
    }
    distributed(parent, Ok(adjacent), comm_dist_graph)
}

/// The edges that all processes contribute, in the order of their ranks, unless one has failed. The
/// second part of `own` is for the caller.
fn all_edges<T>(
    parent: &'static Communicator,
    own: Result<(Vec<[c_int; 3]>, T)>,
) -> Result<(Vec<[c_int; 3]>, T)> {
    parent.begin_other();
    let team = Team::local(parent, tag::CREATE);
    let count = own.as_ref().map_or(0, |(edges, _)| edges.len() as i64);
    let counts = team.tell(&own, [count]);
    let (mut padded, rest) = own?;
    let counts = counts?;
    let most = counts.iter().map(|[count]| *count as usize).max().unwrap_or(0);
    if most == 0 {
        return Ok((Vec::new(), rest));
    }
    padded.resize(most, [0; 3]);
    let all = team.allgather(&padded)?;
    let of_each = all.chunks_exact(most).zip(counts);
    Ok((of_each.flat_map(|(edges, [count])| edges[..count as usize].to_vec()).collect(), rest))
}

/// `MPI_Dist_graph_neighbors_count`
pub(crate) fn dist_graph_neighbors_count(
    comm: MPI_Comm,
    indegree: Out<c_int>,
    outdegree: Out<c_int>,
    weighted: Out<c_int>,
) -> Result {
    let adjacent = adjacent(resolve(comm)?)?;
    indegree.set(adjacent.sources.len() as c_int);
    outdegree.set(adjacent.destinations.len() as c_int);
    weighted.set(adjacent.weights.is_some().into());
    Ok(())
}

/// `MPI_Dist_graph_neighbors`
pub(crate) fn dist_graph_neighbors(
    comm: MPI_Comm,
    maxindegree: c_int,
    sources: *mut c_int,
    sourceweights: *mut c_int,
    maxoutdegree: c_int,
    destinations: *mut c_int,
    destweights: *mut c_int,
) -> Result {
    let adjacent = adjacent(resolve(comm)?)?;
    write(sources, maxindegree, "sources", adjacent.sources.iter().copied())?;
    write(destinations, maxoutdegree, "destinations", adjacent.destinations.iter().copied())?;
    let Some((of_sources, of_destinations)) = &adjacent.weights else { return Ok(()) };
    for (to, most, weights, name) in [
        (sourceweights, maxindegree, of_sources, "sourceweights"),
        (destweights, maxoutdegree, of_destinations, "destweights"),
    ] {
        if ![MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY].contains(&to) {
            write(to, most, name, weights.iter().copied())?;
        }
    }
    Ok(())
}
