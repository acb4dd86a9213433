//! Rules about the source tree: functions and files stay short enough to read, nothing unfinished
//! is merged, and ARCHITECTURE.md names every crate.

use std::collections::BTreeSet;
use std::fs;

use crate::support::repository;

/// The most lines of a function outside of tests; flat tables are listed in [`LONG_TABLES`].
const FUNCTION_LINES_MAX: usize = 70;
/// The most lines of a file.
const FILE_LINES_MAX: usize = 800;
/// Functions that are one flat table: a match with an arm for each kind.
const LONG_TABLES: [&str; 2] = [
    "crates/study/src/warning.rs: message",
    "crates/diagnose/src/words.rs: sentence",
];

/// Returns every Rust file below `crates` and `fuzz`, relative to the root, with its text.
fn rust_files() -> Vec<(String, String)> {
    let root = repository();
    let mut found = Vec::new();
    let mut pending = vec![root.join("crates"), root.join("fuzz/fuzz_targets")];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root).unwrap().display().to_string();
                found.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    assert!(found.len() > 50, "too few files were found");
    found
}

/// Returns the name of the function that a line begins, and its indentation; `None` for a
/// declaration in a trait, which has no body. Assumes rustfmt's layout.
fn function_start(line: &str) -> Option<(&str, usize)> {
    if line.ends_with(';') {
        return None;
    }
    let indent = line.len() - line.trim_start().len();
    let mut rest = line.trim_start();
    for word in ["pub(crate) ", "pub ", "const ", "unsafe ", "async "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    let name = rest.strip_prefix("fn ")?;
    Some((name.split(['(', '<']).next()?, indent))
}

/// Who may write JSON: a file of its own format, or a value for another part of the program. What a
/// command answers goes through `answers`, so that each answer has each medium.
const WRITES_JSON: [&str; 8] = [
    "crates/stripewise/src/commands/characterize.rs: serde_json::to_string",
    "crates/stripewise/src/commands/explain/apart.rs: serde_json::to_value",
    "crates/stripewise/src/commands/export/figures.rs: serde_json::to_string",
    "crates/stripewise/src/commands/import/gathered.rs: serde_json::to_string",
    "crates/stripewise/src/commands/over_time.rs: serde_json::to_vec", // what identifies a copy of a run
    "crates/stripewise/src/commands/run.rs: serde_json::to_value",
    "crates/stripewise/src/commands/verify_model.rs: serde_json::to_string",
    "crates/stripewise/src/printer.rs: serde_json::to_string_pretty",
];

/// `make test` draws a share of these; a name that is no test's would leave out none.
#[test]
fn every_slow_test_that_is_drawn_exists() {
    let listed = fs::read_to_string(repository().join(".config/slow-tests.txt")).unwrap();
    let files = rust_files();
    let functions = files
        .iter()
        .flat_map(|(_, text)| text.lines().filter_map(function_start));
    let functions: BTreeSet<&str> = functions.map(|(name, _)| name).collect();
    let named = listed
        .lines()
        .filter_map(|line| line.rsplit([':', ' ']).next());
    let unknown: Vec<&str> = named.filter(|name| !functions.contains(name)).collect();
    assert!(
        unknown.is_empty(),
        "no test has these names of .config/slow-tests.txt: {unknown:?}"
    );
    assert!(listed.lines().count() > 10);
}

#[test]
fn a_command_prints_no_document_by_hand() {
    let mut found = Vec::new();
    for (file, text) in rust_files() {
        if !file.starts_with("crates/stripewise/src/") || file.ends_with("_tests.rs") {
            continue;
        }
        let product = text.split("#[cfg(test)]").next().unwrap_or_default();
        let calls = [".json(&", "println!(", "print!("];
        let is_exempt = |call: &str| call == ".json(&" && file.ends_with("src/answers.rs");
        let called = calls.iter().filter(|call| product.contains(**call));
        let called = called.filter(|call| !is_exempt(call));
        found.extend(called.map(|call| format!("{file}: {call}")));
        for part in product.split("serde_json::to_").skip(1) {
            let name = part.split('(').next().unwrap_or_default();
            found.push(format!("{file}: serde_json::to_{name}"));
        }
    }
    found.sort();
    found.dedup();
    assert_eq!(found, WRITES_JSON);
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
            // A declaration in a trait may have several lines, too.
            let parameters_end = format!("{})", " ".repeat(indent));
            let is_end = |line: &&str| {
                *line == close || line.starts_with(&parameters_end) && line.ends_with(';')
            };
            let end = lines[number..].iter().position(is_end);
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
fn no_unfinished_work_is_merged() {
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

/// Returns the lines of sources that contain one of the marks, each with its file; `exempt` are the
/// only files that may.
fn lines_with(sources: &[(String, String)], exempt: &[&str], marks: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for (file, text) in sources {
        if exempt.contains(&file.as_str()) {
            continue;
        }
        for mark in marks {
            let lines = text.lines().filter(|line| line.contains(mark));
            found.extend(lines.map(|line| format!("{file}: {}", line.trim())));
        }
    }
    found
}

/// The only sources of the command line that may make files or open them for writing.
const FILE_MAKERS: [&str; 3] = [
    "crates/stripewise/src/output_file.rs",
    // The kernel's settings of a trace.
    "crates/stripewise/src/capture.rs",
    // Cases are added one by one to a file that must be new.
    "crates/stripewise/src/commands/verify_model.rs",
];

#[test]
fn only_output_file_makes_files_so_that_none_is_replaced_by_mistake() {
    let mut sources = program_sources();
    sources.retain(|(file, _)| file.starts_with("crates/stripewise/src/"));
    let marks = ["fs::write", "File::create", "OpenOptions", "fs::rename"];
    let found = lines_with(&sources, &FILE_MAKERS, &marks);
    assert!(
        found.is_empty(),
        "write through `OutputFile`:\n{}",
        found.join("\n")
    );
}

/// The only sources that may write to a stream.
const PRINTERS: [&str; 4] = [
    "crates/stripewise/src/printer.rs",
    // The screen of a run, whose lines are escaped one by one.
    "crates/stripewise/src/screen.rs",
    // What the agent on a host prints goes to its controller.
    "crates/hosts/src/agent.rs",
    // `lab shell` passes a guest's console to the terminal unchanged.
    "crates/stripewise/src/commands/lab.rs",
];

#[test]
fn only_the_printer_prints_so_that_it_escapes_all_outside_text() {
    let mut sources = rust_files();
    sources.retain(|(file, _)| {
        let is_test = file.ends_with("_tests.rs") || file.starts_with("crates/fixtures");
        file.contains("/src/") && !is_test
    });
    let marks = ["io::stdout", "io::stderr", "anstream::", "indicatif::"];
    let found = lines_with(&sources, &PRINTERS, &marks);
    assert!(
        found.is_empty(),
        "print through `Printer`:\n{}",
        found.join("\n")
    );
}

/// Returns the sources of the program without their tests.
fn program_sources() -> Vec<(String, String)> {
    let is_program = |file: &str| {
        let is_test = file.ends_with("tests.rs") || file.contains("/tests/");
        file.contains("/src/") && !is_test && !file.starts_with("crates/fixtures")
    };
    let mut files = rust_files();
    files.retain(|(file, _)| is_program(file));
    for (_, text) in &mut files {
        for tests in [
            "#[cfg(test)]\nmod tests {",
            "#[cfg(test)]\npub(crate) mod tests {",
        ] {
            let end = text.find(tests);
            text.truncate(end.unwrap_or(text.len()));
        }
    }
    files
}

/// The only sources that may compare versions: the type, the table of rules, and what a study may ask.
const COMPARERS: [&str; 4] = [
    "crates/format/src/feature.rs",
    "crates/units/src/kernel.rs",
    "crates/profiles/src/kernel.rs",
    "crates/profiles/src/kernel/table.rs",
];

/// Default kernels, and kernels to compare with. Only their rules matter.
const KERNELS: [&str; 4] = [
    "crates/calibrate/src/prepare.rs: KERNEL",
    "crates/diagnose/src/changes.rs: KERNEL_OLD",
    "crates/diagnose/src/changes.rs: KERNEL_NEW",
    "crates/worlds/src/model.rs: KERNEL_DEFAULT",
];

#[test]
fn only_the_table_of_rules_compares_kernel_versions() {
    let operators = ["<", "<=", ">", ">="];
    let compared = operators.map(|operator| format!("kernel {operator} "));
    let with_new = operators.map(|operator| format!(" {operator} KernelVersion"));
    let mut found = Vec::new();
    for (file, text) in program_sources() {
        if COMPARERS.contains(&file.as_str()) {
            continue;
        }
        for line in text.lines().filter(|line| !line.trim().starts_with("//")) {
            let name = line
                .split("const ")
                .nth(1)
                .and_then(|rest| rest.split(':').next());
            let is_named = KERNELS.contains(&format!("{file}: {}", name.unwrap_or("")).as_str());
            let marks = compared.iter().chain(&with_new);
            let compares = marks.into_iter().any(|mark| line.contains(mark.as_str()));
            if compares || (line.contains("KernelVersion::new(") && !is_named) {
                found.push(format!("{file}: {}", line.trim()));
            }
        }
    }
    assert!(
        found.is_empty(),
        "make it a rule in kernels/rules.toml, and ask the policy:\n{}",
        found.join("\n")
    );
}

/// Code that words reports. It takes every sentence from the catalogue; of commands, the printer's
/// types ensure that.
const WORDERS: [&str; 5] = [
    "crates/report/src/",
    "crates/diagnose/src/words.rs",
    "crates/stats/src/words.rs",
    "crates/analysis/src/",
    "crates/study/src/warning.rs",
];

/// Holds a sentence for readers whose browser runs no script, and so cannot choose a language.
const WITHOUT_SCRIPT: &str = "crates/report/src/html.rs";

/// Returns whether `text` has four words in a row.
fn is_sentence(text: &str) -> bool {
    let is_word = |word: &&str| word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase());
    let words: Vec<&str> = text.split(' ').collect();
    words.windows(4).any(|four| four.iter().all(is_word))
}

/// A sentence outside of the catalogue has no German, and its English differs from the page's.
#[test]
fn sentences_of_reports_come_from_the_catalogue() {
    let mut found = Vec::new();
    for (file, text) in program_sources() {
        let is_worded = WORDERS.iter().any(|words| file.starts_with(words));
        if !is_worded || file == WITHOUT_SCRIPT {
            continue;
        }
        let is_exempt = |line: &&str| {
            let exempt = [
                "//",
                "#[",
                "reason = ",
                ".expect(",
                "unreachable!",
                "assert",
            ];
            exempt
                .iter()
                .any(|mark| line.trim().starts_with(mark) || line.contains(mark))
        };
        for line in text.lines().filter(|line| !is_exempt(line)) {
            // Every second piece stands between quotes.
            if line.split('"').skip(1).step_by(2).any(is_sentence) {
                found.push(format!("{file}: {}", line.trim()));
            }
        }
    }
    assert!(
        found.is_empty(),
        "make it a message in crates/catalogue/messages:\n{}",
        found.join("\n")
    );
}

#[test]
fn a_sentence_is_recognised() {
    assert!(is_sentence("the disks are busy all the time"));
    assert!(!is_sentence("cpu of job {index}"));
    assert!(!is_sentence("warning-disks-unknown"));
}

#[test]
fn rules_that_no_code_reads_are_marked() {
    let sources = program_sources();
    for entry in stripewise_profiles::kernel::entries() {
        let field = entry.rule.rsplit('.').next().unwrap();
        let dotted = format!(".{field}");
        let is_read = sources.iter().any(|(_, text)| {
            text.match_indices(&dotted).any(|(at, _)| {
                let after = text[at + dotted.len()..].chars().next();
                !after.is_some_and(|next| next.is_alphanumeric() || next == '_')
            })
        });
        assert_eq!(
            is_read, !entry.not_yet_read,
            "`{}`: `not_yet_read` says otherwise",
            entry.rule
        );
    }
}

/// The only sources that may start a program.
const STARTERS: [&str; 3] = [
    "crates/process/src/call.rs",
    // A user's shell in a guest has no time limit, and the guest ends with us.
    "crates/lab/src/guest.rs",
    // A browser runs on without us.
    "crates/stripewise/src/commands/serve.rs",
];

#[test]
fn only_one_place_starts_programs_so_that_each_has_a_limit_and_an_end() {
    let mut found = Vec::new();
    for (file, text) in program_sources() {
        if STARTERS.contains(&file.as_str()) {
            continue;
        }
        let lines = text.lines().filter(|line| line.contains("Command::new"));
        found.extend(lines.map(|line| format!("{file}: {}", line.trim())));
    }
    let found = found.join("\n");
    assert!(found.is_empty(), "call through `process::Call`:\n{found}");
}

#[test]
fn the_architecture_page_names_every_crate() {
    let page = fs::read_to_string(repository().join("ARCHITECTURE.md")).unwrap();
    for entry in fs::read_dir(repository().join("crates")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            page.contains(&format!("| `{name}` |")),
            "ARCHITECTURE.md lacks `{name}`"
        );
    }
}

/// Each further program compiles the helpers and links again, and filters would need its name.
#[test]
fn a_crate_has_at_most_one_integration_program_and_it_is_called_it() {
    for entry in fs::read_dir(repository().join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        assert!(!manifest.contains("[[test]]"), "{}", folder.display());
        let Ok(tests) = fs::read_dir(folder.join("tests")) else {
            continue;
        };
        for test in tests {
            let path = test.unwrap().path();
            let is_program = path.extension().is_some_and(|extension| extension == "rs")
                || path.join("main.rs").exists();
            let is_it = path.file_stem().is_some_and(|name| name == "it");
            assert!(!is_program || is_it, "{}", path.display());
        }
    }
}

#[test]
fn every_dependency_has_its_reason_beside_it() {
    let manifest = fs::read_to_string(repository().join("Cargo.toml")).unwrap();
    let section = manifest.split("[workspace.dependencies]").nth(1).unwrap();
    let section = section.split("\n[").next().unwrap();
    for line in section
        .lines()
        .filter(|line| line.contains('=') && !line.contains("path ="))
    {
        assert!(line.contains(" # "), "no reason beside: {line}");
    }
}

/// It was a list of features with lines of up to 1,434 characters: nobody saw what had changed.
#[test]
fn the_changelog_says_each_change_in_a_line_under_its_head() {
    let log = fs::read_to_string(repository().join("CHANGELOG.md")).unwrap();
    let (_, log) = log.split_once("\n## Unreleased\n").unwrap();
    let (news, _) = log.split_once("\n## 0.1.0\n").unwrap();
    let heads = ["Safety and accuracy", "Speed", "Features", "Fixes"];
    for line in news.lines().filter(|line| !line.is_empty()) {
        let is_head = line
            .strip_prefix("### ")
            .is_some_and(|head| heads.contains(&head));
        let is_version = line.starts_with("## ");
        let is_change = line.starts_with("- ") && line.chars().count() <= 160;
        assert!(is_head || is_version || is_change, "{line}");
    }
}

#[test]
fn the_two_commands_of_the_readme_exist() {
    let readme = fs::read_to_string(repository().join("README.md")).unwrap();
    let makefile = fs::read_to_string(repository().join("Makefile")).unwrap();
    for command in ["demo", "test"] {
        assert!(
            readme
                .lines()
                .take(12)
                .any(|line| line.contains(&format!("make {command}")))
        );
        assert!(makefile.contains(&format!("\n{command}: ")));
    }
    let ci = fs::read_to_string(repository().join(".ci/run")).unwrap();
    assert!(ci.contains("make test"), "CI runs what the README says");
}
