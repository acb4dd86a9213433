//! `stripewise serve`: the store as a local web page, with simulations as sliders move.

use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;

use serde::Serialize;
use stripewise_answer::{Answer, Block};
use stripewise_catalogue::Message;
use stripewise_machine::Root;
use stripewise_results::{Run, Store};
use stripewise_serve::{
    Config, Deadlines, Offer, Reading, ServeError, Server, ShownAnswer, Source,
};
use stripewise_worlds::model::KERNEL_DEFAULT;
use tempfile::NamedTempFile;

use super::{advise, characterize, check, stored};
use crate::answers::{self, FormatArgs};
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::printer::Printer;
use crate::profiles::places;
use crate::stores::StoreArgs;

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Serve the store and open the page in the browser:
    stripewise serve --open

  Include profiles of your own disks:
    stripewise serve --profiles my-profiles

  Also show what `check` says of another machine, and what a trace is like:
    stripewise serve --check collected.tar.zst --trace db.blktrace

  On HOST, then on your own machine; open the printed address there:
    stripewise serve --port 8080
    ssh -L 8080:127.0.0.1:8080 HOST
";

/// Show the store as a local web page, with what-if questions
///
/// Serves a page that lists and compares runs, follows a run as it is measured, and predicts the
/// performance of an array while you move the sliders. It also shows what `check` says of this machine. Prints the address as the first line on
/// stdout, and serves until Ctrl-C. It never changes the store. A store that `--store` names must
/// exist; the default one may be made later, by the first run.
///
/// The page is served at 127.0.0.1 only. The address contains a token, and everyone who has the
/// address can read the store: keep it private. To see the page from another machine, forward the
/// port with ssh.
///
/// For a file to send to others, use `stripewise report`; for one question in a terminal,
/// `stripewise predict`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,

    /// Search DIR for profiles first: DIR/devices/NAME.toml, DIR/hosts/NAME.toml, DIR/NAME.toml
    ///
    /// Profiles are read once, at the start.
    #[arg(long, value_name = "DIR")]
    profiles: Option<PathBuf>,

    /// Also show what `check --root` says of these facts; may be repeated
    ///
    /// What `check` says of this machine is always offered: facts are read when you open it, as the user
    /// who serves the page.
    #[arg(long, value_name = "DIR|FILE.tar.zst")]
    check: Vec<PathBuf>,

    /// Also show what `characterize --from` says of this trace; may be repeated
    ///
    /// The trace is read once, before the address is printed.
    #[arg(long, value_name = "FILE")]
    trace: Vec<PathBuf>,

    /// The port; 0 picks a free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,

    /// Open the page in the browser
    ///
    /// The browser gets the address through a file in $TMPDIR. A browser that has a $TMPDIR of its own,
    /// as snaps and flatpaks do, cannot read the file: open the printed address instead.
    #[arg(long)]
    open: bool,

    #[command(flatten)]
    format: FormatArgs,
}

/// The address of the page, as `--json` prints it.
#[derive(Debug, Serialize)]
struct Address<'a> {
    address: &'a str,
    port: u16,
    token: &'a str,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    // The page reads it for each answer; here a wrong name is said at once.
    args.store.check_named()?;
    let here = stripewise_machine::kernel_version(&Root::live());
    let server = Server::bind(Config {
        store: args.store.path()?,
        store_option: args.store.again(),
        profiles: places(args.profiles.as_deref(), None)?.all()?,
        kernel: here.unwrap_or(KERNEL_DEFAULT),
        port: args.port,
        reader: reading,
        offers: offers(args, printer)?,
        advisor: advise::page::answer,
        deadlines: Deadlines::default(),
    })?;
    let stop = server.signals()?;
    let address = server.address();
    let document = Address {
        address: &address,
        port: server.port(),
        token: server.token(),
    };
    let blocks = vec![Block::Code(address.clone())];
    let answer = Answer::new(Message::new("serve-title"), document, blocks);
    answers::print("serve", &answer, args.format, printer)?;
    printer.remark(&Message::new("serve-stop"));
    let serve = || server.run_until(stop);
    match args.open.then(|| open(&address)) {
        None => serve()?,
        Some(Err(error)) => {
            printer.remark(&not_opened(&error));
            serve()?;
        }
        // Keep the file while the page is served: a browser may be slow to start.
        Some(Ok((opener, _page))) => beside(opener, printer, serve)?,
    }
    Ok(Exit::Done)
}

