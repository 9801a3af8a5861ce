//! The positions of a datatype's data: a tree of blocks, repetitions and sequences. It can be
//! walked from any byte of the data stream to any other.
//!
//! The data stream of a datatype is what `MPI_Pack` makes of it: its bytes without the gaps, in the
//! order of the type map. The size of a tree depends on the call that made it, not on what it
//! describes: a vector of a million blocks is one node.

use std::sync::Arc;

use crate::abi::{MPI_Count, MPI_ERR_ARG};
use crate::error::{Error, Result};

/// The place of one element's data relative to its address.
#[derive(Debug)]
pub(crate) struct Layout {
    /// Bytes of data.
    size: MPI_Count,
    /// The lowest and the highest address with data, the latter exclusive; zeros if there are no
    /// data. A part may occur in many places of a tree, so this is found once for each part.
    bounds: (MPI_Count, MPI_Count),
    shape: Shape,
}

#[derive(Debug)]
enum Shape {
    /// All bytes in one block at offset 0.
    Block,
    /// The same layout a number of times, the n-th at `n * stride`.
    Repeat { stride: MPI_Count, inner: Arc<Layout> },
    /// One after the other in the stream, each at its offset.
    Sequence(Vec<Part>),
}

#[derive(Debug)]
struct Part {
    /// Where the part begins in the data stream.
    start: MPI_Count,
    offset: MPI_Count,
    layout: Arc<Layout>,
}

fn too_large() -> Error {
    Error::new(MPI_ERR_ARG, "the datatype would be larger than an MPI_Count can say")
}

/// A product that must fit an `MPI_Count`.
pub(crate) fn times(a: MPI_Count, b: MPI_Count) -> Result<MPI_Count> {
    a.checked_mul(b).ok_or_else(too_large)
}

/// A sum that must fit an `MPI_Count`.
pub(super) fn plus(a: MPI_Count, b: MPI_Count) -> Result<MPI_Count> {
    a.checked_add(b).ok_or_else(too_large)
}

/// A difference that must fit an `MPI_Count`.
pub(super) fn minus(a: MPI_Count, b: MPI_Count) -> Result<MPI_Count> {
    a.checked_sub(b).ok_or_else(too_large)
}

impl Layout {
    /// One block of bytes.
    pub(super) fn block(size: MPI_Count) -> Arc<Self> {
        Arc::new(Layout { size, bounds: (0, size), shape: Shape::Block })
    }

    /// Bytes of data.
    pub(super) fn size(&self) -> MPI_Count {
        self.size
    }

    /// `count` times the same layout, the n-th at `n * stride`.
    pub(super) fn repeat(
        count: MPI_Count,
        stride: MPI_Count,
        inner: &Arc<Layout>,
    ) -> Result<Arc<Self>> {
        let size = times(count, inner.size)?;
        times(count, stride)?;
        if size == 0 {
            return Ok(Layout::block(0));
        }
        if count == 1 {
            return Ok(inner.clone());
        }
        match inner.as_block() {
            Some(0) if stride == inner.size => Ok(Layout::block(size)),
            Some(offset) if stride == inner.size => {
                Layout::sequence([(offset, Layout::block(size))])
            }
            _ => {
                let ((low, high), last) = (inner.bounds, times(count - 1, stride)?);
                let bounds = (plus(low, last.min(0))?, plus(high, last.max(0))?);
                let shape = Shape::Repeat { stride, inner: inner.clone() };
                Ok(Arc::new(Layout { size, bounds, shape }))
            }
        }
    }

    /// Layouts at offsets, one after the other in the data stream.
    pub(super) fn sequence(
        pieces: impl IntoIterator<Item = (MPI_Count, Arc<Layout>)>,
    ) -> Result<Arc<Self>> {
        let mut parts: Vec<Part> = Vec::new();
        let mut size = 0;
        for (offset, layout) in pieces {
            if layout.size == 0 {
                continue;
            }
            let start = size;
            size = plus(size, layout.size)?;
            match parts.last_mut() {
                // Neighbours in the stream and in memory are one block.
                Some(Part { start, offset: before, layout: last })
                    if last.is_plain()
                        && layout.is_plain()
                        && before.checked_add(last.size) == Some(offset) =>
                {
                    *last = Layout::block(size - *start);
                }
                _ => parts.push(Part { start, offset, layout }),
            }
        }
        match &parts[..] {
            [] => Ok(Layout::block(0)),
            [Part { offset: 0, layout, .. }] => Ok(layout.clone()),
            _ => {
                let mut bounds = (MPI_Count::MAX, MPI_Count::MIN);
                for Part { offset, layout, .. } in &parts {
                    bounds.0 = bounds.0.min(plus(*offset, layout.bounds.0)?);
                    bounds.1 = bounds.1.max(plus(*offset, layout.bounds.1)?);
                }
                Ok(Arc::new(Layout { size, bounds, shape: Shape::Sequence(parts) }))
            }
        }
    }

    fn is_plain(&self) -> bool {
        matches!(self.shape, Shape::Block)
    }

