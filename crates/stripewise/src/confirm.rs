//! The confirmation of devices before they are overwritten: each by its name.
//!
//! On a terminal the user types the name of each device as it is shown. Elsewhere `--yes-destroy`
//! must name each device: by that name, its path, or its serial number. The name of a place (below
//! `by-path`, a loop device) confirms nothing, as any disk can be plugged in there: confirm such a
//! device by its serial number, or by the file behind it. No answer confirms all devices at once.

use stripewise_metal::device::Claimed;
use stripewise_report::strip_control;
use stripewise_study::world::WorldError;

use crate::failure::{Failure, Result};
use crate::printer::Printer;

/// The devices that the command line confirms.
#[derive(Debug, clap::Args)]
pub(crate) struct ConfirmArgs {
    /// Confirm that everything on this device may be destroyed; repeat for each device of the study
    ///
    /// NAME is the device's serial number, or its name or path as the study gives it. For a path below
    /// `/dev/disk/by-path`, NAME must be the serial number; for a loop device, its backing file. On
    /// a terminal, the program asks about each device not named here.
    #[arg(long, value_name = "NAME")]
    yes_destroy: Vec<String>,
}

impl ConfirmArgs {
    /// Returns whether a device is named.
    pub(crate) fn is_given(&self) -> bool {
        !self.yes_destroy.is_empty()
    }

    /// Shows what will be lost, and fails unless each device is confirmed.
    pub(crate) fn confirm(&self, devices: &[Claimed], printer: &mut Printer) -> Result<()> {
        let devices: Vec<Listed> = devices.iter().map(Listed::new).collect::<Result<_>>()?;
        let missing = unconfirmed(&devices, &self.yes_destroy)?;
        let list = list(&devices);
        if missing.is_empty() {
            printer.remark(&list);
            return Ok(());
        }
        if !printer.can_ask() {
            printer.remark(&list);
            return Err(not_confirmed(&missing));
        }
        printer.show(&format!("{list}\n"));
        for device in &missing {
            let typed = printer.ask(&format!(
                "Type {} to destroy everything on it: ",
                device.name
            ))?;
            if typed != device.name {
                let message = format!("`{}` is not confirmed: nothing was touched", device.name);
                return Err(Failure::new(message).hint("type the name as it is shown"));
            }
        }
        Ok(())
    }
}

/// A device as it is shown and confirmed; text from its firmware is escaped.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Listed {
    /// The text that confirms it.
    name: String,
    path: String,
    /// Whether the study names it by its place.
    is_place: bool,
    serial: Option<String>,
    /// Kernel name, model, serial number, size.
    what: String,
    found: String,
}

impl Listed {
    fn new(device: &Claimed) -> Result<Self> {
        let serial = device.serial.as_deref().map(strip_control);
        let behind = device.backing_file.as_deref();
        let kernel_name = match device.partition_number {
            Some(number) => format!(
                "{}, partition {number} of disk {}",
                device.name, device.disk
            ),
            None => device.name.clone(),
        };
        let parts = [
            Some(kernel_name),
            device.model.as_deref().map(strip_control),
            serial.as_ref().map(|serial| format!("serial {serial}")),
            behind.map(|file| format!("file {}", strip_control(file))),
            Some(size_in_words(device.size_bytes.as_u64())),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let word = device.confirming_word();
        Ok(Self {
            is_place: word != device.asked_name(),
            name: strip_control(&word),
            path: strip_control(&device.named.display().to_string()),
            serial,
            what: parts.join(", "),
            found: found_on(device)?,
        })
    }

    fn is_called(&self, name: &str) -> bool {
        name == self.name
            || Some(name) == self.serial.as_deref()
            || (!self.is_place && name == self.path)
    }
}

/// Describes what is on a device, which carries no known signature.
fn found_on(device: &Claimed) -> Result<String> {
    let data = device.data_found().map_err(WorldError::from)?;
    let marker = match device.marker {
        Some(_) => "the marker of an earlier run",
        None => "no signature",
    };
    Ok(match data.with_data {
        0 => format!("{marker}, and no data in {} places", data.looked_at),
        with_data => format!(
            "{marker}, but data in {with_data} of {} places that were read",
            data.looked_at
        ),
    })
}

/// Returns a size in the unit in which disks are sold, and exactly.
fn size_in_words(bytes: u64) -> String {
    const GB: u64 = 1_000_000_000;
    let (unit, name) = if bytes < GB {
        (GB / 1000, "MB")
    } else {
        (GB, "GB")
    };
    let tenths = bytes / (unit / 10);
    format!("{}.{} {name} ({bytes} bytes)", tenths / 10, tenths % 10)
}

fn list(devices: &[Listed]) -> String {
    let mut lines = vec!["Everything on these devices will be destroyed:".to_owned()];
    for device in devices {
        lines.push(format!("  {}", device.path));
        lines.push(format!("    {}", device.what));
        lines.push(format!("    found on it: {}", device.found));
    }
    lines.join("\n")
}

/// Returns the devices that no name confirms.
///
/// # Errors
/// If a name fits no device, or more than one.
fn unconfirmed<'a>(devices: &'a [Listed], names: &[String]) -> Result<Vec<&'a Listed>> {
    let mut missing: Vec<&Listed> = devices.iter().collect();
    for name in names {
        let called: Vec<&Listed> = devices
            .iter()
            .filter(|device| device.is_called(name))
            .collect();
        match called[..] {
            [device] => missing.retain(|other| *other != device),
            [] => {
                let known: Vec<String> = devices
                    .iter()
                    .map(|device| format!("`{}`", device.name))
                    .collect();
                let is_place = |device: &&Listed| device.is_place && device.path == *name;
                let message = match devices.iter().find(is_place) {
                    Some(device) => format!(
                        "`--yes-destroy {}` names a place, and any device can be there",
                        device.path
                    ),
                    None => format!(
                        "`--yes-destroy {}` names none of the study's devices",
                        strip_control(name)
                    ),
                };
                return Err(Failure::new(message).hint(format!("they are {}", known.join(", "))));
            }
            [first, second, ..] => {
                let message = format!(
                    "`--yes-destroy {}` names both `{}` and `{}`",
                    strip_control(name),
                    first.name,
                    second.name
                );
                return Err(Failure::new(message).hint("name each by its path"));
            }
        }
    }
    Ok(missing)
}

