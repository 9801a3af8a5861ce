//! `mpicc`: the C compiler, told where the runtime's header and library are. Under the name
//! `mpicxx` or `mpic++` it is the C++ compiler. Under the name `mpifort` it says that there is no
//! Fortran.
//!
//! It finds both relative to itself, so that an installed prefix can be moved. In a cargo target
//! directory it uses what cargo built there.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str = "\
usage: mpicc [ARGUMENT…]     compiles and links C programs for MPI; arguments are those of the C \
                     compiler

  -show, --showme            print the command instead of running it
  -compile-info, -link-info  print the command for compiling, for linking
  --showme:compile           print the flags for compiling
  --showme:link              print the flags for linking
  --showme:incdirs           print the directories of headers
  --showme:libdirs           print the directories of libraries
  --showme:libs              print the names of libraries
  --showme:command           print the compiler's name
  --showme:version           print the version

The compiler is $MPICC_CC, $MPICH_CC or $OMPI_CC, the first that is set, else cc.
mpicxx and mpic++ are the same for C++: $MPICXX_CXX, $MPICH_CXX or $OMPI_CXX, else c++.
";

/// What a name of this program compiles.
struct Language {
    /// The name that messages begin with.
    name: &'static str,
    /// The variables that name another compiler, in order of precedence.
    variables: [&'static str; 3],
    compiler: &'static str,
}

static C: Language =
    Language { name: "mpicc", variables: ["MPICC_CC", "MPICH_CC", "OMPI_CC"], compiler: "cc" };
static CPP: Language = Language {
    name: "mpicxx",
    variables: ["MPICXX_CXX", "MPICH_CXX", "OMPI_CXX"],
    compiler: "c++",
};

impl Language {
    /// The language for the name by which this program was called.
    fn of_call() -> &'static Language {
        let cpp = ["mpicxx", "mpic++", "mpiCC", "mpiCXX"].contains(&called().as_str());
        if cpp { &CPP } else { &C }
    }
}

/// The name by which this program was called. The Debian package calls it `mpicxx.mqd` in
/// `/usr/bin`.
fn called() -> String {
    let call = std::env::args_os().next().unwrap_or_default();
    let name = Path::new(&call).file_name().unwrap_or_default().to_string_lossy().into_owned();
    name.strip_suffix(".mqd").map(str::to_owned).unwrap_or(name)
}

/// The headers of the sources, for programs that are used where cargo has built them. What is
/// shipped looks for nothing on the machine that built it.
const BUILT_HEADERS: Option<&str> = if cfg!(debug_assertions) {
    Some(concat!(env!("CARGO_MANIFEST_DIR"), "/include"))
} else {
    None
};

/// Where the runtime is, and the compiler to use.
struct Runtime {
    language: &'static Language,
    /// The compiler's name and maybe some flags, like `gcc -m64`.
    compiler: Vec<OsString>,
    include: PathBuf,
    library: PathBuf,
}

/// The names under which other MPI libraries have a compiler for Fortran.
const FORTRAN: [&str; 3] = ["mpifort", "mpif90", "mpif77"];

fn main() -> ExitCode {
    let call = called();
    if let Some(name) = FORTRAN.iter().find(|name| call == **name) {
        eprintln!(
            "{name}: this MPI has no Fortran interface. It has the standard ABI of MPI 5.0: a \
             module mpi_f08 that was made for that ABI (such as Vapaa) can be compiled against it, \
             with mpicc's flags: mpicc --showme:compile, mpicc --showme:link"
        );
        return ExitCode::FAILURE;
    }
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let language = Language::of_call();
    match run(language, &arguments) {
        Ok(code) => code,
        Err(text) => {
            eprintln!("{}: {text}", language.name);
            ExitCode::FAILURE
        }
    }
}

fn run(language: &'static Language, arguments: &[OsString]) -> Result<ExitCode, String> {
    if arguments.is_empty() {
        eprint!("{USAGE}");
        return Ok(ExitCode::FAILURE);
    }
    let runtime = Runtime::find(language)?;
    for (number, argument) in arguments.iter().enumerate() {
        let rest = || {
            arguments
                .iter()
                .enumerate()
                .filter(|&(other, _)| other != number)
                .map(|(_, argument)| argument)
        };
        let words: Vec<OsString> = match argument.to_str().unwrap_or_default() {
            "-show" | "--show" | "-showme" | "--showme" => {
                let rest: Vec<OsString> = rest().cloned().collect();
                // Without other arguments, it asks for the whole command, as build systems do.
                runtime.command(&rest, rest.is_empty() || links(&rest))
            }
            "-compile-info" | "-compile_info" => runtime.command(&[], false),
            "-link-info" | "-link_info" => runtime.command(&[], true),
            "-showme:compile" | "--showme:compile" => runtime.compile_flags(),
            "-showme:link" | "--showme:link" => runtime.link_flags(),
            "-showme:incdirs" | "--showme:incdirs" => vec![runtime.include.clone().into()],
            "-showme:libdirs" | "--showme:libdirs" => vec![runtime.library.clone().into()],
            "-showme:libs" | "--showme:libs" => vec!["mpi_abi".into()],
            "-showme:command" | "--showme:command" => runtime.compiler.clone(),
            "-showme:version" | "--showme:version" => {
                println!(
                    "{}: mqd companion runtime {} (MPI 5.0 standard ABI)",
                    language.name,
                    env!("CARGO_PKG_VERSION")
                );
                return Ok(ExitCode::SUCCESS);
            }
            "-showme:help" | "--showme:help" => {
                print!("{USAGE}");
                return Ok(ExitCode::SUCCESS);
            }
            other if other.starts_with("-showme:") || other.starts_with("--showme:") => {
                return Err(format!("unknown question {other}; try mpicc --showme:help"));
            }
            _ => continue,
        };
        let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        println!("{}", words.join(" "));
        return Ok(ExitCode::SUCCESS);
    }
    runtime.compile(arguments)
}

