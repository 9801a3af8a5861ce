//! Where the parts of a picture are. Deterministic: the same graph is the same picture.
//!
//! Few nodes stand on a circle, where a ring of arrows looks like a ring. If there are many nodes,
//! or labels would overlap, the nodes stand in a column. Each label then has its own line, and the
//! arrows run beside the column.

mod circle;
mod column;
mod geometry;
mod picture;

pub(super) use self::geometry::{Border, Number};
pub(super) use self::picture::{LINE, Label, Picture, TEXT, width};
use super::parts::Graph;

/// Up to so many nodes can stand on a circle.
const CIRCLE: usize = 10;
/// Places everything.
pub(super) fn lay_out(graph: &Graph) -> Picture {
    let circle = if graph.nodes.len() <= CIRCLE { circle::lay_out(graph) } else { None };
    circle.unwrap_or_else(|| column::lay_out(graph))
}
