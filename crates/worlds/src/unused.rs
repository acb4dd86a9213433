//! Options of commands that have no effect in a world: one table.

use stripewise_results::world::{CutPlace, WorldSpec};

/// What a command is asked to run in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskedIn {
    /// An existing filesystem.
    Files,
    /// Existing filesystems of several hosts.
    Hosts,
    /// Devices that the study overwrites.
    Devices,
    /// The simulation.
    Model,
    /// A guest.
    Lab,
    /// Power cuts in guests.
    CutGuests,
    /// Power cuts on this machine.
    CutsHere,
    /// Power cuts that are only predicted.
    CutsPredicted,
}

impl From<&WorldSpec> for AskedIn {
    fn from(world: &WorldSpec) -> Self {
        match world {
            WorldSpec::Files { .. } => AskedIn::Files,
            WorldSpec::Hosts(_) => AskedIn::Hosts,
            WorldSpec::Devices => AskedIn::Devices,
            WorldSpec::Model(_) => AskedIn::Model,
            WorldSpec::Lab(_) => AskedIn::Lab,
            WorldSpec::Cuts(cuts) => match cuts.place {
                CutPlace::Guests(_) => AskedIn::CutGuests,
                CutPlace::ThisMachine(_) => AskedIn::CutsHere,
            },
        }
    }
}

/// An option that has no effect, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unused {
    /// The option: `--target`.
    pub option: &'static str,
    /// Why.
    pub why: &'static str,
}

