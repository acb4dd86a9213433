//! Signatures on a device, as util-linux and our own table of magic numbers report them.
//!
//! There are three searches, and everything that any of them finds counts:
//!
//! - `wipefs` lists every magic number that it knows, with UUIDs;
//! - `blkid` also recognises formats without one, and reports contradictions;
//! - `magic` finds the magic numbers of superblocks that both consider invalid.
//!
//! Only [`erase`] removes signatures. If any signature is not ours, it removes none. It overwrites
//! the magic numbers and nothing else.

use std::error::Error;
use std::fmt;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

use serde::Deserialize;
use stripewise_machine::clean_word;
use stripewise_message::{Argument, Message};
use stripewise_process::{Call, CallError};

use super::magic;
use super::refusal::{Refusal, unreadable};
use super::token::{Token, is_drawn_name};
use crate::tool::{BLKID, ToolCall, WIPEFS};

/// How long a tool may take; a disk needs ten seconds to spin up.
const TIME_MAX: Duration = Duration::from_secs(60);
/// The most rounds of search and erase; ZFS has 4 labels of 128 magic numbers.
const ROUNDS_MAX: usize = 1024;
/// The longest magic number to erase.
const MAGIC_BYTES_MAX: u64 = 64;

/// A signature that a tool recognised on a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Signature {
    /// Its format: `ext4`, `linux_raid_member`, `LVM2_member`, `gpt`.
    pub(crate) kind: String,
    /// Its UUID, where it has one.
    pub(crate) uuid: Option<String>,
    /// Its label, where it has one.
    pub(crate) label: Option<String>,
    /// Where its magic number is; `None` if only `blkid` reports it.
    pub(super) magic: Option<Magic>,
    /// Which version or copy it is, if only our table recognised it.
    pub(super) by_magic: Option<&'static str>,
}

/// Where a magic number is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Magic {
    pub(super) offset_bytes: u64,
    pub(super) length_bytes: u64,
}

impl Magic {
    fn overlaps(self, other: Magic) -> bool {
        let ends = |magic: Magic| magic.offset_bytes.saturating_add(magic.length_bytes);
        self.offset_bytes < ends(other) && other.offset_bytes < ends(self)
    }
}

impl Signature {
    /// Returns a description: "`ext4` with the label `home`".
    fn message(&self) -> Message {
        let message = match (self.by_magic, self.magic, &self.label) {
            (Some(""), Some(magic), _) => {
                Message::new("signature-magic").digits("offset", magic.offset_bytes)
            }
            (Some(which), Some(magic), _) => Message::new("signature-magic-of")
                .name("which", which)
                .digits("offset", magic.offset_bytes),
            (_, _, Some(label)) => Message::new("signature-label").name("label", label),
            _ => Message::new("signature"),
        };
        message.name("kind", &self.kind)
    }

    /// Returns whether it is a partition table.
    pub(super) fn is_table(&self) -> bool {
        const TABLES: [&str; 10] = [
            "gpt",
            "PMBR",
            "dos",
            "mac",
            "sun",
            "sgi",
            "bsd",
            "atari",
            "ultrix",
            "minix-table",
        ];
        TABLES.contains(&self.kind.as_str())
    }
}

/// For errors: "`ext4` with the label `home`".
impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = &self.kind;
        match (self.by_magic, self.magic, &self.label) {
            (Some(which), Some(magic), _) => {
                write!(f, "the magic number of `{kind}`")?;
                if !which.is_empty() {
                    write!(f, " ({which})")?;
                }
                write!(f, " at byte {}", magic.offset_bytes)
            }
            (_, _, Some(label)) => write!(f, "`{kind}` with the label `{label}`"),
            _ => write!(f, "`{kind}`"),
        }
    }
}

/// Returns what describes each of several signatures once, without further copies of a format.
fn each_once<T: PartialEq>(signatures: &[Signature], describe: impl Fn(&Signature) -> T) -> Vec<T> {
    let mut all: Vec<T> = Vec::new();
    let mut kinds: Vec<&str> = Vec::new();
    for signature in signatures {
        let is_copy = signature.by_magic.is_some() && kinds.contains(&signature.kind.as_str());
        let one = describe(signature);
        if !is_copy && !all.contains(&one) {
            all.push(one);
        }
        kinds.push(&signature.kind);
    }
    all
}

/// Describes several signatures.
pub(crate) fn in_words(signatures: &[Signature]) -> Argument {
    Argument::list(each_once(signatures, Signature::message))
}

