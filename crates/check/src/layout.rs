//! Families of distributions. Files of one program stand elsewhere in each; a rule that finds
//! nothing in the places that it knows passes only in a family whose places these are.

use crate::facts::os_release;
use crate::rule::{Findings, Judged};
use crate::snapshot::{Missing, Snapshot};

/// Distributions that keep files in the same places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    /// Debian, Ubuntu and what is made of them.
    Debian,
    /// openSUSE and SUSE Linux Enterprise.
    Suse,
    /// Fedora, Red Hat Enterprise Linux and what is made of it.
    RedHat,
    Arch,
    Alpine,
}

/// Returns the family of a host: by ID and then ID_LIKE of os-release(5).
pub(crate) fn family(facts: &Snapshot) -> Result<Family, Missing> {
    let id = os_release(facts, "ID")?.unwrap_or_default();
    let like = os_release(facts, "ID_LIKE")?.unwrap_or_default();
    let mut names = [id].into_iter().chain(like.split_whitespace());
    let found = names.find_map(|name| match name {
        "debian" | "ubuntu" | "raspbian" => Some(Family::Debian),
        "fedora" | "rhel" | "centos" => Some(Family::RedHat),
        "arch" | "archlinux" => Some(Family::Arch),
        "alpine" => Some(Family::Alpine),
        name if name.contains("suse") || name.starts_with("sle") => Some(Family::Suse),
        _ => None,
    });
    found.ok_or_else(|| {
        let why = format!("this layout is not known: its ID is `{id}`");
        Missing::new("/etc/os-release", why)
    })
}

/// Returns what a rule says that finds nothing where it looks: nothing is wrong, if the places of
/// this family are known.
pub(crate) fn nothing(facts: &Snapshot) -> Judged {
    family(facts).map(|_| Findings::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_is_known_by_what_a_distribution_is_like() {
        for (text, expected) in [
            ("ID=debian\n", Some(Family::Debian)),
            (
                "ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n",
                Some(Family::Debian),
            ),
            (
                "ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"\n",
                Some(Family::Suse),
            ),
            ("ID=sles\n", Some(Family::Suse)),
            (
                "ID=rocky\nID_LIKE='rhel centos fedora'\n",
                Some(Family::RedHat),
            ),
            ("ID=manjaro\nID_LIKE=arch\n", Some(Family::Arch)),
            ("ID=alpine\n", Some(Family::Alpine)),
            ("ID=nixos\n", None),
            ("NAME=x\n", None),
        ] {
            let facts = Snapshot::of_files([("/usr/lib/os-release", text)]);
            assert_eq!(family(&facts).ok(), expected, "{text}");
        }
        assert!(family(&Snapshot::default()).is_err());
    }
}
