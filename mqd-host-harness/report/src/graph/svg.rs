//! SVG, with a layout of our own: nothing else is needed to look at it.

use maud::{Markup, PreEscaped, html};

use super::layout::{Border, LINE, Label, Number, TEXT, lay_out, width};
use super::parts::{Arrow, ArrowKind, Graph, Node, NodeKind};
use crate::model::Queue;

/// Colours and lines, light and dark.
pub(super) const STYLE: &str = include_str!("picture.css");

/// The class of arrows whose operations are complete, whatever their kind.
const COMPLETE: &str = "complete";

/// Around the picture.
const MARGIN: f64 = 20.0;

/// The graph as a file of its own.
pub fn svg(graph: &Graph) -> String {
    let mut text = picture(graph, "What the ranks of the job are waiting for", true).into_string();
    text.push('\n');
    text
}

/// The picture: on its own, or within a page, where its nodes are links that filter the table of
/// operations.
pub(super) fn picture(graph: &Graph, title: &str, alone: bool) -> Markup {
    let picture = lay_out(graph);
    let legend = legend(graph);
    let body = picture.bounds.grown(MARGIN);
    let widest = legend.iter().map(|(_, words)| 52.0 + width(words, TEXT)).fold(0.0, f64::max);
    let remarks: Vec<String> = if alone {
        graph.remarks.iter().flat_map(|remark| wrapped(remark, 90)).collect()
    } else {
        Vec::new()
    };
    let widest = remarks.iter().map(|line| width(line, TEXT)).fold(widest, f64::max);
    let frame = Border {
        width: body.width.max(widest + 2.0 * MARGIN),
        height: body.height + LINE * (legend.len() + remarks.len()) as f64 + 14.0,
        ..body
    };
    let below = body.y + body.height;
    let (x, y, w, h) =
        (Number(frame.x), Number(frame.y), Number(frame.width), Number(frame.height));
    html! {
        svg.mqd-graph xmlns="http://www.w3.org/2000/svg" viewBox={ (x) " " (y) " " (w) " " (h) }
            width=(w) height=(h)
            role=(if alone { "img" } else { "group" })
            aria-labelledby="graph-title graph-description" {
            title #graph-title { (title) }
            desc #graph-description { (description(graph)) }
            @if alone { style { (PreEscaped(STYLE)) } }
            (heads())
            rect.paper x=(x) y=(y) width=(w) height=(h) {}
            @for (index, (arrow, path)) in graph.arrows.iter().zip(&picture.paths).enumerate() {
                g class=(classes("arrow", arrow)) data-arrow=(index) data-from=(arrow.from)
                    data-to=(arrow.to) {
                    title { (arrow.sentence(&graph.nodes)) }
                    path d=(path) marker-end=(head_of(class(&arrow.what))) {}
                }
            }
            @for (index, (node, frame)) in graph.nodes.iter().zip(&picture.nodes).enumerate() {
                (node_box((index, node), *frame, alone))
            }
            @for label in &picture.labels { (label_text(label, &graph.arrows[label.arrow])) }
            g.legend {
                @for (line, (what, words)) in legend.iter().enumerate() {
                    @let y = below + LINE * line as f64;
                    g class={ "arrow " (what) } {
                        path d={ "M" (Number(body.x + MARGIN)) " " (Number(y)) "h32" }
                            marker-end=[(*what != COMPLETE).then(|| head_of(what))] {}
                    }
                    text x=(Number(body.x + MARGIN + 46.0)) y=(Number(y + 4.0)) { (words) }
                }
                @for (line, words) in remarks.iter().enumerate() {
                    text x=(Number(body.x + MARGIN))
                        y=(Number(below + LINE * (legend.len() + line) as f64 + 8.0)) { (words) }
                }
            }
        }
    }
}

