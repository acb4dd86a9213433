//! Every command with hostile text in each of its inputs: arguments, file names, studies, profiles,
//! stores, files of other programs, the environment, the output of other programs.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use stripewise_results::Store;

use super::hostile::{
    HostileRuns, add_hostile_runs, announce_hostile_changes, evil, evil_in_json, evil_in_toml,
};
use super::{Bench, QUICK, entries};

#[path = "hostile_history.rs"]
mod history;
#[path = "hostile_traces.rs"]
mod traces;

/// A study that the model answers in a moment.
const STUDY: &str = r#"
kernel = "4.1"
host = "test-host"
[stack.one]
devices = { test-ssd = 1 }
filesystem = "none"
[workload]
pattern = "randread"
block_size = ["4K", "64K"]
size = "16M"
[repeat]
sample = "50ms"
[compare]
baseline = { block_size = "4K" }
"#;

/// The columns of a file of points.
const POINTS: &str = "stack,pattern,block_size_bytes,jobs,depth,bandwidth_bytes_per_s\n";

/// The kind of a command's stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stdout {
    /// Text for people, or JSON: safe wherever it goes.
    Text,
    /// A file for other programs: escaped on a terminal, unchanged elsewhere.
    File,
}

/// A command with hostile text in something that it reads.
pub(crate) struct Case {
    /// The command, as words: `import fio`.
    pub(crate) command: String,
    /// Where the hostile text is.
    pub(crate) place: String,
    pub(crate) stdout: Stdout,
    arguments: Vec<OsString>,
    variables: Vec<(&'static str, OsString)>,
    /// The name of the program, where it is hostile.
    name: Option<String>,
}

impl Case {
    /// Returns a case of arguments in a line, with a space between two.
    fn new(command: &str, place: &str, arguments: &str) -> Self {
        let words = arguments.split(' ').filter(|word| !word.is_empty());
        Self {
            command: command.to_owned(),
            place: place.to_owned(),
            stdout: Stdout::Text,
            arguments: words.map(OsString::from).collect(),
            variables: Vec::new(),
            name: None,
        }
    }

    /// Marks stdout as a file for other programs.
    fn prints_a_file(mut self) -> Self {
        self.stdout = Stdout::File;
        self
    }