    /// The offset of the only block; none if there are several.
    pub(super) fn as_block(&self) -> Option<MPI_Count> {
        match &self.shape {
            Shape::Block => Some(0),
            Shape::Sequence(parts) => match &parts[..] {
                [Part { offset, layout, .. }] if layout.is_plain() => Some(*offset),
                _ => None,
            },
            Shape::Repeat { .. } => None,
        }
    }

    /// The lowest and the highest address with data, the latter exclusive; zeros if there are no
    /// data.
    pub(super) fn bounds(&self) -> (MPI_Count, MPI_Count) {
        self.bounds
    }

    /// Visits the bytes `from..to` of the data stream in their order: `visit(offset, length)` for
    /// each run that is contiguous in memory.
    pub(super) fn walk(
        &self,
        base: MPI_Count,
        from: MPI_Count,
        to: MPI_Count,
        visit: &mut impl FnMut(MPI_Count, usize),
    ) {
        if from >= to {
            return;
        }
        match &self.shape {
            Shape::Block => visit(base + from, (to - from) as usize),
            Shape::Repeat { stride, inner } => walk_repeated(inner, *stride, base, from, to, visit),
            Shape::Sequence(parts) => {
                let first = parts.partition_point(|p| p.start + p.layout.size <= from);
                for part in parts[first..].iter().take_while(|p| p.start < to) {
                    let (begin, end) =
                        ((from - part.start).max(0), (to - part.start).min(part.layout.size));
                    part.layout.walk(base + part.offset, begin, end, visit);
                }
            }
        }
    }
}

/// Walks the bytes `from..to` of a layout that repeats without end.
pub(super) fn walk_repeated(
    layout: &Layout,
    stride: MPI_Count,
    base: MPI_Count,
    from: MPI_Count,
    to: MPI_Count,
    visit: &mut impl FnMut(MPI_Count, usize),
) {
    let size = layout.size;
    if size == 0 || from >= to {
        return;
    }
    let (first, last) = (from / size, (to - 1) / size);
    if let Shape::Block = layout.shape {
        // The common case, vectors of blocks, needs no call for each block.
        let mut position = from;
        for n in first..=last {
            let end = ((n + 1) * size).min(to);
            visit(base + n * stride + (position - n * size), (end - position) as usize);
            position = end;
        }
        return;
    }
    for n in first..=last {
        let start = n * size;
        layout.walk(base + n * stride, (from - start).max(0), (to - start).min(size), visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(layout: &Layout, from: MPI_Count, to: MPI_Count) -> Vec<(MPI_Count, usize)> {
        let mut runs = Vec::new();
        layout.walk(0, from, to, &mut |offset, length| runs.push((offset, length)));
        runs
    }

    #[test]
    fn neighbours_become_one_block() {
        let four = Layout::block(4);
        assert_eq!(Layout::repeat(10, 4, &four).unwrap().as_block(), Some(0));
        let two = Layout::sequence([(8, four.clone()), (12, four.clone())]).unwrap();
        assert_eq!((two.as_block(), two.size()), (Some(8), 8));
        assert_eq!(Layout::sequence([(8, four.clone()), (4, four)]).unwrap().as_block(), None);
    }

    #[test]
    fn a_walk_starts_and_ends_anywhere() {
        let row = Layout::repeat(3, 16, &Layout::block(4)).unwrap();
        assert_eq!(runs(&row, 0, 12), [(0, 4), (16, 4), (32, 4)]);
        assert_eq!(runs(&row, 3, 9), [(3, 1), (16, 4), (32, 1)]);
        let nested =
            Layout::sequence([(100, row.clone()), (0, Layout::block(2)), (200, row)]).unwrap();
        assert_eq!(nested.size(), 26);
        assert_eq!(runs(&nested, 11, 15), [(135, 1), (0, 2), (200, 1)]);
        assert_eq!(nested.bounds(), (0, 236));
    }

    #[test]
    fn backward_strides_have_bounds_too() {
        let back = Layout::repeat(3, -16, &Layout::block(4)).unwrap();
        assert_eq!(back.bounds(), (-32, 4));
        assert_eq!(runs(&back, 4, 6), [(-16, 2)]);
    }

    #[test]
    fn a_size_beyond_a_count_is_an_error() {
        assert!(Layout::repeat(MPI_Count::MAX, 4, &Layout::block(4)).is_err());
        let far = |offset| Layout::sequence([(offset, Layout::block(4))]);
        assert!(far(MPI_Count::MAX - 3).is_err());
        let half = far(MPI_Count::MAX / 2).unwrap();
        assert!(Layout::sequence([(MPI_Count::MAX / 2, half)]).is_err());
    }

    #[test]
    fn the_time_for_nested_parts_does_not_double_with_each() {
        let mut layout = Layout::block(1);
        for _ in 0..61 {
            layout = Layout::sequence([(0, layout.clone()), (3, layout)]).unwrap();
        }
        assert_eq!((layout.size(), layout.bounds()), (1 << 61, (0, 3 * 61 + 1)));
    }
}
