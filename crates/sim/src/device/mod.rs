//! Disks: what a request costs.
