//! Conditions of the processor and of the kernel on fake machines: `turbo`, `sysctl`,
//! `cpu_dma_latency_us` and `cpus`.

use super::tests::{Machine, Notes, note, place};
use super::*;

const NO_TURBO: &str = "/sys/devices/system/cpu/intel_pstate/no_turbo";
const BOOST: &str = "/sys/devices/system/cpu/cpufreq/boost";
const RATIO: &str = "/proc/sys/vm/dirty_ratio";
const BYTES: &str = "/proc/sys/vm/dirty_bytes";
const SPEED: &str = "/proc/sys/dev/raid/speed_limit_min";
const LATENCY: &str = "/dev/cpu_dma_latency";
const IDLE: &str = "/sys/devices/system/cpu/cpuidle/current_driver";

/// A machine with a processor of Intel, as Linux 6.1 shows it.
fn intel() -> Machine {
    let machine = Machine::new();
    for (path, text) in [
        (NO_TURBO, "0"),
        (RATIO, "20"),
        (BYTES, "0"),
        (SPEED, "1000"),
        (IDLE, "intel_idle"),
        (LATENCY, ""),
        ("/sys/devices/system/cpu/online", "0-3"),
    ] {
        machine.write(path, text);
    }
    machine
}

fn none() -> Conditions {
    Conditions::default()
}

fn slow() -> Conditions {
    Conditions {
        turbo: Some(false),
        ..sysctl("vm.dirty_ratio", "10")
    }
}

fn sysctl(name: &str, value: &str) -> Conditions {
    Conditions {
        sysctl: [(name.to_owned(), value.to_owned())].into(),
        ..none()
    }
}

#[test]
fn turbo_and_parameters_are_announced_written_and_restored() {
    let machine = intel();
    let (mut notes, mut setter) = (Notes::default(), Setter::default());
    check(&machine.root, &slow(), &place(false)).unwrap();
    let mut set = |conditions: &Conditions, notes: &mut Notes| {
        setter.set(&machine.root, conditions, &place(false), notes)
    };
    assert!(set(&slow(), &mut notes).unwrap());
    assert!(!set(&slow(), &mut notes).unwrap(), "nothing differs");
    let written: Vec<String> = notes.0.borrow().iter().map(note).collect();
    assert_eq!(
        written,
        [format!("{NO_TURBO} 0->1"), format!("{RATIO} 20->10")]
    );
    // The next cell has another value of the one, and the old value of the other.
    let next = sysctl("vm.dirty_ratio", "30");
    assert!(set(&next, &mut notes).unwrap());
    assert_eq!(
        (machine.read(NO_TURBO), machine.read(RATIO)),
        ("0".into(), "30".into())
    );
    setter.put_back(&machine.root, &mut notes).unwrap();
    assert_eq!(machine.read(RATIO), "20");
    assert_eq!(notes.0.borrow().len(), 0);
}

#[test]
fn a_killed_run_leaves_its_parameters_to_restore() {
    let machine = intel();
    let (mut notes, mut setter) = (Notes::default(), Setter::default());
    setter
        .set(&machine.root, &slow(), &place(false), &mut notes)
        .unwrap();
    for change in notes.0.borrow().iter().rev() {
        let Change::WroteSetting {
            path,
            before,
            after,
            disk,
            resets,
        } = change
        else {
            panic!("{change:?}");
        };
        let written = WrittenSetting {
            path,
            before,
            after,
            disk: disk.as_deref(),
            resets,
        };
        let undone = undo_setting(&machine.root, &written, Announced::SinceStart);
        assert_eq!(undone.unwrap(), Undone::Done, "{}", path.display());
    }
    assert_eq!(
        (machine.read(NO_TURBO), machine.read(RATIO)),
        ("0".into(), "20".into())
    );
}

#[test]
fn boost_is_the_file_of_other_drivers() {
    let machine = intel();
    machine.remove(NO_TURBO);
    let off = Conditions {
        turbo: Some(false),
        ..none()
    };
    machine.refuses(&off, true, &["set `turbo` to `false`", "remove the key"]);
    machine.write(BOOST, "1");
    let (mut notes, mut setter) = (Notes::default(), Setter::default());
    setter
        .set(&machine.root, &off, &place(true), &mut notes)
        .unwrap();
    assert_eq!(machine.read(BOOST), "0");
    setter.put_back(&machine.root, &mut notes).unwrap();
    assert_eq!(machine.read(BOOST), "1");
}

#[test]
fn parameters_that_cannot_be_restored_are_refused() {
    let machine = intel();
    let refused = |name: &str, words: &[&str]| {
        machine.refuses(&sysctl(name, "1"), true, words);
    };
    refused("kernel.core_pattern", &["a study sets only `vm.*`"]);
    refused("vm.dirty_bytes", &["does not take its default back"]);
    refused("vm.swappiness", &["no `/proc/sys/vm/swappiness`"]);
    machine.write(BYTES, "4096000");
    refused("vm.dirty_ratio", &["`vm.dirty_bytes` is set"]);
    check(
        &machine.root,
        &sysctl("dev.raid.speed_limit_min", "5"),
        &place(true),
    )
    .unwrap();
}

