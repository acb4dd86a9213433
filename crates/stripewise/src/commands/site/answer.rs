//! What `stripewise site` found, for people: the blocks of its documents.

use stripewise_answer::{Block, Cell, Column, Table, Tone, Verdict};
use stripewise_catalogue::{Argument, Message};
use stripewise_site::permissions::name_of;

use super::document::{Configuration, Dump, FileUnlooked, Files, Permissions};
use super::input::shown_name;

/// How many values, files and names of a kind are listed; all are counted.
const SHOWN: usize = 20;

fn words(key: &'static str) -> Column {
    Column::words(key, Message::new(format!("site-head-{key}")))
}

fn number(key: &'static str) -> Column {
    Column::number(key, Message::new(format!("site-head-{key}")))
}

fn say(message: Message) -> Block {
    Block::say(message)
}

fn warn(message: Message) -> Block {
    Block::toned(Tone::Warn, message)
}

#[expect(clippy::cast_precision_loss, reason = "counts of things in a file")]
fn counted(count: u64) -> Cell {
    Cell::digits(count).exact(count as f64)
}

/// Returns the first lines of a list, and how many more there are.
fn listed(
    lines: impl Iterator<Item = Message>,
    count: u64,
    more: &'static str,
    file: Option<&str>,
) -> Vec<Block> {
    let lines: Vec<Argument> = lines.take(SHOWN).map(Argument::from).collect();
    let left = count.saturating_sub(lines.len() as u64);
    let list = (!lines.is_empty()).then_some(Block::List(lines));
    let more = Message::new(more).count("count", left);
    let more = match file {
        Some(file) => more.name("file", file),
        None => more,
    };
    let more = (left > 0).then(|| say(more));
    list.into_iter().chain(more).collect()
}

/// Returns parts with some room between those that say something.
pub(super) fn apart(parts: impl IntoIterator<Item = Vec<Block>>) -> Vec<Block> {
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    let parts = parts.enumerate().flat_map(|(at, part)| {
        let gap = (at > 0).then_some(Block::Gap);
        gap.into_iter().chain(part)
    });
    parts.collect()
}

fn unless_empty(table: Table) -> Vec<Block> {
    match table.rows.is_empty() {
        true => Vec::new(),
        false => vec![table.into()],
    }
}

/// Returns a place: `wp_options.option_value`.
fn place_of(table: &str, column: &str) -> Argument {
    match (table.is_empty(), column.is_empty()) {
        (true, true) => Argument::Name("-".to_owned()),
        (true, false) => Message::new("site-place-column")
            .name("name", column)
            .into(),
        (false, true) => Argument::Name(table.to_owned()),
        (false, false) => Argument::Name(format!("{table}.{column}")),
    }
}

