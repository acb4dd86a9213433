//! A setting that destroys data must not look good: its loss, its interval and the origin of each
//! number have to be in sight, and no throughput of an emulated guest may pass for performance.

use expect_test::{ExpectFile, expect_file};
use stripewise_catalogue::Language;
use stripewise_catalogue::as_english;
use stripewise_report::document::Document;
use stripewise_report::power_cuts::{PowerCuts, power_cuts};
use stripewise_report::render::terminal;
use stripewise_report::run::blocks;
use stripewise_report::style::without_styles;
use stripewise_report::view::View;

use crate::golden::check_width;
use crate::page::in_long_lines;
use crate::support::page_of;
use crate::support::power_cuts::{measured, simulated};

fn both() -> (Document, Document) {
    (measured(2).document(), simulated(1).document())
}

fn check(expected: ExpectFile, text: &str) {
    expected.assert_eq(&without_styles(text));
}

#[test]
fn measured_losses_stand_beside_simulated_ones_in_any_width() {
    let (measured, simulated) = both();
    let cuts = PowerCuts::of(&[&simulated, &measured]).unwrap();
    let usual = View::drawn(80);
    for (view, expected) in [
        (View::drawn(60), expect_file!["../golden/cuts-60.txt"]),
        (usual, expect_file!["../golden/cuts.txt"]),
        (View::drawn(160), expect_file!["../golden/cuts-160.txt"]),
        (View::PLAIN, expect_file!["../golden/cuts-plain.txt"]),
        (
            usual.in_language(Language::German),
            expect_file!["../golden/cuts-de.txt"],
        ),
    ] {
        check(expected, &terminal(&power_cuts(&cuts), view));
    }
    for columns in 40..=200 {
        for language in Language::ALL {
            let view = View::drawn(columns).in_language(language);
            check_width(view, &terminal(&power_cuts(&cuts), view));
        }
    }
}

#[test]
fn a_run_of_power_cuts_shows_them_in_place_of_throughput() {
    let (measured, _) = both();
    let text = terminal(&blocks(&measured, "", false), View::drawn(80));
    check(expect_file!["../golden/cuts-run.txt"], &text);
    for rate in ["MiB/s", "IOPS", "777"] {
        assert!(!text.contains(rate), "{rate}");
    }
    for cell in &measured.cells {
        assert!(cell.estimates.is_empty() && cell.verdicts.is_empty());
    }
}

#[test]
fn a_program_gets_everything() {
    let (measured, simulated) = both();
    let cuts = PowerCuts::of(&[&measured, &simulated]).unwrap();
    let json = as_english(|| serde_json::to_string_pretty(&cuts)).unwrap() + "\n";
    expect_file!["../golden/cuts.json"].assert_eq(&json);
    let run = serde_json::to_value(&measured).unwrap();
    assert_eq!(run["cells"][0]["cuts"]["unknown"], 1);
    assert_eq!(run["cells"][0]["samples"][0]["cut"]["recording"], 0);
    let run = serde_json::to_value(&simulated).unwrap();
    assert_eq!(run["cells"][0]["predicted_cuts"]["lost_share"], 0.0);
}

#[test]
fn a_prediction_alone_recommends_nothing() {
    let (_, simulated) = both();
    let cuts = PowerCuts::of(&[&simulated]).unwrap();
    assert!(!cuts.has_cuts());
    let text = terminal(&power_cuts(&cuts), View::drawn(80));
    check(expect_file!["../golden/cuts-model.txt"], &text);
}

#[test]
fn a_run_without_power_cuts_has_no_such_table() {
    let mut made = simulated(1);
    for record in &mut made.run.samples {
        record.sample.risk = None;
    }
    assert!(PowerCuts::of(&[&made.document()]).is_none());
}

#[test]
fn the_front_end_checks_a_page_with_power_cuts() {
    let mut page = page_of(&[simulated(1), measured(2)]);
    for cell in page["cells"].as_array_mut().unwrap() {
        cell["samples"] = serde_json::json!([]);
        cell["latency"] = serde_json::Value::Null;
    }
    let text = serde_json::to_string_pretty(&page).unwrap();
    expect_file!["../../../../web/tests/golden/power_cuts.ts"].assert_eq(&format!(
        "// Written by crates/report/tests/it/power_cuts.rs: UPDATE_EXPECT=1 cargo test -p stripewise-report\n\
         import type {{ Page }} from \"../../src/generated\";\n\n\
         export const page = {} satisfies Page;\n",
        in_long_lines(&text)
    ));
}

#[test]
fn the_page_puts_the_advice_first_and_has_both_runs_of_a_setting() {
    let page = page_of(&[simulated(1), measured(2)]);
    let answer = page["answer"].as_array().unwrap();
    assert_eq!(answer[0]["claim"], "power_cuts", "{answer:?}");
    assert_eq!(answer[0]["advice"]["advice"], "lossless");
    for claim in answer {
        let kind = claim["claim"].as_str().unwrap();
        assert!(
            !["overall", "wins", "largest", "against", "off"].contains(&kind),
            "{kind}"
        );
    }
    let view = &page["views"][0];
    assert_eq!(view["kind"], "power_cuts");
    let settings = view["settings"].as_array().unwrap();
    assert_eq!(settings.len(), 12);
    for setting in settings {
        let cell = |key: &str| {
            let index = usize::try_from(setting[key].as_u64().unwrap()).unwrap();
            &page["cells"][index]
        };
        let (measured, simulated) = (cell("measured"), cell("simulated"));
        assert_eq!(measured["values"], simulated["values"]);
        assert!(measured["cuts"].is_object() && simulated["predicted_cuts"].is_object());
        assert!(measured["latency"].is_null(), "of an emulated guest");
    }
}
