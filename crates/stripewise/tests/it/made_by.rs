//! Numbers of documents. The failure: a page said that a rebuild takes 8 h 40 min, and the command
//! beside it, 57 min: a rule of the model had changed, and nobody had typed the command again.
//!
//! ```text
//! <!-- made by: stripewise run studies/governor.toml --world model && stripewise show latest --csv | awk ... -->
//! what the last command prints: as it is if it is a table, else between lines of ```
//! <!-- end -->
//! ```
//!
//! A test makes each block again and compares, and UPDATE_EXPECT=1 writes it. The commands run with
//! the root of the repository as their directory. Commands `stripewise run` and `pull-plug` that a
//! block begins with run once for all blocks of a page. Those that take long run only with
//! STRIPEWISE_TEST_DOCUMENTS=all, as in `make soak`, or with the pages that it names
//! (`docs/fsync.md,docs/kills.md`); else one cell of one of them is drawn, and its numbers are looked up
//! in the tables.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use expect_test::expect_file;
use stripewise_format::parse;
use stripewise_profiles::{Profiles, device_with_host};
use stripewise_study::plan::Study;
use toml_edit::{DocumentMut, Item, Table, Value, value};

use crate::documents::documents;
use crate::support::{Bench, Numbers, repository, say, seed};

/// Which blocks are made again.
const DOCUMENTS: &str = "STRIPEWISE_TEST_DOCUMENTS";
/// Studies that the model runs in about a second.
const FAST: [&str; 12] = [
    "docs/explain/bitmap.toml",
    "docs/explain/chunk.toml",
    "docs/explain/compression.toml",
    "docs/explain/dip.toml",
    "docs/explain/flush.toml",
    "docs/explain/governor.toml",
    "studies/governor.toml",
    "studies/lab/failed-disk.toml",
    "studies/lab/flush.toml",
    "studies/pull-plug.toml",
    "studies/raid5-settings.toml",
    "studies/sync-writes-small.toml",
];
/// Pages whose commands take long without a study: a race of many designs each.
const SLOW_PAGES: [&str; 2] = [
    "docs/advise-questions.md",
    "docs/advise-questions-servers.md",
];
/// How often a cell is drawn until a table has it.
const DRAWS_MAX: usize = 8;

const BEGIN: &str = "\n<!-- made by: ";
const BEGIN_END: &str = " -->\n";
const END: &str = "<!-- end -->";
/// What makes a run.
const RUNS: [&str; 2] = ["stripewise run ", "stripewise pull-plug "];

/// A block of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Block {
    command: String,
    content: String,
}

/// A document in pieces: text, block, text, block, ..., text.
pub(crate) struct Pieces {
    /// What is outside of blocks.
    pub(crate) texts: Vec<String>,
    blocks: Vec<Block>,
}

impl Pieces {
    /// Splits a document.
    pub(crate) fn of(name: &str, text: &str) -> Self {
        let mut parts = text.split(BEGIN);
        let mut pieces = Self {
            texts: vec![parts.next().unwrap().to_owned()],
            blocks: Vec::new(),
        };
        for part in parts {
            let (command, rest) = part
                .split_once(BEGIN_END)
                .unwrap_or_else(|| panic!("{name}: {part}"));
            let (content, text) = rest
                .split_once(END)
                .unwrap_or_else(|| panic!("{name}: no end: {command}"));
            pieces.texts.push(text.to_owned());
            pieces.blocks.push(Block {
                command: command.to_owned(),
                content: content.to_owned(),
            });
        }
        pieces
    }

    fn joined(&self) -> String {
        let mut text = self.texts[0].clone();
        for (block, after) in self.blocks.iter().zip(&self.texts[1..]) {
            let Block { command, content } = block;
            text += &format!("{BEGIN}{command}{BEGIN_END}{content}{END}{after}");
        }
        text
    }
}

