//! Names and tags of runs, and the deletion of runs.
//!
//! The number of a deleted run is never used again. If its journal has a change that is not undone,
//! its row and journal stay until `restore` has undone it, but no list shows the run.

use crate::acknowledged;
use crate::error::{Attempt, StoreError, no_such_run};
use crate::owners;
use crate::run::RunId;
use crate::sealed;
use crate::sql::{Param, Transaction};
use crate::store::Store;

/// The longest name of a run, in bytes: one line.
pub const NAME_BYTES_MAX: usize = 200;
/// The longest tag, in bytes.
pub const TAG_BYTES_MAX: usize = 64;
/// The most tags of a run.
pub const TAGS_MAX: usize = 64;

/// A text is not a valid name or tag.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LabelError {
    /// It is empty.
    #[error("a {what} cannot be empty")]
    Empty {
        /// `name` or `tag`.
        what: &'static str,
    },
    /// It is too long.
    #[error("a {what} has at most {limit} bytes, this one has {found}")]
    TooLong {
        /// `name` or `tag`.
        what: &'static str,
        /// Its length in bytes.
        found: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// It has a forbidden character.
    #[error("a {what} cannot contain {character:?}")]
    Character {
        /// `name` or `tag`.
        what: &'static str,
        /// The character.
        character: char,
    },
    /// It is a name that commands read as something else.
    #[error("`{text}` cannot be a name: commands read it as {kind}")]
    Reserved {
        /// What commands read it as.
        kind: &'static str,
        /// The name.
        text: String,
    },
}

/// The word for the run that was started last.
pub const LATEST: &str = "latest";

/// Parses the name that a store or an export has for a run, and trims it. Versions before names of
/// runs were read by commands allowed more than [`run_name`].
///
/// # Errors
/// [`LabelError`]: it is empty, too long, or has a control character.
pub fn stored_run_name(text: &str) -> Result<String, LabelError> {
    label("name", text, NAME_BYTES_MAX, char::is_control)
}

/// Parses a new name for a run and trims it.
///
/// # Errors
/// As [`stored_run_name`], or if commands read it as something else before they look for a name.
pub fn run_name(text: &str) -> Result<String, LabelError> {
    let name = stored_run_name(text)?;
    let kind = match name.as_str() {
        LATEST => "the run that was started last",
        name if name.bytes().all(|byte| byte.is_ascii_digit()) => "the number of a run",
        name if name.starts_with('-') => "an option",
        name if split_cell(name).1.is_some() => "a cell of another run",
        _ => return Ok(name),
    };
    let text = name;
    Err(LabelError::Reserved { kind, text })
}

/// Splits `RUN:NUMBER` and `RUN:KEY=VALUE,...` into the run and what selects its cells; a colon before
/// anything else belongs to the name.
pub fn split_cell(text: &str) -> (&str, Option<&str>) {
    let selects = |tail: &str| {
        let is_number = !tail.is_empty() && tail.bytes().all(|byte| byte.is_ascii_digit());
        is_number || tail.contains('=')
    };
    let mut colons = text.match_indices(':').map(|(place, _)| place);
    let found = colons.find(|place| *place > 0 && selects(&text[place + 1..]));
    found.map_or((text, None), |place| {
        (&text[..place], Some(&text[place + 1..]))
    })
}

/// Parses a tag and trims it.
///
/// # Errors
/// [`LabelError`]: it is empty, too long, or has white space, a comma or a control character.
pub fn tag(text: &str) -> Result<String, LabelError> {
    let is_bad = |c: char| c.is_control() || c.is_whitespace() || c == ',';
    label("tag", text, TAG_BYTES_MAX, is_bad)
}

fn label(
    what: &'static str,
    text: &str,
    limit: usize,
    is_bad: impl Fn(char) -> bool,
) -> Result<String, LabelError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(LabelError::Empty { what });
    }
    if text.len() > limit {
        let found = text.len();
        return Err(LabelError::TooLong { what, found, limit });
    }
    match text.chars().find(|c| is_bad(*c)) {
        Some(character) => Err(LabelError::Character { what, character }),
        None => Ok(text.to_owned()),
    }
}

/// A deleted run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deleted {
    /// The run.
    pub run: RunId,
    /// The number of its changes that are not undone; `restore` can still undo them.
    pub leftovers: u64,
}