/// Returns the answers of other commands that the page offers. What was named is read now, so that a
/// mistake is an error of this command.
fn offers(args: &Args, printer: &mut Printer) -> Result<Vec<Offer>> {
    let mut offers = vec![Offer {
        title: Message::new("check-page-title"),
        about: Some(Message::new("check-page-here")),
        source: Source::Now(|| {
            ShownAnswer::of(&check::answer_here()).map_err(|error| error.to_string())
        }),
    }];
    for root in &args.check {
        offers.push(Offer::made(&check::answer_of(root)?)?);
    }
    for trace in &args.trace {
        offers.push(Offer::made(&characterize::answer_of(trace, printer)?)?);
    }
    Ok(offers)
}

/// Returns the settings of a stored run, and its model. If the run's profiles can no longer be
/// read, the page shows the run without the rules behind its numbers.
fn reading(run: &Run, store: &Store) -> Reading {
    Reading {
        asked: stored::asked_in(run, store),
        model: stored::model(run).ok().flatten(),
    }
}

/// Starts to open `address` in the browser, through a file that only this user can read. The
/// address holds the token, and every user of the machine can read a program's arguments.
fn open(address: &str) -> io::Result<(Child, NamedTempFile)> {
    let mut page = tempfile::Builder::new()
        .prefix("stripewise-")
        .suffix(".html")
        .tempfile()?;
    writeln!(
        page,
        "<!doctype html><meta charset=\"utf-8\"><title>Stripewise</title>\
         <meta name=\"referrer\" content=\"no-referrer\">\
         <meta http-equiv=\"refresh\" content=\"0; url={address}\">"
    )?;
    page.flush()?;
    let opener = Command::new("xdg-open")
        .arg(page.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // The opener may replace itself with a browser, which Ctrl-C must not reach.
        .process_group(0)
        .spawn()?;
    Ok((opener, page))
}

/// Runs `serve`, and prints a remark if `opener` fails meanwhile.
fn beside<T>(mut opener: Child, printer: &mut Printer, serve: impl FnOnce() -> T) -> T {
    let (sender, receiver) = mpsc::channel();
    let served = sender.clone();
    // This thread is not joined: an opener may run for as long as the browser.
    thread::spawn(move || sender.send(Some(opener.wait())));
    thread::scope(|scope| {
        scope.spawn(move || {
            let ended = receiver.recv().ok().flatten();
            if let Some(error) = ended.and_then(|ended| well_ended(ended).err()) {
                printer.remark(&not_opened(&error));
            }
        });
        let result = serve();
        // The receiver is gone if the opener ended first.
        let _ = served.send(None);
        result
    })
}

/// Returns an error if the opener failed.
fn well_ended(ended: io::Result<ExitStatus>) -> io::Result<()> {
    match ended? {
        status if status.success() => Ok(()),
        status => Err(io::Error::other(format!("`xdg-open` ended with {status}"))),
    }
}

fn not_opened(error: &io::Error) -> Message {
    Message::new("serve-not-opened").name("error", error)
}

impl From<ServeError> for Failure {
    fn from(error: ServeError) -> Self {
        let hint = error.hint();
        let failure = Failure::from_error(error.into(), None);
        match hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use stripewise_report::view::View;

    use stripewise_catalogue::Words;

    use super::*;
    use crate::printer::Output;

    fn opener(script: &str) -> Child {
        let mut command = Command::new("sh");
        command.arg("-c").arg(script).stdin(Stdio::null());
        command.spawn().unwrap()
    }

    #[test]
    fn a_failed_opener_is_reported() {
        assert!(well_ended(opener("exit 0").wait()).is_ok());
        for (script, words) in [("exit 3", "exit status: 3"), ("kill -9 $$", "signal: 9")] {
            let error = well_ended(opener(script).wait()).unwrap_err();
            let remark = not_opened(&error).in_english();
            assert!(remark.contains(words), "{remark}");
        }
    }

    #[test]
    fn an_opener_leaves_no_zombie_and_does_not_delay_the_end() {
        let mut printer = Printer::new(Output::Quiet, View::PLAIN, None);
        let child = opener("exit 3");
        let place = PathBuf::from(format!("/proc/{}", child.id()));
        let is_gone = beside(child, &mut printer, || {
            (0..1000).any(|_| {
                thread::sleep(Duration::from_millis(10));
                !place.exists()
            })
        });
        assert!(is_gone);

        let began = Instant::now();
        let browser = opener("exec sleep 20");
        let process = rustix::process::Pid::from_child(&browser);
        beside(browser, &mut printer, || ());
        assert!(began.elapsed() < Duration::from_secs(20));
        // It outlives `serve`, as a browser may, but not this test.
        rustix::process::kill_process(process, rustix::process::Signal::KILL).unwrap();
    }
}
