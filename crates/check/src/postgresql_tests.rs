//! A server of PostgreSQL is asked how it reads drawn configurations.
//!
//! The failure: `full_page_writes = OFF` in `conf.d/a.conf` passed, as one rule read the main file alone
//! and knew only `off`. `STRIPEWISE_TEST_CLUSTERS=N` draws N configurations, `STRIPEWISE_TEST_SEED=S`
//! sets the seed.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use stripewise_units::splitmix::SplitMix64;

use super::*;

const FOLDER: &str = "/var/lib/pgsql/data";
/// A user who is not root, as whom a server starts.
const ANOTHER: u32 = 65534;

/// Files by their names below the directory of a cluster, and options of the server.
#[derive(Debug)]
struct Drawn {
    files: BTreeMap<String, String>,
    options: Vec<String>,
}

struct Drawer(SplitMix64);

impl Drawer {
    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.0.draw() % bound as u64).unwrap()
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    fn case(&mut self, word: &str) -> String {
        match self.below(4) {
            0 => word.to_ascii_uppercase(),
            1 => word[..1].to_ascii_uppercase() + &word[1..],
            _ => word.to_owned(),
        }
    }

    fn truth(&mut self) -> String {
        let words = [
            "on", "off", "true", "false", "yes", "no", "1", "0", "t", "f", "y", "n", "of", "fal",
            "tr", "ye", "fals",
        ];
        let word = match self.below(60) {
            0 => self.one(&["o", "2", "onn", "maybe", "offf"]),
            _ => self.one(&words),
        };
        self.case(word)
    }

    fn text(&mut self) -> String {
        let parts = [
            "a", "B", " ", "''", "\\'", "\\\\", "\\t", "\\101", "\\x", "#", "=", "\"",
        ];
        let count = self.below(6);
        (0..count).map(|_| self.one(&parts)).collect()
    }

    fn quoted(&mut self, value: String) -> String {
        match self.below(3) {
            0 => value,
            _ => format!("'{value}'"),
        }
    }

    /// Draws a line that sets something.
    fn set(&mut self) -> String {
        let name = self.one(&[
            "fsync",
            "fsync",
            "full_page_writes",
            "full_page_writes",
            "synchronous_commit",
            "bonjour_name",
            "work_mem",
        ]);
        let value = match name {
            "bonjour_name" => format!("'{}'", self.text()),
            "work_mem" => self
                .one(&[
                    "64kB", "'1.5 MB'", "4096", "0x400", "1e3", "'2GB'", "1024.5",
                ])
                .to_owned(),
            "synchronous_commit" => {
                let word = self.one(&["on", "off", "local", "remote_write", "false", "no", "0"]);
                let word = self.case(word);
                self.quoted(word)
            }
            _ => {
                let word = self.truth();
                self.quoted(word)
            }
        };
        let name = self.case(name);
        let equals = self.one(&[" = ", "=", " ", "\t=\t", "  "]);
        let end = self.one(&["", "", " # x", "#x", "  ", "\r"]);
        format!("{name}{equals}{value}{end}")
    }

    /// Draws the lines of a file at a depth of includes.
    fn lines(&mut self, files: &mut BTreeMap<String, String>, depth: usize) -> String {
        let mut text = String::new();
        for _ in 0..1 + self.below(5) {
            let line = match self.below(5 + depth) {
                0 => self.include(files, depth),
                1 => self
                    .one(&["", "#fsync = off", "  # x", "custom.key = 'x'"])
                    .to_owned(),
                _ => self.set(),
            };
            text += &format!("{}{line}\n", self.one(&["", "  ", "\t"]));
        }
        text
    }

    /// Draws a line that includes, and what it includes.
    fn include(&mut self, files: &mut BTreeMap<String, String>, depth: usize) -> String {
        let number = files.len();
        let keyword = self.one(&["include", "include_if_exists", "include_dir", "include_dir"]);
        let word = self.case(keyword);
        if keyword == "include_dir" {
            // The one in the file's own directory. A file in it that includes it would include itself.
            if depth > 0 {
                return String::new();
            }
            for name in [
                "b.conf",
                "B.conf",
                "10.conf",
                "9.conf",
                ".c.conf",
                "d.conf.bak",
                "e",
            ] {
                if self.below(3) == 0 {
                    let text = self.lines(files, depth + 1);
                    files.insert(format!("conf.d/{name}"), text);
                }
            }
            files
                .entry("conf.d/z.conf".to_owned())
                .or_insert_with(|| "\n".to_owned());
            let value = self.one(&["'conf.d'", "conf.d", "'FOLDER/conf.d'", "'./conf.d/'"]);
            return format!("{word} = {value}");
        }
        let name = format!("x{number}.conf");
        let is_there = self.below(8) > 0;
        if is_there {
            files.insert(name.clone(), String::new());
            let text = self.lines(files, depth + 1);
            files.insert(name.clone(), text);
        }
        // Files of conf.d take names from their own directory.
        format!("{word} 'FOLDER/{name}'")
    }

    fn all(&mut self) -> Drawn {
        let mut files = BTreeMap::new();
        let text = self.lines(&mut files, 0);
        files.insert("postgresql.conf".to_owned(), text);
        if self.below(2) == 0 {
            let text = format!("# Do not edit\n{}\n", self.set());
            files.insert("postgresql.auto.conf".to_owned(), text);
        }
        let options = match self.below(8) {
            0 => vec!["-F".to_owned()],
            1 => vec![
                "-c".to_owned(),
                format!("full_page_writes={}", self.truth()),
            ],
            2 => vec![format!("--full-page-writes={}", self.truth())],
            3 => vec!["-cfsync=of".to_owned()],
            _ => Vec::new(),
        };
        Drawn { files, options }
    }
}

