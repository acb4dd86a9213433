//! People write study files in a hurry. Every mistake must be shown at its place, with a hint;
//! every valid key must mean what the reference says; and no input may cause a panic.

use std::path::Path;

use expect_test::{expect, expect_file};
use proptest::prelude::*;
use stripewise_format::{json_schema, parse, reference_page};
use stripewise_study::cell::{Axis, Cell, varying_axes};
use stripewise_study::plan::{Study, pairs};

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/studies")
        .join(name);
    std::fs::read_to_string(path).unwrap()
}

fn good(text: &str) -> Study {
    parse("study.toml", text).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_block_size_study_expands_to_twelve_cells() {
    let study = good(&example("block-size.toml"));
    assert_eq!(study.cells.len(), 12);
    assert_eq!(varying_axes(&study.cells), [Axis::Pattern, Axis::BlockSize]);
    assert_eq!(study.repeat.at_least, 6);
    let pairs = pairs(&study.cells, &study.compare.baseline);
    assert_eq!(pairs.len(), 8, "two other sizes for each of four patterns");
    for pair in pairs {
        let (baseline, other) = (&study.cells[pair.baseline], &study.cells[pair.other]);
        assert_eq!(baseline.value(Axis::BlockSize), "8K");
        assert_eq!(baseline.value(Axis::Pattern), other.value(Axis::Pattern));
    }
}

#[test]
fn the_chunk_size_study_expands_to_48_cells_and_compares_with_the_first_stack() {
    let study = good(&example("chunk-size.toml"));
    assert_eq!(study.cells.len(), 3 * 2 * 8);
    assert_eq!(study.compare.baseline[&Axis::Stack], "ssd");
    assert_eq!(study.cells[47].value(Axis::BlockSize), "20000K");
    let summary = study.cells[16].stack.summary();
    expect!["4 x samsung-850-evo-500 > raid10 n2 16K bitmap none > LVM linear > ext4 (noatime)"]
        .assert_eq(&summary);
}

#[test]
fn settings_of_arrays_and_queues_are_read_and_make_cells() {
    let study = good(
        r#"
        [stack.set]
        devices = { "ssd" = 2 }
        array = { level = "raid1", bitmap = "internal", write_mostly = [1], write_behind = 256, sync_speed_min = "1M", sync_speed_max = "50M", safe_mode_delay = "0ms" }
        [stack.parity]
        devices = { "ssd" = 4 }
        array = { level = "raid6", stripe_cache_size = 4096, group_thread_cnt = 4, rmw_level = 0 }
        [workload]
        pattern = "read"
        size = "1G"
        direct = false
        [conditions]
        read_ahead = ["0", "4m"]
        nr_requests = [16, 64]
        max_sectors_kb = 128
        wbt_lat_usec = 0
        "#,
    );
    assert_eq!(study.cells.len(), 2 * 4);
    let settings = |cell: &Cell| cell.stack.array.as_ref().unwrap().settings.clone();
    let words = |cell: &Cell| {
        let numbers = settings(cell).numbers();
        let numbers = numbers.iter();
        let words = numbers.map(|one| format!("{} {}", one.tunable.file, one.in_file()));
        words.collect::<Vec<_>>()
    };
    assert_eq!(
        words(&study.cells[0]),
        [
            "sync_speed_min 1024",
            "sync_speed_max 51200",
            "safe_mode_delay 0.000",
            "bitmap/backlog 256"
        ]
    );
    assert_eq!(settings(&study.cells[0]).write_mostly, [1]);
    expect!["4 x ssd > raid6 left-symmetric 512K stripe_cache_size 4096 group_thread_cnt 4 rmw_level 0 bitmap none > no filesystem"]
        .assert_eq(&study.cells[7].stack.summary());
    assert_eq!(
        words(&study.cells[7]),
        [
            "stripe_cache_size 4096",
            "group_thread_cnt 4",
            "rmw_level 0"
        ]
    );
    let values = |axis| study.cells[7].value(axis);
    assert_eq!(values(Axis::ReadAhead), "4M");
    assert_eq!(values(Axis::NrRequests), "64");
    assert_eq!(values(Axis::MaxSectorsKb), "128");
    assert_eq!(values(Axis::WbtLatUsec), "0");
    assert_eq!(
        varying_axes(&study.cells),
        [Axis::Stack, Axis::ReadAhead, Axis::NrRequests]
    );
    // An array takes over the longest request when it is built.
    let mut longer = study.cells[0].clone();
    longer.conditions.nr_requests = None;
    assert!(study.cells[0].build_key() == longer.build_key());
    longer.conditions.max_sectors_kib = None;
    assert!(study.cells[0].build_key() != longer.build_key());
}

#[test]
fn conditions_of_the_processor_and_beside_the_load_expand() {
    let study = good(
        r#"
        [stack.here]
        filesystem = "existing"
        [workload]
        pattern = "randwrite"
        size = "1G"
        [conditions]
        turbo = [true, false]
        cpu_dma_latency_us = 0
        sysctl = { "vm.dirty_ratio" = [10, "20"], "dev.raid.speed_limit_min" = "1000" }
        cpus = [0, "4, 0-1", "one-per-core", "cores-of: 1,0"]
        sync_every = "1s"
        flush_every = "500ms"
        [repeat]
        sample = "2s"
        "#,
    );
    assert_eq!(study.cells.len(), 2 * 2 * 4);
    assert_eq!(
        varying_axes(&study.cells),
        [Axis::Turbo, Axis::Sysctl, Axis::Cpus]
    );
    let last = study.cells.last().unwrap();
    let values = [
        Axis::Turbo,
        Axis::CpuDmaLatencyUs,
        Axis::Sysctl,
        Axis::Cpus,
        Axis::SyncEvery,
        Axis::FlushEvery,
    ];
    assert_eq!(
        values.map(|axis| last.value(axis)),
        [
            "false",
            "0",
            "dev.raid.speed_limit_min=1000 vm.dirty_ratio=20",
            "cores-of:0-1",
            "1s",
            "500ms"
        ]
    );
    let stored = serde_json::to_string(last).unwrap();
    assert_eq!(serde_json::from_str::<Cell>(&stored).unwrap(), *last);
}

#[test]
fn kernels_are_an_axis() {
    let text = |top: &str, listed: &str, engine: &str| {
        format!(
            "{top}\n[stack.here]\nfilesystem = \"existing\"\n\
             [workload]\npattern = \"randread\"\nsize = \"1G\"\nengine = \"{engine}\"\n\
             [conditions]\nkernel = {listed}\n\
             [compare]\nbaseline = {{ kernel = \"5.7\" }}\n"
        )
    };
    let study = good(&text("", r#"["5.7", "6.12.117"]"#, "sync"));
    assert_eq!(varying_axes(&study.cells), [Axis::Kernel]);
    let kernels: Vec<String> = study
        .cells
        .iter()
        .map(|cell| cell.value(Axis::Kernel))
        .collect();
    assert_eq!(kernels, ["5.7", "6.12.117"]);
    assert_eq!(study.kernel, None);
    let stored = serde_json::to_string(&study.cells[1]).unwrap();
    assert!(stored.contains(r#""kernel":"6.12.117""#), "{stored}");
    assert_eq!(
        serde_json::from_str::<Cell>(&stored).unwrap(),
        study.cells[1]
    );
    // The failure: what follows the number was dropped, and another guest measured.
    let guests = r#"["5.7", "6.12.95@sid", "6.12.95@tree-1a2b3c4d"]"#;
    let study = good(&text("", guests, "sync"));
    let kernels: Vec<String> = study
        .cells
        .iter()
        .map(|cell| cell.value(Axis::Kernel))
        .collect();
    assert_eq!(kernels, ["5.7", "6.12.95@sid", "6.12.95@tree-1a2b3c4d"]);
    let stored = serde_json::to_string(&study.cells[1]).unwrap();
    assert!(stored.contains(r#""kernel":"6.12.95@sid""#), "{stored}");
    for (text, problem) in [
        (
            text("kernel = \"6.1\"", "\"5.7\"", "sync"),
            "names its kernel twice",
        ),
        (
            text("", r#"["5.7", "5.77"]"#, "sync"),
            "there is no Linux 5.77",
        ),
        (
            text("", r#"["5.7", "5.7"]"#, "sync"),
            "`kernel` lists a value twice",
        ),
        (
            text("", r#"["5.7", "6.12.95@"]"#, "sync"),
            "or a guest of the lab such as",
        ),
        (
            text("kernel = \"6.12.95@sid\"", "\"5.7\"", "sync"),
            "a guest of the lab is named under `[conditions]`",
        ),
        // The oldest kernel decides.
        (
            text("", r#"["5.7", "4.1"]"#, "io_uring"),
            "kernel 4.1 has no io_uring",
        ),
    ] {
        let error = parse("s", &text).unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
    }
}

#[test]
fn every_part_of_the_format_is_read() {
    let study = good(&example("everything.toml"));
    let oltp = &study.cells[0].workload;
    assert_eq!(oltp.name.as_deref(), Some("oltp"));
    assert_eq!(oltp.load.read_percent, Some(70));
    assert_eq!(oltp.load.fsync_every.map(u32::from), Some(8));
    assert_eq!(oltp.load.block_size.to_string(), "4K/60:64K/40");
    assert_eq!(oltp.neighbours[0].name, "nightly");
    assert_eq!(
        oltp.neighbours[0]
            .load
            .rate_bytes_per_s
            .unwrap()
            .to_string(),
        "100M"
    );
    let backup = study.cells.last().unwrap();
    assert_eq!(
        backup.workload.load.size_bytes.to_string(),
        "1G",
        "a shared default"
    );
    assert_eq!(backup.value(Axis::Data), "2:1");
    expect_file!["../studies/everything.cell.json"]
        .assert_eq(&serde_json::to_string_pretty(&study.cells[0]).unwrap());
}

#[test]
fn lists_without_effect_on_a_pattern_make_no_extra_cells() {
    let study = good(
        "[stack.here]\n[workload]\npattern = [\"read\", \"rw\"]\nmix = [\"70/30\", \"30/70\"]\nsize = \"1G\"\n",
    );
    assert_eq!(study.cells.len(), 3);
}

#[test]
fn cells_of_different_depth_differ_in_nothing_else() {
    let study = good(
        "[stack.here]\n[workload]\npattern = \"randread\"\ndepth = [1, 32]\nsize = \"1G\"\n[compare]\nbaseline = { depth = 1 }\n",
    );
    assert_eq!(varying_axes(&study.cells), [Axis::Depth]);
    assert_eq!(study.cells[0].value(Axis::Engine), "io_uring");
    assert_eq!(pairs(&study.cells, &study.compare.baseline).len(), 1);
}

#[test]
fn a_volume_on_disks_is_rebuilt_if_its_flushes_change_and_other_stacks_are_not() {
    // How many of four cells, two of each kind, can be measured on the stack of the first.
    let served = |layers: &str| {
        let study = good(&format!(
            "[stack.it]\ndevices = {{ disk = 2 }}\n{layers}\nfilesystem = \"none\"\n[workload]\npattern = \"randwrite\"\nblock_size = [\"4K\", \"8K\"]\nsize = \"4M\"\n[conditions]\nflush = [\"ignored\", \"honoured\"]\n"
        ));
        let first = &study.cells[0];
        let served = study.cells.iter();
        let served = served.filter(|cell| cell.build_key() == first.build_key());
        let flushes: Vec<Axis> = varying_axes(served.clone().collect::<Vec<_>>());
        (served.count(), flushes.contains(&Axis::Flush))
    };
    let (array, volume) = ("array = { level = \"raid1\" }", "volume = \"linear\"");
    assert_eq!(served(volume), (2, false));
    assert_eq!(served(array), (4, true));
    assert_eq!(served(&format!("{array}\n{volume}")), (4, true));
}

#[test]
fn an_empty_baseline_compares_nothing() {
    let text = "[stack.a]\n[stack.b]\n[workload]\npattern = \"randread\"\nblock_size = \"4K\"\nsize = \"1G\"\n";
    let study = parse("two.toml", text).unwrap();
    assert_eq!(pairs(&study.cells, &study.compare.baseline).len(), 1);
    let text = format!("{text}[compare]\nbaseline = {{}}\n");
    let study = parse("two.toml", &text).unwrap();
    assert_eq!(pairs(&study.cells, &study.compare.baseline).len(), 0);
}

#[test]
fn workloads_are_compared_along_the_lists_they_share() {
    let study = good(
        r#"
        [stack.here]
        [workload]
        pattern = "randwrite"
        size = "1G"
        block_size = ["4K", "8K"]
        [workload.lazy]
        [workload.careful]
        fsync = 1
        [compare]
        baseline = { workload = "lazy" }
        "#,
    );
    let found: Vec<(usize, usize)> = pairs(&study.cells, &study.compare.baseline)
        .iter()
        .map(|pair| (pair.baseline, pair.other))
        .collect();
    assert_eq!(found, [(0, 2), (1, 3)]);
}

#[test]
fn keys_of_a_shipped_workload_are_overridden_by_those_of_the_study() {
    let study = good(
        r#"
        [stack.here]
        [workload]
        size = "2G"
        [workload.db]
        from = "oltp"
        depth = [1, 8]
        [workload.quiet]
        from = "oltp"
        neighbours = []
        [workload.busy]
        from = "oltp"
        neighbours = ["oltp-log", "night", "mysql-in-vm-log"]
        [neighbour.oltp-log]
        from = "oltp-log"
        rate_iops = 7
        [neighbour.night]
        from = "oltp"
        jobs = 2
        "#,
    );
    let [one, deep, quiet, busy] = study.cells.as_slice() else {
        panic!("{} cells", study.cells.len());
    };
    let load = &one.workload.load;
    assert_eq!((load.read_percent, load.depth), (Some(67), 1));
    assert_eq!(load.size_bytes.to_string(), "2G", "a shared key");
    assert_eq!(
        (deep.workload.load.depth, quiet.workload.load.depth),
        (8, 32)
    );
    assert_eq!(one.value(Axis::Engine), "io_uring", "as at depth 8");
    let beside = |cell: &Cell| -> Vec<String> {
        let neighbours = cell.workload.neighbours.iter();
        let words = neighbours.map(|neighbour| {
            let load = &neighbour.load;
            format!(
                "{} {} x{} {:?}",
                neighbour.name, load.pattern, load.jobs, load.rate_iops
            )
        });
        words.collect()
    };
    assert_eq!(
        beside(one),
        ["oltp-log write x1 Some(7)"],
        "a table of the study"
    );
    assert!(beside(quiet).is_empty());
    let all = [
        "oltp-log write x1 Some(7)",
        "night randrw x2 None",
        "mysql-in-vm-log write x1 Some(100)",
    ];
    assert_eq!(beside(busy), all);
}

#[test]
fn mistakes_are_shown_where_they_are() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors");
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let name = path.file_name().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let error = parse(name, &text).expect_err(name);
        let drawn: Vec<String> = error
            .to_string()
            .lines()
            .map(|line| format!("{}\n", line.trim_end()))
            .collect();
        expect_file![path.with_extension("txt")].assert_eq(&drawn.concat());
        count += 1;
    }
    assert!(count >= 6);
}

#[test]
fn a_failure_is_a_condition_that_some_cells_have() {
    let study = good(
        r#"
        [stack.safe]
        devices = { "x" = 4 }
        array = { level = "raid5", bitmap = "internal" }
        [workload]
        pattern = "randwrite"
        size = "1G"
        verify = true
        [conditions]
        failure = ["none", "pulled"]
        [failure.pulled]
        fail_device = { at = "1s", device = 2 }
        re_add = { at = "1500ms" }
        sync_speed_max = "50M"
        [compare]
        baseline = { failure = "none" }
        "#,
    );
    assert_eq!(varying_axes(&study.cells), [Axis::Failure]);
    assert_eq!(pairs(&study.cells, &study.compare.baseline).len(), 1);
    assert!(study.cells.iter().all(|cell| cell.workload.load.verify));
    let failure = study.cells[1].conditions.failure.as_ref().unwrap();
    assert_eq!(
        (failure.device, failure.at_ns.to_string()),
        (2, "1s".to_owned())
    );
    expect![[r#"{"name":"pulled","at_ns":1000000000,"device":2,"repair":{"at_ns":1500000000,"with":"same"},"sync_speed_min_bytes_per_s":null,"sync_speed_max_bytes_per_s":52428800}"#]]
        .assert_eq(&serde_json::to_string(failure).unwrap());
}

/// The failure: RAID 0 could not stand beside other levels in a study with failures.
#[test]
fn a_stack_without_redundancy_is_only_measured_whole() {
    let study = good(
        r#"
        [stack.raid0]
        devices = { "x" = 4 }
        array = { level = "raid0" }
        [stack.raid5]
        devices = { "x" = 4 }
        array = { level = "raid5" }
        [workload]
        pattern = "randwrite"
        size = "1G"
        [conditions]
        failure = ["none", "lost"]
        [failure.lost]
        fail_device = { at = "1s", device = 2 }
        [lifetime]
        writes_per_day = "100G"
        afr_percent = 1.5
        "#,
    );
    let names = study.cells.iter().map(|cell| {
        let failure = cell.value(Axis::Failure);
        format!("{} {failure}", cell.stack.name)
    });
    let names: Vec<String> = names.collect();
    assert_eq!(names, ["raid0 none", "raid5 none", "raid5 lost"]);
    let lifetime = study.lifetime.unwrap();
    assert_eq!(lifetime.years, 5);
    assert_eq!(lifetime.stated(), ["afr_percent"]);
    assert_eq!(lifetime.writes_per_day_bytes.unwrap().to_string(), "100G");
}

#[test]
fn a_cell_without_a_failure_keeps_the_stored_form_of_older_versions() {
    let study = good("[stack.here]\n[workload]\npattern = \"read\"\nsize = \"1G\"\n");
    let text = serde_json::to_string(&study.cells[0]).unwrap();
    assert!(
        !text.contains("failure") && !text.contains("verify") && !text.contains("state"),
        "{text}"
    );
}

#[test]
fn the_state_is_an_axis_and_is_stored_as_requested() {
    let study = good(
        "[stack.here]\n[workload]\npattern = \"read\"\nsize = \"1G\"\n\
         [conditions]\nstate = [\"steady\", \"fresh\"]\n",
    );
    assert_eq!(varying_axes(&study.cells), [Axis::State]);
    for (cell, word) in study.cells.iter().zip(["steady", "fresh"]) {
        assert_eq!(cell.value(Axis::State), word);
        let text = serde_json::to_string(cell).unwrap();
        assert!(text.contains(&format!("\"state\":\"{word}\"")), "{text}");
        assert_eq!(&serde_json::from_str::<Cell>(&text).unwrap(), cell);
    }
}

#[test]
fn the_schema_is_checked_in() {
    let schema = serde_json::to_string_pretty(&json_schema()).unwrap() + "\n";
    expect_file!["../../../../docs/study.schema.json"].assert_eq(&schema);
}

#[test]
fn the_reference_page_is_checked_in() {
    expect_file!["../../../../docs/study.md"].assert_eq(&reference_page());
}

#[test]
fn every_key_has_a_description_on_the_reference_page() {
    let schema = json_schema();
    let mut objects = vec![&schema];
    objects.extend(schema["$defs"].as_object().unwrap().values());
    let page = reference_page();
    for object in objects {
        for (key, property) in object["properties"].as_object().into_iter().flatten() {
            let meaning = property["description"].as_str().unwrap_or_default();
            assert!(meaning.len() > 10, "`{key}` has no description");
            assert!(
                page.contains(meaning),
                "`{key}` is not on the reference page"
            );
        }
    }
}

/// Returns the messages of a study that is refused.
fn refused(text: &str) -> String {
    let error = parse("limits.toml", text).unwrap_err();
    let messages = error
        .problems()
        .iter()
        .map(|problem| problem.message.clone());
    messages.collect::<Vec<_>>().join("\n")
}

const LOAD: &str = "[workload]\npattern = \"read\"\nsize = \"1G\"\n";

fn listed(count: usize, value: impl Fn(usize) -> String) -> String {
    (0..count).map(value).collect::<Vec<_>>().join(",")
}

/// Each cell has a copy of its part of the file, so a file of a megabyte could ask for gigabytes.
#[test]
fn excessive_expansions_are_refused_before_they_are_expanded() {
    let word = |number: usize| format!("\"w{number}\"");
    let stack = format!("[stack.{}]\n{LOAD}", "a".repeat(200));
    assert!(refused(&stack).contains("a name may have 128"));
    let long = format!(
        "[stack.a]\n{LOAD}[conditions]\ngovernor = \"{}\"\n",
        "g".repeat(2000)
    );
    assert!(refused(&long).contains("a text may have 1024"));
    let list = listed(1001, word);
    let list = format!("[stack.a]\n{LOAD}[conditions]\ngovernor = [{list}]\n");
    assert!(refused(&list).contains("at most 1000"));
    let tables = listed(1001, |number| format!("s{number} = {{}}")).replace(',', "\n");
    assert!(refused(&format!("{LOAD}[stack]\n{tables}\n")).contains("at most 1000"));

    // The first version silently left the excess out.
    let (governors, schedulers) = (listed(200, word), listed(60, word));
    let conditions = format!(
        "[stack.a]\n{LOAD}[conditions]\ngovernor = [{governors}]\nscheduler = [{schedulers}]\n"
    );
    assert!(refused(&conditions).contains("12000 combinations"));

    let sizes = listed(900, |number| format!("{}", 512 * (number + 1)));
    let tables = (0..900).map(|number| format!("[workload.w{number}]\n"));
    let tables: String = tables.collect();
    let workloads = format!("[stack.a]\n{LOAD}block_size = [{sizes}]\n{tables}");
    assert!(refused(&workloads).contains("more than 10000 cells"));

    let names = listed(65, |_| "\"n\"".to_owned());
    let neighbours = format!(
        "[stack.a]\n{LOAD}neighbours = [{names}]\n[neighbour.n]\npattern = \"read\"\nsize = \"1G\"\n"
    );
    assert!(refused(&neighbours).contains("64 neighbours"));

    let devices = |stacks: usize| {
        let stacks = (0..stacks).map(|number| {
            format!("[stack.s{number}]\ndevices = {{ ssd = 4000 }}\nvolume = \"linear\"\n")
        });
        format!("{}{LOAD}", stacks.collect::<String>())
    };
    assert!(refused(&devices(300)).contains("1200000 devices"));
    assert_eq!(good(&devices(200)).cells.len(), 200);

    let kinds = listed(65, |number| format!("d{number} = 1"));
    let kinds = format!("[stack.a]\ndevices = {{ {kinds} }}\nvolume = \"linear\"\n{LOAD}");
    assert!(refused(&kinds).contains("64 kinds"));
}

/// Numbers at and beyond every limit.
fn number() -> impl Strategy<Value = u64> {
    let near = |at: u64| at.saturating_sub(1)..=at.saturating_add(1);
    prop_oneof![
        0..8_u64,
        near(128),
        near(4096),
        near(10_000),
        near(32_768),
        near(1 << 20),
        near(1 << 30),
        near(1 << 32),
        near(1 << 50),
        Just((1 << 62) + 1),
    ]
}

/// Places of a number: the line of a key, and the line of a valid study that it replaces.
const NUMBERS: [(&str, &str); 16] = [
    ("devices = { ssd = N }", "devices = { ssd = 4 }"),
    (
        "array = { level = \"raid5\", chunk = N }",
        "array = { level = \"raid5\" }",
    ),
    (
        "array = { level = \"raid0\", chunk = N }",
        "array = { level = \"raid5\" }",
    ),
    (
        "array = { level = \"raid5\", size = N }",
        "array = { level = \"raid5\" }",
    ),
    (
        "array = { level = \"raid5\", bitmap = { chunk = N } }",
        "array = { level = \"raid5\" }",
    ),
    (
        "volume = { stripes = N, stripe_size = \"64K\" }",
        "array = { level = \"raid5\" }",
    ),
    (
        "volume = { stripes = 2, stripe_size = N }",
        "array = { level = \"raid5\" }",
    ),
    ("size = N", "size = \"4G\""),
    ("jobs = N", "jobs = 1"),
    ("depth = N", "depth = 1"),
    ("block_size = N", "block_size = \"4K\""),
    ("fsync = N", "fsync = 1"),
    ("sample = \"Ns\"", "sample = \"3s\""),
    ("budget = \"Ns\"", "budget = \"10m\""),
    ("at_least = N", "at_least = 6"),
    ("at_most = N", "at_most = 30"),
];

const NUMBERED: &str = "[stack.a]\ndevices = { ssd = 4 }\narray = { level = \"raid5\" }\n\
    [workload]\npattern = \"randwrite\"\nengine = \"libaio\"\nsize = \"4G\"\njobs = 1\ndepth = 1\n\
    block_size = \"4K\"\nfsync = 1\n\
    [repeat]\nsample = \"3s\"\nbudget = \"10m\"\nat_least = 6\nat_most = 30\n";

proptest! {
    /// Accepted studies can be planned: nothing overflows, and no plan exceeds its limits.
    #[test]
    fn every_accepted_number_can_be_planned(
        drawn in prop::collection::vec((0..NUMBERS.len(), number()), 1..4),
    ) {
        let mut text = NUMBERED.to_owned();
        for (key, number) in drawn {
            let (line, replaced) = NUMBERS[key];
            text = text.replacen(replaced, &line.replace('N', &number.to_string()), 1);
        }
        let Ok(study) = parse("numbers.toml", &text) else {
            return Ok(());
        };
        let repeat = &study.repeat;
        prop_assert!(repeat.at_least <= repeat.at_most && repeat.at_most <= 10_000, "{text}");
        prop_assert!(repeat.budget_ns.as_secs_f64() <= 366.0 * 86_400.0, "{text}");
        let longest = repeat.sample_ns.as_u64().checked_mul(repeat.at_most.into());
        prop_assert!(longest.is_some(), "{text}");
        for cell in &study.cells {
            let load = &cell.workload.load;
            prop_assert!(cell.stack.device_count() <= 4096, "{text}");
            prop_assert!(load.size_bytes.as_u64().checked_mul(load.jobs.into()).is_some());
            let buffers = u64::from(load.jobs) * u64::from(load.depth);
            let buffers = buffers.checked_mul(load.block_size.largest().as_u64());
            prop_assert!(buffers.is_some_and(|bytes| bytes <= 1 << 40), "{text}");
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC{0,200}") {
        let _ = parse("any.toml", &text);
    }

    /// Cuts, doubles and swaps pieces of a valid study, much as people do.
    #[test]
    fn no_mangled_study_makes_the_reader_panic(
        from in 0_usize..1500, length in 0_usize..80, to in 0_usize..1500, insert in "\\PC{0,6}",
    ) {
        let text = example("everything.toml");
        let border = |at: usize| (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap();
        let (start, end, to) = (border(from), border(from + length), border(to));
        let mangled = format!("{}{insert}{}", &text[..to], &text[to..]).replace(&text[start..end], "");
        if let Err(error) = parse("mangled.toml", &mangled) {
            prop_assert!(!error.render(true).is_empty());
        }
    }

    #[test]
    fn the_matrix_is_the_product_of_its_lists(sizes in 1_usize..6, depths in 1_usize..6, jobs in 1_usize..6) {
        let list = |count: usize| (1..=count).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
        let text = format!(
            "[stack.a]\n[stack.b]\n[workload]\npattern=[\"read\",\"write\"]\nsize=\"1G\"\nengine=\"libaio\"\nblock_size=[{}]\ndepth=[{}]\njobs=[{}]\n",
            (1..=sizes).map(|n| format!("\"{n}K\"")).collect::<Vec<_>>().join(","), list(depths), list(jobs),
        );
        prop_assert_eq!(good(&text).cells.len(), 2 * 2 * sizes * depths * jobs);
    }
}

#[test]
fn devices_keep_the_order_in_which_they_are_written() {
    let order = |devices: &str, layers: &str| {
        let text = format!(
            "[stack.s]\ndevices = {devices}\n{layers}\n\
             [workload]\npattern = \"read\"\nblock_size = \"4K\"\nsize = \"1M\"\n"
        );
        match parse("study.toml", &text) {
            Ok(study) => study.cells[0].stack.summary(),
            Err(error) => error.to_string(),
        }
    };
    let array = "array = { level = \"raid0\" }";
    for (devices, shown) in [
        ("[\"ssd\", \"hdd\"]", "1 x ssd + 1 x hdd > "),
        ("[\"hdd\", \"ssd\"]", "1 x hdd + 1 x ssd > "),
        ("{ ssd = 1, hdd = 2 }", "1 x ssd + 2 x hdd > "),
        ("{ hdd = 2, ssd = 1 }", "2 x hdd + 1 x ssd > "),
        ("[\"a\", \"b\", \"b\", \"a\"]", "1 x a + 2 x b + 1 x a > "),
    ] {
        let summary = order(devices, array);
        assert!(summary.starts_with(shown), "{devices}: {summary}");
    }
    for (devices, why) in [
        (
            "\"ssd\"",
            "a table of profiles with counts, or a list of profiles",
        ),
        ("[1]", "expected a string"),
        ("{ ssd = 0 }", "`ssd` cannot be `0`"),
    ] {
        let error = order(devices, array);
        assert!(error.contains(why), "{devices}: {error}");
    }
    let pool = "filesystem = { type = \"zfs\", mkfs = [\"mirror\"], log = \"ssd\" }";
    let error = order("[\"ssd\", \"hdd\", \"ssd\"]", pool);
    assert!(
        error.contains("the devices of the log stand together"),
        "{error}"
    );
}
