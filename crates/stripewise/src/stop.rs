//! Signals: they end the program at once, unless something would be left behind.
//!
//! SIGINT (Ctrl-C), SIGTERM and SIGHUP keep the kernel's action: the program dies, whatever it computes,
//! reads or waits for, so no loop of any command can miss them. Programs that it started die with it
//! (`stripewise_process`), a file that it writes has no name before it is complete (`output_file`), and
//! the store undoes half a change.
//!
//! While something must be undone, as a run's changes to the machine, a [`Stop`] defers the first
//! signal: it sets a flag that the loops of that command look at. The second signal ends the program.
//!
//! A write beyond the file size limit is an error.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use signal_hook::low_level::emulate_default_handler;
use stripewise_process::{is_stop_asked, stop_flag};

use crate::failure::{Failure, Result};

/// How often [`Removing`] looks for a signal.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// Defers the first signal until it is dropped.
#[derive(Debug)]
#[must_use = "signals are deferred until it is dropped"]
pub(crate) struct Stop(&'static Signals);

/// What the handlers and all [`Stop`]s share.
#[derive(Debug, Default)]
struct Signals {
    /// The number of the first deferred signal; 0 if there is none.
    first: Arc<AtomicUsize>,
    /// Whether a signal ends the program at once.
    ends: Arc<AtomicBool>,
    /// Whether a command knows of it, and ends.
    is_seen: AtomicBool,
    /// The number of [`Stop`]s.
    stops: Mutex<usize>,
}

static SIGNALS: OnceLock<Signals> = OnceLock::new();

impl Signals {
    /// Returns the installed handlers.
    fn installed() -> io::Result<&'static Self> {
        static INSTALLING: Mutex<()> = Mutex::new(());
        let _only = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(signals) = SIGNALS.get() {
            return Ok(signals);
        }
        let signals = Self::default();
        signals.ends.store(true, Ordering::SeqCst);
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            let number = usize::try_from(signal).unwrap_or_default();
            // In this order: the first signal sets the flags, and the second one then has its default
            // action.
            flag::register_conditional_default(signal, Arc::clone(&signals.ends))?;
            flag::register_usize(signal, Arc::clone(&signals.first), number)?;
            flag::register(signal, Arc::clone(stop_flag()))?;
            flag::register(signal, Arc::clone(&signals.ends))?;
        }
        Ok(SIGNALS.get_or_init(|| signals))
    }

    /// Ends the program as the signal that arrived does by default.
    fn end(&self) {
        let first = self.first.load(Ordering::SeqCst);
        if let Ok(signal) = i32::try_from(first) {
            let _never_fails = emulate_default_handler(signal);
        }
    }

    fn count_stops(&self, change: impl FnOnce(usize) -> usize) -> usize {
        let mut stops = self.stops.lock().unwrap_or_else(PoisonError::into_inner);
        *stops = change(*stops);
        *stops
    }
}

impl Stop {
    /// Defers the first signal from now on.
    pub(crate) fn listen() -> io::Result<Self> {
        let signals = Signals::installed()?;
        let is_first = signals.count_stops(|stops| stops + 1) == 1;
        if is_first && !is_stop_asked() {
            signals.ends.store(false, Ordering::SeqCst);
        }
        Ok(Self(signals))
    }

    /// Returns whether a signal arrived; then the caller begins nothing new, and ends with an error.
    pub(crate) fn is_asked(&self) -> bool {
        let is_asked = is_stop_asked();
        if is_asked {
            self.0.is_seen.store(true, Ordering::SeqCst);
        }
        is_asked
    }

    /// Fails if a signal arrived.
    pub(crate) fn check(&self) -> Result<()> {
        match self.is_asked() {
            false => Ok(()),
            true => Err(Failure::new("interrupted")),
        }
    }
}

impl Drop for Stop {
    fn drop(&mut self) {
        if self.0.count_stops(|stops| stops.saturating_sub(1)) > 0 {
            return;
        }
        // First: a signal from here on ends the program itself.
        self.0.ends.store(true, Ordering::SeqCst);
        if !is_stop_asked() || self.0.is_seen.load(Ordering::SeqCst) {
            return;
        }
        // It came after the last look, and everything is undone by now.
        self.0.end();
    }
}

/// Removes something that a signal would leave behind, until it is dropped: the signal ends the
/// program, whatever it does, as soon as that is removed.
#[derive(Debug)]
#[must_use = "nothing is removed after it is dropped"]
pub(crate) struct Removing {
    // Dropped first, so that the thread ends before signals are no longer deferred.
    _until_dropped: Sender<()>,
    _stop: Stop,
}

impl Removing {
    /// Calls `remove` when a signal arrives.
    pub(crate) fn on_signal(remove: impl FnOnce() + Send + 'static) -> io::Result<Self> {
        let stop = Stop::listen()?;
        let signals = stop.0;
        let (sender, receiver) = channel();
        let until_signal = move || {
            while receiver.recv_timeout(LOOK_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                // Another one has something to undo.
                let is_alone = signals.count_stops(|stops| stops) == 1;
                if is_alone && is_stop_asked() {
                    remove();
                    return signals.end();
                }
            }
        };
        std::thread::Builder::new().spawn(until_signal)?;
        Ok(Self {
            _until_dropped: sender,
            _stop: stop,
        })
    }
}

/// Does what a signal must not cut off, and what looks at [`is_stop_asked`] itself.
///
/// # Errors
/// Of `act`; or "interrupted" if a signal arrived meanwhile.
pub(crate) fn deferred<T, E>(act: impl FnOnce() -> std::result::Result<T, E>) -> Result<T>
where
    Failure: From<E>,
{
    let stop = Stop::listen()?;
    let result = act();
    stop.check()?;
    Ok(result?)
}

/// Does what looks at [`is_stop_asked`] itself, as [`deferred`] does, but what is finished although a
/// signal arrived counts.
///
/// # Errors
/// Of `act`; or "interrupted" if it fails after a signal arrived.
pub(crate) fn finished<T, E>(act: impl FnOnce() -> std::result::Result<T, E>) -> Result<T>
where
    Failure: From<E>,
{
    let stop = Stop::listen()?;
    let result = act();
    // Looked at in any case: an unseen signal ends the program when `stop` is dropped.
    let checked = stop.check();
    match result {
        Ok(done) => Ok(done),
        Err(error) => {
            checked?;
            Err(error.into())
        }
    }
}

/// Makes a write beyond `ulimit -f` fail with an error, which is reported, instead of a signal that
/// ends the program.
pub(crate) fn survive_file_limit() -> io::Result<()> {
    // The flag is unused: once the signal is caught, the write fails with EFBIG.
    flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))).map(drop)
}
