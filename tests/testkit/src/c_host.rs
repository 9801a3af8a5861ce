//! The debugger in C (`fixtures/host`): it knows nothing but `mpi_interface.h`, reads core files
//! with our debug DLL, and makes everything go wrong that can.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tempfile::TempDir;

use crate::expectation::{Coverage, Difference, differences};
use crate::record::Record;
use crate::recorded::CoreFiles;
use crate::workspace::{self, root};

/// How much of each campaign to run.
#[derive(Clone, Copy, Debug)]
pub struct Amount {
    /// Of each callback at most so many calls fail, each twice: alone, and with all after it. 0:
    /// every call.
    pub calls: u64,
    /// How many seeds of damaged memory there are.
    pub damage: u64,
    /// How many seeds of orders of set-up, threads and destruction there are.
    pub orders: u64,
}

impl Amount {
    /// What the tests run.
    pub const TEST: Amount = Amount { calls: 20, damage: 200, orders: 12 };
}

/// Calls of a callback that have failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// The process, by the place of its core file.
    pub process: usize,
    /// The callback.
    pub callback: String,
    /// Its calls in a session in which nothing fails.
    pub calls: u64,
    /// How many of them have failed.
    pub tried: u64,
    /// In how many of the two sessions for each the DLL has returned an error.
    pub noticed: u64,
}

/// What the campaigns have done. Whatever is wrong is an error instead.
#[derive(Clone, Debug)]
pub struct Campaigns {
    /// The callbacks, for each process.
    pub failed: Vec<Failed>,
    /// Seeds of damaged memory: all, those for which the DLL has returned an error, and those for
    /// which it shows something else.
    pub damaged: [u64; 3],
    /// Seeds of orders.
    pub orders: u64,
}

/// The compiled host.
#[derive(Debug)]
pub struct CHost {
    program: PathBuf,
    dll: PathBuf,
    directory: TempDir,
}

impl CHost {
    /// Compiles it. The DLL is the one of an installed prefix.
    ///
    /// # Errors
    ///
    /// When the compiler fails; with its output.
    pub fn new(dll: &Path) -> Result<CHost> {
        let directory = tempfile::tempdir()?;
        let program = directory.path().join("host");
        let mut compiler = workspace::command("cc");
        compiler.args(["-std=gnu11", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread"]);
        for include in ["mqs-abi/include", "fake-target/src/debug"] {
            compiler.arg("-I").arg(root().join(include));
        }
        for source in ["core.c", "debugger.c", "host.c", "types.c", "walk.c"] {
            compiler.arg(root().join("fixtures/host").join(source));
        }
        workspace::output(compiler.arg("-o").arg(&program).arg("-ldl"))?;
        Ok(CHost { program, dll: dll.to_owned(), directory })
    }

    /// What the host shows of core files, compared with what the ranks recorded.
    ///
    /// # Errors
    ///
    /// When it cannot be run, or the DLL is wrong.
    pub fn compare(&self, coverage: Coverage, job: &CoreFiles) -> Result<Vec<Difference>> {
        let text = self.run(&[], &["print"], &job.cores)?;
        let report: Value = serde_json::from_str(&text).context("the host writes JSON")?;
        // The host asks for queues and nothing else.
        let records: Vec<Record> = job.records.iter().map(Record::of_queues).collect();
        let coverage = Coverage { state: false, traffic: false, ..coverage };
        Ok(differences(coverage, &records, &report))
    }

    /// Makes everything go wrong.
    ///
    /// # Errors
    ///
    /// When it cannot be run, or the DLL crashes, prints, hangs on to memory or shows something
    /// wrong.
    pub fn campaigns(&self, amount: Amount, cores: &[PathBuf]) -> Result<Campaigns> {
        let text = self.run(&[], &["faults", &amount.calls.to_string()], cores)?;
        let failed = text.lines().map(failed_of).collect::<Result<_>>()?;
        let text = self.run(&[], &["damage", &amount.damage.to_string()], cores)?;
        let numbers = numbers(text.trim().strip_prefix("damage").unwrap_or_default());
        let damaged = numbers.try_into().ok().context("three numbers")?;
        let text = self.run(&[], &["orders", &amount.orders.to_string()], cores)?;
        let numbers = self::numbers(text.trim().strip_prefix("orders").unwrap_or_default());
        Ok(Campaigns { failed, damaged, orders: *numbers.first().context("a number")? })
    }

    /// Runs small campaigns under valgrind's memcheck. Blocks are exactly as large as the DLL
    /// wants, and none may be lost.
    ///
    /// # Errors
    ///
    /// When memcheck finds an error, or as for [`CHost::campaigns`].
    pub fn under_valgrind(&self, amount: Amount, cores: &[PathBuf]) -> Result<()> {
        let valgrind = [
            "valgrind",
            "--quiet",
            "--error-exitcode=9",
            "--leak-check=full",
            "--errors-for-leak-kinds=definite",
            "--show-leak-kinds=definite",
        ];
        let Amount { calls, damage, orders } = amount;
        for (command, number) in [("faults", calls), ("damage", damage), ("orders", orders)] {
            self.run(&valgrind, &[command, &number.to_string()], cores)?;
        }
        Ok(())
    }

    /// Runs the host. The result is what it writes to its file.
    fn run(&self, wrapper: &[&str], arguments: &[&str], cores: &[PathBuf]) -> Result<String> {
        let results = self.directory.path().join("results");
        let mut command = match wrapper {
            [] => workspace::command(&self.program),
            [program, rest @ ..] => {
                let mut command = workspace::command(program);
                command.args(rest).arg(&self.program).env("HOST_EXACT_BLOCKS", "1");
                command
            }
        };
        command.arg(&self.dll).args(arguments).arg(&results).args(cores);
        let output = command.output().context("the host can be started")?;
        let printed = [output.stdout, output.stderr].concat();
        ensure!(
            output.status.success() && printed.is_empty(),
            "{} ({}): {}",
            workspace::line(&command),
            output.status,
            String::from_utf8_lossy(&printed)
        );
        Ok(std::fs::read_to_string(&results)?)
    }
}

/// A line of the campaign of failing callbacks.
fn failed_of(line: &str) -> Result<Failed> {
    let words: Vec<&str> = line.split(' ').collect();
    let [process, callback, calls, tried, noticed] = words[..] else {
        anyhow::bail!("not a line of the host: {line}");
    };
    Ok(Failed {
        process: process.parse()?,
        callback: callback.to_owned(),
        calls: calls.parse()?,
        tried: tried.parse()?,
        noticed: noticed.parse()?,
    })
}

fn numbers(text: &str) -> Vec<u64> {
    text.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}
