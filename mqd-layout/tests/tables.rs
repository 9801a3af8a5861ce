//! Tables are read back as they were written. A text that is not a table is refused, with the
//! number of its wrong line.

#![allow(missing_docs, reason = "tests")]

use mqd_layout::{Error, Machine, Problem, SHIPPED, Table, Writer};

const MACHINE: Machine = Machine { little_endian: true, int: 4, long: 8, pointer: 8 };

const SMALL: &str = "mqd-layout 1
# A comment, and an empty line.

library openmpi   # the end of a line may be one too
versions 4.1 4.0.7
versions 5.1.0rc1
build-id 00ff a0
machine big-endian int 4 long 4 pointer 4
symbol MPIR_hidden 0x1234
struct first 24
  a 0 8
  b 0x8 16
struct second_t 0
symbol other 7
struct third 4
\tonly 0 4
";

fn problem(text: &str) -> (usize, Problem) {
    let Error { line, problem } = Table::parse(text).expect_err(text);
    (line, problem)
}

#[test]
fn a_table_is_read() {
    let table = Table::parse(SMALL).expect("a table");
    assert_eq!((table.library(), table.text()), ("openmpi", SMALL));
    assert_eq!(table.machine(), Machine { little_endian: false, int: 4, long: 4, pointer: 4 });
    assert_eq!(table.versions().collect::<Vec<_>>(), ["4.1", "4.0.7", "5.1.0rc1"]);
    assert_eq!(table.build_ids().collect::<Vec<_>>(), ["00ff", "a0"]);
    let structures: Vec<_> =
        table.structures().map(|structure| (structure.name, structure.size)).collect();
    assert_eq!(structures, [("first", 24), ("second_t", 0), ("third", 4)]);
    let fields = |name| {
        let structure = table.structure(name).expect(name);
        structure.fields().map(|field| (field.name, field.offset, field.size)).collect::<Vec<_>>()
    };
    assert_eq!(fields("first"), [("a", 0, 8), ("b", 8, 16)]);
    assert_eq!(fields("second_t"), []);
    assert_eq!(fields("third"), [("only", 0, 4)]);
    assert!(table.structure("fourth").is_none());
    assert!(table.structure("first").expect("there").field("only").is_none());
    assert_eq!(
        (table.symbol("MPIR_hidden"), table.symbol("other"), table.symbol("none")),
        (Some(0x1234), Some(7), None)
    );
    // Lines may end as on other systems.
    let windows = SMALL.replace('\n', "\r\n");
    assert_eq!(Table::parse(&windows).expect("a table").structures().count(), 3);
}

#[test]
fn a_series_has_its_releases() {
    let table = Table::parse(SMALL).expect("a table");
    for version in ["4.1", "4.1.4", "4.1.8rc2", "4.1a1", "4.0.7", "5.1.0rc1"] {
        assert!(table.has_version(version), "{version}");
    }
    for version in ["", "4", "4.10", "4.10.1", "4.11", "4.0.70", "5.1.0", "5.1.0rc10", "14.1"] {
        assert!(!table.has_version(version), "{version}");
    }
}

