//! The commands that change a fact back, with the names of what they act on.

use super::kinds::kind;

/// What a load ran on, by the kernel's names; empty where that is not known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// The array: `md0`.
    pub array: Option<String>,
    /// The uppermost device.
    pub top: Option<String>,
    /// The disks.
    pub disks: Vec<String>,
    /// Where the filesystem is mounted.
    pub place: Option<String>,
}

/// Returns the commands, in this order, that turn one value of a fact into another; none if it takes more
/// than commands.
pub fn commands(key: &str, from: &str, to: &str, names: &Names) -> Vec<String> {
    let commands = match key {
        "array" => of_array(from, to),
        // A bitmap with another chunk replaces the first.
        "bitmap" if from != super::setup::NONE && to != super::setup::NONE => {
            let remove = spelled(key, super::setup::NONE);
            remove.into_iter().chain(spelled(key, to)).collect()
        }
        _ => spelled(key, to).into_iter().collect(),
    };
    commands
        .iter()
        .map(|command| names.put_into(command))
        .collect()
}

fn spelled(key: &str, value: &str) -> Option<String> {
    let kind = kind(key);
    let value = (kind.spelled)(value)?;
    (!kind.command.is_empty()).then(|| kind.command.replace("{}", &value))
}

impl Names {
    /// Puts the names into a command; a word with a disk becomes one for each.
    fn put_into(&self, command: &str) -> String {
        let words = command
            .split(' ')
            .flat_map(|word| match word.contains("DISK") {
                true if !word.contains("NEW_DISK") && !self.disks.is_empty() => {
                    let each = self.disks.iter();
                    each.map(|disk| word.replace("DISK", disk)).collect()
                }
                _ => vec![word.to_owned()],
            });
        let words: Vec<String> = words.collect();
        let mut command = words.join(" ");
        for (placeholder, name) in [
            ("ARRAY", &self.array),
            ("TOP", &self.top),
            ("PLACE", &self.place),
        ] {
            if let Some(name) = name {
                command = command.replace(placeholder, name);
            }
        }
        command
    }
}

/// An array in the words of a study: `raid5:left-symmetric:4:64K`.
struct Shape<'a> {
    level: &'a str,
    layout: Option<&'a str>,
    disks: u32,
    chunk: Option<&'a str>,
}

impl<'a> Shape<'a> {
    fn of(value: &'a str) -> Option<Self> {
        let mut words = value.split(':');
        let mut shape = Self {
            level: words.next()?,
            layout: None,
            disks: 0,
            chunk: None,
        };
        for word in words {
            match (
                word.parse::<u32>(),
                word.starts_with(|c: char| c.is_ascii_digit()),
            ) {
                (Ok(disks), _) => shape.disks = disks,
                (_, true) => shape.chunk = Some(word),
                _ => shape.layout = Some(word),
            }
        }
        (shape.disks > 0).then_some(shape)
    }

    /// Returns the command that builds it anew.
    fn create(&self) -> String {
        let mut words = vec![format!(
            "mdadm --create /dev/ARRAY --level={} --raid-devices={}",
            self.level, self.disks
        )];
        words.extend(self.layout.map(|layout| format!("--layout={layout}")));
        words.extend(self.chunk.map(|chunk| format!("--chunk={chunk}")));
        words.push("/dev/DISK".to_owned());
        words.join(" ")
    }
}

/// The levels whose chunk, layout or members mdadm changes in place (mdadm(8), GROW MODE); raid10 with near
/// copies alone has more, and is built anew here.
const RESHAPED: [&str; 3] = ["raid4", "raid5", "raid6"];

