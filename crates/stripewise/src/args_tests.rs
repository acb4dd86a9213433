//! Guards against useless help.
//!
//! The failure: the one-line docs of the commands' enum replaced the long help of 20 commands, and
//! the golden files recorded that. And examples that failed made users distrust the help.

use std::any::TypeId;

use clap::{Command, CommandFactory as _, Parser as _};
use expect_test::{expect, expect_file};
use stripewise_trace::FormatName;

use super::Args;
use crate::stores::RunName;

/// The columns of examples: with the margin of a man page they fit 80.
const EXAMPLE_COLUMNS: usize = 75;
/// The columns of the widest help, set by `max_term_width`.
const HELP_COLUMNS: usize = 100;

/// A command with its full path, such as `stripewise import fio`.
struct ListedCommand {
    path: String,
    command: Command,
}

/// Returns all commands that help lists, each before its subcommands.
fn commands() -> Vec<ListedCommand> {
    let mut root = Args::command();
    root.build();
    let mut found = Vec::new();
    add(&mut found, "stripewise", &root);
    assert!(found.len() >= 28, "too few commands were found");
    found
}

fn add(found: &mut Vec<ListedCommand>, path: &str, command: &Command) {
    found.push(ListedCommand {
        path: path.to_owned(),
        command: command.clone(),
    });
    let listed = command.get_subcommands().filter(|sub| !sub.is_hide_set());
    for sub in listed.filter(|sub| sub.get_name() != "help") {
        add(found, &format!("{path} {}", sub.get_name()), sub);
    }
}

