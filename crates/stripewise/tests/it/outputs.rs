//! Files that commands write, beside files of the user: one rule for every command.
//!
//! The failure: `collect --out backup.tar.zst` replaced a backup and said that it was done;
//! `site rewrite self.sql --output self.sql` lost its own input.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use rustix::fs::{CWD, Mode, mkfifoat};

use crate::support::{Bench, Done, QUICK, with};

/// A command that writes a file.
struct Writer {
    /// Its words before the name of the file.
    words: &'static str,
    /// The file, in a folder that exists.
    file: &'static str,
    /// Whether its files say who wrote them, so that they are replaced without an option.
    is_marked: bool,
    /// Whether it has `--replace`.
    has_option: bool,
    /// The exit code when it has written.
    code: i32,
}

const fn writer(words: &'static str, file: &'static str) -> Writer {
    Writer {
        words,
        file,
        is_marked: false,
        has_option: true,
        code: 0,
    }
}

const fn marked(words: &'static str, file: &'static str) -> Writer {
    Writer {
        is_marked: true,
        ..writer(words, file)
    }
}

const fn without_option(words: &'static str, file: &'static str) -> Writer {
    Writer {
        has_option: false,
        ..marked(words, file)
    }
}

/// Every command that writes a file; the store is a database, and `lab` has a cache.
const WRITERS: [Writer; 19] = [
    without_option("report 1 -o", "r.html"),
    Writer {
        code: 1,
        ..without_option("check --root host --page", "c.html")
    },
    without_option("man --out man", "man/stripewise-run.1"),
    marked("export 1 -o", "e.csv"),
    marked("export 1 -o", "e.json"),
    marked("export 1 -o", "e.parquet"),
    marked("export 1 -o", "e.md"),
    marked("export 1 -o", "e.prom"),
    writer("export 1 --figure bars-iops --width 320 -o", "e.png"),
    marked("characterize --from t.csv --summary", "t.json"),
    marked("characterize --from t.csv --page", "t.html"),
    writer("characterize --from t.csv --study", "t.toml"),
    writer("characterize --from t.csv --fio-job", "t.fio"),
    writer(
        "site rewrite --from http://a --to http://b in.sql --output",
        "o.sql",
    ),
    writer(
        "site rewrite --from http://a --to http://b in.sql --output",
        "o.sql.gz",
    ),
    Writer {
        code: 1,
        ..writer(
            "site permissions --listing list.txt --server-user www --chmod-script",
            "m.sh",
        )
    },
    Writer {
        code: 1,
        ..writer(
            "site permissions --listing list.txt --server-user www --sftp-batch",
            "m.sftp",
        )
    },
    writer("collect --out", "backup.tar.zst"),
    marked(
        "calibrate four.toml --points points.csv --out cal",
        "cal/devices/sata-ssd.toml",
    ),
];

impl Writer {
    fn run(&self, bench: &Bench, more: &[&str]) -> Done {
        // These name a folder.
        let names_file = !self.file.contains('/');
        let words = self.words.split(' ');
        let words = words.chain(names_file.then_some(self.file));
        let words: Vec<&str> = words.chain(more.iter().copied()).collect();
        let in_store = ["report", "export"].contains(&words[0]);
        match in_store {
            true => bench.finish(bench.stored(&words.join(" "))),
            false => bench.finish(with(bench.command(), words)),
        }
    }

    fn name(&self) -> String {
        format!("{} {}", self.words, self.file)
    }
}

/// Returns a bench with the inputs of all writers.
fn bench() -> Option<Bench> {
    let bench = Bench::new()?;
    bench.measured(QUICK);
    for folder in ["man", "cal/devices", "host/etc"] {
        fs::create_dir_all(bench.path(folder)).unwrap();
    }
    bench.write("host/etc/fstab", "UUID=1 /srv xfs nobarrier 0 0\n");
    bench.write("list.txt", ".:\n-rw-rw-rw- 1 a a 3 Nov 28 08:00 b.css\n");
    bench.write(
        "in.sql",
        "INSERT INTO t VALUES ('http://a/');\n-- Dump completed\n",
    );
    let lines = (0..200_u64).map(|number| {
        let time = 128_166_372_000_000_000 + number * 100_000;
        format!("{time},host,0,Write,{},16384,1000\n", number * 16384)
    });
    bench.write("t.csv", &lines.collect::<String>());
    bench.write("four.toml", PAIR);
    bench.write("points.csv", POINTS);
    Some(bench)
}

