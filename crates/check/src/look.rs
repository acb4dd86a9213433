//! Words that look as if they were drawn: the user should read them before sending the facts.
//!
//! ```text
//! x9Kq2LmZ8rT4vB7nW1cY                      letters of both cases and digits, in no order
//! wJ4lrX7tnF2MI/K7mDe9G/bPx3fiCY8x          the same in base64, whose `/` makes no path of it
//! key 5ebfe87f7df3235b80a117ebc4078e44      32 or more hexadecimal digits
//! ```
//!
//! Hexadecimal digits are mostly innocent: UUIDs, world wide names, serial numbers, digests and
//! names of containers. They are reported only where people write, and only if neither the words
//! before them nor what they are glued to tells what they are.

use std::collections::BTreeMap;

use crate::redact::is_secret_name;
use crate::snapshot::Snapshot;

/// The fewest digits of a key: 128 bits.
const HEX_DIGITS_MIN: usize = 32;
/// The fewest digits of a token in an address: 64 bits.
const TOKEN_DIGITS_MIN: usize = 16;

/// Returns how many words of each file and output look as if they were drawn, and are no paths.
pub fn suspicious(facts: &Snapshot) -> BTreeMap<String, usize> {
    let outputs = facts.commands.iter().map(|(line, ran)| (line, &ran.output));
    let texts = facts.files.iter().chain(outputs);
    let counted = texts.map(|(from, text)| (from.clone(), drawn_words(from, text)));
    counted.filter(|(_, count)| *count > 0).collect()
}

fn drawn_words(from: &str, text: &str) -> usize {
    let (mut count, mut in_block, is_written) = (0, false, is_written(from));
    for line in text.lines() {
        // A certificate or public key.
        in_block |= line.contains("-----BEGIN");
        count += if in_block {
            0
        } else {
            of_line(line, is_written)
        };
        in_block &= !line.contains("-----END");
    }
    count
}

/// Returns whether people write a file, or what a command prints; all else comes from devices.
fn is_written(from: &str) -> bool {
    let is_process = from.starts_with("/proc/") && from.ends_with("/cmdline");
    let places = ["/proc/cmdline", "/proc/mounts"];
    let outputs = ["systemctl ", "zfs get ", "slapcat "];
    from.starts_with("/etc/")
        || is_process
        || places.contains(&from)
        || outputs.iter().any(|start| from.starts_with(start))
}

/// Returns what stands between spaces, quotes and punctuation.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let split = |c: char| c.is_whitespace() || "\"'`=,;:()[]{}<>|&\\".contains(c);
    line.split(split).filter(|word| !word.is_empty())
}

fn is_drawn(word: &str) -> bool {
    match word.contains('/') {
        true => is_base64(word),
        false => is_random(word),
    }
}

/// Returns whether a word with slashes is no path: letters of both cases and digits, whose kind
/// turns at every other character.
fn is_base64(word: &str) -> bool {
    let is_alphabet = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '+' | '=');
    let kinds: Vec<_> = word.chars().map(kind).collect();
    let turns = kinds.windows(2).filter(|two| two[0] != two[1]).count();
    let count = |wanted| kinds.iter().filter(|kind| **kind == wanted).count();
    word.len() >= 24
        && !word.starts_with('/')
        && word.chars().all(is_alphabet)
        && count(LOWER).min(count(UPPER)) * 6 >= word.len()
        && count(DIGIT) > 0
        && turns * 20 >= word.len() * 9
}

const LOWER: u8 = 0;
const UPPER: u8 = 1;
const DIGIT: u8 = 2;

fn kind(c: char) -> u8 {
    match c {
        'a'..='z' => LOWER,
        'A'..='Z' => UPPER,
        '0'..='9' => DIGIT,
        _ => 3,
    }
}

/// Returns whether a part of a word looks as if it was drawn: long, of all kinds of characters, in
/// no order. Serial numbers have no small letters, checksums and UUIDs no letter after `f`.
pub(crate) fn is_random(word: &str) -> bool {
    word.split(['-', '_', '.', '~', '%', '@']).any(|part| {
        let has = |is: fn(&char) -> bool| part.chars().any(|c| is(&c));
        let kind = |c: char| (c.is_ascii_lowercase(), c.is_ascii_uppercase());
        let kinds: Vec<_> = part.chars().map(kind).collect();
        let turns = kinds.windows(2).filter(|two| two[0] != two[1]).count();
        let is_mixed = has(char::is_ascii_uppercase) && has(char::is_ascii_lowercase);
        let is_hex = part.chars().all(|c| c.is_ascii_hexdigit());
        let length_min = if is_mixed { 16 } else { 20 };
        let is_plain = part
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+!$^*".contains(c));
        has(char::is_ascii_digit)
            && has(char::is_ascii_lowercase)
            && !is_hex
            && is_plain
            && part.len() >= length_min
            && turns >= 6
    })
}

