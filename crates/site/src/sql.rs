//! SQL as dumps have it: where its quoted values are, and in which table, row and column.
//!
//! Comments, identifiers and code stay as they are. The body of a conditional comment (`/*!40101`)
//! is code. The sandbox mark of mariadb-dump (`/*!999999\- ... */`) is a comment.
//!
//! A dump is whole if its last statement ends with `;`, a transaction that it begins with is
//! committed, and what its program writes at the end is there, if that wrote its name at the
//! beginning. Nothing tells it of a dump without these marks that was cut between two statements.

use std::collections::BTreeMap;
use std::io::{Read, Write};

use crate::coat::Coat;
use crate::ends::End;
use crate::escape::Escape;
use crate::included;
use crate::rewrite::{Result, RewriteError, Rewriter, STATEMENT, ValuePlace};

/// The longest name that is looked at.
const NAME_BYTES_MAX: usize = 1024;
/// How many bytes decide what begins at a byte.
const AHEAD_BYTES: usize = 16;

/// Character sets in which the second byte of a character can be a backslash, or in which letters have
/// two bytes and more.
const UNSAFE_SETS: [&str; 13] = [
    "big5",
    "cp932",
    "gb18030",
    "gbk",
    "sjis",
    "ucs2",
    "utf16",
    "utf16le",
    "utf32",
    "gb2312",
    // Of PostgreSQL: <https://www.postgresql.org/docs/current/multibyte.html>.
    "johab",
    "shift_jis_2004",
    "uhc",
];

/// Whose SQL it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Dialect {
    #[default]
    MySql,
    Postgres,
    Sqlite,
}

impl Dialect {
    /// Guesses it from what comes before the first rows.
    pub(crate) fn of(head: &[u8]) -> Self {
        for line in head.split(|byte| *byte == b'\n') {
            if let Some(dialect) = included::dialect_of(line) {
                return dialect;
            }
            let begins = |words: &[&str]| {
                words.iter().any(|word| {
                    line.get(..word.len())
                        .is_some_and(|begin| begin.eq_ignore_ascii_case(word.as_bytes()))
                })
            };
            if begins(&[
                "-- PostgreSQL database",
                "SET standard_conforming_strings",
                "SELECT pg_catalog.",
            ]) || (begins(&["COPY "]) && line.trim_ascii_end().ends_with(b"FROM stdin;"))
            {
                return Dialect::Postgres;
            }
            if begins(&["PRAGMA "]) {
                return Dialect::Sqlite;
            }
            if begins(&[
                "INSERT ",
                "REPLACE ",
                "-- MySQL",
                "-- MariaDB",
                "-- phpMyAdmin",
            ]) {
                let is_sqlite = is_of_sqlite(line) && memchr::memmem::find(head, b"\\'").is_none();
                return match is_sqlite {
                    true => Dialect::Sqlite,
                    false => Dialect::MySql,
                };
            }
        }
        Dialect::MySql
    }
}

/// Returns whether a line is a row as SQLite's shell writes it (`.mode insert`): no other program that
/// we know leaves out both the quotes of MySQL around the table's name and the blank behind `VALUES`.
fn is_of_sqlite(line: &[u8]) -> bool {
    let name = line.strip_prefix(b"INSERT INTO ");
    let end = name.and_then(|name| memchr::memmem::find(name, b" VALUES("));
    name.zip(end)
        .is_some_and(|(name, end)| !name[..end].contains(&b'`'))
}

/// What programs write first and last. The last is looked for first: one begins like the other.
const MARKS: [(&str, &str); 4] = [
    ("-- MySQL dump", "-- Dump completed"),
    ("-- MariaDB dump", "-- Dump completed"),
    (
        "-- PostgreSQL database dump",
        "-- PostgreSQL database dump complete",
    ),
    (
        "-- PostgreSQL database cluster dump",
        "-- PostgreSQL database cluster dump complete",
    ),
];

/// The kind of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Kind {
    #[default]
    Start,
    /// `INSERT`, `REPLACE`, `UPDATE`.
    Insert,
    Create,
    Set,
    Copy,
    Other,
}

