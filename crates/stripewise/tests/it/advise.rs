//! `advise`. The failure: sixteen commands and five dead ends for "which level and chunk for a database
//! on four SSDs", and then the wrong answer in large type.

use serde_json::Value;

use crate::support::{Bench, with};

/// Two chunks of the seven, for the time that the others take.
const ASKED: [&str; 8] = [
    "advise",
    "--devices",
    "4 x sata-ssd",
    "--workload",
    "randwrite:4K:depth=8",
    "--kernel=6.12",
    "--chunk=64K",
    "--chunk=512K",
];

fn asked(bench: &Bench, more: &[&str]) -> crate::support::Done {
    bench.finish(with(bench.command(), ASKED.iter().chain(more)))
}

#[test]
fn the_decision_comes_first_with_its_reason_and_each_design_is_counted() {
    let Some(bench) = Bench::new() else { return };
    let done = asked(&bench, &["--json"]);
    let answer: Value = serde_json::from_str(&done.stdout).unwrap();
    let designs = answer["designs"].as_array().unwrap();
    let best = usize::try_from(answer["best"].as_u64().unwrap()).unwrap();
    let count = |fate: &str| designs.iter().filter(|one| one["fate"] == fate).count();
    let refused = count("refused");
    assert_eq!(
        designs.len(),
        refused + count("bounded_away") + count("outrun") + count("within")
    );
    // RAID 0 with each chunk does not survive a failed device.
    assert_eq!(refused, 2, "{}", done.stdout);
    assert_eq!(designs[best]["fate"], "within");
    let text = asked(&bench, &[]).stdout;
    let first = text.lines().next().unwrap();
    assert!(first.starts_with("Build 4 x raid"), "{text}");
    assert!(
        text.contains("Nothing is required, so this is assumed"),
        "{text}"
    );
    assert!(
        text.contains("mdadm --create /dev/md/data --level="),
        "{text}"
    );
    assert!(text.contains("2 refused (2 by survive=1)"), "{text}");
}

