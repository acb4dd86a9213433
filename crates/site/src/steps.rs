//! How often the bytes of a text were looked at, and how often they may be.
//!
//! In a text of length n there are up to n places where a value may begin, and from each a reader
//! may have to go to the end to see that there is none: values overlap as tokens in the names of
//! others, or share one long list. Whoever writes a comment on a site can make such a text, and it
//! packs to almost nothing. Values that a program wrote need three or four looks at each byte.
//! So a text has a number of steps that its length allows. What is left when they are spent stays
//! as it is, and is reported as a broken value ([`Fault::Tangled`](crate::report::Fault::Tangled)).

/// The steps that each byte of a text allows.
const STEPS_OF_BYTE: u64 = 8;
/// The steps that every text allows.
const STEPS_OF_TEXT: u64 = 4096;
/// The steps that each byte of a text allows to all texts within, however they lie in each other.
const STEPS_WITHIN_OF_BYTE: u64 = 16;
/// How many bytes a vectorised search looks at in one step.
const BYTES_OF_STEP: u64 = 32;

/// The steps of one text. A step is a token, or some bytes that were searched.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Steps {
    taken: u64,
    allowed: u64,
    /// Those of texts within, which have bounds of their own.
    within: u64,
    /// How many those may take together.
    allowed_within: u64,
    /// How many the text around allows to this one and to all within it.
    limit: u64,
    /// Whether a text within could not be read to its end.
    is_over: bool,
}

impl Steps {
    /// Begins a text.
    pub(crate) fn of(length: usize) -> Self {
        Self {
            taken: 0,
            allowed: STEPS_OF_TEXT + STEPS_OF_BYTE * length as u64,
            within: 0,
            allowed_within: STEPS_OF_TEXT + STEPS_WITHIN_OF_BYTE * length as u64,
            limit: u64::MAX,
            is_over: false,
        }
    }

