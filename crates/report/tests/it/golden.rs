//! A report that drops a unit, a sign or a warning misleads. The golden files keep the complete
//! output of a full run, for people and for programs, letter by letter.

use std::path::Path;

use expect_test::{ExpectFile, expect_file};
use stripewise_answer::{Block, Verdict};
use stripewise_catalogue::{Language, Message};
use stripewise_fixtures::{record, second, study, transfer};
use stripewise_fixtures_runs::{BEGAN_UNIX_NS, document_of, more_bytes_at_device, run_of};
use stripewise_report::comparison::Uncompared;
use stripewise_report::document::{Document, SCHEMA};
use stripewise_report::names::Names;
use stripewise_report::render::terminal;
use stripewise_report::run::blocks;
use stripewise_report::style::without_styles;
use stripewise_report::view::View;
use stripewise_results::world::{RunOrigin, WorldSpec};
use stripewise_results::{FactsRecord, ListedRun, Run, RunId, RunState, RunSummary, WarningRecord};
use stripewise_study::cell::Cell;
use stripewise_study::facts::{
    ArrayFacts, CpuFacts, DeviceFacts, Facts, MountFacts, PartitionFacts, TargetFacts,
};
use stripewise_study::sample::{
    CpuTime, DeviceDelta, Latency, Role, Sample, SampleRecord, Transfer,
};
use stripewise_study::warning::Warning;
use stripewise_units::{Bytes, Nanos};
use unicode_width::UnicodeWidthStr;

const STUDY: &str = r#"
question = "What does it cost to make each write durable?"
[stack.here]
filesystem = "existing"
[workload]
size = "256M"
pattern = "randwrite"
[workload.lazy]
block_size = ["8K", "64K"]
[workload.fsync]
block_size = ["8K", "64K"]
fsync = 1
[compare]
baseline = { workload = "lazy" }
"#;

/// Latencies around a time, with a mean of 1.6 times that time.
fn latency(count: u64, at: u64) -> Latency {
    stripewise_fixtures::latency(count, at, 1.6 * f64::from(u32::try_from(at).unwrap()))
}

/// A sample of a cell that does about `ios` I/Os of `block` bytes in a second.
fn sample(ios: u64, block: u64, syncs: u64, warnings: Vec<Warning>) -> Sample {
    let service = 1_000_000_000 / ios;
    Sample {
        started_unix_ns: Some(BEGAN_UNIX_NS),
        write: Transfer {
            latency: latency(ios, service / 2),
            ..transfer(ios, ios * block)
        },
        sync: if syncs > 0 {
            latency(syncs, service * 9 / 10)
        } else {
            Latency::default()
        },
        cpu: Some(CpuTime {
            user_ns: Nanos::from_millis(30),
            system_ns: Nanos::from_millis(120),
        }),
        devices: vec![DeviceDelta {
            device: "sda".into(),
            writes: ios,
            write_bytes: Bytes::new(ios * block),
            flushes: Some(syncs),
            ..DeviceDelta::default()
        }],
        warnings,
        ..second()
    }
}

fn samples() -> Vec<SampleRecord> {
    let cells = [
        (20_000, 8192, 0),
        (9_000, 65_536, 0),
        (300, 8192, 300),
        (290, 65_536, 290),
    ];
    let wobble = [0, 12, 5, 9, 3, 14, 7, 11];
    let mut records = Vec::new();
    for (block, wobble) in (0_u32..).zip(wobble) {
        for (cell, (ios, size, syncs)) in cells.into_iter().enumerate() {
            let mut warnings = Vec::new();
            if cell == 1 && block == 3 {
                warnings.push(more_bytes_at_device());
            }
            // The budget ended the last cell early, and it is noisy.
            if cell == 3 && block > 4 {
                continue;
            }
            let noise = if cell == 3 { wobble * 8 } else { wobble };
            let ios = ios + ios * noise / 1000;
            records.push(SampleRecord {
                role: if block == 0 {
                    Role::WarmUp
                } else {
                    Role::Counted
                },
                seed: Some(u64::from(block) * 10 + u64::try_from(cell).unwrap()),
                ..record(cell, block, sample(ios, size, syncs, warnings))
            });
        }
    }
    records
}