/// Returns each entry of a map whose count is above zero, as a sentence.
fn counts(entries: &[(&'static str, u64)]) -> Vec<Block> {
    let found = entries.iter().filter(|(_, count)| *count > 0);
    let said = found.map(|(entry, count)| warn(Message::new(*entry).count("count", *count)));
    said.collect()
}

impl Dump {
    /// Returns what `scan` says of it.
    pub(super) fn scanned(&self) -> Vec<Block> {
        let found = Message::new("site-found")
            .name("file", shown_name(&self.name))
            .count("count", self.addresses)
            .count("values", self.values);
        let left = counts(&[
            ("site-left-base64", self.left_base64),
            ("site-left-keys", self.left_keys),
            ("site-left-stuck", self.stuck),
        ]);
        let found = std::iter::once(say(found)).chain(self.columns());
        apart([
            found.collect(),
            self.samples(),
            left,
            self.names(),
            self.unknown(),
        ])
    }

    /// Returns what `rewrite` says of it; `replaces_broken` is its `--broken`.
    pub(super) fn rewritten(&self, is_dry: bool, replaces_broken: bool) -> Vec<Block> {
        let done = Message::new(match is_dry {
            true => "site-would-replace",
            false => "site-replaced",
        });
        let done = done
            .name("file", shown_name(&self.name))
            .count("count", self.addresses)
            .count("values", self.values)
            .count("recounted", self.recounted);
        let broken = match replaces_broken {
            false => "site-left-broken",
            true => "site-replaced-broken",
        };
        let mut left = [self.broken(), self.included()].concat();
        left.extend(counts(&[
            ("site-left-base64", self.left_base64),
            ("site-left-keys", self.left_keys),
            (broken, self.broken_count),
            ("site-left-stuck", self.stuck),
        ]));
        match is_dry {
            true => apart([vec![say(done)], self.columns(), left]),
            false => [vec![say(done)], left].concat(),
        }
    }

    /// Returns what `verify` says of it, and the row of its verdict.
    pub(super) fn verified(&self, checks: &mut Table) -> Vec<Block> {
        let left = self.addresses + self.left_base64 + self.stuck;
        let verdict = match (left + self.broken_count, self.unlooked()) {
            (0, 0) => Verdict::Pass,
            (0, _) => Verdict::NotJudged,
            _ => Verdict::Fail,
        };
        let message = Message::new("site-verified")
            .count("count", left)
            .name("serialized", self.serialized)
            .name("broken", self.broken_count);
        checks.row([
            Cell::name(shown_name(&self.name)),
            Cell::verdict(verdict, message),
        ]);
        apart([self.columns(), self.samples(), self.unknown()])
    }

    /// Returns how much of it was not looked at: values, files that it includes, or all of it.
    pub(super) fn unlooked(&self) -> u64 {
        let is_empty = self.looked_at == 0 && self.included_count == 0;
        self.packed_count + self.included_count + u64::from(is_empty)
    }

    fn columns(&self) -> Vec<Block> {
        let columns = [
            words("place").in_one_line(),
            number("addresses"),
            number("values"),
            words("forms"),
        ];
        let mut table = Table::new("columns", columns);
        let found = self.columns.iter();
        for column in found.filter(|column| column.addresses.values().sum::<u64>() > 0) {
            let form = |(form, count): (&&str, &u64)| {
                let form = Message::new(format!("site-form-{form}"));
                let message = Message::new("site-form-count").with("form", form);
                Argument::from(message.name("count", count))
            };
            table.row([
                Cell::of(place_of(&column.table, &column.column)),
                counted(column.addresses.values().sum()),
                counted(column.values),
                Cell::of(Argument::list(column.addresses.iter().map(form))),
            ]);
        }
        unless_empty(table)
    }

    fn samples(&self) -> Vec<Block> {
        let place = Message::new("site-head-place");
        let columns = [Column::group("place", place), words("sample").in_one_line()];
        let mut table = Table::new("samples", columns).bare();
        for column in &self.columns {
            for sample in &column.samples {
                let place = Cell::of(place_of(&column.table, &column.column));
                table.row([place, Cell::name(sample)]);
            }
        }
        unless_empty(table)
    }

    /// Returns the hosts and paths that it names, the most frequent first.
    fn names(&self) -> Vec<Block> {
        let columns = [words("kind"), words("name").in_one_line(), number("times")];
        let mut table = Table::new("names", columns);
        for (kind, names) in [("host", &self.hosts), ("path", &self.paths)] {
            let mut names: Vec<(&String, &u64)> = names.iter().collect();
            names.sort_by(|one, other| other.1.cmp(one.1).then(one.0.cmp(other.0)));
            for (name, count) in names.into_iter().take(SHOWN) {
                let kind = Cell::of(Message::new(format!("site-kind-{kind}")));
                table.row([kind, Cell::name(name), counted(*count)]);
            }
        }
        unless_empty(table)
    }

    /// Returns what is not known of it: broken and packed values, files that it includes, and
    /// whether there was nothing to look at.
    fn unknown(&self) -> Vec<Block> {
        let packed = self.packed.iter().map(|one| {
            Message::new("site-packed")
                .with("place", place_of(&one.table, &one.column))
                .name("row", one.row)
                .name("packing", one.packing)
        });
        let mut blocks = self.broken();
        blocks.extend(listed(packed, self.packed_count, "site-packed-more", None));
        blocks.extend(self.included());
        if self.looked_at == 0 && self.included_count == 0 {
            let message = Message::new("site-empty-dump");
            blocks.push(warn(message.name("file", shown_name(&self.name))));
        }
        blocks
    }

    fn included(&self) -> Vec<Block> {
        let file = shown_name(&self.name);
        let lines = self.included.iter().map(|included| {
            let message = Message::new("site-included").name("file", &file);
            message.name("included", included)
        });
        let more = "site-included-more";
        listed(lines, self.included_count, more, Some(&file))
    }

    fn broken(&self) -> Vec<Block> {
        let lines = self.broken.iter().map(|one| {
            let entry = match (one.fault, one.has_address) {
                ("form", _) => "site-unwritable",
                (_, true) => "site-broken-address",
                (_, false) => "site-broken",
            };
            let fault = Message::new(format!("site-fault-{}", one.fault));
            Message::new(entry)
                .with("place", place_of(&one.table, &one.column))
                .name("row", one.row)
                .with("fault", fault)
        });
        listed(lines, self.broken_count, "site-broken-more", None)
    }
}

/// Returns the table of what `verify` checked.
pub(super) fn checks() -> Table {
    let result = Message::new("site-head-result");
    let columns = [
        words("checked").in_one_line(),
        Column::verdict("result", result),
    ];
    Table::new("checks", columns)
}

fn unjudged(
    (entry, more): (&'static str, &'static str),
    reason: impl Fn(&str) -> String,
    files: &[FileUnlooked],
    count: u64,
) -> Vec<Block> {
    let lines = files.iter().map(|one| {
        let why = Message::new(reason(one.reason));
        Message::new(entry)
            .name("path", &one.path)
            .with("reason", why.name("detail", &one.detail))
    });
    listed(lines, count, more, None)
}

impl Files {
    /// Returns what `verify` says of the files below `root`, and the row of their verdict.
    pub(super) fn verified(&self, root: &str, checks: &mut Table) -> Vec<Block> {
        let unlooked: u64 = self.not_looked_at.values().sum();
        let verdict = match (self.left.is_empty(), unlooked, self.looked_at) {
            (false, ..) => Verdict::Fail,
            (true, 0, 1..) => Verdict::Pass,
            (true, ..) => Verdict::NotJudged,
        };
        let message = match (self.looked_at, unlooked) {
            (0, 0) => Message::new("site-empty-directory"),
            (looked_at, _) => Message::new("site-files-total")
                .count("count", looked_at)
                .name("left", self.left.len())
                .name("unlooked", unlooked),
        };
        checks.row([Cell::name(root), Cell::verdict(verdict, message)]);
        let mut table = Table::new("files", [words("path").in_one_line(), number("addresses")]);
        for one in &self.left {
            table.row([Cell::name(&one.path), counted(one.addresses)]);
        }
        let reason = |key: &str| format!("site-unlooked-{key}");
        let entries = ("site-file-unlooked", "site-file-unlooked-more");
        let unlooked = unjudged(entries, reason, &self.not_looked_at_files, unlooked);
        apart([unless_empty(table), unlooked])
    }
}

impl Configuration {
    /// Writes the row of its verdict.
    pub(super) fn verified(&self, checks: &mut Table) {
        let (verdict, message) = match &self.error {
            None => (Verdict::Pass, Message::new("site-database-answers")),
            Some(error) => {
                let message = Message::new("site-database-silent");
                (Verdict::Fail, message.name("error", error))
            }
        };
        let database = Message::new("site-database").name("database", &self.database);
        checks.row([Cell::of(database), Cell::verdict(verdict, message)]);
    }
}

/// The users and groups of this machine, to name numbers; empty for a listing.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) users: Vec<u8>,
    pub(super) groups: Vec<u8>,
}

impl Permissions {
    /// Returns what is wrong with modes.
    pub(super) fn blocks(&self, names: &Names) -> Vec<Block> {
        let above = self
            .closed_above
            .iter()
            .map(|path| warn(Message::new("site-mode-above").name("path", path.display())));
        let reason = |key: &str| format!("site-unjudged-{key}");
        let entries = ("site-mode-unjudged", "site-mode-unjudged-more");
        let files = &self.not_judged_files;
        let mut unjudged = unjudged(entries, reason, files, self.not_judged);
        if self.with_acl > 0 {
            unjudged.push(warn(
                Message::new("site-mode-acl").count("count", self.with_acl),
            ));
        }
        apart([above.collect(), self.steps(names), unjudged])
    }

    /// Returns how much was looked at, is to change, and was not judged.
    pub(super) fn total(&self) -> Message {
        let total = Message::new("site-mode-total").count("count", self.entries);
        let total = total.name("wrong", self.steps.len());
        total.name("unjudged", self.not_judged + self.with_acl)
    }

    /// Writes the row of their verdict.
    pub(super) fn verified(&self, checks: &mut Table) {
        let is_right = self.steps.is_empty() && self.closed_above.is_empty();
        let verdict = match (is_right, self.not_judged + self.with_acl) {
            (false, _) => Verdict::Fail,
            (true, 0) => Verdict::Pass,
            (true, _) => Verdict::NotJudged,
        };
        let modes = Cell::of(Message::new("site-modes"));
        checks.row([modes, Cell::verdict(verdict, self.total())]);
    }

    fn steps(&self, names: &Names) -> Vec<Block> {
        let with_group = self.steps.iter().any(|step| step.group_needed.is_some());
        let mut columns = vec![
            words("path"),
            words("owner"),
            words("mode"),
            words("mode_needed"),
        ];
        columns.extend(with_group.then(|| words("group_needed")));
        columns.extend([words("class"), words("reasons")]);
        let mut table = Table::new("modes", columns);
        for step in &self.steps {
            let shared = step.is_shared.then_some("shared");
            let reasons = step.reasons.iter().copied().chain(shared);
            let reasons =
                reasons.map(|key| Argument::from(Message::new(format!("site-mode-{key}"))));
            let owner = name_of(&step.owner, &names.users);
            let group = name_of(&step.group, &names.groups);
            let mut cells = vec![
                Cell::name(&step.path),
                Cell::name(format!("{owner}:{group}")),
                Cell::name(&step.mode),
                Cell::name(&step.mode_needed).tone(Tone::Strong),
            ];
            if with_group {
                let group = step.group_needed.as_ref();
                let group = group.map(|group| Cell::name(name_of(group, &names.groups)));
                cells.push(group.unwrap_or_else(Cell::none));
            }
            cells.push(Cell::of(Message::new(format!("site-class-{}", step.class))));
            cells.push(Cell::of(Argument::list(reasons)));
            table.row(cells);
        }
        unless_empty(table)
    }
}
