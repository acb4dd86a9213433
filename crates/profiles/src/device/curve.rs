//! The time of a request by its size, as a few measured sizes.

use serde::{Deserialize, Serialize};

/// One measured size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CurvePoint {
    /// The size of the request.
    pub size_bytes: u64,
    /// Its time if no other request is in flight.
    pub time_ns: u64,
}
