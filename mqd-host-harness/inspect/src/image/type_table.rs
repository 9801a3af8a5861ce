//! The types that one target has been asked for.

use std::collections::HashMap;

use super::Image;
use crate::types::{Dwarf, Layout, NameSpace, Resolved, TypeId, resolve};

/// Types by name, and their layouts. A question is answered from debug information once.
#[derive(Debug, Default)]
pub(crate) struct TypeTable {
    names: HashMap<(String, Option<usize>), Option<TypeId>>,
    layouts: Vec<Layout>,
    /// The image that gave the last answer. Questions about one library come in a row.
    last: Option<usize>,
    /// The layouts of types that debug information does not have, by name.
    supplied: HashMap<String, Layout>,
    /// The answers of a recorded process, by name. No image is asked then.
    recorded: Option<HashMap<String, Layout>>,
}

impl TypeTable {
    /// The type of a C name. `order` says which images are asked: first `prefer`, then the image
    /// that is passed to it.
    pub(crate) fn find(
        &mut self,
        name: &str,
        prefer: Option<usize>,
        images: &[Image],
        order: impl FnOnce(Option<usize>) -> Vec<usize>,
    ) -> Option<TypeId> {
        let key = (name.to_owned(), prefer);
        if let Some(known) = self.names.get(&key) {
            return *known;
        }
        let order = order(self.last);
        let asked: Vec<&Image> = order.iter().map(|index| &images[*index]).collect();
        let found = match &self.recorded {
            Some(recorded) => recorded.get(name).cloned().map(|layout| (layout, None)),
            None => find_in(name, &asked),
        };
        let found = found.map(|(layout, answered)| {
            self.last = answered.map(|at| order[at]).or(self.last);
            layout
        });
        let supplied = || self.supplied.get(spaces(name).1).cloned();
        let id =
            found.clone().filter(|layout| layout.size.is_some()).or_else(supplied).or(found).map(
                |layout| {
                    self.layouts.push(layout);
                    TypeId(self.layouts.len() as u32 - 1)
                },
            );
        self.names.insert(key, id);
        id
    }

    /// Adds layouts for what debug information does not tell. What was asked before is asked again.
    pub(crate) fn supply(&mut self, layouts: HashMap<String, Layout>) {
        self.supplied = layouts;
        self.names.clear();
    }

    /// A table that answers from a recording.
    pub(crate) fn recorded(layouts: HashMap<String, Layout>) -> TypeTable {
        TypeTable { recorded: Some(layouts), ..TypeTable::default() }
    }

    pub(crate) fn layout(&self, id: TypeId) -> Option<&Layout> {
        self.layouts.get(id.0 as usize)
    }
}

/// The name spaces that a name as written in C can be in, and the bare name.
fn spaces(name: &str) -> (&'static [NameSpace], &str) {
    for keyword in ["struct ", "union ", "enum "] {
        if let Some(tag) = name.strip_prefix(keyword) {
            return (&[NameSpace::Tag], tag.trim());
        }
    }
    (&[NameSpace::Ordinary, NameSpace::Tag], name.trim())
}

/// The layout of a type, from the debug information of the first image that knows it. Its size is
/// `None` if the images only declare it.
pub fn find_layout(name: &str, images: &[&Image]) -> Option<Layout> {
    find_in(name, images).map(|(layout, _)| layout)
}

/// The same, with the place of the image that has the definition.
fn find_in(name: &str, images: &[&Image]) -> Option<(Layout, Option<usize>)> {
    let (spaces, bare) = spaces(name);
    let dwarfs = || images.iter().enumerate().filter_map(|(at, image)| Some((at, image.dwarf()?)));
    let mut opaque = None;
    for (at, dwarf) in dwarfs() {
        for space in spaces {
            match layout_in(dwarf, *space, bare) {
                Some(Resolved::Complete(layout)) => return Some((layout, Some(at))),
                Some(Resolved::Declared(tag)) => opaque = opaque.or(Some(tag)),
                None => {}
            }
        }
    }
    // A typedef of a structure that another image defines.
    let tag = opaque?;
    dwarfs()
        .find_map(|(at, dwarf)| match layout_in(dwarf, NameSpace::Tag, &tag) {
            Some(Resolved::Complete(layout)) => Some((layout, Some(at))),
            _ => None,
        })
        .or_else(|| Some((Layout::default(), None)))
}

fn layout_in(dwarf: &Dwarf, space: NameSpace, name: &str) -> Option<Resolved> {
    let place = match (dwarf.find(space, name), space) {
        (None, NameSpace::Ordinary) => {
            spellings(name).iter().find_map(|name| dwarf.find(space, name))
        }
        (place, _) => place,
    }?;
    resolve(&dwarf.view(), place)
}

/// Other ways to write the name of an integer type, since compilers differ: gcc writes `long
/// unsigned int` for `unsigned long`.
fn spellings(name: &str) -> Vec<String> {
    let words: Vec<_> = name.split_whitespace().collect();
    let count = |word| words.iter().filter(|known| **known == word).count();
    let (unsigned, signed, short, long, int) =
        (count("unsigned"), count("signed"), count("short"), count("long"), count("int"));
    let is_integer = !words.is_empty() && unsigned + signed + short + long + int == words.len();
    if !is_integer || unsigned + signed > 1 || int > 1 || short + long.div_ceil(2) > 1 || long > 2 {
        return Vec::new();
    }
    let size = match (short, long) {
        (0, 0) => "",
        (_, 0) => "short ",
        (_, 1) => "long ",
        _ => "long long ",
    };
    let sign = if unsigned == 1 { "unsigned " } else { "" };
    // The first is gcc's, the others clang's.
    vec![
        format!("{size}{sign}int"),
        format!("{sign}{size}").trim_end().to_owned(),
        format!("{sign}{size}int"),
    ]
}