fn node_box((index, node): (usize, &Node), frame: Border, alone: bool) -> Markup {
    let absent = !matches!(node.kind, NodeKind::Ranks | NodeKind::Rest);
    let middle = Number(frame.x + frame.width / 2.0);
    let filter = node.ranks.filter().filter(|ranks| !alone && !ranks.is_empty());
    let round = if absent { frame.height / 2.0 } else { 8.0 };
    let facts = node.facts();
    let first = frame.y + (frame.height - LINE * (1 + facts.len()) as f64) / 2.0 + 13.0;
    let inside = html! {
        title {
            (node.title())
            @if node.ranks.len() > 1 { ": " (node.ranks.shortened(200)) }
            @for fact in &facts { ", " (fact) }
        }
        rect x=(Number(frame.x)) y=(Number(frame.y)) width=(Number(frame.width))
            height=(Number(frame.height)) rx=(Number(round)) {}
        text.title x=(middle) y=(Number(first)) text-anchor="middle" { (node.title()) }
        @for (line, fact) in facts.iter().enumerate() {
            @let alarms = node.deadlock && line + 1 == facts.len();
            text class=(if alarms { "fact alarm" } else { "fact" }) x=(middle)
                y=(Number(first + LINE * (line + 1) as f64)) text-anchor="middle" { (fact) }
        }
    };
    html! {
        g class={ "node" @if absent { " absent" } @if node.deadlock { " deadlock" } }
            data-node=(index) {
            @match filter {
                Some(ranks) => {
                    a href={ "#rank=" (ranks) }
                        aria-label={ "Show the operations of " (node.title()) } { (inside) }
                }
                None => { (inside) }
            }
        }
    }
}

fn label_text(label: &Label, arrow: &Arrow) -> Markup {
    let Border { x, y, width, height } = label.frame;
    html! {
        g class=(classes("label", arrow)) data-arrow=(label.arrow) {
            rect x=(Number(x)) y=(Number(y)) width=(Number(width)) height=(Number(height)) rx="3" {}
            text x=(Number(x + 5.0)) y=(Number(y + 12.5)) { (label.text) }
        }
    }
}

/// The arrowhead of a kind of arrow.
fn head_of(class: &str) -> String {
    format!("url(#head-{class})")
}

/// The arrowheads: kinds differ in shape too.
fn heads() -> Markup {
    let head = |what: &str, size: f64, tip: f64, path: &str| {
        html! {
            marker id={ "head-" (what) } class={ "head-" (what) } markerUnits="userSpaceOnUse"
                markerWidth=(size) markerHeight=(size)
                viewBox="0 0 12 12" refX=(tip) refY="6" orient="auto" {
                path d=(path) {}
            }
        }
    };
    html! {
        defs {
            (head("send", 12.0, 10.0, "M0 1L11 6L0 11z"))
            (head("receive", 13.0, 10.0, "M2 1L11 6L2 11"))
            (head("unexpected", 10.0, 10.0, "M6 0.5A5.5 5.5 0 1 1 5.9 0.5z"))
            (head("collective", 13.0, 10.0, "M10 0.5V11.5"))
        }
    }
}

/// The classes of an arrow, or of its label.
fn classes(part: &str, arrow: &Arrow) -> String {
    let mut classes = format!("{part} {}", class(&arrow.what));
    if arrow.is_complete() {
        classes.push(' ');
        classes.push_str(COMPLETE);
    }
    if arrow.deadlock {
        classes.push_str(" deadlock");
    }
    classes
}

fn class(what: &ArrowKind) -> &'static str {
    match what {
        ArrowKind::Queue(Queue::Sends) => "send",
        ArrowKind::Queue(Queue::Receives) => "receive",
        ArrowKind::Queue(Queue::Unexpected) => "unexpected",
        ArrowKind::Collective(_) => "collective",
    }
}

/// The classes of the arrows that there are, and what they mean.
fn legend(graph: &Graph) -> Vec<(&'static str, &'static str)> {
    let all = [
        ("send", "send: to the rank that has to receive it"),
        ("receive", "receive: to the rank that it waits for"),
        ("unexpected", "unexpected message: from its sender to the rank that it waits at"),
        ("collective", "collective operation: to the ranks that it waits for"),
    ];
    let is = |what: &str| graph.arrows.iter().any(|arrow| class(&arrow.what) == what);
    let mut legend: Vec<_> = all.into_iter().filter(|(what, _)| is(what)).collect();
    if graph.arrows.iter().any(Arrow::is_complete) {
        legend.push((COMPLETE, "pale: complete, so that nothing waits for it"));
    }
    legend
}

/// The picture for those who cannot see it.
fn description(graph: &Graph) -> String {
    const SAID: usize = 40;
    let mut sentences: Vec<String> =
        graph.arrows.iter().take(SAID).map(|arrow| arrow.sentence(&graph.nodes)).collect();
    if graph.arrows.len() > SAID {
        sentences.push(format!("{} more arrows", graph.arrows.len() - SAID));
    }
    if sentences.is_empty() {
        sentences.push("Nothing is pending".to_owned());
    }
    sentences.join(". ") + "."
}

/// Text in lines of about this many characters.
fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line)
                if line.is_empty() || line.chars().count() + word.chars().count() < columns =>
            {
                if !line.is_empty() {
                    line.push(' ');
                }
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
