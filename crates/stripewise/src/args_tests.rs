//! Guards against help that does not help. Once, the one-line docs of the commands' enum hid the long
//! help of 20 commands, and golden files kept it so. And an example that fails teaches distrust.

use clap::{Command, CommandFactory as _, Parser as _};

use super::Args;

/// The columns of examples: with the margin of a man page they fit 80.
const EXAMPLE_COLUMNS: usize = 75;
/// The columns of the widest help, as `max_term_width` says.
const HELP_COLUMNS: usize = 100;

/// A command with the words that reach it.
struct Reached {
    path: String,
    command: Command,
}

/// Returns all commands that help lists, each before its subcommands.
fn commands() -> Vec<Reached> {
    let mut root = Args::command();
    root.build();
    let mut found = Vec::new();
    add(&mut found, "stripewise", &root);
    assert!(found.len() >= 28, "the tree was not walked");
    found
}

fn add(found: &mut Vec<Reached>, path: &str, command: &Command) {
    found.push(Reached {
        path: path.to_owned(),
        command: command.clone(),
    });
    let listed = command.get_subcommands().filter(|sub| !sub.is_hide_set());
    for sub in listed.filter(|sub| sub.get_name() != "help") {
        add(found, &format!("{path} {}", sub.get_name()), sub);
    }
}

/// Returns words with one space between them, however they were wrapped.
fn unwrapped(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

/// Returns the lines of a long help from `Examples:` to the end.
fn examples(help: &str) -> Vec<&str> {
    let lines = help.lines().skip_while(|line| *line != "Examples:").skip(1);
    lines.collect()
}

/// Returns the shell commands among the lines of examples: those that are indented by four, with
/// continued lines joined.
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

/// Returns the words of the call of `stripewise` in a shell command, without what a pipe or a
/// redirection adds.
fn call(command: &str) -> Option<Vec<String>> {
    let mut parts = command.split(" | ").map(str::trim);
    let own = parts.find(|part| part.starts_with("stripewise "))?;
    let own = own.split(" > ").next().unwrap_or(own);
    let mut words = vec![String::new()];
    let mut quote = None;
    for character in own.chars() {
        let is_end = quote == Some(character);
        let last = words.last_mut().expect("there is a word");
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
fn every_long_help_shows_the_long_text_and_every_short_one_does_not() {
    for Reached { path, mut command } in commands() {
        let about = command.get_about().map(ToString::to_string);
        let about = about.unwrap_or_else(|| panic!("`{path}` has no doc comment"));
        let long = command.get_long_about().map(ToString::to_string);
        let long = long.unwrap_or_else(|| panic!("the long help of `{path}` is hidden"));
        let rest = unwrapped(long.strip_prefix(&about).unwrap_or(&long));
        assert!(
            rest.split(' ').count() >= 20,
            "`{path}` explains nothing: {rest}"
        );
        let shown = unwrapped(&command.render_long_help().to_string());
        assert!(shown.contains(&rest), "`{path} --help` lacks: {rest}");
        let short = unwrapped(&command.render_help().to_string());
        assert!(short.contains(&about) && !short.contains(&rest), "{path}");
        assert!(shown.len() > short.len(), "{path}");
    }
}

#[test]
fn every_long_help_has_examples_and_no_short_one_has() {
    for Reached { path, mut command } in commands() {
        let long = command.render_long_help().to_string();
        let shown = shell_commands(&long);
        let own = shown.iter().filter(|line| line.contains(&path)).count();
        assert!(own > 0, "`{path} --help` has no example of itself");
        let short = command.render_help().to_string();
        assert!(!short.contains("Examples:"), "{path} -h");
    }
}

#[test]
fn every_example_is_a_command_line_that_we_understand() {
    let mut parsed = 0;
    for Reached { path, mut command } in commands() {
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
    for Reached { path, command } in commands() {
        let long = command.clone().render_long_help().to_string();
        for line in long.lines() {
            assert!(line.chars().count() <= HELP_COLUMNS, "{path}: {line}");
        }
        for line in examples(&long) {
            assert!(line.chars().count() <= EXAMPLE_COLUMNS, "{path}: {line}");
        }
        // Each command of a list is one line, at 80 columns, and no sentence.
        let about = command.get_about().map(ToString::to_string);
        let about = about.expect("it has one");
        let width = about.chars().count();
        assert!(path == "stripewise" || width <= 62, "{path}: {about}");
        assert!(!about.ends_with('.'), "{path}: {about}");
    }
}
