//! fio without its network engines.
//!
//! The distribution's fio is linked against the clients of three network filesystems. They need 80
//! MB and, in virtual time, add more than a second to each start of fio, and every sample starts
//! fio. The lab has no network, so we leave these libraries out and replace each by a stub of the
//! same name: its functions return -1. We keep no list of them: they are the libraries that fio
//! needs and the guest lacks. The programs of extras are treated alike.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::error::LabError;
use crate::programs::{GCC, READELF, run};

/// The needed libraries, undefined symbols and defined symbols of an ELF file.
#[derive(Debug, Default, PartialEq, Eq)]
struct Symbols {
    needed: Vec<String>,
    wanted: BTreeSet<Symbol>,
    defined: BTreeSet<String>,
}

/// A symbol with its version.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Symbol {
    name: String,
    version: Option<String>,
    /// The size of a variable of which the program has a copy (a copy relocation); `None` for
    /// functions.
    copied_bytes: Option<u64>,
}

/// Builds a stub for each library that any of `programs` needs and `libraries` lacks.
///
/// Returns the names of the libraries. `work` is a directory for temporary files.
pub(crate) fn replace_missing(
    programs: &[PathBuf],
    libraries: &Path,
    work: &Path,
) -> Result<BTreeSet<String>, LabError> {
    let (mut needed, mut wanted) = (BTreeSet::new(), BTreeSet::new());
    for program in programs {
        let symbols = symbols(program)?;
        needed.extend(symbols.needed);
        wanted.extend(symbols.wanted);
    }
    let mut defined = BTreeSet::new();
    let mut missing = BTreeSet::new();
    for name in needed {
        let path = libraries.join(&name);
        if path.exists() {
            defined.extend(symbols(&path)?.defined);
        } else {
            missing.insert(name);
        }
    }
    if missing.is_empty() {
        return Ok(missing);
    }
    let undefined: Vec<&Symbol> = wanted
        .iter()
        .filter(|symbol| !defined.contains(&symbol.name))
        .collect();
    let source = work.join("empty.c");
    std::fs::write(&source, source_text(&undefined)).map_err(LabError::file("write", &source))?;
    let script = work.join("empty.map");
    std::fs::write(&script, version_script(&undefined))
        .map_err(LabError::file("write", &script))?;
    for name in &missing {
        let call = GCC
            .call(["-shared", "-fPIC", "-nostdlib", "-w", "-O1"])
            .arg(format!("-Wl,-soname,{name}"))
            .arg(format!("-Wl,--version-script,{}", script.display()))
            .arg("-o")
            .arg(libraries.join(name))
            .arg(&source);
        run(call, "build a stub library")?;
    }
    Ok(missing)
}

fn symbols(file: &Path) -> Result<Symbols, LabError> {
    let call = READELF
        .call(["--wide", "--dynamic", "--dyn-syms"])
        .arg(file);
    let text = run(call, &format!("read the symbols of `{}`", file.display()))?;
    Ok(read_symbols(&String::from_utf8_lossy(&text)))
}

/// Reads what `readelf --wide --dynamic --dyn-syms` prints.
fn read_symbols(text: &str) -> Symbols {
    let mut symbols = Symbols::default();
    for line in text.lines() {
        if line.contains("(NEEDED)") {
            let name = line
                .split_once('[')
                .and_then(|(_, rest)| rest.split_once(']'));
            symbols.needed.extend(
                name.map(|(name, _)| name.to_owned())
                    .filter(|name| is_file_name(name)),
            );
            continue;
        }
        // Num: Value Size Type Bind Vis Ndx Name[@Version] [(n)]
        // The last word is the number of a version that the file needs.
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let [number, _, size, _, bind, _, index, name, need @ ..] = words.as_slice() else {
            continue;
        };
        if !number.ends_with(':') || !matches!(*bind, "GLOBAL" | "WEAK") {
            continue;
        }
        let (name, version) = match name.split_once('@') {
            Some((name, version)) => (name, Some(version.trim_start_matches('@'))),
            None => (*name, None),
        };
        if !is_word(name) || version.is_some_and(|version| !is_version(version)) {
            continue;
        }
        let is_copy = *index != "UND" && !need.is_empty();
        if *index == "UND" || is_copy {
            // Weak symbols may stay undefined.
            if *bind == "GLOBAL" {
                symbols.wanted.insert(Symbol {
                    name: name.to_owned(),
                    version: version.map(str::to_owned),
                    copied_bytes: is_copy.then(|| size.parse().ok()).flatten(),
                });
            }
        } else {
            symbols.defined.insert(name.to_owned());
        }
    }
    symbols
}

fn is_file_name(name: &str) -> bool {
    !name.starts_with(['.', '-']) && is_version(name)
}

fn is_word(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn is_version(version: &str) -> bool {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "_.+-".contains(c);
    !version.is_empty() && version.chars().all(is_safe)
}

fn source_text(symbols: &[&Symbol]) -> String {
    let mut copied: BTreeMap<&str, Option<u64>> = BTreeMap::new();
    for symbol in symbols {
        let bytes = copied.entry(&symbol.name).or_default();
        *bytes = symbol.copied_bytes.or(*bytes);
    }
    let definitions = copied.iter().map(|(name, bytes)| match bytes {
        None => format!("long {name}(void) {{ return -1; }}\n"),
        Some(bytes) => format!("char {name}[{bytes}] __attribute__((aligned(32)));\n"),
    });
    definitions.collect()
}

fn version_script(symbols: &[&Symbol]) -> String {
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for symbol in symbols {
        if let Some(version) = &symbol.version {
            versions.entry(version).or_default().push(&symbol.name);
        }
    }
    let nodes = versions
        .iter()
        .map(|(version, names)| format!("{version} {{ global: {}; }};\n", names.join("; ")));
    nodes.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "
 0x0000000000000001 (NEEDED)             Shared library: [libnbd.so.0]
 0x0000000000000001 (NEEDED)             Shared library: [../evil]
     5: 0000000000000000     0 FUNC    GLOBAL DEFAULT  UND nbd_create@LIBNBD_1.0 (9)
     6: 0000000000000000     0 FUNC    GLOBAL DEFAULT  UND glfs_fini@GFAPI_3.4.0 (4)
     7: 0000000000000000     0 FUNC    WEAK   DEFAULT  UND __gmon_start__
     8: 0000000000001139    11 FUNC    GLOBAL DEFAULT   13 own@@V1
    10: 000000000085dbd0    24 OBJECT  GLOBAL DEFAULT   23 xmlIsDigitGroup@LIBXML2_2.6.0 (4)
     9: 0000000000000000     0 NOTYPE  GLOBAL DEFAULT  UND plain
";

    #[test]
    fn a_stub_library_defines_the_wanted_symbols_with_their_versions() {
        let symbols = read_symbols(PRINTED);
        assert_eq!(symbols.needed, ["libnbd.so.0"]);
        assert_eq!(symbols.defined, BTreeSet::from(["own".to_owned()]));
        let wanted: Vec<&Symbol> = symbols.wanted.iter().collect();
        expect_test::expect![[r#"
            long glfs_fini(void) { return -1; }
            long nbd_create(void) { return -1; }
            long plain(void) { return -1; }
            char xmlIsDigitGroup[24] __attribute__((aligned(32)));
        "#]]
        .assert_eq(&source_text(&wanted));
        expect_test::expect![[r#"
            GFAPI_3.4.0 { global: glfs_fini; };
            LIBNBD_1.0 { global: nbd_create; };
            LIBXML2_2.6.0 { global: xmlIsDigitGroup; };
        "#]]
        .assert_eq(&version_script(&wanted));
    }
}
