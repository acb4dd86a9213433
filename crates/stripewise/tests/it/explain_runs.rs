//! `explain` of runs of the model, of one run alone, and of the experiment that proves a cause.

use serde_json::Value;

use crate::support::{Bench, Done, repository, with};

/// A study that the model runs in a moment.
const STUDY: &str = "kernel = \"6.12\"\n\
    [stack.one]\n\
    devices = { my-ssd = 1 }\n\
    [workload]\n\
    pattern = \"randwrite\"\n\
    block_size = \"4K\"\n\
    size = \"1G\"\n\
    depth = 16\n";

/// Writes a profile like the class of SATA SSDs, with some text replaced.
fn profile(bench: &Bench, place: &str, name: &str, changes: &[(&str, &str)]) {
    let path = repository().join("devices/sata-ssd.toml");
    let mut text = std::fs::read_to_string(path).unwrap();
    text = text.replacen("name = \"sata-ssd\"", &format!("name = \"{name}\""), 1);
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    let file = bench.path(place).join("devices");
    std::fs::create_dir_all(&file).unwrap();
    std::fs::write(file.join(format!("{name}.toml")), text).unwrap();
}

fn simulated(bench: &Bench, study: &str, more: &[&str]) {
    bench.write("study.toml", study);
    let words = ["run", "study.toml", "--world=model"];
    let done = bench.finish(with(bench.command(), words.iter().chain(more)));
    assert_eq!(done.code, Some(0), "{}", done.transcript());
}

fn explained(bench: &Bench, words: &[&str]) -> Done {
    bench.finish(with(bench.command(), ["explain"].iter().chain(words)))
}

fn text(done: &Done) -> String {
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    let words: Vec<&str> = done.stdout.split_whitespace().collect();
    words.join(" ")
}

/// The failure: "nothing that was recorded differs", where the profile had been edited between two runs.
#[test]
fn a_profile_of_the_same_name_with_other_numbers_is_a_fact_that_differs() {
    let Some(bench) = Bench::new() else { return };
    profile(&bench, "first", "my-ssd", &[]);
    let text_of = std::fs::read_to_string(repository().join("devices/sata-ssd.toml")).unwrap();
    let line = text_of
        .lines()
        .find(|line| line.starts_with("write_bytes_per_s"))
        .unwrap();
    profile(
        &bench,
        "second",
        "my-ssd",
        &[(line, "write_bytes_per_s = 20_000_000")],
    );
    simulated(&bench, STUDY, &["--profiles=first"]);
    simulated(&bench, STUDY, &["--profiles=second"]);
    let said = text(&explained(&bench, &["1", "2"]));
    assert!(
        !said.contains("Nothing that was recorded differs"),
        "{said}"
    );
    assert!(
        said.contains("calibrated.link.write_bytes_per_s") && said.contains("→ 20000000)"),
        "{said}"
    );
    assert!(said.contains("The kind of drive (my-ssd →"), "{said}");
}

#[test]
fn cores_that_were_asked_for_are_a_fact() {
    let Some(bench) = Bench::new() else { return };
    let study = STUDY.replace("my-ssd", "nvme-ssd");
    let study = study.replace("depth = 16", "jobs = 4\ndepth = 16");
    simulated(&bench, &format!("cores = 1\n{study}"), &[]);
    simulated(&bench, &study, &[]);
    let done = explained(&bench, &["1", "2", "--json"]);
    let found: Value = serde_json::from_str(&done.stdout).unwrap();
    let changes = found["pairs"][0]["changes"].as_array().unwrap();
    let cores = changes.iter().find(|change| change["key"] == "cores");
    assert_eq!(cores.unwrap()["before"], "1", "{}", done.stdout);
}

