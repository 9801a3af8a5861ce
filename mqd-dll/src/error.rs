//! What can go wrong, as the codes that cross the interface and the texts that people read.
//!
//! A [`Code`] is a number from `mqs_first_user_code` on with a fixed text: what is wrong and what
//! to do about it. An [`Error`] adds where it happened. The entry points [`record`] each error they
//! return, so that `mqs_dll_error_string` can tell the place of the latest one of that code.

use crate::text::Text;
use mqs_abi::{mqs_end_of_list, mqs_first_user_code, mqs_no_information, mqs_ok};
use std::ffi::{CStr, c_char, c_int};
use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering};

pub(crate) type Result<T> = std::result::Result<T, Error>;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// A code of this library; its number is `mqs_first_user_code` + its place here. New codes go to the end: the numbers are public.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Code { $($(#[$doc])* $name,)* }
        const TEXTS: &[&str] = &[$($text,)*];
    };
}

codes! {
    /// The library's own fault.
    Internal = "a bug in libmqd: it failed inside; the debugger and the program are unharmed. Please report it together with what was being read",
    /// The debugger's memory is at its end.
    OutOfMemory = "the debugger gave libmqd no more memory (mqs_malloc returned NULL); what was read before is kept. Free memory or look at fewer processes at a time",
    /// A pointer that must not be NULL is.
    NullArgument = "the debugger passed NULL where the interface needs an object. This is a fault of the debugger",
    /// A callback that is needed is NULL.
    NoCallback = "the debugger lacks a callback that libmqd needs",
    /// An image or process that was not set up, or whose information got lost.
    NotSetUp = "the debugger has not set up this image or process with libmqd (mqs_setup_image and mqs_setup_process come first)",
    /// A call from inside a callback, or from two threads.
    Busy = "libmqd is at work on this process already: call it again when the other call has returned",
    /// An iterator before the first update.
    NotRead = "the queues have not been read yet: call mqs_update_communicator_list first",
    /// No such queue.
    NoSuchQueue = "there are three queues: mqs_pending_sends, mqs_pending_receives and mqs_unexpected_messages",
    /// An image without any MPI library.
    NotMpi = "no MPI library is loaded: neither MPI_Init nor a symbol of an MPI that libmqd reads is there. If the program is an MPI program, let it run until its libraries are loaded",
    /// Another MPI library.
    UnknownMpi = "the MPI library is not one that libmqd reads: it has neither the symbol mqdrt_root (libmpi_abi.so.1 of mqd) nor ompi_mpi_communicators (Open MPI). Use the debug DLL that came with that MPI library",
    /// No debug information.
    NoType = "the debugger does not know a type of the MPI library: its debug information is missing. Use a libmpi_abi.so.1 with debug information (not stripped), or install its debug file",
    /// A type that is not what it should be.
    WrongType = "a type of the MPI library is not as libmqd knows it: libmqd.so and libmpi_abi.so.1 are of different versions. Use the two from one release of mqd",
    /// A layout version that is not ours.
    WrongVersion = "the MPI library's structures have a version that this libmqd does not know. Use libmqd.so and libmpi_abi.so.1 from one release of mqd",
    /// Type sizes nobody has.
    WrongSizes = "the debugger gave impossible sizes for the target's types (mqs_get_type_sizes). This is a fault of the debugger, or the process is not the one of this image",
    /// Before `MPI_Init`.
    NotInitialized = "MPI is not initialised yet: there are no queues before MPI_Init has returned. Let the program run on and look again",
    /// After `MPI_Finalize`.
    Finalized = "MPI is finalised: after MPI_Finalize there are no queues any more",
    /// `mqs_fetch_data` failed.
    Unreadable = "the target's memory cannot be read where the MPI library's data should be: the data are damaged, or the process or core file is incomplete; what was read before is kept",
    /// A list that comes back to itself, or runs into another one.
    Cycle = "a list of the MPI library comes back to an element it had before: the target's memory is damaged, or the process was stopped while it changed the list (let it run a moment and look again); what was read before is kept",
    /// A value that cannot be.
    Impossible = "the MPI library's data hold a value that cannot be: the target's memory is damaged, or the process was stopped while it changed the data (let it run a moment and look again); what was read before is kept",
    /// More than the limits of [`crate::memory`].
    TooMuch = "there is more to read than libmqd reads at a time, or the target's memory is damaged; what was read before is kept",
    /// No types, and no table.
    NoLayout = "libmqd does not know how the structures of this MPI library are laid out: the debugger has no types for it, and no layout table fits. Install the library's debug information, or make a table with 'mqd layout extract' and name its directory in MQD_LAYOUT_DIR",
    /// A symbol that every build has.
    NoSymbol = "the MPI library lacks a symbol that libmqd needs to find its queues: it is a version that libmqd does not read, or not all of its libraries are loaded",
    /// Types that are there, though not as they should be.
    OtherBuild = "a structure of this Open MPI is not as libmqd knows it: the library is of a version that libmqd does not read, or was built with unusual options (such as --with-pml-ob1-matching)",
    /// A table of the user's that is none.
    BadTable = "a layout table in the directory that MQD_LAYOUT_DIR names cannot be used. Correct or remove it ('mqd layout show FILE' checks one)",
    /// Open MPI with another PML.
    OtherPml = "the queues of this process are not in Open MPI's PML ob1 but in the one named here, which libmqd does not read. Run the program with '--mca pml ob1' to see its queues",
    /// Operations are to be written into nothing.
    NoRoom = "the debugger asks for operations and has no room for even one (mqd_next_operations). This is a fault of the debugger",
}

