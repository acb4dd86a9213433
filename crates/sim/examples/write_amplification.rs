//! Write amplification under uniform random writes: the simulated translation layer against the
//! analytic models, and the sustained rate of random writes.
//!
//! ```text
//! cargo run --release --example write_amplification
//! ```

#![expect(
    clippy::print_stdout,
    reason = "an example prints; nothing else here does"
)]

use stripewise_profiles::Profiles;
use stripewise_profiles::device::Model;
use stripewise_profiles::device::flash::{FlashProfile, GarbageCollection};
use stripewise_sim::device::flash::analytic::{
    fifo_write_amplification, greedy_write_amplification,
};
use stripewise_sim::device::flash::{Flash, sustained_write_bytes_per_s};

const UNIT_BYTES: u64 = 4096;

/// One die and one stream, as the models assume.
fn as_modelled(percent: f64, gc: GarbageCollection, block_units: u32) -> FlashProfile {
    FlashProfile {
        page_bytes: 4096,
        block_pages_count: block_units,
        planes_count: 1,
        dies_count: 1,
        channels_count: 1,
        ..consumer(percent, gc)
    }
}

/// The shipped drive with eight dies and larger blocks.
fn consumer(percent: f64, gc: GarbageCollection) -> FlashProfile {
    let shipped = Profiles::shipped().devices["flash-sata"].model.clone();
    let Model::Flash(shipped) = shipped else {
        unreachable!("its translation layer is simulated")
    };
    FlashProfile {
        simulated_bytes: 1 << 30,
        over_provisioning_percent: percent,
        block_pages_count: 64,
        dies_count: 8,
        channels_count: 4,
        gc,
        ..shipped
    }
}

fn main() {
    println!("over-prov.  policy  units/block  simulated  analytic  difference");
    for percent in [7.0, 12.0, 28.0, 30.0] {
        row(percent, GarbageCollection::Fifo, 64);
        for block_units in [16, 64, 256, 1024] {
            row(percent, GarbageCollection::Greedy, block_units);
        }
    }
    println!();
    println!("over-prov.  sustained random 4K writes of 8 dies, greedy");
    for percent in [7.0, 12.0, 28.0] {
        let profile = consumer(percent, GarbageCollection::Greedy);
        let rate = sustained_write_bytes_per_s(&profile, 1);
        println!(
            "{percent:8} %  {:4} MB/s  {:6} IOPS",
            rate / 1_000_000,
            rate / UNIT_BYTES
        );
    }
}

fn row(percent: f64, gc: GarbageCollection, block_units: u32) {
    let profile = as_modelled(percent, gc, block_units);
    let mut flash = Flash::new(&profile, 1);
    flash.precondition();
    flash.overwrite(2 * profile.simulated_bytes / UNIT_BYTES);
    let Some(simulated) = flash.write_amplification() else {
        return;
    };
    let ratio = flash.over_provisioning();
    let (name, analytic) = match gc {
        GarbageCollection::Fifo => ("fifo", fifo_write_amplification(ratio)),
        GarbageCollection::Greedy => ("greedy", greedy_write_amplification(ratio, block_units)),
    };
    let difference = 100.0 * (simulated / analytic - 1.0);
    println!(
        "{percent:8} %  {name:6}  {block_units:11}  {simulated:9.3}  {analytic:8.3}  {difference:+9.2} %"
    );
}
