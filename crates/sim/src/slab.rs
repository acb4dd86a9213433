//! A slab with reusable entries: after the warm-up no I/O allocates.

/// A vector with a list of free entries.
#[derive(Debug)]
pub(crate) struct Slab<T> {
    entries: Vec<T>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            free: Vec::new(),
        }
    }
}

impl<T> Slab<T> {
    /// Stores `entry` in a free slot and returns its index.
    #[inline]
    pub(crate) fn insert(&mut self, entry: T) -> u32 {
        if let Some(place) = self.free.pop() {
            self.entries[place as usize] = entry;
            return place;
        }
        let place =
            u32::try_from(self.entries.len()).expect("far fewer than 2^32 I/Os are in flight");
        self.entries.push(entry);
        place
    }

    /// Takes a free slot with its old content, or makes a new one; returns its index and the entry.
    #[inline(always)]
    pub(crate) fn claim(&mut self, new: impl FnOnce() -> T) -> (u32, &mut T) {
        let place = match self.free.pop() {
            Some(place) => place,
            None => self.insert(new()),
        };
        (place, &mut self.entries[place as usize])
    }

    /// Frees a slot; its content stays until it is reused.
    #[inline(always)]
    pub(crate) fn remove(&mut self, place: u32) {
        self.free.push(place);
    }

    /// Returns the entries in use. It looks at every slot: for what is asked seldom.
    pub(crate) fn in_use(&self) -> impl Iterator<Item = &T> {
        let mut is_used = vec![true; self.entries.len()];
        for place in &self.free {
            is_used[*place as usize] = false;
        }
        let entries = self.entries.iter().zip(is_used);
        entries.filter_map(|(entry, is_used)| is_used.then_some(entry))
    }

    /// Returns how many slots are in use.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.entries.len() - self.free.len()
    }
}

impl<T> std::ops::Index<u32> for Slab<T> {
    type Output = T;
    #[inline]
    fn index(&self, place: u32) -> &T {
        &self.entries[place as usize]
    }
}

impl<T> std::ops::IndexMut<u32> for Slab<T> {
    #[inline]
    fn index_mut(&mut self, place: u32) -> &mut T {
        &mut self.entries[place as usize]
    }
}
