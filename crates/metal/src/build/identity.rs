//! Identifiers that show, after a crash and later, that a layer is ours: names and UUIDs that we
//! drew, recorded in the journal first, then written to the device.

use stripewise_study::world::WorldError;

use crate::device::{NAME_DIGITS, NAME_PREFIX, Token};

/// Draws a UUID in the form that filesystems use: `8-4-4-4-12` hexadecimal digits.
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

/// Draws a name that only this run uses.
pub(crate) fn draw_name() -> Result<String, WorldError> {
    let number = getrandom::u32().map_err(no_randomness)? & 0x00ff_ffff;
    Ok(format!("{NAME_PREFIX}{number:0NAME_DIGITS$x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_uuids_have_the_form_of_their_tool_and_begin_with_the_token() {
        let token = Token::draw().unwrap();
        let lengths = |text: &str, separator: char| -> Vec<usize> {
            text.split(separator).map(str::len).collect()
        };
        let md = draw_md_uuid(token).unwrap();
        assert_eq!(lengths(&md, ':'), [8, 8, 8, 8]);
        let lvm = draw_lvm_uuid(token).unwrap();
        assert_eq!(lengths(&lvm, '-'), [6, 4, 4, 4, 4, 4, 6]);
        assert!(token.owns(&md) && token.owns(&lvm));
        assert!(
            draw_name().unwrap().len() <= 16,
            "imsm truncates longer names"
        );
        assert_ne!(draw_name().unwrap(), draw_name().unwrap());
    }
}
