//! Memory of a target, and how data get there and back: by loads and stores if it is mapped here,
//! otherwise by the system (cross memory attach). The target need not do anything.

use std::ffi::c_void;

use super::dynamic::AttachedMemory;
use super::object::{Flavor, Window};
use crate::abi::*;
use crate::copying;
use crate::datatype::{self, Datatype, DatatypeRef};
use crate::error::{Error, Result};
use crate::transport::system::{self, Run};

/// Elements in the memory of a target.
pub(super) struct TargetElements {
    memory: TargetMemory,
    pub(super) count: MPI_Count,
    pub(super) datatype: DatatypeRef,
}

/// Memory as this process reaches it.
#[derive(Clone, Copy)]
enum TargetMemory {
    /// By its address here.
    Here(*mut u8),
    /// In a process, by its address there.
    There { process: i32, address: u64 },
}

/// The first and the last byte, the latter exclusive, of elements at address 0.
fn bounds(datatype: &Datatype, count: MPI_Count) -> Option<(MPI_Count, MPI_Count)> {
    let last = (count - 1).checked_mul(datatype.extent())?;
    let low = datatype.true_lb().checked_add(last.min(0))?;
    let high = datatype.true_lb().checked_add(datatype.true_extent())?.checked_add(last.max(0))?;
    Some((low, high))
}

/// Bytes of data whose runs are visited before the next look at what has been found.
const STEP: MPI_Count = 64 << 10;

/// Whether every run of elements at an address is attached, although there is other memory between
/// them. Ends soon after the first run that is not.
fn runs_lie_in(
    memory: &AttachedMemory<'_>,
    address: u64,
    count: MPI_Count,
    datatype: &Datatype,
) -> bool {
    let (mut done, total) = (0, count * datatype.size());
    let mut all = true;
    while all && done < total {
        let next = total.min(done + STEP);
        datatype.walk(done, next, |at, length| {
            all = all && memory.covers(address.wrapping_add_signed(at), length as u64);
        });
        done = next;
    }
    all
}

fn out_of_range(disp: MPI_Aint) -> Error {
    Error::new(
        MPI_ERR_RMA_RANGE,
        format!("the elements at displacement {disp} are not in the target's memory"),
    )
}

/// A count argument and its datatype, checked.
pub(super) fn elements(count: MPI_Count, handle: MPI_Datatype) -> Result<DatatypeRef> {
    if count < 0 {
        return Err(Error::new(MPI_ERR_COUNT, format!("the count {count} is negative")));
    }
    let datatype = datatype::resolve(handle)?;
    if count.checked_mul(datatype.size()).is_none() {
        let message = format!("{count} elements are more than memory has");
        return Err(Error::new(MPI_ERR_COUNT, message));
    }
    Ok(datatype)
}

impl TargetElements {
    /// `count` elements at a displacement in the memory of a target. Errors: `MPI_ERR_DISP`,
    /// `MPI_ERR_RMA_RANGE`, and those of a wrong count or datatype.
    pub(super) fn new(
        window: &Window,
        target: usize,
        disp: MPI_Aint,
        count: MPI_Count,
        handle: MPI_Datatype,
    ) -> Result<TargetElements> {
        let datatype = elements(count, handle)?;
        let dynamic = window.flavor == Flavor::Dynamic;
        if disp < 0 && !dynamic {
            return Err(Error::new(MPI_ERR_DISP, format!("the displacement {disp} is negative")));
        }
        let share = &window.shares[target];
        if count * datatype.size() == 0 {
            return Ok(TargetElements { memory: TargetMemory::Here(share.here), count, datatype });
        }
        let (low, high) = bounds(&datatype, count).ok_or_else(|| out_of_range(disp))?;
        let memory = if dynamic {
            let first = (disp as u64).wrapping_add_signed(low);
            let are_attached = window.attached_at(target, |memory| {
                memory.covers(first, (high - low) as u64)
                    || runs_lie_in(&memory, disp as u64, count, &datatype)
            })?;
            if !are_attached {
                return Err(out_of_range(disp));
            }
            match target == window.rank() {
                true => TargetMemory::Here(std::ptr::with_exposed_provenance_mut(disp as usize)),
                false => TargetMemory::There { process: share.process, address: disp as u64 },
            }
        } else {
            let offset = (disp as i64).checked_mul(share.disp_unit as i64);
            let inside = |offset: &i64| {
                let within = |at: MPI_Count| {
                    offset.checked_add(at).is_some_and(|at| (0..=share.size as i64).contains(&at))
                };
                within(low) && within(high)
            };
            let offset = offset.filter(inside).ok_or_else(|| out_of_range(disp))?;
            match share.here.is_null() {
                false => TargetMemory::Here(share.here.wrapping_offset(offset as isize)),
                true => TargetMemory::There {
                    process: share.process,
                    address: share.base.wrapping_add_signed(offset),
                },
            }
        };
        Ok(TargetElements { memory, count, datatype })
    }

    /// Bytes of data.
    pub(super) fn bytes(&self) -> usize {
        (self.count * self.datatype.size()) as usize
    }

    /// The address of the data here, where they are one block of memory.
    pub(super) fn block(&self) -> Option<*mut u8> {
        match (self.memory, self.datatype.block(self.count)) {
            (TargetMemory::Here(address), Some(offset)) => {
                Some(address.wrapping_offset(offset as isize))
            }
            _ => None,
        }
    }

    /// Copies a data stream into the elements. It has no more bytes than there is room for.
    pub(super) fn write(&self, data: &[u8]) -> Result {
        if data.is_empty() {
            return Ok(());
        }
        if let Some(block) = self.block() {
            // SAFETY: inside of the memory that the target shows (`new`), mapped here; the program
            // may put data onto themselves.
            unsafe { copying::copy(data.as_ptr(), block, data.len()) };
            return Ok(());
        }
        match self.memory {
            TargetMemory::Here(address) => {
                self.datatype.unpack(address.cast(), self.count, 0, data);
                Ok(())
            }
            TargetMemory::There { process, address } => {
                let runs = self.runs(address, data.len());
                system::write_runs(process, &runs, data).map_err(|error| refused(&error))
            }
        }
    }

    /// Copies the data stream of the elements to `to`, as much as fits.
    pub(super) fn read(&self, to: &mut [u8]) -> Result {
        if to.is_empty() {
            return Ok(());
        }
        if let Some(block) = self.block() {
            // SAFETY: as for `write`.
            unsafe { copying::copy(block, to.as_mut_ptr(), to.len()) };
            return Ok(());
        }
        match self.memory {
            TargetMemory::Here(address) => {
                self.datatype.pack(address.cast::<c_void>(), self.count, 0, to);
                Ok(())
            }
            TargetMemory::There { process, address } => {
                let runs = self.runs(address, to.len());
                system::read_runs(process, &runs, to).map_err(|error| refused(&error))
            }
        }
    }

    /// The runs of memory of the first `bytes` of the data; neighbours are one run.
    fn runs(&self, base: u64, bytes: usize) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        self.datatype.walk(0, bytes as MPI_Count, |at, length| {
            let address = base.wrapping_add_signed(at);
            match runs.last_mut() {
                Some(last) if last.address + last.length as u64 == address => last.length += length,
                _ => runs.push(Run { address, length }),
            }
        });
        runs
    }
}

fn refused(error: &std::io::Error) -> Error {
    Error::new(
        MPI_ERR_RMA_RANGE,
        format!("the system cannot access the elements in the target's memory: {error}"),
    )
}
