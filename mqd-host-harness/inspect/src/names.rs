//! Names of functions as their programmers wrote them.

use cpp_demangle::{DemangleOptions, Symbol};
use gimli::{DwLang, constants};

const FORTRAN: [DwLang; 6] = [
    constants::DW_LANG_Fortran77,
    constants::DW_LANG_Fortran90,
    constants::DW_LANG_Fortran95,
    constants::DW_LANG_Fortran03,
    constants::DW_LANG_Fortran08,
    constants::DW_LANG_Fortran18,
];

/// Longer names are not demangled: the time to demangle one grows with its length.
const LONGEST: usize = 16 * 1024;

/// The name of a function in its language, without parameters and return type. `language` is that
/// of the compilation unit, if it is known.
pub(crate) fn demangle(name: &str, language: Option<DwLang>) -> String {
    // Linkers add versions. Compilers add suffixes to the names of parts that they split off.
    let plain = name.split('@').next().unwrap_or(name);
    if plain.len() > LONGEST {
        return plain.to_owned();
    }
    rust(plain).or_else(|| cpp(plain)).or_else(|| fortran(plain, language)).unwrap_or(plain.into())
}

fn rust(name: &str) -> Option<String> {
    let demangled = rustc_demangle::try_demangle(name).ok()?;
    // The short form has no hash.
    Some(format!("{demangled:#}"))
}

fn cpp(name: &str) -> Option<String> {
    if !name.starts_with("_Z") {
        return None;
    }
    let whole = name.split('.').next().unwrap_or(name);
    let options = DemangleOptions::new().no_params().no_return_type();
    Symbol::new(whole).ok()?.demangle_with_options(&options).ok()
}

/// `halo::exchange` of gfortran's `__halo_MOD_exchange` and flang's `_QMhaloPexchange`, `exchange`
/// of `exchange_`.
fn fortran(name: &str, language: Option<DwLang>) -> Option<String> {
    if let Some((module, procedure)) =
        name.strip_prefix("__").and_then(|name| name.split_once("_MOD_"))
    {
        return Some(format!("{module}::{procedure}"));
    }
    let is_fortran = FORTRAN.contains(&language?);
    if !is_fortran {
        return None;
    }
    if let Some(name) = name.strip_prefix("_QP") {
        return Some(name.to_owned());
    }
    if let Some((module, procedure)) =
        name.strip_prefix("_QM").and_then(|name| name.split_once('P'))
    {
        return Some(format!("{module}::{procedure}"));
    }
    name.strip_suffix('_').map(|name| name.trim_end_matches('_').to_owned())
}

#[cfg(test)]
mod tests {
    use gimli::constants::{DW_LANG_C11, DW_LANG_Fortran08};

    use super::*;

    #[test]
    fn names_as_they_were_written() {
        let fortran = Some(DW_LANG_Fortran08);
        for (mangled, language, expected) in [
            ("exchange", None, "exchange"),
            ("memcpy@@GLIBC_2.14", None, "memcpy"),
            ("_ZN4halo8exchangeIdEEvPT_i", None, "halo::exchange<double>"),
            ("_ZN4halo4GridD1Ev", None, "halo::Grid::~Grid"),
            ("_ZN12_GLOBAL__N_15solveEv.constprop.0", None, "(anonymous namespace)::solve"),
            ("_ZN6solver4step17h05af221e174051e9E", None, "solver::step"),
            ("_RNvCs1234_6solver4step", None, "solver::step"),
            ("__halo_MOD_exchange", None, "halo::exchange"),
            ("__halo_MOD_exchange", fortran, "halo::exchange"),
            ("exchange_", fortran, "exchange"),
            ("exchange_", Some(DW_LANG_C11), "exchange_"),
            ("exchange_", None, "exchange_"),
            ("_QPexchange", fortran, "exchange"),
            ("_QMhaloPexchange", fortran, "halo::exchange"),
            ("_Zbroken", None, "_Zbroken"),
            ("", None, ""),
        ] {
            assert_eq!(demangle(mangled, language), expected, "{mangled}");
        }
    }
}
