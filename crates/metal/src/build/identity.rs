//! By what we know again, after a crash and on another day, that something is ours: names and UUIDs
//! that we drew, said in the journal beforehand, and found on the device.

use std::path::Path;

use serde::Deserialize;
use stripewise_study::world::WorldError;

use crate::tool::{ToolError, WIPEFS};

/// How the names that we draw begin. Short: imsm knows 16 characters of a volume's name.
pub(crate) const NAME_PREFIX: &str = "stripewise";

/// LVM's alphabet of UUIDs (`lib/uuid/uuid.c`).
const LVM_ALPHABET: &[u8; 62] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Returns random bytes of the system.
fn random<const COUNT: usize>() -> Result<[u8; COUNT], WorldError> {
    let mut bytes = [0; COUNT];
    getrandom::fill(&mut bytes).map_err(|error| WorldError::Failed {
        attempted: "failed to draw a random name".to_owned(),
        hint: None,
        source: Some(error.to_string().into()),
    })?;
    Ok(bytes)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Draws a UUID in the form of filesystems: `8-4-4-4-12` hexadecimal digits (RFC 9562, version 4).
pub(crate) fn draw_uuid() -> Result<String, WorldError> {
    let mut bytes = random::<16>()?;
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let digits = hex(&bytes);
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|range| digits[range].to_owned());
    Ok(parts.join("-"))
}

/// Draws a UUID in mdadm's form: four times eight hexadecimal digits.
pub(crate) fn draw_md_uuid() -> Result<String, WorldError> {
    let digits = hex(&random::<16>()?);
    let parts = [0..8, 8..16, 16..24, 24..32].map(|range| digits[range].to_owned());
    Ok(parts.join(":"))
}

/// Draws a UUID in LVM's form: `6-4-4-4-4-4-6` of its alphabet.
pub(crate) fn draw_lvm_uuid() -> Result<String, WorldError> {
    let bytes = random::<32>()?;
    let letter = |byte: &u8| char::from(LVM_ALPHABET[usize::from(*byte) % LVM_ALPHABET.len()]);
    let letters: String = bytes.iter().map(letter).collect();
    let parts = [0..6, 6..10, 10..14, 14..18, 18..22, 22..26, 26..32];
    Ok(parts.map(|range| letters[range].to_owned()).join("-"))
}

/// Draws a name: ours, and nobody else's.
pub(crate) fn draw_name() -> Result<String, WorldError> {
    Ok(format!("{NAME_PREFIX}{}", hex(&random::<3>()?)))
}

/// Something on a device that `blkid` and `wipefs` know.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Signature {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    #[serde(default)]
    uuid: Option<String>,
    #[serde(default)]
    label: Option<String>,
}

impl Signature {
    /// Returns whether it carries a UUID or label that we drew.
    pub(crate) fn is(&self, identity: &str) -> bool {
        let same = |found: &Option<String>| {
            found
                .as_deref()
                .is_some_and(|found| !identity.is_empty() && normal(found) == normal(identity))
        };
        same(&self.uuid) || same(&self.label)
    }
}

/// Returns a UUID without what separates its digits: tools group them differently.
fn normal(uuid: &str) -> String {
    uuid.replace(['-', ':'], "")
}

/// What `wipefs --json` prints; nothing at all where it finds nothing.
#[derive(Debug, Default, Deserialize)]
struct Listing {
    #[serde(default)]
    signatures: Vec<Signature>,
}

/// Returns everything that is known to be on a device; nothing if the device is not there any more.
pub(crate) fn signatures(device: &Path) -> Result<Vec<Signature>, ToolError> {
    if !device.exists() {
        return Ok(Vec::new());
    }
    let printed = WIPEFS
        .call(["--no-act", "--json"])
        .with([device])
        .run_to_the_end()?;
    Ok(parse(&printed.stdout))
}

fn parse(json: &str) -> Vec<Signature> {
    let listing: Listing = serde_json::from_str(json).unwrap_or_default();
    listing.signatures
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_drawn_has_the_form_of_its_tool_and_differs() {
        let lengths = |text: &str, separator: char| -> Vec<usize> {
            text.split(separator).map(str::len).collect()
        };
        assert_eq!(lengths(&draw_uuid().unwrap(), '-'), [8, 4, 4, 4, 12]);
        assert_eq!(lengths(&draw_md_uuid().unwrap(), ':'), [8, 8, 8, 8]);
        let lvm = draw_lvm_uuid().unwrap();
        assert_eq!(lengths(&lvm, '-'), [6, 4, 4, 4, 4, 4, 6]);
        assert!(draw_name().unwrap().len() <= 16, "imsm cuts longer ones");
        assert_ne!(draw_uuid().unwrap(), draw_uuid().unwrap());
    }

    #[test]
    fn a_signature_is_known_by_uuid_or_label_however_it_is_grouped() {
        // Printed by wipefs of util-linux 2.38.1 for a member of an md array.
        let json = r#"{"signatures": [{"device":"loop0", "offset":"0x1018",
            "type":"linux_raid_member", "uuid":"11111111-2222-2222-3333-333344444444", "label":"host:sw"}]}"#;
        let found = parse(json);
        assert!(found[0].is("11111111:22222222:33333333:44444444"));
        assert!(found[0].is("host:sw"));
        assert!(!found[0].is("11111111:22222222:33333333:44444445"));
        assert!(!found[0].is(""));
    }

    #[test]
    fn what_is_no_listing_is_no_signature() {
        for json in ["", "{}", "[]", "{\"signatures\": 3}", "\u{0}"] {
            assert_eq!(parse(json), [], "{json}");
        }
    }
}