impl Block {
    /// Returns the runs that the command begins with, as one command, and the rest.
    fn runs_and_rest(&self) -> (Option<&str>, &str) {
        let mut end = 0;
        let is_run = |command: &str| RUNS.iter().any(|run| command.starts_with(run));
        while is_run(&self.command[end..]) {
            let Some(length) = self.command[end..].find(" && ") else {
                break;
            };
            end += length + " && ".len();
        }
        let (runs, rest) = self.command.split_at(end);
        (runs.strip_suffix(" && "), rest)
    }

    /// Returns the study files of its runs.
    fn studies(&self) -> Vec<&str> {
        let (runs, _) = self.runs_and_rest();
        let studies = runs.unwrap_or_default().split(" && ");
        studies.filter_map(|run| run.split(' ').nth(2)).collect()
    }

    fn is_fast(&self) -> bool {
        self.studies().iter().all(|study| FAST.contains(study))
    }

    /// Whether a test of another crate makes it.
    fn is_of_a_test(&self) -> bool {
        self.command.starts_with("cargo test ")
    }
}

/// Makes a folder like `from`, with links to its files: one can be replaced without changing ours.
fn link_files(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let copy = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => link_files(&entry.path(), &copy),
            false => symlink(entry.path(), copy).unwrap(),
        }
    }
}

/// Makes blocks in a folder that looks like the root of the repository.
struct Maker {
    bench: Bench,
    folder: PathBuf,
    /// The folder of the store of each command that ran.
    stores: BTreeMap<String, PathBuf>,
}

impl Maker {
    /// Makes one; `narrowed` replaces a study.
    fn new(narrowed: Option<(&str, &str)>) -> Option<Self> {
        let bench = Bench::new()?;
        let folder = bench.path("root");
        fs::create_dir(&folder).unwrap();
        for name in ["ci", "crates", "docs", "kernels"] {
            symlink(repository().join(name), folder.join(name)).unwrap();
        }
        link_files(&repository().join("studies"), &folder.join("studies"));
        if let Some((study, text)) = narrowed {
            let link = folder.join(study);
            assert!(link.is_symlink() && !link.parent().unwrap().is_symlink());
            fs::remove_file(&link).unwrap();
            fs::write(link, text).unwrap();
        }
        let stores = BTreeMap::new();
        Some(Self {
            bench,
            folder,
            stores,
        })
    }

    /// Returns what a command prints.
    fn printed(&self, command: &str, store: &Path) -> String {
        let own = Path::new(env!("CARGO_BIN_EXE_stripewise"))
            .parent()
            .unwrap();
        let mut shell = self.bench.isolate(Command::new("bash"));
        let path = std::env::var("PATH").unwrap();
        shell.env("PATH", format!("{}:{path}", own.display()));
        shell.env("XDG_DATA_HOME", store).current_dir(&self.folder);
        shell.args(["-e", "-o", "pipefail", "-c", command]);
        let done = self.bench.finish(shell);
        assert_eq!(done.code, Some(0), "{command}\n{}", done.transcript());
        done.stdout
    }

    /// Returns the content of a block, made again.
    fn made(&mut self, block: &Block) -> String {
        let (runs, rest) = block.runs_and_rest();
        let mut store = self.bench.path("no-store");
        if let Some(runs) = runs {
            let count = self.stores.len();
            let place = self.bench.path(&format!("store-{count}"));
            if let Some(known) = self.stores.get(runs) {
                store.clone_from(known);
            } else {
                store.clone_from(&place);
                self.printed(runs, &store);
                self.stores.insert(runs.to_owned(), place);
            }
        }
        let printed = self.printed(rest, &store);
        assert!(!printed.is_empty(), "prints nothing: {rest}");
        match printed.starts_with('|') {
            true => printed,
            false => format!("```text\n{printed}```\n"),
        }
    }
}