    /// Begins a text within.
    pub(crate) fn inner(&self, length: usize) -> Self {
        let within = self.allowed_within.saturating_sub(self.within);
        Self {
            limit: within.min(self.limit.saturating_sub(self.total())),
            ..Self::of(length)
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

    /// Spends the rest: a text within could not be read to its end.
    pub(crate) fn spend(&mut self) {
        self.is_over = true;
    }

    /// Returns whether none is left.
    pub(crate) fn is_spent(&self) -> bool {
        self.is_over || self.taken >= self.allowed || self.total() >= self.limit
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
    use crate::{Format, InputReport, Options, Pair, Pairs, Policy, rewrite};

    const ADDRESS: &str = "http://old.example";

    fn pairs(policy: Policy) -> Pairs {
        let pair = Pair {
            from: ADDRESS.into(),
            to: "https://www.new.example".into(),
        };
        Pairs::new(&[pair], policy).unwrap()
    }

    fn report(text: &[u8], format: Format, policy: Policy) -> InputReport {
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
            "s:9:&quot;",
            "s:9:\"\"",
            "s%3A9%3A%22",
            "s:9:\\u0022",
            "&quot;",
            "&amp;",
            "%22",
            "%25",
            "\"\"",
            "<",
            ",",
            "%5C\\",
            "http%3A%2F%2Fold.example",
            "http:\\/\\/old.example",
            "http:\\u002F\\u002Fold.example",
            "http:&#x2F;&#x2F;old.example",
            "https:\\/\\/old.example",
            "old.example",
            "6f6c642e6578616d706c65",
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
        prop_oneof![opens, strings, fixed, linked()]
    }

    /// A container whose last value reaches over the next container into that one's values: from
    /// each, a reader goes through all that follow, and none is inside of another one.
    fn link(opener: &str, carrier: &str) -> String {
        let (begin, end) = match carrier {
            "C" => ("C:1:\"A\"", ("{", "}")),
            carrier => (carrier, ("\"", "\";")),
        };
        let value = |text: &str, length: usize| format!("i:0;{begin}:{length}:{}{text}", end.0);
        let first = value("x", 1);
        let length = format!("y{}{opener}{first}", end.1).len();
        format!("{opener}{first}{}{}{}", end.1, value("y", length), end.1)
    }

    fn linked() -> impl Strategy<Value = String> {
        let openers = ["a:9000000:{", "O:1:\"A\":9000000:{", "a:1:{"];
        let openers = prop::sample::select(openers.to_vec());
        let carriers = prop::sample::select(vec!["s", "S", "E", "C"]);
        (openers, carriers).prop_map(|(opener, carrier)| link(opener, carrier))
    }

    /// Some tokens again and again, a list that they share, and an address behind all of it.
    fn hostile(unit: &[String], list: &[String], end: &str, bytes: usize) -> Vec<u8> {
        let mut text = unit.concat().into_bytes();
        text = text.repeat(bytes / 2 / text.len() + 1);
        let mut shared = list.concat().into_bytes();
        shared = shared.repeat(bytes / 2 / shared.len() + 1);
        text.extend(shared);
        text.extend(format!(" {ADDRESS} {end}").bytes());
        text
    }

    /// Returns an array of small numbers, then text in base64 with an address that is none, or is
    /// one, then an address.
    fn with_base64(bytes: usize, packed: &str) -> Vec<u8> {
        use base64::Engine as _;
        let pairs = bytes / 16;
        let numbers = "i:0;i:0;".repeat(pairs);
        let text = packed.repeat(bytes / 2 / packed.len() + 1);
        let packed = base64::engine::general_purpose::STANDARD.encode(text);
        let length = packed.len();
        let (count, address) = (pairs + 2, ADDRESS.len());
        let value = format!(
            "a:{count}:{{{numbers}i:1;s:{length}:\"{packed}\";i:2;s:{address}:\"{ADDRESS}\";}}"
        );
        value.into_bytes()
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
    const MOST_OF_BYTE: u64 = 3 * STEPS_OF_BYTE + 4;

    /// Returns the steps of a text as it is, in a literal, in JSON, and in JSON in JSON.
    fn check(text: &[u8], what: &str) {
        let json = in_json(text);
        let tries = [
            (text.to_vec(), Format::Text),
            (quoted(text), Format::Sql),
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
                let steps = report(&text, format, policy).steps;
                let most = 4 * STEPS_OF_TEXT + MOST_OF_BYTE * text.len() as u64;
                let bytes = text.len();
                assert!(steps <= most, "{steps} steps for {bytes} bytes of {what}");
            }
        }
    }

    fn check_hostile(unit: &[String], list: &[String], end: &str, bytes: usize) {
        for bytes in [bytes, 2 * bytes, 4 * bytes] {
            check(
                &hostile(unit, list, end, bytes),
                &format!("{unit:?} {list:?}"),
            );
        }
    }

    /// How many cases are tried; `make soak` sets more.
    fn cases() -> u32 {
        let cases = std::env::var("PROPTEST_CASES").ok();
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
            end in prop::sample::select(vec!["", ";", "}", "\";"]),
        ) {
            check_hostile(&unit, &list, end, 2000);
        }
    }

    /// The texts that took quadratic time, each for another reason.
    #[test]
    fn known_attacks_take_linear_steps() {
        let list = ["i:0;N;".to_owned()];
        for carrier in ["s", "S", "C"] {
            check_hostile(&[link("a:9000000:{", carrier)], &list, "", 8000);
        }
        // No search looks for the beginning of an `E`, so none is passed as a whole.
        check_hostile(&[link("a:9000000:{", "E")], &list, "", 40_000);
        for (unit, list, end) in [
            ("S:900000:\"\\41\\41", "\\41", ""),
            ("S:900000:\"", "a", ""),
            ("\"s:9:\"x", "x", ";"),
            ("'s:9:\"\\'", "http://old.example\\\\\\'", "';"),
            ("'''s:18:\"http://old.example\";", "''\\''", "'"),
        ] {
            check_hostile(&[unit.to_owned()], &[list.to_owned()], end, 8000);
        }
        for bytes in [8000, 16000, 32000] {
            for packed in ["http://old.examples/", "http://old.example/"] {
                check(&with_base64(bytes, packed), packed);
            }
        }
    }

    /// What a program wrote is read to its end.
    #[test]
    fn no_value_that_can_be_read_is_tangled() {
        let mut value = format!("s:{}:\"{ADDRESS}\";", ADDRESS.len());
        for level in 0..60 {
            let text = format!("a:2:{{i:0;S:2:\"\\61a\";s:3:\"abc\";{value}}}");
            value = match level % 3 {
                0 => format!("s:{}:\"{text}\";", text.len()),
                _ => text,
            };
        }
        let mut list = String::new();
        for index in 0..300 {
            list += &format!("i:{index};{value}");
        }
        // Cut off, in prose: from each of the containers again.
        for text in [
            format!("a:300:{{{list}}}"),
            format!("prose: a:9999:{{{list}"),
            format!("prose: {}{list}", "a:9:{i:0;".repeat(3000)),
            format!("it\\'s '{}'", list.replace('\\', "\\\\")),
        ] {
            let report = report(text.as_bytes(), Format::Text, Policy::default());
            let steps = report.steps;
            assert_eq!(report.replaced(), 300, "{} {steps}", text.len());
            assert!(steps < 4 * text.len() as u64, "{} {steps}", text.len());
        }
    }
}