fn facts() -> Facts {
    Facts {
        kernel: Some("6.1.0-18-amd64".into()),
        os: Some("Debian GNU/Linux 12 (bookworm)".into()),
        board: Some("ASUS Z170-A".into()),
        cpu: CpuFacts {
            model: Some("Intel(R) Core(TM) i7-6700K CPU @ 4.00GHz".into()),
            logical_count: Some(8),
            governor: Some("powersave".into()),
            frequency_driver: Some("intel_pstate".into()),
            energy_preference: Some("balance_performance".into()),
            frequency_max_khz: Some(4_200_000),
        },
        memory_bytes: Some(Bytes::new(32 << 30)),
        devices: vec![
            DeviceFacts {
                name: "sda".into(),
                model: Some("Samsung SSD 850 EVO 500GB".into()),
                size_bytes: Some(Bytes::new(500_107_862_016)),
                rotational: Some(false),
                scheduler: Some("mq-deadline".into()),
                write_cache: Some("write back".into()),
                queue_depth: Some(32),
                partitions: ["sda1", "sda2"]
                    .map(|name| PartitionFacts {
                        name: name.into(),
                        size_bytes: Some(Bytes::new(250_000_000_000)),
                    })
                    .into(),
                ..DeviceFacts::default()
            },
            DeviceFacts {
                name: "sdb\u{1b}[31m".into(),
                model: Some("Samsung SSD 850 EVO 500GB".into()),
                size_bytes: Some(Bytes::new(500_107_862_016)),
                rotational: Some(false),
                partitions: vec![PartitionFacts {
                    name: "sdb1".into(),
                    size_bytes: Some(Bytes::new(500_000_000_000)),
                }],
                ..DeviceFacts::default()
            },
            DeviceFacts {
                name: "sdc".into(),
                model: Some("HGST HUS724040ALA640".into()),
                size_bytes: Some(Bytes::new(4_000_787_030_016)),
                rotational: Some(true),
                ..DeviceFacts::default()
            },
            DeviceFacts {
                name: "md0".into(),
                size_bytes: Some(Bytes::new(499_000_000_000)),
                members: vec!["sda2".into(), "sdb1".into()],
                ..DeviceFacts::default()
            },
            DeviceFacts {
                name: "dm-0".into(),
                size_bytes: Some(Bytes::new(400_000_000_000)),
                members: vec!["md0".into()],
                mapper: Some("lvm".into()),
                mapper_name: Some("vg0-data".into()),
                ..DeviceFacts::default()
            },
        ],
        arrays: vec![ArrayFacts {
            name: "md0".into(),
            level: Some("raid1".into()),
            member_count: Some(2),
            degraded_count: Some(1),
            ..ArrayFacts::default()
        }],
        mounts: vec![
            MountFacts {
                mount_point: "/".into(),
                filesystem: "ext4".into(),
                devices: vec!["sda1".into()],
            },
            MountFacts {
                mount_point: "/srv".into(),
                filesystem: "ext4".into(),
                devices: vec!["dm-0".into()],
            },
        ],
        target: Some(TargetFacts {
            path: "/srv/test".into(),
            mount_point: Some("/srv".into()),
            devices: vec!["dm-0".into()],
            filesystem: Some("ext4".into()),
            source: Some("/dev/mapper/vg0-data".into()),
            options: vec!["rw".into(), "relatime".into()],
            free_bytes: Some(Bytes::new(100 << 30)),
            disks: vec!["sda".into(), "sdb".into()],
            ..TargetFacts::default()
        }),
        tools: [("fio".to_owned(), "fio-3.33".to_owned())].into(),
        ..Facts::default()
    }
}

fn run() -> Run {
    Run {
        world: Some(WorldSpec::Files {
            target: "/srv/test".into(),
        }),
        options: serde_json::json!({ "budget_ns": null }),
        facts: vec![FactsRecord {
            taken_unix_ns: BEGAN_UNIX_NS,
            facts: facts(),
        }],
        warnings: vec![WarningRecord {
            cell: None,
            warning: Warning::ArrayDegraded {
                array: "md0".into(),
                missing_count: 1,
            },
        }],
        ..run_of(7, "sync", STUDY, samples())
    }
}

fn document() -> Document {
    document_of(&run())
}

fn check(expected: ExpectFile, text: &str) {
    expected.assert_eq(&without_styles(text));
}

/// A terminal of the usual width.
fn usual() -> View {
    View::drawn(80)
}

/// The same for a German reader.
fn german() -> View {
    usual().in_language(Language::German)
}

/// Checks that no line is wider than the view, except commands to copy.
pub(crate) fn check_width(view: View, text: &str) {
    let Some(columns) = view.columns() else {
        return;
    };
    let text = without_styles(text);
    for line in text
        .lines()
        .filter(|line| !line.starts_with("  stripewise"))
    {
        assert!(line.width() <= columns, "wider than {columns}: {line}");
    }
}

