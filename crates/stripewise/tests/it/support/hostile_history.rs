//! Questions over the history of hostile runs, what acknowledges their changes, and copies of them.

use super::{Case, Fixture, evil};

/// Returns the cases of `trend`, `drift`, `outliers` and `ack`, and of copies in other stores and as pages.
pub(super) fn cases(fixture: &Fixture) -> Vec<Case> {
    let (first, evil) = (fixture.runs.first, evil());
    let mut cases = Vec::new();
    for (command, place, arguments) in [
        ("ack", "a text", format!("{first} {evil}")),
        ("ack", "a name", format!("{first} known --by {evil}")),
        ("ack", "the same as JSON", format!("{first} {evil} --json")),
        ("ack", "a day", format!("{first} known --until {evil}")),
        ("ack", "a run", format!("{evil} known")),
        ("trend", "a run", first.to_string()),
        ("trend", "a run as JSON", format!("{first} --json")),
        ("trend", "a cell", format!("{first}:{evil}")),
        ("trend", "a level", format!("--level {evil}")),
        ("trend", "a page", format!("{first} --page missing/{evil}")),
        ("trend", "a file", format!("--from missing/{evil}")),
        ("drift", "all series", String::new()),
        ("drift", "a folder", format!("--from missing/{evil}")),
        ("drift", "a tag", format!("--tag {evil}")),
        ("drift", "a metric", format!("--metric {evil}")),
        ("outliers", "hosts", String::new()),
        ("outliers", "a tag", format!("--tag {evil}")),
        ("outliers", "a folder", format!("--from missing/{evil}")),
        ("push", "a run", format!("{first} --to copies.db")),
        ("push", "a name", format!("{evil} --to copies.db")),
        ("push", "a store", format!("{first} --to missing/{evil}")),
        ("pull", "a name", format!("{evil} --from copies.db")),
        ("pull", "a store", format!("{first} --from missing/{evil}")),
        ("pages", "a store", "--out pages".to_owned()),
        ("pages", "a directory", format!("--out missing/{evil}")),
        ("store roles", "a store", String::new()),
        ("store migrate", "a store", String::new()),
    ] {
        cases.push(fixture.stored(command, place, &arguments));
    }
    cases
}
