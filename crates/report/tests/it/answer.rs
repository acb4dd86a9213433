//! An answer that names the wrong winner is worse than none. The cases are computed by hand. In
//! some of them a winner once seemed to lose: its hardest load was missing, less was better, or
//! loads had names of their own.

use serde_json::Value;
use stripewise_study::sample::{Breakdown, Room, SampleRecord};
use stripewise_study::warning::Warning;
use stripewise_units::{Bytes, Nanos};

use crate::support::{Made, page_of};

const STACKS: &str = r#"
[stack.fast]
filesystem = "existing"
[stack.slow]
filesystem = "existing"
"#;

/// A study of these stacks and block sizes.
fn study(stacks: &str, rest: &str) -> String {
    format!("{stacks}\n[workload]\nsize = \"1M\"\ndirect = true\n{rest}\n")
}

/// Returns the claims about a run whose cells have samples of the given MiB each, taken in a
/// second.
fn claims(text: &str, cells: &[&[u64]]) -> Vec<Value> {
    claims_of(text, cells, |_| ())
}

fn claims_of(text: &str, cells: &[&[u64]], change: impl Fn(&mut SampleRecord)) -> Vec<Value> {
    page_of(&[Made::of(1, text, cells, change)])["answer"]
        .as_array()
        .unwrap()
        .clone()
}

fn of_kind<'a>(claims: &'a [Value], kind: &str) -> Vec<&'a Value> {
    claims
        .iter()
        .filter(|claim| claim["claim"] == kind)
        .collect()
}

#[track_caller]
fn assert_near(value: &Value, expected: f64) {
    let value = value.as_f64().unwrap();
    assert!(
        (value - expected).abs() < 1e-9,
        "{value} against {expected}"
    );
}

#[test]
fn a_load_names_the_axis_of_bare_numbers() {
    let rest = "pattern = \"read\"\nblock_size = \"4K\"\nengine = \"libaio\"\ndepth = [1, 32]";
    let cells: [&[u64]; 4] = [&[100; 6], &[400; 6], &[200; 6], &[300; 6]];
    let claims = claims(&study(STACKS, rest), &cells);
    assert_eq!(of_kind(&claims, "largest")[0]["load"], "depth 1");
}

const TWO_SIZES: &str = "pattern = \"read\"\nblock_size = [\"4K\", \"64K\"]";

#[test]
fn the_best_over_all_loads_is_the_geometric_mean_of_shares() {
    // fast: 100 of 200 and 400 of 400; slow: 200 of 200 and 300 of 400.
    let cells: [&[u64]; 4] = [&[100; 6], &[400; 6], &[200; 6], &[300; 6]];
    let claims = claims(&study(STACKS, TWO_SIZES), &cells);
    let overall = of_kind(&claims, "overall")[0];
    assert_eq!(
        (overall["loads"].as_u64(), overall["loads_all"].as_u64()),
        (Some(2), Some(2))
    );
    let standings = overall["standings"].as_array().unwrap();
    assert_eq!(
        [&standings[0]["value"], &standings[1]["value"]],
        ["slow", "fast"]
    );
    assert_near(&standings[0]["mean_share"], 0.75_f64.sqrt());
    assert_near(&standings[0]["worst_share"], 0.75);
    assert_eq!(standings[0]["worst_load"], "block size 64K");
    assert_near(&standings[1]["mean_share"], 0.5_f64.sqrt());
    assert_near(&standings[1]["worst_share"], 0.5);
    // Equal samples have intervals of no width.
    assert_near(&standings[0]["low_share"], 0.75_f64.sqrt());
    assert_near(&standings[0]["high_share"], 0.75_f64.sqrt());
    let largest = of_kind(&claims, "largest")[0];
    assert_eq!(
        (largest["best"].as_u64(), largest["worst"].as_u64()),
        (Some(2), Some(0))
    );
    assert_near(&largest["ratio"], 2.0);
}

/// A study of governors at two block sizes had no headline: the block size, which is asked about, came first.
#[test]
fn a_choice_is_contested_before_a_load() {
    let one = "[stack.only]\nfilesystem = \"existing\"\n";
    let governors = "[conditions]\ngovernor = [\"performance\", \"powersave\", \"ondemand\"]";
    let text = study(one, &format!("{TWO_SIZES}\n{governors}"));
    let cells: [&[u64]; 6] = [&[100; 6]; 6];
    let claims = claims(&text, &cells);
    assert_eq!(
        of_kind(&claims, "same")[0]["axis"],
        "governor",
        "{claims:?}"
    );
}

