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

/// Returns the newest kernel of those that `apt` offers and `asked` selects; without `asked`, the
/// distribution's own.
///
/// # Errors
/// [`LabError::NoKernel`], or [`LabError::NotWhole`] if the archive has only a part of it.
pub(crate) fn choose(apt: &Apt, asked: Option<&str>) -> Result<PackagedKernel, LabError> {
    let names: BTreeSet<String> = apt.names("linux-")?.into_iter().collect();
    let own = apt
        .dependencies(&kernel::default_package())
        .unwrap_or_default();
    let own = kernel::releases(own.iter().map(String::as_str))
        .into_iter()
        .next();
    let own = own.as_deref();
    match (choose_of(&names, own, asked), asked) {
        (Err(error @ LabError::NoKernel { .. }), Some(asked)) => {
            match of_version(apt, &names, asked)? {
                Some(release) => choose_of(&names, own, Some(&release)),
                None => Err(error),
            }
        }
        (found, _) => found,
    }
}

/// Returns the newest whole kernel whose package has the version that `asked` selects: Debian 12 calls
/// Linux 6.1.192 `6.1.0-56-cloud-amd64`.
fn of_version(
    apt: &Apt,
    names: &BTreeSet<String>,
    asked: &str,
) -> Result<Option<String>, LabError> {
    let releases = kernel::releases(names.iter().map(String::as_str)).into_iter();
    let is_usual = |release: &String| kernel::is_usual(release) && kernel::is_whole(release, names);
    let images: Vec<String> = releases
        .filter(is_usual)
        .map(|release| kernel::image_package(&release))
        .collect();
    if images.is_empty() {
        return Ok(None);
    }
    let offers = apt.offered(&images)?;
    let selected = offers
        .iter()
        .filter(|offer| kernel::is_selected(&offer.version, asked));
    let selected: Vec<&str> = selected.map(|offer| offer.name.as_str()).collect();
    Ok(kernel::releases(selected).into_iter().next())
}

/// Chooses among the packages `names`; `own` is the distribution's kernel, if there is one.
fn choose_of(
    names: &BTreeSet<String>,
    own: Option<&str>,
    asked: Option<&str>,
) -> Result<PackagedKernel, LabError> {
    let offered = kernel::releases(names.iter().map(String::as_str));
    let (whole, partial): (Vec<String>, Vec<String>) = offered
        .into_iter()
        .partition(|release| kernel::is_whole(release, names));
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
    if let Some(release) = select(&whole) {
        let usual = || whole.iter().find(|release| kernel::is_usual(release));
        let default = own.or_else(|| usual().map(String::as_str));
        let is_default = default == Some(release.as_str());
        return Ok(PackagedKernel {
            release,
            is_default,
        });
    }
    let usual: Vec<String> = whole
        .into_iter()
        .filter(|one| kernel::is_usual(one))
        .collect();
    let found = kernel::generations(&usual);
    Err(match select(&partial) {
        Some(release) => LabError::NotWhole {
            lacking: match names.contains(&format!("linux-headers-{release}")) {
                true => "its modules",
                false => "its headers",
            },
            release,
            found,
        },
        None => LabError::NoKernel {
            asked: asked.map_or_else(|| "at all".to_owned(), |asked| format!("`{asked}`")),
            found,
        },
    })
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
            let found = choose_of(&names, own, asked).unwrap();
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
        let found = choose_of(&names, None, Some("6.18")).unwrap();
        assert_eq!(found.release, "6.18.5-cloud-amd64");
        let error = choose_of(&names, None, Some("6.17")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "failed to prepare kernel `6.17.8-cloud-amd64`: its package sources have the image without its headers; the newest whole kernels are: 6.18.5-cloud-amd64, 6.1.0-56-cloud-amd64"
        );
        let error = choose_of(&names, None, Some("5.10")).unwrap_err();
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
        let error = choose_of(&names, None, Some("7.1")).unwrap_err();
        assert!(
            error.to_string().contains("the image without its modules"),
            "{error}"
        );
        names.insert("linux-modules-7.1.13-cloud-amd64".to_owned());
        assert!(choose_of(&names, None, Some("7.1")).is_ok());
    }
}
