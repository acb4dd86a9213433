//! Boot loader, kernel and what is mounted at boot.

use stripewise_machine::unescape;
use stripewise_message::Message;

use crate::apt::is_release;
use crate::config::{Config, PLAIN, unquoted};
use crate::facts::Mount;
use crate::facts::{
    Array, boot_words, directives, fstab, member_disks, mounts, name_at, os_release, setting,
    spaces,
};
use crate::layout::{Family, family, nothing};
use crate::rule::{Findings, Judged, Rule, Severity, Verdict};
use crate::snapshot::{Missing, Snapshot};

pub(super) const RULES: &[Rule] = &[
    DISTRIBUTOR,
    ALL_MEMBERS,
    SPACE,
    NAMES,
    ELEVATOR,
    MODULES_GONE,
    REBOOT_PENDING,
];

const DISTRIBUTOR: Rule = Rule {
    id: "grub.distributor",
    severity: Severity::High,
    source: "GRUB manual, Simple configuration, GRUB_DISTRIBUTOR; os-release(5); Debian grub2-common 2.06: grub-mkconfig also reads /etc/default/grub.d/*.cfg",
    judge: distributor,
    ..Rule::PLAIN
};

/// What grub-mkconfig reads: the file, and in Debian's and Ubuntu's packages then `grub.d/*.cfg` by
/// name (/usr/sbin/grub-mkconfig of grub2-common 2.06-3 to 2.12-9, lines 159 to 167).
fn grub_defaults(facts: &Snapshot) -> Config<'_> {
    let files = ["/etc/default/grub", "/etc/default/grub.d/*.cfg"];
    Config::read(facts, &files, PLAIN)
}

/// The installed release.
struct Installed<'a> {
    version: Option<&'a str>,
    codename: Option<&'a str>,
    id: &'a str,
    name: &'a str,
}

impl Installed<'_> {
    /// Returns the word of a menu's title that is a version or the name of another release. A product
    /// may have any other name, and versions of its own.
    fn other<'b>(&self, title: &'b str) -> Option<&'b str> {
        let words = |text: &'b str| {
            let words = text.split(|c: char| c.is_whitespace() || "()/".contains(c));
            words.filter(|word| !word.is_empty())
        };
        let own = self.name.split_whitespace().next().unwrap_or_default();
        let is_own = words(title).any(|word| {
            [own, self.id]
                .iter()
                .any(|own| word.eq_ignore_ascii_case(own))
        });
        words(title).find(|word| match is_number(word) {
            true => is_own && self.is_other_version(word),
            false => self.is_other_name(word),
        })
    }

    fn is_other_version(&self, word: &str) -> bool {
        let numbers = self.name.split_whitespace().filter(|word| is_number(word));
        let mut versions = self.version.into_iter().chain(numbers);
        // 12.5 is a point release of 12; 22.04.3 is one of 22.04, and 22.10 is not.
        let is_of = |version: &str| {
            word.strip_prefix(version)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        !versions.any(is_of)
    }

    fn is_other_name(&self, word: &str) -> bool {
        let lower = word.to_ascii_lowercase();
        let is_here = match self.codename {
            Some(codename) => codename == lower,
            None => self.name.to_ascii_lowercase().contains(&lower),
        };
        is_release(&lower) && !is_here
    }
}

fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

fn distributor(facts: &Snapshot) -> Judged {
    let config = grub_defaults(facts).complete()?;
    let value = config.last(|line| {
        let line = line.strip_prefix("export ").unwrap_or(line);
        setting(line, "GRUB_DISTRIBUTOR")
    });
    let Some(value) = value.filter(|value| !value.contains(['`', '$'])) else {
        return match config.files.is_empty() {
            true => nothing(facts),
            false => Ok(Findings::default()),
        };
    };
    let installed = Installed {
        version: os_release(facts, "VERSION_ID")?,
        codename: os_release(facts, "VERSION_CODENAME")?,
        id: os_release(facts, "ID")?.unwrap_or_default(),
        name: os_release(facts, "PRETTY_NAME")?.unwrap_or_default(),
    };
    let (stale, now) = (installed.other(value), installed.name);
    Ok(Findings::each(stale, |word| {
        Ok(Verdict::Fail(
            Message::new("found-grub-distributor-not")
                .name("value", value)
                .name("word", word)
                .name("now", now),
        ))
    }))
}

const ALL_MEMBERS: Rule = Rule {
    id: "grub.all-members",
    severity: Severity::High,
    source: "Debian grub-pc: debconf grub-pc/install_devices; GRUB manual, BIOS installation",
    judge: all_members,
    ..Rule::PLAIN
};

