//! PostgreSQL's own client library, libpq, behind a safe type: the only file that calls it.
//!
//! libpq reads what `psql` reads: a URL or `service=NAME`, the environment (`PGHOST`, `PGUSER`,
//! `PGSSLMODE`, ...), the service file, the password file, certificates.
//!
//! Values are parameters, never text of a statement; a parameter is sent as text with its type. Large
//! loads are a binary `COPY` (<https://www.postgresql.org/docs/current/sql-copy.html>):
//!
//! ```text
//! PGCOPY \n \377 \r \n \0   flags 0   extension 0     then for each row:
//! count of columns (16 bits)   and for each column: bytes (32 bits, -1 for NULL), value
//! -1 (16 bits) at the end; all numbers big-endian
//! ```
#![expect(
    unsafe_code,
    reason = "libpq is a C library; each call says why it is sound"
)]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::NonNull;
use std::rc::Rc;

use pq_sys::{self as pq, ConnStatusType, ExecStatusType};

use crate::sql::{Param, Row, Value};

/// The type of a parameter or column in the catalogue `pg_type`.
const INT8: pq::Oid = 20;
const TEXT: pq::Oid = 25;
const INT2: pq::Oid = 21;
const INT4: pq::Oid = 23;
const BOOL: pq::Oid = 16;

/// How many bytes of a load are sent at once.
const BATCH_BYTES: usize = 256 << 10;

/// What a server or libpq reported.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Fault {
    /// The code of the error, `42501`, if the server gave one
    /// (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).
    pub(crate) state: Option<String>,
    /// Its text, in one line.
    pub(crate) message: String,
    /// Whether the connection is gone, so that a commit may have happened or not.
    pub(crate) is_lost: bool,
    /// Whether a text has a NUL character, which PostgreSQL cannot store; nothing was sent.
    pub(crate) is_nul: bool,
}

impl Fault {
    fn nul() -> Self {
        Self {
            state: None,
            message: "a text has a NUL character, which PostgreSQL cannot store".to_owned(),
            is_lost: false,
            is_nul: true,
        }
    }

    /// Returns whether the code is one of a class (`08`) or the code itself (`42501`).
    pub(crate) fn is(&self, beginning: &str) -> bool {
        self.state
            .as_deref()
            .is_some_and(|state| state.starts_with(beginning))
    }
}

/// A connection to a server. Dropping it closes it.
#[derive(Debug)]
pub(crate) struct Session {
    connection: NonNull<pq::PGconn>,
}

// SAFETY: libpq lets any thread use a connection, but not two at once; `Session` has no `Sync`.
unsafe impl Send for Session {}

impl Session {
    /// Connects to an address: a URL or `service=NAME`, completed by the environment.
    pub(crate) fn connect(address: &str) -> Result<Self, Fault> {
        // The last one counts, so that an address can say something else. A server that is gone is
        // noticed within half a minute instead of two hours.
        let pairs = [
            ("connect_timeout", "10"),
            ("keepalives_idle", "30"),
            ("tcp_user_timeout", "30000"),
            ("dbname", address),
            ("fallback_application_name", "stripewise"),
            ("client_encoding", "UTF8"),
        ];
        let text = |text: &str| CString::new(text).map_err(|_| Fault::nul());
        let names = pairs
            .iter()
            .map(|pair| text(pair.0))
            .collect::<Result<Vec<_>, _>>()?;
        let values = pairs
            .iter()
            .map(|pair| text(pair.1))
            .collect::<Result<Vec<_>, _>>()?;
        let pointers = |texts: &[CString]| -> Vec<*const c_char> {
            let all = texts.iter().map(|text| text.as_ptr());
            all.chain(std::iter::once(std::ptr::null())).collect()
        };
        let (name_pointers, value_pointers) = (pointers(&names), pointers(&values));
        // SAFETY: both arrays end with a null pointer, and their texts live until the call returns.
        let connection =
            unsafe { pq::PQconnectdbParams(name_pointers.as_ptr(), value_pointers.as_ptr(), 1) };
        let connection = NonNull::new(connection).ok_or_else(|| Fault {
            state: None,
            message: "libpq has no memory for a connection".to_owned(),
            is_lost: true,
            is_nul: false,
        })?;
        let session = Self { connection };
        // SAFETY: the connection is open; the processor ignores both of its pointers.
        unsafe {
            pq::PQsetNoticeProcessor(session.raw(), Some(ignore_notice), std::ptr::null_mut());
        }
        match session.is_open() {
            true => Ok(session),
            false => Err(session.fault()),
        }
    }