#[test]
fn every_number_of_a_block_is_what_its_command_prints() {
    let wanted = std::env::var(DOCUMENTS).unwrap_or_default();
    let wanted: Vec<&str> = wanted.split(',').filter(|page| !page.is_empty()).collect();
    let mut slow = 0;
    for (name, text) in documents() {
        let wants_slow = wanted.contains(&"all") || wanted.contains(&name.as_str());
        let mut pieces = Pieces::of(&name, &text);
        if pieces.blocks.is_empty() {
            continue;
        }
        let Some(mut maker) = Maker::new(None) else {
            return;
        };
        for block in &mut pieces.blocks {
            if block.is_of_a_test() {
                continue;
            }
            let is_fast = block.is_fast() && !SLOW_PAGES.contains(&name.as_str());
            if !wants_slow && !is_fast {
                slow += 1;
                continue;
            }
            block.content = maker.made(block);
        }
        expect_file![repository().join(&name)].assert_eq(&pieces.joined());
    }
    if slow > 0 {
        say(&format!(
            "SKIPPED: {slow} blocks whose studies take long; {DOCUMENTS}=all makes them again"
        ));
    }
}

/// The other mark of a block that a test writes would be a second mechanism.
#[test]
fn a_block_that_a_test_makes_names_a_test_that_exists() {
    for (name, text) in documents() {
        let blocks = Pieces::of(&name, &text).blocks;
        for Block { command, .. } in blocks.iter().filter(|block| block.is_of_a_test()) {
            let words: Vec<&str> = command.split(' ').collect();
            let ["cargo", "test", "-p", package, test] = words[..] else {
                panic!("{name}: {command}: write it as `cargo test -p PACKAGE TEST`");
            };
            let folder = package.strip_prefix("stripewise-").unwrap_or(package);
            let tests = repository().join("crates").join(folder).join("tests");
            let file = tests.join("it").join(test).with_extension("rs");
            assert!(file.exists(), "{name}: no test {}", file.display());
        }
    }
}

/// Returns one of some values.
fn drawn<'a>(values: &'a [String], numbers: &mut Numbers) -> Option<&'a String> {
    let count = u64::try_from(values.len()).unwrap();
    let index = (count > 0).then(|| numbers.below(count))?;
    values.get(usize::try_from(index).unwrap())
}

/// Lists that are one value: a cell has all of it.
const WHOLE: [&str; 2] = ["devices", "neighbours"];

/// Keeps one drawn value of each list of alternatives.
fn draw_of_lists(table: &mut Table, numbers: &mut Numbers) {
    for (key, item) in table.iter_mut() {
        let Some(list) = item.as_array_mut() else {
            continue;
        };
        if WHOLE.contains(&key.get()) {
            continue;
        }
        let values: Vec<String> = list.iter().map(Value::to_string).collect();
        if let Some(kept) = drawn(&values, numbers) {
            let kept = kept.clone();
            list.retain(|value| value.to_string() == kept);
        }
    }
}

/// Returns a study with one drawn cell; `None` if the stack, workload and conditions drawn do not go together.
fn narrowed(name: &str, text: &str, numbers: &mut Numbers) -> Option<String> {
    let mut study: DocumentMut = text.parse().unwrap();
    // A cell alone would take the host that its own disks name.
    if let Some(host) = host_of_all(&parse(name, text).ok()?) {
        study.insert("host", value(host));
    }
    study.remove("compare");
    for section in ["stack", "workload", "conditions"] {
        let Some(section) = study.get_mut(section).and_then(Item::as_table_mut) else {
            continue;
        };
        let tables = section.iter().filter(|(_, item)| item.is_table());
        let names: Vec<String> = tables.map(|(name, _)| name.to_owned()).collect();
        if let Some(kept) = drawn(&names, numbers) {
            section.retain(|name, item| !item.is_table() || name == kept);
        }
        draw_of_lists(section, numbers);
        let tables = section.iter_mut().map(|(_, item)| item);
        for table in tables.filter_map(Item::as_table_mut) {
            draw_of_lists(table, numbers);
        }
    }
    let conditions = study.get("conditions").map(Item::to_string);
    let conditions = conditions.unwrap_or_default();
    if let Some(failures) = study.get_mut("failure").and_then(Item::as_table_mut) {
        // One that no cell has is an error.
        failures.retain(|failure, _| conditions.contains(&format!("\"{failure}\"")));
    }
    let text = study.to_string();
    let cells = parse(name, &text).ok()?.cells.len();
    (cells > 0).then_some(text)
}

