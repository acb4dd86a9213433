//! The collection of cases: values and dumps with the result that PHP and MariaDB confirmed.
//!
//! Two cases have a policy that is not the default: `broken:flat` replaces in broken values too,
//! and `case:host-insensitive`, `email:replace` and `opaque:decode` are what they say.
use base64::Engine as _;
use serde_json::Value;
use stripewise_site::{Format, Options, Pair, Pairs, Policy, rewrite, rewrite_value};

const CASES: &str = include_str!("../data/serialized_cases.jsonl");

fn texts(value: &Value) -> Vec<Vec<u8>> {
    match value {
        Value::Array(list) => list.iter().flat_map(texts).collect(),
        text => vec![text.as_str().unwrap().as_bytes().to_vec()],
    }
}

fn bytes(case: &Value, key: &str) -> Vec<u8> {
    let text = case[key].as_str().unwrap();
    match case["encoding"].as_str() {
        Some("base64") => base64::engine::general_purpose::STANDARD
            .decode(text)
            .unwrap(),
        _ => text.as_bytes().to_vec(),
    }
}

fn policy(name: &str) -> Policy {
    let asked = |policy: &str| name == policy;
    Policy {
        ignore_case: asked("case:host-insensitive"),
        emails: asked("email:replace"),
        base64: asked("opaque:decode"),
        broken: asked("broken:flat"),
        ..Policy::default()
    }
}

fn result(case: &Value) -> Vec<u8> {
    let (from, to) = (texts(&case["from"]), texts(&case["to"]));
    let pairs = from.into_iter().zip(to);
    let pairs: Vec<Pair> = pairs.map(|(from, to)| Pair { from, to }).collect();
    let pairs = Pairs::new(&pairs, policy(case["policy"].as_str().unwrap_or_default())).unwrap();
    let input = bytes(case, "input");
    let format = match case["level"].as_str().unwrap() {
        "value" => {
            let (value, _) = rewrite_value(&input, &pairs);
            let (again, format) = (&value, Some(Format::Text));
            let options = Options {
                format,
                ..Options::default()
            };
            let mut streamed = Vec::new();
            rewrite(input.as_slice(), &mut streamed, &pairs, &options).unwrap();
            assert_eq!(*again, streamed, "{}", case["name"]);
            return value;
        }
        "sql" | "sqlline" => Format::Sql,
        "tsv" => Format::Tsv,
        other => panic!("level {other}"),
    };
    assert_eq!(Format::detect(&input), format, "{}", case["name"]);
    let mut output = Vec::new();
    rewrite(input.as_slice(), &mut output, &pairs, &Options::default()).unwrap();
    output
}

#[test]
fn every_case_has_its_result() {
    let mut wrong = Vec::new();
    for line in CASES.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let (found, expected) = (result(&case), bytes(&case, "expected"));
        if found != expected {
            wrong.push(format!(
                "{} ({})\n  expected {}\n  found    {}",
                case["name"],
                case["policy"],
                String::from_utf8_lossy(&expected),
                String::from_utf8_lossy(&found)
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