    /// Adds an argument.
    fn with(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Sets a variable of the environment.
    fn variable(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    /// Returns the command of the case.
    pub(crate) fn command(&self, bench: &Bench) -> Command {
        let mut command = bench.command();
        command.args(self.command.split_ascii_whitespace());
        command.args(&self.arguments);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        if let Some(name) = &self.name {
            command.arg0(name);
        }
        command
    }
}

/// Returns every command of the program, as words. It reads them from the completions, which are
/// generated from the definition of the options and so are complete.
pub(crate) fn commands(bench: &Bench) -> BTreeSet<String> {
    let mut command = bench.command();
    command.args(["completions", "bash"]);
    let script = bench.finish(command).stdout;
    let lines: Vec<&str> = script.lines().map(str::trim).collect();
    let mut names = BTreeMap::from([("stripewise", String::new())]);
    for pair in lines.windows(2) {
        let arm = pair[0]
            .strip_suffix(')')
            .and_then(|arm| arm.split_once(','));
        let state = pair[1].strip_prefix("cmd=\"");
        let state = state.and_then(|state| state.strip_suffix('"'));
        if let (Some((parent, name)), Some(state)) = (arm, state)
            && let Some(words) = names.get(parent)
        {
            let words = format!("{words} {name}");
            names.insert(state, words.trim().to_owned());
        }
    }
    let commands: BTreeSet<String> = names.into_values().collect();
    assert!(commands.contains("import fio") && commands.contains("lab-guest"));
    // `help help` is `help`.
    let is_own = |command: &String| command.split(' ').rev().skip(1).all(|word| word != "help");
    commands.into_iter().filter(is_own).collect()
}

/// A bench with hostile files in it.
pub(crate) struct Fixture {
    pub(crate) bench: Bench,
    runs: HostileRuns,
}

impl Fixture {
    /// Makes the files; `None`, and a remark, if this machine has no place for them.
    pub(crate) fn new() -> Option<Self> {
        let bench = Bench::new()?;
        let profiles = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/profiles");
        for kind in ["devices", "hosts"] {
            fs::create_dir(bench.path(kind)).unwrap();
            for entry in fs::read_dir(profiles.join(kind)).unwrap() {
                let entry = entry.unwrap();
                fs::copy(entry.path(), bench.path(kind).join(entry.file_name())).unwrap();
            }
        }
        bench.write("good.toml", STUDY);
        let done = bench.finish(bench.stored("run good.toml --world model --quiet"));
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        let good = bench.stored_run(1);
        let runs = add_hostile_runs(&mut bench.store(), &good);
        fs::copy(bench.store_path(), bench.path("changes.db")).unwrap();
        let mut changes = Store::open(&bench.path("changes.db")).unwrap();
        announce_hostile_changes(&mut changes, 1);
        drop(changes);
        fs::create_dir(bench.path(&evil())).unwrap();
        let fixture = Self { bench, runs };
        fixture.write_programs();
        Some(fixture)
    }

    /// Makes programs that all print hostile text and fail.
    fn write_programs(&self) {
        let folder = self.bench.path("programs");
        fs::create_dir(&folder).unwrap();
        let words = self.bench.write("words", &format!("{}\n", evil()));
        let words = words.display();
        let script = format!("#!/bin/sh\n/bin/cat '{words}'\n/bin/cat '{words}' >&2\nexit 3\n");
        let programs = "fio qemu-system-x86_64 apt-get apt-cache dpkg-deb tar make gcc readelf \
                        mke2fs ldd xz zstd";
        for name in programs.split_ascii_whitespace() {
            let path = folder.join(name);
            fs::write(&path, &script).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    /// Returns a case whose PATH holds only programs that print hostile text.
    fn among_hostile_programs(&self, case: Case) -> Case {
        case.variable("PATH", self.bench.path("programs"))
    }

    /// Returns the number of a run in which every text is hostile.
    pub(crate) fn hostile_run(&self) -> i64 {
        self.runs.first
    }

    /// Returns a case with the store that holds hostile runs.
    fn stored(&self, command: &str, place: &str, arguments: &str) -> Case {
        Case::new(command, place, arguments)
            .with("--store")
            .with(self.bench.store_path())
    }

    /// Returns all cases of these commands.
    pub(crate) fn cases(&self, commands: &BTreeSet<String>) -> Vec<Case> {
        let mut cases = self.of_studies();
        cases.extend(self.of_measurements());
        cases.extend(self.of_profiles());
        cases.extend(self.of_runs());
        cases.extend(self.of_stores());
        cases.extend(self.of_imports());
        cases.extend(history::cases(self));
        cases.extend(traces::cases(self));
        cases.extend(self.of_the_lab());
        cases.extend(of_the_rest());
        let with_case: BTreeSet<&str> = cases.iter().map(|case| case.command.as_str()).collect();
        // These read only their arguments, which every command gets below, and what starts them.
        let without_input = [
            "",
            "cut-agent",
            "host-agent",
            "lab-guest",
            "store",
            "studies",
            "workloads",
        ];
        for name in commands.iter().map(String::as_str) {
            let is_covered = with_case.contains(name)
                || without_input.contains(&name)
                || name.ends_with(" help");
            assert!(
                is_covered,
                "`{name}` has no hostile input: add a case for it"
            );
        }
        assert!(with_case.iter().all(|name| commands.contains(*name)));
        for command in commands {
            cases.push(Case::new(
                command,
                "an unknown option",
                &format!("--{}", evil()),
            ));
            cases.push(Case::new(
                command,
                "arguments",
                &[evil(), evil(), evil()].join(" "),
            ));
            let mut help = Case::new(command, "the name of the program", "--help");
            help.name = Some(evil());
            cases.push(help);
        }
        cases
    }

    /// Commands that read a study.
    fn of_studies(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        self.bench.write("points.csv", POINTS);
        let question = format!("question = \"{}\"\n{STUDY}", evil_in_toml());
        self.bench.write(&format!("{}.toml", evil()), &question);
        let mistake = format!("{}-mistaken.toml", evil());
        self.bench.write(&mistake, &format!("x = 1\n{STUDY}"));
        let (name, job) = (format!("{}.fio", evil()), evil());
        let jobs = format!(
            "[{job}]\nrw=read\nsize=1m\nexec_prerun={job}\n[b]\nrw={job}\nsize=1m\n{job}={job}\n"
        );
        self.bench.write(&name, &jobs);
        self.bench.write("line.fio", &format!("{job}\n"));
        for file in [&*name, "line.fio"] {
            for (command, more) in [("study", ""), ("study", "--json"), ("run", "--store x.db")] {
                cases.push(Case::new(command, "a job file of fio", more).with(file));
            }
        }
        for (number, (_, text)) in mistaken_studies().iter().enumerate() {
            self.bench.write(&format!("mistaken-{number}.toml"), text);
        }
        for (command, more) in [
            ("study", ""),
            ("study", "--json"),
            ("run", "--world model --store fresh.db"),
            ("pull-plug", "--world model --store cuts.db"),
            ("why", "--cell 1"),
            ("lab shell", "--cache cache"),
            ("calibrate", "--out out --points points.csv"),
        ] {
            let with = |place: &str, study: &str| Case::new(command, place, more).with(study);
            cases.push(with(
                "the name of a missing study",
                &format!("{}-missing", evil()),
            ));
            cases.push(with(
                "a question and the name of its file",
                &format!("{}.toml", evil()),
            ));
            cases.push(with("the name of a file with a mistake", &mistake));
            let no_text = OsString::from_vec(b"evil\x9b31mbait\xff.toml".to_vec());
            cases.push(Case::new(command, "a name that is no text", more).with(no_text));
            // `study` covers every mistake; the others print mistakes in the same way.
            let mistakes = mistaken_studies();
            let shown = if command == "study" && more.is_empty() {
                mistakes.len()
            } else {
                4
            };
            for (number, (place, _)) in mistakes.iter().enumerate().take(shown) {
                cases.push(with(place, &format!("mistaken-{number}.toml")));
            }
        }
        for (command, option) in [
            ("run", "target"),
            ("run", "yes-destroy"),
            ("run", "kernel"),
            ("run", "profiles"),
            ("run", "store"),
            ("run", "budget"),
            ("pull-plug", "kernel"),
            ("pull-plug", "profiles"),
            ("pull-plug", "store"),
            ("pull-plug", "survive"),
            ("study", "profiles"),
            ("why", "cell"),
            ("why", "cell stack="),
            ("why", "profiles"),
            ("lab shell", "stack"),
        ] {
            let space = if option.contains(' ') { "" } else { " " };
            let arguments = format!("good.toml --{option}{space}{}", evil());
            cases.push(Case::new(command, option, &arguments));
        }
        cases
    }

    /// Text from fio and the machine during a measurement.
    fn of_measurements(&self) -> Vec<Case> {
        let quick = QUICK.replace("Is it quick?", &evil_in_toml());
        self.bench.write("quick.toml", &quick);
        let run = |place: &str| Case::new("run", place, "quick.toml --store metal.db --target");
        let calibrate = "--out out --store metal.db --target target";
        vec![
            run("the name of the target").with(evil()),
            run("the version of fio")
                .with("target")
                .variable("FAKE_FIO_VERSION", evil()),
            self.among_hostile_programs(run("the words of fio").with("target")),
            Case::new("check", "the name of a rule", "--explain").with(evil()),
            Case::new("check", "the name of a tree", "--root").with(evil()),
            Case::new("collect", "the name of the directory", "--out")
                .with(self.bench.path("good.toml").join(evil())),
            Case::new("facts", "the name of the target", "--target").with(evil()),
            Case::new("facts", "the same as JSON", "--json --target").with(evil()),
            Case::new(
                "facts",
                "a missing target",
                &format!("--target missing/{}", evil()),
            ),
            Case::new("facts", "the version of fio", "").variable("FAKE_FIO_VERSION", evil()),
            self.among_hostile_programs(Case::new("calibrate", "the words of fio", calibrate)),
        ]
    }

    /// Profiles, and questions without a study.
    fn of_profiles(&self) -> Vec<Case> {
        let profile = fs::read_to_string(self.bench.path("devices/test-ssd.toml")).unwrap();
        let toml = evil_in_toml();
        let words = ["Invented for tests", "SATA SSD", "all of it"];
        let worded = words
            .iter()
            .fold(profile.clone(), |text, word| text.replace(word, &toml));
        let texts = [
            ("a profile that is no TOML", evil()),
            (
                "an unknown key of a profile",
                format!("\"{toml}\" = 1\n{profile}"),
            ),
            (
                "the name in a profile",
                profile.replace("\"test-ssd\"", &format!("\"{toml}\"")),
            ),
            ("the words of a profile", worded),
        ];
        let question = "--kernel 4.1 --array raid1:2 --workload randread:4K";
        let mut cases = Vec::new();
        for (number, (place, text)) in texts.iter().enumerate() {
            let folder = format!("profiles-{number}");
            fs::create_dir_all(self.bench.path(&folder).join("devices")).unwrap();
            self.bench
                .write(&format!("{folder}/devices/test-ssd.toml"), text);
            let named = format!("--profiles {folder}");
            let asked = format!("{named} --device test-ssd {question}");
            cases.push(Case::new("predict", place, &asked));
            cases.push(Case::new("predict", place, &format!("{asked} --json")));
            let advised = format!("{named} --devices 2xtest-ssd --workload randread:4K");
            cases.push(Case::new("advise", place, &advised));
            for words in ["", " --json", " test-ssd", " test-ssd --json"] {
                cases.push(Case::new("profiles", place, &format!("{named}{words}")));
            }
            cases.push(Case::new(
                "why",
                place,
                &format!("good.toml --cell 1 {named}"),
            ));
            if !place.starts_with("the words") {
                cases.push(Case::new("serve", place, &named));
            }
        }
        let options = "array workload size bitmap filesystem host governor profiles kernel count \
                       failed state trace";
        for option in options.split_ascii_whitespace() {
            let words = format!("--device test-ssd {question} --{option} {}", evil());
            cases.push(Case::new("predict", option, &words));
        }
        for (place, option) in [
            ("a name", ""),
            ("a study", "--study "),
            ("a place", "--profiles "),
        ] {
            cases.push(Case::new("profiles", place, &format!("{option}{}", evil())));
        }
        let device = format!("--device {} {question}", evil());
        cases.push(Case::new("predict", "a device", &device));
        let load = format!("--device test-ssd --workload randread:{}", evil());
        cases.push(Case::new("predict", "a block size", &load));
        cases
    }

    /// Commands that read runs.
    fn of_runs(&self) -> Vec<Case> {
        let HostileRuns {
            first,
            twin,
            mistaken,
            elsewhere,
            moved,
            unfit,
        } = self.runs;
        let evil = evil();
        let mut cases = Vec::new();
        for (command, place, arguments) in [
            ("runs", "runs", String::new()),
            ("runs", "runs as JSON", "--json".to_owned()),
            ("runs", "a tag", format!("--tag {evil}")),
            ("rename", "a name", format!("{first} {evil}")),
            ("rename", "a tag", format!("{first} --tag {evil}")),
            (
                "rename",
                "a run with hostile tags",
                format!("{twin} --untag none"),
            ),
            ("delete", "runs", format!("{first} {twin}")),
            ("delete", "a run and a name", format!("{first} {evil}")),
            ("show", "a run", first.to_string()),
            ("show", "a run in sentences", format!("{first} --plain")),
            ("show", "a run as JSON", format!("{first} --json")),
            ("show", "counts", format!("{first} --count")),
            ("report", "a run as JSON", format!("{first} --json")),
            ("report", "a file", format!("{first} -o good.toml/{evil}")),
            ("report", "a new file", format!("{first} -o {evil}.html")),
            ("compare", "runs", format!("{first} {twin}")),
            ("compare", "runs as JSON", format!("{first} {twin} --json")),
            (
                "compare",
                "runs without a common cell",
                format!("1 {first}"),
            ),
            (
                "compare",
                "keys to ignore",
                format!("1 {first} --ignore {evil},size"),
            ),
            (
                "compare",
                "a run",
                format!("{first} --baseline block_size=4K"),
            ),
            (
                "compare",
                "a baseline",
                format!("{first} --baseline {evil}={evil}"),
            ),
            ("resume", "a mistaken study", mistaken.to_string()),
            ("resume", "a world", elsewhere.to_string()),
            ("resume", "another machine", moved.to_string()),
            ("resume", "options", unfit.to_string()),
            ("calibrate", "a run", format!("--run {first} --out out")),
            (
                "calibrate",
                "a name",
                format!("--run {first} --out out --name {evil}"),
            ),
            (
                "calibrate",
                "a folder",
                format!("--run 1 --out good.toml/{evil}"),
            ),
            ("export", "figures", format!("{first} --list-figures")),
            (
                "export",
                "a figure",
                format!("{first} --format svg --figure {evil}"),
            ),
            ("export", "a file", format!("{first} -o {evil}")),
            (
                "export",
                "a file of a format",
                format!("{first} -o missing/{evil}.csv"),
            ),
        ] {
            cases.push(self.stored(command, place, &arguments));
        }
        for format in ["csv", "json", "markdown", "openmetrics", "svg"] {
            let arguments = format!("{first} --format {format}");
            cases.push(self.stored("export", format, &arguments).prints_a_file());
        }
        cases.push(
            self.stored("show", "CSV", &format!("{first} --csv"))
                .prints_a_file(),
        );
        let page = format!("{first} {twin} -o -");
        cases.push(self.stored("report", "a page", &page).prints_a_file());
        cases
    }

    /// Stores that cannot be read, or hold changes.
    fn of_stores(&self) -> Vec<Case> {
        let broken = format!("{}.db", evil());
        self.bench.write(&broken, "no store");
        let missing = format!("missing/{}", evil());
        let mut cases = vec![
            Case::new("restore", "changes that are undone", "--store changes.db"),
            Case::new("runs", "a home", "").variable("XDG_DATA_HOME", format!("/{missing}")),
        ];
        for (command, more) in [
            ("runs", ""),
            ("show", ""),
            ("report", ""),
            ("resume", ""),
            ("restore", ""),
            ("compare", "1"),
            ("export", "--format csv"),
        ] {
            for (place, store) in [("a missing store", &missing), ("no store", &broken)] {
                let arguments = format!("{more} --store {store}");
                cases.push(Case::new(command, place, &arguments));
            }
        }
        cases
    }

    /// Files of other programs.
    fn of_imports(&self) -> Vec<Case> {
        let export = self.exported("json", self.runs.first);
        let state = format!("\"state\":{}", evil_in_json());
        let csv = self.exported("csv", 1);
        let [named, versioned, patterned] = fio_results();
        let golden = |kernel: &str| {
            let tools = "\"mdadm\":\"\",\"fio\":\"\"";
            format!("{{\"schema\":1,\"kernel\":{kernel},{tools}}}\n")
        };
        let point = format!("one,{0},4096,1,1,1e6\n{0},randread,4096,1,1,{0}\n", evil());
        let mut cases = Vec::new();
        for (number, (command, place, text)) in [
            ("import fio", "no JSON", evil()),
            (
                "import fio",
                "words before JSON",
                format!("{}\n{named}", evil()),
            ),
            ("import fio", "names of jobs", named),
            ("import fio", "a version", versioned),
            ("import fio", "patterns", patterned),
            (
                "import fio",
                "a wrong type",
                format!("{{\"jobs\": {}}}", evil_in_json()),
            ),
            ("import export", "no JSON", evil()),
            (
                "import export",
                "a wrong type",
                export.replacen("\"state\":\"done\"", &state, 1),
            ),
            ("import export", "a run", export),
            (
                "import export",
                "a format",
                format!("{{\"format\": {}}}", evil_in_json()),
            ),
            (
                "import export",
                "a head of CSV",
                csv.replacen("study", &evil(), 1),
            ),
            (
                "calibrate",
                "a head of points",
                format!("stack,{}\n", evil()),
            ),
            ("calibrate", "points", format!("{POINTS}{point}")),
            ("verify-model", "no JSON", evil()),
            ("verify-model", "a kernel", golden(&evil_in_json())),
            (
                "verify-model",
                "a case",
                format!("{}{}", golden("\"6.1\""), evil_in_json()),
            ),
        ]
        .into_iter()
        .enumerate()
        {
            let file = format!("imports-{number}/{}", evil());
            fs::create_dir(self.bench.path(&format!("imports-{number}"))).unwrap();
            self.bench.write(&file, &text);
            let arguments = match command {
                "calibrate" => format!("--out out good.toml --points {file}"),
                "verify-model" => format!("--golden {file}"),
                _ => format!("{file} --store imports-{number}/new.db"),
            };
            cases.push(Case::new(command, place, &arguments));
            if command.starts_with("import") {
                cases.push(Case::new(command, place, &format!("{arguments} --json")));
            }
        }
        cases
    }

    /// Returns a run as a file.
    fn exported(&self, format: &str, run: i64) -> String {
        let command = self
            .bench
            .stored(&format!("export {run} --format {format}"));
        self.bench.finish(command).stdout
    }

    fn of_the_lab(&self) -> Vec<Case> {
        let guest = format!("guests/guests/{}", evil());
        fs::create_dir_all(self.bench.path(&guest)).unwrap();
        let manifest = format!(
            "{{\"schema\":1,\"tool_version\":{0},\"kernel\":{0},\"is_default\":true,\
             \"recipe_sha256\":{0},\"sources_sha256\":null,\"compiler\":{0},\"packages\":[],\
             \"files\":{{}}}}",
            evil_in_json()
        );
        self.bench
            .write(&format!("{guest}/manifest.json"), &manifest);
        self.bench.write("bad.list", &format!("{}\n", evil()));
        let missing = format!("/proc/{}", evil());
        let cache = "STRIPEWISE_LAB_CACHE";
        let mut cases = vec![Case::new(
            "lab shell",
            "a cache",
            &format!("good.toml --cache {missing}"),
        )];
        // The programs of this machine are not used: building a guest takes minutes.
        for case in [
            Case::new("lab doctor", "the words of programs", "--cache cache"),
            Case::new("lab doctor", "the same as JSON", "--cache cache --json"),
            Case::new("lab doctor", "a cache", &format!("--cache {missing}")),
            Case::new("lab doctor", "a cache in the environment", "").variable(cache, &missing),
            Case::new("lab doctor", "a guest", "--cache guests"),
            Case::new("lab prepare", "the words of programs", "--cache cache-1"),
            Case::new("lab prepare", "a cache", &format!("--cache {missing}")),
            Case::new(
                "lab prepare",
                "a kernel",
                &format!("--cache cache-2 --kernel 6.1-{}", evil()),
            ),
            Case::new(
                "lab prepare",
                "missing sources",
                &format!("--cache cache-3 --sources missing/{}", evil()),
            ),
            Case::new(
                "lab prepare",
                "sources",
                "--cache cache-4 --sources bad.list",
            ),
        ] {
            cases.push(self.among_hostile_programs(case));
        }
        cases
    }
}

/// The remaining cases: arguments, and commands that print files.
fn of_the_rest() -> Vec<Case> {
    let evil = evil();
    let mut cases = vec![
        Case::new("man", "a folder", &format!("--out missing/{evil}")),
        Case::new("man", "the page", "").prints_a_file(),
        Case::new("serve", "a port", &format!("--port {evil}")),
        Case::new("help", "a command", &evil),
        Case::new("lab", "a command", &evil),
        Case::new("import", "a command", &evil),
        Case::new("site", "a command", &evil),
    ];
    cases.extend(of_sites());
    for option in ["golden", "level", "kernel", "cache"] {
        cases.push(Case::new(
            "verify-model",
            option,
            &format!("--{option} {evil}-missing"),
        ));
    }
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        cases.push(Case::new("completions", shell, shell).prints_a_file());
    }
    cases
}

/// Dumps and folders of a web site whose names and contents are hostile.
fn of_sites() -> Vec<Case> {
    let evil = evil();
    let pair = format!("--from {evil} --to http://new.example words");
    let mut cases = vec![
        Case::new("site rewrite", "an address", &pair).prints_a_file(),
        Case::new("site scan", "an address", &format!("--from {evil} words")),
        Case::new("site verify", "an address", &format!("--from {evil} words")),
    ];
    for command in ["site rewrite", "site scan", "site verify"] {
        let file = format!("--from http://a.example --to http://b.example {evil}-missing");
        let file = match command {
            "site rewrite" => file,
            _ => format!("--from http://a.example {evil}-missing"),
        };
        cases.push(Case::new(command, "a file", &file));
    }
    for option in ["root", "server-user", "server-group"] {
        cases.push(Case::new(
            "site permissions",
            option,
            &format!("--{option} {evil}-missing"),
        ));
    }
    cases
}

/// Studies with mistakes, each with the place of its hostile text.
fn mistaken_studies() -> Vec<(&'static str, String)> {
    let toml = evil_in_toml();
    let quoted = format!("\"{toml}\"");
    let stack = |line: String| STUDY.replace("filesystem = \"none\"", &line);
    vec![
        ("no TOML", evil()),
        ("a raw string", format!("question = \"{}\"", evil())),
        ("a comment", format!("# {}\n{STUDY}", evil())),
        ("an unknown key", format!("{quoted} = 1\n{STUDY}")),
        (
            "a stack",
            format!("{STUDY}\n[stack.{quoted}]\nfilesystem = \"none\""),
        ),
        ("a pattern", STUDY.replace("randread", &toml)),
        ("a size", STUDY.replace("64K", &toml)),
        ("a kernel", STUDY.replace("4.1", &toml)),
        ("a host profile", STUDY.replace("test-host", &toml)),
        ("a device profile", STUDY.replace("test-ssd", &quoted)),
        ("a filesystem", stack(format!("filesystem = {quoted}"))),
        ("an array", stack(format!("array = {{ level = {quoted} }}"))),
        (
            "an option",
            stack(format!(
                "filesystem = {{ kind = \"ext4\", options = [{quoted}] }}"
            )),
        ),
        (
            "a device",
            format!("{STUDY}\n[may_destroy]\ntest-ssd = [\"/dev/{toml}\"]"),
        ),
        (
            "a baseline",
            STUDY.replace("\"4K\" }", &format!("{quoted} }}")),
        ),
    ]
}

/// Returns output of fio with hostile names, a hostile version, and hostile patterns.
fn fio_results() -> [String; 3] {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fio/tests/data");
    let mut paths = entries(&data);
    paths.sort_unstable();
    let results = paths.iter().find_map(|path| {
        let text = fs::read_to_string(path).ok()?;
        let value: serde_json::Value = serde_json::from_str(&text).ok()?;
        value["jobs"].is_array().then_some(value)
    });
    let with = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut results = results.clone().unwrap();
        for job in results["jobs"].as_array_mut().unwrap() {
            job["jobname"] = evil().into();
            change(job);
        }
        results
    };
    let named = with(&|job| job["job options"][evil()] = evil().into());
    let mut versioned = named.clone();
    versioned["fio version"] = evil().into();
    let patterned = with(&|job| job["job options"]["rw"] = evil().into());
    [named, versioned, patterned].map(|results| results.to_string())
}