/// Returns what turns one array into another: a reshape of one thing where mdadm has one, else a new array.
fn of_array(from: &str, to: &str) -> Vec<String> {
    let (Some(from), Some(to)) = (Shape::of(from), Shape::of(to)) else {
        return Vec::new();
    };
    if to.level == super::setup::NONE {
        return vec!["mdadm --stop /dev/ARRAY".to_owned()];
    }
    let grow = |option: String| {
        format!("mdadm --grow /dev/ARRAY {option} --backup-file=/root/ARRAY-grow.backup")
    };
    let is_reshaped = from.level == to.level && RESHAPED.contains(&to.level);
    let is_changed = (
        from.layout != to.layout,
        from.disks != to.disks,
        from.chunk != to.chunk,
    );
    match (is_reshaped, is_changed, to.chunk, to.layout) {
        (true, (false, false, true), Some(chunk), _) => vec![grow(format!("--chunk={chunk}"))],
        (true, (true, false, false), _, Some(layout)) => vec![grow(format!("--layout={layout}"))],
        (true, (false, true, false), ..) if from.disks < to.disks => vec![
            "mdadm /dev/ARRAY --add /dev/NEW_DISK".to_owned(),
            grow(format!("--raid-devices={}", to.disks)),
        ],
        _ => vec!["mdadm --stop /dev/ARRAY".to_owned(), to.create()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        Names {
            array: Some("md0".to_owned()),
            top: Some("md0".to_owned()),
            disks: vec!["sda".to_owned(), "sdb".to_owned()],
            place: Some("/srv".to_owned()),
        }
    }

    /// The failure: `mdadm --grow, to raid5:left-symmetric:4:64K` is no command.
    #[test]
    fn each_change_of_an_array_has_commands_that_mdadm_takes() {
        let of = |from: &str, to: &str| commands("array", from, to, &names()).join("; ");
        assert_eq!(
            of("raid5:left-symmetric:4:512K", "raid5:left-symmetric:4:64K"),
            "mdadm --grow /dev/md0 --chunk=64K --backup-file=/root/md0-grow.backup"
        );
        assert_eq!(
            of("raid5:left-symmetric:3:64K", "raid5:left-symmetric:4:64K"),
            "mdadm /dev/md0 --add /dev/NEW_DISK; \
             mdadm --grow /dev/md0 --raid-devices=4 --backup-file=/root/md0-grow.backup"
        );
        assert_eq!(
            of("raid5:left-symmetric:2:64K", "raid10:f2:2:64K"),
            "mdadm --stop /dev/md0; mdadm --create /dev/md0 --level=raid10 --raid-devices=2 \
             --layout=f2 --chunk=64K /dev/sda /dev/sdb"
        );
        assert_eq!(of("raid1:2", "none:1"), "mdadm --stop /dev/md0");
    }

    #[test]
    fn commands_spell_values_as_programs_take_them() {
        for (key, from, to, expected) in [
            (
                "governor",
                "ondemand",
                "powersave of intel_pstate",
                "echo powersave | tee /sys/devices/system/cpu/cpufreq/policy*/scaling_governor",
            ),
            (
                "turbo",
                "off",
                "on",
                "echo 0 > /sys/devices/system/cpu/intel_pstate/no_turbo",
            ),
            ("dirty_limit", "1M", "2M", "sysctl vm.dirty_bytes=2097152"),
            (
                "scheduler",
                "none",
                "bfq",
                "echo bfq | tee /sys/block/sda/queue/scheduler /sys/block/sdb/queue/scheduler",
            ),
            (
                "read_ahead",
                "128K",
                "4M",
                "echo 4096 > /sys/block/md0/queue/read_ahead_kb",
            ),
            ("write_cache", "off", "on", "hdparm -W1 /dev/sda /dev/sdb"),
            (
                "bitmap",
                "none",
                "64M",
                "mdadm --grow /dev/md0 --bitmap=internal --bitmap-chunk=64M",
            ),
            (
                "flush",
                "ignored",
                "honoured",
                "mount -o remount,barrier /srv",
            ),
            ("missing_members", "0", "1", ""),
            ("drive_firmware", "1", "2", ""),
        ] {
            let found = commands(key, from, to, &names()).join("; ");
            assert_eq!(found, expected, "{key}");
        }
        let both = commands("bitmap", "8M", "64M", &Names::default());
        assert_eq!(both[0], "mdadm --grow /dev/ARRAY --bitmap=none");
        assert_eq!(both.len(), 2);
    }
}
