//! The maximum number of entries of one list, and their memory.

/// The limit of all lists under one key.
#[derive(Debug, Clone, Copy)]
pub struct ListLimit {
    /// The key of the nearest list or object around it, if that matters.
    pub(super) within: Option<&'static str>,
    /// The key of the list.
    pub(super) list: &'static str,
    /// The most entries of one such list or object.
    pub(super) entries: usize,
    /// The memory of one entry, without the lists and texts in it.
    pub(super) entry_bytes: usize,
    /// The most entries of a list directly in it, and the memory of each.
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

    /// Returns the same limit for entries that are lists of up to `entries` of the type `T`.
    #[must_use]
    pub const fn of_lists_of<T>(self, entries: usize) -> Self {
        Self {
            inner: (entries, 2 * size_of::<T>()),
            ..self
        }
    }

    /// Returns the same limit for lists inside `within` only. It must come before the limit for all
    /// lists of this name.
    #[must_use]
    pub const fn within(self, within: &'static str) -> Self {
        Self {
            within: Some(within),
            ..self
        }
    }

    /// Returns the limit of an object that is stored unparsed, and of each list or object in it.
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

/// The memory of one entry of a map: a `BTreeMap` allocates room for eleven at once.
pub const TREE_ENTRY_BYTES: usize = 11 * (size_of::<String>() + size_of::<serde_json::Value>());

/// The limit of a list directly in a list, unless its own limit overrides it: the pairs of a
/// histogram, whose memory the entry includes.
pub(super) const PAIR: (usize, usize) = (2, 0);