    /// Executes statements without parameters.
    pub(crate) fn run(&self, sql: &str) -> Result<Vec<Row>, Fault> {
        let sql = CString::new(sql).map_err(|_| Fault::nul())?;
        // SAFETY: the connection is ours, and the text ends with NUL.
        let result = unsafe { pq::PQexec(self.raw(), sql.as_ptr()) };
        self.answer(result)?.rows()
    }

    /// Commits. A transaction that failed before is rolled back instead, which is an error.
    pub(crate) fn commit(&self) -> Result<(), Fault> {
        // SAFETY: the connection is ours, and the text ends with NUL.
        let answer = self.answer(unsafe { pq::PQexec(self.raw(), c"COMMIT".as_ptr()) })?;
        // SAFETY: the result is not freed before its text is read.
        let tag = unsafe { text_of(pq::PQcmdStatus(answer.0.as_ptr())) };
        match tag.as_str() {
            "COMMIT" => Ok(()),
            _ => Err(Fault {
                state: None,
                message: "the server rolled the transaction back".to_owned(),
                is_lost: false,
                is_nul: false,
            }),
        }
    }

    /// Executes a statement, and returns how many rows it changed.
    pub(crate) fn execute(&self, sql: &str, params: &[Param]) -> Result<u64, Fault> {
        let answer = self.call(sql, params)?;
        // SAFETY: the result is not freed before its text is read.
        let count = unsafe { text_of(pq::PQcmdTuples(answer.0.as_ptr())) };
        Ok(count.parse().unwrap_or(0))
    }

    /// Returns the rows that a statement selects.
    pub(crate) fn query(&self, sql: &str, params: &[Param]) -> Result<Vec<Row>, Fault> {
        self.call(sql, params)?.rows()
    }

