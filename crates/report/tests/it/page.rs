//! A page that disagrees with the terminal, or whose data the front end does not understand,
//! misleads. These tests write a small page, which the front end's compiler checks against the
//! types generated from ours, and the words of every warning, finding and verdict, which its
//! English messages must match.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use expect_test::expect_file;
use serde_json::{Value, json};
use stripewise_catalogue::{Language, Message, Words};
use stripewise_diagnose::cause::Cause;
use stripewise_diagnose::changes::Change;
use stripewise_diagnose::why::{Bottleneck, Finding, ReadRule, Resource};
use stripewise_fixtures::{cells, record};
use stripewise_fixtures_runs::{BEGAN_UNIX_NS, asked_of, run_of};
use stripewise_profiles::Profiles;
use stripewise_profiles::kernel::{Raid1ReadBalance, Raid10ReadBalance};
use stripewise_report::document::ModelPart;
use stripewise_report::page::{Cell, Input, Page};
use stripewise_results::Run;
use stripewise_sim::engine::Limits;
use stripewise_sim::world::Model;
use stripewise_stats::{Better, Forecast, Verdict, message};
use stripewise_study::cell::Axis;
use stripewise_study::import_note::ImportNote;
use stripewise_study::metric::Metric;
use stripewise_study::sample::{Part, SampleRecord};
use stripewise_study::stack::Level;
use stripewise_study::warning::{AlignmentUnit, Changing, Direction, FailureStep, Warning};
use stripewise_study::world::NeverCancel;
use stripewise_study::world::WorldName;
use stripewise_units::kernel::KernelVersion;
use stripewise_units::{Bytes, Nanos};

use crate::ratios;
use crate::support::points_missed;

const STUDY: &str = r#"
question = "Which chunk for <four> disks?"
kernel = "4.1"
[stack.one]
devices = { "samsung-850-evo-500" = 1 }
filesystem = "none"
[stack.small]
devices = { "samsung-850-evo-500" = 4 }
array = { level = "raid10", layout = "n2", chunk = "16K" }
filesystem = "none"
[stack.large]
devices = { "samsung-850-evo-500" = 4 }
array = { level = "raid10", layout = "n2", chunk = "512K" }
filesystem = "none"
[workload]
pattern = ["randread", "randwrite"]
block_size = ["16K", "64K"]
size = "64M"
[compare]
baseline = { stack = "small" }
"#;

pub(crate) fn model() -> Model {
    Model {
        limits: Limits {
            duration: Nanos::from_millis(200),
            half_width: 0.05,
            ios_max: 20_000,
            ..Limits::DEFAULT
        },
        ..Model::new(Profiles::shipped(), KernelVersion::new(4, 1, 0))
    }
}

/// A run of the model, and a measured one with the same values except for a sample that does not
/// count.
fn runs(model: &Model) -> [Run; 2] {
    let cells = cells(STUDY);
    let mut samples = Vec::new();
    for block in 0..6_u32 {
        for (cell, stack) in cells.iter().enumerate() {
            let seed = u64::from(block) * 100 + u64::try_from(cell).unwrap();
            let mut sample = model.simulate(stack, seed, &mut NeverCancel).unwrap();
            sample.started_unix_ns = Some(BEGAN_UNIX_NS + seed * 1_000_000);
            samples.push(SampleRecord {
                seed: Some(seed),
                ..record(cell, block, sample)
            });
        }
    }
    let mut measured = samples.clone();
    for record in &mut measured {
        record.sample.breakdown = None;
        if record.block == 2 && record.cell == 1 {
            record.sample.warnings = vec![Warning::ShortRun {
                asked_ns: Nanos::from_millis(2000),
                elapsed_ns: Nanos::from_millis(500),
            }];
        }
    }
    let mut simulated = run_of(3, "chunks", STUDY, samples);
    simulated.summary.origin = WorldName::Model.into();
    [simulated, run_of(4, "chunks", STUDY, measured)]
}

