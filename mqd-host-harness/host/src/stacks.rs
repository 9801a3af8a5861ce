//! Call stacks as the report has them: from the MPI call outwards, to the program's `main`.

use std::path::Path;

use mqd_inspect::image::{Image, Source};
use mqd_inspect::process::{InLibrary, Script, StackFrame, Stacks, ThreadStack};
use mqd_report::{Address, Frame, Problem, ProblemKind, Stack, Text};

use crate::calls::entry_function;

/// How the file names of MPI libraries begin, and those of their bindings for other languages.
const LIBRARIES: [&str; 4] = ["libmpi", "libpmpi", "MPI.cpython-", "MPI.abi3."];
/// Where programs begin; Fortran's main program has a function of its own.
const MAINS: [&str; 2] = ["main", "MAIN__"];

/// The stacks of the threads that may be in MPI, and of the main thread; or of `all` threads.
/// `library` is the index of the MPI library among the images. `None`: there is nothing to tell.
pub(crate) fn of(stacks: &Stacks, library: Option<usize>, all: bool) -> Option<Vec<Stack>> {
    let threads = stacks.threads().iter().enumerate();
    let told = threads.filter_map(|(index, thread)| {
        let calls = library.map_or(InLibrary::NotKnown, |library| {
            stacks.in_library(thread, library, entry_function)
        });
        let wanted = all || index == 0 || calls != InLibrary::Nothing;
        wanted.then(|| stack(stacks, thread, calls))
    });
    Some(told.collect()).filter(|told: &Vec<_>| !told.is_empty())
}

/// The part of the stacks that was left out so that the process runs on soon.
pub(crate) fn problem(stacks: &Stacks) -> Option<Problem> {
    let text = "frames of Python are missing: the code of its functions on the stacks is larger \
                than what mqd reads while a process is stopped (16 MiB)";
    let is_cut = stacks.threads().iter().any(|thread| thread.too_much_script);
    is_cut.then(|| Problem::new(ProblemKind::Limit, text))
}

fn stack(stacks: &Stacks, thread: &ThreadStack, calls: InLibrary) -> Stack {
    let all = &thread.frames[..];
    let (mut frames, mut returns_to) = (Vec::new(), None);
    let (in_mpi, rest) = match calls {
        InLibrary::Entry { function, frame } => {
            frames.push(entry(stacks, &all[frame], function));
            returns_to = all.get(frame + 1).map(|caller| Address(caller.address));
            let is_binding = |frame: &&StackFrame| {
                let name = stacks.image(frame).and_then(module).unwrap_or_default();
                LIBRARIES.iter().any(|library| name.starts_with(library))
            };
            let outer = &all[frame + 1..];
            (Some(true), &outer[outer.iter().take_while(is_binding).count()..])
        }
        InLibrary::Nothing => (Some(false), all),
        InLibrary::NotKnown => (None, all),
    };
    // Frames of Python stand for those of the interpreter that executes them.
    let interpreter = thread.scripts.first().and_then(|script| all[script.native].image);
    let first = all.len() - rest.len();
    for (index, frame) in rest[..rest.len() - beginning(stacks, rest)].iter().enumerate() {
        if interpreter.is_some() && frame.image == interpreter {
            let script = thread.scripts.iter().find(|script| script.native == first + index);
            frames.extend(script.into_iter().flat_map(|script| of_script(stacks, frame, script)));
            continue;
        }
        let places = match is_of_c_library(stacks, frame) {
            true => vec![stacks.symbol(frame)],
            false => stacks.source(frame),
        };
        let symbol = places.last().and_then(|place| place.symbol.as_deref());
        let is_main =
            frame.image == Some(0) && symbol.is_some_and(|symbol| MAINS.contains(&symbol));
        let module = stacks.image(frame).and_then(module);
        frames.extend(places.into_iter().map(|place| described(frame, module.as_deref(), place)));
        if is_main {
            break;
        }
    }
    Stack { thread: thread.id, in_mpi, complete: thread.complete, frames, returns_to }
}

/// Is a frame in the C library? Its functions are known by name, so no debug information of it is
/// read.
pub(crate) fn is_of_c_library(stacks: &Stacks, frame: &StackFrame) -> bool {
    stacks.image(frame).is_some_and(Image::is_of_c_library)
}

/// Does the code of an image only look for messages that have come? That of the C library does, and
/// that of the components of Open MPI which carry messages (BTL). These hand messages to components
/// that have other names.
pub(crate) fn is_quiet(image: &Image) -> bool {
    let name = module(image).unwrap_or_default();
    image.is_of_c_library() || ["mca_btl_", "libevent"].iter().any(|begin| name.starts_with(begin))
}

/// How many frames at the end are those that call `main`. A program may have left `main` by a tail
/// call.
fn beginning(stacks: &Stacks, frames: &[StackFrame]) -> usize {
    let symbol = |frame: &StackFrame| stacks.symbol(frame).symbol.unwrap_or_default();
    let Some((last, others)) = frames.split_last() else { return 0 };
    if last.image != Some(0) || symbol(last) != "_start" {
        return 0;
    }
    let of_c_library = others.iter().rev().take_while(|frame| {
        is_of_c_library(stacks, frame) || symbol(frame).starts_with("__libc_start")
    });
    1 + of_c_library.count()
}

/// The file name of an image.
pub(crate) fn module(image: &Image) -> Option<String> {
    let name = Path::new(image.path()).file_name()?;
    Some(name.to_string_lossy().into_owned())
}

/// The frame of an MPI function.
fn entry(stacks: &Stacks, frame: &StackFrame, function: String) -> Frame {
    Frame {
        function: Some(function.into()),
        module: stacks.image(frame).and_then(module).map(Text::from),
        offset: stacks.symbol(frame).offset,
        address: Address(frame.address),
        ..Frame::default()
    }
}

/// The frames of Python that a frame of the interpreter executes.
fn of_script(stacks: &Stacks, frame: &StackFrame, script: &Script) -> Vec<Frame> {
    let module = stacks.image(frame).and_then(module).map(Text::from);
    let told = script.frames.iter().map(|of_python| Frame {
        function: Some(of_python.function.as_str().into()),
        file: Some(of_python.file.as_str().into()),
        line: of_python.line,
        module: module.clone(),
        address: Address(frame.address),
        ..Frame::default()
    });
    told.collect()
}

fn described(frame: &StackFrame, module: Option<&str>, place: Source) -> Frame {
    let Source { function, offset, file, line, inlined, .. } = place;
    Frame {
        function: function.map(Text::from),
        offset: offset.filter(|_| line.is_none()),
        file: file.map(Text::from),
        line,
        inlined,
        module: module.map(Text::from),
        address: Address(frame.address),
    }
}
