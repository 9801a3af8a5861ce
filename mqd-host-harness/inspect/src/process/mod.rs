//! An opened process, live, left in a core file, or recorded: its memory, images, symbols and
//! types.

mod auxv;
mod core;
mod error;
mod images;
mod link_map;
mod live;
mod memory;
mod recording;
mod stack;
mod values;

use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use error::{NotACore, OtherExecutable, ReadError, TargetError, Unreadable};
pub use live::{Hold, Passes};
pub use recording::{PAGE, RecordedImage, RecordedType, Recording};
pub use stack::{
    Calls, EntryFunction, InLibrary, Marks, Progress, Script, ScriptFrame, StackFrame, Stacks,
    ThreadStack, Waiting,
};

use self::auxv::AT_SYSINFO_EHDR;
use self::core::{Core, CoreFiles, find_executable, start_strings};
use crate::arch::Arch;
use crate::image::{DebugFiles, FileCache, Image, Symbol, TypeTable};
use crate::types::{Layout, TypeId};
use images::Loader;
use live::Live;
use memory::Memory;
use recording::{RecordedMemory, Recorder};
use stack::ThreadState;

/// How to open a live process.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct LiveOptions {
    /// Directories of split debug files, asked before `/usr/lib/debug`.
    pub debug_dirs: Vec<PathBuf>,
    /// The files of other targets of the same job, to share them.
    #[serde(skip)]
    pub files: FileCache,
    /// How long the process may be stopped, counted from the moment when its threads have stopped.
    /// Then it runs on and cannot be read any more ([`Target::was_cut`]). `None`: as long as the
    /// target exists.
    pub stop_limit: Option<Duration>,
}

/// Where to look for the files of a core file's process. The default finds them where the process
/// had them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct CoreOptions {
    /// The executable, if it is not where the core says. It is an error if it is the wrong one.
    pub executable: Option<PathBuf>,
    /// A directory that holds the target machine's files under their full names; asked before the
    /// files of this machine, and the directory of the core.
    pub sysroot: Option<PathBuf>,
    /// Directories of split debug files, asked before `/usr/lib/debug`.
    pub debug_dirs: Vec<PathBuf>,
    /// The files of other targets of the same job, to share them.
    #[serde(skip)]
    pub files: FileCache,
}

/// A process that is open for reading.
///
/// A live process stays stopped as long as this exists. A `Target` may be used from any thread: it
/// has a thread of its own for tracing, which the kernel ties to one thread.
#[derive(Debug)]
pub struct Target {
    memory: Memory,
    arch: Arch,
    images: Arc<[Image]>,
    pid: Option<u32>,
    owner: Option<u32>,
    core_path: Option<PathBuf>,
    executable: Option<PathBuf>,
    cmdline: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    warnings: Vec<String>,
    types: Mutex<TypeTable>,
    /// The images that define one of these symbols are asked for types before the others.
    type_definers: &'static [&'static str],
    recorder: Option<Recorder>,
    threads: Vec<ThreadState>,
    /// Their call stacks, once they have been asked for.
    stacks: OnceLock<Arc<[ThreadStack]>>,
    /// Where the kernel has put code of its own.
    vdso: Option<u64>,
    /// Had a signal stopped the live process?
    was_stopped: bool,
    /// Does it handle signals other than those of errors, or is this not known?
    handles_signals: bool,
}

impl Target {
    /// Stops a live process and opens it. It runs on when the `Target` is dropped, after
    /// [`Target::let_go`], or when this process ends for any reason.
    ///
    /// # Errors
    /// The process is gone or a zombie, is traced already, or access is refused.
    pub fn attach(pid: u32) -> Result<Target, TargetError> {
        Target::attach_with(pid, &LiveOptions::default())
    }

    /// As [`Target::attach`], with options.
    ///
    /// # Errors
    /// Those of [`Target::attach`].
    pub fn attach_with(pid: u32, options: &LiveOptions) -> Result<Target, TargetError> {
        let live = Live::attach(pid, options.stop_limit, &options.files)?;
        let Live { arch, auxv, finder, executable, executable_path, mut warnings, .. } = live;
        let (threads, was_stopped) = (live.threads, live.was_stopped);
        let handles_signals = live.handles_signals;
        let mut memory = Memory::Live(live.memory);
        let debug_files =
            DebugFiles::new(&options.debug_dirs, finder.sysroot(), options.files.clone());
        let images = Loader {
            memory: &mut memory,
            arch: &arch,
            auxv: &auxv,
            finder: &finder,
            debug_files: &debug_files,
            warnings: &mut warnings,
        }
        .load(Some(executable), &executable_path);
        Ok(Target {
            memory,
            arch,
            images: images.into(),
            pid: Some(pid),
            owner: finder.owner(),
            core_path: None,
            executable: Some(executable_path),
            cmdline: finder.cmdline().into_iter().map(OsString::from_vec).collect(),
            environment: variables(finder.environment()),
            warnings,
            types: Mutex::default(),
            type_definers: &[],
            recorder: None,
            threads,
            stacks: OnceLock::new(),
            vdso: auxv.get(AT_SYSINFO_EHDR),
            was_stopped,
            handles_signals,
        })
    }

