//! One process being read: the host objects behind the DLL's opaque pointers.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::{CString, c_char, c_int};
use std::ptr;
use std::rc::Rc;

use mqs_abi::{
    mqs_image, mqs_image_info, mqs_process, mqs_process_info, mqs_target_type_sizes, mqs_type,
};

use super::Stats;
use super::faults::Faults;
use mqd_inspect::arch::Endian;
use mqd_inspect::process::Target;
use mqd_inspect::types::TypeId;

/// How many remarks of one kind are kept: a DLL that makes one for every operation must not fill
/// the memory.
const REMARKS: usize = 20;

/// A target, with all that the callbacks need to know about it and all that they record.
///
/// A process is an instance of its own image (3.2.4: the collection of image files in its address
/// space), so one session stands for both.
#[derive(Debug)]
pub struct Session {
    target: Rc<Target>,
    /// The MPI library among the target's images: its types come first.
    library: Option<usize>,
    rank: Option<i64>,
    /// Their addresses are the `mqs_image *` and `mqs_process *` of this session. Boxed: a session
    /// may move before it is entered.
    image_key: Box<u8>,
    process_key: Box<u8>,
    /// What the DLL attached.
    pub(super) image_info: Cell<*mut mqs_image_info>,
    pub(super) process_info: Cell<*mut mqs_process_info>,
    /// Which callbacks fail.
    pub(crate) faults: Faults,
    types: RefCell<Types>,
    stats: Cell<Stats>,
    last_error: RefCell<CString>,
    missing: RefCell<Missing>,
    lacking: RefCell<Vec<String>>,
    messages: RefCell<Vec<String>>,
    complaints: RefCell<Vec<String>>,
}

/// The types handed out: a `mqs_type *` is the address of a boxed id.
#[derive(Debug, Default)]
struct Types {
    by_key: HashMap<usize, Box<TypeId>>,
    by_id: HashMap<TypeId, usize>,
}

/// What the DLL asked for and did not get.
#[derive(Clone, Debug, Default)]
pub(crate) struct Missing {
    /// Names of types.
    pub types: Vec<String>,
    /// The last failed read of memory.
    pub memory: Option<String>,
    /// For a snapshot: questions that were not asked when it was captured.
    pub lacking: Vec<String>,
}

impl Session {
    /// A session on a target. `library` is the index of the MPI library among its images. `rank` is
    /// its rank, if a process table has it.
    pub fn new(
        target: impl Into<Rc<Target>>,
        library: Option<usize>,
        rank: Option<i64>,
    ) -> Session {
        Session {
            target: target.into(),
            library,
            rank,
            image_key: Box::new(0),
            process_key: Box::new(0),
            image_info: Cell::new(ptr::null_mut()),
            process_info: Cell::new(ptr::null_mut()),
            faults: Faults::default(),
            types: RefCell::default(),
            stats: Cell::default(),
            last_error: RefCell::default(),
            missing: RefCell::default(),
            lacking: RefCell::default(),
            messages: RefCell::default(),
            complaints: RefCell::default(),
        }
    }

    /// The target.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// The index of the MPI library among the target's images.
    pub fn library(&self) -> Option<usize> {
        self.library
    }

    /// The pointer by which a DLL knows the image.
    pub fn image(&self) -> *mut mqs_image {
        (&raw const *self.image_key).cast_mut().cast()
    }

    /// The pointer by which a DLL knows the process.
    pub fn process(&self) -> *mut mqs_process {
        (&raw const *self.process_key).cast_mut().cast()
    }

    /// Takes what the DLL attached to the image; NULL if nothing.
    pub(crate) fn take_image_info(&self) -> *mut mqs_image_info {
        self.image_info.replace(ptr::null_mut())
    }

    /// Takes what the DLL attached to the process; NULL if nothing.
    pub(crate) fn take_process_info(&self) -> *mut mqs_process_info {
        self.process_info.replace(ptr::null_mut())
    }

    /// What the DLL has asked for so far.
    pub fn stats(&self) -> Stats {
        self.stats.get()
    }

    /// What the DLL has asked for and not got since the last call.
    pub(crate) fn take_missing(&self) -> Missing {
        self.missing.take()
    }

    /// For a snapshot: what the DLL has asked for that was not asked for when it was captured.
    pub(crate) fn take_lacking(&self) -> Vec<String> {
        self.lacking.take()
    }

    /// What the DLL has printed (`mqs_dprints`), at most the first few lines.
    pub(crate) fn take_messages(&self) -> Vec<String> {
        self.messages.take()
    }

    /// How the DLL has broken the rules of the interface, at most the first few times.
    pub(crate) fn take_complaints(&self) -> Vec<String> {
        self.complaints.take()
    }

    pub(super) fn rank(&self) -> Option<i64> {
        self.rank
    }

    pub(super) fn count(&self, update: impl FnOnce(&mut Stats)) {
        let mut stats = self.stats.get();
        update(&mut stats);
        self.stats.set(stats);
    }

    pub(super) fn message(&self, text: &str) {
        remark(&mut self.messages.borrow_mut(), text.trim_end().to_owned());
    }

    pub(super) fn complain(&self, text: &str) {
        // Also called after a panic, when anything may be borrowed.
        let Ok(mut complaints) = self.complaints.try_borrow_mut() else { return };
        remark_once(&mut complaints, text);
    }

