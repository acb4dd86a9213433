//! A first answer in one line: words instead of a file, shipped studies, job files, names of runs.
//!
//! The failure: a new user typed 16 commands to compare four arrays for a database, and met five dead
//! ends. The option was called `--workload` in one command only, `iodepth` was unknown, the shipped
//! studies were in a directory of the source, and the name that a run had been given led nowhere.

use std::fs;

use expect_test::expect;

use crate::support::{Bench, Done, at, with};

fn answer(bench: &Bench, words: &str) -> Done {
    let mut command = with(bench.command(), words.split_whitespace());
    command.arg("--store").arg(bench.store_path());
    bench.finish(command)
}

/// Runs a command that needs no store.
fn plain(bench: &Bench, words: &str) -> Done {
    bench.finish(with(bench.command(), words.split_whitespace()))
}

fn refused(done: &Done, words: &str) {
    assert_eq!(done.code, Some(2), "{}", done.transcript());
    assert!(
        done.stderr.contains(words),
        "{words}: {}",
        done.transcript()
    );
}

#[test]
fn words_are_measured_and_saved_as_the_study_that_they_stand_for() {
    let Some(bench) = Bench::new() else { return };
    let target = bench.target();
    let words = format!(
        "run --workload randread:4k --workload rw=write:bs=64k:numjobs=2 --size 1M --runtime 1 \
         --budget 9s --target {} --save q.toml --json",
        target.display()
    );
    let done = answer(&bench, &words);
    assert!(done.code.is_some(), "{}", done.transcript());
    let saved = fs::read_to_string(bench.path("q.toml")).unwrap();
    expect![[r#"
        [stack.here]
        [workload.randread-4K]
        pattern = "randread"
        block_size = "4k"
        direct = true
        size = "1M"
        [workload.write-64K-jobs2]
        pattern = "write"
        block_size = "64k"
        direct = true
        size = "1M"
        jobs = 2
        [repeat]
        sample = "1s"
    "#]]
    .assert_eq(&saved);
    let document: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(at(&document, "/run/study"), "randread-4K, write-64K-jobs2");
    assert_eq!(plain(&bench, "study q.toml").code, Some(0));
    refused(
        &plain(&bench, "study --workload read:1M --save q.toml"),
        "already exists",
    );
    bench.assert_clean();
}

#[test]
fn modelled_disks_are_for_the_model_and_a_study_takes_no_words() {
    let Some(bench) = Bench::new() else { return };
    for (words, expected) in [
        (
            "run --workload randread:4K --array raid5:4",
            "`--array` has no effect with `--world metal`",
        ),
        (
            "run --workload randread:4K --device sata-ssd",
            "`[may_destroy]` of a study alone",
        ),
        (
            "run --workload randread:4K --world model",
            "the question names no device",
        ),
        ("run --device sata-ssd --world model", "no `--workload`"),
        // Words ask for no state in a guest, which has none.
        (
            "run --workload randread:4K --device sata-ssd --world lab --cache nowhere",
            "no guest",
        ),
        (
            "run --workload randread:4K --cores 2",
            "`--cores` has no effect with `--world metal`",
        ),
        (
            "run --workload randread:4K --device sata-ssd --world lab --state fresh",
            "`--state` has no effect with `--world lab`",
        ),
        (
            "run mirrored-reads --iodepth 4",
            "`--depth` has no effect beside the study `mirrored-reads`",
        ),
        (
            "run mirrored-reads --sample 1s",
            "`--sample` has no effect beside a study",
        ),
        (
            "predict --workload mysql --device sata-ssd",
            "did you mean `mysql-in-vm`?",
        ),
        ("predict --workload oltp", "the question names no device"),
        (
            "predict --device sata-ssd --array raid5:4:64K --chunk 64 --workload oltp",
            "`--chunk 64K` and `--array raid5:4:64K` both set the chunk",
        ),
        (
            "predict --device sata-ssd --array raid5:4:5 --workload oltp",
            "a chunk is in KiB, or has a unit",
        ),
    ] {
        refused(&plain(&bench, words), expected);
    }
    assert!(!bench.store_path().exists());
    // The same question in our words, and in those of fio and mdadm.
    let ours = plain(
        &bench,
        "predict --device sata-ssd --array raid5:4:64K --workload randrw:4K:mix=70/30:depth=8 --kernel 6.12 --json",
    );
    let theirs = plain(
        &bench,
        "predict --device sata-ssd --array raid5 --raid-devices 4 --chunk 64 --iodepth 8 \
         --workload rw=randrw:bs=4k:rwmixread=70 --kernel 6.12 --json",
    );
    assert_eq!(ours.code, Some(0), "{}", ours.transcript());
    assert_eq!(ours.stdout, theirs.stdout);
}

#[test]
fn a_shipped_study_is_taken_by_its_name_and_a_file_by_its_path() {
    let Some(bench) = Bench::new() else { return };
    let listed = plain(&bench, "studies --json");
    let list: serde_json::Value = serde_json::from_str(&listed.stdout).unwrap();
    let studies = at(&list, "/studies").as_array().unwrap();
    assert!(studies.len() > 30, "{listed:?}", listed = listed.stdout);
    // Profiles and traces beside them are in the program, too.
    for name in ["raid-level", "fsync", "trace"] {
        let done = plain(&bench, &format!("study {name}"));
        assert_eq!(done.code, Some(0), "{}", done.transcript());
    }
    let shown = plain(&bench, "studies demo");
    let file = bench.write("demo", &shown.stdout.replace("256M", "128M"));
    let cell = |words: &str| {
        let done = plain(&bench, words);
        let document: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
        at(&document, "/files_bytes").as_u64().unwrap()
    };
    let from_name = cell("study demo --json");
    assert_eq!(cell("study ./demo --json") * 2, from_name);
    fs::remove_file(file).unwrap();
    refused(
        &plain(&bench, "study raid-levle"),
        "did you mean `raid-level`?",
    );
    bench.write("mine", "");
    refused(
        &plain(&bench, "study mine"),
        "a file of that name is `./mine`",
    );
    refused(
        &plain(&bench, "studies raid-levle"),
        "did you mean `raid-level`?",
    );
}

#[test]
fn a_run_is_named_by_its_name_wherever_by_its_number() {
    let Some(bench) = Bench::new() else { return };
    for _ in 0..3 {
        let done = answer(
            &bench,
            "run --workload randread:4K --device sata-ssd --world model --kernel 6.12",
        );
        assert_eq!(done.code, Some(0), "{}", done.transcript());
    }
    for words in ["rename 1 before", "rename 2 after"] {
        let done = answer(&bench, words);
        assert_eq!(done.code, Some(0), "{words}: {}", done.transcript());
    }
    // Each command that takes a run, in the order of `every_run_on_the_command_line_may_be_a_name`.
    for words in [
        "resume BEFORE",
        "show BEFORE",
        "compare BEFORE AFTER",
        "report BEFORE AFTER -o both.html",
        "export BEFORE AFTER --format csv",
        "calibrate --run BEFORE --out made",
        "restore --forget AFTER",
        "ack BEFORE known --by ops",
        "rename BEFORE before",
        "delete AFTER",
    ] {
        let said = |before: &str, after: &str| {
            let words = words.replace("BEFORE", before).replace("AFTER", after);
            answer(&bench, &words).transcript()
        };
        let by_number = said("1", "2");
        assert_eq!(said("before", "after"), by_number, "{words}");
        assert!(!by_number.contains("Usage"), "{words}: {by_number}");
    }
    for (words, code) in [
        ("rename before earlier", Some(0)),
        ("rename 3 earlier", Some(0)),
    ] {
        let done = answer(&bench, words);
        assert_eq!(done.code, code, "{words}: {}", done.transcript());
    }
    refused(
        &answer(&bench, "show earlier"),
        "2 runs have the name `earlier`: 1, 3",
    );
    refused(
        &answer(&bench, "show before"),
        "no run has the name `before`",
    );
    refused(&answer(&bench, "show aftre"), "did you mean `after`?");
    refused(
        &answer(&bench, "rename 1 2026"),
        "`2026` cannot be a name: commands read it as the number of a run",
    );
    refused(
        &answer(&bench, "rename 1 latest"),
        "`latest` cannot be a name: commands read it as the run that was started last",
    );
    refused(
        &answer(&bench, "rename 1 1:2"),
        "`1:2` cannot be a name: commands read it as a cell of another run",
    );
    assert_eq!(answer(&bench, "delete earlier --yes").code, Some(2));
}

#[test]
fn a_job_file_is_run_as_the_study_that_says_the_same() {
    let Some(bench) = Bench::new() else { return };
    bench.write(
        "good.fio",
        "[global]\nsize=1m\nruntime=1\n[scan]\nrw=read\nbs=64k\n",
    );
    bench.write("odd", "[a]\nrw=read\nsize=1m\nzonemode=zbd\n");
    let study = plain(&bench, "study good.fio --save good.toml");
    assert_eq!(study.code, Some(0), "{}", study.transcript());
    assert_eq!(
        study.stdout,
        fs::read_to_string(bench.path("good.toml")).unwrap()
    );
    assert!(study.stdout.contains("[workload.scan]"), "{}", study.stdout);
    let run = answer(
        &bench,
        &format!(
            "run good.fio --budget 8s --target {}",
            bench.target().display()
        ),
    );
    assert!(
        run.stdout
            .contains("What do the jobs of good.fio give here?"),
        "{}",
        run.transcript()
    );
    // Why an option is left out was English in every language.
    bench.write(
        "more.fio",
        "[a]\nrw=write\nsize=1m\nthread\nzonemode=zbd\nrandseed=7\nbs=4k\nbssplit=4k/50:8k/50\n",
    );
    let german = plain(&bench, "study more.fio --language de").stderr;
    for said in [
        "weggelassen: `randseed=7`: jede Messung hat einen eigenen Startwert",
        "Warnung: keine Studie sagt `zonemode=zbd`: kein Schlüssel einer Studie sagt es",
        "weggelassen: `bs=4k`: fio nimmt stattdessen `bssplit`",
        "Hinweis: fios eigene Puffer",
    ] {
        assert!(german.contains(said), "{said}: {german}");
    }
    let odd = plain(&bench, "study ./odd");
    assert!(
        odd.stderr.contains("warning: no study says `zonemode=zbd`"),
        "{}",
        odd.transcript()
    );
    let run = answer(
        &bench,
        &format!("run ./odd --target {}", bench.target().display()),
    );
    refused(&run, "without which its loads are others");
    bench.assert_clean();
}

#[test]
fn a_job_file_is_asked_of_arrays_that_are_named_beside_it() {
    let Some(bench) = Bench::new() else { return };
    bench.write(
        "disk.fio",
        "[a]\nrw=randread\nbs=4k\nsize=64m\nfilename=/dev/sdb\niodepth=4\nioengine=libaio\ncpus_allowed=0\n",
    );
    let on = "--device sata-ssd --count 4 --array raid10 --array raid5 --chunk 32 --chunk 64K --governor powersave";
    let study = plain(&bench, &format!("study disk.fio {on}"));
    assert_eq!(study.code, Some(0), "{}", study.transcript());
    for said in [
        "raid10-4-32K",
        "raid5-4-64K",
        "cpus = \"0\"",
        "governor = \"powersave\"",
    ] {
        assert!(study.stdout.contains(said), "{said}: {}", study.stdout);
    }
    let text = fs::read_to_string(bench.path("disk.fio")).unwrap();
    bench.write("disk.fio", &text.replace("cpus_allowed=0", ""));
    let run = answer(&bench, &format!("run disk.fio --world model {on}"));
    assert_eq!(run.code, Some(0), "{}", run.transcript());
    refused(
        &answer(&bench, "run disk.fio --world model"),
        "it is a device",
    );
    refused(
        &answer(&bench, "run disk.fio --device sata-ssd --target ."),
        "`--device` has no effect with `--world metal`",
    );
}

#[test]
fn a_prediction_of_several_arrays_says_which_one_to_choose() {
    let Some(bench) = Bench::new() else { return };
    let predict = "predict --device sata-ssd --count 4 --kernel 6.12";
    let says = |more: &str| {
        let done = plain(&bench, &format!("{predict} {more}"));
        assert_eq!(done.code, Some(0), "{}", done.transcript());
        done.stdout.lines().next().unwrap().to_owned()
    };
    let small = says("--array raid5 --array raid10 --array raid0 --workload randwrite:4K:depth=8");
    // The drives of a class differ more than the two arrays do.
    assert!(
        small.contains("raid0 512K is ahead, but not beyond doubt; 4 x raid10"),
        "{small}"
    );
    let chunks = says("--array raid10 --chunk 64K --chunk 128K --workload randread:4K");
    assert!(
        chunks.contains("all of them are the same within 5"),
        "{chunks}"
    );
    let loads =
        "--workload randread:4K --workload read:1M --workload write:1M --workload randwrite:4K";
    let several = says(&format!("--array raid5 --array raid10 {loads}"));
    assert!(
        several.contains("On average over 4 loads: 4 x raid10"),
        "{several}"
    );
}

#[test]
fn an_option_that_is_given_twice_says_how_to_compare() {
    let Some(bench) = Bench::new() else { return };
    let predict = "predict --device sata-ssd --workload randread:4K";
    for (words, tip) in [
        (
            format!("{predict} --governor performance --governor powersave"),
            "--save FILE` writes a study; a list in it compares several",
        ),
        (
            format!("{predict} --depth 1 --depth=8"),
            "--workload randread:4K:depth=1 --workload randread:4K:depth=8",
        ),
        (
            format!("{predict} --host default --host desktop-2022"),
            "give it once; to compare several, run the command once for each",
        ),
        (
            "check --root a --root b".to_owned(),
            "run the command once for each",
        ),
        ("runs --json --json".to_owned(), "tip: give it once\n"),
    ] {
        let done = plain(&bench, &words);
        refused(&done, "cannot be used multiple times");
        assert!(done.stderr.contains(tip), "{words}: {}", done.transcript());
    }
    // What the advice says works.
    let saved = plain(
        &bench,
        "study --device sata-ssd --workload randread:4K --governor performance --save two.toml",
    );
    assert_eq!(saved.code, Some(0), "{}", saved.transcript());
    let text = fs::read_to_string(bench.path("two.toml")).unwrap();
    let two = text.replace(
        "governor = \"performance\"",
        "governor = [\"performance\", \"powersave\"]",
    );
    assert_ne!(two, text, "{text}");
    bench.write("two.toml", &two);
    let run = answer(&bench, "run ./two.toml --world model");
    assert_eq!(run.code, Some(0), "{}", run.transcript());
}

#[test]
fn options_of_fio_and_mdadm_are_understood_or_answered_with_ours() {
    let Some(bench) = Bench::new() else { return };
    let study = "study --device sata-ssd --workload randread:4K";
    let array = |word: &str| plain(&bench, &format!("{study} --array {word}")).stdout;
    for (theirs, ours) in [
        ("5:4", "raid5:4"),
        ("RAID5:4", "raid5:4"),
        ("mirror:2", "raid1:2"),
        ("stripe:2", "raid0:2"),
        ("raid-5:4:chunk=64", "raid5:4:64K"),
        ("raid5:4 --chunk-size 64", "raid5:4:64K"),
        ("raid10:far2:4 --fs ext4", "raid10:f2:4 --filesystem ext4"),
    ] {
        let said = array(ours);
        assert!(!said.is_empty());
        assert_eq!(array(theirs), said, "{theirs}");
    }
    for (words, tip) in [
        ("--level 5", "parts of the array: `--array raid10:f2:4`"),
        ("--layout f2", "parts of the array"),
        ("--ioengine libaio", "a key of the load"),
        ("--filename /dev/sdb", "under `[may_destroy]`"),
        ("--raid10", "parts of the array"),
        ("-n 4", "`--count 4`"),
        ("--norandommap", "a key of the load"),
        ("--ramp_time 5", "`steady_state` in `[repeat]`"),
    ] {
        let done = plain(&bench, &format!("{study} {words}"));
        refused(&done, "unexpected argument");
        assert!(done.stderr.contains(tip), "{words}: {}", done.transcript());
        assert!(!done.stderr.contains("similar"), "{words}: {}", done.stderr);
    }
    let load = |word: &str| {
        let words = format!("study --device sata-ssd --workload {word}");
        plain(&bench, &words).stdout
    };
    for (theirs, ours) in [
        ("4k-randread", "randread:4K"),
        ("randread-4k", "randread:4K"),
        ("4k_random_read", "randread:4K"),
        ("rand-read-64k-qd32", "randread:64K:depth=32"),
        ("randrw_70/30_8k", "randrw:8K:mix=70/30"),
        ("1M-seq-write", "write:1M"),
    ] {
        let said = load(ours);
        assert!(!said.is_empty());
        assert_eq!(load(theirs), said, "{theirs}");
    }
    refused(
        &plain(&bench, "study --device sata-ssd --workload 4k-randfoo"),
        "expected PATTERN:BLOCK, such as `randread:64K`",
    );
    let check = plain(&bench, "check --level 5");
    assert!(!check.stderr.contains("--array"), "{}", check.stderr);
}

#[test]
fn a_word_in_the_wrong_place_is_answered_with_the_command_that_is_meant() {
    let Some(bench) = Bench::new() else { return };
    for (words, expected) in [
        ("run randread:4k", "write `--workload randread:4k`"),
        ("why oltp", "write `--workload oltp`"),
        ("predict raid5:4", "an array is `--array raid5:4`"),
        ("predict oltp", "a load is `--workload oltp`"),
        ("advise 4 x sata-ssd", "`--devices \"4 x sata-ssd\"`"),
        ("bench", "`stripewise run --workload"),
        ("simulate", "`stripewise predict`"),
        ("characterize trace.log", "`--from trace.log`"),
    ] {
        refused(&plain(&bench, words), expected);
    }
}

/// `r5` of one run once was the same stack as `r10` of another, without a word.
#[test]
fn different_stacks_are_compared_only_if_that_is_asked() {
    let Some(bench) = Bench::new() else { return };
    let study = |name: &str, level: &str| {
        format!(
            "kernel = \"6.12\"\n[stack.{name}]\ndevices = {{ sata-ssd = 4 }}\narray = {{ level = \"{level}\", chunk = \"64K\" }}\n[workload]\npattern = \"randread\"\nsize = \"1G\"\n"
        )
    };
    for (file, name, level) in [
        ("r5.toml", "r5", "raid5"),
        ("r10.toml", "r10", "raid10"),
        ("again.toml", "again", "raid5"),
    ] {
        bench.write(file, &study(name, level));
        let done = answer(&bench, &format!("run {file} --world model"));
        assert_eq!(done.code, Some(0), "{}", done.transcript());
    }
    let apart = answer(&bench, "compare 1 2");
    refused(&apart, "the stacks of the two runs differ: `r5`");
    refused(&apart, "`--ignore stack` compares them");
    let asked = answer(&bench, "compare 1 2 --ignore stack");
    assert_eq!(asked.code, Some(0), "{}", asked.transcript());
    let same = answer(&bench, "compare 1 3");
    assert_eq!(same.code, Some(0), "{}", same.transcript());
    let said = same.stdout.replace('\n', " ");
    assert!(
        said.contains("“r5” is the same stack as “again”"),
        "{}",
        same.transcript()
    );
}

/// The failure: `--save` wrote its file, then the run was refused, and the corrected command found the
/// file in its way.
/// `predict job1.fio` said "unexpected argument" alone, `write:3000` proposed a depth, and two devices that an
/// array needed "need an array; name one" beside two named ones.
#[test]
fn words_at_the_wrong_place_are_told_where_they_belong() {
    let Some(bench) = Bench::new() else { return };
    for (words, tip) in [
        (
            "predict job1.fio",
            "`stripewise run job1.fio --world model`",
        ),
        ("predict block-size", "`stripewise why block-size`"),
        (
            "predict --device sata-ssd --workload write:3000",
            "`3000` is no block size",
        ),
        (
            "predict --device sata-ssd --workload write:4K:3000",
            "write `depth=3000`",
        ),
        (
            "predict --device 2xnvme-ssd --array raid1:2 --array none --workload randread:4K",
            "leave `--array none` out",
        ),
        (
            "predict --device 2xnvme-ssd --workload randread:4K",
            "name one, such as `--array raid1`",
        ),
    ] {
        refused(&plain(&bench, words), tip);
    }
}

/// Four loads stood under one name, "randwrite 4K", and the CSV called that of an `fsync` so, too.
#[test]
fn loads_of_an_answer_have_what_tells_them_apart_in_their_names() {
    let Some(bench) = Bench::new() else { return };
    let loads = [
        ("randwrite:4K", "randwrite 4K"),
        ("randwrite:4K:fsync=1", "randwrite 4K fsync every 1"),
        ("randwrite:4K:sync=dsync", "randwrite 4K sync dsync"),
        ("randwrite:4K:think_time=1ms", "randwrite 4K think time 1ms"),
    ];
    let words = |loads: &[(&str, &str)], more: &str| {
        let loads = loads.iter().map(|(load, _)| format!(" --workload {load}"));
        let loads: String = loads.collect();
        let done = plain(
            &bench,
            &format!("predict --device sata-ssd --array raid5:4{loads}{more}"),
        );
        assert_eq!(done.code, Some(0), "{}", done.transcript());
        done.stdout
    };
    let rows = words(&loads, " --format csv");
    for (_, name) in loads {
        assert_eq!(
            rows.matches(&format!(",{name},")).count(),
            1,
            "{name}: {rows}"
        );
    }
    let one = words(&loads[1..2], " --format csv");
    assert!(one.contains(",randwrite 4K fsync every 1,"), "{one}");
    // The size of the file is named where it is what differs.
    let sizes = [("randread:4K:size=1G", ""), ("randread:4K:size=2G", "")];
    let rows = words(&sizes, " --format csv");
    assert!(rows.contains("randread 4K file size 1G"), "{rows}");
}

/// Loads that differ in several keys made a matrix with one number in each row, under heads such as
/// "blocks drawn one by one -: 3".
#[test]
fn loads_that_differ_in_several_keys_are_a_list_of_cells() {
    let Some(bench) = Bench::new() else { return };
    bench.write(
        "two.toml",
        "[stack.here]\n[workload.a]\npattern = \"randread\"\nsize = \"1M\"\nnorandommap = true\n\
         [workload.b]\npattern = \"write\"\nblock_size = \"8K\"\nsize = \"1M\"\n",
    );
    let mut command = bench.command();
    command.args(["study", "two.toml", "--language", "de"]);
    command.env("COLUMNS", "80");
    let said = bench.finish(command).stdout;
    assert!(said.contains("Zelle") && !said.contains("-: "), "{said}");
}

/// The middle of fio's bin made the 99th percentile of equal times lower than their mean.
#[test]
fn the_slowest_are_not_faster_than_the_mean() {
    let Some(bench) = Bench::new() else { return };
    for words in [
        "predict --device sata-ssd --array raid5:4 --workload randwrite:4k:fdatasync=1:sync=1 --json",
        "predict --device nvme-ssd --array raid10:4 --workload write:1m:direct=0 --json",
    ] {
        let answer = bench.json(with(bench.command(), words.split(' ')));
        let time = |key: &str| answer["cells"][0]["estimates"][key]["value"].as_f64();
        let (mean, p99) = (time("latency_ns_mean"), time("latency_ns_p99"));
        assert!(mean.is_some() && p99 >= mean, "{words}: {mean:?} {p99:?}");
    }
}

/// A column with one name in all rows took the room of the 99th percentile.
#[test]
fn a_name_that_all_rows_have_is_told_once_above_a_table_that_is_too_wide() {
    let Some(bench) = Bench::new() else { return };
    let predict = |columns: &str| {
        let mut command = bench.command();
        let words = "predict --device sata-ssd --array raid5:4:64K --array raid10:4:64K --workload randwrite:4K:depth=8";
        command.args(words.split(' ')).env("COLUMNS", columns);
        bench.finish(command).stdout
    };
    let narrow = predict("80");
    assert!(
        narrow.contains("\nworkload: randwrite 4K depth 8\n"),
        "{narrow}"
    );
    assert!(narrow.contains("p99"), "{narrow}");
    let wide = predict("160");
    assert!(!wide.contains("workload: "), "{wide}");
}

/// A table of two arrays said nothing of the rebuild, and its foot named the failed disk alone.
#[test]
fn a_rebuild_is_named_with_its_time() {
    let Some(bench) = Bench::new() else { return };
    let words = "predict --device hdd-7200 --array raid5:4 --array raid6:4 --failed 1 --rebuild --workload randread:64K:depth=4";
    let done = plain(&bench, words);
    let foot = "disk1 failed, and disk1 rebuilt beside the load";
    assert!(
        done.stdout.replace('\n', " ").contains(foot),
        "{}",
        done.transcript()
    );
    // The requests of the rebuild were called pieces of the load's I/Os, and a failed disk an idle one.
    let words_alone = words.replace("--array raid6:4 --failed 1 --rebuild", "--failed 1");
    let alone = plain(&bench, &words_alone).stdout;
    assert!(!alone.contains("of 4 disks"), "{alone}");
    let rows = plain(&bench, &format!("{words} --format csv")).stdout;
    let head = rows.lines().next().unwrap();
    assert!(head.contains("rebuild"), "{rows}");
    let one = plain(&bench, &words.replace("--array raid6:4 ", "")).stdout;
    assert!(
        one.replace('\n', " ").contains("for a whole device"),
        "{one}"
    );
    assert!(!one.contains("Chunks cut"), "{one}");
}

#[test]
fn a_run_that_is_refused_saves_no_study() {
    let Some(bench) = Bench::new() else { return };
    for (words, problem) in [
        (
            "run --workload randread:4K --device no-such-disk --world model",
            "no-such-disk",
        ),
        (
            "run --workload randread:4K --target no-such-directory",
            "no-such-directory",
        ),
        (
            "run --workload randread:4K --memory 1G",
            "`--memory` has no effect",
        ),
        (
            "run --workload randread:4K --device sata-ssd --world lab --cache empty",
            "no guest is prepared",
        ),
        (
            "why --workload randread:4K --device no-such-disk",
            "no-such-disk",
        ),
    ] {
        let words = format!("{words} --save q.toml");
        let done = match words.starts_with("why") {
            true => plain(&bench, &words),
            false => answer(&bench, &words),
        };
        refused(&done, problem);
        assert!(!bench.path("q.toml").exists(), "{words}");
    }
    let saved = answer(
        &bench,
        "run --workload randread:4K --device sata-ssd --world model --sample 9s --save q.toml",
    );
    assert_eq!(saved.code, Some(0), "{}", saved.transcript());
    assert!(bench.path("q.toml").exists());
}

#[test]
fn words_that_change_nothing_are_refused() {
    let Some(bench) = Bench::new() else { return };
    for (words, problem) in [
        (
            "run --workload randwrite:4K --writes-per-day 50G",
            "`--writes-per-day` has no effect with `--world metal`",
        ),
        (
            "run --workload randread:4K --device sata-ssd --world model --sample 9s",
            "`--sample` has no effect with `--world model`",
        ),
        (
            "pull-plug four-ssd-random --world metal --kernel 6.1",
            "`--kernel` has no effect with `--world metal`",
        ),
    ] {
        refused(&answer(&bench, words), problem);
    }
    refused(
        &plain(
            &bench,
            "why --workload randread:4K --device sata-ssd --sample 9s",
        ),
        "`--sample` has no effect here",
    );
}
