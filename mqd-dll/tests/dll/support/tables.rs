//! The shipped layout tables, read by a reader of the tests' own.

use super::contract::Kind;
use super::machine::{Layout, Layouts};

/// The tables whose names begin with `library`, in the order of their names.
pub fn tables(library: &str) -> Vec<(String, Layouts)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../mqd-layout/tables");
    let files = std::fs::read_dir(folder).expect("the tables are there").flatten();
    let mut tables: Vec<_> = files
        .filter_map(|file| {
            let name = file.file_name().to_str()?.strip_suffix(".layout")?.to_owned();
            let text = std::fs::read_to_string(file.path()).expect("a table can be read");
            name.starts_with(library).then(|| (name, read_table(&text)))
        })
        .collect();
    tables.sort_by(|(first, _), (second, _)| first.cmp(second));
    tables
}

/// The table of this name.
pub fn table(name: &str) -> Layouts {
    tables(name).into_iter().find(|(known, _)| known == name).expect("a table").1
}

/// The structures of a table's text.
pub fn read_table(text: &str) -> Layouts {
    let mut layouts = Layouts::new();
    let mut current = String::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match (line.starts_with(' '), words[..].first(), words.len()) {
            (false, Some(&"struct"), 3) => {
                current = words[1].to_owned();
                let size = words[2].parse().expect("a size");
                layouts.insert(current.clone(), Layout { size, ..Layout::default() });
            }
            (true, Some(name), 3) => {
                let (offset, size) =
                    (words[1].parse().expect("an offset"), words[2].parse().expect("a size"));
                let fields = &mut layouts.get_mut(&current).expect("a structure").offsets;
                fields.insert((*name).to_owned(), (offset, Kind::Chars(size)));
            }
            _ => {}
        }
    }
    layouts
}