fn page() -> Page {
    let model = model();
    let runs = runs(&model);
    let mut asked = runs.each_ref().map(asked_of);
    let devices = vec!["samsung-850-evo-500".into()];
    asked[0].model = Some(ModelPart::new(model.kernel, "default".into(), devices));
    Page::new(&[
        Input {
            run: &runs[0],
            asked: &asked[0],
            model: Some(&model),
            fresh: None,
            store_option: "",
        },
        Input {
            run: &runs[1],
            asked: &asked[1],
            model: None,
            fresh: None,
            store_option: " --store my.db",
        },
    ])
    .unwrap()
}

#[test]
fn the_golden_page_is_what_the_front_end_checks() {
    let text = serde_json::to_string_pretty(&thinned(page())).unwrap();
    let golden = expect_file!["../../../../web/tests/golden/page.ts"];
    golden.assert_eq(&format!(
        "// Written by crates/report/tests/it/page.rs: UPDATE_EXPECT=1 cargo test -p stripewise-report\n\
         import type {{ Page }} from \"../../src/generated\";\n\n\
         export const page = {} satisfies Page;\n",
        in_long_lines(&text)
    ));
}

/// Returns a page with the details of two cells only: a simulated array, and a measured one with a
/// sample that does not count.
fn thinned(mut page: Page) -> Page {
    let detailed = [(0, 9), (1, 2)];
    let is_thin = |cell: &&mut Cell| !detailed.contains(&(cell.run, cell.number));
    for cell in page.cells.iter_mut().filter(is_thin) {
        cell.samples.clear();
        cell.latency = None;
        cell.members.clear();
        cell.breakdown = None;
        cell.findings.clear();
        for verdict in &mut cell.verdicts {
            verdict.pairs.clear();
        }
    }
    page
}

/// Returns indented JSON with one line per list entry, however long.
pub(crate) fn in_long_lines(pretty: &str) -> String {
    let mut text = String::new();
    for line in pretty.lines() {
        let inner = line.trim_start();
        let indent = line.len() - inner.len();
        match indent > 4 || (indent == 4 && inner.starts_with(['}', ']'])) {
            true => text.push_str(&format!(" {inner}")),
            false if text.is_empty() => text.push_str(line),
            false => text.push_str(&format!("\n{line}")),
        }
    }
    text
}

#[test]
fn a_cell_says_what_its_disks_wrote_for_each_byte() {
    let page = page();
    let cell = |stack: &str| {
        let of_stack = |cell: &&Cell| cell.stack == stack && cell.values[1] == "randwrite";
        page.cells.iter().find(of_stack).unwrap()
    };
    // Two copies; one disk adds nothing, so there is nothing to say.
    let said = cell("large")
        .moved
        .iter()
        .map(|said| said.in_language(Language::English));
    assert_eq!(
        said.collect::<Vec<_>>(),
        [
            "The disks wrote 2.00 bytes for each byte that the load wrote: the layers above them \
             add copies, parity, journals or trees."
        ]
    );
    assert!(cell("one").moved.is_empty());
}

#[test]
fn no_runs_make_no_page() {
    assert!(Page::new(&[]).is_none());
}

