//! Calibration from points to profiles, through the crate's public interface.
#![cfg(test)] // Tells clippy that helper functions may unwrap and print, as tests may.

mod bound;
mod coverage;
mod cpu_bound;
mod depth_curves;
mod hard_disks;
mod known_truth;
mod like;
mod mixed_load;
mod published_study;
mod zfs_scaling;

stripewise_fixtures::drawn_tests! {
    0 of "fits that take half a minute":
    like::arm_queue_and_cache_of_a_known_disk_are_found_again,
    like::flash_of_a_known_drive_is_found_again,
    like::a_published_disk,
}

// CI's seed draws the first: that of the published study.
mod of_published {
    use crate::{depth_curves, mixed_load, published_study};

    stripewise_fixtures::drawn_tests! {
        1 of "predictions of published measurements that take long":
        published_study::one_disk_and_one_chunk_size_predict_all_arrays,
        depth_curves::intervals_hold_deeper_loads_and_those_of_several_jobs,
        mixed_load::a_raid0_of_unlike_disks_under_a_mixed_load_is_predicted_from_its_members,
    }
}

/// Returns the mean and the largest of some errors, without their signs, in percent.
fn mean_and_most(errors: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let (mut sum, mut most, mut count) = (0.0, 0.0_f64, 0.0);
    for error in errors {
        let percent = error.abs() * 100.0;
        sum += percent;
        most = most.max(percent);
        count += 1.0;
    }
    (sum / count, most)
}
