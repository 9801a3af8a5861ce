//! `mpicc`: what it passes to the compiler, what it says about itself.

use std::fs;
use std::process::Command;

use mqd_tests::{command, prefix, run, text};

const PROGRAM: &str = "#include <mpi.h>\nint main(void) { int major, minor; return \
                       MPI_Get_version(&major, &minor) || major != 5; }\n";

fn mpicc(arguments: &[&str]) -> Command {
    let mut mpicc = prefix().command("mpicc");
    mpicc.args(arguments).env_remove("MPICC_CC").env_remove("MPICH_CC").env_remove("OMPI_CC");
    mpicc
}

#[test]
fn compiles_and_links() {
    let directory = tempfile::tempdir().expect("there is room");
    let at = |name: &str| directory.path().join(name).to_str().expect("UTF-8").to_owned();
    fs::write(at("program.c"), PROGRAM).expect("it can be written");
    // At once, and in two steps.
    assert_eq!(run(&mut mpicc(&[&at("program.c"), "-o", &at("one")])).0, 0);
    assert_eq!(run(&mut mpicc(&["-c", &at("program.c"), "-o", &at("program.o")])).0, 0);
    assert_eq!(run(&mut mpicc(&["-o", &at("two"), &at("program.o")])).0, 0);
    for program in ["one", "two"] {
        // It knows where its library is.
        assert_eq!(run(&mut command(at(program))).0, 0);
    }
    let (_, dynamic, _) = run(command("readelf").args(["-d", &at("one")]));
    assert!(dynamic.contains("libmpi_abi.so.1"), "{dynamic}");
    // Questions to the compiler for which nothing is linked.
    for question in [
        &["--version"][..],
        &["-v"],
        &["-dumpmachine"],
        &["-E", &at("program.c")],
        &["-MM", &at("program.c")],
    ] {
        let (code, _, stderr) = run(&mut mpicc(question));
        assert_eq!(code, 0, "{question:?}: {stderr}");
    }
}

#[test]
fn fortran_is_refused_with_a_word() {
    let (code, stdout, stderr) = run(prefix().command("mpifort").arg("--showme:compile"));
    assert_eq!((code, stdout.as_str()), (1, ""));
    assert!(stderr.starts_with("mpifort: this MPI has no Fortran interface."), "{stderr}");
}

/// CMake finds MPI for C and C++ in the prefix, although other MPI libraries are installed.
#[test]
fn serves_cmake() {
    let directory = tempfile::tempdir().expect("there is room");
    let at = |name: &str| directory.path().join(name).to_str().expect("UTF-8").to_owned();
    for name in ["program.c", "program.cpp"] {
        fs::write(at(name), PROGRAM).expect("it can be written");
    }
    let project = "cmake_minimum_required(VERSION 3.10)\nproject(test C CXX)\nfind_package(MPI 3.1 \
                   REQUIRED COMPONENTS C CXX)\nadd_executable(one program.c)\nadd_executable(two \
                   program.cpp)\ntarget_link_libraries(one MPI::MPI_C)\ntarget_link_libraries(two \
                   MPI::MPI_CXX)\nmessage(STATUS \"starts by ${MPIEXEC_EXECUTABLE}\")\n";
    fs::write(at("CMakeLists.txt"), project).expect("it can be written");
    let home = format!("-DMPI_HOME={}", prefix().directory.display());
    let (code, stdout, stderr) =
        run(command("cmake").args(["-S", &at(""), "-B", &at("build"), &home]));
    assert_eq!(code, 0, "{stdout}{stderr}");
    let launcher = format!("starts by {}\n", prefix().program("mpiexec").display());
    assert!(stdout.contains(&launcher), "{stdout}");
    let (code, stdout, stderr) = run(command("cmake").args(["--build", &at("build")]));
    assert_eq!(code, 0, "{stdout}{stderr}");
    for program in ["one", "two"] {
        let program = at(&format!("build/{program}"));
        assert_eq!(run(&mut command(&program)).0, 0);
        let (_, libraries, _) = run(command("ldd").arg(&program));
        let library = prefix().directory.join("lib/libmpi_abi.so.1");
        assert!(libraries.contains(library.to_str().expect("UTF-8")), "{libraries}");
    }
}

