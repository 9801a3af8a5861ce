//! Functions and lines of the source, by addresses of a file: from DWARF, with inlined functions.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use addr2line::Context;
use gimli::SectionId;
use self_cell::self_cell;

use crate::elf::ElfFile;
use crate::names::demangle;
use crate::sections::{Sections, Slice};

/// What lines and inlined functions are read from.
const SECTIONS: &[SectionId] = &[
    SectionId::DebugInfo,
    SectionId::DebugAbbrev,
    SectionId::DebugAddr,
    SectionId::DebugAranges,
    SectionId::DebugLine,
    SectionId::DebugLineStr,
    SectionId::DebugRanges,
    SectionId::DebugRngLists,
    SectionId::DebugStr,
    SectionId::DebugStrOffsets,
    SectionId::DebugTypes,
];

/// The most inlined functions at one address. Real code has fewer.
const MOST_INLINED: usize = 256;

/// A place in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    /// The function, demangled.
    pub(crate) function: Option<String>,
    /// The file as the debug information names it.
    pub(crate) file: Option<String>,
    /// The line, from 1.
    pub(crate) line: Option<u32>,
    /// Is the function inlined into that of the next place?
    pub(crate) inlined: bool,
}

#[derive(Debug)]
struct Debug {
    main: Sections,
    supplement: Option<Sections>,
}

type Parsed<'a> = Option<Context<Slice<'a>>>;

self_cell!(
    struct Shared {
        owner: Debug,
        #[not_covariant]
        dependent: Parsed,
    }
);

/// The lines of a file. Its units are indexed once; each is parsed when it is first asked for.
pub(crate) struct Lines(Mutex<Shared>);

impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lines")
    }
}

impl Lines {
    /// Indexes the units of a file. `supplement` is the file that dwz has made.
    pub(crate) fn load(elf: &ElfFile, supplement: Option<&ElfFile>) -> Lines {
        let debug = Debug {
            main: Sections::load(elf, SECTIONS),
            supplement: supplement.map(|elf| Sections::load(elf, SECTIONS)),
        };
        Lines(Mutex::new(Shared::new(debug, |debug| {
            let mut dwarf = debug.main.borrow();
            if let Some(supplement) = &debug.supplement {
                dwarf.set_sup(supplement.borrow());
            }
            Context::from_dwarf(dwarf).ok()
        })))
    }

    /// The source of an address of the file: the innermost inlined function first, the function
    /// that has the code last. Empty if nothing is known.
    pub(crate) fn at(&self, address: u64) -> Vec<Line> {
        // A panic elsewhere leaves the tables intact, since parts are added in one step.
        let shared = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shared.with_dependent(|_, parsed| {
            let mut lines = Vec::new();
            let found = parsed.as_ref().map(|context| context.find_frames(address));
            // Parts of the debug information that are in other files (.dwo) are not read.
            let Some(Ok(mut frames)) = found.map(|found| found.skip_all_loads()) else {
                return lines;
            };
            while let Ok(Some(frame)) = frames.next() {
                let function = frame.function.and_then(|function| {
                    Some(demangle(&function.raw_name().ok()?, function.language))
                });
                let (file, line) = match frame.location {
                    Some(location) => (location.file, location.line),
                    None => (None, None),
                };
                lines.push(Line {
                    function,
                    file: file.map(str::to_owned),
                    line: line.filter(|line| *line > 0),
                    inlined: true,
                });
                if lines.len() == MOST_INLINED {
                    break;
                }
            }
            if let Some(last) = lines.last_mut() {
                last.inlined = false;
            }
            lines
        })
    }
}
