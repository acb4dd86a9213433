//! What is on a device, as util-linux sees it.
//!
//! Two looks: `wipefs` lists every magic number that it knows, with UUIDs; `blkid` also recognises
//! things without one, and says when two contradict. What either of them finds counts.

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use serde::Deserialize;
use stripewise_machine::clean_word;

use super::refusal::Refusal;
use crate::tool::{BLKID, Call, ToolError, WIPEFS};

/// How long a tool may take; a disk that spins up takes ten seconds.
const TIME_MAX: Duration = Duration::from_secs(60);
/// Something that a tool recognised on a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// What it is: `ext4`, `linux_raid_member`, `LVM2_member`, `gpt`.
    pub kind: String,
    /// Its UUID, where it has one.
    pub uuid: Option<String>,
    /// The label that somebody gave it.
    pub label: Option<String>,
}

impl Signature {
    /// Returns it in words: "`ext4` with the label `home`".
    pub(super) fn in_words(&self) -> String {
        match &self.label {
            Some(label) => format!("`{}` with the label `{label}`", self.kind),
            None => format!("`{}`", self.kind),
        }
    }

    /// Returns whether it is a table of partitions.
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

/// Returns several signatures in words, each once.
pub(super) fn in_words(signatures: &[Signature]) -> String {
    let mut words: Vec<String> = Vec::new();
    for signature in signatures {
        let word = signature.in_words();
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.join(", ")
}

/// What `wipefs --json` prints.
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
}

/// Reads what is on the device at `path`. Nothing is written.
pub(super) fn read(named: &Path, path: &Path) -> Result<Vec<Signature>, Refusal> {
    let mut found = wipefs(named, path)?;
    for kind in blkid(named, path)? {
        if !found.iter().any(|signature| signature.kind == kind) {
            found.push(Signature {
                kind,
                uuid: None,
                label: None,
            });
        }
    }
    Ok(found)
}

fn wipefs(named: &Path, path: &Path) -> Result<Vec<Signature>, Refusal> {
    let failed = |why| tool_failed(named, "wipefs", why);
    let printed = on(WIPEFS.call(["--json", "--no-act"]), path);
    let printed = printed.map_err(|error| failed(in_full(&error)))?;
    parse_wipefs(printed.as_bytes()).map_err(failed)
}

/// Runs a tool on the device at `path`, within [`TIME_MAX`], and returns what it printed.
fn on(call: Call, path: &Path) -> Result<String, ToolError> {
    let printed = call.with([path]).limit(TIME_MAX).run_to_the_end()?;
    Ok(printed.stdout)
}

/// Returns what went wrong with a tool, with its cause.
fn in_full(error: &ToolError) -> String {
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

/// Reads wipefs's list; older versions print nothing at all where there is nothing.
fn parse_wipefs(bytes: &[u8]) -> Result<Vec<Signature>, String> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(Vec::new());
    }
    let document: WipefsDocument = serde_json::from_slice(bytes)
        .map_err(|error| format!("its output was not understood: {error}"))?;
    let clean = |text: Option<String>| clean_word(text?.as_bytes());
    let signatures = document.signatures.into_iter().map(|signature| Signature {
        kind: clean(signature.kind).unwrap_or_else(|| "something unnamed".to_owned()),
        uuid: clean(signature.uuid),
        label: clean(signature.label),
    });
    Ok(signatures.collect())
}

fn blkid(named: &Path, path: &Path) -> Result<Vec<String>, Refusal> {
    const NOTHING: i32 = 2;
    const CONTRADICTION: i32 = 8;
    let ended_with = |error: &ToolError| match error {
        ToolError::Failed { status, .. } => status.code(),
        _ => None,
    };
    match on(BLKID.call(["--probe", "--output", "export"]), path) {
        Ok(printed) => Ok(parse_blkid(printed.as_bytes())),
        Err(error) => match ended_with(&error) {
            Some(NOTHING) => Ok(Vec::new()),
            Some(CONTRADICTION) => Ok(vec!["signatures that contradict each other".to_owned()]),
            _ => Err(tool_failed(named, "blkid", in_full(&error))),
        },
    }
}

/// Reads the kinds in blkid's list of `KEY=value`; what it says of the place of a partition
/// (`PART_ENTRY_...`) or of block sizes is no signature.
fn parse_blkid(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    text.lines()
        .filter_map(|line| line.strip_prefix("TYPE=").or(line.strip_prefix("PTTYPE=")))
        .filter_map(|kind| clean_word(kind.as_bytes()))
        .collect()
}

/// Removes every signature from the device at `path`.
///
/// # Errors
/// What went wrong, in words.
pub(super) fn wipe(path: &Path) -> Result<(), String> {
    on(WIPEFS.call(["--all", "--quiet"]), path)
        .map(|_nothing| ())
        .map_err(|error| in_full(&error))
}

fn tool_failed(named: &Path, tool: &'static str, why: String) -> Refusal {
    Refusal::Tool {
        named: named.to_owned(),
        tool,
        why,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_wipefs_are_read_and_cleaned() {
        let text = br#"{"signatures": [
            {"device":"loop0", "offset":"0x438", "type":"ext4", "uuid":"c4-0e", "label":"a\u001b[31m b"},
            {"device":"loop0", "offset":"0x1fe", "type":"dos", "uuid":null, "label":null}]}"#;
        let found = parse_wipefs(text).unwrap();
        assert_eq!(in_words(&found), "`ext4` with the label `a[31m b`, `dos`");
        assert_eq!(found[0].uuid.as_deref(), Some("c4-0e"));
        assert!(found[1].is_table() && !found[0].is_table());
        for nothing in [&b""[..], b"\n", b"{\"signatures\": []}", b"{}"] {
            assert_eq!(parse_wipefs(nothing).unwrap(), []);
        }
        assert!(parse_wipefs(b"wipefs: usage").is_err());
        let unnamed = parse_wipefs(br#"{"signatures": [{}]}"#).unwrap();
        assert_eq!(unnamed.len(), 1, "what has no name is there nevertheless");
    }

    #[test]
    fn the_place_of_a_partition_is_no_signature() {
        let text =
            b"DEVNAME=/dev/sda1\nPART_ENTRY_SCHEME=gpt\nPART_ENTRY_TYPE=0fc6\nBLOCK_SIZE=512\n";
        assert_eq!(parse_blkid(text), Vec::<String>::new());
        let text = b"UUID=1\nTYPE=isw_raid_member\nUSAGE=raid\nPTTYPE=dos\nPART_ENTRY_TYPE=0x83\n";
        assert_eq!(parse_blkid(text), ["isw_raid_member", "dos"]);
    }

    #[test]
    fn a_device_that_is_not_there_is_an_error_not_an_empty_one() {
        let path = Path::new("/dev/stripewise-no-such-device");
        let refusal = read(path, path).unwrap_err();
        assert!(
            matches!(refusal, Refusal::Tool { tool: "wipefs", .. }),
            "{refusal}"
        );
    }
}
