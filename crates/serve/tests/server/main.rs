//! The server over real sockets. What it guards against: another page of the same browser, or a
//! name that was rebound to 127.0.0.1, reads what this machine measured; a page waits forever; an
//! answer differs from what `stripewise predict` would say.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "helpers of tests may stop where they stand"
)]

mod asking;
mod client;
mod crowd;
mod refusals;
mod runs;
