//! What is replaced by what, in which forms, and where an address ends.
//!
//! All pairs are replaced at once: leftmost first, then longest. So no pair sees what another one
//! wrote, two sites can be swapped, and the order of the pairs does not matter.

use aho_corasick::{AhoCorasick, Anchored, Input, MatchKind, packed};
use thiserror::Error;

use crate::encode::digits;
use crate::escape::Escape;
use crate::find::BEHIND_BYTES;

/// The most characters between two dots of a host name (RFC 1035, 2.3.4). What is longer is no
/// other host.
const LABEL_BYTES_MAX: usize = 63;
/// The shortest run of letters by which a literal is recognised before it is decoded.
const ANCHOR_BYTES_MIN: usize = 4;
/// The most bytes before a part of an address that tell whether an escape ends there.
const ESCAPE_BYTES: usize = 8;
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
    /// In a string of JSON or JavaScript.
    Json,
    /// In a string of JSON in a string of JSON.
    JsonTwice,
    /// Percent-encoded.
    Percent,
    /// Percent-encoded twice.
    PercentTwice,
    /// With entities of XML or HTML.
    Entity,
    /// In a field of CSV.
    Csv,
    /// With the escapes of PHP's `S`.
    Php,
    /// In hexadecimal digits.
    Hex,
    /// In base64.
    Base64,
    /// In several of these at once.
    Mixed,
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
            Form::Entity => "entity",
            Form::Csv => "csv",
            Form::Php => "php",
            Form::Hex => "hex",
            Form::Base64 => "base64",
            Form::Mixed => "mixed",
        }
    }

    /// Returns the form of what is written in this one in a layer.
    pub(crate) fn within(self, layer: Escape) -> Self {
        match (layer, self) {
            (Escape::Json, Form::Plain) => Form::Json,
            (Escape::Json, Form::Json) => Form::JsonTwice,
            (Escape::Percent, Form::Plain) => Form::Percent,
            (Escape::Percent, Form::Percent) => Form::PercentTwice,
            (Escape::Entity, Form::Plain) => Form::Entity,
            (Escape::Quote { .. }, Form::Plain) => Form::Csv,
            (Escape::Php, Form::Plain) => Form::Php,
            (Escape::Hex, Form::Plain) => Form::Hex,
            _ => Form::Mixed,
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

/// The `from` of a pair.
#[derive(Debug, Clone)]
struct Pattern {
    from: Vec<u8>,
    to: Vec<u8>,
    /// The bytes at the end after the host name, which match in their own case only.
    exact_tail: usize,
    is_bare_host: bool,
    /// Whether its last character could go on.
    is_open: bool,
}

/// A part of addresses that is the same in every form, or the beginning of one in one form.
#[derive(Debug, Clone)]
struct Core {
    text: Vec<u8>,
    /// Of which patterns it is a part, and where. None if it only tells that one may be here.
    owners: Vec<(usize, usize)>,
}

/// A found address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) pattern: usize,
}

/// Finds the first of several texts, the longest that begins there.
#[derive(Debug)]
struct Search {
    finder: AhoCorasick,
    /// The same with vector instructions, if letter case counts and the texts are few.
    packed: Option<packed::Searcher>,
}

impl Search {
    fn new(needles: &[&[u8]], ignore_case: bool) -> Result<Self, PairError> {
        Ok(Self {
            packed: match ignore_case {
                true => None,
                false => packed::Config::new()
                    .match_kind(packed::MatchKind::LeftmostLongest)
                    .builder()
                    .extend(needles)
                    .build(),
            },
            finder: automaton(needles, ignore_case, MatchKind::LeftmostLongest)?,
        })
    }

    fn next(&self, window: &[u8], from: usize) -> Option<Hit> {
        let found = match &self.packed {
            Some(packed) => packed.find_in(window, (from..window.len()).into())?,
            None => {
                let input = Input::new(window).range(from..).anchored(Anchored::No);
                self.finder.find(input)?
            }
        };
        Some(Hit {
            start: found.start(),
            end: found.end(),
            pattern: found.pattern().as_usize(),
        })
    }
}

/// All pairs, as they are, and what of them is the same in every form.
#[derive(Debug)]
pub struct Pairs {
    patterns: Vec<Pattern>,
    finder: Search,
    cores: Vec<Core>,
    core_finder: Search,
    /// Recognises quoted text that may hold an address; without it every value is decoded.
    anchors: Option<AhoCorasick>,
    /// Recognises addresses in base64, at each of three offsets.
    base64: Option<AhoCorasick>,
    policy: Policy,
    context: usize,
    longest: usize,
}

impl Pattern {
    fn of_address(pair: &Pair) -> Self {
        let is_path = matches!(pair.from.first(), Some(b'/' | b'\\'));
        let tail = match is_path {
            true => pair.from.len(),
            false => tail_of(&pair.from).len(),
        };
        Self {
            exact_tail: tail.min(pair.from.len()),
            is_bare_host: !is_path && memchr::memmem::find(&pair.from, b"//").is_none(),
            is_open: pair.from.last().is_some_and(|byte| is_word(*byte)),
            from: pair.from.clone(),
            to: pair.to.clone(),
        }
    }

    fn of_literal(pair: &Pair) -> Self {
        Self {
            exact_tail: pair.from.len(),
            is_bare_host: false,
            is_open: false,
            from: pair.from.clone(),
            to: pair.to.clone(),
        }
    }
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

/// Returns what is always in the base64 of a text that contains `text`, at each of three offsets,
/// if it is long enough to be recognised by.
fn base64_cores(text: &[u8]) -> impl Iterator<Item = Vec<u8>> + '_ {
    use base64::Engine as _;
    let cores = (0..3_usize).map(move |offset| {
        let mut padded = vec![0; offset];
        padded.extend(text);
        let whole = padded.len() / 3 * 3;
        let encoded = base64::engine::general_purpose::STANDARD.encode(&padded[..whole]);
        let unsure = if offset == 0 { 0 } else { offset + 1 };
        encoded.as_bytes()[unsure.min(encoded.len())..].to_vec()
    });
    cores.filter(|core| core.len() >= ANCHOR_BYTES_MIN)
}

fn hex(text: &[u8], upper: bool) -> Vec<u8> {
    text.iter().flat_map(|byte| digits(*byte, upper)).collect()
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
        Self::with_literals(pairs, &[], policy)
    }

    /// Returns the pairs, and others whose texts are no addresses: they match wherever they are.
    ///
    /// # Errors
    /// As [`Pairs::new`].
    pub fn with_literals(
        pairs: &[Pair],
        literals: &[Pair],
        policy: Policy,
    ) -> Result<Self, PairError> {
        let all = [pairs, literals].concat();
        if all.is_empty() {
            return Err(PairError::None);
        }
        check(&all)?;
        let addresses = pairs.iter().map(Pattern::of_address);
        let patterns: Vec<Pattern> = addresses
            .chain(literals.iter().map(Pattern::of_literal))
            .collect();
        let needles: Vec<&[u8]> = patterns.iter().map(|one| one.from.as_slice()).collect();
        let longest = needles.iter().map(|one| one.len()).max().unwrap_or(0);
        let cores = cores(&needles);
        let texts: Vec<&[u8]> = cores.iter().map(|core| core.text.as_slice()).collect();
        Ok(Self {
            finder: Search::new(&needles, policy.ignore_case)?,
            core_finder: Search::new(&texts, policy.ignore_case)?,
            anchors: anchors(&needles, policy)?,
            base64: base64_finder(&needles)?,
            policy,
            context: longest + LABEL_BYTES_MAX + 2,
            longest,
            patterns,
            cores,
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

    /// Returns the first address in a window that begins at `from` or later.
    pub(crate) fn find(&self, window: &[u8], from: usize) -> Option<Hit> {
        let mut from = from;
        loop {
            let Hit {
                start,
                end,
                pattern,
            } = self.finder.next(window, from)?;
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

    /// Returns how many bytes before a core decide whether an address is around it.
    pub(crate) fn before(&self) -> usize {
        self.longest + ESCAPE_BYTES
    }

    /// Returns the first core in a window that begins at `from` or later.
    pub(crate) fn next_core(&self, window: &[u8], from: usize) -> Option<Hit> {
        self.core_finder.next(window, from)
    }

    /// Returns whether an address may lie around a core in another form: as far as it is not there
    /// as it is, something stands there that a layer may write.
    pub(crate) fn may_be_escaped(&self, window: &[u8], core: &Hit) -> bool {
        let owners = &self.cores[core.pattern].owners;
        owners.is_empty()
            || owners.iter().any(|(pattern, offset)| {
                self.is_escaped(window, core.start, &self.patterns[*pattern], *offset)
            })
    }

    fn is_escaped(&self, window: &[u8], start: usize, pattern: &Pattern, offset: usize) -> bool {
        let is_same = |one: u8, other: u8| match self.policy.ignore_case {
            true => one.eq_ignore_ascii_case(&other),
            false => one == other,
        };
        let (left, right) = pattern.from.split_at(offset);
        let before = &window[..start];
        let pairs = before.iter().rev().zip(left.iter().rev());
        let same = pairs
            .take_while(|(one, other)| is_same(**one, **other))
            .count();
        // Behind a `/` that is there, the `\` of `\/` is left.
        let before = &before[..start - same];
        let is_mark = before.last() == Some(&b'\\');
        let left_is_there = same == left.len();
        if !left_is_there && !ends_escape(before) && !is_mark {
            return false;
        }
        let after = &window[start..];
        let pairs = after.iter().zip(right);
        let same = pairs
            .take_while(|(one, other)| is_same(**one, **other))
            .count();
        match same == right.len() {
            // All of it is there: only what is around it may hide that it is an address.
            true if left_is_there => pattern.is_bare_host && ends_escape(before),
            true => true,
            // A `&` that is there may begin `&amp;`.
            false => begins_escape(&after[same..]) || begins_escape(&after[same.max(1) - 1..]),
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
            Some(byte) if is_word(*byte) => ends_known_escape(before),
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

/// Returns whether text ends with `%2F`, with `\n`, with `\x2f` or with `\u002f`.
fn ends_known_escape(before: &[u8]) -> bool {
    let length = before.len();
    let is_hex = |part: &[u8]| part.iter().all(u8::is_ascii_hexdigit);
    (length >= 3 && before[length - 3] == b'%' && is_hex(&before[length - 2..]))
        || (length >= 2 && before[length - 2] == b'\\' && b"nrtbf".contains(&before[length - 1]))
        || (length >= 4
            && before[length - 4..].starts_with(b"\\x")
            && is_hex(&before[length - 2..]))
        || (length >= 6
            && before[length - 6..].starts_with(b"\\u")
            && is_hex(&before[length - 4..]))
}

/// How many hexadecimal digits an escape has at most: those of a `%` in eight layers, and two.
const ESCAPE_DIGITS_MAX: usize = 18;

/// Returns whether text may end with an escape of any layer: `%2F`, `%252F`, `\n`, `\/`, `\u002f`, `\x2f`,
/// `\2f`, `&sol;`. Digits are one only behind what begins it.
fn ends_escape(before: &[u8]) -> bool {
    match *before {
        [.., b';'] => return true,
        [.., b'\\', last] if b"nrtbfv0/\"'\\".contains(&last) => return true,
        _ => {}
    }
    let digits = before
        .iter()
        .rev()
        .take(ESCAPE_DIGITS_MAX)
        .take_while(|byte| byte.is_ascii_hexdigit())
        .count();
    let lead = before.len().checked_sub(digits + 1).map(|at| before[at]);
    digits >= 2 && matches!(lead, Some(b'%' | b'\\' | b'x' | b'X' | b'u' | b'U'))
}

/// Returns whether text may begin with an escape of any layer.
fn begins_escape(after: &[u8]) -> bool {
    matches!(after.first(), Some(b'\\' | b'%' | b'&' | b'"' | b'+'))
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

/// Returns the cores of all patterns: the longest run of each that every layer leaves as it is. A
/// text without one (`日本`) has the beginnings of its forms instead.
fn cores(needles: &[&[u8]]) -> Vec<Core> {
    let mut cores: Vec<Core> = Vec::new();
    for (index, needle) in needles.iter().enumerate() {
        let run = anchor(needle);
        let texts = match run.is_empty() {
            true => beginnings(needle),
            false => vec![run.to_vec()],
        };
        let offset = memchr::memmem::find(needle, run).unwrap_or(0);
        let owner = (!run.is_empty()).then_some((index, offset));
        let mut texts: Vec<_> = texts.into_iter().map(|text| (text, owner)).collect();
        if run.len() >= ANCHOR_BYTES_MIN {
            for text in base64_cores(run).chain([run.to_vec()]) {
                texts.extend([true, false].map(|upper| (hex(&text, upper), None)));
            }
        }
        for (text, owner) in texts {
            match cores.iter_mut().find(|core| core.text == text) {
                Some(core) => match owner {
                    Some(owner) if !core.owners.is_empty() => core.owners.push(owner),
                    _ => core.owners.clear(),
                },
                None => cores.push(Core {
                    text,
                    owners: owner.into_iter().collect(),
                }),
            }
        }
    }
    cores
}

/// Returns how the first character of a text may be written.
fn beginnings(text: &[u8]) -> Vec<Vec<u8>> {
    let Some(first) = text
        .utf8_chunks()
        .next()
        .and_then(|part| part.valid().chars().next())
    else {
        return vec![text[..1].to_vec()];
    };
    let code = u32::from(first);
    let mut bytes = [0; 4];
    let raw = first.encode_utf8(&mut bytes).as_bytes();
    let mut all = vec![raw.to_vec()];
    for upper in [true, false] {
        all.push(hex(&raw[..1], upper));
        let mut units = [0; 2];
        let unit = first.encode_utf16(&mut units)[0];
        all.push(match upper {
            true => format!("u{unit:04X}").into_bytes(),
            false => format!("u{unit:04x}").into_bytes(),
        });
        all.push(match upper {
            true => format!("x{code:X};").into_bytes(),
            false => format!("x{code:x};").into_bytes(),
        });
    }
    all.push(format!("#{code};").into_bytes());
    all.sort();
    all.dedup();
    all
}

fn anchors(needles: &[&[u8]], policy: Policy) -> Result<Option<AhoCorasick>, PairError> {
    let mut anchors: Vec<Vec<u8>> = Vec::new();
    for needle in needles {
        let anchor = anchor(needle);
        if anchor.len() < ANCHOR_BYTES_MIN {
            return Ok(None);
        }
        for text in base64_cores(anchor).chain([anchor.to_vec()]) {
            anchors.extend([hex(&text, true), hex(&text, false), text]);
        }
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

fn base64_finder(needles: &[&[u8]]) -> Result<Option<AhoCorasick>, PairError> {
    let cores = needles
        .iter()
        .flat_map(|needle| base64_cores(anchor(needle)));
    let mut cores: Vec<Vec<u8>> = cores.collect();
    cores.sort();
    cores.dedup();
    if cores.is_empty() {
        return Ok(None);
    }
    automaton(&cores, false, MatchKind::LeftmostFirst).map(Some)
}