#[test]
fn a_run_for_terminals_of_any_width_and_in_sentences() {
    let document = document();
    for (view, expected) in [
        (View::drawn(60), expect_file!["../golden/run-60.txt"]),
        (usual(), expect_file!["../golden/run.txt"]),
        (View::drawn(120), expect_file!["../golden/run-120.txt"]),
        (View::PLAIN, expect_file!["../golden/run-plain.txt"]),
        (german(), expect_file!["../golden/run-de.txt"]),
    ] {
        let text = terminal(&blocks(&document, " --store runs.db", true), view);
        check(expected, &text);
        check_width(view, &text);
    }
    for columns in 40..=140 {
        for language in Language::ALL {
            let view = View::drawn(columns).in_language(language);
            let text = terminal(&blocks(&document, "", true), view);
            check_width(view, &text);
        }
    }
}

/// Jobs of three cells failed with two errors; only the first was named.
#[test]
fn an_error_stands_only_for_cells_with_the_same() {
    let mut run = run();
    let errors = [
        (28, "disk full", "j1"),
        (5, "read error", "j1"),
        (28, "disk full", "j2"),
    ];
    run.warnings = (0..)
        .zip(errors)
        .map(|(cell, (errno, text, job))| WarningRecord {
            cell: Some(cell),
            warning: Warning::JobFailed {
                job: job.to_owned(),
                errno,
                text: Some(text.to_owned()),
            },
        })
        .collect();
    let blocks = blocks(&document_of(&run), "", true);
    let text = without_styles(&terminal(&blocks, View::PLAIN));
    assert_eq!(text.matches("error 28 (disk full)").count(), 1, "{text}");
    assert_eq!(text.matches("error 5 (read error)").count(), 1, "{text}");
    assert!(text.contains("also, with other numbers, at "), "{text}");
    // Who opens it sees what each cell said.
    let all = without_styles(&terminal(&Block::unfolded(&blocks), View::PLAIN));
    assert_eq!(all.matches("error 28 (disk full)").count(), 3, "{all}");
}

#[test]
fn hostile_names_stay_text_and_fit() {
    let mut run = run();
    let hostile = format!("<b>\u{202e}{}\u{1b}[2J\n", "字".repeat(10_000));
    run.summary.question = Some(hostile.clone());
    for cell in &mut run.cells {
        let name = cell.workload.name.take().unwrap_or_default();
        cell.workload.name = Some(format!("{name}{hostile}"));
    }
    let document = document_of(&run);
    for view in [usual(), View::drawn(40), View::PLAIN] {
        let text = terminal(&blocks(&document, "", true), view);
        check_width(view, &text);
        let text = without_styles(&text);
        assert!(text.contains("<b>"), "text stays text");
        let is_foreign = |c: char| c == '\u{202e}' || (c.is_control() && c != '\n');
        assert!(!text.contains(is_foreign));
    }
}

#[test]
fn plain_text_has_no_charts_and_no_alignment() {
    let comparison = comparison();
    let texts = [
        terminal(&blocks(&document(), "", true), View::PLAIN),
        terminal(&stripewise_report::facts::facts(&facts()), View::PLAIN),
        terminal(&comparison.blocks("", true, None), View::PLAIN),
    ];
    for text in texts {
        let text = without_styles(&text);
        for line in text
            .lines()
            .filter(|line| !line.starts_with("  stripewise"))
        {
            let is_drawn = |c: char| ('\u{2500}'..='\u{259f}').contains(&c) || "·…│".contains(c);
            assert!(!line.contains(is_drawn), "{line}");
            assert!(!line.contains("  "), "{line}");
        }
    }
}

#[test]
fn a_drift_is_shown_sample_by_sample() {
    let mut run = run();
    for record in &mut run.samples {
        let lost = u64::from(record.block) * record.sample.write.bytes.as_u64() / 12;
        let bytes = record.sample.write.bytes.as_u64() - lost;
        record.sample.write.bytes = Bytes::new(bytes);
    }
    let document = document_of(&run);
    let text = terminal(&blocks(&document, "", true), usual());
    assert!(
        text.contains("in the order of time: █▇▆▅▅▄▃  first 145, last 65.8 MiB/s"),
        "{text}"
    );
    let text = terminal(&blocks(&document, "", true), View::PLAIN);
    assert!(text.contains("in the order of time: 145; "), "{text}");
}

