//! The datatype itself.

use std::borrow::Borrow;
use std::ffi::{CStr, c_int, c_void};
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::element::Element;
use super::layout::{self, Layout};
use crate::abi::*;
use crate::attributes::Attributes;
use crate::copying;
use crate::debug::queues::{mqdrt_datatype, name_field};

/// A datatype. Its head is what debuggers see.
#[repr(C)]
pub(crate) struct Datatype {
    head: mqdrt_datatype,
    pub(super) layout: Arc<Layout>,
    /// Of the layout: its size, the first and the last byte of data, the latter exclusive, and the
    /// offset of the one block that it is.
    size: MPI_Count,
    data: (MPI_Count, MPI_Count),
    block: Option<MPI_Count>,
    pub(super) bounds: Bounds,
    pub(super) parts: Parts,
    pub(super) recipe: Recipe,
    pub(super) committed: AtomicBool,
    name: Mutex<Vec<u8>>,
    attributes: Attributes,
}

// SAFETY: the cells of the head are written before the datatype is shared, and after that under the
// lock of `name` only.
unsafe impl Sync for Datatype {}
// SAFETY: nothing in it belongs to a thread.
unsafe impl Send for Datatype {}

/// How far an element reaches (MPI 5.0, section 5.1.6 and 5.1.7), in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) lb: MPI_Count,
    pub(super) ub: MPI_Count,
    /// Whether `MPI_Type_create_resized` has set them, here or in a part. Then the data do not
    /// determine them.
    pub(super) explicit: bool,
    /// The strictest alignment among the predefined datatypes in it.
    pub(super) align: MPI_Count,
}

/// What a datatype is made of, for counting and for reductions.
#[derive(Clone, Debug)]
pub(super) enum Parts {
    /// A predefined datatype: its kind, and the sizes of its basic elements.
    Basic(Element, &'static [MPI_Count]),
    /// Other datatypes with their numbers of repetitions, in the order of the data stream; and the
    /// total number of basic elements.
    Derived(Vec<(MPI_Count, DatatypeRef)>, MPI_Count),
}

/// A reference to a datatype, which keeps it alive even after `MPI_Type_free`.
#[derive(Clone)]
pub(crate) enum DatatypeRef {
    /// A predefined one.
    Predefined(&'static Datatype),
    /// One that the program made.
    Derived(Arc<Datatype>),
}

impl Deref for DatatypeRef {
    type Target = Datatype;
    fn deref(&self) -> &Datatype {
        match self {
            DatatypeRef::Predefined(datatype) => datatype,
            DatatypeRef::Derived(datatype) => datatype,
        }
    }
}

impl DatatypeRef {
    /// The one predefined datatype that it is made of. None if it is made of several.
    pub(crate) fn basic(&self) -> Option<DatatypeRef> {
        self.reducible()?;
        match &self.parts {
            Parts::Basic(..) => Some(self.clone()),
            Parts::Derived(parts, _) => parts.iter().find(|(count, _)| *count > 0)?.1.basic(),
        }
    }
}

impl std::fmt::Debug for DatatypeRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.name())
    }
}

impl Datatype {
    pub(super) fn new(
        name: &str,
        layout: Arc<Layout>,
        bounds: Bounds,
        parts: Parts,
        recipe: Recipe,
    ) -> Self {
        Datatype {
            head: mqdrt_datatype { name: name_field(name).into(), size: layout.size().into() },
            size: layout.size(),
            data: layout.bounds(),
            block: layout.as_block(),
            layout,
            bounds,
            parts,
            recipe,
            committed: AtomicBool::new(false),
            name: Mutex::new(name.into()),
            attributes: Attributes::default(),
        }
    }

    /// An equal datatype without a name and attributes.
    pub(super) fn copy(&self) -> Datatype {
        let (parts, recipe) = (self.parts.clone(), self.recipe.clone());
        let copy = Datatype::new("", self.layout.clone(), self.bounds, parts, recipe);
        copy.committed.store(self.committed.load(Ordering::Acquire), Ordering::Release);
        copy
    }

