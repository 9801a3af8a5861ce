//! Learning a table from a known program, for a library of MPICH's family that nobody has the
//! sources of.
//!
//! The program ([`known`]) is compiled and run ([`job`]). Its communicators and requests are found
//! in the pools of the library ([`objects`], [`world`]), and compared with what the program says of
//! them ([`rules`]). With the names of another table this gives a new one ([`fields`]). It is used
//! only if `mqd` shows with it what a second run of the program knows ([`verify`]).

mod fields;
mod job;
mod known;
mod objects;
mod rules;
mod verify;
mod world;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fmt, fs, io};

use mqd_inspect::arch::Arch;
use mqd_inspect::process::{Target, TargetError};
use mqd_layout::{SHIPPED, Table, Writer};

use self::fields::{NewStructure, Origin};
use self::job::{Job, Program};
use self::known::Known;
use self::objects::{POOL, Shape};
use self::verify::Failure;
use self::world::{Process, World};
use super::{LayoutTable, identify, machine, write_structure};

/// The libraries that can be learned, as tables name them.
const LIBRARY: &str = "mpich";
/// A function that only they have.
const FUNCTION: &str = "PMPIX_Grequest_class_create";
/// Structures of the cells that messages within a machine go by. Whether they are right is seen
/// only by using them.
const CELLS: [&str; 4] = [
    "MPIDI_POSIX_eager_iqueue_transport_t",
    "MPIDU_genqi_shmem_pool_s",
    "MPIDU_genq_shmem_queue_u",
    "MPIDU_genqi_shmem_cell_header_s",
];

/// How the program is compiled and started.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The launcher with its options. `-n 3` and the program are added.
    pub command: Vec<OsString>,
    /// The compiler; `None` for the one beside the launcher.
    pub mpicc: Option<PathBuf>,
    /// The command `mqd`, which reads the second run.
    pub mqd: PathBuf,
    /// The releases that the table is for. If empty, the release that the library tells.
    pub versions: Vec<String>,
}

/// A table that was learned and verified.
#[derive(Clone, Debug)]
pub struct Learned {
    /// Its text.
    pub text: String,
    /// The table that the names are from.
    pub like: String,
    /// The name of the file by which the debug DLL finds it.
    pub file_name: String,
    /// What was not learned, in sentences.
    pub remarks: Vec<String>,
}

/// No table was learned.
#[derive(Debug, thiserror::Error)]
pub enum LearnError {
    /// The launcher has no compiler beside it.
    #[error("there is no mpicc beside the launcher {launcher}: name the compiler with --mpicc")]
    NoCompiler {
        /// The launcher.
        launcher: String,
    },
    /// The compiler cannot be started.
    #[error("cannot run the compiler {}: {why}; name another one with --mpicc", compiler.display())]
    Compiler {
        /// The compiler.
        compiler: PathBuf,
        /// Why not.
        why: io::Error,
    },
    /// The program does not compile.
    #[error("{} does not compile the program of mqd:\n{said}", compiler.display())]
    Compile {
        /// The compiler.
        compiler: PathBuf,
        /// What it said.
        said: String,
    },
    /// The launcher cannot be started.
    #[error("cannot run the launcher {launcher}: {why}")]
    Launcher {
        /// The launcher.
        launcher: String,
        /// Why not.
        why: io::Error,
    },
    /// The program ended by itself.
    #[error(
        "the program of mqd ended ({how}) before it was ready: try the launcher with another MPI \
         program and 3 ranks. It said:\n{said}"
    )]
    Ended {
        /// How the launcher ended.
        how: String,
        /// What was printed.
        said: String,
    },
    /// The program is not ready in time.
    #[error("the program of mqd was not ready after {seconds} s. It said:\n{said}")]
    TimeLimit {
        /// The time.
        seconds: u64,
        /// What was printed.
        said: String,
    },
    /// A rank runs on another machine.
    #[error("a rank of the program runs on {host}: have the launcher start all ranks on this host")]
    Elsewhere {
        /// The machine.
        host: String,
    },
    /// A signal came.
    #[error("ended by a signal")]
    Stopped,
    /// A process cannot be read.
    #[error("cannot read a process of the program: {0}")]
    Target(#[from] TargetError),
    /// The program's own list is not there.
    #[error(
        "the program's own list of what it does cannot be read: is it stripped by the compiler?"
    )]
    NoList,
    /// Another library.
    #[error(
        "{library} is not of MPICH's family: only MPICH, Intel MPI and others made of MPICH can be \
         learned; `mqd layout extract` makes tables of libraries with debug information"
    )]
    OtherLibrary {
        /// The library, or that there is none.
        library: String,
    },
    /// Another machine type.
    #[error("only libraries of little-endian machines with 64 bits can be learned, not {0}")]
    OtherMachine(String),
    /// The objects are not in pools as they are known.
    #[error("there is no pool of {0} of the expected shape in the library's variables")]
    NoPool(&'static str),
    /// An object of the program is not in the pools.
    #[error("{0} of the program is not among the objects in the library's pools")]
    NoObject(String),
    /// No place fits a field.
    #[error("no place in the objects has the values of {field}")]
    NoPlace {
        /// The field.
        field: String,
    },
    /// Several places fit a field.
    #[error("{field} may be at {places:?}: each place has its values in all objects")]
    Ambiguous {
        /// The field.
        field: String,
        /// The places, in bytes.
        places: Vec<u32>,
    },
    /// There is no table to begin with.
    #[error("there is no table for a library of MPICH's family to begin with")]
    NoTables,
    /// No table led to one.
    #[error("no table was learned:\n{}", reasons.join("\n"))]
    Nothing {
        /// Why not, for each table that was tried.
        reasons: Vec<String>,
    },
    /// A temporary file.
    #[error("cannot write a temporary file: {0}")]
    Temporary(io::Error),
}

