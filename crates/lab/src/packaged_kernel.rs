//! Which of a distribution's kernels a request selects, and the packages that it consists of.

use std::collections::BTreeSet;

use crate::apt::Apt;
use crate::error::LabError;
use crate::kernel;
use crate::kernel_files::is_header;

/// A kernel that apt offers with all its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PackagedKernel {
    /// Its release.
    pub(crate) release: String,
    /// Whether it is the one that the distribution installs.
    pub(crate) is_default: bool,
}

/// The kernels of package sources.
#[derive(Debug)]
struct Offered {
    /// The names of all packages of kernels.
    names: BTreeSet<String>,
    /// The releases with all their parts, newest first.
    whole: Vec<String>,
    /// The releases with an image, but without another part, newest first.
    partial: Vec<String>,
}

impl Offered {
    fn new(names: BTreeSet<String>) -> Self {
        let (whole, partial) = kernel::releases(&names)
            .into_iter()
            .partition(|release| kernel::is_whole(release, &names));
        Self {
            names,
            whole,
            partial,
        }
    }

    /// Returns them without the kernels whose image is not among `images`.
    fn only(&self, images: &BTreeSet<String>) -> Self {
        let only = |releases: &[String]| {
            let releases = releases.iter().cloned();
            let is_there = |release: &String| images.contains(&kernel::image_package(release));
            releases.filter(is_there).collect()
        };
        Self {
            names: self.names.clone(),
            whole: only(&self.whole),
            partial: only(&self.partial),
        }
    }

    /// Returns the packages of the images.
    fn images(&self) -> Vec<String> {
        let all = self.whole.iter().chain(&self.partial);
        all.map(|release| kernel::image_package(release)).collect()
    }

    /// Returns the whole kernels of the usual flavour.
    fn usual(&self) -> impl Iterator<Item = &String> {
        let whole = self.whole.iter();
        whole.filter(|release| kernel::is_usual(release))
    }
}

/// Returns the newest kernel of those that `apt` offers and `asked` selects; without `asked`, the
/// distribution's own. Of a suite that adds to another one, only its own kernels count.
///
/// # Errors
/// [`LabError::NoKernel`], [`LabError::NotWhole`] if the archive has only a part of it, or
/// [`LabError::OtherSuite`] if only the suite that the named one adds to has it.
pub(crate) fn choose(apt: &Apt, asked: Option<&str>) -> Result<PackagedKernel, LabError> {
    let all = Offered::new(apt.names("linux-")?.into_iter().collect());
    let own = apt
        .dependencies(&kernel::default_package())
        .unwrap_or_default();
    let mut releases = kernel::releases(&all.names).into_iter();
    let own = releases.find(|release| own.contains(&kernel::image_package(release)));
    let Some(suite) = apt.preferred() else {
        return choose_by_any(apt, &all, own.as_deref(), asked);
    };
    let images: BTreeSet<String> = apt.of_preferred(&all.images())?.into_iter().collect();
    let of_suite = all.only(&images);
    match choose_by_any(apt, &of_suite, own.as_deref(), asked) {
        Err(error @ LabError::NoKernel { .. }) => {
            Err(match choose_by_any(apt, &all, own.as_deref(), asked) {
                Ok(found) => LabError::OtherSuite {
                    suite: suite.to_owned(),
                    asked: in_words(asked),
                    found: found.release,
                },
                Err(_) => error,
            })
        }
        found => found,
    }
}

/// Chooses by the release, else by the version of the package: Debian 12 calls Linux 6.1.192
/// `6.1.0-56-cloud-amd64`.
fn choose_by_any(
    apt: &Apt,
    offered: &Offered,
    own: Option<&str>,
    asked: Option<&str>,
) -> Result<PackagedKernel, LabError> {
    match (choose_of(offered, own, asked), asked) {
        (Err(error @ LabError::NoKernel { .. }), Some(asked)) => {
            match of_version(apt, offered, asked)? {
                Some(release) => choose_of(offered, own, Some(&release)),
                None => Err(error),
            }
        }
        (found, _) => found,
    }
}

/// Returns the newest whole kernel whose package has the version that `asked` selects.
fn of_version(apt: &Apt, offered: &Offered, asked: &str) -> Result<Option<String>, LabError> {
    let images: Vec<String> = offered
        .usual()
        .map(|release| kernel::image_package(release))
        .collect();
    if images.is_empty() {
        return Ok(None);
    }
    let offers = apt.offered(&images)?;
    let is_selected = |release: &&String| {
        let image = kernel::image_package(release);
        let mut offers = offers.iter().filter(|offer| offer.name == image);
        offers.any(|offer| kernel::is_selected(&offer.version, asked))
    };
    Ok(offered.usual().find(is_selected).cloned())
}

