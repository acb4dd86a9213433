//! md arrays where `/sys` is not: `/proc/mdstat`, and `mdadm -D` of a sosreport.
//!
//! ```text
//! md1 : active raid1 sdb2[1](F) sda2[0]
//!       1047552 blocks super 1.2 [2/1] [U_]
//! md127 : inactive sdb[1](S) sda[0](S)
//!       6306 blocks super external:imsm
//! ```

use stripewise_machine::is_container_version;

use crate::snapshot::{Missing, Snapshot};
use crate::sources::DETAILS;

/// An array of `/proc/mdstat` (kernel drivers/md/md.c, `md_seq_show`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Listed<'a> {
    pub(crate) name: &'a str,
    pub(crate) is_inactive: bool,
    /// A container of firmware RAID.
    pub(crate) is_container: bool,
    /// A letter for each member: `[U_]`; `None` for a level without redundancy.
    pub(crate) members: Option<&'a str>,
    pub(crate) faulty: Vec<&'a str>,
}

/// Returns all arrays; `None` if the kernel has no md.
///
/// # Errors
/// If the file could not be read.
pub(crate) fn mdstat(facts: &Snapshot) -> Result<Option<Vec<Listed<'_>>>, Missing> {
    let Some(text) = facts.text("/proc/mdstat")? else {
        return Ok(None);
    };
    if !text.contains("Personalities") {
        return Err(Missing::new("/proc/mdstat", "it is no list of arrays"));
    }
    let mut found: Vec<Listed<'_>> = Vec::new();
    for line in text.lines() {
        let head = line.split_once(" : ");
        if let Some((name, rest)) = head.filter(|(name, _)| name.starts_with("md")) {
            let mut words = rest.split_whitespace();
            let is_inactive = words.next() == Some("inactive");
            let faulty = words.filter(|word| word.contains("(F)"));
            found.push(Listed {
                name: name.trim(),
                is_inactive,
                faulty: faulty.filter_map(|word| word.split('[').next()).collect(),
                ..Listed::default()
            });
        } else if let Some(array) = found.last_mut().filter(|_| line.starts_with(' ')) {
            let mut words = line.split_whitespace();
            array.is_container |= words.clone().any(is_container_version);
            let is_letters = |word: &&str| {
                let inner = word
                    .strip_prefix('[')
                    .and_then(|rest| rest.strip_suffix(']'));
                inner.is_some_and(|inner| {
                    !inner.is_empty() && inner.chars().all(|c| matches!(c, 'U' | '_'))
                })
            };
            array.members = words.find(is_letters).or(array.members);
        }
    }
    Ok(Some(found))
}

/// An array of `mdadm -D`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Detail<'a> {
    pub(crate) name: &'a str,
    pub(crate) state: &'a str,
}

/// Returns the arrays that a sosreport shows in detail.
pub(crate) fn details(facts: &Snapshot) -> Vec<Detail<'_>> {
    let Some(ran) = facts.commands.get(DETAILS) else {
        return Vec::new();
    };
    let (mut found, mut name) = (Vec::new(), "");
    for line in ran.output.lines() {
        if let Some(path) = line.strip_prefix("/dev/") {
            name = path.trim_end_matches(':');
        } else if let Some((_, state)) = line.split_once("State : ") {
            found.push(Detail {
                name,
                state: state.trim(),
            });
        }
    }
    // A container has no state of its own.
    found.retain(|one| !one.name.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_array_has_its_members() {
        let text = "Personalities : [raid1]\n\
            md1 : active raid1 sdb2[1](F) sda2[0]\n      1047552 blocks super 1.2 [2/1] [U_]\n      \n\
            md0 : active (auto-read-only) raid0 sda1[0] sdb1[1]\n      1024 blocks super 1.2 512k chunks\n\
            md127 : inactive sdb[1](S) sda[0](S)\n      6306 blocks super external:imsm\n\
            md126 : active raid1 sda[1] sdb[0]\n      9 blocks super external:/md127/0 [2/2] [UU]\n      \
            [==>..................]  recovery = 12.6% (1/9) finish=1.0min speed=1K/sec\n\n\
            unused devices: <none>\n";
        let facts = Snapshot::of_files([("/proc/mdstat", text)]);
        let found = mdstat(&facts).unwrap().unwrap();
        let shown: Vec<_> = found
            .iter()
            .map(|one| {
                (
                    one.name,
                    one.is_inactive,
                    one.is_container,
                    one.members,
                    one.faulty.len(),
                )
            })
            .collect();
        let expected = [
            ("md1", false, false, Some("[U_]"), 1),
            ("md0", false, false, None, 0),
            ("md127", true, true, None, 0),
            ("md126", false, false, Some("[UU]"), 0),
        ];
        assert_eq!(shown, expected);
    }
}