/// What a table says in front of its structures.
struct Header {
    arch: Arch,
    library: String,
    versions: Vec<String>,
    build_id: Option<Vec<u8>>,
}

/// A table that was learned, before it is verified.
struct Attempt<'l> {
    like: &'l LayoutTable,
    structures: Vec<NewStructure>,
}

impl Attempt<'_> {
    /// How many fields are not where the other table has them.
    fn moved(&self) -> usize {
        let Ok(table) = self.like.table() else { return usize::MAX };
        let fields = self.structures.iter().flat_map(|structure| {
            structure.fields.iter().map(move |field| (&structure.name, field))
        });
        let moved = fields.filter(|(owner, field)| {
            let old = table.structure(owner).and_then(|one| one.field(&field.name));
            old.is_none_or(|old| old.offset != field.offset)
        });
        moved.count()
    }

    fn has_cells(&self) -> bool {
        self.structures.iter().any(|structure| CELLS.contains(&structure.name.as_str()))
    }
}

/// Learns a table. `likes` are the tables to begin with; the first one is taken that gives a table
/// which fits, and those come first that the library differs least from. The program is ended as
/// soon as `stop` is true.
///
/// # Errors
/// The program cannot be run, its objects are not found, a field has no place or several, or
/// `mqd` shows something else than the second run of the program knows.
pub fn learn(
    what: &Launch,
    likes: &[LayoutTable],
    stop: &AtomicBool,
) -> Result<Learned, LearnError> {
    let is_for = |like: &&LayoutTable| like.table().is_ok_and(|one| one.library() == LIBRARY);
    let likes: Vec<&LayoutTable> = likes.iter().filter(is_for).collect();
    if likes.is_empty() {
        return Err(LearnError::NoTables);
    }
    let program = Program::compile(what)?;
    let mut reasons = Vec::new();
    let (header, mut attempts) = {
        let job = Job::start(&program, &what.command, 1, stop)?;
        let processes = open(&job.pids)?;
        let header = header(&processes, what)?;
        let mut attempts = Vec::new();
        let (world, pool) = find(&processes, &likes)?;
        for like in likes {
            let Ok(table) = like.table() else { continue };
            match fields::learn(&world, &table, &pool) {
                Ok(structures) => attempts.push(Attempt { like, structures }),
                Err(error) => reasons.push(format!("  like {}: {error}", like.name)),
            }
            if stop.load(Ordering::Relaxed) {
                return Err(LearnError::Stopped);
            }
        }
        (header, attempts)
    };
    attempts.sort_by_key(Attempt::moved);
    if !attempts.is_empty() {
        let job = Job::start(&program, &what.command, 2, stop)?;
        let known: Vec<Known> = open(&job.pids)?.into_iter().map(|process| process.known).collect();
        for mut attempt in attempts {
            match verified(what, &program, &header, &mut attempt, (&job.pids, &known)) {
                Ok(learned) => return Ok(learned),
                Err(LearnError::Nothing { reasons: more }) => reasons.splice(0..0, more),
                Err(error) => return Err(error),
            };
            if stop.load(Ordering::Relaxed) {
                return Err(LearnError::Stopped);
            }
        }
    }
    Err(LearnError::Nothing { reasons })
}