/// Returns whether a text is the path of a file that holds a key, and not a key that begins with `/`.
pub(crate) fn is_path_of_key(text: &str) -> bool {
    let has_device = text.contains(":UUID=") || text.contains(":LABEL=");
    let is_path =
        text.starts_with('/') && (has_device || text.contains('.') || text[1..].contains('/'));
    is_path && !text.split('/').any(is_random)
}

/// Returns whether a word is as long as a key in hexadecimal digits. Keys have whole bytes: a
/// multipath name has an odd number of digits.
fn is_hex_key(word: &str) -> bool {
    word.len() >= HEX_DIGITS_MIN && is_hex_token(word)
}

/// Returns whether a word is as long as a token in hexadecimal digits. In an address nothing innocent
/// is as long but digests and commits.
pub(crate) fn is_hex_token(word: &str) -> bool {
    let has_letter = word.chars().any(|c| c.is_ascii_alphabetic());
    word.len() >= TOKEN_DIGITS_MIN
        && word.len().is_multiple_of(2)
        && word.chars().all(|c| c.is_ascii_hexdigit())
        && has_letter
}

/// What the words before hexadecimal digits contain if they tell that the digits are no secret.
const LABELS: [&str; 21] = [
    "md5",
    "sha1",
    "sha2",
    "sha3",
    "sha5",
    "uuid",
    "guid",
    "wwid",
    "wwn",
    "naa",
    "eui",
    "serial",
    "machine",
    "hash",
    "digest",
    "checksum",
    "commit",
    "revision",
    "fingerprint",
    "signed",
    "container",
];

/// Returns how many words of a line look as if they were drawn, or are keys in hexadecimal digits
/// as far as the line tells.
fn of_line(line: &str, is_written: bool) -> usize {
    let (mut count, mut before, mut is_known) = (0, Vec::new(), false);
    for word in words(line) {
        let digits = word.strip_prefix("0x").unwrap_or(word);
        let (start, digits) = digits.rsplit_once(['-', '_']).unwrap_or(("", digits));
        if !is_written || !is_hex_key(digits) {
            is_known = false;
            before.push(word);
            count += usize::from(is_drawn(word));
            continue;
        }
        // After a digest, as the salt of dm-verity; or glued to a name: `docker-`, `nvme.144d-`.
        let last = before.iter().rev().take(3);
        let is_labelled = last.into_iter().any(|word: &&str| is_label(word));
        let is_named = !start.is_empty() && !is_secret_name(start);
        is_known = is_known || is_labelled || is_named;
        count += usize::from(!is_known);
    }
    count
}

fn is_label(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    LABELS.iter().any(|label| word.contains(label))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_reported_only_where_nothing_tells_what_they_are() {
        let hex = "5ebfe87f7df3235b80a117ebc4078e44";
        for (from, line, expected) in [
            ("/etc/fstab", format!("# old: {hex}"), 1),
            ("/etc/fstab", format!("# 0x{hex}{hex}"), 1),
            ("/etc/fstab", format!("# key-{hex}"), 1),
            ("/proc/cmdline", format!("ro x={hex} quiet"), 1),
            ("zfs get all", format!("tank  a:b  {hex}  local"), 1),
            ("/sys/block/dm-0/dm/uuid", format!("mpath {hex}"), 0),
            ("smartctl -a /dev/sda -j", format!("\"a\": \"{hex}\""), 0),
            ("/etc/fstab", format!("# {hex}a"), 0),
            (
                "/etc/fstab",
                "# 12345678901234567890123456789012".to_owned(),
                0,
            ),
            ("/etc/fstab", format!("# sha256 {hex}{hex} {hex}"), 0),
            ("/etc/fstab", format!("# sha256 {hex}{hex}, then {hex}"), 0),
            ("/etc/fstab", format!("# commit {hex} a b c d {hex}"), 1),
            ("systemctl list-units", format!("docker-{hex}.scope"), 0),
        ] {
            assert_eq!(drawn_words(from, &line), expected, "{from} {line}");
        }
    }

    #[test]
    fn base64_with_slashes_is_no_path() {
        for (line, expected) in [
            ("a wJ4lrX7tnF2MI/K7mDe9G/bPx3fiCY8xAm5LeK b", 1),
            ("/wJ4lrX7tnF2MI/K7mDe9G/bPx3fiCY8xAm5LeK", 0),
            ("Bookworm/Main/Contrib/NonFree12/Release", 0),
            ("lowerdir=l/6Y5IM2XC7TSNIJZZFLJCS6I4I4", 0),
        ] {
            assert_eq!(drawn_words("/etc/fstab", line), expected, "{line}");
        }
    }
}
