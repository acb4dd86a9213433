//! Package files that the user names: whether they are all parts of a kernel, before anything is
//! downloaded or unpacked.
//!
//! Since Linux 6.19 Debian's `linux-image` has 2 KB: the kernel lies in `linux-binary` and
//! `linux-modules`, on which it depends. Headers of a flavour depend on those of all flavours, and on
//! the programs that build modules.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::apt::dependency_names;
use crate::compiler::{configured_in, named_by};
use crate::error::LabError;
use crate::kernel_files::{is_header, is_part};
use crate::programs::{DPKG_DEB, TAR, run};
use crate::tree::run_piped;

/// The beginning of the name of an image.
const IMAGE: &str = "linux-image-";
/// The beginnings of the names of its parts.
const PARTS: [&str; 2] = ["linux-binary-", "linux-modules-"];
/// The beginning of the name of the lists of its modules, which newer kernels have in a package of their own.
const LISTS: &str = "linux-base-";
/// The beginning of the name of headers.
const HEADERS: &str = "linux-headers-";
/// The architectures of packages that a guest can use.
const ARCHITECTURES: [&str; 2] = ["amd64", "all"];

/// The name of a package, and the names of those that it depends on.
#[derive(Debug)]
struct Named {
    path: PathBuf,
    name: String,
    architecture: String,
    depends: Vec<String>,
}

impl Named {
    /// Returns the release in its name behind `kind`: `6.1.0-56-amd64`; `None` if it is of another kind,
    /// or a metapackage, which has no version in its name.
    fn release(&self, kind: &str) -> Option<&str> {
        let release = self.name.strip_prefix(kind)?;
        let is_one =
            release.starts_with(|c: char| c.is_ascii_digit()) && !release.contains("-common");
        is_one.then(|| release.strip_suffix("-unsigned").unwrap_or(release))
    }

    /// Returns the release of its kernel's image or modules.
    fn kernel(&self) -> Option<&str> {
        let mut kinds = [IMAGE].into_iter().chain(PARTS);
        kinds.find_map(|kind| self.release(kind))
    }

    fn refused(&self, problem: String) -> LabError {
        LabError::NotAKernel {
            path: self.path.clone(),
            problem,
        }
    }
}

