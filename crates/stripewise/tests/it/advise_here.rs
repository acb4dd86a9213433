//! `advise --here`. The failure: advice on what to build does not say whether to leave what is there.

use serde_json::Value;

use crate::explain::tree;
use crate::support::{Bench, Done, with};

/// The example host: RAID 10 n2 512K of four Samsung 850 EVO, without a bitmap.
const HOST: &str = "host";

fn asked(bench: &Bench, changed: &[(&str, &str)], words: &[&str]) -> Done {
    tree(bench, HOST, changed);
    let all = ["advise", "--facts=host", "--chunk=32K", "--chunk=512K"];
    bench.finish(with(bench.command(), all.iter().chain(words)))
}

fn text(done: &Done) -> String {
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    done.stdout.replace('\n', " ")
}

fn here(done: &Done) -> Value {
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    let answer: Value = serde_json::from_str(&done.stdout).unwrap();
    answer["here"].clone()
}

/// As if it had these: RAID 5 of them is slower than RAID 10 for small writes.
const HARD_DISKS: &str = "--devices=4 x hdd-7200";

/// What differs of the host, what else is asked, and what is said.
type Case<'a> = (&'a [(&'a str, &'a str)], &'a [&'a str], &'a str);

/// What makes the example host one with RAID 5.
const RAID5: [(&str, &str); 3] = [
    ("sys/block/md0/md/level", "raid5"),
    ("sys/block/md0/md/layout", "2"),
    ("sys/block/md0/md/chunk_size", "65536"),
];

#[test]
fn what_is_as_good_stays() {
    let Some(bench) = Bench::new() else { return };
    let done = asked(&bench, &[], &["--workload=randread:4K"]);
    let said = text(&done);
    assert!(
        said.starts_with("Stay with md0, 4 x raid10 n2 512K: nothing"),
        "{said}"
    );
    // Nothing is built, and what is assumed is what the array does.
    assert!(!said.contains("mdadm --create"), "{said}");
    assert!(
        said.contains("what md0 does now is assumed: any 1 device may fail, at least"),
        "{said}"
    );
    // The kernel shows 16 characters of the model; with the size that is one profile.
    assert!(said.contains("Its drives (Samsung SSD 850)"), "{said}");
    assert!(
        said.contains("`samsung-850-evo-500`, the profile of a model whose name begins so"),
        "{said}"
    );
    // It has no bitmap, and the designs have one.
    assert!(said.contains("which was added to the designs"), "{said}");
    assert!(done.stdout.contains("(md0)"), "{}", done.stdout);
}

