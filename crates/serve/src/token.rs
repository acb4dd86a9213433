//! The token that authorises a page: 128 random bits from the system, shown once.

use std::fmt;
use std::hint::black_box;

/// How many bytes are drawn.
const BYTES: usize = 16;

/// A secret of one server; its `Debug` hides it.
#[derive(Clone)]
pub(crate) struct Token(String);

impl Token {
    /// Draws a token from the system's random numbers.
    pub(crate) fn draw() -> Result<Self, getrandom::Error> {
        let mut bytes = [0_u8; BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(
            bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        ))
    }

    /// Returns the token as it is written: 32 hexadecimal digits.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether `text` is the token, in a time that does not depend on the matching part.
    pub(crate) fn is(&self, text: &[u8]) -> bool {
        let own = self.0.as_bytes();
        if own.len() != text.len() {
            return false;
        }
        let differing = own.iter().zip(text).fold(0, |differing, (one, other)| {
            black_box(differing | (one ^ other))
        });
        differing == 0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_is_the_token() {
        let token = Token::draw().unwrap();
        let text = token.as_str().to_owned();
        assert_eq!(text.len(), 2 * BYTES);
        assert!(text.chars().all(|digit| digit.is_ascii_hexdigit()));
        assert!(token.is(text.as_bytes()));
        assert!(!token.is(&text.as_bytes()[1..]));
        assert!(!token.is(b""));
        for place in 0..text.len() {
            let mut wrong = text.clone().into_bytes();
            wrong[place] ^= 1;
            assert!(!token.is(&wrong), "place {place}");
        }
    }

    #[test]
    fn every_server_has_its_own_token_and_none_is_logged() {
        let (one, other) = (Token::draw().unwrap(), Token::draw().unwrap());
        assert_ne!(one.as_str(), other.as_str());
        assert!(!format!("{one:?}").contains(one.as_str()));
    }
}
