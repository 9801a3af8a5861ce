//! Nodes on a circle (an ellipse: text is wide).

use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_2, PI};

use super::geometry::{Border, Curve, Point};
use super::picture::{LINE, Label, Picture, TEXT, node_size, width};
use crate::graph::parts::Graph;

/// The distance between arrows of a bundle.
const APART: f64 = 11.0;
/// How often the circle is made larger until all labels have room.
const TRIES: i32 = 7;
/// Where on its arrow a label may stand, the nicest place first.
const PLACES: [f64; 9] = [0.5, 0.44, 0.56, 0.38, 0.62, 0.32, 0.68, 0.26, 0.74];
/// How far from its arrow a label may stand.
const ASIDE: [f64; 3] = [5.0, 14.0, 26.0];
/// The distance between the points of an arrow that labels keep clear of. It is less than the
/// height of a line of text, so no arrow passes between them.
const STEP: f64 = 8.0;

/// The arrows from a node to a node.
type Bundles = BTreeMap<(usize, usize), Vec<usize>>;

/// The picture; `None` if the labels have no room.
pub(super) fn lay_out(graph: &Graph) -> Option<Picture> {
    let mut bundles = Bundles::new();
    for (index, arrow) in graph.arrows.iter().enumerate() {
        bundles.entry((arrow.from, arrow.to)).or_default().push(index);
    }
    (0..TRIES).find_map(|attempt| try_size(graph, &bundles, 1.18f64.powi(attempt)))
}

fn try_size(graph: &Graph, bundles: &Bundles, scale: f64) -> Option<Picture> {
    let count = graph.nodes.len();
    let frames: Vec<Border> = (0..count)
        .map(|node| Border::around(center(node, count, scale), node_size(graph, node)))
        .collect();
    if (0..count).any(|one| {
        (0..one).any(|other| frames[one].grown(12.0).overlaps(frames[other].grown(12.0)))
    }) {
        return None;
    }
    let mut paths = vec![String::new(); graph.arrows.len()];
    let mut room =
        Room { taken: frames.iter().map(|frame| frame.grown(4.0)).collect(), ..Room::default() };
    let mut ways = Vec::new();
    for ((from, to), arrows) in bundles {
        let texts: Vec<String> = arrows.iter().map(|arrow| graph.arrows[*arrow].label()).collect();
        let widest = texts.iter().map(|text| width(text, TEXT)).fold(0.0, f64::max);
        let size = (widest + 10.0, LINE * texts.len() as f64);
        let way = if from == to {
            let (drawn, top, center) = loops(frames[*from], arrows.len(), size.1);
            arrows.iter().zip(drawn).for_each(|(arrow, path)| paths[*arrow] = path);
            let aside = 20.0 + APART * arrows.len() as f64;
            room.taken.push(Border::spanning(
                frames[*from].center().moved(Point::new(-aside, 0.0)),
                top.moved(Point::new(aside, 0.0)),
            ));
            room.passed.push(top);
            Way::Loop(center)
        } else {
            let and_back = bundles.contains_key(&(*to, *from));
            let curves: Vec<Curve> = curves(frames[*from], frames[*to], arrows.len(), and_back)
                .into_iter()
                .map(|curve| curve.between(frames[*from].grown(1.0), frames[*to].grown(3.0)))
                .collect();
            for (arrow, curve) in arrows.iter().zip(&curves) {
                paths[*arrow] = curve.to_string();
                room.passed.extend(curve.points(STEP));
            }
            Way::Curves(curves)
        };
        ways.push((arrows, texts, size, way));
    }
    let mut labels: Vec<Label> = Vec::new();
    for (arrows, texts, size, way) in ways {
        let frame = room.take(&way, size)?;
        for (line, (arrow, text)) in arrows.iter().zip(texts).enumerate() {
            let frame = Border { y: frame.y + LINE * line as f64, height: LINE, ..frame };
            labels.push(Label { arrow: *arrow, frame, text });
        }
    }
    Some(Picture::new(frames, paths, labels, &room.passed))
}

