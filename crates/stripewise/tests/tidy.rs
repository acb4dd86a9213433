//! Rules about the tree itself, which nobody remembers for long: functions and files stay short
//! enough to be read, nothing unfinished is called done, and the page that explains the house names
//! every room.

#![expect(clippy::unwrap_used, reason = "a test may stop where it stands")]

use std::fs;
use std::path::{Path, PathBuf};

/// The most lines of a function outside of tests; flat tables are listed in [`LONG_TABLES`].
const FUNCTION_LINES_MAX: usize = 70;
/// The most lines of a file.
const FILE_LINES_MAX: usize = 800;
/// Functions that are one flat table: a match with an arm a kind.
const LONG_TABLES: [&str; 2] = [
    "crates/study/src/warning.rs: message",
    "crates/diagnose/src/words.rs: sentence",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// Returns every Rust file below `crates` and `fuzz`, relative to the root, with its text.
fn rust_files() -> Vec<(String, String)> {
    let root = root();
    let mut found = Vec::new();
    let mut pending = vec![root.join("crates"), root.join("fuzz/fuzz_targets")];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(&root).unwrap().display().to_string();
                found.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    assert!(found.len() > 50, "the tree was not found");
    found
}

/// Returns the name of the function that a line begins, and its indentation. rustfmt has been here.
fn function_start(line: &str) -> Option<(&str, usize)> {
    let indent = line.len() - line.trim_start().len();
    let mut rest = line.trim_start();
    for word in ["pub(crate) ", "pub ", "const ", "unsafe ", "async "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    let name = rest.strip_prefix("fn ")?;
    Some((name.split(['(', '<']).next()?, indent))
}

#[test]
fn functions_and_files_are_short_enough_to_be_read() {
    let mut long = Vec::new();
    for (file, text) in rust_files() {
        let lines: Vec<&str> = text.lines().collect();
        if lines.len() > FILE_LINES_MAX {
            long.push(format!("{file} has {} lines", lines.len()));
        }
        for (number, line) in lines.iter().enumerate() {
            let Some((name, indent)) = function_start(line) else {
                continue;
            };
            let close = format!("{}}}", " ".repeat(indent));
            let end = lines[number..].iter().position(|line| *line == close);
            let length = end.map_or(0, |end| end + 1);
            let place = format!("{file}: {name}");
            let is_exempt = file.contains("/tests/") || LONG_TABLES.contains(&place.as_str());
            if length > FUNCTION_LINES_MAX && !is_exempt {
                long.push(format!("{place} has {length} lines"));
            }
        }
    }
    assert!(long.is_empty(), "too long to be read:\n{}", long.join("\n"));
}

#[test]
fn nothing_unfinished_is_called_done() {
    // Written in two pieces, so that this file does not find itself.
    let marks = [
        ["FIX", "ME"].concat(),
        ["#[ign", "ore"].concat(),
        ["should_", "panic"].concat(),
    ];
    for (file, text) in rust_files() {
        for mark in &marks {
            assert!(!text.contains(mark.as_str()), "{file} contains `{mark}`");
        }
    }
}

/// The only sources that may write to a stream, or hold what does.
const PRINTERS: [&str; 2] = [
    "crates/stripewise/src/printer.rs",
    // `lab shell` hands a guest's console to the terminal as it is.
    "crates/stripewise/src/commands/lab.rs",
];

#[test]
fn one_place_prints_so_that_no_text_from_outside_gets_around_it() {
    let mut found = Vec::new();
    for (file, text) in rust_files() {
        let is_program = file.contains("/src/") && !file.ends_with("_tests.rs");
        if !is_program || PRINTERS.contains(&file.as_str()) {
            continue;
        }
        for mark in ["io::stdout", "io::stderr", "anstream::", "indicatif::"] {
            let lines = text.lines().filter(|line| line.contains(mark));
            found.extend(lines.map(|line| format!("{file}: {}", line.trim())));
        }
    }
    assert!(
        found.is_empty(),
        "print through `Printer`:\n{}",
        found.join("\n")
    );
}

/// The only sources that may start a program.
const STARTERS: [&str; 3] = [
    "crates/process/src/call.rs",
    // A person's shell in a guest has no time limit, and the guest ends with us.
    "crates/lab/src/guest.rs",
    // A browser runs on without us.
    "crates/stripewise/src/commands/serve.rs",
];

#[test]
fn one_place_starts_programs_so_that_each_is_bounded_and_ended() {
    let mut found = Vec::new();
    for (file, text) in rust_files() {
        let is_program = file.contains("/src/") && !file.ends_with("_tests.rs");
        if !is_program || STARTERS.contains(&file.as_str()) {
            continue;
        }
        let program = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let lines = program.lines().filter(|line| line.contains("Command::new"));
        found.extend(lines.map(|line| format!("{file}: {}", line.trim())));
    }
    let found = found.join("\n");
    assert!(found.is_empty(), "call through `process::Call`:\n{found}");
}

#[test]
fn the_page_about_the_house_names_every_crate() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            page.contains(&format!("| `{name}` |")),
            "ARCHITECTURE.md lacks `{name}`"
        );
    }
}

#[test]
fn every_dependency_has_its_reason_beside_it() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let section = manifest.split("[workspace.dependencies]").nth(1).unwrap();
    let section = section.split("\n[").next().unwrap();
    for line in section
        .lines()
        .filter(|line| line.contains('=') && !line.contains("path ="))
    {
        assert!(line.contains(" # "), "no reason beside: {line}");
    }
}

#[test]
fn the_two_commands_of_the_readme_exist() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let makefile = fs::read_to_string(root().join("Makefile")).unwrap();
    for command in ["demo", "test"] {
        assert!(
            readme
                .lines()
                .take(12)
                .any(|line| line.contains(&format!("make {command}")))
        );
        assert!(makefile.contains(&format!("\n{command}: ")));
    }
    let ci = fs::read_to_string(root().join(".ci/run")).unwrap();
    assert!(ci.contains("make test"), "CI runs what the README says");
}