    /// Passes each row that a statement selects to `found`, one in memory at a time.
    pub(crate) fn each(
        &self,
        sql: &str,
        params: &[Param],
        mut found: impl FnMut(&Row),
    ) -> Result<(), Fault> {
        let sent = Sent::of(sql, params)?;
        // SAFETY: as in `call`; libpq copies what it sends.
        let ok = unsafe {
            pq::PQsendQueryParams(
                self.raw(),
                sent.sql.as_ptr(),
                sent.count(),
                sent.types.as_ptr(),
                sent.values.as_ptr(),
                std::ptr::null(),
                std::ptr::null(),
                0,
            )
        };
        if ok != 1 {
            return Err(self.fault());
        }
        // SAFETY: a query was just sent. If it fails, all rows come at once.
        unsafe { pq::PQsetSingleRowMode(self.raw()) };
        let mut names = None;
        let mut failed = None;
        loop {
            // SAFETY: the connection is ours; a null pointer ends the query.
            let result = unsafe { pq::PQgetResult(self.raw()) };
            if result.is_null() {
                break;
            }
            match self.answer(result) {
                Ok(answer) => {
                    let names = names.get_or_insert_with(|| answer.names());
                    for row in 0..answer.count() {
                        found(&answer.row(names, row)?);
                    }
                }
                Err(fault) => failed = failed.or(Some(fault)),
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// Begins to load rows into a table with its columns: `sample (run, number)`.
    pub(crate) fn copy_in(&self, target: &str) -> Result<CopyIn<'_>, Fault> {
        self.run(&format!("COPY {target} FROM STDIN (FORMAT binary)"))?;
        let mut buffer = Vec::with_capacity(BATCH_BYTES + (64 << 10));
        buffer.extend_from_slice(b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0");
        Ok(CopyIn {
            session: self,
            buffer,
            is_open: true,
        })
    }

    /// Returns a setting that the server reports by itself, such as `server_encoding`.
    pub(crate) fn parameter(&self, name: &str) -> Option<String> {
        let name = CString::new(name).ok()?;
        // SAFETY: the text belongs to the connection, and is copied at once.
        let value = unsafe { pq::PQparameterStatus(self.raw(), name.as_ptr()) };
        // SAFETY: as above.
        (!value.is_null()).then(|| unsafe { text_of(value) })
    }

    fn call(&self, sql: &str, params: &[Param]) -> Result<Answer, Fault> {
        let sent = Sent::of(sql, params)?;
        // SAFETY: types and values have as many entries as we say, all values are text that ends with
        // NUL or null pointers, and all live until the call returns.
        let result = unsafe {
            pq::PQexecParams(
                self.raw(),
                sent.sql.as_ptr(),
                sent.count(),
                sent.types.as_ptr(),
                sent.values.as_ptr(),
                std::ptr::null(),
                std::ptr::null(),
                0,
            )
        };
        self.answer(result)
    }

    /// Returns a result that is no error.
    fn answer(&self, result: *mut pq::PGresult) -> Result<Answer, Fault> {
        let answer = Answer(NonNull::new(result).ok_or_else(|| self.fault())?);
        // SAFETY: the result is not freed yet.
        let status = unsafe { pq::PQresultStatus(answer.0.as_ptr()) };
        use ExecStatusType as Status;
        match status {
            Status::PGRES_COMMAND_OK
            | Status::PGRES_TUPLES_OK
            | Status::PGRES_SINGLE_TUPLE
            | Status::PGRES_COPY_IN
            | Status::PGRES_EMPTY_QUERY => Ok(answer),
            _ => Err(answer.fault(self)),
        }
    }

    fn is_open(&self) -> bool {
        // SAFETY: the connection is ours.
        unsafe { pq::PQstatus(self.raw()) == ConnStatusType::CONNECTION_OK }
    }

    /// Returns the connection's last error.
    fn fault(&self) -> Fault {
        // SAFETY: the text belongs to the connection, and is copied at once.
        let message = unsafe { text_of(pq::PQerrorMessage(self.raw())) };
        Fault {
            state: None,
            message: one_line(&message),
            is_lost: !self.is_open(),
            is_nul: false,
        }
    }

    fn raw(&self) -> *mut pq::PGconn {
        self.connection.as_ptr()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: nothing uses the connection any more.
        unsafe { pq::PQfinish(self.raw()) };
    }
}

/// A load under way; dropped before [`CopyIn::finish`] it fails, and its transaction with it.
pub(crate) struct CopyIn<'s> {
    session: &'s Session,
    buffer: Vec<u8>,
    is_open: bool,
}

impl CopyIn<'_> {
    /// Adds a row, whose values are in the order of the columns.
    pub(crate) fn write(&mut self, row: &[Param]) -> Result<(), Fault> {
        let count = i16::try_from(row.len()).unwrap_or(i16::MAX);
        self.buffer.extend_from_slice(&count.to_be_bytes());
        for value in row {
            match value {
                Param::Null => self.buffer.extend_from_slice(&(-1_i32).to_be_bytes()),
                Param::Integer(value) => {
                    self.buffer.extend_from_slice(&8_i32.to_be_bytes());
                    self.buffer.extend_from_slice(&value.to_be_bytes());
                }
                Param::Text(text) => {
                    if text.contains('\0') {
                        return Err(Fault::nul());
                    }
                    let bytes = i32::try_from(text.len()).unwrap_or(i32::MAX);
                    self.buffer.extend_from_slice(&bytes.to_be_bytes());
                    self.buffer.extend_from_slice(text.as_bytes());
                }
            }
        }
        match self.buffer.len() >= BATCH_BYTES {
            true => self.send(),
            false => Ok(()),
        }
    }

    /// Ends the load.
    pub(crate) fn finish(mut self) -> Result<(), Fault> {
        self.buffer.extend_from_slice(&(-1_i16).to_be_bytes());
        self.send()?;
        self.end(None)
    }

    fn send(&mut self) -> Result<(), Fault> {
        let bytes = c_int::try_from(self.buffer.len()).unwrap_or(c_int::MAX);
        // SAFETY: libpq copies or sends so many bytes of the buffer.
        let sent =
            unsafe { pq::PQputCopyData(self.session.raw(), self.buffer.as_ptr().cast(), bytes) };
        self.buffer.clear();
        match sent {
            1 => Ok(()),
            _ => Err(self.session.fault()),
        }
    }

    fn end(&mut self, why: Option<&CStr>) -> Result<(), Fault> {
        self.is_open = false;
        let session = self.session;
        let why = why.map_or(std::ptr::null(), CStr::as_ptr);
        // SAFETY: the text, if any, ends with NUL.
        if unsafe { pq::PQputCopyEnd(session.raw(), why) } != 1 {
            return Err(session.fault());
        }
        let mut ended = Ok(());
        loop {
            // SAFETY: the connection is ours; a null pointer ends the load.
            let result = unsafe { pq::PQgetResult(session.raw()) };
            if result.is_null() {
                return ended;
            }
            ended = ended.and(session.answer(result).map(drop));
        }
    }
}

impl Drop for CopyIn<'_> {
    fn drop(&mut self) {
        if self.is_open {
            // The error that led here is reported already.
            drop(self.end(Some(c"given up")));
        }
    }
}

/// A statement and its parameters as libpq takes them.
struct Sent {
    sql: CString,
    types: Vec<pq::Oid>,
    values: Vec<*const c_char>,
    /// What `values` points to.
    _texts: Vec<Option<CString>>,
}

