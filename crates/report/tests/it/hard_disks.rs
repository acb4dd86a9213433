//! A hard disk has no state: its memory empties by itself.
//!
//! The failure: tables of hard disks showed "fresh" and "steady" as those of SSDs do, and asked for
//! `--writes-per-day`, because 32 MiB of the drive's memory take the first writes.

use stripewise_diagnose::prediction::Prediction;
use stripewise_profiles::Profiles;
use stripewise_report::states::FreshState;
use stripewise_sim::world::Model;
use stripewise_study::world::NeverCancel;
use stripewise_units::kernel::KernelVersion;

#[test]
fn only_flash_and_fast_areas_make_states() {
    let model = Model::new(Profiles::shipped(), KernelVersion::new(6, 1, 0));
    let mut with_onset = 0;
    for (name, profile) in &model.profiles.devices {
        let text = format!(
            "[stack.s]\ndevices = {{ {name} = 1 }}\n[workload]\npattern = \"randwrite\"\nblock_size = \"4K\"\nsize = \"4G\"\ndepth = 8\nengine = \"libaio\"\n"
        );
        let cell = stripewise_fixtures::cell(&text);
        let steady = Prediction::new(&model, &cell, 1, &mut NeverCancel).unwrap();
        let fresh = steady.fresh(&model, &cell, 1, &mut NeverCancel).unwrap();
        let of_samples = FreshState::of_samples(&cell, &steady.samples);
        if profile.rotational {
            with_onset += usize::from(steady.breakdown.onset.is_some());
            assert!(fresh.is_none() && of_samples.is_none(), "{name}");
        } else if steady.breakdown.onset.is_some() {
            assert!(fresh.is_some(), "{name}");
        }
    }
    assert!(with_onset > 0, "no disk's memory took the first writes");
}
