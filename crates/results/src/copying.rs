//! Copies runs between stores, whether files or servers: every row as it is, under the run's number in
//! the other store, with a checksum of its own.
//!
//! A copy is recognized by its content, so copying twice changes nothing, and a run that was resumed
//! after it was copied adds only what is new. The digest of a run is a SHA-256 of the SHA-256 of each of
//! its rows, which leave out what belongs to one store: the number of the run and the row, the
//! checksum, and the process that executed the run. Names, tags and acknowledgements are not content:
//! a copy gets those that it lacks.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use crate::acknowledged::{self, Acknowledgement};
use crate::error::{Attempt, StoreError, no_such_run};
use crate::executing::{SAMPLE, SampleInserter};
use crate::labels::{self, insert_label, insert_tags};
use crate::owners;
use crate::run::{RunId, RunState};
use crate::sealed;
use crate::sql::{Param, Row, Transaction, Value};
use crate::store::Store;
use crate::stored::state_from_text;

/// What copying a run did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copied {
    /// It is a new run there.
    Added {
        /// Its number there.
        run: RunId,
        /// How many samples it has.
        samples: u64,
    },
    /// It was there with less, which was continued.
    Continued {
        /// Its number there.
        run: RunId,
        /// How many samples were added.
        samples: u64,
    },
    /// It was there already, with all of this and perhaps more.
    Already {
        /// Its number there.
        run: RunId,
    },
}

impl Copied {
    /// Returns the number of the run in the other store.
    pub fn run(self) -> RunId {
        match self {
            Copied::Added { run, .. } | Copied::Continued { run, .. } | Copied::Already { run } => {
                run
            }
        }
    }
}

/// The columns of a run, without its number, in the order of the table.
const RUN: [&str; 14] = [
    "world",
    "study_name",
    "question",
    "study_text",
    "seed",
    "options",
    "tool_version",
    "started_unix_ns",
    "ended_unix_ns",
    "state",
    "owner_pid",
    "owner_pid_namespace",
    "owner_boot_id",
    "owner_started_ticks",
];

/// What must be equal for two runs to have begun as one.
const BEGINNING: [&str; 6] = [
    "world",
    "study_text",
    "seed",
    "tool_version",
    "started_unix_ns",
    "question",
];

/// A table whose rows belong to a run.
struct Part {
    table: &'static str,
    order: &'static str,
    /// Its columns without numbers of rows, in the order of the table.
    columns: &'static [&'static str],
    is_numbered: bool,
}

/// In an order in which a row only refers to earlier ones.
const PARTS: [Part; 5] = [
    Part {
        table: "facts",
        order: "id",
        columns: &["run", "taken_unix_ns", "document_version", "document"],
        is_numbered: true,
    },
    Part {
        table: "cell",
        order: "cell_index",
        columns: &["run", "cell_index", "document_version", "document"],
        is_numbered: false,
    },
    Part {
        table: "warning",
        order: "id",
        columns: &["run", "cell_index", "document_version", "document"],
        is_numbered: true,
    },
    Part {
        table: "change",
        order: "id",
        columns: &[
            "run",
            "announced_unix_ns",
            "undone_unix_ns",
            "document_version",
            "document",
        ],
        is_numbered: true,
    },
    Part {
        table: "sample",
        order: "number",
        columns: &SAMPLE,
        is_numbered: false,
    },
];

/// The content of a run: the digest of each row, by table, and of its last state.
#[derive(Debug, Default, PartialEq, Eq)]
struct Content {
    rows: Vec<Vec<[u8; 32]>>,
    end: [u8; 32],
}

impl Content {
    fn digest(&self) -> String {
        let mut hash = Sha256::new();
        for (part, rows) in PARTS.iter().zip(&self.rows) {
            hash.update(part.table);
            hash.update([0]);
            rows.iter().for_each(|row| hash.update(row));
        }
        hash.update(self.end);
        let mut text = String::new();
        for byte in hash.finalize() {
            // Writing to a String cannot fail.
            _ = write!(text, "{byte:02x}");
        }
        text
    }

    /// Returns whether `self` begins with all rows of `other`.
    fn continues(&self, other: &Content) -> bool {
        let parts = self.rows.iter().zip(&other.rows);
        let mut parts = parts.map(|(ours, theirs)| ours.starts_with(theirs));
        parts.all(|begins| begins)
    }
}

