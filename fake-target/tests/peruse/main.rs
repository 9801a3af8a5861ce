//! PERUSE 2.0 in real jobs: each C program checks itself and names the sections it is about; docs/peruse.md lists them.

#[path = "../point_to_point/job.rs"]
mod job;

use job::Program;

/// Large messages fetched by the receiver, and through the rings.
const WAYS: [&[(&str, &str)]; 2] = [&[], &[("MQDRT_SINGLE_COPY", "0")]];

/// Section 4.3.2
#[test]
fn order_of_events() {
    let program = Program::compile("peruse_order");
    WAYS.iter().for_each(|way| program.passes(2, way));
}

/// Section 5.2: every function and return code; 5.1.1 and 5.6.
#[test]
fn functions_and_return_codes() {
    Program::compile("peruse_returns").passes(2, &[("MQDRT_EAGER_LIMIT", "5000")]);
}

/// Sections 4.1 and 5.1.2: what callbacks are told.
#[test]
fn specifications() {
    let program = Program::compile("peruse_spec");
    WAYS.iter().for_each(|way| program.passes(2, way));
}
