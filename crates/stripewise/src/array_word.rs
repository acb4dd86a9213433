//! Devices and arrays of them on the command line, in the words of md, mdadm and LVM.

use stripewise_format::question::{ArrayQuestion, StackQuestion};
use stripewise_format::spelling::{self, Spelling};
use stripewise_study::stack::Level;
use stripewise_units::Bytes;

use crate::failure::{Failure, Result};

/// From this number on a bare number in `--array` is a chunk in bytes, not a number of devices. Every
/// chunk is a multiple of it.
const CHUNK_FROM: u64 = 4096;
const KIB: u64 = 1024;

/// Devices of one profile on the command line: `sata-ssd`, or several, `4 x sata-ssd`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DeviceWord {
    pub(crate) profile: String,
    /// The number of them, if it is given.
    pub(crate) count: Option<u32>,
}

impl std::str::FromStr for DeviceWord {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let is_times = |c: char| matches!(c, 'x' | '*' | '×');
        let digits = text.chars().take_while(char::is_ascii_digit).count();
        let (before, rest) = text.split_at(digits);
        let rest = rest.trim_start();
        let counted = match rest.strip_prefix(is_times) {
            Some(profile) if digits > 0 => Some((before, profile.trim())),
            _ => counted_behind(text),
        };
        let Some((count, profile)) = counted else {
            return Ok(Self {
                profile: text.to_owned(),
                count: None,
            });
        };
        match count.parse() {
            Ok(count @ 1..=4096) if !profile.is_empty() => Ok(Self {
                profile: profile.to_owned(),
                count: Some(count),
            }),
            _ => Err(format!(
                "expected a profile, or `4 x PROFILE` with 1 to 4096 devices, not `{text}`"
            )),
        }
    }
}

/// Reads `PROFILE x 4` and `PROFILE:4`.
fn counted_behind(text: &str) -> Option<(&str, &str)> {
    let is_number = |count: &str| !count.is_empty() && count.bytes().all(|b| b.is_ascii_digit());
    let halves = text.rsplit_once(" x ").or_else(|| text.rsplit_once(':'));
    let (profile, count) = halves?;
    let count = count.trim();
    is_number(count).then_some((count, profile.trim()))
}

/// Returns the profiles of words, one for each device.
pub(crate) fn profiles_of(words: &[DeviceWord]) -> Vec<String> {
    let of_one = |word: &DeviceWord| {
        let count = usize::try_from(word.count.unwrap_or(1)).unwrap_or(1);
        std::iter::repeat_n(word.profile.clone(), count)
    };
    words.iter().flat_map(of_one).collect()
}

/// An array on the command line: `raid10:n2:4:32K`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArrayWord {
    pub(crate) text: String,
    /// `None` for `none`: the device alone.
    pub(crate) level: Option<Level>,
    pub(crate) layout: Option<String>,
    pub(crate) devices: Option<u32>,
    pub(crate) chunk: Option<Bytes>,
}

impl ArrayWord {
    /// The device alone.
    pub(crate) fn none() -> Self {
        Self {
            // Nobody wrote it.
            text: String::new(),
            level: None,
            layout: None,
            devices: None,
            chunk: None,
        }
    }
}

impl std::str::FromStr for ArrayWord {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let mut word = ArrayWord {
            text: text.to_owned(),
            ..ArrayWord::none()
        };
        let mut parts = parts_of(text).into_iter();
        let first = parts.next().unwrap_or_default();
        let first = first.strip_prefix("level=").unwrap_or(&first);
        if first != "none" {
            word.level = Some(level_of(first)?);
        }
        for part in parts {
            word.take(&part)?;
        }
        Ok(word)
    }
}

/// Splits an array at colons, commas and spaces; `raid10-f2-4-32K`, as stacks are named, at its dashes,
/// too; and the number of devices from the level in `4 x raid5` and `raid5x4`.
fn parts_of(text: &str) -> Vec<String> {
    let between = |c: char| matches!(c, ':' | ',');
    let mut parts: Vec<String> = text
        .split(between)
        .map(|part| part.trim().to_owned())
        .collect();
    let first = parts.first().cloned().unwrap_or_default();
    let is_level = |word: &str| matches!(spelling::level(word), Some(Spelling::Is(_)));
    if spelling::level(&first).is_some() {
        return parts;
    }
    let times = first.split_once(['x', '*', '×']);
    let times = times.map(|(one, other)| (one.trim(), other.trim()));
    let is_count = |word: &str| word.parse::<u32>().is_ok();
    let begin: Vec<String> = match times {
        Some((count, level) | (level, count)) if is_count(count) && is_level(level) => {
            vec![level.to_owned(), count.to_owned()]
        }
        _ => match first.split_once(['-', ' ']) {
            Some((level, _)) if is_level(level) => {
                first.split(['-', ' ']).map(str::to_owned).collect()
            }
            _ => return parts,
        },
    };
    parts.splice(..1, begin);
    parts
}

/// Returns a level by its name, or by other names of it.
fn level_of(word: &str) -> std::result::Result<Level, String> {
    match spelling::level(word) {
        Some(Spelling::Is(name)) => Level::of_name(&name),
        Some(Spelling::Elsewhere(why)) => {
            return Err(format!("`{word}` is not a level of md: {why}"));
        }
        None => None,
    }
    .ok_or_else(|| {
        format!("`{word}` is not a level; levels are none, linear, raid0, raid1, raid4, raid5, raid6, raid10")
    })
}