/// Returns text with each run of white space as one space, which undoes line wrapping.
fn unwrapped(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

/// Returns the lines of a long help from `Examples:` to the end.
fn examples(help: &str) -> Vec<&str> {
    let lines = help.lines().skip_while(|line| *line != "Examples:").skip(1);
    lines.collect()
}

/// Returns the shell commands among the lines of examples: those indented by four, with
/// continuation lines joined.
fn shell_commands(help: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut is_continued = false;
    for line in examples(help) {
        let Some(line) = line.strip_prefix("    ") else {
            continue;
        };
        let (part, continues) = match line.strip_suffix('\\') {
            Some(part) => (part, true),
            None => (line, false),
        };
        match found.last_mut().filter(|_| is_continued) {
            Some(last) => last.push_str(part),
            None => found.push(part.to_owned()),
        }
        is_continued = continues;
    }
    found
}

/// Returns the words of the `stripewise` call in a shell command, without pipes and redirections.
fn call(command: &str) -> Option<Vec<String>> {
    let mut parts = command.split(" | ").map(str::trim);
    let own = parts.find(|part| part.starts_with("stripewise "))?;
    let own = own.split(" > ").next().unwrap_or(own);
    let mut words = vec![String::new()];
    let mut quote = None;
    for character in own.chars() {
        let is_end = quote == Some(character);
        let last = words.last_mut().expect("the list starts with a word");
        match character {
            _ if is_end => quote = None,
            '"' | '\'' if quote.is_none() => quote = Some(character),
            ' ' if quote.is_none() => words.push(String::new()),
            other => last.push(other),
        }
    }
    words.retain(|word| !word.is_empty());
    Some(words)
}

#[test]
fn long_help_shows_the_long_text_and_short_help_does_not() {
    for ListedCommand { path, mut command } in commands() {
        let about = command.get_about().map(ToString::to_string);
        let about = about.unwrap_or_else(|| panic!("`{path}` has no doc comment"));
        let long = command.get_long_about().map(ToString::to_string);
        let long = long.unwrap_or_else(|| panic!("the long help of `{path}` is hidden"));
        let rest = unwrapped(long.strip_prefix(&about).unwrap_or(&long));
        assert!(
            rest.split(' ').count() >= 20,
            "the long help of `{path}` is too short: {rest}"
        );
        let shown = unwrapped(&command.render_long_help().to_string());
        assert!(shown.contains(&rest), "`{path} --help` lacks: {rest}");
        let short = unwrapped(&command.render_help().to_string());
        assert!(short.contains(&about) && !short.contains(&rest), "{path}");
        assert!(shown.len() > short.len(), "{path}");
    }
}

/// Returns the help that a command line prints at this width.
fn printed(words: &str, columns: usize) -> String {
    let command = Args::command().term_width(columns);
    let asked = command.try_get_matches_from(words.split(' '));
    asked
        .expect_err("clap reports help as an error")
        .to_string()
}

/// Returns a help without the names of the formats of traces, which it must have: a new one is no
/// change of the help.
fn without_formats(help: &str) -> String {
    let mut names = FormatName::ALL.into_iter().map(FormatName::as_str);
    let Some(from) = names
        .next()
        .and_then(|name| help.find(&format!("values: {name},")))
    else {
        return help.to_owned();
    };
    let length = help[from..].find(']').expect("the end of a list");
    let listed = help[from..from + length].split(',').map(str::trim);
    assert!(listed.skip(1).eq(names), "{help}");
    format!("{}values: FORMATS{}", &help[..from], &help[from + length..])
}

#[test]
fn every_help_matches_its_golden_file() {
    for ListedCommand { path, .. } in commands() {
        let name = path.strip_prefix("stripewise ").unwrap_or(&path);
        let name = name.replace(' ', "-");
        let long = printed(&format!("{path} --help"), HELP_COLUMNS);
        let golden = expect_file![format!("../tests/golden/{name}.help.txt")];
        golden.assert_eq(&without_formats(&long));
        let help = path.replacen("stripewise", "stripewise help", 1);
        assert_eq!(printed(&help, HELP_COLUMNS), long, "{help}");
        let short = printed(&format!("{path} -h"), 80);
        let golden = expect_file![format!("../tests/golden/{name}.h.txt")];
        golden.assert_eq(&without_formats(&short));
        for line in short.lines() {
            assert!(line.chars().count() <= 80, "{path} -h: {line}");
        }
    }
}

#[test]
fn examples_are_in_long_help_only() {
    for ListedCommand { path, mut command } in commands() {
        let long = command.render_long_help().to_string();
        let shown = shell_commands(&long);
        let own = shown.iter().filter(|line| line.contains(&path)).count();
        assert!(own > 0, "`{path} --help` has no example of itself");
        let short = command.render_help().to_string();
        assert!(!short.contains("Examples:"), "{path} -h");
    }
}

#[test]
fn every_example_parses() {
    let mut parsed = 0;
    for ListedCommand { path, mut command } in commands() {
        let long = command.render_long_help().to_string();
        for line in shell_commands(&long) {
            let Some(words) = call(&line) else {
                continue;
            };
            let result = Args::try_parse_from(&words);
            assert!(result.is_ok(), "`{path} --help`: {line}: {result:?}");
            parsed += 1;
        }
    }
    assert!(parsed >= 60, "{parsed} examples");
}

#[test]
fn help_fits_the_terminal() {
    for ListedCommand { path, command } in commands() {
        let long = command.clone().render_long_help().to_string();
        for line in long.lines() {
            assert!(line.chars().count() <= HELP_COLUMNS, "{path}: {line}");
        }
        for line in examples(&long) {
            assert!(line.chars().count() <= EXAMPLE_COLUMNS, "{path}: {line}");
        }
        // A summary fits one line of the command list at 80 columns, and is not a sentence.
        let about = command.get_about().map(ToString::to_string);
        let about = about.expect("every command has a summary");
        let width = about.chars().count();
        assert!(path == "stripewise" || width <= 62, "{path}: {about}");
        assert!(!about.ends_with('.'), "{path}: {about}");
    }
}

#[test]
fn wrong_arguments_are_named_in_the_error() {
    const RUN: &str =
        "is not the number of a run, which is at least 1; `latest` is the run started last";
    for (line, expected) in [
        (
            "run a.toml --budget soon",
            "'--budget <TIME>': `soon` is not a time such as `500ms`, `3s`, `10m` or `1h`",
        ),
        ("run a.toml --budget 0s", "it must be longer than 0 s"),
        ("run a.toml --seed -1", "unexpected argument '-1' found"),
        ("show 0", RUN),
        (
            "compare 1 --baseline nonsense",
            "`nonsense` is not KEY=VALUE",
        ),
        (
            "compare 1 --baseline colour=red",
            "cells do not differ by `colour`; keys: stack, workload, pattern, mix, block_size",
        ),
        (
            "compare 1 --metric speed",
            "unknown variant `speed`, expected one of `bandwidth`, `iops`, `latency_mean`",
        ),
        (
            "compare 1 --fail-on-regression 0%",
            "it must be more than 0 %",
        ),
        ("import fio", "Usage: stripewise import fio"),
        ("import sysbench", "unrecognized subcommand 'sysbench'"),
    ] {
        let words = ["stripewise"].into_iter().chain(line.split(' '));
        let error = Args::try_parse_from(words).expect_err(line).to_string();
        assert!(error.starts_with("error: "), "{line}: {error}");
        assert!(error.contains(expected), "{line}: {error}");
    }
}

/// A name was accepted by `show`, and by `resume` not. `words::a_run_is_named_by_its_name_wherever_by_its_number`
/// calls each of these.
#[test]
fn every_run_on_the_command_line_may_be_a_name() {
    let mut named = Vec::new();
    for listed in commands() {
        for argument in listed.command.get_arguments() {
            let id = argument.get_id();
            let is_typed = argument.get_value_parser().type_id() == TypeId::of::<RunName>();
            let mut values = argument.get_value_names().unwrap_or_default().iter();
            assert!(
                is_typed || values.all(|name| name != "RUN"),
                "{} {id}",
                listed.path
            );
            if is_typed {
                named.push(format!("{} {id}", listed.path));
            }
        }
    }
    expect![[r#"
        stripewise resume run
        stripewise rename run
        stripewise delete runs
        stripewise push runs
        stripewise pull runs
        stripewise show run
        stripewise report runs
        stripewise compare run
        stripewise compare other
        stripewise ack run
        stripewise calibrate run
        stripewise export runs
        stripewise restore forget
    "#]]
    .assert_eq(&(named.join("\n") + "\n"));
}
