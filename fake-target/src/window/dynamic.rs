//! Memory attached to dynamic windows (MPI 5.0, section 12.2.4).
//!
//! A process keeps the list of its attached memory in its own memory, and puts the list's address
//! into the shared part. Others read the list there if it has changed since they last read it.

use std::collections::HashMap;
use std::ffi::c_void;
use std::hint;
use std::sync::atomic::{Ordering, fence};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::object::{Flavor, Window, resolve};
use crate::abi::*;
use crate::error::{Error, Result};
use crate::transport::system;

/// A piece of attached memory: address and bytes, as the others read it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
struct Region {
    address: u64,
    bytes: u64,
}

/// What is attached.
#[derive(Default)]
pub(super) struct AttachedRegions {
    /// In this process, in the order of addresses.
    own: Mutex<Vec<Region>>,
    /// Addresses of pieces without bytes. No access needs them.
    empty: Mutex<Vec<u64>>,
    /// At other ranks, with the number of changes when it was read.
    others: Mutex<HashMap<usize, (u64, Vec<Region>)>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The attached memory of a target.
pub(super) struct AttachedMemory<'a>(&'a [Region]);

impl AttachedMemory<'_> {
    /// Whether this many bytes at an address lie in attached pieces, which may follow each other.
    pub(super) fn covers(&self, address: u64, bytes: u64) -> bool {
        let Some(end) = address.checked_add(bytes) else { return false };
        let mut at = address;
        let first = self.0.partition_point(|region| region.address <= address).saturating_sub(1);
        for region in &self.0[first.min(self.0.len())..] {
            if region.address > at {
                break;
            }
            at = at.max(region.address + region.bytes);
            if at >= end {
                return true;
            }
        }
        false
    }
}

impl Window {
    /// What `look` finds in the attached memory of a target.
    pub(super) fn attached_at<R>(
        &self,
        target: usize,
        look: impl FnOnce(AttachedMemory<'_>) -> R,
    ) -> Result<R> {
        if target == self.rank() {
            return Ok(look(AttachedMemory(&locked(&self.attached.own))));
        }
        let mut others = locked(&self.attached.others);
        let known = others.entry(target).or_default();
        loop {
            let there = self.control.target(target);
            let changes = there.changes.load(Ordering::Acquire);
            if changes == known.0 {
                return Ok(look(AttachedMemory(&known.1)));
            }
            if changes.is_multiple_of(2)
                && let Some(list) = self.read_list(target)
            {
                fence(Ordering::Acquire);
                if there.changes.load(Ordering::Relaxed) == changes {
                    *known = (changes, list);
                    continue;
                }
            }
            hint::spin_loop();
        }
    }

    /// The current list of a target; none if it moves meanwhile.
    fn read_list(&self, target: usize) -> Option<Vec<Region>> {
        let there = self.control.target(target);
        let address = there.attached.load(Ordering::Relaxed);
        let count = there.attachments.load(Ordering::Relaxed) as usize;
        let mut regions = vec![[0; 2]; count];
        let list = bytemuck::cast_slice_mut(&mut regions);
        system::read_process(self.shares[target].process, address, list).ok()?;
        Some(regions.into_iter().map(|[address, bytes]| Region { address, bytes }).collect())
    }

    /// Changes the list of this process.
    fn change(&self, change: impl FnOnce(&mut Vec<Region>) -> Result) -> Result {
        let mut own = locked(&self.attached.own);
        let here = self.control.target(self.rank());
        here.changes.fetch_add(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        let result = change(&mut own);
        here.attached.store(own.as_ptr().addr() as u64, Ordering::Relaxed);
        here.attachments.store(own.len() as u64, Ordering::Relaxed);
        here.changes.fetch_add(1, Ordering::Release);
        result
    }
}

fn check_dynamic(window: &Window) -> Result {
    match window.flavor {
        Flavor::Dynamic => Ok(()),
        _ => Err(Error::new(
            MPI_ERR_RMA_FLAVOR,
            "memory is attached only to windows of MPI_Win_create_dynamic",
        )),
    }
}

/// `MPI_Win_attach`
pub(crate) fn attach(win: MPI_Win, base: *mut c_void, size: MPI_Aint) -> Result {
    let window = resolve(win)?;
    check_dynamic(&window)?;
    if size < 0 {
        return Err(Error::new(MPI_ERR_SIZE, format!("the size {size} is negative")));
    }
    if base.is_null() && size > 0 {
        return Err(Error::new(MPI_ERR_BASE, "the memory is a null pointer"));
    }
    let region = Region { address: base.expose_provenance() as u64, bytes: size as u64 };
    if size == 0 {
        locked(&window.attached.empty).push(region.address);
        return Ok(());
    }
    window.change(|regions| {
        let at = regions.partition_point(|other| other.address < region.address);
        let overlaps = |other: &Region| {
            other.address < region.address + region.bytes
                && region.address < other.address + other.bytes
        };
        let neighbours = regions[at.saturating_sub(1)..].iter().take(2);
        if neighbours.into_iter().any(overlaps) {
            return Err(Error::new(
                MPI_ERR_RMA_ATTACH,
                "the memory overlaps with memory that is attached already",
            ));
        }
        regions.insert(at, region);
        Ok(())
    })
}

/// `MPI_Win_detach`
pub(crate) fn detach(win: MPI_Win, base: *const c_void) -> Result {
    let window = resolve(win)?;
    check_dynamic(&window)?;
    let address = base.addr() as u64;
    {
        let mut empty = locked(&window.attached.empty);
        if let Some(at) = empty.iter().position(|piece| *piece == address) {
            empty.remove(at);
            return Ok(());
        }
    }
    window.change(|regions| {
        let at = regions.iter().position(|region| region.address == address).ok_or_else(|| {
            Error::new(MPI_ERR_RMA_ATTACH, "no memory that begins there is attached")
        })?;
        regions.remove(at);
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attached_pieces_may_follow_each_other() {
        let region = |address, bytes| Region { address, bytes };
        let regions = [region(100, 10), region(110, 10), region(200, 0), region(300, 8)];
        for (address, bytes, expected) in [
            (100, 10, true),
            (100, 20, true),
            (105, 15, true),
            (99, 2, false),
            (100, 21, false),
            (119, 1, true),
            (200, 1, false),
            (300, 8, true),
            (301, 8, false),
            (u64::MAX, 2, false),
        ] {
            let memory = AttachedMemory(&regions);
            assert_eq!(memory.covers(address, bytes), expected, "{address} {bytes}");
        }
        assert!(!AttachedMemory(&[]).covers(0, 1));
    }
}