#[test]
fn what_is_no_table_is_refused() {
    let after = |lines: &str| {
        format!("mqd-layout 1\nlibrary x\nmachine little-endian int 4 long 8 pointer 8\n{lines}")
    };
    for text in [
        "",
        "\n",
        "mqd-layout",
        "mqd-layout one",
        "mqd-layout 1 2",
        "hello",
        "# comment\nmqd-layout 1",
    ] {
        assert_eq!(problem(text), (1, Problem::NotATable), "{text:?}");
    }
    assert_eq!(problem("mqd-layout 3\nnew things"), (1, Problem::OtherVersion));
    assert_eq!(problem("mqd-layout 0\n"), (1, Problem::OtherVersion));
    assert_eq!(problem(&format!("mqd-layout 1\n{}", "#\n".repeat(40_000))), (1, Problem::TooLong));
    assert_eq!(
        problem("mqd-layout 1\nmachine little-endian int 4 long 8 pointer 8\n").1,
        Problem::NoLibrary
    );
    assert_eq!(problem("mqd-layout 1\nlibrary x\n").1, Problem::NoMachine);
    assert_eq!(problem("mqd-layout 1\nlibrary x\nstruct a 8"), (3, Problem::NoMachine));
    for (lines, line, expected) in [
        ("struct z 0\n  b 0 9\n\nstruct a 8\n  b 0 8\n  c 8 1", 9, Problem::OutsideStructure),
        ("struct a 8\n  b 0 9", 5, Problem::OutsideStructure),
        ("struct a 8\n  b 1048576 1048576", 5, Problem::OutsideStructure),
        ("struct a 8\n  b 0 8\n  c 0 8\n  b 0 8", 7, Problem::Twice),
        ("struct a 8\nstruct b 8\nstruct a 8", 6, Problem::Twice),
        ("build-id 00\nsymbol a 1\nsymbol a 2", 6, Problem::Twice),
        ("symbol a 1", 4, Problem::SymbolWithoutBuildId),
        ("  b 0 8", 4, Problem::FieldWithoutStructure),
        ("struct a", 4, Problem::WordCount),
        ("struct a 8 9", 4, Problem::WordCount),
        ("versions", 4, Problem::WordCount),
        ("build-id", 4, Problem::WordCount),
        ("struct a -8", 4, Problem::NotANumber),
        ("struct a +8", 4, Problem::NotANumber),
        ("struct a 0x", 4, Problem::NotANumber),
        ("struct a 99999999999999999999", 4, Problem::NotANumber),
        ("struct a 2000000", 4, Problem::NotANumber),
        ("build-id 0", 4, Problem::NotABuildId),
        ("build-id AB", 4, Problem::NotABuildId),
        ("build-id ab cd e", 4, Problem::NotABuildId),
        ("library y", 4, Problem::Misplaced),
        ("machine big-endian int 4 long 8 pointer 8", 4, Problem::Misplaced),
        ("struct a 8\nversions 1", 5, Problem::Misplaced),
        ("machine middle-endian int 4 long 8 pointer 8", 4, Problem::NotAMachine),
        ("machine little-endian int 3 long 8 pointer 8", 4, Problem::NotAMachine),
        ("machine little-endian int 4 pointer 8 long 8", 4, Problem::NotAMachine),
        ("colour blue", 4, Problem::UnknownWord),
    ] {
        assert_eq!(problem(&after(lines)), (line, expected), "{lines:?}");
    }
    let error = Table::parse(&after("colour blue")).expect_err("no table");
    assert_eq!(error.to_string(), "line 4: no line of a table begins with this word");
}

#[test]
fn what_is_written_is_read() {
    let write = || -> Result<String, std::fmt::Error> {
        let mut writer = Writer::new(String::new(), "openmpi", MACHINE)?;
        writer.comment("made by a test")?;
        writer.version("4.1.4")?;
        writer.build_id(&[0x2a, 0x00, 0xff])?;
        writer.symbol("hidden", 0xdead_beef_0000)?;
        writer.structure("one", 12)?;
        writer.field("x", 0, 8)?;
        writer.field("y", 8, 4)?;
        writer.structure("two", 1)?;
        Ok(writer.finish())
    };
    let text = write().expect("a string takes everything");
    let table = Table::parse(&text).expect(&text);
    assert_eq!((table.library(), table.machine()), ("openmpi", MACHINE));
    assert_eq!(table.build_ids().collect::<Vec<_>>(), ["2a00ff"]);
    assert_eq!(table.symbol("hidden"), Some(0xdead_beef_0000));
    let one = table.structure("one").expect("there");
    assert_eq!(
        (one.size, one.field("y").map(|field| (field.offset, field.size))),
        (12, Some((8, 4)))
    );
    assert!(
        table.structure("two").is_some() && table.has_version("4.1.4") && !table.has_version("4.1")
    );
}

