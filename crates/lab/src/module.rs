//! The source of the kernel module of the modelled disks; `module/README.md` describes it.
//!
//! The files are part of the program, so that `lab prepare` needs nothing but a compiler and the
//! headers of the guest's kernel: `make -C HEADERS M=DIRECTORY CONFIG_DEBUG_INFO_BTF_MODULES=
//! modules` in a directory that holds [`SOURCES`] makes `stripewise_disk.ko`. They are
//! GPL-2.0-only, unlike the rest of the workspace; the program contains them as text and runs them
//! only in a guest.

/// A file of the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceFile {
    /// Its name, without a directory.
    pub name: &'static str,
    /// All of it.
    pub text: &'static str,
}

/// The name of the module for `modprobe` and `rmmod`.
pub const NAME: &str = "stripewise_disk";

/// The files for the kernel's module build.
pub const SOURCES: [SourceFile; 5] = [
    SourceFile {
        name: "Kbuild",
        text: include_str!("../module/Kbuild"),
    },
    MODEL,
    COMMAND,
    SourceFile {
        name: "disk.h",
        text: include_str!("../module/disk.h"),
    },
    SourceFile {
        name: "stripewise_disk.c",
        text: include_str!("../module/stripewise_disk.c"),
    },
];

/// The files of the same model as a user program, `cc check.c`: arrivals in, completion times out.
pub const CHECK: [SourceFile; 3] = [
    MODEL,
    COMMAND,
    SourceFile {
        name: "check.c",
        text: include_str!("../module/check.c"),
    },
];

const MODEL: SourceFile = SourceFile {
    name: "model.h",
    text: include_str!("../module/model.h"),
};

const COMMAND: SourceFile = SourceFile {
    name: "command.h",
    text: include_str!("../module/command.h"),
};