/// The failure: one row for all cells that wait for a disk, with the names of all of them.
#[test]
fn one_run_alone_has_a_row_for_each_stack_and_load_and_names_a_few_of_its_cells() {
    let Some(bench) = Bench::new() else { return };
    let study = "kernel = \"6.12\"\n\
        [stack.disk]\n\
        devices = { hdd-7200 = 1 }\n\
        [stack.ssd]\n\
        devices = { sata-ssd = 1 }\n\
        [workload]\n\
        pattern = [\"randread\", \"randwrite\"]\n\
        block_size = [\"4K\", \"8K\", \"16K\", \"32K\", \"64K\"]\n\
        size = \"1G\"\n";
    simulated(&bench, study, &[]);
    let done = explained(&bench, &["latest"]);
    let said = text(&done);
    for expected in ["disk", "ssd", "randread", "randwrite", "4K, 8K, 16K"] {
        assert!(said.contains(expected), "{expected}: {}", done.stdout);
    }
    assert!(said.contains("and 2 more"), "{}", done.stdout);
    let done = explained(&bench, &["latest", "--json"]);
    let found: Value = serde_json::from_str(&done.stdout).unwrap();
    let limited = found["limited"].as_array().unwrap();
    let cells: usize = limited
        .iter()
        .map(|group| group["cells"].as_array().unwrap().len())
        .sum();
    assert_eq!(cells, 20, "{}", done.stdout);
    // No row has cells of both stacks.
    let names = found["cells"].as_array().unwrap();
    for group in limited {
        let stacks = group["cells"].as_array().unwrap().iter().map(|cell| {
            let place = usize::try_from(cell.as_u64().unwrap()).unwrap();
            names[place].to_string().contains("ssd")
        });
        let stacks: Vec<bool> = stacks.collect();
        assert!(stacks.windows(2).all(|pair| pair[0] == pair[1]), "{group}");
    }
}

/// The failure: import said that the file has no size, and `explain` of the file did not.
#[test]
fn what_import_noted_about_the_files_is_said() {
    let Some(bench) = Bench::new() else { return };
    let path = repository().join("docs/explain/before.json");
    let text_of = std::fs::read_to_string(path).unwrap();
    let mut document: Value = serde_json::from_str(&text_of).unwrap();
    bench.write("one.json", &document.to_string());
    let options = document["jobs"][0]["job options"].as_object_mut().unwrap();
    options.remove("size");
    document["timestamp"] = 1_795_368_890.into();
    bench.write("other.json", &document.to_string());
    let said = text(&explained(&bench, &["one.json", "other.json"]));
    assert!(
        said.contains("After: the size of the file is not in the options"),
        "{said}"
    );
    let said = text(&explained(&bench, &["other.json"]));
    assert!(
        said.contains("Import: the size of the file is not in the options; it is shown as 0."),
        "{said}"
    );
}

#[test]
fn an_experiment_that_cannot_run_in_the_lab_says_what_is_missing() {
    let Some(bench) = Bench::new() else { return };
    let chunks = "kernel = \"6.12\"\n\
        [stack.small]\n\
        devices = { sata-ssd = 4 }\n\
        array = { level = \"raid10\", chunk = \"32K\" }\n\
        [stack.large]\n\
        devices = { sata-ssd = 4 }\n\
        array = { level = \"raid10\", chunk = \"512K\" }\n\
        [workload]\n\
        pattern = \"randread\"\n\
        block_size = \"128K\"\n\
        size = \"1G\"\n";
    simulated(&bench, chunks, &[]);
    let mut command = with(bench.command(), ["explain", "1:1", "1:2", "--prove=lab"]);
    command.env("STRIPEWISE_LAB_CACHE", bench.path("no-cache"));
    let done = bench.finish(command);
    assert_eq!(done.code, Some(2), "{}", done.transcript());
    // The answer comes first, then what is missing.
    assert!(done.stdout.contains("The chunk"), "{}", done.transcript());
    assert!(
        done.stderr.contains("stripewise lab prepare"),
        "{}",
        done.transcript()
    );
    // The processor is none of the lab's.
    let clocks = "kernel = \"6.12\"\nhost = \"i7-6700k-no-hwp\"\n\
        [stack.one]\n\
        devices = { sata-ssd = 1 }\n\
        [workload]\n\
        pattern = \"randread\"\n\
        block_size = \"4K\"\n\
        size = \"1G\"\n\
        [conditions]\n\
        governor = [\"performance\", \"powersave\"]\n";
    simulated(&bench, clocks, &[]);
    let done = explained(&bench, &["2:1", "2:2", "--prove=lab"]);
    assert_eq!(done.code, Some(2), "{}", done.transcript());
    assert!(
        done.stdout.contains("The governor")
            && done.stderr.contains("none of the lab’s")
            && done.stderr.contains("--target DIR"),
        "{}",
        done.transcript()
    );
    let refused = explained(&bench, &["1:1", "1:2", "--prove=lab", "--json"]);
    assert_eq!(refused.code, Some(2), "{}", refused.transcript());
}