    pub(super) fn predefined(
        handle: MPI_Datatype,
        name: &str,
        element: Element,
        layout: Arc<Layout>,
        sizes: &'static [MPI_Count],
        extent: MPI_Count,
        align: MPI_Count,
    ) -> Self {
        let bounds = Bounds { lb: 0, ub: extent, explicit: false, align };
        let datatype =
            Self::new(name, layout, bounds, Parts::Basic(element, sizes), Recipe::named(handle));
        datatype.committed.store(true, Ordering::Release);
        datatype
    }

    /// The head for debuggers; it is at the datatype's own address.
    pub(crate) fn head(&self) -> &mqdrt_datatype {
        &self.head
    }

    /// The name: that of the constant, that of `MPI_Type_set_name`, or empty.
    pub(crate) fn name(&self) -> String {
        String::from_utf8_lossy(&self.bytes_of_name()).into_owned()
    }

    /// The bytes of the name, as the program has given them.
    pub(super) fn bytes_of_name(&self) -> Vec<u8> {
        self.name.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set_name(&self, name: &[u8]) {
        let mut own = self.name.lock().unwrap_or_else(PoisonError::into_inner);
        *own = crate::text::cut(name, MPI_MAX_OBJECT_NAME as usize - 1).to_vec();
        self.head.name.set(name_field(name));
    }

    /// The program's attributes.
    pub(crate) fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// Bytes of data in one element.
    #[inline]
    pub(crate) fn size(&self) -> MPI_Count {
        self.size
    }

    /// The distance in bytes between the beginnings of two elements in a row.
    #[inline]
    pub(crate) fn extent(&self) -> MPI_Count {
        self.bounds.ub - self.bounds.lb
    }

    /// Whether it is predefined, as those of Fortran's kinds are, too.
    pub(crate) fn is_predefined(&self) -> bool {
        matches!(self.parts, Parts::Basic(..))
    }

    /// The lower bound in bytes.
    pub(crate) fn lb(&self) -> MPI_Count {
        self.bounds.lb
    }

    /// The offset of the first byte of data in memory.
    #[inline]
    pub(crate) fn true_lb(&self) -> MPI_Count {
        self.data.0
    }

    /// The bytes from the first to the last byte of data in memory.
    #[inline]
    pub(crate) fn true_extent(&self) -> MPI_Count {
        self.data.1 - self.data.0
    }

    /// Whether any number of elements is one block of memory: `count * size` bytes at `buffer +
    /// true_lb`.
    #[inline]
    pub(crate) fn is_dense(&self) -> bool {
        self.block.is_some() && self.extent() == self.size()
    }

    /// The offset of `count` elements from the buffer's address, if they are one block of memory.
    #[inline]
    pub(crate) fn block(&self, count: MPI_Count) -> Option<MPI_Count> {
        let offset = self.block?;
        (count <= 1 || self.extent() == self.size()).then_some(offset)
    }

    /// Visits the bytes `from..to` of the data stream of elements at address 0 in their order:
    /// `visit(offset, length)` for each run of memory. Elements without gaps are one run.
    pub(crate) fn walk(
        &self,
        from: MPI_Count,
        to: MPI_Count,
        mut visit: impl FnMut(MPI_Count, usize),
    ) {
        if let Some(offset) = self.block(MPI_Count::MAX) {
            if from < to {
                visit(offset + from, (to - from) as usize);
            }
            return;
        }
        layout::walk_repeated(&self.layout, self.extent(), 0, from, to, &mut visit);
    }

    /// Copies data of `count` elements at `buffer`, from byte `offset` of their data stream on, to
    /// `out`. Copies as much as there is and fits, and returns the number of bytes.
    ///
    /// MPI's caller guarantees that the elements can be read.
    pub(crate) fn pack(
        &self,
        buffer: *const c_void,
        count: MPI_Count,
        offset: MPI_Count,
        out: &mut [u8],
    ) -> usize {
        let length = (count * self.size() - offset).clamp(0, out.len() as MPI_Count);
        let mut to = out.as_mut_ptr();
        self.walk(offset, offset + length, |at, run| {
            // SAFETY: the runs of a walk add up to `length`, which fits `out`; the caller says the
            // elements can be read.
            unsafe {
                copying::copy(buffer.wrapping_byte_offset(at as isize).cast(), to, run);
                to = to.add(run);
            }
        });
        length as usize
    }

    /// Copies `data` into `count` elements at `buffer`, from byte `offset` of their data stream on.
    /// Copies as much as there is room for, and returns the number of bytes.
    ///
    /// MPI's caller guarantees that the elements can be written.
    pub(crate) fn unpack(
        &self,
        buffer: *mut c_void,
        count: MPI_Count,
        offset: MPI_Count,
        data: &[u8],
    ) -> usize {
        let length = (count * self.size() - offset).clamp(0, data.len() as MPI_Count);
        let mut from = data.as_ptr();
        self.walk(offset, offset + length, |at, run| {
            // SAFETY: the runs of a walk add up to `length`, which is no more than there is; the
            // caller says the elements can be written.
            unsafe {
                copying::copy(from, buffer.wrapping_byte_offset(at as isize).cast(), run);
                from = from.add(run);
            }
        });
        length as usize
    }

    /// Basic elements in one element: what `MPI_Get_elements` counts.
    pub(crate) fn elements(&self) -> MPI_Count {
        match &self.parts {
            Parts::Basic(_, sizes) => sizes.len() as MPI_Count,
            Parts::Derived(_, elements) => *elements,
        }
    }

    /// The number of basic elements in this many bytes of the data stream; none if the bytes end
    /// within an element.
    pub(crate) fn elements_in(&self, bytes: MPI_Count) -> Option<MPI_Count> {
        if self.size() == 0 {
            return (bytes == 0).then_some(0);
        }
        let whole = bytes / self.size() * self.elements();
        let mut rest = bytes % self.size();
        let mut elements = 0;
        match &self.parts {
            Parts::Basic(_, sizes) => {
                for &size in *sizes {
                    if rest <= 0 {
                        break;
                    }
                    rest -= size;
                    elements += 1;
                }
                (rest == 0).then_some(whole + elements)
            }
            Parts::Derived(parts, _) => {
                for (count, part) in parts {
                    let here = rest.min(count * part.size());
                    elements += part.elements_in(here)?;
                    rest -= here;
                }
                Some(whole + elements)
            }
        }
    }

    /// The bytes that the first `elements` basic elements of one element take.
    pub(super) fn bytes_of(&self, elements: MPI_Count) -> MPI_Count {
        let mut rest = elements;
        match &self.parts {
            Parts::Basic(_, sizes) => sizes.iter().take(rest as usize).sum(),
            Parts::Derived(parts, _) => {
                let mut bytes = 0;
                for (count, part) in parts.iter().filter(|(_, part)| part.elements() > 0) {
                    let here = rest.min(count * part.elements());
                    bytes += here / part.elements() * part.size()
                        + part.bytes_of(here % part.elements());
                    rest -= here;
                }
                bytes
            }
        }
    }

    /// Visits the predefined datatypes of one element, in the order of the data stream: their
    /// handles, and how many there are in a row.
    pub(crate) fn each_predefined(&self, visit: &mut dyn FnMut(MPI_Datatype, MPI_Count)) {
        match &self.parts {
            Parts::Basic(..) => visit(self.recipe.handle, 1),
            Parts::Derived(parts, _) => {
                for (count, part) in parts {
                    part.each_predefined(&mut |handle, own| visit(handle, count * own));
                }
            }
        }
    }

    /// The element that a reduction computes with, and the number of these in one element of the
    /// datatype. None if the datatype is made of several predefined ones.
    pub(crate) fn reducible(&self) -> Option<(Element, &'static [MPI_Count])> {
        match &self.parts {
            Parts::Basic(element, sizes) => Some((*element, sizes)),
            Parts::Derived(parts, _) => {
                let mut parts =
                    parts.iter().filter(|(count, _)| *count > 0).map(|(_, part)| part.reducible());
                let first = parts.next()??;
                parts.all(|part| part == Some(first)).then_some(first)
            }
        }
    }
}

/// A datatype of `size` contiguous bytes, which has no handle.
pub(super) fn of_bytes(size: MPI_Count) -> DatatypeRef {
    let bounds = Bounds { lb: 0, ub: size, explicit: false, align: 1 };
    let parts = Parts::Derived(Vec::new(), 0);
    let recipe = Recipe::named(MPI_DATATYPE_NULL);
    DatatypeRef::Derived(Arc::new(Datatype::new("", Layout::block(size), bounds, parts, recipe)))
}

/// The call that made a datatype, with its arguments (MPI 5.0, section 5.1.13).
#[derive(Clone)]
pub(super) struct Recipe {
    pub(super) combiner: c_int,
    /// A predefined datatype's own handle.
    pub(super) handle: MPI_Datatype,
    pub(super) integers: Vec<MPI_Count>,
    pub(super) addresses: Vec<MPI_Count>,
    /// The counts, displacements and bounds of a large-count call.
    pub(super) large_counts: Vec<MPI_Count>,
    pub(super) datatypes: Vec<DatatypeRef>,
}

impl Recipe {
    /// The recipe of a predefined datatype: none.
    pub(super) fn named(handle: MPI_Datatype) -> Self {
        Recipe { handle, ..Recipe::of_integers(MPI_COMBINER_NAMED, []) }
    }

