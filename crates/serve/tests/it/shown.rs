//! Answers of other commands. The failures: an answer of another file than the one that was opened, and
//! an old answer about a machine that has changed since.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use stripewise_answer::{Answer, Block};
use stripewise_catalogue::Message;
use stripewise_serve::{Deadlines, Offer, ShownAnswer, Source};

use crate::client::Served;

fn answer(path: &str, found: u64) -> Answer<serde_json::Value> {
    let blocks = vec![Block::Code(format!("{path}: {found}"))];
    let title = Message::new("check-page-title");
    let document = json!({ "found": found, "says": Message::new("check-page-here") });
    let about = Message::new("check-page-root").name("path", path);
    Answer::new(title, document, blocks)
        .about(about)
        .summary(Message::new("check-no-change"))
}

/// How often the answer that is made anew was made.
static MADE: AtomicUsize = AtomicUsize::new(0);

fn served() -> Served {
    let now = |make| Offer {
        title: Message::new("check-page-title"),
        about: None,
        source: Source::Now(make),
    };
    let offers = vec![
        now(|| {
            let made = MADE.fetch_add(1, Ordering::SeqCst) as u64;
            ShownAnswer::of(&answer("here", made)).map_err(|error| error.to_string())
        }),
        Offer::made(&answer("a", 1)).unwrap(),
        Offer::made(&answer("b", 2)).unwrap(),
        now(|| Err("no facts".to_owned())),
    ];
    Served::with(Deadlines::default(), offers)
}

#[test]
fn each_offered_answer_is_shown_with_its_summary_first() {
    let served = served();
    let offers = served.get("/api/answers").json();
    assert_eq!(offers.as_array().unwrap().len(), 4);
    assert_eq!(offers[2]["about"]["args"]["path"], json!({ "name": "b" }));
    for (number, path, found) in [(2, "a", 1), (3, "b", 2)] {
        let shown = served.get(&format!("/api/answer?number={number}")).json();
        assert_eq!(shown["title"]["id"], "check-page-title");
        assert_eq!(shown["about"], offers[number - 1]["about"]);
        assert_eq!(shown["document"]["found"], found);
        let blocks = shown["blocks"].as_array().unwrap();
        let first = &blocks[0]["sentence"]["parts"][0]["message"];
        assert_eq!(first["id"], "check-no-change");
        assert_eq!(blocks[1]["code"], format!("{path}: {found}"));
    }
}

#[test]
fn an_answer_about_this_machine_is_made_each_time_it_is_opened() {
    let served = served();
    let found = || served.get("/api/answer?number=1").json()["document"]["found"].clone();
    let first = found();
    assert_ne!(found(), first);
}

#[test]
fn an_answer_that_is_not_there_or_cannot_be_made_is_refused() {
    let served = served();
    for (query, status, words) in [
        ("?number=4", 422, "no facts"),
        ("?number=5", 404, "no answer 5: this page has 4"),
        ("?number=0", 404, "no answer 0"),
        ("?number=1,2", 400, "at most 1"),
        ("?number=x", 400, "expected numbers"),
        ("", 400, "name `number` exactly once"),
    ] {
        let answer = served.get(&format!("/api/answer{query}"));
        assert_eq!(answer.status, status, "{query}: {answer:?}");
        let error = answer.json()["error"].clone();
        assert!(error.as_str().unwrap().contains(words), "{query}: {error}");
    }
}
