//! Output fits the terminal.
//!
//! The failure: a report was pasted into a ticket from a terminal of 80 columns. The terminal had
//! wrapped its wider lines, so numbers stood below the wrong heads, and the reader took the answer
//! from the wrong column. And a colleague with a screen reader heard "full block" eight hundred
//! times.
//!
//! CI simulates a drawn share of the shipped studies, and plans all of them; `make soak` simulates
//! all.

use std::io::Read;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use expect_test::expect_file;
use rustix::process::Signal;
use toml_edit::{DocumentMut, Item, Table, Value, value};
use unicode_width::UnicodeWidthStr;

use crate::studies::NOT_SIMULATED;
use crate::support::terminal::{run_on_terminal, start_on_terminal};
use crate::support::{Bench, Done, QUICK, number, repository, send, share};

/// Returns a study that takes a fraction of the time: only the layout matters here. Of stacks and
/// workloads, and of the values of an axis, it keeps those of [`ends`] and those that the study
/// compares with, so each table has its columns and its longest names. Samples are short.
fn brief(text: &str) -> String {
    let mut study: DocumentMut = text.parse().unwrap();
    let baseline = study.get("compare").and_then(|it| it.get("baseline"));
    let baseline = baseline.map(Item::to_string).unwrap_or_default();
    let compared = |name: &str| baseline.contains(&format!("\"{name}\""));
    for section in ["stack", "workload", "conditions"] {
        let Some(section) = study.get_mut(section).and_then(Item::as_table_mut) else {
            continue;
        };
        keep_ends_of_tables(section, &compared);
        keep_ends_of_lists(section, &compared);
        for (_, named) in section.iter_mut() {
            if let Some(named) = named.as_table_mut() {
                keep_ends_of_lists(named, &compared);
            }
        }
    }
    let conditions = study.get("conditions").and_then(Item::as_table).cloned();
    let failures = conditions.as_ref().and_then(|table| table.get("failure"));
    let failures = failures.map(Item::to_string).unwrap_or_default();
    if let Some(named) = study.get_mut("failure").and_then(Item::as_table_mut) {
        // One that no cell has is an error.
        named.retain(|name, _| failures.contains(&format!("\"{name}\"")));
    }
    let has = |key| {
        conditions
            .as_ref()
            .is_some_and(|table| table.contains_key(key))
    };
    let times: &[(&str, &str)] = if study.contains_key("failure") {
        // The failure happens within the sample.
        &[("12s", "300ms"), ("3s", "75ms"), ("5s", "125ms")]
    } else {
        let is_periodic = has("flush_every") || has("sync_every");
        study["repeat"]["sample"] = value("50ms");
        // What happens at intervals happens within a sample.
        &[("1s", "20ms"), ("5s", "40ms")][..if is_periodic { 2 } else { 0 }]
    };
    times.iter().fold(study.to_string(), |text, (long, short)| {
        text.replace(&format!("\"{long}\""), &format!("\"{short}\""))
    })
}

/// Of the named tables in a section, keeps [`ends`] and those that are `compared` with.
fn keep_ends_of_tables(section: &mut Table, compared: &dyn Fn(&str) -> bool) {
    let is_named = |(_, item): &(&str, &Item)| item.is_table();
    let names = section.iter().filter(is_named).map(|(name, _)| name);
    let kept = ends(&names.map(str::to_owned).collect::<Vec<String>>());
    section.retain(|name, item| {
        !item.is_table() || kept.iter().any(|it| it == name) || compared(name)
    });
}

/// Does the same with the values of each list.
fn keep_ends_of_lists(table: &mut Table, compared: &dyn Fn(&str) -> bool) {
    for (_, item) in table.iter_mut() {
        let Some(list) = item.as_array_mut() else {
            continue;
        };
        let text = |value: &Value| value.to_string().trim().trim_matches('"').to_owned();
        let kept = ends(&list.iter().map(text).collect::<Vec<String>>());
        list.retain(|value| kept.contains(&text(value)) || compared(&text(value)));
    }
}