/// Opens the processes of the program, which stand still until the result is dropped.
fn open(pids: &[u32]) -> Result<Vec<Process>, LearnError> {
    let mut processes = Vec::new();
    for pid in pids {
        let target = Target::attach(*pid)?;
        let Some(function) = target.find_function(FUNCTION) else {
            let library = identify(&target).map_or("the MPI library", |(library, _)| library);
            return Err(LearnError::OtherLibrary { library: library.to_owned() });
        };
        let arch = target.arch();
        if !arch.is_little_endian() || (arch.pointer_size, arch.int_size) != (8, 4) {
            return Err(LearnError::OtherMachine(arch.describe()));
        }
        let known = Known::read(&target).ok_or(LearnError::NoList)?;
        processes.push(Process { target, known, library: function.image });
    }
    Ok(processes)
}

fn header(processes: &[Process], what: &Launch) -> Result<Header, LearnError> {
    let Process { target, library, .. } = processes.first().ok_or(LearnError::NoList)?;
    let image = target.images().get(*library).ok_or(LearnError::NoList)?;
    let release = identify(target).and_then(|(_, version)| version);
    let versions = match what.versions.is_empty() {
        true => release.into_iter().collect(),
        false => what.versions.clone(),
    };
    Ok(Header {
        arch: target.arch().clone(),
        library: image.path().file_name().unwrap_or_default().to_string_lossy().into_owned(),
        versions,
        build_id: image.build_id().map(<[u8]>::to_vec),
    })
}

/// The objects of the processes, and the structure of the pools that they are in: that of one of
/// the tables.
fn find<'p>(
    processes: &'p [Process],
    likes: &[&LayoutTable],
) -> Result<(World<'p>, NewStructure), LearnError> {
    let likes = likes.iter().map(|like| like.text());
    let texts = likes.chain(SHIPPED.iter().map(|shipped| shipped.text));
    let (mut tried, mut first_error): (Vec<Shape>, _) = (Vec::new(), None);
    for table in texts.filter_map(|text| Table::parse(text).ok()) {
        let Some(pool) = table.structure(POOL) else { continue };
        let Some(shape) = Shape::of(&pool).filter(|shape| !tried.contains(shape)) else { continue };
        match World::new(processes, &shape) {
            Ok(world) => return Ok((world, NewStructure::seen(&pool))),
            Err(error) => first_error = first_error.or(Some(error)),
        }
        tried.push(shape);
    }
    Err(first_error.unwrap_or(LearnError::NoTables))
}

/// The cells of shared memory as other tables have them.
fn other_cells() -> Vec<Vec<NewStructure>> {
    let tables = SHIPPED.iter().filter_map(|shipped| Table::parse(shipped.text).ok());
    let cells = tables.filter(|table| table.library() == LIBRARY).map(|table| {
        let cells = CELLS.iter().filter_map(|name| table.structure(name));
        cells.map(|structure| NewStructure::seen(&structure)).collect::<Vec<_>>()
    });
    cells.filter(|cells| cells.len() == CELLS.len()).collect()
}

/// The table of an attempt, if it shows what the program knows. `Nothing` says why it does not.
fn verified(
    what: &Launch,
    program: &Program,
    header: &Header,
    attempt: &mut Attempt<'_>,
    truth: (&[u32], &[Known]),
) -> Result<Learned, LearnError> {
    let nothing = |reason: &str| {
        let name = &attempt.like.name;
        LearnError::Nothing {
            reasons: vec![format!(
                "  like {name}: a table was learned, and a second run shows that it is wrong: \
                 {reason}"
            )],
        }
    };
    let path = program.table()?;
    let directory = path.parent().unwrap_or(Path::new("."));
    let mut cells = attempt.has_cells();
    let mut without_cells = false;
    let mut others = other_cells();
    loop {
        let text = write(header, attempt).map_err(|error| nothing(&error.to_string()))?;
        fs::write(&path, &text).map_err(LearnError::Temporary)?;
        match verify::verify(&what.mqd, directory, truth, cells) {
            Ok(()) => {
                let file_name = file_name(header);
                let like = attempt.like.name.clone();
                let remarks = remarks(attempt, without_cells);
                return Ok(Learned { text, like, file_name, remarks });
            }
            Err(Failure::Cells) => {
                attempt.structures.retain(|one| !CELLS.contains(&one.name.as_str()));
                match others.pop() {
                    Some(others) => attempt.structures.extend(others),
                    None => (cells, without_cells) = (false, true),
                }
            }
            Err(Failure::Wrong(reason)) => return Err(nothing(&reason)),
        }
    }
}

