//! The examples of the crate `mpi` (rsmpi) on the companion runtime. Each checks its own results.

use mqd_tests::prefix;
use testkit::rsmpi::Examples;

#[test]
fn its_examples_pass() {
    let examples = Examples::new(prefix()).expect("the examples can be built");
    // Two of them need two ranks or more.
    for ranks in [2, 3, 4] {
        let count = examples.run(ranks).unwrap_or_else(|error| panic!("{error:#}"));
        assert_eq!(count, 58, "{ranks} ranks");
    }
}