impl Runtime {
    fn find(language: &'static Language) -> Result<Runtime, String> {
        let own = std::env::current_exe()
            .map_err(|error| format!("cannot find out where it is itself: {error}"))?;
        let bin = own.parent().unwrap_or(Path::new("/"));
        let compiler = language
            .variables
            .iter()
            .find_map(|name| std::env::var(name).ok().filter(|value| !value.trim().is_empty()))
            .unwrap_or_else(|| language.compiler.into());
        let compiler: Vec<OsString> = compiler.split_whitespace().map(OsString::from).collect();
        let prefix = bin.parent().unwrap_or(Path::new("/"));
        if prefix.join("include/mpi.h").exists() {
            return Ok(Runtime {
                language,
                compiler,
                include: prefix.join("include"),
                library: prefix.join("lib"),
            });
        }
        let built = BUILT_HEADERS.map(Path::new).filter(|headers| headers.join("mpi.h").exists());
        if let Some(include) = built.filter(|_| bin.join("libmpi_abi.so").exists()) {
            name_as_soname(bin)?;
            let (include, library) = (include.to_owned(), bin.to_owned());
            return Ok(Runtime { language, compiler, include, library });
        }
        Err(format!(
            "there is no MPI installation around {}: {} is missing; `cargo xtask dist` lays one \
             out",
            own.display(),
            prefix.join("include/mpi.h").display()
        ))
    }

    fn compile_flags(&self) -> Vec<OsString> {
        vec![joined("-I", &self.include)]
    }

    fn link_flags(&self) -> Vec<OsString> {
        vec![joined("-L", &self.library), joined("-Wl,-rpath,", &self.library), "-lmpi_abi".into()]
    }

    /// The compiler's command line. The library comes last, since it resolves symbols of the
    /// objects before it.
    fn command(&self, arguments: &[OsString], link: bool) -> Vec<OsString> {
        let mut words = self.compiler.clone();
        words.extend(self.compile_flags());
        words.extend(arguments.iter().cloned());
        if link {
            words.extend(self.link_flags());
        }
        words
    }

    fn compile(&self, arguments: &[OsString]) -> Result<ExitCode, String> {
        let words = self.command(arguments, links(arguments));
        let program = words[0].display();
        let error = Command::new(&words[0]).args(&words[1..]).exec();
        let variable = self.language.variables[0];
        Err(format!(
            "cannot run the compiler {program}: {error}; install one (Debian: apt-get install gcc \
             g++ libc6-dev) or name it in {variable}"
        ))
    }
}

/// Whether the compiler will link: there is something to link, and no option stops before.
fn links(arguments: &[OsString]) -> bool {
    const STOPS: [&str; 7] = ["-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-r"];
    const TAKES_VALUE: [&str; 20] = [
        "-o",
        "-I",
        "-L",
        "-l",
        "-D",
        "-U",
        "-x",
        "-include",
        "-imacros",
        "-isystem",
        "-iquote",
        "-idirafter",
        "-MF",
        "-MT",
        "-MQ",
        "-Xlinker",
        "-Xpreprocessor",
        "-Xassembler",
        "-T",
        "-u",
    ];
    let mut inputs = false;
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let text = argument.to_string_lossy();
        if STOPS.contains(&&*text) {
            return false;
        } else if TAKES_VALUE.contains(&&*text) {
            arguments.next();
        } else if !text.starts_with('-') || text == "-" {
            inputs = true;
        }
    }
    inputs
}

/// Cargo names the library libmpi_abi.so; programs ask for it by its soname.
fn name_as_soname(directory: &Path) -> Result<(), String> {
    let name = directory.join("libmpi_abi.so.1");
    match std::os::unix::fs::symlink("libmpi_abi.so", &name) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(format!("cannot make the link {}: {error}", name.display()))
        }
        _ => Ok(()),
    }
}

fn joined(flag: &str, path: &Path) -> OsString {
    let mut word = OsString::from(flag);
    word.push(path);
    word
}

/// A word as a shell takes it.
fn quoted(word: &OsStr) -> String {
    let text = word.to_string_lossy();
    if text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./,=+:@%".contains(&byte)) {
        return text.into_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}