/// Describes several signatures in an error.
pub(crate) fn listed(signatures: &[Signature]) -> String {
    each_once(signatures, Signature::to_string).join(", ")
}

/// The most commands to print in a hint.
const COMMANDS_MAX: usize = 4;

/// Returns the commands that overwrite the magic numbers or, if there are many, the whole device.
pub(super) fn how_to_overwrite(path: &Path, signatures: &[Signature]) -> String {
    let path = path.display();
    let magics: Vec<Magic> = signatures.iter().filter_map(|one| one.magic).collect();
    if magics.len() > COMMANDS_MAX {
        return format!("`blkdiscard --zeroout {path}` overwrites all of it");
    }
    let command = |magic: &Magic| {
        let (at, length) = (magic.offset_bytes, magic.length_bytes);
        format!("`dd if=/dev/zero of={path} bs=1 seek={at} count={length} conv=notrunc`")
    };
    let commands: Vec<String> = magics.iter().map(command).collect();
    commands.join(", ")
}

/// The output of `wipefs --json`.
#[derive(Deserialize)]
struct WipefsDocument {
    #[serde(default)]
    signatures: Vec<WipefsSignature>,
}

#[derive(Deserialize)]
struct WipefsSignature {
    #[serde(rename = "type")]
    kind: Option<String>,
    uuid: Option<String>,
    label: Option<String>,
    /// In hexadecimal digits.
    offset: Option<String>,
    length: Option<u64>,
}

impl WipefsSignature {
    fn magic(&self) -> Option<Magic> {
        let digits = self.offset.as_deref()?.strip_prefix("0x")?;
        let length_bytes = self.length?;
        let is_plausible = (1..=MAGIC_BYTES_MAX).contains(&length_bytes);
        is_plausible.then_some(Magic {
            offset_bytes: u64::from_str_radix(digits, 16).ok()?,
            length_bytes,
        })
    }
}

/// Reads the signatures on the device at `path`. Nothing is written.
///
/// A place that cannot be read counts as empty, so that arrays with a missing disk can be taken
/// down. Use [`read_all`] for a device that is to be overwritten.
pub(crate) fn read(named: &Path, path: &Path) -> Result<Vec<Signature>, Refusal> {
    search(named, path).map(|(found, _unreadable)| found)
}

/// Reads the signatures on the device at `path`, and requires that every place is readable.
///
/// # Errors
/// If a place cannot be read.
pub(super) fn read_all(named: &Path, path: &Path) -> Result<Vec<Signature>, Refusal> {
    match search(named, path)? {
        (found, Some(_)) if !found.is_empty() => Ok(found),
        (_, Some(source)) => Err(unreadable(named, source)),
        (found, None) => Ok(found),
    }
}

fn search(named: &Path, path: &Path) -> Result<(Vec<Signature>, Option<io::Error>), Refusal> {
    let mut found = wipefs(named, path)?;
    for kind in blkid(named, path)? {
        let is_named = kind == CONTRADICTORY && !found.is_empty();
        if !is_named && !found.iter().any(|signature| signature.kind == kind) {
            found.push(Signature {
                kind,
                uuid: None,
                label: None,
                magic: None,
                by_magic: None,
            });
        }
    }
    let device = File::open(path).map_err(|source| unreadable(named, source))?;
    let magics = magic::find(&device).map_err(|source| unreadable(named, source))?;
    for number in magics.found {
        add(number, &mut found);
    }
    Ok((found, magics.unreadable))
}

/// Adds a magic number, unless it lies in a signature that util-linux found.
fn add(number: magic::FoundMagic, found: &mut Vec<Signature>) {
    let magic = Magic {
        offset_bytes: number.offset_bytes,
        length_bytes: u64::try_from(number.row.magic.len()).unwrap_or_default(),
    };
    let mut known = found.iter().filter_map(|signature| signature.magic);
    if !known.any(|known| known.overlaps(magic)) {
        found.push(Signature {
            kind: number.row.kind.to_owned(),
            uuid: number.uuid,
            label: number.label,
            magic: Some(magic),
            by_magic: Some(number.row.which),
        });
    }
}

/// Stands for signatures that `blkid` does not list and `wipefs` does not know.
const CONTRADICTORY: &str = "signatures that contradict each other";
const COLUMNS: &str = "TYPE,UUID,LABEL,OFFSET,LENGTH";

fn wipefs(named: &Path, path: &Path) -> Result<Vec<Signature>, Refusal> {
    let failed = |why| tool_failed(named, "wipefs", why);
    let printed = on(
        WIPEFS.call(["--json", "--no-act", "--output", COLUMNS]),
        path,
    );
    let printed = printed.map_err(|error| failed(in_full(&error)))?;
    parse_wipefs(printed.as_bytes()).map_err(failed)
}

