//! `queues.h`, read as text: the structures with their fields, and the constants.

use std::collections::BTreeMap;
use std::sync::OnceLock;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Int,
    LongLong,
    Pointer,
    Chars(usize),
}

pub struct Contract {
    pub structures: BTreeMap<String, Vec<(String, Kind)>>,
    pub constants: BTreeMap<String, i64>,
}

pub fn contract() -> &'static Contract {
    static CONTRACT: OnceLock<Contract> = OnceLock::new();
    CONTRACT.get_or_init(|| parse(include_str!("../../../../fake-target/src/debug/queues.h")))
}

/// A constant of the contract, by its name without the prefix.
pub fn constant(name: &str) -> i64 {
    contract().constants[&format!("MQDRT_{name}")]
}

fn parse(header: &str) -> Contract {
    let mut text = header.to_owned();
    while let Some(start) = text.find("/*") {
        let end = start + text[start..].find("*/").expect("comments end") + 2;
        text.replace_range(start..end, "");
    }
    let mut contract = Contract { structures: BTreeMap::new(), constants: BTreeMap::new() };
    for part in text.split("typedef struct ").skip(1) {
        let (name, rest) = part.split_once('{').expect("a structure's body");
        let (body, _) = rest.split_once('}').expect("a body's end");
        let fields =
            body.split(';').map(str::trim).filter(|field| !field.is_empty()).map(field).collect();
        contract.structures.insert(name.trim().to_owned(), fields);
    }
    for part in text.split("enum {").skip(1) {
        let (body, _) = part.split_once('}').expect("a body's end");
        for item in body.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            let (name, value) = item.split_once('=').expect("a constant's value");
            contract
                .constants
                .insert(name.trim().to_owned(), value.trim().parse().expect("a number"));
        }
    }
    assert_eq!(contract.structures.len(), 8, "queues.h has eight structures");
    contract
}

fn field(text: &str) -> (String, Kind) {
    let name_start = text.rfind([' ', '*']).expect("type and name") + 1;
    let (ty, name) = (text[..name_start].trim(), &text[name_start..]);
    match (ty, name.split_once('[')) {
        ("char", Some((name, size))) => {
            (name.to_owned(), Kind::Chars(size.trim_end_matches(']').parse().expect("a size")))
        }
        ("int", None) => (name.to_owned(), Kind::Int),
        ("long long", None) => (name.to_owned(), Kind::LongLong),
        (pointer, None) if pointer.ends_with('*') => (name.to_owned(), Kind::Pointer),
        _ => panic!("queues.h has a field that readers cannot know: {text}"),
    }
}
