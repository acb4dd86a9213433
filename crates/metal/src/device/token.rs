//! The token of one run: 48 random bits, with which every UUID begins that the run gives to a
//! layer.
//!
//! ```text
//! token 3f9c52a1b07d    UUID 3f9c52a1-b07d-8xxx-8xxx-xxxxxxxxxxxx    (version 8, RFC 9562, 5.8)
//! ```
//!
//! The journal stores the token. A signature whose UUID begins with it was made by that run; after
//! a crash no other signature is ever removed.

use std::fmt;
use std::str::FromStr;

/// The prefix of drawn names. Short, because imsm stores 16 characters of a volume's name.
pub(crate) const NAME_PREFIX: &str = "stripewise";
/// The number of hexadecimal digits that follow.
pub(crate) const NAME_DIGITS: usize = 6;

/// Returns whether a name or label has the form of a drawn one, for formats without a UUID:
/// `stripewise` and six hexadecimal digits.
pub(crate) fn is_drawn_name(name: &str) -> bool {
    name.strip_prefix(NAME_PREFIX).is_some_and(|digits| {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        digits.len() == NAME_DIGITS && digits.bytes().all(is_digit)
    })
}

/// The size of a token.
pub(super) const TOKEN_BYTES: usize = 6;

/// The first 48 bits of every UUID that a run gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Token([u8; TOKEN_BYTES]);

impl Token {
    /// Returns a new token from the system's random numbers.
    ///
    /// # Errors
    /// If the system gives no random numbers.
    pub fn draw() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; TOKEN_BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// Returns a new UUID that begins with the token, as `mkfs`, `mdadm` and `blkid` write it.
    ///
    /// # Errors
    /// If the system gives no random numbers.
    pub fn uuid(&self) -> Result<String, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        bytes[..TOKEN_BYTES].copy_from_slice(&self.0);
        bytes[6] = 0x80 | (bytes[6] & 0x0f);
        bytes[8] = 0x80 | (bytes[8] & 0x3f);
        let hex = hex(&bytes);
        let parts = [
            &hex[..8],
            &hex[8..12],
            &hex[12..16],
            &hex[16..20],
            &hex[20..],
        ];
        Ok(parts.join("-"))
    }

    /// Returns whether a UUID begins with this token, in any grouping.
    ///
    /// A superblock of md's version 0.90 stores the UUID as four numbers in the machine's byte
    /// order. `blkid` then shows each group of four bytes reversed, which counts as well.
    pub fn owns(&self, uuid: &str) -> bool {
        let digits: String = uuid
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .take(32)
            .collect();
        let Some(bytes) = from_hex::<16>(&digits) else {
            return false;
        };
        let mut swapped = bytes;
        swapped.chunks_exact_mut(4).for_each(<[u8]>::reverse);
        // Version 8: other programs draw UUIDs of version 4.
        let is_ours = |bytes: &[u8; 16]| {
            bytes.starts_with(&self.0) && bytes[6] >> 4 == 8 && bytes[8] >> 6 == 2
        };
        is_ours(&bytes) || is_ours(&swapped)
    }

    pub(super) fn as_bytes(self) -> [u8; TOKEN_BYTES] {
        self.0
    }

    pub(super) fn from_bytes(bytes: [u8; TOKEN_BYTES]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&hex(&self.0))
    }
}

impl FromStr for Token {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        from_hex(text)
            .map(Self)
            .ok_or_else(|| "a token has 12 hexadecimal digits".to_owned())
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    if text.len() != 2 * N || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let mut bytes = [0; N];
    for (index, byte) in bytes.iter_mut().enumerate() {
        let digits = text.get(2 * index..2 * index + 2)?;
        *byte = u8::from_str_radix(digits, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuids_begin_with_the_token_and_other_tokens_do_not_match() {
        let token = Token::draw().unwrap();
        let other = Token::draw().unwrap();
        let uuid = token.uuid().unwrap();
        assert_ne!(uuid, token.uuid().unwrap());
        assert!(uuid.replace('-', "").starts_with(&token.to_string()));
        assert_eq!(uuid.len(), 36);
        assert_eq!(&uuid[14..15], "8");
        assert!(token.owns(&uuid) && !other.owns(&uuid), "{token} {other}");
        assert!(token.owns(&uuid.to_uppercase()));
        assert_eq!(token.to_string().parse(), Ok(token));
    }

    #[test]
    fn lvm_grouping_and_swapped_words_of_old_superblocks_match() {
        let token: Token = "3f9c52a1b07d".parse().unwrap();
        assert!(token.owns("3f9c52-a1b0-7d81-91a2-3344-5566-778899"));
        assert!(token.owns("3f9c52a1:b07d8191:a2334455:66778899"));
        assert!(token.owns("a1529c3f-9181-7db0-5544-33a299887766"));
        for other in [
            "",
            "3f9c52a1b07d",
            "3f9c52a1-b07e-8191-2233-445566778899",
            "3f9c52a1-b07d-4191-9122-334455667788",
            "3f9c52a1-b07d-8191-2233-445566778899",
            "3f9c52-a1b0-7d81-9122-3344-5566-77889Z",
            "ééééééééééééééééééééééééééééééé1",
        ] {
            assert!(!token.owns(other), "{other}");
        }
    }

    #[test]
    fn drawn_names_are_recognised_and_others_are_not() {
        assert!(is_drawn_name("stripewise00aa11"));
        for other in [
            "tank",
            "stripewise",
            "stripewise00AA11",
            "stripewise00aa112",
            "stripewise-0aa11",
        ] {
            assert!(!is_drawn_name(other), "{other}");
        }
    }

    #[test]
    fn invalid_tokens_are_refused() {
        for text in [
            "",
            "3f9c52a1b07",
            "3f9c52a1b07g",
            "3f9c52a1b07d0",
            "+f9c52a1b07d",
        ] {
            assert!(text.parse::<Token>().is_err(), "{text}");
        }
    }
}