/// An error: the code, and where it happened as far as that helps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Error {
    pub(crate) code: Code,
    /// The thing it happened on, in the target's words: a type, a field, a callback.
    what: &'static str,
    /// A part of `what`: a field.
    part: &'static str,
    /// The target's address, or 0.
    address: u64,
    /// The code of the debugger's callback that failed, or `mqs_ok`.
    debugger: c_int,
}

impl Error {
    pub(crate) const fn new(code: Code) -> Self {
        Self { code, what: "", part: "", address: 0, debugger: mqs_ok }
    }

    pub(crate) const fn on(code: Code, what: &'static str) -> Self {
        Self { what, ..Self::new(code) }
    }

    /// The same, as another code.
    pub(crate) const fn of(self, code: Code) -> Self {
        Self { code, ..self }
    }

    pub(crate) const fn part(self, part: &'static str) -> Self {
        Self { part, ..self }
    }

    pub(crate) const fn at(self, address: u64) -> Self {
        Self { address, ..self }
    }

    /// Fills in what is not known closer by: the thing it happened on, and where that is.
    pub(crate) fn within(mut self, what: &'static str, address: u64) -> Self {
        if self.what.is_empty() {
            self.what = what;
        }
        if self.address == 0 {
            self.address = address;
        }
        self
    }

    pub(crate) const fn debugger(self, code: c_int) -> Self {
        Self { debugger: code, ..self }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(TEXTS[self.code as usize])?;
        if self.what.is_empty() {
            return Ok(());
        }
        write!(f, " [{}", self.what)?;
        if !self.part.is_empty() {
            write!(f, ".{}", self.part)?;
        }
        if self.address != 0 {
            write!(f, " at {:#x}", self.address)?;
        }
        if self.debugger != mqs_ok {
            let text = crate::debugger::basic::error_text::<96>(self.debugger);
            f.write_str("; the debugger says: ")?;
            text.as_bytes().utf8_chunks().try_for_each(|chunk| f.write_str(chunk.valid()))?;
        }
        f.write_str("]")
    }
}

/// Bytes of an error text with its terminating zero.
const TEXT_BYTES: usize = 512;

/// A text the debugger may hold on to: it stays where it is, and its last byte is always zero.
struct Slot([AtomicU8; TEXT_BYTES]);

/// For each code its text with the place of the latest error, or empty.
static LATEST: [Slot; TEXTS.len()] =
    [const { Slot([const { AtomicU8::new(0) }; TEXT_BYTES]) }; TEXTS.len()];

/// Keeps an error for `mqs_dll_error_string` and gives the number that crosses the interface.
pub(crate) fn record(error: &Error) -> c_int {
    store(&LATEST[error.code as usize], &Text::format(format_args!("{error}")));
    mqs_first_user_code + error.code as c_int
}

fn store(slot: &Slot, text: &Text<TEXT_BYTES>) {
    let bytes = text.as_c_str().to_bytes_with_nul();
    for (to, from) in slot.0.iter().zip(bytes) {
        to.store(*from, Ordering::Relaxed);
    }
}

/// The text of a code for `mqs_dll_error_string` (5.7.5). It belongs to the library and stays where
/// it is; its content changes with the next error of that code.
pub(crate) fn text(code: c_int) -> *const c_char {
    let fixed: &CStr = match code {
        mqs_ok => c"no error",
        mqs_no_information => c"there is no information",
        mqs_end_of_list => c"the list is at its end",
        _ => {
            let index =
                code.checked_sub(mqs_first_user_code).and_then(|index| usize::try_from(index).ok());
            let Some(index) = index.filter(|index| *index < TEXTS.len()) else {
                return c"not an error code of libmqd".as_ptr();
            };
            let slot = &LATEST[index];
            if slot.0[0].load(Ordering::Relaxed) == 0 {
                store(slot, &Text::format(format_args!("{}", TEXTS[index])));
            }
            return slot.0.as_ptr().cast();
        }
    };
    fixed.as_ptr()
}
