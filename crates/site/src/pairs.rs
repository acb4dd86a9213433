//! What is replaced by what, in which forms, and where an address ends.
//!
//! All pairs are replaced at once: leftmost first, then longest. So no pair sees what another one
//! wrote, two sites can be swapped, and the order of the pairs does not matter.

use std::fmt::Write as _;

use aho_corasick::{AhoCorasick, Anchored, Input, MatchKind, packed};
use thiserror::Error;

use crate::find::BEHIND_BYTES;

/// The most characters between two dots of a host name (RFC 1035, 2.3.4). What is longer is no
/// other host.
const LABEL_BYTES_MAX: usize = 63;
/// The shortest run of letters by which a literal is recognised before it is decoded.
const ANCHOR_BYTES_MIN: usize = 4;
/// The most bytes of an address.
const FROM_BYTES_MAX: usize = 4096;

/// An old text and the one that replaces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// What is replaced.
    pub from: Vec<u8>,
    /// What replaces it.
    pub to: Vec<u8>,
}

/// Which addresses are replaced, and which stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// Whether keys of serialized arrays and names of properties are replaced.
    pub keys: bool,
    /// Whether host names match in any letter case.
    pub ignore_case: bool,
    /// Whether the domains of e-mail addresses are replaced.
    pub emails: bool,
    /// Whether text in base64 is decoded, replaced and encoded again.
    pub base64: bool,
    /// Whether a name without scheme matches its subdomains: `old.example` in `www.old.example`.
    pub subdomains: bool,
    /// Whether addresses in broken serialized values are replaced as in any text.
    pub broken: bool,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            keys: true,
            ignore_case: false,
            emails: false,
            base64: false,
            subdomains: false,
            broken: false,
        }
    }
}

/// How an address is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// As it is.
    Plain,
    /// In a string of JSON.
    Json,
    /// In a string of JSON in a string of JSON.
    JsonTwice,
    /// Percent-encoded.
    Percent,
    /// Percent-encoded twice.
    PercentTwice,
    /// In base64.
    Base64,
}

impl Form {
    /// Returns its key in documents; the entry of the catalogue is `site-form-KEY`.
    pub fn key(self) -> &'static str {
        match self {
            Form::Plain => "plain",
            Form::Json => "json",
            Form::JsonTwice => "json-twice",
            Form::Percent => "percent",
            Form::PercentTwice => "percent-twice",
            Form::Base64 => "base64",
        }
    }
}

/// Why pairs cannot be used.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum PairError {
    /// None was given.
    #[error("no address to replace: give `--from` and `--to`")]
    None,
    /// An empty `--from`.
    #[error("`--from` is empty")]
    Empty,
    /// Too long.
    #[error("`--from` has {bytes} bytes; {FROM_BYTES_MAX} are the most")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// Two pairs with the same `from`.
    #[error("`--from {from}` is given twice, with different `--to`")]
    Twice {
        /// The address.
        from: String,
    },
    /// The automaton could not be built.
    #[error("the addresses are too long or too many: {reason}")]
    TooMany {
        /// What the builder says.
        reason: String,
    },
}

/// One way to write the `from` of a pair.
#[derive(Debug, Clone)]
struct Pattern {
    from: Vec<u8>,
    to: Vec<u8>,
    form: Form,
    /// The bytes at the end after the host name, which match in their own case only.
    exact_tail: usize,
    is_bare_host: bool,
    /// Whether its last character could go on.
    is_open: bool,
}

/// A found address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) pattern: usize,
}

/// All pairs in all forms.
#[derive(Debug)]
pub struct Pairs {
    patterns: Vec<Pattern>,
    finder: AhoCorasick,
    /// The same with vector instructions, if letter case counts and the patterns are few.
    packed: Option<packed::Searcher>,
    /// Recognises quoted text that may hold an address; without it every value is decoded.
    anchors: Option<AhoCorasick>,
    /// Recognises addresses in base64, at each of three offsets.
    base64: Option<AhoCorasick>,
    policy: Policy,
    context: usize,
}

