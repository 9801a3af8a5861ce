//! No function is longer than 80 lines.

use anyhow::{Context, Result};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, ImplItemFn, ItemFn, Signature, TraitItemFn};

use super::Violation;
use super::files::{self, File};

const LINES: usize = 80;

pub(super) const WHAT: &str = "functions have at most 80 lines: all *.rs, from `fn` to the closing \
    brace, tests included; functions in macros, and those of C and Python, are not measured";

pub(super) fn check() -> Result<Vec<Violation>> {
    let mut violations = Vec::new();
    for file in files::with_extensions(&["rs"])? {
        violations.extend(long(&file)?);
    }
    Ok(violations)
}

fn long(file: &File) -> Result<Vec<Violation>> {
    let path = file.path.display().to_string();
    let syntax = syn::parse_file(&file.text).with_context(|| path.clone())?;
    let mut functions = Functions { path, long: Vec::new() };
    functions.visit_file(&syntax);
    Ok(functions.long)
}

struct Functions {
    path: String,
    long: Vec<Violation>,
}

impl Functions {
    fn measure(&mut self, signature: &Signature, block: &Block) {
        let first = signature.span().start().line;
        let lines = block.span().end().line - first + 1;
        if lines > LINES {
            let (path, name) = (&self.path, &signature.ident);
            self.long.push(Violation {
                key: format!("{path}: {name}"),
                detail: format!("{path}:{first}: fn {name} has {lines} lines"),
            });
        }
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        self.measure(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        self.measure(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast TraitItemFn) {
        if let Some(block) = &function.default {
            self.measure(&function.sig, block);
        }
        visit::visit_trait_item_fn(self, function);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A function with this many lines.
    fn function(name: &str, lines: usize) -> String {
        format!("/// Text.\nfn {name}() {{\n{}}}\n", "    call();\n".repeat(lines - 2))
    }

    #[test]
    fn functions_are_found_wherever_they_are() {
        let text = format!(
            "{}mod inner {{ impl Type {{ {} }} trait Trait {{ fn none(); {} }} }}\n{}",
            function("fits", 80),
            function("method", 81),
            function("default", 81),
            function("free", 81),
        );
        let found = long(&File { path: "some.rs".into(), text }).expect("it is Rust");
        let keys: Vec<_> = found.iter().map(|violation| violation.key.as_str()).collect();
        assert_eq!(keys, ["some.rs: method", "some.rs: default", "some.rs: free"]);
        assert!(found[2].detail.ends_with("fn free has 81 lines"), "{found:?}");
    }
}