    /// Keeps a live process stopped for as long as the result exists. None: it is none, or not all
    /// of its threads have stopped.
    pub fn hold(&self) -> Option<Hold> {
        self.memory.hold()
    }

    /// Lets a live process run on, unless a [`Hold`] keeps it. Its memory cannot be read any more.
    /// Everything else can still be asked: call stacks only if they were asked for before.
    pub fn let_go(&self) {
        self.memory.let_go();
    }

    /// Was a read of a live process refused because [`LiveOptions::stop_limit`] had passed?
    pub fn was_cut(&self) -> bool {
        self.memory.was_cut()
    }

    /// Opens a core file.
    ///
    /// # Errors
    /// The file cannot be opened, is not a core file, or `options` names a wrong executable. A
    /// truncated core opens; see [`Target::warnings`].
    pub fn open_core(path: &Path, options: &CoreOptions) -> Result<Target, TargetError> {
        let core = Core::open(path)?;
        let finder = CoreFiles::new(path, &core.notes, options);
        let mut warnings = core.warnings.clone();
        let (name, file) = find_executable(path, &core, &finder, options, &mut warnings)?;
        let started = start_strings(&core).unwrap_or_default();
        let Core { mut memory, arch, auxv, notes, owner, .. } = core;
        let debug_files =
            DebugFiles::new(&options.debug_dirs, options.sysroot.as_deref(), options.files.clone());
        let images = Loader {
            memory: &mut memory,
            arch: &arch,
            auxv: &auxv,
            finder: &finder,
            debug_files: &debug_files,
            warnings: &mut warnings,
        }
        .load(file, name.as_deref().unwrap_or(Path::new("")));
        Ok(Target {
            memory,
            arch,
            images: images.into(),
            pid: notes.pid,
            owner,
            core_path: Some(path.to_owned()),
            executable: name,
            cmdline: started.arguments.into_iter().map(OsString::from_vec).collect(),
            environment: variables(started.environment),
            warnings,
            types: Mutex::default(),
            type_definers: &[],
            recorder: None,
            threads: notes.threads,
            stacks: OnceLock::new(),
            vdso: auxv.get(AT_SYSINFO_EHDR),
            was_stopped: false,
            handles_signals: true,
        })
    }

    /// Opens a recorded process. With `exact` it refuses to read whole pages, so that a DLL asks
    /// for exactly what it needs.
    pub fn recorded(recording: Recording, exact: bool) -> Target {
        let image = |image: &RecordedImage| Image {
            path: PathBuf::from(&image.path),
            bias: image.bias,
            dynamic: None,
            build_id: image.build_id.as_ref().map(|id| id.to_vec()),
            file: None,
            debug_files: DebugFiles::default(),
            debug_file: OnceLock::from(None),
        };
        let known = recording
            .types
            .iter()
            .filter_map(|(name, known)| Some((name.clone(), known.as_ref()?.into())));
        Target {
            arch: recording.arch.clone(),
            images: recording.images.iter().map(image).collect(),
            pid: recording.pid,
            owner: None,
            core_path: None,
            executable: recording.executable.as_ref().map(PathBuf::from),
            cmdline: Vec::new(),
            environment: Vec::new(),
            warnings: recording.warnings.clone(),
            types: Mutex::new(TypeTable::recorded(known.collect())),
            type_definers: &[],
            recorder: None,
            threads: Vec::new(),
            stacks: OnceLock::new(),
            vdso: None,
            was_stopped: false,
            handles_signals: true,
            memory: Memory::Recorded(Box::new(RecordedMemory { recording, exact })),
        }
    }