impl Sent {
    fn of(sql: &str, params: &[Param]) -> Result<Self, Fault> {
        // Ours have SQLite's `?1`, and no other question mark.
        let sql = CString::new(sql.replace('?', "$")).map_err(|_| Fault::nul())?;
        let texts = params.iter().map(|param| match param {
            Param::Null => Ok(None),
            Param::Integer(value) => CString::new(value.to_string()).map(Some),
            Param::Text(text) => CString::new(*text).map(Some),
        });
        let texts = texts
            .collect::<Result<Vec<_>, _>>()
            .map_err(|_| Fault::nul())?;
        let types = params.iter().map(|param| match param {
            Param::Null => 0,
            Param::Integer(_) => INT8,
            Param::Text(_) => TEXT,
        });
        let pointer = |text: &Option<CString>| match text {
            Some(text) => text.as_ptr(),
            None => std::ptr::null(),
        };
        Ok(Self {
            sql,
            types: types.collect(),
            values: texts.iter().map(pointer).collect(),
            _texts: texts,
        })
    }

    fn count(&self) -> c_int {
        c_int::try_from(self.values.len()).unwrap_or(c_int::MAX)
    }
}

/// A result, freed when it is dropped.
struct Answer(NonNull<pq::PGresult>);

impl Answer {
    fn count(&self) -> c_int {
        // SAFETY: the result is not freed yet.
        unsafe { pq::PQntuples(self.0.as_ptr()) }
    }

    fn names(&self) -> Rc<[String]> {
        // SAFETY: the result is not freed yet, and the numbers are those of its columns.
        unsafe {
            let count = pq::PQnfields(self.0.as_ptr());
            (0..count)
                .map(|column| text_of(pq::PQfname(self.0.as_ptr(), column)))
                .collect()
        }
    }

    fn rows(&self) -> Result<Vec<Row>, Fault> {
        let names = self.names();
        (0..self.count()).map(|row| self.row(&names, row)).collect()
    }

    fn row(&self, names: &Rc<[String]>, row: c_int) -> Result<Row, Fault> {
        let columns = c_int::try_from(names.len()).unwrap_or(0);
        let values = (0..columns).map(|column| self.value(row, column));
        Ok(Row::new(
            Rc::clone(names),
            values.collect::<Result<_, _>>()?,
        ))
    }

    fn value(&self, row: c_int, column: c_int) -> Result<Value, Fault> {
        let result = self.0.as_ptr();
        // SAFETY: row and column are within the result, whose value has so many bytes.
        let (oid, bytes) = unsafe {
            if pq::PQgetisnull(result, row, column) == 1 {
                return Ok(Value::Null);
            }
            let length = usize::try_from(pq::PQgetlength(result, row, column)).unwrap_or(0);
            let value = pq::PQgetvalue(result, row, column);
            let bytes = std::slice::from_raw_parts(value.cast::<u8>(), length);
            (pq::PQftype(result, column), bytes)
        };
        Ok(match oid {
            INT8 | INT4 | INT2 => {
                let number = std::str::from_utf8(bytes)
                    .ok()
                    .and_then(|text| text.parse().ok());
                Value::Integer(number.ok_or_else(|| Fault {
                    state: None,
                    message: "the server sent an integer that is none".to_owned(),
                    is_lost: false,
                    is_nul: false,
                })?)
            }
            BOOL => Value::Integer((bytes == b"t").into()),
            _ => Value::Text(bytes.to_vec()),
        })
    }

    fn fault(&self, session: &Session) -> Fault {
        let field = |code: u8| {
            // SAFETY: the result is not freed yet; the text is copied at once.
            let text = unsafe { pq::PQresultErrorField(self.0.as_ptr(), code.into()) };
            // SAFETY: as above.
            (!text.is_null()).then(|| unsafe { text_of(text) })
        };
        let message = field(pq::PG_DIAG_MESSAGE_PRIMARY);
        Fault {
            state: field(pq::PG_DIAG_SQLSTATE),
            message: message.map_or_else(|| session.fault().message, |text| one_line(&text)),
            is_lost: !session.is_open(),
            is_nul: false,
        }
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        // SAFETY: nothing uses the result any more.
        unsafe { pq::PQclear(self.0.as_ptr()) };
    }
}

/// Notices would be printed to stderr.
unsafe extern "C" fn ignore_notice(_: *mut c_void, _: *const c_char) {}

/// Returns a copy of a text of libpq.
///
/// # Safety
/// It must end with NUL.
unsafe fn text_of(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller says that it ends with NUL.
    unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}

/// Returns a text of several lines in one, without control characters.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text
        .split(|c: char| c.is_control() || c.is_whitespace())
        .collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    words.join(" ")
}
