//! Whatever bytes claim to be a dump: read to the end or refused, never a panic. What has no old
//! address comes out as it went in; a second rewrite changes nothing; and what was serialized still
//! is.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stripewise_site::{Format, Options, Pair, Pairs, Policy, rewrite, rewrite_value};

fuzz_target!(|bytes: &[u8]| {
    let Some((&kind, bytes)) = bytes.split_first() else {
        return;
    };
    let pair = Pair {
        from: b"http://a.io".to_vec(),
        to: b"https://bcdefghijk.org".to_vec(),
    };
    let policy = Policy {
        base64: kind & 4 != 0,
        keys: kind & 8 == 0,
        ignore_case: kind & 16 != 0,
        ..Policy::default()
    };
    let pairs = Pairs::new(&[pair], policy).expect("one pair");
    let formats = [Format::Sql, Format::Tsv, Format::Text, Format::Wxr];
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
