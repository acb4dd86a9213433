//! The server over real sockets. The failures: another page of the same browser, or a name that was
//! rebound to 127.0.0.1, reads this machine's results; a page waits forever; an answer differs from
//! that of `stripewise predict`.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "helpers of tests may panic"
)]

mod advice;
mod asking;
mod client;
mod crowd;
mod refusals;
mod runs;
mod shown;
