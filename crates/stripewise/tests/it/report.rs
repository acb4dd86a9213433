//! Reports as files: complete or not at all, never over a foreign file, and with outside text
//! always escaped.
//!
//! The failure: a user sent the charts to a colleague as a screenshot, because the file loaded its
//! script from a server. The numbers behind them were lost, with the kernel and the command.

use expect_test::expect;
use serde_json::Value;
use stripewise_figure::{Figures, FrontEnd, Options, Theme};
use stripewise_report::html::{SCRIPTS, messages};

use crate::support::{Bench, share};

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
    bench.write("study.toml", STUDY);
    done(&bench, "run study.toml --world model --quiet");
    Some(bench)
}

/// Runs a command that must succeed, and returns what it prints.
fn done(bench: &Bench, arguments: &str) -> String {
    let done = bench.finish(bench.stored(arguments));
    let ended = (done.code, done.stderr.as_str());
    assert_eq!(ended, (Some(0), ""), "{arguments}");
    done.stdout
}

/// Runs a command that must be refused, and returns its errors.
fn refused(bench: &Bench, arguments: &str) -> String {
    let done = bench.finish(bench.stored(arguments));
    let ended = (done.code, done.stdout.as_str());
    assert_eq!(ended, (Some(2), ""), "{arguments}");
    done.stderr
}

fn data(html: &str) -> Value {
    let begin = html.find("id=\"page\">").unwrap() + "id=\"page\">".len();
    let end = begin + html[begin..].find("</script>").unwrap();
    serde_json::from_str(&html[begin..end]).unwrap()
}

#[test]
fn a_report_is_one_file_that_loads_nothing() {
    let Some(bench) = bench() else { return };
    assert_eq!(done(&bench, "report"), "stripewise-1.html\n");
    let html = std::fs::read_to_string(bench.path("stripewise-1.html")).unwrap();
    assert!(html.starts_with("<!doctype html>"));
    assert!(html.contains("default-src 'none'; script-src 'sha256-"));
    for outside in ["src=\"", "href=\"http", "@import", "url(http"] {
        assert!(!html.contains(outside), "the file asks for `{outside}`");
    }
    assert!(html.len() < 2 << 20, "{} bytes", html.len());
    // The front end's two scripts, its messages and the data, and none from the study.
    assert_eq!(
        html.matches("<script").count(),
        4 + html.matches("`<script").count()
    );
    let page = data(&html);
    assert_eq!(
        page["question"]["name"],
        "Which </script><script>alert(1)</script> chunk?"
    );
    assert_eq!(page["cells"].as_array().unwrap().len(), 4);
    assert_eq!(page["maps"][0]["members"].as_array().unwrap().len(), 4);
}

#[test]
fn a_report_agrees_with_show() {
    let Some(bench) = bench() else { return };
    let page = bench.json(bench.stored("report --json"));
    let shown = bench.json(bench.stored("show --json"));
    let [of_page, of_show] = [&page, &shown].map(|of| of["cells"].as_array().unwrap());
    assert_eq!(of_page.len(), 4);
    for (of_page, of_show) in of_page.iter().zip(of_show) {
        assert_eq!(of_page["estimates"], of_show["estimates"]);
        assert_eq!(of_page["bottleneck"], of_show["bottleneck"]);
        let words = |of: &Value| -> Vec<Value> {
            let verdicts = of["verdicts"].as_array().unwrap().iter();
            verdicts.map(|verdict| verdict["words"].clone()).collect()
        };
        assert_eq!(words(of_page), words(of_show));
    }
}

#[test]
fn runs_are_laid_over_one_another_in_the_language_that_is_asked_for() {
    let Some(bench) = bench() else { return };
    done(&bench, "run study.toml --world model --kernel 6.1 --quiet");
    let html = done(&bench, "report 1 latest 1 -o - --language de");
    assert!(html.contains("<html lang=\"de\" data-language=\"de\">"));
    let page = data(&html);
    let runs = page["runs"].as_array().unwrap().iter();
    let ids: Vec<&Value> = runs.map(|run| &run["id"]).collect();
    assert_eq!(ids, [1, 2]);
    assert_eq!(page["cells"].as_array().unwrap().len(), 8);
}