fn in_json(text: &[u8], slash: bool, unicode: Option<bool>) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() * 2);
    let text = match (unicode, std::str::from_utf8(text)) {
        (Some(upper), Ok(text)) => {
            let mut ascii = String::new();
            for unit in text.encode_utf16() {
                match u8::try_from(unit) {
                    Ok(byte) if byte.is_ascii() => ascii.push(char::from(byte)),
                    // Writing to a string does not fail.
                    _ => {
                        let _ = match upper {
                            true => write!(ascii, "\u{1}{unit:04X}"),
                            false => write!(ascii, "\u{1}{unit:04x}"),
                        };
                    }
                }
            }
            ascii.into_bytes()
        }
        _ => text.to_vec(),
    };
    for byte in text {
        match byte {
            b'/' if slash => out.extend(b"\\/"),
            b'"' | b'\\' => out.extend([b'\\', byte]),
            // The mark of a unit of UTF-16, from above.
            1 if unicode.is_some() => out.extend(b"\\u"),
            _ => out.push(byte),
        }
    }
    out
}

fn in_percent(text: &[u8], upper: bool) -> Vec<u8> {
    let mut out = String::new();
    for &byte in text {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = match upper {
                true => write!(out, "%{byte:02X}"),
                false => write!(out, "%{byte:02x}"),
            };
        }
    }
    out.into_bytes()
}

type Encoder = Box<dyn Fn(&[u8]) -> Vec<u8>>;

/// Returns every form, the most likely first.
fn forms() -> Vec<(Form, Encoder)> {
    let mut forms: Vec<(Form, Encoder)> = vec![(Form::Plain, Box::new(<[u8]>::to_vec))];
    for slash in [true, false] {
        for unicode in [None, Some(false), Some(true)] {
            let once = move |text: &[u8]| in_json(text, slash, unicode);
            forms.push((Form::Json, Box::new(once)));
            for outer in [true, false] {
                let twice = move |text: &[u8]| in_json(&once(text), outer, None);
                forms.push((Form::JsonTwice, Box::new(twice)));
            }
        }
    }
    for upper in [true, false] {
        let once = move |text: &[u8]| in_percent(text, upper);
        forms.push((Form::Percent, Box::new(once)));
        let twice = move |text: &[u8]| in_percent(&once(text), upper);
        forms.push((Form::PercentTwice, Box::new(twice)));
    }
    forms
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}

/// Returns the bytes of `from` after its host name; all of a path.
fn tail_of(from: &[u8]) -> &[u8] {
    let host = match memchr::memmem::find(from, b"://") {
        Some(at) => at + 3,
        None if from.starts_with(b"//") => 2,
        None => 0,
    };
    let path = memchr::memchr2(b'/', b'\\', &from[host..]);
    path.map_or(&[], |at| &from[host + at..])
}

/// Returns the longest part that no form and no quoting changes.
fn anchor(text: &[u8]) -> &[u8] {
    let is_kept = |byte: &u8| is_word(*byte) || *byte == b'.';
    let runs = text.split(|byte| !is_kept(byte));
    runs.max_by_key(|run| run.len()).unwrap_or_default()
}

/// Returns what is always in the base64 of a text that contains `text`, at each of three offsets.
fn base64_cores(text: &[u8]) -> impl Iterator<Item = Vec<u8>> + '_ {
    use base64::Engine as _;
    (0..3_usize).map(move |offset| {
        let mut padded = vec![0; offset];
        padded.extend(text);
        let whole = padded.len() / 3 * 3;
        let encoded = base64::engine::general_purpose::STANDARD.encode(&padded[..whole]);
        let unsure = if offset == 0 { 0 } else { offset + 1 };
        encoded.as_bytes()[unsure.min(encoded.len())..].to_vec()
    })
}

fn hex(text: &[u8], upper: bool) -> Vec<u8> {
    let digits = text.iter().map(|byte| match upper {
        true => format!("{byte:02X}"),
        false => format!("{byte:02x}"),
    });
    digits.collect::<String>().into_bytes()
}

fn automaton(
    patterns: &[impl AsRef<[u8]>],
    ignore_case: bool,
    kind: MatchKind,
) -> Result<AhoCorasick, PairError> {
    AhoCorasick::builder()
        .match_kind(kind)
        .ascii_case_insensitive(ignore_case)
        .start_kind(aho_corasick::StartKind::Unanchored)
        .build(patterns)
        .map_err(|error| PairError::TooMany {
            reason: error.to_string(),
        })
}