fn all_members(facts: &Snapshot) -> Judged {
    if facts.exists("/sys/firmware/efi")? {
        return Ok(Findings::default());
    }
    let devices = facts
        .text("/var/cache/debconf/config.dat")?
        .unwrap_or_default();
    let devices = devices
        .lines()
        .filter_map(|line| line.strip_prefix("Value: "));
    let mut findings = Findings::default();
    for device in devices.flat_map(|line| line.split(',')).map(str::trim) {
        if device.starts_with("/dev/disk/by-id/") {
            let is_gone = facts.exists(device).map(|exists| !exists);
            findings.add(is_gone.map(|is_gone| {
                Verdict::fail_if(is_gone, || {
                    Message::new("found-debconf-names-does-not").name("device", device)
                })
            }));
        }
    }
    let mounted = mounts(facts)?;
    let boot = crate::facts::mount_of(&mounted, "/boot");
    let md = boot
        .and_then(|mount| mount.device.strip_prefix("/dev/"))
        .filter(|name| name.starts_with("md"));
    if let Some(md) = md {
        let disks = member_disks(facts, &Array::new(facts, md));
        findings = findings.and(disks.map(|disks| {
            Findings::each(disks, |disk| {
                let code = facts.need_word(&format!("/dev/{disk}"))?;
                Ok(Verdict::fail_if(code != "GRUB", || {
                    Message::new("found-no-boot-code")
                        .name("disk", disk)
                        .name("md", md)
                }))
            })
        }));
    }
    Ok(findings)
}

const SPACE: Rule = Rule {
    id: "boot.space",
    severity: Severity::High,
    source: "update-initramfs(8); Debian release notes, Make sure you have sufficient space",
    judge: space,
    ..Rule::PLAIN
};

fn space(facts: &Snapshot) -> Judged {
    let largest = |pattern: &str| -> Result<u64, Missing> {
        let mut most = 0;
        for path in facts.glob(pattern)? {
            most = most.max(facts.stat(path)?.map_or(0, |stat| stat.size_bytes));
        }
        Ok(most)
    };
    let needed = 2 * (largest("/boot/vmlinuz*")? + largest("/boot/initr*")?);
    if needed == 0 {
        return Ok(Findings::default());
    }
    let spaces = spaces(facts, "df -al -x autofs")?;
    let holding = spaces
        .iter()
        .filter(|space| matches!(space.place, "/boot" | "/"));
    let place = holding.max_by_key(|space| space.place.len());
    let place =
        place.ok_or_else(|| Missing::new("`df -al -x autofs`", "it shows neither /boot nor /"))?;
    let free = place.free * 1024;
    Ok(Findings::each([place], |place| {
        Ok(Verdict::fail_if(free < needed, || {
            Message::new("found-mib-free-two-kernels")
                .name("place", place.place)
                .name("free", free >> 20)
                .name("needed", needed >> 20)
        }))
    }))
}

const NAMES: Rule = Rule {
    id: "fstab.names",
    severity: Severity::High,
    source: "systemd.mount(5), fstab; fstab(5); crypttab(5); systemd src/basic/fstab-util.c, fstab_node_to_udev_node",
    judge: names,
    ..Rule::PLAIN
};

fn is_unstable(device: &str) -> bool {
    ["/dev/sd", "/dev/hd", "/dev/vd", "/dev/nvme"]
        .iter()
        .any(|start| device.starts_with(start))
}

/// Returns the link that udev makes for a device of fstab: `/dev/disk/by-label/a\x20b` of
/// `LABEL=a\040b` (fstab(5); systemd's src/basic/fstab-util.c, `fstab_node_to_udev_node`).
fn device_link(device: &str) -> Option<String> {
    let plain = unquoted(device);
    if plain.starts_with("/dev/disk/by-") {
        return Some(unescape(plain));
    }
    let (tag, value) = plain.split_once('=')?;
    let folder = match tag {
        "UUID" => "by-uuid",
        "LABEL" => "by-label",
        "PARTUUID" => "by-partuuid",
        "PARTLABEL" => "by-partlabel",
        "ID" => "by-id",
        _ => return None,
    };
    let mut name = String::new();
    for c in unescape(unquoted(value)).chars() {
        match c {
            c if c.is_ascii_alphanumeric() || "#+-.:=@_".contains(c) || !c.is_ascii() => {
                name.push(c)
            }
            c => name += &format!("\\x{:02x}", u32::from(c)),
        }
    }
    Some(format!("/dev/disk/{folder}/{name}"))
}

/// Returns the links to disks by name. Without any, `/dev` is that of no running machine.
fn by_names(facts: &Snapshot) -> Result<Vec<&str>, Missing> {
    let mut found = Vec::new();
    for kind in ["id", "label", "partlabel", "partuuid", "path", "uuid"] {
        found.extend(facts.glob(&format!("/dev/disk/by-{kind}/*"))?);
    }
    match found.is_empty() {
        true => Err(Missing::new("/dev/disk", "no disk is listed there")),
        false => Ok(found),
    }
}

/// Returns what is wrong with a line of fstab.
fn in_fstab(id: &'static str, line: &Mount<'_>) -> Message {
    let message = Message::new(id).name("place", line.place);
    message.name("device", line.device)
}

