//! Files that a dump reads besides itself when it is loaded: nothing here looks at them, so they are
//! named.
//!
//! Lines of clients: <https://dev.mysql.com/doc/refman/8.4/en/mysql-commands.html> (`source`, `\.`),
//! <https://www.postgresql.org/docs/current/app-psql.html> (`\i`, `\ir`, `\copy`),
//! <https://sqlite.org/cli.html> (`.read`, `.import`). Statements: `LOAD DATA INFILE`, `LOAD XML
//! INFILE`, `COPY ... FROM 'FILE'`.

use std::io::{Read, Write};

use crate::rewrite::{Result, Rewriter};
use crate::sql::Dialect;

/// The longest line of a client that is looked at.
const LINE_BYTES_MAX: usize = 4096;

impl<R: Read, W: Write> Rewriter<'_, R, W> {
    /// Passes a line for a client, such as `\\connect site`, and notes the file that it reads.
    pub(crate) fn client_line(&mut self, position: usize) -> Result<usize> {
        let position = self.ensure(position, LINE_BYTES_MAX)?;
        let line = self.window.bytes()[position..]
            .split(|byte| *byte == b'\n')
            .next();
        let line = line.unwrap_or_default();
        if let Some(name) = of_line(&line[..line.len().min(LINE_BYTES_MAX)]) {
            self.report.include(name);
        }
        self.pass(position, b"\n", None)
    }
}

/// Returns whether a statement that begins with these bytes is a line of a client, which ends with
/// its line.
pub(crate) fn is_line(begin: &[u8], is_dotted: bool) -> bool {
    let word = b"source";
    let is_source = begin.len() > word.len()
        && begin[..word.len()].eq_ignore_ascii_case(word)
        && matches!(begin[word.len()], b' ' | b'\t');
    is_dotted || is_source || begin.first() == Some(&b'\\')
}

/// Returns whose client takes a text's first line: a script that includes dumps begins with such lines.
pub(crate) fn dialect_of(text: &[u8]) -> Option<Dialect> {
    const PSQL: [&str; 14] = [
        "\\i",
        "\\ir",
        "\\include",
        "\\include_relative",
        "\\set",
        "\\unset",
        "\\c",
        "\\connect",
        "\\echo",
        "\\encoding",
        "\\copy",
        "\\pset",
        "\\timing",
        "\\restrict",
    ];
    const SQLITE: [&str; 12] = [
        ".read",
        ".import",
        ".bail",
        ".mode",
        ".open",
        ".echo",
        ".headers",
        ".separator",
        ".timeout",
        ".print",
        ".output",
        ".once",
    ];
    let line = text.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?;
    let (command, rest) = line.trim_end().split_once([' ', '\t'])?;
    match command {
        "\\." => Some(Dialect::MySql),
        _ if PSQL.contains(&command) => Some(Dialect::Postgres),
        _ if SQLITE.contains(&command) => Some(Dialect::Sqlite),
        // A shell sources files, too, but none of SQL.
        _ if command.eq_ignore_ascii_case("source") => {
            let name = rest.trim_end_matches(';').trim_end().to_ascii_lowercase();
            let is_sql = rest.ends_with(';') || name.ends_with(".sql") || name.ends_with(".dump");
            is_sql.then_some(Dialect::MySql)
        }
        _ => None,
    }
}

/// Returns the file that a line of a client reads.
fn of_line(line: &[u8]) -> Option<String> {
    let line = String::from_utf8_lossy(line);
    let line = line.trim_end().trim_end_matches(';').trim_end();
    let (command, rest) = line.split_once([' ', '\t'])?;
    let rest = rest.trim_start();
    let name = match command.to_ascii_lowercase().as_str() {
        "source" | "\\." | "\\i" | "\\ir" | "\\include" | "\\include_relative" | "read" => rest,
        "import" => rest
            .split_whitespace()
            .find(|word| !word.starts_with('-'))?,
        "\\copy" => {
            let at = rest.to_ascii_lowercase().find(" from ")?;
            let name = rest[at + " from ".len()..].trim_start();
            let name = match name.get(..8) {
                Some(word) if word.eq_ignore_ascii_case("program ") => name[8..].trim_start(),
                _ => name,
            };
            let end = match name.chars().next()? {
                '\'' => name[1..].find('\'')? + 2,
                _ => name.find(char::is_whitespace).unwrap_or(name.len()),
            };
            Some(&name[..end]).filter(|name| {
                !["stdin", "pstdin"]
                    .iter()
                    .any(|input| name.eq_ignore_ascii_case(input))
            })?
        }
        _ => return None,
    };
    Some(name.trim_matches(['\'', '"']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::of_line;

    #[test]
    fn lines_of_clients_name_what_they_read() {
        for (line, wanted) in [
            ("SOURCE /tmp/a b.sql;\n", Some("/tmp/a b.sql")),
            ("\\. a.sql\r\n", Some("a.sql")),
            ("\\ir 'more.sql'", Some("more.sql")),
            ("read a.sql", Some("a.sql")),
            ("import --csv rows.csv t", Some("rows.csv")),
            (
                "\\copy t (a, b) from 'rows 1.txt' with (format csv)",
                Some("rows 1.txt"),
            ),
            ("\\copy t FROM rows.txt", Some("rows.txt")),
            ("\\copy t from program 'cat /x'", Some("cat /x")),
            ("\\copy t from stdin", None),
            ("\\copy t to 'rows.txt'", None),
            ("\\connect site", None),
            ("\\restrict abc", None),
            ("mode insert", None),
        ] {
            assert_eq!(of_line(line.as_bytes()).as_deref(), wanted, "{line}");
        }
    }
}
