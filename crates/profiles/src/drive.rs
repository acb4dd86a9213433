//! Which profile stands for a drive that reports its model: never a guess, only what its name or its name
//! and size say.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::basis::Basis;
use crate::device::DeviceProfile;

/// The kernel shows so many characters of a SATA drive's model (the product identification of SPC-4).
const SHOWN_CHARACTERS: usize = 16;
/// Fewer, without the spaces at the end, are a whole name.
const BEGINNING_MIN: usize = SHOWN_CHARACTERS - 2;

/// How a profile was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fit {
    /// The drive has the name of the profile's.
    Model,
    /// One has the beginning of the other's name, as the kernel cuts it, and the same size.
    Beginning,
    /// It is the same drive in another size.
    OtherSize,
}

/// The profile of a drive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The name of the profile.
    pub profile: String,
    /// How it was found.
    pub fit: Fit,
}

/// Returns the profile of the drive that reports `model` and has `bytes`: a measured one before others.
/// `None` if none fits, or several fit equally well.
pub fn profile_of(
    profiles: &BTreeMap<String, DeviceProfile>,
    model: &str,
    bytes: Option<u64>,
) -> Option<Found> {
    for fit in [Fit::Model, Fit::Beginning, Fit::OtherSize] {
        let fits = |profile: &&DeviceProfile| {
            let mut names = names(profile);
            names.any(|name| match fit {
                Fit::Model => plain(name) == plain(model),
                Fit::Beginning => {
                    is_beginning(name, model) && bytes == Some(profile.capacity_bytes)
                }
                Fit::OtherSize => is_other_size(name, model),
            })
        };
        let all: Vec<&DeviceProfile> = profiles.values().filter(fits).collect();
        let measured = all.iter().copied();
        let measured: Vec<&DeviceProfile> = measured
            .filter(|profile| profile.basis == Some(Basis::Measured))
            .collect();
        let best = if measured.is_empty() { all } else { measured };
        match &best[..] {
            [] => {}
            [only] => {
                return Some(Found {
                    profile: only.name.clone(),
                    fit,
                });
            }
            _ => return None,
        }
    }
    None
}

/// Returns the names of a profile's drive. `calibrate` describes a disk by its model alone.
fn names(profile: &DeviceProfile) -> impl Iterator<Item = &str> {
    let measured = Some(profile.description.as_str());
    let measured = measured.filter(|_| profile.basis == Some(Basis::Measured));
    profile.models.iter().map(String::as_str).chain(measured)
}

/// Returns a name as its letters and digits alone: programs write spaces, underscores and case as they like.
fn plain(name: &str) -> String {
    let known = name.chars().filter(char::is_ascii_alphanumeric);
    known
        .map(|character| character.to_ascii_lowercase())
        .collect()
}

/// Returns whether one name is the other, as the kernel cuts it.
fn is_beginning(one: &str, other: &str) -> bool {
    let (short, long) = match one.len() <= other.len() {
        true => (one, other),
        false => (other, one),
    };
    (BEGINNING_MIN..=SHOWN_CHARACTERS).contains(&short.len())
        && plain(long).starts_with(&plain(short))
}

/// Returns whether two names differ in the words for their sizes alone.
fn is_other_size(one: &str, other: &str) -> bool {
    let without = |name: &str| -> Option<String> {
        let words = name.split([' ', '_']).filter(|word| !word.is_empty());
        let (sizes, rest): (Vec<&str>, Vec<&str>) = words.partition(|word| is_size(word));
        (!sizes.is_empty()).then(|| plain(&rest.concat()))
    };
    without(one).is_some_and(|one| Some(one) == without(other))
}

/// Returns whether a word is a size: `500GB`, `1TB`.
fn is_size(word: &str) -> bool {
    let word = word.to_ascii_uppercase();
    let number = word.strip_suffix("GB").or_else(|| word.strip_suffix("TB"));
    number.is_some_and(|number| number.parse::<f64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profiles;

    fn found(model: &str, bytes: u64) -> Option<(String, Fit)> {
        let profiles = Profiles::shipped();
        let found = profile_of(&profiles.devices, model, Some(bytes))?;
        Some((found.profile, found.fit))
    }

    #[test]
    fn a_drive_has_the_profile_of_its_name_or_of_its_beginning_and_size() {
        let evo = |fit| Some(("samsung-850-evo-500".to_owned(), fit));
        let half_tb = 500_107_862_016;
        assert_eq!(found("Samsung SSD 850 EVO 500GB", half_tb), evo(Fit::Model));
        assert_eq!(found("SAMSUNG_SSD_850_EVO_500GB", 1), evo(Fit::Model));
        assert_eq!(found("Samsung SSD 850", half_tb), evo(Fit::Beginning));
        assert_eq!(found("Samsung SSD 850 EVO 250GB", 1), evo(Fit::OtherSize));
        // The beginning of many names, another size, another drive, and a class.
        for (model, bytes) in [
            ("Samsung SSD", half_tb),
            ("Samsung SSD 850", 512_110_190_592),
            ("Samsung SSD 850 PRO 512GB", 512_110_190_592),
            ("WDC WD40EFRX-68N", 4_000_787_030_016),
            ("sata-ssd", 1),
            ("", 1),
        ] {
            assert_eq!(found(model, bytes), None, "{model}");
        }
    }

    #[test]
    fn a_measured_profile_goes_before_a_data_sheet_and_two_are_no_answer() {
        let mut profiles = Profiles::shipped().devices;
        let model = "Samsung SSD 850 EVO 500GB";
        let mine = |name: &str, profiles: &BTreeMap<String, DeviceProfile>| DeviceProfile {
            name: name.to_owned(),
            description: model.to_owned(),
            models: Vec::new(),
            basis: Some(Basis::Measured),
            ..profiles["samsung-850-evo-500"].clone()
        };
        let one = mine("mine", &profiles);
        profiles.insert(one.name.clone(), one);
        let found = profile_of(&profiles, model, None).expect("a profile");
        assert_eq!((found.profile.as_str(), found.fit), ("mine", Fit::Model));
        let other = mine("other", &profiles);
        profiles.insert(other.name.clone(), other);
        assert_eq!(profile_of(&profiles, model, None), None);
    }
}
