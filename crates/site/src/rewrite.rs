//! Rewrites a dump, value by value, in one pass.

use std::io::{self, BufWriter, Read, Write};

use thiserror::Error;

use crate::coat::Coat;
use crate::edits::Edits;
use crate::ends::End;
use crate::pairs::Pairs;
use crate::report::InputReport;
use crate::source::Memory;
use crate::sql::Dialect;
use crate::walk::Walker;
use crate::window::{Side, Window};

/// The longest quoted value that is kept in memory.
pub(crate) const VALUE_BYTES_MAX: usize = 8 << 20;
/// How much is written at once.
const OUT_BYTES: usize = 128 << 10;
/// What an input ends in that has no `;` at its end.
pub(crate) const STATEMENT: &str = "a statement";
/// What tells the format of an input.
pub const HEAD_BYTES: usize = 64 << 10;

/// How values lie in the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Statements of SQL, of the server that their beginning tells.
    Sql,
    /// Statements of MySQL or MariaDB: mysqldump, mariadb-dump, phpMyAdmin, mydumper.
    MySql,
    /// Statements of PostgreSQL: pg_dump, pg_dumpall.
    Postgres,
    /// Statements of SQLite: `.dump`.
    Sqlite,
    /// Rows of fields, as for `LOAD DATA`: tabs between fields, `\` escapes.
    Tsv,
    /// Rows of fields with commas between, and quotes that are doubled.
    Csv,
    /// One value: any text, or serialized data.
    Text,
    /// Elements: `mysqldump --xml`, phpMyAdmin, and WordPress's export with its CDATA sections.
    Xml,
}

/// What is read, and which part of it is rewritten.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The format; guessed if not given.
    pub format: Option<Format>,
    /// The tables that are rewritten; all if empty.
    pub tables: Vec<String>,
    /// The tables that are not.
    pub skip_tables: Vec<String>,
    /// The columns that are not: `guid`, or `wp_posts.guid`.
    pub skip_columns: Vec<String>,
    /// Whether `\` is no escape from the beginning (`NO_BACKSLASH_ESCAPES`).
    pub no_backslash: bool,
    /// Whether a dump that ends too early is accepted.
    pub partial: bool,
    /// Whether hosts, paths and samples are collected, too.
    pub scan: bool,
}

impl Options {
    /// Returns whether a table stays as it is.
    pub(crate) fn leaves_table(&self, table: &str) -> bool {
        let is_named = |names: &[String]| names.iter().any(|name| name == table);
        (!self.tables.is_empty() && !is_named(&self.tables)) || is_named(&self.skip_tables)
    }

    /// Returns whether a column stays as it is.
    pub(crate) fn leaves_column(&self, table: &str, column: &str) -> bool {
        self.skip_columns.iter().any(|name| {
            name == column
                || name
                    .strip_suffix(column)
                    .and_then(|name| name.strip_suffix('.'))
                    .is_some_and(|of| of == table)
        })
    }

    /// Returns whether a column of a table may be one that stays as it is.
    pub(crate) fn may_leave_column(&self, table: &str) -> bool {
        self.skip_columns
            .iter()
            .any(|name| match name.rsplit_once('.') {
                Some((of, _)) => of == table,
                None => true,
            })
    }
}

