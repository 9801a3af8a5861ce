//! The process callbacks (5.6.17): memory, and the meaning of its bytes.

use super::Image;
use crate::error::{Code, Error, Result};
use mqs_abi::{
    mqs_fetch_data_ft, mqs_image, mqs_ok, mqs_process, mqs_process_callbacks, mqs_taddr_t,
    mqs_target_to_host_ft, mqs_target_type_sizes,
};
use std::ffi::c_int;
use std::ptr::NonNull;

/// A process of the debugger with its callbacks.
#[derive(Clone, Copy)]
pub(crate) struct Process {
    handle: NonNull<mqs_process>,
    callbacks: mqs_process_callbacks,
}

// SAFETY: the handle is a key for the debugger, never dereferenced here.
unsafe impl Send for Process {}

impl Process {
    /// # Safety
    /// `handle` is a process of the debugger, and `callbacks` is its table; both are valid for as
    /// long as this is in use.
    pub(crate) unsafe fn new(
        handle: *mut mqs_process,
        callbacks: *const mqs_process_callbacks,
    ) -> Result<Self> {
        let handle = NonNull::new(handle).ok_or(Error::on(Code::NullArgument, "mqs_process"))?;
        // SAFETY: `callbacks` is NULL or the debugger's table.
        let callbacks = unsafe { callbacks.as_ref() }
            .ok_or(Error::on(Code::NullArgument, "mqs_process_callbacks"))?;
        Ok(Self { handle, callbacks: *callbacks })
    }

    pub(crate) fn handle(&self) -> *mut mqs_process {
        self.handle.as_ptr()
    }

    /// The image of the process (5.6.19), not NULL.
    pub(crate) fn image(&self) -> Result<*mut mqs_image> {
        let get = self
            .callbacks
            .mqs_get_image_fp
            .ok_or(Error::on(Code::NoCallback, "mqs_get_image_fp"))?;
        // SAFETY: the process is the debugger's.
        let image = unsafe { get(self.handle()) };
        if image.is_null() {
            Err(Error::on(Code::NullArgument, "mqs_get_image_fp"))
        } else {
            Ok(image)
        }
    }

    /// The process as something to read from.
    pub(crate) fn target(&self, image: &Image) -> Result<Target> {
        let missing = |name| Error::on(Code::NoCallback, name);
        let get_sizes =
            image.callbacks().mqs_get_type_sizes_fp.ok_or(missing("mqs_get_type_sizes_fp"))?;
        // Room for more than the five sizes, since debuggers built with Open MPI's header write
        // seven.
        #[repr(C)]
        #[derive(Default)]
        struct Room(mqs_target_type_sizes, [c_int; 11]);
        let mut room = Room::default();
        // SAFETY: the process is the debugger's, the room is ours to be written.
        unsafe { get_sizes(self.handle(), &raw mut room.0) };
        let mut target = Target {
            process: self.handle,
            fetch: self.callbacks.mqs_fetch_data_fp.ok_or(missing("mqs_fetch_data_fp"))?,
            to_host: self
                .callbacks
                .mqs_target_to_host_fp
                .ok_or(missing("mqs_target_to_host_fp"))?,
            order: Order::Asked,
            int: value_size(room.0.int_size)?,
            long_long: value_size(room.0.long_long_size)?,
            pointer: value_size(room.0.pointer_size)?,
        };
        target.order = target.learn_order();
        Ok(target)
    }
}

fn value_size(size: c_int) -> Result<usize> {
    match size {
        1 | 2 | 4 | 8 => Ok(size as usize),
        _ => Err(Error::on(Code::WrongSizes, "mqs_target_type_sizes")),
    }
}

type Callback<T> = <T as IntoIterator>::Item;

/// How the debugger converts the bytes of a value (5.6.21). There are many values, and the callback
/// is slow in a debugger with scripts, so the order is learned once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// They stay as they are.
    Kept,
    /// Their order is reversed.
    Reversed,
    /// Something else: the debugger converts each value.
    Asked,
}

