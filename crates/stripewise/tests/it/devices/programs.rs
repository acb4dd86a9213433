//! Power cuts of a program of the user's: `pull-plug --program` and `[program]`.
//!
//! The failures: a study from a stranger runs a program as root that nobody confirmed; a program reads
//! the user's keys or writes beside the disk that is cut; a correct store is accused; and a store that
//! forgets one flush in a hundred passes twenty random cuts.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use stripewise_fixtures::loops::has;

use super::LoneBench;
use super::cuts::{leftovers, set_up_cuts};
use crate::support::Bench;

const PYTHON: &str = "/usr/bin/python3";

fn set_up(what: &str) -> Option<LoneBench> {
    let bench = set_up_cuts(what)?;
    (has("bwrap", what) && has("setpriv", what) && has("prlimit", what)).then_some(bench)
}

fn planted() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/devices/planted_store.py")
}

/// Returns an executable script in the bench.
fn script(bench: &Bench, name: &str, text: &str) -> PathBuf {
    let path = bench.write(name, text);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn pull_plug(bench: &Bench, options: &str, program: &Path, arguments: &[&str]) -> Command {
    let mut command = bench.stored("pull-plug --disk-size 64M --seed 7");
    command.args(options.split_whitespace());
    command
        .arg("--program")
        .arg(program)
        .arg("--")
        .args(arguments);
    command
}

/// Returns the cuts of the only cell.
fn cuts(document: &Value) -> Vec<&Value> {
    let samples = document["cells"][0]["samples"].as_array().unwrap();
    samples.iter().map(|sample| &sample["cut"]).collect()
}

fn losses(document: &Value) -> Vec<bool> {
    let lost = |cut: &&Value| match cut["outcome"]["kind"].as_str().unwrap() {
        "came_back" => cut["outcome"]["records"] != 0 || cut["outcome"]["corrupt"] != 0,
        "unusable" => true,
        _ => panic!("{cut}"),
    };
    cuts(document).iter().map(lost).collect()
}

/// A store of one file: `MODE` decides how it makes a value durable and when it waits.
const STORE: &str = r#"#!/bin/sh
mode=$1
if [ "$STRIPEWISE_PHASE" = check ]; then
    [ "$mode" != closed ] || { echo cannot open >&2; exit 3; }
    [ -f log ] || exit 0
    while read -r word number rest; do
        [ "$rest" = . ] && echo "ack $number 0 $word"
    done <log
    exit 0
fi
: >log; sync log .
number=0
while [ $number -lt 20 ]; do
    number=$((number + 1))
    echo "value $number ." >>log
    [ "$mode" = lazy ] || sync log
    echo "ack $number 0 value"
done
[ "$mode" != quiet ] || { echo quiet; sleep 60; }
"#;

#[test]
fn a_flushed_store_keeps_its_promises_and_a_lazy_one_breaks_them_after_its_end() {
    let Some(bench) = set_up("power cuts of a program") else {
        return;
    };
    let store = script(&bench, "store.sh", STORE);
    for (mode, cut_at, expected) in [
        ("flushed", "end", false),
        ("lazy", "end:50ms", true),
        ("quiet", "quiet:50ms", false),
    ] {
        let options = format!(
            "--cuts 2 --images 2 --survive dropped --cut-at {cut_at} --fail-on-loss --json"
        );
        let done = bench.finish(pull_plug(&bench, &options, &store, &[mode]));
        assert_eq!(
            done.code,
            Some(i32::from(expected)),
            "{mode}: {}",
            done.stderr
        );
        let document: Value = serde_json::from_str(&done.stdout).unwrap();
        for cut in cuts(&document) {
            assert_eq!(cut["acknowledged"], 20, "{mode}: {cut}");
            let missing = &cut["outcome"]["values"]["missing"];
            assert_eq!(missing, if expected { 20 } else { 0 }, "{mode}: {cut}");
        }
        // Its path and checksum are in the run.
        let tools = document["facts"]["tools"].to_string();
        assert!(tools.contains("SHA-256"), "{tools}");
    }
    assert_eq!(leftovers(&bench), Vec::<String>::new());
    bench.assert_clean();
}

#[test]
fn a_store_that_does_not_open_is_a_failed_test_case_for_ci() {
    let Some(bench) = set_up("a program that does not open its store") else {
        return;
    };
    let store = script(&bench, "store.sh", STORE);
    let command = pull_plug(
        &bench,
        "--cuts 1 --cut-at end --fail-on-loss --format junit",
        &store,
        &["closed"],
    );
    let done = bench.finish(command);
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    assert!(done.stdout.contains("failures=\"1\""), "{}", done.stdout);
    let mut show = bench.stored("show latest");
    show.env("COLUMNS", "200");
    let shown = bench.finish(show).stdout;
    assert!(shown.contains("cannot open"), "{shown}");
}

/// Prints what the program can see and do as hashes of an acknowledgement.
const NOSY: &str = r#"#!/bin/sh
if [ "$STRIPEWISE_PHASE" = load ]; then
    say() { echo "ack $1 0 $2"; }
    say user "$(id -u):$(id -g):$(id -G | tr ' ' +)"
    say root "$(ls / | tr '\n' '+')"
    say home "$(ls -d /home /root /run /var /sys /mnt 2>/dev/null | tr '\n' '+')."
    say network "$(grep -c : /proc/net/dev)"
    say processes "$(ls -d /proc/[0-9]* | wc -l | tr -d ' ' | sed 's/^[0-9]$/few/')"
    say capabilities "$(grep -h '^Cap' /proc/self/status | tr -d '\t\n' | tr -s 0)"
    say privileges "$(grep -h NoNewPrivs /proc/self/status | tr -d '\t')"
    for place in / /usr /dev /dev/shm /etc /proc /stack /tmp "$TMPDIR"; do
        (echo x >"$place/written") 2>/dev/null && writable="$writable+$place"
    done
    say writable "$writable"
    say same "$(stat -c %d /tmp/written /stack | uniq | wc -l)"
    say environment "$(env | cut -d= -f1 | sort | tr '\n' '+')"
    sync
fi
"#;

#[test]
fn a_program_sees_its_stack_and_system_directories_alone_and_has_no_rights() {
    let Some(bench) = set_up("the sandbox of a program") else {
        return;
    };
    let nosy = script(&bench, "nosy", NOSY);
    let options = "--cuts 1 --survive dropped --cut-at end --json";
    let above = nosy
        .components()
        .nth(1)
        .unwrap()
        .as_os_str()
        .to_string_lossy()
        .into_owned();
    let root = [
        "bin", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "sbin", "stack", "usr",
    ];
    let mut root: Vec<String> = root
        .into_iter()
        .filter(|name| {
            ["dev", "proc", "stack", "etc"].contains(name) || Path::new("/").join(name).exists()
        })
        .map(str::to_owned)
        .chain([above, "tmp".to_owned()])
        .collect();
    root.sort_unstable();
    root.dedup();
    let is_below_tmp = nosy.starts_with("/tmp");
    let writable = if is_below_tmp {
        "+/stack+/stack/.tmp"
    } else {
        "+/stack+/tmp+/stack/.tmp"
    };
    let expected = [
        ("user", "65534:65534:65534".to_owned()),
        ("root", format!("{}+", root.join("+"))),
        ("home", ".".to_owned()),
        ("network", "1".to_owned()),
        ("processes", "few".to_owned()),
        (
            "capabilities",
            "CapInh:0CapPrm:0CapEff:0CapBnd:0CapAmb:0".to_owned(),
        ),
        ("privileges", "NoNewPrivs:1".to_owned()),
        ("writable", writable.to_owned()),
        (
            "environment",
            "HOME+LANG+PATH+PWD+STRIPEWISE_DIRECTORY+STRIPEWISE_PHASE+TMPDIR+".to_owned(),
        ),
    ];
    let mut check = NOSY.replace(
        "#!/bin/sh\n",
        "#!/bin/sh\n[ \"$STRIPEWISE_PHASE\" = load ] || cat <<'END'\n@\nEND\n",
    );
    let lines: Vec<String> = expected
        .iter()
        .map(|(id, seen)| format!("ack {id} 0 {seen}"))
        .collect();
    check = check
        .replace('@', &lines.join("\n"))
        .replace("say same", ": same");
    let nosy = script(&bench, "nosy", &check);
    let document = bench.json(pull_plug(&bench, options, &nosy, &[]));
    let outcome = &cuts(&document)[0]["outcome"];
    assert_eq!(
        outcome["values"]["wrong"], 0,
        "expected {expected:?}: {outcome}"
    );
    assert_eq!(outcome["records"], 0, "{outcome}");
}

fn study(program: &Path) -> String {
    let program = program.display();
    format!(
        "[stack.ext4]\ndevices = {{ sata-ssd = 1 }}\nfilesystem = \"ext4\"\n[program]\nload = [\"{program}\", \"flushed\"]\n[repeat]\nsample = \"100ms\"\n"
    )
}

#[test]
fn a_study_runs_no_program_that_nobody_confirmed() {
    let Some(bench) = set_up("confirmation of a program") else {
        return;
    };
    let proof = bench.write("proof", "");
    let text = format!(
        "#!/bin/sh\necho ran >>{}\n{}",
        proof.display(),
        &STORE[10..]
    );
    let store = script(&bench, "store.sh", &text);
    let file = bench.write("study.toml", &study(&store));
    let other = script(&bench, "other", STORE);
    let pull_plug = |confirmed: Option<&Path>| {
        let mut command = bench.stored("pull-plug --disk-size 64M --cuts 1 --cut-at end --json");
        command.arg(&file);
        if let Some(path) = confirmed {
            command.arg("--run-program").arg(path);
        }
        bench.finish(command)
    };
    let refused = pull_plug(None);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("is not confirmed"),
        "{}",
        refused.stderr
    );
    assert!(refused.stderr.contains("SHA-256"), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("--run-program"),
        "{}",
        refused.stderr
    );
    let refused = pull_plug(Some(&other));
    assert!(refused.stderr.contains("names none"), "{}", refused.stderr);
    let mut lab = bench.stored("pull-plug --world lab --run-program");
    lab.arg(&store).arg(&file);
    assert_eq!(bench.finish(lab).code, Some(2));
    let mut model = bench.stored("pull-plug --world model");
    model.arg(&file);
    let model = bench.finish(model);
    assert!(
        model.stderr.contains("does not know what a program writes"),
        "{}",
        model.stderr
    );
    let mut run = bench.stored("run --world model");
    run.arg(&file);
    let run = bench.finish(run);
    assert!(
        run.stderr.contains("does not know what a program writes"),
        "{}",
        run.stderr
    );
    // Nothing ran, and outside of the sandbox nothing ever does: the proof is not in it.
    let confirmed = pull_plug(Some(&store));
    assert_eq!(confirmed.code, Some(0), "{}", confirmed.stderr);
    assert_eq!(fs::read_to_string(&proof).unwrap(), "");
    assert_eq!(leftovers(&bench), Vec::<String>::new());
}

