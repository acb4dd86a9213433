//! `stripewise profiles`: which devices and hosts a study can name.

use std::path::PathBuf;

use serde::Serialize;
use stripewise_profiles::device::DeviceProfile;
use stripewise_profiles::host::HostProfile;
use stripewise_profiles::lookup::ProfilePlace;
use stripewise_report::document::SCHEMA;
use stripewise_report::profiles::{ProfileLine, profiles};

use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::printer::Printer;
use crate::profiles::{Described, Listed, Places, places};

/// List the device and host profiles that a study or `predict` can name
///
/// A profile says how one disk or host behaves. Its numbers rest on measurements, on a product's
/// data sheet, or are those of a class of disk. The first place that has a name wins: `--profiles`,
/// beside the study, the program itself.
#[derive(Debug, clap::Args)]
#[command(
    after_long_help = "docs/profiles.md describes every key of a profile; `stripewise calibrate` makes one from measurements.\n\nExamples:\n  stripewise profiles\n  stripewise profiles sata-ssd\n  stripewise profiles sata-ssd > my-profiles/devices/sata-ssd.toml\n  stripewise profiles --profiles my-profiles --json"
)]
pub(crate) struct Args {
    /// Show this one as a whole: its file, with all numbers and where they come from
    #[arg(value_name = "NAME")]
    name: Option<String>,

    /// A study file; profiles beside it, in `devices/` and `hosts/`, are listed, too
    #[arg(long, value_name = "FILE")]
    study: Option<PathBuf>,

    /// Where to look for profiles first: DIR/devices/NAME.toml, DIR/hosts/NAME.toml, DIR/NAME.toml
    #[arg(long, value_name = "DIR")]
    profiles: Option<PathBuf>,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct List<'a> {
    schema: u32,
    profiles: Vec<&'a ProfileLine>,
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
        Some(name) => show(&places, name, args.json, printer),
        None => list(&places, args.json, printer),
    }
}

/// Lists all; one that cannot be read is named, and the others are listed.
fn list(places: &Places, json: bool, printer: &mut Printer) -> Result<Exit> {
    let (listed, failures): (Vec<_>, Vec<_>) = crate::profiles::list(places)
        .into_iter()
        .partition(Result::is_ok);
    let listed: Vec<Listed> = listed.into_iter().flatten().collect();
    let lines: Vec<&ProfileLine> = listed.iter().map(|listed| &listed.line).collect();
    if json {
        printer.json(&List {
            schema: SCHEMA,
            profiles: lines,
        })?;
    } else {
        let lines: Vec<ProfileLine> = lines.into_iter().cloned().collect();
        printer.data(&profiles(&lines, printer.view()))?;
    }
    let mut exit = Exit::Done;
    for failure in failures.into_iter().filter_map(Result::err) {
        printer.failure(&failure);
        exit = Exit::CouldNot;
    }
    Ok(exit)
}

/// Shows a device, a host or both of a name, as files or as data.
fn show(places: &Places, name: &str, json: bool, printer: &mut Printer) -> Result<Exit> {
    let found = crate::profiles::named(places, name)?;
    if found.is_empty() {
        return Err(Failure::new(format!("there is no profile `{name}`"))
            .hint("`stripewise profiles` lists what there is"));
    }
    if json {
        let mut shown = Shown {
            schema: SCHEMA,
            device: None,
            host: None,
        };
        for one in &found {
            let (file, place) = (one.line.file.as_str(), one.line.place);
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
        }
        printer.json(&shown)?;
        return Ok(Exit::Done);
    }
    for one in &found {
        let line = &one.line;
        let from = match line.place {
            ProfilePlace::Shipped => format!("shipped as {}", line.file),
            ProfilePlace::Named | ProfilePlace::Study => format!("from {}", line.file),
        };
        printer.remark(&format!("{} profile `{name}`, {from}:", line.kind.as_str()));
        printer.data(&one.text)?;
    }
    Ok(Exit::Done)
}