/// Returns the host that the model takes for all cells of a study, if the study or a disk names one.
fn host_of_all(study: &Study) -> Option<String> {
    let profiles = Profiles::shipped();
    let devices = study
        .cells
        .iter()
        .map(|cell| profiles.devices_of(&cell.stack));
    let devices = devices.collect::<Result<Vec<_>, _>>().unwrap().concat();
    let fitted = device_with_host(devices.into_iter()).unwrap();
    (study.host.clone()).or_else(|| fitted.and_then(|device| device.host.clone()))
}

/// Returns the numbers of a table by the names of their row and column.
fn numbers_of(table: &str) -> BTreeMap<(String, String), String> {
    let split = |line: &str| -> Vec<String> {
        let cells = line.trim_matches('|').split('|');
        cells.map(|cell| cell.trim().to_owned()).collect()
    };
    let mut lines = table.lines().filter(|line| line.starts_with('|'));
    let head = lines.next().map(split).unwrap_or_default();
    let mut numbers = BTreeMap::new();
    for line in lines.skip(1) {
        let cells = split(line);
        for (column, cell) in head.iter().zip(&cells).skip(1) {
            numbers.insert((cells[0].clone(), column.clone()), cell.clone());
        }
    }
    numbers
}

#[test]
fn a_drawn_cell_of_a_long_study_is_in_its_tables() {
    let seed = seed();
    let mut numbers = Numbers::of(seed);
    let mut slow = Vec::new();
    for (name, text) in documents() {
        let blocks = Pieces::of(&name, &text).blocks.into_iter();
        let is_drawn = |block: &Block| !block.is_fast() && block.content.starts_with('|');
        slow.extend(blocks.filter(is_drawn).map(|block| (name.clone(), block)));
    }
    for _ in 0..DRAWS_MAX {
        let index = numbers.below(u64::try_from(slow.len()).unwrap());
        let (name, block) = &slow[usize::try_from(index).unwrap()];
        let study = block.studies()[0];
        let text = fs::read_to_string(repository().join(study)).unwrap();
        let Some(text) = narrowed(study, &text, &mut numbers) else {
            continue;
        };
        let Some(mut maker) = Maker::new(Some((study, &text))) else {
            return;
        };
        let written = numbers_of(&block.content);
        let mut found = numbers_of(&maker.made(block));
        // Nothing to compare with was drawn.
        found.retain(|_, number| number != "-");
        for (place, number) in &found {
            let same = written.get(place);
            assert_eq!(
                same,
                Some(number),
                "{name}, {place:?}, seed {seed}; {DOCUMENTS}=all UPDATE_EXPECT=1 writes it\n{text}"
            );
        }
        if let Some((row, column)) = found.keys().next() {
            say(&format!("seed {seed}: {name}: {row}, {column}"));
            return;
        }
    }
    panic!("seed {seed}: no drawn cell is in a table");
}

#[test]
fn a_document_is_split_and_joined() {
    let text = "a\n<!-- made by: stripewise run b.toml --seed 1 && stripewise run c.toml && stripewise show 2 | awk 'd && e' -->\n| f |\n<!-- end -->\ng\n";
    let pieces = Pieces::of("page.md", text);
    assert_eq!(pieces.joined(), text);
    let block = &pieces.blocks[0];
    assert_eq!(block.content, "| f |\n");
    assert_eq!(
        block.runs_and_rest(),
        (
            Some("stripewise run b.toml --seed 1 && stripewise run c.toml"),
            "stripewise show 2 | awk 'd && e'"
        )
    );
    assert_eq!(block.studies(), ["b.toml", "c.toml"]);
    let numbers = numbers_of("| | x | y |\n|---|--:|--:|\n| a b | 1 | - |\n");
    assert_eq!(numbers[&("a b".to_owned(), "y".to_owned())], "-");
}
