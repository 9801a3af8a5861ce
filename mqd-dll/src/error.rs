//! What can go wrong: the codes that cross the interface, and the texts that people read.
//!
//! A [`Code`] is a number from `mqs_first_user_code` on with a fixed text, which says what is wrong
//! and what to do about it. An [`Error`] adds where it happened.

use crate::text::Text;
use mqs_abi::{mqs_first_user_code, mqs_ok};
use std::ffi::c_int;
use std::fmt;

pub(crate) type Result<T> = std::result::Result<T, Error>;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// A code of this library. Its number is `mqs_first_user_code` plus its place here. The
        /// numbers are public, so new codes go to the end.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Code { $($(#[$doc])* $name,)* }
        const TEXTS: &[&str] = &[$($text,)*];
    };
}

codes! {
    /// The library's own fault.
    Internal = "this call failed because of a bug in libmqd. The debugger and the program are \
        unharmed. Please report the bug, and say what was being read",
    /// The debugger has no more memory.
    OutOfMemory = "the debugger gave libmqd no more memory (mqs_malloc returned NULL). What was \
        read before is kept. Free memory, or look at fewer processes at a time",
    /// A pointer is NULL and must not be.
    NullArgument = "the debugger passed NULL where the interface needs an object. This is a fault \
        of the debugger",
    /// A callback that is needed is NULL.
    NoCallback = "the debugger lacks a callback that libmqd needs. This is a fault of the \
        debugger",
    /// An image or process that was not set up, or whose information was lost.
    NotSetUp = "the debugger has not set up this image or process with libmqd (mqs_setup_image \
        and mqs_setup_process come first)",
    /// A call from inside a callback, or from two threads.
    Busy = "libmqd is already reading this process: call it again when the other call has returned",
    /// An iterator before the first update.
    NotRead = "the queues have not been read yet: call mqs_update_communicator_list first",
    /// No such queue.
    NoSuchQueue = "there are three queues: mqs_pending_sends, mqs_pending_receives and \
        mqs_unexpected_messages",
    /// An image without any MPI library.
    NotMpi = "no MPI library is loaded: the process has neither MPI_Init nor a symbol of an MPI \
        library that libmqd reads. If the program is an MPI program, let it run until its \
        libraries are loaded",
    /// Another MPI library.
    UnknownMpi = "libmqd does not read this MPI library: it has neither the symbol mqdrt_root \
        (libmpi_abi.so.1 of mqd), nor ompi_mpi_communicators (Open MPI), nor \
        PMPIX_Grequest_class_create (MPICH). Use the debug DLL that came with the MPI library",
    /// No debug information.
    NoType = "the debugger does not know a type of the MPI library: its debug information is \
        missing. Use a libmpi_abi.so.1 with debug information (not stripped), or install its \
        debug file",
    /// A type that differs from what is expected.
    WrongType = "a type of the MPI library differs from what libmqd expects: libmqd.so and \
        libmpi_abi.so.1 are of different versions. Use both from one release of mqd",
    /// An unknown layout version.
    WrongVersion = "the MPI library's structures have a version that this libmqd does not know. \
        Use libmqd.so and libmpi_abi.so.1 from one release of mqd",
    /// Impossible type sizes.
    WrongSizes = "the debugger gave impossible sizes for the target's types (mqs_get_type_sizes). \
        This is a fault of the debugger, or the process is not the one of this image",
    /// Before `MPI_Init`.
    NotInitialized = "MPI is not initialised yet: there are no queues before MPI_Init has \
        returned. Let the program run on and look again",
    /// After `MPI_Finalize`.
    Finalized = "MPI is finalised: there are no queues after MPI_Finalize",
    /// `mqs_fetch_data` failed.
    Unreadable = "the target's memory cannot be read where the MPI library's data should be: the \
        data are damaged, or the process or core file is incomplete. What was read before is kept",
    /// A list that returns to an earlier element, or runs into another list.
    Cycle = "a list of the MPI library returns to an earlier element: the target's memory is \
        damaged, or the process was stopped while it changed the list. Let it run a moment and \
        look again. What was read before is kept",
    /// An impossible value.
    Impossible = "the MPI library's data hold an impossible value: the target's memory is \
        damaged, or the process was stopped while it changed the data. Let it run a moment and \
        look again. What was read before is kept",
    /// More than the limits of [`crate::memory`].
    TooMuch = "there is more to read than libmqd reads at a time, or the target's memory is \
        damaged. What was read before is kept",
    /// Neither types nor a table that fits.
    NoLayout = "libmqd does not know the layout of this MPI library's structures: the debugger \
        has no types for it, and no layout table fits. Install the library's debug information, \
        or make a table with 'mqd layout extract' and name its directory in MQD_LAYOUT_DIR",
    /// A symbol that every build has.
    NoSymbol = "the MPI library lacks a symbol that libmqd needs to find its queues: libmqd does \
        not read this version, or not all of its libraries are loaded",
    /// Types that are there but differ from what is expected.
    OtherBuild = "a structure of this Open MPI differs from what libmqd expects: libmqd does not \
        read this version, or it was built with unusual options (such as --with-pml-ob1-matching)",
    /// A table of the user that cannot be used.
    BadTable = "a layout table in the directory that MQD_LAYOUT_DIR names cannot be used. Correct \
        or remove it ('mqd layout show FILE' checks one)",
    /// Open MPI with another PML.
    OtherPml = "the queues of this process are in the PML of Open MPI named here, which libmqd \
        does not read: it reads ob1, ucx and, on libfabric, cm. Run the program with '--mca pml \
        ob1' to see its queues",
    /// No room for operations.
    NoRoom = "the debugger asks for operations but has no room for even one \
        (mqd_next_operations). This is a fault of the debugger",
    /// No table for a transport.
    NoTransportLayout = "libmqd does not know the layout of the transport's structures: no layout \
        table fits this UCX (libmqd has tables for 1.10 to 1.22) or libfabric (1.17 and 1.20 to \
        2.5, providers tcp, sockets, shm, efa and ofi_rxm). The queues cannot be read. A table in \
        the directory that MQD_LAYOUT_DIR names is used if it fits",
    /// Operations that cannot be seen.
    NotSeen = "some operations of this process cannot be seen, for the reason named here. What is \
        shown is right, but there may be more",
    /// What could be read before cannot be read any more.
    Lost = "the debugger can no longer read the process: it has ended, or runs again. What was \
        read before is kept",
    /// libfabric with a provider that is not read.
    OtherProvider = "messages go through the provider of libfabric that is named here, which \
        libmqd does not read. What is shown is right, but there may be more",
}

