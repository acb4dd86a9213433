//! No text from outside controls a terminal, in any command and on any stream.
//!
//! The failure: a downloaded study had an escape sequence in a name. `stripewise study` printed the
//! name in an error, and the terminal changed its window title. The next file cleared the screen
//! and drew a fake shell prompt.
//!
//! Every command gets hostile text in every place that it reads. The commands come from the
//! program's own definition, so that a new one without a case fails here. Cases take turns to print
//! to a pipe with colours, to a pipe without, and to a terminal; `make soak` prints each case to all
//! three.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use crate::support::hostile::{Place, attacks_in, evil, is_attacked};
use crate::support::hostile_cases::{Case, Fixture, Stdout, commands};
use crate::support::terminal::{run_on_pipes, run_on_terminal};
use crate::support::{say, share, wants_all};

/// How many attacks a message lists for each command.
const LISTED_MAX: usize = 12;

/// Returns where a case prints.
fn places(number: usize, case: &Case) -> Vec<Place> {
    let all = [Place::ColouredPipe, Place::Pipe, Place::Terminal];
    if wants_all() {
        return all.into();
    }
    vec![match (case.stdout, number % 3) {
        // A file for programs is unchanged in a pipe.
        (_, 0) | (Stdout::File, 1) => Place::Terminal,
        (Stdout::Text, 1) => Place::Pipe,
        (_, _) => Place::ColouredPipe,
    }]
}

/// The result of a case in one place.
struct Printed {
    /// The sequences that a terminal would act on.
    attacks: Vec<String>,
    /// Whether hostile text was printed, in any form.
    is_quoted: bool,
}

/// Runs a case with its output in `place`.
fn printed(fixture: &Fixture, case: &Case, place: Place) -> Printed {
    let mut command = case.command(&fixture.bench);
    let (status, streams) = match place {
        Place::Terminal => {
            command.env("TERM", "xterm");
            let (status, bytes) = run_on_terminal(command, 80);
            (status, vec![bytes])
        }
        Place::Pipe | Place::ColouredPipe => {
            if place == Place::ColouredPipe {
                command.env("CLICOLOR_FORCE", "1");
            }
            let output = run_on_pipes(command);
            let streams = match case.stdout {
                Stdout::Text => vec![output.stdout, output.stderr],
                Stdout::File => vec![output.stderr],
            };
            (output.status, streams)
        }
    };
    let (name, input) = (&case.command, &case.place);
    assert!(status.code().is_some(), "`{name}` with {input}: {status}");
    let is_quoted = |bytes: &Vec<u8>| bytes.windows(4).any(|word| word == b"bait");
    Printed {
        is_quoted: streams.iter().any(is_quoted),
        attacks: streams
            .iter()
            .flat_map(|bytes| attacks_in(bytes, place))
            .collect(),
    }
}

/// The results of the cases of a command.
#[derive(Default)]
struct CaseResults {
    inputs: usize,
    quoted: usize,
    attacks: BTreeSet<String>,
}

#[test]
fn no_command_prints_control_characters_from_outside() {
    let Some(fixture) = Fixture::new() else {
        return;
    };
    let commands = commands(&fixture.bench);
    let cases = fixture.cases(&commands);
    let numbers: Vec<usize> = (0..cases.len()).collect();
    let drawn = share("hostile inputs", &numbers, cases.len() / 3);
    let next = Mutex::new(drawn.into_iter().map(|number| (number, &cases[number])));
    let found: Mutex<BTreeMap<&str, CaseResults>> = Mutex::default();
    let work = || {
        loop {
            let Some((number, case)) = next.lock().unwrap().next() else {
                return;
            };
            let places = places(number, case).into_iter();
            let printed: Vec<(Place, Printed)> = places
                .map(|place| (place, printed(&fixture, case, place)))
                .collect();
            let mut found = found.lock().unwrap();
            let found = found.entry(&case.command).or_default();
            found.inputs += 1;
            found.quoted += usize::from(printed.iter().any(|(_, printed)| printed.is_quoted));
            for (place, printed) in printed {
                let what = |attack| format!("{} ({place:?}): {attack}", case.place);
                found.attacks.extend(printed.attacks.into_iter().map(what));
            }
        }
    };
    std::thread::scope(|scope| {
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        for _ in 0..workers {
            scope.spawn(work);
        }
    });
    report(&found.into_inner().unwrap());
}

