//! Counts what a DLL calls besides the debugger's callbacks, while a conformance suite runs.
//!
//! The dynamic linker has written the addresses of the functions that a library imports into a
//! table of the library. Some of them are replaced by functions that count.

use std::ffi::{CStr, c_char, c_int, c_long, c_ulong, c_void};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

/// Functions that give memory (5.6.2 forbids them), then functions that read another process.
const NAMES: [&CStr; 9] = [
    c"malloc",
    c"calloc",
    c"realloc",
    c"strdup",
    c"strndup",
    c"posix_memalign",
    c"aligned_alloc",
    c"ptrace",
    c"process_vm_readv",
];

/// How many of them give memory.
const ALLOCATIONS: usize = 7;

static CALLS: [AtomicU64; NAMES.len()] = [const { AtomicU64::new(0) }; NAMES.len()];

/// The types of relocations that are the address of an imported function (`JUMP_SLOT`, `GLOB_DAT`).
const RELOCATIONS: &[u64] = if cfg!(target_arch = "x86_64") {
    &[7, 6]
} else if cfg!(target_arch = "aarch64") {
    &[1026, 1025]
} else {
    &[]
};

/// What a DLL has called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Calls([u64; NAMES.len()]);

impl Calls {
    /// What has been called so far.
    pub(crate) fn now() -> Calls {
        Calls(std::array::from_fn(|at| CALLS[at].load(Ordering::Relaxed)))
    }

    /// The functions that have been called more often than before.
    pub(crate) fn since(self, before: Calls) -> Called {
        let of = |range: std::ops::Range<usize>| {
            let more = range.filter(|at| self.0[*at] > before.0[*at]);
            more.map(|at| NAMES[at].to_string_lossy().into_owned()).collect()
        };
        Called { allocations: of(0..ALLOCATIONS), others: of(ALLOCATIONS..NAMES.len()) }
    }
}

/// Names of functions that were called.
#[derive(Debug)]
pub(crate) struct Called {
    /// Those that give memory.
    pub(crate) allocations: Vec<String>,
    /// Those that read another process.
    pub(crate) others: Vec<String>,
}

macro_rules! counted {
    ($place:literal: fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty) => {
        unsafe extern "C" fn $name($($argument: $type),*) -> $result {
            CALLS[$place].fetch_add(1, Ordering::Relaxed);
            // SAFETY: the caller means this function, and knows what it may pass.
            unsafe { libc::$name($($argument),*) }
        }
    };
}

counted!(0: fn malloc(size: usize) -> *mut c_void);
counted!(1: fn calloc(count: usize, size: usize) -> *mut c_void);
counted!(2: fn realloc(block: *mut c_void, size: usize) -> *mut c_void);
counted!(3: fn strdup(text: *const c_char) -> *mut c_char);
counted!(4: fn strndup(text: *const c_char, size: usize) -> *mut c_char);
counted!(5: fn posix_memalign(to: *mut *mut c_void, align: usize, size: usize) -> c_int);
counted!(6: fn aligned_alloc(align: usize, size: usize) -> *mut c_void);

/// It takes any number of arguments, of which at most four are used.
unsafe extern "C" fn ptrace(
    request: libc::c_uint,
    pid: c_long,
    address: *mut c_void,
    data: *mut c_void,
) -> c_long {
    CALLS[7].fetch_add(1, Ordering::Relaxed);
    // SAFETY: the caller means this function, and knows what it may pass.
    unsafe { libc::ptrace(request, pid, address, data) }
}

counted!(8: fn process_vm_readv(
    pid: libc::pid_t,
    local: *const libc::iovec,
    local_count: c_ulong,
    remote: *const libc::iovec,
    remote_count: c_ulong,
    flags: c_ulong
) -> isize);

/// The functions that count, by the order of [`NAMES`].
fn counting() -> [*const c_void; NAMES.len()] {
    [
        malloc as *const c_void,
        calloc as *const c_void,
        realloc as *const c_void,
        strdup as *const c_void,
        strndup as *const c_void,
        posix_memalign as *const c_void,
        aligned_alloc as *const c_void,
        ptrace as *const c_void,
        process_vm_readv as *const c_void,
    ]
}

/// An entry of a table of relocations.
#[repr(C)]
struct Relocation {
    offset: u64,
    info: u64,
    addend: i64,
}

/// An entry of the dynamic section.
#[repr(C)]
struct Dynamic {
    tag: i64,
    value: u64,
}

/// A loaded library: where it is, and its dynamic section.
#[derive(Clone, Copy)]
struct Loaded {
    wanted: usize,
    bias: u64,
    dynamic: *const Dynamic,
}

