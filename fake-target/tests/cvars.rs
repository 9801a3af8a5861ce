//! The gatherer of control variables (`codegen/cvars.rs`): a mistake in a description fails the
//! build with an error that names the place and the mistake.

#[path = "../codegen/cvars.rs"]
mod cvars;

const CATEGORY: &str = "crate::variables::describe::category! {\n    name: RINGS\n    description: \
                        \"The rings.\"\n}\n";

/// A description, some of whose lines are replaced.
fn variable(name: &str, changes: &[(&str, &str)]) -> String {
    let mut fields = vec![
        ("name", name.to_owned()),
        ("category", "RINGS".into()),
        ("type", "int".into()),
        ("default", "5".into()),
        ("range", "0:10".into()),
        ("class", "device".into()),
        ("verbosity", "USER_BASIC".into()),
        ("scope", "LOCAL".into()),
        ("writable", "always".into()),
        ("description", "\"What it\n        steers.\"".into()),
    ];
    for (field, value) in changes {
        fields.retain(|(known, _)| known != field);
        if !value.is_empty() {
            fields.push((field, (*value).to_owned()));
        }
    }
    let lines: String =
        fields.iter().map(|(field, value)| format!("    {field}: {value}\n")).collect();
    format!("crate::variables::describe::cvar! {{\n{lines}}}\n")
}

fn generate(files: &[(&str, String)]) -> Result<String, String> {
    let files: Vec<_> =
        files.iter().map(|(path, text)| ((*path).to_owned(), text.clone())).collect();
    let cvars::Generated { variables, categories, table } = cvars::generate(&files)?;
    Ok(categories + &table + &variables)
}

fn error(name: &str, changes: &[(&str, &str)]) -> String {
    generate(&[("src/rings.rs", format!("{CATEGORY}\n{}", variable(name, changes)))]).unwrap_err()
}

#[test]
fn descriptions_of_several_files_become_one_table() {
    let files = [
        (
            "src/b.rs",
            format!(
                "use a;\n\n{}\nfn code() {{}}\n{}",
                variable("SECOND", &[]),
                variable("THIRD", &[])
            ),
        ),
        (
            "src/a.rs",
            format!("{CATEGORY}{}", variable("FIRST", &[("alt_env", "OLD_FIRST, OLDER")])),
        ),
    ];
    let table = generate(&files).unwrap();
    let at = |what: &str| table.find(what).unwrap_or_else(|| panic!("{what} in {table}"));
    assert!(at("\"MQDRT_CVAR_FIRST\"") < at("\"MQDRT_CVAR_SECOND\""), "sorted");
    at("static THIRD: Int = Int::new(5)");
    at("value: Value::Int(&SECOND, 0, 10)");
    at("alternatives: &[\"OLD_FIRST\", \"OLDER\"]");
    at("// src/b.rs:3");
    at("\"What it steers.\"");
}

#[test]
fn every_type_has_its_storage() {
    for (changes, storage) in [
        (
            &[("type", "boolean"), ("default", "true"), ("range", "")][..],
            "Boolean = Boolean::new(true)",
        ),
        (
            &[("type", "double"), ("default", "0.5"), ("range", "0:1")],
            "Double = Double::new(0.5_f64)",
        ),
        (&[("type", "string"), ("default", "NULL"), ("range", "")], "Text = Text::new(\"\")"),
        (&[("type", "string"), ("default", "\"a b\""), ("range", "")], "Text = Text::new(\"a b\")"),
        (&[("type", "range"), ("default", "1:5")], "Range = Range::new(1, 5)"),
        (
            &[("type", "enum"), ("default", "two"), ("values", "one, two"), ("range", "")],
            "Int = Int::new(1)",
        ),
    ] {
        let table = generate(&[("a.rs", format!("{CATEGORY}{}", variable("X", changes)))]).unwrap();
        assert!(table.contains(storage), "{storage} in {table}");
    }
}

#[test]
fn an_unknown_category_is_an_error() {
    let error = error("SPEED", &[("category", "SPEEDS")]);
    assert_eq!(error, "src/rings.rs:6: there is no category SPEEDS for SPEED (there are: RINGS)");
}

#[test]
fn a_duplicate_is_an_error_that_names_both_places() {
    let files = [
        ("src/a.rs", format!("{CATEGORY}{}", variable("SPEED", &[]))),
        ("src/b.rs", format!("\n{}", variable("SPEED", &[]))),
    ];
    assert_eq!(
        generate(&files).unwrap_err(),
        "src/b.rs:2: cvar SPEED is declared in src/a.rs:5 already"
    );
    let files = [("src/a.rs", CATEGORY.to_owned()), ("src/b.rs", CATEGORY.to_owned())];
    assert_eq!(
        generate(&files).unwrap_err(),
        "src/b.rs:1: category RINGS is declared in src/a.rs:1 already"
    );
}

#[test]
fn names_in_the_environment_belong_to_one_variable() {
    assert!(error("RANK", &[]).contains("MQDRT_RANK, belongs to the launcher already"));
    let files = [(
        "a.rs",
        format!(
            "{CATEGORY}{}{}",
            variable("FAST", &[("alt_env", "SPEED")]),
            variable("SPEED", &[])
        ),
    )];
    assert!(generate(&files).unwrap_err().contains("MQDRT_SPEED, belongs to FAST already"));
}

#[test]
fn fields_are_required_known_and_well_formed() {
    for field in
        ["category", "type", "default", "class", "verbosity", "scope", "writable", "description"]
    {
        assert_eq!(
            error("X", &[(field, "")]),
            format!("src/rings.rs:6: the field {field} is missing")
        );
    }
    for (field, value, words) in [
        ("colour", "red", "there is no field colour"),
        ("type", "float", "there are int, boolean, double, string, range and enum"),
        ("default", "11", "the default 11 of X is not in the range 0:10"),
        ("default", "many", "many of X is not a whole number"),
        ("range", "7", "7 is no range low:high"),
        ("scope", "MPI_T_SCOPE_LOCAL", "the scope MPI_T_SCOPE_LOCAL of X is none of CONSTANT"),
        ("verbosity", "ALL", "the verbosity ALL of X is none of USER_BASIC"),
        ("class", "both", "the class both of X is none of device, none"),
        ("writable", "sometimes", "the writable sometimes of X is none of always"),
        ("values", "a, b", "X has values but is no enum"),
        ("description", "\"no end", "a text has no end"),
    ] {
        let error = error("X", &[(field, value)]);
        assert!(
            error.starts_with("src/rings.rs:6: ") && error.contains(words),
            "{words:?} in {error:?}"
        );
    }
    let range = [("type", "range"), ("default", "5:4")];
    assert!(
        error("X", &range).contains("the default 4 of X is not in the range 5:"),
        "{}",
        error("X", &range)
    );
    assert!(error("X", &[("type", "boolean"), ("range", "")]).contains("neither true nor false"));
    assert!(
        error("X", &[("type", "enum"), ("range", ""), ("values", "a")])
            .contains("none of its values")
    );
}

#[test]
fn categories_form_trees() {
    let category = |name: &str, parent: &str| {
        format!(
            "crate::variables::describe::category! {{\n    name: {name}\n    parent: {parent}\n    \
             description: \"x\"\n}}\n"
        )
    };
    let error = |text: String| generate(&[("a.rs", text)]).unwrap_err();
    assert_eq!(error(category("A", "B")), "a.rs:1: there is no category B (there are: A)");
    assert!(error(category("A", "A")).contains("the category A contains itself"));
    assert!(error(category("A", "B") + &category("B", "A")).contains("contains itself"));
}
