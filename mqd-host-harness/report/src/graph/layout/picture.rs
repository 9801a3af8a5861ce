//! A picture: its parts, each with a frame, and how wide text is.

use unicode_width::UnicodeWidthChar;

use super::geometry::{Border, Point};
use crate::graph::parts::Graph;

/// Font sizes, as in `picture.css`.
pub(in crate::graph) const TITLE: f64 = 14.0;
pub(in crate::graph) const TEXT: f64 = 12.0;
/// From one line of text to the next.
pub(in crate::graph) const LINE: f64 = 17.0;

/// The parts of a picture with their places.
pub(in crate::graph) struct Picture {
    /// Of each node.
    pub(in crate::graph) nodes: Vec<Border>,
    /// Of each arrow: the path as SVG writes it. It ends where the arrowhead points.
    pub(in crate::graph) paths: Vec<String>,
    /// The labels.
    pub(in crate::graph) labels: Vec<Label>,
    /// All of it.
    pub(in crate::graph) bounds: Border,
}

/// The label of an arrow: a line of text, of this height, beginning at the left.
pub(in crate::graph) struct Label {
    pub(in crate::graph) arrow: usize,
    pub(in crate::graph) frame: Border,
    pub(in crate::graph) text: String,
}

/// The approximate width of a text. Fonts differ; these are the widths of wide fonts, so that texts
/// do not overlap.
pub(in crate::graph) fn width(text: &str, size: f64) -> f64 {
    let ems = |character: char| match character {
        'A'..='Z' => 0.74,
        '0'..='9' => 0.64,
        ' ' | ',' | '.' | ':' | ';' => 0.34,
        _ => 0.6 * character.width().unwrap_or(0) as f64,
    };
    text.chars().map(ems).sum::<f64>() * size
}

/// How large a node is.
pub(super) fn node_size(graph: &Graph, node: usize) -> (f64, f64) {
    let node = &graph.nodes[node];
    let facts = node.facts();
    let widest = facts
        .iter()
        .map(|fact| width(fact, TEXT))
        .fold(1.12 * width(&node.title(), TITLE), f64::max);
    (widest.max(56.0) + 24.0, 18.0 + LINE * (1 + facts.len()) as f64)
}

impl Picture {
    /// A picture whose bounds enclose all its parts and the points where arrows pass.
    pub(super) fn new(
        nodes: Vec<Border>,
        paths: Vec<String>,
        labels: Vec<Label>,
        passed: &[Point],
    ) -> Picture {
        let frames = nodes.iter().chain(labels.iter().map(|label| &label.frame)).copied();
        let points =
            passed.iter().map(|point| Border { x: point.x, y: point.y, width: 0.0, height: 0.0 });
        let bounds = frames.chain(points).reduce(Border::union).unwrap_or_default();
        Picture { nodes, paths, labels, bounds }
    }
}
