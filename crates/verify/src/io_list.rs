//! Lists of I/Os as text: `w128+8` writes 8 sectors from sector 128, `r0+16` reads 16 from the
//! start.
//!
//! Golden files have tens of thousands of I/Os; this format keeps them readable and small.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use stripewise_study::world::{ReplayedAction, ReplayedIo};
use stripewise_units::Bytes;
use stripewise_units::visible::visible;

/// The bytes of a sector, independent of the device's block size.
pub const SECTOR_BYTES: u64 = 512;

/// The most I/Os of a list that we read.
const IOS_MAX: usize = 1 << 20;

/// The I/Os of one job.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct IoList(pub Vec<ReplayedIo>);

/// A text is not a list of I/Os.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IoListError {
    /// A word is not an I/O.
    #[error("`{word}` is not an I/O such as `r0+8`")]
    Word {
        /// The word.
        word: String,
    },
    /// There are too many I/Os.
    #[error("more than {IOS_MAX} I/Os, which is the limit")]
    TooMany,
}

impl fmt::Display for IoList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, io) in self.0.iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            let letter = if io.writes() { 'w' } else { 'r' };
            let start = io.offset_bytes.as_u64() / SECTOR_BYTES;
            let length = io.length_bytes.as_u64() / SECTOR_BYTES;
            write!(f, "{space}{letter}{start}+{length}")?;
        }
        Ok(())
    }
}

impl FromStr for IoList {
    type Err = IoListError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let read = |word: &str| {
            io(word).ok_or_else(|| IoListError::Word {
                word: visible(word).chars().take(40).collect(),
            })
        };
        let mut ios = Vec::new();
        for word in text.split_ascii_whitespace() {
            if ios.len() == IOS_MAX {
                return Err(IoListError::TooMany);
            }
            ios.push(read(word)?);
        }
        Ok(Self(ios))
    }
}

fn io(word: &str) -> Option<ReplayedIo> {
    let action = match word.as_bytes().first()? {
        b'r' => ReplayedAction::Read,
        b'w' => ReplayedAction::Write,
        _ => return None,
    };
    let (start, length) = word.get(1..)?.split_once('+')?;
    let bytes = |sectors: &str| {
        let sectors: u64 = sectors.parse().ok()?;
        Some(Bytes::new(sectors.checked_mul(SECTOR_BYTES)?))
    };
    let length = bytes(length).filter(|length| *length > Bytes::new(0))?;
    Some(ReplayedIo::new(action, bytes(start)?, length))
}

impl TryFrom<String> for IoList {
    type Error = IoListError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<IoList> for String {
    fn from(list: IoList) -> Self {
        list.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_survives_a_round_trip() {
        let text = "w128+8 r0+1 w3+2048";
        let list: IoList = text.parse().unwrap();
        assert_eq!(list.0.len(), 3);
        assert_eq!(list.0[0].offset_bytes, Bytes::new(65536));
        assert!(list.0[0].writes() && !list.0[1].writes());
        assert_eq!(list.to_string(), text);
    }

    #[test]
    fn a_list_with_too_many_ios_is_refused() {
        let text = "r0+8 ".repeat(IOS_MAX + 1);
        assert_eq!(text.parse::<IoList>(), Err(IoListError::TooMany));
        assert!(text[5..].parse::<IoList>().is_ok());
    }

    #[test]
    fn malformed_ios_are_refused() {
        for text in ["x0+8", "r0", "r+8", "r0+0", "r1+99999999999999999999", "é"] {
            assert!(text.parse::<IoList>().is_err(), "{text}");
        }
    }
}
