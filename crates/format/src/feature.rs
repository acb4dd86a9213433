//! What old kernels lack.

use stripewise_units::kernel::KernelVersion;

/// Features that a study can request and old kernels lack. The study format does not decide how a
/// kernel behaves: the rules of md and the block layer are in `kernels/rules.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Feature {
    /// The raid10 module (`near` and `far` layouts), md(4).
    Raid10,
    /// raid10's `offset` layouts, md(4).
    Raid10Offset,
    /// `io_uring`, io_uring(7).
    IoUring,
}

impl Feature {
    /// Returns the first kernel with it.
    pub(crate) const fn since(self) -> KernelVersion {
        match self {
            Feature::Raid10 => KernelVersion::new(2, 6, 9),
            Feature::Raid10Offset => KernelVersion::new(2, 6, 18),
            Feature::IoUring => KernelVersion::new(5, 1, 0),
        }
    }

    /// Returns whether `kernel` is too old for the feature.
    pub(crate) fn is_missing_in(self, kernel: KernelVersion) -> bool {
        kernel < self.since()
    }
}
