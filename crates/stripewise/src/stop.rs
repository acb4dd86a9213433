//! Signals: the first Ctrl-C stops the run and cleans up, the second ends the program; a write
//! beyond the file size limit is an error.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;

/// Whether a signal has requested a stop.
#[derive(Debug, Clone)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Installs the signal handlers.
    pub(crate) fn listen() -> io::Result<Self> {
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // In this order: the first signal sets the flag, and the second one then has its
            // default action.
            flag::register_conditional_default(signal, Arc::clone(&asked))?;
            flag::register(signal, Arc::clone(&asked))?;
        }
        Ok(Self(asked))
    }

    /// Returns whether a signal arrived.
    pub(crate) fn is_asked(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Makes a write beyond `ulimit -f` fail with an error, which is reported, instead of a signal that
/// ends the program.
pub(crate) fn survive_file_limit() -> io::Result<()> {
    // The flag is unused: once the signal is caught, the write fails with EFBIG.
    flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))).map(drop)
}
