//! Questions of the page: the choices, the answers, and the refusals with their words.

use serde_json::{Value, json};
use stripewise_format::parse;
use stripewise_results::{RunEnd, Store};
use stripewise_study::conditions::State;

use crate::client::{Served, begin};

fn first_question(served: &Served) -> Value {
    served.get("/api/choices").json()["question"].clone()
}

fn with(question: &Value, changes: Value) -> String {
    let mut question = question.clone();
    for (key, value) in changes.as_object().unwrap() {
        question[key] = value.clone();
    }
    question.to_string()
}

#[test]
fn every_offered_choice_is_answered() {
    let served = Served::new();
    let choices = served.get("/api/choices").json();
    let names = |key: &str, name: &str| -> Vec<Value> {
        let list = choices[key].as_array().unwrap();
        list.iter().map(|one| one[name].clone()).collect()
    };
    let question = &choices["question"];
    let mut asked: Vec<Value> = Vec::new();
    asked.extend(
        names("devices", "name")
            .into_iter()
            .map(|name| json!({ "device": name })),
    );
    asked.extend(
        names("hosts", "name")
            .into_iter()
            .map(|name| json!({ "host": name })),
    );
    asked.extend(
        names("kernels", "version")
            .into_iter()
            .map(|name| json!({ "kernel": name })),
    );
    for governor in choices["governors"].as_array().unwrap() {
        asked.push(json!({ "governor": governor }));
    }
    for key in ["filesystem", "state"] {
        let offered = choices[&format!("{key}s")].as_array().unwrap();
        assert!(offered.len() > 1, "{key}: {offered:?}");
        asked.extend(offered.iter().map(|value| json!({ key: value })));
    }
    for pattern in choices["patterns"].as_array().unwrap() {
        let is = |what: &str| pattern[what].as_bool().unwrap();
        let name = &pattern["pattern"];
        asked.push(json!({ "pattern": name }));
        asked.push(json!({
            "pattern": name,
            "read_percent": (is("reads") && is("writes")).then_some(70),
            "fsync_every": is("writes").then_some(8),
        }));
    }
    for level in choices["levels"].as_array().unwrap() {
        let layouts = level["layouts"].as_array().unwrap();
        let none = [Value::Null];
        let chunk = level["has_chunk"].as_bool().unwrap().then_some(65536);
        for layout in if layouts.is_empty() {
            &none[..]
        } else {
            layouts
        } {
            asked.push(json!({
                "level": level["level"], "layout": layout, "chunk_bytes": chunk,
                "bitmap": level["has_bitmap"],
            }));
        }
        asked.push(json!({
            "level": level["level"], "layout": null, "chunk_bytes": chunk, "bitmap": false,
            "count": level["devices_min"],
        }));
        let may_fail = level["failed_max"][4].as_u64().unwrap();
        // Every second member, so that each chunk of a raid10 n2 keeps a copy.
        let failed: Vec<u64> = (0..may_fail)
            .map(|place| place * 2 % 4 + place / 2)
            .collect();
        asked.push(json!({
            "level": level["level"], "layout": layouts.first(), "chunk_bytes": chunk,
            "failed": failed, "rebuild": !failed.is_empty(),
        }));
    }
    assert!(asked.len() > 60, "{}", asked.len());
    for changes in asked {
        let answer = served.post("/api/ask/study", &with(question, changes.clone()));
        assert_eq!(answer.status, 200, "{changes}: {answer:?}");
    }
}