#[test]
fn files_for_other_programs_hide_no_text_and_keep_their_bytes_in_a_pipe() {
    let Some(fixture) = Fixture::new() else {
        return;
    };
    let bench = &fixture.bench;
    let first = fixture.hostile_run();
    let printed = |arguments: &str| {
        let done = bench.finish(bench.stored(arguments));
        assert_eq!(done.code, Some(0), "{arguments}: {}", done.stderr);
        done.stdout
    };
    for format in ["csv", "json", "markdown", "openmetrics", "svg"] {
        let piped = printed(&format!("export {first} --format {format}"));
        printed(&format!(
            "export {first} --format {format} -o file-{format}"
        ));
        let written = std::fs::read_to_string(bench.path(&format!("file-{format}"))).unwrap();
        assert!(
            piped == written,
            "{format} differs between a pipe and a file"
        );
        // Lines of CSV end in CR LF.
        let text = piped.replace("\r\n", "\n");
        let attacks = attacks_in(text.as_bytes(), Place::Pipe);
        assert_eq!(attacks, Vec::<String>::new(), "{format}");
    }
    let page: serde_json::Value =
        serde_json::from_str(&printed(&format!("report {first} --json"))).unwrap();
    let texts = texts_in(&page);
    assert!(texts.iter().any(|text| text.contains("bait")));
    for text in texts {
        let attacks = attacks_in(text.as_bytes(), Place::Pipe);
        assert_eq!(attacks, Vec::<String>::new(), "the page shows {text:?}");
    }
    // The front end's own script contains bidirectional marks.
    let html = printed(&format!("report {first} -o -"));
    assert!(html.contains("bait") && !is_attacked(&html));
}

/// Returns all keys and strings of a document.
fn texts_in(value: &serde_json::Value) -> Vec<&str> {
    match value {
        serde_json::Value::String(text) => vec![text],
        serde_json::Value::Array(values) => values.iter().flat_map(texts_in).collect(),
        serde_json::Value::Object(values) => values
            .iter()
            .flat_map(|(key, value)| [vec![key.as_str()], texts_in(value)].concat())
            .collect(),
        _ => Vec::new(),
    }
}

#[test]
fn json_loses_no_character_of_a_name() {
    let Some(fixture) = Fixture::new() else {
        return;
    };
    let bench = &fixture.bench;
    let list = bench.json(bench.stored("list --json"));
    let names = list["runs"].as_array().unwrap().iter();
    let named = names.filter(|run| run["study_name"] == evil().as_str());
    assert!(named.count() >= 3, "{list:#}");
}

#[test]
fn binary_files_are_not_printed_to_a_terminal() {
    let Some(fixture) = Fixture::new() else {
        return;
    };
    for (format, name) in [("parquet", "a Parquet file"), ("png", "a PNG image")] {
        let command = fixture.bench.stored(&format!("export 1 --format {format}"));
        let (status, bytes) = run_on_terminal(command, 80);
        let text = String::from_utf8(bytes).unwrap();
        assert_eq!(status.code(), Some(2), "{text}");
        assert!(
            text.contains(&format!("a terminal cannot show {name}")),
            "{text}"
        );
        assert!(text.contains("`-o FILE` writes a file"), "{text}");
    }
}

/// Prints the coverage; fails if an attack came through.
fn report(found: &BTreeMap<&str, CaseResults>) {
    let mut text = String::from("command: hostile inputs, quoted in output, attacks in output\n");
    for (command, found) in found {
        let name = format!("stripewise {command}");
        let (inputs, quoted, attacks) = (found.inputs, found.quoted, found.attacks.len());
        text.push_str(&format!(
            "  {name:<24} {inputs:>4} {quoted:>4} {attacks:>5}\n"
        ));
    }
    let inputs: usize = found.values().map(|found| found.inputs).sum();
    say(&format!(
        "{text}{} commands, {inputs} hostile inputs",
        found.len()
    ));
    let leaks: Vec<String> = found
        .iter()
        .filter(|(_, found)| !found.attacks.is_empty())
        .map(|(command, found)| {
            let some: Vec<&str> = found.attacks.iter().map(String::as_str).collect();
            format!(
                "stripewise {command}:\n  {}",
                some[..some.len().min(LISTED_MAX)].join("\n  ")
            )
        })
        .collect();
    assert!(
        leaks.is_empty(),
        "text from outside reached a terminal from {} of {} commands:\n{}",
        leaks.len(),
        found.len(),
        leaks.join("\n")
    );
}
