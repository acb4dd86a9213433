//! How often the bytes of a text were looked at, and how often they may be.
//!
//! In a text of length n there are up to n places where a value may begin, and from each a reader
//! may have to go to the end to see that there is none: values overlap as tokens in the names of
//! others, or share one long list. Whoever writes a comment on a site can make such a text, and it
//! packs to almost nothing. Values that a program wrote need three or four looks at each byte.
//! So a text has a number of steps that its length allows. What is left when they are spent stays
//! as it is, and is reported as a broken value ([`Fault::Tangled`](crate::report::Fault::Tangled)).

/// The steps that each byte of a text allows.
const STEPS_OF_BYTE: u64 = 16;
/// The steps that every text allows.
const STEPS_OF_TEXT: u64 = 4096;
/// How many bytes a vectorised search looks at in one step.
const BYTES_OF_STEP: u64 = 32;

/// The steps of one text. A step is a token, or some bytes that were searched.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Steps {
    taken: u64,
    allowed: u64,
    /// Those of texts within, which have bounds of their own.
    within: u64,
}

impl Steps {
    /// Begins a text.
    pub(crate) fn of(length: usize) -> Self {
        Self {
            taken: 0,
            allowed: STEPS_OF_TEXT + STEPS_OF_BYTE * length as u64,
            within: 0,
        }
    }

    /// Counts a token.
    pub(crate) fn token(&mut self) {
        self.taken += 1;
    }

    /// Counts bytes that were searched.
    pub(crate) fn bytes(&mut self, count: usize) {
        self.taken += 1 + count as u64 / BYTES_OF_STEP;
    }

    /// Counts the steps of a text within.
    pub(crate) fn inside(&mut self, inner: u64) {
        self.within += inner;
    }

    /// Spends what is left: a text within could not be read to its end.
    pub(crate) fn spend(&mut self) {
        self.taken = self.taken.max(self.allowed);
    }

    /// Returns whether none is left.
    pub(crate) fn is_spent(&self) -> bool {
        self.taken >= self.allowed
    }

