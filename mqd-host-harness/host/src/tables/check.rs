//! Whether a table fits, compared with debug information or with the descriptions of structures
//! that the library itself has.

use mqd_layout::Table;

use mqd_inspect::image::Image;
use mqd_inspect::image::find_layout;
use mqd_inspect::process::Target;
use mqd_inspect::types::Member;

/// The result of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// How many of the compared structures agree with the table.
    pub structures: usize,
    /// How many of their fields agree.
    pub fields: usize,
    /// Structures that differ from the table, each with a phrase that says how.
    pub differences: Vec<(String, String)>,
    /// Structures of the table that could not be compared.
    pub unknown: Vec<String>,
}

impl Agreement {
    fn differs(&mut self, structure: &str, what: String) {
        self.differences.push((structure.to_owned(), what));
    }
}

/// The structure of Open MPI that describes structures.
const CLASS: &str = "opal_class_t";

/// What a class description says about its structure.
struct Class {
    size: u64,
    /// The structure's name, if it could be looked at.
    name: Option<String>,
}

/// Compares the sizes of structures with those that Open MPI's own class descriptions have
/// (`opal_class_t`), in a target's memory.
pub fn by_classes(table: &Table<'_>, target: &Target) -> Agreement {
    compare_classes(table, |symbol, size_at, name_at| {
        let class = target.find_symbol(symbol)?.address;
        let size =
            target.read_unsigned(class.wrapping_add(size_at), target.arch().pointer_size).ok()?;
        let name = target
            .read_pointer(class.wrapping_add(name_at))
            .and_then(|text| target.read_c_string(text));
        Some(Class { size, name: Some(name.unwrap_or_default()) })
    })
}

/// The same in the files of a library. Sizes are as good there as in memory; pointers are not.
pub fn by_classes_of_files(table: &Table<'_>, images: &[&Image]) -> Agreement {
    compare_classes(table, |symbol, size_at, _| {
        images.iter().find_map(|image| {
            let arch = image.arch()?;
            let class = image.address_of(symbol)?;
            let bytes = image.bytes_at(class.wrapping_add(size_at))?;
            let size = arch.unsigned(bytes.get(..arch.pointer_size as usize)?);
            Some(Class { size, name: None })
        })
    })
}

/// `describe` finds the class description of a symbol, with the offsets of size and name in it.
fn compare_classes(
    table: &Table<'_>,
    describe: impl Fn(&str, u64, u64) -> Option<Class>,
) -> Agreement {
    let mut agreement = Agreement::default();
    let field = |name| table.structure(CLASS)?.field(name).map(|field| u64::from(field.offset));
    let (Some(size_at), Some(name_at)) = (field("cls_sizeof"), field("cls_name")) else {
        return agreement;
    };
    for structure in table.structures().filter(|structure| structure.size > 0) {
        let owner = structure.name;
        match describe(&format!("{owner}_class"), size_at, name_at) {
            None => agreement.unknown.push(owner.to_owned()),
            Some(Class { name: Some(name), .. }) if name != owner => agreement.differs(
                CLASS,
                format!(
                    "{CLASS} has another layout: in the process the class of {owner} has another \
                     name"
                ),
            ),
            Some(Class { size, .. }) if size != u64::from(structure.size) => agreement.differs(
                owner,
                format!("{owner} has {size} bytes in the library, {} in the table", structure.size),
            ),
            Some(_) => agreement.structures += 1,
        }
    }
    agreement
}

/// Compares sizes and offsets with debug information.
pub fn by_types(table: &Table<'_>, images: &[&Image]) -> Agreement {
    let mut agreement = Agreement::default();
    for structure in table.structures() {
        let layout = find_layout(structure.name, images);
        let Some((size, layout)) = layout.and_then(|layout| Some((layout.size?, layout))) else {
            agreement.unknown.push(structure.name.to_owned());
            continue;
        };
        let before = agreement.differences.len();
        let owner = structure.name;
        let mut differs = |what: String| agreement.differs(owner, what);
        if structure.size > 0 && size != u64::from(structure.size) {
            differs(format!(
                "{owner} has {size} bytes in the debug information, {} in the table",
                structure.size
            ));
        }
        let mut fields = 0;
        for field in structure.fields() {
            let (name, offset) = (field.name, u64::from(field.offset));
            // 0 stands for an array of unknown length.
            let size = Some(u64::from(field.size)).filter(|size| *size > 0);
            match layout.fields.get(name) {
                None => differs(format!("{owner} has no field {name} in the debug information")),
                Some(found) if found.offset != offset => differs(format!(
                    "{owner}.{name} is at {} in the debug information, at {offset} in the table",
                    found.offset
                )),
                Some(Member { size: Some(found), .. })
                    if size.is_some_and(|size| size != *found) =>
                {
                    differs(format!(
                        "{owner}.{name} has {found} bytes in the debug information, {} in the \
                         table",
                        field.size
                    ))
                }
                Some(_) => fields += 1,
            }
        }
        agreement.fields += fields;
        agreement.structures += usize::from(agreement.differences.len() == before);
    }
    agreement
}