impl Pairs {
    /// Returns the pairs, to be replaced under a policy.
    ///
    /// # Errors
    /// If there is none, one is empty or too long, or two contradict each other.
    pub fn new(pairs: &[Pair], policy: Policy) -> Result<Self, PairError> {
        if pairs.is_empty() {
            return Err(PairError::None);
        }
        check(pairs)?;
        let mut patterns: Vec<Pattern> = Vec::new();
        for (form, encode) in forms() {
            for pair in pairs {
                let from = encode(&pair.from);
                if patterns.iter().any(|known| known.from == from) {
                    continue;
                }
                let is_path = matches!(pair.from.first(), Some(b'/' | b'\\'));
                let tail = match is_path {
                    true => from.len(),
                    false => encode(tail_of(&pair.from)).len(),
                };
                patterns.push(Pattern {
                    to: encode(&pair.to),
                    exact_tail: tail.min(from.len()),
                    form,
                    is_bare_host: !is_path && memchr::memmem::find(&pair.from, b"//").is_none(),
                    is_open: pair.from.last().is_some_and(|byte| is_word(*byte)),
                    from,
                });
            }
        }
        let needles: Vec<&[u8]> = patterns.iter().map(|one| one.from.as_slice()).collect();
        let longest = needles.iter().map(|one| one.len()).max().unwrap_or(0);
        Ok(Self {
            packed: match policy.ignore_case {
                true => None,
                false => packed::Config::new()
                    .match_kind(packed::MatchKind::LeftmostLongest)
                    .builder()
                    .extend(&needles)
                    .build(),
            },
            finder: automaton(&needles, policy.ignore_case, MatchKind::LeftmostLongest)?,
            anchors: anchors(&needles, policy)?,
            base64: base64_finder(pairs)?,
            policy,
            context: longest + LABEL_BYTES_MAX + 2,
            patterns,
        })
    }

    /// Returns the policy.
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// Returns how many bytes after the start of an address decide whether it is one.
    pub(crate) fn context(&self) -> usize {
        self.context
    }

    /// Returns where quoted text next may hold an address; its length if nowhere.
    pub(crate) fn next_anchor(&self, quoted: &[u8], from: usize) -> usize {
        match &self.anchors {
            None => from,
            Some(finder) => finder
                .find(Input::new(quoted).range(from.min(quoted.len())..))
                .map_or(quoted.len(), |found| found.start()),
        }
    }

    /// Returns the next piece of base64 that holds an address.
    pub(crate) fn next_base64(&self, window: &[u8], from: usize) -> Option<usize> {
        let found = self.base64.as_ref()?.find(Input::new(window).range(from..));
        found.map(|found| found.start())
    }

    /// Returns the new text of a hit.
    pub(crate) fn replacement(&self, hit: &Hit) -> &[u8] {
        &self.patterns[hit.pattern].to
    }

    pub(crate) fn form(&self, hit: &Hit) -> Form {
        self.patterns[hit.pattern].form
    }

    /// Returns the first address in a window that begins at `from` or later.
    pub(crate) fn find(&self, window: &[u8], from: usize) -> Option<Hit> {
        let mut from = from;
        loop {
            let found = match &self.packed {
                Some(packed) => packed.find_in(window, (from..window.len()).into())?,
                None => {
                    let input = Input::new(window).range(from..).anchored(Anchored::No);
                    self.finder.find(input)?
                }
            };
            let (start, end) = (found.start(), found.end());
            let pattern = found.pattern().as_usize();
            if self.is_address(window, start, end, pattern) {
                return Some(Hit {
                    start,
                    end,
                    pattern,
                });
            }
            if let Some(hit) = self.shorter(window, start, end) {
                return Some(hit);
            }
            from = start + 1;
        }
    }

    /// Returns a shorter address at the same place.
    fn shorter(&self, window: &[u8], start: usize, below: usize) -> Option<Hit> {
        let rest = &window[start..];
        let is_there = |from: &[u8]| match self.policy.ignore_case {
            true => rest.len() >= from.len() && rest[..from.len()].eq_ignore_ascii_case(from),
            false => rest.starts_with(from),
        };
        let candidates = self.patterns.iter().enumerate().filter(|(index, pattern)| {
            let end = start + pattern.from.len();
            end < below && is_there(&pattern.from) && self.is_address(window, start, end, *index)
        });
        candidates
            .max_by_key(|(_, pattern)| pattern.from.len())
            .map(|(index, pattern)| Hit {
                start,
                end: start + pattern.from.len(),
                pattern: index,
            })
    }

    /// Returns whether the text around a match belongs to no other address.
    fn is_address(&self, window: &[u8], start: usize, end: usize, pattern: usize) -> bool {
        let pattern = &self.patterns[pattern];
        let tail = pattern.exact_tail;
        if self.policy.ignore_case
            && window[end - tail..end] != pattern.from[pattern.from.len() - tail..]
        {
            return false;
        }
        if pattern.is_open && goes_on(&window[end..]) {
            return false;
        }
        !pattern.is_bare_host || self.begins(&window[..start], &pattern.from)
    }