#[test]
fn a_page_answers_by_pattern_and_its_verdicts_refer_to_cells_of_their_own_run() {
    let page = serde_json::to_value(page()).unwrap();
    let claims = page["answer"].as_array().unwrap();
    let wins: Vec<(&str, &str)> = claims
        .iter()
        .filter(|claim| claim["claim"] == "wins")
        .map(|claim| {
            (
                claim["panel"].as_str().unwrap(),
                claim["value"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(wins[0].0, "randread");
    // The long run of random writes is that of the drives, whatever the chunk.
    assert!(wins.iter().all(|win| win.0 != "randwrite"), "{wins:?}");
    // The second run's samples are the first one's, except one that does not count.
    let off = claims.iter().find(|claim| claim["claim"] == "off").unwrap();
    assert_eq!(
        (off["run"].as_u64(), off["reference"].as_u64()),
        (Some(0), Some(1))
    );
    assert!(off["mean_share"].as_f64().unwrap() < 0.01, "{off}");
    assert!(claims.iter().all(|claim| claim["claim"] != "gives"));

    let cells = page["cells"].as_array().unwrap();
    let mut seen = 0;
    for cell in cells {
        for verdict in cell["verdicts"].as_array().unwrap() {
            let baseline = usize::try_from(verdict["baseline"].as_u64().unwrap()).unwrap();
            assert_eq!(cells[baseline]["run"], cell["run"]);
            assert_eq!(cells[baseline]["stack"], "small");
            for axis in [1, 2] {
                assert_eq!(cells[baseline]["values"][axis], cell["values"][axis]);
            }
            assert!(!verdict["pairs"].as_array().unwrap().is_empty());
            seen += 1;
        }
    }
    assert_eq!(seen, 16, "two stacks against one, four loads, two runs");
}

/// Every message that the page can get, in both languages: the front end renders each, and must come to
/// the same words. A few names of axes stand for all.
#[test]
fn the_front_end_gets_the_words_of_every_kind() {
    let warnings = warnings();
    let hints = warnings.iter().filter_map(Warning::hint);
    let mut all: Vec<Message> = warnings.iter().map(Warning::message).chain(hints).collect();
    all.extend(findings());
    all.extend(
        bottlenecks()
            .iter()
            .flat_map(|one| [one.sentence(), one.short(), one.name()]),
    );
    all.extend(verdicts());
    all.extend(changes().iter().map(Change::message));
    all.extend(Part::ALL.map(Part::message));
    all.extend(Metric::ALL.map(Metric::message));
    all.extend([Axis::Stack, Axis::BlockSize, Axis::Fsync].map(Axis::message));
    all.extend(page().answer.into_iter().map(|answer| answer.sentence));
    let mut lines: Vec<Value> = all
        .iter()
        .map(|message| {
            let [english, german] = Language::ALL.map(|language| message.in_language(language));
            json!({ "message": message, "english": english, "german": german })
        })
        .collect();
    lines.extend(ratios::differences());
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    let golden = expect_file!["../../../../web/tests/golden/words.json"];
    golden.assert_eq(&format!("[\n{}\n]\n", lines.join(",\n")));
}

/// Every kind of warning; a new one does not compile until it is listed.
fn warnings() -> Vec<Warning> {
    let mut all = vec![
        Warning::CompressibleData {
            compression: "zstd:3".into(),
            data: "zeros".into(),
        },
        Warning::FileFitsInMemory {
            files_bytes: Bytes::new(256 << 20),
            memory_bytes: Bytes::new(32 << 30),
        },
        Warning::DepthIgnored {
            engine: "libaio".into(),
            depth: 32,
        },
        Warning::WritesThrottled {
            device: "slow".into(),
            read_ns: Nanos::from_millis(3),
            limit_ns: Nanos::from_millis(2),
        },
        Warning::BudgetTooSmall {
            budget_ns: Nanos::from_millis(60_000),
            needed_ns: Nanos::from_millis(95_000),
        },
        Warning::BudgetEnded {
            cells: 12,
            cells_empty: 5,
            cells_short: 3,
            at_least: 6,
        },
        Warning::ArrayBusy {
            array: "md0".into(),
            action: "resync".into(),
        },
        Warning::ArrayDegraded {
            array: "md0".into(),
            missing_count: 1,
        },
        Warning::FewerBytesAtDevice {
            direction: Direction::Read,
            asked_bytes: Bytes::new(500 << 20),
            device_bytes: Bytes::new(20 << 20),
            asked_for: false,
        },
        Warning::DataShrunk {
            direction: Direction::Write,
            share: 0.5,
            asked_bytes_per_s: 1e9,
            moved_bytes_per_s: 5e8,
        },
        Warning::MoreBytesAtDevice {
            direction: Direction::Write,
            asked_bytes: Bytes::new(500 << 20),
            device_bytes: Bytes::new(700 << 20),
            process: Some("dd (pid 123)".into()),
        },
        Warning::MoreBytesAtDevice {
            direction: Direction::Write,
            asked_bytes: Bytes::new(500 << 20),
            device_bytes: Bytes::new(700 << 20),
            process: None,
        },
        Warning::DisksUnknown {
            filesystem: "zfs".into(),
        },
        misaligned(AlignmentUnit::PhysicalBlock, 4096),
        misaligned(AlignmentUnit::OptimalIo, 65536),
        misaligned(AlignmentUnit::Chunk, 524_288),
        Warning::ShortRun {
            asked_ns: Nanos::from_millis(2000),
            elapsed_ns: Nanos::from_millis(500),
        },
        Warning::FrequencyFell {
            before_khz: 4_200_000,
            after_khz: 3_100_000,
        },
        Warning::Throttled { count: 3 },
        Warning::FirstSampleUnlike {
            metric: Metric::Bandwidth,
            first: 500e6,
            median_of_rest: 400e6,
        },
        Warning::Drift {
            metric: Metric::Bandwidth,
            relative_change: -0.33,
            p_value: 0.002,
        },
        Warning::Drift {
            metric: Metric::LatencyP99,
            relative_change: 0.12,
            p_value: 0.03,
        },
        Warning::Autocorrelated {
            metric: Metric::Iops,
            lag1: 0.71,
            samples: 8,
            effective_samples: 1.3,
        },
        Warning::NotSteady { rounds: 25 },
        Warning::JobFailed {
            job: "job0".into(),
            errno: 28,
            text: None,
        },
        Warning::JobFailed {
            job: "job0".into(),
            errno: 42,
            text: Some(String::new()),
        },
        Warning::NoHistogram,
        Warning::Unreadable,
        Warning::DataDiffers { array: None },
        Warning::DataDiffers {
            array: Some("md127".into()),
        },
        Warning::RiskNotMeasured,
        Warning::NotVerified {
            world: "model".into(),
        },
        Warning::DiskStoreFull {
            device: "swd1".into(),
            failed_count: 0,
            waits_count: 12,
        },
        Warning::LateCompletion {
            device: "swd0".into(),
            service_ns: Nanos::new(12_000),
            late_ns: Nanos::new(1_500),
        },
        Warning::GuestCoreFull {
            busy_share: 0.997,
            generator_share: Some(0.99),
        },
        Warning::GuestCoreFull {
            busy_share: 0.95,
            generator_share: None,
        },
        Warning::ArrayLostMembers {
            array: "md0".into(),
            missing_count: 2,
        },
        unfinished(FailureStep::Fail),
        unfinished(FailureStep::Remove),
        unfinished(FailureStep::ReAdd),
        Warning::SimulationCutShort { ios: 12 },
        changing(Changing::Throughput),
        changing(Changing::WriteCache),
        changing(Changing::FastArea),
        changing(Changing::FlashBlocks),
        changing(Changing::PageCache),
        changing(Changing::Bitmap),
        points_missed(None, 1.142),
        points_missed(Some("here".into()), 0.52),
    ];
    let imported = import_notes().into_iter();
    all.extend(imported.map(|note| Warning::Imported { note }));
    all.extend(crate::host_findings::host_findings());
    let kinds: BTreeSet<u32> = all.iter().map(listed).collect();
    assert_eq!(
        kinds.into_iter().collect::<Vec<_>>(),
        (0..36).collect::<Vec<_>>()
    );
    all
}

const fn listed(warning: &Warning) -> u32 {
    match warning {
        Warning::CompressibleData { .. } => 0,
        Warning::FileFitsInMemory { .. } => 1,
        Warning::DepthIgnored { .. } => 2,
        Warning::BudgetTooSmall { .. } => 3,
        Warning::ArrayBusy { .. } => 4,
        Warning::ArrayDegraded { .. } => 5,
        Warning::FewerBytesAtDevice { .. } => 6,
        Warning::MoreBytesAtDevice { .. } => 7,
        Warning::DisksUnknown { .. } => 8,
        Warning::ShortRun { .. } => 9,
        Warning::FrequencyFell { .. } => 10,
        Warning::Throttled { .. } => 11,
        Warning::FirstSampleUnlike { .. } => 12,
        Warning::Drift { .. } => 13,
        Warning::Autocorrelated { .. } => 14,
        Warning::NotSteady { .. } => 15,
        Warning::JobFailed { .. } => 16,
        Warning::Imported { .. } => 17,
        Warning::NoHistogram => 18,
        Warning::PartitionMisaligned { .. } => 19,
        Warning::DataDiffers { .. } => 20,
        Warning::NotVerified { .. } => 21,
        Warning::DiskStoreFull { .. } => 22,
        Warning::LateCompletion { .. } => 23,
        Warning::ArrayLostMembers { .. } => 24,
        Warning::FailureUnfinished { .. } => 25,
        Warning::SimulationCutShort { .. } => 26,
        Warning::BudgetEnded { .. } => 27,
        Warning::NotStationary { .. } => 28,
        Warning::Unreadable => 29,
        Warning::GuestCoreFull { .. } => 30,
        Warning::DataShrunk { .. } => 31,
        Warning::RiskNotMeasured => 32,
        Warning::PointsMissed(_) => 33,
        Warning::WritesThrottled { .. } => 34,
        Warning::Host(_) => 35,
    }
}

/// Every kind of note of an import; a new one does not compile until it is listed.
fn import_notes() -> Vec<ImportNote> {
    let job = || "job0".to_owned();
    let rates = |is_bytes| ImportNote::RatesDisagree {
        job: job(),
        is_bytes,
        stated: 50_000,
        counted: 1200,
    };
    let several = |cells| ImportNote::SeveralDirectories {
        cells,
        directories: "`a`, `b`".into(),
    };
    let repeated = |count| ImportNote::RepeatedRuns {
        file: "a.json".into(),
        count,
    };
    let short = |count| ImportNote::ShortIos { job: job(), count };
    let ended = |is_time_based| ImportNote::EndedEarly {
        asked_ns: Nanos::from_millis(60_000),
        elapsed_ns: Nanos::from_millis(1230),
        is_time_based,
    };
    let all = vec![
        ImportNote::SeveralDocuments { count: 3 },
        ImportNote::CutShort,
        ImportNote::TrimsIgnored {
            job: job(),
            count: 1,
        },
        ImportNote::TrimsIgnored {
            job: job(),
            count: 256,
        },
        short(1),
        short(2),
        ImportNote::BinsDisagree {
            job: job(),
            timed: 100,
            in_bins: 98,
        },
        rates(false),
        rates(true),
        ImportNote::BytesInKib,
        ImportNote::IosFromRate,
        ImportNote::StatedLeftOut { count: 1 },
        ImportNote::StatedLeftOut { count: 12 },
        ImportNote::BadBin { job: job() },
        ImportNote::JobLeftOut {
            job: job(),
            pattern: "randtrim".into(),
        },
        ImportNote::MixedLeftOut { job: job() },
        repeated(1),
        repeated(2),
        ImportNote::SeveralVersions {
            versions: "fio-3.33, fio-3.42".into(),
        },
        several(1),
        several(2),
        ImportNote::LogMaximaLeftOut,
        ImportNote::DefaultBuffers { ratio: 5.9 },
        ImportNote::Approximated {
            option: "bs".into(),
            value: "16k,8k".into(),
            taken: "16k".into(),
        },
        ImportNote::RateUnreadable {
            option: "rate_iops".into(),
            value: "many".into(),
        },
        ImportNote::SizeUnknown,
        ImportNote::OptionsUnknown,
        ImportNote::PercentilesByJob { parts: 2 },
        ImportNote::GroupReported { jobs: 4 },
        ended(true),
        ended(false),
        ImportNote::CompletionLatency,
        ImportNote::BadLogLines { count: 3 },
        ImportNote::HistogramLogPart {
            logged: 322,
            ios: 400,
        },
        ImportNote::LogOfMaxima,
        ImportNote::LogUnused {
            ending: "slat".into(),
        },
    ];
    let kinds: BTreeSet<u32> = all.iter().map(listed_note).collect();
    assert_eq!(
        kinds.into_iter().collect::<Vec<_>>(),
        (0..29).collect::<Vec<_>>()
    );
    all
}

const fn listed_note(note: &ImportNote) -> u32 {
    match note {
        ImportNote::SeveralDocuments { .. } => 0,
        ImportNote::CutShort => 1,
        ImportNote::TrimsIgnored { .. } => 2,
        ImportNote::ShortIos { .. } => 3,
        ImportNote::BinsDisagree { .. } => 4,
        ImportNote::BytesInKib => 5,
        ImportNote::IosFromRate => 6,
        ImportNote::StatedLeftOut { .. } => 7,
        ImportNote::BadBin { .. } => 8,
        ImportNote::JobLeftOut { .. } => 9,
        ImportNote::DefaultBuffers { .. } => 10,
        ImportNote::Approximated { .. } => 11,
        ImportNote::RateUnreadable { .. } => 12,
        ImportNote::SizeUnknown => 13,
        ImportNote::OptionsUnknown => 14,
        ImportNote::PercentilesByJob { .. } => 15,
        ImportNote::GroupReported { .. } => 16,
        ImportNote::EndedEarly { .. } => 17,
        ImportNote::CompletionLatency => 18,
        ImportNote::BadLogLines { .. } => 19,
        ImportNote::HistogramLogPart { .. } => 20,
        ImportNote::LogOfMaxima => 21,
        ImportNote::LogUnused { .. } => 22,
        ImportNote::MixedLeftOut { .. } => 23,
        ImportNote::RepeatedRuns { .. } => 24,
        ImportNote::SeveralVersions { .. } => 25,
        ImportNote::LogMaximaLeftOut => 26,
        ImportNote::SeveralDirectories { .. } => 27,
        ImportNote::RatesDisagree { .. } => 28,
    }
}

fn changing(changing: Changing) -> Warning {
    Warning::NotStationary { changing, ios: 99 }
}

fn unfinished(step: FailureStep) -> Warning {
    Warning::FailureUnfinished {
        array: "md100".into(),
        device: "sdc".into(),
        step,
    }
}

fn misaligned(unit: AlignmentUnit, unit_bytes: u64) -> Warning {
    Warning::PartitionMisaligned {
        device: "sdb1".into(),
        start_bytes: Bytes::new(63 * 512),
        unit,
        unit_bytes: Bytes::new(unit_bytes),
    }
}

fn findings() -> Vec<Message> {
    let raid10 = [
        Raid10ReadBalance::FirstIdle,
        Raid10ReadBalance::IdleIsZero,
        Raid10ReadBalance::FewestPendingIfSsd,
    ]
    .map(ReadRule::Raid10);
    let raid1 = [
        Raid1ReadBalance::FirstIdle,
        Raid1ReadBalance::FirstIdleWriteMostlyLast,
        Raid1ReadBalance::FewestPending,
        Raid1ReadBalance::SequentialGivesWay,
    ]
    .map(ReadRule::Raid1);
    let mut all: Vec<Finding> = raid10
        .into_iter()
        .chain(raid1)
        .map(|rule| Finding::MirrorsTakeTurns {
            sequential_share: 0.07,
            rule,
        })
        .collect();
    for share in [0.75, 0.9375, 0.98, 1.0] {
        all.push(Finding::ReadsFavour {
            members: vec!["sd0".into(), "sd2".into()],
            share,
            even_share: 0.5,
            rule: raid10[0],
        });
    }
    all.extend([
        Finding::ReadModifyWrite {
            reads_per_write: 1.97,
            share: 0.43,
        },
        Finding::Bitmap { share: 0.2 },
        Finding::Flush { share: 0.6 },
        Finding::Journal { share: 0.1 },
        Finding::SlowestMember {
            share: 0.3,
            requests_per_io: 16.0,
        },
        Finding::IdleMembers {
            busy: 1.59,
            members: 4,
            depth: 1,
        },
        Finding::IdleMembers {
            busy: 2.5,
            members: 4,
            depth: 3,
        },
        Finding::Cpu {
            share: 0.31,
            requests_per_io: 1.0,
        },
        Finding::Cpu {
            share: 0.31,
            requests_per_io: 4.25,
        },
        Finding::Split {
            pieces_per_io: 16.0,
            piece_bytes: 32_768.0,
        },
        Finding::Split {
            pieces_per_io: 3.5,
            piece_bytes: 1_572_864.0,
        },
        Finding::Copies { copies: 2.0 },
    ]);
    let cell = cells(STUDY)[0].clone();
    let kernel = KernelVersion::new(4, 1, 0);
    all.iter()
        .map(|finding| finding.sentence(&cell, kernel))
        .collect()
}

fn bottlenecks() -> Vec<Bottleneck> {
    use Resource::{Devices, JobCpu, Links, Lock, ParityThread, Uplink};
    let resources = [Uplink, Links, Devices, JobCpu, Lock, ParityThread];
    let saturated = resources.into_iter().map(|resource| Bottleneck::Saturated {
        resource,
        busy_share: 0.97,
        share: 0.4,
    });
    let latency = Part::ALL.into_iter().map(|part| Bottleneck::Latency {
        part,
        share: 0.5,
        time_ns: 78_000.0,
        busiest_disk_share: matches!(part, Part::DeviceService | Part::DeviceQueue).then_some(0.99),
    });
    let syncs = Bottleneck::Syncs {
        share: 0.8,
        time_ns: 3_200_000.0,
    };
    let own_rate = Bottleneck::OwnRate {
        busiest_disk_share: 0.12,
    };
    let own_pauses = Bottleneck::OwnPauses { share: 0.93 };
    let others = [syncs, own_rate, own_pauses];
    saturated.chain(latency).chain(others).collect()
}

fn verdicts() -> Vec<Message> {
    let bounds = [
        (1.08, 1.14),
        (0.86, 0.93),
        (2.1, 2.34),
        (0.31, 0.39),
        (1.021, 1.049),
        (12.4, 15.2),
    ];
    let mut all: Vec<Verdict> = bounds
        .into_iter()
        .map(|(low, high)| Verdict::Different { low, high })
        .collect();
    all.push(Verdict::NoDifference { margin: 0.05 });
    for more_samples in [
        Forecast::About(1),
        Forecast::About(30),
        Forecast::About(1234),
        Forecast::MoreThan(1),
        Forecast::MoreThan(170),
    ] {
        all.push(Verdict::CannotTell { more_samples });
    }
    let both = [Better::Higher, Better::Lower];
    let both = both.into_iter();
    both.flat_map(|better| all.iter().map(move |verdict| message(verdict, better)))
        .collect()
}

/// Every kind of change.
fn changes() -> Vec<Change> {
    vec![
        Change::Chunk {
            chunk_bytes: Bytes::new(64 << 10),
        },
        Change::Devices { count: 6 },
        Change::Array {
            level: Level::Raid10,
            layout: Some("f2"),
        },
        Change::Array {
            level: Level::Raid0,
            layout: None,
        },
        Change::Kernel {
            version: "6.1".into(),
        },
        Change::Depth { depth: 4 },
        Change::FsyncEvery {
            writes: NonZeroU32::new(4).unwrap(),
        },
        Change::BlockSize {
            block_size_bytes: Bytes::new(1 << 20),
        },
        Change::Governor {
            governor: "performance",
        },
        Change::NoBitmap,
        Change::NoOwnRate,
        Change::TwiceAsFast {
            cause: Cause::Devices,
        },
    ]
}