/// Returns the first and the longest of some names, or the first and the last if the first is the
/// longest: an axis keeps two values, or its column would be missing.
fn ends(names: &[String]) -> Vec<String> {
    let longest = names.iter().rev().max_by_key(|name| name.len());
    let second = longest.filter(|name| Some(*name) != names.first());
    let second = second.or(names.last()).cloned();
    names.first().cloned().into_iter().chain(second).collect()
}

/// Returns a study without the stacks that the model refuses.
fn without_refused(file: &str, text: &str) -> String {
    let mut study: DocumentMut = text.parse().unwrap();
    for (_, stack) in NOT_SIMULATED.iter().filter(|(name, _)| *name == file) {
        let stacks = study["stack"].as_table_mut().unwrap();
        assert!(stacks.remove(stack).is_some(), "{file}: no stack {stack}");
    }
    study.to_string()
}

/// The shipped studies, changed so that the model can run them: an existing filesystem becomes one
/// disk of a profile.
fn shipped_studies() -> Vec<(String, String)> {
    let mut studies = Vec::new();
    for entry in std::fs::read_dir(repository().join("studies")).unwrap() {
        let path = entry.unwrap().path();
        // The folder also holds profiles that only they need.
        if path.is_dir() {
            continue;
        }
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let simulated = "devices = { this-disk = 1 }\nfilesystem = \"ext4\"";
        let text = text.replace("filesystem = \"existing\"", simulated);
        studies.push((name.clone(), brief(&without_refused(&name, &text))));
    }
    assert!(studies.len() > 5, "there are shipped studies");
    studies
}

/// Makes profiles with a shipped one as the demo's disk, and those beside the studies.
fn profiles(bench: &Bench) -> PathBuf {
    let shipped = repository().join("devices/samsung-850-evo-500.toml");
    let profile = std::fs::read_to_string(shipped).unwrap();
    let profile = profile.replace("\"samsung-850-evo-500\"", "\"this-disk\"");
    let folder = bench.path("profiles");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("this-disk.toml"), profile).unwrap();
    for entry in std::fs::read_dir(repository().join("studies/devices")).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), folder.join(entry.file_name())).unwrap();
    }
    folder
}

fn check_width(what: &str, text: &str, columns: usize) {
    // A command to copy must stay in one piece.
    for line in text
        .lines()
        .filter(|line| !line.starts_with("  stripewise"))
    {
        assert!(
            line.width() <= columns,
            "{what}: wider than {columns}: {line}"
        );
    }
}

#[test]
fn no_line_of_a_shipped_study_is_wider_than_the_terminal() {
    let Some(bench) = Bench::new() else { return };
    let profiles = profiles(&bench);
    std::os::unix::fs::symlink(repository().join("studies/traces"), bench.path("traces")).unwrap();
    let studies = shipped_studies();
    for (name, text) in &studies {
        let study = bench.write(name, text);
        let mut plan = bench.command();
        plan.arg("study")
            .arg(&study)
            .arg("--profiles")
            .arg(&profiles);
        check_width(name, &bench.finish(plan).stdout, 80);
    }
    let mut names: Vec<String> = studies.into_iter().map(|(name, _)| name).collect();
    names.sort();
    for name in &share("shipped studies, simulated for a terminal", &names, 3) {
        let study = bench.path(name);
        let store = format!("{name}.db");
        let mut run = bench.command();
        run.arg("run")
            .arg(&study)
            .args(["--world", "model", "--quiet", "--store", &store]);
        run.arg("--profiles").arg(&profiles);
        let done = bench.finish(run);
        assert_eq!(done.code, Some(0), "{name}: {}", done.stderr);
        check_width(name, &done.stdout, 80);
        for columns in [60, 80, 120] {
            let mut show = bench.command();
            show.args(["show", "latest", "--store", &store])
                .env("COLUMNS", columns.to_string());
            let shown = bench.finish(show).stdout;
            assert!(shown.contains("MiB/s"), "{name}: {shown}");
            check_width(name, &shown, columns);
        }
    }
}

