//! The most entries of one list, and how much memory they take.

/// The most entries of the lists of one name.
#[derive(Debug, Clone, Copy)]
pub struct ListLimit {
    /// The key that the nearest list or object around it stands under, if that matters.
    pub(super) within: Option<&'static str>,
    /// The key that the list stands under.
    pub(super) list: &'static str,
    /// The most entries of one such list or object.
    pub(super) entries: usize,
    /// How much memory one entry takes, without lists and texts in it.
    pub(super) entry_bytes: usize,
    /// The most entries of a list directly in it, and how much memory each takes.
    pub(super) inner: (usize, usize),
    /// Whether lists and objects below it are of the same kind.
    pub(super) is_tree: bool,
}

impl ListLimit {
    /// Returns the limit of every list under the key `list`, with entries of the type `T`.
    pub const fn of<T>(list: &'static str, entries: usize) -> Self {
        Self {
            within: None,
            list,
            entries,
            // A list that grows doubles its memory.
            entry_bytes: 2 * size_of::<T>(),
            inner: PAIR,
            is_tree: false,
        }
    }

    /// Returns the same limit where the entries are lists of up to `entries` of the type `T`.
    #[must_use]
    pub const fn of_lists_of<T>(self, entries: usize) -> Self {
        Self {
            inner: (entries, 2 * size_of::<T>()),
            ..self
        }
    }

    /// Returns the same limit for lists inside of `within` only. It must stand before the one for
    /// all lists of this name.
    #[must_use]
    pub const fn within(self, within: &'static str) -> Self {
        Self {
            within: Some(within),
            ..self
        }
    }

    /// Returns the limit of an object that is kept as it is, and of each list or object in it.
    pub const fn tree(list: &'static str, entries: usize) -> Self {
        Self {
            within: None,
            list,
            entries,
            entry_bytes: TREE_ENTRY_BYTES,
            inner: PAIR,
            is_tree: true,
        }
    }
}

/// What one entry of a map takes: a `BTreeMap` has room for eleven from the first on.
pub const TREE_ENTRY_BYTES: usize = 11 * (size_of::<String>() + size_of::<serde_json::Value>());

/// The most entries of a list directly in a list, unless its limit says otherwise: the pairs of a
/// histogram, whose memory is that of the entry.
pub(super) const PAIR: (usize, usize) = (2, 0);