/// Why an input was not rewritten completely.
#[derive(Debug, Error)]
pub enum RewriteError {
    /// Reading failed.
    #[error("failed to read the input")]
    Read(#[source] io::Error),
    /// Writing failed.
    #[error("failed to write the output")]
    Write(#[source] io::Error),
    /// The temporary file of a long value failed.
    #[error("failed to use a temporary file for a value of more than {} MiB", VALUE_BYTES_MAX >> 20)]
    Spill(#[source] io::Error),
    /// The input ends inside a value, a comment or a statement.
    #[error("the input ends inside {what}, after {bytes} bytes: it is cut off")]
    CutOff {
        /// Inside what.
        what: &'static str,
        /// The length of the input.
        bytes: u64,
    },
    /// The program that wrote the dump did not finish it.
    #[error("the dump has no `{mark}` at its end: it is cut off after {bytes} bytes")]
    Unfinished {
        /// What ends a whole one.
        mark: String,
        /// The length of the input.
        bytes: u64,
    },
    /// Rows of PostgreSQL's `COPY` that are not in its text form.
    #[error("the rows of `COPY {table}` are not in the text form, which alone is read")]
    Copy {
        /// The table.
        table: String,
    },
    /// An archive of pg_dump that is no text.
    #[error("this is an archive of pg_dump in its {form} form, which only pg_restore can read")]
    Archive {
        /// Its form.
        form: &'static str,
    },
    /// A column is to be skipped, and it is not known which one it is.
    #[error("the dump does not name the columns of `{table}`, so that none can be skipped")]
    Unnamed {
        /// The table.
        table: String,
    },
    /// A quoted field of CSV goes on behind its quote.
    #[error("row {row} has a quote in a quoted field that is not doubled")]
    Csv {
        /// The row, from 1.
        row: u64,
    },
    /// A character set in which a byte of a character can be a backslash or a quote.
    #[error("the dump is in the character set `{name}`, whose characters can contain a backslash")]
    CharacterSet {
        /// Its name.
        name: String,
    },
}

impl RewriteError {
    /// Returns what to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            RewriteError::Copy { .. } => {
                Some("dump again with `pg_dump`, which writes rows as text, or with `--inserts`")
            }
            RewriteError::Archive { .. } => {
                Some("turn it into text: `pg_restore --file=dump.sql ARCHIVE`")
            }
            RewriteError::Unnamed { .. } => {
                Some("dump again with the tables' definitions, or with `--complete-insert`")
            }
            RewriteError::Csv { .. } => {
                Some("write it again with doubled quotes, or name another `--format`")
            }
            RewriteError::CutOff { what, .. } if *what != STATEMENT => {
                Some("dump or copy it again")
            }
            RewriteError::CutOff { .. } | RewriteError::Unfinished { .. } => {
                Some("dump or copy it again; `--partial` accepts a part of a dump")
            }
            RewriteError::CharacterSet { .. } => Some(
                "dump again with `--default-character-set=utf8mb4`, or `--encoding=UTF8` of pg_dump",
            ),
            RewriteError::Spill(_) => Some("set TMPDIR to a directory with space"),
            RewriteError::Read(_) | RewriteError::Write(_) => None,
        }
    }
}

impl From<Side> for RewriteError {
    fn from(side: Side) -> Self {
        match side {
            Side::Read(error) => RewriteError::Read(error),
            Side::Write(error) => RewriteError::Write(error),
        }
    }
}

pub(crate) type Result<T> = std::result::Result<T, RewriteError>;

/// Counts what is written.
#[derive(Debug)]
pub(crate) struct Counted<W> {
    inner: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Where a value is.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ValuePlace {
    pub(crate) table: usize,
    pub(crate) column: usize,
    pub(crate) is_left: bool,
    /// Whether a `bytea` may stand there.
    pub(crate) is_postgres: bool,
    /// How many calls of SQLite's `replace` are around it.
    pub(crate) replaces: usize,
}

/// The state of one rewrite.
pub(crate) struct Rewriter<'p, R, W: Write> {
    pub(crate) window: Window<R>,
    pub(crate) out: BufWriter<Counted<W>>,
    pub(crate) options: &'p Options,
    pub(crate) report: InputReport,
    pub(crate) pairs: &'p Pairs,
    pub(crate) walker: Walker<'p>,
    /// The value without its first layer, without its first two, and so on.
    pub(crate) levels: Vec<Vec<u8>>,
    pub(crate) edits: Edits,
    /// The next place in the window that may be an address; searched in the bytes before `.1`.
    pub(crate) anchor: (usize, usize),
    /// Where the last value began in the window.
    pub(crate) value_start: usize,
}