#[test]
fn a_program_that_fails_hangs_or_promises_nothing_gives_no_answer() {
    let Some(bench) = set_up("a faulty program") else {
        return;
    };
    for (text, why) in [
        (
            "#!/bin/sh\necho no such table >&2; exit 4\n",
            "no such table",
        ),
        ("#!/bin/sh\nexit 0\n", "acknowledged nothing"),
        ("#!/bin/sh\necho ack 1\n", "is no `ack ID BYTES HASH`"),
    ] {
        let program = script(&bench, "faulty", text);
        let done = bench.finish(pull_plug(&bench, "--cuts 1", &program, &[]));
        assert_eq!(done.code, Some(2), "{}", done.stderr);
        assert!(done.stderr.contains(why), "{why}: {}", done.stderr);
    }
    // A check that hangs is unknown, and its descendants are gone.
    let hangs = "#!/bin/sh\n[ \"$STRIPEWISE_PHASE\" = load ] && { echo ack 1 0 -; exit 0; }\nsetsid sleep 611 & sleep 611\n";
    let hangs = script(&bench, "hangs", hangs);
    let text = study(&hangs).replace(", \"flushed\"]", "]\nlimit = \"1s\"");
    let file = bench.write("study.toml", &text);
    let mut command = bench.stored("pull-plug --disk-size 64M --cuts 1 --cut-at end --json");
    command.arg("--run-program").arg(&hangs).arg(&file);
    let document = bench.json(command);
    assert_eq!(cuts(&document)[0]["outcome"]["kind"], "unknown");
    let sleeping = fs::read_dir("/proc").unwrap().flatten().filter(|process| {
        fs::read(process.path().join("cmdline")).is_ok_and(|line| line == b"sleep\x00611\x00")
    });
    assert_eq!(sleeping.count(), 0);
    assert_eq!(leftovers(&bench), Vec::<String>::new());
}