#[test]
fn an_answer_is_a_page_with_one_cell_and_an_interval() {
    let served = Served::new();
    let question = first_question(&served);
    let answer = served.post("/api/ask", &question.to_string()).json();
    let page = &answer["page"];
    assert!(answer["simulated_ns"].as_u64().unwrap() > 0);
    assert_eq!(page["runs"][0]["world"], json!("model"));
    assert_eq!(page["cells"].as_array().unwrap().len(), 1);
    let bandwidth = &page["cells"][0]["estimates"]["bandwidth_bytes_per_s"];
    assert!(bandwidth["samples"].as_u64() >= Some(6), "{bandwidth}");
    assert_eq!(answer["is_preview"], json!(false));
    assert!(
        bandwidth["low"].as_f64() <= bandwidth["value"].as_f64(),
        "{bandwidth}"
    );
    assert!(bandwidth["low"].as_f64().unwrap() > 0.0, "{bandwidth}");
    assert!(
        !page["maps"].as_array().unwrap().is_empty(),
        "the array has its map"
    );
    assert!(!page["cells"][0]["breakdown"].is_null());
    assert!(
        !page["cells"][0]["bottleneck"].is_null(),
        "the rules are those of the model"
    );

    let again = served.post("/api/ask", &question.to_string()).json();
    assert_eq!(
        again["page"]["cells"], page["cells"],
        "the same question has the same answer"
    );
    let other = served
        .post("/api/ask", &with(&question, json!({"depth": 64})))
        .json();
    assert_ne!(other["page"]["cells"], page["cells"]);
}

#[test]
fn a_question_is_checked_like_a_study() {
    let served = Served::new();
    let question = first_question(&served);
    for (changes, status, words) in [
        (json!({"layout": "n5"}), 422, "keeps 5 copies"),
        (json!({"level": "raid7"}), 422, "expected one of"),
        (
            json!({"level": "raid6", "layout": null, "count": 3}),
            422,
            "",
        ),
        (json!({"chunk_bytes": 5000}), 422, "chunk"),
        (json!({"pattern": "sideways"}), 422, "expected one of"),
        (json!({"kernel": "six"}), 422, ""),
        (json!({"device": "no-such-disk"}), 422, "no-such-disk"),
        (json!({"device": "\"]\n[evil]\u{0}"}), 422, ""),
        (json!({"host": "nowhere"}), 422, "nowhere"),
        (json!({"governor": "schnell"}), 422, "schnell"),
        (json!({"count": 0}), 400, "count"),
        (json!({"count": 4_000_000_000_u32}), 400, "count"),
        (json!({"jobs": 33}), 400, "jobs"),
        (json!({"jobs": 32, "depth": 256}), 400, "jobs x depth"),
        (json!({"block_size_bytes": 0}), 400, "block_size_bytes"),
        (
            json!({"block_size_bytes": 1_u64 << 40}),
            400,
            "block_size_bytes",
        ),
        (json!({"device": "flash-sata"}), 400, "page by page"),
        (
            json!({"failed": [4]}),
            422,
            "failed: no member 4: the array has 4, numbered from 0",
        ),
        (
            json!({"failed": [0, 1, 2]}),
            422,
            "failed: raid10 does not survive the loss of 3",
        ),
        (json!({"failed": [0, 1]}), 422, "has lost data"),
        (
            json!({"level": "raid0", "layout": null, "failed": [0]}),
            422,
            "failed: raid0 does not survive the loss of 1",
        ),
        (
            json!({"level": "none", "layout": null, "chunk_bytes": null, "failed": [0]}),
            422,
            "failed: one device does not survive the loss of 1",
        ),
        (json!({"rebuild": true}), 422, "nothing to rebuild"),
        (json!({"failed": [-1]}), 400, ""),
        (json!({"failed": [70_000]}), 400, ""),
        (json!({"fsync_every": 8}), 422, "fsync"),
        (json!({"pattern": "write", "fsync_every": 0}), 422, ""),
        (json!({"read_percent": 70}), 422, "mix"),
        (
            json!({"pattern": "rw", "read_percent": 101}),
            422,
            "sum to 100",
        ),
        (json!({"size_bytes": 4096}), 422, "does not fit into a file"),
        (json!({"size_bytes": 1_u64 << 60}), 422, "at most 1024T"),
        (json!({"size_bytes": 1_u64 << 42}), 422, "the files need"),
        (json!({"filesystem": "btrfs"}), 422, "btrfs"),
        (json!({"filesystem": "existing"}), 422, ""),
        (
            json!({"state": "stale"}),
            422,
            "expected `steady` or `fresh`",
        ),
        (json!({"overlay": "1; drop"}), 400, ""),
        (json!({"more": 1}), 400, "more"),
    ] {
        for path in ["/api/ask", "/api/ask/curve", "/api/ask/why"] {
            let answer = served.post(path, &with(&question, changes.clone()));
            assert_eq!(answer.status, status, "{path} {changes}: {answer:?}");
            let error = answer.json()["error"].as_str().unwrap().to_owned();
            assert!(error.contains(words), "{changes}: {error}");
        }
    }
}

