//! The failures that these guard against: a correct store is accused because a value was on its way,
//! and a promise is overlooked because its line was malformed.

use proptest::prelude::*;

use super::*;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// Line n arrives at n x 10 ms.
fn promises(lines: &[&str]) -> Promises {
    let mut all = Promises::default();
    for (line, number) in lines.iter().zip(1..) {
        let line = Line::parse(line, None).unwrap().unwrap();
        all.note(ms(10 * number), line);
    }
    all
}

fn found(lines: &[&str]) -> Vec<Found> {
    let lines = lines.iter().map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        Found {
            id: words[0].to_owned(),
            value: words
                .get(2)
                .map(|hash| Value::new(words[1].parse().unwrap(), hash)),
        }
    });
    lines.collect()
}

/// Returns missing, old, unreadable, wrong, and the age in ms.
fn judged(lines: &[&str], there: &[&str], at: u64) -> Option<[u64; 5]> {
    let loss = promises(lines).judge(&found(there), ms(at))?;
    let values = loss.values.unwrap();
    assert_eq!(loss.corrupt, values.wrong);
    Some([
        values.missing,
        values.old,
        values.unreadable,
        values.wrong,
        loss.age_ns.as_u64() / 1_000_000,
    ])
}

#[test]
fn the_four_ways_to_lose_a_value_are_told_apart() {
    let lines = ["ack a 5 x", "ack b 5 x", "ack c 5 x", "ack d 5 x"];
    let all = ["a 5 x", "b 5 x", "c 5 x", "d 5 x"];
    assert_eq!(judged(&lines, &all, 50), Some([0, 0, 0, 0, 0]));
    let damaged = ["a 5 x", "c", "d 5 y"];
    assert_eq!(judged(&lines, &damaged, 50), Some([1, 0, 1, 1, 30]));
    // What the cut came before is no promise.
    assert_eq!(judged(&lines, &[], 5), Some([0, 0, 0, 0, 0]));
    // A size that differs is another value: an empty answer without an error is wrong.
    assert_eq!(
        judged(&["ack a 5 x"], &["a 0 x"], 50),
        Some([0, 0, 0, 1, 40])
    );
}

#[test]
fn an_earlier_value_is_old_and_its_age_counts_from_the_first_value_that_replaced_it() {
    let lines = ["ack a 1 x", "ack a 1 y", "ack a 1 z"];
    assert_eq!(judged(&lines, &["a 1 x"], 50), Some([0, 1, 0, 0, 30]));
    assert_eq!(judged(&lines, &["a 1 y"], 50), Some([0, 1, 0, 0, 20]));
    assert_eq!(judged(&lines, &["a 1 z"], 50), Some([0, 0, 0, 0, 0]));
    assert_eq!(judged(&lines, &[], 50), Some([1, 0, 0, 0, 40]));
    // The later value is there early, which nobody promised against.
    assert_eq!(judged(&lines, &["a 1 z"], 25), Some([0, 0, 0, 0, 0]));
}

#[test]
fn a_value_on_its_way_is_neither_lost_nor_wrong() {
    let lines = ["put a 1 x", "ack a 1 x", "put a 1 y"];
    for there in ["a 1 x", "a 1 y"] {
        assert_eq!(judged(&lines, &[there], 50), Some([0; 5]), "{there}");
    }
    assert_eq!(judged(&lines, &["a 1 q"], 50), Some([0, 0, 0, 1, 30]));
    // A record that nobody acknowledged may be anything.
    assert_eq!(judged(&["put a 1 x"], &["a 1 q"], 50), Some([0; 5]));
}

#[test]
fn a_program_that_replaces_values_without_announcing_them_is_not_accused() {
    let lines = ["ack a 1 x", "ack a 1 y"];
    assert_eq!(judged(&lines, &["a 1 q"], 50), None);
    // What nobody replaces can be judged.
    assert_eq!(
        judged(&["ack a 1 x"], &["a 1 q"], 50),
        Some([0, 0, 0, 1, 40])
    );
}