    pub(super) fn knows_image(&self, image: *const mqs_image) -> bool {
        let known = ptr::eq(image, self.image());
        if !known {
            self.complain("the debug DLL passed an image that is not the current one");
        }
        known
    }

    pub(super) fn knows_process(&self, process: *const mqs_process) -> bool {
        let known = ptr::eq(process, self.process());
        if !known {
            self.complain("the debug DLL passed a process that is not the current one");
        }
        known
    }

    pub(super) fn type_sizes(&self) -> mqs_target_type_sizes {
        let arch = self.target.arch();
        let size = |bytes: u64| c_int::try_from(bytes).unwrap_or(0);
        mqs_target_type_sizes {
            short_size: size(arch.short_size),
            int_size: size(arch.int_size),
            long_size: size(arch.long_size),
            long_long_size: size(arch.long_long_size),
            pointer_size: size(arch.pointer_size),
        }
    }

    pub(super) fn swaps_bytes(&self) -> bool {
        let host = if cfg!(target_endian = "big") { Endian::Big } else { Endian::Little };
        self.target.arch().endian != host
    }

    pub(super) fn find_symbol(&self, name: &str) -> Option<u64> {
        let found = self.target.find_symbol(name).map(|symbol| symbol.address);
        if found.is_none() {
            self.note_missing("symbol", name);
        }
        found
    }

    pub(super) fn find_function(&self, name: &str) -> Option<u64> {
        let found = self.target.find_function(name).map(|symbol| symbol.address);
        if found.is_none() {
            self.note_missing("function", name);
        }
        found
    }

    pub(super) fn find_type(&self, name: &str) -> *mut mqs_type {
        let Some(id) = self.target.find_type(name, self.library) else {
            if self.note_missing("type", name) {
                remark_once(&mut self.missing.borrow_mut().types, name);
            }
            return ptr::null_mut();
        };
        let Types { by_key, by_id } = &mut *self.types.borrow_mut();
        let key = *by_id.entry(id).or_insert_with(|| {
            let boxed = Box::new(id);
            let key = (&raw const *boxed).expose_provenance();
            by_key.insert(key, boxed);
            key
        });
        ptr::with_exposed_provenance_mut(key)
    }

    fn type_id(&self, ty: *const mqs_type) -> Option<TypeId> {
        let id = self.types.borrow().by_key.get(&ty.addr()).map(|id| **id);
        if id.is_none() {
            self.complain("the debug DLL passed a type that mqd never gave it");
        }
        id
    }

    pub(super) fn field_offset(&self, ty: *const mqs_type, field: &str) -> Option<c_int> {
        let offset = self.target.field_offset(self.type_id(ty)?, field);
        if offset.is_none() {
            self.set_error(&format!("the type has no field {field}"));
        }
        c_int::try_from(offset?).ok()
    }

    pub(super) fn size_of(&self, ty: *const mqs_type) -> Option<c_int> {
        c_int::try_from(self.target.size_of(self.type_id(ty)?)?).ok()
    }

    pub(super) fn read(&self, address: u64, bytes: &mut [u8]) -> bool {
        match self.target.read(address, bytes) {
            Ok(()) => true,
            Err(error) => {
                let text = error.to_string();
                self.set_error(&text);
                self.missing.borrow_mut().memory = Some(text);
                false
            }
        }
    }

    /// The text for `mqs_errorstring`. It stays valid until the next callback that fails.
    pub(super) fn error_string(&self, code: c_int) -> *mut c_char {
        let last = self.last_error.borrow();
        let text = match code {
            mqs_abi::mqs_ok => c"no error".as_ptr(),
            mqs_abi::mqs_no_information if last.is_empty() => {
                c"the debugger does not have this information".as_ptr()
            }
            mqs_abi::mqs_no_information => last.as_ptr(),
            mqs_abi::mqs_end_of_list => c"end of the list".as_ptr(),
            _ => c"not an error code of the debugger".as_ptr(),
        };
        text.cast_mut()
    }

    fn set_error(&self, text: &str) {
        // Texts contain names that the DLL passed as C strings: no zero bytes, or else no text.
        *self.last_error.borrow_mut() = CString::new(text).unwrap_or_default();
    }

    /// Tells what a look-up did not find, for `mqs_errorstring` and for the error text of a failing
    /// DLL. False: the target may have it, but its snapshot does not tell.
    fn note_missing(&self, what: &str, name: &str) -> bool {
        if self.target.recording().is_none_or(|recording| recording.knows(what, name)) {
            self.set_error(&format!("the target has no {what} {name}"));
            return true;
        }
        self.set_error(&format!(
            "the snapshot lacks the {what} {name}: nobody asked for it when it was captured"
        ));
        let lacks = format!("the {what} {name}");
        remark_once(&mut self.missing.borrow_mut().lacking, &lacks);
        remark_once(&mut self.lacking.borrow_mut(), &lacks);
        false
    }
}

fn remark_once(remarks: &mut Vec<String>, text: &str) {
    if !remarks.iter().any(|known| known == text) {
        remark(remarks, text.to_owned());
    }
}

fn remark(remarks: &mut Vec<String>, text: String) {
    if remarks.len() < REMARKS {
        remarks.push(text);
    }
}
