//! Kernel names: which packaged kernel a request such as `6.1` selects.

use std::cmp::Ordering;
use std::collections::BTreeSet;

/// The prefix of kernel package names.
const PACKAGE_PREFIX: &str = "linux-image-";

/// The kernel flavour of guests: small, with the drivers a guest needs.
pub(crate) const FLAVOUR: &str = "cloud-amd64";

/// The flavours that a request may name by a whole release; the longest first.
const FLAVOURS: [&str; 3] = [FLAVOUR, "rt-amd64", "amd64"];

/// Returns the releases among the names of all packages, newest first: `6.1.0-56-cloud-amd64`, those
/// of other flavours, too.
///
/// Skips packages without a bootable kernel: debug symbols, unsigned duplicates, metapackages.
pub(crate) fn releases(packages: &BTreeSet<String>) -> Vec<String> {
    let mut releases: Vec<String> = packages
        .iter()
        .filter_map(|package| package.strip_prefix(PACKAGE_PREFIX))
        .filter(|release| is_release(release, packages))
        .map(str::to_owned)
        .collect();
    releases.sort_by(|left, right| compare(right, left));
    releases
}

/// Returns the newest release of each generation (6.1, 6.12) among `releases`, which are sorted.
pub(crate) fn generations(releases: &[String]) -> Vec<String> {
    let generation = |release: &String| numbers(release).into_iter().take(2).collect::<Vec<u64>>();
    let mut newest = releases.to_vec();
    newest.dedup_by_key(|release| generation(release));
    newest
}

/// Returns whether a release has the flavour of guests.
pub(crate) fn is_usual(release: &str) -> bool {
    release
        .strip_suffix(FLAVOUR)
        .is_some_and(|version| version.ends_with('-'))
}

/// Returns whether `packages` contain what a guest with the kernel `release` is made of: besides
/// the image its headers, and since 6.19, when the image became empty, its modules. An archive keeps
/// images longer than their other parts.
pub(crate) fn is_whole(release: &str, packages: &BTreeSet<String>) -> bool {
    let has = |part: &str| packages.contains(&format!("linux-{part}-{release}"));
    has("headers") && (!has("binary") || has("modules"))
}

/// Returns the package of the kernel `release`.
pub(crate) fn image_package(release: &str) -> String {
    format!("{PACKAGE_PREFIX}{release}")
}

/// Returns the metapackage of the distribution's own kernel.
pub(crate) fn default_package() -> String {
    format!("{PACKAGE_PREFIX}{FLAVOUR}")
}

/// Returns whether `asked` selects the kernel `release`: it is equal, or a prefix that ends at a
/// number.
pub(crate) fn is_selected(release: &str, asked: &str) -> bool {
    match release.strip_prefix(asked) {
        None => false,
        Some(rest) => {
            let goes_on = rest.starts_with(|c: char| c.is_ascii_digit());
            let ends_in_number = asked.ends_with(|c: char| c.is_ascii_digit());
            !(asked.is_empty() || goes_on && ends_in_number)
        }
    }
}

/// Returns whether `release` is a release of a packaged kernel: `6.1.0-56-cloud-amd64`,
/// `6.12.117+deb12-amd64`.
///
/// `7.3-cloud-amd64` is one, too, if `packages` have headers for all flavours of 7.3: Debian calls the
/// candidates of a release so. Else it is a metapackage of the newest 7.3.
fn is_release(release: &str, packages: &BTreeSet<String>) -> bool {
    let version = version(release);
    let is_numbered = match version.matches('.').count() {
        0 => false,
        1 => packages.contains(&format!("linux-headers-{version}-common")),
        _ => true,
    };
    version != release && is_numbered && is_safe(release)
}

/// Returns a release without its flavour.
fn version(release: &str) -> &str {
    let mut flavours = FLAVOURS.iter();
    let found = flavours.find_map(|flavour| release.strip_suffix(flavour)?.strip_suffix('-'));
    found.unwrap_or(release)
}

/// Returns whether `release` can be the name of a kernel, of any maker, and of a directory.
pub(crate) fn is_safe(release: &str) -> bool {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '~' | '_');
    release.starts_with(|c: char| c.is_ascii_digit())
        && release.chars().all(is_safe)
        && release.len() <= 64
}

/// Compares releases by the numbers of their versions: 6.9 is before 6.12, and 7.3 before 7.3.4.
pub(crate) fn compare(left: &str, right: &str) -> Ordering {
    numbers(left)
        .cmp(&numbers(right))
        .then_with(|| left.cmp(right))
}