/// The labels of a run.
#[derive(Debug, Default)]
pub(crate) struct Labels {
    pub(crate) name: Option<String>,
    pub(crate) tags: Vec<String>,
}

impl Store {
    /// Returns the runs that have the name `name`, in the order of their numbers.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn runs_named(&self, name: &str) -> Result<Vec<RunId>, StoreError> {
        let mut runs = self.runs()?;
        runs.retain(|run| run.name.as_deref() == Some(name));
        Ok(runs.iter().map(|run| run.id).collect())
    }

    /// Sets the name of a run. `name` is from [`run_name`].
    ///
    /// # Errors
    /// [`StoreError::NoSuchRun`], or if the file cannot be written.
    pub fn rename_run(&mut self, run: RunId, name: &str) -> Result<(), StoreError> {
        self.write("rename a run", |transaction, attempt| {
            require_run(transaction, attempt, run)?;
            transaction
                .execute(
                    "DELETE FROM label WHERE run = ?1 AND kind = 'name'",
                    &[run.0.into()],
                )
                .map_err(|source| attempt.failed(source))?;
            insert_label(transaction, attempt, run, "name", name)
        })
    }

    /// Adds tags to those that a run has; each is from [`tag`]. At most [`TAGS_MAX`] are kept.
    ///
    /// # Errors
    /// [`StoreError::NoSuchRun`], or if the file cannot be written.
    pub fn tag_run(&mut self, run: RunId, tags: &[String]) -> Result<(), StoreError> {
        self.write("tag a run", |transaction, attempt| {
            require_run(transaction, attempt, run)?;
            insert_tags(transaction, attempt, run, tags)
        })
    }

    /// Removes tags from a run; ignores tags that it does not have.
    ///
    /// # Errors
    /// [`StoreError::NoSuchRun`], or if the file cannot be written.
    pub fn untag_run(&mut self, run: RunId, tags: &[String]) -> Result<(), StoreError> {
        self.write("tag a run", |transaction, attempt| {
            require_run(transaction, attempt, run)?;
            let delete = "DELETE FROM label WHERE run = ?1 AND kind = 'tag' AND text = ?2";
            for tag in tags {
                transaction
                    .execute(delete, &[run.0.into(), tag.into()])
                    .map_err(|source| attempt.failed(source))?;
            }
            Ok(())
        })
    }

    /// Deletes runs with all their data, all of them or none.
    ///
    /// # Errors
    /// [`StoreError::NoSuchRun`], [`StoreError::RunAlive`] if one is running, or if the file cannot
    /// be written.
    pub fn delete_runs(&mut self, runs: &[RunId]) -> Result<Vec<Deleted>, StoreError> {
        self.write("delete runs", |transaction, attempt| {
            let living = owners::living_runs(transaction, attempt)?;
            for run in runs {
                require_run(transaction, attempt, *run)?;
                if let Some(living) = living.iter().find(|living| living.run == *run) {
                    return Err(owners::alive(transaction, attempt, *run, &living.owner));
                }
            }
            let deleted = runs.iter().map(|run| delete(transaction, attempt, *run));
            let deleted = deleted.collect::<Result<_, _>>()?;
            remove_restored(transaction, attempt)?;
            Ok(deleted)
        })
    }
}

/// Verifies the rows that hide deleted runs: a damaged one would hide another run.
pub(crate) fn verify_deleted(
    transaction: &Transaction,
    attempt: Attempt,
) -> Result<(), StoreError> {
    let query = "SELECT * FROM label WHERE kind = 'deleted'";
    transaction.each(attempt, query, &[], |row| {
        sealed::verify(attempt, "label", row, || {
            "the label of a deleted run".to_owned()
        })
    })
}

/// Returns the labels of a run after verifying their rows.
pub(crate) fn labels(
    transaction: &Transaction,
    attempt: Attempt,
    run: RunId,
) -> Result<Labels, StoreError> {
    let failed = |source| attempt.failed(source);
    let mut labels = Labels::default();
    let query = "SELECT * FROM label WHERE run = ?1 ORDER BY id";
    transaction.each(attempt, query, &[run.0.into()], |row| {
        sealed::verify(attempt, "label", row, || format!("a label of run {run}"))?;
        let (kind, text): (String, String) = (
            row.get("kind").map_err(failed)?,
            row.get("text").map_err(failed)?,
        );
        match kind.as_str() {
            "name" => labels.name = Some(text),
            "tag" => labels.tags.push(text),
            _ => {}
        }
        Ok(())
    })?;
    labels.tags.sort_unstable();
    Ok(labels)
}