/// Returns a question with bars, words and intervals in its answer.
fn predict(bench: &Bench) -> Command {
    let mut command = bench.command();
    command.args([
        "predict",
        "--device",
        "samsung-850-evo-500",
        "--host",
        "default",
    ]);
    command.args(["--kernel", "4.1", "--array", "raid10:n2:4:32K"]);
    command.args(["--workload", "randread:64K"]);
    command
}

fn is_drawn(c: char) -> bool {
    ('\u{2500}'..='\u{259f}').contains(&c)
}

#[test]
fn an_option_or_the_environment_selects_plain_text() {
    let Some(bench) = Bench::new() else { return };
    let drawn = bench.finish(predict(&bench)).stdout;
    assert!(drawn.contains(is_drawn), "{drawn}");
    let mut option = predict(&bench);
    option.arg("--plain");
    let plain = bench.finish(option).stdout;
    assert!(
        !plain.contains(is_drawn) && !plain.contains("  "),
        "{plain}"
    );
    assert!(plain.contains("device service, in the mean: "), "{plain}");
    for (value, expected) in [("1", &plain), ("true", &plain), ("", &drawn), ("0", &drawn)] {
        let mut command = predict(&bench);
        command.env("STRIPEWISE_PLAIN", value);
        assert_eq!(
            &bench.finish(command).stdout,
            expected,
            "STRIPEWISE_PLAIN={value}"
        );
    }
}

/// Returns the output of a command on a terminal of so many columns.
fn on_terminal(command: Command, columns: u16) -> String {
    let (status, bytes) = run_on_terminal(command, columns);
    assert!(status.success());
    String::from_utf8(bytes).unwrap().replace('\r', "")
}

#[test]
fn a_wider_terminal_is_used_and_an_unknown_width_is_80() {
    let Some(bench) = Bench::new() else { return };
    let widest = |columns, said: Option<&str>| {
        let mut command = predict(&bench);
        command.env("NO_COLOR", "1").env("TERM", "xterm");
        if let Some(said) = said {
            command.env("COLUMNS", said);
        }
        let text = on_terminal(command, columns);
        text.lines().map(UnicodeWidthStr::width).max().unwrap()
    };
    assert!(widest(60, None) <= 60);
    let wide = widest(120, None);
    assert!((81..=120).contains(&wide), "{wide}");
    assert!(
        widest(60, Some("120")) <= 60,
        "the terminal's width takes precedence over COLUMNS"
    );
    let unknown = widest(0, None);
    assert!((61..=80).contains(&unknown), "{unknown}");
}

#[test]
fn colours_are_for_terminals_that_support_them_and_carry_no_meaning() {
    let Some(bench) = Bench::new() else { return };
    let on = |variables: &[(&str, &str)], arguments: &[&str]| {
        let mut command = predict(&bench);
        command
            .env("TERM", "xterm")
            .envs(variables.iter().copied())
            .args(arguments);
        on_terminal(command, 80)
    };
    let coloured = on(&[], &[]);
    assert!(coloured.contains('\u{1b}'), "{coloured}");
    let piped = bench.finish(predict(&bench)).stdout;
    for text in [
        on(&[("NO_COLOR", "1")], &[]),
        on(&[("TERM", "dumb")], &[]),
        on(&[("TERM", "dumb"), ("CI", "true")], &[]),
        piped.clone(),
        on(&[], &["--plain"]),
    ] {
        assert!(!text.contains('\u{1b}'), "{text}");
    }
    assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), piped);
    let mut forced = predict(&bench);
    forced.env("CLICOLOR_FORCE", "1");
    assert!(bench.finish(forced).stdout.contains('\u{1b}'));
}