/// Counts what the library calls that has this address in it. False: on this machine, or with this
/// library, that cannot be done.
///
/// # Safety
/// The library stays loaded, and no thread runs in it.
pub(super) unsafe fn watch(address: *const c_void) -> bool {
    let mut loaded = Loaded { wanted: address.addr(), bias: 0, dynamic: ptr::null() };
    // SAFETY: `note` takes a `Loaded`, which lives during the call.
    unsafe { libc::dl_iterate_phdr(Some(note), (&raw mut loaded).cast()) };
    if loaded.dynamic.is_null() || RELOCATIONS.is_empty() {
        return false;
    }
    // SAFETY: the dynamic section of a loaded library, which the dynamic linker has read too.
    unsafe { replace(loaded) }
}

/// Notes the library if it has the wanted address in it.
unsafe extern "C" fn note(
    info: *mut libc::dl_phdr_info,
    _size: usize,
    loaded: *mut c_void,
) -> c_int {
    // SAFETY: `dl_iterate_phdr` passes a valid structure, and what `watch` has passed to it.
    let (info, loaded) = unsafe { (&*info, &mut *loaded.cast::<Loaded>()) };
    // SAFETY: the dynamic linker says how many segments there are.
    let segments = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
    let start = |segment: &libc::Elf64_Phdr| info.dlpi_addr.wrapping_add(segment.p_vaddr);
    let is_in = |segment: &&libc::Elf64_Phdr| {
        let from = start(segment) as usize;
        segment.p_type == libc::PT_LOAD
            && (from..from + segment.p_memsz as usize).contains(&loaded.wanted)
    };
    if !segments.iter().any(|segment| is_in(&segment)) {
        return 0;
    }
    loaded.bias = info.dlpi_addr;
    let dynamic = segments.iter().find(|segment| segment.p_type == libc::PT_DYNAMIC);
    if let Some(dynamic) = dynamic {
        loaded.dynamic = ptr::with_exposed_provenance(start(dynamic) as usize);
    }
    1
}

/// Replaces the addresses of the functions in the tables of a library.
///
/// # Safety
/// `dynamic` is the dynamic section of a library that is loaded at `bias`.
unsafe fn replace(Loaded { bias, mut dynamic, .. }: Loaded) -> bool {
    let (mut symbols, mut strings) = (0, 0);
    // Addresses and sizes of the two tables: DT_JMPREL and DT_PLTRELSZ, DT_RELA and DT_RELASZ.
    let mut tables = [(0, 0); 2];
    // SAFETY: the section ends with an entry whose tag is 0.
    while let Dynamic { tag: 1.., value } = unsafe { &*dynamic } {
        // SAFETY: as above.
        match unsafe { (*dynamic).tag } {
            5 => strings = *value,
            6 => symbols = *value,
            23 => tables[0].0 = *value,
            2 => tables[0].1 = *value,
            7 => tables[1].0 = *value,
            8 => tables[1].1 = *value,
            _ => {}
        }
        // SAFETY: as above.
        dynamic = unsafe { dynamic.add(1) };
    }
    if symbols == 0 || strings == 0 {
        return false;
    }
    for (table, bytes) in tables.into_iter().filter(|(table, _)| *table != 0) {
        let first: *const Relocation = ptr::with_exposed_provenance(table as usize);
        for at in 0..bytes as usize / size_of::<Relocation>() {
            // SAFETY: the table has so many bytes.
            let Relocation { offset, info, .. } = unsafe { &*first.add(at) };
            if !RELOCATIONS.contains(&(info & 0xffff_ffff)) {
                continue;
            }
            let all: *const libc::Elf64_Sym = ptr::with_exposed_provenance(symbols as usize);
            // SAFETY: the relocation has the number of a symbol, and the symbol the place of a
            // name. The slot is the address that the dynamic linker has written.
            unsafe {
                let name = (*all.add((info >> 32) as usize)).st_name;
                let name: *const c_char =
                    ptr::with_exposed_provenance(strings as usize + name as usize);
                put(CStr::from_ptr(name), bias.wrapping_add(*offset));
            }
        }
    }
    true
}

/// Puts the function that counts into a slot for the function of this name, if there is one.
///
/// # Safety
/// `slot` is the address of a slot for this function.
unsafe fn put(name: &CStr, slot: u64) {
    let Some(at) = NAMES.iter().position(|known| *known == name) else { return };
    let slot: *mut *const c_void = ptr::with_exposed_provenance_mut(slot as usize);
    // SAFETY: sysconf has no precondition. The page of the slot belongs to the library. It may have
    // been made read-only after the slot was written.
    unsafe {
        let page = libc::sysconf(libc::_SC_PAGESIZE) as usize;
        let start = slot.map_addr(|address| address & !(page - 1));
        if libc::mprotect(start.cast(), page, libc::PROT_READ | libc::PROT_WRITE) == 0 {
            slot.write(counting()[at]);
        }
    }
}
