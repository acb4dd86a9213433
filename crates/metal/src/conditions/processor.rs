//! Plans `turbo` and `sysctl`, and finds the CPUs of the load. Reads only.

use std::path::Path;

use stripewise_machine::Root;
use stripewise_study::conditions::Conditions;
use stripewise_study::cpus::{CpuSet, LoadCpus};
use stripewise_study::sysctl;
use stripewise_study::world::WorldError;

use super::plan::{ReadOriginal, Wanted, unsupported};

/// 1 turns turbo off, for all CPUs (`store_no_turbo` in drivers/cpufreq/intel_pstate.c).
pub(super) const NO_TURBO: &str = "/sys/devices/system/cpu/intel_pstate/no_turbo";
/// 1 turns boost on, for all CPUs (`store_boost` in drivers/cpufreq/cpufreq.c).
pub(super) const BOOST: &str = "/sys/devices/system/cpu/cpufreq/boost";
const ONLINE: &str = "/sys/devices/system/cpu/online";

/// Returns the setting for `turbo`, if it differs.
pub(super) fn turbo(
    original: ReadOriginal<'_>,
    conditions: &Conditions,
) -> Result<Option<Wanted>, WorldError> {
    let Some(turbo) = conditions.turbo else {
        return Ok(None);
    };
    let files = [(NO_TURBO, !turbo), (BOOST, turbo)];
    let known = files.into_iter().find_map(|(file, value)| {
        let now = original(Path::new(file))?;
        Some((file, u8::from(value).to_string(), now))
    });
    let Some((file, value, now)) = known else {
        return Err(unsupported(
            format!("set `turbo` to `{turbo}`: there is neither `{NO_TURBO}` nor `{BOOST}`"),
            "in a virtual machine the host sets the clock, and some processors have no turbo: remove the key"
                .to_owned(),
        ));
    };
    Ok((now != value).then(|| Wanted {
        key: "turbo",
        path: file.into(),
        value,
    }))
}

/// Returns the parameters of the kernel to write.
pub(super) fn parameters(
    original: ReadOriginal<'_>,
    conditions: &Conditions,
) -> Result<Vec<Wanted>, WorldError> {
    let mut wanted = Vec::new();
    for (name, value) in &conditions.sysctl {
        let refused = |why: String, hint: &str| {
            let what = format!("set the kernel's parameter `{name}` to `{value}`: {why}");
            Err(unsupported(what, hint.to_owned()))
        };
        if let Some(why) = sysctl::refusal(name) {
            return refused(why, "remove it from `sysctl`");
        }
        let path = sysctl::file(name);
        if original(&path).is_none() {
            let why = format!("this kernel has no `{}`", path.display());
            return refused(
                why,
                "remove it from `sysctl`, or load the module that has it",
            );
        }
        if let Some(other) = sysctl::resets(name)
            && original(&sysctl::file(other)).is_some_and(|now| now != "0")
        {
            let why = format!("`{other}` is set, and Linux would reset it to 0");
            return refused(why, "remove it from `sysctl`");
        }
        wanted.push(Wanted {
            key: "sysctl",
            path,
            value: value.clone(),
        });
    }
    Ok(wanted)
}

/// Returns the CPUs of the load, all of them online; `None` if it may run on any.
///
/// The kernel lists the CPUs that share a core in `thread_siblings_list`
/// (Documentation/admin-guide/cputopology.rst, where its new name is `core_cpus_list`).
///
/// # Errors
/// If one of these CPUs is not online, or the machine does not show which ones share a core.
pub(crate) fn load_cpus(
    root: &Root,
    conditions: &Conditions,
) -> Result<Option<CpuSet>, WorldError> {
    let Some(cpus) = &conditions.cpus else {
        return Ok(None);
    };
    let online = root.word(ONLINE);
    let online: Option<CpuSet> = online.and_then(|text| text.parse().ok());
    let refused = |why: String, hint: &str| {
        let what = format!("run the load on the CPUs `{cpus}`: {why}");
        unsupported(what, hint.to_owned())
    };
    let named = match cpus {
        LoadCpus::Set(cpus) | LoadCpus::CoresOf(cpus) => Some(cpus),
        LoadCpus::OnePerCore => None,
    };
    let Some(online) = online.filter(|online| named.is_none_or(|it| it.is_within(online))) else {
        let online = root.word(ONLINE).unwrap_or_else(|| "unknown".to_owned());
        return Err(refused(
            format!("online are `{online}`"),
            "use CPUs that are online",
        ));
    };
    let on_core = |cpu: u32| {
        let file = format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
        let siblings: Option<CpuSet> = root.word(&file).and_then(|text| text.parse().ok());
        siblings.ok_or_else(|| {
            let why = format!("`{file}` does not say which CPUs share a core");
            refused(why, "name the CPUs by their numbers")
        })
    };
    let mut chosen = Vec::new();
    match cpus {
        LoadCpus::Set(cpus) => return Ok(Some(cpus.clone())),
        LoadCpus::OnePerCore => {
            for cpu in online.numbers() {
                let core = on_core(cpu)?;
                let first = core.numbers().find(|it| online.contains(*it));
                chosen.extend(first.filter(|first| *first == cpu));
            }
        }
        LoadCpus::CoresOf(cpus) => {
            for cpu in cpus.numbers() {
                let core = on_core(cpu)?;
                chosen.extend(core.numbers().filter(|it| online.contains(*it)));
            }
        }
    }
    Ok(CpuSet::of(&chosen))
}