#[test]
fn a_round_of_ios_that_takes_too_much_effort_is_refused() {
    let served = Served::new();
    let changes =
        json!({"block_size_bytes": 16 << 20, "chunk_bytes": 4096, "jobs": 8, "depth": 120});
    let question = with(&first_question(&served), changes);
    let answer = served.post("/api/ask", &question);
    assert_eq!(answer.status, 422, "{answer:?}");
    let error = answer.json()["error"].as_str().unwrap().to_owned();
    assert!(
        error.contains("more simulation steps than allowed"),
        "{error}"
    );
}

#[test]
fn a_preview_is_marked_and_the_final_answer_follows() {
    let served = Served::new();
    let question = first_question(&served).to_string();
    for path in ["/api/ask", "/api/ask/curve"] {
        let preview = served
            .post(&format!("{path}?preview=true"), &question)
            .json();
        assert_eq!(preview["is_preview"], json!(true), "{path}");
        let cells = preview["page"]["cells"].as_array().unwrap();
        for cell in cells {
            let bandwidth = &cell["estimates"]["bandwidth_bytes_per_s"];
            if bandwidth.is_null() {
                // It is not settled.
                continue;
            }
            assert_eq!(bandwidth["samples"], json!(1), "{path}");
            assert!(
                bandwidth["low"].is_null(),
                "{path}: one sample has no interval"
            );
        }
        let other = served.post(&format!("{path}?preview=perhaps"), &question);
        assert_eq!(other.status, 400, "{other:?}");
    }
}

/// The failure: 3,474 MiB/s in large type for RAID 5 of SATA SSDs that write 1,018, as the preview ended while
/// their caches filled; and an error instead of a preview of large I/Os.
#[test]
fn a_preview_shows_no_number_that_the_final_answer_denies() {
    let served = Served::new();
    let first = first_question(&served);
    let (mut shown, mut silent) = (0, 0);
    for device in ["samsung-850-evo-500", "sata-ssd", "nvme-ssd", "hdd-7200"] {
        for (level, layout) in [("raid5", "left-symmetric"), ("raid10", "n2")] {
            for (pattern, block_size_bytes) in
                [("write", 1 << 20), ("randwrite", 4096), ("randread", 65536)]
            {
                let question = with(
                    &first,
                    json!({
                        "device": device, "level": level, "layout": layout, "pattern": pattern,
                        "block_size_bytes": block_size_bytes,
                    }),
                );
                let of = |path: &str| {
                    let answer = served.post(path, &question);
                    assert_eq!(answer.status, 200, "{question}: {answer:?}");
                    answer.json()["page"]["cells"][0].clone()
                };
                let preview = of("/api/ask?preview=true");
                let preview = &preview["estimates"]["bandwidth_bytes_per_s"]["value"];
                let Some(preview) = preview.as_f64() else {
                    silent += 1;
                    continue;
                };
                shown += 1;
                let last = of("/api/ask")["estimates"]["bandwidth_bytes_per_s"].clone();
                let [value, low, high] = ["value", "low", "high"].map(|key| last[key].as_f64());
                let value = value.unwrap();
                let [low, high] = [
                    low.unwrap_or(value).min(0.97 * value),
                    high.unwrap_or(value).max(1.03 * value),
                ];
                assert!(
                    (low..=high).contains(&preview),
                    "{question}: {preview}, and not {value}"
                );
            }
        }
    }
    assert!(
        shown > 2 * silent,
        "{shown} previews have a number, {silent} have none"
    );
}

