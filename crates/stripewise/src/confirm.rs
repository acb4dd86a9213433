//! The confirmation of devices before they are overwritten: each by its name.
//!
//! On a terminal the user types the name of each device as it is shown. Elsewhere `--yes-destroy`
//! must name each device: by that name, its path, or its serial number. The name of a place (below
//! `by-path`, a loop device) confirms nothing, as any disk can be plugged in there: confirm such a
//! device by its serial number, or by the file behind it. No answer confirms all devices at once.

use stripewise_catalogue::{Argument, Message};
use stripewise_metal::device::Claimed;
use stripewise_report::strip_control;
use stripewise_report::view::View;
use stripewise_study::world::WorldError;

use crate::failure::{Failure, Result};
use crate::printer::Printer;

/// The devices that the command line confirms.
#[derive(Debug, Clone, clap::Args)]
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
        let list = list(&devices, printer.view());
        if missing.is_empty() {
            printer.list(&list);
            return Ok(());
        }
        if !printer.can_ask() {
            printer.list(&list);
            return Err(not_confirmed(&missing));
        }
        printer.show(&format!("{list}\n"));
        for device in &missing {
            let typed = printer.ask(&Message::new("confirm-type").name("name", &device.name))?;
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
    what: Argument,
    found: Message,
}

impl Listed {
    fn new(device: &Claimed) -> Result<Self> {
        let serial = device.serial.as_deref().map(strip_control);
        let behind = device.backing_file.as_deref();
        let kernel_name = match device.partition_number {
            Some(number) => Message::new("confirm-partition")
                .name("name", &device.name)
                .digits("number", number)
                .name("disk", &device.disk)
                .into(),
            None => Argument::Name(device.name.clone()),
        };
        let parts = [
            Some(kernel_name),
            device
                .model
                .as_deref()
                .map(strip_control)
                .map(Argument::Name),
            serial.as_deref().map(serial_in_words),
            behind.map(|file| {
                let file = strip_control(file);
                Message::new("confirm-file").name("file", file).into()
            }),
            Some(size_in_words(device.size_bytes.as_u64())),
        ];
        let word = device.confirming_word();
        Ok(Self {
            is_place: word != device.asked_name(),
            name: strip_control(&word),
            path: strip_control(&device.named.display().to_string()),
            serial,
            what: Argument::list(parts.into_iter().flatten()),
            found: found_on(device)?,
        })
    }

    fn is_called(&self, name: &str) -> bool {
        name == self.name
            || Some(name) == self.serial.as_deref()
            || (!self.is_place && name == self.path)
    }
}

/// Describes the data found on a device without a known signature.
fn found_on(device: &Claimed) -> Result<Message> {
    let data = device.data_found().map_err(WorldError::from)?;
    let message = match data.with_data {
        0 => Message::new("confirm-found-nothing"),
        with_data => Message::new("confirm-found-data").digits("with_data", with_data),
    };
    let marker = match device.marker {
        Some(_) => "ours",
        None => "none",
    };
    Ok(message
        .name("marker", marker)
        .digits("places", data.looked_at))
}

fn serial_in_words(serial: &str) -> Argument {
    Message::new("confirm-serial").name("serial", serial).into()
}

/// Returns a size in the unit in which disks are sold, and exactly.
fn size_in_words(bytes: u64) -> Argument {
    const GB: u64 = 1_000_000_000;
    let (unit, name) = if bytes < GB {
        (GB / 1000, "MB")
    } else {
        (GB, "GB")
    };
    let tenths = bytes / (unit / 10);
    let size = Argument::quantity(format!("{}.{}", tenths / 10, tenths % 10), name);
    let message = Message::new("confirm-size").with("size", size);
    message.digits("bytes", bytes).into()
}

fn list(devices: &[Listed], view: View) -> String {
    let mut lines = vec![view.say(&Message::new("confirm-devices"))];
    for device in devices {
        lines.push(format!("  {}", device.path));
        lines.push(format!("    {}", view.show(&device.what)));
        lines.push(format!("    {}", view.say(&device.found)));
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
                return Err(
                    Failure::new(message).hint(format!("the devices are: {}", known.join(", ")))
                );
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
                stripewise_units::visible::shell_word(&device.name)
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
    use stripewise_catalogue::Language;

    use super::*;

    fn device(name: &str, serial: &str) -> Listed {
        Listed {
            name: name.to_owned(),
            path: format!("/dev/disk/by-id/{name}"),
            serial: Some(serial.to_owned()),
            what: Argument::list([
                Argument::Name("sda".to_owned()),
                serial_in_words(serial),
                size_in_words(500_107_862_016),
            ]),
            found: Message::new("confirm-found-nothing")
                .name("marker", "none")
                .digits("places", 256),
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
        .assert_eq(&list(&four()[..1], View::PLAIN));
        expect_test::expect![[r#"
            Alles auf diesen Geräten wird zerstört:
              /dev/disk/by-id/ata-a
                sda, Seriennummer S1, 500,1 GB (500107862016 Bytes)
                darauf gefunden: keine Signatur, und keine Daten an 256 Stellen"#]]
        .assert_eq(&list(
            &four()[..1],
            View::PLAIN.in_language(Language::German),
        ));
    }
}