/// "In all 4 loads, stack fast is the best" once stood above a table with "the same" in one of them.
#[test]
fn the_best_of_all_loads_is_not_called_so_where_another_is_the_same() {
    let overall = |slow: u64| -> Value {
        let slow = vec![slow; 6];
        let cells: [&[u64]; 4] = [&[200; 6], &[400; 6], &slow, &[100; 6]];
        of_kind(&claims(&study(STACKS, TWO_SIZES), &cells), "overall")[0].clone()
    };
    let apart = overall(100);
    assert_eq!(
        (&apart["shared"], &apart["sentence"]["id"]),
        (&0.into(), &"claim-overall-all".into())
    );
    for same in [199, 200] {
        let shared = overall(same);
        assert_eq!(shared["standings"][0]["value"], "fast");
        assert_eq!(
            (&shared["shared"], &shared["sentence"]["id"]),
            (&1.into(), &"claim-overall-unbeaten".into())
        );
    }
}

#[test]
fn values_that_come_about_equally_close_are_each_named_with_their_share() {
    let three = format!("{STACKS}[stack.third]\nfilesystem = \"existing\"\n");
    let cells = |fast: u64, slow: u64| -> Vec<Value> {
        let (fast, slow) = (vec![fast; 6], vec![slow; 6]);
        let cells: [&[u64]; 6] = [&[200; 6], &fast, &slow, &[400; 6], &[100; 6], &[100; 6]];
        claims(&study(&three, TWO_SIZES), &cells)
    };
    let sentence = |claims: &[Value]| of_kind(claims, "overall")[0]["sentence"].clone();
    // fast 1 and 0.98, so 0.990; slow 0.94 and 1, so 0.970.
    let near = sentence(&cells(392, 188));
    assert_eq!(near["id"], "claim-overall-near");
    let values = near["args"]["values"].to_string();
    assert!(
        values.contains("\"99\"") && values.contains("\"97\""),
        "{values}"
    );
    let rest = near["args"]["rest"].to_string();
    assert!(rest.contains("claim-overall-rest-several"), "{rest}");
    // Both 0.93 once, and 1 once.
    let several = sentence(&cells(372, 186));
    assert_eq!(several["id"], "claim-overall-several");
}

#[test]
fn the_bounds_cover_the_intervals() {
    let noisy = [190, 194, 198, 202, 206, 210];
    let cells: [&[u64]; 4] = [&noisy, &noisy, &[200; 6], &[200; 6]];
    let claims = claims(&study(STACKS, TWO_SIZES), &cells);
    let standings = of_kind(&claims, "overall")[0]["standings"].clone();
    let fast = standings
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["value"] == "fast");
    // At worst every load gives 190 of 200, at best no other is above it.
    assert_near(&fast.unwrap()["low_share"], 0.95);
    assert_near(&fast.unwrap()["high_share"], 1.0);
    assert!(
        of_kind(&claims, "largest").is_empty(),
        "the intervals touch"
    );
    for win in of_kind(&claims, "wins") {
        assert_eq!(win["certain"], 0);
    }
}

#[test]
fn a_value_that_lacks_a_load_is_judged_by_the_loads_that_all_have() {
    let sizes = "pattern = \"read\"\nblock_size = [\"4K\", \"64K\", \"1M\"]";
    let cells: [&[u64]; 6] = [&[400; 6], &[400; 6], &[], &[100; 6], &[100; 6], &[100; 6]];
    let claims = claims(&study(STACKS, sizes), &cells);
    let overall = of_kind(&claims, "overall")[0];
    assert_eq!(
        (overall["loads"].as_u64(), overall["loads_all"].as_u64()),
        (Some(2), Some(2))
    );
    assert_eq!(overall["standings"][0]["value"], "fast");
    let three = format!("{STACKS}[stack.third]\nfilesystem = \"existing\"\n");
    let cells: [&[u64]; 9] = [
        &[400; 6],
        &[400; 6],
        &[],
        &[100; 6],
        &[100; 6],
        &[100; 6],
        &[50; 6],
        &[50; 6],
        &[90; 6],
    ];
    let claims = self::claims(&study(&three, sizes), &cells);
    let overall = of_kind(&claims, "overall")[0];
    assert_eq!(
        (overall["loads"].as_u64(), overall["loads_all"].as_u64()),
        (Some(2), Some(3))
    );
    assert_eq!(overall["standings"][0]["value"], "fast");
}

#[test]
fn the_lowest_value_wins_if_less_is_better() {
    let text = study(STACKS, TWO_SIZES)
        + "[compare]\nbaseline = { stack = \"fast\" }\nmetric = \"latency_mean\"\n";
    let cells: [&[u64]; 4] = [&[100; 6], &[100; 6], &[300; 6], &[200; 6]];
    let claims = claims(&text, &cells);
    let overall = of_kind(&claims, "overall")[0];
    assert_eq!(overall["standings"][0]["value"], "fast");
    assert_near(&overall["standings"][1]["worst_share"], 1.0 / 3.0);
    let wins = of_kind(&claims, "wins");
    assert_eq!(
        (wins[0]["value"].as_str(), wins[0]["wins"].as_u64()),
        (Some("fast"), Some(2))
    );
    assert_near(&of_kind(&claims, "largest")[0]["ratio"], 3.0);
    let against = of_kind(&claims, "against")[0];
    assert_eq!(
        (against["better"].as_u64(), against["worse"].as_u64()),
        (Some(0), Some(2))
    );
}

