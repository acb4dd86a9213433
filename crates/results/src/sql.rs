//! How the store speaks SQL: the same few calls to a SQLite file and to a PostgreSQL server.
//!
//! Statements are written with SQLite's `?1`. Values are always parameters, and the names of tables
//! and columns are constants of this crate. Rows are integers and text alone.

use std::rc::Rc;

use rusqlite::types::{ToSql, ToSqlOutput, Type, ValueRef};

use crate::error::{Attempt, StoreError};

#[cfg(feature = "postgres")]
use crate::server::libpq::{CopyIn, Fault, Session};

/// An error of the database.
#[derive(Debug)]
pub(crate) enum SqlError {
    /// SQLite's, or a value of another type than its column should have.
    Sqlite(rusqlite::Error),
    /// PostgreSQL's.
    #[cfg(feature = "postgres")]
    Server(Fault),
}

impl From<rusqlite::Error> for SqlError {
    fn from(source: rusqlite::Error) -> Self {
        Self::Sqlite(source)
    }
}

#[cfg(feature = "postgres")]
impl From<Fault> for SqlError {
    fn from(source: Fault) -> Self {
        Self::Server(source)
    }
}

pub(crate) type SqlResult<T> = Result<T, SqlError>;

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Integer(i64),
    /// Text; a damaged file may hold any bytes.
    Text(Vec<u8>),
    /// No column has this type; a hostile file may.
    Real(f64),
    /// No column has this type; a hostile file may.
    Blob(Vec<u8>),
}

impl Value {
    fn kind(&self) -> Type {
        match self {
            Value::Null => Type::Null,
            Value::Integer(_) => Type::Integer,
            Value::Text(_) => Type::Text,
            Value::Real(_) => Type::Real,
            Value::Blob(_) => Type::Blob,
        }
    }
}

impl From<ValueRef<'_>> for Value {
    fn from(value: ValueRef<'_>) -> Self {
        match value {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(value) => Value::Integer(value),
            ValueRef::Real(value) => Value::Real(value),
            ValueRef::Text(text) => Value::Text(text.to_vec()),
            ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
        }
    }
}

/// A value to write or to search for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Param<'a> {
    Null,
    Integer(i64),
    Text(&'a str),
}

impl ToSql for Param<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Param::Null => ValueRef::Null,
            Param::Integer(value) => ValueRef::Integer(*value),
            Param::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}

impl From<i64> for Param<'_> {
    fn from(value: i64) -> Self {
        Param::Integer(value)
    }
}

impl From<u32> for Param<'_> {
    fn from(value: u32) -> Self {
        Param::Integer(value.into())
    }
}

impl From<bool> for Param<'_> {
    fn from(value: bool) -> Self {
        Param::Integer(value.into())
    }
}

impl<'a> From<&'a str> for Param<'a> {
    fn from(text: &'a str) -> Self {
        Param::Text(text)
    }
}

impl<'a> From<&'a String> for Param<'a> {
    fn from(text: &'a String) -> Self {
        Param::Text(text)
    }
}

impl<'a, T: Into<Param<'a>>> From<Option<T>> for Param<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Param::Null, Into::into)
    }
}

/// A row, with the names of its columns.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    names: Rc<[String]>,
    values: Vec<Value>,
}

impl Row {
    #[cfg(feature = "postgres")]
    pub(crate) fn new(names: Rc<[String]>, values: Vec<Value>) -> Self {
        Self { names, values }
    }

    fn of_file(names: &Rc<[String]>, row: &rusqlite::Row) -> rusqlite::Result<Self> {
        let values = (0..names.len()).map(|index| row.get_ref(index).map(Value::from));
        Ok(Self {
            names: Rc::clone(names),
            values: values.collect::<rusqlite::Result<_>>()?,
        })
    }

    /// Returns the value of a column.
    ///
    /// # Errors
    /// If there is no such column, or its value has another type.
    pub(crate) fn get<T: FromValue>(&self, column: &str) -> SqlResult<T> {
        let missing = || rusqlite::Error::InvalidColumnName(column.to_owned());
        let index = self.names.iter().position(|name| name == column);
        self.at(index.ok_or_else(missing)?)
    }

    /// Returns the value of the column with a number, counted from 0.
    ///
    /// # Errors
    /// As [`Row::get`].
    pub(crate) fn at<T: FromValue>(&self, index: usize) -> SqlResult<T> {
        let value = self.values.get(index);
        let value = value.ok_or(rusqlite::Error::InvalidColumnIndex(index))?;
        Ok(T::from_value(value, index, || self.names[index].clone())?)
    }

    /// Returns the columns in the order of the table, without those that only one back end has.
    pub(crate) fn columns(&self) -> impl Iterator<Item = (&str, &Value)> {
        let columns = self.names.iter().map(String::as_str).zip(&self.values);
        columns.filter(|(name, _)| *name != MONTH)
    }
}