    /// A call that has integers only.
    pub(super) fn of_integers(combiner: c_int, integers: impl Into<Vec<MPI_Count>>) -> Self {
        let (addresses, large_counts, datatypes) = (Vec::new(), Vec::new(), Vec::new());
        let (handle, integers) = (MPI_DATATYPE_NULL, integers.into());
        Recipe { combiner, handle, integers, addresses, large_counts, datatypes }
    }

    /// A call with its integers, addresses and datatypes, in the order of the standard. A
    /// large-count call has large counts for both.
    pub(super) fn new<D: Borrow<DatatypeRef>>(
        call: &CStr,
        combiner: c_int,
        integers: impl Into<Vec<MPI_Count>>,
        addresses: impl Into<Vec<MPI_Count>>,
        datatypes: impl IntoIterator<Item = D>,
    ) -> Self {
        let datatypes = datatypes.into_iter().map(|d| d.borrow().clone()).collect();
        let (integers, addresses) = (integers.into(), addresses.into());
        let recipe = Recipe { datatypes, ..Recipe::of_integers(combiner, []) };
        match is_large(call) {
            true => Recipe { large_counts: [integers, addresses].concat(), ..recipe },
            false => Recipe { integers, addresses, ..recipe },
        }
    }

    /// Integers, then addresses, or the large counts of a large-count call: both are in the same
    /// order.
    pub(super) fn counts(&self) -> Vec<MPI_Count> {
        [&self.integers[..], &self.addresses, &self.large_counts].concat()
    }

    /// The arguments of a call for arrays, in the order of the call with small counts. Its counts
    /// follow the first `before` integers.
    pub(super) fn array_arguments(&self, before: usize) -> Vec<MPI_Count> {
        let (first, last) = self.integers.split_at(before);
        [first, &self.large_counts, last].concat()
    }

    /// Was it made by a large-count call?
    pub(super) fn is_large(&self) -> bool {
        !self.large_counts.is_empty()
    }
}

/// Is this the name of a large-count call?
pub(super) fn is_large(call: &CStr) -> bool {
    call.to_bytes().ends_with(b"_c")
}