#[test]
fn builds_of_a_release_have_their_variants() {
    let text =
        |head: &str| format!("{head}\nmachine little-endian int 4 long 8 pointer 8\nstruct a 8\n");
    let variant = |text: &str| Table::parse(text).expect(text).variant().map(str::to_owned);
    let with = text("mqd-layout 2\nlibrary ucx\nvariant assertions");
    assert_eq!(variant(&with).as_deref(), Some("assertions"));
    assert_eq!(variant(&text("mqd-layout 2\nlibrary ucx")), None);
    for (text, problem_and_line) in [
        (text("mqd-layout 1\nlibrary ucx\nvariant assertions"), (3, Problem::UnknownWord)),
        (text("mqd-layout 2\nlibrary ucx\nvariant a\nvariant b"), (4, Problem::Misplaced)),
        (text("mqd-layout 2\nlibrary ucx\nvariant"), (3, Problem::WordCount)),
        (format!("{with}variant b"), (6, Problem::Misplaced)),
    ] {
        assert_eq!(problem(&text), problem_and_line, "{text}");
    }
}

#[test]
fn the_shipped_tables_are_tables() {
    let mut names = std::collections::BTreeSet::new();
    for shipped in SHIPPED {
        let table = Table::parse(shipped.text).expect(shipped.name);
        assert_eq!(table.machine(), MACHINE);
        // The name says what the table is for: the first of several series.
        let version = table.versions().next().expect(shipped.name);
        let mut name = format!("{}-{version}", table.library());
        match table.variant() {
            None | Some("release") => {}
            Some(variant) => name = format!("{name}-{variant}"),
        }
        assert_eq!(name, shipped.name);
        assert!(names.insert(shipped.name), "{name} is there twice");
        let structures = table.structures().count();
        let least = match table.library() {
            "openmpi" => 25,
            "ucx" => 12,
            _ => 4,
        };
        assert!(structures > least, "{name}");
    }
}

/// A generator of numbers, the same everywhere.
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

#[test]
fn any_text_is_survived() {
    let (mut state, mut tables) = (0x9E37_79B9_7F4A_7C15, 0);
    for round in 0..20_000 {
        let source = if round % 50 == 0 { SHIPPED[round / 50 % SHIPPED.len()].text } else { SMALL };
        let mut bytes = source.as_bytes().to_vec();
        for _ in 0..1 + next(&mut state) % 4 {
            if bytes.is_empty() {
                break;
            }
            let at = next(&mut state) as usize % bytes.len();
            match next(&mut state) % 4 {
                0 => bytes[at] = b" \n0x#az9\t"[next(&mut state) as usize % 9],
                1 => drop(
                    bytes.drain(at..(at + 1 + next(&mut state) as usize % 40).min(bytes.len())),
                ),
                2 => {
                    let end = (at + next(&mut state) as usize % 40).min(bytes.len());
                    let copy = bytes[at..end].to_vec();
                    bytes.splice(at..at, copy);
                }
                _ => bytes.truncate(at + 1),
            }
        }
        let Ok(text) = std::str::from_utf8(&bytes) else { continue };
        let Ok(table) = Table::parse(text) else { continue };
        tables += 1;
        // What was taken keeps its promises.
        let mut names = std::collections::BTreeSet::new();
        for structure in table.structures() {
            assert!(!structure.name.is_empty() && names.insert(structure.name), "{text}");
            assert_eq!(table.structure(structure.name), Some(structure));
            let mut fields = std::collections::BTreeSet::new();
            for field in structure.fields() {
                let fits = structure.size == 0 || field.offset + field.size <= structure.size;
                assert!(fits && fields.insert(field.name), "{text}");
            }
        }
        assert!(table.symbols().next().is_none() || table.build_ids().next().is_some());
        assert!(!table.library().is_empty());
    }
    assert!((1_000..19_000).contains(&tables), "{tables} of the texts were tables");
}
