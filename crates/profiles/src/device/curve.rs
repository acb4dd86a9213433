//! How long a request of a given size takes, as a few measured sizes.

use serde::{Deserialize, Serialize};

/// One measured size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CurvePoint {
    /// The size of the request.
    pub size_bytes: u64,
    /// How long it takes when nothing else is under way.
    pub time_ns: u64,
}
