//! Marks of files that commands write: what says that this program wrote a file.
//!
//! A command replaces a file of its own without a question, so a mark must not be text that another
//! program's file has by chance: it is at the very beginning, and a version of this program closes it.

/// Returns whether bytes begin with `before`, a version of this program, and `after`.
///
/// ```
/// use stripewise_units::mark::begins_with;
/// assert!(begins_with(b"# Made by us 0.1.0.\n", "# Made by us ", ".\n"));
/// assert!(!begins_with(b"# Made by us or others.\n", "# Made by us ", ".\n"));
/// ```
pub fn begins_with(bytes: &[u8], before: &str, after: &str) -> bool {
    bytes
        .strip_prefix(before.as_bytes())
        .and_then(after_version)
        .is_some_and(|rest| rest.starts_with(after.as_bytes()))
}

/// Returns whether text is a version of this program, such as `0.1.0` or `1.2.0-rc.1`.
pub fn is_version(text: &str) -> bool {
    after_version(text.as_bytes()).is_some_and(<[u8]>::is_empty)
}

/// Returns what follows three numbers and what a version may have behind a `-` or a `+`.
fn after_version(bytes: &[u8]) -> Option<&[u8]> {
    let number = |bytes: &[u8]| {
        bytes
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    let mut rest = bytes;
    for index in 0..3 {
        if index > 0 {
            rest = rest.strip_prefix(b".")?;
        }
        let length = number(rest);
        rest = (length > 0).then(|| &rest[length..])?;
    }
    while let [b'-' | b'+', more @ ..] = rest {
        let length = more
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'.')
            .count();
        // The full stop of a sentence is no part of a version.
        let length = length - usize::from(more[..length].ends_with(b"."));
        rest = &more[length..];
        if length == 0 {
            return None;
        }
    }
    Some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_ends_where_its_line_goes_on() {
        for version in [
            "0.1.0",
            "12.34.56",
            "1.0.0-rc.1",
            "1.0.0+build7",
            "1.0.0-a+b",
        ] {
            assert!(is_version(version), "{version}");
            let line = format!("<!-- {version}. -->");
            assert!(begins_with(line.as_bytes(), "<!-- ", ". -->"), "{version}");
        }
        for text in [
            "",
            "1",
            "1.2",
            "1.2.",
            "v1.2.3",
            "1.2.3-",
            "1.2.3 or later",
            "1.2.3.",
        ] {
            assert!(!is_version(text), "{text}");
        }
    }
}
