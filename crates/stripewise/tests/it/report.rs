//! Reports as files: whole or not at all, never over something else, and nothing that came from
//! outside is ever more than text.
//!
//! The failure: somebody sent the charts to a colleague as a screenshot, since the file asked a
//! server for its script; the numbers behind them were gone, and with them the kernel and the
//! command.

use std::fs::Permissions;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::PathBuf;
use std::process::Command;

use expect_test::expect;
use serde_json::Value;

use crate::support::Bench;

const STUDY: &str = r#"
question = "Which </script><script>alert(1)</script> chunk?"
kernel = "4.1"
[stack.chunk32]
devices = { samsung-850-evo-500 = 4 }
array = { level = "raid10", chunk = "32K" }
[stack.chunk512]
devices = { samsung-850-evo-500 = 4 }
array = { level = "raid10", chunk = "512K" }
[workload]
pattern = "randread"
block_size = ["4K", "64K"]
size = "64M"
[compare]
baseline = { stack = "chunk512" }
"#;

/// A bench with a run in the model world.
fn bench() -> Option<Bench> {
    let bench = Bench::new()?;
    let study = bench.write("study.toml", STUDY);
    let mut run = bench.command();
    run.arg("run")
        .arg(study)
        .args(["--world", "model", "--quiet"]);
    assert!(run.output().unwrap().status.success());
    Some(bench)
}

fn report(bench: &Bench, arguments: &[&str]) -> Command {
    let mut command = bench.command();
    command.arg("report").args(arguments);
    command
}

/// Returns what was printed to stdout and stderr, and the exit code.
fn outcome(mut command: Command) -> (String, String, i32) {
    let output = command.output().unwrap();
    (
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
        output.status.code().unwrap(),
    )
}

fn data(html: &str) -> Value {
    let begin = html.find("id=\"page\">").unwrap() + "id=\"page\">".len();
    let end = begin + html[begin..].find("</script>").unwrap();
    serde_json::from_str(&html[begin..end]).unwrap()
}

#[test]
fn a_report_is_one_file_that_asks_for_nothing() {
    let Some(bench) = bench() else { return };
    let (stdout, stderr, code) = outcome(report(&bench, &[]));
    assert_eq!(
        (stdout.as_str(), stderr.as_str(), code),
        ("stripewise-1.html\n", "", 0)
    );
    let html = std::fs::read_to_string(bench.path("stripewise-1.html")).unwrap();
    assert!(html.starts_with("<!doctype html>"));
    assert!(html.contains("default-src 'none'; script-src 'sha256-"));
    for outside in ["src=\"", "href=\"http", "@import", "url(http"] {
        assert!(!html.contains(outside), "the file asks for `{outside}`");
    }
    assert!(html.len() < 2 << 20, "{} bytes", html.len());
    // The front end's script, the data, and nothing that the study brought.
    assert_eq!(
        html.matches("<script").count(),
        2 + html.matches("`<script").count()
    );
    let page = data(&html);
    assert_eq!(
        page["question"],
        "Which </script><script>alert(1)</script> chunk?"
    );
    assert_eq!(page["cells"].as_array().unwrap().len(), 4);
    assert_eq!(page["maps"][0]["members"].as_array().unwrap().len(), 4);
}

#[test]
fn a_report_says_what_show_says() {
    let Some(bench) = bench() else { return };
    let (page, _, _) = outcome(report(&bench, &["--json"]));
    let page: Value = serde_json::from_str(&page).unwrap();
    let mut show = bench.command();
    show.args(["show", "--json"]);
    let (shown, _, _) = outcome(show);
    let shown: Value = serde_json::from_str(&shown).unwrap();
    let pairs = page["cells"]
        .as_array()
        .unwrap()
        .iter()
        .zip(shown["cells"].as_array().unwrap());
    for (of_page, of_show) in pairs {
        assert_eq!(of_page["estimates"], of_show["estimates"]);
        assert_eq!(of_page["bottleneck"], of_show["bottleneck"]);
        for (one, other) in of_page["verdicts"]
            .as_array()
            .unwrap()
            .iter()
            .zip(of_show["verdicts"].as_array().unwrap())
        {
            assert_eq!(one["words"], other["words"]);
        }
    }
    assert_eq!(page["cells"].as_array().unwrap().len(), 4);
}