#[test]
fn a_load_is_no_choice_so_none_is_the_best() {
    let text = "[stack.here]\nfilesystem = \"existing\"\n[workload]\nsize = \"1M\"\n\
                [workload.stream]\npattern = \"read\"\nblock_size = \"1M\"\n\
                [workload.table]\npattern = \"randread\"\nblock_size = \"16K\"\n";
    let claims = claims(text, &[&[400; 6], &[100; 6]]);
    assert_near(&of_kind(&claims, "largest")[0]["ratio"], 4.0);
    let sizes = "pattern = \"read\"\nblock_size = [\"4K\", \"512K\"]\n\
                 [compare]\nbaseline = { block_size = \"4K\" }\n";
    let one = "[stack.here]\nfilesystem = \"existing\"\n";
    let swept = self::claims(&study(one, sizes), &[&[100; 6], &[400; 6]]);
    assert_near(&of_kind(&swept, "largest")[0]["ratio"], 4.0);
    for claims in [claims, swept] {
        for kind in ["wins", "overall", "same", "gives"] {
            assert_eq!(of_kind(&claims, kind).len(), 0, "{kind}");
        }
    }
}

#[test]
fn stacks_that_do_not_differ_are_the_same_and_none_gives_the_most() {
    let three = format!("{STACKS}[stack.third]\nfilesystem = \"existing\"\n");
    let text = study(&three, TWO_SIZES);
    let all: [&[u64]; 6] = [
        &[400; 6], &[200; 6], &[401; 6], &[201; 6], &[399; 6], &[199; 6],
    ];
    let claims = self::claims(&text, &all);
    let same = of_kind(&claims, "same")[0];
    assert_eq!(same["values"].as_array().map(Vec::len), Some(3));
    assert_eq!(
        (same["is_all"].as_bool(), same["loads"].as_u64()),
        (Some(true), Some(2))
    );
    for kind in ["wins", "overall"] {
        assert_eq!(of_kind(&claims, kind).len(), 0, "{kind}");
    }
    // Two are the best, and the same; the third is behind.
    let two: [&[u64]; 6] = [
        &[400; 6], &[200; 6], &[401; 6], &[201; 6], &[300; 6], &[150; 6],
    ];
    let claims = self::claims(&text, &two);
    let same = of_kind(&claims, "same")[0];
    assert_eq!(same["values"].as_array().map(Vec::len), Some(2));
    assert_eq!(same["is_all"].as_bool(), Some(false));
    // Samples that spread cannot show that two are the same.
    let wide: &[u64] = &[300, 500, 350, 450, 400, 420];
    let cells: [&[u64]; 6] = [wide; 6];
    assert_eq!(of_kind(&self::claims(&text, &cells), "same").len(), 0);
    // Of one load, the answer says that it is not certain; none of them gives the most.
    let one = study(STACKS, "pattern = \"read\"\nblock_size = \"4K\"");
    let claims = self::claims(&one, &[wide, wide]);
    let same = of_kind(&claims, "same")[0];
    assert_eq!(same["is_certain"].as_bool(), Some(false));
    assert_eq!(of_kind(&claims, "wins").len(), 0);
}

#[test]
fn a_stack_that_does_not_survive_what_the_study_asks_is_no_choice() {
    let text = "[stack.striped]\ndevices = { sata-ssd = 2 }\narray = { level = \"raid0\" }\n\
                [stack.mirror]\ndevices = { sata-ssd = 2 }\narray = { level = \"raid1\" }\n\
                [stack.three]\ndevices = { sata-ssd = 3 }\narray = { level = \"raid5\" }\n\
                [workload.db]\npattern = \"randread\"\nsize = \"1M\"\n\
                [conditions]\nfailure = [\"none\", \"gone\"]\n\
                [failure.gone]\nfail_device = { at = \"0s\", device = 0 }\n";
    let cells: [&[u64]; 5] = [&[900; 6], &[400; 6], &[300; 6], &[350; 6], &[200; 6]];
    let claims = claims(text, &cells);
    assert_eq!(of_kind(&claims, "lost")[0]["stacks"][0], "striped");
    let overall = of_kind(&claims, "overall")[0];
    assert_eq!(overall["loads"].as_u64(), Some(2));
    let standings = overall["standings"].as_array().unwrap();
    assert!(
        standings.iter().all(|one| one["value"] != "striped"),
        "{standings:?}"
    );
}