#[test]
fn an_unfinished_run_is_reported_as_such() {
    let mut run = run();
    run.summary.state = RunState::Interrupted;
    let document = document_of(&run);
    let text = terminal(&blocks(&document, "", true), usual());
    assert!(
        text.contains("this run was interrupted: `stripewise resume 7` continues it"),
        "{text}"
    );
}

#[test]
fn a_run_that_was_imported_has_no_seed_and_no_more_samples_to_take() {
    let mut run = run();
    let mut text = |world: &str| {
        run.summary.origin = RunOrigin::from(world);
        run.summary.state = RunState::Interrupted;
        terminal(&blocks(&document_of(&run), "", true), View::PLAIN)
    };
    let metal = text("metal");
    for said in [
        "seed 42",
        "`stripewise resume 7` continues it",
        "stripewise resume 7 --budget",
        "more time narrows its interval",
    ] {
        assert!(metal.contains(said), "{said}: {metal}");
        assert!(!text("fio-import").contains(said), "{said}");
    }
    let together = "import the files of repeated runs together";
    assert!(text("fio-import").contains(together));
}

#[test]
fn a_run_as_json() {
    let document = document();
    let mut json = serde_json::to_value(&document).unwrap();
    assert_eq!(json["schema"], SCHEMA);
    // One sample is enough to see its form.
    for cell in json["cells"].as_array_mut().unwrap() {
        cell["samples"].as_array_mut().unwrap().truncate(1);
    }
    check(
        expect_file!["../golden/run.json"],
        &(serde_json::to_string_pretty(&json).unwrap() + "\n"),
    );
}

#[test]
fn the_list_of_runs() {
    let mut second = run().summary;
    second.id = RunId(12);
    second.state = RunState::Interrupted;
    second.ended_unix_ns = None;
    second.question = None;
    let mut third = run().summary;
    third.id = RunId(13);
    let listed = |summary: RunSummary, cells_without_samples| ListedRun {
        executed_ns: summary
            .ended_unix_ns
            .map(|ended| ended - summary.started_unix_ns),
        cells_without_samples,
        summary,
    };
    let runs = [
        listed(run().summary, 0),
        listed(second, 2),
        listed(third, 5),
    ];
    let table = stripewise_report::list::list(&runs, &jiff::tz::TimeZone::UTC);
    let list = |view| terminal(&[table.clone().into()], view);
    check(expect_file!["../golden/list.txt"], &list(usual()));
    check(expect_file!["../golden/list-plain.txt"], &list(View::PLAIN));
    check(expect_file!["../golden/list-de.txt"], &list(german()));
    for columns in [40, 60, 80, 120] {
        for language in Language::ALL {
            let view = View::drawn(columns).in_language(language);
            check_width(view, &list(view));
        }
    }
}

#[test]
fn the_facts_of_a_machine() {
    for (view, expected) in [
        (View::drawn(60), expect_file!["../golden/facts-60.txt"]),
        (usual(), expect_file!["../golden/facts.txt"]),
        (View::drawn(120), expect_file!["../golden/facts-120.txt"]),
        (View::PLAIN, expect_file!["../golden/facts-plain.txt"]),
    ] {
        let text = terminal(&stripewise_report::facts::facts(&facts()), view);
        check(expected, &text);
        check_width(view, &text);
    }
    let text = terminal(&stripewise_report::facts::facts(&facts()), german());
    for line in [
        "Hauptplatine     ASUS Z170-A",
        "Hypervisor       keiner erkannt",
        "Governor         powersave, Energievorgabe balance_performance, Treiber",
        "Dateisystem      ext4 auf /dev/mapper/vg0-data",
        "Kompression      keine in den Optionen",
    ] {
        assert!(without_styles(&text).contains(line), "{line}: {text}");
    }
    let unknown = terminal(&stripewise_report::facts::facts(&Facts::default()), usual());
    assert!(unknown.contains("unknown"), "unknown facts are listed, too");
}

#[test]
fn the_plan_of_a_study() {
    let study = study(STUDY);
    let plan = stripewise_report::plan::Plan {
        schema: SCHEMA,
        question: study.question.as_deref(),
        time_s_min: 89.6,
        time_s_max: 397.0,
        files_bytes: 256 << 20,
        files_count: 1,
        obstacle: None,
        target: Some(Path::new("/srv/test")),
        model_obstacle: None,
        lab_obstacle: None,
        lab_time: Some(stripewise_report::plan::LabTime {
            time_s_min: 240.0,
            time_s_max: 1800.0,
            real_s_per_s: 6.25,
            samples: 42,
        }),
        cells: &study.cells,
    };
    for (view, expected) in [
        (usual(), expect_file!["../golden/plan.txt"]),
        (
            usual().in_language(stripewise_catalogue::Language::German),
            expect_file!["../golden/plan-de.txt"],
        ),
        (View::PLAIN, expect_file!["../golden/plan-plain.txt"]),
    ] {
        let text = terminal(&plan.blocks(&study), view);
        check(expected, &text);
        check_width(view, &text);
    }
}

