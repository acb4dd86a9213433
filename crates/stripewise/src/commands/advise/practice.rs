//! How to build a design, and what happens to it later: commands, each with what it is for.

use stripewise_catalogue::Message;
use stripewise_metal::create_arguments;
use stripewise_report::explanation::advice::Step;
use stripewise_study::stack::{Array, Filesystem, Level, Stack};
use stripewise_units::Bytes;

/// The array and its place.
const ARRAY: &str = "/dev/md/data";
const MOUNTED: &str = "/srv/data";
/// The blocks of ext4.
const BLOCK: u64 = 4096;

/// What is built.
pub(super) struct Practice<'a> {
    /// The stack; its last spares are not in it.
    pub(super) stack: &'a Stack,
    /// The devices that wait for one to fail.
    pub(super) spares: u32,
    /// Whether the devices are hard disks.
    pub(super) is_rotational: bool,
}

fn step(why: &'static str, command: impl Into<String>) -> Step {
    Step {
        why: Message::new(why),
        command: command.into(),
    }
}

impl Practice<'_> {
    /// Returns the commands that build it, in their order.
    pub(super) fn steps(&self) -> Vec<Step> {
        let Some(array) = &self.stack.array else {
            return Vec::new();
        };
        let mut steps = vec![
            step("advise-step-create", self.create(array)),
            step(
                "advise-step-config",
                format!(
                    "mdadm --detail --brief {ARRAY} >> /etc/mdadm/mdadm.conf && update-initramfs -u"
                ),
            ),
            step(
                "advise-step-mail",
                "echo MAILADDR root >> /etc/mdadm/mdadm.conf && systemctl restart mdmonitor",
            ),
            step(
                "advise-step-scrub",
                "systemctl enable --now mdcheck_start.timer",
            ),
        ];
        if let Some(kind) = self.filesystem() {
            let (why, mkfs) = self.mkfs(array, kind);
            steps.push(step(why, mkfs));
            let line = format!(
                "UUID=$(blkid -s UUID -o value {ARRAY}) {MOUNTED} {kind} noatime,nofail 0 2"
            );
            steps.push(step(
                "advise-step-mount",
                format!("mkdir -p {MOUNTED} && echo \"{line}\" >> /etc/fstab && mount {MOUNTED}"),
            ));
            if !self.is_rotational {
                steps.push(step(
                    "advise-step-trim",
                    "systemctl enable --now fstrim.timer",
                ));
            }
        }
        steps.push(step("advise-step-boot", ""));
        steps
    }

    /// Returns what happens to it later.
    pub(super) fn later(&self) -> Vec<Step> {
        let Some(array) = &self.stack.array else {
            return Vec::new();
        };
        let mut later = Vec::new();
        if array.level != Level::Raid0 {
            later.push(step(
                "advise-later-replace",
                format!("mdadm {ARRAY} --add NEW && mdadm {ARRAY} --replace OLD --with NEW"),
            ));
            later.push(step(
                "advise-later-failed",
                format!("mdadm {ARRAY} --remove failed && mdadm {ARRAY} --add NEW"),
            ));
        }
        later.push(self.grow(array));
        if let Some(kind) = self.filesystem() {
            let command = match kind {
                "ext4" => format!("resize2fs {ARRAY}"),
                "xfs" => format!("xfs_growfs {MOUNTED}"),
                _ => String::new(),
            };
            let is_known = !command.is_empty() && can_grow(array);
            later.extend(is_known.then(|| step("advise-later-fs", command)));
        }
        later.push(step("advise-later-backup", ""));
        later.push(step("advise-later-undo", ""));
        later
    }

    fn filesystem(&self) -> Option<&str> {
        match &self.stack.filesystem {
            Filesystem::Made { kind, .. } => Some(kind),
            Filesystem::None | Filesystem::Existing => None,
        }
    }

    fn create(&self, array: &Array) -> String {
        let count = self.stack.device_count();
        let mut words = vec![format!("mdadm --create {ARRAY}")];
        words.extend(create_arguments(array));
        words.push(format!("--raid-devices={count}"));
        words.extend((self.spares > 0).then(|| format!("--spare-devices={}", self.spares)));
        let all = count + u64::from(self.spares);
        words.extend((1..=all).map(|number| format!("DEVICE{number}")));
        words.join(" ")
    }

    fn mkfs(&self, array: &Array, kind: &str) -> (&'static str, String) {
        let row = array.chunk_bytes.zip(self.row(array));
        match (kind, row) {
            ("ext4", Some((chunk, data))) => {
                let stride = chunk.as_u64() / BLOCK;
                let width = stride * data;
                let command =
                    format!("mkfs.ext4 -b {BLOCK} -E stride={stride},stripe_width={width} {ARRAY}");
                ("advise-step-mkfs-ext4", command)
            }
            ("xfs", Some((chunk, data))) => {
                let chunk = chunk.as_u64() / Bytes::KIB.as_u64();
                let command = format!("mkfs.xfs -d su={chunk}k,sw={data} {ARRAY}");
                ("advise-step-mkfs-xfs", command)
            }
            _ => ("advise-step-mkfs", format!("mkfs.{kind} {ARRAY}")),
        }
    }

    /// Returns the chunks of data in a row, as the array tells filesystems (`io_opt` over the chunk:
    /// `raid10_set_io_opt` in raid10.c, `raid5_set_limits` in raid5.c); `None` without chunks.
    fn row(&self, array: &Array) -> Option<u64> {
        let count = self.stack.device_count();
        match array.level {
            Level::Linear | Level::Raid1 => None,
            Level::Raid0 => Some(count),
            Level::Raid4 | Level::Raid5 => Some(count - 1),
            Level::Raid6 => Some(count - 2),
            Level::Raid10 => {
                let layout = array.layout.as_deref().unwrap_or("n2");
                let near = layout.strip_prefix('n').and_then(|near| near.parse().ok());
                let near: u64 = near.unwrap_or(1).max(1);
                Some(match count % near {
                    0 => count / near,
                    _ => count,
                })
            }
        }
    }

    fn grow(&self, array: &Array) -> Step {
        if !can_grow(array) {
            return step("advise-later-no-grow", "");
        }
        let more = self.stack.device_count() + 1;
        match array.level {
            // A further mirror holds no more data; larger devices do.
            Level::Raid1 => step(
                "advise-later-grow-mirror",
                format!("mdadm --grow {ARRAY} --size=max"),
            ),
            Level::Raid0 => step(
                "advise-later-grow",
                format!("mdadm --grow {ARRAY} --raid-devices={more} --add NEW"),
            ),
            _ => step(
                "advise-later-grow",
                format!("mdadm {ARRAY} --add NEW && mdadm --grow {ARRAY} --raid-devices={more}"),
            ),
        }
    }
}

/// Returns whether md can change the number of devices (`raid10_check_reshape` in raid10.c: not with far
/// copies).
fn can_grow(array: &Array) -> bool {
    let is_far = array
        .layout
        .as_deref()
        .is_some_and(|layout| layout.starts_with('f'));
    !(array.level == Level::Raid10 && is_far)
}
