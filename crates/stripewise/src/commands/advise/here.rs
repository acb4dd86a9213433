//! `advise --here`: the machine's own array, and the profile that stands for its drives.

use std::path::Path;

use stripewise_catalogue::{Argument, Message};
use stripewise_check::{Drive, HostArray, NoArray, Snapshot, array_at, reason};
use stripewise_profiles::drive::{Fit, Found, profile_of};
use stripewise_report::explanation::own::Own;
use stripewise_sim::array::bitmap::default_chunk;
use stripewise_sim::units::Sectors;
use stripewise_sim::world::Model;
use stripewise_study::cell::Cell;
use stripewise_study::plan::Study;
use stripewise_study::stack::Stack;
use stripewise_units::Bytes;

use super::Args;
use super::words::Devices;
use crate::array_word::ArrayWord;
use crate::commands::{check, collect};
use crate::failure::{Failure, Result};
use crate::load_word::WorkloadWord;
use crate::model::AskedKernel;
use crate::profiles::places;

/// What the kernel writes for the chunk that mdadm takes by default (`default_chunk`).
const BITMAP_DEFAULT: u64 = 64 << 20;

/// The machine's own array.
pub(super) struct Here {
    array: HostArray,
    fit: Option<Fit>,
    /// What is asked, with the devices, spares and kernel of the machine.
    pub(super) args: Args,
}

impl Here {
    /// Reads the machine that is asked about.
    pub(super) fn read(args: &Args) -> Result<Self> {
        let facts = match &args.facts {
            Some(tree) => check::read(tree)?,
            None => collect::read_live()?,
        };
        let place = args.here.as_deref().filter(|place| !place.is_empty());
        let array = array_at(&facts, place).map_err(|none| no_array(none, args))?;
        let (devices, fit) = devices(args, &array)?;
        let mut args = args.clone();
        if args.spares == 0 {
            args.spares = u32::try_from(array.spares).unwrap_or_default();
        }
        args.devices = Some(devices);
        if args.facts.is_some() && args.simulation.kernel.is_none() {
            args.simulation.kernel = kernel(&facts);
        }
        Ok(Self { array, fit, args })
    }

    /// Adds the array to the designs, if it can be one and is not among them, and says where it stands.
    pub(super) fn add_to(
        &self,
        study: &mut Study,
        model: &Model,
        loads: &[WorkloadWord],
    ) -> Result<Own> {
        let mut own = self.own();
        match self.cells(model, loads)? {
            Err(why) => own.unlike = Some(why),
            Ok(mut cells) => {
                let stacks = distinct(&study.cells);
                let same = stacks
                    .iter()
                    .position(|stack| is_alike(stack, &cells[0].stack));
                own.is_searched = same.is_some();
                own.place = Some(same.unwrap_or(stacks.len()));
                if same.is_none() {
                    study.cells.append(&mut cells);
                }
            }
        }
        Ok(own)
    }

    fn own(&self) -> Own {
        let models = self
            .array
            .drives
            .iter()
            .filter_map(|drive| drive.model.clone());
        let mut models: Vec<String> = models.collect();
        models.sort_unstable();
        models.dedup();
        Own {
            array: self.array.name.clone(),
            words: self.array.words.clone().ok(),
            profile: self.args.devices().profile.clone(),
            fit: self.fit,
            drives: models,
            missing: self.array.missing,
            busy_with: self.array.busy_with.clone(),
            used_bytes: self.array.used_bytes,
            place: None,
            is_searched: false,
            unlike: None,
            verdict: None,
            times: None,
            effort: None,
        }
    }

    /// Returns the cells of the array, one for each load; else why it cannot be a design.
    fn cells(
        &self,
        model: &Model,
        loads: &[WorkloadWord],
    ) -> Result<std::result::Result<Vec<Cell>, Argument>> {
        let words = match &self.array.words {
            Ok(words) => words,
            Err(missing) => {
                let message = Message::new("check-missing").name("fact", &missing.fact);
                return Ok(Err(message.with("why", reason(&missing.why)).into()));
            }
        };
        if self.array.shares_disks {
            return Ok(Err(Message::new("advise-own-one-disk").into()));
        }
        let array: ArrayWord = match words.parse() {
            Ok(array) => array,
            Err(error) => return Ok(Err(Argument::Name(error))),
        };
        let alone = Args {
            bitmaps: vec![self.bitmap()],
            ..self.args.clone()
        };
        let text = alone.text(loads, &[array], self.args.filesystems.first())?;
        let study = match stripewise_format::parse(crate::study_file::QUESTION, &text) {
            Ok(study) => study,
            Err(error) => {
                let first = error
                    .problems()
                    .first()
                    .map(|problem| problem.message.clone());
                return Ok(Err(Argument::Name(first.unwrap_or_default())));
            }
        };
        let built = model.build(&study.cells[0], self.args.simulation.seed);
        Ok(match built {
            Ok(_) => Ok(study.cells),
            Err(error) => Err(Argument::Name(error.to_string())),
        })
    }

