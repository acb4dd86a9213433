//! RAID controllers: their cache, and the disks that they hide.

use serde_json::Value;

use stripewise_message::{Argument, Message};

use crate::facts::{hidden_disks, json, smart};
use crate::rule::{Findings, Judged, Rule, Severity, Verdict};
use crate::snapshot::{Fact, Missing, Snapshot};
use crate::sources::{SCAN, SSACLI, STORCLI};

pub(super) const RULES: &[Rule] = &[BATTERY, HIDDEN];

const BATTERY: Rule = Rule {
    id: "raid.cache-battery",
    severity: Severity::Critical,
    source: "Broadcom StorCLI user guide, `show all`: VD LIST, BBU_Info, Cachevault_Info, and the legend AWB=Always WriteBack; HPE ssacli, `No-Battery Write Cache`, `Battery/Capacitor Status`",
    proof: Some("stripewise pull-plug pull-plug"),
    judge: battery,
    ..Rule::PLAIN
};

/// The PCI class of RAID controllers.
const RAID_CLASS: &str = "0x0104";

/// Returns whether the host has a RAID controller with one of these drivers. A driver that is a part
/// of the kernel is there on every host.
fn has_controller(facts: &Snapshot, drivers: &[&str]) -> Result<bool, Missing> {
    let mut has_driver = false;
    for driver in drivers {
        has_driver |= facts.exists(&format!("/sys/module/{driver}"))?;
    }
    if !has_driver {
        return Ok(false);
    }
    for path in facts.glob("/sys/bus/pci/devices/*/class")? {
        if facts.need_word(path)?.starts_with(RAID_CLASS) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn battery(facts: &Snapshot) -> Judged {
    let mut findings = Findings::default();
    match storcli(facts) {
        Ok(None) => {}
        Ok(Some(answer)) => findings = findings.and(broadcom(&answer)),
        Err(missing) => findings.add(Err(missing)),
    }
    if has_controller(facts, &["hpsa", "smartpqi"])? {
        findings = findings.and(facts.command(SSACLI).map(hpe));
    }
    Ok(findings)
}

/// Returns what the first of the programs for Broadcom's controllers printed that is installed.
fn storcli(facts: &Snapshot) -> Fact<Value> {
    if !has_controller(facts, &["megaraid_sas"])? {
        return Ok(None);
    }
    let mut first = None;
    for line in STORCLI {
        match json(facts, line) {
            Ok(answer) => return Ok(Some(answer)),
            Err(missing) => first = first.or(Some(missing)),
        }
    }
    first.map_or(Ok(None), Err)
}

fn broadcom(answer: &Value) -> Judged {
    let none = || Missing::new("what storcli says of its controllers", "it names none");
    let controllers = answer["Controllers"].as_array().ok_or_else(none)?;
    let mut findings = Findings::default();
    for (at, controller) in controllers.iter().enumerate() {
        let status = &controller["Command Status"];
        if status["Status"] != "Success" {
            let why = status["Description"].as_str().unwrap_or("no success");
            findings.add(Err(Missing::new(format!("controller {at}"), why)));
            continue;
        }
        let data = &controller["Response Data"];
        let name = data["Basics"]["Model"]
            .as_str()
            .or(data["Product Name"].as_str());
        let name = name.unwrap_or("unknown model");
        // A controller without memory caches nothing, and has no battery for it.
        let memory = data["HwCfg"]["On Board Memory Size"].as_str();
        if memory.is_some_and(|size| size.trim_start().starts_with('0')) {
            continue;
        }
        let power = ["BBU_Info", "Cachevault_Info"]
            .iter()
            .find_map(|key| data[*key][0]["State"].as_str());
        let is_healthy = power.is_some_and(|state| state.starts_with("Optimal"));
        let battery = match power {
            Some(state) => Argument::Name(state.to_owned()),
            None => Message::new("found-no-battery").into(),
        };
        let volumes = data["VD LIST"].as_array().into_iter().flatten();
        for volume in volumes.filter(|_| !is_healthy) {
            let cache = volume["Cache"].as_str().unwrap_or_default();
            let volume = volume["DG/VD"].as_str().unwrap_or_default();
            let found = Message::new("found-controller-volume-cache-battery")
                .name("at", at)
                .name("name", name)
                .name("volume", volume)
                .name("cache", cache)
                .with("power", battery.clone());
            findings.add(Ok(match cache.contains("WB") {
                true => Verdict::Fail(found),
                false => Verdict::Note(found),
            }));
        }
    }
    Ok(findings)
}

/// Judges what ssacli printed: a paragraph for each controller begins in the first column.
fn hpe(text: &str) -> Findings {
    let mut controllers: Vec<(&str, Vec<(&str, &str)>)> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if !line.starts_with([' ', '\t']) {
            controllers.push((line.trim(), Vec::new()));
        } else if let (Some((_, keys)), Some((key, value))) =
            (controllers.last_mut(), line.trim().split_once(": "))
        {
            keys.push((key, value));
        }
    }
    Findings::each(controllers, |(name, keys)| {
        // The first of a name is the controller's; those of volumes and disks follow.
        let value = |wanted: &str| keys.iter().find(|(key, _)| *key == wanted).map(|(_, v)| *v);
        let power = value("Battery/Capacitor Status").unwrap_or("missing");
        let is_forced = value("No-Battery Write Cache") == Some("Enabled");
        let has_cache = value("Cache Board Present") == Some("True");
        let state = value("Cache Status").unwrap_or_default();
        Ok(match (power == "OK", is_forced && has_cache) {
            (true, _) => Verdict::Fine,
            (false, true) => Verdict::Fail(
                Message::new("found-battery-caches-writes")
                    .name("name", name)
                    .name("power", power),
            ),
            (false, false) if has_cache => Verdict::Note(
                Message::new("found-battery-cache")
                    .name("name", name)
                    .name("power", power)
                    .name("state", state),
            ),
            (false, false) => Verdict::Fine,
        })
    })
}

const HIDDEN: Rule = Rule {
    id: "raid.hidden-disk",
    severity: Severity::Critical,
    source: "smartctl(8), `-d megaraid,N`, `-d cciss,N`, `--scan`; Broadcom StorCLI user guide, legends of VD LIST and PD LIST; HPE ssacli, `Status` of logical and physical drives",
    judge: hidden,
    ..Rule::PLAIN
};

fn hidden(facts: &Snapshot) -> Judged {
    if !has_controller(facts, &["megaraid_sas", "hpsa", "smartpqi"])? {
        return Ok(Findings::default());
    }
    let states = states(facts);
    if let Err(missing) = facts.command(SCAN) {
        return Ok(states.and(Err(missing)));
    }
    let disks = hidden_disks(facts);
    // A controller in HBA mode hides none, and one whose disks smartctl cannot find hides all.
    if disks.is_empty() {
        let why = "it finds no disk behind the controller";
        return Ok(states.and(Err(Missing::new(format!("`{SCAN}`"), why))));
    }
    Ok(states.and(Ok(Findings::each(&disks, |(name, line)| {
        let answer = smart(facts, line)?;
        let bad = super::smart::bad(name, &answer, &Value::Null)?;
        Ok(match bad {
            Some(bad) => Verdict::Fail(
                Message::new("check-found")
                    .name("place", name)
                    .with("what", bad),
            ),
            None => Verdict::Fine,
        })
    }))))
}

/// Returns what controllers say of their volumes and disks, as far as their programs answered.
fn states(facts: &Snapshot) -> Findings {
    let answer = storcli(facts).ok().flatten().unwrap_or_default();
    let controllers = answer["Controllers"].as_array().into_iter().flatten();
    let mut found = Vec::new();
    for (at, controller) in controllers.enumerate() {
        for (list, name, bad) in [
            ("VD LIST", "DG/VD", &["Dgrd", "Pdgd", "OfLn"][..]),
            (
                "PD LIST",
                "EID:Slt",
                &["Failed", "Offln", "UBad", "Msng"][..],
            ),
        ] {
            let rows = controller["Response Data"][list].as_array();
            for row in rows.into_iter().flatten() {
                let state = row["State"].as_str().unwrap_or_default();
                let place = row[name].as_str().unwrap_or_default();
                let is_bad = bad.contains(&state);
                found.push((
                    Message::new("found-controller")
                        .name("at", at)
                        .name("list", list)
                        .name("place", place)
                        .name("state", state),
                    is_bad,
                ));
            }
        }
    }
    for (thing, status) in hpe_states(facts.command(SSACLI).unwrap_or_default()) {
        let bad = ["Fail", "Recovery", "Rebuil", "Missing", "Not Available"];
        let is_bad = bad.iter().any(|word| status.contains(word));
        found.push((
            Message::new("check-found")
                .name("place", thing)
                .name("what", status),
            is_bad,
        ));
    }
    Findings::each(found, |(what, is_bad)| {
        Ok(Verdict::fail_if(is_bad, || what.clone()))
    })
}

/// Returns the status of each logical and physical drive of what ssacli printed.
fn hpe_states(text: &str) -> Vec<(&str, &str)> {
    let (mut thing, mut found) = (None, Vec::new());
    for line in text.lines().map(str::trim) {
        match line.split_once(": ") {
            Some(("Status", status)) => found.extend(thing.map(|thing| (thing, status))),
            Some(("Logical Drive", _)) => thing = Some(line),
            None if line.starts_with("physicaldrive ") => thing = Some(line),
            None if line.is_empty() => thing = None,
            _ => {}
        }
    }
    found
}