fn names(facts: &Snapshot) -> Judged {
    let lines = fstab(facts)?;
    let mut findings = Findings::each(lines, |line| {
        let device = line.device;
        if is_unstable(device) {
            return Ok(Verdict::Fail(in_fstab("found-by-name", &line)));
        }
        let is_needed = line.any(&["nofail", "noauto"]).is_none();
        let Some(link) = device_link(device).filter(|_| is_needed) else {
            return Ok(Verdict::Fine);
        };
        if facts.exists(&link)? {
            return Ok(Verdict::Fine);
        }
        let others = by_names(facts)?;
        let other = others.iter().find(|path| path.eq_ignore_ascii_case(&link));
        Ok(match other {
            // mount(8) compares strings; a FAT has its UUID in capitals.
            Some(_) => Verdict::Note(in_fstab("found-other-capitals", &line)),
            None => Verdict::Fail(in_fstab("found-no-device", &line)),
        })
    });
    let crypt = facts.text("/etc/crypttab").map(|text| {
        let lines: Vec<&str> = directives(text.unwrap_or_default()).collect();
        Findings::each(lines, |line| {
            let device = line.split_whitespace().nth(1).unwrap_or_default();
            Ok(Verdict::fail_if(is_unstable(device), || {
                Message::new("check-found")
                    .name("place", "/etc/crypttab")
                    .name("what", device)
            }))
        })
    });
    findings = findings.and(crypt);
    let words = boot_words(facts).map(|words| {
        Findings::each(words, |word| {
            let value = word.strip_prefix("resume=").or(word.strip_prefix("root="));
            let is_bad = value.is_some_and(is_unstable);
            Ok(Verdict::fail_if(is_bad, || {
                Message::new("found-kernel-command-line").name("word", word)
            }))
        })
    });
    Ok(findings.and(words))
}

const ELEVATOR: Rule = Rule {
    id: "grub.elevator-stale",
    severity: Severity::High,
    source: "kernel block/elevator.c, elevator_setup (6.1.192): \"Kernel parameter elevator= does not have any effect anymore\"",
    judge: elevator,
    ..Rule::PLAIN
};

fn elevator(facts: &Snapshot) -> Judged {
    const STALE: [&str; 2] = ["elevator=", "scsi_mod.use_blk_mq="];
    let words = boot_words(facts).map(|words| {
        Findings::each(words, |word| {
            let is_stale = STALE.iter().any(|stale| word.starts_with(stale));
            Ok(Verdict::fail_if(is_stale, || {
                Message::new("found-kernel-command-line").name("word", word)
            }))
        })
    });
    let config = grub_defaults(facts);
    let mut file = Findings::each(&config.lines, |line| {
        // Of the line only the parameter: another may hold a secret.
        let words = line
            .text
            .split(|c: char| c.is_whitespace() || "\"'".contains(c));
        let stale = words
            .filter(|_| line.text.contains("GRUB_CMDLINE"))
            .find_map(|word| {
                let at = STALE.iter().find_map(|stale| word.find(stale))?;
                Some(&word[at..])
            });
        Ok(match stale {
            Some(stale) => Verdict::Fail(
                Message::new("check-found")
                    .name("place", line.file)
                    .name("what", stale),
            ),
            None => Verdict::Fine,
        })
    });
    for missing in config.missing {
        file.add(Err(missing));
    }
    Ok(Findings::default().and(words).and(Ok(file)))
}

const MODULES_GONE: Rule = Rule {
    id: "boot.modules-gone",
    severity: Severity::High,
    source: "modprobe(8): modules are in /lib/modules/`uname -r`",
    judge: modules_gone,
    ..Rule::PLAIN
};

fn modules_gone(facts: &Snapshot) -> Judged {
    let release = facts.need_word("/proc/sys/kernel/osrelease")?;
    let all = facts.glob("/lib/modules/*")?;
    let has_any = !all.is_empty();
    let is_there = all.iter().any(|path| name_at(path, 2) == release);
    // A container has none at all, and loads none.
    Ok(Findings::each([release], |release| {
        Ok(Verdict::fail_if(has_any && !is_there, || {
            Message::new("found-there-no-lib-modules").name("release", release)
        }))
    }))
}

const REBOOT_PENDING: Rule = Rule {
    id: "boot.reboot-pending",
    severity: Severity::Low,
    source: "Debian Policy and unattended-upgrades: /run/reboot-required; needrestart(1)",
    judge: reboot_pending,
    ..Rule::PLAIN
};

fn reboot_pending(facts: &Snapshot) -> Judged {
    if !facts.exists("/run/reboot-required")? {
        return match family(facts) {
            Ok(Family::Debian) => Ok(Findings::default()),
            Ok(_) => Err(Missing::new(
                "/run/reboot-required",
                "only Debian's and Ubuntu's packages write it",
            )),
            Err(missing) => Err(missing),
        };
    }
    let packages = facts.text("/run/reboot-required.pkgs")?.unwrap_or_default();
    let packages: Vec<&str> = packages.split_whitespace().collect();
    Ok(Findings::each([packages], |packages| {
        Ok(Verdict::Note(
            Message::new("found-reboot-required").name("packages", packages.join(", ")),
        ))
    }))
}