impl Store {
    /// Copies a run into another store, all of it or nothing. It is durable there when this returns.
    ///
    /// # Errors
    /// [`StoreError::RunAlive`] if it is executed here or there, [`StoreError::NotRestored`] if the
    /// machine still has a change that it made, [`StoreError::SamplesDropped`], or if a store cannot be
    /// read or written.
    pub fn copy_run(&self, run: RunId, into: &mut Store) -> Result<Copied, StoreError> {
        let acknowledged = self.acknowledgements()?.into_iter();
        let acknowledged: Vec<_> = acknowledged.filter(|one| one.run == run).collect();
        let known = into.acknowledgements()?;
        self.read("copy a run", |from, attempt| {
            let source = Source::open(from, attempt, run)?;
            into.write("copy a run", |to, there| {
                let copied = source.copy(to, there)?;
                let run = copied.run();
                source.add_labels(to, there, run)?;
                acknowledge(to, there, run, &acknowledged, &known)?;
                Ok(copied)
            })
        })
    }
}

/// A run to copy.
struct Source<'t> {
    from: &'t Transaction<'t>,
    attempt: Attempt<'t>,
    run: RunId,
    row: Row,
}

impl<'t> Source<'t> {
    fn open(
        from: &'t Transaction<'t>,
        attempt: Attempt<'t>,
        run: RunId,
    ) -> Result<Self, StoreError> {
        labels::require_run(from, attempt, run)?;
        let row = run_row(from, attempt, run)?;
        refuse_executed(from, attempt, run, &row)?;
        let failed = |source| attempt.failed(source);
        if let Some(month) = from.dropped_month(run.0).map_err(failed)? {
            let path = attempt.path.to_owned();
            return Err(StoreError::SamplesDropped { path, run, month });
        }
        let query = "SELECT count(*) FROM change WHERE run = ?1 AND undone_unix_ns IS NULL";
        let left: u64 = from.one(query, &[run.0.into()]).map_err(failed)?;
        if left > 0 {
            return Err(StoreError::NotRestored { run });
        }
        Ok(Self {
            from,
            attempt,
            run,
            row,
        })
    }

    fn copy(&self, to: &Transaction, there: Attempt) -> Result<Copied, StoreError> {
        let candidates = self.candidates(to, there)?;
        if candidates.is_empty() {
            let run = self.insert_run(to, there)?;
            let (content, samples) = self.copy_rows(to, there, run, &Content::default())?;
            note_digest(to, there, run, &content)?;
            return Ok(Copied::Added { run, samples });
        }
        let ours = content(self.from, self.attempt, self.run, &self.row)?;
        let digest = ours.digest();
        for run in &candidates {
            if noted_digest(to, there, *run)?.as_ref() == Some(&digest) {
                return Ok(Copied::Already { run: *run });
            }
        }
        for run in candidates {
            let row = run_row(to, there, run)?;
            let theirs = content(to, there, run, &row)?;
            let (is_part, has_all) = (ours.continues(&theirs), theirs.continues(&ours));
            let is_newer = ended(there, &row)? >= ended(self.attempt, &self.row)?;
            if has_all && (!is_part || is_newer) {
                return Ok(Copied::Already { run });
            }
            if is_part {
                refuse_executed(to, there, run, &row)?;
                let (_, samples) = self.copy_rows(to, there, run, &theirs)?;
                self.update_run(to, there, run)?;
                note_digest(to, there, run, &ours)?;
                return Ok(Copied::Continued { run, samples });
            }
        }
        let run = self.insert_run(to, there)?;
        let (content, samples) = self.copy_rows(to, there, run, &Content::default())?;
        note_digest(to, there, run, &content)?;
        Ok(Copied::Added { run, samples })
    }

    /// Returns the runs of the other store that began as this one did.
    fn candidates(&self, to: &Transaction, there: Attempt) -> Result<Vec<RunId>, StoreError> {
        let failed = |source| there.failed(source);
        let started: i64 = self.value("started_unix_ns")?;
        let query = "SELECT * FROM run WHERE started_unix_ns = ?1
             AND id NOT IN (SELECT run FROM label WHERE kind = 'deleted') ORDER BY id";
        let mut runs = Vec::new();
        for row in to.query(query, &[started.into()]).map_err(failed)? {
            let run = RunId(row.get("id").map_err(failed)?);
            sealed::verify(there, "run", &row, || format!("run {run}"))?;
            if beginning(&row) == beginning(&self.row) {
                runs.push(run);
            }
        }
        Ok(runs)
    }