/// A process to read from: its memory, and how its bytes are to be understood.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    process: NonNull<mqs_process>,
    fetch: Callback<mqs_fetch_data_ft>,
    to_host: Callback<mqs_target_to_host_ft>,
    order: Order,
    /// Bytes of an `int`.
    pub(crate) int: usize,
    /// Bytes of a `long long`.
    pub(crate) long_long: usize,
    /// Bytes of a pointer.
    pub(crate) pointer: usize,
}

impl Target {
    /// Reads memory as it stands in the target (5.6.20): one callback, all of `into` or an error.
    pub(crate) fn fetch(&self, address: u64, into: &mut [u8]) -> Result<()> {
        let error = Error::new(Code::Unreadable).at(address);
        let size = c_int::try_from(into.len()).map_err(|_| error)?;
        let start = mqs_taddr_t::try_from(address).map_err(|_| error)?;
        // SAFETY: the process is the debugger's, and `into` has room for `size` bytes.
        match unsafe { (self.fetch)(self.process.as_ptr(), start, size, into.as_mut_ptr().cast()) }
        {
            mqs_ok => Ok(()),
            code => Err(error.debugger(code)),
        }
    }

    /// The highest address of the target.
    pub(crate) fn last_address(&self) -> u64 {
        u64::MAX >> (64 - 8 * self.pointer)
    }

    /// May this word be the address of an object? Most other words are not: small numbers, and
    /// numbers beyond what any system gives to programs.
    pub(crate) fn may_be_object(&self, word: u64) -> bool {
        const LOWEST: u64 = 4096;
        const HIGHEST: u64 = 1 << 48;
        (LOWEST..HIGHEST).contains(&word)
            && word < self.last_address()
            && word.is_multiple_of(self.pointer as u64)
    }

    /// A signed integer of the target, with its sign.
    pub(crate) fn signed(&self, bytes: &[u8]) -> i64 {
        let unused = 64 - 8 * bytes.len().clamp(1, 8);
        (self.unsigned(bytes) << unused).cast_signed() >> unused
    }

    /// An unsigned integer or an address of the target. `bytes` are 1, 2, 4 or 8.
    pub(crate) fn unsigned(&self, bytes: &[u8]) -> u64 {
        let size = bytes.len().min(8);
        let mut host = [0; 8];
        match self.order {
            Order::Kept => host[..size].copy_from_slice(&bytes[..size]),
            Order::Reversed => {
                host[..size].copy_from_slice(&bytes[..size]);
                host[..size].reverse();
            }
            Order::Asked => host = self.ask(&bytes[..size]),
        }
        match size {
            1 => host[0].into(),
            2 => u16::from_ne_bytes([host[0], host[1]]).into(),
            4 => u32::from_ne_bytes([host[0], host[1], host[2], host[3]]).into(),
            _ => u64::from_ne_bytes(host),
        }
    }

    /// Has the debugger convert values of each size whose bytes all differ.
    fn learn_order(&self) -> Order {
        const BYTES: [u8; 8] = [0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0];
        let does = |change: fn(&mut [u8])| {
            [1, 2, 4, 8].into_iter().all(|size| {
                let mut expected = BYTES;
                change(&mut expected[..size]);
                self.ask(&BYTES[..size])[..size] == expected[..size]
            })
        };
        if does(|_| {}) {
            Order::Kept
        } else if does(<[u8]>::reverse) {
            Order::Reversed
        } else {
            Order::Asked
        }
    }

    /// A value of at most 8 bytes, converted by the debugger.
    fn ask(&self, bytes: &[u8]) -> [u8; 8] {
        /// As large as any type of the interface, and aligned for it: a debugger may access both
        /// sides by their types.
        #[derive(Default)]
        #[repr(align(16))]
        struct Value([u8; 16]);
        let (mut target, mut host) = (Value::default(), Value::default());
        target.0[..bytes.len()].copy_from_slice(bytes);
        // SAFETY: both sides have room for one value of that size (5.6.21).
        unsafe {
            let (from, to) = (target.0.as_ptr().cast(), host.0.as_mut_ptr().cast());
            (self.to_host)(self.process.as_ptr(), from, to, bytes.len() as c_int);
        }
        let mut value = [0; 8];
        value.copy_from_slice(&host.0[..8]);
        value
    }
}
