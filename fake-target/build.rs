//! Builds the C unit that carries the queues' types for debuggers.

fn main() {
    println!("cargo::rerun-if-changed=src/debug/queues.c");
    println!("cargo::rerun-if-changed=src/debug/queues.h");
    // Debug information whatever the profile: it is what the unit is for. DWARF 4 is read by every debugger in use.
    cc::Build::new()
        .file("src/debug/queues.c")
        .include("src/debug")
        .debug(true)
        .flag_if_supported("-gdwarf-4")
        .compile("mqdrt_queues");
}