#[test]
fn runs_are_laid_over_one_another_in_the_language_that_is_asked_for() {
    let Some(bench) = bench() else { return };
    let mut run = bench.command();
    run.args([
        "run",
        "study.toml",
        "--world",
        "model",
        "--kernel",
        "6.1",
        "--quiet",
    ]);
    assert!(run.output().unwrap().status.success());
    let (html, _, code) = outcome(report(
        &bench,
        &["1", "latest", "1", "-o", "-", "--language", "de"],
    ));
    assert_eq!(code, 0);
    assert!(html.contains("<html lang=\"de\" data-language=\"de\">"));
    let page = data(&html);
    let ids: Vec<&Value> = page["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| &run["id"])
        .collect();
    assert_eq!(ids, [1, 2]);
    assert_eq!(page["cells"].as_array().unwrap().len(), 8);
}

#[test]
fn another_file_is_never_replaced() {
    let Some(bench) = bench() else { return };
    let thesis: PathBuf = bench.write("thesis.html", "<html>mine</html>");
    let (stdout, stderr, code) = outcome(report(&bench, &["-o", "thesis.html"]));
    assert_eq!((stdout.as_str(), code), ("", 2));
    expect![[r#"
        error: `thesis.html` is there already and is not a file of this kind

        hint: choose another name, or remove it first
    "#]]
    .assert_eq(&stderr);
    assert_eq!(
        std::fs::read_to_string(thesis).unwrap(),
        "<html>mine</html>"
    );
    for _ in 0..2 {
        assert_eq!(
            outcome(report(&bench, &["-o", "ours.html"])).2,
            0,
            "ours may be replaced"
        );
    }
}

#[test]
fn a_pipe_is_neither_waited_for_nor_replaced() {
    let Some(bench) = bench() else { return };
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mkfifoat(rustix::fs::CWD, bench.path("pipe.html"), mode).unwrap();
    let (stdout, stderr, code) = outcome(report(&bench, &["-o", "pipe.html"]));
    assert_eq!((stdout.as_str(), code), ("", 2));
    expect![[r#"
        error: `pipe.html` is not a regular file

        hint: `-o -` writes to standard output
    "#]]
    .assert_eq(&stderr);
    let kind = std::fs::metadata(bench.path("pipe.html")).unwrap();
    assert!(kind.file_type().is_fifo());
}

#[test]
fn a_report_that_only_its_owner_may_read_stays_so() {
    let Some(bench) = bench() else { return };
    let path = bench.path("secret.html");
    assert_eq!(outcome(report(&bench, &["-o", "secret.html"])).2, 0);
    std::fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    std::fs::write(&path, "<meta name=\"generator\" content=\"stripewise 0\">").unwrap();
    assert_eq!(outcome(report(&bench, &["-o", "secret.html"])).2, 0);
    let html = std::fs::read_to_string(&path).unwrap();
    assert!(html.starts_with("<!doctype html>"));
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn what_cannot_be_reported_is_said() {
    let Some(bench) = bench() else { return };
    let (_, stderr, code) = outcome(report(&bench, &["9"]));
    assert_eq!(code, 2);
    assert!(stderr.contains("run 9"), "{stderr}");
    let (_, stderr, code) = outcome(report(&bench, &["-o", "nowhere/report.html"]));
    assert_eq!(code, 2);
    assert!(
        stderr.contains("failed to write `nowhere/report.html`"),
        "{stderr}"
    );
}

fn export(bench: &Bench, arguments: &[&str]) -> Command {
    let mut command = bench.command();
    command.arg("export").args(arguments);
    command
}

#[test]
fn every_figure_of_a_report_is_a_drawing_and_a_picture() {
    let Some(bench) = bench() else { return };
    let (names, stderr, code) = outcome(export(&bench, &["--list-figures"]));
    assert_eq!((stderr.as_str(), code), ("", 0));
    let names: Vec<&str> = names
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    for expected in [
        "curve-bandwidth_bytes_per_s",
        "waterfall",
        "latency",
        "members",
    ] {
        assert!(names.contains(&expected), "{names:?}");
    }
    for name in &names {
        let arguments = ["--figure", name, "--format", "svg", "--theme", "dark"];
        let (svg, stderr, code) = outcome(export(&bench, &arguments));
        assert_eq!((stderr.as_str(), code), ("", 0), "{name}");
        assert!(
            svg.starts_with("<svg role=\"img\"") && svg.contains("<title>"),
            "{name}"
        );
        assert!(!svg.contains("<script") && !svg.contains("<b>"), "{name}");
    }
    let (_, _, code) = outcome(export(&bench, &["-o", "figure.png", "--language", "de"]));
    assert_eq!(code, 0);
    let png = std::fs::read(bench.path("figure.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG"));
}

#[test]
fn a_figure_is_the_same_every_time_and_replaces_nothing_unasked() {
    let Some(bench) = bench() else { return };
    let again = || outcome(export(&bench, &["--format", "svg"])).0;
    assert_eq!(again(), again());
    bench.write("photo.png", "somebody's photo");
    let (_, stderr, code) = outcome(export(&bench, &["-o", "photo.png"]));
    assert_eq!(code, 2);
    expect![[r#"
        error: `photo.png` is there already and is not a file of this kind

        hint: choose another name, or replace it with `--overwrite`
    "#]]
    .assert_eq(&stderr);
    assert_eq!(
        std::fs::read_to_string(bench.path("photo.png")).unwrap(),
        "somebody's photo"
    );
    assert_eq!(
        outcome(export(&bench, &["-o", "photo.png", "--overwrite"])).2,
        0
    );
}

#[test]
fn a_figure_that_is_not_there_is_refused_with_those_that_are() {
    let Some(bench) = bench() else { return };
    let (_, stderr, code) = outcome(export(&bench, &["--format", "svg", "--figure", "pie"]));
    assert_eq!(code, 2);
    assert!(stderr.contains("no figure `pie`"), "{stderr}");
    assert!(stderr.contains("`--list-figures` names them"), "{stderr}");
    let (_, stderr, code) = outcome(export(&bench, &["--format", "png", "--width", "5"]));
    assert_eq!(code, 2);
    assert!(stderr.contains("width of 5 px is outside"), "{stderr}");
}
