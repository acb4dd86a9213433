//! The help of the program: its commands in groups, as those of git and cargo are.

use clap::Subcommand as _;
use clap::builder::{StyledStr, Styles};

use crate::args::Command;

/// The groups of commands, in the order of `--help`. A test finds each command in one of them.
pub(crate) const GROUPS: [(&str, &[&str]); 8] = [
    (
        "Measure",
        &[
            "run",
            "study",
            "studies",
            "resume",
            "calibrate",
            "characterize",
            "import",
        ],
    ),
    (
        "Predict",
        &["advise", "predict", "why", "workloads", "profiles"],
    ),
    (
        "Look at results",
        &[
            "runs", "show", "compare", "explain", "trend", "drift", "outliers", "report", "serve",
            "pages", "export",
        ],
    ),
    ("Check a machine", &["check", "collect", "facts"]),
    ("Try it in a guest", &["lab", "pull-plug", "verify-model"]),
    ("Move a web site", &["site"]),
    (
        "Keep the store",
        &[
            "rename", "ack", "delete", "restore", "push", "pull", "store",
        ],
    ),
    ("Set up", &["completions", "man", "help"]),
];

/// The summary of the command that clap adds.
const HELP_ABOUT: &str = "Explain a command, with examples";

/// Returns the template of the program's help, with headings in the style of clap's own.
pub(crate) fn template(styles: &Styles) -> StyledStr {
    let commands = Command::augment_subcommands(clap::Command::default());
    let about = |name: &str| match commands.find_subcommand(name) {
        Some(command) => command.get_about().map(ToString::to_string),
        None => Some(HELP_ABOUT.to_owned()),
    };
    let header = styles.get_header();
    let literal = styles.get_literal();
    let heading = |text: &str| format!("\n{header}{text}:{header:#}\n");
    let names = GROUPS.iter().flat_map(|(_, names)| *names);
    let width = names.map(|name| name.len()).max().unwrap_or(0);
    let mut text = String::from("{about-with-newline}\n{usage-heading} {usage}\n");
    for (group, names) in GROUPS {
        text.push_str(&heading(group));
        for name in names {
            let about = about(name).unwrap_or_default();
            let padding = " ".repeat(width - name.len());
            text.push_str(&format!("  {literal}{name}{literal:#}{padding}  {about}\n"));
        }
    }
    text.push_str(&heading("Options"));
    text.push_str("{options}{after-help}");
    StyledStr::from(text)
}
