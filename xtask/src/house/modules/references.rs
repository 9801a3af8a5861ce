//! What the modules of a crate refer to.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, Item, ItemMacro, ItemMod, ItemUse, Lit, Macro, Meta, UseTree};
use testkit::workspace::root;

/// A crate that was read.
pub(super) struct Crate {
    /// Its files, each with the path of its module. The crate's root has an empty one.
    files: Vec<(Vec<String>, PathBuf, syn::File)>,
    /// Top-level modules.
    modules: BTreeSet<String>,
    /// Names at the crate's root, and the top-level modules that they come from.
    reexports: BTreeMap<String, String>,
    /// Exported macros, and the top-level modules that define them.
    macros: BTreeMap<String, String>,
}

impl Crate {
    /// Reads the files of a crate, from its root.
    ///
    /// # Errors
    ///
    /// When a file is missing or is not Rust.
    pub(super) fn read(file: &Path) -> Result<Crate> {
        let mut it = Crate {
            files: Vec::new(),
            modules: BTreeSet::new(),
            reexports: BTreeMap::new(),
            macros: BTreeMap::new(),
        };
        let folder = file.parent().context("a file is in a folder")?;
        it.add(Vec::new(), file, folder)?;
        // A file comes after those of its modules.
        let (_, _, top) = it.files.last().context("a crate has a root")?;
        for item in &top.items {
            if let Item::Mod(module) = item {
                it.modules.insert(module.ident.to_string());
            }
        }
        let uses = top.items.iter().filter_map(|item| match item {
            Item::Use(item) => Some(item),
            _ => None,
        });
        for (path, name) in uses.flat_map(|item| leaves(&item.tree)) {
            let path = match path.first().map(String::as_str) {
                Some("self" | "crate") => &path[1..],
                _ => &path[..],
            };
            if let Some(module) = path.first().filter(|module| it.modules.contains(*module)) {
                it.reexports.insert(name, module.clone());
            }
        }
        it.find_macros();
        Ok(it)
    }

    /// Adds a file and those of its modules, which are in a folder.
    fn add(&mut self, module: Vec<String>, file: &Path, folder: &Path) -> Result<()> {
        let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let syntax = syn::parse_file(&text).with_context(|| file.display().to_string())?;
        self.add_modules(&syntax.items, &module, file, folder)?;
        self.files.push((module, file.to_owned(), syntax));
        Ok(())
    }

    fn add_modules(
        &mut self,
        items: &[Item],
        parent: &[String],
        file: &Path,
        folder: &Path,
    ) -> Result<()> {
        for item in items {
            let Item::Mod(item) = item else { continue };
            if is_test(&item.attrs) {
                continue;
            }
            let name = item.ident.to_string();
            let module = [parent, std::slice::from_ref(&name)].concat();
            let below = folder.join(&name);
            if let Some((_, items)) = &item.content {
                self.add_modules(items, &module, file, &below)?;
                continue;
            }
            let elsewhere =
                path_attribute(item).and_then(|path| Some(file.parent()?.join(path))).into_iter();
            let usual = [folder.join(format!("{name}.rs")), below.join("mod.rs")];
            let Some(found) = elsewhere.chain(usual).find(|path| path.is_file()) else {
                bail!("{}: there is no file of mod {name}", file.display());
            };
            self.add(module, &found, &below)?;
        }
        Ok(())
    }

    fn find_macros(&mut self) {
        for (module, _, syntax) in &self.files {
            let Some(top) = module.first() else { continue };
            for item in &syntax.items {
                if let Item::Macro(ItemMacro { ident: Some(name), attrs, .. }) = item
                    && attrs.iter().any(|attribute| attribute.path().is_ident("macro_export"))
                {
                    self.macros.insert(name.to_string(), top.clone());
                }
            }
        }
    }

    /// The top-level modules that import each other, and a place of each import.
    pub(super) fn imports(&self) -> BTreeMap<(String, String), String> {
        let mut imports = BTreeMap::new();
        for (module, file, syntax) in &self.files {
            let shown = file.strip_prefix(root()).unwrap_or(file).display().to_string();
            let mut references = References { module: module.clone(), found: Vec::new() };
            references.visit_file(syntax);
            for Reference { from, to, line } in references.found {
                let to = match &to {
                    Target::Path(path) => path.first().and_then(|first| self.top(first)),
                    Target::Macro(name) => self.macros.get(name),
                };
                let Some(to) = to else { continue };
                if from != *to {
                    imports.entry((from, to.clone())).or_insert_with(|| format!("{shown}:{line}"));
                }
            }
        }
        imports
    }

