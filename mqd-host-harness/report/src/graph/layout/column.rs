//! Nodes in a column. Each arrow has its own line beside the node where it begins, and runs in a
//! lane on the right.

use std::collections::{BTreeMap, BTreeSet};

use super::geometry::{Border, Number, Point};
use super::picture::{LINE, Label, Picture, TEXT, node_size, width};
use crate::graph::parts::{Arrow, ArrowKind, Graph};

/// The distance between nodes.
const GAP: f64 = 16.0;
/// The distance between a node and its labels, and between the labels and the lanes.
const MARGIN: f64 = 14.0;
/// The distance between lanes.
const LANE: f64 = 13.0;
/// The distance between incoming arrows, and above and below them.
const ENTRANCE: f64 = 9.0;
/// How much wider bold text is.
const BOLD: f64 = 1.1;
/// The radius of corners.
const CORNER: f64 = 6.0;

/// The picture.
pub(super) fn lay_out(graph: &Graph) -> Picture {
    let mut outgoing = vec![Vec::new(); graph.nodes.len()];
    // The kinds of arrows that come in at a node: each has an entrance.
    let mut entrances = vec![BTreeSet::new(); graph.nodes.len()];
    for (index, arrow) in graph.arrows.iter().enumerate() {
        outgoing[arrow.from].push(index);
        entrances[arrow.to].insert(kind(arrow));
    }
    let sizes: Vec<_> = (0..graph.nodes.len()).map(|node| node_size(graph, node)).collect();
    let widest = sizes.iter().map(|(width, _)| *width).fold(0.0, f64::max);

    let mut frames = Vec::new();
    let mut labels = Vec::new();
    // Where each arrow leaves its label.
    let mut ports = vec![Point::default(); graph.arrows.len()];
    let mut y = 0.0;
    for (((_, height), arrows), entrances) in sizes.iter().zip(&outgoing).zip(&entrances) {
        // The room at the top is for what comes in.
        let top = if entrances.is_empty() { 4.0 } else { ENTRANCE * (entrances.len() + 1) as f64 };
        let height = height.max(LINE * arrows.len() as f64 + top + 4.0);
        frames.push(Border { x: 0.0, y, width: widest, height });
        for (line, arrow) in arrows.iter().enumerate() {
            let text = graph.arrows[*arrow].label();
            let frame = Border {
                x: widest + MARGIN,
                y: y + LINE * line as f64 + top,
                width: width(&text, TEXT) * if graph.arrows[*arrow].deadlock { BOLD } else { 1.0 },
                height: LINE,
            };
            ports[*arrow] = Point::new(frame.right() + 6.0, frame.y + LINE / 2.0);
            labels.push(Label { arrow: *arrow, frame, text });
        }
        y += height + GAP;
    }
    let entrance = |arrow: &Arrow| {
        let before = entrances[arrow.to].range(..kind(arrow)).count();
        frames[arrow.to].y + ENTRANCE * (before + 1) as f64
    };
    let lanes = lanes(graph, &ports, entrance);
    let first = ports.iter().map(|port| port.x).fold(widest + MARGIN, f64::max) + MARGIN;
    let mut passed = Vec::new();
    let paths = graph.arrows.iter().zip(&ports).zip(lanes).map(|((arrow, port), lane)| {
        let x = first + LANE * lane as f64;
        let end = Point::new(frames[arrow.to].right() + 2.0, entrance(arrow));
        passed.push(Point::new(x, end.y));
        path(*port, x, end)
    });
    let paths = paths.collect();
    Picture::new(frames, paths, labels, &passed)
}

type Bus<'a> = (&'a ArrowKind, bool);

fn kind(arrow: &Arrow) -> Bus<'_> {
    (&arrow.what, arrow.deadlock)
}

/// To the lane, along it, and back to the node.
fn path(port: Point, x: f64, end: Point) -> String {
    let corner = CORNER.min((end.y - port.y).abs() / 2.0);
    let down = if end.y < port.y { -corner } else { corner };
    format!(
        "M{port}H{}Q{} {}V{}Q{} {}H{}",
        Number(x - corner),
        Point::new(x, port.y),
        Point::new(x, port.y + down),
        Number(end.y - down),
        Point::new(x, end.y),
        Point::new(x - corner, end.y),
        Number(end.x)
    )
}

/// The lane of each arrow. Arrows of a kind to the same node share one; short ones are near, and
/// none lie on each other.
fn lanes(graph: &Graph, ports: &[Point], entrance: impl Fn(&Arrow) -> f64) -> Vec<usize> {
    let mut buses: BTreeMap<(usize, Bus<'_>), (f64, f64, Vec<usize>)> = BTreeMap::new();
    for (index, arrow) in graph.arrows.iter().enumerate() {
        let (begin, end) = (ports[index].y, entrance(arrow));
        let bus = buses.entry((arrow.to, kind(arrow))).or_insert((end, end, Vec::new()));
        *bus = (bus.0.min(begin), bus.1.max(begin), std::mem::take(&mut bus.2));
        bus.2.push(index);
    }
    let mut buses: Vec<_> = buses.into_values().collect();
    buses.sort_by(|one, other| {
        (one.1 - one.0).total_cmp(&(other.1 - other.0)).then(one.0.total_cmp(&other.0))
    });
    let mut taken: Vec<Vec<(f64, f64)>> = Vec::new();
    let mut lanes = vec![0; graph.arrows.len()];
    for (top, bottom, arrows) in buses {
        let free = |lane: &Vec<(f64, f64)>| {
            lane.iter().all(|(first, last)| bottom + GAP < *first || *last + GAP < top)
        };
        let lane = taken.iter().position(free).unwrap_or_else(|| {
            taken.push(Vec::new());
            taken.len() - 1
        });
        taken[lane].push((top, bottom));
        arrows.iter().for_each(|arrow| lanes[*arrow] = lane);
    }
    lanes
}