/// What may be where nothing can be read.
pub(crate) trait OrUnreadable<T> {
    /// None: it cannot be read ([`Code::Unreadable`]). Other errors stay errors.
    fn or_unreadable(self) -> Result<Option<T>>;
}

impl<T> OrUnreadable<T> for Result<T> {
    fn or_unreadable(self) -> Result<Option<T>> {
        match self {
            Err(error) if error.code == Code::Unreadable => Ok(None),
            result => result.map(Some),
        }
    }
}

/// An error: the code, and where it happened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Error {
    pub(crate) code: Code,
    /// What the error is about, by its name in the target: a type, a field, a callback.
    what: &'static str,
    /// A part of `what`: a field.
    part: &'static str,
    /// The target's address, or 0.
    address: u64,
    /// The code of the debugger's callback that failed, or `mqs_ok`.
    debugger: c_int,
}

impl Code {
    /// How many codes there are.
    pub(crate) const COUNT: usize = TEXTS.len();

    /// The number that crosses the interface.
    pub(crate) const fn number(self) -> c_int {
        mqs_first_user_code + self as c_int
    }

    /// The place of the code with this number, and its text; None if there is no such code.
    pub(crate) fn of_number(number: c_int) -> Option<(usize, &'static str)> {
        let place = usize::try_from(number.checked_sub(mqs_first_user_code)?).ok()?;
        Some((place, TEXTS.get(place)?))
    }
}

impl Error {
    pub(crate) const fn new(code: Code) -> Self {
        Self { code, what: "", part: "", address: 0, debugger: mqs_ok }
    }

    pub(crate) const fn on(code: Code, what: &'static str) -> Self {
        Self { what, ..Self::new(code) }
    }

    /// The same error with another code.
    pub(crate) const fn of(self, code: Code) -> Self {
        Self { code, ..self }
    }

    /// Does it leave nothing to go on with?
    pub(crate) const fn is_final(&self) -> bool {
        matches!(self.code, Code::OutOfMemory | Code::TooMuch | Code::Lost)
    }

    pub(crate) const fn part(self, part: &'static str) -> Self {
        Self { part, ..self }
    }

    pub(crate) const fn at(self, address: u64) -> Self {
        Self { address, ..self }
    }

    /// Adds what the error is about and its address, if these are not known yet.
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

    /// Writes the error for people. `explain` gives the debugger's text for one of its codes.
    pub(crate) fn write<const N: usize>(
        &self,
        out: &mut impl fmt::Write,
        explain: impl FnOnce(c_int) -> Text<N>,
    ) -> fmt::Result {
        out.write_str(TEXTS[self.code as usize])?;
        if self.what.is_empty() {
            return Ok(());
        }
        write!(out, " [{}", self.what)?;
        if !self.part.is_empty() {
            write!(out, ".{}", self.part)?;
        }
        if self.address != 0 {
            write!(out, " at {:#x}", self.address)?;
        }
        if self.debugger != mqs_ok {
            let text = explain(self.debugger);
            out.write_str("; the debugger says: ")?;
            text.as_bytes().utf8_chunks().try_for_each(|chunk| out.write_str(chunk.valid()))?;
        }
        out.write_str("]")
    }
}