/// Runs a tool on the device at `path`, within [`TIME_MAX`], and returns its output.
fn on(call: Call, path: &Path) -> Result<String, CallError> {
    call.args([path]).limit(TIME_MAX).run_to_the_end()
}

/// Returns a tool's error with its cause.
fn in_full(error: &CallError) -> String {
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

/// Parses wipefs's list; older versions print nothing if there is no signature.
fn parse_wipefs(bytes: &[u8]) -> Result<Vec<Signature>, String> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(Vec::new());
    }
    let document: WipefsDocument = serde_json::from_slice(bytes)
        .map_err(|error| format!("its output could not be parsed: {error}"))?;
    let clean = |text: Option<String>| clean_word(text?.as_bytes());
    let signatures = document.signatures.into_iter().map(|signature| Signature {
        magic: signature.magic(),
        kind: clean(signature.kind).unwrap_or_else(|| "something unnamed".to_owned()),
        uuid: clean(signature.uuid),
        label: clean(signature.label),
        by_magic: None,
    });
    Ok(signatures.collect())
}

fn blkid(named: &Path, path: &Path) -> Result<Vec<String>, Refusal> {
    const NOTHING: i32 = 2;
    const CONTRADICTION: i32 = 8;
    let ended_with = |error: &CallError| match error {
        CallError::Failed { status, .. } => status.code(),
        _ => None,
    };
    match on(BLKID.call(["--probe", "--output", "export"]), path) {
        Ok(printed) => Ok(parse_blkid(printed.as_bytes())),
        Err(error) => match ended_with(&error) {
            Some(NOTHING) => Ok(Vec::new()),
            Some(CONTRADICTION) => Ok(vec![CONTRADICTORY.to_owned()]),
            _ => Err(tool_failed(named, "blkid", in_full(&error))),
        },
    }
}

/// Reads the formats in blkid's list of `KEY=value`; the place of a partition (`PART_ENTRY_...`)
/// and block sizes are no signatures.
fn parse_blkid(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    text.lines()
        .filter_map(|line| line.strip_prefix("TYPE=").or(line.strip_prefix("PTTYPE=")))
        .filter_map(|kind| clean_word(kind.as_bytes()))
        .collect()
}

/// The result of erasing a device's signatures.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Erased {
    /// No signature is left.
    All {
        /// Whether there was one.
        was_any: bool,
    },
    /// These are not ours, so none was erased.
    Foreign(Vec<Signature>),
}

/// Removes all signatures from a device if all are ours; otherwise none.
///
/// `device` is the node at `path`, open for writing, and no other program has it open exclusively:
/// what we find is what we erase.
///
/// # Errors
/// If it cannot be read or written.
pub(crate) fn erase(
    device: &File,
    named: &Path,
    path: &Path,
    is_ours: &dyn Fn(&Signature) -> bool,
) -> Result<Erased, Refusal> {
    for round in 0..ROUNDS_MAX {
        let found = read(named, path)?;
        let foreign: Vec<Signature> = found.iter().filter(|one| !is_ours(one)).cloned().collect();
        if !foreign.is_empty() {
            return Ok(Erased::Foreign(foreign));
        }
        let magics: Vec<Magic> = found.iter().filter_map(|one| one.magic).collect();
        if magics.is_empty() {
            return Ok(Erased::All { was_any: round > 0 });
        }
        for magic in magics {
            let zeroes = vec![0; usize::try_from(magic.length_bytes).unwrap_or_default()];
            device
                .write_all_at(&zeroes, magic.offset_bytes)
                .and_then(|()| device.sync_all())
                .map_err(|source| Refusal::Unwritable {
                    named: named.to_owned(),
                    source,
                })?;
        }
    }
    Err(tool_failed(
        named,
        "wipefs",
        format!("signatures remain after {ROUNDS_MAX} rounds of erasing"),
    ))
}

fn tool_failed(named: &Path, tool: &'static str, why: String) -> Refusal {
    Refusal::Tool {
        named: named.to_owned(),
        tool,
        why,
    }
}