    /// Returns whether a name without scheme begins here.
    fn begins(&self, before: &[u8], from: &[u8]) -> bool {
        if !from.first().is_some_and(|byte| is_word(*byte)) {
            return true;
        }
        match before.last() {
            Some(b'@') => self.policy.emails,
            Some(b'.') => {
                let is_name = before.len() > 1 && is_word(before[before.len() - 2]);
                !is_name || (self.policy.subdomains && (self.policy.emails || !in_email(before)))
            }
            // `%2F` and `\n` before a name are no part of it.
            Some(byte) if is_word(*byte) => ends_escape(before),
            _ => true,
        }
    }
}

/// Returns whether the name before a dot belongs to an e-mail address.
fn in_email(before: &[u8]) -> bool {
    let before = &before[before.len().saturating_sub(BEHIND_BYTES)..];
    let name = before
        .iter()
        .rposition(|byte| !is_word(*byte) && *byte != b'.');
    name.is_some_and(|at| before[at] == b'@')
}

/// Returns whether text ends with `%2F`, with `\n` or with `\u002f`.
fn ends_escape(before: &[u8]) -> bool {
    let length = before.len();
    let is_hex = |part: &[u8]| part.iter().all(u8::is_ascii_hexdigit);
    (length >= 3 && before[length - 3] == b'%' && is_hex(&before[length - 2..]))
        || (length >= 2 && before[length - 2] == b'\\' && b"nrtbf".contains(&before[length - 1]))
        || (length >= 6
            && before[length - 6..].starts_with(b"\\u")
            && is_hex(&before[length - 4..]))
}

/// Returns whether a name or a path goes on after a match, and so is another one.
fn goes_on(after: &[u8]) -> bool {
    let label = match after {
        [b'.', rest @ ..] if rest.first().is_some_and(|byte| is_word(*byte)) => return true,
        _ => after
            .iter()
            .take(LABEL_BYTES_MAX)
            .take_while(|byte| is_word(**byte))
            .count(),
    };
    label > 0 && label < LABEL_BYTES_MAX
}

fn check(pairs: &[Pair]) -> Result<(), PairError> {
    for (index, pair) in pairs.iter().enumerate() {
        if pair.from.is_empty() {
            return Err(PairError::Empty);
        }
        if pair.from.len() > FROM_BYTES_MAX {
            return Err(PairError::TooLong {
                bytes: pair.from.len(),
            });
        }
        let other = pairs[..index].iter().find(|other| other.from == pair.from);
        if other.is_some_and(|other| other.to != pair.to) {
            let from = String::from_utf8_lossy(&pair.from).into_owned();
            return Err(PairError::Twice { from });
        }
    }
    Ok(())
}

fn anchors(needles: &[&[u8]], policy: Policy) -> Result<Option<AhoCorasick>, PairError> {
    let mut anchors: Vec<Vec<u8>> = Vec::new();
    for needle in needles {
        let anchor = anchor(needle);
        if anchor.len() < ANCHOR_BYTES_MIN {
            return Ok(None);
        }
        let in_base64 = base64_cores(anchor).filter(|core| core.len() >= ANCHOR_BYTES_MIN);
        let in_hex = [hex(anchor, true), hex(anchor, false)];
        anchors.extend(in_base64.chain(in_hex));
        anchors.push(anchor.to_vec());
    }
    anchors.sort();
    anchors.dedup();
    // One that contains another one is never needed.
    let all = anchors.clone();
    anchors.retain(|one| {
        let contains = |other: &Vec<u8>| memchr::memmem::find(one, other).is_some();
        !all.iter().any(|other| other != one && contains(other))
    });
    automaton(&anchors, policy.ignore_case, MatchKind::LeftmostFirst).map(Some)
}

fn base64_finder(pairs: &[Pair]) -> Result<Option<AhoCorasick>, PairError> {
    let cores = pairs
        .iter()
        .flat_map(|pair| base64_cores(anchor(&pair.from)));
    let mut cores: Vec<Vec<u8>> = cores
        .filter(|core| core.len() >= ANCHOR_BYTES_MIN)
        .collect();
    cores.sort();
    cores.dedup();
    if cores.is_empty() {
        return Ok(None);
    }
    automaton(&cores, false, MatchKind::LeftmostFirst).map(Some)
}