/// If the page's defaults differed from the command line's, the same words would ask another
/// question.
#[test]
fn sliders_start_at_the_defaults_of_the_study_format_and_predict() {
    let served = Served::new();
    let question = first_question(&served);
    let stated = served.post("/api/ask/study", &question.to_string()).json();
    let stated = parse("stated", stated["toml"].as_str().unwrap()).unwrap();
    // A study file with all defaults, and the size, which has none.
    let silent = r#"
        question = "What would this give?"
        [stack.raid10-n2-4-64K]
        devices = { samsung-850-evo-500 = 4 }
        array = { level = "raid10", chunk = "64K" }
        [workload.randread-64K-depth8]
        pattern = "randread"
        block_size = "64K"
        size = "4G"
        depth = 8
        engine = "libaio"
        [conditions]
        governor = "performance"
    "#;
    let mut silent = parse("silent", silent).unwrap().cells.remove(0);
    assert_eq!(
        silent.conditions.state, None,
        "no state means the steady state"
    );
    silent.conditions.state = Some(State::Steady);
    assert_eq!(stated.cells, [silent]);
}

#[test]
fn failed_members_change_the_answer_and_have_no_study() {
    let served = Served::new();
    let raid5 = json!({"level": "raid5", "layout": "left-symmetric"});
    let whole: Value = with(&first_question(&served), raid5).parse().unwrap();
    let degraded = with(&whole, json!({"failed": [1]}));
    let bandwidth = |question: &str| {
        let answer = served.post("/api/ask", question).json();
        let cell = &answer["page"]["cells"][0];
        cell["estimates"]["bandwidth_bytes_per_s"]["value"]
            .as_f64()
            .unwrap()
    };
    assert!(bandwidth(&degraded) < 0.9 * bandwidth(&whole.to_string()));
    let answer = served.post("/api/ask/study", &degraded).json();
    assert_eq!(answer["toml"], Value::Null);
    let command = answer["command"].as_str().unwrap();
    assert!(command.starts_with("stripewise predict"), "{command}");
    assert!(command.contains(" --failed 1 "), "{command}");
}

#[test]
fn measured_points_of_the_same_array_are_laid_over_a_curve() {
    let served = Served::new();
    let mut store = Store::open(&served.store).unwrap();
    let run = begin(&mut store, "measured");
    store.finish_run(run, RunEnd::Done).unwrap();
    let question = first_question(&served);
    let alone = served.post("/api/ask/curve", &question.to_string()).json();
    assert_eq!(alone["page"]["runs"].as_array().unwrap().len(), 1);
    let sizes: Vec<u64> = alone["page"]["cells"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cell| cell["block_size_bytes"].as_u64().unwrap())
        .collect();
    assert!(sizes.is_sorted() && sizes[0] == 4096, "{sizes:?}");
    assert_eq!(sizes.last(), Some(&(4 << 20)));

    let over = served
        .post(
            "/api/ask/curve",
            &with(&question, json!({"overlay": run.0})),
        )
        .json();
    let cells = over["page"]["cells"].as_array().unwrap();
    let measured: Vec<&Value> = cells
        .iter()
        .filter(|cell| cell["run"] == json!(1))
        .collect();
    assert_eq!(measured.len(), 2, "one stack of two at two sizes");
    assert!(
        measured
            .iter()
            .all(|cell| cell["chunk_bytes"] == json!(65536))
    );
    assert!(
        measured
            .iter()
            .all(|cell| cell["samples"].as_array().unwrap().len() == 2)
    );

    for changes in [
        json!({"overlay": run.0, "depth": 4}),
        json!({"overlay": run.0, "pattern": "read"}),
        json!({"overlay": run.0, "layout": "f2"}),
    ] {
        let none = served
            .post("/api/ask/curve", &with(&question, changes))
            .json();
        assert_eq!(none["page"]["runs"].as_array().unwrap().len(), 1);
    }
    let unknown = served.post("/api/ask/curve", &with(&question, json!({"overlay": 99})));
    assert_eq!(unknown.status, 404);
}

#[test]
fn a_curve_has_both_states_as_the_answer_has() {
    let served = Served::new();
    let slow = json!({
        "device": "samsung-850-evo-500", "pattern": "randwrite", "block_size_bytes": 16384,
        "depth": 16,
    });
    let question = with(&first_question(&served), slow);
    let curve = served.post("/api/ask/curve", &question).json();
    let asked = cell(&served, &question);
    let cells = curve["page"]["cells"].as_array().unwrap();
    let same = cells
        .iter()
        .find(|cell| cell["block_size_bytes"] == asked["block_size_bytes"]);
    let same = same.unwrap();
    assert!(asked["fresh"]["estimates"].is_object(), "{asked}");
    assert_eq!(same["fresh"], asked["fresh"]);
    let views = curve["page"]["views"].as_array().unwrap();
    let drawn = views.iter().find(|view| view["kind"] == "curve").unwrap();
    assert_eq!(drawn["states"], json!(["fresh", "steady"]));
}

