//! Where the parts of a picture are. Deterministic: the same graph is the same picture.
//!
//! Few nodes stand on a circle, where a ring of arrows looks like one. If their labels had to
//! overlap, or there are many, they stand in a column, each label in a line of its own, and the
//! arrows run beside them.

mod circle;
mod column;
mod geometry;

pub(super) use self::geometry::{Frame, Number, Point};
use super::Graph;
use unicode_width::UnicodeWidthChar;

/// Up to so many nodes can stand on a circle.
const CIRCLE: usize = 10;
/// Font sizes, as in `picture.css`.
pub(super) const TITLE: f64 = 14.0;
pub(super) const TEXT: f64 = 12.0;
/// From one line of text to the next.
pub(super) const LINE: f64 = 17.0;

/// The parts of a picture with their places.
pub(super) struct Picture {
    /// Of each node.
    pub(super) nodes: Vec<Frame>,
    /// Of each arrow: the path as SVG writes it. It ends where the arrowhead points.
    pub(super) paths: Vec<String>,
    /// The labels.
    pub(super) labels: Vec<Label>,
    /// All of it.
    pub(super) bounds: Frame,
}

/// The label of an arrow: a line of text, of this height, beginning at the left.
pub(super) struct Label {
    pub(super) arrow: usize,
    pub(super) frame: Frame,
    pub(super) text: String,
}

/// Places everything.
pub(super) fn lay_out(graph: &Graph) -> Picture {
    let circle = if graph.nodes.len() <= CIRCLE { circle::lay_out(graph) } else { None };
    circle.unwrap_or_else(|| column::lay_out(graph))
}

/// About how wide a text is. Fonts differ, and these are the wide ones: what is measured too narrow
/// overlaps.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let ems = |character: char| match character {
        'A'..='Z' => 0.74,
        '0'..='9' => 0.64,
        ' ' | ',' | '.' | ':' | ';' => 0.34,
        _ => 0.6 * character.width().unwrap_or(0) as f64,
    };
    text.chars().map(ems).sum::<f64>() * size
}

/// How large a node is.
fn node_size(graph: &Graph, node: usize) -> (f64, f64) {
    let node = &graph.nodes[node];
    let facts = node.facts();
    let widest = facts
        .iter()
        .map(|fact| width(fact, TEXT))
        .fold(1.12 * width(&node.title(), TITLE), f64::max);
    (widest.max(56.0) + 24.0, 18.0 + LINE * (1 + facts.len()) as f64)
}

impl Picture {
    /// With the bounds of all its parts, and of the points where arrows pass.
    fn new(nodes: Vec<Frame>, paths: Vec<String>, labels: Vec<Label>, passed: &[Point]) -> Picture {
        let frames = nodes.iter().chain(labels.iter().map(|label| &label.frame)).copied();
        let points =
            passed.iter().map(|point| Frame { x: point.x, y: point.y, width: 0.0, height: 0.0 });
        let bounds = frames.chain(points).reduce(Frame::union).unwrap_or_default();
        Picture { nodes, paths, labels, bounds }
    }
}