/// How files are written and replaced is tested in `src/output_file_tests.rs`.
#[test]
fn only_a_report_of_ours_is_replaced() {
    let Some(bench) = bench() else { return };
    let thesis = bench.write("thesis.html", "<html>mine</html>");
    expect![[r#"
        error: `thesis.html` already exists and is not a file of this kind

        hint: choose another name, or remove it first
    "#]]
    .assert_eq(&refused(&bench, "report -o thesis.html"));
    let kept = std::fs::read_to_string(thesis).unwrap();
    assert_eq!(kept, "<html>mine</html>");
    for _ in 0..2 {
        done(&bench, "report -o ours.html");
    }
    let unknown = refused(&bench, "report 9");
    assert!(unknown.contains("run 9"), "{unknown}");
    let nowhere = refused(&bench, "report -o nowhere/report.html");
    let said = "failed to write `nowhere/report.html`";
    assert!(nowhere.contains(said), "{nowhere}");
}

/// The crate `figure` tests the drawings; a process for each would load the front end again.
#[test]
fn every_figure_of_a_report_is_a_drawing_and_one_is_a_picture() {
    let Some(bench) = bench() else { return };
    let page = done(&bench, "report --json");
    let front_end = FrontEnd {
        scripts: &SCRIPTS,
        messages_json: messages(),
    };
    let figures = Figures::new(front_end, &page, "en").unwrap();
    let names: Vec<&str> = figures.list().iter().map(|one| one.id.as_str()).collect();
    let listed = done(&bench, "export --list-figures");
    let rows = listed.lines().skip(1);
    let first_words = rows.filter_map(|line| line.split(' ').next());
    assert_eq!(first_words.collect::<Vec<_>>(), names);
    for expected in [
        "curve-bandwidth_bytes_per_s",
        "waterfall",
        "latency",
        "members",
    ] {
        assert!(names.contains(&expected), "{names:?}");
    }
    let dark = Options {
        width_px: 960,
        height_px: None,
        theme: Theme::Dark,
    };
    for name in share("figures of a report", &names, 3) {
        let svg = figures.svg(name, &dark).unwrap();
        let is_drawing = svg.starts_with("<svg role=\"img\"") && svg.contains("<title>");
        assert!(is_drawing, "{name}");
        assert!(!svg.contains("<script") && !svg.contains("<b>"), "{name}");
    }
    let exported = done(
        &bench,
        "export --figure waterfall --format svg --theme dark",
    );
    assert_eq!(exported, figures.svg("waterfall", &dark).unwrap());
    bench.write("photo.png", "somebody's photo");
    expect![[r#"
        error: `photo.png` already exists and is not a file of this kind

        hint: choose another name, or replace it with `--replace`
    "#]]
    .assert_eq(&refused(
        &bench,
        "export --figure heat-iops --width 320 -o photo.png",
    ));
    let path = bench.path("photo.png");
    assert_eq!(std::fs::read(&path).unwrap(), b"somebody's photo");
    let replaced = "export --figure heat-iops --width 320 -o photo.png --replace";
    assert_eq!(done(&bench, replaced), "");
    assert!(std::fs::read(&path).unwrap().starts_with(b"\x89PNG"));
    let unknown = refused(&bench, "export --format svg --figure pie");
    assert!(unknown.contains("no figure `pie`"), "{unknown}");
    assert!(unknown.contains("`--list-figures` lists them"), "{unknown}");
    let narrow = refused(&bench, "export --format png --width 5");
    assert!(narrow.contains("width of 5 px is outside"), "{narrow}");
}

/// What a command says beside its data goes to standard error; in any other medium it is the answer.
#[test]
fn what_was_done_is_an_answer_in_any_medium() {
    let Some(bench) = bench() else { return };
    for (words, part) in [
        ("rename latest x --format markdown", "run 1 is `x`"),
        ("report --format markdown", "## Report of run 1\n"),
        ("report --output-format csv", "bandwidth_bytes_per_s"),
        ("restore --json", "\"steps\": []"),
        ("delete 1 --yes --format html", "<!doctype html>"),
    ] {
        let done = bench.finish(bench.stored(words));
        assert_eq!(done.code, Some(0), "{words}: {}", done.transcript());
        assert!(done.stdout.contains(part), "{words}: {}", done.transcript());
    }
    let done = bench.finish(bench.stored("restore"));
    assert_eq!(done.stdout, "", "{}", done.transcript());
    assert_eq!(done.stderr, "nothing was left behind\n");
}

/// The failure: `compare 1 OTHER-RUN`, `why run-1.toml --cell NUMBER`, and `resume 1 --budget TIME` of a run
/// that had nothing left to do.
#[test]
fn the_commands_of_pages_and_of_the_terminal_run_as_they_are() {
    let Some(bench) = bench() else { return };
    done(&bench, "run study.toml --world model --seed 7 --quiet");
    let mut commands: Vec<String> = Vec::new();
    for (runs, file) in [("1", "one.html"), ("1 2", "both.html")] {
        done(&bench, &format!("report {runs} --output {file}"));
        let page = data(&std::fs::read_to_string(bench.path(file)).unwrap());
        let runs = page["runs"].as_array().unwrap();
        let offered = runs
            .iter()
            .flat_map(|run| run["commands"].as_array().unwrap());
        commands.extend(offered.map(|one| one["command"].as_str().unwrap().to_owned()));
    }
    let shown = done(&bench, "show 1");
    let next = shown
        .lines()
        .filter_map(|line| line.strip_prefix("  stripewise "));
    commands.extend(next.map(|words| format!("stripewise {words}")));
    commands.sort();
    commands.dedup();
    for part in [
        "compare 1 ",
        "compare 1 2 ",
        "why run-1.toml ",
        "show 1 --json",
    ] {
        let is_offered = commands.iter().any(|one| one.contains(part));
        assert!(is_offered, "{part}: {commands:#?}");
    }
    std::fs::create_dir(bench.path("bin")).unwrap();
    let program = env!("CARGO_BIN_EXE_stripewise");
    std::os::unix::fs::symlink(program, bench.path("bin/stripewise")).unwrap();
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", bench.path("bin").display());
    for command in commands {
        let mut shell = bench.isolate(std::process::Command::new("sh"));
        shell.args(["-c", &command]).env("PATH", &path);
        let done = bench.finish(shell);
        assert_eq!(done.code, Some(0), "{command}: {}", done.transcript());
    }
}