/// Where in a statement we are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Phase {
    /// The name of the table is still to come.
    #[default]
    Name,
    /// In the list of columns.
    Columns,
    Values,
}

/// The statement so far.
#[derive(Debug, Default)]
pub(crate) struct Statement {
    kind: Kind,
    phase: Phase,
    name: Vec<u8>,
    columns: Vec<String>,
    depth: u32,
    column: usize,
    /// Whether a column's name is next in `CREATE TABLE`.
    is_item: bool,
    table: Option<usize>,
    pub(crate) is_left: bool,
    last_word: Vec<u8>,
    /// Whether the last word ends right here.
    is_after_word: bool,
    /// Whether there is anything of it but comments.
    is_begun: bool,
    /// Whether a dot stands right before: a name goes on.
    is_dotted: bool,
    /// Whether it defines a table.
    is_table: bool,
    /// Whether its rows come from standard input.
    is_stdin: bool,
    /// How many calls of `replace` the next value is in.
    replaces: usize,
    /// Which of its columns stay.
    pub(crate) left: Vec<bool>,
    /// The last name outside of parentheses, behind `SET` or `VALUES`.
    last_name: Vec<u8>,
    /// The column that `NAME =` gives a value, and whether it stays.
    assigned: Option<(usize, bool)>,
}

/// What is known of the whole dump.
#[derive(Debug, Default)]
pub(crate) struct Dump {
    pub(crate) dialect: Dialect,
    pub(crate) statement: Statement,
    /// The columns of each table, from `CREATE TABLE`.
    columns: BTreeMap<Vec<u8>, Vec<String>>,
    /// The columns that `UPDATE` and `INSERT ... SET` name, of tables without `CREATE TABLE`.
    assigned: BTreeMap<Vec<u8>, Vec<String>>,
    no_backslash: bool,
    /// What must follow: the last lines of the programs whose first lines were there. pg_dumpall
    /// writes those of pg_dump between its own.
    awaited: Vec<&'static str>,
    /// Whether there was a statement other than `SET`.
    has_begun: bool,
    /// Whether it began with a transaction that is not committed yet.
    is_open: bool,
}

/// What begins with a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Plain,
    Quote,
    Backtick,
    Comment,
    Word,
    Digit,
    Structure,
    Backslash,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Plain; 256];
    let mut byte = 0_u8;
    loop {
        classes[byte as usize] = match byte {
            b'\'' | b'"' => Class::Quote,
            b'`' => Class::Backtick,
            b'-' | b'#' | b'/' => Class::Comment,
            b'0'..=b'9' => Class::Digit,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | 128.. => Class::Word,
            b'(' | b')' | b',' | b';' | b'=' => Class::Structure,
            b'\\' => Class::Backslash,
            _ => Class::Plain,
        };
        if byte == 255 {
            break;
        }
        byte += 1;
    }
    classes
};

impl Statement {
    /// Returns whether rows or values of columns are next.
    fn is_of_rows(&self) -> bool {
        (self.kind, self.phase) == (Kind::Insert, Phase::Values)
    }

    /// Returns whether a file that it reads is next.
    fn reads_file(&self) -> bool {
        let is_last = |word: &[u8]| self.last_word.eq_ignore_ascii_case(word);
        match self.kind {
            Kind::Copy => is_last(b"FROM") || is_last(b"PROGRAM"),
            Kind::Other => is_last(b"INFILE"),
            _ => false,
        }
    }
}

