//! SQLite loads what was rewritten, and has what the new site would have had.
//!
//! The failure: a value with a newline is the argument of `replace` in a dump, and of `unistr` since
//! 3.50. Its lengths were counted in the dump's text, so valid values were called broken.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::forms_kit::{Drawn, Draws, NEW, OLD, number, pairs};
use crate::skip::skip_unless_all;
use stripewise_site::{Options, rewrite};

/// Writes a dump as the shell does since 3.50, with what SQLite itself quotes, and loads one.
const SCRIPT: &str = r#"
import sys, apsw
db = apsw.Connection(":memory:")
db.execute(sys.stdin.buffer.read().decode())
if sys.argv[1] == "dump":
    rows = db.execute("SELECT id, unistr_quote(v), unistr_quote(b) FROM t ORDER BY id")
    out = "PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\nCREATE TABLE t(id int, v, b);\n"
    out += "".join(f"INSERT INTO t VALUES({id},{v},{b});\n" for id, v, b in rows) + "COMMIT;\n"
else:
    out = "".join(f"{id}|{v}|{b}\n" for id, v, b in db.execute("SELECT id, hex(v), hex(b) FROM t ORDER BY id"))
sys.stdout.buffer.write(out.encode())
"#;

/// What reads and writes databases.
enum Engine {
    /// The shell.
    Shell,
    /// A Python that has the package `apsw`.
    Python(String),
}

impl Engine {
    /// Loads statements, and returns what another one says then.
    fn run(&self, statements: &[u8], what: &str) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("a.db");
        match (self, what) {
            (Engine::Python(python), _) => {
                let mut command = Command::new(python);
                piped(command.args(["-c", SCRIPT, what]), statements)
            }
            (Engine::Shell, "dump") => {
                shell(&database, statements);
                shell(&database, b".dump\n")
            }
            (Engine::Shell, _) => {
                shell(&database, statements);
                shell(
                    &database,
                    b"SELECT id, hex(v), hex(b) FROM t ORDER BY id;\n",
                )
            }
        }
    }
}

fn shell(database: &Path, input: &[u8]) -> Vec<u8> {
    piped(Command::new("sqlite3").arg("-bail").arg(database), input)
}

fn piped(command: &mut Command, input: &[u8]) -> Vec<u8> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || pipe.write_all(&input));
    let done = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}");
    writer.join().unwrap().unwrap();
    done.stdout
}

fn statements(drawn: &[Drawn], address: &str) -> Vec<u8> {
    let mut out = b"CREATE TABLE t(id int, v, b);\nBEGIN;\n".to_vec();
    for (id, drawn) in drawn.iter().enumerate() {
        let value = drawn.value(address);
        let hex: String = value.iter().map(|byte| format!("{byte:02x}")).collect();
        let text = match value.contains(&0) {
            true => "NULL".to_owned(),
            false => format!("CAST(x'{hex}' AS TEXT)"),
        };
        out.extend(format!("INSERT INTO t VALUES({id},{text},x'{hex}');\n").bytes());
    }
    out.extend(b"COMMIT;\n");
    out
}

fn check(engine: &Engine, name: &str) {
    let count = number("STRIPEWISE_TEST_FORMS_LOADED").unwrap_or(60);
    let mut draws = Draws(number("STRIPEWISE_TEST_SEED").unwrap_or(1));
    let drawn: Vec<Drawn> = (0..count).map(|_| Drawn::draw(&mut draws)).collect();
    let dump = engine.run(&statements(&drawn, OLD), "dump");
    let wanted = engine.run(&statements(&drawn, NEW), "rows");
    let mut moved = Vec::new();
    let report = rewrite(dump.as_slice(), &mut moved, &pairs(), &Options::default()).unwrap();
    assert_eq!((report.stuck(), report.broken_count), (0, 0), "{name}");
    assert!(
        memchr::memmem::find(&dump, name.as_bytes()).is_some(),
        "no {name}"
    );
    assert!(engine.run(&moved, "rows") == wanted, "{name}");
}

#[test]
fn the_shell_has_the_rows_of_the_new_site() {
    let version = Command::new("sqlite3").arg("--version").output();
    let Ok(version) = version else {
        skip_unless_all("a round trip through SQLite: sqlite3 is not installed");
        return;
    };
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let minor = version
        .split('.')
        .nth(1)
        .and_then(|minor| minor.parse().ok());
    let has_unistr = minor.is_some_and(|minor: u32| minor >= 50);
    check(
        &Engine::Shell,
        if has_unistr { "unistr(" } else { "replace(" },
    );
}

/// `pip install apsw` brings the newest SQLite; STRIPEWISE_TEST_APSW names the Python that has it.
#[test]
fn the_newest_sqlite_has_the_rows_of_the_new_site() {
    let Ok(python) = std::env::var("STRIPEWISE_TEST_APSW") else {
        eprintln!("SKIPPED: the newest SQLite: STRIPEWISE_TEST_APSW names no Python with apsw");
        return;
    };
    check(&Engine::Python(python), "unistr(");
}