    fn insert_run(&self, to: &Transaction, there: Attempt) -> Result<RunId, StoreError> {
        let columns = params(self.attempt, &self.row, &RUN)?;
        let run = sealed::insert_numbered(to, there, "run", &columns)?;
        to.prepare_month(run)
            .map_err(|source| there.failed(source))?;
        Ok(RunId(run))
    }

    /// Gives the run in the other store the state of this one.
    fn update_run(&self, to: &Transaction, there: Attempt, run: RunId) -> Result<(), StoreError> {
        let mut columns = params(self.attempt, &self.row, &RUN)?;
        columns.retain(|(name, _)| {
            name.starts_with("owner_")
                || ["state", "ended_unix_ns", "study_name", "options"].contains(name)
        });
        sealed::update(to, there, ("run", run.0), &columns)
    }

    /// Copies the rows after those that the other store has. Returns the content of the run and how
    /// many samples were added.
    fn copy_rows(
        &self,
        to: &Transaction,
        there: Attempt,
        run: RunId,
        has: &Content,
    ) -> Result<(Content, u64), StoreError> {
        let mut found = Content {
            rows: Vec::new(),
            end: digest_of("run", &self.row),
        };
        let mut samples = 0;
        for (index, part) in PARTS.iter().enumerate() {
            let skip = has.rows.get(index).map_or(0, Vec::len);
            let mut digests = Vec::new();
            let mut writer = match part.table {
                "sample" => Some(SampleInserter::new(to, there, run)?),
                _ => None,
            };
            each_row(self.from, self.attempt, self.run, part, |row| {
                digests.push(digest_of(part.table, row));
                if digests.len() <= skip {
                    return Ok(());
                }
                let mut columns = params(self.attempt, row, part.columns)?;
                columns[0].1 = run.0.into();
                match (&mut writer, columns.as_array()) {
                    (Some(writer), Some(columns)) => {
                        samples += 1;
                        writer.insert_row(columns)
                    }
                    _ if part.is_numbered => {
                        sealed::insert_numbered(to, there, part.table, &columns).map(drop)
                    }
                    _ => sealed::insert(to, there, part.table, &columns),
                }
            })?;
            if let Some(writer) = writer {
                writer.finish()?;
            }
            found.rows.push(digests);
        }
        Ok((found, samples))
    }

    fn add_labels(&self, to: &Transaction, there: Attempt, run: RunId) -> Result<(), StoreError> {
        let ours = labels::labels(self.from, self.attempt, self.run)?;
        let theirs = labels::labels(to, there, run)?;
        if let (Some(name), None) = (&ours.name, &theirs.name) {
            insert_label(to, there, run, "name", name)?;
        }
        insert_tags(to, there, run, &ours.tags)
    }

    fn value<T: crate::sql::FromValue>(&self, column: &str) -> Result<T, StoreError> {
        self.row
            .get(column)
            .map_err(|source| self.attempt.failed(source))
    }
}

/// Adds the acknowledgements that the other store lacks.
fn acknowledge(
    to: &Transaction,
    there: Attempt,
    run: RunId,
    ours: &[Acknowledgement],
    known: &[Acknowledgement],
) -> Result<(), StoreError> {
    for one in ours {
        let one = Acknowledgement { run, ..one.clone() };
        if !known.contains(&one) {
            acknowledged::make_table(to, there)?;
            acknowledged::insert(to, there, &one)?;
        }
    }
    Ok(())
}

fn run_row(transaction: &Transaction, attempt: Attempt, run: RunId) -> Result<Row, StoreError> {
    let row = transaction.first("SELECT * FROM run WHERE id = ?1", &[run.0.into()]);
    let row = row.map_err(|source| attempt.failed(source))?;
    let row = row.ok_or_else(|| no_such_run(attempt, run))?;
    sealed::verify(attempt, "run", &row, || format!("run {run}"))?;
    Ok(row)
}

fn refuse_executed(
    transaction: &Transaction,
    attempt: Attempt,
    run: RunId,
    row: &Row,
) -> Result<(), StoreError> {
    let failed = |source| attempt.failed(source);
    let state: String = row.get("state").map_err(failed)?;
    if state_from_text(&state) == Some(RunState::Running)
        && let Some(owner) = owners::owner_from_row(row).map_err(failed)?
        && owners::is_executed(transaction, attempt, run, &owner)?
    {
        return Err(owners::alive(transaction, attempt, run, &owner));
    }
    Ok(())
}

/// Returns when a run ended last; `None`, which is before everything, for one that did not.
fn ended(attempt: Attempt, row: &Row) -> Result<Option<i64>, StoreError> {
    row.get("ended_unix_ns")
        .map_err(|source| attempt.failed(source))
}