/// Returns a part without the name of what it is: `chunk=64K` is `64K`, and `near=2` stays. As with
/// mdadm, a chunk without unit is in KiB.
fn unnamed(part: &str) -> String {
    let Some((key, value)) = part.split_once('=') else {
        return part.to_owned();
    };
    match key {
        "chunk" | "chunk-size" | "chunksize" | "c" => match value.parse::<u64>() {
            Ok(kib) => format!("{kib}K"),
            Err(_) => value.to_owned(),
        },
        "devices" | "raid-devices" | "disks" | "count" | "n" | "layout" | "p" => value.to_owned(),
        _ => part.to_owned(),
    }
}

impl ArrayWord {
    /// Adds a part, recognised by its form: a number of devices, a chunk or a layout. A second number is
    /// a chunk in KiB, as mdadm reads it.
    fn take(&mut self, part: &str) -> std::result::Result<(), String> {
        let part = &*unnamed(part);
        let twice = |what: &str| Err(format!("`{part}` is a second {what}"));
        if self.level.is_none() {
            return Err(format!("`none` is the device alone, and has no `{part}`"));
        }
        let mut chunk = Bytes::parse(part).ok();
        if let Ok(number) = part.parse::<u64>() {
            if self.devices.is_some() && number < CHUNK_FROM && number.is_multiple_of(4) {
                chunk = number.checked_mul(KIB).map(Bytes::new);
            } else if number < CHUNK_FROM && number > 0 {
                let count = u32::try_from(number).unwrap_or(u32::MAX);
                return match self.devices.replace(count) {
                    None => Ok(()),
                    Some(_) => {
                        twice("number of devices; a chunk is in KiB, or has a unit, such as `32K`")
                    }
                };
            }
            if number == 0 || number >= CHUNK_FROM && !number.is_multiple_of(CHUNK_FROM) {
                return Err(format!(
                    "`{part}` is neither a number of devices (1 to {}) nor a chunk in bytes (a multiple of {CHUNK_FROM})",
                    CHUNK_FROM - 1
                ));
            }
        }
        if let Some(chunk) = chunk {
            return match self.chunk.replace(chunk) {
                None => Ok(()),
                Some(_) => twice("chunk"),
            };
        }
        let layout = match spelling::layout(part) {
            Some(Spelling::Is(layout)) => layout,
            _ => part.to_owned(),
        };
        if let Some((data, parity)) = part.split_once('+')
            && let (Ok(data), Ok(parity)) = (data.parse::<u16>(), parity.parse::<u16>())
        {
            let all = u32::from(data) + u32::from(parity);
            return Err(format!(
                "`{part}`: an array is said by all of its devices, those with parity among them, such as `raid5:{all}`"
            ));
        }
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if layout.is_empty() || !layout.chars().all(is_word) {
            return Err(format!(
                "`{part}` is neither a layout (`n2`) nor a number of devices (`4`) nor a chunk (`32K`)"
            ));
        }
        match self.layout.replace(layout) {
            None => Ok(()),
            Some(_) => twice("layout"),
        }
    }
}

impl ArrayWord {
    /// Returns the array of `devices`, or the device alone. One profile stands for all members;
    /// several are the members in their order.
    ///
    /// # Errors
    /// If neither the word, `count` nor the devices give the number of members, or it is another
    /// one than that of the devices.
    pub(crate) fn stack(
        &self,
        devices: &[String],
        count: Option<u32>,
        chunk: Option<Bytes>,
        bitmap: Option<&String>,
    ) -> Result<StackQuestion> {
        let count = self.devices.or(count);
        let (devices, count) = match devices {
            [device] => (vec![device.clone()], count),
            several => {
                let of_each = self.of_each(several, count)?;
                match several {
                    [first, others @ ..] if others.iter().all(|other| other == first) => {
                        (vec![first.clone()], u32::try_from(several.len()).ok())
                    }
                    _ => (several.to_vec(), Some(of_each)),
                }
            }
        };
        let count = match (self.level, count) {
            (None, _) => 1,
            (Some(_), Some(count)) => count,
            (Some(level), None) => {
                let message = format!("`--array {}` has no number of devices", self.text);
                let mut others = self.text.split(':').skip(1);
                let bare = others.find(|part| part.parse::<u64>().is_ok());
                let read = bare.map_or_else(String::new, |number| {
                    format!("`{number}` is read as the chunk, in bytes: ")
                });
                return Err(Failure::new(message).hint(format!("{read}write `--array {level}:4`")));
            }
        };
        let of_level = |level: Level| ArrayQuestion {
            level: level.as_str().to_owned(),
            layout: self.layout.clone(),
            chunk: self
                .chunk
                .or(chunk.filter(|_| level.has_chunk()))
                .map(|chunk| chunk.to_string()),
            bitmap: bitmap.cloned(),
        };
        Ok(StackQuestion {
            devices: devices.into_iter().map(|device| (device, count)).collect(),
            array: self.level.map(of_level),
            filesystem: None,
        })
    }
}

impl ArrayWord {
    /// Returns how many devices each `--device` of several stands for, which is one.
    ///
    /// # Errors
    /// If there is no array for them, or it has another number of members.
    fn of_each(&self, devices: &[String], count: Option<u32>) -> Result<u32> {
        let named = devices.len();
        if self.level.is_none() {
            let failure = match self.text.as_str() {
                "" => Failure::new(format!("{named} devices need an array"))
                    .hint("name one, such as `--array raid1`"),
                text => Failure::new(format!(
                    "`--array {text}` is one device, and {named} are named"
                ))
                .hint(format!(
                    "leave `--array {text}` out, or name one device: an array of two, such as `--array raid1:2`, says how many it has itself"
                )),
            };
            return Err(failure);
        }
        match count {
            Some(count) if usize::try_from(count) != Ok(named) => Err(Failure::new(format!(
                "`--array {}` has {count} members, and {named} devices are named",
                self.text
            ))
            .hint("name one device for all members, or one `--device` for each")),
            _ => Ok(1),
        }
    }
}