    /// Starts to record the questions that it is asked, and the answers.
    pub fn record(&mut self, rank: Option<i64>) {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let image = |image: &Image| RecordedImage {
            path: text(&image.path),
            bias: image.bias,
            build_id: image.build_id.clone().map(serde_bytes::ByteBuf::from),
        };
        self.recorder = Some(Recorder::new(Recording {
            rank,
            pid: self.pid,
            executable: self.executable.as_deref().map(text),
            images: self.images.iter().map(image).collect(),
            ..Recording::empty(self.arch.clone())
        }));
    }

    /// Ends the recording and returns it.
    pub fn take_recording(&self) -> Option<Recording> {
        Some(Recording { warnings: self.warnings(), ..self.recorder.as_ref()?.finish()? })
    }

    /// The recording that this target reads from; `None` for a live process or a core file.
    pub fn recording(&self) -> Option<&Recording> {
        match &self.memory {
            Memory::Recorded(recorded) => Some(&recorded.recording),
            Memory::Live(_) | Memory::Core(_) => None,
        }
    }

    /// Asks questions that are not recorded.
    pub fn unrecorded<T>(&self, ask: impl FnOnce() -> T) -> T {
        let pause = |paused| self.recorder.iter().for_each(|recorder| recorder.pause(paused));
        pause(true);
        let answer = ask();
        pause(false);
        answer
    }

    fn note(&self, note: impl FnOnce(&mut Recording)) {
        if let Some(recorder) = &self.recorder {
            recorder.note(note);
        }
    }

    /// Fills `buf` with the memory at `addr`. After a failure the content of `buf` is unspecified.
    ///
    /// # Errors
    /// A part of the memory cannot be read. The error has the first such address, and the reason.
    pub fn read(&self, addr: u64, buf: &mut [u8]) -> Result<(), ReadError> {
        let result = self.memory.read(addr, buf);
        if let Some(recorder) = &self.recorder {
            recorder.note_read(&self.memory, addr, buf, &result);
        }
        result
    }

    /// Word sizes and byte order.
    pub fn arch(&self) -> &Arch {
        &self.arch
    }

    /// The executable first, then every object of the link map in its order; without the vdso.
    pub fn images(&self) -> &[Image] {
        &self.images
    }

    /// The process id: of the live process, or the one that the core file tells.
    pub fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// The user that decides what the target says: whose the process is, or the core file. `None`
    /// if there is no such single user: a process that has changed its user, a core file that
    /// others can write to, or a recording.
    pub fn owner(&self) -> Option<u32> {
        self.owner
    }

    /// The core file; `None` for a live process.
    pub fn core_path(&self) -> Option<&Path> {
        self.core_path.as_deref()
    }

    /// The executable, as the target names it.
    pub fn executable(&self) -> Option<&Path> {
        self.executable.as_deref()
    }

    /// The command line that the process was started with; empty if it cannot be found in a core.
    pub fn cmdline(&self) -> &[OsString] {
        &self.cmdline
    }

    /// Had a signal stopped the live process before (SIGSTOP, or a shell's job control)?
    pub fn was_stopped(&self) -> bool {
        self.was_stopped
    }

    /// May a signal have the process run code of the program? False if it handles only signals of
    /// errors and those of the C library.
    pub fn handles_signals(&self) -> bool {
        self.handles_signals
    }

    /// The environment that the process was started with (name and value); empty if it cannot be
    /// found in a core.
    pub fn environment(&self) -> &[(OsString, OsString)] {
        &self.environment
    }

    /// The symbol of this name, data or function: the first global one in link map order, else a
    /// local one.
    pub fn find_symbol(&self, name: &str) -> Option<Symbol> {
        self.symbol(name, false)
    }

    /// The function of this name, searched in the same order as in [`Target::find_symbol`].
    pub fn find_function(&self, name: &str) -> Option<Symbol> {
        self.symbol(name, true)
    }

    fn symbol(&self, name: &str, function: bool) -> Option<Symbol> {
        let symbol = match self.recording() {
            Some(recording) => {
                let known = if function { &recording.functions } else { &recording.symbols };
                known.get(name).copied().flatten()
            }
            None => self.symbol_of_images(name, function),
        };
        self.note(|recording| {
            let known = if function { &mut recording.functions } else { &mut recording.symbols };
            known.insert(name.to_owned(), symbol);
        });
        symbol
    }

    fn symbol_of_images(&self, name: &str, function: bool) -> Option<Symbol> {
        // Debug files are only opened for what no image has itself.
        for find in [Image::find_symbol, Image::find_debug_symbol] {
            let images = self.images.iter().enumerate();
            let found = images.filter_map(|(index, image)| {
                Some(image.place_symbol(find(image, name, function)?, index))
            });
            let mut local = None;
            for symbol in found {
                if symbol.global {
                    return Some(symbol);
                }
                local = local.or(Some(symbol));
            }
            if local.is_some() {
                return local;
            }
        }
        None
    }

