//! Where the parts of a picture are. Deterministic: the same graph is the same picture.
//!
//! Few nodes stand on a circle, where a ring of arrows looks like one. If their labels had to
//! overlap, or there are many, they stand in a column, each label in a line of its own, and the
//! arrows run beside them.

mod circle;
mod column;
mod geometry;
mod picture;

pub(super) use self::geometry::{Frame, Number};
pub(super) use self::picture::{LINE, Label, Picture, TEXT, width};
use super::parts::Graph;

/// Up to so many nodes can stand on a circle.
const CIRCLE: usize = 10;
/// Places everything.
pub(super) fn lay_out(graph: &Graph) -> Picture {
    let circle = if graph.nodes.len() <= CIRCLE { circle::lay_out(graph) } else { None };
    circle.unwrap_or_else(|| column::lay_out(graph))
}
