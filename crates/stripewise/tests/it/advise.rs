//! `advise`. The failure: sixteen commands and five dead ends for "which level and chunk for a database
//! on four SSDs", and then the wrong answer in large type.

use serde_json::Value;

use crate::support::{Bench, with};

const ASKED: [&str; 6] = [
    "advise",
    "--devices",
    "4 x sata-ssd",
    "--workload",
    "randwrite:4K:depth=8",
    "--kernel=6.12",
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
    assert_eq!(refused, 7, "{}", done.stdout);
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
    assert!(text.contains("7 refused"), "{text}");
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
}

#[test]
fn words_that_cannot_be_read_are_refused_with_what_can() {
    let Some(bench) = Bench::new() else { return };
    let cases: [(&[&str], &str); 6] = [
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
                "--require=price<=100",
            ],
            "cannot be judged",
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