    /// The C type of this name: a typedef, base type, or tag (`struct x` asks for the tag alone).
    /// `prefer` is the index of the image to ask first. The images of
    /// [`Target::prefer_definers_of`] follow, then the others.
    pub fn find_type(&self, name: &str, prefer: Option<usize>) -> Option<TypeId> {
        let mut types = self.types.lock().unwrap_or_else(PoisonError::into_inner);
        let id = types.find(name, prefer, &self.images, |last| self.order_for_types(prefer, last));
        let layout = id.and_then(|id| types.layout(id));
        self.note(|recording| {
            drop(recording.types.insert(name.to_owned(), layout.map(RecordedType::from)))
        });
        id
    }

    /// The images that define one of these symbols are asked for types before the others, and after
    /// the one that a question prefers.
    pub fn prefer_definers_of(&mut self, symbols: &'static [&'static str]) {
        self.type_definers = symbols;
    }

    /// The images in the order in which they are asked for types; `prefer` first.
    pub fn images_for_types(&self, prefer: Option<usize>) -> Vec<&Image> {
        self.order_for_types(prefer, None).into_iter().map(|index| &self.images[index]).collect()
    }

    /// `last` is the image that gave the last answer, since the types of a library come from the
    /// same file. Without a preference the order is that of the link map. The C library is asked
    /// only if it is preferred: its debug information is large, and knows no type of MPI.
    fn order_for_types(&self, prefer: Option<usize>, last: Option<usize>) -> Vec<usize> {
        let runtime = || {
            self.type_definers
                .iter()
                .filter_map(|name| self.find_symbol(name))
                .map(|symbol| symbol.image)
        };
        // The components of an MPI library lie below its own directory.
        let last = last.filter(|_| prefer.is_some());
        let home = prefer.and_then(|index| self.images.get(index)?.path.parent());
        let is_near =
            |index: &usize| home.is_some_and(|home| self.images[*index].path.starts_with(home));
        let asked = (0..self.images.len()).filter(|index| !self.images[*index].is_of_c_library());
        let (near, far): (Vec<_>, Vec<_>) = asked.partition(is_near);
        let mut order: Vec<usize> = Vec::with_capacity(self.images.len());
        for index in prefer.into_iter().chain(runtime()).chain(last).chain(near).chain(far) {
            if index < self.images.len() && !order.contains(&index) {
                order.push(index);
            }
        }
        order
    }

    /// Provides layouts for types that debug information does not have.
    pub fn supply_types(&self, layouts: HashMap<String, Layout>) {
        self.types.lock().unwrap_or_else(PoisonError::into_inner).supply(layouts);
    }

    /// The offset in bytes of a member, anonymous structs and unions looked through; of a
    /// bit-field, the byte it begins in.
    pub fn field_offset(&self, ty: TypeId, field: &str) -> Option<u64> {
        let types = self.types.lock().unwrap_or_else(PoisonError::into_inner);
        Some(types.layout(ty)?.fields.get(field)?.offset)
    }

    /// The size in bytes of a type; `None` for an incomplete one.
    pub fn size_of(&self, ty: TypeId) -> Option<u64> {
        let types = self.types.lock().unwrap_or_else(PoisonError::into_inner);
        types.layout(ty)?.size
    }

    /// What is missing or doubtful about the target, in sentences: replaced or missing files, what
    /// a truncated core lacks, servers of debug files that failed.
    pub fn warnings(&self) -> Vec<String> {
        let of_search = self.images.first().map(Image::debug_file_warnings);
        let shorter = self.images.iter().filter(|image| image.has_shrunk()).map(|image| {
            format!(
                "the file of {} has become shorter while it was read: what it tells may be wrong",
                image.path.display()
            )
        });
        let of_search = of_search.unwrap_or_default();
        self.warnings.iter().cloned().chain(of_search).chain(shorter).collect()
    }
}

/// `NAME=value` pairs.
fn variables(strings: Vec<Vec<u8>>) -> Vec<(OsString, OsString)> {
    let split = |string: Vec<u8>| {
        let at = string.iter().position(|byte| *byte == b'=')?;
        Some((
            OsString::from_vec(string[..at].to_vec()),
            OsString::from_vec(string[at + 1..].to_vec()),
        ))
    };
    strings.into_iter().filter_map(split).collect()
}
