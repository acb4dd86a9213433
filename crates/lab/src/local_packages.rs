//! Package files that the user names: whether they are all parts of a kernel, before anything is
//! downloaded or unpacked.
//!
//! Since Linux 6.19 Debian's `linux-image` has 2 KB: the kernel lies in `linux-binary` and
//! `linux-modules`, on which it depends. Headers of a flavour depend on those of all flavours, and on
//! the programs that build modules.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::apt::dependency_names;
use crate::error::LabError;
use crate::kernel_files::is_header;
use crate::programs::{DPKG_DEB, run};

/// The beginning of the name of an image.
const IMAGE: &str = "linux-image-";
/// The beginnings of the names of its parts.
const PARTS: [&str; 2] = ["linux-binary-", "linux-modules-"];

/// The name of a package, and the names of those that it depends on.
#[derive(Debug)]
struct Named {
    name: String,
    depends: Vec<String>,
}

/// Checks that `files`, if there are any, are whole: an image with its parts, and headers with what
/// they need.
///
/// # Errors
/// [`LabError::NotAKernel`] with the packages that are missing, or if a file is no package.
pub(crate) fn check(files: &[PathBuf]) -> Result<(), LabError> {
    let Some(first) = files.first() else {
        return Ok(());
    };
    let packages = files.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    match missing(&packages).as_slice() {
        [] => Ok(()),
        missing => Err(LabError::NotAKernel {
            path: first.clone(),
            problem: format!(
                "packages that it needs are missing: {}; name the file of each with another `--package`",
                missing.join(", ")
            ),
        }),
    }
}

fn read(path: &PathBuf) -> Result<Named, LabError> {
    let ask = DPKG_DEB.call(["--field"]).arg(path);
    let attempted = format!("read the package `{}`", path.display());
    let text = run(ask.args(["Package", "Depends"]), &attempted)?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
    Ok(Named {
        name: field("Package:").unwrap_or_default().trim().to_owned(),
        depends: field("Depends:").map_or_else(Vec::new, dependency_names),
    })
}