/// A study with the points of one disk.
pub(crate) const PAIR: &str = r#"
question = "What is a disk?"
kernel = "6.1"
[stack.one]
devices = { sata-ssd = 1 }
filesystem = "ext4"
[workload]
pattern = "randread"
block_size = ["4K", "64K"]
size = "1G"
"#;

/// The points.
pub(crate) const POINTS: &str = "stack,pattern,block_size_bytes,jobs,depth,bandwidth_bytes_per_s
one,randread,4096,1,1,40000000
one,randread,65536,1,1,200000000
";

#[test]
fn every_command_keeps_a_file_that_it_did_not_write() {
    let Some(bench) = bench() else { return };
    for writer in &WRITERS {
        let path = bench.path(writer.file);
        let name = writer.name();
        bench.write(writer.file, "precious");
        let done = writer.run(&bench, &[]);
        assert_eq!(done.code, Some(2), "{name}: {}", done.transcript());
        assert!(done.stderr.contains("already exists"), "{}", done.stderr);
        let advice = ["remove it first", "`--replace`"][usize::from(writer.has_option)];
        assert!(done.stderr.contains(advice), "{name}: {}", done.stderr);
        assert_eq!(fs::read(&path).unwrap(), b"precious", "{name}");
        // A pipe would block, and a directory is none.
        fs::remove_file(&path).unwrap();
        mkfifoat(CWD, &path, Mode::RUSR).unwrap();
        let done = writer.run(&bench, &["--replace"][..usize::from(writer.has_option)]);
        assert_eq!(done.code, Some(2), "{name}: {}", done.transcript());
        assert!(
            done.stderr.contains("is not a regular file"),
            "{}",
            done.stderr
        );
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn every_command_replaces_its_own_file_and_others_on_request() {
    let Some(bench) = bench() else { return };
    for writer in &WRITERS {
        let (path, name) = (bench.path(writer.file), writer.name());
        let done = writer.run(&bench, &[]);
        assert_eq!(
            done.code,
            Some(writer.code),
            "{name}: {}",
            done.transcript()
        );
        let first = fs::read(&path).unwrap();
        let again = writer.run(&bench, &[]);
        let expected = if writer.is_marked { writer.code } else { 2 };
        assert_eq!(again.code, Some(expected), "{name}: {}", again.transcript());
        if writer.has_option {
            bench.write(writer.file, "precious");
            let done = writer.run(&bench, &["--replace"]);
            assert_eq!(
                done.code,
                Some(writer.code),
                "{name}: {}",
                done.transcript()
            );
            // Archives and databases differ by times.
            assert!(
                fs::read(&path).unwrap().len() > 8 && !first.is_empty(),
                "{name}"
            );
        }
    }
}

#[test]
fn a_page_of_one_command_is_not_replaced_by_another() {
    let Some(bench) = bench() else { return };
    let pages: Vec<&Writer> = WRITERS
        .iter()
        .filter(|one| one.file.ends_with("html"))
        .collect();
    for page in &pages {
        assert_eq!(page.run(&bench, &[]).code, Some(page.code));
        let written = fs::read(bench.path(page.file)).unwrap();
        for other in pages.iter().filter(|other| other.words != page.words) {
            fs::write(bench.path(other.file), &written).unwrap();
            let done = other.run(&bench, &[]);
            assert_eq!(done.code, Some(2), "{}", done.transcript());
            fs::remove_file(bench.path(other.file)).unwrap();
        }
    }
}

#[test]
fn no_command_replaces_its_own_input() {
    let Some(bench) = bench() else { return };
    let dump = fs::read(bench.path("in.sql")).unwrap();
    fs::hard_link(bench.path("in.sql"), bench.path("hard.sql")).unwrap();
    std::os::unix::fs::symlink("in.sql", bench.path("soft.sql")).unwrap();
    let rewrite = "site rewrite --from http://a --to http://b --replace";
    for words in [
        format!("{rewrite} in.sql --output in.sql"),
        format!("{rewrite} hard.sql --output in.sql"),
        format!("{rewrite} in.sql --output soft.sql"),
        format!("{rewrite} in.sql --output ./in.sql"),
        format!("{rewrite} - --output in.sql"),
        format!("{rewrite} --output in.sql"),
        "characterize --from t.csv --study t.csv --replace".to_owned(),
        "characterize --from t.csv --summary t.csv --replace".to_owned(),
    ] {
        let mut command = with(bench.command(), words.split(' '));
        command.stdin(fs::File::open(bench.path("in.sql")).unwrap());
        let done = bench.finish(command);
        assert_eq!(done.code, Some(2), "{words}: {}", done.transcript());
        assert!(
            done.stderr.contains("is an input of this command"),
            "{}",
            done.stderr
        );
        assert_eq!(fs::read(bench.path("in.sql")).unwrap(), dump, "{words}");
    }
    let store = bench.stored_run(1);
    let done = bench.finish(bench.stored("export 1 -f csv --replace -o store/runs.db"));
    assert_eq!(done.code, Some(2), "{}", done.transcript());
    assert_eq!(bench.stored_run(1), store);
    let done = bench.finish(with(
        bench.command(),
        "characterize --from t.csv --study x --fio-job ./x".split(' '),
    ));
    assert!(
        done.stderr.contains("is named for two outputs"),
        "{}",
        done.stderr
    );
    assert!(!bench.path("x").exists());
}

/// Files of other programs, and the ending of the output that each of them looks like.
const LOOK_ALIKES: [(&str, &[u8]); 15] = [
    (".prom", b"# HELP stripewise_temperature of my own script\n"),
    ("e.json", b"[{\"format\":\"stripewise-export\",\"my\":1}]"),
    (
        "e.json",
        b"{\"format\":\"stripewise-export\",\"notes\":\"of mine\"}",
    ),
    ("e.csv", b"run,study,world,mine\r\n1,2,3,4\r\n"),
    ("e.csv", b"run,study,world,sample,cell,stack,workload\r\n"),
    ("e.md", b"<!-- Made by stripewise users -->\n\n## Notes\n"),
    ("e.md", b"<!-- Made by stripewise 0.1.0. -->\nby hand\n"),
    ("e.parquet", b"PAR1 made with stripewise benchmarks PAR1"),
    ("e.parquet", b"PAR1stripewise 0.1.0\x0c\0\0\0PAR1"),
    (
        "r.html",
        b"<pre><meta name=\"generator\" content=\"stripewise report 0.1.0\"></pre>",
    ),
    (
        "c.html",
        b"<pre><meta name=\"generator\" content=\"stripewise check 0.1.0\"></pre>",
    ),
    (
        "t.html",
        b"<pre><meta name=\"generator\" content=\"stripewise characterize 0.1.0\"></pre>",
    ),
    (
        "t.json",
        b"{\"made_by\":\"stripewise characterize\",\"notes\":\"of mine\"}",
    ),
    (
        "run.1",
        b".\\\" By the distribution\n.TH stripewise-run 1 \"stripewise 0.1.0\"\n",
    ),
    (
        "ssd.toml",
        b"# Made by `stripewise calibrate` and then by hand\n",
    ),
];

#[test]
fn files_that_only_look_like_ours_are_kept() {
    let Some(bench) = bench() else { return };
    for writer in WRITERS.iter().filter(|writer| writer.is_marked) {
        let alike = LOOK_ALIKES.iter();
        let mut alike = alike.filter(|one| writer.file.ends_with(one.0)).peekable();
        assert!(alike.peek().is_some(), "{}", writer.name());
        for (_, theirs) in alike {
            fs::write(bench.path(writer.file), theirs).unwrap();
            let done = writer.run(&bench, &[]);
            assert_eq!(
                done.code,
                Some(2),
                "{}: {}",
                writer.name(),
                done.transcript()
            );
            assert!(done.stderr.contains("already exists"), "{}", done.stderr);
            assert_eq!(&fs::read(bench.path(writer.file)).unwrap(), theirs);
        }
    }
}

#[test]
fn a_parquet_file_of_another_program_is_kept() {
    let Some(bench) = bench() else { return };
    let export = || bench.finish(bench.stored("export 1 -o e.parquet"));
    assert_eq!(export().code, Some(0));
    // As a program does that reads our file and writes it again: the columns stay, the name does not.
    let mut bytes = fs::read(bench.path("e.parquet")).unwrap();
    let name = b"stripewise 0.";
    let at = bytes
        .windows(name.len())
        .rposition(|part| part == name)
        .unwrap();
    // A file of another program that ends with one of ours: the metadata is at the end.
    let behind = [b"theirs", &bytes[..]].concat();
    bytes[at..at + 10].copy_from_slice(b"otherwrite");
    for theirs in [bytes, behind] {
        fs::write(bench.path("e.parquet"), &theirs).unwrap();
        let done = export();
        assert_eq!(done.code, Some(2), "{}", done.transcript());
        assert_eq!(fs::read(bench.path("e.parquet")).unwrap(), theirs);
    }
}

#[test]
fn a_set_of_files_is_whole_or_absent() {
    let Some(bench) = bench() else { return };
    let list = |folder: &str| -> Vec<(String, u64)> {
        let entries = fs::read_dir(bench.path(folder))
            .unwrap()
            .map(Result::unwrap);
        let entry = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().unwrap();
            (name, entry.metadata().unwrap().len())
        };
        let mut entries: Vec<_> = entries.map(entry).collect();
        entries.sort();
        entries
    };
    let describe = "characterize --from t.csv --replace --study out/s.toml --fio-job out/j.fio --summary out/s.json --page out/p.html";
    for words in ["man --out out", describe] {
        fs::create_dir_all(bench.path("out")).unwrap();
        let done = bench.finish(with(bench.command(), words.split(' ')));
        assert_eq!(done.code, Some(0), "{}", done.transcript());
        // As on a disk that is full before the largest of them.
        let most = list("out").iter().map(|(_, bytes)| *bytes).max().unwrap();
        let script = format!("ulimit -f {}; exec \"$0\" {words}", (most - 1) / 512);
        let fill = || {
            let mut command = bench.isolate(std::process::Command::new("sh"));
            command.args(["-c", &script, env!("CARGO_BIN_EXE_stripewise")]);
            let done = bench.finish(command);
            assert_eq!(done.code, Some(2), "{}", done.transcript());
            assert!(done.stderr.contains("File too large"), "{}", done.stderr);
            list("out")
        };
        fs::remove_dir_all(bench.path("out")).unwrap();
        fs::create_dir(bench.path("out")).unwrap();
        assert_eq!(fill(), [], "{words}");
        if words == describe {
            bench.write("out/s.toml", "precious");
            assert_eq!(fill(), [("s.toml".to_owned(), 8)], "{words}");
        }
        fs::remove_dir_all(bench.path("out")).unwrap();
    }
}

#[test]
fn standard_output_is_writable_and_no_input() {
    let Some(bench) = bench() else { return };
    let script = |script: &str| {
        let mut command = bench.isolate(std::process::Command::new("sh"));
        command.args(["-c", script, env!("CARGO_BIN_EXE_stripewise")]);
        bench.finish(command)
    };
    fs::write(bench.path("read-only"), "").unwrap();
    for words in [
        "profiles",
        "man",
        "check --explain md.degraded",
        "completions bash",
    ] {
        let done = script(&format!("exec \"$0\" {words} 1<read-only"));
        assert_eq!(done.code, Some(2), "{words}: {}", done.transcript());
        let expected = "standard output is open for reading only";
        assert!(done.stderr.contains(expected), "{}", done.stderr);
    }
    let dump = fs::read(bench.path("in.sql")).unwrap();
    let rewrite = "exec \"$0\" site rewrite --from http://a --to http://b";
    for words in [
        "in.sql >> in.sql",
        "< in.sql 1<> in.sql",
        "other.sql in.sql >> in.sql",
    ] {
        fs::copy(bench.path("in.sql"), bench.path("other.sql")).unwrap();
        let done = script(&format!("{rewrite} {words}"));
        assert_eq!(done.code, Some(2), "{words}: {}", done.transcript());
        let expected = "standard output is an input of this command";
        assert!(done.stderr.contains(expected), "{}", done.stderr);
        assert_eq!(fs::read(bench.path("in.sql")).unwrap(), dump, "{words}");
    }
}

#[test]
fn collected_facts_are_private_and_whole_or_absent() {
    let Some(bench) = Bench::new() else { return };
    let mode = |name: &str| fs::metadata(bench.path(name)).unwrap().permissions().mode() & 0o777;
    for (name, bits) in [("tree", 0o700), ("file.tar.zst", 0o600)] {
        let done = bench.finish(with(bench.command(), ["collect", "--out", name]));
        assert_eq!(done.code, Some(0), "{}", done.transcript());
        assert_eq!(mode(name), bits, "{name}");
    }
    let done = bench.finish(with(bench.command(), ["collect", "--out", "tree"]));
    assert_eq!(done.code, Some(2), "{}", done.transcript());
    assert!(done.stderr.contains("is not empty"), "{}", done.stderr);
    // As on a full disk: no file of more than a block.
    for name in ["half", "above/it/half", "half.tar.zst"] {
        let mut command = bench.isolate(std::process::Command::new("sh"));
        let script = "ulimit -f 1; exec \"$0\" collect --out \"$1\"";
        command.args(["-c", script, env!("CARGO_BIN_EXE_stripewise"), name]);
        let done = bench.finish(command);
        assert_eq!(done.code, Some(2), "{}", done.transcript());
        assert!(!bench.path(name).exists(), "{name}");
        assert!(!bench.path("above").exists(), "{name}");
    }
}
