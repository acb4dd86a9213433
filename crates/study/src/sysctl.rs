//! Parameters of the kernel in `/proc/sys` that a study may set.
//!
//! A journal may come from anywhere, and `restore` writes what it says, as root. So a name is not
//! free: only parameters of memory, of disks and of the scheduler are written, and of these none
//! that starts a program, protects the system, or does something each time it is written.

use std::path::PathBuf;

/// The longest value.
const VALUE_CHARS_MAX: usize = 128;

/// The beginnings of the names that a study may set.
const GROUPS: [&str; 7] = [
    "vm.",
    "dev.raid.",
    "dev.scsi.",
    "fs.aio-",
    "fs.xfs.",
    "kernel.sched_",
    "kernel.numa_balancing",
];

/// Names in [`GROUPS`] that stay as they are, and why.
const REFUSED: [(&str, &str); 18] = [
    ("vm.dirty_bytes", NO_WAY_BACK),
    ("vm.dirty_background_bytes", NO_WAY_BACK),
    ("vm.overcommit_kbytes", RESETS_ANOTHER),
    ("vm.overcommit_ratio", RESETS_ANOTHER),
    ("vm.drop_caches", DROPS),
    ("vm.compact_memory", IS_AN_ACTION),
    ("vm.memory_failure_early_kill", PROTECTS),
    ("vm.stat_refresh", IS_AN_ACTION),
    ("vm.mmap_min_addr", PROTECTS),
    ("vm.mmap_rnd_bits", PROTECTS),
    ("vm.mmap_rnd_compat_bits", PROTECTS),
    ("vm.unprivileged_userfaultfd", PROTECTS),
    ("vm.legacy_va_layout", PROTECTS),
    ("vm.memfd_noexec", PROTECTS),
    ("vm.panic_on_oom", PROTECTS),
    ("vm.memory_failure_recovery", PROTECTS),
    ("vm.hugetlb_shm_group", PROTECTS),
    ("vm.oom_kill_allocating_task", PROTECTS),
];

// The least values are `dirty_bytes_min` and `SYSCTL_LONG_ONE` in mm/page-writeback.c (6.1.192, 6.12.117).
const NO_WAY_BACK: &str =
    "Linux does not take its default back, which is 0: use the one that ends in `_ratio`";
const RESETS_ANOTHER: &str = "Linux resets another parameter with it";
const DROPS: &str = "use `drop_caches = true`";
const IS_AN_ACTION: &str = "it is an action and has no value to restore";
const PROTECTS: &str = "it protects the system";

/// A parameter that Linux resets to 0 when the other one is written: the `_handler` functions of
/// mm/page-writeback.c (6.1.192, 6.12.117). To write the old value of one does not restore both.
const RESETS: [(&str, &str); 2] = [
    ("vm.dirty_ratio", "vm.dirty_bytes"),
    ("vm.dirty_background_ratio", "vm.dirty_background_bytes"),
];

/// Returns why a study must not set the parameter `name`; `None` if it may.
pub fn refusal(name: &str) -> Option<String> {
    let is_part = |part: &str| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        !part.is_empty() && part.chars().all(is_plain)
    };
    if !name.contains('.') || !name.split('.').all(is_part) {
        return Some("write it as `sysctl` does: `vm.dirty_ratio`".to_owned());
    }
    if let Some((_, why)) = REFUSED.iter().find(|(refused, _)| *refused == name) {
        return Some((*why).to_owned());
    }
    let is_known = GROUPS.iter().any(|group| name.starts_with(group));
    (!is_known).then(|| {
        let groups: Vec<String> = GROUPS.iter().map(|group| format!("`{group}*`")).collect();
        format!("a study sets only {}", groups.join(", "))
    })
}

/// Returns the parameter that Linux resets when `name` is written.
pub fn resets(name: &str) -> Option<&'static str> {
    let mut pairs = RESETS.iter();
    pairs.find(|(one, _)| *one == name).map(|(_, other)| *other)
}

/// Returns the file of the parameter `name`.
pub fn file(name: &str) -> PathBuf {
    let mut path = PathBuf::from("/proc/sys");
    path.extend(name.split('.'));
    path
}

/// Returns whether `parts`, the components of a path below `/proc/sys`, are a parameter that a study
/// may set.
pub fn is_settable(parts: &[&str]) -> bool {
    parts.iter().all(|part| !part.contains('.')) && refusal(&parts.join(".")).is_none()
}

/// Returns a value as the kernel's file has it, with single spaces; `None` if no parameter has such
/// a value.
pub fn value(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let value = words.join(" ");
    let is_fine = |c: char| c.is_ascii_graphic() || c == ' ';
    let is_valid =
        !value.is_empty() && value.len() <= VALUE_CHARS_MAX && value.chars().all(is_fine);
    is_valid.then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn only_harmless_parameters_are_set() {
        for name in [
            "vm.dirty_ratio",
            "vm.swappiness",
            "dev.raid.speed_limit_max",
            "fs.aio-max-nr",
            "fs.xfs.xfssyncd_centisecs",
        ] {
            assert_eq!(refusal(name), None, "{name}");
        }
        for name in [
            "kernel.core_pattern",
            "kernel.modprobe",
            "fs.binfmt_misc.register",
            "fs.suid_dumpable",
            "net.core.somaxconn",
            "vm",
            "vm.",
            "vm..dirty_ratio",
            "vm./../kernel/core_pattern",
            "vm.mmap_min_addr",
            "vm.dirty_bytes",
        ] {
            assert!(refusal(name).is_some(), "{name}");
        }
        assert!(REFUSED.iter().all(|(name, _)| {
            let mut groups = GROUPS.iter();
            groups.any(|group| name.starts_with(group))
        }));
        assert_eq!(
            file("vm.dirty_ratio"),
            Path::new("/proc/sys/vm/dirty_ratio")
        );
        assert!(is_settable(&["vm", "dirty_ratio"]));
        assert!(!is_settable(&["vm.dirty_ratio"]));
        assert!(!is_settable(&["kernel", "core_pattern"]));
    }

    #[test]
    fn a_value_has_one_line_and_single_spaces() {
        assert_eq!(value(" 256\t32  "), Some("256 32".to_owned()));
        assert_eq!(value("\n"), None);
        assert_eq!(value("1\u{0}"), None);
        assert_eq!(value(&"1".repeat(129)), None);
    }
}
