//! A debug DLL that is in the program: no file of it is needed.

use std::path::Path;

use mqd_host::dll::{Candidate, ChosenBy, Dll, carried, carry, is_own, own_dll};

/// The only test of this program, since `carry` has an effect only once.
#[test]
fn is_loaded_from_memory() {
    let program = std::env::current_exe().unwrap().canonicalize().unwrap();
    let file = own_dll().expect("the workspace builds libmqd.so");
    let bytes = std::fs::read(&file).unwrap();
    assert_eq!(carried(), None);
    carry(zstd::encode_all(&*bytes, 1).unwrap().leak());
    assert_eq!(carried(), Some(&bytes[..]));

    let dll = Dll::load(&Candidate::own(program.clone())).unwrap();
    assert_eq!(dll.path(), program);
    let on_disk = Dll::load(&Candidate { path: file.clone(), chosen_by: ChosenBy::User }).unwrap();
    assert_eq!(dll.version(), on_disk.version());
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    assert!(maps.contains("/memfd:libmqd.so"), "{maps}");
    // A file that is installed comes first.
    assert!(is_own(&file));
    assert!(!is_own(Path::new("/lib/libmqd.so")));
}
