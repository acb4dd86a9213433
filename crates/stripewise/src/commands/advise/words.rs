//! The words of `advise` on the command line.

use stripewise_diagnose::advise::Prefer;
use stripewise_diagnose::requirement::positive;
use stripewise_format::preset::Preset;

use crate::array_word::DeviceWord;
use crate::load_word::WorkloadWord;

/// The most devices of one array: md's own limits are higher, but so many devices in one array rebuild for
/// long and fail often, so several arrays are built of them.
const DEVICES_MAX: u32 = 32;

/// The devices to build an array of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Devices {
    pub(super) count: u32,
    pub(super) profile: String,
}

impl std::str::FromStr for Devices {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.contains(['+', ',']) {
            return Err("devices of several profiles cannot be compared yet: name one".to_owned());
        }
        let DeviceWord { profile, count } = text.parse()?;
        match count {
            None => Err(format!(
                "expected `4 x PROFILE`, such as `4 x sata-ssd`, not `{text}`"
            )),
            Some(1) => Err(
                "one device leaves no array to choose; `stripewise predict` predicts it".to_owned(),
            ),
            Some(count @ 2..=DEVICES_MAX) => Ok(Self { count, profile }),
            Some(count) => Err(format!(
                "{count} devices in one array rebuild for long and fail often: of more than {DEVICES_MAX}, \
                 build several arrays, and ask about one of them"
            )),
        }
    }
}

/// Loads, each with how much it counts: `randread:4K`, `oltp=3`, `oltp=3 backup=1`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct WeightedLoads(pub(super) Vec<(WorkloadWord, Option<f64>)>);

impl std::str::FromStr for WeightedLoads {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let weighted: Option<Vec<(&str, &str)>> = words.iter().map(|word| weighted(word)).collect();
        match weighted.filter(|weighted| !weighted.is_empty()) {
            None => Ok(Self(vec![(text.parse()?, None)])),
            Some(weighted) => {
                let loads = weighted.into_iter().map(|(name, number)| {
                    let weight = positive(number);
                    let weight = weight.map_err(|error| format!("`{name}={number}`: {error}"))?;
                    Ok((name.parse()?, Some(weight)))
                });
                Ok(Self(loads.collect::<Result<_, String>>()?))
            }
        }
    }
}

/// Splits `oltp=3` into a shipped workload and its weight; `None` if it is something else, such as a key.
fn weighted(word: &str) -> Option<(&str, &str)> {
    let (name, number) = word.split_once('=')?;
    Preset::names().contains(&name).then_some((name, number))
}

/// Which of equals to build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PreferWord(pub(super) Prefer);

impl std::str::FromStr for PreferWord {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "simple" => Ok(Self(Prefer::Simple)),
            "space" => Ok(Self(Prefer::Space)),
            _ => Err("expected `simple` or `space`".to_owned()),
        }
    }
}

/// The price of one device, and of which.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Price {
    pub(super) profile: Option<String>,
    pub(super) price: f64,
}

impl std::str::FromStr for Price {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (profile, number) = match text.rsplit_once('=') {
            Some((profile, number)) => (Some(profile.trim().to_owned()), number),
            None => (None, text),
        };
        let price = positive(number)?;
        Ok(Self { profile, price })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_are_read_with_their_weights_or_as_loads_with_keys() {
        let read = |text: &str| text.parse::<WeightedLoads>();
        let weights = |text: &str| -> Vec<Option<f64>> {
            let loads = read(text).expect(text).0;
            loads.iter().map(|(_, weight)| *weight).collect()
        };
        assert_eq!(weights("oltp=3 backup=1"), [Some(3.0), Some(1.0)]);
        assert_eq!(weights("oltp"), [None]);
        assert_eq!(weights("rw=randread bs=4k"), [None]);
        assert_eq!(weights("randread:4K:depth=8"), [None]);
        assert!(read("oltp=0").is_err());
        assert!(read("oltp=3 no-such=1").is_err());
    }

    #[test]
    fn a_price_names_its_device_or_none() {
        let read = |text: &str| text.parse::<Price>();
        let named = read("sata-ssd=89.5").expect("a price");
        assert_eq!(
            (named.profile.as_deref(), named.price),
            (Some("sata-ssd"), 89.5)
        );
        assert_eq!(read("89").expect("a price").profile, None);
        for wrong in ["", "sata-ssd", "sata-ssd=", "sata-ssd=-1"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