/// Before, `predict` ran for a minute without output, and needed a second Ctrl-C. Nothing must be undone,
/// so the signal ends it at once.
#[test]
fn a_long_simulation_shows_its_progress_and_ends_on_ctrl_c() {
    let Some(bench) = Bench::new() else { return };
    for question in ["predict", "why"] {
        let mut command = bench.command();
        command.arg(question).env("TERM", "xterm");
        if question == "predict" {
            command.args(["--device", "sata-ssd", "--workload", "write:1G"]);
            // Enough rows to take minutes.
            command
                .args((150..250).flat_map(|count| ["--array".into(), format!("raid5:{count}:4K")]));
        } else {
            let study = "[stack.a]\ndevices = { sata-ssd = 200 }\narray = { level = \"raid5\", chunk = \"4K\" }\n\
                [workload]\npattern = \"write\"\nblock_size = \"1G\"\nsize = \"4G\"\ndepth = 2\nengine = \"libaio\"\n";
            command.arg(bench.write("heavy.toml", study));
        }
        let (mut child, mut terminal) = start_on_terminal(command, 80);
        let (mut text, mut bytes) = (Vec::new(), [0; 4096]);
        let mut is_asked = false;
        // EIO once the last writer has closed the terminal.
        while let Ok(count @ 1..) = terminal.read(&mut bytes) {
            text.extend_from_slice(&bytes[..count]);
            let has_time = String::from_utf8_lossy(&text).contains(" left");
            if has_time && !is_asked {
                is_asked = true;
                send(number(&child), Signal::INT);
            }
        }
        let text = String::from_utf8_lossy(&text).into_owned();
        assert!(text.contains("simulating"), "{question}: {text}");
        let ended = child.wait().unwrap();
        assert_eq!(
            ended.signal(),
            Some(Signal::INT.as_raw()),
            "{question}: {text}"
        );
        assert!(!text.contains("limited by"), "{question}: {text}");
    }
}

#[test]
fn an_explanation_fits_any_terminal_and_has_a_plain_form() {
    let Some(bench) = Bench::new() else { return };
    let asked = |columns: &str, arguments: &[&str]| {
        let mut command = bench.command();
        command.args(["predict", "--device", "test-ssd", "--host", "test-host"]);
        command.args([
            "--kernel",
            "4.1",
            "--workload",
            "randwrite:64K",
            "--fsync",
            "1",
        ]);
        command.args(["--array", "raid5:4:64K", "--profiles"]);
        command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/profiles"));
        command.args(arguments).env("COLUMNS", columns);
        let done = bench.finish(command);
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        done.stdout
    };
    for (columns, expected) in [
        (60, expect_file!["../golden/predict-60.txt"]),
        (80, expect_file!["../golden/predict-80.txt"]),
        (120, expect_file!["../golden/predict-120.txt"]),
    ] {
        let text = asked(&columns.to_string(), &[]);
        expected.assert_eq(&text);
        check_width("predict", &text, columns);
    }
    expect_file!["../golden/predict-plain.txt"].assert_eq(&asked("80", &["--plain"]));
}

/// Returns a command on the bench's store, with only these variables for its language.
fn in_locale(bench: &Bench, arguments: &str, variables: &[(&str, &str)]) -> Done {
    let mut command = bench.stored(arguments);
    for name in ["LC_ALL", "LC_MESSAGES", "LANG"] {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied());
    let done = bench.finish(command);
    assert_eq!(done.code, Some(0), "{variables:?}: {}", done.transcript());
    done
}

