//! The tables of variables: what each must be, and the list of them for people.

use super::categories::{CATEGORIES, Category};
use super::cvar::table::TABLE as CVARS;
use super::event::types::{SOURCES, TYPES};
use super::pvar::table::{BUFFERS, Pvar, TABLE as PVARS};
use crate::abi::*;
use std::collections::HashSet;
use std::ffi::c_int;
use std::fmt::Write;
use std::path::Path;

fn pvars() -> impl Iterator<Item = &'static Pvar> {
    PVARS.iter().chain(BUFFERS)
}

#[test]
fn names_are_unique() {
    let mut seen = HashSet::new();
    assert!(pvars().all(|pvar| seen.insert((pvar.name, pvar.class))));
    let names: HashSet<_> = super::enumerations::all().map(|one| one.name).collect();
    let distinct: HashSet<_> = super::enumerations::all().map(|one| one.handle().0).collect();
    assert_eq!(names.len(), distinct.len());
}

/// The smallest numbers of variables that are acceptable.
#[test]
fn there_are_enough_variables() {
    assert!(
        CVARS.len() >= 20 && PVARS.len() >= 40,
        "{} control and {} performance variables",
        CVARS.len(),
        PVARS.len()
    );
    for class in MPI_T_PVAR_CLASS_STATE..=MPI_T_PVAR_CLASS_GENERIC {
        assert!(PVARS.iter().any(|pvar| pvar.class == class), "{}", class_name(class));
    }
    // The table is searched by bisection.
    assert!(CVARS.is_sorted_by(|a, b| a.name < b.name));
}

fn class_name(class: c_int) -> &'static str {
    let names = [
        "state",
        "level",
        "size",
        "percentage",
        "highwatermark",
        "lowwatermark",
        "counter",
        "aggregate",
        "timer",
        "generic",
    ];
    names[(class - MPI_T_PVAR_CLASS_STATE) as usize]
}

fn scope_name(scope: c_int) -> &'static str {
    ["constant", "readonly", "local", "group", "group_eq", "all", "all_eq"]
        [(scope - MPI_T_SCOPE_CONSTANT) as usize]
}

fn category(index: usize) -> &'static str {
    let Category { name, .. } = CATEGORIES[index];
    name
}

fn yes(what: bool, name: &str) -> &str {
    if what { name } else { "" }
}

fn control_variables(out: &mut String) {
    out.push_str(
        "# Variables, categories and events of the tool information interface\n\n\
         Generated from the runtime's tables: `UPDATE=1 cargo test -p fake-target --lib mpi_t`.\n\
         `mpi_t_list` shows the same of an installed library, and the values.\n\n\
         ## Control variables\n\n\
         In the environment the variable `MQDRT_CVAR_X` has three names, in ascending order of\n\
         precedence: `MQDRT_X`, `MQDRT_PARAM_X`, `MQDRT_CVAR_X`. It is read when MPI or the tool\n\
         information interface is initialized, whichever is first. It does not replace a value\n\
         that `MPI_T_cvar_write` has written. Integers are in the units of the description. A\n\
         boolean is `true`, `yes`, `on`, `1` or their opposites. A range is `low:high`. A value\n\
         of an enumeration is given by its name.\n\n\
         | variable | category | type | default | scope | description |\n\
         |---|---|---|---|---|---|\n",
    );
    for cvar in CVARS {
        let bound = yes(cvar.value.bind() == MPI_T_BIND_MPI_COMM, "; of a communicator");
        writeln!(
            out,
            "| `{}` | {} | {}{bound} | {} | {} | {} |",
            cvar.name,
            category(cvar.category),
            cvar.value.describe(),
            cvar.default,
            scope_name(cvar.scope),
            cvar.description
        )
        .unwrap();
    }
}

fn performance_variables(out: &mut String) {
    out.push_str(
        "\n## Performance variables\n\n\
         Counters, aggregates and levels are of the type `MPI_UNSIGNED_LONG`, timers and\n\
         percentages of `MPI_DOUBLE`, states of `MPI_INT`. Variables without memory (state,\n\
         level, size, percentage, generic) are continuous and read-only. The others belong to\n\
         their handle. They are stopped at first, except those that are always counting. They can\n\
         be written, reset, and read and reset at once.\n\n\
         | variable | class | category | of | description |\n\
         |---|---|---|---|---|\n",
    );
    for pvar in pvars() {
        let of = if pvar.bind() == MPI_T_BIND_MPI_COMM { "communicator" } else { "process" };
        writeln!(
            out,
            "| `{}` | {} | {} | {of} | {} |",
            pvar.name,
            class_name(pvar.class),
            category(pvar.category),
            pvar.description
        )
        .unwrap();
    }
}

fn event_types(out: &mut String) {
    out.push_str(
        "\n## Event types\n\n| event type | category | of | source | elements | description \
         |\n|---|---|---|---|---|---|\n",
    );
    for kind in TYPES {
        let of = if kind.bind == MPI_T_BIND_MPI_COMM { "communicator" } else { "process" };
        let names = kind.elements_enumeration.items.iter().zip(kind.elements).map(
            |((_, name), datatype)| {
                format!("{name} ({})", if *datatype == MPI_INT { "int" } else { "count" })
            },
        );
        let names: Vec<String> = names.collect();
        writeln!(
            out,
            "| `{}` | {} | {of} | {} | {} | {} |",
            kind.name,
            category(kind.category),
            SOURCES[kind.source].name,
            names.join(", "),
            kind.description
        )
        .unwrap();
    }
}

fn categories(out: &mut String) {
    out.push_str("\n## Categories\n\n| category | in | description |\n|---|---|---|\n");
    for one in CATEGORIES {
        writeln!(
            out,
            "| {} | {} | {} |",
            one.name,
            one.parent.map_or("", category),
            one.description
        )
        .unwrap();
    }
}

/// `docs/mpi-t-variables.md` is made from the tables. `UPDATE=1 cargo test -p fake-target --lib
/// mpi_t` rewrites it.
#[test]
fn the_list_for_people_is_the_generated_one() {
    let mut out = String::new();
    control_variables(&mut out);
    performance_variables(&mut out);
    event_types(&mut out);
    categories(&mut out);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/mpi-t-variables.md");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &out).expect("the tree is writable");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == out,
        "docs/mpi-t-variables.md is not what the tables say; run: UPDATE=1 cargo test -p \
         fake-target --lib mpi_t"
    );
}