    /// Returns the bitmap in the words of the command line: `internal` is that which mdadm makes by default.
    pub(super) fn bitmap(&self) -> String {
        let Some(chunk) = self.array.bitmap_bytes else {
            return "none".to_owned();
        };
        let sectors = |bytes: u64| Sectors::from_bytes(Bytes::new(bytes));
        let sizes = self.array.member_bytes.zip(self.array.bytes);
        let usual = sizes.map_or(BITMAP_DEFAULT, |(member, all)| {
            let words = self.array.words.as_deref().unwrap_or_default();
            // md counts resync space: the members' for parity, the array's for mirrors.
            let space = if words.starts_with("raid10") {
                all
            } else {
                member
            };
            default_chunk(sectors(member), sectors(space)).as_u64()
        });
        match chunk == usual || chunk == BITMAP_DEFAULT {
            true => "internal".to_owned(),
            false => Bytes::new(chunk).to_string(),
        }
    }
}

/// Returns the different stacks of cells, in their order, as the search counts designs.
fn distinct(cells: &[Cell]) -> Vec<&Stack> {
    let mut stacks: Vec<&Stack> = Vec::new();
    for cell in cells {
        if !stacks.contains(&&cell.stack) {
            stacks.push(&cell.stack);
        }
    }
    stacks
}

/// Returns whether two stacks differ in their names at most.
fn is_alike(one: &Stack, other: &Stack) -> bool {
    let named = Stack {
        name: one.name.clone(),
        ..other.clone()
    };
    *one == named
}

/// Returns the kernel of a machine; `None` if it is not known.
fn kernel(facts: &Snapshot) -> Option<AskedKernel> {
    let readings = stripewise_check::performance::readings(facts, None);
    let own = readings.into_iter().find(|one| one.key == "kernel")?;
    AskedKernel::parse(&own.value.ok().flatten()?).ok()
}

/// Returns the devices of an array: as the question says, else by the profile of the drives' model.
fn devices(args: &Args, array: &HostArray) -> Result<(Devices, Option<Fit>)> {
    let name = &array.name;
    let all = u32::try_from(array.members + array.spares).unwrap_or(u32::MAX);
    if let Some(devices) = &args.devices {
        if devices.count == all {
            return Ok((devices.clone(), None));
        }
        let spares = match array.spares {
            0 => String::new(),
            spares => format!(" ({spares} of them spare)"),
        };
        return Err(Failure::new(format!(
            "`--devices` has {} devices, and {name} has {all}{spares}",
            devices.count
        ))
        .hint(format!(
            "write `--devices \"{all} x {}\"`, or leave `--here` out to ask about other devices",
            devices.profile
        )));
    }
    let found = profile(args, array)?;
    let devices = format!("{all} x {}", found.profile);
    let devices: Devices = devices.parse().map_err(|error: String| {
        Failure::new(error).context(format!("{name} cannot be compared"))
    })?;
    Ok((devices, Some(found.fit)))
}

/// Returns the profile of an array's drives.
fn profile(args: &Args, array: &HostArray) -> Result<Found> {
    let profiles = places(args.simulation.profiles.as_deref(), None)?.all()?;
    let all = array.members + array.spares;
    let mut chosen: Option<(&Drive, Found)> = None;
    let ask = |message: String| {
        Failure::new(message).hint(format!(
            "name the nearest with `--devices \"{all} x PROFILE\"`: `stripewise profiles` lists them, also classes such as `sata-ssd`; or measure one drive with `stripewise calibrate`, which makes a profile of its model"
        ))
    };
    for drive in &array.drives {
        let Some(model) = &drive.model else {
            return Err(ask(format!(
                "the model of `{}`, a member of {}, is not known",
                drive.name, array.name
            )));
        };
        let Some(found) = profile_of(&profiles.devices, model, drive.bytes) else {
            return Err(ask(format!(
                "no profile is of the drive `{model}` (`{}`, a member of {})",
                drive.name, array.name
            )));
        };
        match &chosen {
            Some((first, other)) if other.profile != found.profile => {
                return Err(ask(format!(
                    "the members of {} are of different models: `{}` and `{}`",
                    array.name, first.name, drive.name
                )));
            }
            Some(_) => {}
            None => chosen = Some((drive, found)),
        }
    }
    match chosen {
        Some((_, found)) => Ok(found),
        None => Err(ask(format!("no member of {} is known", array.name))),
    }
}

/// Returns why there is no array to compare, and what to do.
fn no_array(none: NoArray, args: &Args) -> Failure {
    let of = match &args.facts {
        Some(tree) => format!("the machine of `{}`", Path::new(tree).display()),
        None => "this machine".to_owned(),
    };
    let leave = "leave `--here` out, and name the devices with `--devices \"4 x PROFILE\"`";
    match none {
        NoArray::None => Failure::new(format!(
            "{of} has no md array; pools of ZFS and btrfs, and volumes of LVM, are not compared"
        ))
        .hint(leave),
        NoArray::Several(names) => {
            Failure::new(format!("{of} has several arrays: {}", names.join(", "))).hint(format!(
                "name one: `--here /dev/{}`, or a directory on it",
                names.first().map_or("md0", String::as_str)
            ))
        }
        NoArray::NotOnArray(place) => {
            Failure::new(format!("`{place}` does not stand on an md array of {of}"))
                .hint("name an array, such as `--here /dev/md0`, or a directory on one")
        }
        NoArray::Missing(missing) => Failure::new(format!(
            "the arrays of {of} cannot be read: {}: {}",
            missing.fact, missing.why
        ))
        .hint(leave),
    }
}
