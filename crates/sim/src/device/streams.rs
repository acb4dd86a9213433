//! Whether a request goes on where an earlier one ended: what a device's read-ahead sees.

use crate::units::Sectors;

/// How many streams a device follows at once.
const STREAMS: usize = 16;

/// The ends of the streams a device follows; the one not continued for longest is forgotten.
#[derive(Debug, Clone)]
pub struct Streams {
    ends: [Sectors; STREAMS],
    next: usize,
    latest: usize,
}

impl Default for Streams {
    fn default() -> Self {
        Self {
            ends: [Sectors::new(u64::MAX); STREAMS],
            next: 0,
            latest: 0,
        }
    }
}

impl Streams {
    /// Takes note of a request and returns whether it continues a stream.
    ///
    /// A gap of any size breaks a stream: read-ahead guesses the next address, and a strided
    /// reader never asks for it. The beginning of a device continues nothing.
    #[inline]
    pub fn note(&mut self, start: Sectors, length: Sectors) -> bool {
        let end = start + length;
        if self.ends[self.latest] == start {
            self.ends[self.latest] = end;
            return true;
        }
        if let Some(index) = self.ends.iter().position(|&known| known == start) {
            self.ends[index] = end;
            self.latest = index;
            return true;
        }
        self.ends[self.next] = end;
        self.latest = self.next;
        self.next = (self.next + 1) % STREAMS;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(streams: &mut Streams, start: u64, length: u64) -> bool {
        streams.note(Sectors::new(start), Sectors::new(length))
    }

    #[test]
    fn streams_are_followed_side_by_side_and_gaps_break_them() {
        let mut streams = Streams::default();
        assert!(!note(&mut streams, 0, 8));
        assert!(!note(&mut streams, 1000, 8));
        assert!(note(&mut streams, 8, 8));
        assert!(note(&mut streams, 1008, 8));
        assert!(!note(&mut streams, 24, 8), "a gap of 8 sectors");
        assert!(note(&mut streams, 32, 8));
    }

    #[test]
    fn the_oldest_stream_is_forgotten() {
        let mut streams = Streams::default();
        for stream in 0..17 {
            assert!(!note(&mut streams, stream * 1000, 8));
        }
        assert!(!note(&mut streams, 8, 8), "17 streams are one too many");
        assert!(note(&mut streams, 2008, 8));
    }
}