/// The column by which PostgreSQL partitions samples; files have none, and no checksum covers it.
pub(crate) const MONTH: &str = "month";

/// A type that a column has.
pub(crate) trait FromValue: Sized {
    fn from_value(
        value: &Value,
        index: usize,
        name: impl FnOnce() -> String,
    ) -> rusqlite::Result<Self>;
}

impl FromValue for String {
    fn from_value(
        value: &Value,
        index: usize,
        name: impl FnOnce() -> String,
    ) -> rusqlite::Result<Self> {
        match value {
            Value::Text(text) => std::str::from_utf8(text)
                .map(str::to_owned)
                .map_err(|error| rusqlite::Error::Utf8Error(index, error)),
            other => Err(rusqlite::Error::InvalidColumnType(
                index,
                name(),
                other.kind(),
            )),
        }
    }
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl FromValue for $type {
            fn from_value(
                value: &Value,
                index: usize,
                name: impl FnOnce() -> String,
            ) -> rusqlite::Result<Self> {
                match value {
                    Value::Integer(value) => <$type>::try_from(*value)
                        .map_err(|_| rusqlite::Error::IntegralValueOutOfRange(index, *value)),
                    other => Err(rusqlite::Error::InvalidColumnType(index, name(), other.kind())),
                }
            }
        }
    )*};
}

integers!(i64, u64, u32);

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(
        value: &Value,
        index: usize,
        name: impl FnOnce() -> String,
    ) -> rusqlite::Result<Self> {
        match value {
            Value::Null => Ok(None),
            value => T::from_value(value, index, name).map(Some),
        }
    }
}