fn comparison() -> stripewise_report::comparison::Comparison {
    let document = document();
    let names = document.names();
    let rows = document
        .cells
        .iter()
        .filter(|cell| !cell.verdicts.is_empty())
        .map(|cell| stripewise_report::comparison::ComparedCells {
            cell: names.argument(&cell.cell()),
            values: names
                .axes
                .iter()
                .map(|axis| (*axis, cell.cell().value(*axis)))
                .collect(),
            baseline: cell.estimates["bandwidth_bytes_per_s"],
            other: cell.estimates["bandwidth_bytes_per_s"],
            verdict: cell.verdicts[0].clone(),
        });
    let rows: Vec<_> = rows.collect();
    let metric = stripewise_study::metric::Metric::Bandwidth;
    let verdicts = rows
        .iter()
        .enumerate()
        .map(|(row, one)| (row, &one.verdict));
    stripewise_report::comparison::Comparison {
        counts: stripewise_report::before_after::BeforeAfter::of(verdicts, metric),
        shared: names.shared(&document.cells[0].cell()),
        axes: names.axes.clone(),
        schema: SCHEMA,
        baseline_run: RunId(7),
        other_run: RunId(8),
        metric,
        matched: None,
        state: None,
        changed_facts: vec![
            Message::new("changed-fact")
                .with("fact", Message::new("changed-cpu-governor"))
                .name("before", "performance")
                .name("now", "powersave"),
        ],
        rows,
        without_answer: vec![uncompared(
            &document.cells[1].cell(),
            &names,
            Message::new("compare-samples")
                .digits("before", 0)
                .digits("after", 6)
                .with("metric", metric.message()),
        )],
        unmatched: vec![uncompared(
            &document.cells[0].cell(),
            &names,
            Message::new("compare-only-in-run").name("run", 8),
        )],
        known: Vec::new(),
    }
}

fn uncompared(cell: &Cell, names: &Names, why: Message) -> Uncompared {
    let words = Message::new("compare-uncompared").with("cell", names.argument(cell));
    let axes = names.axes.iter();
    Uncompared {
        words: words.with("why", why.clone()),
        why,
        values: axes.map(|axis| (*axis, cell.value(*axis))).collect(),
        estimates: [None, None],
    }
}

#[test]
fn two_runs_compared() {
    let comparison = comparison();
    for (view, expected) in [
        (View::drawn(60), expect_file!["../golden/comparison-60.txt"]),
        (usual(), expect_file!["../golden/comparison.txt"]),
        (View::PLAIN, expect_file!["../golden/comparison-plain.txt"]),
        (german(), expect_file!["../golden/comparison-de.txt"]),
    ] {
        let text = terminal(&comparison.blocks("", true, None), view);
        check(expected, &text);
        check_width(view, &text);
    }
    for columns in 40..=140 {
        let view = View::drawn(columns).in_language(Language::German);
        let text = terminal(&comparison.blocks("", true, None), view);
        check_width(view, &text);
    }
    assert!(
        comparison.has_regression(0.5),
        "fsync is slower by far more than half"
    );
    assert!(!comparison.has_regression(0.999));
    let verdicts = |limit: Option<f64>| -> Vec<Verdict> {
        let blocks = comparison.blocks("", true, limit);
        let [table] = Block::tables(&blocks)[..] else {
            panic!("{blocks:?}")
        };
        let at = table.verdicts().unwrap();
        let rows = table.rows.iter();
        rows.filter_map(|row| row.cells[at].verdict).collect()
    };
    // As the exit code: without a limit nothing fails. Cells without a comparison are there, too.
    let [worse, undecided, lacking, only] = verdicts(Some(0.5))[..] else {
        panic!("{:?}", verdicts(None))
    };
    assert_eq!(
        [worse, undecided, lacking, only],
        [
            Verdict::Fail,
            Verdict::NotJudged,
            Verdict::NotJudged,
            Verdict::NotJudged
        ]
    );
    assert_eq!(verdicts(None)[0], Verdict::NotJudged);
    assert_eq!(verdicts(Some(0.999))[0], Verdict::Pass);
}
