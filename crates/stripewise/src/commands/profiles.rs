//! `stripewise profiles`: which devices and hosts a study can name.

use std::path::PathBuf;

use serde::Serialize;
use stripewise_answer::{Answer, Block};
use stripewise_catalogue::Message;
use stripewise_profiles::device::DeviceProfile;
use stripewise_profiles::host::HostProfile;
use stripewise_profiles::lookup::ProfilePlace;
use stripewise_report::document::SCHEMA;
use stripewise_report::profiles::{ProfileLine, profiles};

use crate::answers::{self, FormatArgs};
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::printer::Printer;
use crate::profiles::{Described, Places, places};

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  List all profiles, or print one:
    stripewise profiles
    stripewise profiles sata-ssd

  Copy a shipped profile to edit it; with --profiles, the copy is used:
    mkdir -p my-profiles/devices
    stripewise profiles sata-ssd > my-profiles/devices/sata-ssd.toml

  List your own profiles and the shipped ones:
    stripewise profiles --profiles my-profiles
";

/// List the device and host profiles that studies can name
///
/// A device profile says how one disk behaves; a host profile says what the CPU and the path to
/// the disks cost. `predict`, `why`, the model and the lab use them. The column `basis` says where
/// the numbers come from: measurements, a product's data sheet, or the class of disk.
///
/// A name is searched for in the directory of `--profiles`, then beside the study (`--study`),
/// then among the profiles shipped with the program; the first match is used. With NAME, prints
/// the TOML file of that profile, so that you can edit a copy. Reads only.
///
/// `stripewise calibrate` makes profiles from measurements; docs/profiles.md describes every key.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Print this profile: its file, with all numbers and where they come from
    #[arg(value_name = "NAME")]
    name: Option<String>,

    /// Also list the profiles beside this study file, in `devices/` and `hosts/`
    #[arg(long, value_name = "FILE")]
    study: Option<PathBuf>,

    /// Search DIR for profiles first: DIR/devices/NAME.toml, DIR/hosts/NAME.toml, DIR/NAME.toml
    #[arg(long, value_name = "DIR")]
    profiles: Option<PathBuf>,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Serialize)]
struct List<'a> {
    schema: u32,
    profiles: &'a [ProfileLine],
}

/// One name, which a device and a host may share.
#[derive(Serialize)]
struct Shown<'a> {
    schema: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    device: Option<Whole<'a, DeviceProfile>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<Whole<'a, HostProfile>>,
}

#[derive(Serialize)]
struct Whole<'a, Profile> {
    file: &'a str,
    place: ProfilePlace,
    profile: &'a Profile,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let places = places(args.profiles.as_deref(), args.study.as_deref())?;
    match &args.name {
        Some(name) => show(&places, name, args.format, printer),
        None => list(&places, args.format, printer),
    }
}

/// Lists all profiles, and reports those that cannot be read.
fn list(places: &Places, format: FormatArgs, printer: &mut Printer) -> Result<Exit> {
    let (listed, failures): (Vec<_>, Vec<_>) = crate::profiles::list(places)
        .into_iter()
        .partition(Result::is_ok);
    let listed = listed.into_iter().flatten();
    let lines: Vec<ProfileLine> = listed.map(|listed| listed.line).collect();
    let document = List {
        schema: SCHEMA,
        profiles: &lines,
    };
    let answer = Answer::new(Message::new("profiles-title"), document, profiles(&lines));
    let mut exit = answers::print("profiles", &answer, format, printer)?;
    for failure in failures.into_iter().filter_map(Result::err) {
        printer.failure(&failure);
        exit = Exit::CouldNot;
    }
    Ok(exit)
}

/// Shows a device, a host or both of a name, as files or as data.
fn show(places: &Places, name: &str, format: FormatArgs, printer: &mut Printer) -> Result<Exit> {
    let found = crate::profiles::named(places, name)?;
    if found.is_empty() {
        return Err(Failure::new(format!("there is no profile `{name}`"))
            .hint("`stripewise profiles` lists all"));
    }
    let mut shown = Shown {
        schema: SCHEMA,
        device: None,
        host: None,
    };
    let mut blocks = Vec::new();
    for one in &found {
        let (line, place) = (&one.line, one.line.place);
        let file = line.file.as_str();
        match &one.described {
            Described::Device(profile) => {
                shown.device = Some(Whole {
                    file,
                    place,
                    profile,
                });
            }
            Described::Host(profile) => {
                shown.host = Some(Whole {
                    file,
                    place,
                    profile,
                });
            }
        }
        let message = Message::new(match place {
            ProfilePlace::Shipped => "profiles-shipped",
            ProfilePlace::Named | ProfilePlace::Study => "profiles-from",
        });
        printer.remark(
            &message
                .name("kind", line.kind.as_str())
                .name("name", name)
                .name("file", file),
        );
        blocks.push(Block::Code(one.text.clone()));
    }
    let answer = Answer::new(Message::new("profiles-title"), shown, blocks);
    answers::print("profiles", &answer, format, printer)
}