#[test]
fn what_is_much_slower_moves_with_what_the_move_takes() {
    let Some(bench) = Bench::new() else { return };
    // Without a requirement, all the space of RAID 5 would be one.
    let load = [
        "--workload=randwrite:4K:depth=8",
        "--require=survive=1",
        HARD_DISKS,
    ];
    let said = text(&asked(&bench, &RAID5, &load));
    let is_move = said.starts_with("Build 4 x raid10") || said.starts_with("Perhaps build 4 x");
    assert!(
        is_move && said.contains("instead of md0, 4 x raid5 64K"),
        "{said}"
    );
    for expected in [
        "more than md0",
        "what takes an hour now takes",
        "back up the data of md0",
        "It cannot be undone",
        "mdadm --create",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    let found = here(&asked(&bench, &RAID5, &[&load[..], &["--json"]].concat()));
    assert_eq!(found["array"], "md0");
    assert_eq!(found["words"], "raid5:left-symmetric:4:64K");
    assert_eq!(found["effort"]["how"], "anew");
    let times = &found["times"];
    let (low, high) = (&times["interval"]["low"], &times["interval"]["high"]);
    let number = |value: &Value| value.as_f64().unwrap();
    assert!(number(low) <= number(&times["times"]) && number(&times["times"]) <= number(high));
    assert!(number(&found["effort"]["sync_ns"]) > 60e9, "{found}");
}

/// A filesystem on it says how much it holds: no more is required, and copying it back takes its time.
#[test]
fn the_data_that_is_there_is_what_has_to_fit() {
    let Some(bench) = Bench::new() else { return };
    let mut host = RAID5.to_vec();
    host.extend([
        ("proc/mounts", "/dev/md0 /srv ext4 rw 0 0\n"),
        (
            "sos_commands/filesys/df_-al_-x_autofs",
            "Filesystem 1K-blocks Used Available Use% Mounted on\n/dev/md0 976000000 97600000 878400000 10% /srv\n",
        ),
    ]);
    let words = ["--workload=randwrite:4K:depth=8", "--here=/srv", HARD_DISKS];
    let said = text(&asked(&bench, &host, &words));
    for expected in [
        "at least 93 GiB of data",
        "the 93.12 GiB of data of md0",
        "To copy back takes at least",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
}

#[test]
fn another_chunk_is_a_reshape() {
    let Some(bench) = Bench::new() else { return };
    let bitmap = [
        ("sys/block/md0/md/bitmap/location", "+8"),
        ("sys/block/md0/md/bitmap/chunksize", "67108864"),
    ];
    let load = ["--workload=randread:128K", "--json"];
    let found = here(&asked(&bench, &bitmap, &load));
    assert_eq!(found["is_searched"], true, "{found}");
    assert_eq!(found["effort"]["how"], "reshape", "{found}");
    let command = "mdadm --grow /dev/md0 --chunk=32K --backup-file=/root/md0-reshape";
    assert_eq!(found["effort"]["command"], command);
}

#[test]
fn an_array_that_does_not_do_what_is_required_is_compared_all_the_same() {
    let Some(bench) = Bench::new() else { return };
    let raid0 = [
        ("sys/block/md0/md/level", "raid0"),
        ("sys/block/md0/md/layout", "0"),
    ];
    let load = "--workload=randread:4K";
    // As it is, it stays: nothing was required of it.
    let said = text(&asked(&bench, &raid0, &[load]));
    assert!(said.starts_with("Stay with md0, 4 x raid0 512K"), "{said}");
    assert!(
        said.contains("no device has to be allowed to fail"),
        "{said}"
    );
    let said = text(&asked(&bench, &raid0, &[load, "--require=survive=1"]));
    assert!(said.starts_with("Build 4 x raid"), "{said}");
    assert!(
        said.contains("md0 does not do what is required: it survives 0 failed devices, not 1"),
        "{said}"
    );
}

#[test]
fn what_cannot_be_a_design_is_said_with_the_reason() {
    let Some(bench) = Bench::new() else { return };
    // Far copies in sets of devices, for which mdadm has no name.
    let sets = [("sys/block/md0/md/layout", "131585")];
    let said = text(&asked(&bench, &sets, &["--workload=randread:4K"]));
    assert!(said.starts_with("Build 4 x"), "{said}");
    assert!(
        said.contains("md0 is not compared, so it is not known whether the move is worth it"),
        "{said}"
    );
    assert!(said.contains("mdadm has no name for 131585"), "{said}");
}

#[test]
fn what_is_not_known_of_the_machine_is_asked_and_never_guessed() {
    let Some(bench) = Bench::new() else { return };
    let load = "--workload=randread:4K";
    let other = ("sys/block/sdb/device/model", "WDC WD40EFRX-68N");
    let cases: [Case; 6] = [
        (
            &[other],
            &[],
            "no profile is of the drive `WDC WD40EFRX-68N` (`sdb`, a member of md0)",
        ),
        (
            &[],
            &["--devices=6 x sata-ssd"],
            "`--devices` has 6 devices, and md0 has 4",
        ),
        (
            &[("sys/block/md1/md/array_state", "clean")],
            &[],
            "has several arrays: md0, md1",
        ),
        (
            &[],
            &["--here=/dev/sda"],
            "`/dev/sda` does not stand on an md array",
        ),
        (
            &[("sys/block/sdb/device/model", "")],
            &[],
            "the model of `sdb`, a member of md0, is not known",
        ),
        (
            &[
                ("sys/block/sdb/device/model", "INTEL SSDPE2KX020T7"),
                ("sys/block/sdb/size", "3907029168"),
            ],
            &[],
            "the members of md0 are of different models: `sda` and `sdb`",
        ),
    ];
    for (changed, words, said) in cases {
        let folder = bench.path(HOST);
        let _ = std::fs::remove_dir_all(&folder);
        let done = asked(&bench, changed, &[&[load], words].concat());
        assert_eq!(done.code, Some(2), "{}", done.transcript());
        let shown = done.stderr.replace('\n', " ");
        assert!(shown.contains(said), "{said}: {}", done.transcript());
        assert!(shown.contains("hint: "), "{}", done.transcript());
    }
    // Named devices are taken.
    let _ = std::fs::remove_dir_all(bench.path(HOST));
    let words = [load, "--devices=4 x sata-ssd", "--here=md0", "--json"];
    let found = here(&asked(&bench, &[other], &words));
    assert_eq!(found["profile"], "sata-ssd");
    assert_eq!(found["fit"], Value::Null);
}

#[test]
fn germans_read_it_in_german_and_a_narrow_terminal_shows_all() {
    let Some(bench) = Bench::new() else { return };
    tree(&bench, HOST, &RAID5);
    let words = [
        "advise",
        "--facts=host",
        "--chunk=512K",
        "--workload=randwrite:4K:depth=8",
        "--require=survive=1",
        HARD_DISKS,
        "--language=de",
    ];
    let mut command = with(bench.command(), words);
    command.env("COLUMNS", "40");
    let done = bench.finish(command);
    let said = text(&done);
    assert!(said.contains("statt md0, 4 x raid5 64K"), "{said}");
    assert!(
        said.contains("Rückgängig machen lässt sich das nicht"),
        "{said}"
    );
    let prose = done.stdout.split("\n\n").next().unwrap();
    assert!(
        prose.lines().all(|line| line.chars().count() <= 40),
        "{prose}"
    );
}
