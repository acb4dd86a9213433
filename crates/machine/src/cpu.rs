//! The processor and its clock settings: `/proc/cpuinfo` and cpufreq.
//!
//! Documentation/admin-guide/pm/cpufreq.rst describes the files of a *policy*: the CPUs that share
//! one clock. Each CPU may have its own policy.

use std::collections::BTreeSet;

use stripewise_study::facts::CpuFacts;

use crate::order::order_key;
use crate::root::{Root, clean_word};

/// Names of ARM cores by implementer and part (`MIDR_EL1`), as found in servers and boards.
const ARM_CORES: [(u64, u64, &str); 18] = [
    (0x41, 0xd03, "Cortex-A53"),
    (0x41, 0xd04, "Cortex-A35"),
    (0x41, 0xd05, "Cortex-A55"),
    (0x41, 0xd07, "Cortex-A57"),
    (0x41, 0xd08, "Cortex-A72"),
    (0x41, 0xd09, "Cortex-A73"),
    (0x41, 0xd0a, "Cortex-A75"),
    (0x41, 0xd0b, "Cortex-A76"),
    (0x41, 0xd0c, "Neoverse-N1"),
    (0x41, 0xd40, "Neoverse-V1"),
    (0x41, 0xd41, "Cortex-A78"),
    (0x41, 0xd46, "Cortex-A510"),
    (0x41, 0xd47, "Cortex-A710"),
    (0x41, 0xd49, "Neoverse-N2"),
    (0x41, 0xd4d, "Cortex-A715"),
    (0x41, 0xd4f, "Neoverse-V2"),
    (0x43, 0x0af, "ThunderX2"),
    (0xc0, 0xac3, "Ampere-1"),
];

/// The content of `/proc/cpuinfo`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct CpuInfo {
    /// The model; several, comma-separated, if the CPUs differ.
    pub(crate) model: Option<String>,
    /// The number of CPUs listed.
    pub(crate) count: u32,
    /// Whether an x86 CPU has the flag of a guest.
    pub(crate) has_hypervisor_flag: bool,
}

/// Reads `/proc/cpuinfo`. Its format depends on the architecture; ARM has numbers instead of a
/// name.
pub(crate) fn info(root: &Root) -> CpuInfo {
    root.text("/proc/cpuinfo")
        .map_or_else(CpuInfo::default, |text| parse_info(&text))
}

fn parse_info(text: &str) -> CpuInfo {
    let mut info = CpuInfo::default();
    let mut models: BTreeSet<String> = BTreeSet::new();
    let mut arm_implementer = None;
    for line in text.lines() {
        let Some((key, value)) = line.split_once(':') else {
            continue;
        };
        let value = value.trim();
        match key.trim() {
            "processor" => info.count = info.count.saturating_add(1),
            // x86, MIPS, POWER, RISC-V.
            "model name" | "cpu model" | "cpu" | "uarch" => {
                models.extend(clean_word(value.as_bytes()))
            }
            "CPU implementer" => arm_implementer = hexadecimal(value),
            "CPU part" => models.extend(arm_core(arm_implementer, hexadecimal(value))),
            "flags" => {
                info.has_hypervisor_flag |= value.split(' ').any(|flag| flag == "hypervisor");
            }
            _ => {}
        }
    }
    info.model = comma_separated(models);
    info
}

fn hexadecimal(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

/// Returns the name of an ARM core, or its numbers if we do not know its name.
fn arm_core(implementer: Option<u64>, part: Option<u64>) -> Option<String> {
    let (implementer, part) = (implementer?, part?);
    let known = ARM_CORES
        .iter()
        .find(|core| (core.0, core.1) == (implementer, part));
    Some(known.map_or_else(
        || format!("ARM implementer {implementer:#x} part {part:#x}"),
        |core| core.2.to_owned(),
    ))
}

/// Reads the facts of the processor.
pub(crate) fn cpu(root: &Root, info: CpuInfo) -> CpuFacts {
    let policies = cpu_policies(root);
    let distinct = |file: &str| {
        comma_separated(
            policies
                .iter()
                .filter_map(|policy| root.word(format!("{policy}/{file}")))
                .collect(),
        )
    };
    CpuFacts {
        model: info.model,
        logical_count: root
            .word("/sys/devices/system/cpu/online")
            .and_then(|list| count_of_list(&list))
            .or((info.count > 0).then_some(info.count)),
        frequency_driver: distinct("scaling_driver"),
        governor: distinct("scaling_governor"),
        energy_preference: distinct("energy_performance_preference"),
        frequency_max_khz: policies
            .iter()
            .filter_map(|policy| root.number(format!("{policy}/cpuinfo_max_freq")))
            .max(),
    }
}

/// Where the kernel shows the cpufreq policies.
pub const CPUFREQ: &str = "/sys/devices/system/cpu/cpufreq";

/// Returns the folders of the cpufreq policies, in the order of their first CPU.
pub fn cpu_policies(root: &Root) -> Vec<String> {
    let mut names = root.list(CPUFREQ);
    names.retain(|name| name.starts_with("policy"));
    names.sort_by_key(|name| order_key(name));
    names
        .iter()
        .map(|name| format!("{CPUFREQ}/{name}"))
        .collect()
}

/// Returns the number of CPUs in a list such as `0-3,8`
/// (Documentation/admin-guide/cputopology.rst).
fn count_of_list(list: &str) -> Option<u32> {
    let mut count: u32 = 0;
    for range in list.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        count = count.checked_add(last.checked_sub(first)?.checked_add(1)?)?;
    }
    Some(count)
}

/// Joins the values of all CPUs; a machine has two or three kinds of core, so eight are enough.
fn comma_separated(values: BTreeSet<String>) -> Option<String> {
    const KINDS_MAX: usize = 8;
    let values: Vec<String> = values.into_iter().take(KINDS_MAX).collect();
    (!values.is_empty()).then(|| values.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_cpus_are_counted() {
        for (list, count) in [
            ("0", Some(1)),
            ("0-7", Some(8)),
            ("0-3,8,10-11", Some(7)),
            ("", None),
            ("3-1", None),
            ("0-4294967295", None),
            ("a-b", None),
        ] {
            assert_eq!(count_of_list(list), count, "{list}");
        }
    }

    #[test]
    fn arm_cores_are_named_by_their_implementer_and_part() {
        let text = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd03\n\n\
                    processor\t: 1\nCPU implementer\t: 0x41\nCPU part\t: 0xd08\n\n\
                    processor\t: 2\nCPU implementer\t: 0x7f\nCPU part\t: 0x1\n";
        let info = parse_info(text);
        assert_eq!(
            info.model.as_deref(),
            Some("ARM implementer 0x7f part 0x1, Cortex-A53, Cortex-A72")
        );
        assert_eq!(info.count, 3);
    }
}