fn not_confirmed(missing: &[&Listed]) -> Failure {
    let names: Vec<String> = missing
        .iter()
        .map(|device| format!("`{}`", device.name))
        .collect();
    let options: Vec<String> = missing
        .iter()
        .map(|device| {
            format!(
                "--yes-destroy {}",
                stripewise_report::shell_word(&device.name)
            )
        })
        .collect();
    let verb = if missing.len() == 1 { "is" } else { "are" };
    Failure::new(format!("{} {verb} not confirmed", names.join(", "))).hint(format!(
        "if nothing on the devices above is needed any more, add `{}`",
        options.join(" ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(name: &str, serial: &str) -> Listed {
        Listed {
            name: name.to_owned(),
            path: format!("/dev/disk/by-id/{name}"),
            serial: Some(serial.to_owned()),
            what: format!("sda, serial {serial}, {}", size_in_words(500_107_862_016)),
            found: "no signature, and no data in 256 places".to_owned(),
            is_place: false,
        }
    }

    fn four() -> Vec<Listed> {
        [
            ("ata-a", "S1"),
            ("ata-b", "S2"),
            ("ata-c", "S3"),
            ("ata-d", "S3"),
        ]
        .map(|(name, serial)| device(name, serial))
        .to_vec()
    }

    /// Returns the names that are missing, or the error.
    fn missing(names: &[&str]) -> std::result::Result<Vec<String>, String> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        match unconfirmed(&four(), &names) {
            Ok(missing) => Ok(missing.iter().map(|device| device.name.clone()).collect()),
            Err(failure) => Err(failure.message()),
        }
    }

    #[test]
    fn every_device_must_be_named_by_name_path_or_serial_number() {
        assert_eq!(missing(&[]).unwrap().len(), 4);
        let three = ["ata-a", "S2", "/dev/disk/by-id/ata-c"];
        assert_eq!(missing(&three).unwrap(), ["ata-d"]);
        let all = ["ata-a", "ata-b", "ata-c", "ata-d", "S1"];
        assert_eq!(missing(&all).unwrap(), Vec::<String>::new());
        assert_eq!(
            missing(&["ata-a", "ata-A"]).unwrap_err(),
            "`--yes-destroy ata-A` names none of the study's devices"
        );
        assert_eq!(
            missing(&["", "sda"]).unwrap_err().matches("none").count(),
            1
        );
        assert_eq!(
            missing(&["S3"]).unwrap_err(),
            "`--yes-destroy S3` names both `ata-c` and `ata-d`"
        );
    }

    #[test]
    fn the_list_says_what_is_lost() {
        expect_test::expect![[r#"
            Everything on these devices will be destroyed:
              /dev/disk/by-id/ata-a
                sda, serial S1, 500.1 GB (500107862016 bytes)
                found on it: no signature, and no data in 256 places"#]]
        .assert_eq(&list(&four()[..1]));
    }
}
