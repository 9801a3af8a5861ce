//! How tools hear of accesses to files.

use std::cell::Cell;

use super::access::{BufferArguments, Direction};
use super::object::File;
use crate::abi::*;
use crate::engine;
use crate::engine::observe::{self, Event, FileCall, Subject};

fn report(event: Event, call: &FileCall, id: MPI_Aint) {
    engine::report_outside(event, || Subject::File(call, id));
}

/// An access that tools may follow.
pub(super) struct WatchedAccess(Option<Box<Followed>>);

struct Followed {
    call: Cell<FileCall>,
    id: MPI_Aint,
    /// The system has been asked before.
    begun: Cell<bool>,
    /// Bytes that the system has moved.
    bytes: Cell<MPI_Count>,
    /// Bytes that other processes have got or given.
    shipped: Cell<MPI_Count>,
}

/// The call with these arguments, on a file.
fn call_of(
    file: &File,
    direction: Direction,
    (buffer, count, datatype): BufferArguments,
) -> FileCall {
    FileCall {
        context: file.context_id(),
        file: file.handle(),
        elements: (buffer.cast_mut(), count, datatype),
        offset: MPI_UNDEFINED.into(),
        writes: direction == Direction::Write,
    }
}

impl WatchedAccess {
    /// The access of a call.
    #[inline]
    pub(super) fn new(
        file: &File,
        direction: Direction,
        arguments: BufferArguments,
    ) -> WatchedAccess {
        WatchedAccess(observe::follows_files().then(|| {
            Box::new(Followed {
                call: Cell::new(call_of(file, direction, arguments)),
                id: observe::new_id(),
                begun: Cell::new(false),
                bytes: Cell::new(0),
                shipped: Cell::new(0),
            })
        }))
    }

    fn report(&self, event: Event) {
        if let Some(followed) = &self.0 {
            report(event, &followed.call.get(), followed.id);
        }
    }

    /// Moves a shared file pointer.
    pub(super) fn moves_pointer<R>(&self, work: impl FnOnce() -> R) -> R {
        self.report(Event::FilePointerTime);
        let result = work();
        self.report(Event::FilePointerTime);
        result
    }

    /// The place of the access is known.
    #[inline]
    pub(super) fn begins_at(&self, offset: MPI_Offset) {
        if let Some(followed) = &self.0 {
            followed.call.set(FileCall { offset, ..followed.call.get() });
        }
    }

    /// The system is about to be asked.
    #[inline]
    pub(super) fn asks(&self) {
        if let Some(followed) = &self.0 {
            if !followed.begun.replace(true) {
                self.report(Event::FileAccessTime);
            }
            self.report(Event::FileDiskAccess);
        }
    }

    /// The system has moved bytes.
    #[inline]
    pub(super) fn moved(&self, bytes: usize) {
        if let Some(followed) = &self.0 {
            followed.bytes.set(followed.bytes.get() + bytes as MPI_Count);
        }
    }

    /// Bytes have gone to other processes, or have come from them.
    pub(super) fn ships(&self, bytes: usize) {
        if let Some(followed) = &self.0 {
            followed.shipped.set(followed.shipped.get() + bytes as MPI_Count);
        }
    }

    /// The system will not be asked any more.
    pub(super) fn ends(&self) {
        let Some(followed) = &self.0 else { return };
        // What was moved, gaps between the elements included, has no other place than the count.
        let call = followed.call.get();
        let (buffer, ..) = call.elements;
        let tell = |event, bytes: MPI_Count| {
            report(event, &FileCall { elements: (buffer, bytes, MPI_BYTE), ..call }, followed.id);
        };
        if followed.shipped.get() > 0 {
            tell(Event::FileShippedBytes, followed.shipped.get());
        }
        if followed.begun.get() {
            self.report(Event::FileAccessTime);
            tell(Event::FileAccessBytes, followed.bytes.get());
        }
    }
}

/// A phase of a split collective access that tools may follow, until it is dropped.
pub(super) struct WatchedPhase {
    event: Event,
    followed: Option<(FileCall, MPI_Aint)>,
}

/// A phase of a split collective access begins.
pub(super) fn phase(
    file: &File,
    event: Event,
    direction: Direction,
    arguments: BufferArguments,
) -> WatchedPhase {
    let followed = observe::wants(event.bit()).then(|| {
        let call = call_of(file, direction, arguments);
        let id = observe::new_id();
        report(event, &call, id);
        (call, id)
    });
    WatchedPhase { event, followed }
}

impl Drop for WatchedPhase {
    fn drop(&mut self) {
        if let Some((call, id)) = &self.followed {
            report(self.event, call, *id);
        }
    }
}
