//! Builds what is not Rust.

#[path = "codegen/starter.rs"]
mod starter;

fn main() {
    starter::compile();
}