    /// The top-level module of a name at the crate's root.
    fn top(&self, name: &String) -> Option<&String> {
        let module = self.modules.get(name);
        module.or_else(|| self.reexports.get(name)).or_else(|| self.macros.get(name))
    }
}

/// What a top-level module refers to.
struct Reference {
    from: String,
    to: Target,
    line: usize,
}

enum Target {
    /// A path from the crate's root.
    Path(Vec<String>),
    /// A macro that is named without a path, as exported macros can be.
    Macro(String),
}

/// Finds the references in a file.
struct References {
    /// The module that is being visited.
    module: Vec<String>,
    found: Vec<Reference>,
}

impl References {
    /// Notes a path if it is one of this crate, and not at its root.
    fn note(&mut self, path: &[String], line: usize) {
        let Some(from) = self.module.first().cloned() else { return };
        let supers = path.iter().take_while(|name| *name == "super").count();
        let from_root = match path.first().map(String::as_str) {
            Some("crate") => path[1..].to_vec(),
            Some("self") => [&self.module[..], &path[1..]].concat(),
            Some("super") => {
                let parent = self.module.len().saturating_sub(supers);
                [&self.module[..parent], &path[supers..]].concat()
            }
            _ => return,
        };
        self.found.push(Reference { from, to: Target::Path(from_root), line });
    }

    /// Notes the paths in what a macro is given, which only the macro can parse.
    fn note_tokens(&mut self, tokens: TokenStream) {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Group(group) => self.note_tokens(group.stream()),
                TokenTree::Ident(first) => {
                    let line = first.span().start().line;
                    let mut path = vec![first.to_string()];
                    while let Some(TokenTree::Punct(colon)) = tokens.peek() {
                        if colon.as_char() != ':' {
                            break;
                        }
                        tokens.next();
                        if let Some(TokenTree::Ident(name)) = tokens.peek() {
                            path.push(name.to_string());
                            tokens.next();
                        }
                    }
                    self.note(&path, line);
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for References {
    fn visit_item(&mut self, item: &'ast Item) {
        if !attributes(item).is_some_and(is_test) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        // A module in a file of its own is visited there.
        if module.content.is_some() {
            self.module.push(module.ident.to_string());
            visit::visit_item_mod(self, module);
            self.module.pop();
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let line = item.span().start().line;
        for (path, _) in leaves(&item.tree) {
            self.note(&path, line);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> =
            path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.note(&names, path.span().start().line);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        visit::visit_macro(self, call);
        if let (Some(name), Some(from)) = (call.path.get_ident(), self.module.first().cloned()) {
            let (to, line) = (Target::Macro(name.to_string()), call.span().start().line);
            self.found.push(Reference { from, to, line });
        }
        self.note_tokens(call.tokens.clone());
    }
}

/// The paths in a `use`, each with the name that it brings into scope.
fn leaves(tree: &UseTree) -> Vec<(Vec<String>, String)> {
    match tree {
        UseTree::Path(path) => leaves(&path.tree)
            .into_iter()
            .map(|(mut rest, name)| {
                rest.insert(0, path.ident.to_string());
                (rest, name)
            })
            .collect(),
        UseTree::Name(name) => vec![(vec![name.ident.to_string()], name.ident.to_string())],
        UseTree::Rename(name) => vec![(vec![name.ident.to_string()], name.rename.to_string())],
        UseTree::Glob(_) => vec![(Vec::new(), "*".to_owned())],
        UseTree::Group(group) => group.items.iter().flat_map(leaves).collect(),
    }
}

/// Is it compiled only for tests?
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => list.tokens.to_string() == "test",
        Meta::Path(path) => path.is_ident("test"),
        _ => false,
    })
}

/// The `#[path = "…"]` of a module.
fn path_attribute(module: &ItemMod) -> Option<String> {
    module.attrs.iter().find_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(path) => Some(path.value()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    })
}

/// The attributes of an item that may be compiled for tests alone.
fn attributes(item: &Item) -> Option<&[Attribute]> {
    match item {
        Item::Fn(item) => Some(&item.attrs),
        Item::Impl(item) => Some(&item.attrs),
        Item::Mod(item) => Some(&item.attrs),
        Item::Use(item) => Some(&item.attrs),
        Item::Const(item) => Some(&item.attrs),
        Item::Struct(item) => Some(&item.attrs),
        Item::Enum(item) => Some(&item.attrs),
        Item::Macro(item) => Some(&item.attrs),
        _ => None,
    }
}
