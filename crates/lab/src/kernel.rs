//! Kernel names: which packaged kernel a request such as `6.1` selects.

use std::cmp::Ordering;

/// The prefix of kernel package names.
const PACKAGE_PREFIX: &str = "linux-image-";

/// The kernel flavour of guests: small, with the drivers a guest needs.
pub(crate) const FLAVOUR: &str = "cloud-amd64";

/// Returns the releases among names of packages, newest first: `6.1.0-56-cloud-amd64`.
///
/// Skips packages without a bootable kernel: debug symbols, unsigned duplicates, metapackages.
pub(crate) fn releases<'a>(packages: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut releases: Vec<String> = packages
        .into_iter()
        .filter_map(|package| package.strip_prefix(PACKAGE_PREFIX))
        .filter(|release| is_release(release))
        .map(str::to_owned)
        .collect();
    releases.sort_by(|left, right| compare(right, left));
    releases.dedup();
    releases
}

/// Returns the newest release of each generation (6.1, 6.12) among `releases`, which are sorted.
pub(crate) fn generations(releases: &[String]) -> Vec<String> {
    let generation = |release: &String| numbers(release).into_iter().take(2).collect::<Vec<u64>>();
    let mut newest = releases.to_vec();
    newest.dedup_by_key(|release| generation(release));
    newest
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

/// Returns whether `release` is a kernel release: `6.1.0-56-cloud-amd64`,
/// `6.12.117+deb12-cloud-amd64`.
pub(crate) fn is_release(release: &str) -> bool {
    let version = release
        .strip_suffix(FLAVOUR)
        .and_then(|version| version.strip_suffix('-'));
    let is_safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '~');
    version.is_some_and(|version| {
        // `6.12-cloud-amd64` is a metapackage of the newest 6.12.
        version.starts_with(|c: char| c.is_ascii_digit())
            && version.matches('.').count() >= 2
            && version.chars().all(is_safe)
            && release.len() <= 64
    })
}

/// Compares releases by their numbers: 6.9 is before 6.12.
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
    release
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
        ];
        assert_eq!(
            releases(packages),
            [
                "6.12.117+deb12-cloud-amd64",
                "6.1.0-56-cloud-amd64",
                "6.1.0-9-cloud-amd64"
            ]
        );
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
