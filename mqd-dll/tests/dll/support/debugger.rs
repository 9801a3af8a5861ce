//! The debugger: callback tables over a synthetic process, with counters, and faults on demand.

use super::heap;
use super::machine::Layout;
use super::process::SyntheticProcess;
use mqs_abi::*;
use std::cell::{Cell, RefCell};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

/// Called with the address and the bytes of each fetch that would succeed; may change the bytes,
/// and says what the callback returns.
pub type Tamper = Box<dyn FnMut(u64, &mut [u8]) -> c_int>;

pub struct Debugger {
    pub image_callbacks: mqs_image_callbacks,
    pub process_callbacks: mqs_process_callbacks,
    pub process: SyntheticProcess,
    types: Vec<(String, Box<Layout>)>,
    image_info: Cell<*mut mqs_image_info>,
    process_info: Cell<*mut mqs_process_info>,
    pub fetches: Cell<u64>,
    pub bytes: Cell<u64>,
    /// Symbol, function, type, field and size look-ups.
    pub look_ups: Cell<u64>,
    pub tamper: RefCell<Option<Tamper>>,
    /// Called instead for what the process's memory does not have.
    pub beyond: RefCell<Option<Tamper>>,
    /// How many ints the type sizes callback writes; the interface says 5.
    pub ints_written: usize,
    /// Type sizes to report instead of the machine's.
    pub sizes: Option<[c_int; 5]>,
    /// What a fetch of unreadable memory returns.
    pub fetch_error: c_int,
}

pub static BASIC: mqs_basic_callbacks = mqs_basic_callbacks {
    mqs_malloc_fp: Some(heap::malloc),
    mqs_free_fp: Some(heap::free),
    mqs_dprints_fp: Some(dprints),
    mqs_errorstring_fp: Some(errorstring),
    mqs_put_image_info_fp: Some(put_image_info),
    mqs_get_image_info_fp: Some(get_image_info),
    mqs_put_process_info_fp: Some(put_process_info),
    mqs_get_process_info_fp: Some(get_process_info),
};

impl Debugger {
    pub fn new(process: SyntheticProcess) -> Box<Self> {
        let types = process
            .layouts
            .iter()
            .map(|(name, layout)| (name.clone(), Box::new(layout.clone())))
            .collect();
        Box::new(Self {
            image_callbacks: mqs_image_callbacks {
                mqs_get_type_sizes_fp: Some(get_type_sizes),
                mqs_find_function_fp: Some(find_function),
                mqs_find_symbol_fp: Some(find_symbol),
                mqs_find_type_fp: Some(find_type),
                mqs_field_offset_fp: Some(field_offset),
                mqs_sizeof_fp: Some(sizeof),
            },
            process_callbacks: mqs_process_callbacks {
                mqs_get_global_rank_fp: Some(get_global_rank),
                mqs_get_image_fp: Some(get_image),
                mqs_fetch_data_fp: Some(fetch_data),
                mqs_target_to_host_fp: Some(target_to_host),
            },
            process,
            types,
            image_info: Cell::new(ptr::null_mut()),
            process_info: Cell::new(ptr::null_mut()),
            fetches: Cell::new(0),
            bytes: Cell::new(0),
            look_ups: Cell::new(0),
            tamper: RefCell::new(None),
            beyond: RefCell::new(None),
            ints_written: 5,
            sizes: None,
            fetch_error: mqs_no_information,
        })
    }

    /// The handle of the image; the same object serves as both.
    pub fn image(&self) -> *mut mqs_image {
        ptr::from_ref(self).cast_mut().cast()
    }

    pub fn process(&self) -> *mut mqs_process {
        ptr::from_ref(self).cast_mut().cast()
    }

    pub fn image_info(&self) -> &Cell<*mut mqs_image_info> {
        &self.image_info
    }

    pub fn process_info(&self) -> &Cell<*mut mqs_process_info> {
        &self.process_info
    }

    pub fn forget_type(&mut self, name: &str) {
        self.types.retain(|(known, _)| known != name);
    }

    /// As with a stripped library.
    pub fn forget_all_types(&mut self) {
        self.types.clear();
    }

    /// As when the library with the types has been loaded.
    pub fn learn_types(&mut self) {
        let layouts = self.process.layouts.iter();
        self.types =
            layouts.map(|(name, layout)| (name.clone(), Box::new(layout.clone()))).collect();
    }

    pub fn forget_field(&mut self, ty: &str, field: &str) {
        let (_, layout) = self.types.iter_mut().find(|(known, _)| known == ty).expect("a type");
        layout.offsets.remove(field).expect("a field");
    }

    pub fn set_type_size(&mut self, ty: &str, size: usize) {
        self.types.iter_mut().find(|(known, _)| known == ty).expect("a type").1.size = size;
    }
}

fn of_image<'a>(image: *mut mqs_image) -> &'a Debugger {
    // SAFETY: tests hand out pointers to live debuggers only.
    unsafe { &*image.cast::<Debugger>() }
}

fn of_process<'a>(process: *mut mqs_process) -> &'a Debugger {
    of_image(process.cast())
}

fn text<'a>(name: *const c_char) -> &'a str {
    // SAFETY: the interface passes zero-terminated names.
    unsafe { CStr::from_ptr(name) }.to_str().expect("names are ASCII")
}

unsafe extern "C" fn dprints(_: *const c_char) {
    eprintln!("the library printed");
    std::process::abort();
}