/// Checks that `files`, if there are any, are packages of one kernel and whole: an image with its parts,
/// and headers with what they need.
///
/// # Errors
/// [`LabError::NotAKernel`] with the package that is wrong, or those that are missing.
pub(crate) fn check(files: &[PathBuf]) -> Result<(), LabError> {
    let Some(first) = files.first() else {
        return Ok(());
    };
    let packages = read_all(files)?;
    refuse_wrong(&packages)?;
    let missing = missing(&packages);
    refuse_other_version(&packages, &missing)?;
    match missing.as_slice() {
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

/// Returns the release of the kernel in `files`, which are whole.
///
/// # Errors
/// If a file is no package.
pub(crate) fn release(files: &[PathBuf]) -> Result<String, LabError> {
    let packages = read_all(files)?;
    let found = packages.iter().find_map(Named::kernel);
    Ok(found.unwrap_or("unknown").to_owned())
}

/// Returns the compiler that the headers in `files` ask for, before they are unpacked: the one that they
/// depend on, else that of their configuration.
///
/// # Errors
/// If a file is no package.
pub(crate) fn compiler(files: &[PathBuf]) -> Result<Option<String>, LabError> {
    let packages = read_all(files)?;
    let headers: Vec<&Named> = (packages.iter())
        .filter(|package| is_header(&package.name))
        .collect();
    if let Some(name) = headers
        .iter()
        .find_map(|package| named_by(&package.depends))
    {
        return Ok(Some(name));
    }
    for package in headers {
        let configuration = configuration_in(&package.path);
        if let Some(name) = configured_in(&configuration) {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

/// Returns the configuration of the headers in a package; nothing if it has none.
fn configuration_in(package: &Path) -> String {
    let opener = DPKG_DEB.call(["--fsys-tarfile"]).arg(package);
    let pattern = "./usr/src/linux-headers-*/include/config/auto.conf";
    let reader = TAR.call(["-x", "-O", "--wildcards", pattern]);
    let found = run_piped(
        opener,
        reader,
        &format!("look into `{}`", package.display()),
    );
    String::from_utf8_lossy(&found.unwrap_or_default()).into_owned()
}

fn read_all(files: &[PathBuf]) -> Result<Vec<Named>, LabError> {
    files.iter().map(read).collect()
}

fn read(path: &PathBuf) -> Result<Named, LabError> {
    let ask = DPKG_DEB.call(["--field"]).arg(path);
    let attempted = format!("read the package `{}`", path.display());
    let fields = ["Package", "Architecture", "Depends"];
    let text = run(ask.args(fields), &attempted)?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let field = |name: &str| {
        let value = text.lines().find_map(|line| line.strip_prefix(name));
        value.unwrap_or_default().trim().to_owned()
    };
    Ok(Named {
        path: path.clone(),
        name: field("Package:"),
        architecture: field("Architecture:"),
        depends: dependency_names(&field("Depends:")),
    })
}

/// Refuses a package that is no part of a kernel, is for other machines, or is of another kernel than
/// the first image: it would be named as a part that is missing.
fn refuse_wrong(packages: &[Named]) -> Result<(), LabError> {
    let mut seen: BTreeMap<&str, &Path> = BTreeMap::new();
    let kernel = packages.iter().find_map(Named::kernel);
    for package in packages {
        let Named {
            name, architecture, ..
        } = package;
        if !is_part(name) {
            let problem = format!("`{name}` is no package of an image, modules or headers");
            return Err(package.refused(problem));
        }
        if !ARCHITECTURES.contains(&architecture.as_str()) {
            let problem = format!("`{name}` is for {architecture}, and guests are amd64");
            return Err(package.refused(problem));
        }
        if let Some(other) = seen.insert(name, &package.path) {
            let problem = format!("`{name}` is also the package in `{}`", other.display());
            return Err(package.refused(problem));
        }
        let release = package.kernel().or_else(|| package.release(HEADERS));
        if let (Some(kernel), Some(release)) = (kernel, release)
            && kernel != release
        {
            let problem = format!("`{name}` is of another kernel than {kernel}");
            return Err(package.refused(problem));
        }
    }
    Ok(())
}

/// Refuses headers of all flavours, or the programs that build modules, of another version than those that
/// are missing: a package that is there would be named as missing.
fn refuse_other_version(packages: &[Named], missing: &[String]) -> Result<(), LabError> {
    let is_common = |name: &str| name.starts_with(HEADERS) && name.contains("-common");
    let is_kbuild = |name: &str| name.starts_with("linux-kbuild-");
    let kinds: [&dyn Fn(&str) -> bool; 2] = [&is_common, &is_kbuild];
    for is_it in kinds {
        let given = packages.iter().find(|package| is_it(&package.name));
        let lacking = missing.iter().find(|name| is_it(name.trim_matches('`')));
        if let (Some(given), Some(lacking)) = (given, lacking) {
            let problem = format!("`{}` is not what the headers need: {lacking}", given.name);
            return Err(given.refused(problem));
        }
    }
    Ok(())
}

/// Returns the packages that are missing beside `packages`, each in backquotes.
fn missing(packages: &[Named]) -> Vec<String> {
    let names: BTreeSet<&str> = packages.iter().map(|package| &*package.name).collect();
    let release = |kind: &str| packages.iter().find_map(|package| package.release(kind));
    let mut wanted: BTreeSet<String> = BTreeSet::new();
    for package in packages {
        let is_image = package.name.starts_with(IMAGE);
        let needed = package.depends.iter().filter(|name| {
            is_header(name)
                || PARTS.iter().any(|kind| name.starts_with(kind))
                || name.starts_with(LISTS)
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
        let packages: Vec<Named> = packages.iter().map(|one| named(one, "amd64")).collect();
        refuse_wrong(&packages).unwrap();
        missing(&packages).join(" ")
    }

    fn named((name, depends): &(&str, &str), architecture: &str) -> Named {
        Named {
            path: format!("{name}.deb").into(),
            name: (*name).to_owned(),
            architecture: architecture.to_owned(),
            depends: dependency_names(depends),
        }
    }

    /// Each of these was once reported as parts that are missing beside it.
    #[test]
    fn a_wrong_package_is_refused_with_what_is_wrong_about_it() {
        let other = ("linux-headers-6.1.0-57-cloud-amd64", "");
        for (wrong, architecture, problem) in [
            (
                ("hello", ""),
                "amd64",
                "`hello` is no package of an image, modules or headers",
            ),
            (
                ("linux-image-6.12.95-cloud-amd64-dbg", ""),
                "amd64",
                "is no package of an image",
            ),
            (("linux-libc-dev", ""), "amd64", "is no package of an image"),
            (
                KBUILD,
                "arm64",
                "`linux-kbuild-6.12.95` is for arm64, and guests are amd64",
            ),
            (
                WHOLE,
                "amd64",
                "is also the package in `linux-image-6.12.95-cloud-amd64.deb`",
            ),
            (
                other,
                "amd64",
                "is of another kernel than 6.12.95-cloud-amd64",
            ),
        ] {
            let packages = [named(&WHOLE, "amd64"), named(&wrong, architecture)];
            let error = refuse_wrong(&packages).unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
            assert!(error.contains(&format!("`{}.deb`", wrong.0)), "{error}");
        }
        assert!(refuse_wrong(&[named(&WHOLE, "amd64"), named(&COMMON, "all")]).is_ok());
        for (wrong, problem) in [
            (
                ("linux-kbuild-6.1", ""),
                "`linux-kbuild-6.1` is not what the headers need: `linux-kbuild-6.12.95`",
            ),
            (
                ("linux-headers-6.1.0-57-common", ""),
                "is not what the headers need: `linux-headers-6.12.95-common`",
            ),
        ] {
            let packages = [WHOLE, HEADERS, wrong].map(|one| named(&one, "amd64"));
            let error = refuse_other_version(&packages, &missing(&packages));
            let error = error.unwrap_err().to_string();
            assert!(error.ends_with(problem), "{error}");
        }
        let packages = [WHOLE, HEADERS, COMMON].map(|one| named(&one, "amd64"));
        assert!(refuse_other_version(&packages, &missing(&packages)).is_ok());
    }

    /// A kernel that `make bindeb-pkg` packed depends on no compiler: it was missed after minutes.
    #[test]
    fn the_compiler_is_known_before_headers_are_unpacked() {
        let folder = tempfile::tempdir().unwrap();
        let pack = |name: &str, depends: &str, configuration: Option<&str>| {
            let root = folder.path().join(name);
            let place = root.join(format!("usr/src/{name}/include/config"));
            std::fs::create_dir_all(&place).unwrap();
            std::fs::create_dir_all(root.join("DEBIAN")).unwrap();
            let fields = format!(
                "Package: {name}\nVersion: 1\nArchitecture: all\nMaintainer: nobody <x@example.org>\n{depends}Description: a package\n"
            );
            std::fs::write(root.join("DEBIAN/control"), fields).unwrap();
            if let Some(text) = configuration {
                std::fs::write(place.join("auto.conf"), text).unwrap();
            }
            let file = folder.path().join(format!("{name}.deb"));
            run(DPKG_DEB.call(["--build"]).arg(&root).arg(&file), "pack").unwrap();
            file
        };
        let debian = pack(
            "linux-headers-6.12.95-amd64",
            "Depends: gcc-12-for-host\n",
            None,
        );
        let own = pack(
            "linux-headers-6.9.0",
            "",
            Some("CONFIG_X=y\nCONFIG_GCC_VERSION=140200\n"),
        );
        let image = pack("linux-image-6.9.0", "", None);
        let of = |files: &[&PathBuf]| {
            let files: Vec<PathBuf> = files.iter().map(|file| (*file).clone()).collect();
            (compiler(&files).unwrap(), release(&files).unwrap())
        };
        let (gcc_12, gcc_14) = (Some("gcc-12".to_owned()), Some("gcc-14".to_owned()));
        assert_eq!(of(&[&debian]).0, gcc_12);
        assert_eq!(of(&[&image, &own]), (gcc_14, "6.9.0".to_owned()));
        assert_eq!(of(&[&image]).0, None);
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
        let image = (
            "linux-image-7.3.4-cloud-amd64",
            "linux-base-7.3.4-cloud-amd64 (= 1)",
        );
        assert_eq!(lacking(&[image, headers]), "`linux-base-7.3.4-cloud-amd64`");
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