/// Returns the document of the planted store in a mode, with the first states of one recording.
fn enumerated(bench: &Bench, mode: &str) -> Value {
    let options =
        "pull-plug --disk-size 64M --json --sample 400ms --seed 3 --survive enumerated --cuts 4";
    let mut command = bench.stored(options);
    command
        .args(["--program", PYTHON, "--reads"])
        .arg(planted());
    command.arg("--").arg(planted()).args([mode, "{phase}"]);
    bench.json(command)
}

#[test]
fn enumerated_states_accuse_no_correct_store_and_a_loss_becomes_small() {
    let what = "enumerated states of a program";
    let Some(bench) = set_up(what) else {
        return;
    };
    if !Path::new(PYTHON).exists() {
        crate::support::skip(what, "Python is not installed");
        return;
    }
    let document = enumerated(&bench, "correct");
    assert_eq!(losses(&document), [false; 4], "{document}");
    let states = &cuts(&document)[0]["state"];
    assert!(states["distinct"].as_u64() > Some(4), "{states}");

    let store = script(&bench, "store.sh", STORE);
    let options = "--survive enumerated --cuts 2 --cut-at end --json";
    let document = bench.json(pull_plug(&bench, options, &store, &["lazy"]));
    assert!(losses(&document).contains(&true), "{document}");
    let smallest = cuts(&document)
        .iter()
        .find_map(|cut| cut.get("smallest").cloned());
    let smallest = smallest.expect("a loss is made small");
    assert!(smallest["tried"].as_u64() > Some(0), "{smallest}");
    assert_eq!(leftovers(&bench), Vec::<String>::new());
    bench.assert_clean();
}