/// Returns how the server reads a setting; `None` if it refuses the configuration.
fn of_server(server: &Path, folder: &Path, drawn: &Drawn, name: &str) -> Option<String> {
    let mut call = Command::new(server);
    call.args(&drawn.options)
        .args(["-C", name, "-D"])
        .arg(folder);
    if rustix::process::geteuid().is_root() {
        call.uid(ANOTHER).gid(ANOTHER);
    }
    let ran = call.output().unwrap();
    let text = String::from_utf8(ran.stdout).unwrap();
    ran.status
        .success()
        .then(|| text.strip_suffix('\n').unwrap().to_owned())
}

/// Returns how we read it, in the server's words.
fn of_ours(drawn: &Drawn, name: &str) -> Result<String, Missing> {
    let path = |name: &str| format!("{FOLDER}/{name}");
    let mut files: BTreeMap<String, String> = drawn
        .files
        .iter()
        .map(|(name, text)| (path(name), text.replace("FOLDER", FOLDER)))
        .collect();
    let words = drawn.options.iter().map(|word| format!(" \"{word}\""));
    files.insert(
        path("postmaster.opts"),
        format!("postgres{}\n", words.collect::<String>()),
    );
    let facts = Snapshot {
        files,
        is_complete: true,
        ..Snapshot::default()
    };
    let conf = path("postgresql.conf");
    let cluster = Cluster::read(&facts, &conf);
    let value = cluster.get(name)?.map(|value| value.text);
    Ok(match name {
        "bonjour_name" => value.unwrap_or_default(),
        _ if cluster.off(name)?.is_some() => "off".to_owned(),
        "synchronous_commit" => match value.as_deref().map(str::to_ascii_lowercase) {
            Some(word) if word.len() > 4 || word == "local" => word,
            _ => "on".to_owned(),
        },
        _ => "on".to_owned(),
    })
}

fn number(name: &str, default: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Returns the newest server that is installed.
fn server() -> Option<std::path::PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten();
    let servers = versions.map(|version| version.path().join("bin/postgres"));
    servers.filter(|path| path.exists()).max()
}

