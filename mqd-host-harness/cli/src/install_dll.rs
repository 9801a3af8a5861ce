//! `mqd install-dll`: writes the debug DLL to a directory.

use std::borrow::Cow;
use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use mqd_host::dll;

use super::destination::Destination;
use super::exit::Exit;
use super::output::{complain, print};

/// The file name by which debuggers know the DLL.
const NAME: &str = "libmqd.so";

pub(super) fn run(directory: &Path) -> Exit {
    let Some(bytes) = bytes() else {
        complain(
            "this mqd has no debug DLL in it, and libmqd.so is not beside it or in ../lib: install \
             the package that it comes from as a whole",
        );
        return Exit::NoQueues;
    };
    let path = directory.join(NAME);
    match write(&path, &bytes) {
        Ok(()) => print(&format!("{}\n", path.display()), Exit::Complete),
        Err(error) => {
            complain(&format!("cannot write {}: {error}", path.display()));
            Exit::Output
        }
    }
}

/// The debug DLL that this program would use.
fn bytes() -> Option<Cow<'static, [u8]>> {
    let file = || fs::read(dll::own_dll()?).ok().map(Cow::Owned);
    dll::carried().map(Cow::Borrowed).or_else(file)
}

fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let destination = Destination::open(path)?;
    destination.file().write_all(bytes)?;
    destination.file().set_permissions(Permissions::from_mode(0o755))?;
    destination.keep().map(drop)
}