#[test]
fn the_c_state_limit_is_held_open() {
    let machine = intel();
    let limit = |us| Conditions {
        cpu_dma_latency_us: Some(us),
        ..none()
    };
    check(&machine.root, &limit(20), &place(true)).unwrap();
    let (mut notes, mut setter) = (Notes::default(), Setter::default());
    let file = machine.root.real(Path::new(LATENCY));
    let mut set = |conditions: &Conditions| {
        setter
            .set(&machine.root, conditions, &place(true), &mut notes)
            .map_err(|error| error.to_string())
    };
    assert_eq!(set(&limit(20)), Ok(true));
    assert_eq!(set(&limit(20)), Ok(false));
    assert_eq!(std::fs::read(&file).unwrap()[..4], 20_u32.to_ne_bytes());
    assert_eq!(set(&limit(0)), Ok(true));
    // Another program asks for less than this run does.
    assert_eq!(set(&limit(20)), Ok(true));
    std::fs::write(&file, 3_u32.to_ne_bytes()).unwrap();
    let error = set(&limit(20)).unwrap_err();
    assert!(
        error.contains("to 20 us for this run, and is now 3 us"),
        "{error}"
    );
    setter.put_back(&machine.root, &mut notes).unwrap();
    assert!(setter.latency.is_none());
    assert_eq!(notes.0.borrow().len(), 0, "it needs no journal");
}

#[test]
fn a_machine_without_c_states_or_these_cpus_is_refused() {
    let machine = intel();
    let limit = Conditions {
        cpu_dma_latency_us: Some(0),
        ..none()
    };
    machine.remove(LATENCY);
    machine.refuses(
        &limit,
        true,
        &["`cpu_dma_latency_us` to `0`", "run as root"],
    );
    machine.write(IDLE, "none");
    machine.refuses(&limit, true, &["chooses no C-states", "remove the key"]);
    let on = |cpus: &str| Conditions {
        cpus: cpus.parse().ok(),
        ..none()
    };
    check(&machine.root, &on("1-3"), &place(true)).unwrap();
    machine.refuses(&on("0,4"), true, &["CPUs `0,4`", "online are `0-3`"]);
}

/// A machine whose CPUs share cores as in these lists; the others are offline.
fn with_cores(online: &str, lists: &[(u32, &str)]) -> Machine {
    let machine = intel();
    machine.write("/sys/devices/system/cpu/online", online);
    for (cpu, siblings) in lists {
        let file = format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
        machine.write(&file, siblings);
    }
    machine
}

#[test]
fn words_for_cpus_are_resolved_from_the_cores_of_the_machine() {
    let resolved = |machine: &Machine, cpus: &str| {
        let conditions = Conditions {
            cpus: cpus.parse().ok(),
            ..none()
        };
        let cpus = load_cpus(&machine.root, &conditions).unwrap();
        cpus.map(|cpus| cpus.to_string())
    };
    // Four cores; the siblings of most desktops are half of the CPUs apart.
    let half = [(0, "0,4"), (1, "1,5"), (2, "2,6"), (3, "3,7")];
    let rest = [(4, "0,4"), (5, "1,5"), (6, "2,6"), (7, "3,7")];
    let desktop = with_cores("0-7", &[half, rest].concat());
    // Neighbours, and one sibling is offline.
    let server = with_cores("0,2-3", &[(0, "0"), (2, "2-3"), (3, "2-3")]);
    // No SMT, as on the guest with its single CPU.
    let guest = with_cores("0", &[(0, "0")]);
    for (machine, cpus, expected) in [
        (&desktop, "one-per-core", "0-3"),
        (&desktop, "cores-of:0-1", "0-1,4-5"),
        (&desktop, "cores-of:6", "2,6"),
        (&desktop, "1-2", "1-2"),
        (&server, "one-per-core", "0,2"),
        (&server, "cores-of:0,3", "0,2-3"),
        (&guest, "one-per-core", "0"),
        (&guest, "cores-of:0", "0"),
    ] {
        assert_eq!(resolved(machine, cpus).as_deref(), Some(expected), "{cpus}");
    }
    assert_eq!(load_cpus(&guest.root, &none()).unwrap(), None);
}

#[test]
fn a_machine_that_hides_its_cores_is_refused() {
    let on = |cpus: &str| Conditions {
        cpus: cpus.parse().ok(),
        ..none()
    };
    let machine = with_cores("0-1", &[(0, "0-1")]);
    let hidden = ["`one-per-core`", "cpu1/topology", "by their numbers"];
    machine.refuses(&on("one-per-core"), true, &hidden);
    machine.refuses(&on("cores-of:1"), true, &["`cores-of:1`", "cpu1/topology"]);
    machine.refuses(&on("cores-of:2"), true, &["online are `0-1`"]);
    machine.remove("/sys/devices/system/cpu/online");
    machine.refuses(&on("one-per-core"), true, &["online are `unknown`"]);
}
