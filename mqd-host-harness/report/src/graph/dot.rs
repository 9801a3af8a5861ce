//! DOT, the language of Graphviz: for its layouts, and for pictures in other programs.

use std::fmt::Write;

use super::parts::{Arrow, ArrowKind, Graph, Node, NodeKind};
use crate::escape;
use crate::model::Queue;

/// The graph in DOT. Kinds differ in line and arrowhead, not in colour alone; the deadlock has
/// thick lines.
pub fn dot(graph: &Graph) -> String {
    let mut text = String::from(
        "digraph mqd {\n  graph [fontname=\"Helvetica\", rankdir=LR, nodesep=0.4, ranksep=1.2]\n  \
         node [fontname=\"Helvetica\", fontsize=12, shape=box, style=\"rounded\"]\n  edge \
         [fontname=\"Helvetica\", fontsize=10]\n",
    );
    for remark in &graph.remarks {
        let _ = writeln!(text, "  // {}", escape::printable(remark));
    }
    for (index, node) in graph.nodes.iter().enumerate() {
        let _ = writeln!(text, "  n{index} [{}]", node_attributes(node));
    }
    for arrow in &graph.arrows {
        let _ = writeln!(text, "  n{} -> n{} [{}]", arrow.from, arrow.to, arrow_attributes(arrow));
    }
    text.push_str("}\n");
    text
}

fn node_attributes(node: &Node) -> String {
    let lines: Vec<_> =
        [node.title()].into_iter().chain(node.facts()).map(|line| escape::dot(&line)).collect();
    let mut attributes = format!(
        "label=\"{}\", tooltip=\"{}\"",
        lines.join("\\n"),
        escape::dot(&node.ranks.to_string())
    );
    attributes.push_str(match node.kind {
        NodeKind::Ranks => "",
        NodeKind::Unreadable | NodeKind::NotInReport => ", style=\"rounded,dashed\"",
        NodeKind::Rest => ", shape=box3d, style=\"\"",
        NodeKind::AnySource | NodeKind::Unknown => ", shape=ellipse, style=dashed",
    });
    if node.deadlock {
        attributes.push_str(", penwidth=3, peripheries=2, class=\"deadlock\"");
    }
    attributes
}

fn arrow_attributes(arrow: &Arrow) -> String {
    let (style, head, color) = match arrow.what {
        ArrowKind::Queue(Queue::Sends) => ("solid", "normal", "#0072B2"),
        ArrowKind::Queue(Queue::Receives) => ("dashed", "vee", "#D55E00"),
        ArrowKind::Queue(Queue::Unexpected) => ("dotted", "dot", "#00795A"),
        ArrowKind::Collective(_) => ("dashed", "tee", "#7A3E9D"),
    };
    let mut attributes = format!(
        "label=\"{}\", style={style}, arrowhead={head}, color=\"{color}\"",
        escape::dot(&arrow.label())
    );
    if arrow.deadlock {
        attributes.push_str(", penwidth=3, class=\"deadlock\"");
    }
    attributes
}
