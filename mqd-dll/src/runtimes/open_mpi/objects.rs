//! OPAL's objects: classes, lists and arrays, read with their checks.

use super::layout::Layout;
use super::library::MAX_PROCESSES;
use crate::alloc::push;
use crate::error::{Code, Error, Result};
use crate::layout::{Record, Structure};
use crate::memory::Memory;

/// Bytes of a class's name that are read; real names are shorter.
const CLASS_NAME_BYTES: usize = 48;

/// A structure that was read.
pub(super) fn read_record(memory: &mut Memory<'_>, address: u64, size: usize) -> Result<Vec<u8>> {
    memory.record(address, size)
}

/// The pointer at an address.
pub(super) fn read_pointer(memory: &mut Memory<'_>, address: u64) -> Result<u64> {
    memory.pointer(address)
}

/// The pointers of an array of `count`.
pub(super) fn read_pointers(memory: &mut Memory<'_>, array: u64, count: i64) -> Result<Vec<u64>> {
    if !(0..=MAX_PROCESSES).contains(&count) {
        return Err(Error::new(Code::Impossible).part("size"));
    }
    let pointer = memory.target.pointer;
    let bytes = read_record(memory, array, count as usize * pointer)?;
    let mut pointers = Vec::new();
    pointers.try_reserve_exact(count as usize)?;
    for entry in bytes.chunks_exact(pointer) {
        push(&mut pointers, memory.target.unsigned(entry))?;
    }
    Ok(pointers)
}

/// The class of an object.
pub(super) fn class_of(memory: &mut Memory<'_>, layout: &Layout, object: u64) -> Result<u64> {
    read_pointer(memory, layout.object.obj_class.address(object))
}

/// Checks that this class is called `name`, and that its instances are as large as the layout says.
///
/// The library has both in its read-only data. A layout that passes for all the classes it needs is
/// that of this library.
pub(super) fn check_class(
    memory: &mut Memory<'_>,
    layout: &Layout,
    class: u64,
    name: &'static str,
    size: usize,
) -> Result<ClassCheck> {
    let bytes = read_record(memory, class, layout.class.bytes())?;
    let record = Record { bytes: &bytes, target: memory.target };
    let (name_at, instance_size) =
        (record.get(layout.class.cls_name)?, record.get(layout.class.cls_sizeof)?);
    let mut text = [0; CLASS_NAME_BYTES];
    let length = memory.read_string(name_at, &mut text)?;
    Ok(if text.get(..length) != Some(name.as_bytes()) {
        ClassCheck::OtherName
    } else if instance_size != size as u64 {
        ClassCheck::OtherSize
    } else {
        ClassCheck::Fits
    })
}

/// What [`check_class`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClassCheck {
    Fits,
    OtherName,
    OtherSize,
}

/// A walk over a list: its sentinel, the position, and the next element.
pub(super) struct ListWalk {
    sentinel: u64,
    /// The address of the next element, or of the sentinel.
    next: u64,
}

impl ListWalk {
    /// A walk over the list that `list` holds at `address`.
    pub(super) fn new(layout: &Layout, list: Record<'_>, address: u64) -> Result<Self> {
        let sentinel = list.inner(layout.list.opal_list_sentinel)?;
        let next = sentinel.get(layout.list_item.opal_list_next)?;
        Ok(Self { sentinel: layout.list.opal_list_sentinel.address(address), next })
    }

    /// The next element; None at the end.
    pub(super) fn element(&self) -> Result<Option<u64>> {
        match self.next {
            // An empty list points to itself. With NULL the list was not set up.
            0 => Err(Error::new(Code::Impossible).part("opal_list_next")),
            next => Ok((next != self.sentinel).then_some(next)),
        }
    }

    /// Goes on to the element that this one names as its next.
    pub(super) fn advance(&mut self, next: u64) {
        self.next = next;
    }
}
