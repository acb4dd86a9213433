//! `stripewise serve`: the store as a local page, and questions answered as sliders move.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde::Serialize;
use stripewise_machine::Root;
use stripewise_results::Run;
use stripewise_serve::{Config, Reading, ServeError, Server};
use stripewise_study::kernel::KernelVersion;
use tempfile::NamedTempFile;

use super::{asked, stored};
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::model::KERNEL_DEFAULT;
use crate::printer::Printer;
use crate::profiles::Places;
use crate::stores::StoreArgs;

/// Open the store as a local page: list, compare, watch, and ask "what would this give?"
///
/// The first line on stdout is the address, with the token that lets a page ask; keep it to
/// yourself. The page answers until Ctrl-C.
#[derive(Debug, clap::Args)]
#[command(
    after_long_help = "It listens at 127.0.0.1 and nowhere else. To open it from another machine, lead the same port there: `stripewise serve --port 8080` on HOST, and `ssh -L 8080:127.0.0.1:8080 HOST`. Whoever has the address, which holds a token, can read the store.\n\nExamples:\n  stripewise serve --open\n  stripewise serve --port 8080 --profiles my-profiles"
)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,

    /// Where to look for profiles first: DIR/devices/NAME.toml, DIR/hosts/NAME.toml, DIR/NAME.toml
    ///
    /// They are read once, at the start.
    #[arg(long, value_name = "DIR")]
    profiles: Option<PathBuf>,

    /// The port; 0 is any that is free
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,

    /// Open the page in the browser
    #[arg(long)]
    open: bool,

    /// Print the address as one JSON document
    #[arg(long)]
    json: bool,
}

/// Where the page is, as `--json` prints it.
#[derive(Debug, Serialize)]
struct Address<'a> {
    address: &'a str,
    port: u16,
    token: &'a str,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let here = KernelVersion::parse(&stripewise_machine::kernel(&Root::live()).unwrap_or_default());
    let server = Server::bind(Config {
        store: args.store.path()?,
        store_option: args.store.again(),
        profiles: Places::new(args.profiles.as_deref(), None)?.all()?,
        kernel: here.unwrap_or(KERNEL_DEFAULT),
        port: args.port,
        reader: reading,
    })?;
    let stop = server.signals()?;
    let address = server.address();
    if args.json {
        printer.json(&Address {
            address: &address,
            port: server.port(),
            token: server.token(),
        })?;
    } else {
        printer.data(&format!("{address}\n"))?;
    }
    printer.remark("Ctrl-C ends it.");
    // The file has to be there for as long as a browser may take to start.
    let _page = match args.open.then(|| open(&address)) {
        None => None,
        Some(Ok(page)) => Some(page),
        Some(Err(error)) => {
            printer.remark(&format!(
                "failed to open a browser: {error}; open the address above"
            ));
            None
        }
    };
    server.run_until(stop)?;
    Ok(Exit::Done)
}

/// Returns what a stored run was asked and what simulated it. A run whose profiles cannot be read any
/// more is shown without the rules behind its numbers.
fn reading(run: &Run) -> Reading {
    Reading {
        asked: asked(run),
        model: stored::model(run).ok().flatten(),
    }
}

/// Opens `address` in the browser, by way of a file that only we can read: an argument of a program
/// can be read by everybody on the machine, and the address holds the token.
fn open(address: &str) -> std::io::Result<NamedTempFile> {
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
    Command::new("xdg-open")
        .arg(page.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    Ok(page)
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