/// Returns whether the series of `release` (6.1) is at most that of `version`.
pub(crate) fn is_at_most(release: &str, version: &str) -> bool {
    let series = |text: &str| numbers(text).into_iter().take(2).collect::<Vec<u64>>();
    series(release) <= series(version)
}

fn numbers(release: &str) -> Vec<u64> {
    version(release)
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|number| number.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_kernel_comes_first_and_unbootable_packages_are_skipped() {
        let packages = [
            "linux-image-6.1.0-9-cloud-amd64",
            "linux-image-6.1.0-56-cloud-amd64",
            "linux-image-6.1.0-56-cloud-amd64-unsigned",
            "linux-image-6.1.0-56-cloud-amd64-dbg",
            "linux-image-6.12.117+deb12-cloud-amd64",
            "linux-image-6.12-cloud-amd64",
            "linux-image-cloud-amd64",
            "linux-image-6.1.0-56-amd64",
            "linux-image-../../x.y-cloud-amd64",
            "linux-image-6.12.90+deb12-cloud-amd64",
            "linux-image-6.12.90+deb12.1-cloud-amd64",
            "linux-image-7.3.4+deb14-cloud-amd64",
            "linux-image-7.3-cloud-amd64",
            "linux-headers-7.3-common",
        ];
        assert_eq!(
            releases(&packages.map(str::to_owned).into()),
            [
                "7.3.4+deb14-cloud-amd64",
                "7.3-cloud-amd64",
                "6.12.117+deb12-cloud-amd64",
                "6.12.90+deb12.1-cloud-amd64",
                "6.12.90+deb12-cloud-amd64",
                "6.1.0-56-cloud-amd64",
                "6.1.0-56-amd64",
                "6.1.0-9-cloud-amd64"
            ]
        );
    }

    #[test]
    fn a_kernel_is_whole_with_its_headers_and_modules() {
        // Of the archive in 2026: of 6.18 it has images alone, of 7.1 the image without modules.
        let packages = [
            "linux-image-6.12.95+deb12-cloud-amd64",
            "linux-headers-6.12.95+deb12-cloud-amd64",
            "linux-image-6.18.15+deb13-cloud-amd64",
            "linux-image-7.1.13+deb13-cloud-amd64",
            "linux-binary-7.1.13+deb13-cloud-amd64",
            "linux-headers-7.1.13+deb13-cloud-amd64",
            "linux-image-7.3.4+deb13-cloud-amd64",
            "linux-binary-7.3.4+deb13-cloud-amd64",
            "linux-modules-7.3.4+deb13-cloud-amd64",
            "linux-headers-7.3.4+deb13-cloud-amd64",
        ];
        let packages: BTreeSet<String> = packages.map(str::to_owned).into();
        let mut offered = releases(&packages);
        offered.retain(|release| is_whole(release, &packages));
        assert_eq!(
            offered,
            ["7.3.4+deb13-cloud-amd64", "6.12.95+deb12-cloud-amd64"]
        );
    }

    #[test]
    fn only_the_small_flavour_is_chosen_by_a_version() {
        assert!(is_usual("6.12.95+deb12-cloud-amd64"));
        assert!(!is_usual("6.12.95+deb12-amd64"));
        assert!(!is_usual("6.12.95+deb12-rt-amd64"));
        assert!(is_safe("6.18.0-rc3_own"));
        assert!(!is_safe("6.18/../x") && !is_safe("-x") && !is_safe(""));
    }

    #[test]
    fn a_series_is_compared_without_its_patches() {
        assert!(is_at_most("6.1.0-56-cloud-amd64", "6.2"));
        assert!(is_at_most("6.2.9-cloud-amd64", "6.2"));
        assert!(!is_at_most("6.12.117+deb12-cloud-amd64", "6.2"));
    }

    #[test]
    fn a_generation_is_represented_by_its_newest_kernel() {
        let releases = ["6.12.9-x", "6.12.1-x", "6.1.0-56-x", "6.1.0-55-x"].map(str::to_owned);
        assert_eq!(generations(&releases), ["6.12.9-x", "6.1.0-56-x"]);
    }

    #[test]
    fn a_prefix_must_end_at_a_whole_number() {
        let release = "6.12.117+deb12-cloud-amd64";
        for asked in ["6.12", "6", "6.12.117", release] {
            assert!(is_selected(release, asked), "{asked}");
        }
        for asked in ["6.1", "6.12.11", "5", "", "6.12.117+deb12-cloud-amd64x"] {
            assert!(!is_selected(release, asked), "{asked}");
        }
        assert!(is_selected("6.1.0-56-cloud-amd64", "6.1.0-"));
    }
}