/// Returns the values that two runs which began as one have in common.
fn beginning(row: &Row) -> Vec<(&str, &Value)> {
    let columns = row.columns();
    columns
        .filter(|(name, _)| BEGINNING.contains(name))
        .collect()
}

/// Reads the content of a run, and verifies every row.
fn content(
    transaction: &Transaction,
    attempt: Attempt,
    run: RunId,
    row: &Row,
) -> Result<Content, StoreError> {
    let mut content = Content {
        rows: Vec::new(),
        end: digest_of("run", row),
    };
    for part in &PARTS {
        let mut digests = Vec::new();
        each_row(transaction, attempt, run, part, |row| {
            digests.push(digest_of(part.table, row));
            Ok(())
        })?;
        content.rows.push(digests);
    }
    Ok(content)
}

fn each_row(
    transaction: &Transaction,
    attempt: Attempt,
    run: RunId,
    part: &Part,
    mut found: impl FnMut(&Row) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let Part { table, order, .. } = part;
    let of_run = match *table {
        "sample" => transaction.sample_of_run(),
        _ => "run = ?1",
    };
    let query = format!("SELECT * FROM {table} WHERE {of_run} ORDER BY {order}");
    transaction.each(attempt, &query, &[run.0.into()], |row| {
        sealed::verify(attempt, table, row, || {
            format!("a row of `{table}` of run {run}")
        })?;
        found(row)
    })
}

/// Returns the digest of a row without what belongs to one store.
fn digest_of(table: &str, row: &Row) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(table);
    for (name, value) in row.columns() {
        if ["id", "run", sealed::CHECKSUM].contains(&name) || name.starts_with("owner_") {
            continue;
        }
        let (kind, bytes): (&[u8], Vec<u8>) = match value {
            Value::Null => (b"-", Vec::new()),
            Value::Integer(value) => (b"i", value.to_le_bytes().to_vec()),
            Value::Text(text) => (b"t", text.clone()),
            Value::Real(value) => (b"r", value.to_le_bytes().to_vec()),
            Value::Blob(bytes) => (b"b", bytes.clone()),
        };
        hash.update(name);
        hash.update(kind);
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    }
    hash.finalize().into()
}

/// Returns the values of columns. A row has exactly those, its number and its checksum.
fn params<'r>(
    attempt: Attempt,
    row: &'r Row,
    columns: &[&'static str],
) -> Result<Vec<(&'static str, Param<'r>)>, StoreError> {
    let is_ours = |name: &str| columns.contains(&name) || ["id", sealed::CHECKSUM].contains(&name);
    if let Some((name, _)) = row.columns().find(|(name, _)| !is_ours(name)) {
        let what = format!("it has the column `{name}`, which this version cannot copy");
        return Err(attempt.corrupt(what, None));
    }
    let params = columns.iter().map(|column| {
        let value = row.columns().find(|(name, _)| name == column);
        let param = match value.map(|(_, value)| value) {
            Some(Value::Null) => Some(Param::Null),
            Some(Value::Integer(value)) => Some(Param::Integer(*value)),
            Some(Value::Text(text)) => std::str::from_utf8(text).ok().map(Param::Text),
            _ => None,
        };
        let param =
            param.ok_or_else(|| attempt.corrupt(format!("column `{column}` cannot be read"), None));
        param.map(|param| (*column, param))
    });
    params.collect()
}

/// Notes the content of a copy on a server; a file is read again.
fn note_digest(
    to: &Transaction,
    there: Attempt,
    run: RunId,
    content: &Content,
) -> Result<(), StoreError> {
    if to.file().is_some() {
        return Ok(());
    }
    let digest = content.digest();
    let upsert = "INSERT INTO copied (run, digest) VALUES (?1, ?2)
         ON CONFLICT (run) DO UPDATE SET digest = excluded.digest";
    to.execute(upsert, &[run.0.into(), Param::from(&digest)])
        .map(drop)
        .map_err(|source| there.failed(source))
}

fn noted_digest(
    to: &Transaction,
    there: Attempt,
    run: RunId,
) -> Result<Option<String>, StoreError> {
    if to.file().is_some() {
        return Ok(None);
    }
    let failed = |source| there.failed(source);
    let row = to.first("SELECT digest FROM copied WHERE run = ?1", &[run.0.into()]);
    row.map_err(failed)?
        .map(|row| row.at(0).map_err(failed))
        .transpose()
}