unsafe extern "C" fn errorstring(code: c_int) -> *mut c_char {
    let text = match code {
        77 => c"the moon is in the way, 100%s sure",
        _ => c"no information",
    };
    text.as_ptr().cast_mut()
}

unsafe extern "C" fn put_image_info(image: *mut mqs_image, info: *mut mqs_image_info) {
    of_image(image).image_info.set(info);
}

unsafe extern "C" fn get_image_info(image: *mut mqs_image) -> *mut mqs_image_info {
    of_image(image).image_info.get()
}

unsafe extern "C" fn put_process_info(process: *mut mqs_process, info: *mut mqs_process_info) {
    of_process(process).process_info.set(info);
}

unsafe extern "C" fn get_process_info(process: *mut mqs_process) -> *mut mqs_process_info {
    of_process(process).process_info.get()
}

unsafe extern "C" fn get_type_sizes(process: *mut mqs_process, sizes: *mut mqs_target_type_sizes) {
    let debugger = of_process(process);
    let machine = debugger.process.machine;
    let true_sizes = [machine.short, machine.int, machine.long, machine.long_long, machine.pointer]
        .map(|size| size as c_int);
    let mut values = debugger.sizes.unwrap_or(true_sizes).to_vec();
    values.resize(debugger.ints_written, 0x5BAD_BAD5);
    // SAFETY: the library gives room for what it said it would take.
    unsafe { sizes.cast::<c_int>().copy_from_nonoverlapping(values.as_ptr(), values.len()) };
}

unsafe extern "C" fn find_function(
    image: *mut mqs_image,
    name: *mut c_char,
    lang: mqs_lang_code,
    address: *mut mqs_taddr_t,
) -> c_int {
    let debugger = of_image(image);
    debugger.look_ups.set(debugger.look_ups.get() + 1);
    assert_eq!(lang, mqs_lang_c);
    if !debugger.process.functions.iter().any(|known| known == text(name)) {
        return mqs_no_information;
    }
    if !address.is_null() {
        // SAFETY: the library's to be written.
        unsafe { address.write(0x40_1000) };
    }
    mqs_ok
}

unsafe extern "C" fn find_symbol(
    image: *mut mqs_image,
    name: *mut c_char,
    address: *mut mqs_taddr_t,
) -> c_int {
    let debugger = of_image(image);
    debugger.look_ups.set(debugger.look_ups.get() + 1);
    let Some(found) = debugger.process.symbols.get(text(name)) else { return mqs_no_information };
    if !address.is_null() {
        // SAFETY: the library's to be written.
        unsafe { address.write(*found as mqs_taddr_t) };
    }
    mqs_ok
}

unsafe extern "C" fn find_type(
    image: *mut mqs_image,
    name: *mut c_char,
    lang: mqs_lang_code,
) -> *mut mqs_type {
    let debugger = of_image(image);
    debugger.look_ups.set(debugger.look_ups.get() + 1);
    assert_eq!(lang, mqs_lang_c);
    let found = debugger.types.iter().find(|(known, _)| known == text(name));
    found.map_or(ptr::null_mut(), |(_, layout)| ptr::from_ref(&**layout).cast_mut().cast())
}

unsafe extern "C" fn field_offset(ty: *mut mqs_type, name: *mut c_char) -> c_int {
    // SAFETY: a type from `find_type`.
    let layout = unsafe { &*ty.cast::<Layout>() };
    layout.offsets.get(text(name)).map_or(-1, |(offset, _)| *offset as c_int)
}

unsafe extern "C" fn sizeof(ty: *mut mqs_type) -> c_int {
    // SAFETY: a type from `find_type`.
    unsafe { &*ty.cast::<Layout>() }.size as c_int
}

unsafe extern "C" fn get_global_rank(_: *mut mqs_process) -> c_int {
    MQS_INVALID_PROCESS
}

unsafe extern "C" fn get_image(process: *mut mqs_process) -> *mut mqs_image {
    process.cast()
}

unsafe extern "C" fn fetch_data(
    process: *mut mqs_process,
    address: mqs_taddr_t,
    size: c_int,
    to: *mut c_void,
) -> c_int {
    let debugger = of_process(process);
    debugger.fetches.set(debugger.fetches.get() + 1);
    let size = usize::try_from(size).expect("sizes are positive");
    assert!(size > 0, "an empty fetch");
    debugger.bytes.set(debugger.bytes.get() + size as u64);
    // SAFETY: the library's to be written.
    let to = unsafe { std::slice::from_raw_parts_mut(to.cast::<u8>(), size) };
    let (hook, otherwise) = match debugger.process.read(address, size) {
        Some(bytes) => {
            to.copy_from_slice(bytes);
            (&debugger.tamper, mqs_ok)
        }
        None => (&debugger.beyond, debugger.fetch_error),
    };
    hook.borrow_mut().as_mut().map_or(otherwise, |hook| hook(address, to))
}

unsafe extern "C" fn target_to_host(
    process: *mut mqs_process,
    from: *const c_void,
    to: *mut c_void,
    size: c_int,
) {
    let size = usize::try_from(size).expect("sizes are positive");
    assert!([1, 2, 4, 8].contains(&size), "a value of {size} bytes");
    // SAFETY: both sides have room for `size` bytes, says the interface.
    unsafe {
        let from = std::slice::from_raw_parts(from.cast::<u8>(), size);
        let host = of_process(process).process.machine.decode(from);
        to.cast::<u8>().copy_from_nonoverlapping(host.as_ptr(), size);
    }
}