#[test]
fn a_record_that_is_deleted_may_be_there_or_not() {
    let lines = ["ack a 1 x", "gone a"];
    for there in [&[][..], &["a 1 x"]] {
        assert_eq!(judged(&lines, there, 50), Some([0; 5]));
    }
    let again = ["ack a 1 x", "gone a", "ack a 1 y"];
    assert_eq!(judged(&again, &[], 50), Some([1, 0, 0, 0, 40]));
}

#[test]
fn a_malformed_promise_is_an_error_and_other_output_is_none() {
    for line in [
        "ack",
        "ack a",
        "ack a x y",
        "ack a 1 x more",
        "put a 1",
        "event",
        "gone",
    ] {
        assert!(Line::parse(line, None).is_err(), "{line}");
    }
    let long = format!("ack {} 1 x", "n".repeat(WORD_BYTES_MAX + 1));
    assert!(Line::parse(&long, None).is_err());
    for line in ["", "opened the store", "acknowledged", "quiet please"] {
        assert_eq!(Line::parse(line, None), Ok(None), "{line}");
    }
}

#[test]
fn a_pattern_reads_the_words_of_a_program() {
    let read = |pattern: &str, line: &str| {
        let pattern = Pattern::parse(pattern).unwrap();
        match Line::parse(line, Some(&pattern)).unwrap() {
            Some(Line::Ack { id, value }) => Some((id, value.bytes, value.hash)),
            _ => None,
        }
    };
    let id = |id: &str| Some((id.to_owned(), 0, String::new()));
    assert_eq!(read("INSERTED {id}", "INSERTED 17"), id("17"));
    assert_eq!(read("INSERTED {id}", "INSERTED 17 18"), None);
    assert_eq!(read("job {id} stored", "job 4 stored"), id("4"));
    assert_eq!(read("job {id} stored", "job 4 lost"), None);
    assert_eq!(
        read("{id}={hash} ({bytes})", "k=v (12)"),
        Some(("k".to_owned(), 12, "v".to_owned()))
    );
    // The protocol's own line still counts.
    assert_eq!(
        read("OK {id}", "ack a 0 -"),
        Some(("a".to_owned(), 0, "-".to_owned()))
    );
    for wrong in ["", "OK", "{id}{hash}", "{id} {id}", "{hash} {bytes}"] {
        assert!(Pattern::parse(wrong).is_err(), "{wrong}");
    }
}

proptest! {
    #[test]
    fn any_line_is_read_or_refused(line in "\\PC{0,60}", pattern in "[a-z {}idbyteshash]{0,24}") {
        let pattern = Pattern::parse(&pattern).ok();
        let _read = Line::parse(&line, pattern.as_ref());
    }

    /// What is there after a cut of a correct program: any value from the latest acknowledged one on.
    #[test]
    fn a_correct_program_is_never_accused(
        steps in proptest::collection::vec((0_u8..3, any::<bool>()), 1..30),
        at in 0_u64..400,
        ahead in 0_usize..3,
    ) {
        let mut lines = Vec::new();
        for (number, (record, is_acknowledged)) in steps.iter().enumerate() {
            lines.push(format!("put r{record} 1 v{number}"));
            if *is_acknowledged {
                lines.push(format!("ack r{record} 1 v{number}"));
            }
        }
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let all = promises(&lines);
        let there = (0..3).filter_map(|record| {
            let id = format!("r{record}");
            let of = |line: &Line| match line {
                Line::Put { id: of, value } | Line::Ack { id: of, value } if *of == id => Some(value.clone()),
                _ => None,
            };
            let until = all.all().iter().filter(|(time, _)| *time <= ms(at));
            let last = until.filter(|(_, line)| line.is_promise()).filter_map(|(_, line)| of(line)).next_back();
            let last = last?;
            let after = all.all().iter().filter_map(|(_, line)| of(line)).skip_while(|value| *value != last);
            let mut values: Vec<Value> = after.collect();
            values.dedup();
            let value = values.get(ahead.min(values.len() - 1)).cloned();
            Some(Found { id, value })
        });
        let there: Vec<Found> = there.collect();
        let loss = all.judge(&there, ms(at));
        prop_assert_eq!(loss.map(|loss| loss.records), Some(0));
    }
}