/// The name by which the debug DLL finds the table: that of the file itself, if it has a build-id.
fn file_name(header: &Header) -> String {
    let id = header.build_id.as_deref().map(mqd_inspect::arch::hex);
    let release = header.versions.first().map(|version| format!("{LIBRARY}-{version}"));
    format!("{}.{}", id.or(release).unwrap_or_else(|| LIBRARY.to_owned()), super::EXTENSION)
}

/// The fields and structures whose places were not learned.
fn not_learned(attempt: &Attempt<'_>) -> (Vec<String>, Vec<String>) {
    let (mut distance, mut copied) = (Vec::new(), Vec::new());
    // Cells are used by the second run.
    let is_tried = |one: &&NewStructure| CELLS.contains(&one.name.as_str());
    for structure in attempt.structures.iter().filter(|one| !is_tried(one)) {
        let of = |origin| structure.fields.iter().filter(move |field| field.origin == origin);
        let name = |field: &fields::NewField| format!("{}.{}", structure.name, field.name);
        distance.extend(of(Origin::Distance).map(name));
        if of(Origin::Copied).next().is_some() {
            copied.push(structure.name.clone());
        }
    }
    (distance, copied)
}

fn remarks(attempt: &Attempt<'_>, without_cells: bool) -> Vec<String> {
    let (distance, copied) = not_learned(attempt);
    let name = &attempt.like.name;
    let mut remarks = Vec::new();
    if !distance.is_empty() {
        let fields = distance.join(", ");
        remarks.push(format!(
            "no value tells where these fields are; they have the distance to others that they \
             have in {name}: {fields}"
        ));
    }
    if !copied.is_empty() {
        remarks.push(format!("these structures are as in {name}: {}", copied.join(", ")));
    }
    if without_cells {
        remarks.push(
            "the queues in shared memory are not as in any known release: messages in them are not \
             counted, and `mqd check` proves less"
                .to_owned(),
        );
    }
    remarks
}

/// The text of a table.
fn write(header: &Header, attempt: &Attempt<'_>) -> Result<String, mqd_layout::Error> {
    let text = try_write(header, attempt).expect("a String takes everything");
    Table::parse(&text).map(|_| ())?;
    Ok(text)
}

fn try_write(header: &Header, attempt: &Attempt<'_>) -> Result<String, fmt::Error> {
    let machine = machine(&header.arch);
    let variant = attempt.like.table().ok().and_then(|table| table.variant().map(str::to_owned));
    let mut writer = match &variant {
        Some(variant) => Writer::with_variant(String::new(), LIBRARY, variant, machine)?,
        None => Writer::new(String::new(), LIBRARY, machine)?,
    };
    let (library, name) = (&header.library, &attempt.like.name);
    writer.comment(&format!("Made by mqd layout learn from objects of {library}, like {name}."))?;
    let (distance, copied) = not_learned(attempt);
    for (what, names) in [("By their distance to others", distance), ("Not learned", copied)] {
        if !names.is_empty() {
            writer.comment(&format!("{what}:"))?;
            names.iter().try_for_each(|name| writer.comment(&format!("  {name}")))?;
        }
    }
    header.versions.iter().try_for_each(|version| writer.version(version))?;
    header.build_id.as_deref().map_or(Ok(()), |id| writer.build_id(id))?;
    for NewStructure { name, size, fields } in &attempt.structures {
        let places = fields
            .iter()
            .map(|field| (field.name.as_str(), [u64::from(field.offset), u64::from(field.size)]));
        write_structure(&mut writer, name, u64::from(*size), places)?;
    }
    Ok(writer.finish())
}
