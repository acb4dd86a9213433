//! The data of a disk in memory: pages that copies share until one of them is written.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// The size of a page.
pub const PAGE_BYTES: usize = 4096;

type Page = Arc<[u8; PAGE_BYTES]>;

/// Data by address. What was never written reads as zeroes. A copy costs one reference for each
/// page.
#[derive(Debug, Clone, Default)]
pub struct Store {
    pages: BTreeMap<u64, Page>,
}

/// Returns the number of the page of an address, and the place in it.
fn place(offset: u64) -> (u64, usize) {
    const PAGE: u64 = PAGE_BYTES as u64;
    let within = usize::try_from(offset % PAGE).unwrap_or_default();
    (offset / PAGE, within)
}

/// Calls `each` with page, place in it and range of the data, for each page that data at `offset`
/// touches.
fn pages_of(offset: u64, length: usize, mut each: impl FnMut(u64, usize, std::ops::Range<usize>)) {
    let mut done = 0;
    while done < length {
        let (page, within) = place(offset.saturating_add(done as u64));
        let part = (PAGE_BYTES - within).min(length - done);
        each(page, within, done..done + part);
        done += part;
    }
}

impl Store {
    /// Reads into all of `data`.
    pub fn read(&self, offset: u64, data: &mut [u8]) {
        pages_of(offset, data.len(), |page, within, range| {
            let part = &mut data[range];
            match self.pages.get(&page) {
                Some(page) => part.copy_from_slice(&page[within..within + part.len()]),
                None => part.fill(0),
            }
        });
    }

    /// Writes all of `data`.
    pub fn write(&mut self, offset: u64, data: &[u8]) {
        pages_of(offset, data.len(), |number, within, range| {
            let part = &data[range];
            let page = self.pages.entry(number);
            let page = page.or_insert_with(|| Arc::new([0; PAGE_BYTES]));
            Arc::make_mut(page)[within..within + part.len()].copy_from_slice(part);
        });
    }

    /// Writes zeroes; whole pages of them need no memory.
    pub fn clear(&mut self, offset: u64, length: u64) {
        let end = offset.saturating_add(length);
        let (first, within_first) = place(offset);
        let (last, within_last) = place(end);
        if first == last {
            return self.clear_part(first, within_first..within_last);
        }
        let whole_from = match within_first {
            0 => first,
            _ => {
                self.clear_part(first, within_first..PAGE_BYTES);
                first + 1
            }
        };
        let whole: Vec<u64> = self
            .pages
            .range(whole_from..last)
            .map(|page| *page.0)
            .collect();
        for page in whole {
            self.pages.remove(&page);
        }
        self.clear_part(last, 0..within_last);
    }

    fn clear_part(&mut self, number: u64, range: std::ops::Range<usize>) {
        if let Some(page) = self.pages.get_mut(&number).filter(|_| !range.is_empty()) {
            Arc::make_mut(page)[range].fill(0);
        }
    }

    /// Returns a digest of its content: equal for equal content, whatever wrote it.
    pub fn digest(&self) -> u64 {
        let pages = self.pages.keys();
        pages.fold(0, |digest, page| digest ^ self.digest_of_page(*page))
    }

    /// Returns the part of the digest that is due to the pages of an extent.
    pub fn digest_of(&self, offset: u64, length: u64) -> u64 {
        let (first, _) = place(offset);
        let (last, _) = place(offset.saturating_add(length).saturating_sub(1));
        let pages = self.pages.range(first..=last.max(first));
        pages.fold(0, |digest, (page, _)| digest ^ self.digest_of_page(*page))
    }

    /// Returns 0 for a page of zeroes, which a store may keep or not.
    fn digest_of_page(&self, number: u64) -> u64 {
        let Some(page) = self.pages.get(&number) else {
            return 0;
        };
        if page.iter().all(|byte| *byte == 0) {
            return 0;
        }
        let mut hasher = DefaultHasher::new();
        number.hash(&mut hasher);
        hasher.write(&page[..]);
        hasher.finish()
    }

    /// Returns the bytes that its pages need.
    pub fn bytes(&self) -> u64 {
        self.pages.len() as u64 * PAGE_BYTES as u64
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_holds_what_an_array_of_bytes_holds(
            changes in proptest::collection::vec((0_u64..40_000, 0_usize..9000, any::<u8>()), 0..12)
        ) {
            let mut store = Store::default();
            let mut oracle = vec![0_u8; 50_000];
            for (offset, length, value) in changes {
                let start = usize::try_from(offset).unwrap();
                oracle[start..start + length].fill(value);
                // A third of the values clear, the others write.
                match value % 3 {
                    0 => {
                        oracle[start..start + length].fill(0);
                        store.clear(offset, length as u64);
                    }
                    _ => store.write(offset, &vec![value; length]),
                }
                let copy = store.clone();
                let mut read = vec![1; oracle.len()];
                copy.read(0, &mut read);
                prop_assert_eq!(&read, &oracle);
            }
        }
    }
}
