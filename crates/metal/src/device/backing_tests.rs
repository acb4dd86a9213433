//! Users of the file behind a loop device, on fake machines.

use super::*;
use crate::device::fake_machine::FakeMachine;

impl FakeMachine {
    /// A machine with a loop device on `/srv/disk`.
    fn with_loop_device() -> Self {
        let machine = Self::new();
        machine.write("/srv/disk", "");
        machine.add("loop0", "7:0", &[("loop/backing_file", "/srv/disk")]);
        machine
    }

    fn check_backing(&self, name: &str) -> Result<(), String> {
        let (root, node) = (self.root(), Node::of_name(&self.root(), name).unwrap());
        check_backing_file(&root, Path::new("/dev/x"), &node)
            .and_then(|()| check_exports(&root, Path::new("/dev/x"), &node))
            .map_err(|refusal| refusal.to_string())
    }

    /// Adds a process that has `/srv/disk` open with these flags.
    fn open(&self, flags: &str) {
        self.write("/proc/12/comm", "qemu-system-x86\n");
        self.write("/proc/12/fdinfo/9", &format!("pos:\t0\nflags:\t{flags}\n"));
        fs::create_dir_all(self.real("/proc/12/fd")).unwrap();
        fs::hard_link(self.real("/srv/disk"), self.real("/proc/12/fd/9")).unwrap();
    }
}

#[test]
fn open_backing_files_are_refused_and_o_path_descriptors_are_not() {
    let refused = |how: &str| {
        let text =
            "`/dev/x` is in use: `qemu-system-x86` (process 12) has its backing file `/srv/disk`";
        Err(format!("{text} {how}"))
    };
    for (flags, expected) in [
        ("02100002", refused("open for writing")),
        ("02100001", refused("open for writing")),
        ("02100000", refused("open for reading")),
        ("012000000", Ok(())),
    ] {
        let machine = FakeMachine::with_loop_device();
        machine.open(flags);
        assert_eq!(machine.check_backing("loop0"), expected, "{flags}");
    }
}

#[test]
fn the_backing_file_of_a_loop_device_below_a_volume_is_checked() {
    let machine = FakeMachine::with_loop_device();
    machine.add("dm-0", "253:0", &[]);
    machine.link("/sys/devices/dm-0/slaves/loop0", "/sys/devices/loop0");
    assert_eq!(machine.check_backing("dm-0"), Ok(()));
    machine.open("02");
    assert!(machine.check_backing("dm-0").is_err());
}

#[test]
fn a_mapped_file_is_found_without_an_open_descriptor() {
    let machine = FakeMachine::with_loop_device();
    let file = fs::metadata(machine.real("/srv/disk")).unwrap();
    let (major, minor) = (rustix::fs::major(file.dev()), rustix::fs::minor(file.dev()));
    machine.write("/proc/12/comm", "database");
    let inode = file.ino();
    for (permissions, how) in [("rw-s", "mapped for writing"), ("r--p", "mapped")] {
        let line = format!(
            "7f00-7f01 {permissions} 00000000 {major:02x}:{minor:02x} {inode}   /srv/disk (deleted)\n"
        );
        machine.write(
            "/proc/12/maps",
            &format!("5500-5501 r-xp 00000000 fe:00 1 /bin/x\n{line}"),
        );
        let refused = machine.check_backing("loop0").unwrap_err();
        assert!(
            refused.ends_with(&format!("`/srv/disk` {how}")),
            "{refused}"
        );
    }
    let line = format!("7f00-7f01 rw-s 00000000 ff:ff {inode} /other\n");
    machine.write("/proc/12/maps", &line);
    assert_eq!(machine.check_backing("loop0"), Ok(()), "another filesystem");
}

#[test]
fn a_file_that_is_swap_space_is_refused() {
    let machine = FakeMachine::with_loop_device();
    machine.write("/srv/other disk", "");
    let head = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n";
    let swaps = |path: &str| {
        let line = format!("{path} file\t\t102396\t\t0\t\t-2\n");
        machine.write("/proc/swaps", &format!("{head}{line}"));
        machine.check_backing("loop0")
    };
    assert_eq!(swaps("/srv/other\\040disk"), Ok(()));
    let refused = swaps("/srv/disk").unwrap_err();
    assert_eq!(refused, "`/dev/x` is in use: `/srv/disk` is swap space");
    machine.write("/sys/devices/loop0/loop/backing_file", "/srv/other disk");
    assert!(swaps("/srv/other\\040disk").is_err());
}

#[test]
fn devices_exported_by_the_kernel_are_refused() {
    for (setting, exporter) in [
        (
            "nvmet/subsystems/one/namespaces/1/device_path",
            "an NVMe target",
        ),
        ("target/core/fileio_0/one/udev_path", "a SCSI target"),
        (
            "usb_gadget/g1/functions/mass_storage.0/lun.0/file",
            "a USB gadget",
        ),
    ] {
        let machine = FakeMachine::with_loop_device();
        let setting = format!("/sys/kernel/config/{setting}");
        machine.write(&setting, "/srv/other\n");
        assert_eq!(machine.check_backing("loop0"), Ok(()));
        machine.write(&setting, "/srv/disk\n");
        let expected =
            format!("`/dev/x` is in use: {exporter} of this machine exports `/srv/disk`");
        assert_eq!(machine.check_backing("loop0"), Err(expected));
    }
}

#[test]
fn kernel_device_numbers_convert_to_those_of_stat() {
    assert_eq!(decode(0x0000_0301), rustix::fs::makedev(3, 1));
    // Minor numbers have 20 bits: NVMe namespaces and device-mapper use more than 256.
    assert_eq!(decode(0x1230_fd45), rustix::fs::makedev(253, 0x12345));
}