/// Chooses among the kernels that are `offered`; `own` is the distribution's kernel, if there is one.
fn choose_of(
    offered: &Offered,
    own: Option<&str>,
    asked: Option<&str>,
) -> Result<PackagedKernel, LabError> {
    let select = |from: &[String]| {
        let usual = || from.iter().filter(|release| kernel::is_usual(release));
        let found = match asked {
            // Another flavour must be named in full.
            Some(asked) => from
                .iter()
                .find(|release| *release == asked)
                .or_else(|| usual().find(|release| kernel::is_selected(release, asked))),
            None => usual()
                .find(|release| Some(release.as_str()) == own)
                .or_else(|| usual().next()),
        };
        found.cloned()
    };
    if let Some(release) = select(&offered.whole) {
        let default = own.or_else(|| offered.usual().next().map(String::as_str));
        let is_default = default == Some(release.as_str());
        return Ok(PackagedKernel {
            release,
            is_default,
        });
    }
    let usual: Vec<String> = offered.usual().cloned().collect();
    let found = kernel::generations(&usual);
    Err(match select(&offered.partial) {
        Some(release) => LabError::NotWhole {
            lacking: match offered.names.contains(&format!("linux-headers-{release}")) {
                true => "its modules",
                false => "its headers",
            },
            release,
            found,
        },
        None => LabError::NoKernel {
            asked: in_words(asked),
            found,
        },
    })
}

fn in_words(asked: Option<&str>) -> String {
    asked.map_or_else(|| "at all".to_owned(), |asked| format!("`{asked}`"))
}

/// Returns the packages of a kernel: the image, since Linux 6.19 with the packages of the same
/// release in which its parts lie, the headers, and their tools.
pub(crate) fn packages(apt: &Apt, release: &str) -> Result<Vec<String>, LabError> {
    let image = kernel::image_package(release);
    let headers = format!("linux-headers-{release}");
    let is_part = |name: &String| name.starts_with("linux-") && name.ends_with(release);
    let parts = apt.dependencies(&image)?.into_iter().filter(is_part);
    let needed = apt.dependencies(&headers)?;
    let needed = needed.into_iter().filter(|name| is_header(name));
    let names = [image, headers.clone()].into_iter().chain(parts);
    Ok(names.chain(needed).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(releases: &[&str]) -> BTreeSet<String> {
        let parts = ["linux-image", "linux-headers"];
        let names = releases
            .iter()
            .flat_map(|release| parts.map(|part| format!("{part}-{release}")));
        names.collect()
    }

    const NEWEST: &str = "6.12.1-cloud-amd64";
    const OWN: &str = "6.1.0-56-cloud-amd64";
    const GENERIC: &str = "6.12.1-amd64";

    #[test]
    fn the_distributions_own_kernel_is_the_default() {
        let names = names(&[NEWEST, OWN, GENERIC]);
        let choice = |own, asked| {
            let found = choose_of(&Offered::new(names.clone()), own, asked).unwrap();
            (found.release, found.is_default)
        };
        let (newest, own) = (NEWEST.to_owned(), OWN.to_owned());
        assert_eq!(choice(Some(OWN), None), (own.clone(), true));
        assert_eq!(choice(Some(OWN), Some("6.1")), (own.clone(), true));
        assert_eq!(choice(Some(OWN), Some("6.12")), (newest.clone(), false));
        assert_eq!(choice(None, None), (newest, true));
        assert_eq!(choice(None, Some("6.1")), (own, false));
        assert_eq!(
            choice(Some(OWN), Some(GENERIC)),
            (GENERIC.to_owned(), false)
        );
    }

    #[test]
    fn a_kernel_whose_headers_are_gone_is_skipped_or_named() {
        let mut names = names(&["6.18.5-cloud-amd64", OWN]);
        names.insert("linux-image-6.18.15-cloud-amd64".to_owned());
        names.insert("linux-image-6.17.8-cloud-amd64".to_owned());
        let found = choose_of(&Offered::new(names.clone()), None, Some("6.18")).unwrap();
        assert_eq!(found.release, "6.18.5-cloud-amd64");
        let error = choose_of(&Offered::new(names.clone()), None, Some("6.17")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "failed to prepare kernel `6.17.8-cloud-amd64`: its package sources have the image without its headers; the newest whole kernels are: 6.18.5-cloud-amd64, 6.1.0-56-cloud-amd64"
        );
        let error = choose_of(&Offered::new(names.clone()), None, Some("5.10")).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("failed to find a kernel `5.10`"),
            "{error}"
        );
    }

    #[test]
    fn an_image_that_became_empty_needs_its_modules() {
        let mut names = names(&["7.1.13-cloud-amd64"]);
        names.insert("linux-binary-7.1.13-cloud-amd64".to_owned());
        let error = choose_of(&Offered::new(names.clone()), None, Some("7.1")).unwrap_err();
        assert!(
            error.to_string().contains("the image without its modules"),
            "{error}"
        );
        names.insert("linux-modules-7.1.13-cloud-amd64".to_owned());
        assert!(choose_of(&Offered::new(names.clone()), None, Some("7.1")).is_ok());
    }
}