#[test]
fn a_single_cell_reports_its_estimate() {
    let one = "[stack.here]\nfilesystem = \"existing\"\n";
    let rest = "pattern = \"read\"\nblock_size = \"4K\"";
    let claims = claims(&study(one, rest), &[&[400; 6]]);
    assert_eq!(of_kind(&claims, "gives").len(), 1);
    assert!(
        self::claims(&study(one, rest), &[&[]])
            .iter()
            .all(|claim| claim["claim"] != "gives")
    );
}

#[test]
fn only_invalid_samples_are_reported_as_not_counted() {
    let one = "[stack.here]\nfilesystem = \"existing\"\n";
    let rest = "pattern = \"read\"\nblock_size = \"4K\"\n[repeat]\nsteady_state = \"snia\"";
    // The first rounds are far from the steady ones: they do not count, but they are valid.
    let rounds: [u64; 8] = [900, 500, 300, 100, 101, 100, 101, 100];
    let claims = claims(&study(one, rest), &[&rounds]);
    assert!(of_kind(&claims, "not_counted").is_empty());
    let spoilt = claims_of(
        &study(one, "pattern = \"read\"\nblock_size = \"4K\""),
        &[&[100; 7]],
        |record| {
            if record.block == 3 {
                record.sample.warnings.push(Warning::Throttled { count: 1 });
            }
        },
    );
    let lost = of_kind(&spoilt, "not_counted")[0];
    assert_eq!(
        (lost["samples"].as_u64(), lost["of"].as_u64()),
        (Some(1), Some(7))
    );
}

/// Claims about two stacks that give 100 MiB/s once steady, and 400 and 200 while fresh, until 1 GiB.
fn claims_of_states(rest: &str) -> Vec<Value> {
    let rest = format!("pattern = \"randwrite\"\nblock_size = \"4K\"\n{rest}");
    claims_of(&study(STACKS, &rest), &[&[100; 6], &[100; 6]], |record| {
        let times = if record.cell == 0 { 4 } else { 2 };
        std::mem::swap(&mut record.sample.read, &mut record.sample.write);
        record.sample.breakdown = Some(Breakdown::default());
        let mut fresh = record.sample.clone();
        fresh.elapsed_ns = Nanos::new(fresh.elapsed_ns.as_u64() / times);
        fresh.breakdown = Some(Breakdown {
            room: Some(Room {
                first: Bytes::new(1 << 30),
                last: Bytes::new(1 << 30),
                buffer: Bytes::new(0),
            }),
            ..Breakdown::default()
        });
        record.sample.breakdown = Some(Breakdown {
            fresh: Some(Box::new(fresh)),
            ..Breakdown::default()
        });
    })
}

#[test]
fn each_state_has_an_answer_until_a_daily_volume_decides() {
    let kinds = |claims: &[Value]| -> Vec<(String, String)> {
        let in_state = of_kind(claims, "in_state").into_iter();
        let words = |value: &Value| value.as_str().unwrap().to_owned();
        let kinds = in_state.map(|claim| (words(&claim["state"]), words(&claim["of"]["claim"])));
        kinds
            .filter(|(_, kind)| ["wins", "same"].contains(&kind.as_str()))
            .collect()
    };
    let pair = |state: &str, kind: &str| (state.to_owned(), kind.to_owned());
    let (fresh, steady) = (pair("fresh", "wins"), pair("steady", "same"));
    let open = claims_of_states("");
    assert_eq!(kinds(&open), [fresh.clone(), steady.clone()]);
    assert_eq!(of_kind(&open, "states")[0]["applies"], "unknown");
    let little = claims_of_states("[lifetime]\nwrites_per_day = \"100M\"");
    assert_eq!(kinds(&little), std::slice::from_ref(&fresh));
    assert_eq!(of_kind(&little, "states")[0]["applies"], "fresh");
    // 1.2 MiB a second, of 100 that the devices empty; all at once, a hundred times their room.
    let evenly = claims_of_states("[lifetime]\nwrites_per_day = \"100G\"");
    assert_eq!(kinds(&evenly), [fresh, steady.clone()]);
    assert_eq!(of_kind(&evenly, "states")[0]["applies"], "bursts");
    let much = claims_of_states("[lifetime]\nwrites_per_day = \"10T\"");
    assert_eq!(kinds(&much), [steady]);
    assert_eq!(of_kind(&much, "states")[0]["applies"], "steady");
}

#[test]
fn states_that_do_not_differ_are_not_named() {
    let rest = "pattern = \"read\"\nblock_size = \"4K\"";
    let claims = claims(&study(STACKS, rest), &[&[100; 6], &[200; 6]]);
    assert!(of_kind(&claims, "states").is_empty());
    assert!(of_kind(&claims, "in_state").is_empty());
}