#[test]
fn settings_are_those_that_the_server_reads() {
    let Some(server) = server() else {
        println!("SKIPPED: drawn configurations of PostgreSQL: no server is installed");
        return;
    };
    let (seed, count) = (
        number("STRIPEWISE_TEST_SEED", 1),
        number("STRIPEWISE_TEST_CLUSTERS", 40),
    );
    let mut refused = 0;
    for at in 0..count {
        let mut drawer = Drawer(SplitMix64(seed ^ at.wrapping_mul(0xD134_2543_DE82_EF95)));
        let drawn = drawer.all();
        let name = drawer.one(&[
            "fsync",
            "full_page_writes",
            "synchronous_commit",
            "bonjour_name",
        ]);
        let folder = tempfile::tempdir().unwrap();
        let open = fs::Permissions::from_mode(0o755);
        fs::set_permissions(folder.path(), open).unwrap();
        for (file, text) in &drawn.files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(
                path,
                text.replace("FOLDER", folder.path().to_str().unwrap()),
            )
            .unwrap();
        }
        let Some(theirs) = of_server(&server, folder.path(), &drawn, name) else {
            refused += 1;
            continue;
        };
        let ours = of_ours(&drawn, name);
        assert_eq!(ours, Ok(theirs), "{name}, {at} of seed {seed}: {drawn:#?}");
    }
    assert!(
        refused * 2 < count,
        "the server refused {refused} of {count}"
    );
}

fn facts(conf: &str, auto: &str, options: &str) -> Snapshot {
    let files = [
        ("postgresql.conf", conf),
        ("postgresql.auto.conf", auto),
        ("postmaster.opts", options),
    ];
    let files = files.map(|(name, text)| (format!("{FOLDER}/{name}"), text.to_owned()));
    Snapshot {
        files: files.into(),
        is_complete: true,
        ..Snapshot::default()
    }
}

#[test]
fn what_may_win_and_is_not_read_makes_a_setting_unknown() {
    let conf = format!("{FOLDER}/postgresql.conf");
    for (text, auto, options, expected) in [
        ("fsync = off\n", "", "", Ok(true)),
        ("include 'gone'\n", "", "", Err(format!("{FOLDER}/gone"))),
        (
            "fsync = off\ninclude 'gone'\n",
            "",
            "",
            Err(format!("{FOLDER}/gone")),
        ),
        (
            "include 'gone'\ndata_directory = '/var/lib/pgsql/data'\nfsync = off\n",
            "",
            "",
            Ok(true),
        ),
        (
            "include 'gone'\ndata_directory '/var/lib/pgsql/data'\n",
            "fsync = off\n",
            "",
            Ok(true),
        ),
        ("fsync = off, on\n", "", "", Err(format!("{conf}:1"))),
        ("\nfsync = maybe\n", "", "", Err("fsync".to_owned())),
        ("fsync = 'off\n", "", "", Err(format!("{conf}:1"))),
        (
            "fsync = on\n",
            "",
            "postgres \"-D\" \"/x\" \"-F\"\n",
            Ok(true),
        ),
        (
            "fsync = off\n",
            "",
            "postgres \"-c\" \"fsync=on\"\n",
            Ok(false),
        ),
        (
            "fsync = on\n",
            "",
            "postgres \"-c\" \"config_file=/etc/pg.conf\"\n",
            Err(conf.clone()),
        ),
        (
            "data_directory = 'pg'\n",
            "",
            "",
            Err("data_directory".to_owned()),
        ),
        ("include_dir = 'conf.d'\n", "", "", Ok(false)),
    ] {
        let facts = facts(text, auto, options);
        let cluster = Cluster::read(&facts, &conf);
        let off = cluster.off("fsync").map(|value| value.is_some());
        assert_eq!(
            off.map_err(|missing| missing.fact),
            expected,
            "{text}{auto}{options}"
        );
    }
}

#[test]
fn a_value_names_its_file_and_line() {
    let text = "# fsync = on\n\nfsync = OFF # x\n";
    let facts = facts(text, "", "");
    let conf = format!("{FOLDER}/postgresql.conf");
    let found = Cluster::read(&facts, &conf).off("fsync").unwrap().unwrap();
    assert_eq!(found.to_string(), format!("fsync = OFF ({conf}:3)"));
}

#[test]
fn of_a_command_line_only_known_options_are_kept() {
    let text = "/x/postgres \"-D\" \"/a\" \"-c\" \"config_file=/etc/a.conf\" \"-c\" \"primary_conninfo=password=hunter2\" \"--fsync=off\"\n";
    let kept = kept_options(text, &["fsync", "config_file"]);
    assert_eq!(
        kept,
        "/x/postgres \"--config_file=/etc/a.conf\" \"--fsync=off\"\n"
    );
    assert_eq!(
        options(&kept),
        options(&kept_options(&kept, &["fsync", "config_file"]))
    );
}
