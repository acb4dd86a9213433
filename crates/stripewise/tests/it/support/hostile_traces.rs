//! Traces whose devices, processes and lines are hostile, and sides of `explain`.

use super::{Case, Fixture, STUDY, evil, evil_in_toml};

/// Returns the cases of `explain`: runs of which each text is hostile, their cells, and trees.
fn explained(fixture: &Fixture) -> Vec<Case> {
    let (first, twin, evil) = (fixture.runs.first, fixture.runs.twin, evil());
    let cases = [
        ("runs", format!("{first} {twin}")),
        ("one run", format!("{first}")),
        ("a side", format!("{first} {evil}")),
        ("a cell", format!("{first}:{evil} {twin}")),
        ("a tree", format!("{first} {twin} --facts-after {evil}")),
    ];
    let case = |(place, words): (&str, String)| Case::new("explain", place, &words);
    let cases = cases.into_iter().map(case);
    cases
        .map(|case| case.with("--store").with(fixture.bench.store_path()))
        .collect()
}

/// Returns the cases of `characterize`, of what replays a trace, and of `explain`.
pub(super) fn cases(fixture: &Fixture) -> Vec<Case> {
    let bench = &fixture.bench;
    let name = format!("{}.iolog", evil());
    let line = |device: &str| format!("{device} add\n{device} read 0 4096\n");
    let log = format!("fio version 2 iolog\n{}", line(&evil()));
    let log = bench.write(&name, &log);
    let two = format!("fio version 2 iolog\n{}{}", line(&evil()), line("other"));
    bench.write("two.iolog", &two);
    let process = format!("8,0 1 1 0.1 9 Q R 0 + 8 [{}]\n", evil());
    bench.write("process.blkparse", &process);
    bench.write("letter", &evil());
    let case = |place: &str, words: &str| Case::new("characterize", place, words);
    let mut cases = vec![
        case("the name of a device", "--json --from").with(log.clone()),
        case("an unknown device", &format!("--device {} --from", evil())).with(log.clone()),
        case("the name of a process", "--from process.blkparse"),
        case("the first line of no trace", "--from letter"),
        case("a device", &format!("--for 1s --device {}", evil())),
        case("a missing trace", &format!("--from {}-missing", evil())),
    ];
    let question = "--device test-ssd --kernel 4.1 --profiles . --array none --trace";
    for (place, trace) in [
        ("a trace of two devices", "two.iolog"),
        ("no trace", "letter"),
    ] {
        cases.push(Case::new("predict", place, &format!("{question} {trace}")));
    }
    cases.push(Case::new("predict", "the name of a trace", question).with(log));
    for (number, trace) in [
        format!(
            "{{ file = \"{}.iolog\", timing = \"flat-out\" }}",
            evil_in_toml()
        ),
        format!(
            "{{ file = \"two.iolog\", device = \"{}\" }}",
            evil_in_toml()
        ),
        "\"two.iolog\"".to_owned(),
    ]
    .iter()
    .enumerate()
    {
        let (from, to) = (STUDY.find("pattern"), STUDY.find("[repeat]"));
        let (Some(from), Some(to)) = (from, to) else {
            panic!("{STUDY}");
        };
        let baseline = STUDY.find("[compare]").unwrap_or(STUDY.len());
        let text = format!(
            "{}trace = {trace}\n{}",
            &STUDY[..from],
            &STUDY[to..baseline]
        );
        let study = bench.write(&format!("traced-{number}.toml"), &text);
        for (command, more) in [("study", ""), ("why", "--cell 1"), ("run", "--world model")] {
            cases.push(Case::new(command, "the trace of a study", more).with(&study));
        }
    }
    cases.extend(explained(fixture));
    cases
}