/// Returns whether a signature carries an identifier that a run with `token` drew.
pub(super) fn is_made_with(token: Token, found: &Signature) -> bool {
    let is_name = |label: &String| is_drawn_name(label);
    match &found.uuid {
        Some(uuid) if token.owns(uuid) => true,
        // f2fs, jfs and ZFS draw their own UUID, so we set a name.
        _ => found.label.as_ref().is_some_and(is_name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wipefs_output_is_parsed_and_cleaned() {
        let text = br#"{"signatures": [
            {"device":"loop0", "offset":"0x438", "length":2, "type":"ext4", "uuid":"c4-0e", "label":"a\u001b[31m b"},
            {"device":"loop0", "offset":"0x1fe", "type":"dos", "uuid":null, "label":null}]}"#;
        let found = parse_wipefs(text).unwrap();
        assert_eq!(listed(&found), "`ext4` with the label `a[31m b`, `dos`");
        assert_eq!(found[0].uuid.as_deref(), Some("c4-0e"));
        assert!(found[1].is_table() && !found[0].is_table());
        let magic = Magic {
            offset_bytes: 0x438,
            length_bytes: 2,
        };
        assert_eq!((found[0].magic, found[1].magic), (Some(magic), None));
        for nothing in [&b""[..], b"\n", b"{\"signatures\": []}", b"{}"] {
            assert_eq!(parse_wipefs(nothing).unwrap(), []);
        }
        assert!(parse_wipefs(b"wipefs: usage").is_err());
        let unnamed = parse_wipefs(br#"{"signatures": [{}]}"#).unwrap();
        assert_eq!(unnamed.len(), 1, "a signature without a name counts");
    }

    #[test]
    fn partition_entries_in_blkid_output_are_no_signatures() {
        let text =
            b"DEVNAME=/dev/sda1\nPART_ENTRY_SCHEME=gpt\nPART_ENTRY_TYPE=0fc6\nBLOCK_SIZE=512\n";
        assert_eq!(parse_blkid(text), Vec::<String>::new());
        let text = b"UUID=1\nTYPE=isw_raid_member\nUSAGE=raid\nPTTYPE=dos\nPART_ENTRY_TYPE=0x83\n";
        assert_eq!(parse_blkid(text), ["isw_raid_member", "dos"]);
    }

    #[test]
    fn erase_keeps_all_beside_a_foreign_signature_and_else_zeroes_magic_numbers() {
        use std::io::{Seek, Write};
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let mut bytes = vec![7; 4 << 20];
        // Swap space, whose magic number is at the end of its first page, and ISO 9660.
        bytes[4086..4096].copy_from_slice(b"SWAPSPACE2");
        bytes[1024..1028].copy_from_slice(&1_u32.to_le_bytes());
        bytes[1028..1032].copy_from_slice(&1000_u32.to_le_bytes());
        bytes[32768..32775].copy_from_slice(b"\x01CD001\x01");
        file.rewind().unwrap();
        file.write_all(&bytes).unwrap();
        file.as_file().sync_all().unwrap();
        let path = file.path().to_owned();
        let kinds = |found: &[Signature]| -> Vec<String> {
            found.iter().map(|one| one.kind.clone()).collect()
        };
        let found = kinds(&read(&path, &path).unwrap());
        assert!(found.contains(&"swap".to_owned()), "{found:?}");
        assert!(found.contains(&"iso9660".to_owned()), "{found:?}");
        let only_swap = |one: &Signature| one.kind == "swap";
        let erased = erase(file.as_file(), &path, &path, &only_swap).unwrap();
        let Erased::Foreign(foreign) = erased else {
            panic!("{erased:?}");
        };
        assert!(kinds(&foreign).contains(&"iso9660".to_owned()));
        assert!(std::fs::read(&path).unwrap() == bytes, "a byte was changed");
        let erased = erase(file.as_file(), &path, &path, &|_| true).unwrap();
        assert_eq!(erased, Erased::All { was_any: true });
        let again = erase(file.as_file(), &path, &path, &|_| true).unwrap();
        assert_eq!(again, Erased::All { was_any: false });
        let now = std::fs::read(&path).unwrap();
        let changed: Vec<usize> = (0..bytes.len())
            .filter(|at| now[*at] != bytes[*at])
            .collect();
        let is_magic = |at: &usize| (4086..4096).contains(at) || (32768..32775).contains(at);
        assert!(changed.iter().all(is_magic), "{changed:?}");
        assert!(changed.len() >= 11, "{changed:?}");
    }

    #[test]
    fn a_missing_device_is_an_error_and_not_empty() {
        let path = Path::new("/dev/stripewise-no-such-device");
        let refusal = read(path, path).unwrap_err();
        assert!(
            matches!(refusal, Refusal::Tool { tool: "wipefs", .. }),
            "{refusal}"
        );
        let hint = refusal.hint();
        assert!(!hint.contains("package"), "the tool is installed: {hint}");
    }
}
