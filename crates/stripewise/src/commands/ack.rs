//! `stripewise ack`: marks a change as known.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Serialize;
use stripewise_answer::{Answer, Block};
use stripewise_catalogue::Message;
use stripewise_report::document::SCHEMA;
use stripewise_results::{ACK_BYTES_MAX, Acknowledgement, RunId, unix_now_ns};

use crate::answers::{self, FormatArgs};
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::printer::Printer;
use crate::stores::{RunName, StoreArgs};

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  A change that was meant:
    stripewise ack 2 \"new firmware\"

  One that must be gone by spring, acknowledged by a team:
    stripewise ack 2 \"waiting for a disk\" --by storage --until 2027-03-01

  Undo it:
    stripewise ack 2 --remove
";

/// Mark a change as known
///
/// A change whose interval contains RUN is then shown with the text, and does not fail `stripewise trend
/// --fail-on-change` and `stripewise drift --fail-on-change`. It is kept in the store, not in
/// exports. After the day of `--until` it is open again.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// A run at which something changed: a number, a name, or `latest`
    run: RunName,

    /// What changed
    #[arg(required_unless_present = "remove", value_parser = text)]
    text: Option<String>,

    /// Who acknowledges it [default: the environment's `USER`, else the number of the user]
    #[arg(long, value_name = "NAME", value_parser = text)]
    by: Option<String>,

    /// The last day on which it holds: `2027-03-01` [default: for ever]
    #[arg(long, value_name = "DAY")]
    until: Option<Date>,

    /// Remove the acknowledgements of the run
    #[arg(long, conflicts_with_all = ["text", "by", "until"])]
    remove: bool,

    #[command(flatten)]
    store: StoreArgs,

    #[command(flatten)]
    format: FormatArgs,
}

/// What was acknowledged, for programs.
#[derive(Serialize)]
struct Done {
    schema: u32,
    run: RunId,
    text: Option<String>,
    by: Option<String>,
    until: Option<String>,
}

fn text(text: &str) -> std::result::Result<String, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("it is empty".to_owned());
    }
    if text.len() > ACK_BYTES_MAX {
        return Err(format!(
            "it has {} bytes, the limit is {ACK_BYTES_MAX}",
            text.len()
        ));
    }
    match text.chars().find(|c| c.is_control()) {
        Some(character) => Err(format!("it cannot contain {character:?}")),
        None => Ok(text.to_owned()),
    }
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let mut store = args.store.open_existing()?;
    let run = args.run.resolve(&store)?;
    let mut done = Done {
        schema: SCHEMA,
        run,
        text: None,
        by: None,
        until: None,
    };
    let message = match &args.text {
        None => {
            let known = store.acknowledgements()?;
            store.remove_acknowledgements(run)?;
            let id = match known.iter().any(|one| one.run == run) {
                true => "ack-removed",
                false => "ack-none",
            };
            Message::new(id).name("run", run)
        }
        Some(text) => {
            let by = by(args);
            let until_unix_ns = args.until.map(end_of).transpose()?;
            let now = unix_now_ns();
            if let Some(day) = args.until
                && until_unix_ns.is_some_and(|until| until < now)
            {
                return Err(Failure::new(format!("--until: `{day}` is in the past")));
            }
            store.acknowledge(&Acknowledgement {
                run,
                text: text.clone(),
                by: by.clone(),
                until_unix_ns,
                made_unix_ns: now,
            })?;
            done.until = args.until.map(|day| day.to_string());
            let message = match &done.until {
                Some(until) => Message::new("ack-done-until").name("until", until),
                None => Message::new("ack-done"),
            };
            let message = message.name("run", run).name("by", &by).name("text", text);
            (done.text, done.by) = (Some(text.clone()), Some(by));
            message
        }
    };
    let answer = Answer::new(Message::new("ack-title"), done, vec![Block::say(message)]);
    answers::print_aside("ack", &answer, args.format, printer)
}

fn by(args: &Args) -> String {
    let named = args.by.clone();
    let user = || std::env::var("USER").ok().filter(|user| text(user).is_ok());
    let number = || format!("uid {}", rustix::process::getuid().as_raw());
    named.or_else(user).unwrap_or_else(number)
}

/// Returns the last moment of a day, where the user is, in ns since 1970-01-01 UTC.
fn end_of(day: Date) -> Result<u64> {
    let failed = |error: jiff::Error| Failure::new(format!("--until: {error}"));
    let next = day.tomorrow().map_err(failed)?;
    let start = next.to_zoned(TimeZone::system()).map_err(failed)?;
    u64::try_from(start.timestamp().as_nanosecond() - 1)
        .map_err(|_| Failure::new(format!("--until: `{day}` is before 1970")))
}
