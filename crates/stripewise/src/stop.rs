//! Signals: the first Ctrl-C asks the run to stop and clean up, the second ends the program; a file that
//! grows beyond its limit is an error.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;

/// Whether somebody asked us to stop.
#[derive(Debug, Clone)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Begins to listen.
    pub(crate) fn listen() -> io::Result<Self> {
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // In this order: the default comes into force once the flag is set by the first signal.
            flag::register_conditional_default(signal, Arc::clone(&asked))?;
            flag::register(signal, Arc::clone(&asked))?;
        }
        Ok(Self(asked))
    }

    /// Returns whether somebody asked.
    pub(crate) fn is_asked(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Makes a file that grows beyond `ulimit -f` an error of its write, which is reported, instead of a
/// signal that ends the program.
pub(crate) fn survive_file_limit() -> io::Result<()> {
    // The flag is of no use: the write fails with EFBIG once the signal is caught.
    flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))).map(drop)
}