    /// Returns how many were taken, also in texts within.
    pub(crate) fn total(&self) -> u64 {
        self.taken + self.within
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::report::Fault;
    use crate::{Format, Options, Pair, Pairs, Policy, Report, rewrite};

    const ADDRESS: &str = "http://old.example";

    fn pairs(policy: Policy) -> Pairs {
        let pair = Pair {
            from: ADDRESS.into(),
            to: "https://www.new.example".into(),
        };
        Pairs::new(&[pair], policy).unwrap()
    }

    fn report(text: &[u8], format: Format, policy: Policy) -> Report {
        let options = Options {
            format: Some(format),
            ..Options::default()
        };
        let mut out = Vec::new();
        let report = rewrite(text, &mut out, &pairs(policy), &options).unwrap();
        if !policy.broken && !policy.base64 && report.broken_count == 0 {
            assert_eq!(out == text, report.replaced() == 0);
        }
        report
    }

    /// A length: a right one, a short one, and some that lie.
    fn length() -> impl Strategy<Value = u64> {
        prop_oneof![
            Just(0),
            1..40_u64,
            Just(100_000_u64),
            Just(999_999_999_999_999_999_u64),
        ]
    }

    /// Tokens of every kind, whole and cut, that may hold the beginnings of others.
    fn token() -> impl Strategy<Value = String> {
        let opens = (length(), prop::sample::select(vec!["a", "O", "C", "E"]));
        let opens = opens.prop_map(|(count, kind)| match kind {
            "a" => format!("a:{count}:{{"),
            "O" => format!("O:1:\"A\":{count}:{{"),
            "C" => format!("C:1:\"A\":{count}:{{"),
            _ => format!("E:{count}:\""),
        });
        let strings = (length(), prop::sample::select(vec!["s", "S"]));
        let strings = strings.prop_map(|(count, kind)| format!("{kind}:{count}:\""));
        let fixed = [
            "i:0;",
            "b:1;",
            "d:0.5;",
            "N;",
            "r:1;",
            "R:1;",
            "}",
            "\";",
            "\\41",
            "\\4",
            "\"",
            "\\\"",
            "\\\\\\\"",
            "\\/",
            "\\u003a",
            "i:0;E:24:\"",
            "s:1:\"a\";",
            "S:1:\"\\61\";",
            "E:3:\"A:B\";",
            "O:1:\"A\":0:{}",
            "a:0:{}",
            ":",
            "{\"a\":\"",
            "\"}",
            "s:9:\\\"",
            "a:1:{i:0;",
            "aHR0cDovL29sZC5leGFtcGxl",
            "b2xkLmV4YW1wbGU",
            "AAAA",
            "=",
            "http://old.example",
            "http://old.examples",
            "x.old.example",
        ];
        let fixed = prop::sample::select(fixed.to_vec()).prop_map(str::to_owned);
        prop_oneof![opens, strings, fixed]
    }

    /// Some tokens again and again, a list that they share, and an address behind all of it.
    fn hostile(unit: &[String], list: &[String], bytes: usize) -> Vec<u8> {
        let mut text = unit.concat().into_bytes();
        text = text.repeat(bytes / 2 / text.len() + 1);
        let mut shared = list.concat().into_bytes();
        shared = shared.repeat(bytes / 2 / shared.len() + 1);
        text.extend(shared);
        text.extend(format!(" {ADDRESS} ").bytes());
        text
    }

    fn quoted(text: &[u8]) -> Vec<u8> {
        let mut literal = b"INSERT INTO a VALUES ('".to_vec();
        for &byte in text {
            if matches!(byte, b'\\' | b'\'' | b'"') {
                literal.push(b'\\');
            }
            literal.push(byte);
        }
        literal.extend(b"');\n");
        literal
    }

    fn in_json(text: &[u8]) -> Vec<u8> {
        let text = String::from_utf8(text.to_vec()).unwrap();
        serde_json::to_vec(&serde_json::json!({ "a": text })).unwrap()
    }

    /// Texts in texts have bounds of their own, and each level of JSON is longer than what it holds.
    const MOST_OF_BYTE: u64 = 4 * STEPS_OF_BYTE;

    fn check(unit: &[String], list: &[String], bytes: usize) {
        for bytes in [bytes, 2 * bytes, 4 * bytes] {
            let text = hostile(unit, list, bytes);
            let json = in_json(&text);
            let tries = [
                (text.clone(), Format::Text),
                (quoted(&text), Format::Sql),
                (json.clone(), Format::Text),
                (quoted(&in_json(&json)), Format::Sql),
            ];
            for (text, format) in tries {
                for (broken, base64) in [(false, false), (true, true)] {
                    let policy = Policy {
                        broken,
                        base64,
                        ..Policy::default()
                    };
                    let report = report(&text, format, policy);
                    let most = 4 * STEPS_OF_TEXT + MOST_OF_BYTE * text.len() as u64;
                    assert!(
                        report.steps <= most,
                        "{} steps for {} bytes of {unit:?} {list:?}",
                        report.steps,
                        text.len()
                    );
                }
            }
        }
    }

    /// How many cases are tried: the variable is set for the long run.
    fn cases() -> u32 {
        let cases = std::env::var("STRIPEWISE_STEPS_CASES").ok();
        cases.and_then(|cases| cases.parse().ok()).unwrap_or(32)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

        /// Linear, whatever the tokens are: the steps of n, 2n and 4n bytes keep to the same bound
        /// for each byte.
        #[test]
        fn no_text_takes_more_steps_than_its_length_allows(
            unit in prop::collection::vec(token(), 1..5),
            list in prop::collection::vec(token(), 1..4),
        ) {
            check(&unit, &list, 2000);
        }
    }

    /// The texts that took quadratic time.
    #[test]
    fn known_attacks_take_linear_steps() {
        let strings = |texts: &[&str]| {
            texts
                .iter()
                .map(|&text| text.to_owned())
                .collect::<Vec<_>>()
        };
        for (unit, list) in [
            (&["S:900000:\"\\41\\41"][..], &["\\41"][..]),
            (&["S:900000:\""], &["a"]),
            (&["E:24:\"", "a:900000:{i:0;"], &["i:0;"]),
            (&["a:900000:{i:0;E:20:\""], &["i:0;"]),
            (&["a:900000:{i:0;s:18:\"\";"], &["i:0;N;"]),
            (&["O:8:\"a:9999:{\":99:{s:1:\"a\";"], &["i:0;N;"]),
            (&["C:1:\"A\":40:{a:9999:{"], &["i:0;i:0;"]),
            (&["\"s:9:\""], &["x;"]),
            (&["i:0;"], &["AAAAb2xkLmV4YW1wbGU"]),
        ] {
            check(&strings(unit), &strings(list), 8000);
        }
    }
}
