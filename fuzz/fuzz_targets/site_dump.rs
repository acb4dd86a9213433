//! Whatever bytes claim to be a dump: read to the end or refused, never a panic. What has no old
//! address comes out as it went in; a second rewrite changes nothing; and what was serialized still
//! is. Values drawn from the bytes are what the new site would have written.

#![no_main]

#[path = "../../crates/site/tests/oracle/mod.rs"]
mod oracle;

#[cfg(not(test))]
use libfuzzer_sys::fuzz_target;
use oracle::{Json, Value, json, quoted, serialized};
use stripewise_site::{Format, Options, Pair, Pairs, Policy, rewrite, rewrite_value};

const OLD: &[u8] = b"http://a.io";
const NEW: &[u8] = b"https://bcdefghijk.org";
/// How deep drawn values are nested.
const DEPTH_MAX: u8 = 6;

/// Draws from the bytes; zeros after their end.
struct Draw<'a>(&'a [u8]);

impl Draw<'_> {
    fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        first
    }

    /// Parts are apart, as letters after an address would be another one. Without colons, no part
    /// is a serialized value by itself; without `%` no address, and without `7` none in hex.
    fn text(&mut self) -> Vec<u8> {
        let mut parts: Vec<Vec<u8>> = Vec::new();
        for _ in 0..self.byte() % 6 {
            parts.push(match self.byte() % 8 {
                0 => b"@".to_vec(),
                1 => b"@/a".to_vec(),
                2 => b"\";s:3:\"x".to_vec(),
                3 => b"s:9:\"abc\";".to_vec(),
                4 => b" a:1:{i:0;".to_vec(),
                5 => b"}".to_vec(),
                _ => {
                    let count = self.byte() % 24;
                    let bytes = (0..count).map(|_| self.byte());
                    bytes.filter(|byte| !b"@:%7".contains(byte)).collect()
                }
            });
        }
        parts.join(&b' ')
    }

    fn value(&mut self, depth: u8, levels: u8) -> Value {
        let pairs = |draw: &mut Self| -> Vec<(Value, Value)> {
            let pair = |draw: &mut Self| {
                let key = match draw.byte() % 2 {
                    0 => Value::Whole(draw.byte().into()),
                    _ => Value::Text(draw.text()),
                };
                (key, draw.value(depth + 1, levels))
            };
            (0..draw.byte() % 4).map(|_| pair(draw)).collect()
        };
        match self.byte() % 8 {
            0 => Value::Whole(self.byte().into()),
            1 if depth < DEPTH_MAX => Value::List(pairs(self)),
            2 if depth < DEPTH_MAX => Value::Object(pairs(self)),
            3 if depth < DEPTH_MAX => Value::Nested(Box::new(self.value(depth + 1, levels))),
            4 if depth < DEPTH_MAX && levels > 0 => {
                let style = self.style(levels);
                Value::Json(Box::new(self.value(depth + 1, 0)), style)
            }
            _ => Value::Text(self.text()),
        }
    }

    fn style(&mut self, levels: u8) -> Json {
        let byte = self.byte();
        Json {
            levels: 1 + (byte >> 1) % levels,
            slash: byte & 1 != 0,
        }
    }
}

/// Compares with what the new site would have written, in SQL and in JSON.
fn compare(bytes: &[u8]) {
    let pair = Pair {
        from: OLD.to_vec(),
        to: NEW.to_vec(),
    };
    let pairs = Pairs::new(&[pair], Policy::default()).expect("one pair");
    let mut draw = Draw(bytes);
    let value = draw.value(0, 2);
    let dump = |address: &[u8]| {
        let value = quoted(&serialized(&value, address));
        [b"INSERT INTO `t` VALUES (", &value[..], b",1);\n"].concat()
    };
    let mut output = Vec::new();
    rewrite(
        &dump(OLD)[..],
        &mut output,
        &pairs,
        &Options {
            format: Some(Format::Sql),
            partial: true,
            ..Options::default()
        },
    )
    .expect("a whole dump");
    let wanted = dump(NEW);
    assert_eq!(
        String::from_utf8_lossy(&output),
        String::from_utf8_lossy(&wanted)
    );
    let (value, style) = (draw.value(0, 1), draw.style(1));
    let (found, _) = rewrite_value(&json(&serialized(&value, OLD), style), &pairs);
    let wanted = json(&serialized(&value, NEW), style);
    assert_eq!(
        String::from_utf8_lossy(&found),
        String::from_utf8_lossy(&wanted)
    );
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&kind, bytes)) = bytes.split_first() else {
        return;
    };
    compare(bytes);
    let pair = Pair {
        from: OLD.to_vec(),
        to: NEW.to_vec(),
    };
    let policy = Policy {
        base64: kind & 4 != 0,
        keys: kind & 8 == 0,
        ignore_case: kind & 16 != 0,
        ..Policy::default()
    };
    let pairs = Pairs::new(&[pair], policy).expect("one pair");
    let formats = [Format::Sql, Format::Tsv, Format::Text, Format::Xml];
    let options = Options {
        format: Some(formats[usize::from(kind & 3)]),
        partial: true,
        ..Options::default()
    };
    let mut output = Vec::new();
    if let Ok(report) = rewrite(bytes, &mut output, &pairs, &options)
        && report.replaced() == 0
    {
        assert_eq!(output, bytes);
    }
    let (value, report) = rewrite_value(bytes, &pairs);
    let (again, second) = rewrite_value(&value, &pairs);
    if report.broken_count == 0 {
        assert_eq!(second.broken_count, 0, "it was not broken before");
    }
    if second.replaced() == 0 {
        assert_eq!(again, value);
    }
});
