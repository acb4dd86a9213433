//! Profiles of one name with other numbers: those of the later side get a name that says what differs, so
//! that they are a fact like another profile, and the model takes them.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use stripewise_profiles::Profiles;
use stripewise_results::world::WorldSpec;

use super::side::Side;
use crate::failure::Result;

/// The most values that a name has.
const NAMED_MAX: usize = 2;

/// The later side's profiles that differ from those of the same name, with their new names.
#[derive(Debug, Default)]
pub(super) struct Apart {
    /// Devices.
    pub(super) devices: BTreeMap<String, String>,
    /// Hosts.
    pub(super) hosts: BTreeMap<String, String>,
    /// All profiles of the later side.
    after: Profiles,
}

impl Apart {
    /// Compares the profiles that two runs were simulated with.
    pub(super) fn of(before: &Side, after: &Side) -> Result<Self> {
        let of = |side: &Side| {
            let texts = side.run.world.as_ref().and_then(WorldSpec::profiles);
            texts.map(|texts| texts.parse()).transpose()
        };
        let (Some(before), Some(after)) = (of(before)?, of(after)?) else {
            return Ok(Self::default());
        };
        Ok(Self {
            devices: renamed(&before.devices, &after.devices),
            hosts: renamed(&before.hosts, &after.hosts),
            after,
        })
    }

    /// Adds the later profiles by their new names.
    pub(super) fn add_to(&self, profiles: &mut Profiles) {
        for (name, new) in &self.devices {
            if let Some(device) = self.after.devices.get(name) {
                profiles.devices.insert(new.clone(), device.clone());
            }
        }
        for (name, new) in &self.hosts {
            if let Some(host) = self.after.hosts.get(name) {
                profiles.hosts.insert(new.clone(), host.clone());
            }
        }
    }
}

/// Returns a new name for each profile that has other numbers before.
fn renamed<P: Serialize + PartialEq>(
    before: &BTreeMap<String, P>,
    after: &BTreeMap<String, P>,
) -> BTreeMap<String, String> {
    let both = after
        .iter()
        .filter_map(|(name, after)| Some((name, before.get(name)?, after)));
    let other = both.filter(|(_, before, after)| before != after);
    let named = other.filter_map(|(name, before, after)| {
        let numbers = |profile: &P| {
            let mut found = BTreeMap::new();
            if let Ok(value) = serde_json::to_value(profile) {
                flatten("", &value, &mut found);
            }
            found
        };
        let differs = differences(&numbers(before), &numbers(after));
        (!differs.is_empty()).then(|| (name.clone(), format!("{name} ({differs})")))
    });
    named.collect()
}

/// Adds the values of a document by their paths, without what is words alone.
fn flatten(path: &str, value: &Value, found: &mut BTreeMap<String, String>) {
    const WORDS: [&str; 5] = ["description", "source", "assumed", "points", "models"];
    let below = |key: &str| match path {
        "" => key.to_owned(),
        path => format!("{path}.{key}"),
    };
    match value {
        Value::Object(table) => {
            for (key, value) in table {
                if !(path.is_empty() && WORDS.contains(&key.as_str())) {
                    flatten(&below(key), value, found);
                }
            }
        }
        Value::Array(list) => {
            for (place, value) in list.iter().enumerate() {
                flatten(&below(&place.to_string()), value, found);
            }
        }
        Value::Null => {}
        value => {
            found.insert(path.to_owned(), value.to_string());
        }
    }
}

/// Returns the first values that differ, and how many more do: `calibrated.write.servers 2 → 4, +3`.
fn differences(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> String {
    let keys: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let differ: Vec<&String> = keys
        .into_iter()
        .filter(|key| before.get(*key) != after.get(*key))
        .collect();
    let shown = |values: &BTreeMap<String, String>, key: &String| {
        values.get(key).cloned().unwrap_or_else(|| "-".to_owned())
    };
    let mut words: Vec<String> = differ
        .iter()
        .take(NAMED_MAX)
        .map(|key| format!("{key} {} → {}", shown(before, key), shown(after, key)))
        .collect();
    let more = differ.len().saturating_sub(NAMED_MAX);
    words.extend((more > 0).then(|| format!("+{more}")));
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_with_other_numbers_has_another_name_and_one_with_other_words_has_not() {
        let before = Profiles::shipped().devices;
        let mut after = before.clone();
        let ssd = after.get_mut("sata-ssd").unwrap();
        ssd.queue_depth = 16;
        after.get_mut("hdd-7200").unwrap().description = "Other words.".to_owned();
        let names = renamed(&before, &after);
        let expected = ("sata-ssd", "sata-ssd (queue_depth 32 → 16)");
        let found: Vec<(&str, &str)> = names
            .iter()
            .map(|(name, new)| (name.as_str(), new.as_str()))
            .collect();
        assert_eq!(found, [expected]);
    }

    #[test]
    fn many_differences_are_counted() {
        let values = |of: &[(&str, &str)]| -> BTreeMap<String, String> {
            let pairs = of.iter();
            pairs
                .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
                .collect()
        };
        let before = values(&[("a", "1"), ("b", "1"), ("c", "1"), ("d", "1")]);
        let after = values(&[("a", "2"), ("c", "3"), ("d", "1"), ("e", "5")]);
        assert_eq!(differences(&before, &after), "a 1 → 2, b 1 → -, +2");
        assert_eq!(differences(&before, &before), "");
    }
}
