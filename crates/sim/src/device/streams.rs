//! Detects sequential streams, as a device's read-ahead does.

use crate::narrow::low_u32;
use crate::units::Sectors;

/// The number of streams that a device tracks at once.
const STREAMS: usize = 16;

/// The ends of the tracked streams; a new stream replaces the oldest.
#[derive(Debug, Clone)]
pub struct Streams {
    ends: [Sectors; STREAMS],
    /// Their low bits, which are compared all at once: most requests continue no stream.
    low: [u32; STREAMS],
    /// Where each begins.
    starts: [Sectors; STREAMS],
    next: usize,
    latest: usize,
}

impl Default for Streams {
    fn default() -> Self {
        Self {
            ends: [Sectors::new(u64::MAX); STREAMS],
            low: [u32::MAX; STREAMS],
            starts: [Sectors::new(0); STREAMS],
            next: 0,
            latest: 0,
        }
    }
}

impl Streams {
    /// Records a request and returns whether it continues a stream.
    ///
    /// A gap of any size breaks a stream: read-ahead predicts the next address, which a strided
    /// reader never requests. The first sector of a device continues no stream.
    #[inline(always)]
    pub fn note(&mut self, start: Sectors, length: Sectors) -> bool {
        let end = start + length;
        if self.ends[self.latest] == start {
            self.set_end(self.latest, end);
            return true;
        }
        if let Some(index) = self.find(start) {
            self.set_end(index, end);
            self.latest = index;
            return true;
        }
        self.set_end(self.next, end);
        self.starts[self.next] = start;
        self.latest = self.next;
        self.next = (self.next + 1) % STREAMS;
        false
    }

    /// Returns how much of the stream of the latest request lies before `start`, where that request
    /// begins.
    #[inline]
    pub fn before(&self, start: Sectors) -> Sectors {
        start - self.starts[self.latest]
    }

    #[inline(always)]
    fn find(&self, start: Sectors) -> Option<usize> {
        let low = low_u32(start.get());
        if !self.low.iter().fold(false, |any, end| any | (*end == low)) {
            return None;
        }
        self.ends.iter().position(|&known| known == start)
    }

    #[inline]
    fn set_end(&mut self, index: usize, end: Sectors) {
        self.ends[index] = end;
        self.low[index] = low_u32(end.get());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(streams: &mut Streams, start: u64, length: u64) -> bool {
        streams.note(Sectors::new(start), Sectors::new(length))
    }

    #[test]
    fn several_streams_are_tracked_and_gaps_break_them() {
        let mut streams = Streams::default();
        assert!(!note(&mut streams, 0, 8));
        assert!(!note(&mut streams, 1000, 8));
        assert!(note(&mut streams, 8, 8));
        assert!(note(&mut streams, 1008, 8));
        assert!(!note(&mut streams, 24, 8), "a gap of 8 sectors");
        assert!(note(&mut streams, 32, 8));
    }

    #[test]
    fn a_stream_knows_how_long_it_is() {
        let mut streams = Streams::default();
        for start in [0, 8, 16] {
            note(&mut streams, 1000 + start, 8);
            assert_eq!(streams.before(Sectors::new(1000 + start)).get(), start);
        }
        note(&mut streams, 5000, 8);
        assert_eq!(streams.before(Sectors::new(5000)).get(), 0);
        note(&mut streams, 1024, 8);
        assert_eq!(streams.before(Sectors::new(1024)).get(), 24);
    }

    #[test]
    fn the_oldest_stream_is_dropped() {
        let mut streams = Streams::default();
        for stream in 0..17 {
            assert!(!note(&mut streams, stream * 1000, 8));
        }
        assert!(!note(&mut streams, 8, 8), "17 streams are one too many");
        assert!(note(&mut streams, 2008, 8));
    }
}
