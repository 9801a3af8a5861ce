//! When the debug DLL of Open MPI is right.
//!
//! It reads the requests that Open MPI's own matching component (`ob1`) keeps. With another
//! component (`ucx`, `cm`) the requests are elsewhere. The DLL then finds nothing, and reports
//! empty queues.

use std::path::Path;

use mqd_inspect::process::Target;

/// Where Open MPI keeps the description of the component that matches messages (its "PML").
const COMPONENT: &str = "mca_pml_base_selected_component";

/// The type of such a component, as the description has it in a field of 32 bytes.
const TYPE: &[u8] = b"pml\0";

/// The offsets of that field. The description begins with a version of three ints. Since Open MPI
/// 2, a project name of 16 bytes and three more ints follow.
const TYPE_AT: [usize; 2] = [40, 12];

/// The distance from that field to the name of the component: the field's 32 bytes and a version of
/// three ints.
const TO_NAME: usize = 32 + 12;

/// The size of the name's field.
const NAME_SIZE: usize = 64;

/// The component that the DLL of Open MPI can read.
const READ: &str = "ob1";

/// Is this the debug DLL of Open MPI?
pub(crate) fn is_its_dll(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"libompi_dbg_msgq"))
}

/// Why the queues that this DLL shows are not those of the process.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum WrongComponent {
    /// The process uses another component.
    #[error(
        "Open MPI uses its component pml/{0} here, whose queues its debug DLL does not read; with \
         --mca pml ob1 they can be read"
    )]
    Other(String),
    /// Which one the process uses is not known.
    #[error(
        "it is not known which component of Open MPI matches messages ({COMPONENT}), and its debug \
         DLL reads only the queues of pml/{READ}"
    )]
    Unknown,
}

/// Checks that the process uses the component whose queues the DLL of Open MPI reads.
///
/// # Errors
/// It uses another one, or which one it uses is not known.
pub(crate) fn check_component(target: &Target) -> Result<(), WrongComponent> {
    let name = selected(target).ok_or(WrongComponent::Unknown)?;
    if name == READ { Ok(()) } else { Err(WrongComponent::Other(name)) }
}

fn selected(target: &Target) -> Option<String> {
    let mut description = [0; TYPE_AT[0] + TO_NAME + NAME_SIZE];
    target.read(target.find_symbol(COMPONENT)?.address, &mut description).ok()?;
    component(&description)
}

/// The name in the description of a component.
fn component(description: &[u8]) -> Option<String> {
    let at = TYPE_AT.into_iter().find(|at| description[*at..].starts_with(TYPE))?;
    let name = description.get(at + TO_NAME..)?.get(..NAME_SIZE)?;
    let name = &name[..name.iter().position(|byte| *byte == 0)?];
    let is_name = !name.is_empty() && name.iter().all(u8::is_ascii_graphic);
    is_name.then(|| String::from_utf8_lossy(name).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_of_both_ages() {
        for at in TYPE_AT {
            let mut description = vec![0; 200];
            assert_eq!(component(&description), None);
            description[at..at + 4].copy_from_slice(TYPE);
            assert_eq!(component(&description), None);
            description[at + TO_NAME..][..3].copy_from_slice(b"ucx");
            assert_eq!(component(&description).as_deref(), Some("ucx"));
        }
    }
}