/// Rewrites an input; everything in it that is no address is written as it was.
///
/// # Errors
/// If it cannot be read or written, or is cut off. What was written until then is not complete.
pub fn rewrite(
    input: impl Read,
    output: impl Write,
    pairs: &Pairs,
    options: &Options,
) -> std::result::Result<InputReport, RewriteError> {
    let counted = Counted {
        inner: output,
        bytes: 0,
    };
    let mut rewriter = Rewriter {
        window: Window::new(input),
        out: BufWriter::with_capacity(OUT_BYTES, counted),
        options,
        report: InputReport::new(options.scan),
        pairs,
        walker: Walker::new(pairs),
        levels: Vec::new(),
        edits: Edits::default(),
        anchor: (0, 0),
        value_start: 0,
    };
    rewriter.run()?;
    let Rewriter {
        window,
        out,
        mut report,
        ..
    } = rewriter;
    report.bytes_in = window.bytes_read;
    let mut counted = out
        .into_inner()
        .map_err(|error| RewriteError::Write(error.into_error()))?;
    counted.flush().map_err(RewriteError::Write)?;
    report.bytes_out = counted.bytes;
    Ok(report)
}

/// Rewrites one value, without any quoting.
pub fn rewrite_value(value: &[u8], pairs: &Pairs) -> (Vec<u8>, InputReport) {
    let mut walker = Walker::new(pairs);
    let mut report = InputReport::default();
    let table = report.table(b"");
    // Memory can always be read.
    if walker.whole(&mut Memory(value)).is_err() {
        return (value.to_vec(), report);
    }
    report.steps = walker.steps();
    let is_found = report.found(table, 0, &walker.edits);
    report.note(table, 0, is_found, &walker.counts);
    (walker.edits.applied(value), report)
}

impl<R: Read, W: Write> Rewriter<'_, R, W> {
    fn run(&mut self) -> Result<()> {
        while self.window.bytes().len() < HEAD_BYTES && !self.window.is_last {
            self.more(0)?;
        }
        let head = self.window.bytes();
        let format = self.options.format.unwrap_or_else(|| Format::detect(head));
        if self.options.format.is_none()
            && let Some(form) = archive(head)
        {
            return Err(RewriteError::Archive { form });
        }
        let end = match format {
            Format::Sql => self.sql(Dialect::of(head))?,
            Format::MySql => self.sql(Dialect::MySql)?,
            Format::Postgres => self.sql(Dialect::Postgres)?,
            Format::Sqlite => self.sql(Dialect::Sqlite)?,
            Format::Tsv => self.tsv()?,
            Format::Csv => self.csv()?,
            Format::Xml => self.xml()?,
            Format::Text => {
                let table = self.report.table(b"");
                let spot = ValuePlace {
                    table,
                    ..ValuePlace::default()
                };
                self.value(0, End::Input, Coat::default(), spot)?
            }
        };
        self.window.write_to(end, &mut self.out)?;
        Ok(())
    }

    /// Reads more; what begins at `keep` moves to the beginning.
    pub(crate) fn more(&mut self, keep: usize) -> Result<()> {
        self.anchor = (0, 0);
        Ok(self.window.more(keep, &mut self.out)?)
    }

    /// Reads until `count` bytes from `position` on are there, or the input ends. Returns the new
    /// position.
    pub(crate) fn ensure(&mut self, position: usize, count: usize) -> Result<usize> {
        let mut position = position;
        while self.window.bytes().len() < position + count && !self.window.is_last {
            self.more(position)?;
            position = 0;
        }
        Ok(position)
    }

    pub(crate) fn cut_off(&self, what: &'static str) -> RewriteError {
        RewriteError::CutOff {
            what,
            bytes: self.window.bytes_read,
        }
    }
}

/// Returns the form of an archive of pg_dump (<https://www.postgresql.org/docs/current/app-pgdump.html>,
/// `--format`); the directory form is known by its table of contents.
pub(crate) fn archive(head: &[u8]) -> Option<&'static str> {
    if head.starts_with(b"PGDMP") {
        return Some("custom or directory");
    }
    (head.starts_with(b"toc.dat\0") && head.get(257..262) == Some(b"ustar")).then_some("tar")
}
