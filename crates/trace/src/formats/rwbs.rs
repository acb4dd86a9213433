//! The letters RWBS: what an I/O does.
//!
//! The kernel writes them in `blk_fill_rwbs` (kernel/trace/blktrace.c), for block events: `F` if
//! `REQ_PREFLUSH` is set; then the operation: `R`, `W`, `D` (discard; `DE` is a secure erase), `F`
//! (`REQ_OP_FLUSH`), or `N` for every other operation; then `F` (`REQ_FUA`), `A` (`REQ_RAHEAD`), `S`
//! (`REQ_SYNC`), `M` (`REQ_META`). `blkparse` writes the same letters (`fill_rwbs` in
//! blkparse_fmt.c), but `N` behind the `F` of a `REQ_OP_FLUSH`.
//!
//! `N` is of operations that move no data of ours: passed-through commands, operations on zones, and
//! `REQ_OP_WRITE_ZEROES`, which cannot be told from the others; they are ignored.

use crate::event::{Action, Marks};

/// What the letters say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rwbs {
    /// An operation on data; without data, it only flushes what was written before.
    Data(Action, Marks),
    /// A flush that the block layer made.
    FlushRequest(Marks),
    /// An operation that is none of ours.
    Other,
}

/// Reads the letters; `None` if there are none, or others.
#[inline]
pub(crate) fn parse(letters: &[u8]) -> Option<Rwbs> {
    let mut marks = Marks::default();
    let (operation, flags) = match letters {
        [b'F', operation @ (b'R' | b'W' | b'D'), rest @ ..] => {
            marks.flushes_first = true;
            (*operation, rest)
        }
        [b'F', b'F' | b'N', rest @ ..] | [b'F', rest @ ..] => (b'F', rest),
        [operation, rest @ ..] => (*operation, rest),
        [] => return None,
    };
    for flag in flags {
        match flag {
            b'F' => marks.is_fua = true,
            b'A' => marks.is_read_ahead = true,
            b'S' => marks.is_sync = true,
            b'M' => marks.is_metadata = true,
            b'A'..=b'Z' => {}
            _ => return None,
        }
    }
    Some(match operation {
        b'R' => Rwbs::Data(Action::Read, marks),
        b'W' => Rwbs::Data(Action::Write, marks),
        b'D' => Rwbs::Data(Action::Discard, marks),
        b'F' => Rwbs::FlushRequest(marks),
        b'A'..=b'Z' => Rwbs::Other,
        _ => return None,
    })
}

/// An I/O of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Io {
    pub(crate) action: Action,
    pub(crate) marks: Marks,
    pub(crate) is_flush_request: bool,
    pub(crate) offset_bytes: u64,
    pub(crate) length_bytes: u64,
}

/// What the letters mean for an I/O of so many bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// An I/O of ours.
    Io(Io),
    /// None of ours.
    Nothing,
    /// Its place does not fit into 64 bits.
    Beyond,
}

/// The sector of a request without a place: -1.
const NO_SECTOR: u64 = u64::MAX;

impl Rwbs {
    /// Returns what an I/O at a sector is.
    ///
    /// Up to Linux 4.7 the block layer's own flushes had the letters of the bio that asked for them, but
    /// no place.
    #[inline]
    pub(crate) fn at(self, sector: u64, length_bytes: u64) -> Meaning {
        let (action, marks, is_flush_request) = match self {
            Rwbs::Data(Action::Read | Action::Discard, _) if length_bytes == 0 => {
                return Meaning::Nothing;
            }
            Rwbs::Data(_, marks) if length_bytes == 0 => {
                (Action::Flush, marks, sector == NO_SECTOR)
            }
            Rwbs::Data(action, marks) => (action, marks, false),
            Rwbs::FlushRequest(marks) => (Action::Flush, marks, true),
            Rwbs::Other => return Meaning::Nothing,
        };
        let sector = if is_flush_request { 0 } else { sector };
        let Some(offset_bytes) = super::numbers::sectors(sector) else {
            return Meaning::Beyond;
        };
        Meaning::Io(Io {
            action,
            marks,
            is_flush_request,
            offset_bytes,
            length_bytes: if is_flush_request { 0 } else { length_bytes },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f_before_w_is_a_flush_and_behind_it_is_fua() {
        let both = Marks {
            is_sync: true,
            is_fua: true,
            flushes_first: true,
            ..Marks::default()
        };
        assert_eq!(parse(b"FWFS"), Some(Rwbs::Data(Action::Write, both)));
        let sync = Marks {
            is_sync: true,
            ..Marks::default()
        };
        for flush in [&b"FF"[..], b"FN", b"F"] {
            assert_eq!(parse(flush), Some(Rwbs::FlushRequest(Marks::default())));
        }
        assert_eq!(parse(b"FFS"), Some(Rwbs::FlushRequest(sync)));
        assert_eq!(
            parse(b"FWS").map(|rwbs| rwbs.at(8, 0)),
            Some(Meaning::Io(Io {
                action: Action::Flush,
                marks: Marks {
                    flushes_first: true,
                    ..sync
                },
                is_flush_request: false,
                offset_bytes: 4096,
                length_bytes: 0,
            }))
        );
        let old = parse(b"FWS").map(|rwbs| rwbs.at(u64::MAX, 0));
        assert!(matches!(old, Some(Meaning::Io(io)) if io.is_flush_request));
        let beyond = parse(b"W").map(|rwbs| rwbs.at(u64::MAX, 512));
        assert_eq!(beyond, Some(Meaning::Beyond));
        assert_eq!(parse(b"DS"), Some(Rwbs::Data(Action::Discard, sync)));
        assert_eq!(parse(b"N"), Some(Rwbs::Other));
        assert_eq!(parse(b"NS"), Some(Rwbs::Other));
        for bad in [&b""[..], b"r", b"W8", b"8", b"R,"] {
            assert_eq!(parse(bad), None);
        }
        let ahead = parse(b"RAM");
        assert!(
            matches!(ahead, Some(Rwbs::Data(Action::Read, marks)) if marks.is_read_ahead && marks.is_metadata)
        );
    }
}