/// Returns the packages that are missing beside `packages`, each in backquotes.
fn missing(packages: &[Named]) -> Vec<String> {
    let names: BTreeSet<&str> = packages.iter().map(|package| &*package.name).collect();
    // A metapackage has no version in its name.
    let release = |kind: &str| {
        let mut releases = names.iter().filter_map(|name| name.strip_prefix(kind));
        let found = releases.find(|release| release.starts_with(|c: char| c.is_ascii_digit()));
        found.map(|release| release.strip_suffix("-unsigned").unwrap_or(release))
    };
    let mut wanted: BTreeSet<String> = BTreeSet::new();
    for package in packages {
        let is_image = package.name.starts_with(IMAGE);
        let needed = package.depends.iter().filter(|name| {
            is_header(name)
                || PARTS.iter().any(|kind| name.starts_with(kind))
                || is_image && name.starts_with(IMAGE)
        });
        wanted.extend(needed.cloned());
    }
    let [binary, modules] = PARTS;
    if let Some(release) = release(binary) {
        wanted.insert(format!("{modules}{release}"));
    }
    let image = release(IMAGE).or_else(|| release(binary));
    let flavour = image.or_else(|| release(modules));
    if image.is_none() && !wanted.iter().any(|name| name.starts_with(IMAGE)) {
        wanted.insert(format!("{IMAGE}{}", flavour.unwrap_or("RELEASE")));
    }
    if let Some(release) = flavour {
        wanted.insert(format!("linux-headers-{release}"));
    }
    let lacking = wanted.iter().filter(|name| !names.contains(name.as_str()));
    lacking.map(|name| format!("`{name}`")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lacking(packages: &[(&str, &str)]) -> String {
        let packages = packages.iter().map(|(name, depends)| Named {
            name: (*name).to_owned(),
            depends: dependency_names(depends),
        });
        missing(&packages.collect::<Vec<_>>()).join(" ")
    }

    const WHOLE: (&str, &str) = (
        "linux-image-6.12.95-cloud-amd64",
        "kmod, linux-base (>= 4.3)",
    );
    const HEADERS: (&str, &str) = (
        "linux-headers-6.12.95-cloud-amd64",
        "linux-headers-6.12.95-common (= 1), linux-image-6.12.95-cloud-amd64 (= 1) | linux-image-6.12.95-cloud-amd64-unsigned (= 1), linux-kbuild-6.12.95, gcc-12-for-host",
    );
    const COMMON: (&str, &str) = ("linux-headers-6.12.95-common", "");
    const KBUILD: (&str, &str) = ("linux-kbuild-6.12.95", "libc6, libelf1");

    #[test]
    fn packages_that_lack_one_are_named_before_anything_is_unpacked() {
        assert_eq!(lacking(&[WHOLE, HEADERS, COMMON, KBUILD]), "");
        assert_eq!(lacking(&[WHOLE]), "`linux-headers-6.12.95-cloud-amd64`");
        assert_eq!(
            lacking(&[WHOLE, HEADERS]),
            "`linux-headers-6.12.95-common` `linux-kbuild-6.12.95`"
        );
        assert_eq!(lacking(&[HEADERS, COMMON, KBUILD]), "`linux-image-RELEASE`");
        // As `make bindeb-pkg` makes them.
        assert_eq!(
            lacking(&[("linux-image-6.9.0", ""), ("linux-headers-6.9.0", "")]),
            ""
        );
        assert_eq!(
            lacking(&[
                ("linux-image-6.12.95-cloud-amd64-unsigned", ""),
                HEADERS,
                COMMON,
                KBUILD
            ]),
            ""
        );
    }

    #[test]
    fn an_image_that_is_only_a_name_needs_its_parts() {
        let image = (
            "linux-image-7.3.4-cloud-amd64",
            "linux-binary-7.3.4-cloud-amd64 (= 1), linux-modules-7.3.4-cloud-amd64 (= 1)",
        );
        let headers = ("linux-headers-7.3.4-cloud-amd64", "");
        assert_eq!(
            lacking(&[image, headers]),
            "`linux-binary-7.3.4-cloud-amd64` `linux-modules-7.3.4-cloud-amd64`"
        );
        let parts = [
            ("linux-binary-7.3.4-cloud-amd64", ""),
            ("linux-modules-7.3.4-cloud-amd64", ""),
        ];
        assert_eq!(lacking(&[image, headers, parts[0], parts[1]]), "");
        // The image itself is empty.
        assert_eq!(lacking(&[headers, parts[0], parts[1]]), "");
        assert_eq!(
            lacking(&[headers, parts[1]]),
            "`linux-image-7.3.4-cloud-amd64`"
        );
        assert_eq!(
            lacking(&[headers, parts[0]]),
            "`linux-modules-7.3.4-cloud-amd64`"
        );
        let of_all = (
            "linux-image-cloud-amd64",
            "linux-image-7.3.4-cloud-amd64 (= 1)",
        );
        assert_eq!(lacking(&[of_all]), "`linux-image-7.3.4-cloud-amd64`");
    }

    #[test]
    fn package_files_are_asked_what_they_need() {
        let folder = tempfile::tempdir().unwrap();
        let control = folder.path().join("image/DEBIAN");
        std::fs::create_dir_all(&control).unwrap();
        let fields = "Package: linux-image-7.3.4-cloud-amd64\nVersion: 1\nArchitecture: all\nMaintainer: nobody <x@example.org>\nDepends: linux-binary-7.3.4-cloud-amd64 (= 1), linux-modules-7.3.4-cloud-amd64 (= 1)\nDescription: a package\n";
        std::fs::write(control.join("control"), fields).unwrap();
        let file = folder.path().join("image.deb");
        let build = DPKG_DEB.call(["--build"]).arg(folder.path().join("image"));
        run(build.arg(&file), "pack").unwrap();
        let error = check(&[file]).unwrap_err().to_string();
        assert!(
            error.ends_with("image.deb`: packages that it needs are missing: `linux-binary-7.3.4-cloud-amd64`, `linux-headers-7.3.4-cloud-amd64`, `linux-modules-7.3.4-cloud-amd64`; name the file of each with another `--package`"),
            "{error}"
        );
        check(&[]).unwrap();
    }
}
