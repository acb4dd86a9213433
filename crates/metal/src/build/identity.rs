//! By what we know again, after a crash and on another day, that something is ours: names and UUIDs
//! that we drew, said in the journal beforehand, and found on the device.

use std::path::Path;

use serde::Deserialize;
use stripewise_study::world::WorldError;

use crate::device::Token;
use crate::tool::{ToolError, WIPEFS};

/// How the names that we draw begin. Short: imsm knows 16 characters of a volume's name.
pub(crate) const NAME_PREFIX: &str = "stripewise";

/// Draws a UUID in the form of filesystems: `8-4-4-4-12` hexadecimal digits.
pub(crate) fn draw_uuid(token: Token) -> Result<String, WorldError> {
    token.uuid().map_err(no_randomness)
}

/// Draws a UUID in mdadm's form: four times eight hexadecimal digits.
pub(crate) fn draw_md_uuid(token: Token) -> Result<String, WorldError> {
    Ok(grouped(&draw_uuid(token)?, &[8, 8, 8, 8], ":"))
}

/// Draws a UUID in LVM's form: `6-4-4-4-4-4-6` letters and digits.
pub(crate) fn draw_lvm_uuid(token: Token) -> Result<String, WorldError> {
    Ok(grouped(&draw_uuid(token)?, &[6, 4, 4, 4, 4, 4, 6], "-"))
}

/// Returns the digits of a UUID in groups of other sizes.
fn grouped(uuid: &str, sizes: &[usize], separator: &str) -> String {
    let mut digits = uuid.chars().filter(|digit| *digit != '-');
    let groups = sizes
        .iter()
        .map(|size| digits.by_ref().take(*size).collect());
    let groups: Vec<String> = groups.collect();
    groups.join(separator)
}

fn no_randomness(error: getrandom::Error) -> WorldError {
    WorldError::failed("failed to draw a random name", error.to_string())
}

/// Draws a name: ours, and nobody else's.
pub(crate) fn draw_name() -> Result<String, WorldError> {
    let number = getrandom::u32().map_err(no_randomness)? & 0x00ff_ffff;
    Ok(format!("{NAME_PREFIX}{number:06x}"))
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
    fn what_is_drawn_has_the_form_of_its_tool_and_begins_with_the_token() {
        let token = Token::draw().unwrap();
        let lengths = |text: &str, separator: char| -> Vec<usize> {
            text.split(separator).map(str::len).collect()
        };
        let md = draw_md_uuid(token).unwrap();
        assert_eq!(lengths(&md, ':'), [8, 8, 8, 8]);
        let lvm = draw_lvm_uuid(token).unwrap();
        assert_eq!(lengths(&lvm, '-'), [6, 4, 4, 4, 4, 4, 6]);
        assert!(token.owns(&md) && token.owns(&lvm));
        assert!(draw_name().unwrap().len() <= 16, "imsm cuts longer ones");
        assert_ne!(draw_name().unwrap(), draw_name().unwrap());
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