/// Adds the tags that a run does not have yet.
pub(crate) fn insert_tags(
    transaction: &Transaction,
    attempt: Attempt,
    run: RunId,
    tags: &[String],
) -> Result<(), StoreError> {
    let mut has = labels(transaction, attempt, run)?.tags;
    for tag in tags {
        if !has.contains(tag) && has.len() < TAGS_MAX {
            insert_label(transaction, attempt, run, "tag", tag)?;
            has.push(tag.clone());
        }
    }
    Ok(())
}

pub(crate) fn insert_label(
    transaction: &Transaction,
    attempt: Attempt,
    run: RunId,
    kind: &str,
    text: &str,
) -> Result<(), StoreError> {
    let columns = [
        ("run", Param::from(run.0)),
        ("kind", Param::from(kind)),
        ("text", Param::from(text)),
    ];
    sealed::insert_numbered(transaction, attempt, "label", &columns).map(drop)
}

pub(crate) fn require_run(
    transaction: &Transaction,
    attempt: Attempt,
    run: RunId,
) -> Result<(), StoreError> {
    let count = count(
        transaction,
        attempt,
        "SELECT count(*) FROM run WHERE id = ?1
             AND NOT EXISTS (SELECT 1 FROM label WHERE label.run = run.id AND kind = 'deleted')",
        run,
    )?;
    match count {
        0 => Err(no_such_run(attempt, run)),
        _ => Ok(()),
    }
}

fn count(
    transaction: &Transaction,
    attempt: Attempt,
    query: &str,
    run: RunId,
) -> Result<u64, StoreError> {
    transaction
        .one(query, &[run.0.into()])
        .map(crate::stored::from_integer)
        .map_err(|source| attempt.failed(source))
}

/// Deletes the data of a run, and the run itself unless its journal is still needed.
fn delete(transaction: &Transaction, attempt: Attempt, run: RunId) -> Result<Deleted, StoreError> {
    let of_run = transaction.sample_of_run();
    transaction
        .execute(
            &format!("DELETE FROM sample WHERE {of_run}"),
            &[run.0.into()],
        )
        .map_err(|source| attempt.failed(source))?;
    for table in ["warning", "cell", "facts", "label"] {
        transaction
            .execute(
                &format!("DELETE FROM {table} WHERE run = ?1"),
                &[run.0.into()],
            )
            .map_err(|source| attempt.failed(source))?;
    }
    acknowledged::delete(transaction, attempt, run)?;
    let query = "SELECT count(*) FROM change WHERE run = ?1 AND undone_unix_ns IS NULL";
    let leftovers = count(transaction, attempt, query, run)?;
    match leftovers {
        0 => remove(transaction, attempt, run)?,
        _ => insert_label(transaction, attempt, run, "deleted", "")?,
    }
    Ok(Deleted { run, leftovers })
}

/// Removes the remaining rows of a deleted run.
fn remove(transaction: &Transaction, attempt: Attempt, run: RunId) -> Result<(), StoreError> {
    for statement in [
        "DELETE FROM change WHERE run = ?1",
        "DELETE FROM label WHERE run = ?1",
        "DELETE FROM run WHERE id = ?1",
    ] {
        transaction
            .execute(statement, &[run.0.into()])
            .map_err(|source| attempt.failed(source))?;
    }
    Ok(())
}

/// Removes earlier deleted runs whose changes are all undone.
fn remove_restored(transaction: &Transaction, attempt: Attempt) -> Result<(), StoreError> {
    let failed = |source| attempt.failed(source);
    let query = "SELECT run FROM label WHERE kind = 'deleted' AND NOT EXISTS (
                 SELECT 1 FROM change WHERE change.run = label.run AND undone_unix_ns IS NULL)";
    for row in transaction.query(query, &[]).map_err(failed)? {
        remove(transaction, attempt, RunId(row.at(0).map_err(failed)?))?;
    }
    Ok(())
}
