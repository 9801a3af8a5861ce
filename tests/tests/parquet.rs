//! The tables of `mqd dump --format parquet`, read by other engines: the examples of
//! `docs/parquet.md` on a job that is known, written by two runs of `mqd` as by two nodes.

use std::fs;
use std::path::{Path, PathBuf};

use mqd_tests::{Running, command, fixture, lock, mpiexec, prefix, run, text, wait_for};
use serde_json::{Value, json};
use testkit::packages;
use testkit::synthetic::{self, Deadlock, SyntheticJob};
use testkit::workspace::target;

/// Runs a query of DuckDB, or a program, in a directory; prints rows as JSON.
const ENGINE: &str = "
import duckdb, json, sys
rows = duckdb.sql(sys.stdin.read()).fetchall()
print(json.dumps(rows))
";

/// The interpreter that has the engines.
fn python() -> PathBuf {
    let _lock = lock("install");
    packages::python(&["duckdb==2.0.0", "polars==2.1.0"], &target().join("engines"))
        .expect("DuckDB and Polars can be installed")
}

/// `fixtures/deadlock.c`, hung, as tables in `tables` of a directory.
fn tables(directory: &Path) {
    let job = Running::start(&mut mpiexec(&["-n", "4", text(&fixture("deadlock"))]));
    let pid = job.child.id().to_string();
    let mqd = |arguments: &[&str]| {
        run(prefix().command("mqd").current_dir(directory).arg("dump").args(arguments))
    };
    // Three sends, a receive, and the messages of the sends.
    wait_for("all ranks hang", || {
        let (_, csv, _) = mqd(&["-f", "csv", "--job", &pid]);
        (csv.lines().count() == 8).then_some(())
    });
    for ranks in ["0-1", "2-3"] {
        let written = mqd(&["--job", &pid, "--rank", ranks, "-f", "parquet", "-o", "tables"]);
        assert_eq!(written, (0, String::new(), String::new()), "{ranks}");
    }
}

/// The examples of the page in a language.
fn examples(language: &str) -> Vec<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/parquet.md");
    let page = fs::read_to_string(page).expect("the page is there");
    let begin = format!("```{language}\n");
    page.split(&begin)
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap_or_default().to_owned())
        .collect()
}

fn query(directory: &Path, query: &str) -> Value {
    let file = directory.join("query.sql");
    fs::write(&file, query).expect("the directory is writable");
    let mut python = command(python());
    python.args(["-c", ENGINE]).current_dir(directory);
    python.stdin(fs::File::open(file).expect("it was written"));
    let (code, rows, said) = run(&mut python);
    assert_eq!((code, said.as_str()), (0, ""), "{query}");
    serde_json::from_str(&rows).expect("rows are JSON")
}

#[test]
fn the_examples_of_the_page_answer_their_questions() {
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let directory = directory.path();
    tables(directory);
    let [waits, longest, unmatched, lines] = &examples("sql")[..] else {
        panic!("the page has four queries")
    };
    // What the source of the program says: each of ranks 0 to 2 hands its token (tag 7) to the
    // right, and rank 3 waits for tag 8 from rank 2.
    let rows = query(directory, &waits.replace("= 17", "= 3"));
    assert_eq!(rows, json!([[2, "MPI_Ssend", "ring", 7]]));
    let rows = query(directory, longest);
    assert_eq!(rows, json!([[1, "ring", 1], [2, "ring", 1], [3, "ring", 1]]));
    assert_eq!(query(directory, unmatched), json!([[7, 3]]));
    let source = fs::read_to_string("../fixtures/deadlock.c").expect("the program is there");
    let line = |call: &str| {
        let lines = source.lines().enumerate().filter(|(_, line)| line.contains(call));
        lines.map(|(index, _)| index as u64 + 1).collect::<Vec<_>>()
    };
    let (sends, receives) = (line("MPI_Ssend(&token"), line("TAG_RESULT, ring"));
    let rows = query(directory, lines);
    let shown = |index: usize| {
        let row = &rows[index];
        (row[0].as_str(), row[2].as_u64(), row[3].as_u64())
    };
    assert_eq!(shown(0), (Some("MPI_Ssend"), sends.last().copied(), Some(3)));
    assert_eq!(shown(1), (Some("MPI_Recv"), receives.first().copied(), Some(1)));
    assert_eq!(rows.as_array().map(Vec::len), Some(2));

    let frames = "SELECT rank, function FROM 'tables/stacks/*.parquet' WHERE depth = 1 ORDER BY 1";
    let expected = json!([[0, "main"], [1, "main"], [2, "main"], [3, "main"]]);
    assert_eq!(query(directory, frames), expected);
}

#[test]
fn polars_reads_them_too() {
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    tables(directory.path());
    let [program] = &examples("python")[..] else { panic!("the page has one program") };
    let mut python = command(python());
    python.arg("-c").arg(program.replace("== 17", "== 3")).current_dir(directory.path());
    let (code, shown, said) = run(&mut python);
    assert_eq!((code, said.as_str()), (0, ""));
    for value in ["shape: (1, 4)", "MPI_Ssend", "ring"] {
        assert!(shown.contains(value), "{shown}");
    }
}

/// A row group is written as soon as the next process does not fit into it. All tables have the
/// same processes in it.
#[test]
fn large_jobs_are_written_in_row_groups() {
    let directory = tempfile::tempdir().expect("there is room for temporary files");
    let directory = directory.path();
    let job = SyntheticJob { ranks: 30_000, operations: 10, deadlock: Deadlock::All, cycle: 3 };
    synthetic::write(&job, &directory.join("job.mqd")).expect("the directory is writable");
    let mut dump = prefix().command("mqd");
    dump.args(["dump", "job.mqd", "-f", "parquet", "-o", "tables"]).current_dir(directory);
    assert_eq!(run(&mut dump), (0, String::new(), String::new()));
    // 131,072 rows are 13,107 ranks with ten operations.
    for (table, each) in [("processes", 1), ("communicators", 2), ("operations", 10)] {
        let groups = query(
            directory,
            &format!(
                "SELECT row_group_id, any_value(row_group_num_rows) \
                 FROM parquet_metadata('tables/{table}/*.parquet') GROUP BY 1 ORDER BY 1"
            ),
        );
        let rows = [13_107, 13_107, 30_000 - 2 * 13_107].map(|ranks| ranks * each);
        assert_eq!(groups, json!([[0, rows[0]], [1, rows[1]], [2, rows[2]]]), "{table}");
    }
    // What the generator says: each rank has three sends, four receives, three messages.
    let kinds = "SELECT queue, count(*), count(DISTINCT rank) \
                 FROM 'tables/operations/*.parquet' GROUP BY 1 ORDER BY 2, 1";
    let expected = json!([
        ["pending_sends", 90_000, 30_000],
        ["unexpected_messages", 90_000, 30_000],
        ["pending_receives", 120_000, 30_000]
    ]);
    assert_eq!(query(directory, kinds), expected);
}

#[test]
fn tables_need_a_directory() {
    let dump = |arguments: &[&str]| {
        run(prefix().command("mqd").args(["dump", "--pid", "1", "-f", "parquet"]).args(arguments))
    };
    for arguments in [&[][..], &["-o", "-"]] {
        let (code, _, said) = dump(arguments);
        assert_eq!(code, 2);
        assert_eq!(
            said,
            "mqd: --format parquet writes several files: give a directory with -o DIR\n"
        );
    }
    let (code, _, said) = dump(&["-o", "/dev/null"]);
    assert_eq!(code, 2);
    assert!(said.starts_with("mqd: cannot create /dev/null/processes/"), "{said}");
}