/// The way of a bundle of arrows.
enum Way {
    /// From a node to itself. The label has its middle here.
    Loop(Point),
    /// Side by side, the innermost first.
    Curves(Vec<Curve>),
}

/// Where nothing is drawn yet.
#[derive(Default)]
struct Room {
    /// Nodes, loops and labels.
    taken: Vec<Border>,
    /// Points through which arrows pass.
    passed: Vec<Point>,
}

impl Room {
    /// The frame of a label of this size, beside its arrows, and off all arrows.
    fn take(&mut self, way: &Way, size: (f64, f64)) -> Option<Border> {
        let frame = match way {
            Way::Loop(center) => self.free(*center, size),
            Way::Curves(curves) => {
                let sides = [(curves.last()?, 1.0), (curves.first()?, -1.0)];
                ASIDE.iter().find_map(|aside| {
                    PLACES.iter().find_map(|place| {
                        sides.iter().find_map(|(curve, side)| {
                            let (x, y) = curve.normal(*place);
                            let half = (x.abs() * size.0 + y.abs() * size.1) / 2.0;
                            let away = side * (half + aside);
                            let center = curve.at(*place).moved(Point::new(x * away, y * away));
                            self.free(center, size)
                        })
                    })
                })
            }
        }?;
        self.taken.push(frame.grown(2.0));
        Some(frame)
    }

    fn free(&self, center: Point, size: (f64, f64)) -> Option<Border> {
        let frame = Border::around(center, size);
        let crossed = || self.passed.iter().any(|point| frame.grown(2.0).contains(*point));
        let free = !self.taken.iter().any(|other| other.overlaps(frame)) && !crossed();
        free.then_some(frame)
    }
}

/// Clockwise from the top, or from the upper left where that gives straight lines.
fn center(node: usize, count: usize, scale: f64) -> Point {
    if count == 1 {
        return Point::default();
    }
    let begin = match count {
        2 => -PI,
        4 => -FRAC_PI_2 * 1.5,
        _ => -FRAC_PI_2,
    };
    let angle = begin + 2.0 * PI * node as f64 / count as f64;
    let across = scale * (66.0 * count as f64).max(220.0);
    Point::new(across * angle.cos(), across * 0.62 * angle.sin())
}

/// Curves side by side. Clockwise ones are bent outwards, away from those in the opposite
/// direction.
fn curves(from: Border, to: Border, count: usize, and_back: bool) -> Vec<Curve> {
    let (begin, end) = (from.center(), to.center());
    let (dx, dy) = (end.x - begin.x, end.y - begin.y);
    let length = dx.hypot(dy).max(1.0);
    let bend = if and_back { (0.1 * length).max(24.0) } else { 0.05 * length };
    let curve = |index: usize| {
        let aside = bend + APART * (index as f64 - (count - 1) as f64 / 2.0);
        let middle = begin.towards(end, 0.5);
        // The curve comes half as near as its control point is.
        let control =
            Point::new(middle.x + dy / length * 2.0 * aside, middle.y - dx / length * 2.0 * aside);
        Curve { begin, control, end }
    };
    (0..count).map(curve).collect()
}

/// Arrows from a node to itself: their paths, how far they go, and the middle of their label.
fn loops(node: Border, count: usize, label: f64) -> (Vec<String>, Point, Point) {
    let up = node.center().y <= 0.0;
    let (edge, way) = if up { (node.y - 1.0, -1.0) } else { (node.bottom() + 1.0, 1.0) };
    let x = node.center().x;
    let drawn = (0..count).map(|index| {
        let (aside, away) = (18.0 + APART * index as f64, way * (52.0 + APART * index as f64));
        let (begin, end) = (Point::new(x - aside, edge), Point::new(x + aside, edge + way * 2.0));
        format!(
            "M{begin}C{} {} {end}",
            Point::new(begin.x - 14.0, edge + away),
            Point::new(end.x + 14.0, edge + away)
        )
    });
    let height = 0.75 * (52.0 + APART * (count - 1) as f64);
    let top = Point::new(x, edge + way * height);
    (drawn.collect(), top, Point::new(x, edge + way * (height + 4.0 + label / 2.0)))
}
