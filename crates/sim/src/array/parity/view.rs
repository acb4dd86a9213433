//! The thread's analysis of a stripe, and the operations that it chooses.

/// The result of analysing a stripe (`stripe_head_state`).
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct View {
    /// Some block is locked.
    pub locked: bool,
    /// Every block is up to date.
    pub whole: bool,
    /// Reads need a block that is not up to date.
    pub to_read: bool,
    pub to_write: bool,
    pub written: bool,
    /// Some block is only partly overwritten.
    pub partial: bool,
    /// Members that cannot be read here.
    pub failed: u16,
    /// The first two of them, in the order of analysis: from the last member down.
    pub failed_members: [u16; 2],
    pub syncing: bool,
    /// Some block has to be read from or written to its member.
    pub sends: bool,
    pub operations: Operations,
}

impl View {
    /// Returns whether `member` is one of the first two failed ones.
    pub(super) fn has_failed(&self, member: u16) -> bool {
        self.failed_members[..usize::from(self.failed.min(2))].contains(&member)
    }

    /// The failed members, at most two.
    pub(super) fn failures(&self) -> impl Iterator<Item = u16> + use<> {
        self.failed_members
            .into_iter()
            .take(usize::from(self.failed.min(2)))
    }
}

/// The copies and computations to do (`STRIPE_OP_*`).
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Operations {
    /// Serve reads from the cache.
    pub fill: bool,
    /// Compute the blocks `targets`.
    pub compute: bool,
    pub targets: [u16; 2],
    /// Copy the new data in and compute parity.
    pub write: bool,
    /// Parity comes from old data and old parity.
    pub from_old: bool,
    /// Compare parity with data.
    pub check: bool,
}

impl Operations {
    pub(super) const fn any(self) -> bool {
        self.fill || self.compute || self.write || self.check
    }
}