/// A row: the option has no effect in these worlds.
struct Row(&'static str, &'static [AskedIn], &'static str);

const NO_GUEST: &[AskedIn] = &[
    AskedIn::Files,
    AskedIn::Hosts,
    AskedIn::Devices,
    AskedIn::Model,
];
const MACHINE: &[AskedIn] = &[AskedIn::Files, AskedIn::Hosts, AskedIn::Devices];
const NOT_HOSTS: &[AskedIn] = &[AskedIn::Model, AskedIn::Lab];
const NO_DEVICE: &[AskedIn] = &[
    AskedIn::Files,
    AskedIn::Hosts,
    AskedIn::Model,
    AskedIn::Lab,
    AskedIn::CutGuests,
    AskedIn::CutsHere,
];
const NOT_MODEL: &[AskedIn] = &[
    AskedIn::Files,
    AskedIn::Hosts,
    AskedIn::Devices,
    AskedIn::Lab,
];
const PREDICTED: &[AskedIn] = &[AskedIn::CutsPredicted];
const HERE: &[AskedIn] = &[AskedIn::CutsHere];

const OF_DISKS: &str =
    "it is about modelled disks; real ones stand under `[may_destroy]` of a study alone";
const OF_HOST: &str = "only the model simulates a processor";
const OF_HOSTS: &str = "only `--world metal` measures other machines";
const HOSTS_BUILD_NOTHING: &str =
    "stacks are built on devices of this machine alone; on other hosts, files are measured";
const OF_MODEL: &str = "only a simulation has a state";
const SIMULATED: &str = "a simulation ends when its result is precise enough";
const OF_LIFE: &str = "the life of devices is that of their profiles, and files name none";
const OF_LAB: &str = "only `--world lab` uses it";
const OF_MACHINE: &str = "this machine's own kernel and disks are measured";
const PREDICTS: &str = "it predicts every moment, and starts no guest";
const CUTS_HERE: &str = "it starts no guest, and builds no array";

/// All rows, in the order in which options are refused.
const TABLE: &[Row] = &[
    Row(
        "--target",
        &[AskedIn::Model, AskedIn::Lab],
        "no file of this machine is touched",
    ),
    Row(
        "--target",
        &[AskedIn::Devices],
        "the study's stacks are built on the devices under `[may_destroy]`",
    ),
    Row("--hosts", NOT_HOSTS, OF_HOSTS),
    Row("--inventory", NOT_HOSTS, OF_HOSTS),
    Row("--lost-hosts", NOT_HOSTS, OF_HOSTS),
    Row("--hosts", &[AskedIn::Devices], HOSTS_BUILD_NOTHING),
    Row("--inventory", &[AskedIn::Devices], HOSTS_BUILD_NOTHING),
    Row("--lost-hosts", &[AskedIn::Files], "no host is named"),
    Row(
        "--lost-hosts",
        &[AskedIn::Devices],
        "no host but this machine is measured",
    ),
    Row("--yes-destroy", NO_DEVICE, "no device is overwritten"),
    Row(
        "--no-cache",
        NOT_MODEL,
        "only simulations are kept for later runs",
    ),
    Row("--profiles", MACHINE, OF_MACHINE),
    Row("--kernel", MACHINE, OF_MACHINE),
    Row(
        "--kernel",
        HERE,
        "the power is cut under this machine's own kernel",
    ),
    Row("--device", MACHINE, OF_DISKS),
    Row("--array", MACHINE, OF_DISKS),
    Row("--count", MACHINE, OF_DISKS),
    Row("--chunk", MACHINE, OF_DISKS),
    Row("--bitmap", MACHINE, OF_DISKS),
    Row("--filesystem", MACHINE, OF_DISKS),
    Row("--host", NOT_MODEL, OF_HOST),
    Row("--cores", NOT_MODEL, OF_HOST),
    Row("--state", NOT_MODEL, OF_MODEL),
    Row("--sample", &[AskedIn::Model], SIMULATED),
    Row("--writes-per-day", MACHINE, OF_LIFE),
    Row("--tbw", MACHINE, OF_LIFE),
    Row("--cuts", PREDICTED, PREDICTS),
    Row("--images", PREDICTED, PREDICTS),
    Row("--cut-at", PREDICTED, PREDICTS),
    Row("--fail-on-loss", PREDICTED, PREDICTS),
    Row("--survive", PREDICTED, PREDICTS),
    Row("--disk-size", PREDICTED, PREDICTS),
    Row("--without-member", PREDICTED, PREDICTS),
    Row("--without-member", HERE, CUTS_HERE),
    Row("--force-assembly", PREDICTED, PREDICTS),
    Row("--force-assembly", HERE, CUTS_HERE),
    Row("--cache", NO_GUEST, OF_LAB),
    Row("--cache", PREDICTED, PREDICTS),
    Row("--cache", HERE, CUTS_HERE),
    Row("--clock", NO_GUEST, OF_LAB),
    Row("--clock", PREDICTED, PREDICTS),
    Row("--clock", HERE, CUTS_HERE),
    Row("--fast", NO_GUEST, OF_LAB),
    Row("--fast", PREDICTED, PREDICTS),
    Row("--fast", HERE, CUTS_HERE),
    Row("--memory", NO_GUEST, OF_LAB),
    Row("--memory", PREDICTED, PREDICTS),
    Row("--memory", HERE, CUTS_HERE),
    Row("--disk-size", NO_GUEST, OF_LAB),
];

/// Returns the first of the options in `given` (each with whether it was given) that has no effect.
pub fn unused(asked_in: AskedIn, given: &[(&str, bool)]) -> Option<Unused> {
    let is_given = |option: &str| given.contains(&(option, true));
    let mut rows = TABLE.iter();
    let row = rows.find(|row| row.1.contains(&asked_in) && is_given(row.0));
    row.map(|row| Unused {
        option: row.0,
        why: row.2,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_has_at_most_one_reason_in_a_world() {
        for (index, row) in TABLE.iter().enumerate() {
            let others = TABLE[index + 1..].iter().filter(|other| other.0 == row.0);
            for other in others {
                let both = row.1.iter().find(|asked_in| other.1.contains(asked_in));
                assert_eq!(both, None, "{}", row.0);
            }
        }
    }

    #[test]
    fn options_that_change_nothing_are_refused_in_their_worlds() {
        for (option, asked_in) in [
            ("--writes-per-day", AskedIn::Files),
            ("--tbw", AskedIn::Files),
            ("--sample", AskedIn::Model),
            ("--kernel", AskedIn::CutsHere),
        ] {
            let found = unused(asked_in, &[(option, true)]);
            assert_eq!(found.map(|unused| unused.option), Some(option));
            assert_eq!(unused(AskedIn::Lab, &[(option, true)]), None);
        }
    }

    #[test]
    fn only_options_that_were_given_are_refused() {
        let given = [("--target", false), ("--kernel", true), ("--memory", true)];
        let first = |asked_in| unused(asked_in, &given).map(|unused| unused.option);
        assert_eq!(first(AskedIn::Files), Some("--kernel"));
        assert_eq!(first(AskedIn::Model), Some("--memory"));
        assert_eq!(first(AskedIn::Lab), None);
        assert_eq!(first(AskedIn::CutGuests), None);
    }
}