/// A prefix serves C++ as it serves C, and `pkg-config` knows it.
#[test]
fn serves_cpp_and_pkg_config() {
    let directory = tempfile::tempdir().expect("there is room");
    let at = |name: &str| directory.path().join(name).to_str().expect("UTF-8").to_owned();
    fs::write(at("program.cpp"), format!("#include <vector>\n{PROGRAM}")).expect("it is written");
    for name in ["mpicxx", "mpic++"] {
        let mut wrapper = prefix().command(name);
        for variable in ["MPICXX_CXX", "MPICH_CXX", "OMPI_CXX"] {
            wrapper.env_remove(variable);
        }
        let (code, _, stderr) = run(wrapper.args([&at("program.cpp"), "-o", &at(name)]));
        assert_eq!(code, 0, "{stderr}");
        assert_eq!(run(&mut command(at(name))).0, 0);
    }
    fs::write(at("program.c"), PROGRAM).expect("it can be written");
    let (code, flags, stderr) = run(command("pkg-config")
        .args(["--cflags", "--libs", "mpi"])
        .env("PKG_CONFIG_PATH", prefix().directory.join("lib/pkgconfig")));
    assert_eq!(code, 0, "{stderr}");
    let mut compiler = command("cc");
    compiler.args(["-o", &at("with"), &at("program.c")]).args(flags.split_whitespace());
    let (code, _, stderr) = run(&mut compiler);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(run(&mut command(at("with"))).0, 0);
}

#[test]
fn gives_the_compilers_exit_code() {
    let directory = tempfile::tempdir().expect("there is room");
    let source = directory.path().join("wrong.c");
    fs::write(&source, "this is no C").expect("it can be written");
    let (code, _, stderr) = run(&mut mpicc(&["-c", text(&source)]));
    assert_eq!(code, 1);
    assert!(stderr.contains("error:"), "{stderr}");
    let (code, _, stderr) = run(mpicc(&["-c", text(&source)]).env("MPICC_CC", "no-such-compiler"));
    assert_eq!(code, 1);
    assert!(stderr.contains("no-such-compiler") && stderr.contains("MPICC_CC"), "{stderr}");
}

#[test]
fn shows_what_it_does() {
    let directory = &prefix().directory;
    let (include, library) = (directory.join("include"), directory.join("lib"));
    let (include, library) = (text(&include), text(&library));
    let link = format!("-L{library} -Wl,-rpath,{library} -lmpi_abi");
    for (question, answer) in [
        (&["-show"][..], format!("cc -I{include} {link}")),
        (&["--showme"], format!("cc -I{include} {link}")),
        (&["-show", "-c", "a file.c"], format!("cc -I{include} -c 'a file.c'")),
        (&["-show", "a.o", "-o", "a"], format!("cc -I{include} a.o -o a {link}")),
        (&["-compile-info"], format!("cc -I{include}")),
        (&["-link-info"], format!("cc -I{include} {link}")),
        (&["--showme:compile"], format!("-I{include}")),
        (&["--showme:link"], link.clone()),
        (&["--showme:incdirs"], include.to_owned()),
        (&["--showme:libdirs"], library.to_owned()),
        (&["--showme:libs"], "mpi_abi".to_owned()),
        (&["--showme:command"], "cc".to_owned()),
    ] {
        assert_eq!(run(&mut mpicc(question)), (0, answer + "\n", String::new()), "{question:?}");
    }
    let (code, version, _) = run(&mut mpicc(&["--showme:version"]));
    assert!(code == 0 && version.contains(env!("CARGO_PKG_VERSION")), "{version}");
    assert_eq!(
        run(mpicc(&["-show", "-c", "x.c"]).env("OMPI_CC", "gcc -m64")).1,
        format!("gcc -m64 -I{include} -c x.c\n")
    );
}

#[test]
fn words_with_spaces_reach_the_compiler_whole() {
    let directory = tempfile::tempdir().expect("there is room");
    let source = directory.path().join("a program.c");
    fs::write(&source, "#include <stdio.h>\nint main(void) { return puts(TEXT) < 0; }\n")
        .expect("it can be written");
    let program = directory.path().join("a program");
    assert_eq!(
        run(&mut mpicc(&[text(&source), "-DTEXT=\"two words\"", "-o", text(&program)])).0,
        0
    );
    assert_eq!(run(&mut command(&program)), (0, "two words\n".to_owned(), String::new()));
}
