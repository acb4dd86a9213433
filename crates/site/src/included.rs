//! Files that a dump reads besides itself when it is loaded: nothing here looks at them, so they are
//! named.
//!
//! Lines of clients: <https://dev.mysql.com/doc/refman/8.4/en/mysql-commands.html> (`source`, `\.`),
//! <https://www.postgresql.org/docs/current/app-psql.html> (`\i`, `\ir`, `\copy`),
//! <https://sqlite.org/cli.html> (`.read`, `.import`). Statements: `LOAD DATA INFILE`, `LOAD XML
//! INFILE`, `COPY ... FROM 'FILE'`.

/// The longest line of a client that is looked at.
pub(crate) const LINE_BYTES_MAX: usize = 4096;

/// Returns whether a statement that begins with these bytes is a line of a client, which ends with
/// its line.
pub(crate) fn is_line(begin: &[u8], is_dotted: bool) -> bool {
    let word = b"source";
    let is_source = begin.len() > word.len()
        && begin[..word.len()].eq_ignore_ascii_case(word)
        && matches!(begin[word.len()], b' ' | b'\t');
    is_dotted || is_source || begin.first() == Some(&b'\\')
}

/// Returns the file that a line of a client reads.
pub(crate) fn of_line(line: &[u8]) -> Option<String> {
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