#[test]
fn what_each_design_keeps_and_costs_stands_beside_the_rules_of_thumb() {
    let Some(bench) = Bench::new() else { return };
    let done = asked(&bench, &["--json", "--price=89"]);
    let answer: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(answer["schema"], 1);
    let front = answer["front"].as_array().unwrap();
    let role = |name: &str| {
        let has = |row: &&Value| {
            row["roles"]
                .as_array()
                .unwrap()
                .iter()
                .any(|one| one == name)
        };
        front
            .iter()
            .find(has)
            .unwrap_or_else(|| panic!("{name}: {front:?}"))
    };
    let number = |row: &Value, key: &str| row[key].as_f64();
    assert_eq!(front[0], *role("advised"));
    let usual = role("usual");
    assert!(
        usual["design"].as_str().unwrap().contains("raid10"),
        "{usual}"
    );
    assert_eq!(number(usual, "survived"), Some(1.0));
    assert_eq!(number(usual, "price"), Some(356.0));
    let whole = number(usual, "bytes_per_s").unwrap();
    let degraded = number(usual, "degraded_bytes_per_s").unwrap();
    // At this depth a mirror without one device waits for one write instead of two.
    assert!(degraded > 0.5 * whole && degraded < 2.0 * whole, "{usual}");
    assert!(number(usual, "rebuild_ns").unwrap() > 60e9, "{usual}");
    // RAID 0 has no rebuild, and loses data with every device.
    let raid0 = role("without_redundancy");
    assert_eq!(number(raid0, "rebuild_ns"), None);
    assert_eq!(number(raid0, "survived"), Some(0.0));
    let space = |row: &Value| number(row, "usable_bytes").unwrap();
    assert!((space(raid0) / space(usual) - 2.0).abs() < 1e-9);
    // The same loads, a little different.
    let varied = answer["varied"].as_array().unwrap();
    let names: Vec<&str> = varied
        .iter()
        .map(|one| one["variation"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["double_blocks", "half_depth", "double_depth"]);
    assert!(
        varied
            .iter()
            .all(|one| (0.0..=1.0).contains(&one["share"].as_f64().unwrap()))
    );
}

/// Returns the commands of an advice with a filesystem.
fn steps(bench: &Bench, filesystem: &str) -> Vec<String> {
    let done = bench.finish(with(
        bench.command(),
        [
            "advise",
            "--devices=4 x sata-ssd",
            "--workload=randread:4K",
            "--kernel=6.12",
            "--json",
            &format!("--filesystem={filesystem}"),
        ],
    ));
    let answer: Value = serde_json::from_str(&done.stdout).unwrap();
    let steps = answer["steps"].as_array().unwrap().iter();
    let commands = steps.filter_map(|step| step["command"].as_str());
    commands.map(str::to_owned).collect()
}

/// Runs a program on a sparse file, and returns what it prints; `None`, said loudly, without it.
fn on_file(bench: &Bench, words: &[&str]) -> Option<String> {
    let (program, rest) = words.split_first().unwrap();
    let path = ["/usr/sbin", "/sbin", "/usr/bin"].map(|folder| format!("{folder}/{program}"));
    let Some(path) = path.iter().find(|path| std::path::Path::new(path).exists()) else {
        eprintln!("SKIPPED: no {program} to run the advice's commands");
        return None;
    };
    let file = bench.path("disk");
    if !file.exists() {
        std::fs::File::create(&file)
            .unwrap()
            .set_len(4 << 30)
            .unwrap();
    }
    let output = std::process::Command::new(path)
        .args(rest)
        .arg(&file)
        .output()
        .unwrap();
    assert!(output.status.success(), "{words:?}: {output:?}");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn the_filesystem_is_made_with_the_arrays_geometry() {
    let Some(bench) = Bench::new() else { return };
    let steps = steps(&bench, "ext4");
    let create = &steps[0];
    assert!(create.contains("--level=raid10 --chunk=512"), "{create}");
    let mkfs = steps.iter().find(|step| step.starts_with("mkfs")).unwrap();
    // Two chunks of 512 KiB hold data in a row of four devices; a block has 4 KiB.
    assert_eq!(
        mkfs,
        "mkfs.ext4 -b 4096 -E stride=128,stripe_width=256 /dev/md/data"
    );
    let words: Vec<&str> = mkfs
        .split(' ')
        .filter(|word| *word != "/dev/md/data")
        .collect();
    if on_file(&bench, &[&words[..], &["-q"]].concat()).is_some() {
        let shown = on_file(&bench, &["dumpe2fs", "-h"]).unwrap();
        assert!(shown.contains("RAID stride:              128"), "{shown}");
        assert!(shown.contains("RAID stripe width:        256"), "{shown}");
    }
    assert!(
        steps.iter().any(|step| step.contains("fstrim.timer")),
        "{steps:?}"
    );
    assert!(
        steps.iter().any(|step| step.contains("/etc/fstab")),
        "{steps:?}"
    );
}

#[test]
fn xfs_takes_the_geometry_in_its_own_words() {
    let Some(bench) = Bench::new() else { return };
    let steps = steps(&bench, "xfs");
    let mkfs = steps.iter().find(|step| step.starts_with("mkfs")).unwrap();
    assert_eq!(mkfs, "mkfs.xfs -d su=512k,sw=2 /dev/md/data");
    let words: Vec<&str> = mkfs
        .split(' ')
        .filter(|word| *word != "/dev/md/data")
        .collect();
    if let Some(shown) = on_file(&bench, &[&words[..], &["-N"]].concat()) {
        assert!(shown.contains("sunit=128    swidth=256 blks"), "{shown}");
    }
}

#[test]
fn what_cannot_be_asked_together_is_refused_with_the_way_out() {
    let Some(bench) = Bench::new() else { return };
    for (more, said) in [
        (&["--require=years>=5"][..], "add `--writes-per-day 50G`"),
        (&["--require=price<=100"], "add `--price sata-ssd=89`"),
        (
            &["--price=hdd-7200=89"],
            "prices a device that is not among",
        ),
        (&["--spares=3"], "leave no array to choose"),
        (&["--prefer=fun"], "`simple` or `space`"),
        (
            &["--workload=oltp=3", "--weights=1,2"],
            "leave one of them out",
        ),
        (&["--require=capacity<=1T"], "write `capacity>=900G`"),
    ] {
        let done = asked(&bench, more);
        assert_eq!(done.code, Some(2), "{}", done.transcript());
        assert!(done.stderr.contains(said), "{said}: {}", done.transcript());
    }
}

#[test]
fn what_no_design_does_is_said_and_ends_with_1() {
    let Some(bench) = Bench::new() else { return };
    let done = asked(&bench, &["--require=capacity=1000T"]);
    assert_eq!(done.code, Some(1), "{}", done.transcript());
    assert!(
        done.stdout.starts_with("None of these designs"),
        "{}",
        done.stdout
    );
    assert!(!done.stdout.contains("mdadm --create"), "{}", done.stdout);
    // RAID 0 would hold more than RAID 5, and survives no failure.
    assert!(
        done.stdout.contains("The nearest is 4 x raid5"),
        "{}",
        done.stdout
    );
    assert!(
        done.stdout.contains("it holds 2.72 TiB, not 1000 TiB"),
        "{}",
        done.stdout
    );
}

/// The failure: five disks and a spare for it were advised as RAID 0, for which a spare can do nothing.
#[test]
fn who_asks_for_space_does_not_mean_to_lose_it_with_the_first_device() {
    let Some(bench) = Bench::new() else { return };
    let more = ["--spares=1", "--require=capacity>=1T"];
    let said = asked(&bench, &more).stdout.replace('\n', " ");
    assert!(!said.starts_with("Build 3 x raid0"), "{said}");
    assert!(
        said.contains("Assumed, as nothing says how many devices may fail: any 1 device may fail."),
        "{said}"
    );
    let more = ["--require=capacity>=3T", "--require=survive=0"];
    let said = asked(&bench, &more).stdout;
    assert!(said.starts_with("Build 4 x raid0"), "{said}");
    assert!(!said.contains("Assumed, as nothing"), "{said}");
}

#[test]
fn words_that_cannot_be_read_are_refused_with_what_can() {
    let Some(bench) = Bench::new() else { return };
    let cases: [(&[&str], &str); 7] = [
        (
            &["--devices=33 x sata-ssd", "--workload=randread:4K"],
            "build several arrays",
        ),
        (
            &["--devices=1 x sata-ssd", "--workload=randread:4K"],
            "one device",
        ),
        (
            &["--devices=sata-ssd", "--workload=randread:4K"],
            "4 x PROFILE",
        ),
        (
            &[
                "--devices=2 x sata-ssd + 1 x hdd-7200",
                "--workload=randread:4K",
            ],
            "several profiles",
        ),
        (
            &[
                "--devices=4 x sata-ssd",
                "--workload=randread:4K",
                "--require=colour=blue",
            ],
            "`colour` is not known",
        ),
        (
            &[
                "--devices=4 x sata-ssd",
                "--workload=randread:4K",
                "--weights=1,2",
            ],
            "2 numbers",
        ),
        (
            &["--devices=4 x no-such", "--workload=randread:4K"],
            "no-such",
        ),
    ];
    for (words, said) in cases {
        let words = ["advise"].iter().chain(words);
        let done = bench.finish(with(bench.command(), words));
        assert_eq!(done.code, Some(2), "{}", done.transcript());
        assert!(done.stderr.contains(said), "{said}: {}", done.transcript());
    }
}

#[test]
fn the_saved_study_measures_the_advice_beside_its_rivals() {
    let Some(bench) = Bench::new() else { return };
    let path = bench.path("proof.toml");
    let done = asked(&bench, &["--json", "--save", path.to_str().unwrap()]);
    let answer: Value = serde_json::from_str(&done.stdout).unwrap();
    let cells = answer["compared"]["cells"].as_array().unwrap().len();
    let study = bench.finish(with(
        bench.command(),
        ["study", path.to_str().unwrap(), "--json"],
    ));
    assert_eq!(study.code, Some(0), "{}", study.transcript());
    let study: Value = serde_json::from_str(&study.stdout).unwrap();
    assert_eq!(study["cells"].as_array().unwrap().len(), cells, "{study}");
    // A file that is there is never replaced.
    let again = asked(&bench, &["--save", path.to_str().unwrap()]);
    assert_eq!(again.code, Some(2), "{}", again.transcript());
}

#[test]
fn each_load_counts_as_its_weight_says() {
    let Some(bench) = Bench::new() else { return };
    let rates = |weights: &str| {
        let words = [
            "advise",
            "--devices=4xsata-ssd",
            "--workload=randwrite:4K:depth=8",
            "--workload=read:1M",
            "--chunk=64K",
            "--chunk=512K",
            "--json",
            "--require=survive=0",
            weights,
        ];
        let done = bench.finish(with(bench.command(), words));
        let answer: Value = serde_json::from_str(&done.stdout).unwrap();
        let cells = answer["compared"]["cells"].as_array().unwrap();
        let value = |index: usize| {
            cells[index]["estimates"]["bandwidth_bytes_per_s"]["value"]
                .as_f64()
                .unwrap()
        };
        (value(0), value(1))
    };
    let (writes, reads) = rates("--weights=1000,1");
    let (writes_less, reads_more) = rates("--weights=1,1000");
    assert!(writes >= writes_less * 0.95, "{writes} {writes_less}");
    assert!(reads_more >= reads * 0.95, "{reads} {reads_more}");
}

#[test]
fn little_written_in_a_day_is_answered_for_fresh_devices() {
    let Some(bench) = Bench::new() else { return };
    let advice = |volume: &str| {
        let words = [
            "advise",
            "--devices=2xsamsung-850-evo-500",
            "--workload=randwrite:64K",
            "--bitmap=none",
            "--kernel=6.12",
            volume,
        ];
        bench.finish(with(bench.command(), words)).stdout
    };
    let (fresh, steady) = (advice("--daily=1G"), advice("--daily=100T"));
    assert!(fresh.contains("(fresh devices)"), "{fresh}");
    assert!(!steady.contains("(fresh devices)"), "{steady}");
    // What limits steady devices is no reason for the rate of fresh ones.
    let decision = |text: &str| text.split("\n\n").next().unwrap_or_default().to_owned();
    assert!(decision(&steady).contains("busy 100 %"), "{steady}");
    assert!(!decision(&fresh).contains("busy"), "{fresh}");
    // RAID 0 gives no more here, so nothing tempts to it.
    assert!(!fresh.contains("loses all data"), "{fresh}");
}

#[test]
fn the_decision_needs_no_front_and_the_front_is_shown_if_asked() {
    let Some(bench) = Bench::new() else { return };
    let brief = asked(&bench, &[]).stdout;
    assert!(
        brief.starts_with("Build ") && brief.contains("`--front`"),
        "{brief}"
    );
    assert!(!brief.contains("What each design keeps"), "{brief}");
    let whole = asked(&bench, &["--front", "--plain"]).stdout;
    assert_eq!(brief.lines().next(), whole.lines().next());
    assert!(whole.contains("What each design keeps"), "{whole}");
    assert!(!whole.contains("`--front`"), "{whole}");
}

/// `years` were shown in studies only, and as `-` for a profile without rated writes.
#[test]
fn how_long_the_devices_last_is_said_with_rated_writes_and_asked_without() {
    let Some(bench) = Bench::new() else { return };
    let lasts = |more: &[&str]| asked(&bench, more).stdout.replace('\n', " ");
    assert!(lasts(&[]).contains("`--writes-per-day 50G` says it"));
    let unknown = lasts(&["--writes-per-day=50G"]);
    assert!(unknown.contains("`--tbw 150T` states those"), "{unknown}");
    let known = lasts(&["--writes-per-day=50G", "--tbw=150T"]);
    assert!(known.contains("reach their rated writes after"), "{known}");
    let predicted = bench.finish(with(
        bench.command(),
        [
            "predict",
            "--device=sata-ssd",
            "--array=raid10:4",
            "--workload=randwrite:4K",
            "--kernel=6.12",
            "--writes-per-day=50G",
            "--tbw=150T",
            "--format=csv",
        ],
    ));
    assert_eq!(predicted.code, Some(0), "{}", predicted.transcript());
}

/// A signal once lost all that was found.
#[test]
fn a_signal_gives_the_best_so_far_and_what_was_not_looked_at() {
    let Some(bench) = Bench::new() else { return };
    let mut command = with(
        bench.command(),
        [
            "advise",
            "--devices=8 x sata-ssd",
            "--workload=mysql-in-vm",
            "--kernel=6.12",
            "--front",
        ],
    );
    command
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_secs(4));
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let done = child.wait_with_output().unwrap();
    let (text, said) = (
        String::from_utf8_lossy(&done.stdout).into_owned(),
        String::from_utf8_lossy(&done.stderr).into_owned(),
    );
    assert_eq!(done.status.code(), Some(2), "{text}{said}");
    let is_known = text.starts_with("Build ") && text.contains("Stopped early");
    assert!(
        is_known || said.contains("stopped before a design"),
        "{text}{said}"
    );
}
