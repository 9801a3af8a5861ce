//! Our debug DLL and Open MPI's own on the same process of stock Debian: `cargo xtask compare-dll`
//! has larger ones, and the time.

use mqd_tests::{fixture_for, mpi, prefix};
use testkit::expectation::Tally;
use testkit::side_by_side::{SideBySide, side_by_side};

#[test]
fn ours_shows_all_with_few_fetches_and_theirs_less() {
    let mpi = mpi("openmpi");
    let program = fixture_for(&mpi, "many");
    let SideBySide { ours, theirs } =
        side_by_side(prefix(), &mpi, &program, 3000, 10).expect("both DLLs read it");
    let Tally { expected, missing, extra, wrong_fields } = ours.tally;
    assert!(expected > 2900 && ours.shown == expected as u64, "{ours:?}");
    assert_eq!((missing, extra, wrong_fields), (0, 0, 0), "{ours:?}");
    assert!(ours.error.is_none(), "{ours:?}");
    // The promise is 1.2 for each operation, but it reads these lists in large pieces.
    assert!(ours.fetches * 10 < ours.shown, "{ours:?}");
    // Theirs has some wrong fields and lacks the unexpected messages, but the host reads what it
    // gives.
    assert!(theirs.shown > 0 && theirs.shown < ours.shown, "{theirs:?}");
    assert!(theirs.error.is_some_and(|error| error.contains("unexpected messages")));
    assert!(theirs.fetches > 10 * ours.fetches);
}
