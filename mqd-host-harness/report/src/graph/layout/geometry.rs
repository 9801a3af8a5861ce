//! Points, rectangles and curves.

use std::fmt;

/// A point. In SVG y grows downwards.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in super::super) struct Point {
    pub(in super::super) x: f64,
    pub(in super::super) y: f64,
}

impl Point {
    pub(super) fn new(x: f64, y: f64) -> Point {
        Point { x, y }
    }

    pub(super) fn moved(self, by: Point) -> Point {
        Point::new(self.x + by.x, self.y + by.y)
    }

    pub(super) fn towards(self, other: Point, part: f64) -> Point {
        Point::new(self.x + (other.x - self.x) * part, self.y + (other.y - self.y) * part)
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", Number(self.x), Number(self.y))
    }
}

/// A number with one digit after the point: files stay small, and are the same everywhere.
pub(in super::super) struct Number(pub(in super::super) f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = (self.0 * 10.0).round() / 10.0;
        // No -0.
        write!(f, "{}", if tenths == 0.0 { 0.0 } else { tenths })
    }
}

/// A rectangle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in super::super) struct Border {
    pub(in super::super) x: f64,
    pub(in super::super) y: f64,
    pub(in super::super) width: f64,
    pub(in super::super) height: f64,
}

impl Border {
    pub(super) fn around(center: Point, (width, height): (f64, f64)) -> Border {
        Border { x: center.x - width / 2.0, y: center.y - height / 2.0, width, height }
    }

    /// The smallest rectangle with these two points.
    pub(super) fn spanning(one: Point, other: Point) -> Border {
        let (x, y) = (one.x.min(other.x), one.y.min(other.y));
        Border { x, y, width: (one.x - other.x).abs(), height: (one.y - other.y).abs() }
    }

    pub(super) fn right(self) -> f64 {
        self.x + self.width
    }

    pub(super) fn bottom(self) -> f64 {
        self.y + self.height
    }

    pub(super) fn center(self) -> Point {
        Point::new(self.x + self.width / 2.0, self.y + self.height / 2.0)
    }

    pub(super) fn contains(self, point: Point) -> bool {
        (self.x..=self.right()).contains(&point.x) && (self.y..=self.bottom()).contains(&point.y)
    }

    pub(super) fn overlaps(self, other: Border) -> bool {
        self.x < other.right()
            && other.x < self.right()
            && self.y < other.bottom()
            && other.y < self.bottom()
    }

    /// Larger by this on all sides.
    pub(in super::super) fn grown(self, by: f64) -> Border {
        Border {
            x: self.x - by,
            y: self.y - by,
            width: self.width + 2.0 * by,
            height: self.height + 2.0 * by,
        }
    }

    pub(super) fn union(self, other: Border) -> Border {
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        Border {
            x,
            y,
            width: self.right().max(other.right()) - x,
            height: self.bottom().max(other.bottom()) - y,
        }
    }
}

/// A quadratic Bézier curve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Curve {
    pub(super) begin: Point,
    pub(super) control: Point,
    pub(super) end: Point,
}

impl Curve {
    pub(super) fn at(self, part: f64) -> Point {
        self.begin.towards(self.control, part).towards(self.control.towards(self.end, part), part)
    }

    /// The direction across it, of length 1. It points away from where the curve is hollow.
    pub(super) fn normal(self, part: f64) -> (f64, f64) {
        let (one, other) =
            (self.begin.towards(self.control, part), self.control.towards(self.end, part));
        let (dx, dy) = (other.x - one.x, other.y - one.y);
        let length = dx.hypot(dy).max(f64::MIN_POSITIVE);
        (dy / length, -dx / length)
    }

    /// Points on it, at most this far from one to the next.
    pub(super) fn points(self, distance: f64) -> impl Iterator<Item = Point> {
        let length = (self.control.x - self.begin.x).hypot(self.control.y - self.begin.y)
            + (self.end.x - self.control.x).hypot(self.end.y - self.control.y);
        let count = (length / distance).ceil().max(1.0);
        (0..=count as usize).map(move |index| self.at(index as f64 / count))
    }

    /// The part that is outside of the frames around its ends.
    pub(super) fn between(self, first: Border, last: Border) -> Curve {
        const STEPS: usize = 200;
        let part = |step: usize| step as f64 / STEPS as f64;
        let leaves = (0..STEPS).find(|step| !first.contains(self.at(part(*step)))).unwrap_or(0);
        let arrives =
            (0..=STEPS).rev().find(|step| !last.contains(self.at(part(*step)))).unwrap_or(STEPS);
        let (from, to) = (part(leaves), part(arrives.max(leaves + 1)));
        // de Casteljau, twice.
        let control = self
            .begin
            .towards(self.control, from)
            .towards(self.control.towards(self.end, from), to);
        Curve { begin: self.at(from), control, end: self.at(to) }
    }
}

impl fmt::Display for Curve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "M{}Q{} {}", self.begin, self.control, self.end)
    }
}
