//! Cuts dumps at every byte, or at some of them.

use std::io::sink;

use stripewise_site::{Options, Pair, Pairs, Policy, rewrite};

pub fn pairs() -> Pairs {
    let pair = Pair {
        from: b"http://old.example".to_vec(),
        to: b"https://www.new.example".to_vec(),
    };
    Pairs::new(&[pair], Policy::default()).unwrap()
}

/// Returns whether a part of a dump that was cut off passes for a whole one.
pub fn passes(part: &[u8]) -> bool {
    let options = Options {
        format: Some(stripewise_site::Format::Sql),
        ..Options::default()
    };
    rewrite(part, sink(), &pairs(), &options).is_ok()
}

/// Checks that a dump passes, and none of its parts. Without a mark at its end, those that end between
/// two statements do.
pub fn check(dump: &[u8], last: Option<&str>, step: usize) {
    assert!(passes(dump), "{}", String::from_utf8_lossy(dump));
    let end = match last {
        Some(last) => {
            let text = String::from_utf8_lossy(dump);
            text.rfind(last)
                .unwrap_or_else(|| panic!("{text} has no {last}"))
        }
        None => dump.len(),
    };
    for length in (1..end).step_by(step) {
        let part = &dump[..length];
        let is_comment = |line: &&[u8]| {
            let begins = [&b"-"[..], b"#", b"/*M!999999", b"\\"];
            begins.iter().any(|begin| line.starts_with(begin))
        };
        let lines = part.split(|byte| *byte == b'\n');
        let code: Vec<&[u8]> = lines.filter(|line| !is_comment(line)).collect();
        let code = code.concat();
        let code = code.trim_ascii();
        // The first lines are no dump yet that could say how it ends.
        let is_between = b"/*M!999999".starts_with(code) || code.ends_with(b";");
        let may_pass = is_between && (last.is_none() || length < 60);
        let text = || String::from_utf8_lossy(&part[length.saturating_sub(200)..]).into_owned();
        assert!(may_pass || !passes(part), "{}", text());
    }
}