/// The failure: tables were German, and the remarks beside them English.
#[test]
fn an_option_or_the_locale_selects_the_language_of_data_and_remarks() {
    let Some(bench) = Bench::new() else { return };
    bench.measured(QUICK);
    let english = in_locale(&bench, "resume 1 --language en", &[]);
    let german = in_locale(&bench, "resume 1 --language de", &[]);
    assert!(
        english.stdout.contains("buffered I/O on"),
        "{}",
        english.stdout
    );
    assert!(
        german.stdout.contains("Gepuffertes I/O auf"),
        "{}",
        german.stdout
    );
    assert_eq!(
        english.stderr,
        "run 1 is already done: nothing was measured\n"
    );
    assert_eq!(
        german.stderr,
        "Lauf 1 ist schon fertig: Es wurde nichts gemessen\n"
    );

    let (de, en) = (&german, &english);
    for (variables, option, expected) in [
        (&[][..], "", en),
        (&[("LANG", "de_DE.UTF-8")], "", de),
        (&[("LANG", "en_GB"), ("LC_MESSAGES", "de_AT")], "", de),
        (&[("LANG", "de_DE"), ("LC_MESSAGES", "C")], "", en),
        (&[("LC_MESSAGES", "en_US"), ("LC_ALL", "de_CH")], "", de),
        (&[("LANG", "de_DE"), ("LC_ALL", "C.UTF-8")], "", en),
        (&[("LANG", "fr_FR.UTF-8")], "", en),
        (&[("LC_ALL", "de_DE")], " --language en", en),
        (&[("LC_ALL", "C")], " --language de", de),
    ] {
        let resumed = in_locale(&bench, &format!("resume 1{option}"), variables);
        assert_eq!(resumed.stdout, expected.stdout, "{variables:?}");
        assert_eq!(resumed.stderr, expected.stderr, "{variables:?}");
        let shown = in_locale(&bench, &format!("show 1{option}"), variables);
        assert_eq!(shown.stdout, expected.stdout, "{variables:?}");
    }
    let refused = bench.finish(bench.stored("show --language fr"));
    let refusal = refused.refusal();
    assert!(refusal.contains("invalid value 'fr'"), "{refusal}");
    assert!(refusal.contains("[possible values: en, de]"), "{refusal}");
}

#[test]
fn documents_for_programs_are_the_same_in_every_language() {
    let Some(bench) = Bench::new() else { return };
    bench.measured(QUICK);
    for arguments in [
        "show 1 --json",
        "show 1 --csv",
        "list --json",
        "compare 1 --baseline pattern=write --json",
        "report 1 --json",
        "export 1 --format csv",
        "export 1 --format json",
        "export 1 --format markdown",
        "export 1 --format openmetrics",
    ] {
        let english = in_locale(&bench, arguments, &[]).stdout;
        assert!(!english.is_empty());
        for german in [
            in_locale(&bench, arguments, &[("LC_ALL", "de_DE.UTF-8")]),
            in_locale(&bench, &format!("{arguments} --language de"), &[]),
        ] {
            assert_eq!(german.stdout, english, "{arguments}");
        }
    }
}

/// The failure: `report` and `export` had a `--language` of their own, and clap panicked because
/// there were two.
#[test]
fn the_language_of_files_is_chosen_before_or_after_the_command() {
    let Some(bench) = Bench::new() else { return };
    bench.measured(QUICK);
    let german = [("LC_ALL", "de_DE.UTF-8")];
    for arguments in ["report 1 -o - --language de", "--language de report 1 -o -"] {
        let html = in_locale(&bench, arguments, &[]).stdout;
        assert!(html.contains("data-language=\"de\""), "{arguments}");
    }
    let html = in_locale(&bench, "report 1 -o -", &german).stdout;
    assert!(
        html.contains("data-language=\"\""),
        "the reader's browser decides"
    );

    let list = "export 1 -f svg --list-figures";
    let titles = |arguments: &str| in_locale(&bench, arguments, &german).stdout;
    assert!(titles(list).contains("Bandwidth"), "{}", titles(list));
    for arguments in [
        format!("{list} --language de"),
        format!("--language de {list}"),
    ] {
        assert!(titles(&arguments).contains("Durchsatz"), "{arguments}");
    }
}