#[test]
fn a_suggested_change_can_be_asked_next() {
    let served = Served::new();
    let question = first_question(&served);
    let why = served.post("/api/ask/why", &question.to_string()).json();
    let effects = why["effects"].as_array().unwrap();
    assert!(effects.len() > 5, "{why}");
    let ratios: Vec<f64> = effects
        .iter()
        .map(|effect| effect["ratio"]["value"].as_f64().unwrap())
        .collect();
    assert!(ratios.is_sorted_by(|one, next| one >= next), "{ratios:?}");
    for effect in effects {
        for key in ["change", "verdict"] {
            assert!(effect[key].is_string(), "{key}: {effect}");
        }
        for key in ["change_sentence", "verdict_sentence"] {
            assert!(effect[key]["id"].is_string(), "{key}: {effect}");
        }
        let next = &effect["question"];
        if next.is_null() {
            continue;
        }
        assert_ne!(next, &question);
        let answer = served.post("/api/ask/study", &next.to_string());
        assert_eq!(answer.status, 200, "{next}: {answer:?}");
    }
    let chunk = effects
        .iter()
        .find(|effect| effect["change"] == "chunk")
        .unwrap();
    assert_eq!(chunk["question"]["chunk_bytes"], chunk["chunk_bytes"]);
}

#[test]
fn a_question_is_a_study_file() {
    let served = Served::new();
    let question = first_question(&served);
    let answer = served.post("/api/ask/study", &question.to_string()).json();
    let toml = answer["toml"].as_str().unwrap();
    let study = parse("question.toml", toml).unwrap();
    assert_eq!(study.cells.len(), 1);
    assert_eq!(
        answer["command"],
        json!("stripewise run question.toml --world model")
    );
    assert!(
        toml.contains("# stripewise predict --device samsung-850-evo-500 --array raid10:n2:4:64K --workload randread:64K"),
        "{toml}"
    );
}

/// Returns the cell of an answer.
fn cell(served: &Served, question: &str) -> Value {
    let answer = served.post("/api/ask", question);
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["page"]["cells"][0].clone()
}

#[test]
fn loads_with_neighbours_have_both_states() {
    let served = Served::new();
    let question: Value = first_question(&served);
    let slow = json!({"device": "samsung-850-evo-500", "workload": "mysql-in-vm"});
    let cell = cell(&served, &with(&question, slow));
    let value = |estimates: &Value| {
        let bandwidth = &estimates["bandwidth_bytes_per_s"];
        bandwidth["value"].as_f64().unwrap()
    };
    let (fresh, steady) = (
        value(&cell["fresh"]["estimates"]),
        value(&cell["estimates"]),
    );
    assert!(fresh > 1.1 * steady, "{fresh} {steady}");
    assert!(
        cell["breakdown"]["onset"].is_null(),
        "the fresh state says how the load begins: {cell}"
    );
    let question = json!({"workload": "mysql-in-vm", "state": "fresh"});
    let asked = self::cell(&served, &with(&first_question(&served), question));
    assert!(asked["fresh"].is_null(), "only that state was asked about");
}

#[test]
fn the_first_ios_of_a_load_that_syncs_are_not_its_beginning() {
    let served = Served::new();
    let question: Value = first_question(&served);
    let writes = json!({
        "pattern": "randwrite", "block_size_bytes": 4096, "depth": 1, "fsync_every": 8,
    });
    let syncing = cell(&served, &with(&question, writes));
    // Between two syncs the memory of the devices takes the writes: that is not how the load begins.
    assert!(syncing["breakdown"]["onset"].is_null(), "{syncing}");
    let plain = json!({"pattern": "randwrite", "block_size_bytes": 4096, "depth": 1});
    let plain = cell(&served, &with(&question, plain));
    let begins = [&plain["breakdown"]["onset"], &plain["fresh"]];
    assert!(begins.iter().any(|one| !one.is_null()), "{plain}");
}