/// A transaction, which ends without effect unless it is committed.
#[derive(Debug)]
pub(crate) enum Transaction<'t> {
    File(rusqlite::Transaction<'t>),
    #[cfg(feature = "postgres")]
    Server(&'t Session),
}

impl Transaction<'_> {
    /// Executes a statement, and returns how many rows it changed.
    pub(crate) fn execute(&self, sql: &str, params: &[Param]) -> SqlResult<u64> {
        match self {
            Transaction::File(file) => {
                let changed = file.execute(sql, rusqlite::params_from_iter(params))?;
                Ok(u64::try_from(changed).unwrap_or(u64::MAX))
            }
            #[cfg(feature = "postgres")]
            Transaction::Server(session) => Ok(session.execute(sql, params)?),
        }
    }

    /// Returns the rows that a statement selects.
    pub(crate) fn query(&self, sql: &str, params: &[Param]) -> SqlResult<Vec<Row>> {
        match self {
            Transaction::File(file) => {
                let mut statement = file.prepare(sql)?;
                let names = names_of(&statement);
                let mut rows = statement.query(rusqlite::params_from_iter(params))?;
                let mut all = Vec::new();
                while let Some(row) = rows.next()? {
                    all.push(Row::of_file(&names, row)?);
                }
                Ok(all)
            }
            #[cfg(feature = "postgres")]
            Transaction::Server(session) => Ok(session.query(sql, params)?),
        }
    }

    /// Returns the first row that a statement selects.
    pub(crate) fn first(&self, sql: &str, params: &[Param]) -> SqlResult<Option<Row>> {
        Ok(self.query(sql, params)?.into_iter().next())
    }

    /// Returns the only value that a statement selects.
    pub(crate) fn one<T: FromValue>(&self, sql: &str, params: &[Param]) -> SqlResult<T> {
        let row = self.first(sql, params)?;
        row.ok_or(rusqlite::Error::QueryReturnedNoRows)?.at(0)
    }

    /// Passes each row that a statement selects to `found`, which executes nothing itself. No more
    /// than one row is in memory.
    pub(crate) fn each(
        &self,
        attempt: Attempt,
        sql: &str,
        params: &[Param],
        mut found: impl FnMut(&Row) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let failed = |source: rusqlite::Error| attempt.failed(source);
        match self {
            Transaction::File(file) => {
                let mut statement = file.prepare(sql).map_err(failed)?;
                let names = names_of(&statement);
                let params = rusqlite::params_from_iter(params);
                let mut rows = statement.query(params).map_err(failed)?;
                while let Some(row) = rows.next().map_err(failed)? {
                    found(&Row::of_file(&names, row).map_err(failed)?)?;
                }
                Ok(())
            }
            #[cfg(feature = "postgres")]
            Transaction::Server(session) => {
                let mut result = Ok(());
                let read = session.each(sql, params, |row| {
                    if result.is_ok() {
                        result = found(row);
                    }
                });
                read.map_err(|source| attempt.failed(source)).and(result)
            }
        }
    }

    /// Writes many rows into the columns of a table: one statement for each in a file, a binary COPY
    /// on a server, where nothing else can be executed until [`RowWriter::finish`].
    pub(crate) fn writer(&self, table: &str, columns: &[&str]) -> SqlResult<RowWriter<'_>> {
        let names = columns.join(", ");
        Ok(match self {
            Transaction::File(file) => {
                let places: Vec<String> = (1..=columns.len()).map(|n| format!("?{n}")).collect();
                let places = places.join(", ");
                let insert = format!("INSERT INTO {table} ({names}) VALUES ({places})");
                RowWriter::File(file.prepare(&insert)?)
            }
            #[cfg(feature = "postgres")]
            Transaction::Server(session) => {
                RowWriter::Server(session.copy_in(&format!("{table} ({names})"))?)
            }
        })
    }

    /// Returns the condition that a row of `sample` belongs to run `?1`: on a server with its month,
    /// so that only one partition is searched.
    pub(crate) fn sample_of_run(&self) -> &'static str {
        match self {
            Transaction::File(_) => "run = ?1",
            #[cfg(feature = "postgres")]
            Transaction::Server(_) => "run = ?1 AND month = (SELECT month FROM run WHERE id = ?1)",
        }
    }

    /// Makes the partition of a new run on a server.
    pub(crate) fn prepare_month(&self, run: i64) -> SqlResult<()> {
        match self {
            Transaction::File(_) => _ = run,
            #[cfg(feature = "postgres")]
            Transaction::Server(session) => {
                session.query("SELECT make_month(?1)", &[run.into()])?;
            }
        }
        Ok(())
    }

    /// Returns the month of a run on a server, `202611`; `None` in a file.
    pub(crate) fn month_of(&self, run: i64) -> SqlResult<Option<i64>> {
        match self {
            Transaction::File(_) => {
                _ = run;
                Ok(None)
            }
            #[cfg(feature = "postgres")]
            Transaction::Server(_) => self
                .one("SELECT month FROM run WHERE id = ?1", &[run.into()])
                .map(Some),
        }
    }

    /// Returns the month of a run whose samples were dropped from a server with it.
    pub(crate) fn dropped_month(&self, run: i64) -> SqlResult<Option<i64>> {
        let query = "SELECT month FROM run WHERE id = ?1
             AND to_regclass('stripewise.sample_' || month) IS NULL";
        match self.file() {
            Some(_) => Ok(None),
            None => self
                .first(query, &[run.into()])?
                .map(|row| row.at(0))
                .transpose(),
        }
    }

    /// Returns the number of the next row of a table on a server; `None` in a file, which says it
    /// afterwards: [`Transaction::last_number`].
    pub(crate) fn next_number(&self, table: &str) -> SqlResult<Option<i64>> {
        match self {
            Transaction::File(_) => {
                _ = table;
                Ok(None)
            }
            #[cfg(feature = "postgres")]
            Transaction::Server(_) => {
                let sequence = format!("{table}_id_seq");
                self.one("SELECT nextval(?1::regclass)", &[Param::Text(&sequence)])
                    .map(Some)
            }
        }
    }

    /// Returns the number of the row that was inserted last into a file.
    pub(crate) fn last_number(&self) -> i64 {
        self.file().map_or(0, |file| file.last_insert_rowid())
    }

    /// Returns what makes a selected row wait for, and keep off, other writers; in a file no other
    /// writer is there.
    pub(crate) fn for_update(&self) -> &'static str {
        match self {
            Transaction::File(_) => "",
            #[cfg(feature = "postgres")]
            Transaction::Server(_) => " FOR UPDATE",
        }
    }

    /// Returns the file's transaction; `None` on a server.
    pub(crate) fn file(&self) -> Option<&rusqlite::Transaction<'_>> {
        match self {
            Transaction::File(file) => Some(file),
            #[cfg(feature = "postgres")]
            Transaction::Server(_) => None,
        }
    }
}

/// Writes rows; see [`Transaction::writer`].
pub(crate) enum RowWriter<'t> {
    File(rusqlite::Statement<'t>),
    #[cfg(feature = "postgres")]
    Server(CopyIn<'t>),
}

impl RowWriter<'_> {
    /// Writes a row, whose values are in the order of the columns.
    pub(crate) fn write(&mut self, row: &[Param]) -> SqlResult<()> {
        match self {
            RowWriter::File(insert) => {
                insert.execute(rusqlite::params_from_iter(row))?;
                Ok(())
            }
            #[cfg(feature = "postgres")]
            RowWriter::Server(copy) => Ok(copy.write(row)?),
        }
    }

    /// Ends the writing; what the server refuses of the rows shows here at the latest.
    pub(crate) fn finish(self) -> SqlResult<()> {
        match self {
            RowWriter::File(_) => Ok(()),
            #[cfg(feature = "postgres")]
            RowWriter::Server(copy) => Ok(copy.finish()?),
        }
    }
}

fn names_of(statement: &rusqlite::Statement) -> Rc<[String]> {
    statement.column_names().map(str::to_owned).collect()
}