impl<R: Read, W: Write> Rewriter<'_, R, W> {
    /// Rewrites statements; returns where the last one ends.
    pub(crate) fn sql(&mut self, dialect: Dialect) -> Result<usize> {
        let mut dump = Dump {
            dialect,
            no_backslash: self.options.no_backslash || dialect != Dialect::MySql,
            ..Dump::default()
        };
        let mut position = 0;
        loop {
            if self.window.bytes().len() < position + AHEAD_BYTES && !self.window.is_last {
                position = self.ensure(position, AHEAD_BYTES)?;
            }
            let rest = &self.window.bytes()[position..];
            let plain = rest
                .iter()
                .position(|byte| CLASSES[usize::from(*byte)] != Class::Plain);
            let Some(plain) = plain else {
                position += rest.len();
                if self.window.is_last {
                    break;
                }
                continue;
            };
            if plain > 0 {
                dump.statement.is_after_word = false;
                dump.statement.is_dotted = rest[..plain].ends_with(b".");
                position += plain;
                continue;
            }
            let is_after_word = std::mem::take(&mut dump.statement.is_after_word);
            let class = CLASSES[usize::from(rest[0])];
            if !matches!(class, Class::Word | Class::Quote | Class::Backtick) {
                dump.statement.is_dotted = false;
            }
            let is_dotted = dump.statement.is_dotted && class == Class::Word;
            if !dump.statement.is_begun
                && included::is_line(&rest[..rest.len().min(AHEAD_BYTES)], is_dotted)
            {
                position = self.client_line(position)?;
                dump.statement.is_dotted = false;
                continue;
            }
            dump.statement.is_begun |=
                !matches!(class, Class::Comment | Class::Backslash) && rest[0] != b';';
            position = match class {
                Class::Plain | Class::Backslash => position + 1,
                Class::Structure => {
                    let byte = rest[0];
                    match self.structure(byte, &mut dump)? {
                        true => self.copy_rows(position + 1, &mut dump)?,
                        false => position + 1,
                    }
                }
                Class::Quote if rest[0] == b'"' && dump.dialect != Dialect::MySql => {
                    self.identifier(position, &mut dump)?
                }
                Class::Quote => self.literal(position, is_after_word, &mut dump)?,
                Class::Backtick => self.identifier(position, &mut dump)?,
                Class::Word if rest[0] == b'$' && dump.dialect == Dialect::Postgres => {
                    self.dollar(position, &mut dump)?
                }
                Class::Comment => self.comment(position, &mut dump)?,
                Class::Word => self.word(position, &mut dump)?,
                Class::Digit => self.digits(position, &mut dump)?,
            };
        }
        self.check_end(&dump)?;
        Ok(position)
    }

    fn check_end(&self, dump: &Dump) -> Result<()> {
        if self.options.partial {
            return Ok(());
        }
        if dump.statement.is_begun {
            return Err(self.cut_off(STATEMENT));
        }
        let open = dump.is_open.then_some("COMMIT;");
        match dump.awaited.last().copied().or(open) {
            Some(mark) => Err(RewriteError::Unfinished {
                mark: mark.to_owned(),
                bytes: self.window.bytes_read,
            }),
            None => Ok(()),
        }
    }

    /// Takes a byte that structures a statement. Returns whether rows of `COPY` follow it.
    fn structure(&mut self, byte: u8, dump: &mut Dump) -> Result<bool> {
        let statement = &mut dump.statement;
        match byte {
            b'(' => {
                statement.depth += 1;
                if statement.depth == 1 {
                    self.open(dump)?;
                }
            }
            b')' => statement.depth = statement.depth.saturating_sub(1),
            b',' if statement.depth == 1 => {
                statement.column += 1;
                statement.is_item = true;
            }
            b'=' if statement.depth == 0 && statement.is_of_rows() => self.assign(dump)?,
            b';' => {
                if statement.is_stdin {
                    if statement.last_word.eq_ignore_ascii_case(b"stdin") {
                        return Ok(true);
                    }
                    let table = String::from_utf8_lossy(&statement.name).into_owned();
                    return Err(RewriteError::Copy { table });
                }
                if statement.kind == Kind::Create && !statement.columns.is_empty() {
                    let name = std::mem::take(&mut statement.name);
                    let columns = std::mem::take(&mut statement.columns);
                    // A table without rows is one, too.
                    self.report.table(&name);
                    dump.columns.insert(name, columns);
                }
                dump.statement = Statement::default();
            }
            _ => {}
        }
        Ok(false)
    }

    /// Begins a list: of columns, or a row.
    fn open(&mut self, dump: &mut Dump) -> Result<()> {
        if dump.statement.is_of_rows() {
            self.table(dump)?;
        }
        let statement = &mut dump.statement;
        statement.column = 0;
        statement.is_item = true;
        match (statement.kind, statement.phase) {
            (Kind::Insert | Kind::Copy, Phase::Name) => statement.phase = Phase::Columns,
            (Kind::Insert, Phase::Values)
                if statement.depth == 1 && statement.assigned.is_none() =>
            {
                if let Some(table) = statement.table {
                    self.report.row(table);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Takes `NAME =`: the values that follow are of that column.
    fn assign(&mut self, dump: &mut Dump) -> Result<()> {
        let statement = &mut dump.statement;
        let column = String::from_utf8_lossy(&statement.last_name).into_owned();
        let columns = match dump.columns.get_mut(&statement.name) {
            Some(columns) => columns,
            None => dump.assigned.entry(statement.name.clone()).or_default(),
        };
        let known = columns.iter().position(|known| *known == column);
        let number = known.unwrap_or(columns.len());
        let name = String::from_utf8_lossy(&statement.name);
        let is_left = self.options.leaves_column(&name, &column);
        if known.is_none() {
            columns.push(column);
        }
        let is_first = statement.assigned.is_none() && statement.table.is_none();
        statement.assigned = Some((number, is_left));
        let names = columns.clone();
        let table = self.table(dump)?;
        self.report.name_columns(table, &names);
        if is_first {
            self.report.row(table);
        }
        Ok(())
    }

    /// Returns the number of the statement's table.
    pub(crate) fn table(&mut self, dump: &mut Dump) -> Result<usize> {
        let statement = &mut dump.statement;
        if let Some(table) = statement.table {
            return Ok(table);
        }
        let table = match statement.kind {
            // A variable is of no table.
            Kind::Set => self.report.table(b""),
            _ => self.report.table(&statement.name),
        };
        statement.table = Some(table);
        let name = String::from_utf8_lossy(&statement.name);
        statement.is_left = self.options.leaves_table(&name);
        let columns = match statement.columns.is_empty() {
            true => dump.columns.get(&statement.name),
            false => Some(&statement.columns),
        };
        if let Some(columns) = columns {
            self.report.name_columns(table, columns);
            let left = columns.iter();
            let left = left.map(|column| self.options.leaves_column(&name, column));
            statement.left = left.collect();
        } else if statement.kind == Kind::Insert
            && !statement.is_left
            && statement.assigned.is_none()
            && self.options.may_leave_column(&name)
        {
            let table = name.into_owned();
            return Err(RewriteError::Unnamed { table });
        }
        Ok(table)
    }

    /// Returns where a value of the statement is.
    pub(crate) fn spot(&mut self, dump: &mut Dump) -> Result<ValuePlace> {
        let table = self.table(dump)?;
        let statement = &dump.statement;
        let (column, is_left) = statement.assigned.unwrap_or_else(|| {
            let is_left = statement.left.get(statement.column) == Some(&true);
            (statement.column, is_left)
        });
        Ok(ValuePlace {
            table,
            column,
            is_left: statement.is_left || is_left,
            is_postgres: dump.dialect == Dialect::Postgres,
            replaces: statement.replaces,
        })
    }

    fn literal(&mut self, position: usize, is_after_word: bool, dump: &mut Dump) -> Result<usize> {
        let quote = self.window.bytes()[position];
        let last = &dump.statement.last_word;
        let is_prefix = |prefix: &[u8]| is_after_word && last.eq_ignore_ascii_case(prefix);
        let is_extended = dump.dialect == Dialect::Postgres && is_prefix(b"e");
        let backslash = !dump.no_backslash || is_extended;
        let end = End::Quote { quote, backslash };
        let coat = match (is_extended, is_prefix(b"x") && quote == b'\'') {
            (true, _) => Coat::from(Escape::Extended),
            (_, true) => Coat::from(Escape::Hex),
            _ => Coat::from(Escape::Quote { quote, backslash }),
        };
        let coat = match self.has_code_points(position, dump) {
            true => coat.with(Escape::Unistr),
            false => coat,
        };
        if dump.statement.kind == Kind::Set {
            let spot = self.spot(dump)?;
            let stop = self.value(position + 1, end, coat, spot)?;
            let word = self.begin_of_value(stop).to_ascii_uppercase();
            if dump.statement.last_word.eq_ignore_ascii_case(b"SQL_MODE") {
                dump.no_backslash = memchr::memmem::find(&word, b"NO_BACKSLASH_ESCAPES").is_some();
            }
            of_set(&word, dump)?;
            return Ok(stop + 1);
        }
        let is_name = dump.statement.phase == Phase::Name && dump.statement.kind == Kind::Insert;
        if quote == b'"' && is_name {
            let (stop, text) = self.short(position + 1, end)?;
            dump.statement.name = text;
            return Ok(stop + 1);
        }
        let spot = self.spot(dump)?;
        let is_file = dump.statement.reads_file();
        dump.statement.last_word.clear();
        dump.statement.replaces = 0;
        let stop = self.value(position + 1, end, coat, spot)?;
        if is_file {
            let name = String::from_utf8_lossy(self.begin_of_value(stop)).into_owned();
            self.report.include(name);
        }
        Ok(stop + 1)
    }

    /// Returns whether the literal at a place has escapes of code points: `unistr('...')`, `U&'...'`.
    fn has_code_points(&self, position: usize, dump: &Dump) -> bool {
        let before = &self.window.bytes()[..position];
        match dump.dialect {
            Dialect::MySql => false,
            Dialect::Sqlite => dump.statement.last_word.eq_ignore_ascii_case(b"unistr"),
            Dialect::Postgres => before.ends_with(b"U&") || before.ends_with(b"u&"),
        }
    }

    /// Reads a short quoted text; returns where it ends, too.
    fn short(&mut self, start: usize, end: End) -> Result<(usize, Vec<u8>)> {
        let left = ValuePlace {
            is_left: true,
            ..ValuePlace::default()
        };
        let stop = self.value(start, end, Coat::default(), left)?;
        Ok((stop, self.begin_of_value(stop).to_vec()))
    }

    /// Returns the first bytes of the value that ends here.
    fn begin_of_value(&self, stop: usize) -> &[u8] {
        let text = &self.window.bytes()[self.value_start..stop];
        &text[..text.len().min(NAME_BYTES_MAX)]
    }

    fn identifier(&mut self, position: usize, dump: &mut Dump) -> Result<usize> {
        let end = End::Quote {
            quote: self.window.bytes()[position],
            backslash: false,
        };
        let (stop, name) = self.short(position + 1, end)?;
        self.name(name, dump);
        Ok(stop + 1)
    }

    /// Takes a name of a table or a column.
    fn name(&mut self, name: Vec<u8>, dump: &mut Dump) {
        let is_postgres = dump.dialect == Dialect::Postgres;
        let statement = &mut dump.statement;
        let text = || String::from_utf8_lossy(&name).into_owned();
        match (statement.kind, statement.phase) {
            _ if statement.is_stdin => {}
            (Kind::Insert | Kind::Copy, Phase::Columns) if statement.depth == 1 => {
                statement.columns.push(text());
            }
            (Kind::Create, _) if statement.depth == 1 && statement.is_item => {
                statement.columns.push(text());
            }
            (Kind::Insert, Phase::Values) if statement.depth == 0 => statement.last_name = name,
            (Kind::Create, _) if !statement.is_table => {}
            (Kind::Insert | Kind::Create | Kind::Copy, Phase::Name) if statement.depth == 0 => {
                let is_schema = is_postgres && statement.is_dotted && statement.name != b"public";
                statement.name = match is_schema {
                    true => [&statement.name, &b"."[..], &name].concat(),
                    false => name,
                };
            }
            _ => {}
        }
        statement.is_item = false;
    }

    fn word(&mut self, position: usize, dump: &mut Dump) -> Result<usize> {
        let mut position = position;
        let mut length = word_length(&self.window.bytes()[position..]);
        if position + length >= self.window.bytes().len() && !self.window.is_last {
            position = self.ensure(position, NAME_BYTES_MAX)?;
            length = word_length(&self.window.bytes()[position..]);
        }
        let word = &self.window.bytes()[position..position + length];
        let statement = &mut dump.statement;
        statement.is_after_word = true;
        statement.last_word.clear();
        statement
            .last_word
            .extend_from_slice(&word[..length.min(64)]);
        let mut upper = [0_u8; 64];
        let upper = &mut upper[..length.min(64)];
        upper.copy_from_slice(&word[..length.min(64)]);
        upper.make_ascii_uppercase();
        match statement.kind {
            Kind::Start => {
                statement.kind = first_word(upper);
                match &*upper {
                    b"BEGIN" | b"START" if !dump.has_begun => dump.is_open = true,
                    b"COMMIT" => dump.is_open = false,
                    _ => {}
                }
                dump.has_begun |= !matches!(&*upper, b"SET" | b"PRAGMA");
            }
            Kind::Insert => self.word_of_insert(upper, word.to_vec(), dump),
            Kind::Create => self.word_of_create(upper, word.to_vec(), dump),
            Kind::Copy => self.word_of_copy(upper, word.to_vec(), dump),
            Kind::Set => of_set(upper, dump)?,
            Kind::Other => {}
        }
        Ok(position + length)
    }

    fn word_of_insert(&mut self, upper: &[u8], word: Vec<u8>, dump: &mut Dump) {
        let statement = &mut dump.statement;
        let is_first = statement.phase == Phase::Name && statement.name.is_empty();
        match upper {
            b"REPLACE" if statement.phase == Phase::Values => statement.replaces += 1,
            _ if statement.phase == Phase::Values => {
                if statement.depth == 0 {
                    self.name(word, dump);
                }
            }
            b"INTO" | b"IGNORE" | b"LOW_PRIORITY" | b"HIGH_PRIORITY" | b"DELAYED" | b"OR" => {}
            b"VALUES" | b"VALUE" | b"SET" if statement.depth == 0 => {
                statement.phase = Phase::Values;
            }
            // As in `INSERT INTO a OVERRIDING SYSTEM VALUE VALUES`.
            b"OVERRIDING" | b"SYSTEM" | b"USER" if statement.depth == 0 && !is_first => {}
            _ => self.name(word, dump),
        }
    }

    fn word_of_create(&mut self, upper: &[u8], word: Vec<u8>, dump: &mut Dump) {
        let statement = &mut dump.statement;
        let is_named = statement.is_table && statement.columns.is_empty() && statement.depth == 0;
        match upper {
            b"TABLE" if statement.depth == 0 => statement.is_table = true,
            b"IF" | b"NOT" | b"EXISTS" | b"TEMPORARY" => {}
            b"KEY" | b"PRIMARY" | b"UNIQUE" | b"CONSTRAINT" | b"FULLTEXT" | b"INDEX" => {
                statement.is_item = false;
            }
            _ if is_named && (statement.name.is_empty() || statement.is_dotted) => {
                self.name(word, dump);
            }
            _ if statement.depth == 1 && statement.is_item => self.name(word, dump),
            _ => {}
        }
    }

    fn word_of_copy(&mut self, upper: &[u8], word: Vec<u8>, dump: &mut Dump) {
        let statement = &mut dump.statement;
        match upper {
            b"FROM" | b"TO" if statement.depth == 0 => statement.phase = Phase::Values,
            b"STDIN" if statement.phase == Phase::Values => statement.is_stdin = true,
            _ => self.name(word, dump),
        }
    }

    /// Reads a number, which may be a literal of hexadecimal digits.
    fn digits(&mut self, position: usize, dump: &mut Dump) -> Result<usize> {
        let rest = &self.window.bytes()[position..];
        let is_hex = rest.starts_with(b"0x") && rest.get(2).is_some_and(u8::is_ascii_hexdigit);
        if !is_hex {
            let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            return Ok(position + length.max(1));
        }
        let spot = self.spot(dump)?;
        dump.statement.replaces = 0;
        self.value(position + 2, End::Digits, Escape::Hex, spot)
    }

    /// Passes a comment, or a byte that begins none.
    fn comment(&mut self, position: usize, dump: &mut Dump) -> Result<usize> {
        let rest = &self.window.bytes()[position..];
        let is_my = dump.dialect == Dialect::MySql;
        // MySQL alone needs a blank behind `--`.
        let is_space = |byte: Option<&u8>| !is_my || byte.is_none_or(|byte| *byte <= b' ');
        if (rest[0] == b'#' && is_my) || (rest.starts_with(b"--") && is_space(rest.get(2))) {
            return self.line_comment(position, dump);
        }
        if dump.dialect == Dialect::Postgres && rest.starts_with(b"/*") {
            return self.nested_comment(position);
        }
        if rest.starts_with(b"/*!999999\\-") || rest.starts_with(b"/*M!999999\\-") {
            return self.block_comment(position);
        }
        let is_code = is_my && (rest.starts_with(b"/*!") || rest.starts_with(b"/*M!"));
        if rest.starts_with(b"/*") && !is_code {
            return self.block_comment(position);
        }
        // Code, or a letter of it.
        dump.statement.is_begun = true;
        if !is_code {
            return Ok(position + 1);
        }
        let digits = rest
            .iter()
            .skip(3)
            .take_while(|byte| **byte == b'!' || byte.is_ascii_digit());
        Ok(position + 3 + digits.count())
    }

    fn line_comment(&mut self, position: usize, dump: &mut Dump) -> Result<usize> {
        let position = self.ensure(position, 64)?;
        let rest = &self.window.bytes()[position..];
        let begins = |mark: &str| rest.starts_with(mark.as_bytes());
        if let Some((_, last)) = MARKS.iter().find(|(_, last)| begins(last)) {
            if dump.awaited.last() == Some(last) {
                dump.awaited.pop();
            }
        } else if let Some((_, last)) = MARKS.iter().find(|(first, _)| begins(first)) {
            dump.awaited.push(last);
        }
        self.pass(position, b"\n", None)
    }

    fn block_comment(&mut self, position: usize) -> Result<usize> {
        self.pass(position + 2, b"*/", Some("a comment"))
    }

    /// Passes everything up to a mark.
    pub(crate) fn pass(
        &mut self,
        position: usize,
        mark: &[u8],
        what: Option<&'static str>,
    ) -> Result<usize> {
        let mut position = position;
        loop {
            let bytes = self.window.bytes();
            let from = position.min(bytes.len());
            if let Some(at) = memchr::memmem::find(&bytes[from..], mark) {
                return Ok(from + at + mark.len());
            }
            if self.window.is_last {
                return match what {
                    Some(what) => Err(self.cut_off(what)),
                    None => Ok(bytes.len()),
                };
            }
            let keep = bytes.len().saturating_sub(mark.len() - 1).max(from);
            self.more(keep)?;
            position = 0;
        }
    }
}

fn word_length(bytes: &[u8]) -> usize {
    let is_word = |byte: &u8| matches!(CLASSES[usize::from(*byte)], Class::Word | Class::Digit);
    bytes
        .iter()
        .take(NAME_BYTES_MAX)
        .take_while(|byte| is_word(byte))
        .count()
}

/// Returns the kind of a statement by its first word, in capitals.
fn first_word(word: &[u8]) -> Kind {
    match word {
        b"INSERT" | b"REPLACE" | b"UPDATE" => Kind::Insert,
        b"CREATE" => Kind::Create,
        b"SET" => Kind::Set,
        b"COPY" => Kind::Copy,
        _ => Kind::Other,
    }
}

/// Takes a word of a `SET` statement, in capitals.
fn of_set(word: &[u8], dump: &mut Dump) -> Result<()> {
    let names_set = matches!(
        dump.statement.name.as_slice(),
        b"NAMES" | b"CHARACTER_SET_CLIENT" | b"CLIENT_ENCODING"
    );
    let name = String::from_utf8_lossy(word).to_ascii_lowercase();
    if names_set && UNSAFE_SETS.contains(&name.as_str()) {
        return Err(RewriteError::CharacterSet { name });
    }
    // Only PostgreSQL has it: a `\` in quotes is a letter.
    if dump.statement.name == b"STANDARD_CONFORMING_STRINGS" {
        dump.dialect = Dialect::Postgres;
        dump.no_backslash = word == b"ON";
    }
    if word == b"OLD_SQL_MODE" && dump.statement.name == b"SQL_MODE" {
        dump.no_backslash = false;
    }
    dump.statement.name = word.to_vec();
    Ok(())
}
