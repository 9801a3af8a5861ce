//! The sources pass ruff and mypy, and every version of Python that gdb may have can run them.

use std::path::PathBuf;

use mqd_tests::{command, lock, run};
use testkit::packages;
use testkit::workspace::{root, target};

/// What checks the sources, from PyPI. `types-gdb` describes gdb's own module.
const TOOLS: [&str; 3] = ["ruff==0.17.6", "mypy==2.4.1", "types-gdb==16.3.0.20260712"];

/// Where the tools are; installed on first use.
fn tools() -> PathBuf {
    let _lock = lock("install");
    let directory = target().join("python-tools").join(TOOLS.join("+"));
    if !directory.join("installed").exists() {
        packages::ensure(&["python3-venv"]);
        for step in [
            command("python3").args(["-m", "venv"]).arg(&directory),
            command(directory.join("bin/pip")).args(["install", "--quiet"]).args(TOOLS),
        ] {
            let (code, stdout, stderr) = run(step);
            assert_eq!(code, 0, "{stdout}{stderr}");
        }
        std::fs::write(directory.join("installed"), "").expect("the target directory is writable");
    }
    directory.join("bin")
}

#[test]
fn ruff_and_mypy_find_nothing() {
    let tools = tools();
    let cache = target().join("python-tools/cache");
    for (tool, arguments) in [
        ("ruff", &["check", "--quiet"][..]),
        ("ruff", &["format", "--check", "--quiet"]),
        // The file and the package have the same name.
        ("mypy", &["mqd"]),
        ("mypy", &["mqd.py"]),
    ] {
        let mut command = command(tools.join(tool));
        command.args(arguments).current_dir(root().join("gdb"));
        command.env("RUFF_CACHE_DIR", &cache).env("MYPY_CACHE_DIR", &cache);
        let (code, stdout, stderr) = run(&mut command);
        assert_eq!(code, 0, "{tool} {arguments:?}: {stdout}{stderr}");
    }
}

/// Python 3.6 can parse them, no function is long, and the modules have no cycles.
const CHECK: &str = r#"
import ast, graphlib, pathlib, sys

imports = {}
for path in [pathlib.Path("mqd.py"), *sorted(pathlib.Path("mqd").glob("*.py"))]:
    tree = ast.parse(path.read_text(), str(path), feature_version=(3, 6))
    imported = imports.setdefault(path.stem, set())
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            lines = node.end_lineno - node.lineno + 1
            assert lines <= 80, f"{path}: {node.name} has {lines} lines"
        if isinstance(node, ast.ImportFrom) and node.level:
            imported |= {node.module} if node.module else {name.name for name in node.names}
assert len(imports) > 15
print(len(list(graphlib.TopologicalSorter(imports).static_order())))
"#;

#[test]
fn old_pythons_can_run_them() {
    let mut python = command("python3");
    let (code, stdout, stderr) = run(python.args(["-c", CHECK]).current_dir(root().join("gdb")));
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
}

/// gdb has no Rust, so some lists are there in Python too. Each is that of the Rust source.
const LISTS: &str = r#"
import ast, pathlib, re

def python(module, name):
    for node in ast.walk(ast.parse(pathlib.Path("gdb/mqd", module).read_text())):
        if isinstance(node, ast.Assign) and [one.id for one in node.targets] == [name]:
            return list(ast.literal_eval(node.value))

def rust(source, name):
    text = pathlib.Path("mqd-host-harness", source).read_text()
    found = re.search(rf"const {name}: \[&str; (\d+)\] =\s*\[(.*?)\];", text, re.DOTALL)
    strings = re.findall(r'"([^"]*)"', found.group(2))
    assert len(strings) == int(found.group(1)), name
    return strings

HOST = "host/src/libraries.rs"
lists = [
    ("frames.py", "C_LIBRARIES", "inspect/src/image/mod.rs"),
    ("frames.py", "MAINS", "host/src/stacks.rs"),
    ("stacks.py", "LIBRARIES", "host/src/stacks.rs"),
    ("stacks.py", "ASKING", "report/src/check/functions.rs"),
    *(
        ("libraries.py", name, HOST)
        for name in (
            "RUNTIME", "COMPONENTS", "BELOW", "COMPONENTS_BELOW", "OF_FUNCTIONS", "OF_NETWORKS",
            "BINDINGS"
        )
    ),
    ("called_back.py", "AT_ANY_TIME", "host/src/called_back.rs"),
    ("called_back.py", "REDUCTIONS", "host/src/called_back.rs"),
    ("stacks.py", "OF_THREADS", "host/src/threads.rs"),
    ("stacks.py", "OF_ALGEBRA", "host/src/threads.rs"),
]
for module, name, source in lists:
    assert sorted(python(module, name)) == sorted(rust(source, name)), name
print(len(lists))
"#;

#[test]
fn lists_are_those_of_the_command() {
    let mut python = command("python3");
    let (code, stdout, stderr) = run(python.args(["-c", LISTS]).current_dir(root()));
    assert_eq!((code, stderr.as_str(), stdout.as_str()), (0, "", "15\n"));
}
