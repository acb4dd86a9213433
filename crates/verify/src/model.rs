//! Simulates a case.

use std::collections::BTreeMap;

use stripewise_profiles::host::HostProfile;
use stripewise_profiles::{HOST_DEFAULT, Profiles};
use stripewise_sim::world::{Model, ModelError, Replayed};
use stripewise_study::world::NeverCancel;
use stripewise_units::kernel::KernelVersion;

use crate::case::Case;

/// Returns the model's sample for `case` under the rules of `kernel`.
///
/// # Errors
/// [`ModelError`] if the model cannot build the array.
pub fn simulate(
    case: &Case,
    kernel: KernelVersion,
    host: &HostProfile,
) -> Result<Replayed, ModelError> {
    let profiles = Profiles {
        devices: case.device_profiles(),
        hosts: BTreeMap::from([(HOST_DEFAULT.to_owned(), host.clone())]),
    };
    let model = Model::new(profiles, kernel);
    model.replay(&case.cell(), 1, case.replay(), &mut NeverCancel)
}
